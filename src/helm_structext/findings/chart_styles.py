"""Lines of charts that are of another width, dashed in another way, or have other marks at their points."""

from collections.abc import Callable, Iterator, Sequence

from helm_structext.findings.kinds import (
    MAX_OTHERS,
    RESTYLED,
    BoxPair,
    PictureFinding,
    group_alike,
    name_others,
)
from helm_structext.layouts import PictureLayout, PlotSeries
from helm_structext.metrics.chart import ChartMatch, SeriesPair, match_charts

WIDER = 1.4
"""How many times as wide one of two lines is at least to be of another width."""
LEAST = 0.7
"""Pixels by which it is wider at least."""


def find_restyled_series(
    matches: Sequence[ChartMatch],
    name: Callable[[PlotSeries], str],
    boxes: Callable[[SeriesPair], BoxPair],
    scale: float = 1.0,
) -> Iterator[PictureFinding]:
    """Yields series with another style; those that changed alike are told once.

    Args:
        matches: of plots.
        name: says which series it is.
        boxes: where a series is, and where it should be.
        scale: by which the prediction's picture is to be larger to be as large as the reference's.
    """
    changed = [
        (pair, other, how)
        for match in matches
        for pair in match.series
        if (one := pair.prediction)
        and (other := pair.reference)
        and (how := _compare(one, other, scale))
    ]
    for numbers in group_alike([how for _, _, how in changed]):
        pair, other, how = changed[numbers[0]]
        said = f"{name(other)}{name_others(numbers)} is {how}"
        there, should = boxes(pair)
        others = tuple(boxes(changed[number][0]) for number in numbers[1 : 1 + MAX_OTHERS])
        yield PictureFinding("series restyled", said, there, should, RESTYLED, len(numbers), others)


def _compare(one: PlotSeries, other: PlotSeries, scale: float) -> str:
    """What of a series' style is not as it should be, in words; "" if all is, or is not known on both sides."""
    mine, wanted = one.style, other.style
    if one.mark != other.mark:
        return ""
    parts = []
    if mine.dashes and wanted.dashes and mine.dashes != wanted.dashes:
        parts.append(f"{mine.dashes}, not {wanted.dashes}")
    if all(_differ_in_width(mine.width * by, wanted.width) for by in (1.0, scale)):
        parts.append(f"{mine.width:.3g} px wide, not {wanted.width:.3g}")
    if mine.marker and wanted.marker and mine.marker != wanted.marker:
        parts.append(f"marked by {mine.marker}, not {wanted.marker}")
    return " and ".join(parts)


def _differ_in_width(one: float, other: float) -> bool:
    least, most = sorted((one, other))
    return least > 0 and most >= WIDER * least and most - least >= LEAST


def find_told_dashes(prediction: PictureLayout, reference: PictureLayout) -> frozenset[str]:
    """Returns the colors of lines that have other dashes by charts' data: these are not told once more as elements.

    Args:
        prediction: what is on the picture to judge.
        reference: what should be there.
    """
    return frozenset(
        other.color
        for match in match_charts(prediction.charts or (), reference.charts or ())
        for pair in match.series
        if (one := pair.prediction) and (other := pair.reference) and other.color
        if one.style.dashes != other.style.dashes
    )
