"""The table of all benchmarks: commands and the report walk over it.

A new benchmark is a package of its own and one row here, which `plain` makes of a few words.
"""

import pkgutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import date
from functools import partial
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any, Protocol

from helm_structext.errors import SetupError
from helm_structext.image2struct import contamination, experiments, parallel
from helm_structext.image2struct import facts as image2struct_facts
from helm_structext.image2struct import ocr as image2struct_ocr
from helm_structext.image2struct import plan as image2struct_plan
from helm_structext.image2struct import report as image2struct_report
from helm_structext.image2struct import results as image2struct_results
from helm_structext.image2struct import samples as image2struct_samples
from helm_structext.image2struct import tables as image2struct_tables
from helm_structext.image2struct.tasks import Image2StructArguments
from helm_structext.mmr import facts as mmr_facts
from helm_structext.mmr import ocr as mmr_ocr
from helm_structext.mmr import plan as mmr_plan
from helm_structext.mmr import report as mmr_report
from helm_structext.mmr import results as mmr_results
from helm_structext.mmr import samples as mmr_samples
from helm_structext.mmr import tables as mmr_tables
from helm_structext.mmr.tasks import MMRArguments
from helm_structext.models.ocr import Reader
from helm_structext.planning.inputs import plan_inputs
from helm_structext.planning.records import Dataset, Planning
from helm_structext.progress import progress
from helm_structext.protocols import Average
from helm_structext.report import plain as plain_report
from helm_structext.report.parts import ReportPart
from helm_structext.results import plain as plain_results
from helm_structext.results.columns import read_in_columns
from helm_structext.results.descriptions import RowFacts, facts_of_input
from helm_structext.results.model_facts import ModelFacts, add_facts
from helm_structext.results.result_sets import (
    ResultSet,
    Selection,
    group_by_condition,
    match_models,
)
from helm_structext.results.runs import InstanceResult, Run, finished_runs
from helm_structext.results.summary import summary_tables
from helm_structext.results.tabular import LEADERBOARD, SCORE, Table, section_tables
from helm_structext.results.usage import usage_tables
from helm_structext.run_entries import RUN_ENTRIES, RunDescription, parse_run_entry
from helm_structext.scoring.rescoring import Rescoring, RescoringOptions
from helm_structext.scoring.scorer import Door, Input, Scorer
from helm_structext.structeval import facts as structeval_facts
from helm_structext.structeval import ocr as structeval_ocr
from helm_structext.structeval import plan as structeval_plan
from helm_structext.structeval import report as structeval_report
from helm_structext.structeval import results as structeval_results
from helm_structext.structeval import samples as structeval_samples
from helm_structext.structeval import tables as structeval_tables
from helm_structext.structeval.judge import NO_JUDGE
from helm_structext.structeval.tasks import StructEvalArguments
from helm_structext.texts import describe_error, quote_value

Rescore = Callable[[Path, RescoringOptions], Rescoring[Any] | None]
Section = Callable[[Sequence[Any]], Iterator[Table]]
"""Makes the tables of result sets."""


@dataclass(frozen=True)
class Scoring:
    """How completions are scored that HELM never sees.

    Args:
        arguments: what scores depend on, of a run entry's arguments: each with its value in a run
            that doesn't say, or None to leave it out then.
        record: the class of all arguments of a run.
        scorer: where the function is that makes a `Scorer` of these and of a door, as entry points say.
        result_set: makes of ``conditions``, ``models``, ``instances`` and ``answers`` what tables
            take means of.
    """

    arguments: Mapping[str, str | None]
    record: Callable[..., Any]
    scorer: str
    result_set: Callable[..., ResultSet[Any]]

    def scorer_of(self, arguments: Any, door: Door) -> Scorer[Any]:
        """Returns what asks and scores in a run; see `Benchmark.scorer`.

        Args:
            arguments: what `record` made of a run entry's arguments.
            door: what the scorer may need of the harness.

        Raises:
            SetupError: what the run needs is not there.
        """
        scorer: Scorer[Any] = pkgutil.resolve_name(self.scorer)(arguments, door)
        return scorer

    @property
    def headers(self) -> Mapping[str, str]:
        """What tables of files of completions show: header to score.

        >>> benchmark_named("mmr").scoring.headers
        {'Readable': 'valid_format', 'Right': 'correct'}
        """
        return self.result_set(conditions=(), models=[], instances=[], answers={}).MEASURES

    @property
    def measures(self) -> list[str]:
        """The names of these scores; the last one says most."""
        return [*self.headers.values()]


class Samples(Protocol):
    """A benchmark's module `samples`: the completions that come with its sample."""

    REPLAYS: Path
    """The folder of their files in JSON lines."""

    def replay_lines(self, records: list[dict[str, str]]) -> Iterator[dict[str, str]]:
        """Yields lines of a replay file for the lines of such a file."""
        ...


