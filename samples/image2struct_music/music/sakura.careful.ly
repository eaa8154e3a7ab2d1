\version "2.24.0"
\paper { indent = 0 }
\relative c'' {
  \time 4/4
  \tempo "Andante" 4 = 72
  a4\p a b2 | a4 a b2 | a4( b c b) | a b8( a) f2 |
  e4\f( c e f) | e e8( c) b2 | a'4\p a b2 | a4 a b2 \bar "|."
}
