"""How the work of what reads foreign text grows with its length.

Each entry is a function of a text that a model, or what it made, may have written. It is given each
of the tokens over and over, from 1 kB to 1 MB. Four times the text may take `MOST` times as long.
"""

import contextlib
import csv
import json
import time
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, NamedTuple
from unittest.mock import patch
from xml.etree import ElementTree

from helm_structext.cli import typst_setup
from helm_structext.errors import MissingResource, RenderError
from helm_structext.extraction import prose, reasoning, tags
from helm_structext.extraction import rules as extraction
from helm_structext.formats import FORMATS, text_formats
from helm_structext.image2struct import ocr as image2struct_ocr
from helm_structext.image2struct.collect import arxiv, macros
from helm_structext.image2struct.collect import latex as collect_latex
from helm_structext.image2struct.collect.records import CandidateRefused, Download
from helm_structext.metrics import edit_similarity, levenshtein_similarity, pnls, pnls_published
from helm_structext.metrics.structures import (
    count_lost_paths,
    keyword_score,
    parse_structure,
    path_exists,
    path_score,
    syntax_score,
)
from helm_structext.metrics.tex import normalize_tex
from helm_structext.mmr import replies
from helm_structext.mmr.report import says_all
from helm_structext.mmr.tasks import ParsedReply
from helm_structext.protocols import PROTOCOLS
from helm_structext.renderers import (
    latex,
    latex_document,
    lilypond,
    needs,
    python,
    tex_log,
    tex_needs,
    tex_text,
    typst,
    typst_packages,
)
from helm_structext.renderers.edits import Traced
from helm_structext.renderers.engine import add_place, find_packages, tidy_text
from helm_structext.renderers.outcome import Drawing
from helm_structext.renderers.web import (
    angular_errors,
    causes,
    cdn,
    empty,
    frameworks,
    html,
    javascript,
    mermaid,
    mermaid_errors,
    npm_files,
    page,
    placeholders,
    snapshot,
    svg,
    vega_errors,
    web_fonts,
    webpage,
)
from helm_structext.report.panels import clip
from helm_structext.results import spreadsheets, tabular
from helm_structext.results.runs import is_refusal
from helm_structext.rewards import carried, guards
from helm_structext.rewards.guards import OF_COMPLETIONS
from helm_structext.sandbox import Limits
from helm_structext.storage import file_names
from helm_structext.structeval import drafts, evaluations, judge, verdicts
from helm_structext.structeval import ocr as structeval_ocr
from helm_structext.texts import shorten_text
from support.drafts import candidate, tools

Entry = Callable[[str], Any]

WORDS = "the quick brown fox "
ANGULAR = "Errors during JIT compilation of template for A: "
ASKED = {"question": "What is it?", "answer": "a quick brown fox"}
MERMAID = "Error: Parse error on line 300:\na\n-^\nExpecting"
LIQUID = "Liquid syntax error (line 9): no tag in a"
TEX_LOG = "./job.tex:1: Undefined control sequence.\nl.1 a quick \\brown\n                 fox"
RUNAWAY = "Runaway argument?\n{a quick brown fox\n! File ended while scanning use of \\textbf .\n"
TREE: Any = {"a": [{"b": 1}]}


def table(text: str) -> tabular.Table:
    """A table with a text in each of its places."""
    return tabular.Table("name", text, text, [tabular.Column(text)], [[text], [text]])


def extractions() -> Iterator[tuple[str, Entry]]:
    """A format for each way of extraction, in both protocols."""
    ways = {
        (row.extraction, row.own_fences, row.rendered, row.fences[0] == "xml"): format
        for format, row in FORMATS.items()
    }
    for format in ways.values():
        for protocol in PROTOCOLS:
            yield (
                f"extract {format} {protocol}",
                lambda text, format=format, protocol=protocol: extraction.extract(
                    text, format, protocol
                ),
            )


