"""Commands for completions made elsewhere: predictions export."""

import argparse
from pathlib import Path

from helm_structext.cli.options import Commands, add_suite, suite_folder
from helm_structext.cli.terminal import say
from helm_structext.texts import json_line, write_text


def add_commands(commands: Commands) -> None:
    """Adds this group's commands."""
    predictions = commands.add_parser("predictions", help="work with completions made elsewhere")
    actions = predictions.add_subparsers(required=True, metavar="ACTION")
    export = actions.add_parser(
        "export", help="write the requests of a suite as JSONL, with `completion` to be filled in"
    )
    add_suite(export)
    export.add_argument("-o", "--output", type=Path, metavar="JSONL", help="instead of printing")
    export.set_defaults(command=_export)


def _export(options: argparse.Namespace) -> int:
    from helm_structext.models.predictions import export_requests

    requests = list(export_requests(suite_folder(options)))
    lines = "".join(map(json_line, requests))
    if options.output is None:
        say(lines, end="")
    else:
        write_text(options.output, lines)
        say(f"{len(requests)} requests in {options.output}")
    return 0
