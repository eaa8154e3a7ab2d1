"""The benchmarks as tasks of Inspect, which finds them through the entry-point group `inspect_ai`.

    inspect eval helm_structext/mmr --model openai/gpt-4o -T task=font_color -T limit=5

A run entry is a task, and its arguments are the task's.
"""

import base64
from collections.abc import Sequence
from functools import partial
from math import nan
from pathlib import Path
from typing import Any

from anyio import CapacityLimiter, to_thread
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import transcript
from inspect_ai.model import ChatMessageUser, Content, ContentImage, ContentText, GenerateConfig
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState, generate

from helm_structext import __version__
from helm_structext.integrations.evaluations import Question, entry_with, evaluation
from helm_structext.sandbox import worker_count
from helm_structext.scoring.scorer import Scored


@task
def image2struct_latex(**arguments: Any) -> Task:
    """Image2Struct, LaTeX: equations, tables, plots and algorithms from papers."""
    return _task("image2struct_latex", arguments)


@task
def image2struct_webpage(**arguments: Any) -> Task:
    """Image2Struct, webpages: pages of GitHub repositories in HTML, CSS and JavaScript."""
    return _task("image2struct_webpage", arguments)


@task
def image2struct_music(**arguments: Any) -> Task:
    """Image2Struct, music: excerpts of sheet music, to be written in LilyPond."""
    return _task("image2struct_music", arguments)


@task
def image2struct(**arguments: Any) -> Task:
    """Pictures of any rendered format, to be written in it: ours, and in no paper; ``-T format=svg``."""
    return _task("image2struct", arguments)


@task
def mmr(**arguments: Any) -> Task:
    """MMR: questions about pictures with much text in them."""
    return _task("mmr", arguments)


@task
def structeval(**arguments: Any) -> Task:
    """StructEval: structures in 18 formats, of text or to be rendered."""
    return _task("structeval", arguments)


@task
def run_entry(name: str, **arguments: Any) -> Task:
    """Any run entry, such as that of a benchmark of one's own: ``-T name=dates -T source=sample``."""
    return _task(name, arguments)


def _task(name: str, arguments: dict[str, Any]) -> Task:
    entry = entry_with(name, arguments)
    run = evaluation(entry)
    samples = [_sample(run.run, question) for question in run.questions]
    return Task(
        dataset=MemoryDataset(samples, name=run.run),
        solver=generate(),
        scorer=structext(entry),
        config=GenerateConfig(max_tokens=run.max_tokens, temperature=run.temperature),
        version=__version__,
    )


def _sample(run: str, question: Question) -> Sample:
    content: list[Content] = [ContentText(text=text) for text in question.texts]
    if question.picture is not None:
        content.append(ContentImage(image=str(question.picture)))
    return Sample(
        input=[ChatMessageUser(content=content)],
        target=question.target,
        id=question.id,
        metadata={"run": run, "entry": question.entry, "part": question.part},
    )


@scorer(metrics={"*": [mean(), stderr()]})
def structext(entry: str) -> Scorer:
    """Scores completions as `helm-run` does: a value for each metric, NaN where there is none.

    A failure of the machine ends the sample with an error. What was rendered is shown in the
    transcript.

    Args:
        entry: the run entry, as in a conf file.
    """
    run = evaluation(entry)
    limiter = CapacityLimiter(worker_count())

    async def score(state: TaskState, target: Target) -> Score:
        work = partial(run.score, str(state.sample_id), state.output.completion)
        scored = await to_thread.run_sync(work, limiter=limiter)
        if scored.picture is not None:
            transcript().info(_show_picture(scored.picture), source="rendering")
        return _score(run.metrics, scored)

    return score


def _score(metrics: Sequence[str], scored: Scored) -> Score:
    return Score(
        value={name: scored.scores.get(name, nan) for name in metrics},
        explanation=_explanation(scored),
        reason=scored.error_kind,
        metadata={"error_kind": scored.error_kind, "error": scored.error},
    )


def _explanation(scored: Scored) -> str | None:
    """Why an answer failed, or what is wrong with its picture, where that is known."""
    if scored.error_kind:
        return f"{scored.error_kind}: {scored.error}"
    return scored.findings.sentence or None if scored.findings else None


def _show_picture(png: Path) -> str:
    """A picture in Markdown, which Inspect View shows of such events."""
    return f"![rendering](data:image/png;base64,{base64.b64encode(png.read_bytes()).decode()})"
