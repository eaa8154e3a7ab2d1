"""The tables of MMR for a finished suite: Table 1 of the paper, and what surrounds it.

Table 1 counts right answers, out of 50 questions of each task and 600 in all where a suite has the
published ones; the headers say out of how many they are. No table mixes two sources, nor two ways
to ask.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from statistics import fmean

import numpy as np

from helm_structext.mmr.results import MMRBoard, MMRResult
from helm_structext.mmr.tasks import TASKS
from helm_structext.results.comparisons import pair_tables
from helm_structext.results.statistics import INTERVALS, bootstrap_intervals
from helm_structext.results.tabular import Cell, Column, Table, counted, some

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


def leaderboard(board: MMRBoard) -> Iterator[Table]:
    """Table 1: right answers of each task."""
    sizes = board.sizes
    whole = sum(sizes.values())
    rows: list[list[Cell]] = []
    for model in board.ranking:
        counts = board.counts(model)
        total = sum(counts.values())
        rows.append([model, *(counts.get(column) for column in sizes), total, 100 * total / whole])
    yield _table(
        board,
        "leaderboard",
        "(Table 1)",
        "Right answers, each column out of the number in its header. Label to T-PNLS: PNLS above "
        "0.9, as published, or the right choice; boxes: IoU above 0.3. Questions that ask for a "
        "text and its box count twice.",
        [f"{column} /{size}" for column, size in sizes.items()] + [f"Total /{whole}", "%"],
        rows,
        ".1f",
    )


def score_tables(board: MMRBoard) -> Iterator[Table]:
    """The share that is right, and how sure that is."""
    ranked = board.grid().of(board.ranking)
    values = ranked.measures[ranked.score]
    yield _table(
        board,
        "scores",
        "scores",
        "Right: mean share of what was asked for; a text with a box is two halves. Readable: in "
        f"the format asked for. {INTERVALS}",
        ["n", "Right", "Right 95%", "Readable"],
        [
            [
                model,
                int(np.isfinite(column).sum()),
                float(np.nanmean(column)),
                interval,
                _mean(board, model, "valid_format", TASKS),
            ]
            for model, column, interval in zip(
                ranked.models, values.T, bootstrap_intervals(values), strict=True
            )
        ],
    )


def metric_tables(board: MMRBoard) -> Iterator[Table]:
    """Metrics before thresholds; then what lenient reading changes."""
    columns = {
        header: [_mean(board, model, metric, tasks) for model in board.ranking]
        for header, (metric, tasks) in MEANS.items()
    }
    known = {
        header: column
        for header, column in columns.items()
        if any(cell is not None for cell in column)
    }
    yield _table(
        board,
        "metrics",
        "metrics",
        "Means over answers; what could not be read counts as 0. PNLS (publ.): a gap opposite a "
        "hyphen counts as a match.",
        list(known),
        [
            [model, *(c[number] for c in known.values())]
            for number, model in enumerate(board.ranking)
        ],
    )
    lenient = [model for model in board.ranking if _scales(board, model)]
    if lenient:
        sizes = board.sizes
        yield _table(
            board,
            "lenient",
            "boxes read leniently",
            "Right answers as published, then with boxes taken out of fences and prose in the "
            "scale that the run entry declares, and no other.",
            ["Scale", *(f"{c}{how} /{sizes[c]}" for c in LENIENT for how in ("", " len."))],
            [
                [
                    model,
                    ", ".join(_scales(board, model)),
                    *(
                        round(sum(values)) if values else None
                        for metric, task in LENIENT.values()
                        for suffix in ("", "_lenient")
                        for values in [board.values(model, task, f"{metric}{suffix}")]
                    ),
                ]
                for model in lenient
            ],
        )


def answer_tables(board: MMRBoard) -> Iterator[Table]:
    """Why answers scored nothing: cut, refused, empty, not in the format asked for."""
    answers = [board.of_model(model) for model in board.ranking]

    def share(is_so: Callable[[MMRResult], bool]) -> list[float | None]:
        return [fmean(map(is_so, of_model)) if of_model else None for of_model in answers]

    columns: dict[str, Sequence[Cell]] = {
        "n": [len(of_model) for of_model in answers],
        "Cut": share(lambda answer: answer.truncated),
        "Refused": share(lambda answer: answer.refused),
        "Empty": share(lambda answer: not answer.completion.strip()),
        "Unreadable": share(lambda answer: not answer.scores["valid_format"]),
    }
    yield _table(
        board,
        "answers",
        "answers",
        "Shares of each model's answers. Cut: at the limit of tokens. Refused: nothing but a "
        "refusal in English, or withheld by the provider's filter. Empty: not a word. Unreadable: "
        "not in the format asked for.",
        list(columns),
        [
            [model, *(column[number] for column in columns.values())]
            for number, model in enumerate(board.ranking)
        ],
    )


def significance_tables(board: MMRBoard) -> Iterator[Table]:
    """Which differences between two models are more than chance."""
    yield from pair_tables(board.grid(), _facts(board))


SECTIONS: Mapping[str, Callable[[MMRBoard], Iterator[Table]]] = {
    "leaderboard": leaderboard,
    "scores": score_tables,
    "metrics": metric_tables,
    "answers": answer_tables,
    "significance": significance_tables,
}
"""What to show of a board, by the names that the sections of the other benchmarks have too."""


def _mean(board: MMRBoard, model: str, metric: str, tasks: Iterable[str]) -> float | None:
    values = [value for task in tasks for value in board.values(model, task, metric)]
    return fmean(values) if values else None


def _scales(board: MMRBoard, model: str) -> list[str]:
    return sorted({answer.lenient for answer in board.of_model(model)} - {"none"})


def _table(
    board: MMRBoard,
    name: str,
    title: str,
    note: str,
    columns: Sequence[str],
    rows: list[list[Cell]],
    format: str = ".3f",
) -> Table:
    return Table(
        f"{board.stem}-{name}",
        f"MMR{'' if title.startswith('(') else ':'} {title}",
        f"{_facts(board)} {note}",
        [Column("Model"), *(Column(column, format) for column in columns)],
        rows,
    )


def _facts(board: MMRBoard) -> str:
    """Which questions there are, and who lacks some."""
    number = sum(map(len, board.questions.values()))
    behind = [
        f"{model} {count}"
        for model in board.models
        if (count := len(board.of_model(model))) < number
    ]
    tasks = counted(len(board.questions), "task")
    which = f"{board.condition}; {counted(number, 'question')} of {tasks}."
    return f"{which} Not all models have all: {some(behind)}." if behind else which
