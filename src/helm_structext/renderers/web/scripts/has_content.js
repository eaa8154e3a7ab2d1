// Whether there is something to see on a page: text, a control, a picture, a painted box, a canvas with
// something on it; and not only empty boxes.
(() => {
  const visible = element => {
    const {width, height} = element.getBoundingClientRect()
    return width > 1 && height > 1 && getComputedStyle(element).visibility === 'visible'
  }
  const inked = canvas => {
    const blank = document.createElement('canvas')
    blank.width = canvas.width
    blank.height = canvas.height
    try { return canvas.toDataURL() !== blank.toDataURL() } catch { return true }
  }
  const painted = element => {
    const style = getComputedStyle(element)
    return !/^rgba\(.*, 0\)$/.test(style.backgroundColor) || style.backgroundImage !== 'none' ||
      style.boxShadow !== 'none' || parseFloat(style.borderTopWidth) > 0 || element.shadowRoot
  }
  const control = 'img, svg, video, input, button, select, textarea, progress, meter, hr, iframe'
  const content = element => visible(element) && (element.localName === 'canvas'
    ? inked(element) : element.matches(control) || painted(element))
  return !!document.body && (!!document.body.innerText.trim() ||
    [...document.body.querySelectorAll('*')].slice(0, 5000).some(content))
})()
