"""The command that scores others' completions again: rescore."""

import argparse
from collections import deque
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

from helm_structext.cli.options import (
    Commands,
    add_judge,
    any_path,
    output,
    output_file,
    say_of,
)
from helm_structext.errors import SetupError
from helm_structext.protocols import DEFAULT_PROTOCOL, PROTOCOLS
from helm_structext.terminal import say


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
        help="the suite, such as benchmark_output/runs/v1, or a file of StructEval's (JSON): an "
        "evaluation, scores of artifacts/, or the leaderboard",
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
        help="each answer's scores, as they come; what the file has is not scored again; - prints them",
    )
    rescore.add_argument(
        "--protocol",
        choices=PROTOCOLS,
        default=DEFAULT_PROTOCOL,
        help="how code is found in completions, and rendered (%(default)s)",
    )
    add_judge(rescore)
    rescore.set_defaults(command=_rescore)


def _rescore(options: argparse.Namespace) -> int:
    from helm_structext.benchmarks import BENCHMARKS
    from helm_structext.helm.judges_door import door_of_helms_judges
    from helm_structext.progress import progress
    from helm_structext.results.passports import scores_line, stamp_lines
    from helm_structext.results.resuming import complete_lines, results_in
    from helm_structext.results.tabular import format_count
    from helm_structext.scoring.rescoring import RescoringOptions

    if not options.folder.exists():
        raise SetupError(
            f"there is no {options.folder}; name a suite's folder, or a file of StructEval's"
        )
    door = door_of_helms_judges(options.local_path)
    how = RescoringOptions(options.root.absolute(), options.protocol, options.judge, door)
    rescorings = (benchmark.rescoring for benchmark in BENCHMARKS if benchmark.rescoring)
    work = next(filter(None, (rescoring(options.folder, how) for rescoring in rescorings)))
    with TemporaryDirectory() as folder, output(options.output or Path(folder) / "scores") as file:
        counts = complete_lines(
            file,
            work.keys(),
            lambda done: stamp_lines(file, map(asdict, work.results(done))),
        )
        there = next(counts)
        left = None if work.total is None else work.total - there
        deque(progress(counts, "scoring answers", left), maxlen=0)
        said = work.summary(list(results_in(file, work.kind))), scores_line(file)
        summary = "\n\n".join(filter(None, said))
    if options.output is None:
        say(summary)
        return 0
    if there:
        were = "was" if there == 1 else "were"
        summary += f"\n\n{format_count(there, 'answer')} {were} there."
    say_of(options.output, summary)
    return 0
