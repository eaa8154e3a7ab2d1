\version "2.24.0"
\paper { indent = 10\mm }
tune = \relative c' {
  f4 g a f | f g a f | a bes c2 | a4 bes c2 |
  c8 d c bes a4 f | c'8 d c bes a4 f | f c f2 | f4 c f2
}
\new StaffGroup <<
  \new Staff \with { instrumentName = "I" } { \key f \major \time 4/4 \tune R1*2 }
  \new Staff \with { instrumentName = "II" } { \key f \major R1*2 \tune }
>>
