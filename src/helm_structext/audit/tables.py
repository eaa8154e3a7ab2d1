"""What an audit found, as tables: how mistakes are ordered, what is not seen, frauds, harmless changes, cost.

A measure is a metric, a component of a layout's comparison, or a preset of rewards with its guards. Pure functions of
`MeasuredAnswer`s. For distances, of which less is better, the numbers are those below 0.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from statistics import fmean
from typing import NamedTuple

import numpy as np
from scipy.stats import kendalltau

from helm_structext.audit.answers import HARMLESS
from helm_structext.audit.frauds import COPIES, FRAUDS
from helm_structext.audit.measure import MeasuredAnswer
from helm_structext.audit.phrases import PHRASES
from helm_structext.audit.relations import RELATIONS
from helm_structext.audit.texts import REWARD, TEXT_FORMATS
from helm_structext.audit.thresholds import UNSEEN
from helm_structext.image2struct.scores import DISTANCES
from helm_structext.results.plots import horizontal_bars
from helm_structext.results.statistics import bootstrap_intervals
from helm_structext.results.tabular import Cell, Column, Estimate, Table
from helm_structext.rewards.pictures import PRESETS, RENDERED, goes_by_layouts, suited_preset
from helm_structext.scenes.mistakes import MISTAKES

PRESET = "preset "
"""What the names of presets begin with, where metrics stand beside them."""
OWN = "own"
"""The name of what is no preset, but that of each format (`suited_preset`): the default that others are compared with."""
ALL = "all"
INTERVAL = "95%: percentile bootstrap over scenes."

Answers = Sequence[MeasuredAnswer]


def score_of(answer: MeasuredAnswer, measure: str) -> float | None:
    """Returns what a measure says of an answer; None where it does not apply, or failed.

    What does not render has 0, as in rewards; so has what a guard notices, in a preset.

    >>> told = MeasuredAnswer("c", "chart", "svg", "fraud", "noise", 0, "", ("blank",), (), {"ssim": 0.9}, {}, {})
    >>> score_of(told, "ssim"), score_of(told, "preset image"), score_of(told, "other")
    (0.9, 0.0, None)
    """
    if measure.startswith(PRESET):
        return _preset_score(answer, _weights(measure.removeprefix(PRESET), answer.format))
    if measure in DISTANCES:
        value = answer.values.get(measure)
        return None if value is None else -value
    if answer.error:
        return 0.0
    if measure == RENDERED:
        return float(answer.format in PHRASES)
    return answer.values.get(measure)


def _weights(preset: str, format: str) -> Mapping[str, float] | None:
    """The components of a preset; None where a format has none of its own, as it is not drawn."""
    if preset != OWN:
        return PRESETS[preset]
    return PRESETS[suited_preset(format)] if format in PHRASES else None


def _preset_score(answer: MeasuredAnswer, weights: Mapping[str, float] | None) -> float | None:
    if weights is None:
        return None
    if answer.error or (answer.guards_by_layout if goes_by_layouts(weights) else answer.guards):
        return 0.0
    values = {name: score_of(answer, name) for name in weights}
    known = {name: value for name, value in values.items() if value is not None}
    if len(known) < len(weights):
        return None
    return sum(weight * known[name] for name, weight in weights.items())


def find_measures(answers: Iterable[MeasuredAnswer]) -> list[str]:
    """Returns the names of all measures: presets first, then metrics and components."""
    metrics = dict.fromkeys(name for one in answers for name in one.values)
    return [*(f"{PRESET}{name}" for name in (OWN, *PRESETS)), *metrics]


def find_formats(answers: Iterable[MeasuredAnswer]) -> list[str]:
    """Returns the formats of answers, sorted, and `ALL`."""
    return [*sorted({one.format for one in answers}), ALL]


def _of_format(answers: Iterable[MeasuredAnswer], format: str) -> list[MeasuredAnswer]:
    return [one for one in answers if format in (one.format, ALL)]


# How mistakes are ordered


class OrderedChain(NamedTuple):
    """How well a measure orders a case's right answer and the severities of one kind of mistake.

    Args:
        case: its name.
        mistake: its kind.
        tau: Kendall's tau-b of severities and losses, -1 to 1; 0 where the measure is the same for all.
    """

    case: str
    mistake: str
    tau: float


def order_chains(answers: Answers, measure: str) -> list[OrderedChain]:
    """Returns a chain for each case and kind of mistake that has two severities or more.

    Source: Kendall, "The treatment of ties in ranking problems", Biometrika 33 (1945).
    """
    right = {one.case: score_of(one, measure) for one in answers if one.role == "right"}
    chains: defaultdict[tuple[str, str], list[tuple[int, float]]] = defaultdict(list)
    for one in answers:
        if one.role == "mistake" and (score := score_of(one, measure)) is not None:
            chains[one.case, one.name].append((one.severity, score))
    found = []
    for (case, mistake), points in chains.items():
        if (best := right.get(case)) is not None and len(points) > 1:
            severities, scores = zip(*[(0, best), *points], strict=True)
            tau = float(kendalltau(severities, [-score for score in scores]).statistic)
            found.append(OrderedChain(case, mistake, 0.0 if math.isnan(tau) else tau))
    return found


def mean_of_scenes(values: Sequence[float], cases: Sequence[str]) -> Estimate | None:
    """Returns a mean with its interval, in which values of one scene belong together; None of none.

    Args:
        values: any.
        cases: the scene of each.
    """
    if not values:
        return None
    (interval,) = bootstrap_intervals(
        np.array(values)[:, None], clusters=np.array(cases), resamples=2000
    )
    return Estimate(fmean(values), interval, "")


def order_of(answers: Answers, measure: str) -> Estimate | None:
    """Returns the mean of `order_chains`, with its interval; None where there is none."""
    chains = order_chains(answers, measure)
    return mean_of_scenes([one.tau for one in chains], [one.case for one in chains])


def _order(answers: Answers) -> Table:
    note = (
        "Kendall's τ of severities (0, the right answer, to 5 planted mistakes) and losses, for each scene and kind "
        f"of mistake; mean. 1: each further mistake costs. 0: no order. {INTERVAL}"
    )
    return _by_format("order", "How well mistakes are ordered", note, answers, order_of)


def _by_format(
    name: str,
    title: str,
    note: str,
    answers: Answers,
    measured: Callable[[Answers, str], Estimate | None],
) -> Table:
    """A row for each measure, a column for each format, and bars of all of them together."""
    formats = find_formats(answers)
    of_format = {format: _of_format(answers, format) for format in formats}
    rows: list[list[Cell]] = [
        [measure, *(measured(of_format[format], measure) for format in formats)]
        for measure in find_measures(answers)
    ]
    rows = [row for row in rows if any(cell is not None for cell in row[1:])]

    last = {str(row[0]): row[-1] for row in rows}
    bars = {
        key: (one.value, one.interval) for key, one in last.items() if isinstance(one, Estimate)
    }
    drawing = partial(horizontal_bars, bars, title) if bars else None
    columns = [Column("Measure"), *map(Column, formats)]
    return Table(name, title, note, columns, rows, drawing=drawing)


# What is not seen


def unseen_share(answers: Answers, measure: str, kind: str) -> float | None:
    """Returns the share of answers with a kind of mistake that a measure leaves above `UNSEEN`."""
    scores = [
        score_of(one, measure) for one in answers if (one.role, one.name) == ("mistake", kind)
    ]
    known = [score for score in scores if score is not None]
    return fmean(score > UNSEEN for score in known) if known else None


def _unseen(answers: Answers) -> Table:
    kinds = [kind for kind in MISTAKES if any(one.name == kind for one in answers)]
    rows: list[list[Cell]] = [
        [measure, *(unseen_share(answers, measure, kind) for kind in kinds)]
        for measure in find_measures(answers)
        if measure not in DISTANCES
    ]
    note = (
        f"Share of answers with a mistake, 1 to 5 of a kind, that a measure leaves above {UNSEEN}."
    )
    return Table("unseen", "What is not seen", note, [Column("Measure"), *map(Column, kinds)], rows)


# Frauds


class FraudMargin(NamedTuple):
    """How far an honest half-right answer to a case stands above its frauds.

    Args:
        case: its name.
        margin: half-right minus the highest fraud.
        fraud: the highest one.
        score: of it.
        half: score of the half-right answer.
    """

    case: str
    margin: float
    fraud: str
    score: float
    half: float


OF_TEXTS = tuple(dict.fromkeys(name for format in TEXT_FORMATS.values() for name in format.frauds))
WRITTEN = frozenset({*FRAUDS, *OF_TEXTS} - COPIES - {*RELATIONS})
"""Frauds for which nobody needs a way to get the input into code, or which are such a way. Who rearranges a scene has to
draw all of it: that is much of the work, so it is told apart how much such answers have.
"""


def fraud_margins(
    answers: Answers, measure: str, frauds: Collection[str] = WRITTEN
) -> list[FraudMargin]:
    """Returns the margin of each case whose half-right answer is drawn, and whose right answer has a score.

    Else a half-right answer that a guard notices would have 0 by measures that say nothing of its scene.

    Args:
        answers: to any cases.
        measure: by which they are compared.
        frauds: keys of `FRAUDS` that count.
    """
    untold = {one.case for one in answers if one.role == "right" and score_of(one, measure) is None}
    half = {
        one.case: score
        for one in answers
        if one.role == "half right" and not one.error and one.case not in untold
        if (score := score_of(one, measure)) is not None
    }
    worst: dict[str, tuple[float, str]] = {}
    for one in answers:
        if one.role != "fraud" or one.name not in frauds or one.case not in half:
            continue
        if (score := score_of(one, measure)) is not None:
            worst[one.case] = max(worst.get(one.case, (-math.inf, "")), (score, one.name))
    return [
        FraudMargin(case, half[case] - score, fraud, score, half[case])
        for case, (score, fraud) in worst.items()
    ]


def margin_of(answers: Answers, measure: str, frauds: Collection[str] = WRITTEN) -> Estimate | None:
    """Returns the mean of `fraud_margins`, with its interval; None where there is none."""
    margins = fraud_margins(answers, measure, frauds)
    return mean_of_scenes([one.margin for one in margins], [one.case for one in margins])


def _margins(answers: Answers) -> Iterator[Table]:
    note = (
        "The score of an honest half-right answer less that of the highest fraud of its scene; mean. Below 0, a fraud "
        f"pays more. {INTERVAL}"
    )
    title = "Half-right above frauds"
    yield _by_format(
        "margins", title, f"{note} Without copies and rearranged scenes.", answers, margin_of
    )
    rearranged = partial(margin_of, frauds=RELATIONS)
    told = f"{note} Of scenes of which everything is there, and something belongs nowhere."
    yield _by_format(
        "margins-rearranged", "Half-right above rearranged scenes", told, answers, rearranged
    )
    copies = partial(margin_of, frauds=COPIES)
    note = f"{note} Of copies of the input alone, whatever brought them into the picture."
    yield _by_format("margins-copies", "Half-right above copies", note, answers, copies)


def mean_score(answers: Answers, measure: str, role: str, name: str) -> float | None:
    """Returns the mean score of the answers of a role and name; None where there is none."""
    scores = (score_of(one, measure) for one in answers if (one.role, one.name) == (role, name))
    known = [score for score in scores if score is not None]
    return fmean(known) if known else None


SHOWN = (
    *(f"{PRESET}{name}" for name in (OWN, *PRESETS)),
    *("earth_mover_similarity", "structural_similarity", "pixel_similarity"),
    *("levenshtein_similarity", "layout_similarity", "keyword_score", "path_score", REWARD),
)
"""Measures that the tables of frauds show beside the numbers of all in files."""


def _frauds(answers: Answers) -> Iterator[Table]:
    there = {(one.role, one.name) for one in answers}
    names = [("right", "right"), ("half right", "half right")]
    names += [("fraud", name) for name in (*FRAUDS, *OF_TEXTS) if ("fraud", name) in there]
    note = "Mean score of each fraud where the format can say it; with presets, 0 where a guard notices it."
    every = find_measures(answers)
    for table, measures in (
        ("frauds", [one for one in SHOWN if one in every]),
        ("frauds-all", every),
    ):
        rows = [
            [name, *(mean_score(answers, measure, role, name) for measure in measures)]
            for role, name in names
        ]
        columns = [Column("Answer"), *map(Column, measures)]
        yield Table(table, "Frauds", note, columns, rows, printed=table == "frauds")


def noticed_share(answers: Answers, fraud: str, guard: str) -> float:
    """Returns the share of a fraud's answers that a guard notices."""
    found = [guard in one.guards for one in answers if (one.role, one.name) == ("fraud", fraud)]
    return fmean(found) if found else math.nan


