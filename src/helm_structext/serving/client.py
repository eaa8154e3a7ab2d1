"""A client of `helm-structext serve` that needs nothing but Python (3.10 or later).

It can be imported, or copied as this one file into an environment that has nothing of this package.

    from helm_structext.serving.client import Client, picture

    with Client("http://127.0.0.1:8320") as client:
        results = client.score(
            [
                {"format": "latex", "completion": "$x^2$", "reference": "$x^2$"},
                {"format": "latex", "completion": "$x^3$", "reference": picture("x.png")},
            ],
            components={"earth_mover_similarity": 1.0},
        )
        rewards = [result.score for result in results]  # None: not the completion's fault

Results are kept as they come. What fails for a moment is asked again, without what has a result: connections that
break, a server or a replica that starts again. What a server dies of is asked in halves, so that one item can't spoil
the others. A server that fails for longer leaves results without a score; one that has too much to do (429) is waited
for.
"""

import asyncio
import base64
import http.client
import json
import math
import os
import random
import socket
import threading
import time
import urllib.parse
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, as_completed, wait
from contextlib import suppress
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

__all__ = ["Client", "Result", "WrongRequest", "picture"]

SERVER = "server"
"""The kind of what has no score for the server's sake."""
UNFINISHED = "unfinished"
"""The kind of what was not done in the time of its batch, or before the client was closed."""

ITEMS = 64
"""Completions of a request."""
BYTES = 4_000_000
"""Of a request, unless one item has more."""
LOSSES = 3
"""Times that a request may be lost in a row: the server has it, and the connection breaks before any result."""
FIRST_PAUSE, LONGEST_PAUSE = 0.2, 15.0
"""Seconds before another attempt; they double from attempt to attempt."""
BUSY = 429
"""The HTTP status of a server that works, and has too much to do."""
AGAIN = (0, 404, 408, BUSY, 500, 502, 503, 504)
"""HTTP statuses after which it is worth another attempt; 0 where there was none.

Ray Serve says 404 while it deploys an app again, and 408 or 500 for a replica that is slow or has died.
"""
_WRONG = (400, 401, 403, 404, 405, 415, 422)
_NDJSON = "application/x-ndjson"
_SPARE, _LEAST_SPARE = 30.0, 5.0
_LEAST = 0.001  # A server refuses a batch that has no seconds at all.
_LOST = (ConnectionError, http.client.HTTPException)
_BROKEN = (OSError, http.client.HTTPException, ValueError)


class WrongRequest(ValueError):
    """The server refuses what it was asked: an option, a type, the token or the address is wrong.

    Args:
        status: of HTTP.
        message: what is wrong.
        problems: the first ones, each with the number of its ``item`` (or None), its ``field`` and
            a ``reason``.
    """

    def __init__(self, status: int, message: str, problems: Sequence[Mapping[str, Any]]) -> None:
        super().__init__(message)
        self.status = status
        self.problems = problems


@dataclass(frozen=True)
class Result:
    """A score, what it is made of, and what went wrong.

    Args:
        score: the weighted sum of the components; that of a failure where the completion failed;
            None where it could not be scored, which is never the completion's fault.
        components: name to value; None where there is none.
        error_kind: why the completion failed, or has no score; else None.
        message: one line about it, or "".
        waited: seconds in the server's queue.
        worked: seconds from the start of its work to the end.
        findings: what is wrong with the picture, where ``findings`` was asked for and there is one: a
            ``sentence``, a list of ``findings``, ``scores``, and a ``reason`` where nothing is known.
    """

    score: float | None
    components: Mapping[str, float | None] = field(default_factory=dict)
    error_kind: str | None = None
    message: str = ""
    waited: float = 0.0
    worked: float = 0.0
    findings: Mapping[str, Any] | None = None


_FIELDS = [one.name for one in fields(Result)]


