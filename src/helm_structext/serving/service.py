"""What all requests of a server share: its settings, what it holds, and whether it goes on."""

import ipaddress
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from helm_structext.errors import SetupError
from helm_structext.formats import FORMATS, check_format, rendered_formats
from helm_structext.models.advice import LOCAL_PATH
from helm_structext.patterns import Pattern
from helm_structext.rewards import Batch, InstanceReward, Reward
from helm_structext.rewards.batch import Task
from helm_structext.rewards.queue import WorkQueue, work_queue
from helm_structext.serving.refusals import RequestRefused
from helm_structext.serving.telemetry import Telemetry
from helm_structext.structeval.judge import NO_JUDGE, Judge

MEGABYTE = 10**6
MAX_HELD = 8
"""Bodies of the largest size that a server holds at a time."""
MIN_TOKEN = 16
"""Characters."""
LONGEST_WAIT = 60
"""Seconds after which a client that was refused is asked to come back, at most."""


_HOST = Pattern(r"(?:\[([0-9A-Fa-f:.]+)\]|([0-9A-Za-z._-]+))(?::[0-9]{0,5})?")


@dataclass(frozen=True)
class ServerSettings:
    """How a server is started.

    Args:
        allow: folders below which requests may name files.
        token: that requests must have; None for servers on the loopback address.
        max_queue: completions that may wait.
        max_items: of a request.
        max_megabytes: of a request's body.
        warm: formats that are rendered before the server is ready.
        entries: run entries whose instances requests may name; their data is read at the start.
        judge: a model of HELM's that looks at the pictures of StructEval's tasks; ``none`` scores
            them without.
        local_path: where HELM finds the judge's credentials and keeps its answers.

    Raises:
        SetupError: they can't be.
    """

    allow: tuple[Path, ...] = ()
    token: str | None = None
    max_queue: int = 16_384
    max_items: int = 4096
    max_megabytes: int = 64
    warm: tuple[str, ...] = ("latex",)
    entries: tuple[str, ...] = ()
    judge: str = NO_JUDGE
    local_path: Path = LOCAL_PATH

    def __post_init__(self) -> None:
        for name in ("max_queue", "max_items", "max_megabytes"):
            if getattr(self, name) < 1:
                raise SetupError(f"{name} is {getattr(self, name)}; expected a number from 1 on")
        if self.max_queue < self.max_items:
            raise SetupError(
                f"max_queue is {self.max_queue}, so that a request of {self.max_items} items "
                "(max_items) would never be taken; make it larger"
            )
        for folder in self.allow:
            if not folder.is_dir():
                raise SetupError(f"{folder} is not a folder; requests may name files below folders")
        if self.token is not None and not (
            len(self.token) >= MIN_TOKEN and self.token.isascii() and self.token.isprintable()
        ):
            raise SetupError(f"the token has at least {MIN_TOKEN} printable ASCII characters")
        for name in self.warm:
            try:
                check_format(name, rendered_formats())
            except ValueError as error:
                raise SetupError(f"warm: {error}") from error

    @property
    def max_bytes(self) -> int:
        return self.max_megabytes * MEGABYTE


@dataclass(eq=False)
class Service:
    """A server's state; but for `queue`, it is changed in the event loop alone.

    Args:
        settings: it was started with.
        queue: where completions wait; by default this process's.

    Attributes:
        batches: that are being scored.
        draining: whether it takes no more requests.
        aborted: whether it has given up what it was doing.
        not_ready: why it is not, or None.
        judge: of StructEval's tasks, or None.
        components: run entry to the components of its instances.

    Raises:
        SetupError: the judge can't be asked, as far as that is known without asking; or a run entry
            is none, or its data can't be read.
    """

    settings: ServerSettings
    queue: WorkQueue = field(default_factory=work_queue)
    batches: set[Batch] = field(default_factory=set)
    draining: bool = False
    aborted: bool = False
    not_ready: str | None = "nothing has been rendered yet"
    held: int = 0

    def __post_init__(self) -> None:
        self.telemetry = Telemetry(self.queue)
        self.folders = [folder.resolve() for folder in self.settings.allow]
        self.components = {
            entry: [*InstanceReward(entry).known_components()] for entry in self.settings.entries
        }
        self.judge: Judge | None = None
        if self.settings.judge != NO_JUDGE:
            from helm_structext.helm.judge import judge_named  # HELM is loaded for a judge alone.

            self.judge = judge_named(self.settings.judge, self.settings.local_path)

    @contextmanager
    def holding(self) -> Iterator[Callable[[int], None]]:
        """Yields what is told of each piece of a body; all is let go at the end.

        Raises:
            RequestRefused: bodies take too much memory.
        """
        own = 0

        def hold(size: int) -> None:
            nonlocal own
            own += size
            self.held += size
            if own > self.settings.max_bytes:
                raise self.too_large()
            if self.held > MAX_HELD * self.settings.max_bytes:
                raise self.busy("the server holds as many requests as it may")

        try:
            yield hold
        finally:
            self.held -= own

    def too_large(self) -> RequestRefused:
        """The refusal of a body."""
        return RequestRefused(413, f"a request has at most {self.settings.max_megabytes} MB")

    def busy(self, message: str) -> RequestRefused:
        """The refusal of a request that may come again."""
        wait = min(max(self.telemetry.seconds_to_wait(), 1), LONGEST_WAIT)
        return RequestRefused(429, message, retry_after=math.ceil(wait))

    def begin(self, tasks: list[Task], seconds: float | None) -> Batch:
        """Begins a batch.

        Raises:
            RequestRefused: too much waits.
        """
        self.check_open()
        waiting, most = self.queue.waiting, self.settings.max_queue
        if waiting + len(tasks) > most:
            raise self.busy(f"{waiting} completions wait; at most {most} may")
        batch = Batch(tasks, seconds, self.queue)
        self.batches.add(batch)
        return batch

    def end(self, batch: Batch) -> None:
        """Forgets a batch, and cancels what of it is left."""
        batch.cancel()
        self.batches.discard(batch)

    def check_open(self) -> None:
        """Raises RequestRefused if the server takes no more requests."""
        if self.draining:
            raise RequestRefused(503, "the server stops", retry_after=1)

    def abort(self) -> None:
        """Gives up what is being done."""
        self.draining = self.aborted = True
        for batch in self.batches:
            batch.cancel()

    async def warm_up(self) -> bool:
        """Starts an engine of each format for each place; returns whether all have rendered."""
        tasks = [task for name in self.settings.warm for task in self._warming(name)]
        results = await Batch(tasks, queue=self.queue).results_async()
        failed = [
            f"{task.lane}: {result.error_kind}: {result.message}"
            for task, result in zip(tasks, results, strict=True)
            if result.error_kind is not None
        ]
        self.not_ready = failed[0] if failed else None
        return not failed

    def _warming(self, format: str) -> list[Task]:
        blank = [FORMATS[format].blank] * self.queue.places
        return Reward(format, {"earth_mover_similarity": 1.0}).tasks(blank, blank)


def is_loopback(host: str) -> bool:
    """Whether a name or an address is of this machine alone.

    >>> [is_loopback(host) for host in ("127.0.0.1", "::1", "localhost", "0.0.0.0", "example.org")]
    [True, True, True, False, False]
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def host_of(header: str) -> str:
    """Returns the host that a header names, without its port; "" for one that names none (RFC 9110, section 7.2).

    >>> host_of("[::1]:80"), host_of("localhost:80"), host_of("127.0.0.1:80.example.org")
    ('::1', 'localhost', '')
    """
    found = _HOST.fullmatch(header)
    return (found[1] or found[2]).lower() if found else ""
