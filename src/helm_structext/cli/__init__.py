"""The command `helm-structext`: a file for each group of commands."""

import argparse
import os
import sys

from helm_structext import __version__
from helm_structext.cli import generate, machine, models, predictions, render, rescore, suites
from helm_structext.cli.terminal import complain
from helm_structext.errors import SetupError
from helm_structext.handling import INTERNAL, Failure, handle

GROUPS = (machine, models, render, predictions, generate, rescore, suites)

INTERRUPTED = 130
"""What a shell says of a program that Ctrl-C has ended."""


def main(arguments: list[str] | None = None) -> int:
    """Runs one command.

    Returns:
        0 for success, 1 if the input was at fault (the code to render, say), 2 if the machine or
        the command line was, 3 if we are, 130 if the user stopped it.
    """
    options = _parser().parse_args(arguments)
    try:
        outcome = handle("the command", lambda: _run(options))
    except SetupError as error:
        complain(f"helm-structext: {error}")
        return 2
    except KeyboardInterrupt:
        complain("\nhelm-structext: interrupted")
        return INTERRUPTED
    if not isinstance(outcome, Failure):
        return outcome
    complain(outcome)
    if outcome.kind == INTERNAL:  # the log has the traceback
        return 3
    if outcome.log:
        complain(outcome.log)
    return 1


def _run(options: argparse.Namespace) -> int:
    try:
        status: int = options.command(options)
        sys.stdout.flush()
    except BrokenPipeError:  # who reads, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="helm-structext", description="Image2Struct, MMR and StructEval in HELM."
    )
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for group in GROUPS:
        group.add_commands(commands)
    return parser
