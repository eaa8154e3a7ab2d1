"""Asking hosts: politely, within bounds, and each question once."""

import json
import logging
import os
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any, NoReturn
from urllib.parse import urlsplit

from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_exception_type,
    wait_exponential,
    wait_random_exponential,
)

from helm_structext import __version__
from helm_structext.errors import SetupError
from helm_structext.image2struct.collect.answers import (
    MAX_BYTES,
    OK,
    Answers,
    HostRequest,
    HostResponse,
)
from helm_structext.image2struct.collect.refusals import CandidateRefused
from helm_structext.image2struct.collect.transfer import Credential, NoAnswer, Wire, absolute
from helm_structext.image2struct.collect.waits import Turn, is_limited, stated_wait
from helm_structext.texts import one_line, quote_value

__all__ = ["HOSTS", "Host", "HostClient", "HostResponse", "check_contact", "check_credentials"]

_log = logging.getLogger("helm.structext")


@dataclass(frozen=True)
class Host:
    """What a host asks of its users.

    Args:
        turn: hosts with the same turn are asked one at a time, all together.
        pause: seconds between the end of an answer and the next request.
        variable: environment variable of a credential, if it knows any.
        header: that carries the credential.
        form: of the header's value.
    """

    turn: str
    pause: float
    variable: str = ""
    header: str = "authorization"
    form: str = "Bearer {}"


HOSTS: Mapping[str, Host] = {
    # "no more than one request every three seconds, … a single connection at a time"
    # (arXiv API, terms of use).
    "arxiv-oai": Host("arxiv", 3.0),
    "arxiv-eprint": Host("arxiv", 3.0),
    # One at a time; a search has a limit of its own, of 30 a minute (GitHub REST API, best practices
    # and rate limits for search).
    "github-api": Host("github-api", 1.0, "GITHUB_TOKEN"),
    "github-search": Host("github-search", 2.1, "GITHUB_TOKEN"),
    "imslp-api": Host("imslp", 2.0),
    "imslp-files": Host("imslp", 2.0),
    # One request a second unless more was granted (Perspective API, limits and errors).
    "perspective": Host("perspective", 1.0, "PERSPECTIVE_API_KEY", "x-goog-api-key", "{}"),
    "moderation": Host("moderation", 0.0, "MODERATION_API_KEY"),
}
"""What is known of hosts, by the names of their addresses."""

USUAL_PAUSE = 1.0
"""Seconds between requests to any other host."""

MAX_TRIES = 7
"""Of one question, where errors, limits or broken connections are the answer."""
BACKOFF = wait_random_exponential(multiplier=2, max=120)
"""Seconds after errors: exponential, with full jitter.

Source: Brooker, Exponential Backoff and Jitter, AWS Architecture Blog (2015)."""
LIMITED = wait_exponential(multiplier=60)
"""Seconds after a limit of which a host does not say how long it lasts (GitHub's advice)."""
MAX_STATED_WAIT = 3700.0
"""Seconds for which a host may want to be left alone while a command waits (GitHub's hour)."""
LOST = 3
"""Questions in turn that a host may leave without an answer, before it counts as out of order."""
TOLD_SECONDS = 10.0
"""Longer waits are told."""

NOT_HAD: Mapping[int, str] = {
    404: "not_found",
    410: "not_found",
    403: "forbidden",
    451: "forbidden",
}
"""States that say that one thing can't be had, and the name under which that is counted."""

STOPPED = "stopped; give the same command again to go on"

_MAX_SAID = 300
"""Characters of an answer that a message quotes."""

_download: ContextVar[str] = ContextVar("download", default="")


def check_contact(contact: str) -> str:
    """Returns a contact that a host can use: an address of mail or of a page.

    Raises:
        SetupError: it is none.

    >>> check_contact("me@example.org")
    'me@example.org'
    >>> check_contact("nobody")
    Traceback (most recent call last):
    helm_structext.errors.SetupError: --contact is 'nobody'; hosts want an address of mail ...
    """
    usable = contact.isascii() and contact.isprintable() and not set(contact) & set(' ()<>"')
    if usable and ("@" in contact[1:-1] or contact.startswith(("https://", "http://"))):
        return contact
    raise SetupError(
        f"--contact is {quote_value(contact)}; hosts want an address of mail or of a page, to write to "
        f"if a collector gives them trouble (or set HELM_STRUCTEXT_CONTACT)"
    )


