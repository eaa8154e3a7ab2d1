"""The tables of the StructEval paper for a finished suite.

Scores are per cent, as in the paper. A task's score is the mean over its instances, a subset's the
unweighted mean of its tasks, and the average the unweighted mean of the four subsets; the published
averages are these. No table mixes two judges, nor two protocols.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from statistics import fmean

import numpy as np

from helm_structext.errors import ERROR_KINDS
from helm_structext.results.comparisons import pair_tables
from helm_structext.results.tabular import Cell, Column, Table, counted, some
from helm_structext.structeval.judge import NO_JUDGE
from helm_structext.structeval.results import SCORE, Board
from helm_structext.structeval.tasks import NAMES, SUBSETS, TASKS

PARTS = {
    "t": {"syntax_score": "syntax", "path_score": "paths"},
    "v": {"syntax_score": "syntax", "keyword_score": "keywords", "vqa_score": "VQA"},
}
"""Of what the score is made, for text and for what is to be seen."""

LABELS = {
    "t_generation": "T generation",
    "t_conversion": "T conversion",
    "v_generation": "V generation",
    "v_conversion": "V conversion",
}

TABLES = {
    "t_generation": {"8": 5},
    "v_generation": {"9": 7, "10": 6},
    "t_conversion": {"11": 7, "12": 7},
    "v_conversion": {"13": 6, "14": 6},
}
"""The paper's tables of each subset, with how many of its tasks each has, in the order of Table 7."""

PER_CENT = ".2f"


def leaderboard(board: Board) -> Iterator[Table]:
    """Table 6: the four subsets and their unweighted average."""
    rows: list[list[Cell]] = []
    for model in board.models:
        means = [board.mean(SCORE, model, _tasks(subset)) for subset in SUBSETS]
        known = [mean for mean in means if mean is not None]
        average = fmean(known) if len(known) == len(SUBSETS) else None
        rows.append([model, *map(_per_cent, means), _per_cent(average)])
    yield _table(
        board,
        "leaderboard",
        "(Table 6)",
        f"Per cent. {_facts(board)} Average: of the four subsets, for models that have all of them.",
        [LABELS[subset] for subset in SUBSETS] + ["Average"],
        sorted(rows, key=_best_last_column_first),
    )


def task_tables(board: Board) -> Iterator[Table]:
    """Tables 8 to 14: each task of each subset."""
    for subset, places in TABLES.items():
        tasks = iter(_tasks(subset))
        present = set(board.tasks)
        for number, size in places.items():
            ours = [next(tasks) for _ in range(size)]
            last = number == list(places)[-1]
            if not present & (set(_tasks(subset)) if last else set(ours)):
                continue
            part = f", part {list(places).index(number) + 1}" if len(places) > 1 else ""
            rows: list[list[Cell]] = [
                [
                    model,
                    *(_per_cent(board.task_mean(SCORE, model, task)) for task in ours),
                    *([_per_cent(board.mean(SCORE, model, _tasks(subset)))] if last else []),
                ]
                for model in board.models
            ]
            yield _table(
                board,
                f"table-{number}",
                f"{LABELS[subset]}{part} (Table {number})",
                f"Per cent.{f' Average: of all tasks of {LABELS[subset]}.' if last else ''}",
                [*map(_header, ours), *(["Average"] if last else [])],
                rows,
            )


def part_tables(board: Board) -> Iterator[Table]:
    """What the scores are made of, and what judging took."""
    columns: dict[str, list[Cell]] = {}
    for kind, parts in PARTS.items():
        tasks = [task for task in board.tasks if TASKS[task].subset.startswith(kind)]
        for metric, header in parts.items():
            cells: list[Cell] = [
                _per_cent(board.mean(metric, model, tasks)) for model in board.models
            ]
            if any(cell is not None for cell in cells):
                columns[f"{kind.upper()} {header}"] = cells
    if columns:
        yield _table(
            board,
            "parts",
            "scores in parts",
            "Per cent. Syntax: share that parses or renders. Score of T: 0.2 syntax + 0.8 paths; of V: "
            "0.2 syntax + 0.1 keywords + 0.7 VQA.",
            list(columns),
            [
                [model, *(cells[number] for cells in columns.values())]
                for number, model in enumerate(board.models)
            ],
        )
    asked = {model: [a for a in board.of_model(model) if a.verdicts] for model in board.models}
    if not any(asked.values()):
        return
    yield _table(
        board,
        "judge",
        "the judge's work",
        "Pairs of question and answer about pictures. Not rendered: nobody was asked, all pairs "
        "are wrong. Unreadable: replies that are no JSON object, all pairs are wrong. No verdict: "
        "pairs that readable replies leave out or call null, which are wrong too. Tokens: as the "
        "provider counts them, pictures included; a request that two models share by giving the "
        "same picture is counted for both, and paid once.",
        [
            *("Answers", "Pairs", "Not rendered", "Requests", "Unreadable", "No verdict"),
            *("Prompt tokens", "Completion tokens"),
        ],
        [
            [
                model,
                len(answers),
                sum(len(answer.verdicts) for answer in answers),
                sum(answer.judge_reply is None for answer in answers),
                sum(answer.judge_reply is not None for answer in answers),
                sum(not answer.judge_parsed for answer in answers),
                sum(
                    answer.verdicts.count(None)
                    for answer in answers
                    if answer.judge_reply is not None and answer.judge_parsed
                ),
                *(_total(answer.judge_tokens[which] for answer in answers) for which in (0, 1)),
            ]
            for model, answers in asked.items()
        ],
    )


