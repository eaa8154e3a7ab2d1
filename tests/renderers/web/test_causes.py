"""What explains that a page failed or is blank, and what does not, though it asks for what is nowhere."""

import pytest

from helm_structext.errors import MAX_MISSING, MissingResource
from helm_structext.renderers.web.causes import choose_error, find_cause

SCRIPT = MissingResource(
    "script", "cdn.jsdelivr.net", "no-such", "https://cdn.jsdelivr.net/npm/no-such"
)
ELSEWHERE = MissingResource("script", "cdn.example", "", "https://cdn.example/lib/charts.min.js")
DATA = MissingResource("data", "api.example", "", "https://api.example/v1/all.json")
PICTURE = MissingResource("picture", "a.example", "", "https://a.example/a.png")
PACKAGE = MissingResource("package", "npmjs.com", "zustand")
USED = "<div id=a></div><script>use(a)</script>"

LIBRARIES = [
    "echarts",
    "THREE",
    "Plotly",
    "p5",
    "gsap",
    "ScrollTrigger",
    "$",
    "jQuery",
    "_",
    "L",
    "d3",
    "PIXI",
    "BABYLON",
    "Chart",
    "AOS",
    "Swiper",
    "hljs",
    "mermaid",
    "Sortable",
    "Matter",
    "dat",
    "Stats",
    "SimplexNoise",
    "particlesJS",
    "lottie",
    "marked",
    "Prism",
    "moment",
    "axios",
    "io",
    "firebase",
    "Typed",
    "anime",
    "luxon",
    "ApexCharts",
    "Highcharts",
    "CodeMirror",
    "Quill",
    "monaco",
    "katex",
    "renderMathInElement",
    "lucide",
    "feather",
    "Alpine",
    "htmx",
    "flatpickr",
    "fabric",
    "Konva",
    "Phaser",
    "Tone",
    "mapboxgl",
    "google",
    "cytoscape",
    "vis",
    "go",
    "Babel",
    "math",
    "tf",
    "ml5",
    "loadPyodide",
    "initSqlJs",
    "topojson",
    "vegaEmbed",
    "Splide",
    "M",
    "UIkit",
    "Swal",
    "toastr",
    "DOMPurify",
    "html2canvas",
    "jspdf",
    "XLSX",
    "Papa",
    "QRCode",
    "confetti",
    "rough",
    "paper",
    "Two",
    "SVG",
    "Snap",
    "Raphael",
    "ScrollReveal",
    "barba",
    "Lenis",
    "CANNON",
    "createCanvas",
    "Vue",
    "ko",
    "m",
    "riot",
    "preact",
    "htm",
    "lit",
]


@pytest.mark.parametrize("name", LIBRARIES)
def test_names_of_libraries_are_explained(name):
    assert find_cause([f"ReferenceError: {name} is not defined\n    at x"], f"{name}.a()", [SCRIPT])


EXPLAINED = {
    "TypeError: Chart is not a constructor": ("new Chart()", SCRIPT),
    "TypeError: $(...).slick is not a function": ("$('a').slick()", SCRIPT),
    "TypeError: THREE.OrbitControls is not a constructor": ("new THREE.OrbitControls()", SCRIPT),
    "TypeError: window.initMap is not a function": ("window.initMap()", SCRIPT),
    "TypeError: Cannot read properties of undefined (reading 'newPlot')": ("window.Plotly.newPlot()", SCRIPT),
    "TypeError: Cannot read properties of undefined (reading 'Sky')": ("new THREE.Objects.Sky()", SCRIPT),
    "TypeError: Cannot destructure property 'createApp' of 'window.Vue' as it is undefined.": ("const {createApp} = window.Vue", SCRIPT),
    "TypeError: Failed to fetch": ("fetch('https://api.example/v1/all.json')", DATA),
    "NetworkError: Failed to execute 'send' on 'XMLHttpRequest': Failed to load 'https://api.example/'": ("x.send()", DATA),
    "NetworkError: Failed to execute 'importScripts' on 'WorkerGlobalScope'": ("importScripts('https://cdn.example/a.js')", SCRIPT),
    "EncodingError: The source image cannot be decoded.": ("image.decode()", PICTURE),
    "Error: zustand could not be loaded": ("throw Error()", PACKAGE),
    f"Error: Loading failed: {DATA.address}: no": ("throw Error()", DATA),
}  # fmt: skip


@pytest.mark.parametrize("error", EXPLAINED)
def test_errors_of_what_is_not_there_are_explained(error):
    written, one = EXPLAINED[error]
    assert find_cause([f"{error}\n    at http://localhost/:1:1"], written, [one]) == [one]


