"""Pages with libraries and fonts of other hosts, in the ways in which people link them: what is drawn shows that they ran."""

import pytest

from helm_structext.protocols import PROTOCOLS
from helm_structext.renderers import render

JSDELIVR, CDNJS = "https://cdn.jsdelivr.net/npm/", "https://cdnjs.cloudflare.com/ajax/libs/"
TEAL, GRAY = (0, 128, 128), (0xCC, 0xCC, 0xCC)


def scripts(*addresses: str) -> str:
    return "".join(f"<script src='{one}'></script>" for one in addresses)


def module(code: str, imports: str = "") -> str:
    before = f'<script type=importmap>{{"imports": {{{imports}}}}}</script>' if imports else ""
    return f"{before}<div id=a></div><script type=module>{code}</script>"


# Page → the words that it shows once its libraries have run.
PAGES = {
    "gsap": scripts(f"{JSDELIVR}gsap@3.12.5/dist/gsap.min.js", f"{CDNJS}gsap/3.12.2/ScrollTrigger.min.js")
    + "<p id=a><script>gsap.registerPlugin(ScrollTrigger); gsap.set('#a', {innerText: 'right'})</script>",
    "p5": scripts(f"{CDNJS}p5.js/1.4.0/p5.js")
    + "<script>function setup() { createCanvas(9, 9); createP('right'); noLoop() }</script>",
    "preact and htm": module(
        "import {render} from 'preact'; import {useState} from 'preact/hooks'; import {html} from 'https://esm.sh/htm@3/preact?external=preact';"
        "const App = () => { const [it] = useState('right'); return html`<p>${it}</p>` }; render(html`<${App}/>`, a)",
        '"preact": "https://esm.sh/preact@10", "preact/": "https://esm.sh/preact@10/"',
    ),
    "lit": module(
        "import {LitElement, html} from 'https://esm.sh/lit@3'; import {repeat} from 'https://esm.sh/lit@3/directives/repeat.js';"
        "customElements.define('x-a', class extends LitElement { createRenderRoot() { return this } "
        "render() { return html`${repeat(['ri', 'ght'], it => it)}` } }); a.append(document.createElement('x-a'))"
    ),
    "solid": module(
        "import html from 'https://esm.sh/solid-js@1.9.3/html'; import {render} from 'https://esm.sh/solid-js@1.9.3/web';"
        "import {createSignal} from 'https://esm.sh/solid-js@1.9.3'; const [it] = createSignal('right'); render(() => html`<p>${it}</p>`, a)"
    ),
    "petite-vue": "<div v-scope=\"{it: 'right'}\">{{ it }}</div>"
    "<script type=module>import {createApp} from 'https://unpkg.com/petite-vue?module'; createApp().mount()</script>",
    "tsx": '<script type=importmap>{"imports": {"react": "https://esm.sh/react@18", "react-dom/client": "https://esm.sh/react-dom@18/client"}}</script>'
    "<!-- It finds <script type='text/tsx'> blocks. --><script type=module src=https://esm.sh/tsx></script><div id=a></div>"
    "<script type=text/babel>"
    "import {createRoot} from 'react-dom/client'; const it: string = 'right'; createRoot(a).render(<p>{it}</p>)</script>",
    "markdown-it": scripts(f"{JSDELIVR}markdown-it@14/dist/markdown-it.min.js")
    + "<p id=a><script>a.innerHTML = markdownit().render('*right*')</script>",
    "D3's companions": scripts("https://d3js.org/d3.v7.min.js", f"{JSDELIVR}d3-sankey@0.12.3", f"{JSDELIVR}topojson-client@3")
    + "<p id=a><script>a.textContent = d3.sankey && topojson.feature ? 'right' : 'wrong'</script>",
    "sql.js": scripts(f"{CDNJS}sql.js/1.8.0/sql-wasm.js")
    + "<p id=a><script>initSqlJs({locateFile: file => 'https://cdnjs.cloudflare.com/ajax/libs/sql.js/1.8.0/' + file})"
    ".then(SQL => a.textContent = new SQL.Database().exec(\"select 'ri' || 'ght'\")[0].values)</script>",
    "KaTeX": f"<link rel=stylesheet href={CDNJS}KaTeX/0.16.9/katex.min.css>"
    + scripts(f"{JSDELIVR}katex@0.16.9/dist/katex.min.js", f"{JSDELIVR}katex@0.16.9/dist/contrib/auto-render.min.js")
    + r"<p>\(right\)<script>renderMathInElement(document.body)</script>",
    "MathJax": "<script>MathJax = {startup: {pageReady: () => MathJax.startup.defaultPageReady().then(() => "
    "document.body.append(document.querySelector('mjx-container') ? 'right' : 'wrong'))}}</script>"
    + scripts(f"{JSDELIVR}mathjax@3/es5/tex-chtml.js")
    + r"<p>\(x^2\)",
    "highlight": f"<link rel=stylesheet href={CDNJS}highlight.js/11.9.0/styles/github.min.css>"
    + scripts(f"{CDNJS}highlight.js/11.9.0/highlight.min.js")
    + "<pre><code class=language-js>let right = 1</code></pre><script>hljs.highlightAll(); "
    "onload = () => { if (!document.querySelector('.hljs-keyword')) document.body.textContent = 'wrong' }</script>",
    "ECharts": scripts(f"{CDNJS}echarts/5.4.3/echarts.min.js")
    + "<div id=a style='width:300px;height:200px'></div><script>echarts.init(a, null, {renderer: 'svg'})"
    ".setOption({animation: false, title: {text: 'right'}})</script>",
    "Plotly": scripts("https://cdn.plot.ly/plotly-2.27.0.min.js")
    + "<div id=a></div><script>Plotly.newPlot('a', [{y: [1, 2]}], {title: {text: 'right'}})</script>",
    "Vega": scripts(f"{JSDELIVR}vega@5", f"{JSDELIVR}vega-lite@5", f"{JSDELIVR}vega-embed@6")
    + "<div id=a></div><script>vegaEmbed('#a', {title: 'right', data: {values: [{x: 1}]}, mark: 'bar', "
    "encoding: {x: {field: 'x', type: 'quantitative'}}}, {renderer: 'svg', actions: false})</script>",
    "two releases of jQuery": scripts("https://code.jquery.com/jquery-1.12.4.min.js")
    + "<script>const old = jQuery.noConflict(true)</script>"
    + scripts("https://code.jquery.com/jquery-3.7.1.min.js")
    + "<p id=a><script>a.textContent = old.fn.jquery[0] + jQuery.fn.jquery[0] === '13' ? 'right' : 'wrong'</script>",
    "icons": scripts("https://unpkg.com/lucide@latest")
    + "<i data-lucide=house></i><p id=a><script>lucide.createIcons(); a.textContent = document.querySelector('svg') ? 'right' : 'wrong'</script>",
    "Pyodide": "<p id=a><script type=module>import {loadPyodide} from 'https://cdn.jsdelivr.net/pyodide/v0.28.0/full/pyodide.mjs';"
    "a.textContent = (await loadPyodide()).runPython(\"'ri' + 'ght'\")</script>",
}  # fmt: skip


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_page_shows_what_its_libraries_make(page):
    found = render("html", page)
    assert "right" in found.text.replace(" ", "").replace("\n", ""), found.log
    assert "wrong" not in found.text
    assert found.missing == ()


