"""`helm-structext audit`: what metrics and judges see, and how they are fooled."""

import argparse

from helm_structext.cli.options import COUNT, Commands, number_type, output_folder
from helm_structext.terminal import say


def add_commands(commands: Commands) -> None:
    """Adds this group's commands."""
    audit = commands.add_parser("audit", help="measure what metrics see, and how they are fooled")
    whats = audit.add_subparsers(required=True, metavar="WHAT")
    command = whats.add_parser(
        "metrics",
        help="every metric, component and preset, on generated scenes with planted mistakes and frauds",
    )
    for name, what in {
        "kinds": "of scenes, such as chart page",
        "formats": "that they are written in, such as svg html",
    }.items():
        command.add_argument(
            f"--{name}", nargs="+", default=[], metavar="NAME", help=f"{what}; by default all"
        )
    command.add_argument(
        "--count",
        type=COUNT,
        default=4,
        metavar="N",
        help="of scenes of each kind, in all of its formats in turn",
    )
    command.add_argument(
        "--mistakes",
        type=COUNT,
        default=5,
        metavar="N",
        help="kinds of mistakes in a scene, each in five severities",
    )
    command.add_argument(
        "--seed",
        type=number_type("a whole number from 0 on", whole=True),
        default=1,
        metavar="S",
        help="another one gives others",
    )
    command.add_argument(
        "--parallel", action="store_true", help="N scenes of each kind in each of its formats"
    )
    command.add_argument("-o", "--output", type=output_folder, required=True, metavar="FOLDER")
    command.set_defaults(command=_metrics)


def _metrics(options: argparse.Namespace) -> int:
    from helm_structext.audit.cases import LATIN
    from helm_structext.audit.page import recommendations
    from helm_structext.audit.run import PAGE, audit_metrics
    from helm_structext.scenes.settings import ALL, choose_settings

    settings = choose_settings(
        kinds=options.kinds or [ALL],
        formats=options.formats or [ALL],
        count=options.count,
        seed=options.seed,
        languages=LATIN,
        parallel=options.parallel,
    )
    measured = audit_metrics(settings, options.mistakes, options.output)
    for said in recommendations(measured):
        say(f"- {said}")
    cases = len({one.case for one in measured})
    say(f"\n{len(measured)} answers to {cases} scenes; {options.output / PAGE} has all numbers")
    return 0
