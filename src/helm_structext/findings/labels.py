"""Titles of charts and of their axes, told as such; and texts that the charts' data tells, which are no mistakes of their own.

Ticks of an axis with another range have other numbers, and where categories are lost the others stand elsewhere.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal, NamedTuple

from helm_structext.findings.categories import compare_categories
from helm_structext.findings.elements import data_of
from helm_structext.findings.kinds import FindingKind, PictureFinding, quote_text
from helm_structext.layouts import (
    ChartData,
    PictureLayout,
    TextBox,
    box_around,
    holds_box,
    middle_of,
)
from helm_structext.metrics.chart import (
    ChartMatch,
    categories_of,
    has_other_range,
    match_charts,
    pair_axes,
)
from helm_structext.metrics.chart_categories import CategoryMatch
from helm_structext.metrics.layout_match import LayoutMatch, TextPair
from helm_structext.metrics.text_lines import letters_of, likeness_of

Role = Literal["title", "label", "category"]
KINDS: dict[Role, tuple[FindingKind, FindingKind, FindingKind]] = {
    "title": ("title missing", "title extra", "title wrong"),
    "label": ("label missing", "label extra", "label wrong"),
}
"""What is told of a title and of an axis' label; categories are told by `helm_structext.findings.categories`."""
NUMERIC = frozenset("0123456789.,-+%$€£×eE·\N{MINUS SIGN}\N{EN DASH}")
"""Signs of numbers at ticks."""
TICK = 3.0
"""Pixels by which the middle of a tick's number may be beyond the end of its axis."""


class LabelChange(NamedTuple):
    """What a chart has of a name.

    Args:
        role: what it is of the chart.
        mine: what the prediction has, or "".
        wanted: what the reference has, or "".
    """

    role: Role
    mine: str
    wanted: str


@dataclass(frozen=True)
class ChartTexts:
    """Texts of two pictures, by what is known of their charts.

    Args:
        match: with the texts that charts do not tell.
        findings: what is wrong with titles and labels.
    """

    match: LayoutMatch
    findings: tuple[PictureFinding, ...] = ()


def part_texts(
    match: LayoutMatch, prediction: PictureLayout, reference: PictureLayout
) -> ChartTexts:
    """Returns what is wrong with titles and labels of charts, and the texts that neither they nor the charts' data tell.

    Args:
        match: of the texts of both pictures.
        prediction: what is on the picture to judge.
        reference: what should be there.
    """
    if not (prediction.charts and reference.charts):
        return ChartTexts(match)
    matches = match_charts(prediction.charts, reference.charts)
    plots = [plot for one in matches if (plot := _read_plot(one))]
    changes = Counter(change for one in plots for change in one.changes)
    told: dict[LabelChange, list[TextPair]] = {change: [] for change in changes}
    left: list[TextPair] = []
    known = _index_changes(changes, match.texts)
    for pair in match.texts:
        of = {change: part for change in known.find(pair) if (part := known.part_of(pair, change))}
        # What is right in its letters is wrong where it stands, if its place and another one are told.
        if of and (pair.similarity < 1 or len(of) > 1):
            for change, part in [*of.items()][: 1 if pair.similarity < 1 else None]:
                told[change].append(part)
        elif not any(_is_told(pair, one) for one in plots):
            left.append(pair)
    findings = _find_wrong({one: pairs for one, pairs in told.items() if pairs}, changes)
    return ChartTexts(replace(match, texts=tuple(left)), tuple(findings))


class _Plot(NamedTuple):
    """What differs between two plots.

    Args:
        ours: what is there.
        theirs: what should be there.
        changes: of its names.
        others: whether the horizontal axis has another range, and the vertical one.
        differs: whether it has other data.
        pushed: letters of the categories, where they stand elsewhere as others are lost.
    """

    ours: ChartData
    theirs: ChartData
    changes: tuple[LabelChange, ...]
    others: tuple[bool, ...]
    differs: bool
    pushed: frozenset[str]


def _read_plot(match: ChartMatch) -> _Plot | None:
    ours, theirs = match.prediction, match.reference
    if not ours or not theirs:
        return None
    found = compare_categories(match)
    pushed = found.missing or found.extra or found.mine
    return _Plot(
        ours,
        theirs,
        tuple(_find_changes(ours, theirs, found)),
        tuple(has_other_range(*axes) for axes in pair_axes(ours, theirs)),
        data_of(ours) != data_of(theirs),
        frozenset(map(letters_of, categories_of(theirs))) if pushed else frozenset(),
    )


def _find_changes(
    ours: ChartData, theirs: ChartData, categories: CategoryMatch
) -> Iterator[LabelChange]:
    names: list[tuple[Role, str, str]] = [
        ("title", ours.title, theirs.title),
        *(("label", mine.label, wanted.label) for mine, wanted in pair_axes(ours, theirs)),
    ]
    yield from (LabelChange(*one) for one in names if letters_of(one[1]) != letters_of(one[2]))
    yield from (LabelChange("category", "", name) for name in categories.missing)
    yield from (LabelChange("category", name, "") for name in categories.extra)
    yield from (LabelChange("category", *one) for one in categories.renamed)