def test_placeholder_is_a_gray_box_in_corrected_and_refused_as_published():
    page = "<body style=margin:0><img src=https://placehold.co/300x200/000/fff?text=A>"
    for format, code in {
        "html": page,
        "svg": "<svg width=1280 height=720><image href='https://picsum.photos/300/200'/></svg>",
    }.items():
        code = (
            code.replace("=1280", "='1280'").replace("=720", "='720'") if format == "svg" else code
        )
        drawn = {protocol: render(format, code, protocol=protocol) for protocol in PROTOCOLS}
        assert drawn["corrected"].image.getpixel((150, 100)) == GRAY
        assert drawn["published"].image.getpixel((150, 100)) != GRAY
        for one in drawn.values():
            assert [missing.kind for missing in one.missing] == ["picture"]


IMPORT = "@import url('https://fonts.googleapis.com/css2?family=Bebas+Neue');"


@pytest.mark.parametrize(
    ("format", "code"),
    {
        "html": "<style>FONT p { font: 40px 'Bebas Neue', serif }</style><p>Hamburg",
        "svg": "<svg viewBox='0 0 400 90'><style>FONT text { font: 40px 'Bebas Neue', serif }</style>"
        "<text y='60'>Hamburg</text></svg>",
    }.items(),
)
def test_font_that_is_imported_changes_the_text(format, code):
    with_font, without = (render(format, code.replace("FONT", one)) for one in (IMPORT, ""))
    assert with_font.missing == ()
    assert with_font.image.tobytes() != without.image.tobytes()


def test_symbols_are_drawn_in_place_of_their_names():
    page = (
        "<link rel=stylesheet href='https://fonts.googleapis.com/css2?family=Material+Symbols+Outlined'>"
        "<span id=a class=material-symbols-outlined>home</span><p id=b>"
        "<script>document.fonts.ready.then(() => b.textContent = a.offsetWidth)</script>"
    )
    assert "24" in render("html", page).text


def test_style_sheet_without_one_family_has_the_others():
    page = (
        "<link rel=stylesheet href='https://fonts.googleapis.com/css2?family=Anton&family=No+Such'>"
        "<p style='font-family:Anton'>x"
    )
    found = render("html", page)
    assert [(one.kind, one.package) for one in found.missing] == [("font", "No Such")]
    without = render("html", page.replace("family=Anton&", ""))
    assert found.image.tobytes() != without.image.tobytes()


NEW_REACT = (
    "<div id=root></div><script type=module>import {use, Suspense, createElement as h, version} from '%s';"
    "import {createRoot} from '%s/client'; import {motion} from 'https://esm.sh/framer-motion@11';"
    "const said = Promise.resolve(version.slice(0, 2));"
    "const Said = () => h(motion.p, null, use(said));"
    "createRoot(document.getElementById('root')).render(h(Suspense, null, h(Said)))</script>"
)


@pytest.mark.parametrize(
    ("react", "dom"),
    [
        ("https://esm.sh/react@19.1.0", "https://esm.sh/react-dom@19.1.0"),
        ("https://esm.sh/react", "https://esm.sh/react-dom"),
    ],
)
def test_a_page_that_asks_for_react_19_gets_it_with_all_that_uses_it(react, dom):
    assert render("html", NEW_REACT % (react, dom)).text == "19"
    old = "<p id=a><script type=module>import {version} from 'https://esm.sh/react@18'; a.innerText = version</script>"
    assert render("html", old).text.startswith("18.")
