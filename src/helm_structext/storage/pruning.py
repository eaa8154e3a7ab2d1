"""How much the cache folder holds, and how it gets smaller: by age, or down to a size.

What is removed is made anew when it is asked for. So there are no locks, and the only rule that keeps
running programs from trouble is about time: what was used within the last hour stays, as does what
was begun and not finished within the last day. What is foreign is named and never touched.
"""

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from helm_structext.storage.contents import Found, walk

IN_USE = 3600.0
"""Seconds for which what was used stays; a use is noted every `helm_structext.storage.cache.USED_SECONDS`."""
DAY = 86400.0
"""Seconds after which nobody is still writing a file or installing a folder."""
RESOLUTION = 3600
"""Seconds within which it does not matter what was used first."""
MAX_NAMED = 10
"""Paths that are named of those that are left alone."""


@dataclass
class Tally:
    """How many entries there are, their bytes, and when the first and the last of them was used."""

    entries: int = 0
    size: int = 0
    oldest: float | None = None
    newest: float | None = None

    def add(self, found: Found) -> None:
        """Counts one."""
        self.entries += 1
        self.size += found.size
        self.oldest = found.used if self.oldest is None else min(self.oldest, found.used)
        self.newest = found.used if self.newest is None else max(self.newest, found.used)


@dataclass
class Named:
    """How many paths there are, and the first of them."""

    count: int = 0
    paths: list[str] = field(default_factory=list)

    def add(self, path: str) -> None:
        """Counts one."""
        self.count += 1
        if len(self.paths) < MAX_NAMED:
            self.paths.append(path)


@dataclass
class Usage:
    """What lies in the cache folder.

    Args:
        kinds: a key of `KINDS`, `WEIGHTS` or `PACKAGES` to what there is of it.
        superseded: JavaScript packages of another version.
        leftovers: files of programs that were killed, or that are writing.
        foreign: what is not ours.
        unreadable: what can't be read.
    """

    kinds: dict[str, Tally] = field(default_factory=dict)
    superseded: Tally = field(default_factory=Tally)
    leftovers: Tally = field(default_factory=Tally)
    foreign: Named = field(default_factory=Named)
    unreadable: Named = field(default_factory=Named)

    @property
    def size(self) -> int:
        """Bytes of all that is ours."""
        tallies = *self.kinds.values(), self.superseded, self.leftovers
        return sum(tally.size for tally in tallies)

    def add(self, found: Found) -> None:
        """Counts one."""
        if found.what in ("entry", "kept"):
            self.kinds.setdefault(found.kind, Tally()).add(found)
        elif found.what in ("superseded", "leftover"):
            (self.superseded if found.what == "superseded" else self.leftovers).add(found)
        else:
            (self.foreign if found.what == "foreign" else self.unreadable).add(found.path)


@dataclass
class Pruned:
    """What was removed of the cache folder, and what is left.

    Args:
        removed: a key of `KINDS` or `PACKAGES` to what went of it.
        leftovers: files of killed programs that went.
        in_use: what should have gone but for its use within the last hour (`IN_USE`).
        left: what stays.
        refused: what could not be removed.
    """

    removed: dict[str, Tally] = field(default_factory=dict)
    leftovers: Tally = field(default_factory=Tally)
    in_use: Tally = field(default_factory=Tally)
    left: Usage = field(default_factory=Usage)
    refused: Named = field(default_factory=Named)


def usage(folder: Path, packages: str) -> Usage:
    """Returns what lies in a cache folder.

    Args:
        folder: as from `helm_structext.storage.cache.cache_folder`.
        packages: the name of this version's JavaScript packages in it.

    Raises:
        SetupError: the folder can't be read.
    """
    seen = Usage()
    for found in walk(folder, packages):
        seen.add(found)
    return seen


def prune(
    folder: Path,
    packages: str,
    *,
    older_than: float | None = None,
    max_size: int | None = None,
    dry_run: bool = False,
) -> Pruned:
    """Removes what was not used for long, and what is left of killed programs and of other versions.

    Args:
        folder: as from `helm_structext.storage.cache.cache_folder`.
        packages: the name of this version's JavaScript packages in it, which stay.
        older_than: seconds; entries go that were not used since.
        max_size: bytes; entries go until no more are left, those first that were not used for longest
            (to the hour).
        dry_run: remove nothing; the result is the same.

    Raises:
        SetupError: the folder can't be read.
    """
    now = time.time()
    since = -1.0 if older_than is None else now - older_than
    hour, more = -1, 0
    if max_size is not None:
        hour, more = _last_hour(walk(folder, packages), max_size, since, now)
    pruned = Pruned()
    for found in walk(folder, packages, tidy=not dry_run):
        used = int(found.used) // RESOLUTION
        partly = used == hour and more > 0
        if not (_is_due(found, since, now) or (found.what == "entry" and (used < hour or partly))):
            pruned.left.add(found)
        elif now - found.used < IN_USE:
            pruned.in_use.add(found)
            pruned.left.add(found)
        else:
            more -= found.size * partly
            _remove(found, pruned, dry_run)
    return pruned


def _is_due(found: Found, since: float, now: float) -> bool:
    """Whether something goes, whatever the size of all."""
    if found.what == "entry":
        return found.used < since
    return found.what in ("leftover", "superseded") and now - found.used > DAY


def _last_hour(
    all_found: Iterator[Found], max_size: int, since: float, now: float
) -> tuple[int, int]:
    """Up to which hour entries go so that no more are left than there is room for.

    Returns:
        The hour, in hours since 1970: what was used before it goes; and how many bytes of it go.
    """
    hours: Counter[int] = Counter()
    total = 0
    for found in all_found:
        if not _is_due(found, since, now):
            total += found.size
            if found.what == "entry":
                hours[int(found.used) // RESOLUTION] += found.size
    for hour, size in sorted(hours.items()):
        if total - size <= max_size:
            return hour, total - max_size
        total -= size
    return (max(hours, default=-1) + 1, 0)


def _remove(found: Found, pruned: Pruned, dry_run: bool) -> None:
    try:
        if not dry_run:
            found.remove()
    except OSError as error:
        pruned.refused.add(f"{found.path} ({error.strerror})")
        pruned.left.add(found)
        return
    if found.what == "leftover":
        pruned.leftovers.add(found)
    else:
        pruned.removed.setdefault(found.kind, Tally()).add(found)
