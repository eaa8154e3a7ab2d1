"""A file of completions, scored in pieces: any engine makes them, any number of machines scores them.

The file is one of requests (`helm_structext.completions.predictions`), filled in, or a log of another harness
(`helm_structext.completions.logs`). Each answer becomes a line of the output, in the same order, with a key: a hash
of what was answered to what, what it is compared with, how it is scored and by which release. By its keys an
output is continued, and shards are merged.
"""

import heapq
import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, replace
from functools import cache, cached_property
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from helm_structext.benchmarks import Benchmark, benchmark_named, run_of_entry
from helm_structext.completions.logs import LogFormat, log_format
from helm_structext.errors import MISSING, SetupError
from helm_structext.findings import findings_record
from helm_structext.helm.judges_door import door_of_helms_judges
from helm_structext.processes import map_in_threads
from helm_structext.progress import progress
from helm_structext.results.answers import Unscored, undrawn_note, unscored_note
from helm_structext.results.passports import carry_passports, stamp_lines
from helm_structext.results.result_sets import ResultSet
from helm_structext.results.resuming import complete_lines, whole_lines
from helm_structext.results.runs import InstanceResult, conditions_of
from helm_structext.results.tabular import Cell, Column, Table, format_count
from helm_structext.scoring.handling import INTERNAL_ERROR, NO_COMPLETION, UNDRAWN, Failure
from helm_structext.scoring.scorer import SCORES_VERSION, InstanceKey, Scored, Scorer
from helm_structext.storage.cache import content_key, store_copy
from helm_structext.structeval.judge import NOT_COMPARABLE
from helm_structext.texts import describe_error, quote_value


@dataclass(frozen=True)
class Shard:
    """Some of the lines of a file: each `of`-th, from number `number` on.

    >>> [line for line in range(1, 8) if line in Shard(2, 3)]
    [2, 5]
    """

    number: int = 1
    of: int = 1

    def __contains__(self, line: object) -> bool:
        return isinstance(line, int) and (line - self.number) % self.of == 0


@dataclass(frozen=True)
class Answer:
    """A completion and what it answers.

    Args:
        line: its number in the file of completions, from 1; of a log, that of its sample or row.
        run: name of the run, without the model.
        entry: the run entry under which it is scored.
        instance: id of the instance.
        model: name of the model, or None.
        completion: what the model wrote, or None.
        finish_reason: why it stopped, or None.
    """

    line: int
    run: str
    entry: str
    instance: str
    model: str | None
    completion: str | None
    finish_reason: str | None

    @property
    def place(self) -> str:
        """What no two answers of a file share."""
        return content_key(json.dumps([self.entry, self.instance, self.model]))


@dataclass(frozen=True)
class ScoredAnswer:
    """A line of the output.

    Args:
        key: see `Instances.key`; of `line`, `run`, `entry`, `instance`, `model` and `finish_reason`,
            see `Answer`.
        part: the subset or task of the instance.
        scores: metric to value; one without a value is absent.
        error_kind: that of a `helm_structext.errors.RenderError`, ``internal``, ``no_completion`` of an
            answer without completion, or None.
        error: the message, or "".
        picture: name of the rendered picture in the folder for pictures, or None.
        findings: what is wrong with the picture, as `helm_structext.findings.findings_record` has it, where
            the run entry looks at that; else None.
        passport: the hash of all that the scores depended on where they were made
            (`helm_structext.results.passports.read_beside`), or None of an earlier version.
    """

    key: str
    line: int
    run: str
    entry: str
    instance: str
    part: str
    model: str | None
    finish_reason: str | None
    scores: Mapping[str, float]
    error_kind: str | None
    error: str
    picture: str | None
    findings: Mapping[str, Any] | None = None
    passport: str | None = None


