\version "2.24.0"
\paper { indent = 0 }
<<
  \new ChordNames \chordmode {
    s8 | e2.:m | d2. | e2.:m | b2.:m | e2.:m | d2. | e4.:m b4. | e2.:m
  }
  \new Staff \relative c' {
    \key e \minor
    \time 6/8
    \partial 8 e8 |
    g4 a8 b8. c16 b8 | a4 fis8 d8. e16 fis8 | g4 e8 e8. d16 e8 | fis4 d8 b4 e8 |
    g4 a8 b8. c16 b8 | a4 fis8 d8. e16 fis8 | g8. fis16 e8 d8. cis16 d8 | e4. e4 \bar "||"
  }
>>
