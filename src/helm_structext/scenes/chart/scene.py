"""What a chart shows, and how one is drawn by lot."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from statistics import quantiles
from typing import Any, Literal

from helm_structext.scenes.chart.themes import ChartTheme, draw_theme
from helm_structext.scenes.chart.topics import TOPICS, ChartTopic
from helm_structext.scenes.colors import mix_colors
from helm_structext.scenes.scene import Level, Scene, SceneMark, read_words

TYPES = (
    "bar",
    "grouped bars",
    "stacked bars",
    "line",
    "area",
    "scatter",
    "pie",
    "histogram",
    "box plot",
    "heat map",
)
BARS = ("bar", "grouped bars", "stacked bars")
LABEL_SIZE, TICK_SIZE, TITLE_SIZE = 14, 12, 19
"""Pixels of letters: labels of axes and legends, ticks, the title."""

THIN = 0.01
"""Share of the axis up to which a bar may not be seen."""

LegendPlace = Literal["none", "right", "bottom"]


@dataclass(frozen=True)
class ChartAxis:
    """An axis. One of categories has a label alone; one of numbers goes from its least tick to its greatest.

    Args:
        label: with its unit.
        low: the least tick.
        high: the greatest tick.
        step: from tick to tick.
    """

    label: str
    low: int = 0
    high: int = 0
    step: int = 0

    @property
    def ticks(self) -> list[int]:
        """The ticks' numbers; none for an axis of categories.

        >>> ChartAxis("Rainfall (mm)", 0, 60, 20).ticks
        [0, 20, 40, 60]
        """
        return list(range(self.low, self.high + 1, self.step)) if self.step else []

    def share(self, value: float) -> float:
        """Returns how far along the axis a number is: 0 at its least tick, 1 at its greatest."""
        return (value - self.low) / (self.high - self.low)


@dataclass(frozen=True)
class ChartSeries:
    """Numbers that belong together: one line, the bars of one color, the points of one group, a sample.

    Args:
        name: as the legend has it.
        values: one for each category or each of `at`; of a sample, all that it has.
        at: places along a numeric horizontal axis.
    """

    name: str
    values: tuple[float, ...]
    at: tuple[float, ...] = ()


@dataclass(frozen=True)
class ReferenceLine:
    """A line across the chart at a value, with a text beside its end."""

    value: float
    text: str


@dataclass(frozen=True)
class MarkedPoint:
    """The greatest value of a chart, with a text above it.

    Args:
        series: its number, from 0.
        index: of the value in its series.
        text: what stands there.
    """

    series: int
    index: int
    text: str


@dataclass(frozen=True)
class BoxSummary:
    """What a box plot shows of one sample; whiskers reach as far as values within 1.5 times the box's height do."""

    low: float
    lower: float
    median: float
    upper: float
    high: float
    outliers: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class ChartScene(Scene):
    """A chart.

    Args:
        title: above it.
        x: of categories, or of the horizontal numbers.
        y: of values; of a heat map, what its colors mean.
        categories: in their order; of a heat map, its columns; of a box plot, the names of its series.
        series: in their order; of a heat map, its rows from the top.
        theme: how it looks.
        legend: where its legend is.
        horizontal: whether bars lie, with the first category at the top.
        tilted: whether the texts of categories stand aslant.
        labels: whether each value is written at its place.
        hole: whether a pie is a ring.
        reference: a line at a value.
        peak: a point with a text.
        size: width and height in CSS pixels, about.
    """

    LOOK = frozenset({"theme", "legend", "horizontal", "tilted", "labels", "hole", "size"})

    title: str
    x: ChartAxis
    y: ChartAxis
    categories: tuple[str, ...]
    series: tuple[ChartSeries, ...]
    theme: ChartTheme
    legend: LegendPlace = "none"
    horizontal: bool = False
    tilted: bool = False
    labels: bool = False
    hole: bool = False
    reference: ReferenceLine | None = None
    peak: MarkedPoint | None = None
    size: tuple[int, int] = (800, 500)

    @property
    def texts(self) -> Sequence[str]:
        """The title, labels, categories, the legend's entries, what is written at values, and annotations."""
        found = [self.title]
        if self.type != "pie":
            found += [self.x.label, self.y.label]
        found += self.categories
        if self.type == "heat map":
            found += [row.name for row in self.series]
        elif self.type != "pie" and self.legend != "none":
            found += [series.name for series in self.series]
        if self.labels:
            found += [self.label_of(value) for series in self.series for value in series.values]
        found += [note.text for note in (self.reference, self.peak) if note]
        return found

    @property
    def marks(self) -> Sequence[SceneMark]:
        """Each series' bars, or that its color is there at all; slices, bins, boxes."""
        first = self.theme.palette[0]
        if self.type == "heat map":
            return ()
        if self.type == "histogram":
            return (SceneMark(first, sum(map(bool, self.counts))),)
        if self.type == "box plot":
            return (SceneMark(self.fill, len(self.series)),)
        if self.type == "pie":
            return [SceneMark(color, 1, named=True) for _, color in self.entries]
        least = THIN * (self.y.high - self.y.low) if self.type in BARS else math.inf
        return [
            SceneMark(
                color,
                max(sum(abs(value) > least for value in series.values), 1),
                named=len(self.series) > 1,
            )
            for series, color in zip(self.series, self.theme.palette, strict=False)
        ]

    def label_of(self, value: float) -> str:
        """Returns what is written at a value: itself, or of a pie its share."""
        if self.type == "pie":
            return str(read_words("chart", self.language)["forms"]["percent"]).format(f"{value:g}")
        return say_number(value, self.language)

    @property
    def numeric(self) -> bool:
        """Whether the horizontal axis has numbers."""
        return bool(self.x.step)

    @property
    def peak_side(self) -> Literal["left", "center", "right"]:
        """How the text of the marked point is aligned to it, so that it stays above the plot."""
        if not self.peak:
            return "center"
        series, index = self.series[self.peak.series], self.peak.index
        share = (
            self.x.share(series.at[index]) if series.at else (index + 0.5) / len(self.categories)
        )
        return "left" if share < 0.2 else "right" if share > 0.8 else "center"

    @property
    def entries(self) -> tuple[tuple[str, str], ...]:
        """The legend's texts with their colors."""
        names = self.categories if self.type == "pie" else [series.name for series in self.series]
        return tuple(zip(names, self.theme.palette, strict=False))

    @property
    def counts(self) -> list[int]:
        """Of a histogram, how many values are in each bin: from a tick up to the next one."""
        return count_bins(self.series[0].values, self.x.ticks)

    @property
    def boxes(self) -> list[BoxSummary]:
        """Of a box plot, what it shows of each series."""
        return [summarize_sample(series.values) for series in self.series]

    @property
    def fill(self) -> str:
        """Of a box plot, the color of its boxes: pale, so that the median's line is seen."""
        return mix_colors(self.theme.palette[0], self.theme.ground, 0.45)

    @property
    def bases(self) -> list[list[float]]:
        """Where each value of each series begins: at zero, or where others of its category end."""
        bases = [[0.0] * len(self.series[0].values)]
        for series in self.series[:-1]:
            last = zip(bases[-1], series.values, strict=True)
            bases.append([round(base + value, 3) if self.stacked else 0.0 for base, value in last])
        return bases

    @property
    def stacked(self) -> bool:
        """Whether series stand on each other."""
        return self.type in ("stacked bars", "area")