def check_credentials(variables: tuple[str, ...]) -> None:
    """Looks for credentials before the first request.

    Raises:
        SetupError: an environment variable is not set, or its value fits in no header.
    """
    for variable in variables:
        if not os.environ.get(variable):
            raise SetupError(f"Set the environment variable {variable} to a credential of yours")
    for variable in {*variables, *(host.variable for host in HOSTS.values() if host.variable)}:
        value = os.environ.get(variable, "")
        if not (value.isascii() and value.isprintable()) or " " in value:
            raise SetupError(f"{variable} holds characters that no credential has; set it anew")


class HostClient:
    """Asks hosts. Threads may share it.

    Args:
        answers: keeps what comes.
        addresses: base address of each host by its name; credentials go to no other.
        contact: for the ``User-Agent``.
        pace: by which all pauses and waits are multiplied; 0 for tests.
        seconds: that one answer may take, from the request to its end.
        told: is called with what is waited for, where that takes long.

    Raises:
        SetupError: the contact is none.
    """

    def __init__(
        self,
        answers: Answers,
        addresses: Mapping[str, str],
        *,
        contact: str,
        pace: float = 1.0,
        seconds: float = 300.0,
        told: Callable[[str], None] = _log.info,
    ) -> None:
        self._answers, self._addresses = answers, addresses
        self._pace, self._told = pace, told
        agent = f"helm-structext/{__version__} (+{check_contact(contact)})"
        self._wire = Wire(agent, seconds)
        self._stopped = threading.Event()
        self._turns: dict[str, Turn] = {}
        self._lost: dict[str, int] = defaultdict(int)
        self._making = threading.Lock()

    def get(
        self,
        url: str,
        params: Mapping[str, str] | None = None,
        *,
        host: str,
        headers: Mapping[str, str] | None = None,
        max_bytes: int = MAX_BYTES,
        accept: frozenset[int] = OK,
        expires: bool = False,
    ) -> HostResponse:
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
            CandidateRefused: this one thing can't be had: 403, 404, 410, 451 and other refusals, a body over
                its bound or slower than it may be, cut off or unreadable time after time; counted as
                ``not_found``, ``forbidden``, ``not_served``, ``too_large``, ``too_slow``,
                ``incomplete``, ``unavailable``.
            SetupError: the host can't be reached, refuses credentials or goes on refusing requests;
                with what to do.
        """
        address = absolute(url, params)
        return self._ask(
            HostRequest(host, "GET", address, headers or {}, None, max_bytes, accept, expires)
        )

    def post(
        self,
        url: str,
        body: Mapping[str, Any],
        *,
        host: str,
        max_bytes: int = MAX_BYTES,
        accept: frozenset[int] = OK,
    ) -> HostResponse:
        """Sends JSON and returns what came, as `get` does; the same body is sent once."""
        sent = json.dumps(body, sort_keys=True).encode()
        headers = {"content-type": "application/json"}
        return self._ask(HostRequest(host, "POST", absolute(url), headers, sent, max_bytes, accept))

    def forget(self, answer: HostResponse) -> None:
        """Drops an answer that turned out to be none, so that it is asked for again."""
        self._answers.forget(answer)

    def close(self) -> None:
        """Ends all waits: whoever is about to ask gets a SetupError."""
        self._stopped.set()

    def _ask(self, question: HostRequest) -> HostResponse:
        if not question.expires and (answer := self._answers.find(question)):
            return answer
        with self._turn(question.host) as turn:
            # Another thread may have asked the same while this one waited.
            if not question.expires and (answer := self._answers.find(question)):
                return answer
            try:
                answer = self._answer(question, turn)
            except CandidateRefused as refusal:
                self._answers.keep(question, refusal, "")
                raise
            if not question.expires:
                self._answers.keep(question, answer, _download.get())
            return answer

    def _turn(self, host: str) -> Turn:
        about = _about(host)
        with self._making:
            pause = about.pause * self._own_pace(host)
            return self._turns.setdefault(about.turn, Turn(pause, self._stopped))

    def _own_pace(self, host: str) -> float:
        """What is on this machine needs no pause but those that it asks for."""
        return 0.0 if _is_here(self._addresses.get(host, "")) else self._pace

    def _answer(self, question: HostRequest, turn: Turn) -> HostResponse:
        """Asks until there is an answer that is one."""
        earlier = self._answers.earlier(question)
        conditions = earlier[1] if earlier else {}
        asked = replace(question, headers={**question.headers, **conditions})
        trying = Retrying(
            retry=retry_if_exception_type(NoAnswer),
            wait=self._seconds_to_wait,
            stop=_is_last,
            sleep=lambda seconds: turn.leave_alone(seconds * self._pace),
            retry_error_callback=lambda state: self._give_up(question, state),
        )
        answer: HostResponse = trying(self._try, asked, turn)
        self._lost[question.host] = 0
        if answer.status in question.accept:
            return answer
        if answer.status == 304 and earlier:
            return earlier[0]
        said = one_line(answer.content[: 4 * _MAX_SAID].decode(errors="replace"), _MAX_SAID)
        if answer.status == 401:
            variable = _about(question.host).variable
            how = f"set {variable} to a valid credential" if variable else "it wants a credential"
            raise SetupError(f"{_name(question)} refuses access (401): {how}")
        raise CandidateRefused(
            NOT_HAD.get(answer.status, "not_served"),
            f"{_name(question)} answers {answer.status}: {said}",
        )

    def _try(self, question: HostRequest, turn: Turn) -> HostResponse:
        """Asks once, when it is the turn for it."""
        if (seconds := turn.left()) > TOLD_SECONDS:
            self._told(f"{_name(question)}: the next request in {seconds:,.0f} seconds")
        if not turn.wait():
            raise SetupError(STOPPED)
        try:
            answer = self._wire.send(question, self._credential(question.host))
        finally:
            turn.leave_alone()
        wait = stated_wait(answer.headers, time.time())
        turn.leave_alone(min(wait or 0.0, MAX_STATED_WAIT) * self._pace)
        if is_limited(answer):
            raise NoAnswer(f"it answers {answer.status}", wait=wait, limited=True)
        if answer.status >= 500 and answer.status not in question.accept:
            raise NoAnswer(f"it answers {answer.status}", "unavailable", wait)
        return answer

    def _seconds_to_wait(self, state: RetryCallState) -> float:
        problem, question = _problem(state), state.args[0]
        if problem.wait is not None:
            return problem.wait
        return LIMITED(state) if problem.limited else BACKOFF(state) * self._own_pace(question.host)

    def _give_up(self, question: HostRequest, state: RetryCallState) -> NoReturn:
        problem = _problem(state)
        if problem.limited:
            raise SetupError(
                f"{_name(question)} lets nobody ask for the next {state.upcoming_sleep:,.0f} "
                f"seconds ({problem}): give the same command again then, it goes on where it stopped"
            )
        self._lost[question.host] += 1
        if not problem.filter or self._lost[question.host] >= LOST:
            raise SetupError(
                f"{_name(question)} can't be asked ({problem}): look whether it works, and give "
                f"the same command again, which goes on where it stopped"
            )
        raise CandidateRefused(problem.filter, f"{_name(question)}: {problem}")

    def _credential(self, host: str) -> Credential | None:
        """Read at the last moment, for the address of the host alone."""
        about = _about(host)
        secret = os.environ.get(about.variable, "") if about.variable else ""
        if not secret or host not in self._addresses:
            return None
        return Credential(secret, self._addresses[host], about.header, about.form.format(secret))


def _problem(state: RetryCallState) -> NoAnswer:
    error = state.outcome.exception() if state.outcome else None
    assert isinstance(error, NoAnswer)
    return error


def _is_last(state: RetryCallState) -> bool:
    tried, wait = state.attempt_number, state.upcoming_sleep
    return tried >= MAX_TRIES or wait > MAX_STATED_WAIT or _problem(state).final


def _name(question: HostRequest) -> str:
    return f"{question.host} ({urlsplit(question.url).netloc})"


def _about(host: str) -> Host:
    return HOSTS.get(host) or Host(host, USUAL_PAUSE)


def _is_here(address: str) -> bool:
    """Says whether an address is on this machine."""
    return urlsplit(address).hostname in ("127.0.0.1", "localhost", "::1")


@contextmanager
def downloading(candidate: str) -> Iterator[None]:
    """Downloads in here are dropped from the journal when the candidate's outcome is in it."""
    token = _download.set(candidate)
    try:
        yield
    finally:
        _download.reset(token)
