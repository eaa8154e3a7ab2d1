\version "2.24.0"
\score {
  \new ChoirStaff <<
    \new Staff \with { instrumentName = "Soprano" } { \key c \major \time 4/4 g'4 g' f' e' | d' g' a' b' | b'1 }
    \new Staff \with { instrumentName = "Alto" } { \key c \major d'4 d' d' c' | b d' d' d' | d'1 }
    \new Staff \with { instrumentName = "Tenor" } { \key c \major \clef "treble_8" b4 b a g | g g f g | g1 }
    \new Staff \with { instrumentName = "Bass" } { \key c \major \clef bass g4 g d e | g b, d g, | g,1 }
  >>
  \layout { }
