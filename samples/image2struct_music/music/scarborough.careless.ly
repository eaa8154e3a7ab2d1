\version "2.24.0"
melody = \relative c' {
  \key d \minor
  \time 3/4
  d4 d a' a e f e d
}
text = \lyricmode { Are you go -- ing to Scar -- bo -- rough Fair? }
\score {
  \new Staff { \melodyy }
  \addlyrics { \text }
}