def count_bins(values: Sequence[float], edges: Sequence[float]) -> list[int]:
    """Returns how many values are in each bin: from an edge up to the next one, without that.

    >>> count_bins([1, 2, 2.5], [0, 2, 4])
    [1, 2]
    """
    return [sum(low <= value < high for value in values) for low, high in pairwise(edges)]


def summarize_sample(values: Sequence[float]) -> BoxSummary:
    """Returns what a box plot shows of a sample of at least two values; quartiles are interpolated linearly.

    Source: J. W. Tukey, Exploratory Data Analysis, 1977; quartiles are type 7 of Hyndman and Fan, 1996.

    >>> summarize_sample([1, 2, 3, 4, 5, 20])
    BoxSummary(low=1, lower=2.25, median=3.5, upper=4.75, high=5, outliers=(20,))
    """
    lower, median, upper = quantiles(values, method="inclusive")
    reach = 1.5 * (upper - lower)
    within = [value for value in values if lower - reach <= value <= upper + reach]
    outliers = tuple(sorted(value for value in values if value not in within))
    return BoxSummary(
        min(within), round(lower, 3), round(median, 3), round(upper, 3), max(within), outliers
    )


def chart_data(scene: ChartScene) -> dict[str, list[tuple[str | float, float]]]:
    """Returns a chart's data: of each series its pairs of category (or place) and value.

    A pie and bars of one series have one series, with the name of the axis of values. A histogram has the least
    value of each bin and its count; a box plot, of each sample, ``low``, ``lower`` (quartile), ``median``,
    ``upper``, ``high`` and each ``outlier``. A heat map has one series for each row.

    >>> from random import Random
    >>> (shares,) = chart_data(draw_chart(Random(1), "easy", "en", type="pie")).values()
    >>> sum(share for category, share in shares)
    100.0
    """
    if scene.type == "histogram":
        return {scene.y.label: list(zip(scene.x.ticks, map(float, scene.counts), strict=False))}
    if scene.type == "box plot":
        return {
            series.name: [
                ("low", box.low),
                ("lower", box.lower),
                ("median", box.median),
                ("upper", box.upper),
                ("high", box.high),
                *(("outlier", value) for value in box.outliers),
            ]
            for series, box in zip(scene.series, scene.boxes, strict=True)
        }
    places = scene.categories
    return {
        series.name if len(scene.series) > 1 or scene.numeric else scene.y.label: list(
            zip(series.at or places, series.values, strict=True)
        )
        for series in scene.series
    }