@dataclass(frozen=True)
class _Index:
    """Changes by the letters of both names; names that no text has may be several lines."""

    by_letters: Mapping[str, Sequence[LabelChange]]
    wrapped: Sequence[LabelChange]
    texts: tuple[set[str], set[str]]

    def find(self, pair: TextPair) -> Iterator[LabelChange]:
        """The changes that a pair of texts may be of, each once."""
        found = [self.by_letters.get(letters_of(text.text), ()) for text in pair.texts if text]
        yield from dict.fromkeys((*chain.from_iterable(found), *self.wrapped))

    def part_of(self, pair: TextPair, change: LabelChange) -> TextPair | None:
        """What of a pair is what its side has of a name, or a line of it; of texts with wrong letters, all that there is."""
        one, other = (
            text if text and _is_line_of(text, name, known) else None
            for text, name, known in zip(pair.texts, change[1:], self.texts, strict=True)
        )
        whole = pair.texts == (one, other)
        equal = pair.similarity == 1 and change.role in KINDS and (one or other)
        return TextPair(one, other, pair.similarity) if whole or equal else None


def _index_changes(changes: Iterable[LabelChange], pairs: Sequence[TextPair]) -> _Index:
    by_letters: defaultdict[str, list[LabelChange]] = defaultdict(list)
    texts = (
        {letters_of(one.prediction.text) for one in pairs if one.prediction},
        {letters_of(one.reference.text) for one in pairs if one.reference},
    )
    wrapped = []
    for change in changes:
        names = letters_of(change.mine), letters_of(change.wanted)
        for name in {*names} - {""}:
            by_letters[name].append(change)
        unknown = any(name and name not in known for name, known in zip(names, texts, strict=True))
        if unknown and change.role in KINDS:
            wrapped.append(change)
    return _Index(by_letters, wrapped, texts)


def _is_line_of(text: TextBox, name: str, known: set[str]) -> bool:
    """Whether a text is a name, or where no text is, a line of it."""
    mine, whole = letters_of(text.text), letters_of(name)
    return mine == whole or (whole not in known and len(mine) > 1 and mine in whole)


def _find_wrong(
    told: Mapping[LabelChange, Sequence[TextPair]], counts: Mapping[LabelChange, int]
) -> Iterator[PictureFinding]:
    """What is wrong with titles and labels; two that are exchanged are told once."""
    done: set[LabelChange] = set()
    for change, pairs in told.items():
        if change.role not in KINDS or change in done:
            continue
        back = LabelChange(change.role, change.wanted, change.mine)
        exchanged = bool(change.mine and change.wanted) and back in told
        done.add(back)
        yield _finding(change, pairs, counts[change] + exchanged * counts[back], exchanged)


def _finding(
    change: LabelChange, pairs: Sequence[TextPair], count: int, exchanged: bool
) -> PictureFinding:
    missing, extra, wrong = KINDS[change.role]
    there, should = ([text.box for pair in pairs if (text := pair.texts[side])] for side in (0, 1))
    boxes = box_around(there) if there else None, box_around(should) if should else None
    if not change.mine:
        return PictureFinding(missing, quote_text(change.wanted), *boxes, 1.0, count)
    if not change.wanted:
        return PictureFinding(extra, quote_text(change.mine), *boxes, 1.0, count)
    names = quote_text(change.mine), quote_text(change.wanted)
    said = f"{' and '.join(sorted(names))} are exchanged" if exchanged else " for ".join(names)
    size = 1 - likeness_of(change.mine, change.wanted)
    return PictureFinding(wrong, said, *boxes, size, count)


def _is_told(pair: TextPair, plot: _Plot) -> bool:
    """Whether a plot's data tells a text: a tick, the number of a point, or what stands elsewhere as others are lost."""
    sides = [*zip(pair.texts, (plot.ours, plot.theirs), strict=True)]
    if all(text is None or _is_tick(text, chart, plot.others) for text, chart in sides):
        return True
    one, other = pair.texts
    if not one or not other or not plot.differs:
        return False
    if pair.similarity < 1:
        return all(_is_number(text) and _is_in(text, chart) for text, chart in sides)
    return _is_in(other, plot.theirs) or letters_of(other.text) in plot.pushed


def _is_tick(text: TextBox, chart: ChartData, others: Sequence[bool]) -> bool:
    """Whether a text is a number beside one of those axes of a plot that have another range: the first goes across."""
    if chart.box is None or not _is_number(text):
        return False
    middle = middle_of(text.box)
    within = [
        chart.box[axis] - TICK <= middle[axis] <= chart.box[axis + 2] + TICK for axis in (0, 1)
    ]
    return within[0] != within[1] and others[within[1]]


def _is_in(text: TextBox | None, chart: ChartData) -> bool:
    return bool(text and chart.box and holds_box(chart.box, text.box))


def _is_number(text: TextBox | None) -> bool:
    return text is not None and NUMERIC.issuperset(letters_of(text.text))
