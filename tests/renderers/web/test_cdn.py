"""Web addresses of common libraries: which file answers them, and that no other does."""

from urllib.parse import urlsplit

import pytest

from helm_structext.renderers.web import cdn, npm_files, web_fonts

JSDELIVR, CDNJS = "https://cdn.jsdelivr.net/npm/", "https://cdnjs.cloudflare.com/ajax/libs/"
UNPKG, GITHUB = "https://unpkg.com/", "https://cdn.jsdelivr.net/gh/"
# Address → what the file has in it.
ANSWERED = {
    f"{JSDELIVR}bootstrap@5.3.0/dist/css/bootstrap.min.css": "Bootstrap  v5",
    f"{JSDELIVR}semantic-ui@2.5.0/dist/semantic.min.css": "Semantic UI",
    f"{UNPKG}semantic-ui@2.5.0/dist/semantic.min.js": "Semantic UI",
    f"{JSDELIVR}@viz-js/viz@3.2.4/lib/viz-standalone.js": "Viz.js 3",
    "https://ga.jspm.io/npm:es-module-shims@1.8.0/dist/es-module-shims.js": "ES Module Shims",
    f"{JSDELIVR}bootstrap@5.3.0/dist/js/bootstrap.bundle.min.js": "Bootstrap v5",
    f"{JSDELIVR}bootstrap@4.6.2/dist/css/bootstrap.min.css": "Bootstrap v4",
    f"{CDNJS}bootstrap/5.1.3/css/bootstrap.min.css": "Bootstrap  v5",
    "https://maxcdn.bootstrapcdn.com/bootstrap/3.4.1/css/bootstrap.min.css": "Bootstrap v3",
    "https://stackpath.bootstrapcdn.com/bootstrap/4.5.2/js/bootstrap.min.js": "Bootstrap v4",
    "https://maxcdn.bootstrapcdn.com/font-awesome/4.7.0/css/font-awesome.min.css": "4.7",
    f"{CDNJS}font-awesome/4.7.0/css/font-awesome.min.css": "4.7",
    f"{CDNJS}font-awesome/5.15.4/css/all.min.css": "Font Awesome Free 6",
    f"{CDNJS}font-awesome/6.5.1/css/all.min.css": "Font Awesome Free 6",
    "https://use.fontawesome.com/releases/v5.7.2/css/all.css": "Font Awesome Free 6",
    "https://kit.fontawesome.com/a076d05399.js": "Font Awesome",
    "https://code.jquery.com/jquery-3.6.0.min.js": "jQuery",
    "https://code.jquery.com/jquery-3.5.1.slim.min.js": "jQuery",
    "https://ajax.googleapis.com/ajax/libs/jquery/3.5.1/jquery.min.js": "jQuery",
    f"{CDNJS}jquery/3.6.0/jquery.min.js": "jQuery",
    "https://ajax.googleapis.com/ajax/libs/angularjs/1.8.2/angular.min.js": "AngularJS v1.8",
    f"{CDNJS}angular.js/1.8.2/angular.min.js": "AngularJS v1.8",
    f"{JSDELIVR}chart.js": "Chart.js v4",
    f"{JSDELIVR}chart.js@3.9.1/dist/chart.min.js": "Chart.js v4",
    f"{JSDELIVR}chart.js@2.9.4/dist/Chart.min.js": "Chart.js v2",
    f"{CDNJS}Chart.js/2.9.4/Chart.js": "Chart.js v2",
    f"{CDNJS}Chart.js/3.7.0/chart.min.js": "Chart.js v4",
    "https://d3js.org/d3.v7.min.js": "d3js.org v7",
    "https://d3js.org/d3.v5.js": "d3js.org v7",
    f"{CDNJS}d3/7.8.5/d3.min.js": "d3js.org v7",
    f"{JSDELIVR}d3@7": "d3js.org v7",
    "https://cdn.tailwindcss.com": "tailwind",
    "https://cdn.tailwindcss.com?plugins=forms,typography": "tailwind",
    "https://cdn.tailwindcss.com/3.4.1": "tailwind",
    f"{JSDELIVR}@tailwindcss/browser@4": "tailwind",
    "https://unpkg.com/@tailwindcss/browser@4": "tailwind",
    "https://unpkg.com/react@18/umd/react.development.js": "react.development.js",
    "https://unpkg.com/react@17.0.2/umd/react.production.min.js": "react.production.min.js",
    "https://unpkg.com/react-dom@18/umd/react-dom.development.js": "react-dom.development.js",
    f"{CDNJS}react/18.2.0/umd/react.production.min.js": "react.production.min.js",
    f"{CDNJS}react-dom/18.2.0/umd/react-dom.production.min.js": "react-dom.production.min.js",
    f"{JSDELIVR}react@18/umd/react.development.js": "react.development.js",
    "https://unpkg.com/@babel/standalone/babel.min.js": "text/compiled",
    f"{CDNJS}babel-standalone/7.23.5/babel.min.js": "text/compiled",
    "https://unpkg.com/vue@3/dist/vue.global.js": "vue v3",
    "https://unpkg.com/vue@3": "vue v3",
    "https://unpkg.com/vue@next": "vue v3",
    f"{JSDELIVR}vue@3.2.47/dist/vue.global.prod.js": "vue v3",
    f"{JSDELIVR}vue@2.6.14": "Vue.js v2",
    f"{JSDELIVR}vue@2/dist/vue.js": "Vue.js v2",
    f"{JSDELIVR}vue/dist/vue.js": "Vue.js v2",
    f"{CDNJS}vue/3.2.31/vue.global.min.js": "vue v3",
    "https://unpkg.com/vue@3/dist/vue.esm-browser.js": "vue v3",
    f"{JSDELIVR}axios/dist/axios.min.js": "axios",
    "https://unpkg.com/axios@1.6.0/dist/axios.min.js": "axios",
    f"{CDNJS}lodash.js/4.17.21/lodash.min.js": "lodash",
    f"{CDNJS}moment.js/2.29.4/moment.min.js": "moment",
    f"{JSDELIVR}dayjs@1/dayjs.min.js": "dayjs",
    f"{JSDELIVR}marked/marked.min.js": "marked",
    f"{CDNJS}marked/4.0.2/marked.min.js": "marked",
    f"{CDNJS}animate.css/4.1.1/animate.min.css": "animate.css",
    f"{CDNJS}normalize/8.0.1/normalize.min.css": "normalize.css",
    f"{JSDELIVR}bulma@0.9.4/css/bulma.min.css": "bulma",
    f"{JSDELIVR}bootstrap-icons@1.11.0/font/bootstrap-icons.css": "Bootstrap Icons",
    f"{JSDELIVR}alpinejs@3.x.x/dist/cdn.min.js": "Alpine",
    f"{JSDELIVR}@popperjs/core@2.11.8/dist/umd/popper.min.js": "popper",
    f"{CDNJS}popper.js/1.16.0/umd/popper.min.js": "opper",
    f"{JSDELIVR}mermaid@10/dist/mermaid.min.js": "mermaid",
    "https://unpkg.com/prop-types@15.8.1/prop-types.min.js": "PropTypes",
    "https://unpkg.com/recharts/umd/Recharts.js": "Recharts",
    f"{JSDELIVR}@fortawesome/fontawesome-free@6.4.0/css/all.min.css": "Font Awesome Free 6",
    "https://esm.sh/react@18.2.0": "packages.localhost/react.js",
    "https://esm.sh/react-dom@18/client": "packages.localhost/react-dom-client.js",
    "https://cdn.skypack.dev/left-pad": None,
    "https://cdn.skypack.dev/canvas-confetti": "packages.localhost/canvas-confetti.js",
    "https://cdn.skypack.dev/d3@7": "packages.localhost/d3.js",
    f"{JSDELIVR}d3@7/+esm": "packages.localhost/d3.js",
    "https://fonts.googleapis.com/css2?family=Roboto:wght@400;700&display=swap": "font-weight: 700",
    "https://fonts.googleapis.com/css?family=Open+Sans:400,700i|Lato": "'Lato'",
    "https://fonts.googleapis.com/css2?family=Inter:ital,wght@0,400;1,700": "italic",
    "https://fonts.googleapis.com/icon?family=Material+Icons": "material-icons.woff2",
    "https://fonts.googleapis.com/css2?family=No+Such+Font": None,
    f"{JSDELIVR}chartjs-plugin-datalabels@2": "chartjs-plugin-datalabels v2",
    f"{JSDELIVR}chartjs-plugin-datalabels@1.0.0": "chartjs-plugin-datalabels v1",
    f"{CDNJS}chartjs-plugin-datalabels/0.7.0/chartjs-plugin-datalabels.js": "chartjs-plugin-datalabels v0.7",
    f"{CDNJS}chartjs-plugin-annotation/3.0.1/chartjs-plugin-annotation.js": "chartjs-plugin-annotation v3",
    f"{JSDELIVR}chartjs-plugin-zoom@2": "chartjs-plugin-zoom v2",
    f"{CDNJS}chartjs-adapter-luxon/1.3.1/chartjs-adapter-luxon.min.js": "chartjs-adapter-luxon v1",
    f"{JSDELIVR}chartjs-adapter-date-fns": "chartjs-adapter-date-fns v3",
    f"{CDNJS}chartjs-adapter-moment/1.0.1/chartjs-adapter-moment.min.js": "chartjs-adapter-moment v1",
    f"{CDNJS}hammer.js/2.0.8/hammer.min.js": "Hammer.JS",
    f"{CDNJS}luxon/3.4.4/luxon.min.js": "luxon",
    f"{CDNJS}htmx/1.9.12/htmx.min.js": "htmx",
    f"{CDNJS}leaflet/1.9.4/leaflet.min.css": "leaflet",
    f"{UNPKG}leaflet": "Leaflet 1.9",
    f"{CDNJS}three.js/r128/three.min.js": "sRGBEncoding",
    f"{JSDELIVR}three@0.128/examples/js/controls/OrbitControls.js": "THREE.OrbitControls",
    f"{JSDELIVR}three@0.128.0/examples/js/controls/OrbitControls.min.js": "THREE.OrbitControls",
    f"{UNPKG}three@0.160.0/build/three.module.min.js": "three.core.js",
    f"{UNPKG}three@0.160.0/examples/jsm/controls/OrbitControls.js": "from 'three'",
    f"{JSDELIVR}three@0.160.0/+esm": "packages.localhost/three.js",
    f"{JSDELIVR}three@0.160.0/examples/jsm/controls/OrbitControls.js/+esm": "packages.localhost/three-addons-",
    "https://esm.sh/three@0.160/examples/jsm/controls/OrbitControls": "packages.localhost/three-addons-",
    "https://esm.sh/simplex-noise@3.0.1": "packages.localhost/simplex-noise-2.js",
    "https://threejs.org/build/three.js": "REVISION = '147'",
    "https://threejs.org/../package.json": None,
    f"{UNPKG}@mui/material@5/umd/material-ui.production.min.js": "MaterialUI",
    f"{CDNJS}redux/4.2.1/redux.min.js": "Redux",
    f"{UNPKG}react-redux@8.1.3/dist/react-redux.min.js": "ReactRedux",
    f"{UNPKG}redux": "Redux",
    f"{CDNJS}vuetify/2.6.0/vuetify.min.css": "Vuetify v2",
    f"{JSDELIVR}vuetify@3.5.2/dist/vuetify.min.js": "Vuetify v3",
    f"{CDNJS}MaterialDesign-Webfont/7.2.96/css/materialdesignicons.min.css": "materialdesignicons",
    f"{CDNJS}pinia/2.1.7/pinia.iife.min.js": "pinia",
    f"{JSDELIVR}gsap@3.12.5/dist/gsap.min.js": "GSAP 3",
    f"{CDNJS}gsap/3.12.2/ScrollTrigger.min.js": "ScrollTrigger 3",
    f"{CDNJS}gsap/2.1.3/TweenMax.min.js": "GSAP 3",
    f"{CDNJS}p5.js/1.4.0/p5.min.js": "p5.js v1",
    f"{JSDELIVR}p5@1.6.0/lib/p5.min.js": "p5.js v1",
    f"{CDNJS}animejs/3.2.1/anime.min.js": "anime.js v3",
    f"{CDNJS}bodymovin/5.7.14/lottie.min.js": "lottie",
    f"{CDNJS}KaTeX/0.16.9/katex.min.css": "KaTeX_Main",
    f"{JSDELIVR}katex@0.16.8/dist/contrib/auto-render.min.js": "renderMathInElement",
    f"{JSDELIVR}mathjax@3/es5/tex-mml-chtml.js": "MathJax",
    f"{CDNJS}mathjax/3.2.2/es5/tex-svg.js": "MathJax",
    f"{GITHUB}highlightjs/cdn-release@11/build/highlight.min.js": "Highlight.js v11",
    f"{GITHUB}highlightjs/cdn-release@11/build/styles/github-dark.min.css": "hljs",
    f"{GITHUB}lit/dist@3/all/lit-all.min.js": "packages.localhost/lit-all.js",
    f"{GITHUB}lit/dist@3/core/lit-core.min.js": "packages.localhost/lit.js",
    f"{UNPKG}@studio-freight/lenis@1.0.42/dist/lenis.min.js": "lenis",
    f"{CDNJS}highlight.js/11.9.0/styles/github.min.css": "hljs",
    f"{CDNJS}prism/1.29.0/components/prism-python.min.js": "Prism.languages.python",
    f"{CDNJS}prism/1.29.0/themes/prism-tomorrow.min.css": "token",
    "https://cdn.plot.ly/plotly-2.27.0.min.js": "plotly.js v2",
    "https://cdn.plot.ly/plotly-latest.min.js": "plotly.js v3",
    f"{CDNJS}plotly.js/2.20.0/plotly.min.js": "plotly.js v2",
    f"{JSDELIVR}vega-embed@6": "vega",
    f"{CDNJS}echarts/5.4.3/echarts.min.js": "echarts",
    f"{JSDELIVR}apexcharts": "ApexCharts v4",
    f"{UNPKG}aos@next/dist/aos.css": "data-aos",
    f"{JSDELIVR}swiper@11/swiper-bundle.min.js": "Swiper 11",
    f"{CDNJS}Swiper/8.4.5/swiper-bundle.min.css": "Swiper 11",
    f"{JSDELIVR}phaser@3.60.0/dist/phaser.min.js": "Phaser",
    f"{CDNJS}pixi.js/7.2.4/pixi.min.js": "pixi.js - v7",
    "https://pixijs.download/release/pixi.js": None,
    f"{CDNJS}fabric.js/5.3.1/fabric.min.js": "fabric",
    f"{CDNJS}tone/14.8.49/Tone.js": "Tone",
    f"{UNPKG}lucide@latest": "lucide v0",
    f"{UNPKG}feather-icons": "feather",
    f"{UNPKG}ionicons@7.1.0/dist/ionicons/ionicons.esm.js": "import",
    f"{JSDELIVR}sweetalert2@11": "sweetalert2 v11",
    "https://cdn.datatables.net/1.13.6/js/jquery.dataTables.min.js": "DataTables 1.13",
    "https://cdn.datatables.net/2.0.8/css/dataTables.dataTables.min.css": "dt-",
    "https://code.jquery.com/ui/1.13.2/jquery-ui.min.js": "jQuery UI",
    "https://code.jquery.com/ui/1.12.1/themes/base/jquery-ui.css": "jQuery UI",
    "https://code.jquery.com/jquery-1.12.4.min.js": "jQuery v1.12",
    f"{JSDELIVR}slick-carousel@1.8.1/slick/slick.css": "slick",
    f"{CDNJS}materialize/1.0.0/css/materialize.min.css": "Materialize v1",
    f"{CDNJS}semantic-ui/2.5.0/semantic.min.css": "Semantic UI",
    "https://www.w3schools.com/w3css/4/w3.css": "W3.CSS 4",
    f"{JSDELIVR}@picocss/pico@1/css/pico.min.css": "Pico",
    f"{JSDELIVR}daisyui@4.12.10/dist/full.min.css": "btn",
    f"{JSDELIVR}tailwindcss@2.2.19/dist/tailwind.min.css": "tailwindcss v2",
    f"{UNPKG}boxicons@2.1.4/css/boxicons.min.css": "boxicons",
    f"{JSDELIVR}remixicon@3.5.0/fonts/remixicon.css": "remixicon",
    f"{CDNJS}three.js/r128/three.js": "REVISION = '147'",
    "https://cdn.jsdelivr.net/combine/npm/d3@7,npm/topojson-client@3": "topojson",
    "https://cdn.bootcdn.net/ajax/libs/echarts/5.4.0/echarts.min.js": "echarts",
    "https://cdn.jsdelivr.net/pyodide/v0.24.1/full/pyodide.js": "loadPyodide",
    "https://polyfill.io/v3/polyfill.min.js?features=es6": "",
    f"{UNPKG}petite-vue?module": "packages.localhost/petite-vue.js",
    f"{UNPKG}htm/preact/standalone.module.js": "export",
    "https://esm.sh/preact@10.24.0": "packages.localhost/preact.js",
    "https://esm.sh/preact@10/hooks?external=preact": "packages.localhost/preact-hooks.js",
    "https://esm.sh/stable/preact@10.24.0/es2022/preact.mjs": "packages.localhost/preact.js",
    "https://ga.jspm.io/npm:preact@10.19.2/hooks/dist/hooks.module.js": "packages.localhost/preact-hooks.js",
    "https://esm.sh/lit@3/directives/repeat.js": "packages.localhost/lit-directives-repeat.js",
    "https://esm.sh/vue@3.5.13/dist/vue.esm-browser.prod.js": "packages.localhost/vue.js",
    "https://esm.sh/simplex-noise@2.4.0": "packages.localhost/simplex-noise-2.js",
    "https://esm.sh/swiper@11/swiper-bundle.css": "Swiper 11",
    "https://esm.run/canvas-confetti": "packages.localhost/canvas-confetti.js",
    "https://esm.sh/tsx": "text/compiled",
    "https://esm.sh/three@0.160/examples/jsm/no/such.js": None,
    f"{JSDELIVR}left-pad@1.3.0/index.js": None,
    f"{JSDELIVR}jquery@3/../../../package.json": None,
    "https://unpkg.com/esbuild-not-there": None,
    "https://example.com/jquery.min.js": None,
    "ftp://unpkg.com/react": None,
    "https://unpkg.com/": None,
    "https://unpkg.com/%00": None,
    "https://unpkg.com/" + "a" * 3000: None,
    "https://[unpkg.com/react": None,
    "https://cdnjs.cloudflare.com/": None,
}


