"""Formulas, as LaTeX, Typst and Markdown write them."""

from helm_structext.scenes.formula.latex import write_latex
from helm_structext.scenes.formula.markdown import write_markdown
from helm_structext.scenes.formula.scene import TYPES, FormulaScene, draw_formula
from helm_structext.scenes.formula.typst import write_typst
from helm_structext.scenes.scene import SceneKind

NOT_IN_LATEX = ("el", "ru")
"""Languages whose words pdfTeX can't write everywhere: it has no upright Greek, and Cyrillic only after `make tex`."""


def says_words(scene: FormulaScene, format: str) -> bool:
    """Says that a format has letters for a formula's words."""
    return format != "latex" or scene.language not in NOT_IN_LATEX or not scene.texts


KIND = SceneKind(
    "formula",
    TYPES,
    draw_formula,
    {"latex": write_latex, "typst": write_typst, "markdown": write_markdown},
    says_words,
)
