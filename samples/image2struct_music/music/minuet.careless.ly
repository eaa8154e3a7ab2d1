\version "2.24.0"
\new PianoStaff <<
  \new Staff {
    \clef treble
    \time 3/4
    c''4 d''8 e'' f'' g'' | c''2. | d''4 e'' f'' | g''2. |
    a''4 g'' f'' | e''2. | d''4 c'' b' | c''2. |
  }
  \new Staff {
    \clef bass
    \time 3/4
    c2. | e2. | g2. | c'2. |
    f2. | c2. | g,2. | c2. |
  }
>>