def _guards(answers: Answers) -> Table:
    guards = sorted({guard for one in answers for guard in one.guards})
    names = [name for name in FRAUDS if any(one.name == name for one in answers)]
    rows: list[list[Cell]] = []
    for name in names:
        these = [one for one in answers if (one.role, one.name) == ("fraud", name)]
        shares = [noticed_share(these, name, guard) for guard in guards]
        drawn = [one for one in these if not one.error]
        passed = (
            sum(not one.guards for one in drawn),
            sum(not one.guards_by_layout for one in drawn),
        )
        failed = len(these) - len(drawn)
        rows.append([name, *shares, *(count / len(these) for count in (failed, *passed))])
    passes = "passes", "passes, where layouts are compared"
    columns = [Column("Fraud"), *map(Column, guards), Column("not drawn"), *map(Column, passes)]
    note = "Share of frauds, of rewards that go by the picture alone."
    return Table("guards", "What guards notice", note, columns, rows)


# Harmless changes


def harmless_loss(answers: Answers, measure: str, name: str = ALL) -> float | None:
    """Returns what a harmless change costs: the right answer's score less its own; mean over cases."""
    right = {one.case: score_of(one, measure) for one in answers if one.role == "right"}
    losses = [
        best - score
        for one in answers
        if one.role == "harmless" and name in (one.name, ALL) and not one.error
        if (score := score_of(one, measure)) is not None
        and (best := right.get(one.case)) is not None
    ]
    return fmean(losses) if losses else None