@dataclass(frozen=True)
class Benchmark:
    """What commands and the report have to know of a benchmark.

    Args:
        name: of its package.
        title: its name in prose.
        entries: the names of its run entries, by which its runs are recognized.
        result: the class of the answers.
        read_run: yields the answers of a finished run.
        result_sets: sorts answers into those that count together.
        sections: name to what makes the tables of result sets of one condition.
        suite_sections: the same for result sets of all conditions, to compare them.
        date_tables: makes tables of scores before and after models' training cut-offs, where
            instances have dates.
        round_tables: makes tables of scores by the round of collecting, where instances are from any.
        report: its part of the report, by default one that is made of its result sets alone.
        rescoring: returns how others' completions are scored again, or None if a path holds none of these.
        scoring: how it scores completions without helm-run.
        readers: format to how the OCR model answers in it.
        samples: the completions that come with its sample.
        planning: what it knows of its runs before any model is asked.
        describe_source: yields what describes each row of a source (``hub``, ``sample`` or a folder), by
            the name of a run entry, the source and a revision of the published dataset.
    """

    name: str
    title: str
    entries: tuple[str, ...]
    result: type[InstanceResult]
    read_run: Callable[[Run], Iterator[Any]]
    result_sets: Callable[[Iterable[Any], Selection], Sequence[ResultSet[Any]]]
    sections: Mapping[str, Section]
    suite_sections: Mapping[str, Section] = field(default_factory=dict)
    date_tables: Callable[[Sequence[Any], Mapping[str, date]], Iterator[Table]] | None = None
    round_tables: Callable[[Sequence[Any], Mapping[str, date] | None], Iterator[Table]] | None = (
        None
    )
    report: ReportPart = plain_report
    rescoring: Rescore | None = None
    scoring: Scoring | None = None
    readers: Mapping[str, Reader] = field(default_factory=dict)
    samples: Samples | None = None
    planning: Planning | None = None
    describe_source: Callable[[str, str, str], Iterator[RowFacts]] | None = None

    def scorer(self, arguments: Any, door: Door) -> Scorer[Any]:
        """Returns what asks and scores in a run.

        Args:
            arguments: of the run, an object of the benchmark's class, or a mapping of its values.
            door: of the harness.

        Raises:
            SetupError: the judge that the run names can't be asked, as far as that is known.
        """
        assert self.scoring is not None
        if isinstance(arguments, Mapping):
            arguments = self.scoring.record(**arguments)
        return self.scoring.scorer_of(arguments, door)

    def read(self, suite: Path) -> list[Any]:
        """Returns every answer in the benchmark's finished runs of a suite.

        Args:
            suite: a suite's folder, such as ``benchmark_output/runs/demo``.

        Raises:
            SetupError: a run can't be read.
        """
        runs = list(finished_runs(suite, self.entries))
        answers = read_in_columns(runs, self.result, self.read_run)
        return [*chain.from_iterable(progress(answers, f"reading runs of {self.title}", len(runs)))]


SUMMARY = "summary"
"""The section that shows all benchmarks."""
ROUNDS = "rounds"
"""The section of what changes from one round of collecting to the next."""
USAGE = "usage"
"""The section of what a suite took."""


def sections() -> list[str]:
    """Returns the names of all sections of tables.

    >>> sections()[:2], sections()[-1]
    (['summary', 'leaderboard'], 'languages')
    """
    ours = [name for benchmark in BENCHMARKS for name in benchmark.sections]
    of_suites = [name for benchmark in BENCHMARKS for name in benchmark.suite_sections]
    return [*dict.fromkeys([SUMMARY, *ours, ROUNDS, USAGE, *of_suites])]


def suite_tables(
    suite: Sequence[tuple[Benchmark, Sequence[ResultSet[Any]]]],
    names: Collection[str] | None = None,
    cutoffs: Mapping[str, date] | None = None,
) -> Iterator[Table]:
    """Makes the tables of a suite: those of each benchmark, then those across its conditions.

    Args:
        suite: as from `suite_result_sets`.
        names: of the sections to make, by default all.
        cutoffs: model to the last day of its training data; adds scores before and after it, and
            takes the place of what is known of them in tables of rounds.
    """
    if names is None or SUMMARY in names:
        yield from summary_tables([one for _, result_sets in suite for one in result_sets])
    for benchmark, result_sets in suite:
        sections = {**benchmark.sections, LEADERBOARD: _with_facts(benchmark.sections[LEADERBOARD])}
        yield from section_tables(sections, group_by_condition(result_sets), names)
    for benchmark, result_sets in suite:
        if benchmark.round_tables and (names is None or ROUNDS in names):
            yield from benchmark.round_tables(result_sets, cutoffs)
    if names is None or USAGE in names:
        yield from usage_tables([one for _, result_sets in suite for one in result_sets])
    for benchmark, result_sets in suite:
        yield from section_tables(benchmark.suite_sections, [result_sets], names)
        if cutoffs and benchmark.date_tables:
            yield from benchmark.date_tables(result_sets, cutoffs)


