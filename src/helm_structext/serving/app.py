"""The app: POST /v1/score, and what a cluster asks of a server."""

import asyncio
import hmac
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, asynccontextmanager, suppress
from functools import lru_cache
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Depends, FastAPI, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic.json_schema import models_json_schema

from helm_structext import __version__
from helm_structext.formats import FORMATS, rendered_formats
from helm_structext.mmr import scores as mmr_scores
from helm_structext.mmr.tasks import KINDS
from helm_structext.passport import make_reward_passport
from helm_structext.protocols import PROTOCOLS
from helm_structext.renderers import engine_of
from helm_structext.rewards import COMPONENTS, GUARDS
from helm_structext.rewards.batch import Task
from helm_structext.sandbox import limits_for
from helm_structext.serving.answers import (
    HANDLERS,
    NDJSON,
    CountRequests,
    ScoringResponse,
    pieces,
    problem,
)
from helm_structext.serving.items import tasks
from helm_structext.serving.messages import (
    FormatInfo,
    Formats,
    Item,
    NumberedResult,
    PassportInfo,
    Problem,
    Refusal,
    ScoreRequest,
    ScoreResponse,
    TaskInfo,
)
from helm_structext.serving.refusals import MAX_PROBLEMS, RequestRefused, wrong
from helm_structext.serving.service import ServerSettings, Service, host_of, is_loopback
from helm_structext.structeval import scores as structeval_scores
from helm_structext.structeval.tasks import TASKS
from helm_structext.texts import describe_error, one_line, parse_json

WARM_SECONDS = 10
"""Between two attempts to warm up."""

MAX_VALUES = 10_000
"""In an item, and in a request beside its items."""

_log = logging.getLogger("helm.structext")
_router = APIRouter()
_item: TypeAdapter[Item] = TypeAdapter(Item)


def create_app(settings: ServerSettings | None = None) -> FastAPI:
    """Returns the app, for uvicorn or any other server of ASGI apps.

    Raises:
        SetupError: the settings can't be.
    """
    service = Service(settings or ServerSettings())

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        warming = asyncio.create_task(_warm_up(service))
        try:
            yield
        finally:
            service.abort()
            warming.cancel()
            with suppress(asyncio.CancelledError):
                await warming

    app = App(
        title="helm-structext",
        summary="Scores of rendered and structured output, as rewards for training.",
        version=__version__,
        lifespan=lifespan,
        docs_url=None,  # its page loads scripts from elsewhere
        redoc_url=None,
        exception_handlers=HANDLERS,
        responses={401: {"model": Refusal}, 403: {"model": Refusal}},
    )
    app.state.service = service
    app.include_router(_router)
    app.add_middleware(CountRequests, service=service)
    return app


async def _warm_up(service: Service) -> None:
    while not await service.warm_up():
        _log.error("The server is not ready: %s", service.not_ready)
        await asyncio.sleep(WARM_SECONDS)


def _service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


T = TypeVar("T")
Shared = Annotated[Service, Depends(_service)]
_bearer = HTTPBearer(auto_error=False, description="The token that the server was started with.")


def _authorize(
    request: Request,
    service: Shared,
    given: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
) -> None:
    """Lets in who has the token. Without one, no page of a browser gets in by a name of its own."""
    token = service.settings.token
    if token is None:
        if not is_loopback(host_of(request.headers.get("host", ""))):
            raise RequestRefused(
                403, "a server without a token answers to loopback addresses alone"
            )
    elif given is None or not hmac.compare_digest(given.credentials.encode(), token.encode()):
        raise RequestRefused(401, "the token is missing or wrong: Authorization: Bearer …")


@_router.get("/healthz")
async def healthz() -> dict[str, bool]:
    """Whether the server answers."""
    return {"healthy": True}


@_router.get("/readyz", responses={503: {"model": Refusal}})
async def readyz(service: Shared) -> dict[str, bool]:
    """Whether each format that is kept warm has rendered, and the server does not stop."""
    service.check_open()
    if service.not_ready is not None:
        raise RequestRefused(503, one_line(service.not_ready), retry_after=1)
    return {"ready": True}


@_router.get("/metrics", dependencies=[Depends(_authorize)], response_class=Response)
def metrics(service: Shared) -> Response:
    """What Prometheus reads."""
    return Response(generate_latest(service.telemetry.registry), media_type=CONTENT_TYPE_LATEST)


@_router.get("/v1/formats", dependencies=[Depends(_authorize)])
def formats(service: Shared) -> Formats:
    """What can be scored, and by what."""
    return Formats(
        **_list_scored(),
        entries=service.components,
        max_items=service.settings.max_items,
        max_bytes=service.settings.max_bytes,
    )


@_router.get("/v1/passport", dependencies=[Depends(_authorize)])
def passport(service: Shared) -> PassportInfo:
    """All that can change a picture or a score of this server, and one hash of it."""
    judge = service.settings.judge
    found = make_reward_passport().having(judge=judge if service.judge else None)
    return PassportInfo(passport=found.hash, parts=dict(found.parts))


@lru_cache(maxsize=1)
def _list_scored() -> dict[str, Any]:
    seconds = {
        name: limits_for(name, engine_of(name).limits).seconds for name in rendered_formats()
    }
    return {
        "formats": {
            name: FormatInfo(name=FORMATS[name].name, seconds=seconds[name]) for name in seconds
        },
        "tasks": {
            name: TaskInfo(format=task.format, rendered=task.rendered)
            for name, task in TASKS.items()
        },
        "kinds": [*KINDS],
        "components": {
            "format": [*COMPONENTS],
            "task": [*structeval_scores.METRICS],
            "kind": [*mmr_scores.METRICS, *mmr_scores.LENIENT_METRICS],
        },
        "guards": [*GUARDS],
        "protocols": [*PROTOCOLS],
    }


