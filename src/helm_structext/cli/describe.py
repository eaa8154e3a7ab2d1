"""`helm-structext describe`: what a dataset consists of."""

import argparse
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from helm_structext.cli.options import COUNT, Commands, add_tables_output, show_tables
from helm_structext.data import NEWEST, source_label
from helm_structext.errors import SetupError
from helm_structext.progress import progress
from helm_structext.texts import quote_value

if TYPE_CHECKING:
    from helm_structext.benchmarks import Benchmark
    from helm_structext.results.tabular import Table


def add_commands(commands: Commands) -> None:
    """Adds this group's command."""
    command = commands.add_parser(
        "describe", help="count what a dataset has: instances by task, lengths, words, pictures"
    )
    command.add_argument(
        "source",
        help="hub (what is published), sample (what is embedded), or a folder as run entries read it",
    )
    command.add_argument(
        "--benchmark",
        nargs="+",
        default=[],
        metavar="NAME",
        help="of a benchmark or a run entry, such as mmr or image2struct_latex; a folder needs one, "
        "of others all are described",
    )
    command.add_argument(
        "--revision", default=NEWEST, help="of hub: a branch, a tag or a commit (%(default)s)"
    )
    command.add_argument(
        "--words",
        type=COUNT,
        default=20,
        metavar="N",
        help="of the most frequent words of each text",
    )
    command.add_argument(
        "--ocr", action="store_true", help="read the pictures by Tesseract, about a second for each"
    )
    add_tables_output(command, "write the tables as CSV and LaTeX too, charts as PNG")
    command.set_defaults(command=_describe)


def _describe(options: argparse.Namespace) -> int:
    chosen = _choose_entries(options.source, options.benchmark)
    tables = [
        table for benchmark, entries in chosen for table in _tables_of(benchmark, entries, options)
    ]
    return show_tables(tables, options.output, csv=options.csv)


def _choose_entries(source: str, names: Sequence[str]) -> "list[tuple[Benchmark, list[str]]]":
    """Returns the benchmarks that are named, each with those of its run entries.

    A name of both is the entry's where it is asked of a folder, which is that of one entry.
    """
    from helm_structext.benchmarks import BENCHMARKS

    known = [name for one in BENCHMARKS for name in (one.name, *one.entries)]
    wrong = next((name for name in names if name not in known), None)
    if wrong is not None or (not names and source not in ("hub", "sample")):
        said = f"{quote_value(wrong)} is none" if wrong is not None else "name that of the folder"
        raise SetupError(f"--benchmark: {said}; there are {', '.join(dict.fromkeys(known))}")
    found = []
    for one in BENCHMARKS:
        entries = [entry for entry in one.entries if entry in names]
        if not names or (one.name in names and (source in ("hub", "sample") or not entries)):
            entries = list(one.entries)
        if entries and one.describe_source:
            found.append((one, entries))
    return found


def _tables_of(
    benchmark: "Benchmark", entries: Sequence[str], options: argparse.Namespace
) -> "Iterator[Table]":
    from helm_structext.models.ocr import read_text
    from helm_structext.results.descriptions import describe_rows, description_tables
    from helm_structext.run_entries import source_arguments

    source, revision, describe = options.source, options.revision, benchmark.describe_source
    assert describe
    for entry in entries:
        source_arguments(entry, source, revision)
    rows = (row for entry in entries for row in describe(entry, source, revision))
    description = describe_rows(
        progress(rows, f"reading rows of {benchmark.title}"), read_text if options.ocr else None
    )
    if not description.rows:
        raise SetupError(f"source={source} has no row of {', '.join(entries)}")
    name = f"{benchmark.name}-{source_label(source)}"
    title = f"{benchmark.title}, {source_label(source)}"
    yield from description_tables(name, title, description, options.words)