@pytest.mark.parametrize(("url", "text"), ANSWERED.items())
def test_address_is_answered_by_the_right_file(url, text):
    reply = cdn.answer(url)
    if text is None:
        assert reply is None
    else:
        assert reply is not None
        assert text in reply.body.decode()
        assert reply.type.startswith(("text/css", "text/javascript"))


def test_fonts_of_a_style_sheet_can_be_had():
    sheet = cdn.answer("https://fonts.googleapis.com/css2?family=Roboto").body.decode()
    address = sheet.partition("url(")[2].partition(")")[0]
    font = cdn.answer(address)
    assert font.type == "font/woff2"
    assert font.body.startswith(b"wOF2")


@pytest.mark.parametrize("name", [".@1/index.js", "@fontsource/.@1/400.css", "..@1/package.json"])
def test_folders_of_packages_are_no_packages(name):
    assert cdn.answer(UNPKG + name) is None
    assert cdn.answer(f"https://example.com/polyfill/{name}") is None


@pytest.mark.parametrize("name", ["react.js", "../package.json", "no.js"])
def test_bundled_modules_do_not_lead_out(name):
    reply = cdn.answer(npm_files.VENDOR + name)
    assert (reply is not None) is (name == "react.js")


@pytest.mark.parametrize(
    ("url", "package"),
    {
        f"{JSDELIVR}left-pad@1.3.0/index.js": "left-pad",
        f"{JSDELIVR}@scope/name/+esm": "@scope/name",
        "https://cdn.jsdelivr.net/gh/user/repository@1/a.js": "gh/user/repository",
        "https://unpkg.com/p5": "p5",
        f"{CDNJS}p5.js/1.9.0/p5.min.js": "p5",
        "https://ajax.googleapis.com/ajax/libs/prototype/1.7/prototype.js": "prototype",
        "https://esm.sh/v135/preact@10/hooks": "preact",
        "https://ga.jspm.io/npm:lit@3/index.js": "lit",
        "https://cdn.skypack.dev/%40scope/name": "@scope/name",
        "https://example.com/bootstrap/1.js": "",
        "https://unpkg.com/": "",
    }.items(),
)
def test_refused_address_names_its_package(url, package):
    (found,) = cdn.missing_resources(url, "script")
    assert (found.kind, found.package, found.address) == ("script", package, url)
    assert found.host == urlsplit(url).hostname


