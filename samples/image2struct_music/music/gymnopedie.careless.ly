\version "2.24.0"
\score {
  \new PianoStaff <<
    \new Staff \relative c'' {
      \key d \major
      \time 3/4
      \tempo "Lent et douloureux"
      r2. | r2. | r4 fis a | g fis cis | b cis d | a2. |
    }
    \new Staff \relative c {
      \clef bass
      \key d \major
      \time 3/4
      g4 <b' d fis>2 | d,4 <a' cis fis>2 | g4 <b d fis>2 | d,4 <a' cis fis>2 | g4 <b d fis>2 | d,2. |
    }
  >>
  \layout { }
  \midi { }
}
