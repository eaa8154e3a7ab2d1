"""How long hosts are left alone: between requests, after errors, and as they say themselves."""

import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Self

from helm_structext.image2struct.collect.answers import HostResponse

_LIMITED = b"rate limit"
"""What GitHub writes, with 403, where a limit has no headers."""

_LATER = frozenset({"maxlag", "ratelimited", "readonly"})
"""Errors of MediaWiki's API that pass; they come with 200."""

_MAX_DIGITS, _MAX_DATE = 12, 60


def is_limited(answer: HostResponse) -> bool:
    """Says whether an answer only means that there were too many requests.

    >>> is_limited(HostResponse(403, {"x-ratelimit-remaining": "0"}, b"", "")), is_limited(
    ...     HostResponse(403, {}, b"Forbidden", "")
    ... )
    (True, False)
    """
    if answer.status == 429 or answer.headers.get("mediawiki-api-error") in _LATER:
        return True
    return answer.status == 403 and (
        "retry-after" in answer.headers
        or answer.headers.get("x-ratelimit-remaining") == "0"
        or _LIMITED in answer.content.lower()
    )


def stated_wait(headers: Mapping[str, str], now: float) -> float | None:
    """Returns the seconds for which a host wants no request, or None if it does not say.

    Args:
        headers: of its answer: ``Retry-After`` in seconds or as a date (RFC 9110, 10.2.3), or no
            request left until ``X-RateLimit-Reset`` (GitHub's).
        now: seconds since 1970, if the answer has no date of its own.

    >>> stated_wait({"retry-after": "7"}, 0.0)
    7.0
    >>> stated_wait({"retry-after": "Thu, 01 Jan 1970 00:01:00 GMT"}, 20.0)
    40.0
    >>> stated_wait({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "90"}, 60.0)
    30.0
    >>> stated_wait({"x-ratelimit-remaining": "1", "x-ratelimit-reset": "90"}, 60.0) is None
    True
    """
    retry = headers.get("retry-after", "").strip()
    if (seconds := _number(retry)) is not None:
        return seconds
    until = _date(retry)
    if until is None and headers.get("x-ratelimit-remaining") == "0":
        until = _number(headers.get("x-ratelimit-reset", ""))
    return None if until is None else max(until - (_date(headers.get("date", "")) or now), 0.0)


def _number(text: str) -> float | None:
    return float(text) if text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS else None


def _date(text: str) -> float | None:
    with suppress(ValueError, TypeError, OverflowError, IndexError):
        date = parsedate_to_datetime(text[:_MAX_DATE])
        return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
    return None


class Turn:
    """One request at a time, and a pause after each answer.

    Args:
        pause: seconds between the end of an answer and the next request.
        stopped: ends every wait.

    >>> with Turn(0.0, threading.Event()) as turn:
    ...     turn.wait()
    True
    """

    def __init__(self, pause: float, stopped: threading.Event) -> None:
        self._pause, self._stopped = pause, stopped
        self._lock = threading.Lock()
        self._next = 0.0

    def __enter__(self) -> Self:
        self._lock.acquire()
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def left(self) -> float:
        """Returns the seconds until a request may be sent; below 0 if it may."""
        return self._next - time.monotonic()

    def wait(self) -> bool:
        """Waits until a request may be sent; False if the client was stopped before."""
        while (seconds := self.left()) > 0:
            if self._stopped.wait(seconds):
                break
        return not self._stopped.is_set()

    def leave_alone(self, seconds: float = 0.0) -> None:
        """Sends no request before the pause is over, or as many seconds if these are more."""
        self._next = max(self._next, time.monotonic() + max(self._pause, seconds))
