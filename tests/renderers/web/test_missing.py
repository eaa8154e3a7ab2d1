"""What code asked for and did not get: told by its kind, host and package, once each, and within bounds."""

import json
import pickle

import pytest

from helm_structext.errors import (
    CTAN,
    HOW_TO_GET,
    MAX_ADDRESS,
    MAX_HOST,
    MAX_MISSING,
    MAX_PACKAGE,
    NPM,
    PYPI,
    TYPST,
    MissingResource,
    RenderError,
)
from helm_structext.protocols import PROTOCOLS
from helm_structext.renderers import render
from helm_structext.renderers.web.html import MAX_SCRIPTS
from helm_structext.sandbox import process as sandbox
from helm_structext.storage.cache import read_record, write_record

BOOTSTRAP = "https://cdn.jsdelivr.net/npm/bootstrap@5.3.0/dist/css/bootstrap.min.css"
STYLED = (
    f"<link rel=stylesheet href={BOOTSTRAP} integrity=sha384-other crossorigin=anonymous>"
    "<div class='bg-danger' style='position:fixed;inset:0'></div>"
)
DANGER = (0xDC, 0x35, 0x45)
"""Bootstrap's red."""
ASKING = (
    "<p>x<script src=https://cdn.jsdelivr.net/npm/left-pad@1.3.0/index.js></script>"
    "<link rel=stylesheet href='https://fonts.googleapis.com/css2?family=Roboto&family=No+Such'>"
    "<style>@font-face { font-family: f; src: url(https://fonts.gstatic.com/s/f.woff2) }"
    "p { font-family: f }</style><img src=https://example.com/a.png><img src=https://example.com/a.png>"
)
MISSING = [
    ("font", "fonts.googleapis.com", "No Such"),
    ("font", "fonts.gstatic.com", ""),
    ("picture", "example.com", ""),
    ("script", "cdn.jsdelivr.net", "left-pad"),
]


def code_of(page: str, format: str) -> str:
    return (
        json.dumps([{"filename": "index.html", "content": page}]) if format == "webpage" else page
    )


def places(found) -> list[tuple[str, str, str]]:
    return [(one.kind, one.host, one.package) for one in found.missing]


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("format", ["webpage", "html"])
def test_bootstrap_of_a_host_styles_a_page(format, protocol):
    found = render(format, code_of(STYLED, format), protocol=protocol)
    assert found.image.getpixel((500, 500)) == DANGER
    assert found.missing == ()


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("format", ["webpage", "html"])
def test_what_is_refused_is_missing_by_host_and_package(format, protocol):
    found = render(format, code_of(ASKING, format), protocol=protocol)
    assert places(found) == MISSING
    assert "https://example.com/a.png was refused: there is no network" in found.log
    assert "font No Such of fonts.googleapis.com (https://" in found.log


@pytest.mark.parametrize(
    ("format", "code"),
    {
        "svg": "<svg><image href='https://example.com/a.png' width='9' height='9'/></svg>",
        "markdown": "![a](https://example.com/a.png)",
        "vue": "<template><img src='https://example.com/a.png'></template>",
    }.items(),
)
def test_all_formats_of_the_browser_tell(format, code):
    assert places(render(format, code)) == [("picture", "example.com", "")]


NAMED = {
    "react": ("import a from 'no-such/react'; import '@b/c'; export default () => a", NPM, ["@b/c", "no-such"]),
    "vue": ("<template><p>a</p></template><script setup>import x from 'no-such'</script>", NPM, ["no-such"]),
    "typst": ('#import "@preview/a:0.3.4"\n#import "@preview/b:1.0.0"', TYPST, ["@preview/a:0.3.4", "@preview/b:1.0.0"]),
    "matplotlib": ("import no_such.plots", PYPI, ["no_such"]),
    "latex_document": (r"\documentclass{article}\usepackage{no-such}\begin{document}\nothing\end{document}", CTAN, ["no-such"]),
    "tikz": (r"\documentclass{no-such}\begin{document}\tikz\draw(0,0)--(1,1);\end{document}", CTAN, ["no-such"]),
}  # fmt: skip
"""Format → code that needs packages which are nowhere, where from, and which."""


