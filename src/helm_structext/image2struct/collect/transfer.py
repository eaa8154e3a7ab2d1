"""One request over the wire: bounded in bytes, in seconds and in redirects; no secret stays behind."""

import logging
import socket
import threading
import time
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from helm_structext.errors import SetupError
from helm_structext.image2struct.collect.answers import Answer, Question
from helm_structext.image2struct.collect.refusals import Refusal
from helm_structext.texts import described, one_line, quoted

if TYPE_CHECKING:
    import httpx

MAX_REDIRECTS = 5
CONNECT_SECONDS, SILENCE_SECONDS = 20.0, 60.0
"""How long a connection may take, and how long nothing at all may come."""

MAX_URL = 8_000
"""Characters."""

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_GZIP = frozenset({"gzip", "x-gzip"})
_PIECE = 2**16
_HIDDEN = "[credential]"
_LOGGERS = (
    "httpx",
    *(f"httpcore.{name}" for name in ("connection", "http11", "http2", "proxy", "socks")),
)


class Broken(Exception):
    """No answer came, or not all of it.

    Args:
        message: what happened; without secrets.
        filter: the name of the refusal if that is how it stays; "" where the host is at fault.
        final: another try would fare no better.
    """

    def __init__(self, message: str, filter: str = "", final: bool = False) -> None:
        super().__init__(message)
        self.filter, self.final = filter, final


@dataclass(frozen=True)
class Credential:
    """A secret on its way to one origin, as a header's value or as a parameter."""

    secret: str
    origin: tuple[str, str, int | None]
    header: str
    value: str
    query: str

    def __repr__(self) -> str:
        return f"Credential({_HIDDEN})"


def origin(url: str) -> tuple[str, str, int | None]:
    """Returns scheme, host and port of an address.

    >>> origin("https://Example.org/a") == origin("https://example.org:443/")
    True
    """
    try:
        parts = urlsplit(url)
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
        return parts.scheme, parts.hostname or "", port
    except ValueError:
        return "", "", None


class Wire:
    """Sends requests.

    Args:
        agent: the ``User-Agent``.
        seconds: that an answer may take in all.

    Raises:
        SetupError: httpx is not installed.
    """

    def __init__(self, agent: str, seconds: float) -> None:
        try:
            import httpx
        except ImportError as error:
            raise SetupError(
                "Collecting needs more packages: pip install 'helm-structext[collect]'"
            ) from error
        self._httpx, self._seconds = httpx, seconds
        for name in _LOGGERS:
            logging.getLogger(name).addFilter(_is_not_ours)
        # A connection for each request: hosts are asked seconds apart, and each has its own clock.
        self._client = httpx.Client(
            headers={"user-agent": agent, "accept-encoding": "gzip"},
            limits=httpx.Limits(max_keepalive_connections=0),
            timeout=httpx.Timeout(SILENCE_SECONDS, connect=CONNECT_SECONDS),
        )

    def close(self) -> None:
        self._client.close()

    def address(self, url: str, params: Mapping[str, str]) -> str:
        """Returns an address with its query.

        Raises:
            Refusal: it is no address that can be asked.
        """
        try:
            whole = str(
                self._httpx.URL(url).copy_merge_params(params) if params else self._httpx.URL(url)
            )
        except Exception as error:  # a stranger's text
            raise Refusal(
                "not_served", f"{quoted(url)} is no address: {described(error)}"
            ) from error
        if urlsplit(whole).scheme not in ("http", "https") or len(whole) > MAX_URL:
            raise Refusal("not_served", f"{quoted(url)} is no address of the web")
        return whole

    def send(self, question: Question, max_bytes: int, credential: Credential | None) -> Answer:
        """Returns the answer to a request, after redirects.

        Raises:
            Broken: none came, or not all of it.
            Refusal: it is too large, or comes from nowhere.
        """
        deadline = time.monotonic() + self._seconds
        url, method, body = question.url, question.method, question.body
        for _ in range(MAX_REDIRECTS + 1):
            request = self._request(method, url, question.headers, body, credential)
            answer = self._answer(request, url, max_bytes, deadline, credential)
            if answer.status not in _REDIRECTS or "location" not in answer.headers:
                return answer
            url = _followed(url, self.address(_joined(url, answer.headers["location"]), {}))
            if answer.status == 303 or (method == "POST" and answer.status in (301, 302)):
                method, body = "GET", None
        raise Refusal(
            "not_served", f"more than {MAX_REDIRECTS} redirects, the last to {quoted(url)}"
        )

    def _request(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str],
        body: bytes | None,
        credential: Credential | None,
    ) -> "httpx.Request":
        sent = self._httpx.URL(url)
        headers = dict(headers)
        if credential and credential.origin == origin(url):
            if credential.header:
                headers[credential.header] = credential.value
            if credential.query:
                sent = sent.copy_set_param(credential.query, credential.secret)
        return self._client.build_request(method, sent, headers=headers, content=body)

    def _answer(
        self,
        request: "httpx.Request",
        url: str,
        max_bytes: int,
        deadline: float,
        credential: Credential | None,
    ) -> Answer:
        secret = credential.secret if credential else ""
        problem: Exception | None = None
        with _clock(deadline) as clock, _unlogged():
            try:
                request.extensions["trace"] = clock.trace
                response = self._client.send(request, stream=True)
                try:
                    content = _content(response, max_bytes, deadline)
                finally:
                    response.close()
            except Exception as error:  # whatever the network and the host do
                late = clock.ended or isinstance(error, _Late)
                problem = self._broken(error, late, secret)
        if problem:
            # Not while the other is handled: exceptions of httpx hold the request, and it the secret.
            raise problem
        headers = {
            name.lower(): value.replace(secret, _HIDDEN) if secret else value
            for name, value in response.headers.items()
            if name.lower() not in ("set-cookie", "www-authenticate")
        }
        if secret:
            content = content.replace(secret.encode(), _HIDDEN.encode())
        return Answer(response.status_code, headers, content, url)

    def _broken(self, error: Exception, late: bool, secret: str) -> Exception:
        httpx = self._httpx
        if isinstance(error, Refusal):
            return error
        if late:
            return Broken(
                f"no whole answer within {self._seconds:.0f} seconds", "too_slow", final=True
            )
        if isinstance(error, (_Undecoded, httpx.RemoteProtocolError, httpx.ReadError)):
            return Broken(_said(error, secret), "incomplete")
        if isinstance(error, httpx.InvalidURL):
            return Refusal("not_served", "a redirect to what is no address")
        if isinstance(error, httpx.ReadTimeout):
            return Broken("nothing comes", "too_slow")
        if isinstance(error, httpx.HTTPError | OSError) or self._client.is_closed:
            return Broken(_said(error, secret))
        return error if not secret else RuntimeError(_said(error, secret))


