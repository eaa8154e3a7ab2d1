"""Looks at a journal of rewards now and then, for trainers that call nothing but a reward function.

A look scores probes again, which takes a while: it is done in a thread of its own, and training goes on.
"""

import logging
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from helm_structext.audit.probes import WATCH_PROBES
from helm_structext.errors import SetupError
from helm_structext.rewards import BaseReward
from helm_structext.rewards.watch import (
    find_all_warnings,
    read_journal,
    watch_points,
    write_gauges,
)
from helm_structext.storage.files import write_text
from helm_structext.threads import in_thread

_log = logging.getLogger("helm.structext")


@dataclass
class JournalWatcher:
    """What looks at a journal, from any number of threads.

    Args:
        reward: of the training.
        journal: to which its completions are added.
        every: completions of this process between two looks, at least.
        gauges: a file for Prometheus' collector of text files, or None.

    >>> from helm_structext.rewards import MMRReward
    >>> watcher = JournalWatcher(MMRReward("text"), Path("rewards.jsonl"), every=100)
    >>> watcher.note(99) is None
    True
    """

    reward: BaseReward
    journal: Path
    every: int
    gauges: Path | None = None
    _noted: int = field(default=0, init=False)
    _look: Future[list[str]] | None = field(default=None, init=False)
    _lock: Lock = field(default_factory=Lock, init=False, repr=False)

    def note(self, completions: int) -> Future[list[str]] | None:
        """Counts completions that were added to the journal, and begins a look where it is time.

        Returns:
            What the look says, once it is done; None where it is not time, or the last look is not done.
        """
        with self._lock:
            self._noted += completions
            if self._noted < self.every or (self._look and not self._look.done()):
                return None
            self._noted = 0
            self._look = in_thread(self.look)
            return self._look

    def look(self) -> list[str]:
        """Writes the gauges, logs what speaks against the training, and returns it; so it says what can't be read."""
        try:
            entries = read_journal(self.journal)
            points = watch_points(self.reward, entries, probes=WATCH_PROBES)
            warnings = find_all_warnings(points, entries)
            if self.gauges:
                write_text(self.gauges, write_gauges(points, entries))
        except SetupError as error:
            warnings = [str(error)]
        for warning in warnings:
            _log.warning("Watching the reward: %s", warning)
        return warnings
