"""Which names of categories differ between two plots: lost, too many, renamed, in another order.

All is a pure function of two plots whose series and points are matched (`helm_structext.metrics.chart`).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from helm_structext.layouts import ChartData, PlotSeries
from helm_structext.metrics.chart import SAME_PLACE, ChartMatch, value_error, value_span

NAMED = ("box", "heat map")
"""Marks whose series stand at the categories of an axis."""
MAX_CATEGORIES = 500
"""Of an axis; names of longer ones are not compared."""


class Renamed(NamedTuple):
    """A category that has another name.

    Args:
        mine: what it has.
        wanted: what it should have.
    """

    mine: str
    wanted: str


@dataclass(frozen=True)
class CategoryMatch:
    """Which categories of a plot are not as they should be.

    Args:
        missing: names that are not there.
        extra: names that should not be there.
        renamed: names that stand for others.
        mine: those that are on both, by the reference's names, as they are ordered; none where their order is right.
        wanted: the same as they should be ordered.
    """

    missing: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    renamed: tuple[Renamed, ...] = ()
    mine: tuple[str, ...] = ()
    wanted: tuple[str, ...] = ()

    @property
    def lost(self) -> frozenset[str]:
        """Names of the reference without an equal one: points there are neither missing nor elsewhere on their own."""
        return frozenset((*self.missing, *(one.wanted for one in self.renamed)))

    @property
    def added(self) -> frozenset[str]:
        """Names of the prediction, likewise."""
        return frozenset((*self.extra, *(one.mine for one in self.renamed)))


def match_categories(match: ChartMatch) -> CategoryMatch:
    """Returns which categories are not as they should be; none where a plot has none, as its places are numbers then.

    A category is a renamed one where the points that stand there are those of the other, or have the same values at
    the same place.

    Args:
        match: of two plots, or of one that is missing or extra, which has no categories.

    >>> from helm_structext.layouts import PlotAxis, PlotPoint
    >>> from helm_structext.metrics.chart import match_charts
    >>> ours, theirs = (PlotSeries("", "bar", "", tuple(PlotPoint(*one) for one in zip(names, (3.0, 7.0), strict=True))) for names in ("AC", "AB"))
    >>> plots = [ChartData(x=PlotAxis(categories=("A", name)), series=(one,)) for name, one in (("C", ours), ("B", theirs))]
    >>> match_categories(match_charts((plots[0],), (plots[1],))[0]).renamed
    (Renamed(mine='C', wanted='B'),)
    """
    ours, theirs = match.prediction, match.reference
    if not ours or not theirs:
        return CategoryMatch()
    found = [_match_names(match, *names) for names in _lists_of(ours, theirs)]
    if ours.horizontal != theirs.horizontal:  # Up is not to the right.
        found = [CategoryMatch(one.missing, one.extra, one.renamed) for one in found]
    return CategoryMatch(
        tuple(name for one in found for name in one.missing),
        tuple(name for one in found for name in one.extra),
        tuple(pair for one in found for pair in one.renamed),
        next((one.mine for one in found if one.mine), ()),
        next((one.wanted for one in found if one.wanted), ()),
    )


Names = tuple[str, ...]


def _lists_of(ours: ChartData, theirs: ChartData) -> Iterator[tuple[Names, Names]]:
    """The names along each axis, and of slices, where both have such and each has one place."""
    lists = [
        (ours.places.categories, theirs.places.categories),
        (_slices_of(ours), _slices_of(theirs)),
    ]
    if any(one.mark == "heat map" for one in theirs.series):
        lists.append((ours.values.categories, theirs.values.categories))
    for both in lists:
        if all(0 < len(names) <= MAX_CATEGORIES and len({*names}) == len(names) for names in both):
            yield both


def _slices_of(chart: ChartData) -> Names:
    return tuple(
        str(point.at)
        for one in chart.series
        if one.mark == "pie"
        for point in one.points
        if point.at != ""
    )


def _match_names(match: ChartMatch, mine: Names, wanted: Names) -> CategoryMatch:
    missing = [name for name in wanted if name not in mine]
    extra = [name for name in mine if name not in wanted]
    partners = _partners_of(match)
    if len(mine) == len(wanted):
        same_place = dict(zip(wanted, mine, strict=True))
        for name in missing:
            if name not in partners and _have_same_values(match, same_place[name], name):
                partners[name] = same_place[name]
    renamed = [Renamed(partners[name], name) for name in missing if partners.get(name) in extra]
    called = {one.mine: one.wanted for one in renamed}
    order = [called.get(name, name) for name in mine if name in wanted or name in called]
    right = [name for name in wanted if name in order]
    moved = order != right
    return CategoryMatch(
        tuple(name for name in missing if name not in called.values()),
        tuple(name for name in extra if name not in called),
        tuple(renamed),
        tuple(order) if moved else (),
        tuple(right) if moved else (),
    )


def _partners_of(match: ChartMatch) -> dict[str, str]:
    """The reference's names to those of the prediction that its points, or series that stand at names, are matched with."""
    found: dict[str, str] = {}
    for pair in match.series:
        one, other = pair.prediction, pair.reference
        if one and other and other.mark in NAMED:
            found[other.name] = one.name
        for point in pair.points:
            if point.prediction and point.reference:
                found.setdefault(str(point.reference.at), str(point.prediction.at))
    return found


def _have_same_values(match: ChartMatch, mine: str, wanted: str) -> bool:
    """Whether all series that are on both have the same value at a name as at another one."""
    chart = match.reference
    pairs = [(it.prediction, it.reference) for it in match.series if it.prediction and it.reference]
    values = [(_value_at(one, mine), _value_at(other, wanted)) for one, other in pairs]
    if not chart or not values:
        return False
    span = value_span(chart)
    return all(
        one is not None
        and other is not None
        and value_error(one, other, chart.values, span) <= SAME_PLACE
        for one, other in values
    )


def _value_at(series: PlotSeries, name: str) -> float | None:
    return next((it.value for it in series.points if str(it.at) == name), None)


def are_names_permuted(match: ChartMatch, categories: CategoryMatch) -> bool:
    """Returns whether names of categories alone are in another order: at each place all series have what should be there.

    Args:
        match: of two plots.
        categories: what differs of them.
    """
    if not categories.mine:
        return False
    place = {name: number for number, name in enumerate(categories.mine)}
    names = {one.mine: one.wanted for one in categories.renamed}
    right: Mapping[str, int] = {name: number for number, name in enumerate(categories.wanted)}
    for pair in match.series:
        if not pair.prediction or not pair.reference or pair.reference.mark in NAMED:
            return False
        mine = _values_by_place(pair.prediction, place, names)
        if not mine or mine != _values_by_place(pair.reference, right, {}):
            return False
    return True


def _values_by_place(
    series: PlotSeries, places: Mapping[str, int], names: Mapping[str, str]
) -> Sequence[tuple[int, float, str]]:
    """At which place points of a series are, with their values and colors."""
    called = [(names.get(str(it.at), str(it.at)), it) for it in series.points]
    return sorted((places[at], it.value, it.color) for at, it in called if at in places)
