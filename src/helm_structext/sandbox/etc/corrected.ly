\version "2.24.0"
\paper {
  print-page-number = ##f
  oddFooterMarkup = ##f
  evenFooterMarkup = ##f
}
