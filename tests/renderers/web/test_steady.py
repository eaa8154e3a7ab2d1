"""Pages that are higher than the window, or have clocks of their own, look the same every time."""

from helm_structext.renderers import render

SPACER = '<div style="height: 1500px"></div>'


def repeated(code: str, times: int = 3):
    """Renders a page several times, and returns the one rendering that they all are."""
    first, *others = (render("html", code) for _ in range(times))
    for other in others:
        assert other.image.tobytes() == first.image.tobytes()
        assert other.text == first.text
    return first


def test_a_responsive_chart_on_a_high_page_is_drawn_to_its_end():
    page = repeated(
        f"""<!DOCTYPE html><script src="https://cdn.jsdelivr.net/npm/chart.js"></script>
        <body style="margin: 0"><div style="height: 400px"><canvas id="chart"></canvas></div>{SPACER}
        <script>new Chart(document.getElementById('chart'), {{type: 'bar',
          data: {{labels: ['a'], datasets: [{{data: [1], backgroundColor: '#ff0000'}}]}},
          options: {{responsive: true, maintainAspectRatio: false}}}})</script>""",
        times=6,
    )
    assert page.image.size == (1280, 1900)
    assert page.image.getpixel((640, 200)) == (255, 0, 0)


def test_the_page_sees_one_window_whatever_the_size_of_its_picture():
    page = repeated(
        f"""<!DOCTYPE html><style>@media (min-height: 800px) {{ body {{ background: red }} }}
        div.full {{ height: 100vh; background: blue }}</style><body style="margin: 0">
        <p id="log">none</p><div class="full"></div>{SPACER}
        <script>addEventListener('resize', () => {{ log.textContent += ' resized' }})
        new ResizeObserver(() => {{ log.textContent += ' observed' }}).observe(log)</script>"""
    )
    assert page.text == "none observed"
    assert page.image.getpixel((640, 760)) == (0, 0, 255)
    assert page.image.getpixel((640, 1600)) == (255, 255, 255)


def test_what_appears_on_scrolling_is_there_and_the_page_is_at_its_top_again():
    page = repeated(
        f"""<!DOCTYPE html><body>{SPACER}<p id="below">hidden</p>
        <img loading="lazy" width="10" height="10" alt="" src="late.png"><p id="top"></p><script>
        new IntersectionObserver(([entry]) => {{
          if (entry.isIntersecting) below.textContent = 'shown' }}).observe(below)
        addEventListener('scroll', () => {{ top_.textContent = 'at ' + scrollY }})
        const top_ = document.getElementById('top')</script>"""
    )
    assert page.text.split("\n") == ["shown", "at 0"]
    assert "late.png is not in the answer" in page.log


def test_a_background_that_is_fixed_to_the_window_covers_the_page():
    page = repeated(
        f"<!DOCTYPE html><body style='background: linear-gradient(red, red) fixed'>{SPACER}"
    )
    assert page.image.getpixel((640, page.image.height - 1)) == (255, 0, 0)


def test_workers_live_in_the_time_of_the_page():
    page = repeated(
        """<!DOCTYPE html><p id="worker"></p><p id="echo"></p><script>
        const source = `let count = 0
          setInterval(() => postMessage({count: ++count}), 30)
          setTimeout((text) => postMessage({text}), 200, 'later')
          onmessage = (event) => postMessage({text: 'echo ' + event.data})
          postMessage({text: 'begun'})`
        const worker = new Worker(URL.createObjectURL(new Blob([source])))
        const said = []
        worker.onmessage = ({data}) => {
          if (data.count) document.getElementById('worker').textContent = data.count
          else said.push(data.text)
          document.getElementById('echo').textContent = said.join(', ')
        }
        worker.postMessage('one')</script>""",
        times=6,
    )
    count, said = page.text.split("\n")
    assert said == "begun, echo one, later"
    # A page that never rests is waited for for three seconds.
    assert 80 <= int(count) <= 100


def test_a_worker_without_a_script_and_one_that_ends_itself_delay_nothing():
    page = repeated(
        """<!DOCTYPE html><p id="log"></p><script>
        const said = [], note = text => { said.push(text); log.textContent = said.sort().join() }
        new Worker('missing.js').onerror = () => note('missing')
        const ending = new Worker(URL.createObjectURL(new Blob(['postMessage(1); close()'])))
        ending.onmessage = () => note('ended')
        note(typeof SharedWorker, 'serviceWorker' in navigator)</script>"""
    )
    assert page.text == "ended,missing,undefined"


def test_workers_that_the_page_ends_say_as_much_every_time():
    page = repeated(
        """<!DOCTYPE html><p id="log"></p><script>
        const made = source => new Worker(URL.createObjectURL(new Blob([source])))
        for (let number = 0; number < 4; number++) {
          let heard = 0
          const worker = made('setInterval(() => postMessage(1), 10)')
          worker.onmessage = () => {
            if (++heard < 5 + number) return
            worker.terminate()
            log.textContent += `${number} `
          }
        }
        const last = made('setTimeout(() => { postMessage(1); close() }, 150)')
        last.onmessage = () => log.textContent += 'last'</script>""",
        times=6,
    )
    assert page.text == "0 1 2 3 last"


LOOP = """<!DOCTYPE html><canvas id=c width=8 height=8></canvas><p id=log></p><script>
const gl = c.getContext('webgl'), shader = (type, source) => {
  const made = gl.createShader(type); gl.shaderSource(made, source); gl.compileShader(made); return made }
const program = gl.createProgram(), frames = []
gl.attachShader(program, shader(gl.VERTEX_SHADER, 'void main() { gl_Position = vec4(0, 0, 0, 1); gl_PointSize = 1.; }'))
gl.attachShader(program, shader(gl.FRAGMENT_SHADER, 'precision mediump float; void main() { gl_FragColor = vec4(1); }'))
gl.linkProgram(program); gl.useProgram(program)
const frame = now => {
  frames.push(Math.round(now / 100))
  for (let call = 0; call < %d; call++) gl.drawArrays(gl.POINTS, 0, 1)
  log.textContent = frames.length; requestAnimationFrame(frame) }
requestAnimationFrame(frame)</script>"""


def test_webgl_that_draws_much_leaves_frames_out_by_count():
    little, much = (int(repeated(LOOP % calls, times=2).text) for calls in (400, 2600))
    assert little == int(render("html", LOOP % 1).text) >= 30
    assert little / 6 <= much <= little / 4
