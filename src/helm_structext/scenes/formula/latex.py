r"""Formulas in LaTeX's mathematics, as amsmath and KaTeX have it."""

from collections.abc import Sequence
from random import Random

from helm_structext.scenes.formula.scene import FormulaScene
from helm_structext.scenes.formula.tree import (
    BINARIES,
    LARGE,
    PUNCTUATION,
    RELATIONS,
    SPACES,
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
    is_tall,
)

SYNONYMS = {
    "le": ("\\le", "\\leq"),
    "ge": ("\\ge", "\\geq"),
    "ne": ("\\ne", "\\neq"),
    "lt": ("<",),
    "gt": (">",),
    "to": ("\\to", "\\rightarrow"),
    "in": ("\\in",),
    "thin": ("\\,",),
    "cdots": ("\\cdots", "\\dotsb"),
}
"""Names of signs to ways to write them, where that is not the name with a backslash alone."""


def write_latex(scene: FormulaScene, rng: Random) -> str:
    r"""Writes a formula as a display without a preamble.

    >>> from helm_structext.scenes.formula.scene import draw_formula
    >>> code = write_latex(draw_formula(Random(1), "easy", "en"), Random(1))
    >>> code.startswith(("$$", "\\[", "\\begin{"))
    True
    """
    environment = rng.choice(("equation", "equation*", "displaymath", "", "", "$$"))
    style = LatexMath(rng)
    if isinstance(scene.tree, Grid) and scene.tree.kind in ("aligned", "gathered"):
        outer = {"aligned": "align", "gathered": "gather"}[scene.tree.kind]
        if rng.random() < 0.7:
            return style.write_grid(scene.tree, outer + rng.choice(("", "*"))) + "\n"
    begin, end = {"$$": ("$$", "$$"), "": ("\\[", "\\]")}.get(
        environment, (f"\\begin{{{environment}}}", f"\\end{{{environment}}}")
    )
    body = style.write(scene.tree)
    if rng.random() < 0.5 or "\n" in body or len(body) > 70:
        body = indent_lines(body, "  " if rng.random() < 0.7 else "")
        return f"{begin}\n{body}\n{end}\n"
    blank = "" if begin == "$$" or rng.random() < 0.3 else " "
    return f"{begin}{blank}{body}{blank}{end}\n"


def indent_lines(text: str, blanks: str) -> str:
    r"""Returns a text with blanks before each line that is not empty.

    >>> indent_lines("a\nb", "  ")
    '  a\n  b'
    """
    return "\n".join(f"{blanks}{line}" if line else line for line in text.split("\n"))