def test_a_part_that_a_package_has_from_a_later_release_on_is_missing():
    with pytest.raises(RenderError) as caught:
        render(
            "angular",
            "import {Component} from '@angular/core'; import {form} from '@angular/forms/signals';"
            "@Component({selector: 'app-root', template: 'a'}) export class AppComponent {}",
        )
    assert caught.value.kind == "missing"
    assert places(caught.value) == [("package", NPM, "@angular/forms/signals")]


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("format", NAMED)
def test_code_that_needs_a_package_is_missing_it_and_the_error_says_which(format, protocol):
    code, host, packages = NAMED[format]
    with pytest.raises(RenderError) as caught:
        render(format, code, protocol=protocol)
    assert caught.value.kind == "missing"
    assert places(caught.value) == [("package", host, name) for name in packages]
    for name in packages[: 1 if format == "typst" else None]:
        assert f"the package {name} of {host} is not here: {HOW_TO_GET[host]}" in str(caught.value)
    assert pickle.loads(pickle.dumps(caught.value)).missing == caught.value.missing


OWN = {
    "react": "import a from 'no-such'; export default () => <p>",
    "react, a file": "import a from 'no-such'; import b from './b'; export default () => <p>x</p>",
    "vue": "<template><p>a</template><script setup>import x from 'no-such'</script>",
    "angular": "import a from 'no-such'; import {Component} from '@angular/core';\n"
    "@Component({selector: 'app-root', standalone: true, template: ''}) export class AppComponent { x = }",
    "typst": '#import "@preview/no-such:0.3.4"\n#let',
    "matplotlib": "import no_such\nx = (",
    "matplotlib, a part": "import numpy.no_such",
    "html": "<script src=https://unpkg.com/no-such></script><script>a(</script>",
    "html, both": "<script src=https://unpkg.com/no-such></script><script>A()</script><script>a(</script>",
    "html, null": "<script src=https://unpkg.com/no-such></script><script>document.querySelector('a').b()</script>",
    "html, visitors": "<script src=https://www.googletagmanager.com/gtag/js?id=1></script><script>a()</script>",
    "html, no file": "<script src=https://x></script><script>a()</script>",
    "svg": "<svg><image href='https://example.com/a.png'></svg>",
    "vega": '{"data": {"url": "https://example.com/a.csv"}, "mark": "bars"}',
    "vega, JSON": '{"data": {"url": "https://example.com/a.csv"}, "mark": "bar"',
    "latex": r"\begin{no-such}x\end{no-such}",
}
"""Format → code with a mistake of its own, beside something that is not here."""


@pytest.mark.parametrize("name", OWN)
def test_a_mistake_stays_one_whatever_is_missing(name):
    with pytest.raises(RenderError) as caught:
        render(name.partition(",")[0], OWN[name], protocol="corrected")
    assert caught.value.kind == "syntax"


ESM = "https://esm.sh/no-such@10"
BLANK = {
    "html": f'<script type=module>import a from "{ESM}"; document.body.textContent = "x"</script>',
    "canvas": "<script src=https://unpkg.com/no-such/p5.js></script><script>function setup() { createCanvas(9, 9) }</script>",
    "webpage": json.dumps(
        [{"filename": "index.html", "content": "<script type=module src=a.js></script>"},
         {"filename": "a.js", "content": f"import a from '{ESM}'; document.body.textContent = a"}]
    ),
    "vega": '{"data": {"url": "data/no-such.json"}, "mark": "geoshape"}',
    "markdown": "![](https://example.com/a.png)",
}  # fmt: skip
"""Format → code that draws nothing without what is not here, and does not say so."""


