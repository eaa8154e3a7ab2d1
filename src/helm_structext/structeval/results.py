"""The StructEval runs of a finished suite, read back: what models answered, and what it scored."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, ClassVar

import numpy as np

from helm_structext.errors import SetupError
from helm_structext.results.result_sets import (
    ResultSet,
    Selection,
    distinct,
    grouped,
)
from helm_structext.results.runs import (
    InstanceKey,
    RenderedResult,
    Run,
    read_as_helm_writes,
    rendering_of,
)
from helm_structext.results.statistics import Floats
from helm_structext.results.tabular import PER_CENT
from helm_structext.structeval.judge import NO_JUDGE, NOT_COMPARABLE, Pair, Verdict
from helm_structext.structeval.tasks import TASKS, Task

SCORE = "structeval_score"
POOLED = frozenset({"task", "subset", "source", "revision", "judge"})
"""Arguments that say which instances a run has, and the judge, which text does not have."""


@dataclass(frozen=True, kw_only=True)
class StructEvalResult(RenderedResult):
    """What one model answered to one instance, and what came of it.

    Args:
        judge: who judged the picture: a model's name, or ``none``.
        task: a key of `helm_structext.structeval.tasks.TASKS`.
        query: what was asked for.
        keywords: paths or words that should be in the code.
        pairs: questions about the picture, with the answers that are expected.
        verdicts: the judge's verdict on each pair; none without a judge.
        judge_reply: what the judge wrote, or None where none was asked.
        judge_parsed: whether that could be read.
        judge_tokens: what the judge's request took: prompt and completion, None where unknown.
    """

    judge: str
    task: str
    query: str
    keywords: Sequence[str]
    pairs: Sequence[Pair]
    verdicts: Sequence[Verdict]
    judge_reply: str | None
    judge_parsed: bool
    judge_tokens: tuple[int | None, int | None]

    @property
    def part(self) -> str:
        """The task."""
        return self.task

    @property
    def kind(self) -> Task:
        """What was asked for, of which subset."""
        return TASKS[self.task]


def read_run(run: Run) -> Iterator[StructEvalResult]:
    """Returns every answer in a finished run.

    Raises:
        SetupError: the run can't be read.
    """
    with read_as_helm_writes(run.folder):
        judges = [
            annotator["args"]["judge"]
            for annotator in run.spec["annotators"]
            if "judge" in annotator.get("args", {})
        ]
    conditions = sorted(
        (name != "protocol", name, str(value))
        for name, value in run.arguments.items()
        if name not in POOLED
    )

    def read(state: Mapping[str, Any], common: dict[str, Any]) -> StructEvalResult:
        extra = state["instance"]["extra_data"]
        judged = (state["annotations"].get("judge") or [{}])[0]
        return StructEvalResult(
            **common,
            **rendering_of(state, run.root),
            conditions={name: value for _, name, value in conditions},
            judge=(judges or [NO_JUDGE])[0],
            task=extra["task"],
            query=state["instance"]["input"]["text"],
            keywords=extra["keywords"],
            pairs=extra.get("vqa") or [],
            verdicts=judged.get("answers", []),
            judge_reply=judged.get("reply"),
            judge_parsed=judged.get("parsed", True),
            judge_tokens=(judged.get("prompt_tokens"), judged.get("completion_tokens")),
        )

    return run.results(read)


@dataclass(frozen=True)
class StructEvalResultSet(ResultSet[StructEvalResult]):
    """Answers that may stand in one table: under the same conditions, judged by the same.

    Args:
        conditions: what tables never mix, name and value, the protocol first.
        models: names, sorted.
        instances: those that at least one model has, task by task.
        answers: what each model answered; a model may lack instances.
        judge: who judged the pictures, ``none``, or "" where there are none.
    """

    judge: str

    MEASURES: ClassVar = {"Syntax": "syntax_score", "Score": SCORE}
    SCALE: ClassVar = 100
    FORMAT: ClassVar = PER_CENT

    @property
    def entry(self) -> str:
        """The name of the run entry."""
        return "structeval"

    @property
    def comparable(self) -> bool:
        """Whether its numbers mean something beside those of other judges."""
        return self.judge not in NOT_COMPARABLE

    @property
    def condition(self) -> str:
        """Conditions and judge as text, such as ``protocol=published, judge=openai/gpt-4.1``."""
        mark = "" if self.comparable else " (NOT COMPARABLE)"
        judge = [f"judge={self.judge}{mark}"] if self.judge else []
        return ", ".join([super().condition, *judge])

    @property
    def name(self) -> str:
        """The beginning of files' names."""
        parts = [value for _, value in self.conditions]
        if self.judge:
            parts.append(self.judge.replace("/", "_"))
        return "-".join([*parts, *([] if self.comparable else ["not-comparable"]), "structeval"])

    @property
    def label(self) -> str:
        """What titles begin with: the benchmark, marked where its numbers are not comparable."""
        return f"StructEval{'' if self.comparable else ', NOT COMPARABLE'}"

    @property
    def tasks(self) -> list[str]:
        """The tasks that any model has answers to, in the order of `TASKS`."""
        return list(self.by_part)

    def weigh(self, instances: Sequence[InstanceKey]) -> Floats:
        """Returns weights under which a mean is the leaderboard's average.

        Subsets count the same, as do the tasks of a subset and the instances of a task.
        """
        instances_of = Counter(task for task, _ in instances)
        tasks_of = Counter(TASKS[task].subset for task in instances_of)
        return np.array(
            [1 / (instances_of[task] * tasks_of[TASKS[task].subset]) for task, _ in instances]
        )

    def content(self, answer: StructEvalResult) -> str:
        """What was asked, and what is looked for."""
        return json.dumps([answer.query, answer.keywords, answer.pairs])

    def task_mean(self, metric: str, model: str, task: str) -> float | None:
        """Returns the mean over a task's instances, or None without a value."""
        keys = ((model, instance) for instance in self.by_part.get(task, ()))
        answers = (self.answers[key] for key in keys if key in self.answers)
        values = [answer.scores[metric] for answer in answers if metric in answer.scores]
        return fmean(values) if values else None

    def mean(self, metric: str, model: str, tasks: Iterable[str]) -> float | None:
        """Returns the unweighted mean over tasks, as in the published tables, where any is known."""
        means = [self.task_mean(metric, model, task) for task in tasks]
        known = [mean for mean in means if mean is not None]
        return fmean(known) if known else None


