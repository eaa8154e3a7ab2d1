"""A published evaluation of StructEval, with its completions rendered and scored again.

The published code writes one JSON file for each model: a list of the dataset's rows with the
completion as ``generation`` and its scores.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from helm_structext.data import Row
from helm_structext.errors import RenderError, SetupError
from helm_structext.extraction import extract
from helm_structext.handling import INTERNAL_ERROR, Failure, handle
from helm_structext.renderers import render_completion
from helm_structext.results.answers import unhandled_note
from helm_structext.results.tabular import Cell, markdown
from helm_structext.sandbox import worker_count
from helm_structext.structeval.judge import NOT_COMPARABLE
from helm_structext.structeval.rows import Question, read_question
from helm_structext.structeval.scores import rendered_scores, text_scores
from helm_structext.structeval.tables import LABELS
from helm_structext.structeval.tasks import NAMES, SUBSETS, TASKS
from helm_structext.texts import quoted, read_json

if TYPE_CHECKING:
    from helm_structext.structeval.judge_client import Judge

PUBLISHED_NAMES = {
    "render_score": "syntax_score",
    "key_validation_score": "path_score",
    "raw_output_score": "keyword_score",
    "VQA_score": "vqa_score",
    "final_eval_score": "structeval_score",
}
"""What the published code calls its scores, and what they are called here."""

SHOWN = {
    "syntax_score": "syntax",
    "path_score": "paths",
    "keyword_score": "keywords",
    "vqa_score": "VQA",
    "structeval_score": "score",
}


@dataclass(frozen=True)
class RescoredStructure:
    """One answer's scores before and now.

    Args:
        file: name of the evaluation file, without its ending.
        task: a key of `helm_structext.structeval.tasks.TASKS`.
        instance: the task id.
        old: the published scores under our names.
        new: our scores; one without a value is absent, and so are those of an answer that could not be
            handled (`helm_structext.handling`), which is counted instead.
        error: why the completion did not parse or render, or "".
        judged: the judge's annotation, or None without a judge.
    """

    file: str
    task: str
    instance: str
    old: dict[str, float]
    new: dict[str, float]
    error: str
    judged: dict[str, Any] | None


def rescore_structeval(
    file: Path, cache: Path, judge: "Judge | None" = None
) -> Iterator[RescoredStructure]:
    """Renders and scores every completion of a published evaluation.

    Args:
        file: the evaluation, a JSON list.
        cache: a folder for renderings.
        judge: who looks at the pictures; without one, pictures have no VQA and no final score.

    Raises:
        SetupError: the file is no such evaluation, this machine can't render, or the judge can't
            be reached.
    """
    items = _items(file)
    with ThreadPoolExecutor(worker_count()) as pool:
        yield from pool.map(partial(_handled, file.stem, cache, judge), items)


Item = tuple[Question, str, dict[str, float]]
"""The dataset's row, the completion, and the published scores under our names."""


def _items(file: Path) -> list[Item]:
    rows = read_json(file, "expected an evaluation of StructEval")
    if not isinstance(rows, list) or not rows:
        raise SetupError(f"{file} is no evaluation of StructEval: expected a list of answers")
    return [_item(file, number, row) for number, row in enumerate(rows)]


def _item(file: Path, number: int, values: Any) -> Item:
    if not isinstance(values, dict):
        raise SetupError(f"{file}, item {number}: expected an object, got {quoted(values)}")
    row = Row(values, f"{file.name}, item {number}")
    try:
        scores = {
            ours: float(values[theirs])
            for theirs, ours in PUBLISHED_NAMES.items()
            if isinstance(values.get(theirs), int | float)
        }
    except OverflowError as error:
        raise SetupError(f"{file}, item {number}: a score is no such number") from error
    return read_question(row), row.verbatim("generation"), scores


def _handled(file: str, cache: Path, judge: "Judge | None", item: Item) -> RescoredStructure:
    question, _, old = item
    what = f"scores of instance {question.id}"
    scored = handle(what, lambda: _score(file, cache, judge, item))
    if not isinstance(scored, Failure):
        return scored
    return RescoredStructure(
        file=file,
        task=question.task,
        instance=question.id,
        old=old,
        new={INTERNAL_ERROR: 1.0},
        error=str(scored),
        judged=None,
    )


def _score(file: str, cache: Path, judge: "Judge | None", item: Item) -> RescoredStructure:
    question, completion, old = item
    format, error, judged = question.kind.format, "", None
    if question.kind.rendered:
        picture = None
        try:
            picture = render_completion(format, completion, cache=cache).path
        except RenderError as failure:
            error = str(failure)
        judged = judge.look(picture, question.pairs) if judge else None
        values = rendered_scores(
            completion, question.keywords, picture is not None, judged, "published"
        )
    else:
        code = extract(completion, format)
        values = text_scores(code, question.keywords, format)
        error = "" if values["syntax_score"] else f"it is no {NAMES[question.kind.output]}"
    return RescoredStructure(
        file=file,
        task=question.task,
        instance=question.id,
        old=old,
        new={name: value for name, value in values.items() if value is not None},
        error=error,
        judged=judged,
    )


def summary(results: Sequence[RescoredStructure], judge: str) -> str:
    """Returns tables of old and new means: unweighted ones of each subset's tasks, per cent."""
    tables = []
    mark = " (NOT COMPARABLE)" if judge in NOT_COMPARABLE else ""
    for file in sorted({result.file for result in results}):
        ours = [result for result in results if result.file == file]
        rows: list[list[Cell]] = [
            [
                LABELS[subset],
                len(part),
                *(_per_cent(_mean(part, scores, name)) for name in SHOWN for scores in (OLD, NEW)),
            ]
            for subset in SUBSETS
            if (part := [r for r in ours if TASKS[r.task].subset == subset])
        ]
        header = [
            "Subset",
            "n",
            *(f"{h}, {when}" for h in SHOWN.values() for when in ("old", "new")),
        ]
        unhandled = sum(INTERNAL_ERROR in result.new for result in ours)
        failed = sum(bool(result.error) for result in ours) - unhandled
        tables.append(
            f"{file}: {len(ours)} answers, {failed} did not parse or render; judge={judge}{mark}"
            f"{'.' if unhandled else ''}{unhandled_note({file: unhandled})}\n\n"
            f"{markdown(header, rows)}"
        )
    return "\n\n".join(tables)


OLD = attrgetter("old")
NEW = attrgetter("new")


def _mean(
    results: Sequence[RescoredStructure],
    scores: Callable[[RescoredStructure], dict[str, float]],
    name: str,
) -> float | None:
    by_task: dict[str, list[float]] = defaultdict(list)
    for result in results:
        if name in scores(result):
            by_task[result.task].append(scores(result)[name])
    return fmean(map(fmean, by_task.values())) if by_task else None


def _per_cent(value: float | None) -> Cell:
    return None if value is None else f"{100 * value:.2f}"