def _said(error: Exception, secret: str) -> str:
    said = described(error)
    return one_line(said.replace(secret, _HIDDEN) if secret else said)


def _joined(url: str, location: str) -> str:
    try:
        return urljoin(url, location)
    except ValueError as error:
        raise Refusal("not_served", f"a redirect to {quoted(location)}") from error


def _followed(url: str, target: str) -> str:
    """Returns where a redirect leads, if it may lead there."""
    if urlsplit(url).scheme == "https" and urlsplit(target).scheme == "http":
        raise Refusal("not_served", f"a redirect from https to {quoted(target)}")
    if _is_private(target) and not _is_private(url):
        raise Refusal(
            "not_served", f"a redirect to {quoted(target)}, an address inside of a network"
        )
    return target


def _is_private(url: str) -> bool:
    """Whether an address names a host that the internet doesn't have.

    >>> _is_private("http://127.0.0.1/"), _is_private("http://[::1]/"), _is_private("http://a.org/")
    (True, True, False)
    """
    host = urlsplit(url).hostname or ""
    try:
        return not ip_address(host).is_global
    except ValueError:
        return host == "localhost" or host.endswith((".localhost", ".local", ".internal"))


class _Late(Exception):
    """A body whose time is over."""


class _Undecoded(Exception):
    """A body that does not end as its encoding does."""


def _content(response: "httpx.Response", max_bytes: int, deadline: float) -> bytes:
    """The body, decompressed piece by piece, so that a bomb takes no memory."""
    encoding = response.headers.get("content-encoding", "").strip().lower()
    if encoding in _GZIP:
        pieces = _unzipped(response.iter_raw())
    elif encoding in ("", "identity"):
        pieces = response.iter_raw()
    else:
        raise Refusal(
            "not_served", f"the body is encoded as {quoted(encoding)}, which nobody asked for"
        )
    content = bytearray()
    for piece in pieces:
        content += piece
        if len(content) > max_bytes:
            raise Refusal("too_large", f"more than {max_bytes:,} bytes")
        if time.monotonic() > deadline:
            raise _Late
    return bytes(content)


def _unzipped(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Decompresses the members of a gzip stream, in pieces of bounded size.

    >>> import gzip
    >>> b"".join(_unzipped(iter([gzip.compress(b"a") + gzip.compress(b"b")])))
    b'ab'
    """
    decoder = None
    try:
        for data in pieces:
            while data:
                decoder = decoder or zlib.decompressobj(16 + zlib.MAX_WBITS)
                yield decoder.decompress(data, _PIECE)
                data = decoder.unconsumed_tail
                if decoder.eof:
                    data, decoder = decoder.unused_data, None
    except zlib.error as error:
        raise _Undecoded(f"the body is no whole gzip stream: {error}") from error
    if decoder is not None:
        raise _Undecoded("the gzip stream of the body is cut off")


class _Clock:
    """Shuts the connection of a request down when its time is over, wherever it waits."""

    def __init__(self, deadline: float) -> None:
        self.ended = False
        self._socket: Any = None
        self._timer = threading.Timer(max(deadline - time.monotonic(), 0.0), self._end)
        self._timer.daemon = True

    def trace(self, event: str, info: Mapping[str, Any]) -> None:
        """Learns the socket from httpcore, which calls this for each step."""
        if event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            self._socket = info["return_value"].get_extra_info("socket")
            if self.ended:
                self._shut()

    def start(self) -> None:
        self._timer.start()

    def cancel(self) -> None:
        self._timer.cancel()

    def _end(self) -> None:
        self.ended = True
        self._shut()

    def _shut(self) -> None:
        if self._socket is not None:
            # Not the method of a TLS socket, which first takes its state away from the reader.
            with suppress(OSError):  # it has ended by itself
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)


@contextmanager
def _clock(deadline: float) -> Iterator[_Clock]:
    clock = _Clock(deadline)
    clock.start()
    try:
        yield clock
    finally:
        clock.cancel()


_ours: ContextVar[bool] = ContextVar("ours", default=False)


def _is_not_ours(record: logging.LogRecord) -> bool:
    """Keeps requests out of logs that show their queries, or the headers of what is answered."""
    return not _ours.get()


@contextmanager
def _unlogged() -> Iterator[None]:
    token = _ours.set(True)
    try:
        yield
    finally:
        _ours.reset(token)
