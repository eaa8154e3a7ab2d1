// Runs in every frame before the page's own scripts.
{
  // The clock stands still, but for a rounding error of a tenth of a millisecond.
  const now = performance.now.bind(performance)
  performance.now = () => Math.round(now())

  // Workers are announced, as they get their clock from us (`worker_clock.js`). Those that outlive a
  // page can't be had.
  const announce = self.workerAnnounced ?? (() => {})
  delete self.workerAnnounced
  self.Worker = class Worker extends self.Worker {
    constructor(...rest) {
      super(...rest)
      announce('')
    }
  }
  delete self.SharedWorker
  delete Navigator.prototype.serviceWorker
}
