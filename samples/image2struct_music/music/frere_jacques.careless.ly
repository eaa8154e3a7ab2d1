\version "2.20.0"

\score {
  <<
    \new Staff {
      \clef treble
      \key f \major
      \time 4/4
      f'4 g' a' f' | f'4 g' a' f' | c''2 d'' | c''1 |
      a'4 bes' c'' a' | f'1
    }
    \new Staff {
      \clef bass
      \key f \major
      R1 | R1 | f4 g a f | f4 g a f | c1 | f1
    }
  >>
  \layout { }
}