def parsers() -> Iterator[tuple[str, Entry]]:
    """Every format of text, as it is and within its own brackets or quotes."""
    inside = {
        "json": ("{}", "[{}]", '"{}"'),
        "csv": ("{}", "a,b\n{}", '"{}"'),
        "toml": ("{}", "a = [{}]", 'a = "{}"', 'a = """{}"""', "[{}]"),
        "xml": ("{}", "<a>{}</a>", "<a b='{}'/>", "<!--{}-->", "<!DOCTYPE a [{}]><a/>"),
        "yaml": ("{}", "[{}]", "a: {}", '"{}"', "a: |\n  {}", "? {}"),
    }
    for format, protocol in product(text_formats(), PROTOCOLS):
        for place in inside[format]:
            if protocol == "published" or FORMATS[format].parser_corrected:
                yield (
                    f"parse {format} {place!r} {protocol}",
                    lambda text, format=format, place=place, protocol=protocol: parse_structure(
                        place.replace("{}", text[: 1_000_000 - 40]),
                        format,
                        strict=False,
                        protocol=protocol,
                    ),
                )


def laid_out(text: str) -> Any:
    """What LaTeX's steps make of a fragment, and of a document."""
    for protocol, steps in latex.STEPS.items():
        document = latex.complete(text, steps)
        latex.content(text, steps)
        latex.repair_document(document, text, steps)
        document.origin(len(document.text) // 2)
        latex_document.complete_document(text, protocol)


def needed(text: str) -> Any:
    """What code in TeX needs, of every kind, and what its log tells."""
    log = f"Unicode character {text} (U+4F60)\nUndefined color\nUnknown arrow tip kind\n{text}"
    tex_needs.UNICODE.search(text)
    tex_needs.write_needs(f"你Ж{text}", log)
    tex_log.find_missing(f'{log}\nMissing character: There is no {text}\nLeft out: font "{text}')
    tex_log.find_errors(f"./job.tex:2: {text}\n! {text}", Traced(text), text)
    latex.explain_removal(text)


def prepared(text: str) -> Any:
    """A page as it is served; its scripts are not compiled."""
    with patch.object(html, "compile_answer", lambda kind, files, limits: Files(dict(files))):
        return html.prepare_document(text, Limits())


def canvas(text: str) -> Any:
    """What becomes of a script for a canvas; nobody draws it."""
    drawn = Drawing(None, "", "", "")
    with (
        patch.object(html, "draw_with_packages", return_value=drawn),
        patch.object(html, "draw_page", return_value=drawn),
    ):
        return html.draw_canvas(text, {}, "published", Limits())


def read_needs(text: str) -> Any:
    """What each family of formats asks for, and a text where names stand."""
    for format in needs.READERS:
        for place in (
            "{}",
            "import '{}'",
            '<link rel=stylesheet {}><img src="https://a.b/{}">',
            r"\usepackage{{}}",
        ):
            needs.find_needs(format, place.replace("{}", text))


def framework(text: str) -> Any:
    """What Vue and React are asked about their code."""
    frameworks.is_vue_page(f"<div>{text}")
    frameworks.add_vue(text)
    frameworks.uses_tailwind(text)
    frameworks.uses_tailwind(text.replace(" ", "' 'p-4 ."))
    frameworks.add_vue(f"<script {text}>")
    frameworks.is_piece(text)
    frameworks.uses_tailwind(text)
    frameworks.uses_tailwind(f"'{text}'")
    frameworks.tailwind(text, text)
    frameworks.react_files(text)
    frameworks.vue_files(text)
    frameworks.angular_files(text)


def urls(text: str) -> Any:
    """A path at each host that has packages."""
    for host in cdn.HOSTS:
        cdn.answer(f"https://{host}/{text}")
        cdn.missing_resources(f"https://{host}/{text}", "script")


def missing_packages(text: str) -> Any:
    """What is read of engines that say which packages they lack."""
    tex_log.find_missing(f"LaTeX Error: File `{text}.sty' not found")
    tex_log.find_cause("Undefined control sequence", f"Left out: File `{text}.sty' not found")
    tex_log.find_missing(f"! Font {text}={text} not loadable: Metric")
    tex_log.find_missing(f'Left out: font "{text}" not found')
    python.find_cause(f"ModuleNotFoundError: No module named '{text}'", ())
    python.find_cause(f"URLError: {text}", ())
    find_packages(typst.MISSING_FONT, f"unknown font family: {text}")
    lilypond.find_unfound(f"cannot find file: `{text}'")
    lilypond.find_unfound(f'Unable to find file "{text}" in load path')
    lilypond.find_unfound(f"no code for module ({text})")
    find_packages(javascript.MISSING_PACKAGE, f'cannot import "{text}')
    return MissingResource("package", text, text, text)


def search_later_patterns(text: str) -> Any:
    """Patterns that are looked for only in some pages and answers."""
    patterns = (
        cdn.NEW_REACT,
        frameworks.DIRECTIVE,
        html.JSX_SOURCE,
        javascript.LATER_PART,
        svg.LENGTH,
        guards._HASH,
        typst_setup.LOCAL_IMPORT,
    )
    return [pattern.search(text) for pattern in patterns]


def causes_of(text: str) -> Any:
    """Why a page is blank, by what it says and what is written in it."""
    lacking = [MissingResource("script", "a.example", "", "https://a.example/a.js")]
    for said in ("ReferenceError: a is not defined", f"ReferenceError: {text} is not defined"):
        causes.find_cause([said], text, lacking)
    unread = "TypeError: Cannot read properties of undefined (reading 'a')"
    causes.find_cause([unread], text, lacking)
    causes.find_cause([], text, [MissingResource("script", "", "", f"https://a/{text}")])
    return causes.find_cause([], text, lacking)


def files(text: str) -> Any:
    """An answer in as many fences as its text is long."""
    component = f"Here is `a.ts`:\n```ts\nimport './a.css'; {text}\n```\n"
    styles = "```css\np {}\n```\n" * (len(text) // 20)
    extraction.extract(component + styles, "angular", "corrected")


def paper(text: str) -> Any:
    """A paper with this text, as far as it is read without compiling it."""
    download = Download(candidate(), {"a.tex": text.encode("utf-8", "surrogatepass")})
    for protocol in PROTOCOLS:
        list(collect_latex.drafts(download, tools(protocol=protocol)))


def own_macros(text: str) -> Any:
    """A paper's definitions, with the text in them, and what an excerpt may need of them."""
    found = list(macros.definitions(rf"\def\be{{{text}}}\tikzset{{{text}}}"))
    macros.replace_edges("", found)
    macros.find_reachable(text, found)


def listed(text: str) -> Any:
    """A record of arXiv whose identifier and date are this text."""
    for content in (text, f"<record>{text}</record>"):
        arxiv.read_page(content.encode("utf-8", "surrogatepass"))
    record = ElementTree.fromstring(
        "<record><metadata><arXiv><id/><created/></arXiv></metadata></record>"
    )
    for element in record.iter():
        element.text = text
    arxiv.paper(record, "math", "https://arxiv.org")


class Files(NamedTuple):
    """What a compiler would return."""

    files: dict[str, str]


CETZ = typst_packages.TypstPackage("cetz", "0.3.4")
ENTRIES: dict[str, Entry] = {
    **dict(extractions()),
    **dict(parsers()),
    "prose": lambda text: [
        document.fullmatch(place.replace("{}", text))
        for documents in prose.DOCUMENTS.values()
        for document in documents
        for place in ("{}", "{}:\n<a>", "<svg>{}</svg>", "\\documentclass{a}{}\\end{document}{}")
    ],
    "prose around programs": lambda text: [
        prose.cut_program(place.replace("{}", text), program)
        for program in prose.PROGRAMS.values()
        for place in (
            "{}",
            "Here is {}",
            "Here is code:\n{}",
            "Sure!\n\nx = 1\n\nThis {}",
            "{}\n\nThe {}.",
            "Here is the code:\n\n#let x = 1\n\nThis code draws {}",
            "Here it is:\n\npie\n\n## {}\n\nThis is a pie.",
            "Here it is:\n--------\n{}\n--------\nx = 1\ny = 1",
        )
    ],
    "fence of one line": lambda text: extraction.extract(f"```{text}```", "json", "corrected"),
    "fences of files": files,
    "tags": lambda text: (
        *(tags.between_tags(text), tags.strip_tags(text)),
        tags.ends_malformed(text),
    ),
    "reasoning": reasoning.without_reasoning,
    "first prompt": lambda text: (
        evaluations.replace_tags(text),
        evaluations.replace_tags(f"<code>{text}"),
    ),
    "syntax score": lambda text: syntax_score(text[:1_000_000], "yaml"),
    "keywords": lambda text: keyword_score(text, [text[:1000], "x" * 100]),
    "a path": lambda text: path_exists(TREE, text),
    "a quoted path": lambda text: path_exists(TREE, f"`{text}`"),
    "paths in a text": lambda text: path_score(text[:1_000_000], ["a.b", "csv::a"], "csv"),
    "lost paths": lambda text: [
        count_lost_paths(whole, ["a.b", "a[0].a", "b.*.a"], "json")
        for whole in (text[:1_000_000], json.dumps({text[:1_000_000]: [{"b": {"a": text}}]}))
    ],
    "choice": replies.choice,
    "text": replies.text,
    "box": replies.box,
    "text and box": replies.text_and_box,
    "lenient box": lambda text: replies.lenient_box(text, "pixel", (9, 9)),
    "lenient text and box": lambda text: replies.lenient_text_and_box(text, "pixel", (9, 9)),
    "text and a box": lambda text: replies.lenient_text_and_box(
        f"{text}[0 0 1 1]", "pixel", (9, 9)
    ),
    "pnls": lambda text: pnls(text, WORDS),
    "pnls as published": lambda text: pnls_published(text, WORDS),
    "pnls of a long reference": lambda text: pnls(WORDS, text),
    "levenshtein": lambda text: levenshtein_similarity(text, WORDS),
    "edit similarity": lambda text: edit_similarity(text, WORDS),
    "refusal": is_refusal,
    "lists in replies": lambda text: [guard(text, WORDS) for guard in guards.OF_LISTS.values()],
    "guards": lambda text: [guard(text) for guard in OF_COMPLETIONS.values()],
    "pictures in answers": lambda text: (
        carried.count_data(text),
        carried.count_quoted(f"'{text}'"),
        snapshot.is_carried(text),
    ),
    "verdicts": lambda text: verdicts.read_verdicts(text, 3, "published"),
    "drafts": lambda text: (
        drafts.read_draft("yaml_to_xml", text),
        drafts.check_draft(
            drafts.read_draft(
                "yaml_to_json",
                json.dumps(
                    {"query": f"<code>{text[:20_000]}</code>", "raw_output_metric": [text[:1000]]}
                ),
            )
        ),
    ),
    "meant verdicts": lambda text: verdicts.read_verdicts(text, 3, "corrected"),
    "verdicts after a bracket": lambda text: verdicts.read_verdicts(f"[[{text}", 3, "corrected"),
    "verdict of a question": lambda text: verdicts.read_verdicts(
        json.dumps({f"Q1{text}": True}), 3, "corrected"
    ),
    "numbered verdicts": lambda text: verdicts.read_verdicts(f"1. true ({text}", 3, "corrected"),
    "LaTeX": laid_out,
    "LaTeX in a document": lambda text: laid_out(rf"\begin{{document}}{text}\end{{document}}"),
    "log of LaTeX": tex_log.fault,
    "log of LaTeX, with its place": lambda text: tex_log.reason(text, Traced(text), text),
    "place in LaTeX": lambda text: tex_log.reason(TEX_LOG, Traced(text), text),
    "place of a runaway": lambda text: tex_log.reason(f"{RUNAWAY}{text}", Traced(text), text),
    "undefined in LaTeX": lambda text: (
        list(tex_log.find_undefined(text)),
        list(tex_log.find_undefined(f"! LaTeX Error: Environment {text} undefined.")),
        list(tex_log.find_undefined(f"! Undefined control sequence.\n{text}")),
    ),
    "what LaTeX needs": needed,
    "TeX that is compared": normalize_tex,
    "TeX of mathematics": lambda text: normalize_tex(f"${text}$"),
    "TeX of a drawing": lambda text: normalize_tex(f"\\begin{{tikzpicture}}{text}"),
    "paper": paper,
    "paper's macros": own_macros,
    "paper's record": listed,
    "comments of LaTeX": tex_text.strip_comments,
    "log of LilyPond": lambda text: lilypond.explain_error(text, text),
    "end of LilyPond": lambda text: lilypond.explain_error(f"x.scm:1:1: #<procedure {text}", text),
    "log of convert-ly": lilypond.explain_conversion,
    "fonts of LilyPond": lambda text: lilypond.find_missing(text, text),
    "imports of Typst": lambda text: typst_packages.replace_versions(text, [CETZ]),
    "tidied": tidy_text,
    "shortened": shorten_text,
    "empty page": empty.is_empty_page,
    "empty script": empty.is_empty_script,
    "page": prepared,
    "page in a script": lambda text: prepared(f"<script type=text/babel>{text}"),
    "beginning": html.skip_comments,
    "error": lambda text: html.explain_error(text, html.as_written, {"index.html": text}),
    "error with a stack": lambda text: html.explain_error(
        f"a\n    at {text}", html.as_written, {"index.html": text}
    ),
    "error of Angular": lambda text: html.explain_error(
        ANGULAR + text, html.as_written, {"a.ts": text}
    ),
    "error of Mermaid": mermaid_errors.reason,
    "error of Mermaid with its place": lambda text: mermaid_errors.explain_error(text, text),
    "place in Mermaid": lambda text: mermaid_errors.explain_error(MERMAID, text),
    "kind of Mermaid": lambda text: mermaid_errors.explain_kind(text, text),
    "plug-ins of Mermaid": mermaid.find_plugins,
    "template of Angular": lambda text: angular_errors.template_of({"a.ts": f"{text}class A"}, "A"),
    "error in a template of Angular": lambda text: html.explain_error(
        f"{text[:1000]} (reading 'a')\n    at A_Template",
        html.as_written,
        {"a.ts": f"template: `{text}` class A"},
    ),
    "error of Vega": lambda text: vega_errors.explain_error(text, text),
    "place in Vega": lambda text: vega_errors.explain_error('Unknown name: "a"', text),
    "place in code": lambda text: add_place(text, "wrong", len(text) // 2, len(text) // 3),
    "error of Jekyll": webpage.jekyll_error,
    "error of Liquid": lambda text: webpage.add_liquid_place(text, {}),
    "front matter before an error": lambda text: webpage.add_liquid_place(
        LIQUID, {"a": text.encode(errors="replace")}
    ),
    "frameworks": framework,
    "canvas": canvas,
    "SVG": svg.read_root,
    "SVG inside": lambda text: svg.read_root(f"<svg>{text}</svg>"),
    "website": lambda text: webpage.files_of(text, "corrected"),
    "front matter": lambda text: webpage.needs_jekyll({"a": text.encode("utf-8", "replace")}),
    "list of files": lambda text: webpage.write_listing({text: b""}),
    "path of a URL": page.file_name,
    "URLs": urls,
    "URL of fonts": lambda text: cdn.answer(f"https://fonts.googleapis.com/css2?family={text}"),
    "axes of a font": web_fonts.asked_faces,
    "URL of a picture": lambda text: [
        placeholders.placeholder_reply(f"https://{host}/{text}?w={text}")
        for host in placeholders.HOSTS
    ],
    "name of a library": npm_files.bare_name,
    "URL of fonts that are missing": lambda text: cdn.missing_resources(
        f"https://fonts.googleapis.com/css2?family={text}", "style", refused=False
    ),
    "missing packages": missing_packages,
    "causes": causes_of,
    "needs": read_needs,
    "later patterns": search_later_patterns,
    "names": lambda text: file_names.explain_conflict([text]),
    "many names": lambda text: file_names.explain_conflict(text.split("/")),
    "table": lambda text: (table(text).markdown(), table(text).latex(), table(text).csv()),
    "spreadsheet": lambda text: spreadsheets.csv_rows(spreadsheets.csv_text([[text, 1]])),
    "clipped": clip,
    "reply of nothing but a box": lambda text: says_all(ParsedReply(box=(0, 0, 1, 1)), text),
    "judge that reads": lambda text: structeval_ocr.judge([text], judge.judge_prompt([ASKED])),
    "OCR": lambda text: (
        image2struct_ocr.latex(text),
        image2struct_ocr.webpage(text),
        image2struct_ocr.lilypond(text),
    ),
}
REFUSALS = (RenderError, CandidateRefused, ValueError, csv.Error)

CHARACTERS = (
    *map(chr, range(32, 127)),
    *"\t\n\r\f\v\0\x1b\x85\xa0",
    *("é", "e\u0301", "\u0301", "ß", "ı", "中", "😀", "\u200b", "\u2028", "\ufeff", "\ud800"),
)
TOKENS = (
    *(
        "\r\n",
        "\n\n",
        "\n ",
        " \n",
        "\n\t",
        "a\n",
        "a ",
        "1 ",
        "a,",
        "1,",
        "a:",
        "a: ",
        "- ",
        "- a\n",
    ),
    *(
        "[[",
        "]]",
        "[]",
        "{}",
        "()",
        "[1",
        "(1 ",
        "{a",
        '{"a":',
        '["',
        '","',
        '""',
        "''",
        "\\\\",
        "\\n",
    ),
    *("```", "```\n", "```a\n", "````", "~~~", "~~~\n", "`a`", "**", "##", "---", "---\n", "...\n"),
    *("[THINK]", "[/THINK]", "<|channel|>analysis", "<|message|>", "<|channel|>final<|message|>"),
    *("```a\n```\n", "a: ```\n", "a ```b\n", "</s>", "<s>", "<｜end▁of▁sentence｜>"),
    *("<think>", "</think>", "<think></think>", "<reasoning>", "<code>", "</code>", "<answer>"),
    *("<|BEGIN_CODE|>", "<|END_CODE|>", "[BEGIN_CODE]", "BEGIN_CODE", "BEGIN_CODE\n", "END_CODE "),
    *("<|BEGIN_CODE|>a<|END_CODE|>", "<|im_end|>", "<![CDATA[", "]]>", "<!--", "-->", "<!-- -->"),
    *(
        "<a",
        "<a>",
        "</a>",
        "<a/>",
        "<a b='",
        "<a b=''",
        "&",
        "&a;",
        "&#1;",
        "<?",
        "<!",
        "<!DOCTYPE a>",
    ),
    *("<script", "<script>", "</script>", "<script type=text/babel>", "<link", "<link integrity="),
    *(
        " src=",
        " src='",
        " src=//",
        " integrity='",
        " type=importmap",
        "vue",
        "from 'vue'",
        "new Vue",
    ),
    *(
        "<template>",
        "<style>",
        "@Component(",
        "interface A {",
        "createElement('canvas') ",
        "//",
        "/*",
        "*/",
    ),
    *(
        "\\def\\a",
        "\\def\\a{}",
        "\\input a ",
        "\\verb|",
        "\\begin{verbatim}",
        "\\begin{math}",
        "\\end{math}",
        "a/.style ",
        "\\label{",
        "\\label{a}",
        "\\usepackage[",
        "\\usepackage{a}",
        "\\usepackage",
        "\\documentclass[",
    ),
    *(
        "\\documentclass{article}",
        "\\begin{",
        "\\begin{a}[",
        "\\end{",
        "\\end{a}",
        "\\begin{document}",
    ),
    *(
        "\\end{document}",
        "\\begin{document}\\end{document}",
        "{equation}",
        "%",
        "\\%",
        "\\\\%",
        "~",
    ),
    *(
        "./job.tex:1: a\n",
        "! a\n",
        "(a) b\n",
        "Runaway a\n",
        "score.ly:1:2: error: a\n",
        "    at a\n",
    ),
    *("LaTeX Error: Environment a undefined", "at A_Template", "http://localhost/a:1:2", "ng:///a"),
    *(
        "&a [*a",
        "*a ",
        "&a ",
        "!a ",
        "!!int 1",
        "? a\n",
        "%TAG !a! b\n",
        "a: |\n",
        "a: >\n",
        "<<: ",
    ),
    *(
        "a = 1\n",
        "[a]\n",
        "[[a]]\n",
        "a.",
        "a = {",
        "a = [",
        '"""',
        "'''",
        "1:1:",
        "1e1",
        "0x",
        "-0",
    ),
    *(
        "I cannot ",
        "I can't help ",
        "I ",
        "cannot ",
        "not able to ",
        "1. ",
        "Q1: yes\n",
        "true",
        "null",
    ),
    *(
        "../",
        "./",
        "a/",
        "/",
        "?a",
        "#a",
        "%20",
        "@a/",
        "@1/",
        ":wght@400",
        "|a",
        ";",
        "400;",
        "a-b_",
    ),
)
QUICK = (
    *(
        " ",
        "\xa0",
        "\t",
        "\n",
        "a",
        "1",
        "[",
        "{",
        '"',
        "\\",
        "`",
        "~",
        "<",
        "-",
        "é",
        "\ud800",
        "a\n",
        "a ",
    ),
    *(
        "```\n",
        "```a\n",
        "<think>",
        "<|BEGIN_CODE|>",
        "BEGIN_CODE\n",
        "<!--",
        "<a>",
        "<script",
        " src=",
    ),
    *(
        "\\label{",
        "\\usepackage[",
        "\\begin{",
        "\\end{document}",
        "\\def\\a",
        "\\begin{math}",
        "%a\n",
        "! a\n",
        "&a ",
        "a.",
        "I cannot ",
        "a/",
    ),
)
"""Tokens for which something was quadratic, and some of each kind."""

FACTOR, LAST = 4, 1_000_000
MOST = 10
"""How much longer four times the text may take: 4 is linear, 16 quadratic."""
NOTICEABLE = 0.05
"""Seconds below which nothing is compared: the clock, and what is not the text's, count there."""


def seconds(entry: Entry, text: str, times: int = 1) -> float:
    """Returns the processor time of an entry, the least of several calls."""
    least = float("inf")
    for _ in range(times):
        start = time.process_time()
        with contextlib.suppress(REFUSALS):
            entry(text)
        least = min(least, time.process_time() - start)
    return least


def repeated(token: str, length: int) -> str:
    """Returns a text of one token over and over, none of which is cut: half of one may be refused
    at once, where whole ones are worked on."""
    return token * max(length // len(token), 1)


def growth(entry: Entry, token: str, last: int = LAST, noticeable: float = NOTICEABLE) -> str:
    """Returns where the work of an entry grows faster than the text, or "" if nowhere."""
    before = 0.0
    for length in [last // FACTOR**step for step in (5, 4, 3, 2, 1, 0)]:
        text = repeated(token, length)
        taken = seconds(entry, text)
        if before and taken > max(noticeable, MOST * before):
            # A busy machine may have been in the way.
            before = seconds(entry, repeated(token, length // FACTOR), 3)
            taken = seconds(entry, text, 3)
            if taken > max(noticeable, MOST * before):
                return f"{token!r}: {taken:.2f} s for {length}, {before:.3f} s for a quarter"
        before = taken
    return ""
