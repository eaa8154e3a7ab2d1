"""The files of StructEval's own evaluations: answers with scores, scores alone, and its leaderboard.

- An evaluation is a list of the dataset's rows with an answer (``generation``) and its scores. The first
  evaluations of pictures lack most columns, and their answers stand between ``<code>`` tags.
- Scores alone (``artifacts/*.json``) are a list of task ids with a final and a render score.
- The leaderboard (``leaderboard.json``) has means.

Rows that can't be used are counted and named, and don't keep the others from being used.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from pathlib import Path
from typing import Any, NamedTuple

from helm_structext.data import Row
from helm_structext.errors import SetupError
from helm_structext.patterns import Pattern
from helm_structext.results.tabular import format_count, list_some
from helm_structext.storage.files import MAX_JSON
from helm_structext.structeval.rows import StructEvalQuestion, read_question
from helm_structext.structeval.tasks import CODES, NAMES, SUBSETS, TASKS
from helm_structext.texts import check_json_size, describe_error, one_line, quote_value

SUBSET_SIZES = {
    "t_generation": 250,
    "t_conversion": 700,
    "v_generation": 650,
    "v_conversion": 435,
}
"""Examples of each subset of the published dataset."""

DATASET_SIZE = sum(SUBSET_SIZES.values())

SCORES = {
    "render_score": "syntax_score",
    "key_validation_score": "path_score",
    "raw_output_score": "keyword_score",
    "VQA_score": "vqa_score",
    "final_eval_score": "structeval_score",
}
"""What the published code calls its scores, and what they are called here."""

FIRST_PROMPT = Pattern(r"(?s)<code>(.*?)</code>")
"""Where the first prompt asked for the code."""

TASK_OF_CODES = {
    **{
        CODES[task.input] + CODES[task.output]: name
        for name, task in TASKS.items()
        if task.output in CODES
    },
    # The published dataset has letters here, such as 00XX49 and 08XX99.
    **{"00XX": "text_to_latex", "08XX": "matplotlib_to_tikz"},
}
"""The first four digits of a published task id to its task; formats of one's own have no digits."""


@dataclass(frozen=True)
class PublishedAnswer:
    """A row of an evaluation.

    Args:
        question: what the dataset's row says.
        completion: what the model wrote; of the first prompt, with the tags that the later one asks for.
        written: what the model wrote, as it stands there.
        scores: the published scores under our names.
        verdicts: the judge's, one for each pair of question and answer, or none.
    """

    question: StructEvalQuestion
    completion: str
    written: str
    scores: Mapping[str, float]
    verdicts: Sequence[bool | None]


@dataclass(frozen=True)
class UnusedRow:
    """A row that can't be used: its place in the file, from 1, and why."""

    place: int
    reason: str


@dataclass(frozen=True)
class PublishedEvaluation:
    """A published evaluation: the name of its file, its answers, and the rows that can't be used."""

    name: str
    answers: Sequence[PublishedAnswer]
    unused: Sequence[UnusedRow] = ()

    @property
    def note(self) -> str:
        """A sentence on the rows that can't be used, or ""."""
        by_reason: dict[str, list[str]] = {}
        for row in self.unused:
            by_reason.setdefault(row.reason, []).append(str(row.place))
        reasons = "; ".join(
            f"{reason}: {list_some(places)}" for reason, places in by_reason.items()
        )
        return (
            f"{format_count(len(self.unused), 'row')} left out: {reasons}." if self.unused else ""
        )


class ItemScore(NamedTuple):
    """What one example scored: whether it is in the format or renders, and the final score; in [0, 1]."""

    task: str
    syntax: float
    score: float


@dataclass(frozen=True)
class ScoreFile:
    """A file of scores alone.

    Args:
        name: the model's, as the file has it.
        scores: task id to what it scored.
        stated: the means that the file itself states, in per cent.
        unused: rows that can't be used.
    """

    name: str
    scores: Mapping[str, ItemScore]
    stated: Mapping[str, float] = field(default_factory=dict)
    unused: Sequence[UnusedRow] = ()


