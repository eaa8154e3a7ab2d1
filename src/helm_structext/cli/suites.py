"""Commands that show a finished suite: tables, judge-agreement, report."""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from helm_structext.cli.options import (
    ABOVE_0,
    COUNT,
    Commands,
    OutputPlace,
    add_local_path,
    add_models,
    add_sample,
    add_suite,
    any_path,
    file_or_folder,
    number_type,
    output,
    output_file,
    output_folder,
    say_of,
    show_tables,
    suite_folder,
    suite_or_file,
)
from helm_structext.data import source_label
from helm_structext.errors import SetupError
from helm_structext.protocols import AVERAGES
from helm_structext.terminal import say

if TYPE_CHECKING:
    from helm_structext.report.shown_answers import SampleDraw
    from helm_structext.results.result_sets import ResultSet
    from helm_structext.results.tabular import Table

MAX_WIDTH = 960
"""Pixels of stored pictures in a report."""
MAX_MEGABYTES = 50
"""Of a report in one file."""

CATEGORIES = "categories"
"""The section of what people say of answers."""
PASSPORT = "passport"
"""The section of what a suite's pictures and scores depended on."""

_MORE = """
More:  helm-structext tables {suite} --all                all tables (-o FOLDER: as CSV and LaTeX)
       helm-structext tables {suite} --show leaderboard   or scores, metrics, answers, significance, …
       helm-structext report {suite}                      every answer, with its pictures"""


def add_commands(commands: Commands) -> None:
    """Adds this group's commands."""
    _add_tables(commands)
    _add_judge_agreement(commands)
    _add_report(commands)


def _add_tables(commands: Commands) -> None:
    tables = commands.add_parser("tables", help="print the paper's tables for a finished suite")
    _add_shared(tables)
    _add_facts(tables)
    tables.add_argument(
        "--show",
        nargs="+",
        metavar="SECTION",
        help="these instead of a summary: leaderboard, scores, groups, sizes, tasks, metrics, answers, "
        "findings, missing, difficulty, mistakes, significance, correlations, rounds, usage, experiments, categories, passport",
    )
    tables.add_argument("--all", action="store_true", help="all tables instead of a summary")
    tables.add_argument(
        "--count-baselines",
        action="store_true",
        help="let oracle, blank page and OCR count in ranks and win rates",
    )
    tables.add_argument(
        "--average",
        choices=AVERAGES,
        default="tasks",
        help="by which StructEval's models are ranked: the paper's unweighted mean of tasks, or the "
        "mean over examples of its leaderboard since 2026 (%(default)s)",
    )
    tables.add_argument(
        "--half-life",
        type=number_type("a number of days above 0", ABOVE_0),
        metavar="DAYS",
        help="instances of this age weigh half",
    )
    tables.add_argument(
        "--cutoffs",
        type=any_path,
        metavar="YAML",
        help="model: last day of its training data; adds scores before and after it, and counts in "
        "tables of rounds",
    )
    tables.add_argument(
        "--categories",
        nargs="+",
        type=any_path,
        default=[],
        metavar="FILE",
        help="what people said of answers, as the report or Label Studio writes it (CSV or JSON); adds how "
        "often each category was chosen, and how far annotators agree",
    )
    tables.add_argument(
        "--against",
        metavar="SUITE_OR_FILE",
        type=suite_or_file,
        help="what changed since that suite of the same instances, or beside a file of StructEval's scores "
        "(an evaluation, or one of artifacts/)",
    )
    tables.set_defaults(command=_tables)


def _add_judge_agreement(commands: Commands) -> None:
    agreement = commands.add_parser(
        "judge-agreement",
        help="print how far StructEval's judge agrees with another one, or with people",
    )
    _add_shared(agreement)
    agreement.add_argument(
        "--judges",
        nargs="+",
        default=[],
        metavar="NAME",
        help="of two judges the second is the reference; by default those of the suite",
    )
    agreement.add_argument(
        "--published",
        type=any_path,
        metavar="JSON",
        help="a published evaluation, whose verdicts are the reference where the answers are the same",
    )
    agreement.add_argument(
        "--labels",
        type=any_path,
        metavar="CSV",
        help="what people say: model, instance, pair, label (true or false), maybe fair",
    )
    agreement.add_argument(
        "--unfair", type=any_path, metavar="CSV", help="pairs to leave out: instance, pair"
    )
    agreement.add_argument(
        "--export",
        type=output_file,
        metavar="CSV",
        help="write all pairs, or a sample, for people to label; - prints them",
    )
    add_sample(agreement, "pairs to export")
    agreement.set_defaults(command=_judge_agreement)