@dataclass(frozen=True)
class Completions:
    """A file of completions, or a shard of it.

    Args:
        path: a file of requests, filled in, or another harness's log.
        entry: the run entry under which all of it is scored, whatever the lines say, or None.
        shard: of its lines.
        model: the name of the model that all of it is from, whatever the file says, or None.
        epoch: which answers of a log to take, where each sample was answered several times, or None.
        judges: models that a line's run entry may have look at pictures: who wrote a file does not choose
            who is asked, and paid.
    """

    path: Path
    entry: str | None = None
    shard: Shard = Shard()
    model: str | None = None
    epoch: int | None = None
    judges: Collection[str] = ()

    @cached_property
    def format(self) -> LogFormat:
        """Of the file."""
        return log_format(self.path)

    def where(self, line: int) -> str:
        """Says for people where in the file an answer is."""
        return f"{self.path}, {self.format.item} {line}"

    def answers(self) -> Iterator[Answer]:
        """Yields the answers in the file's order.

        Raises:
            SetupError: a line is not as it should be, or names a run entry that is none; the
                message has the line's number.
        """
        for found in self.format.read(self.path, self.entry, self.epoch):
            for place in found.places if found.line in self.shard else ():
                try:
                    _, run = run_of(place.entry)
                    self._check_judge(run.arguments)
                except SetupError as error:
                    raise SetupError(f"{self.where(found.line)}: {error}") from error
                yield Answer(
                    found.line,
                    _without_model(place.run) or run.name,
                    place.entry,
                    place.instance,
                    self.model or found.model,
                    found.completion,
                    found.finish_reason,
                )

    def _check_judge(self, arguments: Any) -> None:
        judge = getattr(arguments, "judge", None)
        if self.entry is None and judge and judge not in {*self.judges, *NOT_COMPARABLE}:
            raise SetupError(
                f"its run entry has {judge} look at pictures, which is asked with your credentials: allow "
                f"it by --judge {judge}, or name a run entry of your own by --benchmark, such as one with judge=none"
            )

    def check(self) -> int:
        """Reads the whole file, whatever the shard, and returns the number of answers in the shard.

        Raises:
            SetupError: see `answers`; or there are none, or two of one model to one instance.
        """
        seen: dict[str, int] = {}
        total = 0
        for number, answer in enumerate(replace(self, shard=Shard()).answers()):
            first = seen.setdefault(answer.place, answer.line)
            if len(seen) == number:
                raise SetupError(
                    f"{self.where(answer.line)}: {self.format.item} {first} answers instance "
                    f"{quote_value(answer.instance)} of {answer.entry}, too; keep one of them, or name "
                    "the models that they are from as 'model'"
                )
            total += answer.line in self.shard
        if not seen:
            raise SetupError(f"{self.path} holds no completions")
        return total


run_of = cache(run_of_entry)


def _without_model(run: str) -> str:
    """The name of a run whoever answered: requests were exported from one of any model."""
    return ",".join(part for part in run.split(",") if not part.startswith("model="))


def score_file(
    completions: Completions, output: Path, local_path: Path, pictures: Path | None = None
) -> Iterator[int]:
    """Scores completions, and writes a line for each that the output lacks.

    Args:
        completions: the file.
        output: a file in JSON lines, each a `ScoredAnswer`.
        local_path: where HELM finds a judge's credentials and keeps its answers.
        pictures: a folder for what the completions are rendered to, or None.

    Yields:
        How many lines there are, first before any is written, then after each.

    Raises:
        SetupError: see `Completions.check` and `complete_lines`; an instance is not in its run's
            data; or the machine fails. The same call goes on then.
    """

    instances = Instances(completions, local_path)
    pictured = pictures is not None

    def lines(done: int) -> Iterator[bytes]:
        rest = islice(completions.answers(), done, None)
        scored = map_in_threads(lambda answer: _fields(answer, instances, pictures), rest)
        return stamp_lines(output, scored)

    yield from complete_lines(output, instances.keys(pictured), lines)


