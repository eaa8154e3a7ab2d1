"""A published evaluation of StructEval (`evaluations`), with its completions rendered and scored again."""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from helm_structext.errors import MISSING, MissingResource, RenderError
from helm_structext.extraction import extract
from helm_structext.extraction.reasoning import MARK
from helm_structext.metrics import parse_structure
from helm_structext.metrics.structures import holds_nothing
from helm_structext.protocols import DEFAULT_PROTOCOL, ProtocolName
from helm_structext.renderers import render_completion
from helm_structext.results.answers import undrawn_note, unscored_note
from helm_structext.results.defects import CheckedAnswer, defects_text
from helm_structext.results.missing_resources import missing_text
from helm_structext.results.tabular import Cell, markdown
from helm_structext.scoring.handling import (
    INTERNAL,
    INTERNAL_ERROR,
    JUDGE,
    UNDRAWN,
    Failure,
    handle,
)
from helm_structext.scoring.rescoring import RescoredAnswer, Rescoring, RescoringOptions
from helm_structext.scoring.scorer import SCORES_VERSION
from helm_structext.storage.cache import content_key, renderings_folder
from helm_structext.structeval.evaluations import (
    ItemScore,
    PublishedAnswer,
    PublishedEvaluation,
    ScoreFile,
    read_file,
)
from helm_structext.structeval.judge import NO_JUDGE, NOT_COMPARABLE, Judge, judge_failure
from helm_structext.structeval.scores import rendered_scores, text_scores
from helm_structext.structeval.tables import means_text
from helm_structext.structeval.tasks import LABELS, SUBSETS, TASKS

SHOWN = {
    "syntax_score": "syntax",
    "path_score": "paths",
    "keyword_score": "keywords",
    "vqa_score": "VQA",
    "structeval_score": "score",
}


