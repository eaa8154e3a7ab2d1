"""What is wrong with a formula: `helm_structext.metrics.formula` by name and place."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from helm_structext.findings.kinds import (
    Comparison,
    PictureFinding,
    count_too_many,
    in_order,
    quote_text,
    worst_by_kind,
)
from helm_structext.layouts import (
    RULE,
    SHAPE,
    PictureLayout,
    PixelBox,
    SymbolBox,
    box_around,
    middle_of,
)
from helm_structext.metrics.formula import SymbolMatch, formula_scores, match_symbols
from helm_structext.metrics.formula_signs import name_symbol

SHARE = 0.2
"""Of what is to be read on a picture, what at least is set as formulas are, where it is one."""
MATH_FONTS = ("cmmi", "cmsy", "cmex", "msam", "msbm", "euf", "math", "katex", "rsfs", "stix")
"""Parts of the names of fonts that only formulas have."""
SIGNS = frozenset("+=<>±×÷∑∫√≤≥≠∞∂∈→")
"""Signs of formulas, which TeX takes from fonts of texts."""
NEIGHBORS = 2
"""Symbols before and behind one that are quoted with it."""
LOWER, HIGHER = 0.1, -0.1
"""In sizes of the font: from where on a smaller symbol is an index or an exponent."""
SMALLER = 0.9
NAMES = {RULE: "line", SHAPE: "sign"}


def compare_symbols(prediction: PictureLayout, reference: PictureLayout) -> Comparison | None:
    """Returns what of a prediction's formula is not as in the reference, or None where the reference is no formula."""
    if not is_formula(reference):
        return None
    match = match_symbols(prediction, reference)
    found = in_order(_find(match, prediction.symbols or (), reference.symbols or ()))
    clauses = tuple(_clauses(match, found))
    return Comparison(formula_scores(prediction, reference), tuple(found), clauses)


def is_formula(layout: PictureLayout) -> bool:
    """Returns whether a picture is a formula, and not a page with words, for which its texts tell more.

    It is where some symbol is of a font that only formulas have, or a sign such as "=", and at least `SHARE` of what is
    to be read are no letters of fonts for texts; or where none are. With shapes or images beside it, it is a drawing.

    >>> x, word = SymbolBox("x", (0, 4, 8, 12), "CMMI10", 12), SymbolBox("a", (9, 4, 14, 12), "CMR10", 12)
    >>> [is_formula(PictureLayout((20, 12), (), symbols=(x, *[word] * count))) for count in (0, 2, 9)]
    [True, True, False]
    """
    symbols = layout.symbols or ()
    read = sum(len("".join(text.text.split())) for text in layout.texts if text.visible)
    told = sum(not _is_worded(one) for one in symbols)
    drawn = sum(one.kind != "rule" for one in layout.elements)
    drawn -= sum(one.text == SHAPE for one in symbols)
    known = any(_is_mathematical(one) or one.text in SIGNS for one in symbols)
    share = SHARE if known else 1.0
    return drawn <= 0 < told and told >= share * max(read, len(symbols))


def _is_mathematical(symbol: SymbolBox) -> bool:
    font = symbol.font.lower()
    return any(name in font for name in MATH_FONTS) and "text" not in font


def _is_worded(symbol: SymbolBox) -> bool:
    """Whether a symbol is a letter of a font for texts."""
    return symbol.text.isalpha() and symbol.text not in NAMES and not _is_mathematical(symbol)


def _find(
    match: SymbolMatch, ours: Sequence[SymbolBox], theirs: Sequence[SymbolBox]
) -> Iterator[PictureFinding]:
    mine, wanted = max(match.predicted, 1), max(match.expected, 1)
    for i, j in match.wrong:
        said = f"{_quote([j], theirs)}: {_full_name(ours[i])} for {_full_name(theirs[j])}"
        yield PictureFinding("symbol wrong", said, ours[i].box, theirs[j].box, 1 / wanted)
    partners = {j: i for i, j in match.moved}
    for run in _runs(partners):
        said = _say(run, theirs, "of")
        there = box_around(ours[partners[j]].box for j in run)
        yield PictureFinding("symbol moved", said, there, _around(run, theirs), len(run) / wanted)
    for run in _runs(match.missing):
        said = _say(run, theirs, "of")
        yield PictureFinding("symbol missing", said, None, _around(run, theirs), len(run) / wanted)
    for run in _runs(match.extra):
        said = _say(run, ours, "in")
        yield PictureFinding("symbol extra", said, _around(run, ours), None, len(run) / mine)


def _runs(numbers: Iterable[int]) -> Iterator[list[int]]:
    """Numbers that follow each other, together: a term that is lost is one mistake."""
    ordered = enumerate(sorted({*numbers}))
    for _, run in groupby(ordered, key=lambda one: one[1] - one[0]):
        yield [number for _, number in run]


def _around(run: Sequence[int], symbols: Sequence[SymbolBox]) -> PixelBox:
    return box_around(symbols[number].box for number in run)


def _say(run: Sequence[int], symbols: Sequence[SymbolBox], word: str) -> str:
    """A part of a formula with what is around it."""
    part = "".join(_name(symbols[number]) for number in run)
    around = _quote(run, symbols)
    if part == around[1:-1]:
        return part
    return f"{part if part.isalnum() else quote_text(part)} {word} {around}"


def _quote(run: Sequence[int], symbols: Sequence[SymbolBox]) -> str:
    """Symbols with their neighbors, on one line: exponents behind ^, indices behind _."""
    first = max(min(run) - NEIGHBORS, 0)
    around = symbols[first : max(run) + NEIGHBORS + 1]
    if all(symbols[number].text in NAMES for number in run):  # Lines come behind all else.
        around = [one for one in symbols if _goes_over(symbols[run[0]], one)][: 2 * NEIGHBORS]
    written = ""
    before: SymbolBox | None = None
    for one in around:
        if one.text not in NAMES:
            written += _mark(one, before) + _name(one)
            before = one
    return quote_text(written)


def _goes_over(line: SymbolBox, symbol: SymbolBox) -> bool:
    """Whether a line of a fraction, a root or a mark is near a symbol."""
    left, top, right, bottom = line.box
    apart = max(top - symbol.box[3], symbol.box[1] - bottom)
    return left < middle_of(symbol.box)[0] < right and apart < symbol.size


def _mark(symbol: SymbolBox, before: SymbolBox | None) -> str:
    """What says that a symbol is an exponent or an index of the one before it, or ""."""
    if not before or not before.size or not 0 < symbol.size < SMALLER * before.size:
        return ""
    lower = (middle_of(symbol.box)[1] - middle_of(before.box)[1]) / before.size
    return "_" if lower > LOWER else "^" if lower < HIGHER else ""


def _name(symbol: SymbolBox) -> str:
    return NAMES.get(symbol.text) or name_symbol(symbol).rpartition(" ")[2]


def _full_name(symbol: SymbolBox) -> str:
    return NAMES.get(symbol.text) or name_symbol(symbol)


def _clauses(match: SymbolMatch, findings: Sequence[PictureFinding]) -> Iterator[str]:
    """How many symbols of how many, by kind, with the worst part of each."""
    for kind, (_, worst) in worst_by_kind(findings).items():
        how = kind.partition(" ")[2]
        number = len(getattr(match, how))
        if how == "extra":
            yield f"{count_too_many(number, 'symbol')} ({worst.text})"
        else:
            yield f"{number} of {match.expected} symbols {how} ({worst.text})"
