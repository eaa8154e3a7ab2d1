"""The formats in which models answer: one row for each, of all benchmarks.

A new format is one file, its engine or its parser, and one row here. A row names the file's function
as an entry point does (``module:name``), so that this table loads none of them.
"""

import pkgutil
from dataclasses import dataclass
from typing import Any, Literal

ExtractionRule = Literal["tagged", "fenced", "raw"]


@dataclass(frozen=True)
class Format:
    """What is to be known of a format.

    Args:
        name: for people.
        fences: the languages that a code fence around an answer may name, the usual one first.
        blank: code of an empty answer: a blank page, or an empty structure.
        files: how the names of files of its code end, the usual ending first; of formats that are rendered.
        engine: of a format that is rendered, where its `helm_structext.renderers.engine.Engine` is.
        parser: of a format of text, where its function from text to structure is.
        parser_corrected: where another one is, by which the protocol ``corrected`` reads the text.
        extraction: a key of `helm_structext.extraction.RULES`: how code is found in a completion.
        own_fences: whether code of the format may hold code fences, as a document in Markdown does;
            ``between tags``: only where tags stand around it, for else it is no document.
        companions: languages of code fences for other files of an answer, where it may have several.
        normalizer: where the function is by which ``corrected`` writes codes alike that draw the same,
            before it compares them.
        structeval: what StructEval calls the format, or None where it has no such format.
    """

    name: str
    fences: tuple[str, ...]
    blank: str
    files: tuple[str, ...] = ()
    engine: str = ""
    parser: str = ""
    parser_corrected: str = ""
    extraction: ExtractionRule = "tagged"
    own_fences: Literal["never", "between tags", "always"] = "never"
    companions: tuple[str, ...] = ()
    normalizer: str = ""
    structeval: str | None = None

    def __post_init__(self) -> None:
        if bool(self.engine) == bool(self.parser):
            raise ValueError(f"{self.name} needs either an engine or a parser")

    @property
    def rendered(self) -> bool:
        """Whether an answer becomes a picture."""
        return bool(self.engine)

    def parser_of(self, protocol: str) -> str:
        """Where the parser is by which a protocol reads a format of text."""
        return (protocol == "corrected" and self.parser_corrected) or self.parser


ENGINES = "helm_structext.renderers"
PARSERS = "helm_structext.metrics.structures"
CORRECTED_PARSERS = "helm_structext.metrics.corrected_structures"

TEX = "helm_structext.metrics.tex:normalize_tex"

