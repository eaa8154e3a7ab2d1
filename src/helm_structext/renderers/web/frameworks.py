"""React, Vue and Angular → picture: compiled by their own compilers, run in the browser.

An answer may be a component, several, a whole program that mounts itself, files one after the
other under comments with their names, or an HTML page that loads the framework from a host
(`html`). Imports lead to files of the answer or to the locked packages; another one is an error
that names it. A style sheet or picture that the answer imports and does not have is left out.

In the protocol `published`, components of React and Vue stand in the benchmark's own wrapper page
(`WRAPPERS`): a column of 1,200 pixels, with green headings and more. An answer that is a page of its
own has no wrapper.

Source: StructEval, section 3, and its published code (the wrappers' styles). (The published code drops
imports and cuts components up with regular expressions, and shows placeholders for what Angular would
compute.)
"""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from helm_structext.errors import RenderError
from helm_structext.extraction.fences import COMMENTS
from helm_structext.patterns import Pattern
from helm_structext.protocols import ProtocolName
from helm_structext.renderers.engine import Draw, Engine
from helm_structext.renderers.limits import BROWSER_LIMITS
from helm_structext.renderers.outcome import Drawing
from helm_structext.renderers.web import browser
from helm_structext.renderers.web.html import (
    DOCUMENT,
    MAX_FILLED,
    TAG,
    draw_page,
    draw_with_packages,
    skip_comments,
)
from helm_structext.renderers.web.html import version as html_version
from helm_structext.renderers.web.javascript import (
    COMPILER,
    Compiled,
    Kind,
    compile_answer,
    locate_source,
)
from helm_structext.sandbox import Limits
from helm_structext.storage.cache import content_key

REVISION = "4"

STYLES = Path(__file__).with_name("styles")
# Protocol → kind → the styles of the page around a component.
WRAPPERS: dict[ProtocolName, dict[Kind, str]] = {
    "published": {
        "react": (STYLES / "react.css").read_text("utf-8"),
        "vue": (STYLES / "vue.css").read_text("utf-8"),
    },
    "corrected": {},
}

HEADER = Pattern(
    r"(?i)(?://+|/\*+|<!--|#+) ?(?:[=*-]+ )?(?:file(?:name)?: ?)?[`*\"']*"
    r"([\w@./-]+\.(?:tsx?|jsx?|mjs|vue|html|css|s[ac]ss|less|json))[`*\"']*"
    r"(?: \([^()]*\))?:?(?: [=*-]+)?(?: ?\*+/| ?-->)?"
)
"""A line that names the file which follows: a comment, or a heading; with single blanks."""
MAX_FILES = 200
MAX_HEADER = 200


def parts(code: str, name: str) -> dict[str, str]:
    r"""Returns the files of an answer: what follows a line with a file's name belongs to it.

    The lines before each keep their number.

    Args:
        code: the answer.
        name: of what comes before the first such line, or of all if there is none.

    Raises:
        RenderError: kind ``resource``: there are more than `MAX_FILES`.

    >>> parts("let a", "App.jsx")
    {'App.jsx': 'let a'}
    >>> parts("// src/a.ts\nA\n/* a.css */\np {}", "b.ts")
    {'src/a.ts': '\nA\n', 'a.css': '\n\n\np {}'}
    """
    names, starts, ends = [name], [0], []
    place = 0
    for line in code.split("\n"):
        start, end = place, place + len(line)
        place = end + 1
        if len(line) > MAX_HEADER or not line.lstrip().startswith(COMMENTS):
            continue
        if found := HEADER.fullmatch(" ".join(line.split())):
            names.append(found[1].removeprefix("./").lstrip("/"))
            starts.append(end)
            ends.append(start)
            if len(names) > MAX_FILES:
                raise RenderError("resource", f"more than {MAX_FILES} files")
    files: dict[str, str] = {}
    length = 0
    for one, start, end in zip(names, starts, [*ends, len(code)], strict=True):
        if code[start:end].strip() and one not in files:
            files[one] = "\n" * code.count("\n", 0, start) + code[start:end]
            length += len(files[one])
            if length > MAX_FILLED:
                raise RenderError("resource", "the files are too many for their length")
    return files


def react_files(code: str) -> dict[str, str]:
    """The files of an answer for React."""
    return parts(code, "App.tsx" if INTERFACE.search(code) else "App.jsx")


def vue_files(code: str) -> dict[str, str]:
    """The files of an answer for Vue: a component, or a script with option objects."""
    component = COMPONENT.match(skip_comments(code))
    return parts(code, "App.vue" if component else "main.js")


def angular_files(code: str) -> dict[str, str]:
    """The files of an answer for Angular: classes, or a template alone."""
    alone = code.lstrip().startswith("<")
    return parts(code, "app.component.html" if alone else "app.component.ts")


