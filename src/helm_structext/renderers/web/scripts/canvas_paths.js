// What a path of a canvas goes around, for `canvas_contents.js`, whose argument it is: the box around it so far, and
// the point where it goes on, on the bitmap. Nothing is looked up that a page could have changed.
(() => {
  const {apply} = Reflect
  const {exec} = RegExp.prototype
  const {toLowerCase} = String.prototype
  const {abs, atan2, ceil, cos, max, sin, PI} = Math
  // Points of a curve that its box goes around, and angles between those of an arc; quarters are among these.
  const CURVE_POINTS = 12, ARC_STEP = PI / 12, ROUND = 2 * PI
  const STRAIGHT = {__proto__: null, a: 1, b: 0, c: 0, d: 1, e: 0, f: 0}

  const makePath = () => ({__proto__: null, left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity,
    x: NaN, y: NaN, startX: NaN, startY: NaN})
  const across = (by, x, y) => by.a * x + by.c * y + by.e
  const along = (by, x, y) => by.b * x + by.d * y + by.f
  const widen = (path, x, y) => {
    if (x < path.left) path.left = x
    if (x > path.right) path.right = x
    if (y < path.top) path.top = y
    if (y > path.bottom) path.bottom = y
  }
  const addBox = (path, by, box) => {
    if (!(box.left <= box.right)) return
    widen(path, across(by, box.left, box.top), along(by, box.left, box.top))
    widen(path, across(by, box.right, box.top), along(by, box.right, box.top))
    widen(path, across(by, box.left, box.bottom), along(by, box.left, box.bottom))
    widen(path, across(by, box.right, box.bottom), along(by, box.right, box.bottom))
  }

  const isBegun = path => path.x === path.x
  const moveTo = (path, by, x, y) => {
    path.startX = path.x = across(by, x, y)
    path.startY = path.y = along(by, x, y)
  }
  const lineTo = (path, by, x, y) => {
    if (!isBegun(path)) return moveTo(path, by, x, y)
    widen(path, path.x, path.y)
    path.x = across(by, x, y)
    path.y = along(by, x, y)
    widen(path, path.x, path.y)
  }
  const bezierCurveTo = (path, by, x1, y1, x2, y2, x, y) => {
    if (!isBegun(path)) moveTo(path, by, x1, y1)
    const left = path.x, top = path.y
    const left1 = across(by, x1, y1), left2 = across(by, x2, y2), right = across(by, x, y)
    const top1 = along(by, x1, y1), top2 = along(by, x2, y2), bottom = along(by, x, y)
    for (let step = 0; step <= CURVE_POINTS; step++) {
      const t = step / CURVE_POINTS, u = 1 - t
      const first = u * u * u, second = 3 * u * u * t, third = 3 * u * t * t, last = t * t * t
      widen(path, first * left + second * left1 + third * left2 + last * right,
        first * top + second * top1 + third * top2 + last * bottom)
    }
    path.x = right
    path.y = bottom
  }
  const quadraticCurveTo = (path, by, x1, y1, x, y) => {
    if (!isBegun(path)) moveTo(path, by, x1, y1)
    // A curve with one control point is one with two, two thirds of the way to it from each end.
    const middle = across(by, x1, y1), height = along(by, x1, y1), right = across(by, x, y), bottom = along(by, x, y)
    bezierCurveTo(path, STRAIGHT, path.x + (middle - path.x) / 1.5, path.y + (height - path.y) / 1.5,
      right + (middle - right) / 1.5, bottom + (height - bottom) / 1.5, right, bottom)
  }
  const rect = (path, by, x, y, width, height) => {
    moveTo(path, by, x, y)
    lineTo(path, by, x + width, y)
    lineTo(path, by, x + width, y + height)
    lineTo(path, by, x, y + height)
    moveTo(path, by, x, y)
  }
  const ellipse = (path, by, x, y, wide, high, turned, start, end, backwards) => {
    const from = (backwards ? end : start) % ROUND
    const turns = backwards ? start - end : end - start
    const length = turns >= ROUND ? ROUND : (turns % ROUND + ROUND) % ROUND
    const goTo = (angle, go) => {
      const right = wide * cos(angle), down = high * sin(angle)
      const left = x + right * cos(turned) - down * sin(turned), top = y + right * sin(turned) + down * cos(turned)
      go(path, by, left, top)
    }
    const include = (path, by, x, y) => widen(path, across(by, x, y), along(by, x, y))
    goTo(start, lineTo)
    const first = ceil(from / ARC_STEP) * ARC_STEP
    for (let angle = first; angle < from + length; angle += ARC_STEP) goTo(angle, include)
    goTo(end, lineTo)
  }
  const closePath = path => {
    path.x = path.startX
    path.y = path.startY
  }

  // An arc as SVG writes it: by its ends. Source of its middle: SVG 1.1, appendix F.6.
  const bowTo = (path, wide, high, turned, large, onwards, x, y) => {
    const c = cos(turned), s = sin(turned)
    const halfX = (path.x - x) / 2, halfY = (path.y - y) / 2
    let across = (c * halfX + s * halfY) / wide, down = (c * halfY - s * halfX) / high
    const square = across * across + down * down
    if (!(square > 0 && square < Infinity)) return lineTo(path, STRAIGHT, x, y)
    const grown = max(square ** 0.5, 1)  // too small a one is made as large as it must be
    across /= grown
    down /= grown
    const aside = (large === onwards ? -1 : 1) * max(1 / square - 1, 0) ** 0.5
    const middleX = wide * grown * aside * down, middleY = -high * grown * aside * across
    ellipse(path, STRAIGHT, c * middleX - s * middleY + (path.x + x) / 2, s * middleX + c * middleY + (path.y + y) / 2,
      wide * grown, high * grown, turned, atan2(down + aside * across, across - aside * down),
      atan2(aside * across - down, -across - aside * down), !onwards)
    path.x = x
    path.y = y
  }

  // Paths in SVG's language: of each command, how many numbers it has, and what it does with them, from the point (x, y)
  // or from (0, 0), and with the control point of the curve before, mirrored.
  const MAX_COMMANDS = 20_000
  const COMMAND = /[\s,]*([a-z])/iy, NUMBER = /[\s,]*([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)/iy, FLAG = /[\s,]*([01])/y
  const COUNTS = {__proto__: null, m: 2, l: 2, h: 1, v: 1, c: 6, s: 4, q: 4, t: 2, a: 7, z: 0}
  const COMMANDS = {
    __proto__: null,
    m: (path, v, x, y) => moveTo(path, STRAIGHT, x + v[0], y + v[1]),
    l: (path, v, x, y) => lineTo(path, STRAIGHT, x + v[0], y + v[1]),
    h: (path, v, x) => lineTo(path, STRAIGHT, x + v[0], path.y),
    v: (path, v, x, y) => lineTo(path, STRAIGHT, path.x, y + v[0]),
    c: (path, v, x, y) => bezierCurveTo(path, STRAIGHT, x + v[0], y + v[1], x + v[2], y + v[3], x + v[4], y + v[5]),
    s: (path, v, x, y, last) => bezierCurveTo(path, STRAIGHT, last.x, last.y, x + v[0], y + v[1], x + v[2], y + v[3]),
    q: (path, v, x, y) => quadraticCurveTo(path, STRAIGHT, x + v[0], y + v[1], x + v[2], y + v[3]),
    t: (path, v, x, y, last) => quadraticCurveTo(path, STRAIGHT, last.x, last.y, x + v[0], y + v[1]),
    a: (path, v, x, y) => bowTo(path, abs(v[0]), abs(v[1]), v[2] * PI / 180, v[3], v[4], x + v[5], y + v[6]),
    z: closePath,
  }
  // Where the last control point of a curve is among its numbers.
  const CONTROLS = {__proto__: null, c: 2, s: 0, q: 0}

  const readPath = (path, written) => {
    let place = 0
    const read = pattern => {
      pattern.lastIndex = place
      const found = apply(exec, pattern, [written])
      if (found) place = pattern.lastIndex
      return found && found[1]
    }
    let last = {__proto__: null, x: NaN, y: NaN}, letter = '', before = ''
    for (let count = 0; count < MAX_COMMANDS; count++) {
      const next = read(COMMAND)
      if (next) letter = next
      const name = apply(toLowerCase, letter, []), length = COUNTS[name]
      if (length === undefined || !next && !length) return
      const values = {__proto__: null}
      for (let number = 0; number < length; number++) {
        const value = read(name === 'a' && (number === 3 || number === 4) ? FLAG : NUMBER)
        if (value === null) return
        values[number] = +value
      }
      const relative = letter === name, goesOn = relative && isBegun(path)
      const x = goesOn ? path.x : 0, y = goesOn ? path.y : 0
      const curved = name === 's' ? before === 'c' || before === 's' : before === 'q' || before === 't'
      const mirrored = {__proto__: null, x: path.x, y: path.y}
      if (curved) {
        mirrored.x += path.x - last.x
        mirrored.y += path.y - last.y
      }
      COMMANDS[name](path, values, x, y, mirrored)
      const control = CONTROLS[name]
      last = control === undefined ? mirrored : {__proto__: null, x: x + values[control], y: y + values[control + 1]}
      before = name
      if (name === 'm') letter = relative ? 'l' : 'L'
    }
  }

  return {
    __proto__: null, STRAIGHT, makePath, addBox, readPath,
    // By the names of a canvas's functions; and how many numbers each needs.
    counts: {__proto__: null, moveTo: 2, lineTo: 2, bezierCurveTo: 6, quadraticCurveTo: 4, rect: 4, closePath: 0,
      ellipse: 7, roundRect: 4, arc: 5, arcTo: 5},
    steps: {
      __proto__: null, moveTo, lineTo, bezierCurveTo, quadraticCurveTo, rect, closePath, ellipse, roundRect: rect,
      arc: (path, by, x, y, radius, start, end, backwards) =>
        ellipse(path, by, x, y, radius, radius, 0, start, end, backwards),
      arcTo: (path, by, x1, y1, x, y, radius) => lineTo(path, by, x1, y1),
    },
  }
})()