def picture(given: bytes | str | os.PathLike[str]) -> dict[str, str]:
    """Returns a picture as references have it: its bytes, or those of a file of this machine.

    >>> picture(b"GIF89a")
    {'base64': 'R0lGODlh'}
    """
    data = given if isinstance(given, bytes) else Path(given).read_bytes()
    return {"base64": base64.b64encode(data).decode()}


class Client:
    """Asks a server for scores; may be used by several threads at a time, and after a fork.

    Args:
        url: of the server.
        token: that it was started with, if any.
        connections: requests at a time, of all calls together.
        patience: seconds for which a request is tried again while the server fails. One that has too
            much to do (429) does not fail: it is asked until it has not.
        timeout: seconds after which a server that says nothing is asked again.

    Raises:
        ValueError: the address is none of a server, or there are no connections.
    """

    def __init__(
        self,
        url: str = "http://127.0.0.1:8320",
        *,
        token: str | None = None,
        connections: int = 8,
        patience: float = 300.0,
        timeout: float = 1800.0,
    ) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"expected an address such as http://127.0.0.1:8320, got {url!r}")
        if connections < 1:
            raise ValueError(f"connections is {connections}; expected a number from 1 on")
        secure = parts.scheme == "https"
        self._kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        self._host, self._port = parts.hostname, parts.port
        self._pools: dict[int, _Pool] = {}
        self._path = parts.path.rstrip("/")
        self._headers = {"Content-Type": "application/json", "Accept": f"{_NDJSON}, */*"}
        if token is not None:
            self._headers["Authorization"] = f"Bearer {token}"
        self.connections = connections
        self.patience, self.timeout = patience, timeout

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections, and ends what is being asked; the client can still be used."""
        pool = self._pool
        for exchange in list(pool.exchanges):
            exchange.stop()
        with suppress(IndexError):
            while True:
                pool.idle.pop().close()

    def score(self, items: Sequence[Mapping[str, Any]], **options: Any) -> list[Result]:
        """Returns a result for each item, in their order.

        Args:
            items: each with ``completion``, ``reference`` and one of ``format``, ``task`` and
                ``kind``, as the server describes them (/openapi.json).
            options: for items that don't say otherwise, such as ``components``; and ``seconds``, in
                which all of the batch is to be done.

        Raises:
            WrongRequest: the server refuses them.
        """
        return _Batch(self, options).results(items)

    async def score_async(self, items: Sequence[Mapping[str, Any]], **options: Any) -> list[Result]:
        """As `score`, without blocking the event loop; to cancel it is to cancel the batch."""
        batch = _Batch(self, options)
        try:
            return await asyncio.to_thread(batch.results, items)
        except asyncio.CancelledError:
            batch.stop()
            raise

    def formats(self) -> Any:
        """Returns what the server can score, and by what.

        Raises:
            WrongRequest: see `score`.
            ConnectionError: the server fails.
        """
        with _Exchange(self, math.inf) as exchange:
            answer = exchange.ask("GET", "/v1/formats")
        if answer.status != 200:
            raise ConnectionError(answer.why)
        return answer.said

    @property
    def _pool(self) -> "_Pool":
        """That of this process: the connections and locks of the one that forked it are not ours."""
        pid = os.getpid()
        if pid not in self._pools:  # Threads that come here together get the same.
            self._pools = {pid: self._pools.setdefault(pid, _Pool(self.connections))}
        return self._pools[pid]

    def _connection(self) -> tuple[http.client.HTTPConnection, bool]:
        """Returns a connection, and whether it has been used before."""
        try:
            return self._pool.idle.pop(), True
        except IndexError:
            return self._kind(self._host, self._port), False


class _Pool:
    """What the calls of a client share in a process.

    Args:
        connections: requests at a time.

    Attributes:
        threads: that ask; requests wait for one in turn.
        idle: connections that are kept for another request.
        exchanges: that go on.
    """

    def __init__(self, connections: int) -> None:
        self.threads = ThreadPoolExecutor(connections)
        self.idle: deque[http.client.HTTPConnection] = deque()
        self.exchanges: set[_Exchange] = set()


@dataclass(frozen=True)
class _Answer:
    """What a server said in the end.

    Args:
        status: of HTTP; 0 where it said nothing.
        said: what its JSON holds, if it was JSON.
        why: a line about it.
        pause: seconds of its Retry-After.
        lost: whether it had the request, and did not answer to the end.
    """

    status: int
    said: Any = None
    why: str = ""
    pause: float = 0.0
    lost: bool = False


class _Exchange:
    """Requests that are stopped together.

    Args:
        client: whose connections are used.
        end: after which nothing is asked; of `time.monotonic`.
    """

    def __init__(self, client: Client, end: float) -> None:
        self._client, self._end = client, end
        self._pool = client._pool
        self._stopped: Future[None] = Future()
        self._busy: set[socket.socket] = set()
        self._lock = threading.Lock()

    def __enter__(self) -> "_Exchange":
        self._pool.exchanges.add(self)
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.exchanges.discard(self)

    @property
    def seconds_left(self) -> float:
        return self._end - time.monotonic()

    def stop(self) -> None:
        """Ends what is being asked; the server notices that nobody waits."""
        with self._lock:
            if not self._stopped.done():
                self._stopped.set_result(None)
            for connected in self._busy:
                with suppress(OSError):
                    connected.shutdown(socket.SHUT_RDWR)

    def ask(self, method: str, path: str, part: "_Part | None" = None) -> _Answer:
        """Asks until all is answered, the request was lost too often, or the patience or the time is over.

        Args:
            method: of HTTP.
            path: below the server's address.
            part: whose items are asked for, and which keeps their results.

        Raises:
            WrongRequest: the server refuses it.
        """
        pause, since, last, losses = FIRST_PAUSE, math.inf, "", 0
        while not self._stopped.done() and self.seconds_left > 0:
            left, submitted = part and part.left, time.monotonic()
            asked = self._pool.threads.submit(self._once, method, path, part)
            self._wait(self.seconds_left, asked)
            if asked.cancel():
                break
            began, answer = asked.result()
            since += began - submitted  # That others were asked meanwhile is no failure.
            if part and not part.left:
                return _Answer(200)
            works = part is not None and part.left != left
            if works:
                pause = FIRST_PAUSE
            now = time.monotonic()
            since = math.inf if works or answer.status == BUSY else min(since, now)
            failing = answer.status in AGAIN
            losses = 0 if works else losses + answer.lost
            if failing and losses < LOSSES and now - since < self._client.patience:
                seconds = max(answer.pause, pause * random.uniform(0.5, 1))
                self._wait(min(seconds, self.seconds_left))
                pause, last = min(2 * pause, LONGEST_PAUSE), f": {answer.why}"
            elif answer.status in _WRONG:
                raise _wrong(answer)
            elif failing:
                why = f"given up after {now - since:.0f} s: {answer.why}"
                return _Answer(0, why=why, lost=answer.lost)
            else:
                return answer
        closed = self._stopped.done()
        over = "the client was closed" if closed else "the time of its batch was over"
        return _Answer(0, UNFINISHED, over + last)

    def _wait(self, seconds: float, *futures: Future[Any]) -> None:
        """Waits for the first of some futures, a time, or a stop."""
        longest = min(max(seconds, 0), threading.TIMEOUT_MAX / 2)
        wait([self._stopped, *futures], longest, FIRST_COMPLETED)

    def _once(self, method: str, path: str, part: "_Part | None") -> tuple[float, _Answer]:
        """Asks once, and again only where a connection had been kept for too long; returns when, too."""
        began, reused = time.monotonic(), True
        while reused:
            connection, reused = self._client._connection()
            try:
                answer = self._talk(connection, method, path, part)
            except _BROKEN as error:
                connection.close()
                if part and not part.left:  # What breaks after the last result costs nothing.
                    return began, _Answer(200)
                why = f"{type(error).__name__}: {error}"
                lost = isinstance(error, _LOST) and not isinstance(error, ConnectionRefusedError)
            else:
                self._pool.idle.append(connection)
                return began, answer
        return began, _Answer(0, why=why, lost=lost)

    def _talk(
        self, connection: http.client.HTTPConnection, method: str, path: str, part: "_Part | None"
    ) -> _Answer:
        body = part.body(max(self.seconds_left, _LEAST)) if part else None
        connection.timeout = min(self._client.timeout, max(self.seconds_left, 0) + _SPARE)
        if connection.sock is None:
            connection.connect()
            _notice_dead_peers(connection)
        else:
            connection.sock.settimeout(connection.timeout)
        connected = connection.sock  # The connection forgets it where an answer is the last one.
        with self._lock:
            if self._stopped.done():
                raise ConnectionError("it was stopped")
            self._busy.add(connected)
        try:
            # The server may have answered before it had read all.
            with suppress(BrokenPipeError, ConnectionResetError):
                connection.request(method, self._client._path + path, body, self._client._headers)
            response = connection.getresponse()
            if response.status != 200 or part is None:
                return _read(response.status, dict(response.getheaders()), response.read())
            _hear(response, part)
            connected.settimeout(_LEAST_SPARE)
            response.read()  # Where its length was said, the connection could not be used again else.
            return _Answer(200)
        finally:
            with self._lock:
                self._busy.discard(connected)


class _Part:
    """Items of a batch that are asked for together; what has a result is not asked for again.

    Args:
        numbers: of the items in their batch.
        items: JSON of all of the batch.
        options: of all of the batch.
        results: of all of the batch, as far as there are any.
    """

    def __init__(
        self,
        numbers: Sequence[int],
        items: Sequence[bytes],
        options: Mapping[str, Any],
        results: dict[int, Result],
    ) -> None:
        self._numbers, self._items = numbers, items
        self._options, self._results = options, results

    @property
    def left(self) -> list[int]:
        """The numbers of those without a result."""
        return [number for number in self._numbers if number not in self._results]

    def body(self, seconds: float) -> bytes:
        """Returns a request for what is left."""
        self._asked = dict(enumerate(self.left))
        bound = {} if seconds == math.inf else {"seconds": seconds}
        options = ((json.dumps(n), json.dumps(v)) for n, v in {**self._options, **bound}.items())
        named = "".join(f",{name}:{value}" for name, value in options)
        items = b",".join(self._items[number] for number in self._asked.values())
        return b'{"items":[%b]%b}' % (items, named.encode())

    def hear(self, line: bytes) -> None:
        """Keeps the result that a line of an answer is.

        Raises:
            ValueError: it is none of what was asked for.
        """
        try:
            said = json.loads(line)
            # A newer server may say more.
            result = Result(**{name: said[name] for name in _FIELDS if name in said})
            self._results[self._asked[said["item"]]] = result
        except (TypeError, KeyError, ValueError):
            raise ValueError(f"the answer is not of this server: {line!r:.200}") from None

    def moved(self, error: WrongRequest) -> WrongRequest:
        """Counts items from the start of the batch instead of the request."""
        problems = [
            {**one, "item": self._asked.get(one["item"], one["item"])} for one in error.problems
        ]
        if not problems or problems[0]["item"] is None:
            return WrongRequest(error.status, str(error), problems)
        said = f"item {problems[0]['item']}", problems[0]["field"], problems[0]["reason"]
        message = f"HTTP {error.status}: {': '.join(filter(None, said))}"
        return WrongRequest(error.status, message, problems)


class _Batch:
    """The items of one call, divided into requests."""

    def __init__(self, client: Client, options: Mapping[str, Any]) -> None:
        self._client = client
        self._options = {name: value for name, value in options.items() if name != "seconds"}
        seconds = options.get("seconds")
        if seconds is not None and not seconds > 0:
            raise ValueError(f"seconds is {seconds!r}; expected a number above 0")
        end = math.inf if seconds is None else time.monotonic() + seconds
        self._exchange = _Exchange(client, end)
        self.stop = self._exchange.stop
        self._results: dict[int, Result] = {}
        self._without_score: dict[int, Result] = {}

    def results(self, items: Sequence[Mapping[str, Any]]) -> list[Result]:
        self._items = [json.dumps(item).encode() for item in items]
        parts, known = list(_parts(self._items)), -1
        with self._exchange:
            # Nobody knows what of the lost was at fault, as long as anything else is answered.
            while parts and len(self._results) > known:
                known = len(self._results)
                parts = [[number] for number in self._round(parts)]
        return [self._results.get(n) or self._without_score[n] for n in range(len(items))]

    def _round(self, parts: Sequence[Sequence[int]]) -> list[int]:
        """Asks for all parts; returns what was lost even where it was asked for alone."""
        with ThreadPoolExecutor(min(self._client.connections, len(parts))) as threads:
            futures = [threads.submit(self._score, part) for part in parts]
            try:
                for future in as_completed(futures):
                    future.result()
            except BaseException:
                for future in futures:
                    future.cancel()
                self.stop()
                raise
        return [number for future in futures for number in future.result()]

    def _score(self, numbers: Sequence[int]) -> list[int]:
        part = _Part(numbers, self._items, self._options, self._results)
        try:
            answer = self._exchange.ask("POST", "/v1/score", part)
        except WrongRequest as error:
            raise part.moved(error) from None
        left = part.left
        if len(left) > 1 and (answer.status == 413 or answer.lost):
            half = len(left) // 2
            return self._score(left[:half]) + self._score(left[half:])
        kind = UNFINISHED if answer.said == UNFINISHED else SERVER
        for number in left:
            self._without_score[number] = Result(None, error_kind=kind, message=answer.why)
        return left if answer.lost else []


def _parts(items: Sequence[bytes]) -> Iterator[list[int]]:
    """Yields the numbers of items that are few and small enough for a request."""
    part, size = list[int](), 0
    for number, item in enumerate(items):
        if part and (len(part) == ITEMS or size + len(item) > BYTES):
            yield part
            part, size = [], 0
        part.append(number)
        size += len(item)
    if part:
        yield part


def _hear(response: http.client.HTTPResponse, part: _Part) -> None:
    """Reads the results of a part as they come.

    Raises:
        ConnectionError: the server stops, and has not finished.
        ValueError: the answer is none of this server's.
    """
    if response.headers.get_content_type() != _NDJSON:
        raise ValueError(f"the answer is not of this server: {response.read(200)!r}")
    while part.left:
        line = response.readline()
        if not line.endswith(b"\n"):
            raise ConnectionError("the server stopped before it had finished")
        part.hear(line)


def _read(status: int, headers: Mapping[str, str], text: bytes) -> _Answer:
    """Reads an answer.

    Raises:
        ValueError: it is none of this server's.
    """
    headers = {name.lower(): value for name, value in headers.items()}
    is_json = headers.get("content-type", "").partition(";")[0].strip() == "application/json"
    said = json.loads(text) if is_json else None
    told = said.get("message") if isinstance(said, dict) else text[:200].decode(errors="replace")
    if status == 200 and not isinstance(said, dict):
        raise ValueError(f"the answer is not of this server: {told!r:.200}")
    pause = headers.get("retry-after", "")
    return _Answer(status, said, f"HTTP {status}: {told}", float(pause) if pause.isdecimal() else 0)


def _wrong(answer: _Answer) -> WrongRequest:
    problems = answer.said.get("problems", ()) if isinstance(answer.said, dict) else ()
    return WrongRequest(answer.status, answer.why, problems)


def _notice_dead_peers(connection: http.client.HTTPConnection) -> None:
    """Lets the system ask after a machine that says nothing: it may have lost its power."""
    connected = connection.sock
    connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (("TCP_KEEPIDLE", 30), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 6)):
        if hasattr(socket, name):
            connected.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
