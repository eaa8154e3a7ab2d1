\version "2.24.0"
\paper { indent = 0 }
\new PianoStaff <<
  \new Staff \relative c'' {
    \key d \major
    \time 3/4
    \tempo "Lent et douloureux"
    R2.*4 | r4 fis a | g fis cis | b cis d | a2. | fis2. | fis2.
  }
  \new Staff {
    \clef bass
    \key d \major
    <<
      { \repeat unfold 5 { r4 <b d' fis'>2 | r4 <a cis' fis'>2 | } }
      \\
      { \repeat unfold 5 { g,2. | d2. | } }
    >>
  }
>>
