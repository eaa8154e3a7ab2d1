"""The command that scores others' completions again: rescore."""

import argparse
from dataclasses import asdict
from pathlib import Path

from helm_structext.cli.options import Commands, add_local_path
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
        type=Path,
        help="the suite, such as benchmark_output/runs/v1, or an evaluation of StructEval (JSON)",
    )
    rescore.add_argument(
        "--root", type=Path, default=Path(), metavar="FOLDER", help="the folder that HELM ran in"
    )
    rescore.add_argument("-o", "--output", type=Path, metavar="JSONL", help="each answer's scores")
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
    if options.output is not None:
        lines = (json_line(asdict(result)) for result in results)
        write_text(options.output, "".join(lines))
    say(summary)
    return 0
