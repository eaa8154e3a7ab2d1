"""`helm-structext figures`: pictures of chosen instances, beside what each model made of them."""

import argparse
from pathlib import Path

from helm_structext.cli.options import (
    Commands,
    add_models,
    add_sample,
    add_suite,
    output_folder,
    suite_folder,
)
from helm_structext.errors import SetupError
from helm_structext.terminal import say


def add_commands(commands: Commands) -> None:
    """Adds this group's command."""
    command = commands.add_parser(
        "figures",
        help="write figures of chosen instances for a paper: the reference, and what each model made of it",
    )
    add_suite(command)
    add_models(command)
    command.add_argument(
        "--instances", nargs="+", default=[], metavar="ID", help="these instead of a sample"
    )
    add_sample(command, "instances of each subset or task", default=1)
    command.add_argument(
        "-o",
        "--output",
        type=output_folder,
        default=Path("figures"),
        metavar="FOLDER",
        help="of a PNG file for each instance, and a LaTeX file that shows them",
    )
    command.set_defaults(command=_figures)


def _figures(options: argparse.Namespace) -> int:
    from helm_structext.benchmarks import suite_result_sets
    from helm_structext.report.figures import LATEX, choose_places, write_figures
    from helm_structext.results.tabular import format_count

    suite = suite_result_sets(suite_folder(options), options.models)
    parts = {benchmark.name: (benchmark.report, result_sets) for benchmark, result_sets in suite}
    places = choose_places(parts, options.sample, options.seed, options.instances)
    files = write_figures(places, options.output)
    if not files:
        raise SetupError(f"no picture in {format_count(len(places), 'instance')}; name others")
    number, left = format_count(len(files), "figure"), len(places) - len(files)
    without = f"; {format_count(left, 'instance')} without any picture" if left else ""
    say(f"{number} in {options.output}, and {LATEX}, which shows them{without}")
    return 0
