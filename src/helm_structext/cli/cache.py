"""`helm-structext cache`: what lies in the cache folder, and how it gets smaller."""

import argparse
import math
import time
from typing import TYPE_CHECKING

from helm_structext.cli.options import Commands
from helm_structext.cli.terminal import columns, complain, say
from helm_structext.texts import byte_size

if TYPE_CHECKING:
    from helm_structext.storage.pruning import Tally, Usage

SECONDS = {"h": 3600, "d": 86400, "w": 7 * 86400, "": 86400}
BYTES = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
BYTES |= {f"{unit}ib": 2 ** (10 * power) for power, unit in enumerate("kmgt", 1)}
BYTES |= {unit: BYTES[f"{unit}b"] for unit in "kmgt"}


def add_commands(commands: Commands) -> None:
    """Adds this group's commands."""
    cache = commands.add_parser("cache", help="show the cache folder, or make it smaller")
    actions = cache.add_subparsers(required=True, metavar="ACTION")
    info = actions.add_parser("info", help="print what lies in the cache folder")
    info.set_defaults(command=_info)
    prune = actions.add_parser(
        "prune", help="remove what was not used for long, and what killed programs have left"
    )
    prune.add_argument(
        "--older-than", type=age, metavar="AGE", help="what was not used for 30d (or 12h, 4w) goes"
    )
    prune.add_argument(
        "--max-size",
        type=size,
        metavar="SIZE",
        help="down to 20GB (or 500MB, 4GiB), what was not used for longest goes",
    )
    prune.add_argument("--dry-run", action="store_true", help="only say what would go")
    prune.set_defaults(command=_prune)


def age(text: str) -> float:
    """Returns an age in seconds; for argparse.

    Raises:
        argparse.ArgumentTypeError: it is none.

    >>> age("12h"), age("30d"), age("1.5w"), age("2")
    (43200.0, 2592000.0, 907200.0, 172800.0)
    """
    return _number(text, SECONDS, "an age, such as 30d, 12h or 4w")


def size(text: str) -> int:
    """Returns a size in bytes; for argparse.

    Raises:
        argparse.ArgumentTypeError: it is none.

    >>> size("20GB"), size("1.5 MiB"), size("0")
    (20000000000, 1572864, 0)
    """
    return int(_number(text, BYTES, "a size, such as 20GB, 500MB or 4GiB"))


def _number(text: str, units: dict[str, int], what: str) -> float:
    number = text.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ")
    unit = text[len(number) :].strip().lower()
    try:
        value = float(number) * units[unit]
    except (ValueError, KeyError):
        value = math.nan
    if not 0 <= value < math.inf:
        raise argparse.ArgumentTypeError(f"expected {what}")
    return value


def _info(options: argparse.Namespace) -> int:
    from helm_structext.renderers.web.javascript import js_target
    from helm_structext.storage.cache import cache_folder
    from helm_structext.storage.contents import GROUPS
    from helm_structext.storage.pruning import usage

    seen = usage(cache_folder(), js_target().name)
    rows = [("", "where", "entries", "size", "oldest use", "newest use")]
    for group, (holds, where) in GROUPS.items():
        if group in seen:
            of = seen[group]
            dates = _day(of.oldest), _day(of.newest)
            rows.append((holds, where, f"{of.entries:,}", byte_size(of.size), *dates))
    say("\n".join(columns(rows, right={2, 3})))
    say(f"\n{cache_folder()}: {byte_size(seen.size)}")
    return _complain_of(seen)


def _prune(options: argparse.Namespace) -> int:
    from helm_structext.renderers.web.javascript import js_target
    from helm_structext.storage.cache import cache_folder
    from helm_structext.storage.contents import GROUPS
    from helm_structext.storage.pruning import prune

    pruned = prune(
        cache_folder(),
        js_target().name,
        older_than=options.older_than,
        max_size=options.max_size,
        dry_run=options.dry_run,
    )
    verb = "would go" if options.dry_run else "removed"
    for group, tally in sorted(pruned.removed.items()):
        say(f"{verb}: {tally.entries:,} of {GROUPS[group][0]}, {byte_size(tally.size)}")
    if not pruned.removed:
        say(f"nothing {'would go' if options.dry_run else 'to remove'}")
    if pruned.in_use.entries:
        held = f"{pruned.in_use.entries:,} entries, {byte_size(pruned.in_use.size)}"
        say(f"{held}, stay: they were used within the last hour")
    left = pruned.left.size
    say(f"{cache_folder()}: {byte_size(left)} left")
    if options.max_size is not None and left > options.max_size:
        say("what is left is in use, was installed, or can't be removed")
    status = _complain_of(pruned.left)
    _name(pruned.refused, "can't be removed")
    return 2 if pruned.refused.entries else status


def _day(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))


def _complain_of(seen: "Usage") -> int:
    """Names what is left alone, and returns the status of a command that met it."""
    from helm_structext.storage.contents import FOREIGN, UNREADABLE
    from helm_structext.storage.pruning import Tally

    _name(seen.get(FOREIGN, Tally()), "not of this package, and left alone")
    _name(seen.get(UNREADABLE, Tally()), "can't be read")
    return 2 if UNREADABLE in seen else 0


def _name(tally: "Tally", what: str) -> None:
    for path in tally.paths:
        complain(f"{what}: {path}")
    if more := tally.entries - len(tally.paths):
        complain(f"{what}: {more:,} more")
