"""Formulas in Typst."""

from collections.abc import Sequence
from random import Random

from helm_structext.scenes.formula.latex import indent_lines, is_open
from helm_structext.scenes.formula.scene import FormulaScene
from helm_structext.scenes.formula.tree import (
    FUNCTIONS,
    PUNCTUATION,
    Binomial,
    Decorated,
    Delimited,
    Fraction,
    Glyph,
    Grid,
    Lettering,
    MathNode,
    MathRow,
    Phrase,
    Radical,
    Scripted,
)

SIGNS = {
    "le": "<=",
    "ge": ">=",
    "ne": "!=",
    "lt": "<",
    "gt": ">",
    "sim": "tilde.op",
    "cong": "tilde.equiv",
    "propto": "prop",
    "ll": "<<",
    "gg": ">>",
    "notin": "in.not",
    "subseteq": "subset.eq",
    "to": "->",
    "mapsto": "|->",
    "mid": "divides",
    "Rightarrow": "=>",
    "implies": "==>",
    "iff": "<==>",
    "pm": "plus.minus",
    "mp": "minus.plus",
    "cdot": "dot.c",
    "otimes": "times.o",
    "oplus": "plus.o",
    "cup": "union",
    "cap": "inter",
    "setminus": "without",
    "circ": "compose",
    "prod": "product",
    "int": "integral",
    "iint": "integral.double",
    "oint": "integral.cont",
    "bigcup": "union.big",
    "bigcap": "inter.big",
    "infty": "infinity",
    "hbar": "planck",
    "varepsilon": "epsilon",
    "epsilon": "epsilon.alt",
    "varphi": "phi",
    "phi": "phi.alt",
    "cdots": "dots.c",
    "ldots": "dots",
    "vdots": "dots.v",
    "ddots": "dots.down",
    "/": "\\/",
}
"""Names of signs to what Typst calls them, where that differs."""

MARKS = {
    "bar": "macron",
    "vec": "arrow",
    "ddot": "dot.double",
    "widehat": "hat",
    "widetilde": "tilde",
}
GREEK = frozenset(
    [
        "alpha",
        "beta",
        "gamma",
        "delta",
        "varepsilon",
        "eta",
        "theta",
        "kappa",
        "lambda",
        "mu",
        "nu",
        "xi",
        "rho",
        "sigma",
        "tau",
        "phi",
        "varphi",
        "psi",
        "omega",
        "Gamma",
        "Lambda",
        "Phi",
        "Psi",
        "Omega",
    ]
)
PAIRS = {"lvert": "abs", "lVert": "norm", "lfloor": "floor", "lceil": "ceil"}
ALPHABETS = {
    "mathbb": "bb({})",
    "mathbf": "upright(bold({}))",
    "mathcal": "cal({})",
    "mathrm": "upright({})",
    "mathfrak": "frak({})",
    "operatorname": 'op("{}")',
}
FONTS = '("New Computer Modern Math", "WenQuanYi Micro Hei")'
MATRICES = {"pmatrix": "", "bmatrix": '"["', "vmatrix": '"|"', "matrix": "#none"}


def write_typst(scene: FormulaScene, rng: Random) -> str:
    """Writes a formula as a page that is as large as it.

    >>> from helm_structext.scenes.formula.scene import draw_formula
    >>> code = write_typst(draw_formula(Random(1), "easy", "en"), Random(1))
    >>> "#set page(" in code and code.endswith("$\\n")
    True
    """
    margin = rng.choice(("10pt", "12pt", "1em", "0.5cm", "5mm"))
    sizes = ["width: auto", "height: auto"]
    rng.shuffle(sizes)
    body = TypstMath(rng).write(scene.tree)
    long = "\n" in body or len(body) > 80
    body = f"\n{indent_lines(body, '  ')}\n" if long else f" {body} "
    rules = f"#set page({', '.join(sizes)}, margin: {margin})\n"
    if scene.language in ("zh", "ja") and scene.texts:
        rules += f"#show math.equation: set text(font: {FONTS})\n"
    return f"{rules}\n${body}$\n"


