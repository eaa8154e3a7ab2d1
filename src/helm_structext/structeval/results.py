"""The StructEval runs of a finished suite, read back: what models answered, and what it scored."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from statistics import fmean
from typing import Any, ClassVar

import numpy as np

from helm_structext.errors import SetupError
from helm_structext.protocols import Average
from helm_structext.results.comparisons import ScoreGrid
from helm_structext.results.result_sets import (
    ResultSet,
    Selection,
    drop_repeated,
)
from helm_structext.results.runs import (
    RenderedResult,
    RequestUsage,
    Run,
    conditions_of,
    read_as_helm_writes,
    rendering_of,
)
from helm_structext.results.statistics import Floats, Labels
from helm_structext.results.tabular import PER_CENT
from helm_structext.scoring.scorer import InstanceKey
from helm_structext.structeval.evaluations import (
    ItemScore,
    ScoreFile,
    evaluation_row,
    score_file,
)
from helm_structext.structeval.judge import (
    DEFAULT_JUDGE,
    NO_JUDGE,
    NOT_COMPARABLE,
    Pair,
)
from helm_structext.structeval.rows import StructEvalQuestion
from helm_structext.structeval.tasks import LABELS, TASK_NAMES, TASKS, StructEvalTask
from helm_structext.structeval.verdicts import Verdict

SCORE = "structeval_score"
PUBLISHED_SCORE = "structeval_score_published"
"""What the published tables are made of."""

DECIMALS = ".2f"
"""As the published tables have them."""

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
    def kind(self) -> StructEvalTask:
        """What was asked for, of which subset."""
        return TASKS[self.task]

    @property
    def usage(self) -> dict[str, RequestUsage]:
        """What the answer took, and its judge, who gets one picture with each request."""
        if self.judge_reply is None:
            return super().usage
        requests = int(self.scores.get("judge_requests", 1))
        judge = RequestUsage(requests, *self.judge_tokens, requests)
        return {**super().usage, f"{self.judge} (judge)": judge}


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
    conditions = conditions_of(run.arguments, POOLED)

    def read(state: Mapping[str, Any], common: dict[str, Any]) -> StructEvalResult:
        extra = state["instance"]["extra_data"]
        _ = TASKS[extra["task"]]  # a run of unknown tasks is none of ours
        annotations = state["annotations"]
        # Where the verdict stood by itself once, it stands behind the rendering now.
        judged: Mapping[str, Any] = next(
            iter(annotations.get("judge") or annotations["rendering"][1:]), {}
        )
        return StructEvalResult(
            **common,
            **rendering_of(state, run.root),
            conditions=conditions,
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
        average: by which models are ranked, one of `helm_structext.protocols.AVERAGES`.
    """

    judge: str
    average: Average = field(default="tasks", kw_only=True)

    MEASURES: ClassVar = {"Syntax": "syntax_score", "Score": SCORE}
    BRIEF: ClassVar = {
        **{"Syntax": "syntax_score", "Paths": "path_score", "Keywords": "keyword_score"},
        **{"VQA": "vqa_score", "Score": SCORE},
    }
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
        """What titles begin with: the benchmark, marked where its numbers are not those of the published judge."""
        return f"StructEval{self.judge_mark if self.comparable else ', NOT COMPARABLE'}"

    @property
    def judge_mark(self) -> str:
        """What headers of scores that depend on the judge end with, unless it is the published one."""
        plain = self.judge in ("", NO_JUDGE, DEFAULT_JUDGE)
        return "" if plain else f" (judge: {self.judge})"

    @property
    def tasks(self) -> list[str]:
        """The tasks that any model has answers to, in the order of `TASKS`."""
        return list(self.by_part)

    def weigh(self, instances: Sequence[InstanceKey]) -> Floats | None:
        """Returns weights under which a mean is the leaderboard's average.

        In the paper's subsets count the same, as do the tasks of a subset and the instances of a task.
        """
        if self.average == "examples":
            return None
        instances_of = Counter(task for task, _ in instances)
        tasks_of = Counter(TASKS[task].subset for task in instances_of)
        return np.array(
            [1 / (instances_of[task] * tasks_of[TASKS[task].subset]) for task, _ in instances]
        )

    def stratify(self, instances: Sequence[InstanceKey]) -> Labels | None:
        """Returns the tasks, of which the leaderboard's average is a mean."""
        if self.average == "examples":
            return None
        return np.array([task for task, _ in instances])

    @cached_property
    def group_grid(self) -> ScoreGrid:
        """The published scores, of which the paper's tables are: tasks count the same, whatever `average` says."""
        grid = replace(self, average="tasks").grid
        published = self.SCALE * self.scores(PUBLISHED_SCORE)
        return replace(grid, measures={grid.score: published}, format=DECIMALS)

    @property
    def columns(self) -> dict[str, ScoreGrid]:
        """The columns of Table 6; the average is of models that have all four subsets."""
        grid = self.group_grid
        found = {}
        for subset, label in LABELS.items():
            mark = self.judge_mark if subset.startswith("v") else ""
            ours = [key for key in self.instances if TASKS[key.part].subset == subset]
            found[f"{label}{mark}"] = grid.at(ours)
        means = [[*one.means(one.score).values()] for one in found.values()]
        average = np.where(np.isnan(means).any(axis=0), np.nan, grid.measures[grid.score])
        found[f"Average{self.judge_mark}"] = replace(grid, measures={grid.score: average})
        return found

    def part_name(self, part: str) -> str:
        """The task in words."""
        return TASK_NAMES[part]

    def part_type(self, part: str) -> str:
        """The subset, of which there are four, as in Figure 6b."""
        return LABELS[TASKS[part].subset]

    def content(self, answer: StructEvalResult) -> str:
        """What was asked, and what is looked for."""
        return json.dumps([answer.query, answer.keywords, answer.pairs])

    def task_mean(self, metric: str, model: str, task: str) -> float | None:
        """Returns the mean over a task's instances, or None without a value."""
        values = self.values(metric, model, task)
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
    selection = selection or Selection()
    order = list(TASKS)
    found = []
    for conditions, ours in selection.by_conditions(results):
        judges = sorted({result.judge for result in ours if result.kind.rendered})
        for judge in judges or [""]:
            judged = [r for r in ours if not r.kind.rendered or r.judge == judge]
            _require_same_questions(judged)
            answers = dict(sorted(drop_repeated(judged, lambda r: r.completion).items()))
            found.append(
                StructEvalResultSet.of_answers(
                    conditions,
                    answers,
                    lambda key: (order.index(key.part), key.id),
                    judge=judge,
                    average=selection.average,
                )
            )
    return found


