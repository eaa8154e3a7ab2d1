"""`helm-structext plan`: what a call of helm-run will take, before any model is asked."""

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from helm_structext.cli.options import (
    OUTPUT_PATH,
    Commands,
    add_local_path,
    amount,
    any_path,
    suite_name,
)
from helm_structext.cli.terminal import columns, say
from helm_structext.data.sources import LOOKED_UP
from helm_structext.errors import SetupError
from helm_structext.models.registry import is_offline
from helm_structext.texts import byte_size, one_line

if TYPE_CHECKING:
    from helm_structext.planning.estimate import Data, Load, PlannedRun

HOW = (
    "Tokens are estimated: a token for 4 bytes of a prompt and for 3 of code; pictures as OpenAI, "
    "Anthropic and Google count them, for other models one for each square of 28 pixels; answers as "
    "long as right ones, without reasoning, up to the run's limit."
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
        "-m", "--max-eval-instances", type=int, metavar="NUMBER", help="of each run; all without it"
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
            f"--price-{side}", type=price, metavar="PRICE", help=f"of a million tokens of {of}"
        )
    command.add_argument(
        "--tokens-per-second",
        type=speed,
        metavar="NUMBER",
        help="that the model writes of one answer, as `try` says; adds the model's own time",
    )
    command.add_argument(
        "--no-calibration", action="store_true", help="don't find out how fast this machine is"
    )
    command.add_argument("--json", action="store_true", help="print all that is known as JSON")
    command.set_defaults(command=_plan)


def speed(text: str) -> float:
    """Returns tokens a second; for argparse.

    Raises:
        argparse.ArgumentTypeError: they are none.

    >>> speed("12.5")
    12.5
    """
    expected = "a number of tokens above 0"
    if number := amount(text, expected):
        return number
    raise argparse.ArgumentTypeError(f"expected {expected}")


def price(text: str) -> float:
    """Returns a price; for argparse.

    Raises:
        argparse.ArgumentTypeError: it is none.

    >>> price("2.50")
    2.5
    """
    return amount(text, "a price, such as 2.50")


@dataclass
class _Plan:
    """All that is known.

    Args:
        runs: that helm-run would make, finished ones included.
        loads: title of a benchmark to what its other runs take.
        data: of these runs.
        others: how many run entries are of other benchmarks than ours.
        seconds: format to what an answer takes on this machine; None if that was not asked.
        failures: format to why that is unknown.
        prices: of a million tokens in and out, or None.
        speed: tokens that the model writes in a second, or None.
    """

    runs: "Sequence[PlannedRun]"
    loads: "dict[str, Load]"
    data: "Data"
    others: int
    seconds: Mapping[str, float] | None
    failures: Mapping[str, str]
    prices: tuple[float, float] | None
    speed: float | None

    @property
    def longest(self) -> int:
        """Tokens that an answer of an unfinished run of a model has at most."""
        asked = [run for run in self.runs if not run.finished and not is_offline(run.model)]
        return max((run.max_tokens for run in asked), default=0)


def _plan(options: argparse.Namespace) -> int:
    from helm_structext.trial.checks import helm_is_quiet

    if not options.conf_paths and not options.run_entries:
        raise SetupError(
            "what is to be planned? Name a conf file (--conf-paths) or run entries (-r)"
        )
    if options.max_eval_instances is not None and options.max_eval_instances < 1:
        raise SetupError(
            f"--max-eval-instances is {options.max_eval_instances}; expected 1 or more"
        )
    if (options.price_in is None) != (options.price_out is None):
        raise SetupError("--price-in and --price-out belong together")
    with helm_is_quiet():
        plan = _planned(options)
    say(json.dumps(_record(plan), indent=2) if options.json else "\n".join(_lines(plan, options)))
    return 0


def plan_lines(options: argparse.Namespace) -> list[str]:
    """Returns a plan on one screen.

    Args:
        options: as `helm-structext plan` has them.

    Raises:
        SetupError: there is nothing to run, or it can't be run.
    """
    return _lines(_planned(options), options)


