"""The command `helm-structext`: a file for each group of commands."""

import argparse
import os
import sys

from helm_structext import __version__
from helm_structext.cli import generate, machine, predictions, render, rescore, suites
from helm_structext.errors import RenderError, SetupError

GROUPS = (machine, render, predictions, generate, rescore, suites)


def main(arguments: list[str] | None = None) -> int:
    """Runs one command.

    Returns:
        0 for success, 1 if the input was at fault (the code to render, say), 2 if the machine or
        the command line was.
    """
    options = _parser().parse_args(arguments)
    try:
        status: int = options.command(options)
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # who reads, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except RenderError as error:
        print(error, file=sys.stderr)
        if error.log:
            print(error.log, file=sys.stderr)
        return 1
    except SetupError as error:
        print(f"helm-structext: {error}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="helm-structext", description="Image2Struct, MMR and StructEval in HELM."
    )
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for group in GROUPS:
        group.add_commands(commands)
    return parser