def test_families_that_a_style_sheet_lacks_are_named():
    url = "https://fonts.googleapis.com/css2?family=Roboto:wght@400&family=No+Such:ital@1&family=Nor+This"
    found = cdn.missing_resources(url, "style", refused=False)
    assert [(one.kind, one.package) for one in found] == [("font", "No Such"), ("font", "Nor This")]
    assert len(cdn.missing_resources(url, "style")) == 3


@pytest.mark.parametrize(
    "url",
    ["data:text/css,a", "blob:http://localhost/1", "about:blank", "http://[", "https:///a", ""],
)
def test_addresses_without_a_host_are_nothing_that_is_missing(url):
    assert cdn.missing_resources(url, "script") == []


GOOGLE = "https://fonts.googleapis.com/css2?family="


@pytest.mark.parametrize(
    ("query", "texts"),
    {
        "JetBrains+Mono:wght@400;700": ["font-family: 'JetBrains Mono'", "font-weight: 400 400;", "font-weight: 700 700;"],
        "Inter+Tight:ital,wght@0,100..900;1,400": ["font-weight: 100 900;", "font-style: italic"],
        "Fraunces:opsz,wght@9..144,100..900": ["fraunces-latin-opsz-normal.woff2"],
        "Noto+Sans+SC:wght@400;700": ["'Noto Sans SC'", "unicode-range"],
        "Source+Serif+Pro:wght@400": ["font-family: 'Source Serif Pro'"],
        "Bebas+Neue:wght@700": ["'Bebas Neue'"],
        "IBM+Plex+Serif:wght@300..500": ["300-normal.woff2", "500-normal.woff2"],
        "Material+Symbols+Outlined:opsz,wght,FILL,GRAD@20..48,100..700,0..1,-50..200": ["material-symbols-outlined"],
    }.items(),
)  # fmt: skip
def test_style_sheet_has_the_family_that_is_asked_for(query, texts):
    sheet = cdn.answer(GOOGLE + query).body.decode()
    for text in texts:
        assert text in sheet
    address = sheet.partition("url(")[2].partition(")")[0]
    assert cdn.answer(address).body.startswith(b"wOF2")


