r"""A formula as data: a tree, and the notation in which the grammar writes it.

The notation is the part of LaTeX's mathematics that every format of formulas can say.

>>> parse_formula(r"\frac{1}{n} x_i")
MathRow(parts=(Fraction(top=Glyph(name='1'), bottom=Glyph(name='n')), Scripted(base=Glyph(name='x'), lower=Glyph(name='i'), upper=None)))
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache


@dataclass(frozen=True)
class Glyph:
    """A letter, a number, an operator or a space.

    Args:
        name: the sign itself, or LaTeX's name of it without the backslash, such as ``alpha``.
    """

    name: str


@dataclass(frozen=True)
class MathRow:
    """Parts beside each other."""

    parts: "tuple[MathNode, ...]"


@dataclass(frozen=True)
class Fraction:
    """One part above another, with a rule between them."""

    top: "MathNode"
    bottom: "MathNode"


@dataclass(frozen=True)
class Binomial:
    """One part above another, in parentheses."""

    top: "MathNode"
    bottom: "MathNode"


@dataclass(frozen=True)
class Scripted:
    """A part with something below and above: indices and powers, or the limits of a large operator."""

    base: "MathNode"
    lower: "MathNode | None" = None
    upper: "MathNode | None" = None


@dataclass(frozen=True)
class Radical:
    """A root; a square root has no degree."""

    body: "MathNode"
    degree: "MathNode | None" = None


@dataclass(frozen=True)
class Delimited:
    """A part between delimiters, which are as high as it is.

    Args:
        left: a key of `DELIMITERS`.
        body: what stands between.
        right: a value of `DELIMITERS`.
    """

    left: str
    body: "MathNode"
    right: str


@dataclass(frozen=True)
class Decorated:
    """A part with an accent, a line or a brace.

    Args:
        mark: one of `MARKS`.
        body: what has it.
    """

    mark: str
    body: "MathNode"


@dataclass(frozen=True)
class Lettering:
    """Letters of another alphabet.

    Args:
        alphabet: one of `ALPHABETS`.
        letters: which.
    """

    alphabet: str
    letters: str


@dataclass(frozen=True)
class Phrase:
    """Words of a language."""

    text: str


@dataclass(frozen=True)
class Grid:
    """Rows of cells.

    Args:
        kind: one of `GRIDS`.
        rows: each as many cells as it has.
    """

    kind: str
    rows: "tuple[tuple[MathNode, ...], ...]"


MathNode = (
    Glyph
    | MathRow
    | Fraction
    | Binomial
    | Scripted
    | Radical
    | Delimited
    | Decorated
    | Lettering
    | Phrase
    | Grid
)

DELIMITERS = {
    "(": ")",
    "[": "]",
    "{": "}",
    "lvert": "rvert",
    "lVert": "rVert",
    "langle": "rangle",
    "lfloor": "rfloor",
    "lceil": "rceil",
}
MARKS = (
    *("hat", "tilde", "bar", "vec", "dot", "ddot", "widehat", "widetilde"),
    *("overline", "underline", "underbrace", "overbrace", "pmod"),
)
ALPHABETS = ("mathbb", "mathbf", "mathcal", "mathrm", "mathfrak", "operatorname")
GRIDS = ("matrix", "pmatrix", "bmatrix", "vmatrix", "cases", "aligned", "gathered")

RELATIONS = frozenset(
    [
        "=",
        ":",
        ":=",
        "<",
        ">",
        ":=",
        "le",
        "ge",
        "ne",
        "lt",
        "gt",
        "approx",
        "equiv",
        "sim",
        "cong",
        "propto",
        "ll",
        "gg",
        "in",
        "notin",
        "subset",
        "subseteq",
        "to",
        "mapsto",
        "mid",
        "Rightarrow",
        "implies",
        "iff",
        "perp",
        "parallel",
        "prec",
    ]
)
BINARIES = frozenset(
    [
        "+",
        "-",
        "*",
        "pm",
        "mp",
        "cdot",
        "times",
        "otimes",
        "oplus",
        "cup",
        "cap",
        "setminus",
        "circ",
        "wedge",
        "vee",
        "div",
        "ast",
    ]
)
LARGE = frozenset(["sum", "prod", "int", "iint", "oint", "bigcup", "bigcap", "bigoplus"])
FUNCTIONS = frozenset(
    [
        "sin",
        "cos",
        "tan",
        "cot",
        "sinh",
        "cosh",
        "tanh",
        "arcsin",
        "arctan",
        "log",
        "ln",
        "exp",
        "lim",
        "max",
        "min",
        "sup",
        "inf",
        "det",
        "dim",
        "ker",
        "gcd",
        "deg",
        "arg",
        "Pr",
        "limsup",
        "liminf",
    ]
)
PUNCTUATION = frozenset([",", ";"])
SPACES = frozenset(["thin", "quad", "qquad"])


def parse_formula(text: str) -> MathNode:
    r"""Returns the tree of a formula in the notation of the grammar.

    Raises:
        ValueError: it is not in that notation.

    >>> parse_formula(r"\sqrt[3]{x}")
    Radical(body=Glyph(name='x'), degree=Glyph(name='3'))
    >>> parse_formula("(x")
    Traceback (most recent call last):
    ValueError: '(x' ends before )
    """
    return _parse(text)


@lru_cache(maxsize=1024)
def _parse(text: str) -> MathNode:
    return _Parser(text).row(())


def split_notation(text: str) -> Iterator[str]:
    r"""Yields the tokens of a formula: commands, numbers, and single characters.

    >>> list(split_notation(r"\frac{12}{x} \\"))
    ['\\frac', '{', '12', '}', '{', 'x', '}', '\\\\']
    """
    start = 0
    while start < len(text):
        end = start + 1
        if text[start] == "\\":
            end += 1
            while text[start + 1].isalpha() and end < len(text) and text[end].isalpha():
                end += 1
        elif text[start].isdigit():
            while end < len(text) and (
                text[end].isdigit() or (text[end] == "." and text[end + 1 : end + 2].isdigit())
            ):
                end += 1
        elif text.startswith(":=", start):
            end += 1
        if not text[start].isspace():
            yield text[start:end]
        start = end


_CLOSING = frozenset(("}", "&", "\\\\", "\\end"))


class _Parser:
    """Reads one text; each method reads what it is named after, and returns it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = [*split_notation(text), ""]
        self.place = 0

    @property
    def next(self) -> str:
        return self.tokens[self.place]

    def take(self, expected: str = "") -> str:
        token = self.next
        if not token or (expected and token != expected):
            raise ValueError(f"{self.text!r} ends before {expected or 'something'}")
        self.place += 1
        return token

    def row(self, end: Sequence[str]) -> MathNode:
        parts: list[MathNode] = []
        while self.next and self.next not in end:
            if self.next in ("^", "_"):
                base = parts.pop()
                scripts = {"^": None, "_": None, **self.scripts()}
                parts.append(Scripted(base, scripts["_"], scripts["^"]))
            else:
                parts.append(self.part())
        return parts[0] if len(parts) == 1 else MathRow(tuple(parts))

    def scripts(self) -> dict[str, MathNode | None]:
        found: dict[str, MathNode | None] = {}
        while self.next in ("^", "_"):
            mark = self.take()
            if mark in found:
                raise ValueError(f"{self.text!r} has two scripts at one place")
            found[mark] = self.argument()
        return found

    def argument(self) -> MathNode:
        if self.next != "{":
            return self.part()
        self.take("{")
        body = self.row(("}",))
        self.take("}")
        return body

    def words(self) -> str:
        """Words are taken from the text, as blanks between them count."""
        self.take("{")
        letters = []
        while self.next != "}":
            letters.append(self.take())
        self.take("}")
        return "".join(letters)

    def part(self) -> MathNode:
        token = self.take()
        name = token.removeprefix("\\")
        if token in _CLOSING:
            raise ValueError(f"{self.text!r} has {token} in the wrong place")
        if token == "{":
            self.place -= 1
            return self.argument()
        if token in ("(", "[") or (token != name and name in DELIMITERS):
            return self.delimited(name)
        if token == "\\,":
            return Glyph("thin")
        if token == name:
            return Glyph(name)
        if name in ("frac", "binom"):
            top, bottom = self.argument(), self.argument()
            return Fraction(top, bottom) if name == "frac" else Binomial(top, bottom)
        if name == "sqrt":
            degree = None
            if self.next == "[":
                self.take()
                degree = self.row(("]",))
                self.take("]")
            return Radical(self.argument(), degree)
        if name in MARKS:
            return Decorated(name, self.argument())
        if name in ALPHABETS:
            return Lettering(name, self.words())
        if name == "text":
            return Phrase(self.words().replace("~", " "))
        if name == "begin":
            return self.grid(self.words())
        return Glyph(name)

    def delimited(self, left: str) -> MathNode:
        ends = [DELIMITERS[left]] if left not in ("(", "[") else [")", "]"]
        body = self.row([*ends, *(f"\\{end}" for end in ends)])
        if not self.next:
            raise ValueError(f"{self.text!r} ends before {ends[0]}")
        return Delimited(left, body, self.take().removeprefix("\\"))

    def grid(self, kind: str) -> MathNode:
        rows: list[list[MathNode]] = [[]]
        while True:
            rows[-1].append(self.row(("&", "\\\\", "\\end")))
            token = self.take()
            if token == "\\\\":
                rows.append([])
            elif token == "\\end":
                self.words()
                return Grid(kind, tuple(map(tuple, rows)))