def is_vue_page(code: str) -> bool:
    """Whether code for Vue is a piece of a page that mounts itself, and no component.

    >>> is_vue_page("<div id=app>{{ a }}</div><script>Vue.createApp({})</script>")
    True
    >>> is_vue_page("<script type=importmap>{}</script><div id=app></div>")
    True
    >>> is_vue_page("<template><p/></template>"), is_vue_page("const App = {}")
    (False, False)
    """
    if not (first := ELEMENT.match(skip_comments(code))):
        return False
    loads = any(LOADS.search(tag[0]) or MAPS.search(tag[0]) for tag in TAG.finditer(code))
    return first[1] not in ("template", "script", "style") or loads


INTERFACE = Pattern(r"(?:\A|\W)interface \w+ \{")
COMPONENT = Pattern(r"<(?:template|script|style)(?:\W|\z)")
ELEMENT = Pattern(r"<([\w-]+)")
LOADS = Pattern(r"""(?i)\ssrc\s*=\s*["']?(?:https?:)?//""")
MAPS = Pattern(r"""(?i)\stype\s*=\s*["']?importmap(?:\W|\z)""")
LOADS_VUE = Pattern(r"""(?is)\ssrc\s*=.*vue""")
IMPORTS_VUE = Pattern(r"""(?i)(?:\A|\W)from\s*['"][^'"\n]{0,200}vue""")
NEW_VUE = Pattern(r"(?:\A|\W)(?:new\s+Vue|Vue\.component)(?:\W|\z)")


def add_vue(code: str) -> str:
    """A piece of a page, with the Vue that it needs if it loads none."""
    if IMPORTS_VUE.search(code) or any(LOADS_VUE.search(tag[0]) for tag in TAG.finditer(code)):
        return code
    release = 2 if NEW_VUE.search(code) else 3
    return f'<script src="https://unpkg.com/vue@{release}"></script>' + code


COLORS = (
    "slate|gray|zinc|neutral|stone|red|orange|amber|yellow|lime|green|emerald|teal|cyan|sky|blue|indigo|violet"
    "|purple|fuchsia|pink|rose"
)
UTILITY = Pattern(
    rf"(?:(?:bg|text|border|from|via|to|ring|fill)-(?:{COLORS})-(?:50|[1-9]00|950)"
    r"|text-(?:xs|sm|base|lg|[2-9]?xl)|font-(?:medium|semibold|bold)|rounded-(?:md|lg|full|[23]?xl)"
    r"|shadow-(?:sm|md|lg|xl|2xl)|(?:gap|space-[xy]|[pm][xytblr]?|[wh])-\d{1,2}|grid-cols-\d{1,2}|min-h-screen"
    r"|max-w-(?:xs|sm|md|lg|[2-7]?xl)|items-(?:center|start|end)|justify-(?:center|between|end))"
)
"""A class that is one of Tailwind's."""
STYLED = Pattern(r"\.([\w-]+)")
QUOTED = Pattern(r"""["'`][^"'`]*""")
THEMED = Pattern(
    r"""['"][@~.\w/-]*/ui/|\W(?:bg|text|border)-(?:background|foreground|primary|muted|card|accent)(?:\W|\z)"""
)
"""Components of shadcn/ui, or the names of its colors."""
WHOLE_COLOR = Pattern(r"[^(]var\(--chart-\d\)")
OTHER_STYLES = Pattern(r"(?i)bootstrap|bulma|materialize|semantic-ui|foundation-sites")
DIRECTIVE = Pattern(
    r"""@(?:tailwind|apply|theme|utility|custom-variant)(?:\W|\z)|@import\s*["']tailwindcss["']"""
)
NEW_TAILWIND = Pattern(r"""@import\s*["']tailwindcss["']|@theme(?:\W|\z)""")
MIN_UTILITIES = 3


def uses_tailwind(code: str) -> bool:
    """Whether the classes of an answer are Tailwind's: some of its names, for which it has no styles.

    >>> uses_tailwind("<div className='flex p-4 text-sm'><b className='bg-red-500'/></div>")
    True
    >>> uses_tailwind("<div className='card p-4 text-sm'/>")
    False
    >>> uses_tailwind("import {Button} from '@/components/ui/button'")
    True
    """
    if OTHER_STYLES.search(code):
        return False
    words = {word for found in QUOTED.finditer(code) for word in found[0][1:].split()}
    styled = {found[1] for found in STYLED.finditer(code)}
    utilities = {word.rpartition(":")[2] for word in words} - styled
    own = {word for word in utilities if UTILITY.fullmatch(word)}
    return bool(THEMED.search(code)) or len(own) >= MIN_UTILITIES