def _add_report(commands: Commands) -> None:
    report = commands.add_parser(
        "report", help="write a finished suite as one HTML file, or as a folder of any size"
    )
    _add_shared(report, tables=False)
    _add_facts(report)
    report.add_argument(
        "-o",
        "--output",
        type=file_or_folder,
        default="report.html",
        metavar="HTML",
        help="the file, - prints it; a name that ends in / is a folder, whose page loads what is "
        "looked at",
    )
    report.add_argument(
        "--max-megabytes",
        type=number_type("a number above 0", ABOVE_0),
        metavar="MB",
        help=f"of the file ({MAX_MEGABYTES} by default): if all answers make it larger, it shows some "
        "of them, evenly over models, subsets and scores",
    )
    add_sample(report, "of each subset or task, and of each model: only these are shown")
    report.add_argument(
        "--categories",
        type=any_path,
        metavar="FILE",
        help="a letter and a name in each line (text or YAML), which are chosen for answers by keys",
    )
    report.add_argument(
        "--max-width", type=COUNT, default=MAX_WIDTH, metavar="PIXELS", help="of stored pictures"
    )
    report.add_argument(
        "--no-plans", action="store_true", help="leave the EMS plans out, which take most time"
    )
    report.set_defaults(command=_report)


def _add_shared(command: argparse.ArgumentParser, *, tables: bool = True) -> None:
    """Adds the suite, the models to show, and a folder for tables."""
    add_suite(command)
    add_models(command)
    if tables:
        command.add_argument(
            "-o",
            "--output",
            type=output_folder,
            metavar="FOLDER",
            help="write the tables as CSV and LaTeX too, charts as PNG",
        )


def _add_facts(command: argparse.ArgumentParser) -> None:
    """Adds where it stands which models are open, and how large."""
    add_local_path(command, "where model_facts.yaml says which models are open, and how large")


def _sample_of(options: argparse.Namespace) -> "SampleDraw | None":
    from helm_structext.report.shown_answers import SampleDraw

    return SampleDraw(options.sample, options.seed) if options.sample else None


def _tables(options: argparse.Namespace) -> int:
    from helm_structext.benchmarks import ROUNDS, SUMMARY, sections, suite_result_sets, suite_tables
    from helm_structext.image2struct.cutoffs import read_cutoffs
    from helm_structext.results.model_facts import REMEDY, read_facts
    from helm_structext.results.passports import passport_tables

    known = [*sections(), CATEGORIES, PASSPORT]
    unknown = set(options.show or ()).difference(known)
    if unknown:
        raise SetupError(
            f"unknown section {', '.join(sorted(unknown))}; there are {', '.join(known)}"
        )
    if CATEGORIES in (options.show or ()) and not options.categories:
        raise SetupError(
            "--show categories needs --categories FILE: what people said of answers, which a report "
            "with --categories lets them write"
        )
    if options.all and options.show:
        raise SetupError("--all shows all sections; leave --show out, or --all")
    if options.against and (options.show or options.cutoffs or options.all or options.categories):
        raise SetupError(
            "--against shows what changed and nothing else: no --show, --all, --cutoffs or --categories"
        )
    if isinstance(options.against, Path):
        return _against_file(options)
    if options.against:
        return _against(options)
    cutoffs = read_cutoffs(options.cutoffs) if options.cutoffs else {}
    suite = suite_result_sets(
        suite_folder(options),
        options.models,
        options.half_life,
        facts=read_facts(options.local_path),
        count_baselines=options.count_baselines,
        average=options.average,
    )
    brief = not options.all and not options.show
    shown = [SUMMARY, ROUNDS]
    tables = [*suite_tables(suite, shown if brief else options.show, cutoffs)]
    if brief and options.output:  # files have room for the others
        others = suite_tables(suite, [name for name in sections() if name not in shown])
        tables += (replace(table, printed=False) for table in others)
    if options.categories and (not options.show or CATEGORIES in options.show):
        tables += _categories(options, [one for _, sets in suite for one in sets])
    if not options.show or PASSPORT in options.show:
        found = passport_tables(suite_folder(options))
        tables += (replace(table, printed=not brief) for table in found)
    if not tables:
        remedy = f"; {REMEDY}" if {"groups", "sizes"}.intersection(options.show) else ""
        raise SetupError(
            f"{options.suite} has nothing to show of {', '.join(options.show)}{remedy}"
        )
    show_tables(tables, options.output)
    if brief:
        _say_more(suite_folder(options))
    return 0


