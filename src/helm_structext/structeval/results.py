"""The StructEval runs of a finished suite, read back: one record for each answer of a model."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from helm_structext.errors import SetupError
from helm_structext.results.comparisons import Place, ScoreGrid, score_matrix
from helm_structext.results.runs import Answered, finished_runs
from helm_structext.results.statistics import Floats
from helm_structext.structeval.judge import NO_JUDGE, NOT_COMPARABLE, Pair, Verdict
from helm_structext.structeval.tasks import TASKS, Task

SCORE = "structeval_score"
POOLED = frozenset({"task", "subset", "source", "judge"})
"""Arguments that say which instances a run has, and the judge, which text does not have."""


@dataclass(frozen=True)
class StructEvalResult(Answered):
    """What one model answered to one instance, and what came of it.

    Args:
        run: name of the run's folder.
        model: name of the model.
        conditions: arguments of the run that change the numbers, the judge left out.
        judge: who judged the picture: a model's name, or ``none``.
        task: a key of `helm_structext.structeval.tasks.TASKS`.
        instance: the task id.
        query: what was asked for.
        keywords: paths or words that should be in the code.
        completion: what the model wrote.
        finish_reason: why it stopped: ``stop``, ``length``, ``endoftext`` or ``unknown``.
        blocked: whether a filter of the provider withheld the answer, which is then empty.
        rendering: path of the rendered picture, or None.
        error_kind: ``syntax``, ``timeout``, ``resource`` or ``empty``, or None.
        error: the error's message, or "".
        pairs: questions about the picture, with the answers that are expected.
        verdicts: the judge's verdict on each pair; none without a judge.
        judge_reply: what the judge wrote, or None where none was asked.
        judge_parsed: whether that could be read.
        judge_tokens: what the judge's request took: prompt and completion, None where unknown.
        scores: metric to value; a metric without a value is absent.
    """

    run: str
    model: str
    conditions: Mapping[str, str]
    judge: str
    task: str
    instance: str
    query: str
    keywords: Sequence[str]
    completion: str
    finish_reason: str
    blocked: bool
    rendering: Path | None
    error_kind: str | None
    error: str
    pairs: Sequence[Pair]
    verdicts: Sequence[Verdict]
    judge_reply: str | None
    judge_parsed: bool
    judge_tokens: tuple[int | None, int | None]
    scores: Mapping[str, float]

    @property
    def kind(self) -> Task:
        """What was asked for, of which subset."""
        return TASKS[self.task]


def read_structeval(suite: Path) -> Iterator[StructEvalResult]:
    """Yields every answer in a suite's finished StructEval runs, if it has any.

    Args:
        suite: a suite's folder; HELM ran in its third parent.

    Raises:
        SetupError: a run can't be read.
    """
    root = suite.absolute().parents[2]
    for run in finished_runs(suite, {"structeval"}):
        judges = [
            annotator["args"]["judge"]
            for annotator in run.spec["annotators"]
            if "judge" in annotator.get("args", {})
        ]
        for state, scores in run.answers():
            yield _result(run.name, run.spec, (judges or [NO_JUDGE])[0], state, scores, root)


def _result(
    run: str,
    spec: Mapping[str, Any],
    judge: str,
    state: dict[str, Any],
    scores: dict[str, float],
    root: Path,
) -> StructEvalResult:
    arguments = spec["scenario_spec"]["args"]
    extra = state["instance"]["extra_data"]
    completion = state["result"]["completions"][0]
    annotations = state["annotations"]
    rendering = (annotations.get("rendering") or [{}])[0]
    judged = (annotations.get("judge") or [{}])[0]
    shown = rendering.get("media_object")
    return StructEvalResult(
        run=run,
        model=spec["adapter_spec"]["model"],
        conditions={name: str(v) for name, v in arguments.items() if name not in POOLED},
        judge=judge,
        task=extra["task"],
        instance=state["instance"]["id"],
        query=state["instance"]["input"]["text"],
        keywords=extra["keywords"],
        completion=completion["text"],
        finish_reason=completion.get("finish_reason", {}).get("reason", "unknown"),
        blocked=not state["result"]["success"],
        rendering=root / shown["location"] if shown else None,
        error_kind=rendering.get("kind"),
        error=rendering.get("error", ""),
        pairs=extra.get("vqa") or [],
        verdicts=judged.get("answers", []),
        judge_reply=judged.get("reply"),
        judge_parsed=judged.get("parsed", True),
        judge_tokens=(judged.get("prompt_tokens"), judged.get("completion_tokens")),
        scores=scores,
    )


@dataclass(frozen=True)
class Board:
    """Answers that may stand in one table: under the same conditions, judged by the same.

    Args:
        conditions: what tables never mix, name and value, the protocol first.
        judge: who judged the pictures, ``none``, or "" where there are none.
        models: names, sorted.
        answers: those of each model to each task; a model may lack some.
    """

    conditions: tuple[tuple[str, str], ...]
    judge: str
    models: Sequence[str]
    answers: Mapping[tuple[str, str], Sequence[StructEvalResult]]

    @property
    def comparable(self) -> bool:
        """Whether its numbers mean something beside those of other judges."""
        return self.judge not in NOT_COMPARABLE

    @property
    def condition(self) -> str:
        """Conditions and judge as text, such as ``protocol=published, judge=openai/gpt-4.1``."""
        parts = [f"{name}={value}" for name, value in self.conditions]
        if self.judge:
            parts.append(f"judge={self.judge}{'' if self.comparable else ' (NOT COMPARABLE)'}")
        return ", ".join(parts)

    @property
    def stem(self) -> str:
        """The beginning of files' names."""
        parts = [value for _, value in self.conditions]
        if self.judge:
            parts.append(self.judge.replace("/", "_"))
        return "-".join([*parts, *([] if self.comparable else ["not-comparable"]), "structeval"])

    @property
    def tasks(self) -> list[str]:
        """The tasks that any model has answers to, in the order of `TASKS`."""
        return [
            task for task in TASKS if any((model, task) in self.answers for model in self.models)
        ]

    @property
    def title(self) -> str:
        """What titles begin with: the benchmark, marked where its numbers are not comparable."""
        return f"StructEval{'' if self.comparable else ', NOT COMPARABLE'}"

    def grid(self) -> ScoreGrid:
        """Returns the scores as they are compared, in per cent.

        Weighted, they have the leaderboard's average as their mean: subsets count the same, as do
        the tasks of a subset and the instances of a task.
        """
        answers = {
            (answer.model, Place(f"structeval, {task}", answer.instance)): answer
            for (_, task), ours in self.answers.items()
            for answer in ours
        }
        task_of = {place: answer.task for (_, place), answer in answers.items()}
        places = sorted(task_of, key=lambda place: (self.tasks.index(task_of[place]), place.name))

        def weigh(places: Sequence[Place]) -> Floats:
            ours = [task_of[place] for place in places]
            instances = Counter(ours)
            tasks = Counter(TASKS[task].subset for task in instances)
            return np.array([1 / (instances[task] * tasks[TASKS[task].subset]) for task in ours])

        return ScoreGrid(
            name=self.stem,
            label=self.title,
            condition=self.condition,
            score="Score",
            measures={
                header: 100 * score_matrix(answers, places, self.models, metric)
                for header, metric in {"Syntax": "syntax_score", "Score": SCORE}.items()
            },
            models=self.models,
            contents={
                key: json.dumps([answer.query, answer.keywords, answer.pairs])
                for key, answer in answers.items()
            },
            instances=places,
            weigh=weigh,
            format=".2f",
        )

    def of_model(self, model: str) -> list[StructEvalResult]:
        """Returns a model's answers."""
        return [answer for task in self.tasks for answer in self.answers.get((model, task), ())]

    def task_mean(self, metric: str, model: str, task: str) -> float | None:
        """Returns the mean over a task's instances, or None without a value."""
        answers = self.answers.get((model, task), ())
        values = [answer.scores[metric] for answer in answers if metric in answer.scores]
        return fmean(values) if values else None

    def mean(self, metric: str, model: str, tasks: Iterable[str]) -> float | None:
        """Returns the unweighted mean over tasks, as in the published tables, where any is known."""
        means = [self.task_mean(metric, model, task) for task in tasks]
        known = [mean for mean in means if mean is not None]
        return fmean(known) if known else None


