"""What code asks for: found by reading it, and looked up in the renderers' own tables."""

import pytest

from helm_structext.formats import rendered_formats
from helm_structext.renderers import RenderError, needs, render
from helm_structext.renderers.needs import BESIDE, MAX_NEEDS, READERS, Need, find_needs
from helm_structext.renderers.typst_packages import TypstPackage

ESM = "https://esm.sh"


def asked(format: str, text: str) -> dict[str, bool]:
    """Names of what a text asks for → whether it is here."""
    return {need.name: need.here for need in find_needs(format, text)}


def test_every_rendered_format_is_read():
    assert {*READERS} == {*rendered_formats()}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('<script src="https://cdn.jsdelivr.net/npm/chart.js@4"></script>', {"chart.js": True}),
        ("<SCRIPT async SRC=//unpkg.com/left-pad@1.3.0></SCRIPT>", {"left-pad": False}),
        ('<link rel=stylesheet href="https://unpkg.com/left-pad/a.css">', {"left-pad": False}),
        ('<link rel="preconnect" href="https://unpkg.com/left-pad">', {}),
        ('<link rel="icon" href="https://unpkg.com/left-pad/a.ico">', {}),
        ('<a href="https://unpkg.com/left-pad">a</a>', {}),
        ("<img alt='' src='https://example.com/a.png'>", {"example.com": False}),
        ('<svg><image xlink:href="https://example.com/a.png"/></svg>', {"example.com": False}),
        ("<style>@import url('https://unpkg.com/left-pad/a.css')</style>", {"left-pad": False}),
        ("<p style='background: url(https://example.com/a.png)'>", {"example.com": False}),
        ("<script>fetch('https://example.com/a.json')</script>", {"example.com": False}),
        (f"<script type=module>import a from '{ESM}/left-pad@1'</script>", {"left-pad": False}),
        (f"<script>import('{ESM}/react').then(show)</script>", {"react": True}),
        (f'<script type=module>export * from "{ESM}/react"</script>', {"react": True}),
        ("<!-- <script src='https://unpkg.com/left-pad'></script> --><p>", {}),
        ("<!-- a --><img src='https://example.com/a'><!-- b", {"example.com": False}),
        ("<img src='data:image/png;base64,AA=='><img src=http://[><img src='#a'>", {}),
        ("<script src=a.js></script><link rel=stylesheet href='/css/a.css?v=1'>", {BESIDE: False}),
        ("<script type=module>import './a.js'</script>", {BESIDE: False}),
        ("<script>const a = `<img src=\"${b}\"><img src='{{ c }}'>`</script>", {}),
    ],
)
def test_pages_name_addresses(text, expected):
    assert asked("html", text) == expected


def test_a_style_sheet_of_fonts_has_a_name_for_each_family():
    text = '<link rel=stylesheet href="https://fonts.googleapis.com/css2?family=Inter:wght@400&amp;family=Absent+Sans">'
    assert asked("html", text) == {"Inter": True, "Absent Sans": False}


def test_an_import_map_leads_to_what_modules_import():
    text = """<script type="importmap">{"imports": {
      "three": "https://unpkg.com/three@0.160.0/build/three.module.js",
      "addons/": "https://unpkg.com/left-pad/", "unused/": "https://unpkg.com/unused/"}}</script>
      <script type="module">
        import * as THREE from 'three'
        import {
          a } from "addons/a.js"
      </script>"""
    assert asked("html", text) == {"three": True, "left-pad": False}
    assert asked("html", '<script type="importmap">{"imports": [1]}</script>') == {}
    assert asked("html", f'<script type="importmap">{"[" * 100_000}</script>') == {}


@pytest.mark.parametrize("format", ["react", "vue", "angular"])
def test_components_name_packages_and_files_of_their_own(format):
    text = """import React, {useState} from 'react'
    import './a.css'
    import type {Absent} from 'types-alone'
    import {
      a,
      b,
    } from "absent-one/inner"
    const Lazy = lazy(() => import('absent-two'))
    // He comes from 'Paris'
    export {c} from '@scope/absent';"""
    expected = {"absent-one", "absent-two", "@scope/absent"}
    found = asked(format, text)
    assert found == {"react": True, BESIDE: False, **dict.fromkeys(expected, False)}


def test_a_file_that_the_answer_has_is_not_beside_it():
    text = "// App.jsx\nimport Card from './Card.jsx'\n// Card.jsx\nexport default () => <p>a</p>"
    assert asked("react", text) == {}


def test_a_member_of_a_package_is_here_and_an_entry_point_that_is_not_bundled_is_not():
    text = "import debounce from 'lodash/debounce'\nimport {form} from '@angular/forms/absent'"
    assert asked("react", text) == {"lodash": True, "@angular/forms": False}