def text_width(text: str, size: float) -> float:
    """Returns about how many pixels wide a text is, rather more than less: in the widest of usual fonts.

    >>> text_width("ab", 10), text_width("東京", 10)
    (12.4, 20.0)
    """
    return round(sum(1.0 if ord(sign) > 0x2E7F else 0.62 for sign in text) * size, 3)


def say_number(value: float, language: str) -> str:
    """Returns a number as a language writes it.

    >>> say_number(-2.5, "de"), say_number(3.0, "de")
    ('−2,5', '3')
    """
    point = read_words("chart", language)["forms"]["decimal"]
    return f"{value:g}".replace("-", "−").replace(".", point)


# How many categories and series there are, and points of a sample.
SIZES: dict[Level, tuple[tuple[int, int], tuple[int, int], tuple[int, int]]] = {
    "easy": ((3, 5), (1, 2), (24, 40)),
    "medium": ((5, 8), (2, 3), (50, 90)),
    "hard": ((8, 12), (3, 5), (120, 200)),
}
CANVAS_SIZES = ((720, 450), (760, 480), (800, 480), (800, 520), (860, 500), (900, 540))
MAX_BARS = 36
WARMEST = 7.3
"""Month, a third into July."""
STEPS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000)
LANGUAGES_WITHOUT_SERIFS = ("zh", "ja")


def draw_chart(rng: Random, level: Level, language: str, type: str | None = None) -> ChartScene:
    """Draws a chart by lot.

    Args:
        rng: the lot.
        level: how much is in it.
        language: a key of `helm_structext.scenes.scene.LANGUAGES`.
        type: one of `TYPES`; by default, by lot.
    """
    type = type or rng.choice(TYPES)
    name = rng.choice([name for name, topic in TOPICS.items() if type in topic.types])
    words = read_words("chart", language)
    draft = _Draft(rng, level, language, type, TOPICS[name], words, words["topics"][name])
    return draft.scene()