class Instances:
    """What the answers of a file are compared with, and what scores them.

    Args:
        completions: the file.
        local_path: see `score_file`.

    Raises:
        SetupError: see `score_file`.
    """

    def __init__(self, completions: Completions, local_path: Path) -> None:
        self._completions = completions
        door = door_of_helms_judges(local_path)
        self._scorers: dict[str, Scorer[Any]] = {}
        self._found: dict[str, dict[str, tuple[InstanceKey, Any]]] = {}
        self._hashes: dict[tuple[str, str], str] = {}
        lines: dict[str, dict[str, int]] = defaultdict(dict)
        for answer in completions.answers():
            lines[answer.entry].setdefault(answer.instance, answer.line)
        for entry, ids in progress(lines.items(), "reading instances of runs", len(lines)):
            benchmark, run = run_of(entry)
            scorer = self._scorers[entry] = benchmark.scorer(run.arguments, door)
            found = self._found[entry] = {}
            for key, item in scorer.find(ids.keys()):
                if found.setdefault(key.id, (key, item))[1] is not item:
                    raise SetupError(
                        f"the data of {entry} has instance {quote_value(key.id)} twice"
                    )
                self._hashes[entry, key.id] = _hash(key, item)
            for instance, line in ids.items():
                if instance not in found:
                    raise SetupError(
                        f"{completions.where(line)}: {entry} has no instance {quote_value(instance)}; is it "
                        "of other data?"
                    )

    def key(self, answer: Answer, pictured: bool) -> str:
        """Returns a hash of an answer, of what it is compared with, and of what scores it.

        Args:
            answer: of the file.
            pictured: whether pictures are kept of what is rendered.
        """
        compared = self._hashes[answer.entry, answer.instance]
        kept = ["pictures"] if pictured else []
        return content_key(SCORES_VERSION, json.dumps(astuple(answer)), compared, *kept)[:16]

    def keys(self, pictured: bool) -> Iterator[str]:
        """Yields the key of each answer of the file."""
        return (self.key(answer, pictured) for answer in self._completions.answers())

    def score(self, answer: Answer) -> tuple[InstanceKey, Scored]:
        """Returns the instance of an answer, and what came of its completion."""
        key, item = self._found[answer.entry][answer.instance]
        if answer.completion is None:
            return key, Scored({}, Failure(NO_COMPLETION, "there is no completion"))
        return key, self._scorers[answer.entry].score(item, answer.completion)


def _hash(key: InstanceKey, item: Any) -> str:
    """A hash of an instance: its files are named by their content, wherever they lie."""
    return content_key(json.dumps([key, asdict(item)], default=lambda path: path.name))


def _fields(answer: Answer, instances: Instances, pictures: Path | None) -> dict[str, Any]:
    key, found = instances.score(answer)
    picture = store_copy(pictures, found.picture).name if pictures and found.picture else None
    fields = {name: value for name, value in vars(answer).items() if name != "completion"}
    scored = ScoredAnswer(
        key=instances.key(answer, pictures is not None),
        part=key.part,
        **fields,
        scores={name: float(value) for name, value in found.scores.items()},
        error_kind=found.error_kind,
        error=found.error,
        picture=picture,
        findings=None if found.findings is None else findings_record(found.findings),
    )
    return asdict(scored)


def merge(
    completions: Completions, shards: Sequence[Path], output: Path, local_path: Path
) -> Iterator[int]:
    """Writes the output of all shards as if there had been none: byte for byte.

    Args:
        completions: the file.
        shards: outputs of `score_file` for parts of it, in any order; neither how many there are
            nor how they were cut matters.
        output: see `score_file`, as for `local_path` and what this yields.

    Raises:
        SetupError: an answer is in none of them, or a line of them is of none of the answers; or as
            of `score_file`.
    """
    instances = Instances(completions, local_path)
    first = next(zip(_sort_lines(shards), completions.answers(), strict=False), None)
    pictured = first is not None and first[0].key == instances.key(first[1], pictured=True)

    def lines(done: int) -> Iterator[bytes]:
        carry_passports(shards, output)
        return islice(_merge_lines(completions, shards, instances.keys(pictured)), done, None)

    yield from complete_lines(output, instances.keys(pictured), lines)


class _ShardLine(NamedTuple):
    number: int
    """Of the line that was answered."""
    where: str
    key: object
    line: bytes


def _sort_lines(shards: Sequence[Path]) -> Iterator[_ShardLine]:
    return heapq.merge(*map(_shard_lines, shards), key=lambda line: line.number)


