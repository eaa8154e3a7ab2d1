"""The command that scores a file of completions: score-file."""

import argparse
from collections import deque
from contextlib import suppress
from functools import partial

from helm_structext.cli.options import (
    COUNT,
    STDOUT,
    Commands,
    add_local_path,
    any_path,
    output,
    output_file,
    output_folder,
    say_of,
)
from helm_structext.errors import SetupError


def add_commands(commands: Commands) -> None:
    """Adds this group's commands."""
    command = commands.add_parser(
        "score-file",
        help="score completions that any engine made: a file of `predictions export`, filled in, or a "
        "log of another harness",
    )
    command.add_argument(
        "completions",
        type=any_path,
        metavar="FILE",
        help="JSON lines, filled in; a log of Inspect; samples of lm-evaluation-harness or lmms-eval; a "
        "table of VLMEvalKit",
    )
    command.add_argument(
        "--benchmark",
        metavar="RUN_ENTRY",
        help="under which all lines are scored, such as mmr:task=font_color,source=sample, whatever "
        "they say",
    )
    command.add_argument(
        "--model", metavar="NAME", help="that all lines are from, whatever the file says"
    )
    command.add_argument(
        "--epoch",
        type=COUNT,
        metavar="N",
        help="which answers to score of a log in which each sample was answered several times",
    )
    command.add_argument(
        "-o",
        "--output",
        type=output_file,
        default=STDOUT,
        metavar="JSONL",
        help="each answer's scores, as they come; what the file has is not scored again; - prints them",
    )
    command.add_argument(
        "--shard",
        type=shard,
        metavar="I/N",
        help="only each N-th line, from the I-th on: 1/4, 2/4, 3/4 and 4/4 are the whole",
    )
    command.add_argument(
        "--merge",
        nargs="+",
        type=any_path,
        metavar="SCORES",
        help="write what these outputs of all shards have, as if there had been none",
    )
    command.add_argument(
        "--pictures",
        type=output_folder,
        metavar="FOLDER",
        help="keep what completions are rendered to, by the names in the output",
    )
    command.add_argument(
        "--judge",
        nargs="+",
        default=[],
        metavar="NAME",
        help="models that the file's own run entries may have look at pictures, with your credentials",
    )
    add_local_path(command, "where HELM finds a judge's credentials and keeps its answers")
    command.set_defaults(command=_score_file)


def shard(text: str) -> tuple[int, int]:
    """Returns the number of a shard, and how many there are; for argparse.

    Raises:
        argparse.ArgumentTypeError: it is no shard.

    >>> shard("2/4")
    (2, 4)
    >>> shard("0/4")
    Traceback (most recent call last):
    argparse.ArgumentTypeError: expected I/N with I from 1 to N, such as 1/4
    """
    with suppress(ValueError):
        number, of = map(int, text.split("/"))
        if 1 <= number <= of:
            return number, of
    raise argparse.ArgumentTypeError("expected I/N with I from 1 to N, such as 1/4")


def _score_file(options: argparse.Namespace) -> int:
    from helm_structext.completions.score_file import (
        Completions,
        Shard,
        merge,
        score_file,
        score_tables,
    )
    from helm_structext.progress import progress
    from helm_structext.results.passports import scores_line
    from helm_structext.results.tabular import format_count

    if options.merge and (options.shard or options.pictures):
        raise SetupError("--merge takes what shards have; leave --shard and --pictures out")
    completions = Completions(
        options.completions,
        options.benchmark,
        Shard(*options.shard) if options.shard else Shard(),
        options.model,
        options.epoch,
        options.judge,
    )
    work = partial(score_file, pictures=options.pictures)
    if options.merge:
        work = partial(merge, shards=options.merge)
    with output(options.output) as file:
        total = completions.check()
        counts = work(completions, output=file, local_path=options.local_path)
        there = next(counts)
        deque(progress(counts, "scoring answers", total - there), maxlen=0)
        tables = [table.markdown() for table in score_tables(file)]
        tables += filter(None, [scores_line(file)])
    told = f"{format_count(total, 'answer')} in {options.output}"
    if there:
        told += f", {there} of which were there"
    said = tables if options.output == STDOUT else [*tables, told]
    say_of(options.output, "\n\n".join(said))
    return 0
