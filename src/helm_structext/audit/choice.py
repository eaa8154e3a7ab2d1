"""Which preset a format's rewards should have by default, as far as an audit's scenes carry it."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import NamedTuple

from helm_structext.audit.phrases import PHRASES
from helm_structext.audit.tables import (
    ALL,
    PRESET,
    Answers,
    fraud_margins,
    margin_of,
    mean_of_scenes,
    order_of,
    score_of,
)
from helm_structext.audit.thresholds import FEWEST, MOSTLY, UNSEEN
from helm_structext.results.tabular import Cell, Column, Estimate, Table, format_cell
from helm_structext.rewards.pictures import PRESETS, suited_preset


class PresetGain(NamedTuple):
    """What another preset would change.

    Args:
        preset: its name.
        gain: by how much its margin above frauds is larger than the default's, scene by scene; mean.
        scenes: that both have a margin of.
    """

    preset: str
    gain: Estimate
    scenes: int

    @property
    def carried(self) -> bool:
        """Whether there are enough scenes, and the interval lies above 0."""
        return self.scenes >= FEWEST and self.gain.interval[0] > 0


def find_gains(answers: Answers) -> list[PresetGain]:
    """Returns what each preset would change, the largest gain first.

    Args:
        answers: to cases of any formats, each of which has its default.
    """
    margins = {
        name: {one.case: one.margin for one in fraud_margins(answers, f"{PRESET}{name}")}
        for name in PRESETS
    }
    default = {
        one.case: margins[suited_preset(one.format)].get(one.case)
        for one in answers
        if one.format in PHRASES
    }
    found = []
    for name, margin_by_case in margins.items():
        both = {
            case: margin - usual
            for case, margin in sorted(margin_by_case.items())
            if (usual := default[case]) is not None
        }
        gain = mean_of_scenes([*both.values()], [*both])
        if gain is not None:
            found.append(PresetGain(name, gain, len(both)))
    return sorted(found, key=lambda one: -one.gain.value)


def choose_preset(gains: Sequence[PresetGain], every: Answers) -> PresetGain | None:
    """Returns the preset by which half-right stands highest above frauds; None where scenes carry none but the default.

    It has a score of most of the scenes, and sees each kind of mistake that the default sees.

    Args:
        gains: of one format, or of one kind of scenes (`find_gains`).
        every: all answers of the audit, by which it is told what a preset sees.
    """
    most = max((one.scenes for one in gains), default=0) * MOSTLY
    usual = _blind_kinds(every)
    found = (
        one
        for one in gains
        if one.carried and one.scenes > most and _blind_kinds(every, one.preset) <= usual
    )
    return next(found, None)


def _blind_kinds(answers: Answers, preset: str = "") -> set[str]:
    """Kinds of mistakes that a preset, or each format's own, mostly leaves above `UNSEEN`."""
    seen: defaultdict[str, list[bool]] = defaultdict(list)
    for one in answers:
        if one.role == "mistake" and one.format in PHRASES:
            score = score_of(one, f"{PRESET}{preset or suited_preset(one.format)}")
            if score is not None:
                seen[one.name].append(score <= UNSEEN)
    return {kind for kind, found in seen.items() if fmean(found) < 1 - MOSTLY}


def presets_table(answers: Answers) -> Table:
    """Returns what each preset is worth in each format and for each kind of scenes, and which should be the default.

    Args:
        answers: of at least one case.
    """
    rows = [row for name, these in find_groups(answers) for row in _rows(name, these, answers)]
    note = (
        "Half-right less the highest fraud of its scene (mean, and the least), by how much that is more than with the "
        "format's default, and Kendall's τ of planted mistakes, for the presets with a score. One is better where the "
        f"gain's 95% interval lies above 0 in {FEWEST} scenes or more, and if it sees each kind of mistake that the default sees."
    )
    columns = ["Of", "Preset", "scenes", "half-right above frauds", "least", "gain", "τ", "it is"]
    return Table("presets", "Presets by format and kind", note, [*map(Column, columns)], rows)


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


def describe_gains(answers: Answers) -> Iterator[str]:
    """Yields a sentence for each group for which another preset is better than its format's default.

    Args:
        answers: of at least one case.
    """
    for name, these in find_groups(answers):
        if best := choose_preset(find_gains(these), answers):
            yield (
                f"{name}: by `{best.preset}` half-right stands {format_cell(best.gain.value, '+.3f')} "
                f"{format_cell(best.gain.interval, '+.3f')} higher above frauds than by the format's default "
                f"({best.scenes} scenes)."
            )


def _rows(of: str, answers: Answers, every: Answers) -> list[list[Cell]]:
    defaults = {suited_preset(one.format) for one in answers}
    found_gains = find_gains(answers)
    best = choose_preset(found_gains, every)
    gains = {one.preset: one.gain for one in found_gains}
    rows: list[list[Cell]] = []
    for name in PRESETS:
        measure = f"{PRESET}{name}"
        if (margin := margin_of(answers, measure)) is None:
            continue
        found = fraud_margins(answers, measure)
        least = min(one.margin for one in found)
        is_what = (
            "the default"
            if {name} == defaults
            else "better"
            if best and name == best.preset
            else ""
        )
        gain = None if {name} == defaults else gains.get(name)
        order = order_of(answers, measure)
        rows.append([of, name, len(found), margin, least, gain, order, is_what])
    return rows
