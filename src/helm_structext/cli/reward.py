"""Commands for rewards before and while a model is trained: reward preflight, reward watch."""

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from helm_structext.cli.options import (
    COUNT,
    Commands,
    any_path,
    number_type,
    output,
    output_file,
    show_tables,
)
from helm_structext.terminal import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from helm_structext.results.tabular import Table
    from helm_structext.rewards.preflight import Preflight
    from helm_structext.rewards.watch import WatchPoint

REWARD_HELP = (
    "YAML or JSON: format, task, kind or entry, and the reward's options, such as components"
)
WARNED = 1
"""What the commands return where something speaks against the reward."""


def add_commands(commands: Commands) -> None:
    """Adds this group's commands."""
    group = commands.add_parser(
        "reward", help="look at a reward before and while a model is trained on it"
    ).add_subparsers(required=True, metavar="COMMAND")
    _add_preflight(group)
    _add_watch(group)


def _add_preflight(commands: Commands) -> None:
    command = commands.add_parser(
        "preflight",
        help="say whether a reward has something to teach, by completions of the model as it is now",
        description="Scores completions of the base model, some of them twice: rewards of nothing, spread "
        "within groups, noise, guards that fire, identical completions, and what a step takes.",
    )
    command.add_argument("--reward", type=any_path, required=True, metavar="FILE", help=REWARD_HELP)
    command.add_argument(
        "--completions",
        type=any_path,
        required=True,
        metavar="JSONL",
        help="lines with completion, reference and group, which completions of one prompt share",
    )
    command.add_argument(
        "--step", type=COUNT, default=512, metavar="N", help="completions of a step of training"
    )
    command.add_argument(
        "--cores", type=COUNT, metavar="N", help="that score; by default this machine's"
    )
    price = number_type("a price")
    command.add_argument("--core-hour", type=price, default=0.0, help="price of a core for an hour")
    command.add_argument(
        "--judged", type=price, default=0.0, help="price of a judge's look at a completion"
    )
    command.add_argument("--json", action="store_true", help="print one object in JSON instead")
    command.set_defaults(command=_preflight)


def _add_watch(commands: Commands) -> None:
    command = commands.add_parser(
        "watch",
        help="say whether what is not in a reward rises with it, by a trainer's journal",
        description="Probes score completions of a journal by what the policy is not rewarded for, and "
        "warn where the reward rises and they do not.",
    )
    command.add_argument(
        "journal", type=any_path, help="that the trainer's adapter writes (journal=)"
    )
    command.add_argument("--reward", type=any_path, required=True, metavar="FILE", help=REWARD_HELP)
    command.add_argument("--points", type=COUNT, default=12, metavar="N", help="pieces of training")
    command.add_argument(
        "--plot", type=output_file, metavar="PNG", help="the curves (the extra report)"
    )
    command.add_argument(
        "--prometheus",
        type=output_file,
        metavar="FILE",
        help="gauges for its text files' collector",
    )
    command.set_defaults(command=_watch)


def _preflight(options: argparse.Namespace) -> int:
    from helm_structext.rewards.files import read_reward, read_samples
    from helm_structext.rewards.preflight import check_reward
    from helm_structext.sandbox import worker_count

    reward = read_reward(options.reward)
    found = check_reward(reward, read_samples(options.completions))
    cores = options.cores or worker_count()
    cost = found.step_cost(options.step, cores, options.core_hour, options.judged)
    warnings = [*found.warnings()]
    if options.json:
        measured = {name: value for name, value in asdict(found).items() if name != "groups"}
        measured |= {"spread": found.spread, "flat": found.flat, "groups": len(found.groups)}
        document = {
            "passport": reward.passport.hash,
            **measured,
            "step": asdict(cost),
            "warnings": warnings,
        }
        say(json.dumps(document, indent=2))
        return WARNED if warnings else 0
    for name, value in _preflight_lines(found):
        say(f"{name:34} {value}")
    money = f", {cost.money:.4g} of money" if cost.money else ""
    step = f"{cost.seconds:.1f} s{money}"
    say(f"{f'a step of {cost.completions:,} on {cost.cores} cores':34} {step}")
    say(f"{'passport':34} {reward.passport.hash}")
    say("\n" + ("\n".join(warnings) or "Nothing speaks against it."))
    return WARNED if warnings else 0


def _preflight_lines(found: "Preflight") -> "Sequence[tuple[str, str]]":
    kinds = ", ".join(f"{kind} {number}" for kind, number in found.kinds.items())
    return [
        ("completions, groups", f"{found.completions:,}, {len(found.groups):,}"),
        ("rewards that are not 0", _describe_share(found.nonzero)),
        ("rewards as high as can be", _describe_share(found.saturated)),
        ("spread within groups", f"{found.spread:.4f}"),
        ("groups without gradient", f"{found.flat:,}"),
        ("noise of a second scoring", "not known" if found.noise is None else f"{found.noise:.2g}"),
        ("identical completions", f"{found.identical:.1%}"),
        ("without a score", f"{found.unscored:.1%}"),
        ("failures", kinds or "none"),
        ("seconds of work for each", f"{found.work:.3f}"),
    ]


def _describe_share(share: float | None) -> str:
    return "not known" if share is None else f"{share:.1%}"


def _watch(options: argparse.Namespace) -> int:
    from helm_structext.audit.probes import WATCH_PROBES
    from helm_structext.rewards.files import read_reward
    from helm_structext.rewards.watch import (
        find_all_warnings,
        read_journal,
        watch_points,
        write_gauges,
    )
    from helm_structext.storage.files import write_text

    reward = read_reward(options.reward)
    entries = read_journal(options.journal)
    points = watch_points(reward, entries, options.points, WATCH_PROBES)
    warnings = find_all_warnings(points, entries)
    show_tables([_watch_table(points)], None)
    if options.plot:
        _plot(points, options.plot)
    if options.prometheus:
        write_text(options.prometheus, write_gauges(points, entries))
    say("\n" + ("\n".join(warnings) or "Nothing speaks against it."))
    return WARNED if warnings else 0


def _watch_table(points: "Sequence[WatchPoint]") -> "Table":
    from helm_structext.results.tabular import SCORE, Column, Table

    names = list(dict.fromkeys(name for point in points for name in point.means))
    rows = [
        [
            str(point.last),
            *(one.value if (one := point.means.get(name)) else None for name in names),
        ]
        for point in points
    ]
    columns = [Column("Completions"), *(Column(name, SCORE) for name in names)]
    note = "Means of each piece of training. An honest reward rises with its probes."
    return Table("watch", "Reward and probes", note, columns, rows)


def _plot(points: "Sequence[WatchPoint]", place: Path) -> None:
    from helm_structext.results.plots import draw_curves

    names = dict.fromkeys(name for point in points for name in point.means)
    curves = {
        name: [(float(one.last), one.means[name].value) for one in points if name in one.means]
        for name in names
    }
    with output(place) as file:
        file.write_bytes(draw_curves(curves, "Reward and probes", "completions"))
