```lilypond
\version "2.22.1"
\header { title = "Greensleeves" }
\relative c' {
  \key g \major
  \time 6/8
  e8 g4 a8 b8. c16 b8 | a4 fis8 d8. e16 fis8 | g4 e8 e8. d16 e8 | fis4 d8 b4. |
}
```
