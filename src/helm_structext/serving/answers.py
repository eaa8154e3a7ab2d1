"""How requests are answered: with results in order or as they come, or with a refusal."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack, suppress
from typing import Any

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from helm_structext.rewards import Batch, RewardResult
from helm_structext.rewards.batch import Task
from helm_structext.rewards.result import result_record
from helm_structext.scoring.handling import UNFINISHED
from helm_structext.serving.messages import NAMES, Problem
from helm_structext.serving.refusals import RequestRefused, wrong
from helm_structext.serving.service import Service
from helm_structext.texts import describe_error, one_line

LINGER_SECONDS = 5
"""For the rest of a body that is refused."""
NDJSON = "application/x-ndjson"


class ScoringResponse(Response):
    """The answer to a request for scores, which is worked out as it is sent.

    Args:
        batch: has begun.
        listed: its tasks.
        service: of the server.
        as_they_come: a line for each result, instead of all in order.
        held: what is let go at the end, batch and all.
    """

    def __init__(
        self,
        batch: Batch,
        listed: Sequence[Task],
        service: Service,
        as_they_come: bool,
        held: ExitStack,
    ) -> None:
        super().__init__()
        self._batch, self._lanes = batch, [task.lane for task in listed]
        self._service, self._as_they_come, self._held = service, as_they_come, held

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        watching = asyncio.create_task(self._watch(receive))
        try:
            if self._as_they_come:
                await self._send_lines(send)
            else:
                await (await self._answer())(scope, receive, send)
        finally:
            watching.cancel()
            self._held.close()

    async def _watch(self, receive: Receive) -> None:
        """Cancels the batch when the client has gone."""
        while (await receive())["type"] != "http.disconnect":
            pass
        self._batch.cancel()

    async def _answer(self) -> Response:
        results = await self._batch.results_async()
        for lane, result in zip(self._lanes, results, strict=True):
            self._service.telemetry.count(lane, result)
        if any(map(self._is_left, results)):
            return _refusal(
                RequestRefused(503, "the server stops, and has not finished", retry_after=1)
            )
        return _json({"results": [result_record(result) for result in results]})

    async def _send_lines(self, send: Send) -> None:
        headers = [(b"content-type", NDJSON.encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        async for number, result in self._batch.as_completed_async():
            self._service.telemetry.count(self._lanes[number], result)
            if self._is_left(result):
                continue  # Who misses its line asks for it again.
            line = _dump({"item": number, **result_record(result)}) + b"\n"
            await send({"type": "http.response.body", "body": line, "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    def _is_left(self, result: RewardResult) -> bool:
        """Whether there is no result because the server stops."""
        return self._service.aborted and result.error_kind == UNFINISHED


class CountRequests:
    """Counts the answers of an app by their status.

    Args:
        app: of ASGI.
        service: of the server.
    """

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self._app, self._requests = app, service.telemetry.requests

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def count(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._requests.labels(message["status"]).inc()
            await send(message)

        try:
            await self._app(scope, receive, count)
        except Exception:  # answered outside of here
            self._requests.labels(500).inc()
            raise


def problem(error: Any) -> Problem:
    """Returns what one of pydantic's errors says of a request."""
    place = [str(part) for part in error["loc"]]
    number = None
    if place[:1] == ["items"] and len(place) > 1:  # then the tag of its kind, if it has one
        number, place = int(place[1]), place[3 if place[2:3] and place[2] in NAMES else 2 :]
    return Problem(item=number, field=one_line(".".join(place), 200), reason=error["msg"])


def _dump(value: Any) -> bytes:
    """JSON that is ASCII, for what a completion's words leave in messages; never NaN."""
    return json.dumps(value, allow_nan=False).encode()


def _json(value: Any, status: int = 200) -> Response:
    return Response(_dump(value), status, media_type="application/json")


def _refusal(refused: RequestRefused) -> Response:
    problems = [problem.model_dump() for problem in refused.problems]
    response = _json({"message": refused.message, "problems": problems}, refused.status)
    if refused.retry_after is not None:
        response.headers["retry-after"] = str(int(refused.retry_after))
    if refused.status == 401:
        response.headers["www-authenticate"] = "Bearer"
    return response


async def pieces(request: Request) -> AsyncIterator[bytes]:
    """Yields what of a request's body has not been read yet.

    Raises:
        ClientDisconnect: there will be no more.
    """
    while not hasattr(request.state, "body_read"):
        message = await request.receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        if not message.get("more_body", False):
            request.state.body_read = True
        yield message.get("body", b"")


async def _refuse(request: Request, error: Any) -> Response:
    if request.method == "POST":
        # A client that still sends would see a broken connection instead of the answer.
        with suppress(ClientDisconnect, asyncio.TimeoutError):
            await asyncio.wait_for(_leave_rest(request), LINGER_SECONDS)
    response = _refusal(error)
    if request.method == "POST" and not hasattr(request.state, "body_read"):
        response.headers["connection"] = "close"  # or the rest is read for ever
    return response


async def _leave_rest(request: Request) -> None:
    """Reads what is left of a body, within bounds, and forgets it."""
    left = request.app.state.service.settings.max_bytes
    async for piece in pieces(request):
        left -= len(piece)
        if left < 0:
            return


async def _refuse_path(request: Request, error: Any) -> Response:
    return _refusal(RequestRefused(error.status_code, one_line(str(error.detail))))


async def _refuse_parameters(request: Request, error: Any) -> Response:
    places = (".".join(map(str, one["loc"])) for one in error.errors())
    problems = [
        Problem(field=one_line(place, 200), reason=one["msg"])
        for place, one in zip(places, error.errors(), strict=True)
    ]
    return _refusal(wrong(problems))


async def _gone(request: Request, error: Any) -> Response:
    return _refusal(RequestRefused(499, "the client has gone"))  # nobody reads it


async def _fail(request: Request, error: Any) -> Response:
    return _refusal(RequestRefused(500, f"a bug of ours: {describe_error(error)}"))


HANDLERS: dict[Any, Any] = {
    RequestRefused: _refuse,
    HTTPException: _refuse_path,
    RequestValidationError: _refuse_parameters,
    ClientDisconnect: _gone,
    Exception: _fail,
}
