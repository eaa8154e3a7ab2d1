// Notes what text a page draws on its canvases, and how many pixels it puts there otherwise than by drawing, where a
// layout is wanted (`snapshot.py`); runs in every frame before the page's own scripts. The page can't find out: functions look and act as before, and a canvas tells its texts
// only to who knows the token, by an event. Nothing is looked up that a page could have changed.
(token => {
  const MAX_NOTES = 5000
  const {apply} = Reflect
  const {startsWith} = String.prototype
  const {stringify} = JSON
  const {abs, min, max, round} = Math
  const Message = CustomEvent
  const Context = CanvasRenderingContext2D.prototype
  const Canvas = HTMLCanvasElement.prototype
  const {addEventListener, dispatchEvent} = EventTarget.prototype
  const {measureText, getTransform} = Context
  const {get, set, has} = WeakMap.prototype
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
    'globalCompositeOperation'])
  const extent = read(TextMetrics.prototype, ['width', 'fontBoundingBoxAscent', 'fontBoundingBoxDescent'])
  const matrix = read(DOMMatrix.prototype, ['a', 'b', 'c', 'd', 'e', 'f'])
  const canvas = read(Canvas, ['width', 'height'])
  const target = read(Event.prototype, ['currentTarget'])
  const pixels = read(ImageData.prototype, ['width', 'height'])
  const address = read(HTMLImageElement.prototype, ['src']), bitmap = read(ImageBitmap.prototype, ['width'])
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
  const hook = (prototype, name, after, kind = 'value') => {
    const about = Object.getOwnPropertyDescriptor(prototype, name)
    if (about) Object.defineProperty(prototype, name, {...about, [kind]: follow(about[kind], after)})
  }

  const answer = event => {
    const self = target.currentTarget(event)
    const notes = apply(get, notesOf, [self])
    apply(dispatchEvent, self, [new Message(`${token}!`, {__proto__: null, detail: stringify(notes)})])
  }
  const find = (self, begin) => {
    let notes = apply(get, notesOf, [self])
    if (!notes && begin) {
      notes = {__proto__: null, count: 0, leftOut: 0, written: 0, painted: 0, texts: {__proto__: null}}
      apply(set, notesOf, [self, notes])
      apply(addEventListener, self, [token, answer])
    }
    return notes
  }
  // The box on the bitmap of one in the units of the drawing.
  const place = (context, left, top, right, bottom) => {
    const moved = apply(getTransform, context, [])
    const a = matrix.a(moved), b = matrix.b(moved), c = matrix.c(moved), d = matrix.d(moved)
    const e = matrix.e(moved), f = matrix.f(moved)
    const x1 = a * left + c * top, x2 = a * right + c * top, x3 = a * left + c * bottom, x4 = a * right + c * bottom
    const y1 = b * left + d * top, y2 = b * right + d * top, y3 = b * left + d * bottom, y4 = b * right + d * bottom
    return {
      __proto__: null,
      left: min(x1, x2, x3, x4) + e, top: min(y1, y2, y3, y4) + f,
      right: max(x1, x2, x3, x4) + e, bottom: max(y1, y2, y3, y4) + f,
      scale: abs(a * d - b * c) ** 0.5, straight: b === 0 && c === 0,
    }
  }
  const note = style => (context, values) => {
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
  const erase = (notes, left, top, right, bottom) => {
    for (const key in notes.texts) {
      const one = notes.texts[key]
      if (one.left < left - 1 || one.top < top - 1 || one.right > right + 1 || one.bottom > bottom + 1) continue
      delete notes.texts[key]
      notes.count--
    }
  }
  const eraseAll = self => {
    const notes = find(self)
    if (notes) erase(notes, -Infinity, -Infinity, Infinity, Infinity)
  }
  const eraseRectangle = fills => (context, values) => {
    const self = state.canvas(context)
    const notes = find(self)
    if (!notes || !notes.count) return
    const x = +values[0], y = +values[1]
    const box = place(context, x, y, x + +values[2], y + +values[3])
    if (!box.straight) return
    const whole = box.left <= 0 && box.top <= 0 && box.right >= canvas.width(self) && box.bottom >= canvas.height(self)
    if (fills) {
      if (state.globalAlpha(context) < 1 || state.globalCompositeOperation(context) !== 'source-over') return
      // Of a gradient or a pattern it is not known whether it is opaque; one that fills all of the canvas is.
      const color = state.fillStyle(context)
      if (typeof color === 'string' ? color[0] !== '#' : !whole) return
    }
    erase(notes, box.left, box.top, box.right, box.bottom)
  }

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
  const noteImage = (context, values) => {
    const self = state.canvas(context)
    const count = values.length, whole = canvas.width(self) * canvas.height(self)
    if (count < 5) return notePixels(context, nameSource(values[0]), whole)
    const scale = place(context, 0, 0, 1, 1).scale
    notePixels(context, nameSource(values[0]), min(abs(values[count - 2] * values[count - 1]) * scale ** 2, whole))
  }
  const noteDot = (context, values) => {
    const width = abs(values[2]), height = abs(values[3])
    if (!(width * height <= DOT)) return
    const area = width * height * place(context, 0, 0, 1, 1).scale ** 2
    if (area <= DOT) notePixels(context, 'painted', area)
  }

  hook(Context, 'putImageData', (context, values) =>
    notePixels(context, 'painted', pixels.width(values[0]) * pixels.height(values[0])))
  hook(Context, 'drawImage', noteImage)
  hook(Context, 'fillRect', noteDot)
  hook(Context, 'fillText', note('fillStyle'))
  hook(Context, 'strokeText', note('strokeStyle'))
  hook(Context, 'clearRect', eraseRectangle(false))
  hook(Context, 'fillRect', eraseRectangle(true))
  hook(Context, 'reset', context => eraseAll(state.canvas(context)))
  hook(Canvas, 'width', eraseAll, 'set')
  hook(Canvas, 'height', eraseAll, 'set')
  const {toString} = Function.prototype
  const shown = new Proxy(toString, {
    __proto__: null,
    apply: (_, self, values) => apply(toString, apply(has, natives, [self]) ? apply(get, natives, [self]) : self, values),
  })
  natives.set(shown, toString)
  Object.defineProperty(Function.prototype, 'toString',
    {...Object.getOwnPropertyDescriptor(Function.prototype, 'toString'), value: shown})
})('TOKEN')
