"""Commands for files of completions: predictions export, export-structeval."""

import argparse
import json

from helm_structext.cli.options import (
    STDOUT,
    Commands,
    add_suite,
    output,
    output_file,
    output_folder,
    say_of,
    suite_folder,
)
from helm_structext.errors import SetupError
from helm_structext.storage.files import write_text
from helm_structext.terminal import say
from helm_structext.texts import file_name, json_line


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
    files = commands.add_parser(
        "export-structeval",
        help="write a suite's StructEval answers and scores as StructEval's own files have them",
    )
    add_suite(files)
    files.add_argument(
        "-o", "--output", type=output_folder, required=True, metavar="FOLDER", help="for the files"
    )
    files.set_defaults(command=_export_structeval)


def _export(options: argparse.Namespace) -> int:
    from helm_structext.completions.predictions import export_requests

    requests = list(export_requests(suite_folder(options)))
    with output(options.output) as file:
        write_text(file, "".join(map(json_line, requests)))
    say_of(options.output, f"{len(requests)} requests in {options.output}")
    return 0


def _export_structeval(options: argparse.Namespace) -> int:
    from helm_structext.benchmarks import benchmark_named
    from helm_structext.structeval.results import evaluation_files

    suite = suite_folder(options)
    results = benchmark_named("structeval").read(suite)
    if not results:
        raise SetupError(f"{suite} holds no finished runs of StructEval")
    for name, rows, scores in evaluation_files(results):
        file = options.output / f"{file_name(name)}.json"
        artifact = options.output / "artifacts" / file.name
        write_text(file, json.dumps(rows, ensure_ascii=False, indent=1))
        write_text(artifact, json.dumps(scores, ensure_ascii=False))
        say(f"{len(rows)} answers in {file}, {len(scores['task_scores'])} scores in {artifact}")
    return 0
