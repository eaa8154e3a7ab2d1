"""Which preset each format's rewards should have, as far as an audit's scenes carry it.

The rule: each format keeps its own preset (`OWN`), unless by another half-right stands higher above frauds, scene by
scene, in `FEWEST` scenes or more and most of those that have a margin, with a 95% interval above 0; and unless that one
orders mistakes worse, with an interval of Kendall's τ below 0, or leaves a kind of mistake mostly unseen that the format's
own sees. The table, the plot and the page's sentences all say it.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from statistics import fmean
from typing import NamedTuple

from helm_structext.audit.phrases import PHRASES
from helm_structext.audit.tables import (
    ALL,
    OWN,
    PRESET,
    Answers,
    fraud_margins,
    margin_of,
    mean_of_scenes,
    order_chains,
    order_of,
    score_of,
)
from helm_structext.audit.thresholds import FEWEST, MOSTLY, UNSEEN
from helm_structext.results.plots import draw_intervals
from helm_structext.results.tabular import Cell, Column, Estimate, Table, format_cell, format_count
from helm_structext.rewards.pictures import PRESETS, suited_preset

DEFAULT, BETTER = "the default", "better"
"""What the table says of a preset."""


class PresetGain(NamedTuple):
    """What another preset would change.

    Args:
        preset: its name.
        gain: by how much its margin above frauds is larger than that of the format's own, scene by scene; mean.
        order: by how much its τ of mistakes is, chain by chain; None where there are none.
        scenes: that both have a margin of.
    """

    preset: str
    gain: Estimate
    order: Estimate | None
    scenes: int

    @property
    def carried(self) -> bool:
        """Whether there are enough scenes, and the interval lies above 0."""
        return self.scenes >= FEWEST and self.gain.interval[0] > 0

    @property
    def orders_worse(self) -> bool:
        """Whether mistakes are ordered worse, by more than chance."""
        return self.order is not None and self.order.interval[1] < 0


def find_gains(answers: Answers) -> list[PresetGain]:
    """Returns what each preset would change, the largest gain first.

    Args:
        answers: to cases of any formats.
    """
    usual, ordered = _margin_by_case(answers, OWN), _tau_by_chain(answers, OWN)
    found = []
    for name in PRESETS:
        margins = _margin_by_case(answers, name)
        both = {case: margins[case] - usual[case] for case in sorted(margins.keys() & usual.keys())}
        gain = mean_of_scenes([*both.values()], [*both])
        taus = _tau_by_chain(answers, name)
        chains = {key: taus[key] - ordered[key] for key in sorted(taus.keys() & ordered.keys())}
        order = mean_of_scenes([*chains.values()], [case for case, _ in chains])
        if gain is not None:
            found.append(PresetGain(name, gain, order, len(both)))
    return sorted(found, key=lambda one: -one.gain.value)


def _margin_by_case(answers: Answers, preset: str) -> dict[str, float]:
    return {one.case: one.margin for one in fraud_margins(answers, f"{PRESET}{preset}")}


def _tau_by_chain(answers: Answers, preset: str) -> dict[tuple[str, str], float]:
    chains = order_chains(answers, f"{PRESET}{preset}")
    return {(one.case, one.mistake): one.tau for one in chains}


def choose_preset(gains: Sequence[PresetGain], every: Answers) -> PresetGain | None:
    """Returns the preset to take in place of the format's own, by the rule above; None where that stays.

    Args:
        gains: of one format, or of one kind of scenes (`find_gains`), the largest first.
        every: all answers of the audit, by which it is told what a preset sees.
    """
    found = (
        one
        for one in _carried(gains)
        if not one.orders_worse and not find_unseen(every, one.preset)
    )
    return next(found, None)


def _carried(gains: Sequence[PresetGain]) -> list[PresetGain]:
    """Those that scenes carry, and that have a score of most scenes."""
    most = max((one.scenes for one in gains), default=0) * MOSTLY
    return [one for one in gains if one.carried and one.scenes > most]


def find_unseen(answers: Answers, preset: str) -> list[str]:
    """Returns the kinds of mistakes that a preset leaves mostly unseen, and each format's own does not."""
    return sorted(_blind_kinds(answers, preset) - _blind_kinds(answers, OWN))


def _blind_kinds(answers: Answers, preset: str) -> set[str]:
    """Kinds of mistakes that a preset mostly leaves above `UNSEEN`."""
    seen: defaultdict[str, list[bool]] = defaultdict(list)
    for one in answers:
        if one.role == "mistake" and one.format in PHRASES:
            score = score_of(one, f"{PRESET}{preset}")
            if score is not None:
                seen[one.name].append(score <= UNSEEN)
    return {kind for kind, found in seen.items() if fmean(found) < 1 - MOSTLY}


def find_groups(answers: Answers) -> Iterator[tuple[str, Answers]]:
    """Yields names and answers of what may have a preset of its own: formats, kinds of scenes, and all.

    Args:
        answers: of which those in text are left out.
    """
    drawn = [one for one in answers if one.format in PHRASES]
    for name in sorted({one.format for one in drawn}):
        yield name, [one for one in drawn if one.format == name]
    for name in sorted({one.kind for one in drawn}):
        yield f"{name} scenes", [one for one in drawn if one.kind == name]
    yield ALL, drawn