@dataclass
class _Draft:
    """A chart while it is drawn."""

    rng: Random
    level: Level
    language: str
    type: str
    topic: ChartTopic
    words: Any
    said: Any
    first: int = 0  # of an ordered list of words, the first that is drawn

    def scene(self) -> ChartScene:
        rng = self.rng
        theme = draw_theme(rng, self.language not in LANGUAGES_WITHOUT_SERIFS)
        categories, series = self.draw_data()
        joined = len(series) == 1 and self.type != "histogram"
        titles = [title for title in self.said["title"] if not (joined and title.endswith("?"))]
        title = rng.choice(titles).format(year=rng.randint(2008, 2025))
        if joined:
            title = self.words["forms"]["joined"].format(title=title, part=series[0].name)
        size = rng.choice(CANVAS_SIZES)
        legend = self.draw_legend(categories, series, size)
        room = size[0] - 110
        if legend == "right" or self.type == "heat map":
            room -= 60 + max(round(text_width(one.name, TICK_SIZE)) for one in series)
        crowded = are_crowded(categories, room)
        ordered = isinstance(self.said.get("categories"), str)
        horizontal = self.type in BARS and not ordered and (crowded or rng.random() < 0.3)
        labels = self.type == "pie" or (
            not self.topic.decimals
            and (
                (self.type == "bar" and rng.random() < 0.4)
                or (self.type == "heat map" and room > 45 * len(categories) and rng.random() < 0.5)
            )
        )
        annotated = self.level != "easy" and rng.random() < (0.5 if self.level == "medium" else 0.8)
        peaked = annotated and self.type in ("line", "scatter") and rng.random() < 0.6
        peak = self.mark_peak(series) if peaked else None
        reference = None
        if annotated and not peaked and not horizontal and legend != "right":
            reference = self.draw_reference(series)
        if reference:
            crowded = are_crowded(categories, room - text_width(reference.text, TICK_SIZE))
        return ChartScene(
            type=self.type,
            language=self.language,
            level=self.level,
            title=title,
            x=self.across_axis(series),
            y=self.value_axis(series, room=bool(peak or (labels and self.type == "bar"))),
            categories=tuple(categories),
            series=tuple(series),
            theme=theme,
            legend=legend,
            horizontal=horizontal,
            tilted=crowded and not horizontal and self.type != "pie",
            labels=labels,
            hole=self.type == "pie" and rng.random() < 0.4,
            reference=reference,
            peak=peak,
            size=size,
        )

    def draw_data(self) -> tuple[list[str], list[ChartSeries]]:
        """Draws categories and series."""
        rng, topic = self.rng, self.topic
        spans, counts, points = SIZES[self.level]
        if self.type in ("histogram", "box plot"):
            return self.draw_samples(rng.randint(*points))
        count = rng.randint(*counts)
        if self.type in ("bar", "pie"):
            count = 1
        elif self.type in ("grouped bars", "stacked bars"):
            count = max(count, 2)
        elif self.type == "heat map":
            count = rng.randint(*spans) - 1
        names = self.pick("series", count)
        if topic.across:
            draw = self.draw_points if self.type == "scatter" else self.draw_curves
            return [], draw(names, rng.randint(*points))
        most = MAX_BARS // len(names) if self.type in ("bar", "grouped bars") else spans[1]
        categories = self.pick("categories", min(rng.randint(*spans), max(most, 3)))
        series = [
            ChartSeries(name, tuple(self.draw_values(len(categories), name))) for name in names
        ]
        if topic.shape == "ranked" and len(names) == 1 and rng.random() < 0.5:
            series = [ChartSeries(names[0], tuple(sorted(series[0].values, reverse=True)))]
        return categories, series

    def pick(self, role: str, count: int) -> list[str]:
        """Draws some of a topic's words: of an ordered list neighbors, of parts of a whole the greatest."""
        listed = self.said[role]
        if listed == "years":
            first = self.rng.randint(1998, 2026 - count)
            return [str(first + place) for place in range(count)]
        words = self.words["lists"][listed] if isinstance(listed, str) else listed
        count = min(count, len(words))
        if role == "categories" and self.topic.shape == "share":
            return list(words[:count])  # as they are listed: the greatest first
        if isinstance(listed, str) and listed != "cities":
            self.first = self.rng.randint(0, len(words) - count)
            return list(words[self.first : self.first + count])
        return self.rng.sample(words, count)

    def draw_values(self, count: int, name: str) -> list[float]:
        """Draws the values of one series."""
        rng, topic = self.rng, self.topic
        low, high = topic.low, topic.high
        if topic.shape == "share":
            return self.draw_shares(count)
        if topic.shape == "ranked":  # each value once: equal bars tell nothing
            digits = 10**topic.decimals
            drawn = rng.sample(range(round(low * digits), round(high * digits) + 1), count)
            return [value / digits for value in drawn]
        if topic.shape in ("rain", "temperature"):
            return self.draw_weather(count, *self.words["climates"][name])
        span = high - low
        if topic.shape == "seasonal":
            middle = low + span * rng.uniform(0.4, 0.6)
            swing = span * rng.uniform(0.22, 0.36)
            top, period = rng.uniform(0.3, 0.7) * count, max(count, 6)
            if topic.across:  # there are two tides a day
                period = count // 2
            raw = [middle + swing * math.cos(math.tau * (at - top) / period) for at in range(count)]
        else:
            first, last = low + span * rng.uniform(0, 0.5), low + span * rng.uniform(0.3, 0.95)
            raw = [first + (last - first) * at / max(count - 1, 1) for at in range(count)]
        return [self.round(min(max(value + rng.gauss(0, span * 0.05), low), high)) for value in raw]

    def draw_weather(
        self, count: int, rain: float, more: float, wettest: int, mean: float, warmer: float
    ) -> list[float]:
        """Draws the months of one year at a place.

        Args:
            count: of months, from `first` on.
            rain: that falls in a month in the mean, in mm.
            more: that falls in the wettest one, and less in the driest.
            wettest: month, from 1 on.
            mean: temperature of a year, in °C.
            warmer: how much the warmest days are.
        """
        topic = self.topic
        middle, swing, top, noise = (
            (rain, more, wettest, 0.12 * rain)
            if topic.shape == "rain"
            else (mean, warmer, WARMEST, 0.7)
        )
        turns = [(self.first + at + 1 - top) / 12 for at in range(count)]
        raw = [self.rng.gauss(middle + swing * math.cos(math.tau * turn), noise) for turn in turns]
        return [self.round(min(max(value, topic.low), topic.high)) for value in raw]

    def draw_shares(self, count: int) -> list[float]:
        """Draws whole percentages of a whole, none below 6, the greatest first."""
        weights = sorted((self.rng.uniform(1, 6) for _ in range(count)), reverse=True)
        shares = [6 + int((100 - 6 * count) * weight / sum(weights)) for weight in weights]
        shares[0] += 100 - sum(shares)
        return [float(share) for share in shares]

    def draw_curves(self, names: list[str], _: int) -> list[ChartSeries]:
        """Draws values along a numeric axis, at even distances."""
        low, high, step = self.topic.across or (0, 1, 1)
        parts = {"easy": step, "medium": step // 2, "hard": max(step // 4, 1)}[self.level]
        at = tuple(float(place) for place in range(low, high + 1, parts))
        if self.topic.shape == "trend":
            return [ChartSeries(name, tuple(self.draw_growth(len(at))), at) for name in names]
        return [ChartSeries(name, tuple(self.draw_values(len(at), name)), at) for name in names]

    def draw_growth(self, count: int) -> list[float]:
        """Draws values that grow, faster in the middle, and never fall."""
        rng, low, high = self.rng, self.topic.low, self.topic.high
        top, pace = low + (high - low) * rng.uniform(0.55, 1), rng.uniform(5, 9)
        middle = rng.uniform(0.3, 0.55)
        curve = [1 / (1 + math.exp(-pace * (at / (count - 1) - middle))) for at in range(count)]
        first = curve[0]
        return [self.round(low + (top - low) * (part - first) / (1 - first)) for part in curve]

    def draw_points(self, names: list[str], count: int) -> list[ChartSeries]:
        """Draws clouds of points, one beside the other."""
        rng, topic = self.rng, self.topic
        low, high, _ = topic.across or (0, 1, 1)
        span = topic.high - topic.low
        found = []
        for place, name in enumerate(names):
            shift = (place - (len(names) - 1) / 2) * 0.16
            at, values = [], []
            for _ in range(max(count // 3 // len(names), 6)):
                share = rng.uniform(0.03, 0.97)
                along = share if topic.slope > 0 else 1 - share
                level = 0.17 + 0.66 * along + shift + rng.gauss(0, 0.06)
                at.append(round(low + (high - low) * share, 1))
                values.append(self.round(topic.low + span * min(max(level, 0), 1)))
            found.append(ChartSeries(name, tuple(values), tuple(at)))
        return found

    def draw_samples(self, count: int) -> tuple[list[str], list[ChartSeries]]:
        """Draws one sample for a histogram, or one for each box."""
        if self.type == "histogram":
            return [], [ChartSeries(self.said["series"][0], self.draw_sample(count, 0.5, 0.17))]
        boxes = {"easy": 3, "medium": 4, "hard": 6}[self.level]
        names = self.pick("categories", boxes)
        rng = self.rng
        each = max(count // boxes // 2, 9)
        return names, [
            ChartSeries(
                name, self.draw_sample(each, rng.uniform(0.35, 0.65), rng.uniform(0.08, 0.15))
            )
            for name in names
        ]

    def draw_sample(self, count: int, middle: float, spread: float) -> tuple[float, ...]:
        """Draws values around one in the middle, in no order."""
        low, high = self.topic.low, self.topic.high
        found: list[float] = []
        while len(found) < count:
            value = low + (high - low) * self.rng.gauss(middle, spread)
            value = self.round(value)
            if low <= value <= high:
                found.append(value)
        return tuple(found)

    def round(self, value: float) -> float:
        return float(round(value, self.topic.decimals))

    def value_axis(self, series: list[ChartSeries], room: bool) -> ChartAxis:
        """Returns the axis of values, with room above the greatest one for a text, if asked for."""
        label = self.said["value"]
        if self.type == "histogram":
            axis = self.across_axis(series)
            return make_axis(self.said["count"], 0, max(count_bins(series[0].values, axis.ticks)))
        if self.type in ("stacked bars", "area"):
            columns = zip(*(one.values for one in series), strict=True)
            return make_axis(label, 0, max(sum(column) for column in columns))
        values = [value for one in series for value in one.values]
        low, high = min(values), max(values)
        if self.type in BARS or (low > 0 and low < 0.45 * high):
            low, high = min(low, 0), max(high, 0)
        if self.type == "box plot" or self.type == "heat map":
            return make_axis(label, low, high)
        return make_axis(label, low, high + (high - low) * (0.12 if room else 0.02))

    def across_axis(self, series: list[ChartSeries]) -> ChartAxis:
        """Returns the horizontal axis."""
        if self.type == "histogram":
            values = series[0].values
            most = {"easy": 7, "medium": 9, "hard": 12}[self.level]
            return make_axis(self.said["value"], min(values), max(values) + 0.1, most)
        if self.topic.across:
            return ChartAxis(self.said["across"], *self.topic.across)
        return ChartAxis(self.said["across"])

    def draw_legend(
        self, categories: list[str], series: list[ChartSeries], size: tuple[int, int]
    ) -> LegendPlace:
        """Draws where the legend is; below only where one line has room for it."""
        names = categories if self.type == "pie" else [one.name for one in series]
        if self.type in ("histogram", "box plot", "heat map") or len(names) == 1:
            return "none"
        line = sum(text_width(name, LABEL_SIZE) + 44 for name in names)
        return "bottom" if line < size[0] - 170 and self.rng.random() < 0.6 else "right"

    def mark_peak(self, series: list[ChartSeries]) -> MarkedPoint:
        """Marks the greatest value."""
        value, place, index = max(
            (value, -place, -index)
            for place, one in enumerate(series)
            for index, value in enumerate(one.values)
        )
        text = self.rng.choice(self.words["forms"]["peak"])
        return MarkedPoint(-place, -index, text.format(say_number(value, self.language)))

    def draw_reference(self, series: list[ChartSeries]) -> ReferenceLine | None:
        """Draws a line at a value that is neither near an edge nor a tick's."""
        if not self.topic.reference or self.type not in ("bar", "grouped bars", "line"):
            return None
        axis = self.value_axis(series, room=False)
        value = self.round(axis.low + (axis.high - axis.low) * self.rng.uniform(0.45, 0.8))
        text = self.rng.choice(self.words["forms"][self.topic.reference])
        return ReferenceLine(value, text.format(say_number(value, self.language)))


def are_crowded(names: Sequence[str], room: float) -> bool:
    """Says whether texts of categories are too wide to stand side by side in so many pixels."""
    return any(text_width(name, TICK_SIZE) + 10 > room / len(names) for name in names)


def make_axis(label: str, low: float, high: float, most: int = 8) -> ChartAxis:
    """Returns an axis of numbers with round ticks around two values.

    Args:
        label: of the axis.
        low: the least value on it.
        high: the greatest one.
        most: number of steps, at most.

    >>> make_axis("Rainfall (mm)", 3, 131)
    ChartAxis(label='Rainfall (mm)', low=0, high=140, step=20)
    """
    for step in STEPS:
        first, last = math.floor(low / step), math.ceil(high / step)
        if last - first <= most:
            break
    return ChartAxis(label, first * step, last * step, step)