def _planned(options: argparse.Namespace) -> _Plan:
    from helm_structext.benchmarks import BENCHMARKS
    from helm_structext.helm.planned_runs import RunOptions, planned_runs
    from helm_structext.planning.calibration import calibrated
    from helm_structext.planning.estimate import Data, Load, planned_load, total_load

    benchmarks = {entry: one for one in BENCHMARKS if one.planning for entry in one.entries}
    run_options = RunOptions(
        options.conf_paths,
        options.run_entries,
        options.models_to_run,
        options.groups_to_run,
        options.priority,
        options.max_eval_instances,
        options.output_path / "runs" / options.suite,
        options.local_path,
    )
    runs, others = planned_runs(run_options, benchmarks)
    data, loads = Data(), {benchmarks[run.entry].title: Load() for run in runs}
    for run in runs:
        planning = benchmarks[run.entry].planning
        if not run.finished and planning:
            loads[benchmarks[run.entry].title] += planned_load(run, planning, data)
    seconds: Mapping[str, float] | None = None
    failures: Mapping[str, str] = {}
    if not options.no_calibration:
        plannings = [one.planning for one in BENCHMARKS if one.planning]
        seconds, failures = calibrated(
            sorted(total_load(loads.values()).renderings),
            lambda format: [job for planning in plannings for job in planning.jobs(format)],
        )
    prices = None if options.price_in is None else (options.price_in, options.price_out)
    return _Plan(runs, loads, data, others, seconds, failures, prices, options.tokens_per_second)


def _record(plan: _Plan) -> dict[str, Any]:
    """A plan as JSON."""
    from helm_structext.planning.estimate import hours, price, total_load

    total = total_load(plan.loads.values())
    return {
        "runs": len(plan.runs),
        "finished": [run.name for run in plan.runs if run.finished],
        "models": sorted({run.model for run in plan.runs}),
        "entries_of_other_benchmarks": plan.others,
        "benchmarks": {title: asdict(load) for title, load in plan.loads.items()},
        "total": asdict(total),
        "downloads": [
            {"dataset": one.name, "config": one.config, "revision": one.revision, "bytes": size}
            for one, size in plan.data.downloads.items()
        ],
        "on_this_disk": sorted(f"{one.name}/{one.config}" for one in plan.data.here),
        "runs_like_the_sample": plan.data.guessed,
        "hub": plan.data.reasons,
        "seconds_per_answer": plan.seconds,
        "not_measured": dict(plan.failures),
        "hours": None if plan.seconds is None else hours(total.renderings, plan.seconds),
        "price": None if plan.prices is None else price(total, *plan.prices),
        "longest_answer": plan.longest,
        "hours_of_answers": None if plan.speed is None else total.tokens_out / plan.speed / 3600,
        "how": HOW,
    }


def _lines(plan: _Plan, options: argparse.Namespace) -> list[str]:
    """A plan on one screen."""
    from helm_structext.planning.estimate import total_load

    total = total_load(plan.loads.values())
    finished = sum(run.finished for run in plan.runs)
    models = len({run.model for run in plan.runs})
    lines = [f"{len(plan.runs)} runs of {models} model{'s' if models != 1 else ''}"]
    if finished:
        lines[0] += f", {finished} of them finished in suite {options.suite} and left out below"
    if plan.others:
        lines.append(f"{plan.others} run entries are of other benchmarks, and not planned")
    lines += ["", *_table(plan.loads, total), ""]
    lines += [*_data_lines(plan.data), *_machine_lines(plan, total)]
    lines += [*_answer_lines(plan, total), *_judge_lines(total)]
    if plan.prices:
        lines.append(_price_line(plan.prices, total))
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


def _machine_lines(plan: _Plan, total: "Load") -> list[str]:
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


def _answer_lines(plan: _Plan, total: "Load") -> list[str]:
    """What the model's own time is, and how to shorten answers that take minutes."""
    if not plan.longest:
        return []
    speed = plan.speed or SLOW
    longest, cut = plan.longest / speed, plan.longest // 8
    took = f", which takes {_time(longest / 3600)}" + (
        f" on a server that writes {SLOW} a second" if plan.speed is None else ""
    )
    advice = f"; num_output_tokens={cut} in a run entry allows {_time(cut / speed / 3600)} (what is cut off scores less)"
    said = f"Longest answer: {plan.longest:,} tokens{took}{advice if longest > PATIENCE else ''}"
    if plan.speed is None:
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


def _price_line(prices: tuple[float, float], total: "Load") -> str:
    from helm_structext.planning.estimate import price

    into, out = price(total, prices[0], 0), price(total, 0, prices[1])
    without = ", without the judge" if total.judged else ""
    return f"Price: {into + out:,.2f} ({into:,.2f} for requests, {out:,.2f} for answers){without}"
