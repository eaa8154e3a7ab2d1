// Returns, as JSON, what the browser's snapshot of a page does not tell: how many nodes the page has; of each picture
// outside of shadow trees, whether its words stand for it; and of each canvas there the size of its bitmap and what
// `canvas_contents.js` noted, without texts of which no pixel is left.
((token, most, mostShapes) => {
  let room = mostShapes
  const ask = canvas => {
    let noted = null
    const hear = event => { noted = event.detail }
    canvas.addEventListener(`${token}!`, hear)
    canvas.dispatchEvent(new CustomEvent(token))
    canvas.removeEventListener(`${token}!`, hear)
    return noted && JSON.parse(noted)
  }
  const readPixels = canvas => {
    const {width, height} = canvas
    if (!width || !height || width * height > most) return null
    try {
      return new Uint32Array(canvas.getContext('2d').getImageData(0, 0, width, height).data.buffer)
    } catch { return null }
  }
  const isEmpty = ({width, height}, pixels, {left, top, right, bottom}) => {
    const [x1, x2] = [left, right].map(x => Math.min(Math.max(Math.round(x), 0), width))
    const [y1, y2] = [top, bottom].map(y => Math.min(Math.max(Math.round(y), 0), height))
    const first = pixels[y1 * width + x1]
    for (let y = y1; y < y2; y++) for (let x = x1; x < x2; x++) if (pixels[y * width + x] !== first) return false
    return x1 < x2 && y1 < y2
  }
  const canvases = [...document.querySelectorAll('canvas')].map(canvas => {
    const noted = ask(canvas)
    if (!noted) return null
    const pixels = readPixels(canvas)
    const texts = Object.values(noted.texts).filter(one => !pixels || !isEmpty(canvas, pixels, one))
    const drawn = Object.values(noted.shapes), shapes = drawn.slice(Math.max(drawn.length - room, 0))
    room -= shapes.length
    const leftOut = noted.leftOut + drawn.length - shapes.length
    return {size: [canvas.width, canvas.height], texts, shapes, leftOut,
      written: noted.written, painted: noted.painted}
  })
  const broken = [...document.querySelectorAll('img')].map(image => image.complete && !image.naturalWidth)
  const nodes = document.evaluate('count(//node())', document).numberValue
  return JSON.stringify({nodes, broken, canvases})
})