@pytest.mark.parametrize("format", BLANK)
def test_a_page_that_is_blank_for_it_is_missing_it_and_a_picture_as_published(format, tmp_path):
    for _ in range(2):  # drawn, and from the cache
        found = render(format, BLANK[format], protocol="published", cache=tmp_path)
        assert len(found.image.getcolors()) == 1
        assert found.cause == found.missing != ()
        with pytest.raises(
            RenderError, match=r"is not here.*(nothing to see|Loading failed)"
        ) as caught:
            render(format, BLANK[format], protocol="corrected", cache=tmp_path)
        assert (caught.value.kind, caught.value.missing) == ("missing", found.missing)


NO_EXCUSE = {
    "a bogus script": "<body><div id=app></div><script src=https://unpkg.com/no-such></script></body>",
    "visitors": "<script src=https://www.google-analytics.com/analytics.js></script><p style='height:9px'>",
    "a font": "<link rel=stylesheet href='https://fonts.googleapis.com/css2?family=No+Such'><p style='height:9px'>",
    "a style": "<link rel=stylesheet href=https://unpkg.com/no-such/a.css><p style='height:9px'>",
    "an icon": "<link rel=icon href=https://example.com/favicon.ico><p style='height:9px'>",
}


@pytest.mark.parametrize("page", NO_EXCUSE.values(), ids=NO_EXCUSE)
def test_a_blank_page_is_not_excused_by_what_would_show_nothing(page):
    found = render("html", page, protocol="corrected")
    assert (len(found.image.getcolors()), found.cause) == (1, ())


FAILING = {
    "<script src=https://cdn.example/chart.js></script><script>new Charts()</script>": "Charts is not defined",
    f"<script>import('{ESM}')</script>": "Failed to fetch dynamically imported module",
    "<script>fetch('https://a.example/b.json').then(r => r.json())</script>": "Failed to fetch",
    "<script src=https://unpkg.com/no-such></script><script>self.Charts.draw()</script>": "reading 'draw'",
}


@pytest.mark.parametrize("code", FAILING)
def test_page_that_fails_for_what_is_refused_says_so(code):
    for protocol in PROTOCOLS:
        with pytest.raises(RenderError, match=FAILING[code]) as caught:
            render("html", code, protocol=protocol)
        assert caught.value.kind == "missing"
        assert "nothing here reaches" in caught.value.message


def test_what_is_drawn_without_it_is_a_picture():
    page = "<p>x<script src=https://unpkg.com/no-such></script><script>charts()</script>"
    chart = (
        '{"data": {"url": "data/no-such.csv"}, "mark": "bar", "encoding": {"x": {"field": "a"}}}'
    )
    score = '\\version "2.24.0" \\include "no-such.ily" { c }'
    for format, code in (("html", page), ("vega", chart), ("lilypond", score)):
        found = render(format, code, protocol="corrected")
        assert (len(found.missing), found.cause) == (1, ())


def test_include_of_a_score_that_is_nowhere():
    with pytest.raises(RenderError, match="cannot find file") as caught:
        render(
            "lilypond", '\\version "2.24.0" \\include "no-such.ily" \\parts', protocol="corrected"
        )
    assert (caught.value.kind, places(caught.value)) == ("missing", [("data", "", "no-such.ily")])


def test_time_out_says_what_was_missing():
    page = "<script src=https://unpkg.com/no-such></script><script>while (1);</script>"
    with pytest.raises(RenderError) as caught:
        render("html", page, timeout=8)
    assert (caught.value.kind, places(caught.value)) == (
        "timeout",
        [("script", "unpkg.com", "no-such")],
    )


def test_a_path_of_the_site_is_never_a_file_of_ours():
    page = (
        "<script type=module>const found = await Promise.all("
        "['vendor/react.js', 'react.js', 'packages.localhost/react.js', 'node_modules/d3/package.json']"
        ".map(path => fetch('/' + path))); document.body.append(found.map(one => one.status).join())"
        "</script>"
    )
    for format in ("webpage", "html"):
        found = render(format, code_of(page, format))
        assert (found.text, found.missing) == ("404,404,404,404", ())


