"""Asking hosts: politely, within bounds, and each question once."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class Answer:
    """What a host said, whole.

    Args:
        status: HTTP's.
        headers: by their names in lower case.
        content: the body, decompressed as HTTP says, within the bound that was asked for.
        url: from where it came in the end.
    """

    status: int
    headers: Mapping[str, str]
    content: bytes
    url: str


class Client(Protocol):
    """Asks hosts."""

    def get(
        self,
        url: str,
        params: Mapping[str, str] | None = None,
        *,
        host: str,
        headers: Mapping[str, str] | None = None,
        max_bytes: int = 64 * 2**20,
        accept: frozenset[int] = frozenset({200}),
        expires: bool = False,
    ) -> Answer:
        """Asks for an address, unless it was asked before in this round.

        Args:
            url: absolute.
            params: of the query; no secrets.
            host: the name of the host in `Tools.addresses`, whose pace and credentials count.
            headers: no secrets.
            max_bytes: of the body.
            accept: the states that are answers to the caller; retried are 429, 5xx, rate limits and
                broken connections, until a stated time is over.
            expires: the address is good for this process only (a token): never taken from the store.

        Raises:
            Refusal: this one thing can't be had: 403, 404, 410, 451, a body over its bound or slower
                than it may be, counted as ``not_found``, ``forbidden``, ``too_large``, ``too_slow``.
            SetupError: the host can't be reached, refuses credentials or goes on refusing requests;
                with what to do.
        """

    def post(self, url: str, body: Mapping[str, Any], *, host: str) -> Answer:
        """Sends JSON and returns what came, as `get` does; the same body is sent once."""
