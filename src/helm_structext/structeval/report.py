"""What a report shows of StructEval: Table 6, every task, and every answer with its verdicts."""

from collections.abc import Iterable, Sequence
from functools import partial

from helm_structext.extraction import extract
from helm_structext.extraction.reasoning import without_reasoning
from helm_structext.metrics import keyword_score, path_score
from helm_structext.report.panels import Checks, Code, Panel, Text, clip, missing_panel
from helm_structext.report.parts import (
    OUTCOMES,
    AnswerCard,
    Board,
    BoardColumn,
    BoardRow,
    Facet,
    Instance,
    Matrix,
    MatrixRow,
    Score,
    Section,
    Sheet,
    View,
    brief_metrics,
    figure,
    outcomes_of,
    score,
    tables_section,
)
from helm_structext.report.words import words_in
from helm_structext.results.comparisons import GROUP
from helm_structext.results.tabular import Table, section_tables
from helm_structext.scoring.handling import JUDGE, Failure, handle
from helm_structext.structeval.judge import NOT_COMPARABLE
from helm_structext.structeval.results import (
    DECIMALS,
    SCORE,
    StructEvalResult,
    StructEvalResultSet,
)
from helm_structext.structeval.tables import SECTIONS, paper_leaderboard, per_cent
from helm_structext.structeval.tasks import LABELS, TASK_NAMES, TASKS

METRICS = {
    SCORE: "Score",
    "syntax_score": "Syntax",
    "path_score": "Paths",
    "keyword_score": "Keywords",
    "vqa_score": "VQA",
}

WORDS = {
    "T": "formats of text alone",
    "V": "formats that are rendered to a picture",
    "VQA": "questions about the rendering that a judge answers",
}
"""Short words to their meanings."""

LANGUAGES = {
    **dict.fromkeys(("html", "react", "vue", "angular", "svg", "xml", "markdown"), "markup"),
    **dict.fromkeys(("latex", "tikz"), "tex"),
}
"""Type of what is asked for to the family by which the page colors it."""

SUBSET_NAMES = {
    "t_generation": "Text only, generation",
    "t_conversion": "Text only, conversion",
    "v_generation": "Rendered, generation",
    "v_conversion": "Rendered, conversion",
}
"""The subsets in words."""

TASK_FACET = Facet(
    "task",
    "Task",
    {
        value: label
        for subset, heading in SUBSET_NAMES.items()
        for value, label in {
            subset: f"{heading}, all",
            **{task: TASK_NAMES[task] for task in TASKS if TASKS[task].subset == subset},
        }.items()
    },
    {**SUBSET_NAMES, **{name: SUBSET_NAMES[task.subset] for name, task in TASKS.items()}},
)

OUTCOME_FACET = Facet(
    "outcome",
    "Outcome",
    {
        "good": "parsed or rendered",
        "bad": "failed",
        **OUTCOMES,
        "right": "judge: all true",
        "wrong": "judge: something wrong",
        "unreadable": "judge: unreadable",
    },
)

VERDICTS = {True: "1", False: "0", None: "-"}
"""A judge's verdict as a letter."""


def make_view(result_sets: Sequence[StructEvalResultSet]) -> View:
    """Returns a sheet for each condition and judge: Table 6, the tasks, and the other tables.

    Args:
        result_sets: as from `helm_structext.structeval.results.result_sets`.
    """
    return View(
        title="StructEval",
        metrics=brief_metrics(METRICS, WORDS),
        score=SCORE,
        facets=[TASK_FACET, OUTCOME_FACET],
        sheets=[_sheet(one) for one in result_sets],
    )


def describe_instance(answer: StructEvalResult) -> Instance:
    """Returns the query.

    Args:
        answer: any of those to the instance.
    """
    return Instance(
        part=answer.task,
        label=TASK_NAMES[answer.task],
        tags={"task": [answer.task, answer.kind.subset]},
        panels=[Text(title="Query", text=clip(answer.query))],
    )


def describe_answer(answer: StructEvalResult, *, plans: bool) -> AnswerCard:
    """Returns the rendering, the completion, and what was checked of them.

    Args:
        answer: of a result set.
        plans: there are none.
    """
    completion = Code(
        title="Completion",
        text=clip(answer.completion),
        language=LANGUAGES.get(answer.kind.output, "code"),
        folded=answer.rendering is not None,
    )
    return AnswerCard(
        scores={name: answer.scores[name] for name in METRICS if name in answer.scores},
        tags={"outcome": _outcomes(answer)},
        kind=answer.failure,
        error=clip(answer.error),
        output=answer.rendering,
        panels=[completion, *missing_panel(answer), *_checks(answer)],
    )


def _outcomes(answer: StructEvalResult) -> list[str]:
    parsed = answer.scores.get("syntax_score")
    right = [verdict is True for verdict in answer.verdicts]
    return outcomes_of(
        answer,
        answer.failure,
        good=parsed == 1,
        bad=parsed == 0,
        right=bool(right) and all(right),
        wrong=answer.judge_reply is not None and answer.unscored != JUDGE and not all(right),
        unreadable=not answer.judge_parsed,
    )