def tailwind(code: str, css: str) -> str:
    """What the head of a page needs for Tailwind's classes, with the answer's own styles for it.

    Release 4 where the styles are written for it, else release 3.
    """
    own = _style(css) if css else ""
    if NEW_TAILWIND.search(css):
        return f'{own}<script src="https://cdn.jsdelivr.net/npm/@tailwindcss/browser@4"></script>'
    theme = SHADCN_WHOLE if WHOLE_COLOR.search(code) else SHADCN
    theme = _style(theme) if THEMED.search(code) else ""
    script = '<script src="https://cdn.tailwindcss.com"></script>'
    return f"{script}<script>{TAILWIND}</script>{theme}{own}"


def _style(css: str) -> str:
    return '<style type="text/tailwindcss">' + css.replace("</", "<\\/") + "</style>"


SHADCN = (STYLES / "shadcn.css").read_text("utf-8")
SHADCN_WHOLE = Pattern(r"(--chart-\d): ([^;]+)").sub(lambda it: f"{it[1]}: hsl({it[2]})", SHADCN)
"""The theme for code that takes a chart's color as it is: for Tailwind 4, where others write `hsl(var(--chart-1))`."""
TAILWIND = (STYLES / "tailwind.js").read_text("utf-8")


def page(made: Compiled, wrapper: str = "", head: str = "") -> dict[str, bytes]:
    """The site of a compiled answer, with the styles of the page around it, and what else is in its head."""
    style = '<link rel="stylesheet" href="/index.css">' if "index.css" in made.files else ""
    elements = "".join(made.elements)
    if wrapper:
        style = f"<style>{wrapper}</style>{style}"
        # The column itself is nothing to see: see `scripts/hide.js`.
        elements = elements.replace("<div ", "<div data-wrapper ", 1)
    document = (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Answer</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><base href="/">'
        f"{style}{head}</head><body>{elements}"
        '<script type="module" src="/index.js"></script></body></html>'
    )
    files = {name: text.encode("utf-8", "replace") for name, text in made.files.items()}
    return {**files, "index.html": document.encode()}


def compile_and_draw(
    kind: Kind,
    files: dict[str, str],
    code: str,
    protocol: ProtocolName,
    limits: Limits,
    *,
    layout: bool = False,
) -> Drawing:
    """Compiles an answer and renders its page."""
    made = compile_answer(kind, files, limits)

    def locate(path: str, line: int, column: int) -> tuple[str, int]:
        source_map = made.files.get(f"{path}.map")
        return locate_source(kind, source_map, line, column, limits) if source_map else (path, line)

    head = ""
    if protocol == "corrected" and uses_tailwind(code):
        # What Tailwind is to read is in the page; other styles stay where they are.
        css = made.files.get("index.css", "")
        css = made.files.pop("index.css") if DIRECTIVE.search(css) else ""
        head = tailwind(code, css)
    site = page(made, WRAPPERS[protocol].get(kind, ""), head)
    return draw_with_packages(
        site,
        limits,
        source=code,
        log=made.log,
        locate=locate,
        files=files,
        protocol=protocol,
        layout=layout,
    )


def drawer(
    kind: Kind,
    files: Callable[[str], dict[str, str]],
    is_page: Callable[[str], bool],
    *,
    layout: bool = False,
) -> Draw:
    """Returns the renderer of a framework."""

    def draw(
        code: str, assets: Mapping[str, bytes], protocol: ProtocolName, limits: Limits
    ) -> Drawing:
        if DOCUMENT.match(skip_comments(code)):
            return draw_page(code, protocol, limits, layout=layout)
        if is_page(code):
            page = add_vue(code) if kind == "vue" else code
            return draw_page(page, protocol, limits, layout=layout)
        return compile_and_draw(kind, files(code), code, protocol, limits, layout=layout)

    return draw


def is_piece(code: str) -> bool:
    """Whether code for React or Angular is a piece of a page: JSX and templates have no scripts."""
    return code.lstrip().startswith("<") and "<script" in code.lower()


def version() -> str:
    """Returns the renderers' version: our own revision, the pages' and the compiler's scripts."""
    scripts = content_key(*(path.read_bytes() for path in sorted(COMPILER.iterdir())))[:8]
    return f"frameworks {REVISION} ({scripts}, {html_version()})"


REACT, VUE, ANGULAR = (
    Engine(draw(), version, BROWSER_LIMITS, browser.PACKAGES, draw(layout=True))
    for draw in (
        partial(drawer, "react", react_files, is_piece),
        partial(drawer, "vue", vue_files, is_vue_page),
        partial(drawer, "angular", angular_files, is_piece),
    )
)
