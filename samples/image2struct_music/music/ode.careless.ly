\version "2.18.2"
\relative c'' {
  \key g \major
  \time 4/4
  g4 g a b | b a g fis | e e fis g | g4. fis8 fis2 |
}
\addlyrics {
  Freu -- de, schö -- ner Göt -- ter -- fun -- ken,
  Toch -- ter aus E -- ly -- si -- um
}