def example_means(scores: Iterable[ItemScore]) -> dict[str, float]:
    """Returns the means over examples that StructEval's leaderboard has since 2026, in [0, 1].

    ``overall``, ``renderable``, ``non_renderable``, ``render_rate`` (of all examples; text counts that
    parses) and the four subsets; what no example belongs to is absent.

    Source: StructEval's leaderboard of 2 October 2026.

    >>> found = example_means([ItemScore("text_to_csv", 1, 0.9), ItemScore("text_to_html", 0, 0.1)])
    >>> found["overall"], found["render_rate"], found["t_generation"], found["renderable"]
    (0.5, 0.5, 0.9, 0.1)
    """
    parts: dict[str, list[float]] = {}
    for task, syntax, score in scores:
        subset = TASKS[task].subset
        kind = "renderable" if TASKS[task].rendered else "non_renderable"
        for name, value in (
            *((name, score) for name in ("overall", kind, subset)),
            ("render_rate", syntax),
        ):
            parts.setdefault(name, []).append(value)
    return {name: fsum(values) / len(values) for name, values in parts.items()}


def overall_of_subsets(means: Mapping[str, float], counts: Mapping[str, int]) -> float:
    """Returns the mean over examples, from the means of the four subsets and their sizes.

    Args:
        means: subset to mean, at least one.
        counts: subset to number of examples.

    >>> overall_of_subsets({"t_generation": 90, "v_generation": 60}, {"t_generation": 1, "v_generation": 2})
    70.0
    """
    return fsum(means[subset] * counts[subset] for subset in means) / sum(
        counts[subset] for subset in means
    )


def read_file(path: Path) -> PublishedEvaluation | ScoreFile | list[ScoreFile]:
    """Reads a file of StructEval's: an evaluation, scores alone, or the leaderboard (a list).

    Raises:
        SetupError: it is none of these, or nothing in it can be used.
    """
    content, complaint = _content(path)
    if isinstance(content, list):
        return _evaluation(path, content, complaint)
    if isinstance(content, dict) and isinstance(content.get("task_scores"), list):
        return _score_file(path, content)
    if isinstance(content, dict) and isinstance(content.get("results"), list):
        return [_leaderboard_row(path, row) for row in content["results"]]
    raise SetupError(
        f"{path} is no file of StructEval: expected a list of answers, or an object with 'task_scores' "
        "or 'results'"
    )


def read_evaluation(path: Path) -> PublishedEvaluation:
    """Reads a published evaluation.

    Raises:
        SetupError: it is none, or none of its rows can be used.
    """
    found = read_file(path)
    if not isinstance(found, PublishedEvaluation):
        raise SetupError(f"{path} has scores and no answers; name the evaluation file")
    return found


def read_scores(path: Path) -> ScoreFile:
    """Reads what each example scored, from scores alone or from an evaluation.

    Raises:
        SetupError: the file has no scores of examples.
    """
    found = read_file(path)
    if isinstance(found, list):
        raise SetupError(f"{path} has means and no scores of examples; name a file of artifacts/")
    if isinstance(found, ScoreFile):
        return found
    scores = {
        answer.question.id: ItemScore(
            answer.question.task,
            answer.scores["syntax_score"],
            answer.scores["structeval_score"],
        )
        for answer in found.answers
        if {"syntax_score", "structeval_score"} <= answer.scores.keys()
    }
    if not scores:
        raise SetupError(f"{path} has no final_eval_score")
    return ScoreFile(found.name, scores, unused=found.unused)


def _content(path: Path) -> tuple[Any, str]:
    """What a file in JSON holds, and what is wrong with its end; of a list that ends early, the rows."""
    try:
        if not path.is_file():  # a pipe would be waited for
            raise FileNotFoundError("it is not a file")
        if path.stat().st_size > MAX_JSON:
            raise ValueError("it is far too large")
        data = path.read_bytes()
        check_json_size(data)
        text = _text(data)
        try:
            return json.loads(text), ""
        except json.JSONDecodeError as error:
            rows = _rows_before(text)
            if not rows:
                raise
            return rows, f"the file is not whole ({error.msg}, line {error.lineno})"
    except (OSError, ValueError, RecursionError) as error:
        raise SetupError(
            f"{path} can't be read ({describe_error(error)}); expected an evaluation of StructEval"
        ) from error