def published_grid(
    result_set: StructEvalResultSet, published: ScoreFile
) -> tuple[ScoreGrid, ScoreGrid] | None:
    """Returns two grids of the examples that both have: what each model's place would score, and the models.

    Args:
        result_set: whose models are compared.
        published: scores of one other model, which stand for each of them in the first grid.

    Returns:
        None where there is no such example.
    """
    ours = result_set.grid
    kept = {instance for instance in ours.instances if instance.id in published.scores}
    if not kept:
        return None
    contents = {key: content for key, content in ours.contents.items() if key[1] in kept}
    after = replace(ours.at(kept), contents=contents)
    theirs = [published.scores[instance.id] for instance in after.instances]
    columns = {"Syntax": [one.syntax for one in theirs], "Score": [one.score for one in theirs]}
    before = replace(
        after,
        # Where a model has no value, there is nothing to compare with.
        measures={
            name: np.where(np.isnan(after.measures[name]), np.nan, 100 * np.array(values)[:, None])
            for name, values in columns.items()
        },
    )
    return before, after


def evaluation_files(
    results: Iterable[StructEvalResult],
) -> Iterator[tuple[str, list[dict[str, Any]], dict[str, Any]]]:
    """Yields for each model and judge a name, an evaluation and its scores alone, in the published form.

    Raises:
        SetupError: answers were made under different conditions, or a model has two to an instance.
    """
    for result_set in result_sets(results):
        for model in result_set.models:
            answers = result_set.of_model(model)
            published = [published_scores(answer.scores) for answer in answers]
            both = list(zip(answers, published, strict=True))
            rows = [
                evaluation_row(_question(answer), answer.completion, scores, answer.verdicts)
                for answer, scores in both
            ]
            items = {
                answer.instance: ItemScore(answer.task, scores["syntax_score"], scores[SCORE])
                for answer, scores in both
                if SCORE in scores
            }
            name = f"{result_set.name}-{model.replace('/', '_')}"
            yield name, rows, score_file(model, items, result_set.judge)


def published_scores(scores: Mapping[str, float]) -> dict[str, float]:
    """Returns each score by its published reading, where it has one of its own.

    >>> published_scores({"syntax_score": 0.0, "syntax_score_published": 1.0, "vqa_score": 0.5})
    {'syntax_score': 1.0, 'vqa_score': 0.5}
    """
    end = "_published"
    return {
        name: scores.get(f"{name}{end}", value)
        for name, value in scores.items()
        if not name.endswith(end)
    }


def _question(answer: StructEvalResult) -> StructEvalQuestion:
    return StructEvalQuestion(
        answer.instance,
        answer.task,
        answer.query,
        [*answer.keywords],
        [dict(pair) for pair in answer.pairs],
        oracle=None,
    )


def _require_same_questions(results: Iterable[StructEvalResult]) -> None:
    questions: dict[str, StructEvalResult] = {}
    for result in results:
        asked = questions.setdefault(result.instance, result)
        if asked.query != result.query:
            raise SetupError(
                f"instance {result.instance} is another question in the run {asked.run} than in "
                f"{result.run}; keep their sources in suites of their own"
            )
