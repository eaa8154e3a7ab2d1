// Lets backgrounds that are fixed to the window cover the whole page: they would end where it does.
{
  const style = new CSSStyleSheet()
  style.replaceSync('*, *::before, *::after { background-attachment: scroll !important }')
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, style]
}
