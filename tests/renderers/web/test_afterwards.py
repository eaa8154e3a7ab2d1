"""Pages that try to leave something in the browser: the next ones are as from a fresh one."""

import contextlib

import pytest

from helm_structext.errors import RenderError
from helm_structext.renderers import render
from helm_structext.sandbox import workers

SECONDS = 3
"""For a page that never ends."""

SHADER = """const sources = {VERTEX_SHADER: `#version 300 es
void main() { gl_Position = vec4(gl_VertexID % 2 * 4 - 1, gl_VertexID / 2 * 4 - 1, 0, 1); }`,
FRAGMENT_SHADER: `#version 300 es
precision highp float; uniform int turns; out vec4 color;
void main() { float x = gl_FragCoord.x; for (int i = 0; i < turns; i++) x = fract(sin(x) + x * 1.7);
color = vec4(x, 0.5, 0.2, 1); }`}
const draw = (canvas, turns) => {
  const gl = canvas.getContext('webgl2'), program = gl.createProgram()
  for (const kind in sources) {
    const shader = gl.createShader(gl[kind])
    gl.shaderSource(shader, sources[kind]); gl.compileShader(shader); gl.attachShader(program, shader)
  }
  gl.linkProgram(program); gl.useProgram(program)
  gl.uniform1i(gl.getUniformLocation(program, 'turns'), turns)
  gl.drawArrays(gl.TRIANGLES, 0, 3); gl.flush()
  return gl
}
"""
ENDLESS = 2_000_000_000
OFFSCREEN = "new OffscreenCanvas(512, 512)"


def script(
    code: str, body: str = "<p>before</p><canvas id=c width=512 height=512></canvas>"
) -> str:
    return f"<!DOCTYPE html><body>{body}<script>{code}</script>"


def in_worker(code: str) -> str:
    return script(
        f"const code = {code!r}; new Worker(URL.createObjectURL(new Blob([code])))".replace(
            "</", "<\\/"
        )
    )


# What a page finds of others: kept data, names, messages, the state of the browser's own processes.
FINDS = script(
    """const out = document.getElementById('out'), say = (...all) => out.append(all.join(' ') + '; ')
say(document.cookie, localStorage.length, sessionStorage.length, history.length, self.name, opener)
say(innerWidth, innerHeight, screen.width, screen.height, devicePixelRatio, document.referrer)
say(Date.now(), Math.round(performance.now()), Math.random(), navigator.userActivation.hasBeenActive)
say(document.fonts.size, document.fonts.check('9px Left'), CSS.supports('color', 'left'))
say(Object.keys(Object.prototype), typeof SharedWorker, navigator.serviceWorker, document.hidden)
const heard = new BroadcastChannel('left'); heard.onmessage = event => say('heard', event.data)
addEventListener('storage', event => say('stored', event.key))
const gl = document.createElement('canvas').getContext('webgl')
say(gl.isContextLost(), gl.getSupportedExtensions().length, gl.getError())
let all
Promise.all([indexedDB.databases(), caches.keys(), navigator.storage.getDirectory().then(async root => {
  const names = []; for await (const name of root.keys()) names.push(name); return names }),
  navigator.locks.query(), fetch('/left').then(reply => reply.status),
  navigator.permissions.query({name: 'notifications'}).then(one => one.state),
]).then(found => { all = found })
// The clock stands still while something is fetched, and not while the browser looks for what is stored.
const wait = async () => { while (!all) await fetch('/wait'); say(JSON.stringify(all)) }
wait()""",
    "<p id=out></p><p style='font: 20px Left, serif'>font</p><a href='http://localhost/left'>link</a>",
)
INNOCENT = {
    "text": "<!DOCTYPE html><h1 style='background: teal'>Title</h1><p style='filter: blur(1px)'>Text</p>",
    "drawings": script(
        SHADER
        + "draw(c, 9); const g = d.getContext('2d'); g.fillStyle = 'gold'; g.fillRect(9, 9, 99, 99)",
        "<canvas id=c width=200 height=100></canvas><canvas id=d></canvas>",
    ),
    "what is found": FINDS,
}

