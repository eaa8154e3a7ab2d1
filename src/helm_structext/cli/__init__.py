"""The command `helm-structext`: a file for each group of commands."""

import argparse
import os
import sys
from typing import Any, NoReturn

import shtab

from helm_structext import __version__
from helm_structext.cli import (
    audit,
    cache,
    collect,
    describe,
    explain,
    figures,
    generate,
    machine,
    models,
    needs,
    passport,
    plan,
    predictions,
    render,
    rescore,
    reward,
    run,
    score_file,
    serve,
    suites,
    summarize,
    trial,
)
from helm_structext.cli.options import explain_unwritten, find_suite
from helm_structext.errors import SetupError
from helm_structext.scoring.handling import INTERNAL, Failure, handle
from helm_structext.terminal import complain, stdout_is_kept

GROUPS = (
    machine,
    models,
    trial,
    plan,
    run,
    render,
    explain,
    predictions,
    generate,
    describe,
    needs,
    audit,
    collect,
    rescore,
    score_file,
    reward,
    serve,
    passport,
    suites,
    figures,
    summarize,
    cache,
)

INTERRUPTED = 130
"""What a shell says of a program that Ctrl-C has ended."""


def main(arguments: list[str] | None = None) -> int:
    """Runs one command.

    Returns:
        0 for success, 1 if the input was at fault (the code to render, say), 2 if the machine or
        the command line was, 3 if we are, 130 if the user stopped it.
    """
    try:
        options = _parser().parse_args(arguments)
        find_suite(options)
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
        with stdout_is_kept():
            status: int = options.command(options)
        sys.stdout.flush()
    except BrokenPipeError:  # who reads, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        if told := explain_unwritten(options, error):
            raise told from error
        raise
    return status


class _Defaults(argparse.HelpFormatter):
    """Names what an option is without being given."""

    def _get_help_string(self, action: argparse.Action) -> str:
        said = action.help or ""
        unsaid = action.default in (None, False, [], argparse.SUPPRESS) or "%(default)" in said
        return said if unsaid else f"{said} (by default %(default)s)".lstrip()


class _Parser(argparse.ArgumentParser):
    def __init__(self, **arguments: Any) -> None:
        super().__init__(formatter_class=_Defaults, **arguments)

    def error(self, message: str) -> NoReturn:
        raise SetupError(f"{message}; `{self.prog} --help` says what there is")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="helm-structext", description="Image2Struct, MMR and StructEval in HELM.")
    shtab.add_argument_to(
        parser, "--print-completion", help="print what completes commands in a shell"
    )
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for group in GROUPS:
        group.add_commands(commands)
    return parser
