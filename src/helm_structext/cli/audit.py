"""`helm-structext audit`: what metrics and judges see, and how they are fooled."""

import argparse
import math
from typing import TYPE_CHECKING

from helm_structext.baselines import OCR_JUDGE
from helm_structext.cli.options import (
    COUNT,
    SEED,
    Commands,
    add_local_path,
    output_folder,
)
from helm_structext.terminal import say

if TYPE_CHECKING:
    from helm_structext.scenes.settings import SetSettings
    from helm_structext.structeval.judge import Judge


def add_commands(commands: Commands) -> None:
    """Adds this group's commands."""
    audit = commands.add_parser("audit", help="measure what metrics see, and how they are fooled")
    whats = audit.add_subparsers(required=True, metavar="WHAT")
    metrics = whats.add_parser(
        "metrics",
        help="every metric, component and preset, on generated scenes with planted mistakes and frauds",
    )
    metrics.add_argument(
        "--mistakes",
        type=COUNT,
        default=5,
        metavar="N",
        help="kinds of mistakes in a scene, each in five severities",
    )
    metrics.add_argument(
        "--short",
        action="store_true",
        help="only that by which presets are chosen: their components, three severities, all frauds",
    )
    metrics.add_argument(
        "--minutes",
        type=float,
        default=math.inf,
        metavar="M",
        help="after which no scene is begun; the same command goes on, whatever the minutes",
    )
    _add_scenes(metrics)
    metrics.set_defaults(command=_metrics)
    judge = whats.add_parser(
        "judge", help="a judge of pictures, by questions whose answers are known by construction"
    )
    judge.add_argument(
        "--judge",
        required=True,
        metavar="NAME",
        help=f"a model that HELM knows; {OCR_JUDGE}, which is Tesseract; or stub, which says yes",
    )
    add_local_path(judge, "where HELM finds the judge's credentials and keeps its answers")
    _add_scenes(judge)
    judge.set_defaults(command=_judge)


def _add_scenes(command: argparse.ArgumentParser) -> None:
    for name, what in {
        "kinds": "of scenes, such as chart page",
        "formats": "that they are written in, such as svg html",
    }.items():
        command.add_argument(
            f"--{name}", nargs="+", default=[], metavar="NAME", help=f"{what}; by default all"
        )
    command.add_argument(
        "--count",
        type=COUNT,
        default=4,
        metavar="N",
        help="of scenes of each kind, in all of its formats in turn",
    )
    command.add_argument(
        "--seed",
        type=SEED,
        default=1,
        metavar="S",
        help="another one gives others",
    )
    command.add_argument(
        "--parallel", action="store_true", help="N scenes of each kind in each of its formats"
    )
    command.add_argument("-o", "--output", type=output_folder, required=True, metavar="FOLDER")


def _settings(options: argparse.Namespace) -> "SetSettings":
    from helm_structext.audit.cases import LATIN
    from helm_structext.scenes.settings import ALL, choose_settings

    return choose_settings(
        kinds=options.kinds or [ALL],
        formats=options.formats or [ALL],
        count=options.count,
        seed=options.seed,
        languages=LATIN,
        parallel=options.parallel,
    )


def _metrics(options: argparse.Namespace) -> int:
    from helm_structext.audit.page import recommendations
    from helm_structext.audit.run import PAGE, audit_metrics

    measured = audit_metrics(
        _settings(options),
        options.mistakes,
        options.output,
        short=options.short,
        minutes=options.minutes,
    )
    for said in recommendations(measured):
        say(f"- {said}")
    say(f"\n{len(measured)} answers; {options.output / PAGE} has all numbers")
    return 0


def _judge(options: argparse.Namespace) -> int:
    from helm_structext.audit.judge_tables import judge_findings
    from helm_structext.audit.run import JUDGE_PAGE, audit_judge

    verdicts = audit_judge(_settings(options), _find_judge(options), options.output)
    for said in judge_findings(verdicts):
        say(f"- {said}")
    say(f"\n{options.output / JUDGE_PAGE} has all numbers")
    return 0


def _find_judge(options: argparse.Namespace) -> "Judge":
    from helm_structext.audit.judges import STUB, AgreeingJudge, ReadingJudge
    from helm_structext.helm.judges_door import door_of_helms_judges

    if options.judge == STUB:
        return AgreeingJudge()
    if options.judge == OCR_JUDGE:
        return ReadingJudge(OCR_JUDGE)
    judge: Judge = door_of_helms_judges(options.local_path).judge(options.judge)
    return judge
