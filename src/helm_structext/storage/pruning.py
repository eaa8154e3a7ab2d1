"""How much the cache folder holds, and how it gets smaller: by age, or down to a size.

What is removed is made anew when it is asked for. So there are no locks, and the only rule that keeps
running programs from trouble is about time: what was used within the last hour stays, as does what
was begun and not finished within the last day. What is foreign is named and never touched.
"""

import math
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from helm_structext.storage.contents import KINDS, LEFTOVERS, SUPERSEDED, Found, walk

IN_USE = 3600.0
"""Seconds for which what was used stays; a use is noted every `helm_structext.storage.cache.USED_SECONDS`."""
DAY = 86400.0
"""Seconds after which nobody is still writing a file or installing a folder."""
RESOLUTION = 3600
"""Seconds within which it does not matter what was used first."""
MAX_NAMED = 10
"""Paths that are named of those that are left alone."""


@dataclass
class FileTally:
    """How many there are, their bytes, when the first and the last was used, and the first paths."""

    entries: int = 0
    size: int = 0
    oldest: float = math.inf
    newest: float = -math.inf
    paths: list[str] = field(default_factory=list, compare=False)

    def add(self, found: Found, note: str = "") -> None:
        """Counts one."""
        self.entries += 1
        self.size += found.size
        self.oldest = min(self.oldest, found.used)
        self.newest = max(self.newest, found.used)
        if len(self.paths) < MAX_NAMED:
            self.paths.append(found.path + note)


class CacheUsage(defaultdict[str, FileTally]):
    """What lies in the cache folder: the group of what was found (`Found.group`) to what there is of it."""

    def __init__(self) -> None:
        super().__init__(FileTally)

    @property
    def size(self) -> int:
        """Bytes of all that is ours."""
        return sum(tally.size for tally in self.values())

    def add(self, found: Found) -> None:
        """Counts one."""
        self[found.group].add(found)


@dataclass
class Pruned:
    """What was removed of the cache folder, and what is left.

    Args:
        removed: what went.
        in_use: what should have gone but for its use within the last hour (`IN_USE`).
        left: what stays.
        refused: what could not be removed.
    """

    removed: CacheUsage = field(default_factory=CacheUsage)
    in_use: FileTally = field(default_factory=FileTally)
    left: CacheUsage = field(default_factory=CacheUsage)
    refused: FileTally = field(default_factory=FileTally)


def usage(folder: Path, packages: str) -> CacheUsage:
    """Returns what lies in a cache folder.

    Args:
        folder: as from `helm_structext.storage.cache.cache_folder`.
        packages: the name of this version's JavaScript packages in it.

    Raises:
        SetupError: the folder can't be read.
    """
    seen = CacheUsage()
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
        if not (_is_due(found, since, now) or (found.group in KINDS and (used < hour or partly))):
            pruned.left.add(found)
        elif now - found.used < IN_USE:
            pruned.in_use.add(found)
            pruned.left.add(found)
        else:
            more -= found.size * partly
            try:
                if not dry_run:
                    found.remove()
            except OSError as error:
                pruned.refused.add(found, f" ({error.strerror})")
                pruned.left.add(found)
            else:
                pruned.removed.add(found)
    return pruned


def _is_due(found: Found, since: float, now: float) -> bool:
    """Whether something goes, whatever the size of all."""
    if found.group in KINDS:
        return found.used < since
    return found.group in (LEFTOVERS, SUPERSEDED) and now - found.used > DAY


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
            if found.group in KINDS:
                hours[int(found.used) // RESOLUTION] += found.size
    for hour, size in sorted(hours.items()):
        if total - size <= max_size:
            return hour, total - max_size
        total -= size
    return (max(hours, default=-1) + 1, 0)