def answer_tables(board: Board) -> Iterator[Table]:
    """Why answers scored nothing, or less: cut, refused, empty, not rendered."""
    rows: list[list[Cell]] = []
    for model in board.models:
        answers = board.of_model(model)
        drawn = [answer for answer in answers if answer.kind.rendered]
        rows.append(
            [
                model,
                len(answers),
                _share(answer.truncated for answer in answers),
                _share(answer.refused for answer in answers),
                _share(not answer.completion.strip() for answer in answers),
                *(_share(answer.error_kind == kind for answer in drawn) for kind in ERROR_KINDS),
            ]
        )
    yield _table(
        board,
        "answers",
        "answers",
        "Per cent of each model's answers. Cut: at the limit of tokens. Refused: nothing but a "
        "refusal in English, or withheld by the provider's filter. Empty: not a word. The next "
        "four: per cent of the answers of V, which did not render.",
        ["n", "Cut", "Refused", "Empty", "Syntax", "Timeout", "Resource", "No page"],
        rows,
    )


def significance_tables(board: Board) -> Iterator[Table]:
    """Which differences between two models are more than chance."""
    grid = board.grid()
    scored = int(np.isfinite(grid.measures[grid.score]).any(axis=1).sum())
    if scored:
        without = " of T, as without a judge V has no score" if board.judge == NO_JUDGE else ""
        yield from pair_tables(
            grid,
            f"{board.condition}. Points of the average that tasks and subsets count the same in; "
            f"{counted(scored, 'instance')}{without}.",
        )


SECTIONS: Mapping[str, Callable[[Board], Iterator[Table]]] = {
    "leaderboard": leaderboard,
    "scores": task_tables,
    "metrics": part_tables,
    "answers": answer_tables,
    "significance": significance_tables,
}
"""What to show of a board, by the names that the sections of the other benchmarks have too."""


def _tasks(subset: str) -> list[str]:
    return [name for name, task in TASKS.items() if task.subset == subset]


def _header(task: str) -> str:
    kind = TASKS[task]
    output = NAMES[kind.output]
    return output if kind.input == "text" else f"{NAMES[kind.input]} → {output}"


def _table(
    board: Board, name: str, title: str, note: str, columns: Sequence[str], rows: list[list[Cell]]
) -> Table:
    return Table(
        f"{board.stem}-{name}",
        f"{board.title}{'' if title.startswith('(') else ':'} {title}",
        f"{board.condition}. {note}".strip(),
        [Column("Model"), *(Column(column, PER_CENT) for column in columns)],
        rows,
    )


def _facts(board: Board) -> str:
    """Which tasks and instances there are, and what is special about them."""
    instances = {
        (task, answer.instance) for (_, task), ours in board.answers.items() for answer in ours
    }
    facts = [
        f"Unweighted means of tasks: {counted(len(board.tasks), 'task')} of {len(TASKS)}, "
        f"{counted(len(instances), 'instance')}."
    ]
    behind = [
        f"{model} {count}"
        for model in board.models
        if (count := len(board.of_model(model))) < len(instances)
    ]
    if behind:
        facts.append(f"Not all models have all instances: {some(behind)}.")
    if board.judge == NO_JUDGE:
        facts.append("Without a judge, V has no score.")
    elif not board.comparable:
        facts.append(
            f"{board.judge} is no vision-language model: its scores show that everything works, "
            "and are comparable with no other judge's, nor with published ones."
        )
    return " ".join(facts)


def _best_last_column_first(row: Sequence[Cell]) -> tuple[bool, float, str]:
    last = row[-1]
    return not isinstance(last, float), -last if isinstance(last, float) else 0.0, str(row[0])


def _per_cent(value: float | None) -> float | None:
    return None if value is None else 100 * value


def _share(flags: Iterable[bool]) -> float | None:
    flags = list(flags)
    return 100 * sum(flags) / len(flags) if flags else None


def _total(numbers: Iterable[int | None]) -> int | None:
    """None where any is unknown."""
    known = list(numbers)
    return None if None in known else sum(number or 0 for number in known)
