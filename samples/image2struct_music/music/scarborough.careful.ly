\version "2.24.0"
\paper { indent = 0 }
<<
  \new ChordNames \chordmode {
    d2.:m | d2.:m | c2. | d2.:m | f2. | d4:m g2 | d2.:m | d2.:m
  }
  \new Voice = "air" \relative c' {
    \key d \minor
    \time 3/4
    \tempo "Gently" 4 = 96
    d2 d4 | a'4 a a | e4. f8 e4 | d2. |
    r4 a' c | d2 c4 | a b g | a2. \bar "||"
  }
  \new Lyrics \lyricsto "air" {
    Are you go -- ing to Scar -- bo -- rough Fair?
    Pars -- ley, sage, rose -- ma -- ry and thyme,
  }
>>
