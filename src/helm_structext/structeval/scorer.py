"""Asks and scores what StructEval's runs do.

StructEval: Benchmarking LLMs' Capabilities to Generate Structural Outputs. Yang et al., 2025
(arXiv 2505.20139).

A model writes a structure: from a description, or out of another format. Some structures are text
(StructEval-T), others are rendered and looked at by a judge (StructEval-V). 44 tasks with 2,035
rows. Text has a syntax and a path score. What renders has a syntax score (whether it rendered), a
keyword score, and a VQA score where a judge was asked; without one it has no final score.
"""

from collections.abc import Collection, Iterator
from pathlib import Path

from helm_structext.protocols import MissingRule, ProtocolName
from helm_structext.renderers import Parsed, render_completion
from helm_structext.scoring.handling import INTERNAL_ERROR, Failure, handle
from helm_structext.scoring.scorer import (
    Door,
    Input,
    InstanceKey,
    Kept,
    Scored,
    Scorer,
    make_scored,
)
from helm_structext.storage.cache import renderings_folder
from helm_structext.structeval.judge import Judge, judge_failure
from helm_structext.structeval.rows import StructEvalQuestion, load_questions, questions_of_run
from helm_structext.structeval.scores import METRICS, answer_scores, metrics_of
from helm_structext.structeval.tasks import PROMPT_SUFFIX, StructEvalArguments, blank_answer


def scorer(arguments: StructEvalArguments, door: Door) -> Scorer[StructEvalQuestion]:
    """Returns what a run asks, and how completions are scored.

    Args:
        arguments: those of the run.
        door: has the judge that the run names.

    Raises:
        SetupError: there is no such judge.
    """
    tasks = arguments.tasks
    judge: Judge | None = door.judge(arguments.judge) if arguments.judge else None

    def inputs() -> Iterator[Input]:
        for question in questions_of_run(arguments.source, tasks, arguments.revision):
            yield Input(
                InstanceKey(question.task, question.id),
                question.query,
                question.kind.format,
                target=question.oracle,
                oracle=question.oracle,
                blank=blank_answer(question.kind.format),
                details={
                    "task": question.task,
                    "task_id": question.id,
                    "format": question.kind.format,
                    "keywords": question.keywords,
                    "vqa": question.pairs,
                },
                dataset=question.dataset,
            )

    def find(ids: Collection[str]) -> Iterator[tuple[InstanceKey, StructEvalQuestion]]:
        for question in load_questions(arguments.source, tasks, arguments.revision):
            if question.id in ids:
                yield InstanceKey(question.task, question.id), question

    def recall(kept: Kept) -> StructEvalQuestion:
        known = kept.details
        return StructEvalQuestion(kept.id, known["task"], "", known["keywords"], known["vqa"], None)

    def score(question: StructEvalQuestion, completion: str) -> Scored:
        how = arguments.protocol, judge, renderings_folder()
        return score_answer(question, completion, *how, missing=arguments.missing)

    return Scorer(
        metrics=[*metrics_of(tasks, judged=judge is not None), INTERNAL_ERROR],
        statistics=METRICS,
        inputs=inputs,
        find=find,
        recall=recall,
        score=score,
        parted=len(tasks) > 1,
        suffix=PROMPT_SUFFIX,
    )


def score_answer(
    question: StructEvalQuestion,
    completion: str,
    protocol: ProtocolName,
    judge: Judge | None,
    cache: Path | None,
    timeout: float | None = None,
    missing: MissingRule | None = None,
) -> Scored:
    """Scores an answer to a question.

    Args:
        question: what was asked.
        completion: as the model wrote it.
        protocol: ``published`` or ``corrected``.
        judge: who looks at what is rendered, or None.
        cache: of renderings, which a judge needs; or None.
        timeout: seconds for a rendering; by default the format's.
        missing: what comes of an answer that can't be drawn for what is missing here; 0 by default.

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
    failures: list[Failure] = []
    picture = seconds = text = verdict = tex_errors = None
    blank = False
    if isinstance(rendering, Failure):
        failures.append(rendering.excuse(missing))
    else:
        picture, text, blank = rendering.path, rendering.text, bool(rendering.cause)
        if not isinstance(rendering, Parsed):
            seconds, tex_errors = rendering.seconds, rendering.tex_errors
    kind = failures[0].kind if failures else None
    if judge and question.kind.rendered and not any(failure.excused for failure in failures):
        found = handle(f"verdict of {what}", lambda: judge.look(picture, question.pairs, protocol))
        if isinstance(found, Failure):
            failures.append(found)
        else:
            verdict = found
            failures += filter(None, [judge_failure(found)])
    return make_scored(
        f"metrics of {what}",
        lambda: answer_scores(
            question.task, completion, question.keywords, kind, verdict, protocol
        ),
        failures,
        missing=rendering.missing if question.kind.rendered else None,
        blank=blank,
        tex_errors=tex_errors,
        picture=picture,
        text=text,
        seconds=seconds,
        verdict=verdict,
    )