def mistake_loss(answers: Answers, measure: str) -> float | None:
    """Returns what one mistake costs: the right answer's score less that of severity 1; mean."""
    right = {one.case: score_of(one, measure) for one in answers if one.role == "right"}
    losses = [
        best - score
        for one in answers
        if one.role == "mistake" and one.severity == 1
        if (score := score_of(one, measure)) is not None
        and (best := right.get(one.case)) is not None
    ]
    return fmean(losses) if losses else None


def _harmless(answers: Answers) -> Table:
    names = [name for name in HARMLESS if any(one.name == name for one in answers)]
    rows: list[list[Cell]] = [
        [
            measure,
            *(harmless_loss(answers, measure, name) for name in names),
            mistake_loss(answers, measure),
        ]
        for measure in find_measures(answers)
    ]
    note = "What a change costs that nobody would call worse, beside what one planted mistake costs; means."
    columns = [Column("Measure"), *map(Column, names), Column("one mistake")]
    return Table("harmless", "Harmless changes", note, columns, rows)


# Cost and failures


def _costs(answers: Answers) -> Table:
    meters = dict.fromkeys(name for one in answers for name in (*one.milliseconds, *one.failures))
    rows: list[list[Cell]] = []
    for meter in meters:
        spent = [one.milliseconds[meter] for one in answers if meter in one.milliseconds]
        failed = sum(meter in one.failures for one in answers)
        middle, high = np.quantile(spent, (0.5, 0.95)) if spent else (math.nan, math.nan)
        rows.append([meter, len(spent), float(middle), float(high), failed])
    note = "Milliseconds of processor time of a pair, each metric by itself; how often it failed, which is no score."
    columns = [
        Column("Metric"),
        Column("pairs"),
        Column("median ms", ".1f"),
        Column("95% ms", ".1f"),
    ]
    return Table("costs", "Cost and failures", note, [*columns, Column("failed")], rows)


def audit_tables(answers: Answers) -> list[Table]:
    """Returns all tables of an audit.

    Args:
        answers: of at least one case.
    """
    return [
        _order(answers),
        _unseen(answers),
        *_margins(answers),
        *_frauds(answers),
        _guards(answers),
        _harmless(answers),
        _costs(answers),
    ]
