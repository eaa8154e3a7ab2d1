"""The app in a process of its own, which finishes what it has begun before it ends."""

import asyncio
import ctypes
import math
import resource
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from types import FrameType

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from helm_structext.errors import SetupError
from helm_structext.serving.app import create_app
from helm_structext.serving.service import ServerSettings, Service, is_loopback
from helm_structext.texts import describe_error

MAX_CONNECTIONS = 1000
"""From which on a new one ends the one that has been silent longest; from twice as many on, answers are 503."""
DESCRIPTORS = 4 * MAX_CONNECTIONS
"""That the process may have open, where the machine allows it: engines need some, too."""
LAST_SECONDS = 10
"""For answers to be sent when all is done or given up."""
MALLOC_ARENAS = 2
"""Heaps of the C library; by default it makes eight for each core, and each keeps what it once had."""
_M_ARENA_MAX = -8


def serve(
    settings: ServerSettings, host: str, port: int, grace: float, started: Callable[[str], None]
) -> None:
    """Serves until SIGTERM or SIGINT, and then finishes what runs; a second signal gives that up.

    Args:
        settings: of the app.
        host: a name or an address; any other than the loopback one needs a token.
        port: 0 takes any that is free.
        grace: seconds for what runs when the server is to stop.
        started: gets the address once requests are taken.

    Raises:
        SetupError: the settings can't be, or the address is taken.
    """
    if settings.token is None and not is_loopback(host):
        raise SetupError(
            f"{host} can be reached from other machines: a server there needs a token, in "
            "HELM_STRUCTEXT_SERVE_TOKEN or a file (--token-file)"
        )
    _have_few_heaps()
    _have_descriptors()
    app = create_app(settings)
    with _listen(host, port) as listener:
        config = uvicorn.Config(
            app,
            log_level="warning",
            # The same, whatever else is installed.
            loop="asyncio",
            http=ServerConnection,
            access_log=False,
            limit_concurrency=2 * MAX_CONNECTIONS,
            timeout_graceful_shutdown=LAST_SECONDS,
            server_header=False,
        )
        address, number = listener.getsockname()[:2]
        named = f"[{address}]" if ":" in address else address
        server = _Server(config, app.state.service, grace)
        server.started_at = lambda: started(f"http://{named}:{number}")
        server.run([listener])


def _have_few_heaps() -> None:
    """Bounds the memory of many threads, where the C library is glibc."""
    with suppress(AttributeError):
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, MALLOC_ARENAS)


def _have_descriptors() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < DESCRIPTORS:
        wanted = DESCRIPTORS if hard == resource.RLIM_INFINITY else min(DESCRIPTORS, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listener = socket.create_server((host, port), family=family, backlog=2048)
    except (OSError, OverflowError) as error:
        raise SetupError(f"{host}:{port} can't be listened to: {describe_error(error)}") from error
    return listener


class ServerConnection(H11Protocol):
    """Gives way to a new one where its client owes the rest of a request, and all places are taken.

    So clients that say nothing, or half a header, keep nobody from being served, however many they are.
    """

    _heard = 0.0
    """When the client said something last; seconds of the event loop."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._heard = self.loop.time()
        if len(self.connections) > MAX_CONNECTIONS:
            others = self.connections - {self}
            silent = [one for one in others if isinstance(one, ServerConnection) and one._owes]
            if silent:
                min(silent, key=lambda one: one._heard)._give_way()

    def data_received(self, data: bytes) -> None:
        self._heard = self.loop.time()
        super().data_received(data)

    @property
    def _owes(self) -> bool:
        return self.conn.their_state in (h11.IDLE, h11.SEND_BODY)

    def _give_way(self) -> None:
        self.connections.discard(
            self
        )  # at once: others may come before the loop says that it is lost
        self.transport.abort()


class _Server(uvicorn.Server):
    """Takes no more requests at the first signal, and ends when those that it has are answered."""

    def __init__(self, config: uvicorn.Config, service: Service, grace: float) -> None:
        super().__init__(config)
        self.started_at: Callable[[], None] = lambda: None
        self._service, self._grace = service, grace
        self._end = math.inf

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        again = self._service.draining
        self._service.draining = True
        self._end = min(self._end, time.monotonic() + (0 if again else self._grace))

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.started_at()

    async def on_tick(self, counter: int) -> bool:
        if self._service.draining:
            if time.monotonic() >= self._end:
                self._service.abort()
            # A batch whose client reads nothing never ends; uvicorn gives it `LAST_SECONDS`.
            if self._service.aborted or not self._service.batches:
                self.should_exit = True
        return await super().on_tick(counter)
