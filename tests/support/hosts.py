"""Hosts on this machine: loopback servers that remember what they were asked, and have faults."""

import gzip
import http.server
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from helm_structext.image2struct.collect.answers import Answers
from helm_structext.image2struct.collect.client import HostClient
from helm_structext.image2struct.collect.database import Database


@dataclass(frozen=True)
class Request:
    """What was asked.

    Args:
        method: HTTP's.
        path: without the query.
        query: parameters; of those with one name the last.
        headers: by their names in lower case.
        body: of the request.
    """

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Reply:
    """What a host answers.

    Args:
        body: text is sent as UTF-8.
        status: HTTP's.
        headers: beside the length.
        cut: after so many bytes of the body the connection ends.
        pause: seconds before each byte of the body, from the first on.
        silence: seconds before anything is sent.
    """

    body: bytes | str = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: int | None = None
    pause: float = 0.0
    silence: float = 0.0


def json_reply(value: Any, status: int = 200, **headers: str) -> Reply:
    """Returns a reply in JSON; underscores in names of headers stand for dashes."""
    named = {name.replace("_", "-"): text for name, text in headers.items()}
    return Reply(json.dumps(value), status, {"content-type": "application/json", **named})


def zipped(reply: Reply) -> Reply:
    """Returns a reply whose body is compressed on its way."""
    body = reply.body.encode() if isinstance(reply.body, str) else reply.body
    return Reply(gzip.compress(body), reply.status, {**reply.headers, "content-encoding": "gzip"})


@dataclass
class Host:
    """A server on this machine; a context manager that runs it.

    Attributes:
        answer: request → reply.
        faults: replies to the next requests, before `answer` is asked again.
        requests: what was asked, in order.
        times: when each request came, and when its answer had ended; of `time.monotonic`.
        url: of the server, without a slash at its end.
    """

    answer: Callable[[Request], Reply]
    faults: list[Reply] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    times: list[tuple[float, float]] = field(default_factory=list)
    url: str = ""

    def __enter__(self) -> "Host":
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.host = self
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=[0.01])
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.ended.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def paths(self) -> list[str]:
        """What was asked, without queries."""
        return [request.path for request in self.requests]

    def reply(self, request: Request) -> Reply:
        with self._server.lock:
            self.requests.append(request)
            if self.faults:
                return self.faults.pop(0)
        return self.answer(request)


class _Handler(http.server.BaseHTTPRequestHandler):
    server: "_Server"

    def do_GET(self) -> None:
        began = time.monotonic()
        length = int(self.headers.get("content-length") or 0)
        parts = urlsplit(self.path)
        headers = {name.lower(): value for name, value in self.headers.items()}
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        request = Request(self.command, parts.path, query, headers, self.rfile.read(length))
        with suppress(ConnectionError, BrokenPipeError):  # who asked may be gone
            self._send(self.server.host.reply(request))
        self.server.host.times.append((began, time.monotonic()))

    do_POST = do_HEAD = do_GET

    def _send(self, reply: Reply) -> None:
        ended = self.server.ended
        if reply.silence and ended.wait(reply.silence):
            return
        body = reply.body.encode() if isinstance(reply.body, str) else reply.body
        self.send_response_only(reply.status)
        usual = {"date": self.date_time_string(), "content-length": str(len(body))}
        for name, value in {**usual, **reply.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "HEAD":
            return
        body = body[: reply.cut]
        if not reply.pause:
            self.wfile.write(body)
        for byte in body if reply.pause else b"":
            if ended.wait(reply.pause):
                return
            self.wfile.write(bytes([byte]))
        if reply.cut is not None:
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        pass


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    host: Host

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.lock, self.ended = threading.Lock(), threading.Event()


CONTACT = "tests@example.org"


@contextmanager
def client(folder: Path, addresses: Mapping[str, str], **options: Any) -> Iterator[HostClient]:
    """Yields a client that keeps its answers in a folder, and pauses nowhere.

    Args:
        folder: where the journal is, or is made.
        addresses: base address of each host by its name.
        options: of `HostClient`; and `round`, the number of the round, by default 1.
    """
    number = options.pop("round", 1)
    with Database(folder / "journal.sqlite") as database:
        options = {"contact": CONTACT, "pace": 0, **options}
        asking = HostClient(Answers(database, number), addresses, **options)
        try:
            yield asking
        finally:
            asking.close()