def _text(data: bytes) -> str:
    """A file's text; one that ends within a letter lacks that letter."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if error.reason != "unexpected end of data":
            raise
        return data[: error.start].decode("utf-8-sig")


def _rows_before(text: str) -> list[Any]:
    """The whole rows at the beginning of a list."""
    decoder, rows = json.JSONDecoder(), []
    place = len(text) - len(text.lstrip()) + 1
    if text[place - 1 : place] != "[":
        return []
    try:
        while True:
            while text[place : place + 1] in (" ", "\n", "\r", "\t", ","):
                place += 1
            row, place = decoder.raw_decode(text, place)
            rows.append(row)
    except (ValueError, RecursionError):
        return rows


def _evaluation(path: Path, rows: list[Any], complaint: str) -> PublishedEvaluation:
    answers: dict[str, PublishedAnswer] = {}
    unused = []
    for place, values in enumerate(rows, 1):
        try:
            answer = _answer(values)
            if answer.question.id in answers:
                raise _Unusable("its task_id is that of an earlier row")
            answers[answer.question.id] = answer
        except _Unusable as error:
            unused.append(UnusedRow(place, str(error)))
    if complaint:
        unused.append(UnusedRow(len(rows) + 1, complaint))
    if not answers:
        why = PublishedEvaluation(path.stem, (), unused).note or "it has no rows"
        raise SetupError(f"{path} is no evaluation of StructEval with answers: {why}")
    return PublishedEvaluation(path.stem, list(answers.values()), unused)


class _Unusable(Exception):
    """Why a row can't be used."""


def _answer(values: Any) -> PublishedAnswer:
    if not isinstance(values, dict):
        raise _Unusable(f"it is {quote_value(values, 20)}, not an object")
    written = values.get("generation")
    if not isinstance(written, str):
        raise _Unusable("no generation")
    if "task_name" not in values:  # the first evaluations of pictures
        pairs = values.get("VQAmetric", values.get("VQA"))
        values = {**values, "task_name": _name_of(values.get("task_id")), "VQA": pairs or []}
    try:
        question = read_question(Row(values, "its row"))
    except SetupError as error:
        raise _Unusable(one_line(str(error).removeprefix("its row").lstrip(": "), 200)) from error
    return PublishedAnswer(
        question, replace_tags(written), written, _scores(values), _verdicts(values)
    )


def replace_tags(written: str) -> str:
    """Returns an answer with the tags of the later prompt in place of the first prompt's.

    >>> replace_tags("<code>a: 1</code>")
    '<|BEGIN_CODE|>a: 1<|END_CODE|>'
    """
    first = None if "<|BEGIN_CODE|>" in written else FIRST_PROMPT.match(written.strip())
    return f"<|BEGIN_CODE|>{first[1]}<|END_CODE|>" if first else written


def _name_of(task_id: Any) -> str:
    task = TASK_OF_CODES.get(task_id[:4]) if isinstance(task_id, str) else None
    if task is None:
        raise _Unusable(f"no task_name, and no task has the task_id {quote_value(task_id, 20)}")
    return TASKS[task].name


def _scores(values: Mapping[str, Any]) -> dict[str, float]:
    return {
        ours: _score(values[theirs], theirs)
        for theirs, ours in SCORES.items()
        if values.get(theirs) is not None
    }


def _score(value: Any, name: str) -> float:
    if isinstance(value, int | float) and 0 <= value <= 1:
        return float(value)
    raise _Unusable(f"{name} is {quote_value(value, 20)}, not a number from 0 to 1")


def _verdicts(values: Mapping[str, Any]) -> list[bool | None]:
    verdicts = values.get("VQAeval")
    if not isinstance(verdicts, list):
        return []
    # Some files have the words.
    truths = {"true": True, "false": False}
    return [truths.get(str(verdict).lower()) for verdict in verdicts]


