r"""What a paper defines for itself, and which of it an excerpt needs.

Definitions are read from the text: the commands of LaTeX and TeX that define commands, environments,
colors and styles of TikZ. Which of them an excerpt needs, only TeX can tell: it is compiled in the
sandbox, and what its log calls undefined is looked up, until nothing is missing any more.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from helm_structext.image2struct.collect.tex import Token, tokens
from helm_structext.patterns import Pattern
from helm_structext.renderers.tex_text import after_blanks

SIGNATURES = {
    **dict.fromkeys(
        ("newcommand", "renewcommand", "providecommand", "DeclareRobustCommand"), "*coom"
    ),
    **dict.fromkeys(
        ("NewDocumentCommand", "RenewDocumentCommand", "DeclareDocumentCommand"), "cmm"
    ),
    **dict.fromkeys(("def", "gdef", "edef", "xdef"), "cpm"),
    "let": "c=t",
    "DeclareMathOperator": "*cm",
    **dict.fromkeys(("newenvironment", "renewenvironment"), "*eoomm"),
    "definecolor": "okmm",
    "colorlet": "okm",
    **dict.fromkeys(("tikzset", "pgfplotsset"), "s"),
    "tikzstyle": "k=o",
}
r"""What follows the commands that define something: a star, maybe (``*``); the control sequence
(``c``), the environment (``e``) or the color or style (``k``) that is defined; an option in brackets,
maybe (``o``); an argument in braces (``m``), one with styles (``s``); TeX's parameters (``p``); an
equals sign, maybe (``=``); the control sequence that another one is to be (``t``)."""

NEW = {
    "renewcommand": "newcommand",
    "renewenvironment": "newenvironment",
    "RenewDocumentCommand": "NewDocumentCommand",
}
"""What defines again what the preamble of an excerpt does not know."""

CONTROL = Pattern(r"(?s)\A\s*(\\(?:[A-Za-z@]+|.))")
STYLE = Pattern(r"([\w /.@:-]*[\w@])\s*/\.(?:style|append style|code|pic|cycle list)")
EDGE = Pattern(r"\s*(\\(?:begin|end)\{[A-Za-z]+\*?\})\s*")
PAIRED = Pattern(r"(?s)\\.|[\[\]{}]")
MAX_NAME = 100
MAX_DEFINITION = 10_000
"""Characters of a definition; a longer one is not carried along."""
MAX_DEFINITIONS = 60
"""That an excerpt may use, and"""
MAX_CARRIED = 20_000
"""their characters."""
MAX_WORDS = 200
"""Colors and styles of a paper that are looked for in an excerpt."""
MAX_ROUNDS = 8
"""How often an excerpt is compiled to find what it needs."""


@dataclass(frozen=True)
class Definition:
    r"""What a paper defines in one place.

    Args:
        names: a control sequence with its backslash, an environment in braces (``{proof}``), or a
            color or style by its name.
        text: the code, so that it can stand in a document that does not define the names.
        target: the control sequence that ``\let`` makes another name for, or "".
        body: what a command without arguments stands for, or "".
        start: where it begins in the paper's text.
        end: where it ends.
    """

    names: tuple[str, ...]
    text: str
    target: str
    body: str
    start: int
    end: int


def definitions(text: str) -> Iterator[Definition]:
    r"""Yields what a text without comments defines, from left to right.

    >>> text = r"\renewcommand*\R{\mathbb{R}} \DeclareMathOperator{\tr}{tr} \let\op=\tr"
    >>> for one in definitions(text):
    ...     print(one.names, one.text)
    ('\\R',) \newcommand*\R{\mathbb{R}}
    ('\\tr',) \newcommand{\tr}{\operatorname{tr}}
    ('\\op',) \let\op=\tr
    """
    closing = _find_closing(text)
    done = 0
    for token in tokens(text):
        begins = token.kind == "command" and token.name in SIGNATURES and token.start >= done
        if begins and (found := _definition(text, token, closing)):
            yield found
            done = found.end


def tokens_outside_definitions(text: str) -> Iterator[Token]:
    r"""Yields the tokens of a text that are not parts of what it defines.

    >>> [token.name for token in tokens_outside_definitions(r"\def\be{\begin{a}} \be")]
    ['be']
    """
    spans = ((one.start, one.end) for one in definitions(text))
    start, end = next(spans, (len(text), len(text)))
    for token in tokens(text):
        while token.start >= end:
            start, end = next(spans, (len(text), len(text) + 1))
        if token.start < start:
            yield token


def _find_closing(text: str) -> dict[int, int]:
    """Where each bracket and brace is closed, as far as they are."""
    closing: dict[int, int] = {}
    opened: list[int] = []
    for match in PAIRED.finditer(text):
        place, mark = match.start(), match[0]
        if mark in ("{", "["):
            opened.append(place)
        elif mark == "}":
            while opened and text[opened[-1]] == "[":
                opened.pop()
            if opened:
                closing[opened.pop()] = place
        elif mark == "]" and opened and text[opened[-1]] == "[":
            closing[opened.pop()] = place
    return closing


def _definition(text: str, command: Token, closing: dict[int, int]) -> Definition | None:
    """The definition that a command begins, if it is whole."""
    names: list[str] = []
    arguments: list[str] = []
    target, plain, place = "", "c" in SIGNATURES[command.name], command.end
    for part in SIGNATURES[command.name]:
        place = after_blanks(text, place)
        mark, closed = text[place : place + 1], closing.get(place)
        if part in "*=":
            place += mark == part
        elif part == "o":
            if mark == "[" and closed:
                place, plain = closed + 1, False
        elif part in "ct":
            found = CONTROL.search(text[place + (mark == "{") : place + MAX_NAME])
            if not found or (mark == "{" and closed is None):
                return None
            names += [found[1]] * (part == "c")
            target = found[1] * (part == "t")
            place = closed + 1 if mark == "{" and closed else place + found.end()
        elif part == "p":
            opening = text.find("{", place, place + MAX_NAME)
            plain = not text[place:opening].strip()
            place = opening
        elif mark == "{" and closed is not None and closed - place <= MAX_DEFINITION:
            arguments.append(text[place + 1 : closed])
            names += _names(part, arguments[-1])
            place = closed + 1
        else:
            return None
    if not names or place - command.start > MAX_DEFINITION:
        return None
    code = f"\\{NEW.get(command.name, command.name)}{text[command.end : place]}"
    if command.name == "DeclareMathOperator":
        star = "*" * text.startswith("*", command.end)
        code = f"\\newcommand{{{names[0]}}}{{\\operatorname{star}{{{arguments[-1]}}}}}"
    body = arguments[-1] if plain and arguments else ""
    return Definition(tuple(names), code, target, body, command.start, place)


def _names(part: str, argument: str) -> list[str]:
    """The names in an argument, by what the signature says of it."""
    if part == "e":
        return [f"{{{argument.strip()}}}"]
    named = {"k": [argument], "s": [found[1] for found in STYLE.finditer(argument)]}
    names = [name.strip() for name in named.get(part, [])]
    return [name for name in names if name and name[0] not in "\\{"]


def replace_edges(text: str, found: Collection[Definition]) -> str:
    r"""Returns a text with the paper's own names for beginnings and ends of environments written out.

    >>> text = r"\def\be{\begin{equation}}\def\ee{\end{equation}} \be x \ee"
    >>> replace_edges(text, list(definitions(text))).partition("}} ")[2]
    '\\begin{equation}x \\end{equation}'
    """
    edges = {
        one.names[0][1:]: edge[1]
        for one in found
        if one.body and (edge := EDGE.fullmatch(one.body))
    }
    if not edges:
        return text
    pieces, done = [], 0
    for token in tokens_outside_definitions(text):
        if token.kind == "command" and token.name in edges:
            pieces += [text[done : token.start], edges[token.name]]
            done = token.end + text.startswith(" ", token.end)
    return "".join([*pieces, text[done:]])


def find_reachable(code: str, found: Sequence[Definition]) -> list[Definition]:
    r"""Returns the definitions that code may need: those that it names, and those that these name.

    Args:
        code: an excerpt.
        found: what the paper defines, in its order; of one name, the last one counts.

    Returns:
        Definitions in the paper's order: about `MAX_DEFINITIONS`, and `MAX_CARRIED` characters at
        most.

    >>> found = list(definitions(r"\def\a{\b} \def\b{1} \def\c{2} \definecolor{d}{rgb}{0,0,0}"))
    >>> [one.names for one in find_reachable(r"\a \color{d}", found)]
    [('\\a',), ('\\b',), ('d',)]
    """
    named = _references(found)
    reached: set[int] = set()
    waiting, size = [code], 0
    while waiting and len(reached) < MAX_DEFINITIONS:
        for place in named(waiting.pop()):
            if place not in reached and size + len(found[place].text) <= MAX_CARRIED:
                reached.add(place)
                size += len(found[place].text)
                waiting.append(found[place].text)
    return [found[place] for place in sorted(reached)]


def _references(found: Sequence[Definition]) -> Callable[[str], list[int]]:
    """Finds which definitions code names, by their places in a list."""
    last = {name: place for place, one in enumerate(found) for name in one.names}
    words = [name for name in last if name[0] not in "\\{"][:MAX_WORDS]

    def named(code: str) -> list[int]:
        names = [_write_edge(token.kind, token.name) for token in tokens(code)]
        names += [word for word in words if word in code]
        return [last[name] for name in names if name in last]

    return named


def _write_edge(kind: str, name: str) -> str:
    return f"{{{name}}}" if kind == "begin" else f"\\{name}"


def find_needed(
    code: str, known: Sequence[Definition], undefined: Callable[[str], Collection[str]]
) -> list[Definition]:
    r"""Returns those definitions without which code does not compile, in the paper's order.

    Args:
        code: an excerpt.
        known: what the paper defines and the excerpt may need.
        undefined: compiles code and returns the names that are not defined.

    >>> known = list(definitions(r"\def\a{\b} \def\b{1} \def\c{2}"))
    >>> missing = lambda code: {r"\b"} if r"\def\a" in code else {r"\a", r"\d"}
    >>> [one.names for one in find_needed(r"\a \d", known, missing)]
    [('\\a',), ('\\b',)]
    """
    named = _references(known)
    carried: set[int] = set()
    uncertain = set(named(code))
    for _ in range(MAX_ROUNDS):
        if not uncertain - carried:
            break
        chosen = [known[place] for place in sorted(carried)]
        missing = set(undefined(add_definitions(code, chosen)))
        # What \let has named is still undefined where its target is.
        missing |= {one.target for one in chosen if missing & set(one.names)}
        more = {place for place, one in enumerate(known) if missing & set(one.names)} - carried
        if not more:
            break
        carried |= more
        uncertain = {place for new in more for place in named(known[new].text)}
    return [known[place] for place in sorted(carried)]


def add_definitions(code: str, carried: Sequence[Definition]) -> str:
    r"""Returns code with definitions before it.

    >>> print(add_definitions(r"$\a@b$", list(definitions(r"\def\a@b{1}"))))
    \makeatletter
    \def\a@b{1}
    \makeatother
    $\a@b$
    """
    lines = [one.text for one in carried]
    if any("@" in line for line in lines):
        lines = ["\\makeatletter", *lines, "\\makeatother"]
    return "\n".join([*lines, code])