def boards(results: Iterable[StructEvalResult]) -> list[Board]:
    """Sorts answers into boards: condition by condition, a board for each judge.

    What has no picture has no judge, and is on each board of its condition.

    Raises:
        SetupError: a model answered an instance in two runs, differently, or the instances of two
            runs are not the same.
    """
    groups: dict[tuple[tuple[str, str], ...], list[StructEvalResult]] = defaultdict(list)
    for result in results:
        names = sorted(result.conditions, key=lambda name: (name != "protocol", name))
        groups[tuple((name, result.conditions[name]) for name in names)].append(result)
    found = []
    for conditions, ours in sorted(groups.items()):
        judges = sorted({result.judge for result in ours if result.kind.rendered})
        for judge in judges or [""]:
            answers = _distinct(r for r in ours if not r.kind.rendered or r.judge == judge)
            models = sorted({model for model, _ in answers})
            found.append(Board(conditions, judge, models, answers))
    return found


def _distinct(
    results: Iterable[StructEvalResult],
) -> dict[tuple[str, str], list[StructEvalResult]]:
    """Answers by model and task, in the order of the ids; runs of a suite may overlap."""
    first: dict[tuple[str, str, str], StructEvalResult] = {}
    questions: dict[str, StructEvalResult] = {}
    for result in results:
        asked = questions.setdefault(result.instance, result)
        if asked.query != result.query:
            raise SetupError(
                f"instance {result.instance} is another question in the run {asked.run} than in "
                f"{result.run}; keep their sources in suites of their own"
            )
        other = first.setdefault((result.model, result.task, result.instance), result)
        if other.completion != result.completion:
            raise SetupError(
                f"{result.model} has two answers to instance {result.instance}, in the runs "
                f"{other.run} and {result.run}; keep them in suites of their own"
            )
    answers: dict[tuple[str, str], list[StructEvalResult]] = defaultdict(list)
    for (model, task, _), result in sorted(first.items()):
        answers[model, task].append(result)
    return answers