class LatexMath:
    """One person's way to write mathematics.

    Args:
        rng: the lot that decides on it.
    """

    def __init__(self, rng: Random) -> None:
        self.signs = {name: rng.choice(ways) for name, ways in SYNONYMS.items()}
        self.braced = rng.random() < 0.3
        self.airy = rng.random() < 0.7
        self.bars = rng.random() < 0.5
        self.upper_first = rng.random() < 0.1
        self.indent = rng.choice(("  ", "  ", "    ", ""))

    def write(self, node: MathNode) -> str:
        """Returns a node's code."""
        match node:
            case Glyph(name):
                return self.sign(name)
            case MathRow(parts):
                return self.row(parts)
            case Fraction(top, bottom):
                return f"\\frac{{{self.write(top)}}}{{{self.write(bottom)}}}"
            case Binomial(top, bottom):
                return f"\\binom{{{self.write(top)}}}{{{self.write(bottom)}}}"
            case Scripted(base, lower, upper):
                scripts = [("_", lower), ("^", upper)]
                if self.upper_first:
                    scripts.reverse()
                return self.base(base) + "".join(
                    mark + self.script(script) for mark, script in scripts if script is not None
                )
            case Radical(body, degree):
                index = "" if degree is None else f"[{self.write(degree)}]"
                return f"\\sqrt{index}{{{self.write(body)}}}"
            case Delimited():
                return self.delimited(node)
            case Decorated(mark, body):
                return f"\\{mark}{{{self.write(body)}}}"
            case Lettering(alphabet, letters):
                return f"\\{alphabet}{{{letters}}}"
            case Phrase(text):
                return f"\\text{{{text}}}"
            case Grid(kind):
                return self.write_grid(node, kind)

    def sign(self, name: str) -> str:
        command = name if len(name) == 1 or name[0].isdigit() or name == ":=" else f"\\{name}"
        return self.signs.get(name, command)

    def base(self, node: MathNode) -> str:
        code = self.write(node)
        return f"{{{code}}}" if isinstance(node, Fraction | Scripted | MathRow) else code

    def script(self, node: MathNode) -> str:
        code = self.write(node)
        short = isinstance(node, Glyph) and (
            len(code) == 1 or (code[0] == "\\" and not self.braced)
        )
        return code if short and not self.braced else f"{{{code}}}"

    def row(self, parts: Sequence[MathNode]) -> str:
        """Relations and operators between operands have blanks around them."""
        code = ""
        before: MathNode | None = None
        minus = False
        for place, part in enumerate(parts):
            written = self.write(part)
            name = part.name if isinstance(part, Glyph) else ""
            unary = name in BINARIES and (before is None or is_open(before))
            if isinstance(part, Phrase):
                left = " " if before is not None and not is_space(before) else ""
                right = " " if place + 1 < len(parts) and not is_space(parts[place + 1]) else ""
                code = f"{code.rstrip()} \\text{{{left}{part.text}{right}}}".lstrip()
            elif (name in RELATIONS or name in BINARIES) and not unary and len(parts) > 1:
                code = f"{code.rstrip()} {written} "
            elif name in PUNCTUATION:
                code = f"{code.rstrip()}{written} "
            elif name in SPACES:
                code = f"{code.rstrip()} {written} "
            elif (
                (code and ends_command(code) and written[0].isalnum())
                or (isinstance(before, Scripted) and is_large(before))
                or (self.airy and before is not None and not minus and is_command(written, code))
            ):
                code = f"{code.rstrip()} {written}"
            else:
                code += written
            minus = unary
            before = part
        return code.strip()

    def delimited(self, node: Delimited) -> str:
        body = self.write(node.body)
        left, right = self.delimiter(node.left), self.delimiter(node.right)
        if is_tall(node.body):
            left, right = f"\\left{left}", f"\\right{right}"
            return f"{left} {body} {right}"
        gap = " " if ends_command(left) or len(left) > 1 else ""
        return f"{left}{gap}{body}{gap}{right}"

    def delimiter(self, name: str) -> str:
        if name in "()[]":
            return name
        if self.bars and name in ("lvert", "rvert", "lVert", "rVert"):
            return "|" if name.endswith("vert") and name[1] == "v" else "\\|"
        return f"\\{name}"

    def write_grid(self, node: Grid, environment: str) -> str:
        """Returns rows in an environment."""
        rows = [" & ".join(map(self.write, row)).strip() for row in node.rows]
        rows = [row.replace("& =", "&=") for row in rows]
        inline = node.kind.endswith("matrix") and sum(map(len, rows)) < 40
        if inline:
            body = " \\\\ ".join(rows)
            return f"\\begin{{{environment}}} {body} \\end{{{environment}}}"
        body = indent_lines(" \\\\\n".join(rows), self.indent)
        return f"\\begin{{{environment}}}\n{body}\n\\end{{{environment}}}"


def is_open(node: MathNode) -> bool:
    """Says whether a sign behind it has no operand on its left."""
    return isinstance(node, Glyph) and node.name in {
        *RELATIONS,
        *BINARIES,
        *PUNCTUATION,
        *SPACES,
    }


def is_space(node: MathNode) -> bool:
    """Says whether a node is a space."""
    return isinstance(node, Glyph) and node.name in SPACES


def is_large(node: Scripted) -> bool:
    """Says whether a node is a large operator with limits."""
    return isinstance(node.base, Glyph) and node.base.name in {*LARGE, "lim", "max", "min"}


def is_command(code: str, before: str) -> bool:
    """Says whether a command stands beside what is not a single sign."""
    return code[0] == "\\" or (before.endswith("}") and code[0].isalnum())


def ends_command(code: str) -> bool:
    r"""Says whether a letter behind it would belong to its last command.

    >>> [ends_command(code) for code in (r"\alpha", r"\frac{1}{x}", "x")]
    [True, False, False]
    """
    letters = len(code) - len(code.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"))
    return 0 < letters < len(code) and code[-letters - 1] == "\\"
