"""What charts are about: the numbers of each topic, and which types of chart show them. Words are in ``words/``."""

from dataclasses import dataclass
from typing import Literal

Shape = Literal["seasonal", "trend", "ranked", "share", "rain", "temperature"]


@dataclass(frozen=True)
class ChartTopic:
    """The numbers of one topic.

    Args:
        types: of charts that can show them.
        low: the least plausible value.
        high: the greatest one.
        shape: how values go along the categories.
        decimals: digits behind the point.
        across: of a numeric horizontal axis, its least value, its greatest and the step of its ticks.
        reference: what a line across the chart may say: the mean of other years, what is aimed at, or nothing.
        slope: of points, how far values go from `low` to `high` along it: 1 or -1.
    """

    types: tuple[str, ...]
    low: float
    high: float
    shape: Shape = "ranked"
    decimals: int = 0
    across: tuple[int, int, int] | None = None
    reference: Literal["mean", "target", ""] = ""
    slope: int = 1


COMPARED = ("bar", "grouped bars")
SUMMED = (*COMPARED, "stacked bars")
SAMPLED = ("histogram", "box plot")

TOPICS = {
    # Categories and series.
    "rainfall": ChartTopic((*COMPARED, "line", "heat map"), 2, 480, "rain", reference="mean"),
    "temperature": ChartTopic(
        (*COMPARED, "line", "heat map"), -24, 34, "temperature", 1, reference="mean"
    ),
    "museums": ChartTopic((*SUMMED, "line", "area"), 6, 88, "seasonal", reference="target"),
    "electricity": ChartTopic(
        ("grouped bars", "stacked bars", "line", "area"), 8, 120, "trend", reference="target"
    ),
    "revenue": ChartTopic((*SUMMED, "line", "area"), 12, 94, "trend", 1, reference="target"),
    "loans": ChartTopic((*SUMMED, "heat map"), 120, 960, reference="target"),
    "harvest": ChartTopic(COMPARED, 2.1, 4.6, decimals=1, reference="mean"),
    "goals": ChartTopic(SUMMED, 11, 48, reference="mean"),
    "change": ChartTopic(COMPARED, -13.5, 17.5, decimals=1, reference="mean"),
    "visits": ChartTopic(
        ("stacked bars", "line", "area", "heat map"), 9, 74, "seasonal", reference="target"
    ),
    "calls": ChartTopic(("heat map",), 2, 64, "seasonal"),
    # Parts of a whole.
    "commuting": ChartTopic(("pie", "bar"), 0, 100, "share"),
    "budget": ChartTopic(("pie", "bar"), 0, 100, "share"),
    "waste": ChartTopic(("pie", "bar"), 0, 100, "share"),
    "land": ChartTopic(("pie", "bar"), 0, 100, "share"),
    # Curves along a number.
    "tide": ChartTopic(("line",), 110, 620, "seasonal", across=(0, 24, 4), reference="mean"),
    "growth": ChartTopic(("line",), 3, 58, "trend", 1, across=(0, 42, 7)),
    "charging": ChartTopic(("line",), 8, 98, "trend", across=(0, 90, 15), reference="target"),
    # Points.
    "study": ChartTopic(("scatter",), 34, 96, across=(0, 30, 5)),
    "rent": ChartTopic(("scatter",), 380, 1850, across=(20, 120, 20)),
    "heating": ChartTopic(("scatter",), 6, 88, decimals=1, across=(-10, 20, 5), slope=-1),
    # Samples.
    "exam": ChartTopic(SAMPLED, 22, 98),
    "reaction": ChartTopic(SAMPLED, 190, 540),
    "delivery": ChartTopic(SAMPLED, 12, 78, decimals=1),
    "apples": ChartTopic(SAMPLED, 95, 260, decimals=1),
}
"""Topic to its numbers; each language has words for it under the same key."""
