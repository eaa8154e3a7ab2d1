"""Pages with clocks, observers and layouts of their own, which have to look the same every time."""

from collections.abc import Iterator

CHART = "https://cdn.jsdelivr.net/npm/chart.js"
SPACER = '<div style="height: {height}px"></div>'
SHAPES = ("bar", "line", "pie", "doughnut", "radar", "polarArea", "scatter")
HEIGHTS = (0, 600, 1500)


def pages() -> Iterator[tuple[str, str, str]]:
    """Yields name, format and code of each page."""
    for shape in SHAPES:
        for height in HEIGHTS:
            yield f"chart.js {shape}, {height} px more", "html", chart(shape, height)
    for group in (ANIMATIONS, SCRIPTS, LAYOUTS, WORKERS, OBSERVERS, FONTS, LIBRARIES):
        for name, code in group.items():
            yield name, "html", page(code)
    for name, body in RECHARTS.items():
        yield f"recharts {name}", "react", recharts(body)


def page(code: str) -> str:
    """The document of a page, with what several share in its place."""
    for name, shared in {"@TALL@": TALL, "@WORKER@": WORKER, "@REVEAL@": REVEAL}.items():
        code = code.replace(name, shared)
    return f"<!DOCTYPE html><meta charset=utf-8>{code}"


def chart(shape: str, height: int) -> str:
    """A responsive chart, and so many pixels of page below it."""
    data = "[{x: 1, y: 2}, {x: 2, y: 5}, {x: 4, y: 3}]" if shape == "scatter" else "[3, 5, 2, 7]"
    return f"""<!DOCTYPE html><script src="{CHART}"></script><h1>{shape}</h1>
<div style="width: 70%; height: 420px"><canvas id="chart"></canvas></div>
{SPACER.format(height=height)}<p>The end</p><script>
new Chart(document.getElementById('chart'), {{type: '{shape}', data: {{labels: ['a', 'b', 'c', 'd'],
  datasets: [{{label: 'sales', data: {data}, backgroundColor: ['red', 'teal', 'gold', 'navy']}}]}},
  options: {{responsive: true, maintainAspectRatio: false}}}})</script>"""


def recharts(body: str) -> str:
    """A component with a chart of Recharts that fits its container."""
    return f"""import * as R from 'recharts'
const data = [{{n: 'a', v: 3}}, {{n: 'b', v: 7}}, {{n: 'c', v: 4}}]
export default () => <div style={{{{height: 900}}}}><R.ResponsiveContainer width="80%" height={{400}}>
{body}</R.ResponsiveContainer></div>"""


RECHARTS = {
    "bar": '<R.BarChart data={data}><R.XAxis dataKey="n" /><R.Bar dataKey="v" /></R.BarChart>',
    "line": '<R.LineChart data={data}><R.YAxis /><R.Line dataKey="v" /></R.LineChart>',
    "area": '<R.AreaChart data={data}><R.Tooltip /><R.Area dataKey="v" /></R.AreaChart>',
    "pie": '<R.PieChart><R.Pie data={data} dataKey="v" nameKey="n" label /></R.PieChart>',
}