def test_other_servers_of_fonts_send_the_same():
    sheet = cdn.answer("https://fonts.bunny.net/css?family=work-sans:400,700i|anton").body.decode()
    assert "'Work Sans'" in sheet
    assert "'Anton'" in sheet
    assert "font-style: italic" in sheet


@pytest.mark.parametrize(
    "axes", ["wght@" + "1..9;" * 10_000, "x" * 10_000, "wght@,;,@:..", "@@", "ital@2"]
)
def test_axes_of_any_form_are_read(axes):
    assert web_fonts.asked_faces(axes)


def test_every_family_that_is_installed_has_a_style_sheet():
    families = [
        name.rpartition("/")[2].replace("-", "+")
        for name in npm_files.listed_packages()
        if name.startswith("@fontsource")
    ]
    assert len(families) > 150
    assert [name for name in families if cdn.answer(GOOGLE + name) is None] == []


def test_releases_of_a_package_are_those_of_the_list():
    assert npm_files.installed_folders("bootstrap", "2.3.2") == [
        "bootstrap-3",
        "bootstrap-4",
        "bootstrap",
    ]
    assert npm_files.installed_folders("font-awesome", "5")[0] == "@fortawesome/fontawesome-free"
    assert npm_files.installed_folders("left-pad", "9" * 5000) == ["left-pad"]
