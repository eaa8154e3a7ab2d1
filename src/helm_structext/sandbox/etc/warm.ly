\version "2.24.0"
{ c'1 }