BOX = "<style>.box { width: 200px; height: 200px; background: teal; %s }</style><div class=box>x</div>"
TALL = SPACER.format(height=1800)
ANIMATIONS = {
    "an animation that ends": BOX % "animation: a 1s forwards"
    + "<style>@keyframes a { to { margin-left: 300px } }</style>",
    "an animation that never ends": BOX % "animation: a 1s infinite alternate"
    + "<style>@keyframes a { to { rotate: 90deg } }</style>",
    "an animation that waits": BOX % "animation: a 1s 2s both"
    + "<style>@keyframes a { from { opacity: 0 } to { opacity: 1 } }</style>",
    "an animation on a high page": BOX % "animation: a 3s"
    + "<style>@keyframes a { from { scale: 0 } }</style>@TALL@",
    "a transition at the start": BOX % "transition: all 2s"
    + "<script>setTimeout(() => document.querySelector('.box').style.width = '600px')</script>",
    "a transition by the width": BOX % "transition: width 1s"
    + "<style>@media (max-width: 900px) { .box { width: 50px } }</style>@TALL@",
    "an animated drawing": "<svg width=300 height=300><circle r=20 cy=99><animate attributeName=cx "
    "from=0 to=300 dur=1s repeatCount=indefinite /></circle></svg>",
    "a spinner": BOX
    % "border-radius: 50%; border-top: 9px solid red; animation: s 1s linear infinite"
    + "<style>@keyframes s { to { transform: rotate(360deg) } }</style>",
}
SCRIPTS = {
    "a counter by intervals": "<p id=o></p><script>let n = 0; "
    "setInterval(() => { o.textContent = ++n }, 17)</script>",
    "a counter by frames": "<p id=o></p><script>let n = 0; const f = () => { o.textContent = ++n; "
    "requestAnimationFrame(f) }; f()</script>",
    "a counter to a thousand": "<h1 id=o></h1><script>let n = 0; const t = setInterval(() => { "
    "o.textContent = n += 25; if (n >= 1000) clearInterval(t) }, 30)</script>" + TALL,
    "a clock": "<p id=o></p><script>setInterval(() => { o.textContent = new Date().toISOString() + "
    "' ' + performance.now() }, 50)</script>",
    "chance": "<p id=o></p><script>o.textContent = Array.from({length: 9}, Math.random)</script>",
    "a canvas that moves": "<canvas id=c width=600 height=300></canvas><script>let x = 0; "
    "const g = c.getContext('2d'), f = () => { g.fillRect(x += 3, x % 300, 9, 9); "
    "requestAnimationFrame(f) }; f()</script>",
    "text that is typed": "<pre id=o></pre><script>const t = 'Typed letter by letter. '.repeat(9); "
    "let n = 0; const f = () => { o.textContent = t.slice(0, ++n); setTimeout(f, 20) }; f()</script>",
    "promises and tasks": "<p id=o></p><script>const s = []; (async () => { for (const d of [5, 1, 9]) "
    "{ await new Promise(r => setTimeout(r, d * 10)); s.push(d); o.textContent = s } })()</script>",
}
LAYOUTS = {
    "units of the window": "<style>div { height: 100vh; border: 9px solid }</style>"
    + "<div>a</div>" * 3,
    "a query for the height": "<style>@media (min-height: 800px) { body { background: red } }</style>"
    + TALL,
    "columns that fit": "<style>main { display: grid; gap: 9px; grid-template-columns: "
    "repeat(auto-fit, minmax(250px, 1fr)) } p { background: gold; height: 300px }</style><main>"
    + "<p>a</p>" * 17
    + "</main>",
    "a query for a container": "<style>main { container-type: inline-size } @container (width > 900px) "
    "{ p { columns: 3 } }</style><main><p>" + "word " * 900 + "</p></main>",
    "a header that sticks": "<style>header { position: sticky; top: 0; background: gold }</style>"
    "<header>h</header>@TALL@<footer style='position: fixed; bottom: 0'>f</footer>",
    "a background of the window": "<body style='background: linear-gradient(red, blue) fixed'>"
    + TALL,
    "a very high page": "<p>line</p>" * 400,
    "a very wide page": "<div style='width: 4000px; background: linear-gradient(90deg, red, blue)'>w"
    "</div>",
}
WORKER = "const worker = code => new Worker(URL.createObjectURL(new Blob([code])));"
WORKERS = {
    "a worker that counts": "<p id=o></p><script>@WORKER@ worker('let n = 0; setInterval(() => "
    "postMessage(++n), 33)').onmessage = e => { o.textContent = e.data }</script>",
    "a worker that is asked again and again": "<p id=o></p><script>@WORKER@ const w = worker("
    "'onmessage = e => postMessage(e.data + 1)'); w.onmessage = e => { o.textContent = e.data; "
    "w.postMessage(e.data) }; w.postMessage(0)</script>",
    "a worker that computes": "<p id=o></p><script>@WORKER@ worker('let s = 0; for (let i = 0; i < "
    "3e7; i++) s += i % 7; postMessage(s)').onmessage = e => { o.textContent = e.data }</script>",
    "two workers": "<p id=o></p><script>@WORKER@ const said = []; for (const n of [1, 2]) worker("
    "`setTimeout(() => postMessage(${n}), ${n * 40})`).onmessage = e => { said.push(e.data); "
    "o.textContent = said }</script>" + TALL,
    "a worker that draws": "<canvas id=c></canvas><script>@WORKER@ const k = "
    "c.transferControlToOffscreen(); worker(`onmessage = e => { const g = e.data.getContext('2d'); "
    "g.fillStyle = 'red'; g.fillRect(9, 9, 99, 99) }`).postMessage(k, [k])</script>",
}
REVEAL = (
    "<style>section { height: 500px; opacity: 0; transition: opacity .6s; background: gold; margin: 9px }"
    " .shown { opacity: 1 }</style>" + "<section>s</section>" * 6
)
OBSERVERS = {
    "parts that appear on scrolling": "@REVEAL@<script>const io = new IntersectionObserver(all => "
    "all.forEach(e => e.isIntersecting && e.target.classList.add('shown'))); "
    "document.querySelectorAll('section').forEach(s => io.observe(s))</script>",
    "parts that appear by scroll events": "@REVEAL@<script>const f = () => document"
    ".querySelectorAll('section').forEach(s => { if (s.getBoundingClientRect().top < innerHeight) "
    "s.classList.add('shown') }); addEventListener('scroll', f); f()</script>",
    "sizes that are observed": "<p id=o></p>@TALL@<script>let n = 0; new ResizeObserver(() => { "
    "o.textContent = ++n }).observe(document.documentElement)</script>",
    "changes that are observed": "<p id=o>a</p><script>new MutationObserver(all => { if (o.textContent"
    ".length < 50) o.textContent += all.length }).observe(o, {childList: true}); o.append('b')</script>",
    "lazy pictures": TALL + "<img loading=lazy alt=late width=99 height=99 src='data:image/svg+xml,"
    "<svg xmlns=%22http://www.w3.org/2000/svg%22><rect width=%2299%22 height=%2299%22/></svg>'>",
    "resizing": "<p id=o></p>@TALL@<script>o.textContent = innerHeight; "
    "addEventListener('resize', () => { o.textContent += ' ' + innerHeight })</script>",
}
FONTS = {
    "a font of the web": "<link rel=stylesheet href='https://fonts.googleapis.com/css2?family=Roboto'>"
    "<p style='font-family: Roboto'>Roboto</p>",
    "icons": "<link rel=stylesheet href='https://cdnjs.cloudflare.com/ajax/libs/font-awesome/6.5.0/css/"
    "all.min.css'><i class='fa-solid fa-house'></i><i class='fa-brands fa-github'></i>",
    "a font that is missing": "<style>@font-face { font-family: x; src: url(x.woff2) }</style>"
    "<p style='font-family: x, serif'>missing</p>",
    "many scripts": "<p>Ünï ελληνικά русский 中文 日本語 한국어 😀 🏳️‍🌈</p>",
}
LIBRARIES = {
    "d3 with a transition": "<script src='https://d3js.org/d3.v7.min.js'></script><svg width=600 "
    "height=300></svg><script>d3.select('svg').selectAll('rect').data([3, 7, 5]).join('rect')"
    ".attr('x', (d, i) => i * 60).attr('width', 50).attr('height', 0).transition().duration(900)"
    ".attr('height', d => d * 30)</script>" + TALL,
    "tailwind": "<script src='https://cdn.tailwindcss.com'></script><div class='grid grid-cols-3 gap-4 "
    "p-8'>" + "<p class='bg-teal-500 animate-pulse h-64 rounded-xl'>t</p>" * 9 + "</div>",
    "bootstrap": "<link rel=stylesheet href='https://cdn.jsdelivr.net/npm/bootstrap@5.3.0/dist/css/"
    "bootstrap.min.css'><div class='spinner-border'></div><div class='progress'><div class='"
    "progress-bar progress-bar-animated progress-bar-striped' style='width: 60%'></div></div>",
    "alpine": "<script defer src='https://cdn.jsdelivr.net/npm/alpinejs@3/dist/cdn.min.js'></script>"
    "<div x-data='{n: 0}' x-init='setInterval(() => n++, 100)'><p x-text=n x-transition></p></div>",
    "vue": "<script src='https://unpkg.com/vue@3/dist/vue.global.js'></script><div id=app>{ n }</div>"
    "<script>Vue.createApp({data: () => ({n: 0}), mounted() { setInterval(() => this.n++, 40) })"
    ".mount('#app')</script>",
}
