r"""TeX's code made comparable: what draws the same is written in the same way.

Only what cannot be seen goes: comments, white space where TeX skips it, braces around one token, labels,
the order of scripts, names with a synonym, and `\left` with its `\right` around what is not tall. Sizes
(`\Big`, `\dfrac`, `\displaystyle`), spaces that were asked for (`\,`, `\quad`), fonts and the words of a text stay.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from helm_structext.errors import check_types
from helm_structext.patterns import Pattern

MAX_LENGTH = 100_000
"""Characters of a text that is normalized; a longer one stays as it is."""

Mode = Literal["text", "math", "picture"]

TOKEN = Pattern(
    r"(?s)\\(begin|end)[ \t]{0,10}\{([^{}\n]{1,100})\}|\\[A-Za-z@]+|\\.|%[^\n]*\n?[ \t]*|[ \t\n\r]+|\$\$"
)
"""What is longer than a character."""
VERBATIM = frozenset(["verbatim", "verbatim*", "Verbatim", "lstlisting", "minted", "filecontents"])
PICTURES = frozenset(["tikzpicture", "axis", "scope", "circuitikz", "groupplot", "pgfpicture"])
TEXTS = frozenset([r"\text", r"\mbox", r"\textrm", r"\textbf", r"\textit", r"\intertext", r"\hbox"])
"""Commands whose argument is text, within mathematics, too."""
COLUMNS = (r"\end{tab", r"\end{array", r"\end{longtable")
"""Ends of what has a first argument that names columns, in which white space is skipped as in mathematics."""
DISPLAYS = frozenset(["equation", "equation*", "displaymath", "displaymath*"])
MATH = frozenset(
    f"{name}{star}"
    for name in (
        *(
            "math",
            "align",
            "alignat",
            "aligned",
            "alignedat",
            "flalign",
            "gather",
            "gathered",
            "multline",
        ),
        *(
            "eqnarray",
            "split",
            "array",
            "cases",
            "dcases",
            "subarray",
            "smallmatrix",
            "matrix",
            "pmatrix",
        ),
        *("bmatrix", "Bmatrix", "vmatrix", "Vmatrix", "subequations"),
    )
    for star in ("", "*")
)
SYNONYMS = {
    r"\le": r"\leq",
    r"\ge": r"\geq",
    r"\ne": r"\neq",
    r"\to": r"\rightarrow",
    r"\gets": r"\leftarrow",
    r"\land": r"\wedge",
    r"\lor": r"\vee",
    r"\lnot": r"\neg",
    r"\owns": r"\ni",
    r"\lbrace": r"\{",
    r"\rbrace": r"\}",
    r"\lbrack": "[",
    r"\rbrack": "]",
    r"\vert": "|",
    r"\lvert": "|",
    r"\rvert": "|",
    r"\Vert": r"\|",
    r"\lVert": r"\|",
    r"\rVert": r"\|",
    r"\boldsymbol": r"\bm",
    r"\dotsc": r"\ldots",
    r"\dotsb": r"\cdots",
    r"\iff": r"\Longleftrightarrow",
    r"\implies": r"\Longrightarrow",
    r"\hdots": r"\ldots",
    r"\sp": "^",
    r"\sb": "_",
}
"""Command → another one that draws the same."""
FRACTIONS = {r"\over": r"\frac", r"\choose": r"\binom"}
TALL = frozenset(
    f"\\{name}"
    for name in (
        *(
            "frac",
            "dfrac",
            "tfrac",
            "cfrac",
            "binom",
            "sum",
            "prod",
            "coprod",
            "int",
            "iint",
            "iiint",
            "oint",
        ),
        *(
            "bigcup",
            "bigcap",
            "bigoplus",
            "substack",
            "stackrel",
            "overset",
            "underset",
            "underbrace",
        ),
        *("overbrace", "sqrt"),
    )
)
"""Commands of what is taller than a line, or may be."""
WITH_ARGUMENT = frozenset(
    f"\\{name}"
    for name in (
        *(
            "mathrm",
            "mathbf",
            "mathit",
            "mathcal",
            "mathbb",
            "mathfrak",
            "mathsf",
            "mathtt",
            "text",
            "bm",
        ),
        *("hat", "bar", "tilde", "vec", "dot"),
    )
)
SCRIPTS = frozenset(["^", "_"])
EDGES = frozenset(["&", r"\\", r"\hline", r"\item", "\n\n"])
"""Tokens beside which white space is skipped."""
OPENING = {"$": ("$", "$"), r"\(": ("$", "$"), "$$": (r"\[", r"\]"), r"\[": (r"\[", r"\]")}
"""What begins mathematics → how that begins and ends when it is normalized."""
CLOSING = {"$": "$", r"\)": "$", "$$": r"\]", r"\]": r"\]", "}": "}"}
MARK = "\v"
"""Stands where white space is skipped, and is no part of the text."""
BLANK, LOOSE = " ", "\t"
"""White space of a text; and of a picture, where it only parts words."""


class _Group(list["str | _Group"]):
    """Tokens and groups in a row."""

    tall = False


@dataclass
class _Open:
    """A group, an environment or mathematics that has begun."""

    closing: str
    mode: Mode
    items: _Group = field(default_factory=_Group)


def normalize_tex(text: str) -> str:
    r"""Returns LaTeX in a form that is the same for codes that draw the same; see the module's text.

    It takes linear time, and never fails: what is not closed, or closes nothing, stays as it is.

    Args:
        text: a fragment or document; one longer than `MAX_LENGTH` is returned as it is.

    Raises:
        TypeError: it is not a string.

    >>> normalize_tex(r"${a \over b} + x_{2}^{ 3 } \le \left( y \right)$ % why")
    '$\\frac ab+x_2^3\\leq(y)$'
    >>> normalize_tex(r"\(\frac{a}{b}+x^3_2\leq (y)\)")
    '$\\frac ab+x_2^3\\leq(y)$'
    """
    check_types(str, text=text)
    if len(text) > MAX_LENGTH:
        return text
    stack = [_Open("", "text")]
    done = ended = 0
    for token in TOKEN.finditer(text):
        if token.start() < done:
            continue
        for sign in text[done : token.start()]:
            _token(stack, sign)
        said, edge, name = token[0], token[1], token[2]
        done = token.end()
        if said.isspace():
            if stack[-1].mode == "text":
                lines = said.count("\n") + (token.start() == ended)
                stack[-1].items.append("\n\n" if lines > 1 else BLANK)
            elif stack[-1].mode == "picture":
                stack[-1].items.append(LOOSE)
        elif edge == "begin" and name in VERBATIM:
            end = text.find(f"\\end{{{name}}}", done)
            done = end if end >= 0 else len(text)
            stack[-1].items.append(text[token.start() : done])
        elif edge:
            _environment(stack, edge, name)
        elif said[0] == "%":
            ended = done  # A comment takes the end of its line along: one more ends a paragraph.
        else:
            _token(stack, SYNONYMS.get(said, said) if stack[-1].mode == "math" else said)
    for sign in text[done:]:
        _token(stack, sign)
    while len(stack) > 1:
        _close(stack)
    return _join(_finish(stack[0]))


def _environment(stack: list[_Open], edge: str, name: str) -> None:
    if edge == "begin":
        display = name in DISPLAYS
        closing = r"\]" if display else f"\\end{{{name}}}"
        mode: Mode = "math" if display or name in MATH else stack[-1].mode
        mode = "picture" if name in PICTURES else mode
        stack[-1].items.append(r"\[" if display else f"\\begin{{{name}}}")
        stack[-1].items.tall = True
        stack.append(_Open(closing, mode))
        return
    closing = r"\]" if name in DISPLAYS else f"\\end{{{name}}}"
    if stack[-1].closing == closing:
        _close(stack)
    else:
        stack[-1].items.append(closing)


def _token(stack: list[_Open], said: str) -> None:
    top = stack[-1]
    if said.isalnum():
        top.items.append(said)
    elif said == "{":
        stack.append(_Open("}", _mode_of_argument(top)))
    elif CLOSING.get(said) == top.closing:
        _close(stack)
    elif said in OPENING and top.mode != "math":
        opening, closing = OPENING[said]
        top.items.append(opening)
        stack.append(_Open(closing, "math"))
    else:
        top.items.append(said)
        top.items.tall = top.items.tall or said in TALL


def _close(stack: list[_Open]) -> None:
    """Ends what has begun last, and appends it to what is around it."""
    closed = stack.pop()
    around = stack[-1].items
    names_columns = closed.closing == "}" and _begins_with_columns(stack[-1])
    items = _finish(closed)
    around.tall = around.tall or items.tall
    if closed.closing != "}":
        around += [items, closed.closing]
    elif _last(around) == r"\label":
        around.pop()
    elif len(items) == 1 and (
        isinstance(items[0], _Group) or _plain(items[0]) or _last(around) in SCRIPTS
    ):
        around.append(items[0])
    elif len(items) == 3 and items[0] in FRACTIONS.values() and not _takes(_last(around)):
        around += items
    else:
        group = _put_in_braces(items)
        group.tall = items.tall
        around.append(group)
    if names_columns:
        around.append(MARK)


def _begins_with_columns(top: _Open) -> bool:
    return top.closing.startswith(COLUMNS) and len(top.items) <= len("[t]")


def _mode_of_argument(top: _Open) -> Mode:
    if _begins_with_columns(top):
        return "math"
    return "text" if _last(top.items) in TEXTS or top.mode == "picture" else top.mode


def _last(items: _Group) -> str:
    """The token at the end, or "" where a group or nothing is."""
    return items[-1] if items and isinstance(items[-1], str) else ""


def _takes(token: str) -> bool:
    """Whether what comes next may be its script or argument."""
    return token in SCRIPTS or (token[:1] == "\\" and token[1:].isalpha())


def _plain(token: "str | _Group") -> bool:
    """Whether braces around a token change nothing."""
    return isinstance(token, str) and (
        (len(token) == 1 and token.isalnum())
        or (len(token) > 2 and token[0] == "\\" and token[1:].isalpha())
    )


def _put_in_braces(items: Sequence["str | _Group"]) -> _Group:
    return _Group(["{", *items, "}"])


def _finish(closed: _Open) -> _Group:
    if closed.mode != "math":
        return closed.items
    tall = closed.items.tall
    items = _with_fractions(_sort_scripts(_without_fences(closed.items)))
    items.tall = tall
    return items


def _without_fences(items: _Group) -> _Group:
    r"""Takes away each `\left` and `\right` around what is not tall."""
    if r"\left" not in items:
        return items
    gone: set[int] = set()
    begun: list[tuple[int, int]] = []
    tall = 0
    for place, item in enumerate(items):
        if item == r"\left":
            begun.append((place, tall))
        elif item == r"\right" and begun:
            start, before = begun.pop()
            if tall == before:
                for edge in (start, place):
                    gone.add(edge)
                    if items[edge + 1 : edge + 2] == ["."]:
                        gone.add(edge + 1)
        else:
            tall += item.tall if isinstance(item, _Group) else item in TALL
    return _Group(item for place, item in enumerate(items) if place not in gone)


def _sort_scripts(items: _Group) -> _Group:
    """Writes subscripts before superscripts, and primes as superscripts."""
    found = _Group()
    place = 0
    while place < len(items):
        if items[place] not in ("^", "_", "'"):
            found.append(items[place])
            place += 1
            continue
        scripts: dict[str, list[str | _Group]] = {"_": [], "^": []}
        while place < len(items) and items[place] in ("^", "_", "'"):
            sign = str(items[place])
            place += 1
            if sign == "'":
                scripts["^"].append(r"\prime")
                continue
            script = items[place : place + 1]
            if script and isinstance(script[0], str) and script[0] in WITH_ARGUMENT:
                script = [_put_in_braces(items[place : place + 2])]
                place += 1
            place += 1
            scripts[sign] += script
        for sign, script in scripts.items():
            if script:
                found += [sign, script[0] if len(script) == 1 else _put_in_braces(script)]
    return found


def _with_fractions(items: _Group) -> _Group:
    r"""Writes `a \over b` as `\frac{a}{b}`; of several in one group TeX can't tell which is meant, so they stay."""
    places = [at for at, item in enumerate(items) if item in (r"\over", r"\choose")]
    if len(places) != 1:
        return items
    (place,) = places
    sides = (items[:place], items[place + 1 :])
    return _Group(
        [
            FRACTIONS[str(items[place])],
            *(
                side[0] if len(side) == 1 and _plain(side[0]) else _put_in_braces(side)
                for side in sides
            ),
        ]
    )


def _flat(items: _Group) -> Iterator[str]:
    left = [iter(items)]
    while left:
        for item in left[-1]:
            if isinstance(item, str):
                yield item
            else:
                left.append(iter(item))
                break
        else:
            left.pop()


def _join(items: _Group) -> str:
    pieces: list[str] = []
    blank, marked = "", False
    for token in _flat(items):
        if token in (BLANK, LOOSE):
            blank = blank or token
            continue
        if token == MARK:
            marked = True
            continue
        before = pieces[-1] if pieces else "\n\n"
        word = before[0] == "\\" and before[-1].isalpha()
        words = before[-1].isalnum() and token[0].isalnum()
        edge = (
            word
            or marked
            or before in EDGES
            or token in EDGES
            or before[:5] in ("\\begi", "\\end{")
        )
        if (word and token[0].isalpha()) or (
            blank
            and not edge
            and not token.startswith((r"\begin", r"\end{"))
            and (blank == BLANK or words)
        ):
            pieces.append(" ")
        pieces.append(token)
        blank, marked = "", False
    return "".join(pieces).strip()