def _with_facts(section: Section) -> Section:
    """A section whose tables of models say which are open, and how large."""

    def tables(result_sets: Sequence[Any]) -> Iterator[Table]:
        return (add_facts(table, result_sets[0].model_facts) for table in section(result_sets))

    return tables


def suite_result_sets(
    suite: Path,
    patterns: Sequence[str] = (),
    half_life: float | None = None,
    *,
    facts: Mapping[str, ModelFacts] | None = None,
    count_baselines: bool = False,
    average: Average = "tasks",
) -> list[tuple[Benchmark, Sequence[ResultSet[Any]]]]:
    """Returns what a suite has of each benchmark.

    Args:
        suite: a suite's folder.
        patterns: shell patterns of the models to show; all by default.
        half_life: in days, to weigh recent instances more.
        facts: what is known of models, as from `read_facts`.
        count_baselines: let the baselines be models as any other; else they stand apart.
        average: by which StructEval's models are ranked.

    Raises:
        SetupError: there are no finished runs, no model fits, or a run can't be read.
    """
    results = [(benchmark, benchmark.read(suite)) for benchmark in BENCHMARKS]
    models = {result.model for _, ours in results for result in ours}
    if not models:
        titles = ", ".join(benchmark.title for benchmark in BENCHMARKS)
        raise SetupError(f"{suite} holds no finished runs of {titles}")
    selection = Selection(match_models(models, patterns), half_life, average)
    found: list[tuple[Benchmark, Sequence[ResultSet[Any]]]] = []
    for benchmark, ours in results:
        result_sets = [
            replace(one, model_facts=facts or {}) for one in benchmark.result_sets(ours, selection)
        ]
        if not count_baselines:
            result_sets = [one.with_baselines_apart() for one in result_sets]
        found.append((benchmark, result_sets))
    return found


def _rescore_image2struct(path: Path, options: RescoringOptions) -> Rescoring[Any] | None:
    from helm_structext.image2struct.rescore import prepare_rescoring

    return None if path.is_file() else prepare_rescoring(path, options)


def _rescore_structeval(path: Path, options: RescoringOptions) -> Rescoring[Any] | None:
    from helm_structext.structeval.rescore import prepare_rescoring

    return prepare_rescoring(path, options) if path.is_file() else None


def run_of_entry(entry: str) -> tuple[Benchmark, RunDescription]:
    """Returns the benchmark of a run entry, and the run that it describes.

    Args:
        entry: as in a conf file, such as ``mmr:task=font_color,source=sample``; a model in it does
            not count.

    Raises:
        SetupError: it is no run entry of a benchmark whose completions can be scored, or HELM would
            not make a run of it; the message says what is allowed.

    >>> benchmark, run = run_of_entry("mmr:task=font_color,source=sample")
    >>> benchmark.name, run.name, run.arguments.limit
    ('mmr', 'mmr:task=font_color,source=sample,limit=50,system=scale', 50)
    """
    name = entry.partition(":")[0]
    known = {name: benchmark for benchmark in BENCHMARKS for name in benchmark.entries}
    if name not in known or not known[name].scoring:
        raise SetupError(f"{quote_value(name)} is no run entry; there are {', '.join(known)}")
    if name not in RUN_ENTRIES:
        import_module(f"{__package__}.{known[name].name}.run_specs")  # registers it
    try:
        _, arguments = parse_run_entry(entry)
    except ValueError as error:
        raise SetupError(
            f"{quote_value(entry, 300)} is no run entry: {describe_error(error)}"
        ) from error
    arguments.pop("model", None)
    return known[name], RUN_ENTRIES[name](**arguments)


def entry_of_run(run: Run | RunDescription, dataset: str = "") -> str | None:
    """Returns the run entry under which completions score what they score in a run of HELM.

    Args:
        run: of a suite, or as a run entry describes it.
        dataset: the published dataset that it was made of, with its commit, or "".

    Returns:
        The entry, or None for a run of no benchmark whose completions can be scored.
    """
    found = (benchmark for benchmark in BENCHMARKS if run.entry in benchmark.entries)
    if not (benchmark := next(found, None)) or not benchmark.scoring:
        return None
    values = {**benchmark.scoring.arguments}
    values |= {name: value for name, value in run.all_arguments.items() if name in values}
    if dataset and values.get("source") == "hub":
        values["revision"] = dataset.partition("@")[2]
    said = (f"{name}={value}" for name, value in values.items() if value is not None)
    return f"{run.entry}:{','.join(said)}"


