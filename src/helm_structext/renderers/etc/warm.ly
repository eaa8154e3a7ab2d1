\version "2.24.0"
% Touches what most scores touch, so that it is loaded before the first of them.
\header { title = "Title" composer = "Composer" }
\score {
  <<
    \chords { c1 a:m7 }
    \new Staff { \tempo "Andante" 4 = 80 \key d \major \time 3/4 c''4\p( d''8.\f e''16) r4 | <c' e'>2. }
    \addlyrics { one two three four }
    \new Staff { \clef bass \tuplet 3/2 { c8 d e } \grace f8 g4\trill\fermata a4 | b2.~\< b\! \bar "|." }
  >>
}
