// Brings a page to rest for its picture, and returns the text on it.
(() => {
  // Animations that end are at their end, the others at their start.
  for (const animation of document.getAnimations()) {
    try { animation.finish() } catch { animation.pause(); animation.currentTime = 0 }
  }
  // A background that is fixed to the window would end where the window does.
  const style = new CSSStyleSheet()
  style.replaceSync('*, *::before, *::after { background-attachment: scroll !important }')
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, style]
  return document.body ? document.body.innerText : ''
})()
