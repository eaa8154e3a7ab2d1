"""Categories of charts that are missing, too many, renamed or in another order, and what follows from that."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from helm_structext.findings.kinds import PictureFinding, quote_text
from helm_structext.layouts import ChartData, PictureLayout, PixelBox, box_around
from helm_structext.metrics.chart import ChartMatch, PointPair, SeriesPair, categories_of
from helm_structext.metrics.chart_categories import (
    NAMED,
    CategoryMatch,
    are_names_permuted,
    match_categories,
)


def find_categories(
    matches: Sequence[ChartMatch], prediction: PictureLayout, reference: PictureLayout
) -> Iterator[PictureFinding]:
    """Yields what is wrong with categories, each once, though several plots may have it.

    Args:
        matches: of plots.
        prediction: what is on the picture to judge.
        reference: what should be there.
    """
    texts = _boxes_by_text(prediction), _boxes_by_text(reference)
    told: set[tuple[str, str]] = set()
    for match in matches:
        for one in _find(match, *texts):
            if (one.kind, one.text) not in told:
                told.add((one.kind, one.text))
                yield one


def _find(
    match: ChartMatch, mine: Mapping[str, PixelBox], wanted: Mapping[str, PixelBox]
) -> Iterator[PictureFinding]:
    found = compare_categories(match)
    share = 1 / ((len(categories_of(match.reference)) if match.reference else 0) or 1)

    def there(name: str) -> PixelBox | None:
        return mine.get(name) or _box_at(name, match.prediction)

    def should(name: str) -> PixelBox | None:
        return wanted.get(name) or _box_at(name, match.reference)

    for name in found.missing:
        yield PictureFinding("category missing", quote_text(name), None, should(name), share)
    for name in found.extra:
        yield PictureFinding("category extra", quote_text(name), there(name), None, share)
    for one in found.renamed:
        said = f"{quote_text(one.mine)} for {quote_text(one.wanted)}"
        boxes = there(one.mine), should(one.wanted)
        yield PictureFinding("category renamed", said, *boxes, share)
    moved = [one for one, right in zip(found.mine, found.wanted, strict=True) if one != right]
    if moved:
        said = f"{quote_text(', '.join(found.mine))}, not {quote_text(', '.join(found.wanted))}"
        if len(moved) == 2:
            said = f"{' and '.join(map(quote_text, sorted(moved)))} are exchanged"
        size = min(len(moved) * share, 1.0)
        yield PictureFinding("category order", said, there(moved[0]), should(moved[0]), size)


def compare_categories(match: ChartMatch) -> CategoryMatch:
    """Returns what differs between the categories of two plots; slices with each other's names are a swapped legend.

    Args:
        match: of two plots, or of one that is missing or extra.
    """
    found = match_categories(match)
    slices = any(one.reference and one.reference.mark == "pie" for one in match.series)
    return (
        replace(found, mine=(), wanted=()) if slices and are_names_permuted(match, found) else found
    )


def without_categories(match: ChartMatch) -> ChartMatch:
    """Returns a match without what its categories tell.

    These are points and series that stand at a name that is missing or extra; and where names alone are in another
    order, so that at each place is what should be there, all points that are on both.

    Args:
        match: of two plots.
    """
    found = compare_categories(match)
    permuted = are_names_permuted(match, found)

    def is_told(pair: PointPair) -> bool:
        mine, wanted = pair.prediction, pair.reference
        if mine and wanted:
            return permuted
        names = found.added if mine else found.lost
        return any(str(one.at) in names for one in (mine, wanted) if one)

    def is_series_told(pair: SeriesPair) -> bool:
        names = found.added if pair.prediction else found.lost
        sides = [one for one in (pair.prediction, pair.reference) if one]
        return len(sides) == 1 and sides[0].mark in NAMED and sides[0].name in names

    return replace(
        match,
        series=tuple(
            replace(one, points=tuple(it for it in one.points if not is_told(it)))
            for one in match.series
            if not is_series_told(one)
        ),
    )


def _box_at(name: str, chart: ChartData | None) -> PixelBox | None:
    """Around what stands at a category, or the plot, if that is known."""
    series = chart.series if chart else ()
    boxes = [it.box for one in series for it in one.points if str(it.at) == name and it.box]
    if boxes or chart is None:
        return box_around(boxes) if boxes else None
    return chart.box


def _boxes_by_text(layout: PictureLayout) -> dict[str, PixelBox]:
    return {one.text: one.box for one in layout.texts if one.visible}