FORMATS = {
    # Image2Struct
    "latex": Format(
        name="LaTeX",
        fences=("latex", "tex"),
        blank=r"\mbox{}",
        files=(".tex",),
        engine=f"{ENGINES}.latex:ENGINE",
        extraction="fenced",
        normalizer=TEX,
    ),
    "webpage": Format(
        name="Webpage",
        fences=("json",),
        blank='[{"filename": "index.html", "content": "<!DOCTYPE html>"}]',
        files=(".json",),
        engine=f"{ENGINES}.web.webpage:ENGINE",
        extraction="fenced",
    ),
    "lilypond": Format(
        name="LilyPond",
        fences=("lilypond", "ly"),
        blank=r'\version "2.24.0" \header { tagline = ##f } \markup \null',
        files=(".ly",),
        engine=f"{ENGINES}.lilypond:ENGINE",
        extraction="raw",
    ),
    # StructEval-V
    "angular": Format(
        name="Angular",
        fences=("angular", "typescript", "ts"),
        blank="import { Component } from '@angular/core';\n"
        "@Component({ selector: 'app-root', standalone: true, template: '' })\n"
        "export class AppComponent {}",
        files=(".ts",),
        engine=f"{ENGINES}.web.frameworks:ANGULAR",
        companions=("html", "css", "scss", "sass"),
        structeval="angular",
    ),
    "canvas": Format(
        name="Canvas",
        fences=("canvas", "html", "javascript", "js"),
        blank="<!DOCTYPE html>\n<canvas></canvas>\n"
        "<script>document.querySelector('canvas').getContext('2d')</script>",
        files=(".html", ".htm"),
        engine=f"{ENGINES}.web.html:CANVAS",
        structeval="canvas",
    ),
    "html": Format(
        name="HTML",
        fences=("html", "xhtml", "htm"),
        blank="<!DOCTYPE html>\n<p>&nbsp;</p>",
        files=(".html", ".htm", ".xhtml"),
        engine=f"{ENGINES}.web.html:HTML",
        structeval="html",
    ),
    "latex_document": Format(
        name="LaTeX",
        fences=("latex", "tex"),
        blank=r"\mbox{}",
        files=(".tex",),
        engine=f"{ENGINES}.latex_document:LATEX_DOCUMENT",
        normalizer=TEX,
        structeval="latex",
    ),
    "markdown": Format(
        name="Markdown",
        fences=("markdown", "md"),
        blank="<!-- -->",
        files=(".md", ".markdown"),
        engine=f"{ENGINES}.web.markdown:ENGINE",
        own_fences="always",
        structeval="markdown",
    ),
    "matplotlib": Format(
        name="Matplotlib",
        fences=("matplotlib", "python", "python3", "py"),
        blank="import matplotlib.pyplot as plt\nplt.figure()\nplt.show()",
        files=(".py",),
        engine=f"{ENGINES}.matplotlib:ENGINE",
        structeval="matplotlib",
    ),
    "mermaid": Format(
        name="Mermaid",
        fences=("mermaid",),
        blank="graph TD",
        files=(".mmd", ".mermaid"),
        engine=f"{ENGINES}.web.mermaid:ENGINE",
        structeval="mermaid",
    ),
    "react": Format(
        name="React",
        fences=("react", "jsx", "tsx", "javascript", "typescript", "js", "ts"),
        blank="export default function App() { return null; }",
        files=(".jsx", ".tsx", ".js"),
        engine=f"{ENGINES}.web.frameworks:REACT",
        companions=("css", "scss", "sass"),
        structeval="react",
    ),
    "svg": Format(
        name="SVG",
        fences=("svg", "xml", "html"),
        blank='<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16"/>',
        files=(".svg",),
        engine=f"{ENGINES}.web.svg:ENGINE",
        structeval="svg",
    ),
    "tikz": Format(
        name="TikZ",
        fences=("tikz", "latex", "tex"),
        blank=r"\begin{tikzpicture}\path (0, 0) rectangle (1, 1);\end{tikzpicture}",
        files=(".tikz", ".tex"),
        engine=f"{ENGINES}.latex_document:TIKZ",
        normalizer=TEX,
        structeval="tikz",
    ),
    "typst": Format(
        name="Typst",
        fences=("typst", "typ"),
        blank="#v(1em)",
        files=(".typ",),
        engine=f"{ENGINES}.typst:ENGINE",
        own_fences="between tags",
        structeval="typst",
    ),
    "vega": Format(
        name="Vega",
        fences=("vega", "vegalite", "vega-lite", "json"),
        blank='{"$schema": "https://vega.github.io/schema/vega-lite/v5.json", '
        '"data": {"values": []}, "mark": "point"}',
        files=(".json", ".vl", ".vg"),
        engine=f"{ENGINES}.web.vega:ENGINE",
        structeval="vega",
    ),
    "vue": Format(
        name="Vue",
        fences=("vue", "html"),
        blank="<template><div></div></template>",
        files=(".vue",),
        engine=f"{ENGINES}.web.frameworks:VUE",
        companions=("css", "scss", "sass", "javascript", "js", "typescript", "ts"),
        structeval="vue",
    ),
    # StructEval-T
    "json": Format(
        name="JSON",
        fences=("json",),
        blank="{}",
        parser="json:loads",
        parser_corrected=f"{CORRECTED_PARSERS}:parse_json",
        structeval="json",
    ),
    "csv": Format(
        name="CSV",
        fences=("csv",),
        blank="",
        parser=f"{PARSERS}:parse_csv",
        structeval="csv",
    ),
    "toml": Format(
        name="TOML",
        fences=("toml",),
        blank="",
        parser=f"{PARSERS}:parse_toml",
        parser_corrected=f"{CORRECTED_PARSERS}:parse_toml",
        structeval="toml",
    ),
    "xml": Format(
        name="XML",
        fences=("xml",),
        blank="<empty/>",
        parser=f"{PARSERS}:parse_xml",
        parser_corrected=f"{CORRECTED_PARSERS}:parse_xml",
        structeval="xml",
    ),
    "yaml": Format(
        name="YAML",
        fences=("yaml", "yml"),
        blank="{}",
        parser=f"{PARSERS}:parse_yaml",
        parser_corrected=f"{CORRECTED_PARSERS}:parse_yaml",
        structeval="yaml",
    ),
}
"""Format to its row. Pictures come first, benchmark by benchmark; formats of text come last."""


def rendered_formats() -> list[str]:
    """Returns the formats whose answers become pictures.

    >>> rendered_formats()[:4]
    ['latex', 'webpage', 'lilypond', 'angular']
    """
    return [name for name, format in FORMATS.items() if format.rendered]


def text_formats() -> list[str]:
    """Returns the formats whose answers are parsed, and have no picture.

    >>> text_formats()
    ['json', 'csv', 'toml', 'xml', 'yaml']
    """
    return [name for name, format in FORMATS.items() if not format.rendered]


def check_format(format: str, expected: list[str] | None = None) -> Format:
    """Returns a format's row.

    Args:
        format: its key.
        expected: the formats that will do; by default all.

    Raises:
        ValueError: it is none of them.

    >>> check_format("latx", ["latex", "tikz"])
    Traceback (most recent call last):
    ValueError: format is 'latx'; expected one of latex, tikz
    """
    names = list(FORMATS) if expected is None else expected
    if format not in names:
        raise ValueError(f"format is {format!r}; expected one of {', '.join(names)}")
    return FORMATS[format]


def load(entry_point: str) -> Any:
    """Returns the engine or the parser that a row names.

    >>> load("json:loads")("[1]")
    [1]
    """
    return pkgutil.resolve_name(entry_point)