OWN = {
    "SyntaxError: Unexpected token ')'": "a(",
    "ReferenceError: documnet is not defined": "documnet.body",
    "ReferenceError: consol is not defined": "consol.log()",
    "ReferenceError: Cannot access 'a' before initialization": "a; let a",
    "ReferenceError: total is not defined": "{ let total = 1 } total",
    "ReferenceError: draw is not defined": "if (x) { function draw() {} } draw()",
    "ReferenceError: map is not defined": "const {list, map} = tools; { map }",
    "ReferenceError: Card is not defined": "function a() { class Card {} } new Card()",
    "TypeError: document.getElementByID is not a function": "document.getElementByID('a')",
    "TypeError: ctx.fillRectt is not a function": "const ctx = a.getContext('2d'); ctx.fillRectt()",
    "TypeError: undefined is not a function": "(void 0)()",
    "TypeError: (intermediate value).foo is not a function": "(() => 1)().foo()",
    "TypeError: Cannot read properties of null (reading 'getContext')": "a.getContext()",
    "TypeError: Cannot read properties of undefined (reading 'name')": "const list = []; list[3].name",
    "TypeError: Cannot read properties of undefined (reading 'x')": "let data = {}; data.point.x",
    "TypeError: Cannot read properties of undefined (reading 'y')": "document.page.y",
    "TypeError: Assignment to constant variable.": "const a = 1; a = 2",
    "RangeError: Maximum call stack size exceeded": "function f() { f() } f()",
    "Error: no": "throw Error('no')",
    "1": "throw 1",
    "": "throw ''",
}


@pytest.mark.parametrize("error", OWN)
def test_own_mistakes_are_not_excused_by_scripts_that_are_nowhere(error):
    assert find_cause([error], OWN[error], [SCRIPT, ELSEWHERE, DATA, PICTURE]) == []


def test_each_kind_explains_its_own_errors():
    undefined, unfetched = ["ReferenceError: Charts is not defined"], ["TypeError: Failed to fetch"]
    assert find_cause(undefined, "", [DATA, PICTURE]) == []
    assert find_cause(unfetched, "", [SCRIPT]) == []
    assert find_cause(undefined, "", [DATA, SCRIPT, ELSEWHERE]) == [SCRIPT, ELSEWHERE]


def test_what_a_parser_found_comes_before_what_is_missing():
    errors = ["ReferenceError: Charts is not defined", "SyntaxError: Unexpected token"]
    assert find_cause(errors, USED, [SCRIPT]) == []
    assert choose_error(errors) == errors[1]
    assert choose_error(errors[:1]) == errors[0]


@pytest.mark.parametrize("one", [SCRIPT, ELSEWHERE, DATA, PICTURE, PACKAGE])
def test_a_blank_page_is_explained_if_it_holds_more_than_what_asks_for_it(one):
    ask = "<html><body><div id=app></div><script type=module src='https://a.example/a.js'></script></body>"
    assert find_cause([], f"{ask}{USED}", [one]) == [one]
    assert find_cause([], f"{ask}<my-element></my-element>", [one]) == [one]
    assert find_cause([], ask, [one]) == []
    assert find_cause([], f"{ask}<!-- use(app) --><script>// use(app)\n</script>", [one]) == []


@pytest.mark.parametrize(
    ("kind", "address"),
    [
        ("font", "https://fonts.gstatic.com/a.woff2"),
        ("style", "https://unpkg.com/no-such/a.css"),
        ("script", "https://www.googletagmanager.com/gtag/js?id=G-1"),
        ("script", "https://connect.facebook.net/en_US/fbevents.js"),
        ("script", "https://static.cloudflareinsights.com/beacon.min.js"),
        ("script", "https://cdn.jsdelivr.net/npm/@vercel/analytics"),
        ("data", "https://plausible.io/api/event"),
        ("picture", "https://a.example/favicon.ico"),
        ("script", "https://x"),
        ("script", "https://x/"),
        ("script", "//"),
        ("script", ""),
    ],
)
def test_what_shows_nothing_explains_nothing(kind, address):
    one = MissingResource(kind, "a.example", "", address)
    assert find_cause([], USED, [one]) == []
    assert find_cause(["ReferenceError: Charts is not defined"], USED, [one]) == []


def test_long_and_odd_texts_take_no_time():
    many = [SCRIPT] * MAX_MISSING
    for piece in ("a", "let a,", "window.a.", "const a = ", "<script src=", "\ud800", "é\n"):
        text = piece * (1_000_000 // len(piece))
        for error in (
            "ReferenceError: a is not defined",
            "TypeError: Cannot read properties of undefined (reading 'b')",
        ):
            find_cause([error], text, many)
        find_cause([f"ReferenceError: {text} is not defined"], "", many)
        find_cause([], text, many)