def benchmark_named(name: str) -> Benchmark:
    """Returns a benchmark by the name of its package.

    >>> benchmark_named("mmr").title
    'MMR'
    """
    return next(benchmark for benchmark in BENCHMARKS if benchmark.name == name)


def plain(
    name: str,
    title: str,
    measures: Mapping[str, str],
    arguments: type,
    *,
    scale: float = 1,
    format: str = SCORE,
    dataset: Dataset | None = None,
    rows: int = 0,
    **more: Any,
) -> Benchmark:
    """Returns the row of a benchmark that adds no answers, tables or plans of its own.

    Its package has ``tasks.py``, which registers the run entry (`helm_structext.run_entries.plain_entry`),
    and ``scorer.py`` with a function `scorer` from arguments and a `Door` to a `Scorer`. Instances of
    several subsets have a `Scorer` that is `parted`.

    Args:
        name: of its package and of its run entry.
        title: its name in prose.
        measures: header to metric, of those in which more is better; by the last one models are ranked.
        arguments: the class of all arguments of a run.
        scale: by what scores are multiplied in tables: 100 for per cent.
        format: of scores in tables.
        dataset: that is published, if one is.
        rows: that it has.
        more: other arguments of `Benchmark`, such as `report`.
    """
    kind = plain_results.result_set_class(name, title, measures, scale, format)
    known = [field.name for field in fields(arguments)]
    scoring = Scoring(dict.fromkeys(known), arguments, f"{__package__}.{name}.scorer:scorer", kind)

    def inputs(given: Mapping[str, Any]) -> Iterator[Input]:
        said = {argument: given[argument] for argument in known if argument in given}
        return scoring.scorer_of(arguments(**said), Door()).inputs()

    return Benchmark(
        name=name,
        title=title,
        entries=(name,),
        result=plain_results.PlainResult,
        read_run=plain_results.read_run,
        result_sets=partial(plain_results.result_sets, kind),
        sections=plain_results.SECTIONS,
        scoring=scoring,
        planning=plan_inputs(inputs, dataset, rows),
        describe_source=lambda entry, source, revision: map(
            facts_of_input, inputs({"source": source, "revision": revision})
        ),
        **more,
    )


BENCHMARKS: tuple[Benchmark, ...] = (
    Benchmark(
        name="image2struct",
        title="Image2Struct",
        entries=(
            "image2struct_latex",
            "image2struct_webpage",
            "image2struct_music",
            "image2struct",
        ),
        result=image2struct_results.Image2StructResult,
        read_run=image2struct_results.read_run,
        result_sets=image2struct_results.result_sets,
        sections=image2struct_tables.SECTIONS,
        readers=image2struct_ocr.READERS,
        samples=image2struct_samples,
        planning=image2struct_plan.PLANNING,
        describe_source=image2struct_facts.describe_source,
        suite_sections={
            "experiments": experiments.experiment_tables,
            "languages": parallel.language_tables,
        },
        date_tables=contamination.date_tables,
        round_tables=contamination.round_tables,
        report=image2struct_report,
        rescoring=_rescore_image2struct,
        scoring=Scoring(
            dict.fromkeys(("format", "subset", "difficulty", "source", "revision", "protocol")),
            Image2StructArguments,
            "helm_structext.image2struct.scorer:scorer",
            partial(image2struct_results.Image2StructResultSet, domain="", wild=False),
        ),
    ),
    Benchmark(
        name="mmr",
        title="MMR",
        entries=("mmr",),
        result=mmr_results.MMRResult,
        read_run=mmr_results.read_run,
        result_sets=mmr_results.result_sets,
        sections=mmr_tables.SECTIONS,
        readers=mmr_ocr.READERS,
        samples=mmr_samples,
        planning=mmr_plan.PLANNING,
        describe_source=mmr_facts.describe_source,
        report=mmr_report,
        scoring=Scoring(
            dict.fromkeys(("task", "source", "revision", "limit", "lenient")),
            MMRArguments,
            "helm_structext.mmr.scorer:scorer",
            mmr_results.MMRResultSet,
        ),
    ),
    Benchmark(
        name="structeval",
        title="StructEval",
        entries=("structeval",),
        result=structeval_results.StructEvalResult,
        read_run=structeval_results.read_run,
        result_sets=structeval_results.result_sets,
        sections=structeval_tables.SECTIONS,
        readers=structeval_ocr.READERS,
        samples=structeval_samples,
        planning=structeval_plan.PLANNING,
        describe_source=structeval_facts.describe_source,
        report=structeval_report,
        rescoring=_rescore_structeval,
        scoring=Scoring(
            {
                **dict.fromkeys(("task", "subset", "source", "revision", "protocol")),
                "judge": NO_JUDGE,
            },
            StructEvalArguments,
            "helm_structext.structeval.scorer:scorer",
            partial(structeval_results.StructEvalResultSet, judge=""),
        ),
    ),
)
