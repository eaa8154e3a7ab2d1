// Returns, as JSON, what the browser's snapshot of a page does not tell: how many nodes the page has; of each picture
// outside of shadow trees, whether its words stand for it; of each canvas there the size of its bitmap and what
// `canvas_contents.js` noted, without texts of which no pixel is left; and the arrowheads at both ends of lines of SVG.
((token, most, mostShapes, mostLines) => {
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
  // As SVG 2 says in "Rendering markers": at an end of a line, along it, in the line's width or in pixels.
  const placeHead = (line, style, name, atEnd) => {
    const marker = line.getRootNode().getElementById(name)
    if (!(marker instanceof SVGMarkerElement)) return null
    const drawn = [...marker.children].filter(one => one instanceof SVGGraphicsElement)
    const length = line.getTotalLength(), matrix = line.getScreenCTM()
    if (!drawn.length || !matrix || !(length > 0)) return null
    const step = Math.min(1, length / 2)
    const [tip, inside] = [0, step].map(far => line.getPointAtLength(atEnd ? length - far : far))
    const along = atEnd ? [tip.x - inside.x, tip.y - inside.y] : [inside.x - tip.x, inside.y - tip.y]
    const turned = marker.getAttribute('orient') === 'auto-start-reverse' && !atEnd ? 180 : 0
    const angle = marker.orientType.baseVal === SVGMarkerElement.SVG_MARKER_ORIENT_ANGLE
      ? marker.orientAngle.baseVal.value : turned + Math.atan2(along[1], along[0]) * 180 / Math.PI
    const {width, height} = marker.viewBox.baseVal ?? {width: 0, height: 0}
    const [wide, high] = [marker.markerWidth.baseVal.value, marker.markerHeight.baseVal.value]
    const view = width > 0 && height > 0 ? Math.min(wide / width, high / height) : 1
    const inPixels = marker.markerUnits.baseVal === SVGMarkerElement.SVG_MARKERUNITS_USERSPACEONUSE
    const scale = view * (inPixels ? 1 : parseFloat(style.strokeWidth))
    const all = new DOMMatrix([matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f])
      .translate(tip.x, tip.y).rotate(angle).scale(scale)
      .translate(-marker.refX.baseVal.value, -marker.refY.baseVal.value)
    const corners = drawn.map(one => one.getBBox()).flatMap(({x, y, width, height}) =>
      [[x, y], [x + width, y], [x, y + height], [x + width, y + height]].map(corner => all.transformPoint(new DOMPoint(...corner))))
    const [xs, ys] = [corners.map(one => one.x + scrollX), corners.map(one => one.y + scrollY)]
    const own = getComputedStyle(drawn[0])
    const paint = own.fill !== 'none' ? own.fill : own.stroke
    const opacity = own.opacity * style.opacity * (own.fill !== 'none' ? own.fillOpacity : own.strokeOpacity)
    return {left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys),
      color: paint.startsWith('context-') ? style.stroke : paint, opacity}
  }
  const readHeads = () => {
    if (!document.querySelector('marker')) return []
    const lines = [...document.querySelectorAll('path, line, polyline, polygon')].slice(0, mostLines)
    return lines.flatMap(line => {
      if (!line.checkVisibility({opacityProperty: true, visibilityProperty: true})) return []
      const style = getComputedStyle(line)
      return [style.markerStart, style.markerEnd].map((written, end) =>
        written === 'none' ? null : placeHead(line, style, written.replace(/^.*#|["']?\)$/g, ''), end === 1))
    }).filter(head => head && [head.left, head.top, head.right, head.bottom, head.opacity].every(isFinite))
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
  return JSON.stringify({nodes, broken, canvases, heads: readHeads()})
})