def _checks(answer: StructEvalResult) -> list[Panel]:
    """Keywords or paths, and before them what a judge was asked, with its verdicts."""
    keywords = Checks(
        title="Keywords" if answer.kind.rendered else "Paths",
        items=[(keyword, "") for keyword in answer.keywords],
        verdicts=partial(_mark_found_if_known, answer),
        code=True,
        folded=answer.kind.rendered,
        counted=answer.kind.rendered,
    )
    if not answer.kind.rendered:
        return [keywords]
    title, counted = _judge_title(answer)
    judged = Checks(
        title=title,
        items=[(pair["question"], pair["answer"]) for pair in answer.pairs],
        verdicts="".join(VERDICTS[verdict] for verdict in answer.verdicts),
        counted=counted,
    )
    unread = Text(title="The judge's reply", text=clip(answer.judge_reply or ""))
    return [judged, *([] if answer.judge_parsed else [unread]), keywords]


def _judge_title(answer: StructEvalResult) -> tuple[str, bool]:
    """Who judged, and whether verdicts are to be counted."""
    if not answer.verdicts:
        return "No judge", False
    mark = " (not comparable)" if answer.judge in NOT_COMPARABLE else ""
    if answer.judge_reply is None:
        return f"{answer.judge}{mark}: not asked, no picture", False
    if not answer.judge_parsed:
        return f"{answer.judge}{mark}: unreadable", False
    return f"{answer.judge}{mark}", True


def _sheet(result_set: StructEvalResultSet) -> Sheet:
    first = paper_leaderboard(result_set)
    ranking = [str(row[0]) for row in first.rows]
    tables = section_tables(SECTIONS, [[result_set]])[1:]
    judge = result_set.judge
    return Sheet(
        label=result_set.condition,
        result_sets=[result_set],
        ranking=ranking,
        sections=[
            Section("leaderboard", "Leaderboard", [_leaderboard(first)]),
            Section("tasks", "Tasks", [_tasks(result_set, ranking)]),
            *tables_section(tables, WORDS),
        ],
        warning=""
        if result_set.comparable
        else f"Not comparable: {judge} is no vision-language model.",
    )


def _leaderboard(table: Table) -> Board:
    names = [column.name for column in table.columns]
    group = names.index(GROUP)
    headers = [*SUBSET_NAMES.values(), *names[1 + len(LABELS) : group]]
    shows: list[dict[str, str]] = [{"task": subset} for subset in SUBSET_NAMES]
    shows += [{}] * (len(headers) - len(shows))
    return Board(
        title=table.title,
        note=table.note,
        words=words_in([GROUP]),
        show={"order": "worst"},
        columns=[
            *(
                BoardColumn(header, most=100, best=True, show=show)
                for header, show in zip(headers, shows, strict=True)
            ),
            BoardColumn(GROUP),
        ],
        rows=[
            BoardRow(
                str(row[0]),
                [
                    *(score(mean, format=DECIMALS) for mean in row[1:group]),  # type: ignore[arg-type]
                    Score(str(row[group])) if row[group] else None,
                ],
            )
            for row in table.rows
        ],
    )


def _tasks(result_set: StructEvalResultSet, ranking: Sequence[str]) -> Matrix:
    """The score of each task, subset by subset."""
    tasks = [
        task for subset in SUBSET_NAMES for task in result_set.tasks if TASKS[task].subset == subset
    ]

    def cells(means: Iterable[float | None]) -> list[tuple[float, str] | None]:
        found = (figure(mean, DECIMALS) for mean in per_cent(means))  # type: ignore[arg-type]
        return [one and (one[0] / 100, one[1]) for one in found]

    return Matrix(
        title="Score of each task",
        note="Of scores that are not rounded, with our syntax score; the leaderboard's are the published ones.",
        corner="Task",
        columns=ranking,
        rows=[
            MatrixRow(
                TASK_NAMES[task],
                cells(result_set.task_mean(SCORE, model, task) for model in ranking),
                group=SUBSET_NAMES[TASKS[task].subset],
                show={"task": task},
            )
            for task in tasks
        ],
    )


def _mark_found_if_known(answer: StructEvalResult) -> str:
    found = handle(f"keywords of instance {answer.instance}", partial(_mark_found, answer))
    return VERDICTS[None] * len(answer.keywords) if isinstance(found, Failure) else found


def _mark_found(answer: StructEvalResult) -> str:
    """Whether each keyword is in the code, as letters like a judge's verdicts."""
    kind, protocol = answer.kind, answer.conditions["protocol"]
    if kind.rendered:
        text = without_reasoning(answer.completion)
        scores = [keyword_score(text, [keyword]) for keyword in answer.keywords]
    else:
        code = extract(answer.completion, kind.format, protocol)
        scores = [
            path_score(code, [path], kind.format, protocol=protocol) for path in answer.keywords
        ]
    return "".join(VERDICTS[score == 1] for score in scores)
