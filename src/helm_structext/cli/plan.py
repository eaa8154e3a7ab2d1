"""`helm-structext plan`: what a call of helm-run will take, before any model is asked."""

import argparse
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from helm_structext.cli.options import (
    ABOVE_0,
    COUNT,
    OUTPUT_PATH,
    Commands,
    add_local_path,
    any_path,
    number_type,
    suite_name,
)
from helm_structext.data.sources import LOOKED_UP
from helm_structext.errors import SetupError
from helm_structext.terminal import columns, say
from helm_structext.texts import byte_size, one_line

if TYPE_CHECKING:
    from helm_structext.helm.plan import Plan
    from helm_structext.planning.estimate import Data, Load

HOW = (
    "Tokens are estimated: a token for 4 bytes of a prompt, for 3 of code, and for each square of 28 "
    "pixels of a picture; answers as long as right ones, without reasoning, up to the run's limit."
)
_FLAG: dict[str, Any] = {"action": "store_true"}
_NUMBER: dict[str, Any] = {"type": int}
UNPLANNED: dict[str, dict[str, Any]] = {
    **{f"--{name}": _FLAG for name in ("exit-on-error", "skip-completed-runs", "skip-instances")},
    **{f"--{name}": _FLAG for name in ("cache-instances", "cache-instances-only", "disable-cache")},
    "-d --dry-run": _FLAG,
    "-n --num-threads": _NUMBER,
    "-t --num-train-trials": _NUMBER,
    **{f"--{name}": {} for name in ("server-url", "api-key-path", "runner-class-name")},
    **{f"--{name}": {} for name in ("log-config", "mongo-uri")},
    **{
        f"--{name}": {"nargs": "+"}
        for name in ("plugins", "enable-huggingface-models", "enable-local-huggingface-models")
    },
}
"""Options of helm-run on which nothing that is planned depends: they are taken, so that its command can be."""

SLOW = 20
"""Tokens a second of a server that is called slow."""
PATIENCE = 60
"""Seconds that an answer may take without advice."""
MAX_SLOWEST = 4
"""Formats that are named with their seconds."""


def add_commands(commands: Commands) -> None:
    """Adds this group's command."""
    command = commands.add_parser(
        "plan", help="say what a call of helm-run will take, before any model is asked"
    )
    command.description = (
        "Says what helm-run with the same options will take: requests, tokens, pictures, downloads, "
        "hours on this machine and money. It asks no model. Options of helm-run that change none of this "
        "are taken, too."
    )
    runs = command.add_argument_group("options of helm-run")
    runs.add_argument("-c", "--conf-paths", nargs="+", default=[], metavar="CONF")
    runs.add_argument("-r", "--run-entries", "--run-specs", nargs="+", default=[], metavar="ENTRY")
    runs.add_argument("--models-to-run", nargs="+", metavar="MODEL")
    runs.add_argument("--groups-to-run", nargs="+", metavar="GROUP")
    runs.add_argument("--priority", type=int)
    runs.add_argument(
        "-m",
        "--max-eval-instances",
        type=COUNT,
        metavar="NUMBER",
        help="of each run; all without it",
    )
    runs.add_argument(
        "--suite", type=suite_name, default="default", help="whose finished runs are left out"
    )
    runs.add_argument(
        "-o", "--output-path", type=any_path, default=OUTPUT_PATH, metavar="FOLDER", help="HELM's"
    )
    add_local_path(runs)
    for names, form in UNPLANNED.items():
        runs.add_argument(*names.split(), help=argparse.SUPPRESS, **form)
    for side, of in (("in", "requests"), ("out", "answers")):
        command.add_argument(
            f"--price-{side}",
            type=number_type("a price, such as 2.50"),
            metavar="PRICE",
            help=f"of a million tokens of {of}",
        )
    command.add_argument(
        "--tokens-per-second",
        type=number_type("a number of tokens above 0", ABOVE_0),
        metavar="NUMBER",
        help="that the model writes of one answer, as `try` says; adds the model's own time",
    )
    command.add_argument(
        "--no-calibration", action="store_true", help="don't find out how fast this machine is"
    )
    command.add_argument("--json", action="store_true", help="print all that is known as JSON")
    command.set_defaults(command=_plan)


def _plan(options: argparse.Namespace) -> int:
    from helm_structext.helm.plan import make_plan
    from helm_structext.helm.planned_runs import RunOptions
    from helm_structext.trial.checks import helm_is_quiet

    if not options.conf_paths and not options.run_entries:
        raise SetupError(
            "what is to be planned? Name a conf file (--conf-paths) or run entries (-r)"
        )
    if (options.price_in is None) != (options.price_out is None):
        raise SetupError("--price-in and --price-out belong together")
    prices = None if options.price_in is None else (options.price_in, options.price_out)
    suite, speed = options.output_path / "runs" / options.suite, options.tokens_per_second
    with helm_is_quiet():
        plan = make_plan(
            RunOptions(
                suite,
                options.local_path,
                options.conf_paths,
                options.run_entries,
                options.models_to_run,
                options.groups_to_run,
                options.priority,
                options.max_eval_instances,
            ),
            try_machine=not options.no_calibration,
        )
    if options.json:
        total = plan.total
        record = {
            **plan.record(),
            "price": total.price(*prices) if prices else None,
            "hours_of_answers": total.tokens_out / speed / 3600 if speed else None,
            "how": HOW,
        }
        say(json.dumps(record, indent=2))
    else:
        say("\n".join(plan_lines(plan, suite.name, prices, speed)))
    return 0


