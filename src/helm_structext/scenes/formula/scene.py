"""Formulas: a tree each, drawn from a grammar."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import yaml

from helm_structext.scenes.formula.tree import (
    MathNode,
    find_phrases,
    parse_formula,
    split_notation,
    width_of,
)
from helm_structext.scenes.scene import Level, Scene, read_words

TYPES = ("fraction", "sum", "matrix", "cases", "aligned", "accents", "mixed")
MAX_WIDTH = 32.0
"""In em: a line of LaTeX's article has 34, Markdown's page 40."""


@dataclass(frozen=True, kw_only=True)
class FormulaScene(Scene):
    """A formula on a line of its own.

    Args:
        tree: what it says.
    """

    tree: MathNode

    @property
    def texts(self) -> Sequence[str]:
        """Its words; signs are not read as texts."""
        return find_phrases(self.tree)


def draw_formula(rng: Random, level: Level, language: str) -> FormulaScene:
    """Draws a formula by lot.

    >>> scene = draw_formula(Random(4), "easy", "en")
    >>> scene == draw_formula(Random(4), "easy", "en")
    True
    """
    type = rng.choice(TYPES)
    tree = draw_tree(rng, type, level, language)
    return FormulaScene(type=type, language=language, level=level, tree=tree)


def draw_tree(
    rng: Random, type: str, level: Level, language: str, max_width: float = MAX_WIDTH
) -> MathNode:
    """Draws the tree of a formula by lot.

    Args:
        rng: the lot.
        type: one of `TYPES`.
        level: how large it is.
        language: of its words.
        max_width: in em; wider formulas are drawn anew.
    """
    while True:
        pattern = rng.choice(_grammar()["types"][type][level])
        tree = parse_formula(fill_pattern(rng, pattern, language))
        if width_of(tree) <= max_width:
            return tree


def fill_pattern(rng: Random, pattern: str, language: str) -> str:
    r"""Returns a pattern of the grammar with its holes filled by lot.

    Letters differ from each other, and from those that the pattern has itself.

    >>> fill_pattern(Random(1), r"<otherwise> <5..5>", "de")
    '\\text{sonst} 5'
    """
    grammar, words = _grammar(), read_words("formula", language)
    letters: dict[str, str] = {}
    left: dict[str, list[str]] = {}
    taken = {*split_notation(pattern)}

    def fill(hole: str) -> str:
        name, _, rest = hole.partition(" ")
        if name in letters:
            return letters[name]
        if name in grammar["names"]:
            free = [letter for letter in grammar["names"][name] if letter not in taken]
            letters[name] = rng.choice(free or grammar["names"][name])
            taken.add(letters[name])
            return letters[name]
        if name in words:
            return str(words[name]).replace("{}", rest, 1)
        first, dots, last = name.partition("..")
        if dots:
            return str(rng.randint(int(first), int(last)))
        waiting = left.get(name) or [*grammar["rules"][name]]
        chosen = waiting.pop(rng.randrange(len(waiting)))
        left[name] = waiting
        return chosen

    while (end := pattern.find(">")) >= 0:
        start = pattern.rindex("<", 0, end)
        filled = fill(pattern[start + 1 : end])
        pattern = pattern[:start] + filled + pattern[end + 1 :]
    return pattern


@cache
def _grammar() -> Mapping[str, Any]:
    found: dict[str, Any] = yaml.safe_load(
        (Path(__file__).parent / "grammar.yaml").read_text(encoding="utf-8")
    )
    return found