def result_sets(
    results: Iterable[StructEvalResult], selection: Selection | None = None
) -> list[StructEvalResultSet]:
    """Sorts answers: condition by condition, a set for each judge.

    What has no picture has no judge, and is in each set of its condition.

    Args:
        results: as from `read_run`.
        selection: the models to show.

    Raises:
        SetupError: a model answered an instance in two runs, differently, or the instances of two
            runs are not the same.
    """
    shown = (selection or Selection()).of(results)
    groups = grouped(shown, lambda result: tuple(result.conditions.items()))
    order = list(TASKS)
    found = []
    for conditions, ours in sorted(groups.items()):
        judges = sorted({result.judge for result in ours if result.kind.rendered})
        for judge in judges or [""]:
            judged = [r for r in ours if not r.kind.rendered or r.judge == judge]
            _require_same_questions(judged)
            answers = dict(sorted(distinct(judged, lambda r: r.completion).items()))
            instances = {instance for _, instance in answers}
            found.append(
                StructEvalResultSet(
                    conditions=conditions,
                    models=sorted({model for model, _ in answers}),
                    instances=sorted(instances, key=lambda key: (order.index(key.part), key.id)),
                    answers=answers,
                    judge=judge,
                )
            )
    return found


def _require_same_questions(results: Iterable[StructEvalResult]) -> None:
    questions: dict[str, StructEvalResult] = {}
    for result in results:
        asked = questions.setdefault(result.instance, result)
        if asked.query != result.query:
            raise SetupError(
                f"instance {result.instance} is another question in the run {asked.run} than in "
                f"{result.run}; keep their sources in suites of their own"
            )
