// Runs in every frame before the page's own scripts.
{
  // The clock stands still, but for a rounding error of a tenth of a millisecond.
  const now = performance.now.bind(performance)
  performance.now = () => Math.round(now())

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
}