def test_tex_names_packages_classes_and_libraries():
    text = r"""\documentclass[a4paper]{article}
    \usepackage[T1]{fontenc, absentone}\usetikzlibrary{positioning,
      absentlibrary} % \usepackage{commented}
    20\% \RequirePackage{absenttwo} \includegraphics[width=1cm]{a.png} \usepackage{#1}"""
    absent = ("absentone", "absentlibrary", "absenttwo", BESIDE)
    here = ("article", "fontenc", "positioning")
    assert asked("latex_document", text) == {
        **dict.fromkeys(here, True),
        **dict.fromkeys(absent, False),
    }


def test_a_package_of_typst_is_here_if_one_that_takes_its_place_is(monkeypatch):
    there = {TypstPackage("absent", "0.3.4"): "hash"}
    monkeypatch.setattr(needs, "installed_packages", lambda: there)
    for version, here in {"0.3.1": True, "0.3.4": True, "0.4.0": False, "0.3": False}.items():
        text = f'#import "@preview/absent:{version}": a'
        assert asked("typst", text) == {"preview/absent": here}


def test_other_formats_name_packages_data_and_icons():
    assert find_needs("typst", '#import "@preview/absent:1.2.3": a\n#image("a.png")') == [
        Need(BESIDE, "file", "", False),
        Need("preview/absent", "package", "1.2.3", False),
    ]
    assert asked("latex_document", r"\setmainfont{Arial}\setsansfont{Absent Sans}") == {
        "Arial": True,
        "Absent Sans": False,
    }
    code = (
        "import os, absent\nimport numpy as np\nfrom matplotlib import pyplot\nimport absent.inner"
    )
    found = asked("matplotlib", code)
    assert (found["numpy"], found["matplotlib"]) == (True, True)
    assert asked("matplotlib", "import absentone\nfrom mpl_toolkits import mplot3d") == {
        "absentone": False,
        "mpl_toolkits": True,
    }
    assert asked("vega", '{"data": {"url": "https://example.com/a.csv"}}') == {"example.com": False}
    assert {*asked("vega", '{"data": {"url": "data/cars.json"}}')} == {"vega-datasets"}
    assert asked("lilypond", '\\include "english.ly"\n% \\include "absent.ly"\n{c}') == {
        "english.ly": True
    }
    assert asked("lilypond", '\\include "../parts/a.ly"') == {BESIDE: False}
    assert asked("mermaid", "zenuml\n  A.b()") == {"zenuml": True}
    assert asked("mermaid", "flowchart-elk TD\n  A[fa:fa-car] --> B") == {
        "Font Awesome": True,
        "elk": True,
    }
    code = "architecture-beta\n  service a(logos:aws)[A]\n  service b(absent:aws)[B]"
    assert asked("mermaid", code) == {"absent": False, "logos": True}
    assert asked(
        "markdown", "![a](https://example.com/a.png) [b](https://example.org) ![c](c.png)"
    ) == {BESIDE: False, "example.com": False}


@pytest.mark.parametrize(
    ("format", "text"),
    [
        ("html", '<link rel=stylesheet href="https://unpkg.com/left-pad/a.css"><p>a'),
        ("html", '<script type=module>import "https://esm.sh/left-pad"</script><p>a'),
        ("html", '<link rel=stylesheet href="https://cdn.jsdelivr.net/npm/bulma@1/css/bulma.min.css"><p>a'),
        ("svg", '<svg viewBox="0 0 9 9"><image href="https://example.com/a.png"/><path d="M0 0h9v9"/></svg>'),
        ("react", "import a from 'left-pad'\nexport default () => <p>{a}</p>"),
        ("react", "import {Trash} from 'lucide-react'\nexport default () => <Trash/>"),
    ],
)  # fmt: skip
def test_what_is_read_is_what_rendering_tells(format, text):
    lacking = {need.name for need in find_needs(format, text) if not need.here}
    try:
        told = render(format, text, protocol="corrected").missing
    except RenderError as error:
        told = error.missing
    assert lacking == {one.package or one.host for one in told}


def test_a_text_has_bounded_needs_of_bounded_length():
    text = "".join(
        f"import a{number} from 'absent-{number}-{'x' * 500}'\n" for number in range(2000)
    )
    found = find_needs("react", text)
    assert len(found) == MAX_NEEDS
    assert max(len(need.name) for need in found) < 200
    (need,) = find_needs("typst", '#import "@preview/a:1.0\x1b[2J"') or [Need("", "", "", False)]
    assert "\x1b" not in need.name + need.version