SCHEMAS = "#/components/schemas/"


def _schema(model: type[BaseModel]) -> dict[str, Any]:
    return {"schema": {"$ref": f"{SCHEMAS}{model.__name__}"}}


class App(FastAPI):
    """Knows the schemas of the bodies that it reads and writes itself."""

    def openapi(self) -> dict[str, Any]:
        """Returns what /openapi.json shows."""
        if self.openapi_schema is None:
            own = [(ScoreRequest, "validation"), (ScoreResponse, "validation")]
            own += [(NumberedResult, "validation")]
            _, found = models_json_schema(own, ref_template=f"{SCHEMAS}{{model}}")  # type: ignore[arg-type]
            super().openapi()["components"]["schemas"].update(found["$defs"])
        return super().openapi()


@_router.post(
    "/v1/score",
    dependencies=[Depends(_authorize)],
    response_class=Response,
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/json": _schema(ScoreRequest)},
        }
    },
    responses={
        200: {
            "description": "A result for each item: in order, or as they come, one in a line.",
            "content": {
                "application/json": _schema(ScoreResponse),
                NDJSON: _schema(NumberedResult),
            },
        },
        **{
            status: {"model": Refusal, "description": about}
            for status, about in {
                400: "The body is not JSON.",
                413: "The body is too large, or has too many items.",
                415: "The body is not said to be JSON.",
                422: "Options or types are wrong; nothing of the request was scored.",
                429: "Too much waits; Retry-After says when to come back.",
                503: "The server stops.",
            }.items()
        },
    },
)
async def score(
    request: Request,
    service: Shared,
    stream: Annotated[bool, Query(description=f"As by `Accept: {NDJSON}`.")] = False,
) -> Response:
    """Scores completions.

    Who closes the connection cancels what is left of the request.
    """
    service.check_open()
    as_they_come = stream or NDJSON in request.headers.get("accept", "")
    with ExitStack() as stack:
        hold = stack.enter_context(service.holding())
        length = request.headers.get("content-length", "").lstrip("0")
        if length.isdecimal() and (len(length) > 18 or int(length) > service.settings.max_bytes):
            raise service.too_large()
        # Blanks and tabs alone: a no-break space makes it another type, which browsers send without asking.
        said = request.headers.get("content-type", "").partition(";")[0].strip(" \t")
        if said.lower() != "application/json":
            raise RequestRefused(415, "expected the header Content-Type: application/json")
        data = bytearray()
        async for piece in pieces(request):
            hold(len(piece))
            data += piece
        asked, listed = await run_in_threadpool(_read, data, service)
        batch = service.begin(listed, asked.seconds)
        stack.callback(service.end, batch)
        return ScoringResponse(batch, listed, service, as_they_come, stack.pop_all())


def _read(data: bytearray, service: Service) -> tuple[ScoreRequest, list[Task]]:
    """Reads the body of a request.

    Raises:
        RequestRefused: it can't be read.
    """
    try:
        said = parse_json(bytes(data), MAX_VALUES * service.settings.max_items)
    except ValueError as error:
        raise RequestRefused(400, f"the body is not JSON: {describe_error(error)}") from error
    items = said.get("items") if isinstance(said, dict) else None
    if isinstance(items, list):
        if len(items) > service.settings.max_items:
            message = f"a request has at most {service.settings.max_items} items, not {len(items)}"
            raise RequestRefused(413, message)
        said = {**said, "items": []}
    asked = _valid(ScoreRequest.model_validate, said)
    if items:
        asked = asked.model_copy(update={"items": _items(items)})
    return asked, tasks(asked, service.folders, service.judge, service.settings.entries)


def _items(said: list[Any]) -> list[Item]:
    """Validates item by item, and no more once enough is wrong: each of pydantic's messages takes 1.6 kB."""
    items: list[Item] = []
    problems: list[Problem] = []
    for number, item in enumerate(said):
        try:
            items.append(_valid(_item.validate_python, item, number))
        except RequestRefused as refused:
            problems += refused.problems
            if len(problems) >= MAX_PROBLEMS:
                break
    if problems:
        raise wrong(problems)
    return items


def _valid(validate: Callable[[Any], T], said: Any, number: int | None = None) -> T:
    """Returns what a validator of pydantic's makes of a value, which may have few values in it.

    Raises:
        RequestRefused: with what is wrong with it.
    """
    if _holds_many(said):
        reason = f"it holds more than {MAX_VALUES:,} values"
        raise wrong([Problem(item=number, reason=reason)])
    try:
        return validate(said)
    except ValidationError as error:
        listed = error.errors(include_url=False, include_input=False, include_context=False)
        place = () if number is None else ("items", number)
        raise wrong([problem({**one, "loc": (*place, *one["loc"])}) for one in listed]) from error


def _holds_many(said: Any) -> bool:
    """Whether a value has more than `MAX_VALUES` in it."""
    left, found = [said], 0
    while left and found <= MAX_VALUES:
        match left.pop():
            case dict(pairs):
                left += pairs.values()
                found += len(pairs)
            case list(values):
                left += values
                found += len(values)
    return found > MAX_VALUES