def _say_more(suite: Path) -> None:
    """Prints under which passports a suite was scored, and how to see more of it."""
    from helm_structext.results.passports import suite_line

    if line := suite_line(suite):
        say(f"\n{line}")
    say(_MORE.format(suite=suite.name))


def _categories(
    options: argparse.Namespace, result_sets: "Sequence[ResultSet[Any]]"
) -> "Iterator[Table]":
    from helm_structext.results.categories import category_tables, read_answer_labels
    from helm_structext.results.findings import agreement_tables

    labels = [label for path in options.categories for label in read_answer_labels(path)]
    yield from category_tables(result_sets, labels)
    yield from agreement_tables(result_sets, labels)


def show_summary(suite: Path) -> None:
    """Prints the results of a suite's folder on one screen, and how to see more."""
    from helm_structext.benchmarks import SUMMARY, suite_result_sets, suite_tables

    show_tables(suite_tables(suite_result_sets(suite), [SUMMARY]), None)
    _say_more(suite)


def _against(options: argparse.Namespace) -> int:
    from helm_structext.benchmarks import suite_result_sets
    from helm_structext.results.comparisons import comparison_tables
    from helm_structext.results.passports import machine_tables

    grids = {
        suite: [
            [result_set.grid for result_set in result_sets]
            for _, result_sets in suite_result_sets(
                suite_folder(options, suite),
                options.models,
                options.half_life,
                count_baselines=options.count_baselines,
                average=options.average,
            )
        ]
        for suite in (options.against, options.suite)
    }
    # A benchmark that only one of the suites has is left out.
    pairs = zip(grids[options.against], grids[options.suite], strict=True)
    both = [(before, after) for before, after in pairs if before and after]
    if not both:
        raise SetupError(f"{options.against} and {options.suite} have no benchmark in common")
    tables = [table for before, after in both for table in comparison_tables(before, after)]
    folders = (suite_folder(options, suite) for suite in (options.against, options.suite))
    return show_tables([*tables, *machine_tables(*folders)], options.output)


def _against_file(options: argparse.Namespace) -> int:
    from helm_structext.benchmarks import suite_result_sets
    from helm_structext.results.comparisons import comparison_tables
    from helm_structext.results.passports import unknown_machine
    from helm_structext.structeval.evaluations import read_scores
    from helm_structext.structeval.results import StructEvalResultSet, published_grid

    published = read_scores(options.against)
    suite = suite_result_sets(suite_folder(options), options.models, average=options.average)
    pairs = [
        published_grid(result_set, published)
        for _, result_sets in suite
        for result_set in result_sets
        if isinstance(result_set, StructEvalResultSet)
    ]
    tables = [
        replace(table, title=f"{before.label}: {published.name} (old) and each model (new)")
        for before, after in filter(None, pairs)
        for table in comparison_tables([before], [after])
    ]
    if not tables:
        raise SetupError(f"{options.suite} has no scored answer to an example of {options.against}")
    return show_tables([*tables, unknown_machine(published.name)], options.output)


