"""Asks and scores what StructEval's runs do, without HELM but for the client of a judge."""

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from helm_structext.protocols import ProtocolName
from helm_structext.renderers import render_completion
from helm_structext.results.runs import InstanceKey
from helm_structext.scoring.handling import INTERNAL_ERROR, Failure, handle
from helm_structext.scoring.scorer import Input, Scored, Scorer, scored
from helm_structext.storage.cache import renderings_folder
from helm_structext.structeval.judge import Judge
from helm_structext.structeval.rows import Question, load_questions, questions_of_run
from helm_structext.structeval.scores import answer_scores, metrics_of
from helm_structext.structeval.tasks import tasks_of


def scorer(arguments: Mapping[str, Any], judge: Judge | None = None) -> Scorer[Question]:
    """Returns what a run asks, and how completions are scored.

    Args:
        arguments: all that the parts of the run get (`helm_structext.results.runs.Run.all_arguments`).
        judge: the one that the run names, if it names one.
    """
    protocol = arguments["protocol"]
    tasks = tasks_of(arguments["task"], arguments["subset"])
    metrics = metrics_of(tasks, judged=judge is not None)

    def inputs() -> Iterator[Input]:
        for question in questions_of_run(arguments["source"], tasks, arguments["revision"]):
            key = InstanceKey(question.task, question.id)
            yield Input(key, question.query, None, question.oracle or "", question.dataset)

    def find(ids: Collection[str]) -> Iterator[tuple[InstanceKey, Question]]:
        for question in load_questions(arguments["source"], tasks, arguments["revision"]):
            if question.id in ids:
                yield InstanceKey(question.task, question.id), question

    def score(question: Question, completion: str) -> Scored:
        return score_answer(question, completion, protocol, judge, renderings_folder())

    return Scorer([*metrics, INTERNAL_ERROR], inputs, find, score)


def score_answer(
    question: Question,
    completion: str,
    protocol: ProtocolName,
    judge: Judge | None,
    cache: Path | None,
    timeout: float | None = None,
) -> Scored:
    """Scores an answer to a question.

    Args:
        question: what was asked.
        completion: as the model wrote it.
        protocol: ``published`` or ``corrected``.
        judge: who looks at what is rendered, or None.
        cache: of renderings, which a judge needs; or None.
        timeout: seconds for a rendering; by default the format's.

    Raises:
        SetupError: the machine fails, or the judge can't be reached.
    """
    what = f"instance {question.id}"
    rendering = handle(
        f"rendering of {what}",
        lambda: render_completion(
            question.kind.format, completion, timeout=timeout, protocol=protocol, cache=cache
        ),
    )
    picture, judged = None, None
    failures = []
    if isinstance(rendering, Failure):
        failures.append(rendering)
    else:
        picture = rendering.path
    kind = failures[0].kind if failures else None
    if judge and question.kind.rendered:
        verdict = handle(f"verdict of {what}", lambda: judge.look(picture, question.pairs))
        if isinstance(verdict, Failure):
            failures.append(verdict)
        else:
            judged = verdict
    return scored(
        f"metrics of {what}",
        lambda: answer_scores(
            question.task,
            completion,
            question.keywords,
            kind,
            judged,
            protocol,
        ),
        failures,
        picture,
    )
