"""Commands for completions made elsewhere: predictions export."""

import argparse

from helm_structext.cli.options import (
    STDOUT,
    Commands,
    add_suite,
    output,
    output_file,
    say_of,
    suite_folder,
)
from helm_structext.texts import json_line, write_text


def add_commands(commands: Commands) -> None:
    """Adds this group's commands."""
    predictions = commands.add_parser("predictions", help="work with completions made elsewhere")
    actions = predictions.add_subparsers(required=True, metavar="ACTION")
    export = actions.add_parser(
        "export", help="write the requests of a suite as JSONL, with `completion` to be filled in"
    )
    add_suite(export)
    export.add_argument(
        "-o", "--output", type=output_file, default=STDOUT, metavar="JSONL", help="- prints it"
    )
    export.set_defaults(command=_export)


def _export(options: argparse.Namespace) -> int:
    from helm_structext.models.predictions import export_requests

    requests = list(export_requests(suite_folder(options)))
    with output(options.output) as file:
        write_text(file, "".join(map(json_line, requests)))
    say_of(options.output, f"{len(requests)} requests in {options.output}")
    return 0
