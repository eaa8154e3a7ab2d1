"""Formulas in Markdown, as GitHub shows them."""

from random import Random

from helm_structext.scenes.formula.latex import LatexMath
from helm_structext.scenes.formula.scene import FormulaScene


def write_markdown(scene: FormulaScene, rng: Random) -> str:
    """Writes a formula between dollars, or as a block of the language math.

    >>> from helm_structext.scenes.formula.scene import draw_formula
    >>> code = write_markdown(draw_formula(Random(1), "easy", "en"), Random(1))
    >>> code.startswith(("$$", "```math"))
    True
    """
    body = LatexMath(rng).write(scene.tree)
    begin, end = rng.choice((("$$", "$$"), ("$$", "$$"), ("```math", "```")))
    if begin == "$$" and "\n" not in body and len(body) < 70 and rng.random() < 0.4:
        return f"$${body}$$\n"
    return f"{begin}\n{body}\n{end}\n"