def test_what_has_no_host_is_not_counted():
    page = (
        "<p>x<img src=data:image/png;base64,AAAA><img src=a.png><iframe src=about:blank></iframe><script>"
        "for (const url of ['blob:http://localhost/1', 'data:,a', 'file:///etc/passwd', 'javascript:1', 'x:y'])"
        "fetch(url).catch(() => 0); new Image().src = URL.createObjectURL(new Blob(['a']))</script>"
    )
    assert render("html", page).missing == ()


HOSTILE = {
    "many": "for (let i = 0; i < 10000; i++) new Image().src = `https://a${i}.example/`",
    "long": "for (const c of 'ab') new Image().src = 'https://a.example/' + c + 'a'.repeat(1e6)",
    "long host": "new Image().src = 'https://' + 'a.'.repeat(500000) + 'example/'",
    "odd": r"for (const c of ['\u001b[2J', '\u202e', '\ud800', '\0', '%1b', '<b>'])"
    r" for (const host of ['https://unpkg.com/', 'https://a.example/', 'https://fonts.googleapis.com/css?family='])"
    r" { const a = document.createElement('link'); a.rel = 'stylesheet'; a.href = host + c;"
    r" document.head.append(a) }",
}


@pytest.mark.parametrize("script", HOSTILE.values(), ids=HOSTILE)
def test_hostile_addresses_stay_within_bounds(script):
    found = render("html", f"<p>x<script>{script}</script>")
    assert len(found.missing) <= MAX_MISSING
    assert list(found.missing) == sorted(set(found.missing))
    for one in found.missing:
        assert str(one).isprintable()
        assert len(str(one)) < MAX_HOST + MAX_PACKAGE + MAX_ADDRESS + 50


def test_ten_thousand_hosts_are_a_hundred():
    assert len(render("html", f"<p>x<script>{HOSTILE['many']}</script>").missing) == MAX_MISSING


def test_texts_of_code_are_cleaned_and_bounded():
    odd = "\x1b[2J\u202e\ud800\n" * 100_000
    one = MissingResource("script", odd, odd, odd)
    assert str(one).isprintable()
    assert len(str(one)) < MAX_HOST + MAX_PACKAGE + MAX_ADDRESS + 50
    assert MissingResource(one.kind, one.host, one.package, one.address) == one


def test_cache_keeps_what_is_missing_beside_pictures_and_errors(tmp_path, monkeypatch):
    failing = "<script src=https://a.example/b.js></script><script>throw 1</script>"
    first = render("html", ASKING, cache=tmp_path)
    with pytest.raises(RenderError) as error:
        render("html", failing, cache=tmp_path)
    monkeypatch.setattr(sandbox.subprocess, "Popen", None)
    assert render("html", ASKING, cache=tmp_path).missing == first.missing
    with pytest.raises(RenderError) as again:
        render("html", failing, cache=tmp_path)
    assert places(again.value) == places(error.value) == [("script", "a.example", "")]


def test_picture_kept_without_it_is_drawn_anew(tmp_path):
    first = render("html", ASKING, cache=tmp_path)
    place = first.path.with_suffix(".json")
    write_record(place, {k: v for k, v in read_record(place).items() if k != "missing"})
    assert places(render("html", ASKING, cache=tmp_path)) == MISSING


def test_babel_script_of_a_webpage_runs_and_a_wrong_one_is_no_failure_as_published():
    page = (
        "<p id=p>x<script src=https://unpkg.com/@babel/standalone/babel.min.js></script>"
        "<script type=text/babel>p.textContent = (<b/>, {})</script>"
    )
    react = "<script src=https://unpkg.com/react@18/umd/react.development.js></script>"
    assert render("webpage", code_of(react + page.format("'yes'"), "webpage")).text == "yes"
    assert render("webpage", code_of(page.format("("), "webpage")).text == "x"
    many = page.format("'no'") + (MAX_SCRIPTS + 1) * "<script type=text/babel></script>"
    assert render("webpage", code_of(many, "webpage")).text == "x"
    with pytest.raises(RenderError, match=r"index\.html"):
        render("webpage", code_of(page.format("("), "webpage"), protocol="corrected")
