"""`helm-structext run`: one command from a model to its first result."""

import argparse
import json
from collections import deque
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING

from helm_structext.cli.init import place_run_files
from helm_structext.cli.options import (
    COUNT,
    OUTPUT_PATH,
    Commands,
    OutputPlace,
    add_local_path,
    output_folder,
    suite_name,
)
from helm_structext.cli.plan import plan_lines
from helm_structext.cli.suites import report_suite
from helm_structext.cli.summarize import summarize_suite
from helm_structext.errors import SetupError
from helm_structext.models.advice import PUBLISHED, SAMPLES
from helm_structext.terminal import complain, say

if TYPE_CHECKING:
    from helm_structext.helm.planned_runs import RunOptions

SUITES = {False: "first", True: "full"}
"""Whether all that is published is asked, to the suite unless another one is named."""
INSTANCES = {False: 10, True: 1000}
"""The same to instances of each run; none has so many as the last."""


def add_commands(commands: Commands) -> None:
    """Adds this group's command."""
    command = commands.add_parser(
        "run", help="evaluate a model: plan, run, tables and report in one"
    )
    command.description = (
        "Evaluates a model on the embedded samples that it can read, or on all that is published: says what "
        "that will take, lets helm-run's own runner ask the model, and shows the results. Called again, it "
        "goes on where it stopped."
    )
    command.add_argument("name", metavar="MODEL", help="its name in HELM, such as me/my-vlm")
    command.add_argument(
        "--full", action="store_true", help="all that is published, not the embedded samples"
    )
    command.add_argument(
        "--suite",
        type=suite_name,
        help="where the results go: first, or full with --full, unless said",
    )
    command.add_argument(
        "-m",
        "--max-eval-instances",
        type=COUNT,
        metavar="NUMBER",
        help=f"of each run; unless said {INSTANCES[False]}, or all with --full",
    )
    command.add_argument(
        "--max-tokens",
        type=COUNT,
        metavar="NUMBER",
        help="of an answer, fewer than published: for servers that take minutes for one",
    )
    command.add_argument(
        "-n", "--num-threads", type=COUNT, default=4, metavar="NUMBER", help="requests at a time"
    )
    command.add_argument(
        "--output-path", type=output_folder, default=OUTPUT_PATH, metavar="FOLDER", help="HELM's"
    )
    add_local_path(command, "HELM's local configuration")
    command.set_defaults(command=_run)


def _run(options: argparse.Namespace) -> int:
    from helm_structext.helm.plan import make_plan
    from helm_structext.helm.planned_runs import RunOptions, conf_entries, register_models
    from helm_structext.models.registry import reads_pictures
    from helm_structext.trial.checks import helm_is_quiet

    instances = options.max_eval_instances or INSTANCES[options.full]
    suite = options.output_path / "runs" / (options.suite or SUITES[options.full])
    with helm_is_quiet():
        register_models(options.local_path)
        deque(place_run_files(Path.cwd()), maxlen=0)
        conf = (PUBLISHED if options.full else SAMPLES)[reads_pictures(options.name)]
        fewer = f",num_output_tokens={options.max_tokens}" if options.max_tokens else ""
        call = RunOptions(
            suite,
            options.local_path,
            run_entries=[f"{entry.description}{fewer}" for entry in conf_entries(conf)],
            models_to_run=[options.name],
            max_eval_instances=instances,
        )
        plan = make_plan(call, try_machine=options.full)
    _check_same(suite, options.name, instances)
    say(f"{conf}, {instances} instances of each run at most, suite {suite.name}:")
    say("\n".join(plan_lines(plan, suite.name)))

    log = options.output_path / f"{suite.name}.log"
    say(f"\nRunning; HELM's log is {log}")
    failed = _helm_run(call, options.num_threads, log)
    for line in failed:
        complain(line)
    if not any(suite.glob("*/stats.json")):
        raise SetupError(f"no run of suite {suite.name} is finished; the log is {log}")
    summarize_suite(suite, options.local_path)
    # Among the options, so that an error of writing it names it.
    options.output = OutputPlace(Path(f"report-{suite.name}.html"), is_folder=False)
    report_suite(suite, options.output, options.local_path)
    return 1 if failed else 0


def _check_same(folder: Path, model: str, instances: int) -> None:
    """Checks that finished runs of a model, which are not made again, are of as many instances.

    Raises:
        SetupError: some are not.
    """
    for path in sorted(folder.glob("*/run_spec.json")):
        try:
            adapter = json.loads(path.read_bytes())["adapter_spec"]
            ours, before = adapter["model"] == model, adapter.get("max_eval_instances")
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise SetupError(f"{path} can't be read: {error}") from error
        if ours and before != instances:
            raise SetupError(
                f"suite {folder.name} has {path.parent.name} with {before} instances at most, not {instances}; "
                "name another --suite, or take --max-eval-instances as it was"
            )


def _helm_run(call: "RunOptions", threads: int, log: Path) -> list[str]:
    """Lets HELM's runner make the runs that are not finished; returns why some failed, a line for each reason."""
    from helm.benchmark.run import build_parser, helm_run
    from helm.benchmark.runner import RunnerError
    from helm.common.hierarchical_logger import setup_default_logging

    from helm_structext.helm.watch import note_failures, reasons

    words = ["--skip-completed-runs", "--suite", call.suite.name, "--num-threads", str(threads)]
    words += ["--output-path", str(log.parent), "--local-path", str(call.local_path)]
    words += ["--max-eval-instances", str(call.max_eval_instances)]
    words += ["--models-to-run", *(call.models_to_run or ()), "--run-entries", *call.run_entries]
    failed = note_failures()
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("a", encoding="utf-8") as file, redirect_stdout(file):
        setup_default_logging(None)
        try:
            helm_run(build_parser().parse_args(words))
        except RunnerError as error:
            if not failed:
                raise SetupError(f"helm-run failed: {error}") from error
    return list(reasons(failed))
