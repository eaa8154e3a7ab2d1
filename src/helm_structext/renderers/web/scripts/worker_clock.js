// Puts a web worker on the page's clock: its timers, frames and messages wait for `advance`.
//
// The clock of a worker stands still with the page's, but its timers go by the machine's. So they
// are kept here, as are messages from the page, and all that is due runs when the page takes a
// frame. Each frame then finds the same, however fast the machine.
(() => {
  const clock = performance.now.bind(performance)
  performance.now = () => Math.round(clock())

  const due = []
  const messages = []
  let frames = []
  let last = 0
  let advancing = false
  let closing = false

  // What a worker has said before it ends itself still arrives.
  const close = self.close.bind(self)
  self.close = () => { closing = true }

  const call = (task, extra = []) => {
    try {
      typeof task.run === 'function' ? task.run(...task.args, ...extra) : (0, eval)(String(task.run))
    } catch (error) {
      reportError(error)
    }
  }
  const start = (run, delay, args, repeat) => {
    const wait = Math.max(Number(delay) || 0, repeat ? 4 : 0)
    // What starts between frames, such as the worker itself, starts with the next one.
    due.push({id: ++last, at: advancing ? performance.now() + wait : null, wait, run, args, repeat})
    return last
  }
  const stop = id => {
    const place = due.findIndex(timer => timer.id === id)
    if (place >= 0) due.splice(place, 1)
  }
  self.setTimeout = (run, delay, ...args) => start(run, delay, args, false)
  self.setInterval = (run, delay, ...args) => start(run, delay, args, true)
  self.clearTimeout = self.clearInterval = stop
  self.requestAnimationFrame = run => {
    frames.push({id: ++last, run, args: []})
    return last
  }
  self.cancelAnimationFrame = id => { frames = frames.filter(frame => frame.id !== id) }
  self.addEventListener('message', event => {
    if (!event.isTrusted) return
    event.stopImmediatePropagation()
    messages.push(event)
  }, true)

  const post = self.postMessage.bind(self)
  const outgoing = []
  self.postMessage = (data, transfer) => {
    if (advancing) post(data, transfer)
    // What is transferred is no longer the worker's to change.
    else outgoing.push([transfer ? data : structuredClone(data), transfer])
  }

  // Runs what is due, in order; a timer that starts another does not keep the frame for ever. Says
  // whether the worker has ended itself.
  const advance = most => {
    const now = performance.now()
    advancing = true
    for (const timer of due) timer.at ??= now + timer.wait
    for (const [data, transfer] of outgoing.splice(0)) post(data, transfer)
    for (const event of messages.splice(0)) {
      if (closing) break
      const {data, origin, lastEventId, ports} = event
      self.dispatchEvent(new MessageEvent('message', {data, origin, lastEventId, ports: [...ports]}))
    }
    for (let handled = 0; handled < most && !closing; handled++) {
      const next = due.filter(timer => timer.at <= now).sort((a, b) => a.at - b.at || a.id - b.id)[0]
      if (!next) break
      if (next.repeat) next.at += next.wait
      else stop(next.id)
      call(next)
    }
    for (const frame of frames.splice(0)) if (!closing) call(frame, [now])
    advancing = false
    if (closing) close()
    return closing
  }
  Object.defineProperty(self, '__advance', {value: advance})
})()
