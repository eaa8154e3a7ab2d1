"""How well mistakes that are planted in formulas are found, and how many pairs of formulas are compared in a second.

Formulas of generated scenes are drawn in LaTeX, Typst and Markdown, each once as it is and once with one mistake. A
mistake is found where a finding has a kind that it should have; a finding is right where its kind is one of them.

    python benchmarks/formula_pairs.py --scenes 12
"""

import argparse
import json
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from random import Random
from typing import Any

from helm_structext.errors import RenderError
from helm_structext.findings.formula import compare_symbols, is_formula
from helm_structext.layouts import PictureLayout
from helm_structext.metrics.formula import formula_scores, match_symbols
from helm_structext.renderers import render
from helm_structext.scenes.formula import KIND
from helm_structext.scenes.formula.scene import FormulaScene, draw_formula
from helm_structext.scenes.formula.tree import Decorated, Fraction, Glyph, Grid, MathRow, Scripted
from helm_structext.scenes.mistakes import Place, put, values_of
from helm_structext.scenes.scene import LEVELS

OTHERS: Mapping[str, Mapping[str, str]] = {
    "number changed": dict(zip("0123456789", "1234567890", strict=True)),
    "letter changed": dict(
        zip("abcdefghijklmnopqrstuvwxyz", "bcdefghijklmnopqrstuvwxyza", strict=True)
    ),
    "operator changed": {
        "+": "-",
        "-": "+",
        "=": "<",
        "le": "ge",
        "sum": "prod",
        "cdot": "+",
        "in": "=",
    },
}
ACCENTS = {"hat": "tilde", "tilde": "bar", "bar": "hat", "vec": "hat", "dot": "ddot", "ddot": "dot"}
Wrong = Iterator[tuple[Place, Any]]


def exchange_sign(others: Mapping[str, str]) -> Callable[[Any], Iterator[Any]]:
    """A function from a node to it with another sign."""

    def exchange(node: Any) -> Iterator[Any]:
        if isinstance(node, Glyph) and node.name in others:
            yield Glyph(others[node.name])

    return exchange


def exchange_accent(node: Any) -> Iterator[Any]:
    """Another mark."""
    if isinstance(node, Decorated) and node.mark in ACCENTS:
        yield replace(node, mark=ACCENTS[node.mark])


def lose_script(node: Any) -> Iterator[Any]:
    """An exponent or index less."""
    if isinstance(node, Scripted) and node.upper:
        yield node.base if node.lower is None else replace(node, upper=None)


def turn_script(node: Any) -> Iterator[Any]:
    """An exponent that becomes an index, or the other way round."""
    if isinstance(node, Scripted) and (node.upper is None) != (node.lower is None):
        yield replace(node, upper=node.lower, lower=node.upper)


def level_script(node: Any) -> Iterator[Any]:
    """An exponent that becomes a factor."""
    if isinstance(node, Scripted) and node.upper and node.lower is None:
        yield MathRow((node.base, node.upper))


def lose_row(node: Any) -> Iterator[Any]:
    """A row of a matrix or of lines less."""
    if isinstance(node, Grid) and len(node.rows) > 1:
        yield replace(node, rows=node.rows[:-1])


def lose_part(node: Any) -> Iterator[Any]:
    """The last part of a row less."""
    if isinstance(node, MathRow) and len(node.parts) > 2:
        yield MathRow(node.parts[:-1])


def turn_fraction(node: Any) -> Iterator[Any]:
    """A fraction upside down."""
    if isinstance(node, Fraction) and node.top != node.bottom:
        yield Fraction(node.bottom, node.top)


MISTAKES: Mapping[str, tuple[Callable[[Any], Iterator[Any]], tuple[str, ...]]] = {
    **{
        name: (exchange_sign(others), ("symbol wrong", "symbol missing", "symbol extra"))
        for name, others in OTHERS.items()
    },
    "accent changed": (exchange_accent, ("symbol wrong",)),
    "exponent lost": (lose_script, ("symbol missing",)),
    "exponent lower": (turn_script, ("symbol moved",)),
    "exponent level": (level_script, ("symbol moved",)),
    "row lost": (lose_row, ("symbol missing",)),
    "term lost": (lose_part, ("symbol missing",)),
    "fraction turned": (turn_fraction, ("symbol moved", "symbol wrong")),
}
"""What is planted → how, and kinds of findings that say so."""


def plant(scene: FormulaScene, kind: str, rng: Random) -> FormulaScene | None:
    """A scene with one mistake, or None where it has no place for it."""
    wrong = [
        put(scene.tree, place, changed)
        for place, node in values_of(scene.tree)
        for changed in MISTAKES[kind][0](node)
    ]
    return replace(scene, tree=rng.choice(wrong)) if wrong else None


def draw(format: str, scene: FormulaScene) -> tuple[str, PictureLayout | None]:
    """The code of a scene, and what is on its picture."""
    code = KIND.writers[format](scene, Random(0))
    try:
        return code, render(format, code, protocol="corrected", layout=True).layout
    except RenderError:
        return code, None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scenes", type=int, default=12, help="formulas of each format")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--formats", nargs="+", default=[*KIND.writers])
    parser.add_argument("--show", action="store_true", help="print what is not as it should be")
    options = parser.parse_args()
    for format in options.formats:
        print(json.dumps({"format": format, **measure(format, options)}), flush=True)


def measure(format: str, options: argparse.Namespace) -> dict[str, Any]:
    """What is found in one format, and how fast."""
    rng = Random(options.seed)
    hits: defaultdict[str, Counter[str]] = defaultdict(Counter)
    seconds, pairs, oracles = 0.0, 0, []
    for _ in range(options.scenes):
        scene = draw_formula(rng, rng.choice(LEVELS), "en")
        right_code, right = draw(format, scene)
        if right is None:
            continue
        oracles.append(formula_scores(right, replace(right))["formula_f1"] or 0.0)
        hits["formulas"].update(of=1, found=is_formula(right))
        for kind, (_, expected) in MISTAKES.items():
            wrong_scene = plant(scene, kind, rng)
            if not wrong_scene or (drawn := draw(format, wrong_scene))[0] == right_code:
                continue
            code, wrong = drawn
            if wrong is None:
                continue
            match_symbols.cache_clear()
            start = time.perf_counter()
            compared = compare_symbols(wrong, right)
            seconds, pairs = seconds + time.perf_counter() - start, pairs + 1
            kinds = [one.kind for one in compared.findings] if compared else []
            found = any(one in expected for one in kinds)
            good = sum(one in expected for one in kinds)
            hits[kind].update(of=1, found=found, findings=len(kinds), right=good)
            if options.show and (not found or good < len(kinds)):
                said = "; ".join(compared.clauses) if compared else "no formula"
                print(f"# {kind}: {said}\n{right_code}\n{code}")
    return {
        "oracle": min(oracles),
        "pairs": pairs,
        "pairs a second": round(pairs / seconds),
        **{
            kind: {
                "of": counts["of"],
                "recall": round(counts["found"] / counts["of"], 3),
                **(
                    {"precision": round(counts["right"] / counts["findings"], 3)}
                    if counts["findings"]
                    else {}
                ),
            }
            for kind, counts in hits.items()
        },
    }


if __name__ == "__main__":
    main()
