// Runs in every frame before the page's own scripts.
{
  // The clock stands still, but for a rounding error of a tenth of a millisecond.
  const now = performance.now.bind(performance)
  performance.now = () => Math.round(now())

  // Of what a page says, errors and warnings are shown (`tab.py`). The rest would be sent all the same.
  for (const name of ['log', 'info', 'debug', 'dir', 'dirxml', 'table', 'trace', 'group', 'groupCollapsed', 'count']) {
    console[name] = {[name]() {}}[name]
  }

  // The page says when its first frame has come (`tab.py`).
  const frameBegan = self.frameBegan ?? (() => {})
  delete self.frameBegan
  if (self === top) requestAnimationFrame(() => frameBegan(''))

  // Workers are announced, as they get their clock from us (`worker_clock.js`). What they say in one
  // frame arrives in the order in which they were made. Those that outlive a page can't be had.
  const announce = self.workerAnnounced ?? (() => {})
  const later = setTimeout
  const messages = []
  const ended = new WeakSet()
  let made = 0
  const deliver = () => {
    for (const {worker, event} of messages.splice(0).sort((a, b) => a.place - b.place)) {
      if (ended.has(worker)) continue
      const {data, origin, lastEventId, ports} = event
      worker.dispatchEvent(new MessageEvent('message', {data, origin, lastEventId, ports: [...ports]}))
    }
  }
  delete self.workerAnnounced
  self.Worker = class Worker extends self.Worker {
    constructor(url, ...rest) {
      super(url, ...rest)
      const place = made++
      super.addEventListener('message', event => {
        if (!event.isTrusted) return
        event.stopImmediatePropagation()
        if (!messages.length) later(deliver)
        messages.push({place, worker: this, event})
      }, true)
      announce(new URL(url, location.href).href)
    }
    terminate() {
      ended.add(this)
      super.terminate()
    }
  }
  delete self.SharedWorker
  delete Navigator.prototype.serviceWorker

  // WebGL is drawn in software. Like a slow GPU, it leaves frames out for what takes long (`tab.py`), counted
  // in units of a frame by what is asked for, as time is never the same: calls, vertices, and the loops of
  // fragment shaders that fill the canvas.
  const gpuWorked = self.gpuWorked ?? (() => {})
  delete self.gpuWorked
  const CALLS = 500, VERTICES = 5e5, ITERATIONS = 1e7, FILLING = 6
  const LOOP = /\bfor\s*\(\s*(?:int|float)\s+\w+\s*=\s*[\d.]+\s*;\s*\w+\s*<=?\s*(?:int|float)?\s*\(?\s*([\w.]+)/g
  const iterations = new WeakMap()
  let work = 0
  const count = source => {
    let sum = 0
    // The loops in three.js's own materials hardly run.
    if (source.includes('#define SHADER_TYPE Mesh')) return sum
    for (const [, bound] of source.matchAll(LOOP)) {
      const named = source.match(new RegExp(`\\b${bound.replace('.', '\\.')}\\s*=?\\s*([\\d.]+)`))
      sum += parseFloat(bound) || parseFloat(named?.[1]) || 1
    }
    return sum
  }
  const hook = (prototype, name, before) => {
    const original = prototype[name]
    if (original) prototype[name] = {[name](...values) { before(this, values); return original.apply(this, values) }}[name]
  }
  for (const {prototype} of [self.WebGLRenderingContext, self.WebGL2RenderingContext].filter(Boolean)) {
    hook(prototype, 'shaderSource', (gl, [shader, source]) => shader && iterations.set(shader, count(String(source))))
    hook(prototype, 'attachShader', (gl, [program, shader]) =>
      program && iterations.set(program, (iterations.get(program) ?? 0) + (iterations.get(shader) ?? 0)))
    hook(prototype, 'useProgram', (gl, [program]) => iterations.set(gl, iterations.get(program) ?? 0))
    const draw = (vertices, instances) => (gl, values) => {
      const drawn = (Number(values[vertices]) || 0) * (instances ? Number(values[instances]) || 0 : 1)
      const filling = drawn <= FILLING ? (iterations.get(gl) ?? 0) * gl.drawingBufferWidth * gl.drawingBufferHeight : 0
      const before = Math.floor(work)
      work += 1 / CALLS + drawn / VERTICES + filling / ITERATIONS
      for (let unit = before; unit < Math.min(Math.floor(work), before + 100); unit++) gpuWorked('')
    }
    hook(prototype, 'drawArrays', draw(2))
    hook(prototype, 'drawElements', draw(1))
    hook(prototype, 'drawRangeElements', draw(3))
    hook(prototype, 'drawArraysInstanced', draw(2, 3))
    hook(prototype, 'drawElementsInstanced', draw(1, 4))
  }
}
