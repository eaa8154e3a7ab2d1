"""The tables of MMR for a finished suite: Table 1 of the paper, and what surrounds it.

Table 1 counts right answers, out of 50 questions of each task and 600 in all where a suite has the
published ones; the headers say out of how many they are. No table mixes two sources, nor two ways
to ask.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from statistics import fmean

import numpy as np

from helm_structext.metrics.text import MAX_LENGTH
from helm_structext.mmr.results import COLUMN_NAMES, MMRResult, MMRResultSet
from helm_structext.mmr.tasks import TASKS
from helm_structext.results import groups
from helm_structext.results.answers import (
    FLAWS,
    FLAWS_NOTE,
    shares,
    unscored_columns,
    unscored_note,
)
from helm_structext.results.comparisons import GROUP, groups_note, pair_tables
from helm_structext.results.difficulty import Difficulty, difficulty_tables
from helm_structext.results.mistakes import Mistakes, mistake_tables
from helm_structext.results.plots import radar
from helm_structext.results.statistics import (
    ERRORS,
    INTERVALS,
    bootstrap_intervals,
    standard_errors,
    weighted_means,
)
from helm_structext.results.tabular import (
    PER_CENT,
    SCORE,
    Cell,
    Table,
    for_each,
    format_count,
    list_some,
    model_table,
)

TEXTS = ("recognition_label", "recognition_pos", "grounding_t")

MEANS = {
    "Fonts": ("accuracy", ("font_size", "font_color")),
    "Places": ("accuracy", ("localize_o", "localize_t")),
    "Relations": ("accuracy", ("spatial_ot", "spatial_oo", "spatial_tt")),
    "PNLS": ("pnls", TEXTS),
    "PNLS (publ.)": ("pnls_published", TEXTS),
    "IoU objects": ("iou", ("grounding_o",)),
    "IoU texts": ("iou", ("grounding_t",)),
}
"""Header to a metric, and the tasks over whose answers it is averaged."""

LENIENT = {
    "O-Box": ("iou_correct", "grounding_o"),
    "T-PNLS": ("pnls_correct", "grounding_t"),
    "T-Box": ("iou_correct", "grounding_t"),
}
"""Columns of Table 1 that are read leniently too."""


def leaderboard(result_set: MMRResultSet) -> Iterator[Table]:
    """Table 1: right answers of each task; drawn as Figure 1b, a radar."""
    sizes = result_set.sizes
    whole = sum(sizes.values())
    counts = [result_set.counts(model) for model in result_set.ranking]
    totals = [sum(of_model.values()) for of_model in counts]
    asked = {column: size for column, size in sizes.items() if size}
    lines = {
        model: [of_model[c] / size if c in of_model else None for c, size in asked.items()]
        for model, of_model in zip(result_set.ranking, counts, strict=True)
    }
    axes = [COLUMN_NAMES[column] for column in asked]
    table = _table(
        result_set,
        "leaderboard",
        "(Table 1)",
        "Right answers, each column out of the number in its header. Label to T-PNLS: PNLS above "
        "0.9, as published, or the right choice; boxes: IoU above 0.3. Questions that ask for a "
        f"text and its box count twice.{groups_note([result_set.grid], 'the mean share that is right')}",
        {
            **{
                f"{c} /{size}": [of_model.get(c) for of_model in counts]
                for c, size in sizes.items()
            },
            f"Total /{whole}": totals,
            "%": [
                None if share is None else 100 * share
                for share in map(result_set.share, result_set.ranking)
            ],
            GROUP: [result_set.grid.groups.get(model) for model in result_set.ranking],
        },
        format=PER_CENT,
    )
    yield replace(table, drawing=partial(radar, axes, lines, "MMR: shares of right answers"))


def score_tables(result_set: MMRResultSet) -> Iterator[Table]:
    """The share that is right, and how sure that is."""
    ranked = result_set.grid.of(result_set.ranking)
    values = ranked.measures[ranked.score]
    yield _table(
        result_set,
        "scores",
        "scores",
        "Right: mean share of what was asked for; a text with a box is two halves. Readable: in "
        f"the format asked for. {INTERVALS} {ERRORS}",
        {
            "n": np.isfinite(values).sum(axis=0).tolist(),
            "Right": weighted_means(values).tolist(),
            "Right 95%": bootstrap_intervals(values, clusters=ranked.clusters),
            "Right SE": standard_errors(values, clusters=ranked.clusters).tolist(),
            "Readable": [_mean(result_set, m, "valid_format", TASKS) for m in ranked.models],
        },
    )


def metric_tables(result_set: MMRResultSet) -> Iterator[Table]:
    """Metrics before thresholds; then what lenient reading changes."""
    columns = {
        header: [_mean(result_set, model, metric, tasks) for model in result_set.ranking]
        for header, (metric, tasks) in MEANS.items()
    }
    known = {
        header: column
        for header, column in columns.items()
        if any(cell is not None for cell in column)
    }
    yield _table(
        result_set,
        "metrics",
        "metrics",
        "Means over answers; what could not be read counts as 0. PNLS (publ.): a gap opposite a "
        f"hyphen counts as a match. Texts are looked for in the first {MAX_LENGTH:,} characters.",
        known,
    )
    lenient = [model for model in result_set.ranking if _scales(result_set, model)]
    if lenient:
        sizes = result_set.sizes
        yield _table(
            result_set,
            "lenient",
            "boxes read leniently",
            "Right answers as published, then with boxes taken out of fences and prose in the "
            "scale that the run entry declares, and no other.",
            {
                "Scale": [", ".join(_scales(result_set, model)) for model in lenient],
                **{
                    f"{column}{how} /{sizes[column]}": [
                        round(sum(values)) if values else None
                        for model in lenient
                        for values in [result_set.values(f"{metric}{suffix}", model, task)]
                    ]
                    for column, (metric, task) in LENIENT.items()
                    for how, suffix in (("", ""), (" len.", "_lenient"))
                },
            },
            models=lenient,
        )


def answer_tables(result_set: MMRResultSet) -> Iterator[Table]:
    """Why answers scored nothing: cut, refused, empty, not in the format asked for."""
    answers = [result_set.of_model(model) for model in result_set.ranking]
    unreadable = {"Unreadable": lambda answer: not answer.scores.get("valid_format")}
    yield _table(
        result_set,
        "answers",
        "answers",
        f"Shares of each model's answers. {FLAWS_NOTE} Unreadable: not in the format asked for.",
        {
            "n": [len(of_model) for of_model in answers],
            **shares(answers, {**FLAWS, **unreadable}),
        },
    )


def significance_tables(result_set: MMRResultSet) -> Iterator[Table]:
    """Which differences between two models are more than chance."""
    yield from pair_tables(result_set.grid, _facts(result_set))


DIFFICULTY = Difficulty(
    length=lambda answer: len(answer.truth.text or "") or None,
    unit="characters of the text asked for",
)
"""Of questions whose answer is a text, alone or with its box."""


def _is_wrong(metric: str) -> Callable[[MMRResult], float | None]:
    """What says whether an answer that could be read is wrong by a metric, where it has it."""

    def count(answer: MMRResult) -> float | None:
        right = answer.scores.get(metric)
        return (
            None if right is None else float(not right and bool(answer.scores.get("valid_format")))
        )

    return count


MISTAKES: Mistakes = {
    "Unreadable": lambda answer: not answer.scores.get("valid_format"),
    "Wrong choice": _is_wrong("accuracy"),
    "Wrong text": _is_wrong("pnls_correct"),
    "Wrong box": _is_wrong("iou_correct"),
}
"""A text with its box may be wrong in both."""

SECTIONS: dict[str, Callable[[Sequence[MMRResultSet]], Iterator[Table]]] = {
    "leaderboard": for_each(leaderboard),
    "scores": for_each(score_tables),
    **groups.SECTIONS,
    "metrics": for_each(metric_tables),
    "answers": for_each(answer_tables),
    "difficulty": partial(difficulty_tables, DIFFICULTY),
    "mistakes": partial(
        mistake_tables,
        MISTAKES,
        "Unreadable: not in the format asked for. Wrong: of the readable answers; a text whose PNLS is not above "
        "0.9, a box whose IoU is not above 0.3. A text with its box may be wrong in both.",
    ),
    "significance": for_each(significance_tables),
}
"""What to show of result sets, by the names that the sections of the other benchmarks have too."""


def _mean(result_set: MMRResultSet, model: str, metric: str, tasks: Iterable[str]) -> float | None:
    values = [value for task in tasks for value in result_set.values(metric, model, task)]
    return fmean(values) if values else None


def _scales(result_set: MMRResultSet, model: str) -> list[str]:
    return sorted({answer.lenient for answer in result_set.of_model(model)} - {"none"})


def _table(
    result_set: MMRResultSet,
    name: str,
    title: str,
    note: str,
    columns: Mapping[str, Sequence[Cell]],
    *,
    models: Sequence[str] | None = None,
    format: str = SCORE,
) -> Table:
    """A table with a row for each of some models, by default of all, the best first."""
    rows = models or result_set.ranking
    return model_table(
        f"{result_set.name}-{name}",
        f"MMR{'' if title.startswith('(') else ':'} {title}",
        f"{_facts(result_set)} {note}",
        rows,
        {**columns, **unscored_columns(result_set.unscored, rows)},
        apart=result_set.apart,
        format=format,
    )


def _facts(result_set: MMRResultSet) -> str:
    """Which questions there are, who lacks some, and what could not be handled."""
    behind = result_set.incomplete
    number, tasks = len(result_set.instances), format_count(len(result_set.by_part), "task")
    which = f"{result_set.condition}; {format_count(number, 'question')} of {tasks}."
    lacking = f" Not all models have all: {list_some(behind)}." if behind else ""
    return f"{which}{lacking}{result_set.data_note}{unscored_note(result_set.unscored)}"
