"""The command that scores others' completions again: rescore."""

import argparse
from dataclasses import asdict
from pathlib import Path

from helm_structext.cli.options import (
    Commands,
    add_local_path,
    any_path,
    output,
    output_file,
    say_of,
)
from helm_structext.cli.terminal import say
from helm_structext.texts import json_line, write_text


def add_commands(commands: Commands) -> None:
    """Adds this group's commands."""
    rescore = commands.add_parser(
        "rescore",
        help="render and score again the completions of HELM's own Image2Struct runs, "
        "or of a published StructEval evaluation",
    )
    rescore.add_argument(
        "folder",
        type=any_path,
        help="the suite, such as benchmark_output/runs/v1, or an evaluation of StructEval (JSON)",
    )
    rescore.add_argument(
        "--root",
        type=any_path,
        default=Path(),
        metavar="FOLDER",
        help="the folder that HELM ran in",
    )
    rescore.add_argument(
        "-o",
        "--output",
        type=output_file,
        metavar="JSONL",
        help="each answer's scores; - prints them",
    )
    rescore.add_argument(
        "--judge", default="none", metavar="NAME", help="who looks at StructEval's pictures"
    )
    add_local_path(rescore, "where HELM finds the judge's credentials and keeps its answers")
    rescore.set_defaults(command=_rescore)


def _rescore(options: argparse.Namespace) -> int:
    from helm_structext.benchmarks import BENCHMARKS, RescoreOptions

    rescorings = (benchmark.rescoring for benchmark in BENCHMARKS if benchmark.rescoring)
    rescoring = next(one for one in rescorings if one.reads(options.folder))
    results, summary = rescoring.rescore(
        options.folder, RescoreOptions(options.root, options.judge, options.local_path)
    )
    if options.output is None:
        say(summary)
        return 0
    with output(options.output) as file:
        write_text(file, "".join(json_line(asdict(result)) for result in results))
    say_of(options.output, summary)
    return 0
