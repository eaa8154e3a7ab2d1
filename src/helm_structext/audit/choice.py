"""Which preset a format's rewards should have by default, as far as an audit's scenes carry it."""

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
)
from helm_structext.results.tabular import Cell, Column, Estimate, Table
from helm_structext.rewards.pictures import PRESETS, suited_preset

FEWEST = 5
"""Scenes from which on a default may be changed."""


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


def choose_preset(answers: Answers) -> str | None:
    """Returns the preset by which half-right stands highest above frauds; None where scenes carry none but the default.

    Args:
        answers: to cases of one format, or of one kind of scenes.
    """
    return next((one.preset for one in find_gains(answers) if one.carried), None)


def presets_table(answers: Answers) -> Table:
    """Returns what each preset is worth in each format and for each kind of scenes, and which should be the default.

    Args:
        answers: of at least one case.
    """
    drawn = [one for one in answers if one.format in PHRASES]
    groups = [
        *[(one, [it for it in drawn if it.format == one]) for one in _names(drawn, "format")],
        *[
            (f"{one} scenes", [it for it in drawn if it.kind == one])
            for one in _names(drawn, "kind")
        ],
        (ALL, drawn),
    ]
    rows = [row for name, these in groups for row in _rows(name, these)]
    note = (
        "Half-right less the highest fraud of its scene (mean, and the least), by how much that is more than with the "
        "format's default, and Kendall's τ of planted mistakes, for the presets with a score. One is better where the "
        f"gain's 95% interval lies above 0 in {FEWEST} scenes or more."
    )
    columns = ["Of", "Preset", "scenes", "half-right above frauds", "least", "gain", "τ", "it is"]
    return Table("presets", "Presets by format and kind", note, [*map(Column, columns)], rows)


def _names(answers: Answers, field: str) -> list[str]:
    return sorted({getattr(one, field) for one in answers})


def _rows(of: str, answers: Answers) -> list[list[Cell]]:
    defaults = {suited_preset(one.format) for one in answers}
    best = choose_preset(answers)
    gains = {one.preset: one.gain for one in find_gains(answers)}
    rows: list[list[Cell]] = []
    for name in PRESETS:
        measure = f"{PRESET}{name}"
        if (margin := margin_of(answers, measure)) is None:
            continue
        found = fraud_margins(answers, measure)
        least = min(one.margin for one in found)
        is_what = "the default" if {name} == defaults else "better" if name == best else ""
        gain = None if {name} == defaults else gains.get(name)
        order = order_of(answers, measure)
        rows.append([of, name, len(found), margin, least, gain, order, is_what])
    return rows