@dataclass(frozen=True)
class RescoredStructure(RescoredAnswer):
    """One answer's scores before and now.

    Args:
        key: of the row, how it was scored and by which release; the same if all of that is the same. See
            `RescoredAnswer`, as for `missing` and `passport`.
        file: name of the evaluation file, without its ending.
        task: a key of `helm_structext.structeval.tasks.TASKS`.
        instance: the task id.
        old: the published scores under our names.
        new: our scores; one without a value is absent, and so are those of an answer that could not be
            handled (`helm_structext.scoring.handling`), which is counted instead.
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


@dataclass(frozen=True)
class AnswerScorer:
    """How the answers of an evaluation are scored.

    Args:
        file: name of the evaluation file, without its ending.
        protocol: ``published`` or ``corrected``.
        judge: who looks at the pictures; without one, pictures have no VQA and no final score.
    """

    file: str
    protocol: ProtocolName
    judge: Judge | None

    def key(self, answer: PublishedAnswer) -> str:
        """Returns a hash of an answer and of how it is scored."""
        question = answer.question
        asked = [question.id, question.task, question.keywords, question.pairs]
        judge = self.judge.name if self.judge else ""
        return content_key(
            SCORES_VERSION, self.protocol, judge, json.dumps([asked, answer.written, answer.scores])
        )[:16]

    def score(self, answer: PublishedAnswer) -> RescoredStructure:
        """Renders and scores an answer.

        Raises:
            SetupError: this machine can't render, or the judge can't be reached.
        """
        question = answer.question
        scored = handle(f"scores of instance {question.id}", lambda: _score(self, answer))
        if isinstance(scored, Failure):
            scored = _Rescored({INTERNAL_ERROR: 1.0}, str(scored))
        return RescoredStructure(
            self.key(answer),
            self.file,
            question.task,
            question.id,
            dict(answer.scores),
            scored.scores,
            scored.error,
            scored.judged,
            missing=scored.missing,
        )


def prepare_rescoring(path: Path, options: RescoringOptions) -> Rescoring[PublishedAnswer]:
    """Returns how a published evaluation is scored again; of a file of scores alone, what is in it.

    Args:
        path: a file that StructEval published.
        options: protocol, judge and door.

    Raises:
        SetupError: the file can't be read, or there is no such judge.
    """
    found = read_file(path)
    if not isinstance(found, PublishedEvaluation):
        items = found.scores if isinstance(found, ScoreFile) else {}
        text = _join_tables(means_text(found), defects_text(checked_scores(items)))
        return Rescoring(RescoredStructure, lambda: iter(()), str, str, lambda _: text)
    judge = None if options.judge == NO_JUDGE else options.door.judge(options.judge)
    scoring = AnswerScorer(found.name, options.protocol, judge)

    def said(results: Sequence[RescoredStructure]) -> str:
        tables = summary(results, options.judge, options.protocol)
        lacking = missing_text((result.missing, UNDRAWN in result.new) for result in results)
        return _join_tables(
            tables, lacking, defects_text(checked_answers(found, results)), found.note
        )

    answers = found.answers
    return Rescoring(
        RescoredStructure, lambda: iter(answers), scoring.key, scoring.score, said, len(answers)
    )


WITHOUT_PICTURE = 0.1
"""The most that an answer without a picture can score: its keywords."""
UNSEEN = 0.4
"""The score of a picture with all keywords and a seventh of the questions."""


def checked_scores(scores: Mapping[str, ItemScore]) -> Iterator[CheckedAnswer]:
    """Yields published scores alone as `find_defects` reads them.

    >>> [found] = checked_scores({"000800": ItemScore("text_to_matplotlib", 0, 0.1)})
    >>> found.part, found.rendered, found.without_picture
    ('Text to Matplotlib', False, 0.1)
    """
    for id, (task, syntax, score) in scores.items():
        rendered = syntax > 0 if TASKS[task].rendered else None
        yield CheckedAnswer(TASKS[task].name, id, score, rendered, WITHOUT_PICTURE, UNSEEN)


def checked_answers(
    evaluation: PublishedEvaluation, results: Sequence[RescoredStructure]
) -> Iterator[CheckedAnswer]:
    """Yields the answers of an evaluation that have scores as `find_defects` reads them.

    Args:
        evaluation: as published.
        results: of its answers, scored again.
    """
    drawn = {r.instance: r.new["syntax_score"] > 0 for r in results if "syntax_score" in r.new}
    answers = {
        answer.question.id: answer
        for answer in evaluation.answers
        if {"syntax_score", "structeval_score"} <= answer.scores.keys()
    }
    items = {
        id: ItemScore(a.question.task, a.scores["syntax_score"], a.scores["structeval_score"])
        for id, a in answers.items()
    }
    for found in checked_scores(items):
        verdicts = answers[found.instance].verdicts
        right = sum(verdict is True for verdict in verdicts) if verdicts else None
        yield replace(found, right=right, drawn=drawn.get(found.instance))


def _join_tables(*texts: str) -> str:
    return "\n\n".join(filter(None, texts))


class _Rescored(NamedTuple):
    scores: dict[str, float]
    error: str
    """Why there is no structure or picture, or ""."""
    judged: dict[str, Any] | None = None
    missing: Sequence[MissingResource] | None = None


def _score(scoring: AnswerScorer, answer: PublishedAnswer) -> _Rescored:
    question, protocol = answer.question, scoring.protocol
    format, error, judged, missing = question.kind.format, "", None, None
    completion = answer.completion if protocol == "published" else answer.written
    if question.kind.rendered:
        picture, kind, blank = None, None, False
        try:
            rendering = render_completion(
                format, completion, protocol=protocol, cache=renderings_folder()
            )
            picture, blank, missing = rendering.path, bool(rendering.cause), rendering.missing
        except RenderError as failure:
            error, kind, missing = str(failure), failure.kind, failure.missing
        judged = scoring.judge.look(picture, question.pairs, protocol) if scoring.judge else None
        error = error or str(judge_failure(judged) or "")
        values = rendered_scores(answer.written, question.keywords, format, kind, judged, protocol)
        values[UNDRAWN] = 1.0 if blank or kind == MISSING else None
    else:
        code = extract(completion, format, protocol)
        values = text_scores(code, question.keywords, format, protocol)
        error = text_error(code, format, protocol)
    if error and protocol == "published":
        error += hint(completion, format)
    scores = {name: value for name, value in values.items() if value is not None}
    return _Rescored(scores, error, judged, missing)


def text_error(code: str, format: str, protocol: ProtocolName) -> str:
    """Returns why a text is no structure of a format, with line and column, or "".

    Args:
        code: as it was extracted.
        format: one whose code is parsed.
        protocol: by whose parser.

    >>> text_error('{"a": 1]', "json", "published")
    "syntax: line 1, column 8: a comma or a closing bracket is missing (Expecting ',' delimiter)"
    >>> [text_error(code, "json", "published") for code in ("[]", "[1]")]
    ['empty: it holds nothing', '']
    """
    try:
        structure = parse_structure(code, format, protocol=protocol)
    except RenderError as error:
        return str(error)
    return "empty: it holds nothing" if holds_nothing(structure) else ""


def hint(completion: str, format: str) -> str:
    """Returns what to say of a failed completion in which ``corrected`` finds other code.

    >>> hint("<code>{}</code>", "json")
    ' (the code is between <code> and </code>, which protocol=published does not read)'
    >>> hint("{}", "json")
    ''
    """
    if extract(completion, format) == extract(completion, format, "corrected"):
        return ""
    where = "its tags or fences are written in a way"
    if "<code>" in completion:
        where = "the code is between <code> and </code>,"
    elif MARK.search(completion):
        where = "there is reasoning around the code,"
    return f" ({where} which protocol=published does not read)"


def summary(
    results: Sequence[RescoredStructure], judge: str, protocol: str = DEFAULT_PROTOCOL
) -> str:
    """Returns tables of old and new means: unweighted ones of each subset's tasks, per cent.

    Args:
        results: answers with their old and new scores, of any number of files.
        judge: which of those gave the verdicts; some give none that can be compared.
        protocol: of the new scores.
    """
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
        unscored = Counter(filter(None, map(_find_unscored, ours)))
        failed = sum(bool(result.error) for result in ours) - sum(unscored.values())
        undrawn = undrawn_note(sum(UNDRAWN in result.new for result in ours))
        note = undrawn + unscored_note(unscored)
        unread = sum(bool(result.judged and not result.judged["parsed"]) for result in ours)
        replies = f"; {unread} of the judge's replies could not be read" if unread else ""
        tables.append(
            f"{file}: {len(ours)} answers, {failed} did not parse or render{replies}; protocol={protocol}, "
            f"judge={judge}{mark}{'.' if note else ''}{note}\n\n"
            f"{markdown(header, rows)}"
        )
    return _join_tables(*tables)


def _find_unscored(result: RescoredStructure) -> tuple[str, str] | None:
    if INTERNAL_ERROR in result.new:
        return INTERNAL, result.file
    return (JUDGE, result.file) if judge_failure(result.judged) else None


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