def _score_file(path: Path, content: Mapping[str, Any]) -> ScoreFile:
    run = content.get("run")
    run = run if isinstance(run, dict) else {}
    scores: dict[str, ItemScore] = {}
    unused = []
    for place, row in enumerate(content["task_scores"], 1):
        try:
            if not isinstance(row, dict):
                raise _Unusable(f"it is {quote_value(row, 20)}, not an object")
            task_id = row.get("task_id")
            task = TASK_OF_CODES.get(task_id[:4]) if isinstance(task_id, str) else None
            if not task_id or not task or TASKS[task].subset != row.get("subset"):
                raise _Unusable(
                    f"no task of that subset has the task_id {quote_value(task_id, 20)}"
                )
            if task_id in scores:
                raise _Unusable("its task_id is that of an earlier row")
            scores[task_id] = ItemScore(
                task,
                _score(row.get("render_score"), "render_score"),
                _score(row.get("score"), "score"),
            )
        except _Unusable as error:
            unused.append(UnusedRow(place, str(error)))
    if not scores:
        raise SetupError(
            f"{path} has no scores of StructEval: {PublishedEvaluation('', (), unused).note}"
        )
    name = run.get("name")
    return ScoreFile(
        one_line(name) if isinstance(name, str) else path.stem, scores, _means(run), unused
    )


def _leaderboard_row(path: Path, row: Any) -> ScoreFile:
    if not isinstance(row, dict) or not isinstance(row.get("name"), str):
        raise SetupError(f"{path}: a row of 'results' has no name")
    return ScoreFile(one_line(row["name"]), {}, _means(row))


def _means(run: Mapping[str, Any]) -> dict[str, float]:
    stated = run.get("metrics")
    if not isinstance(stated, dict):
        return {}
    return {
        name: float(value)
        for name, value in stated.items()
        if name in MEANS and isinstance(value, int | float) and 0 <= value <= 100
    }


MEANS = ("overall", "renderable", "non_renderable", "render_rate", *SUBSETS)
"""The means of the leaderboard, in its order."""


def evaluation_row(
    question: StructEvalQuestion,
    completion: str,
    scores: Mapping[str, float],
    verdicts: Sequence[bool | None],
) -> dict[str, Any]:
    """Returns a row of an evaluation file, in the published form.

    Args:
        question: what was asked.
        completion: what the model wrote.
        scores: under our names; those that are absent are null.
        verdicts: the judge's.
    """
    task = question.kind
    both = {
        "render_score": int(scores.get("syntax_score", 0)),
        "VQA_score": scores.get("vqa_score"),
        "final_eval_score": _round(scores.get("structeval_score")),
    }
    own = (
        {
            "useVisualRendering": True,
            "raw_output_score": scores.get("keyword_score"),
            "VQAeval": list(verdicts),
        }
        if task.rendered
        else {"key_validation_score": scores.get("path_score")}
    )
    return {
        "task_id": question.id,
        "query": question.query,
        "feature_requirements": "",
        "task_name": task.name,
        "input_type": NAMES[task.input],
        "output_type": NAMES[task.output],
        "query_example": "",
        "VQA": question.pairs,
        "raw_output_metric": question.keywords,
        "rendering": task.rendered,
        "generation": completion,
        **both,
        **own,
    }


def score_file(name: str, scores: Mapping[str, ItemScore], judge: str) -> dict[str, Any]:
    """Returns the content of a file of scores alone, in the published form.

    Args:
        name: the model's.
        scores: task id to what it scored.
        judge: who judged the pictures.
    """
    rounded = {id: one._replace(score=round(one.score, 2)) for id, one in scores.items()}
    means = example_means(rounded.values())
    return {
        "run": {
            "name": name,
            "judge": judge,
            "score_aggregation": "Mean over evaluated examples",
            "complete": len(scores) == DATASET_SIZE,
            "n": len(scores),
            "expected_n": DATASET_SIZE,
            "subset_counts": dict(Counter(TASKS[one.task].subset for one in scores.values())),
            "metrics": {
                name: round(100 * means[name], 2) if name in means else None for name in MEANS
            },
        },
        "score_scale": "Per-task 0–1; aggregate 0–100",
        "aggregation": "Arithmetic mean over evaluated examples",
        "task_scores": [
            {
                "task_id": id,
                "subset": TASKS[one.task].subset,
                "score": one.score,
                "render_score": int(one.syntax),
            }
            for id, one in sorted(rounded.items())
        ],
    }


def _round(score: float | None) -> float | None:
    return None if score is None else round(score, 2)
