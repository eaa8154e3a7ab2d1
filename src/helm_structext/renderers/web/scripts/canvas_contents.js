// Notes what texts and shapes a page draws on its canvases, and how many pixels it puts there otherwise than by drawing,
// where a layout is wanted (`snapshot.py`); runs in every frame before the page's own scripts. The page can't find out:
// functions look and act as before, and a canvas tells what it has only to who knows the token, by an event. Nothing is
// looked up that a page could have changed. Of a shape there is its box, which `canvas_paths.js` finds for paths.
((token, paths) => {
  const MAX_NOTES = 5000
  // Of a canvas; of more shapes, the last ones.
  const MAX_SHAPES = 5000
  // How often a shape is compared with a rectangle that is cleared; later on, the picture says whether it is there.
  const MAX_LOOKS = 2e6
  const {apply, construct} = Reflect
  const {startsWith} = String.prototype
  const {stringify} = JSON
  const {abs, min, max, round} = Math
  const Message = CustomEvent, Observer = MutationObserver
  const Context = CanvasRenderingContext2D.prototype
  const Canvas = HTMLCanvasElement.prototype
  const {addEventListener, dispatchEvent} = EventTarget.prototype
  const {measureText, getTransform} = Context
  const {observe, takeRecords} = Observer.prototype
  const {get, set, has, delete: remove} = WeakMap.prototype
  const notesOf = new WeakMap()
  const natives = new WeakMap()

  const read = (prototype, names) => {
    const getters = {__proto__: null}
    for (const name of names) {
      const getter = Object.getOwnPropertyDescriptor(prototype, name).get
      getters[name] = self => apply(getter, self, [])
    }
    return getters
  }
  const state = read(Context, ['canvas', 'font', 'textAlign', 'direction', 'fillStyle', 'strokeStyle', 'globalAlpha',
    'globalCompositeOperation', 'lineWidth'])
  const extent = read(TextMetrics.prototype, ['width', 'fontBoundingBoxAscent', 'fontBoundingBoxDescent'])
  const matrix = read(DOMMatrix.prototype, ['a', 'b', 'c', 'd', 'e', 'f'])
  const canvas = read(Canvas, ['width', 'height'])
  const target = read(Event.prototype, ['currentTarget'])
  const change = read(MutationRecord.prototype, ['attributeName', 'attributeNamespace'])
  const pixels = read(ImageData.prototype, ['width', 'height'])
  const address = read(HTMLImageElement.prototype, ['src']), bitmap = read(ImageBitmap.prototype, ['width', 'height'])
  // Square pixels up to which a filled rectangle is a dot of a picture.
  const DOT = 16

  // A native function, which is followed by one of ours: it gets the same object and values.
  const follow = (native, after) => {
    const proxy = new Proxy(native, {
      __proto__: null,
      apply(_, self, values) {
        const result = apply(native, self, values)
        try { after(self, values) } catch {}
        return result
      },
    })
    natives.set(proxy, native)
    return proxy
  }
  const hook = (prototype, name, after) => {
    const about = Object.getOwnPropertyDescriptor(prototype, name)
    if (about) Object.defineProperty(prototype, name, {...about, value: follow(about.value, after)})
  }

  const answer = event => {
    const self = target.currentTarget(event)
    noticeResets(self)
    const notes = apply(get, notesOf, [self])
    apply(dispatchEvent, self, [new Message(`${token}!`, {__proto__: null, detail: stringify(notes)})])
  }
  const find = (self, begin) => {
    let notes = apply(get, notesOf, [self])
    if (!notes && begin) {
      notes = {__proto__: null, count: 0, leftOut: 0, written: 0, painted: 0, texts: {__proto__: null},
        shapes: {__proto__: null}, drawn: 0, kept: 0}
      apply(set, notesOf, [self, notes])
      apply(addEventListener, self, [token, answer])
    }
    return notes
  }
  const pens = new WeakMap()
  const readMatrix = moved => ({__proto__: null, a: matrix.a(moved), b: matrix.b(moved), c: matrix.c(moved),
    d: matrix.d(moved), e: matrix.e(moved), f: matrix.f(moved)})
  // What a canvas is drawn with: the path that is begun, the box that is drawn in, and how all is moved, which is asked
  // for each time but by the points of a path, between which it is kept.
  const findPen = self => {
    let pen = apply(get, pens, [self])
    if (!pen) {
      pen = {__proto__: null, path: paths.makePath(), clip: null, below: null, moved: null, looks: 0}
      apply(set, pens, [self, pen])
    }
    return pen
  }
  const readTransform = context => {
    const pen = findPen(state.canvas(context))
    return pen.moved ??= readMatrix(apply(getTransform, context, []))
  }
  // The box on the bitmap of one in the units of the drawing.
  const place = (context, left, top, right, bottom) => {
    const moved = readTransform(context)
    const a = moved.a, b = moved.b, c = moved.c, d = moved.d, e = moved.e, f = moved.f
    const x1 = a * left + c * top, x2 = a * right + c * top, x3 = a * left + c * bottom, x4 = a * right + c * bottom
    const y1 = b * left + d * top, y2 = b * right + d * top, y3 = b * left + d * bottom, y4 = b * right + d * bottom
    return {
      __proto__: null,
      left: min(x1, x2, x3, x4) + e, top: min(y1, y2, y3, y4) + f,
      right: max(x1, x2, x3, x4) + e, bottom: max(y1, y2, y3, y4) + f,
      scale: abs(a * d - b * c) ** 0.5, straight: b === 0 && c === 0,
    }
  }
  const noteText = style => (context, values) => {
    const text = values[0], x = values[1], y = values[2], most = values[3]
    if (typeof text !== 'string' && typeof text !== 'number') return
    if (typeof x !== 'number' || typeof y !== 'number') return
    const notes = find(state.canvas(context), true)
    const measured = apply(measureText, context, [text])
    let width = extent.width(measured)
    if (typeof most === 'number' && most < width) width = most
    const align = state.textAlign(context), backwards = state.direction(context) === 'rtl'
    const atRight = align === 'right' || align === (backwards ? 'start' : 'end')
    const left = x - (align === 'center' ? width / 2 : atRight ? width : 0)
    const ascent = extent.fontBoundingBoxAscent(measured), descent = extent.fontBoundingBoxDescent(measured)
    const box = place(context, left, y - ascent, left + width, y + descent)
    const key = `${text}|${round(box.left)},${round(box.top)}`
    const before = notes.texts[key]
    if (!before && notes.count >= MAX_NOTES) {
      notes.leftOut++
      return
    }
    // An outline is drawn before or after what fills it, whose color counts.
    const color = style === 'strokeStyle' && before ? before.color : state[style](context)
    if (!before) notes.count++
    notes.texts[key] = {
      __proto__: null, text: `${text}`, left: box.left, top: box.top, right: box.right, bottom: box.bottom,
      font: state.font(context), scale: box.scale, alpha: state.globalAlpha(context),
      color: typeof color === 'string' ? color : '',
    }
  }
  // A value that is a number, or can be read as one without asking the page.
  const READABLE = {__proto__: null, number: true, string: true, boolean: true}
  const readNumber = value => READABLE[typeof value] || value === null ? +value : NaN
  const areFinite = (values, count) => {
    for (let place = 0; place < count; place++) if (!(abs(readNumber(values[place])) < Infinity)) return false
    return true
  }
  const common = (one, other) => other ? {
    __proto__: null, left: max(one.left, other.left), top: max(one.top, other.top),
    right: min(one.right, other.right), bottom: min(one.bottom, other.bottom),
  } : one
  // Where a rectangle lies of which x, y, width and height are given.
  const boxOf = (context, values) => {
    const x = readNumber(values[0]), y = readNumber(values[1])
    return place(context, x, y, x + readNumber(values[2]), y + readNumber(values[3]))
  }
  const erase = (noted, {left, top, right, bottom}) => {
    let count = 0
    for (const key in noted) {
      const one = noted[key]
      if (one.left < left - 1 || one.top < top - 1 || one.right > right + 1 || one.bottom > bottom + 1) continue
      delete noted[key]
      count++
    }
    return count
  }
  const eraseWhole = notes => {
    notes.texts = {__proto__: null}
    notes.shapes = {__proto__: null}
    notes.count = notes.kept = notes.leftOut = 0
  }
  // What begins a canvas anew forgets what it is drawn with, too.
  const eraseAll = self => {
    const notes = find(self)
    if (notes) eraseWhole(notes)
    apply(remove, pens, [self])
  }
  // A canvas begins anew when its width or height is set, if only to what it was, in whichever way.
  const watchers = new WeakMap()
  const areResets = records => {
    for (let place = 0; place < records.length; place++) {
      const name = change.attributeName(records[place])
      if ((name === 'width' || name === 'height') && change.attributeNamespace(records[place]) === null) return true
    }
    return false
  }
  const noticeResets = self => {
    const watcher = apply(get, watchers, [self])
    if (watcher) {
      if (areResets(apply(takeRecords, watcher, []))) eraseAll(self)
      return
    }
    const made = new Observer(records => { if (areResets(records)) eraseAll(self) })
    apply(set, watchers, [self, made])
    apply(observe, made, [self, {__proto__: null, attributes: true}])
  }
  const eraseRectangle = fills => (context, values) => {
    const self = state.canvas(context)
    const notes = find(self)
    if (!notes || !notes.count && !notes.kept) return
    if (!areFinite(values, 4)) return
    const drawn = boxOf(context, values)
    if (!drawn.straight) return
    const pen = findPen(self)
    const box = common(drawn, pen.clip)
    if (!(box.left < box.right && box.top < box.bottom)) return
    const whole = box.left <= 0 && box.top <= 0 && box.right >= canvas.width(self) && box.bottom >= canvas.height(self)
    if (fills) {
      if (state.globalAlpha(context) < 1 || state.globalCompositeOperation(context) !== 'source-over') return
      // Of a gradient or a pattern it is not known whether it is opaque; one that fills all of the canvas is.
      const color = state.fillStyle(context)
      if (typeof color === 'string' ? color[0] !== '#' : !whole) return
    }
    if (whole) return eraseWhole(notes)
    notes.count -= erase(notes.texts, box)
    // Where shapes are filled over, the picture says what is still there.
    if (!fills && (pen.looks += notes.kept) <= MAX_LOOKS) notes.kept -= erase(notes.shapes, box)
  }

  // A shape on the bitmap, where its line is so much wider to each side.
  const tell = (context, kind, box, style = '', wider = 0) => {
    const operation = state.globalCompositeOperation(context)
    if (apply(startsWith, operation, ['destination']) && operation !== 'destination-over') return
    const self = state.canvas(context)
    const wide = {__proto__: null, left: box.left - wider, top: box.top - wider, right: box.right + wider,
      bottom: box.bottom + wider}
    const bitmap = {__proto__: null, left: 0, top: 0, right: canvas.width(self), bottom: canvas.height(self)}
    const seen = common(common(wide, bitmap), findPen(self).clip)
    if (!(seen.left <= seen.right && seen.top <= seen.bottom)) return
    const notes = find(self, true)
    const color = style && state[style](context)
    const plain = operation === 'source-over' || operation === 'source-atop' || operation === 'destination-over'
    const first = notes.drawn - MAX_SHAPES
    if (first in notes.shapes) {
      delete notes.shapes[first]
      notes.kept--
      notes.leftOut++
    }
    notes.kept++
    notes.shapes[notes.drawn++] = {
      __proto__: null, kind, left: seen.left, top: seen.top, right: seen.right, bottom: seen.bottom,
      alpha: state.globalAlpha(context), color: plain && typeof color === 'string' ? color : '',
      line: style === 'strokeStyle',
    }
  }
  const written = new WeakMap()
  const readPath = (context, values) => {
    const given = values[0]
    if (typeof given !== 'object') return findPen(state.canvas(context)).path
    const path = apply(get, written, [given])
    if (!path || !(path.left <= path.right)) return paths.makePath()
    return place(context, path.left, path.top, path.right, path.bottom)
  }
  const lineWidth = context => state.lineWidth(context) / 2 * place(context, 0, 0, 1, 1).scale
  const fillPath = (context, values) => {
    const path = readPath(context, values)
    if (path.left < path.right && path.top < path.bottom) tell(context, 'shape', path, 'fillStyle')
  }
  const strokePath = (context, values) => {
    const path = readPath(context, values)
    if (path.left <= path.right) tell(context, 'shape', path, 'strokeStyle', lineWidth(context))
  }
  const drawRectangle = (style, wider) => (context, values) => {
    if (!areFinite(values, 4)) return
    const box = boxOf(context, values)
    if (wider) return tell(context, 'shape', box, style, wider(context))
    if (box.left < box.right && box.top < box.bottom) tell(context, 'shape', box, style)
  }
  const coverRectangle = eraseRectangle(true), tellRectangle = drawRectangle('fillStyle')
  const fillRectangle = (context, values) => {
    noteDot(context, values)
    coverRectangle(context, values)
    tellRectangle(context, values)
  }
  const noteStep = (name, count, find) => (self, values) => {
    if (!areFinite(values, count)) return
    const found = find(self)
    const at = place => readNumber(values[place])
    paths.steps[name](found.path, found.by, at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7))
  }
  const findDrawn = context =>
    ({__proto__: null, path: findPen(state.canvas(context)).path, by: readTransform(context)})
  const findWritten = self => {
    let path = apply(get, written, [self])
    if (!path) apply(set, written, [self, path = paths.makePath()])
    return {__proto__: null, path, by: paths.STRAIGHT}
  }
  const turn = after => context => after(findPen(state.canvas(context)))

  const fails = look => {
    try { look() } catch { return true }
    return false
  }
  // A picture that was decoded of an address of its own, or without one, was written into the page; one of a canvas
  // was painted there; one of a file was given to it.
  const nameSource = source => {
    if (!fails(() => address.src(source))) return apply(startsWith, address.src(source), ['http']) ? '' : 'written'
    return fails(() => bitmap.width(source)) ? 'painted' : 'written'
  }
  const notePixels = (context, how, area) => {
    if (how && area > 0) find(state.canvas(context), true)[how] += area
  }
  const shown = read(HTMLImageElement.prototype, ['naturalWidth', 'naturalHeight'])
  const film = read(HTMLVideoElement.prototype, ['videoWidth', 'videoHeight'])
  const hidden = read(OffscreenCanvas.prototype, ['width', 'height'])
  // What tells the width and the height of a source of pixels, by what it may be.
  const SIDES = {
    __proto__: null,
    0: [shown.naturalWidth, shown.naturalHeight], 1: [canvas.width, canvas.height], 2: [bitmap.width, bitmap.height],
    3: [film.videoWidth, film.videoHeight], 4: [hidden.width, hidden.height],
  }
  const measure = (source, side) => {
    for (const kind in SIDES) {
      try { return SIDES[kind][side](source) } catch {}
    }
    return NaN
  }
  const tellImage = (context, values) => {
    const count = values.length, first = count < 9 ? 1 : 5
    const x = readNumber(values[first]), y = readNumber(values[first + 1])
    const width = count < 5 ? measure(values[0], 0) : readNumber(values[first + 2])
    const height = count < 5 ? measure(values[0], 1) : readNumber(values[first + 3])
    tell(context, 'image', place(context, x, y, x + width, y + height))
  }
  const noteImage = (context, values) => {
    const self = state.canvas(context)
    const count = values.length, whole = canvas.width(self) * canvas.height(self)
    tellImage(context, values)
    if (count < 5) return notePixels(context, nameSource(values[0]), whole)
    const scale = place(context, 0, 0, 1, 1).scale
    const area = abs(readNumber(values[count - 2]) * readNumber(values[count - 1]))
    notePixels(context, nameSource(values[0]), min(area * scale ** 2, whole))
  }
  const noteDot = (context, values) => {
    const width = abs(readNumber(values[2])), height = abs(readNumber(values[3]))
    if (!(width * height <= DOT)) return
    const area = width * height * place(context, 0, 0, 1, 1).scale ** 2
    if (area <= DOT) notePixels(context, 'painted', area)
  }

  const noteData = (context, values) => {
    const width = pixels.width(values[0]), height = pixels.height(values[0])
    const left = readNumber(values[1]), top = readNumber(values[2])
    notePixels(context, 'painted', width * height)
    tell(context, 'image', {__proto__: null, left, top, right: left + width, bottom: top + height})
  }

  const hookStep = (name, after) => hook(Context, name, (context, values) => {
    noticeResets(state.canvas(context))
    after(context, values)
  })
  const hookDrawing = (name, after) => hookStep(name, (context, values) => {
    findPen(state.canvas(context)).moved = null
    after(context, values)
  })
  hookDrawing('putImageData', noteData)
  hookDrawing('drawImage', noteImage)
  hookDrawing('fillText', noteText('fillStyle'))
  hookDrawing('strokeText', noteText('strokeStyle'))
  hookDrawing('clearRect', eraseRectangle(false))
  hookDrawing('fillRect', fillRectangle)
  hookDrawing('reset', context => eraseAll(state.canvas(context)))
  hookDrawing('strokeRect', drawRectangle('strokeStyle', lineWidth))
  hookDrawing('fill', fillPath)
  hookDrawing('stroke', strokePath)
  hookDrawing('beginPath', turn(pen => { pen.path = paths.makePath() }))
  hookDrawing('clip', (context, values) => {
    const pen = findPen(state.canvas(context))
    const path = readPath(context, values)
    pen.clip = common(path, pen.clip ?? path)
  })
  hookDrawing('save', turn(pen => { pen.below = {__proto__: null, clip: pen.clip, below: pen.below} }))
  hookDrawing('restore', turn(pen => {
    if (!pen.below) return
    pen.clip = pen.below.clip
    pen.below = pen.below.below
  }))
  for (const name of ['translate', 'rotate', 'scale', 'transform', 'setTransform', 'resetTransform']) {
    hookDrawing(name, () => {})
  }
  for (const name in paths.steps) {
    hookStep(name, noteStep(name, paths.counts[name], findDrawn))
    hook(Path2D.prototype, name, noteStep(name, paths.counts[name], findWritten))
  }
  hook(Path2D.prototype, 'addPath', (self, values) => {
    const by = values[1] === undefined ? paths.STRAIGHT : readMatrix(values[1])
    paths.addBox(findWritten(self).path, by, findWritten(values[0]).path)
  })
  const Path = Path2D
  const about = Object.getOwnPropertyDescriptor(self, 'Path2D')
  const watched = new Proxy(Path, {
    __proto__: null,
    construct(_, values, target) {
      const made = construct(Path, values, target)
      try {
        const path = findWritten(made).path
        if (typeof values[0] === 'string') paths.readPath(path, values[0])
        else if (values[0]) paths.addBox(path, paths.STRAIGHT, findWritten(values[0]).path)
      } catch {}
      return made
    },
  })
  natives.set(watched, Path)
  Object.defineProperty(self, 'Path2D', {...about, value: watched})
  Object.defineProperty(Path.prototype, 'constructor',
    {...Object.getOwnPropertyDescriptor(Path.prototype, 'constructor'), value: watched})
  const {toString} = Function.prototype
  const told = new Proxy(toString, {
    __proto__: null,
    apply: (_, self, values) => apply(toString, apply(has, natives, [self]) ? apply(get, natives, [self]) : self, values),
  })
  natives.set(told, toString)
  Object.defineProperty(Function.prototype, 'toString',
    {...Object.getOwnPropertyDescriptor(Function.prototype, 'toString'), value: told})
})('TOKEN', PATHS)