BEFORE = {
    "shader without end": script(f"{SHADER}draw(c, {ENDLESS})"),
    "shader without end, offscreen": script(f"{SHADER}draw({OFFSCREEN}, {ENDLESS})"),
    "shader without end, in a worker": in_worker(f"{SHADER}draw({OFFSCREEN}, {ENDLESS})"),
    "shader without end, many": script(
        f"{SHADER}for (let n = 0; n < 9; n++) draw({OFFSCREEN}, {ENDLESS})"
    ),
    "shader without end, later": script(
        f"{SHADER}setTimeout(() => draw({OFFSCREEN}, {ENDLESS}), 940)"
    ),
    "shader without end, on leaving": script(
        SHADER
        + "".join(
            f"addEventListener('{name}', () => draw({OFFSCREEN}, {ENDLESS}));"
            for name in ("pagehide", "unload", "beforeunload", "visibilitychange", "freeze")
        )
    ),
    "shader without end, in a frame": script(
        "", "<p>before</p><iframe srcdoc=\"<script>"
        + f"{SHADER}draw({OFFSCREEN}, {ENDLESS})".replace('"', "&quot;") + "</script>\"></iframe>"
    ),
    "a reading that waits": script(
        f"{SHADER}const gl = draw({OFFSCREEN}, {ENDLESS});"
        "gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4))"
    ),
    "contexts of WebGL": script(
        "const all = []; for (let n = 0; n < 40; n++) { const c = document.createElement('canvas');"
        "c.width = c.height = 2000; all.push(c.getContext('webgl2')) }; all.forEach(one => one.finish())"
    ),
    "lost contexts": script(
        "for (let n = 0; n < 9; n++) { const gl = new OffscreenCanvas(9, 9).getContext('webgl');"
        "gl.getExtension('WEBGL_lose_context').loseContext() }"
    ),
    "textures without end": script(
        f"const gl = {OFFSCREEN}.getContext('webgl2'); for (let n = 0; n < 400; n++) {{"
        "gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());"
        "gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, 4096, 4096, 0, gl.RGBA, gl.FLOAT, null);"
        "gl.generateMipmap(gl.TEXTURE_2D) }; gl.flush()"
    ),
    "a shader that is large": script(
        f"const gl = {OFFSCREEN}.getContext('webgl'); const s = gl.createShader(gl.FRAGMENT_SHADER);"
        "gl.shaderSource(s, 'precision highp float; void main() { float a = 0.;' +"
        "'a += sin(a) * cos(a);'.repeat(60000) + 'gl_FragColor = vec4(a); }'); gl.compileShader(s);"
        "gl.flush()"
    ),
    "GPU of the web": script(
        "navigator.gpu?.requestAdapter().then(a => a?.requestDevice()).then(d => d?.createShaderModule("
        "{code: '@compute @workgroup_size(1) fn main() { loop {} }'}))"
    ),
    "filters": script(
        "", "<div style='filter: blur(900px) drop-shadow(9px 9px 900px red)'>" * 20 + "before"
    ),
    "backdrop filters": script(
        "", "<div style='backdrop-filter: blur(300px); position: absolute; inset: 0'>x</div>" * 60
    ),
    "filters of SVG": script(
        "", "<svg><filter id=f><feTurbulence baseFrequency=.01 numOctaves=9999 /><feMorphology radius=999 />"
        "<feGaussianBlur stdDeviation=999 /></filter><rect width=9999 height=9999 filter='url(#f)'/></svg>"
    ),
    "layers": script(
        "", "<div style='will-change: transform; width: 4000px; height: 4000px'>x</div>" * 90
    ),
    "painting of CSS": script(
        "const code = `registerPaint('p', class { paint() { for (;;); } })`;"
        "CSS.paintWorklet.addModule(URL.createObjectURL(new Blob([code], {type: 'text/javascript'})));"
        "document.body.style.background = 'paint(p)'"
    ),
    "huge canvas": script(
        "c.width = c.height = 16000; const g = c.getContext('2d', {willReadFrequently: false});"
        "g.filter = 'blur(90px)'; for (let n = 0; n < 9; n++) g.drawImage(c, 1, 1)"
    ),
    "all kinds of storage": script(
        """document.cookie = 'left=1; max-age=99999'; localStorage.left = sessionStorage.left = 1
self.name = 'left'; history.pushState({}, '', '/left'); history.replaceState({}, '', '/left2')
indexedDB.open('left').onupgradeneeded = event => event.target.result.createObjectStore('left')
caches.open('left').then(cache => cache.put('/left', new Response('left')))
navigator.storage.getDirectory().then(root => root.getFileHandle('left', {create: true}))
navigator.locks.request('left', () => new Promise(() => {})); navigator.storage.persist()
new BroadcastChannel('left').postMessage('left'); cookieStore.set('left2', 'left')
sharedStorage?.set('left', 'left')"""
    ),
    "service worker": script(
        "const frame = document.body.appendChild(document.createElement('iframe'));"
        "for (const one of [navigator, frame.contentWindow.navigator])"
        "one.serviceWorker?.register('data:text/javascript,1').catch(() => {});"
        "new frame.contentWindow.SharedWorker('data:text/javascript,for(;;);')"
    ),
    "storage that is full": script(
        "const blob = new Blob([new Uint8Array(3e8)]); indexedDB.open('x').onupgradeneeded = event =>"
        "event.target.result.createObjectStore('y').put(blob, 'z');"
        "caches.open('x').then(cache => cache.put('/z', new Response(blob)));"
        "self.urls = [...Array(9)].map(() => URL.createObjectURL(new Blob([blob, blob])))"
    ),
    "fonts": script(
        "const font = new FontFace('Left', 'url(https://fonts.gstatic.com/@fontsource/pacifico/files/"
        "pacifico-latin-400-normal.woff2)'); document.fonts.add(font); font.load();"
        "for (let n = 0; n < 99; n++) document.fonts.add(new FontFace('F' + n, new Uint8Array(9999)))"
    ),
    "windows": script(
        "for (let n = 0; n < 20; n++) { const w = open('/', 'left' + n, 'width=300,height=200');"
        "w?.moveTo(9, 9); w?.resizeTo(99, 99) }; resizeTo(300, 300); moveTo(50, 50); print();"
        "document.documentElement.requestFullscreen().catch(() => {}); document.body.style.zoom = 3"
    ),
    "pages in advance": script(
        "", "<p>before</p><script type=speculationrules>{\"prerender\": [{\"urls\": [\"/a\", \"/b\"]}],"
        "\"prefetch\": [{\"urls\": [\"/c\"]}]}</script><link rel=prerender href=/d>"
    ),
    "dialogs and leaving": script(
        "onbeforeunload = event => { event.preventDefault(); return 'stay' }; alert(1); confirm(2);"
        "setTimeout(() => { prompt(3); location.hash = 'x'; history.back() }, 940)"
    ),
    "downloads": script(
        "for (let n = 0; n < 20; n++) { const a = document.createElement('a'); a.download = 'left' + n;"
        "a.href = URL.createObjectURL(new Blob([new Uint8Array(1e6)])); a.click() }"
    ),
    "sounds, sensors, permissions": script(
        "const a = new AudioContext(); const o = a.createOscillator(); o.connect(a.destination); o.start();"
        "speechSynthesis.speak(new SpeechSynthesisUtterance('left')); Notification.requestPermission();"
        "navigator.geolocation.getCurrentPosition(() => {}); navigator.wakeLock.request('screen');"
        "navigator.mediaDevices.getUserMedia({audio: true, video: true}).catch(() => {});"
        "navigator.clipboard.writeText('left').catch(() => {}); document.execCommand('copy')"
    ),
    "sockets": script(
        "for (let n = 0; n < 300; n++) { try { new WebSocket('ws://localhost/' + n) } catch {}"
        "new EventSource('/events' + n); navigator.sendBeacon('/beacon' + n, 'x'.repeat(60000)) }"
    ),
    "changed prototypes": script(
        "Object.prototype.left = 1; Array.prototype.map = Promise.prototype.then = null;"
        "Math.random = () => 0; performance.now = () => 0"
    ),
    "page that crashes": script("const a = []; for (;;) a.push(new Array(1e5).fill(a))"),
    "page that closes itself": script("close()"),
    "page that never ends": script("for (;;);"),
    "page that never comes to rest": script("setInterval(() => c.width = 9, 0); (function f() {"
        "requestAnimationFrame(f); c.getContext('2d').fillRect(0, 0, Math.random() * 99, 9) })()"),
    "messages without end": script("for (;;) console.error('x'.repeat(1e5))"),
    "video": script(
        "const v = document.createElement('video'); v.srcObject = c.captureStream(); v.play();"
        "c.getContext('2d').fillRect(0, 0, 9, 9); new MediaRecorder(v.srcObject).start();"
        "new VideoEncoder({output() {}, error() {}}).configure({codec: 'vp8', width: 99, height: 99})"
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def expected():
    """The innocent pages, each in a browser that has seen no other."""
    made = {}
    for name, code in INNOCENT.items():
        workers.close()
        made[name] = seen(code)
    yield made
    workers.close()


def seen(code: str) -> tuple[str, bytes]:
    rendering = render("html", code)
    return rendering.text, rendering.image.tobytes()


@pytest.mark.parametrize("name", BEFORE)
def test_a_page_leaves_nothing_for_the_next(name, expected):
    with contextlib.suppress(RenderError):
        render("html", BEFORE[name], timeout=SECONDS)
    for innocent, code in INNOCENT.items():
        assert seen(code) == expected[innocent], innocent


def test_innocent_pages_find_what_they_look_for(expected):
    assert expected["what is found"][0].count(";") == 7
    assert '[[],[],[],{"held":[],"pending":[]},404,"prompt"]' in expected["what is found"][0]


def test_honest_pages_share_a_browser(expected):
    for code in INNOCENT.values():
        seen(code)
    kept = [worker for group in workers.idle.values() for worker, _ in group]
    for code in INNOCENT.values():
        seen(code)
    assert kept == [worker for group in workers.idle.values() for worker, _ in group]