class TypstMath:
    """One person's way to write mathematics.

    Args:
        rng: the lot that decides on it.
    """

    def __init__(self, rng: Random) -> None:
        self.slashes = rng.random() < 0.6
        self.upper_first = rng.random() < 0.15
        self.bars = rng.random() < 0.3
        self.shorthands = rng.random() < 0.7

    def write(self, node: MathNode) -> str:
        """Returns a node's code."""
        match node:
            case Glyph(name):
                return "oo" if name == "infty" and self.shorthands else SIGNS.get(name, name)
            case MathRow(parts):
                return self.row(parts)
            case Fraction(top, bottom):
                return self.fraction(top, bottom)
            case Binomial(top, bottom):
                return f"binom({self.argument(top)}, {self.argument(bottom)})"
            case Scripted(Decorated("underbrace" | "overbrace" as brace, body), lower, upper):
                label = lower or upper
                assert label is not None
                return f"{brace}({self.argument(body)}, {self.argument(label)})"
            case Scripted(base, lower, upper):
                scripts = [("_", lower), ("^", upper)]
                if self.upper_first:
                    scripts.reverse()
                return self.base(base) + "".join(
                    mark + self.script(script) for mark, script in scripts if script is not None
                )
            case Radical(body, degree):
                if degree is None:
                    return f"sqrt({self.argument(body)})"
                return f"root({self.argument(degree)}, {self.argument(body)})"
            case Delimited():
                return self.delimited(node)
            case Decorated("pmod", body):
                return f"quad (mod {self.write(body)})"
            case Decorated(mark, body):
                return f"{MARKS.get(mark, mark)}({self.argument(body)})"
            case Lettering("mathbb", letters) if self.shorthands and len(letters) == 1:
                return letters * 2
            case Lettering(alphabet, letters):
                return ALPHABETS[alphabet].format(letters)
            case Phrase(text):
                return f'"{text}"'
            case Grid():
                return self.grid(node)

    def argument(self, node: MathNode) -> str:
        """Returns what stands between commas: commas of its own have a backslash."""
        if isinstance(node, MathRow):
            parts = [Glyph("\\,") if part == Glyph(",") else part for part in node.parts]
            return self.row(parts)
        return self.write(node)

    def fraction(self, top: MathNode, bottom: MathNode) -> str:
        if self.slashes and not any(isinstance(part, Delimited) for part in (top, bottom)):
            above, below = (
                self.write(part) if is_single(part) else f"({self.write(part)})"
                for part in (top, bottom)
            )
            return f"{above}/{below}"
        return f"frac({self.argument(top)}, {self.argument(bottom)})"

    def base(self, node: MathNode) -> str:
        code = self.write(node)
        return f"({code})" if isinstance(node, MathRow) else code

    def script(self, node: MathNode) -> str:
        code = self.write(node)
        single = isinstance(node, Glyph) and (code.isalnum() or code in "+*")
        return code if single or isinstance(node, Lettering) else f"({code})"

    def row(self, parts: Sequence[MathNode]) -> str:
        code = ""
        before: MathNode | None = None
        unary = False
        for part in parts:
            written = self.write(part)
            close = (
                not code
                or (isinstance(part, Glyph) and part.name in {*PUNCTUATION, "\\,", "'", "!"})
                or (isinstance(part, Delimited) and written[0] in "([" and takes_arguments(before))
                or unary
            )
            code = f"{code}{written}" if close else f"{code} {written}"
            unary = part == Glyph("-") and (before is None or is_open(before))
            before = part
        return code

    def delimited(self, node: Delimited) -> str:
        body = self.write(node.body)
        if node.left in PAIRS:
            if node.left == "lvert" and self.bars:
                return f"|{body}|"
            return f"{PAIRS[node.left]}({self.argument(node.body)})"
        if node.left == "langle":
            return f"lr(chevron.l {body} chevron.r)"
        return f"{node.left}{body}{node.right}"

    def grid(self, node: Grid) -> str:
        if node.kind in ("aligned", "gathered"):
            rows = [" &".join(map(self.write, row)).strip() for row in node.rows]
            return " \\\n".join(rows)
        if node.kind == "cases":
            rows = [" &quad ".join(map(self.argument, row)) for row in node.rows]
            lines = indent_lines(",\n".join(rows), "  ")
            return f"cases(\n{lines},\n)"
        rows = [", ".join(map(self.argument, row)) for row in node.rows]
        delim = MATRICES[node.kind]
        name = "vec" if all(len(row) == 1 for row in node.rows) else "mat"
        joint = ", " if name == "vec" else "; "
        head = f"delim: {delim}, " if delim else ""
        if sum(map(len, rows)) < 40:
            return f"{name}({head}{joint.join(rows)})"
        lines = f"{joint.strip()}\n".join(rows)
        first = f"\n  {head.strip()}" if head else ""
        return f"{name}({first}\n{indent_lines(lines, '  ')}{joint.strip()}\n)"


def is_single(node: MathNode) -> bool:
    """Says whether a slash takes a node as one operand."""
    if isinstance(node, Scripted):
        return isinstance(node.base, Glyph) and is_single(node.base)
    return isinstance(node, Radical) or (isinstance(node, Glyph) and node.name.isalnum())


def takes_arguments(node: MathNode | None) -> bool:
    """Says whether parentheses right behind it are those of a function."""
    return isinstance(node, Glyph) and (
        node.name in {*FUNCTIONS, *GREEK, "'"} or (len(node.name) == 1 and node.name.isalpha())
    )
