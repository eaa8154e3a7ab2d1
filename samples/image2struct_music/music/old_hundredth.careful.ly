\version "2.24.0"
\paper { indent = 20\mm }
global = { \key g \major \time 4/4 \partial 4 }
\new ChoirStaff <<
  \new Staff \with { instrumentName = "Soprano" } \relative c'' {
    \global g4 | g fis e d | g a b b | b b a g | c b a
  }
  \new Staff \with { instrumentName = "Alto" } \relative c' {
    \global d4 | d d c b | d d d d | g d d b | e g fis
  }
  \new Staff \with { instrumentName = "Tenor" } \relative c' {
    \clef "treble_8"
    \global b4 | b a g g | g fis g g | d' g, fis g | g d' d
  }
  \new Staff \with { instrumentName = "Bass" } \relative c' {
    \clef bass
    \global g4 | g d e g | b, d g, g' | g g d e | c g' d
  }
>>