def plan_lines(
    plan: "Plan",
    suite: str,
    prices: tuple[float, float] | None = None,
    speed: float | None = None,
) -> list[str]:
    """Returns a plan on one screen.

    Args:
        plan: what is known.
        suite: whose finished runs are left out.
        prices: of a million tokens in and out.
        speed: tokens that the model writes in a second.
    """
    total = plan.total
    finished = sum(run.finished for run in plan.runs)
    models = len({run.model for run in plan.runs})
    lines = [f"{len(plan.runs)} runs of {models} model{'s' if models != 1 else ''}"]
    if finished:
        lines[0] += f", {finished} of them finished in suite {suite} and left out below"
    if plan.others:
        lines.append(f"{plan.others} run entries are of other benchmarks, and not planned")
    lines += ["", *_table(plan.loads, total), ""]
    lines += [*_data_lines(plan.data), *_machine_lines(plan, total)]
    lines += [*_answer_lines(plan.longest, total, speed), *_judge_lines(total)]
    if prices:
        into, out = total.price(prices[0], 0), total.price(0, prices[1])
        without = ", without the judge" if total.judged else ""
        lines.append(
            f"Price: {into + out:,.2f} ({into:,.2f} for requests, {out:,.2f} for answers){without}"
        )
    return [*lines, "", HOW]


def _table(loads: "Mapping[str, Load]", total: "Load") -> list[str]:
    header = ("", "runs", "requests", "pictures", "tokens in", "tokens out", "renderings")
    rows = [header, *(_row(title, load) for title, load in loads.items())]
    if len(loads) > 1:
        rows.append(_row("all", total))
    return columns(rows, right=range(1, len(header)))


def _row(title: str, load: "Load") -> tuple[str, ...]:
    renderings = sum(load.renderings.values())
    whole = load.runs, load.instances, load.pictures
    tokens = load.tokens_in, load.tokens_out
    return (title, *(f"{n:,.0f}" for n in whole), *map(_about, tokens), f"{renderings:,.0f}")


def _about(number: float) -> str:
    """Returns an estimate with two digits.

    >>> _about(1_234_567), _about(84_321), _about(12.4)
    ('1,200,000', '84,000', '12')
    """
    return f"{float(f'{number:.2g}'):,.0f}"


def _data_lines(data: "Data") -> list[str]:
    if not data.downloads:
        return [f"To download: nothing{', the data is on this disk' if data.here else ''}"]
    known = [size for size in data.downloads.values() if size is not None]
    least = "at least " if len(known) < len(data.downloads) else ""
    lines = [f"To download: {least}{byte_size(sum(known))}"]
    for name in dict.fromkeys(one.name for one in data.downloads):
        parts = [
            f"{one.config} {'of unknown size' if size is None else byte_size(size)}"
            for one, size in data.downloads.items()
            if one.name == name
        ]
        lines.append(f"  {name}: {', '.join(parts)}")
    lines += [f"  sizes of {LOOKED_UP}: {one_line(reason, 200)}" for reason in data.reasons]
    guessed = f"{data.guessed} run{'s' if data.guessed > 1 else ''}"
    return [
        *lines,
        f"  as it is not here, {guessed} are taken to have as many instances as are published, "
        "like those of the embedded sample",
    ]


def _machine_lines(plan: "Plan", total: "Load") -> list[str]:
    from helm_structext.planning.estimate import hours
    from helm_structext.sandbox import worker_count

    if not total.renderings:
        return ["Rendering: nothing"]
    if plan.seconds is None:
        return ["Rendering and scoring: not measured (--no-calibration)"]
    lines = []
    known = {format: n for format, n in total.renderings.items() if format in plan.seconds}
    if known:
        slowest = sorted(known, key=plan.seconds.__getitem__, reverse=True)[:MAX_SLOWEST]
        said = ", ".join(f"{format} {plan.seconds[format]:.2f} s" for format in slowest)
        lines.append(
            f"Rendering and scoring: about {_time(hours(known, plan.seconds) or 0.0)} on this machine, "
            f"{worker_count()} at a time, beside the models' own time"
        )
        more = " an answer, the slowest" if len(known) > MAX_SLOWEST else " an answer"
        lines.append(f"  calibrated on a few answers of the samples: {said}{more}")
    for format, reason in plan.failures.items():
        lines.append(f"  {format} can't be rendered here: {one_line(reason, 200)}")
    return lines


def _answer_lines(tokens: int, total: "Load", known: float | None) -> list[str]:
    """What the model's own time is, and how to shorten answers that take minutes."""
    if not tokens:
        return []
    speed = known or SLOW
    longest, cut = tokens / speed, tokens // 8
    on = "" if known else f" on a server that writes {SLOW} a second"
    said = f"Longest answer: {tokens:,} tokens, which takes {_time(longest / 3600)}{on}"
    if longest > PATIENCE:
        said += (
            f"; num_output_tokens={cut} in a run entry allows {_time(cut / speed / 3600)} "
            "(what is cut off scores less)"
        )
    if not known:
        return [said]
    asked = _time(total.tokens_out / speed / 3600)
    return [f"Answers: about {asked} one after the other, at {speed:g} tokens a second", said]


def _time(hours: float) -> str:
    """Returns a time for people.

    >>> _time(0.01), _time(0.5), _time(30)
    ('36 seconds', '30 minutes', '30 hours')
    """
    if hours >= 2:
        return f"{hours:.0f} hours"
    return f"{hours * 60:.0f} minutes" if hours >= 1 / 30 else f"{hours * 3600:.0f} seconds"


def _judge_lines(total: "Load") -> list[str]:
    return [
        f"Judge: {judge} is asked about {number:,.0f} pictures: {_about(into)} tokens in, {_about(out)} out"
        for judge, (number, into, out) in total.judged.items()
    ]
