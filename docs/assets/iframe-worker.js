// Search runs in a worker, and browsers start none for a page that was opened from disk. There the
// worker's script runs in a hidden frame instead.
if (location.protocol === 'file:') {
  window.IFrameWorker = window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      const frame = document.createElement('iframe')
      frame.hidden = true
      this.inside = new Promise(started => {
        frame.onload = () => {
          frame.onload = null
          const inside = frame.contentWindow
          const script = inside.document.createElement('script')
          inside.postMessage = data => this.dispatchEvent(new MessageEvent('message', { data }))
          script.src = url
          script.onload = () => started(inside)
          inside.document.body.append(script)
        }
      })
      document.body.append(frame)
    }

    postMessage(data) {
      this.inside.then(inside => inside.dispatchEvent(new inside.MessageEvent('message', { data })))
    }
  }
}
