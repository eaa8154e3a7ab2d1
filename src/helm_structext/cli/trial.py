"""`helm-structext try`: whether a model can be evaluated, and one answer of it."""

import argparse
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from helm_structext.cli.init import place_run_files
from helm_structext.cli.options import (
    ABOVE_0,
    Commands,
    add_local_path,
    number_type,
    output,
    output_file,
    say_of,
)
from helm_structext.models.advice import helm_run_command, run_command
from helm_structext.structeval.tasks import MAX_TOKENS

if TYPE_CHECKING:
    from helm_structext.trial.candidate import Candidate
    from helm_structext.trial.checks import Check
    from helm_structext.trial.sample import Trial

SLOW_ANSWER = 120.0
"""Seconds of the longest answer, from which on fewer tokens are advised."""

SECONDS = 60.0
"""What all requests may take together."""


def add_commands(commands: Commands) -> None:
    """Adds this group's command."""
    command = commands.add_parser(
        "try", help="see within a minute whether a model can be evaluated, and one answer of it"
    )
    command.add_argument("name", metavar="NAME", help="the model in HELM, such as me/my-vlm")
    command.add_argument(
        "-o",
        "--output",
        type=output_file,
        default=Path("try.html"),
        metavar="HTML",
        help="the answer beside its reference, - for standard output",
    )
    command.add_argument(
        "--timeout",
        type=number_type("a number of seconds above 0", ABOVE_0),
        default=SECONDS,
        metavar="SECONDS",
        help="that all requests may take together",
    )
    add_local_path(command, "HELM's local configuration")
    command.set_defaults(command=_try)


def _try(options: argparse.Namespace) -> int:
    from helm_structext.trial.candidate import Candidate
    from helm_structext.trial.checks import Deadline, helm_is_quiet, status
    from helm_structext.trial.page import MARKS, write_page
    from helm_structext.trial.sample import Trial

    candidate = Candidate(options.name, options.local_path, Deadline(options.timeout))
    checks, trial = [], Trial()
    with helm_is_quiet(), TemporaryDirectory(prefix="helm-structext-try.") as folder:
        for check in _checks(candidate, Path(folder), trial):
            checks.append(check)
            say_of(options.output, f"{MARKS[check.outcome]:8} {check.name}: {check.detail}")
        if trial.completion:
            with output(options.output) as file:
                write_page(file, options.name, checks, trial)
    for metric, value in (trial.scores or {}).items():
        say_of(options.output, f"{metric:34} {value:.4f}")
    if trial.wrong:
        say_of(options.output, f"beside the reference: {trial.wrong}")
    if trial.speed:
        say_of(options.output, f"speed: {trial.speed}")
    if trial.completion:
        say_of(
            options.output,
            f"{options.output}: the answer beside its reference; open it in a browser",
        )
        _advise(candidate, options)
    return status(checks)


def _advise(candidate: "Candidate", options: argparse.Namespace) -> None:
    """Says what comes next: commands that can be pasted."""
    deque(place_run_files(Path.cwd()), maxlen=0)  # which the second command names
    own = helm_run_command(
        candidate.name, options.local_path, reads_pictures=candidate.reads_pictures
    )
    say_of(options.output, f"next: {run_command(candidate.name, options.local_path)}")
    say_of(options.output, f"  or: {own}")
    if candidate.speed and MAX_TOKENS / candidate.speed.tokens_per_second > SLOW_ANSWER:
        longest = MAX_TOKENS / candidate.speed.tokens_per_second / 60
        say_of(
            options.output,
            f"note: an answer may have {MAX_TOKENS:,} tokens, {longest:.0f} minutes at this speed; "
            "--max-tokens 500 behind the first of these allows fewer",
        )


def _checks(candidate: "Candidate", folder: Path, trial: "Trial") -> Iterator["Check"]:
    """Yields what is found: first what the model needs, up to what is missing, then the machine."""
    from helm_structext.trial.checks import STATUS, looked_at
    from helm_structext.trial.machine import judge_ready, renderers_ready
    from helm_structext.trial.sample import try_answer

    for name, step in candidate.steps():
        check = looked_at(name, step)
        yield check
        if STATUS[check.outcome]:
            break
    else:
        if candidate.reads_pictures:
            yield looked_at("pictures", candidate.sees)
        if candidate.takes_pictures or not candidate.reads_pictures:
            yield looked_at("form", lambda: try_answer(candidate, folder, trial))
    yield looked_at("renderers", renderers_ready)
    if context := candidate.context:
        yield looked_at("judge", lambda: judge_ready(context.client, folder))
