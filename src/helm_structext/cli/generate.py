"""Commands that make new questions: generate mmr."""

import argparse

from helm_structext.cli.options import Commands, output_folder
from helm_structext.terminal import say


def add_commands(commands: Commands) -> None:
    """Adds this group's commands."""
    generate = commands.add_parser("generate", help="make new questions with exact answers")
    sets = generate.add_subparsers(required=True, metavar="BENCHMARK")
    mmr = sets.add_parser(
        "mmr", help="pictures full of text, and questions about them, for mmr:source=FOLDER"
    )
    mmr.add_argument("--count", type=int, required=True, metavar="N", help="of questions")
    mmr.add_argument(
        "--seed", type=int, required=True, metavar="S", help="another one gives other questions"
    )
    mmr.add_argument("-o", "--output", type=output_folder, required=True, metavar="FOLDER")
    mmr.add_argument(
        "--no-check", action="store_true", help="keep questions without proof from the pictures"
    )
    mmr.set_defaults(command=_mmr)


def _mmr(options: argparse.Namespace) -> int:
    from helm_structext.mmr.generate.dataset import generate_mmr

    report = generate_mmr(options.count, options.seed, options.output, check=not options.no_check)
    say(f"{report.questions} questions about {report.pictures} pictures in {options.output}")
    if report.checked:
        dropped = ", ".join(f"{number} for {why}" for why, number in report.dropped.items())
        say(
            f"{report.pass_rate:.1%} of {report.checked} possible questions verified from their "
            f"pictures; dropped: {dropped or 'none'}"
        )
    return 0
