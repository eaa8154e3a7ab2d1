\version "2.24.0"
\relative c' {
  \key d \major
  \time 4/4
  fis4 fis g a | a g fis e | d d e fis | fis2 e2 |
  fis4 fis g a | a g fis e | d d e fis | e4. d8 d2 \bar "|."
}
\addlyrics {
  Freu -- de, schö -- ner Göt -- ter -- fun -- ken,
  Toch -- ter aus E -- ly -- si -- um,
  wir be -- tre -- ten feu -- er -- trun -- ken,
  Himm -- li -- sche, dein Hei -- lig -- tum!
}