def _judge_agreement(options: argparse.Namespace) -> int:
    from helm_structext.benchmarks import benchmark_named
    from helm_structext.results.result_sets import match_models
    from helm_structext.structeval import agreement
    from helm_structext.structeval.evaluations import read_evaluation

    suite = suite_folder(options)
    results = benchmark_named("structeval").read(suite)
    if not results:
        raise SetupError(f"{suite} holds no finished runs of StructEval")
    models = match_models((result.model for result in results), options.models)
    pairs = agreement.asked_pairs(result for result in results if result.model in models)
    if options.sample and not options.export:
        raise SetupError("--sample says how many pairs --export writes; name a file for them")
    if options.export:
        if sample := _sample_of(options):
            pairs = agreement.draw_pairs(pairs, *sample)
        with output(options.export) as file:
            agreement.write_labels(file, pairs)
        say_of(options.export, f"{len(pairs)} pairs in {options.export}")
        return 0
    unfair = agreement.read_unfair(options.unfair, pairs) if options.unfair else set()
    if options.labels and options.published:
        raise SetupError("--labels and --published are two references; name one of them")
    alone = options.labels or options.published
    judge, *others = agreement.choose_judges(pairs, options.judges, 1 if alone else 2)
    if options.published:
        evaluation = read_evaluation(options.published)
        reference, verdicts = evaluation.name, agreement.published_verdicts(evaluation, pairs)
    elif options.labels:
        labels = agreement.read_labels(options.labels, pairs)
        reference, verdicts = agreement.PEOPLE, labels.verdicts
        unfair |= {*labels.unfair}
    else:
        (reference,) = others
        verdicts = agreement.verdicts_of(pairs, reference)
    return show_tables(
        agreement.agreement_tables(pairs, judge, reference, verdicts, unfair), options.output
    )


def _report(options: argparse.Namespace) -> int:
    from helm_structext.report.shards import check_replaceable
    from helm_structext.results.categories import read_categories

    if options.output.is_folder:
        check_replaceable(options.output.path)
    report_suite(
        suite_folder(options),
        options.output,
        options.local_path,
        options.models,
        max_megabytes=options.max_megabytes,
        max_width=options.max_width,
        plans=not options.no_plans,
        sample=_sample_of(options),
        categories=read_categories(options.categories) if options.categories else None,
    )
    return 0


def report_suite(
    suite: Path,
    place: OutputPlace,
    local_path: Path,
    models: Sequence[str] = (),
    *,
    max_megabytes: float | None = None,
    max_width: int = MAX_WIDTH,
    plans: bool = True,
    sample: "SampleDraw | None" = None,
    categories: Mapping[str, str] | None = None,
) -> None:
    """Writes the report of a suite.

    Args:
        suite: its folder.
        place: where the report goes.
        local_path: the folder where it stands which models are open, and how large.
        models: shell patterns of those to show; all by default.
        max_megabytes: of one file; `MAX_MEGABYTES` by default.
        max_width: pixels of stored pictures.
        plans: whether EMS plans are shown.
        sample: which answers are shown, by default all.
        categories: that people choose for answers, key to name.

    Raises:
        SetupError: there is nothing to show, or the place can't be written.
    """
    from helm_structext.benchmarks import BENCHMARKS, suite_result_sets
    from helm_structext.report.settings import settings_tables
    from helm_structext.report.writing import write_report, write_report_folder
    from helm_structext.results.categories import Categories
    from helm_structext.results.model_facts import read_facts
    from helm_structext.results.runs import finished_runs

    if max_megabytes is not None and place.is_folder:
        raise SetupError("--max-megabytes is of one file; a folder has no bound")
    parts = {
        benchmark.name: (benchmark.report, result_sets)
        for benchmark, result_sets in suite_result_sets(suite, models, facts=read_facts(local_path))
    }
    entries = [entry for benchmark in BENCHMARKS for entry in benchmark.entries]
    settings = settings_tables(finished_runs(suite, entries))
    choices: Any = {
        "title": suite.name,
        "max_width": max_width,
        "plans": plans,
        "settings": settings,
        "sample": sample,
        "categories": Categories(source_label(str(suite)), categories) if categories else None,
    }
    if place.is_folder:
        answers = write_report_folder(parts, place.path, **choices).answers
        page = place.path / "index.html"
        say(f"{place.path}: {answers} answers; open {page} in a browser, or copy it to any host")
        return
    most = max_megabytes or MAX_MEGABYTES
    with output(place.path) as file:
        written = write_report(parts, file, max_bytes=int(most * 1e6), **choices)
        megabytes = file.stat().st_size / 1e6
    some = f"{written.answers:,} of {written.of:,}" if written.answers < written.of else written.of
    say_of(place.path, f"{place.path}: {some} answers, {megabytes:.1f} MB; open it in a browser")
    if written.answers < written.of:
        say_of(
            place.path,
            f"All are more than {most:g} MB; these are chosen evenly over models, "
            "subsets and scores. Tables and charts are of all. For all answers: -o report/",
        )