def children_of(node: MathNode) -> list[MathNode]:
    """Returns the nodes right below one, in the order in which they are read."""
    if isinstance(node, Grid):
        return [cell for row in node.rows for cell in row]
    if isinstance(node, MathRow):
        return [*node.parts]
    if isinstance(node, Radical) and node.degree is not None:
        return [node.degree, node.body]
    values = (getattr(node, field.name) for field in fields(node))
    return [value for value in values if value is not None and not isinstance(value, str)]


def find_phrases(node: MathNode) -> list[str]:
    r"""Returns the words in a formula.

    >>> find_phrases(parse_formula(r"x \text{for~all} y"))
    ['for all']
    """
    if isinstance(node, Phrase):
        return [node.text]
    return [text for child in children_of(node) for text in find_phrases(child)]


def is_tall(node: MathNode) -> bool:
    r"""Says whether delimiters around it have to grow.

    >>> [is_tall(parse_formula(text)) for text in (r"x^2", r"1 + \frac{1}{x}")]
    [False, True]
    """
    if isinstance(node, Scripted) and not (
        isinstance(node.base, Glyph) and node.base.name in LARGE
    ):
        return is_tall(node.base)
    if isinstance(node, Fraction | Binomial | Grid | Scripted | Radical):
        return True
    return any(map(is_tall, children_of(node)))