def _merge_lines(
    completions: Completions, shards: Sequence[Path], keys: Iterator[str]
) -> Iterator[bytes]:
    lines = _sort_lines(shards)
    for answer, key in zip(completions.answers(), keys, strict=True):
        found = next(lines, None)
        if found is None or found.number > answer.line:
            raise SetupError(
                f"{' and '.join(map(str, shards))} have no score of {completions.format.item} "
                f"{answer.line} of {completions.path}: a shard is missing or not finished"
            )
        if found.key != key:
            raise SetupError(_STRANGE.format(found.where, completions.path))
        yield found.line
    if found := next(lines, None):
        raise SetupError(_STRANGE.format(found.where, completions.path))


_STRANGE = (
    "{}: this score is there twice, or not of {}, or of other data, or from another release, or with "
    "another --benchmark; or only some of the shards were scored with --pictures"
)


def _shard_lines(path: Path) -> Iterator[_ShardLine]:
    for number, line, fields in whole_lines(path):
        place = fields.get("line")
        if not isinstance(place, int):
            raise SetupError(f"{path}, line {number}: it is no score of an answer")
        yield _ShardLine(place, f"{path}, line {number}", fields.get("key"), line)


Answers = dict[tuple[str, InstanceKey], InstanceResult]
"""What models answered, by their names and the instances."""


def score_tables(path: Path) -> Iterator[Table]:
    """Makes a table for each benchmark: means of each run and model, as `helm-structext tables` has them.

    Args:
        path: an output of `score_file` or `merge`.

    Raises:
        SetupError: it can't be read.
    """
    runs: dict[str, dict[str, Answers]] = defaultdict(lambda: defaultdict(dict))
    lost: dict[str, Counter[str]] = defaultdict(Counter)
    for number, _, fields in whole_lines(path):
        try:
            answer = ScoredAnswer(**fields)
            benchmark, run = run_of(answer.entry)
            assert benchmark.scoring is not None
            shown = {*benchmark.scoring.measures, INTERNAL_ERROR, UNDRAWN}
            result = InstanceResult(
                run=answer.run,
                model=answer.model or "",
                conditions=conditions_of(run.all_arguments, run.all_arguments.keys() - {MISSING}),
                instance=answer.instance,
                completion="",
                finish_reason=answer.finish_reason or "",
                scores={name: answer.scores[name] for name in shown & answer.scores.keys()},
                error_kind=answer.error_kind,
            )
            key = InstanceKey(answer.part, answer.instance)
            runs[benchmark.name][answer.run][result.model, key] = result
            lost[benchmark.name][NO_COMPLETION] += answer.error_kind == NO_COMPLETION
            lost[benchmark.name][UNDRAWN] += result.undrawn and result.unscored is None
        except (TypeError, AttributeError) as error:
            raise SetupError(f"{path}, line {number}: {describe_error(error)}") from error
    for name, ours in runs.items():
        yield _table(benchmark_named(name), ours, lost[name])


def _result_set(benchmark: Benchmark, answers: Answers) -> ResultSet[Any]:
    assert benchmark.scoring is not None
    return benchmark.scoring.result_set(
        conditions=(),
        models=sorted({model for model, _ in answers}),
        instances=sorted({key for _, key in answers}),
        answers=answers,
    )


def _table(benchmark: Benchmark, runs: Mapping[str, Answers], lost: Counter[str]) -> Table:
    rows: list[list[Cell]] = []
    unscored: Unscored = Counter()
    for run, answers in runs.items():
        found = _result_set(benchmark, answers)
        unscored.update(found.unscored)
        means = [found.by_model(metric) for metric in found.MEASURES.values()]
        rows += [
            [
                run,
                model or None,
                len(found.of_model(model)),
                *(found.SCALE * mean[model] if model in mean else None for mean in means),
            ]
            for model in found.models
        ]
    kind = _result_set(benchmark, {})
    note = "Means of each run and model, as in its tables."
    if missing := lost[NO_COMPLETION]:
        note += f" {format_count(missing, 'answer')} without a completion count in no mean."
    note += undrawn_note(lost[UNDRAWN])
    return Table(
        f"{benchmark.name}-scores",
        benchmark.title,
        note + unscored_note(unscored),
        [
            Column("Run"),
            Column("Model"),
            Column("Answers"),
            *(Column(header, kind.FORMAT) for header in kind.MEASURES),
        ],
        rows,
    )
