// Brings a page to rest for its picture, and returns the text on it, a million characters at most.
(() => {
  // Animations that end are at their end, the others at their start.
  for (const animation of document.getAnimations()) {
    try { animation.finish() } catch { animation.pause(); animation.currentTime = 0 }
  }
  return document.body ? document.body.innerText.slice(0, 1e6) : ''
})()
