\version "2.24.0"
\paper { indent = 20\mm }
theme = \relative c'' { fis4 e d cis | b a b c }
global = { \key d \major \time 4/4 }
\new StaffGroup <<
  \new Staff \with { instrumentName = "Violin 1" } \relative c'' {
    \global \themes d4 fis a g | fis d fis e
  }
  \new Staff \with { instrumentName = "Violin 2" } { \global R1*2 \theme }
  \new Staff \with { instrumentName = "Bass" } \relative c {
    \clef bass
    \global d4 a b fis | g d g a | d a b fis | g d g a
  }
>>
