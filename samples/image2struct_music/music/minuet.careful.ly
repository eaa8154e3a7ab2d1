\version "2.24.0"
\paper { indent = 0 }
\new PianoStaff <<
  \new Staff \relative c'' {
    \key g \major
    \time 3/4
    d4 g,8 a b c | d4 g, g | e'4 c8 d e fis | g4 g, g |
    c4 d8 c b a | b4 c8 b a g | fis8 g a4 b | a2. |
  }
  \new Staff \relative c' {
    \clef bass
    \key g \major
    g2 a4 | b2. | c2. | b2. |
    a2. | g2. | d'4 b g | d'4 d,8 c' b a |
  }
>>