def width_of(node: MathNode) -> float:
    r"""Estimates how wide a formula is, in em.

    >>> width_of(parse_formula("x + 1")) > width_of(parse_formula("x"))
    True
    """
    if isinstance(node, Glyph):
        name = node.name
        if name in RELATIONS or name in BINARIES:
            return 1.4
        if name in FUNCTIONS or name.isdigit():
            return 0.5 * len(name) + 0.2 * (not name.isdigit())
        return {"thin": 0.2, "quad": 1.0, "qquad": 2.0, "sum": 1.7, "prod": 1.5}.get(name, 0.6)
    if isinstance(node, Phrase):
        return sum(0.5 if ord(sign) < 0x2E80 else 1.0 for sign in node.text) + 0.5
    if isinstance(node, Lettering):
        return 0.6 * len(node.letters)
    if isinstance(node, Fraction | Binomial):
        return max(width_of(node.top), width_of(node.bottom)) + 0.3
    if isinstance(node, Scripted):
        scripts = [0.75 * width_of(script) for script in (node.lower, node.upper) if script]
        base = width_of(node.base)
        if isinstance(node.base, Glyph) and node.base.name in LARGE | FUNCTIONS:
            return max(base, *scripts) if "int" not in node.base.name else base + max(scripts)
        return base + max(scripts)
    if isinstance(node, Grid):
        columns = [
            max(width_of(row[place]) for row in node.rows if place < len(row))
            for place in range(max(map(len, node.rows)))
        ]
        return sum(columns) + (0 if node.kind == "aligned" else 1.0) * len(columns)
    return sum(map(width_of, children_of(node))) + (0.8 if not isinstance(node, MathRow) else 0)
