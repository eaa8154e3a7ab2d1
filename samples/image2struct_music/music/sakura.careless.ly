{
  \time 4/4
  \tempo 4 = 72
  a' a' b'2 a' a' b'2 a' b' c'' b' a' b' a' f'2
}