def presets_tables(answers: Answers) -> Iterator[Table]:
    """Yields what each preset is worth: of all scenes together, and in each format and for each kind of scenes.

    Args:
        answers: of at least one case.
    """
    rows = [row for name, these in find_groups(answers) for row in _rows(name, these, answers)]
    rule = (
        f"A preset is better than the format's own where that gain's 95% interval lies above 0 in {FEWEST} scenes or "
        "more, and if it orders mistakes no worse and sees each kind of mistake that the format's own sees."
    )
    note = (
        "Half-right less the highest fraud of its scene (mean, and the least), in how many scenes a fraud has more, by "
        f"how much the mean is above that of the format's own preset, and Kendall's τ of planted mistakes. {rule}"
    )
    names = ["scenes", "half-right above frauds", "least", "fraud above", "gain", "τ", "it is"]
    columns = [Column("Preset"), *map(Column, names)]
    title = "Presets, all scenes together"
    yield Table("presets", title, note, columns, [row[1:] for row in rows if row[0] == ALL])
    title = "Presets by format and kind"
    columns = [Column("Of"), *columns]
    drawing = partial(draw_intervals, _dots(rows), f"{title}: half-right above the highest fraud")
    table = Table("presets-by-format", title, note, columns, rows)
    yield table if not rows else replace(table, drawing=drawing)


def _rows(of: str, answers: Answers, every: Answers) -> list[list[Cell]]:
    """A row for each preset with a score; all of them, and several formats, have a row for each one's own, too."""
    own = {suited_preset(one.format) for one in answers}
    gains = find_gains(answers)
    best = choose_preset(gains, every)
    gain_of = {one.preset: one.gain for one in gains if {one.preset} != own}
    is_what = dict.fromkeys([OWN, *own] if len(own) == 1 else [OWN], DEFAULT)
    if best:
        is_what[best.preset] = BETTER
    rows: list[list[Cell]] = []
    for name in (OWN, *PRESETS) if of == ALL or len(own) > 1 else PRESETS:
        measure = f"{PRESET}{name}"
        if (margin := margin_of(answers, measure)) is None:
            continue
        margins = [one.margin for one in fraud_margins(answers, measure)]
        above = sum(one < 0 for one in margins)
        order = order_of(answers, measure)
        numbers: list[Cell] = [len(margins), margin, min(margins), above]
        rows.append([of, name, *numbers, gain_of.get(name), order, is_what.get(name, "")])
    return rows


def _dots(
    rows: Sequence[Sequence[Cell]],
) -> dict[str, dict[str, tuple[float, tuple[float, float]]]]:
    dots: defaultdict[str, dict[str, tuple[float, tuple[float, float]]]] = defaultdict(dict)
    for of, name, _, margin, *_ in rows:
        assert isinstance(margin, Estimate)
        dots[str(of)][str(name)] = margin.value, margin.interval
    return dict(dots)


def describe_choice(answers: Answers) -> Iterator[str]:
    """Yields a sentence for each format and kind of scenes, and one for all: which preset to take, with its numbers.

    Args:
        answers: of at least one case.
    """
    for name, these in find_groups(answers):
        if margin_of(these, f"{PRESET}{OWN}") is None:
            continue
        own = {suited_preset(one.format) for one in these}
        usual = f"`{min(own)}`, its own" if len(own) == 1 else "each format's own"
        gains = find_gains(these)
        refused = "".join(
            f" `{one.preset}` stands {_describe_gain(one)}, but {' and '.join(reasons)}."
            for one in _carried(gains)
            if (reasons := [*_describe_faults(one, find_unseen(answers, one.preset))])
        )
        if best := choose_preset(gains, answers):
            yield (
                f"`{name}`: take `{best.preset}` rather than {usual}; it stands {_describe_gain(best)}. "
                f"{_describe_margin(these, best.preset)}{refused}"
            )
        else:
            yield f"`{name}`: take {usual}. {_describe_margin(these, OWN)}{refused}"


def _describe_faults(found: PresetGain, unseen: Sequence[str]) -> Iterator[str]:
    """Why a preset that stands higher is not to be taken."""
    if found.order and found.orders_worse:
        value, interval = (
            format_cell(it, "+.2f") for it in (found.order.value, found.order.interval)
        )
        yield f"orders mistakes worse (τ {value} {interval})"
    if unseen:
        yield f"does not see {' and '.join(f'“{kind}”' for kind in unseen)}"


def _describe_gain(found: PresetGain) -> str:
    value, interval = (format_cell(it, "+.3f") for it in (found.gain.value, found.gain.interval))
    return f"{value} {interval} higher in {format_count(found.scenes, 'scene')}"


def _describe_margin(answers: Answers, preset: str) -> str:
    measure = f"{PRESET}{preset}"
    margin, order = margin_of(answers, measure), order_of(answers, measure)
    assert margin is not None
    worst = min(fraud_margins(answers, measure), key=lambda one: one.margin)
    known = not math.isnan(margin.half)
    between = f" {format_cell(margin.interval, '+.3f')}" if known else ""
    ordered = f"; mistakes are ordered with τ {format_cell(order.value, '.2f')}" if order else ""
    return (
        f"Half-right less the highest fraud is {format_cell(margin.value, '+.3f')}{between}, "
        f"least {format_cell(worst.margin, '+.3f')} "
        f"(“{worst.fraud}” has {format_cell(worst.score)}, half-right {format_cell(worst.half)}){ordered}."
    )
