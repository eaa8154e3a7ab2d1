"""The model that is tried: described to HELM, its server up, its key there, and asked by HELM's own client."""

import contextlib
import io
import os
import socket
from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from inspect import signature
from pathlib import Path
from tempfile import NamedTemporaryFile
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from helm.common.media_object import MediaObject, MultimediaObject
from helm.common.request import GeneratedOutput, Request, RequestResult
from PIL import Image, ImageDraw, ImageFont

from helm_structext.baselines import is_offline
from helm_structext.errors import SetupError
from helm_structext.helm.judge import Meter, attach_meter, token_counts
from helm_structext.models.advice import PICTURE_REMEDY, add_advice, picture_remedy, run_command
from helm_structext.models.hosts import PICTURE_TAGS
from helm_structext.planning.records import text_tokens
from helm_structext.texts import describe_error, one_line, quote_value
from helm_structext.trial.checks import CheckFailed, Deadline

if TYPE_CHECKING:
    from helm.benchmark.model_deployment_registry import ModelDeployment
    from helm.clients.client import Client
    from helm.common.local_context import LocalContext

CONNECT_SECONDS = 3.0
"""How long a server may take to say that it is there."""

MAX_TOKENS = 500
"""Of a short answer; models that reason first need them."""

NUMBER = "4071"
"""What stands in the picture of the second request."""

Step = tuple[str, Callable[[], str]]


class Speed(NamedTuple):
    """What an answer took.

    Args:
        seconds: from the request to its end.
        tokens: of the answer.
        exact: whether the server has counted them.

    >>> print(Speed(12.5, 250, exact=True))
    12.5 seconds for 250 tokens, 20 tokens per second
    """

    seconds: float
    tokens: int
    exact: bool

    @property
    def tokens_per_second(self) -> float:
        return self.tokens / max(self.seconds, 1e-3)

    def __str__(self) -> str:
        about = "" if self.exact else "about "
        per_second = f"{self.tokens_per_second:.3g}"
        return f"{self.seconds:.1f} seconds for {about}{self.tokens} tokens, {about}{per_second} tokens per second"


class Candidate:
    """A model, known by its name until the steps have found the rest, in their order.

    Args:
        name: HELM's name of the model, or of a deployment.
        local_path: HELM's folder with model files and credentials.
        deadline: of all requests.

    Attributes:
        context: what HELM runs with, without its cache: what is tried is really asked. None
            until the first step.
        reads_pictures: whether the model is described as a vision-language model.
        takes_pictures: whether it has answered to one.
        speed: of the latest answer, if there is one.
    """

    def __init__(self, name: str, local_path: Path, deadline: Deadline) -> None:
        self.name = name
        self._local_path = local_path
        self._deadline = deadline
        self.context: LocalContext | None = None
        self.reads_pictures = False
        self.takes_pictures = False
        self._deployment: ModelDeployment
        self._client: Client
        self._meter: Meter | None
        self.speed: Speed | None = None

    def steps(self) -> Iterator[Step]:
        """Yields the steps; each needs those before it."""
        yield "model", self._described
        yield "extra", self._installed
        yield "key", self._with_key
        yield "server", self._reachable
        yield "text", self._answers

    def _described(self) -> str:
        import helm.benchmark.model_deployment_registry as deployments
        from helm.benchmark import config_registry, model_metadata_registry
        from helm.common.local_context import LocalContext

        import helm_structext.helm.plugin  # noqa: F401 (registers)

        if is_offline(self.name):
            raise SetupError(
                f"{self.name} is an offline model, which needs no server: "
                f"`{run_command(self.name, self._local_path)}` runs it"
            )
        try:
            config_registry.register_builtin_configs_from_helm_package()
            config_registry.register_configs_from_directory(str(self._local_path))
            # HELM prints where it looks for credentials.
            with contextlib.redirect_stdout(io.StringIO()):
                self.context = LocalContext(str(self._local_path))
        except Exception as error:  # whatever a user's file leads to
            raise SetupError(
                f"{self._local_path} has a file that HELM can't read: {describe_error(error)}"
            ) from error
        name = deployments.get_default_model_deployment_for_model(self.name) or self.name
        try:
            self._deployment = deployments.get_model_deployment(name)
            model = self._deployment.model_name or name
            metadata = model_metadata_registry.get_model_metadata(model)
        except Exception as error:  # HELM's own kinds, one for each
            near = get_close_matches(self.name, model_metadata_registry.get_all_models(), 1)
            meant = f"did you mean {near[0]}? " if near else ""
            raise SetupError(
                f"HELM knows no model {self.name}; {meant}`helm-structext add-model {self.name} "
                f"--base-url URL --local-path {self._local_path}` describes one"
            ) from error
        self.reads_pictures = PICTURE_TAGS[0] in metadata.tags
        kind = "reads pictures" if self.reads_pictures else "reads text only"
        return f"{model} {kind}; it is asked as {name}"

    def _installed(self) -> str:
        from helm.common.object_spec import get_class_by_name

        name = self._deployment.client_spec.class_name
        try:
            client = get_class_by_name(name)
        except Exception as error:  # HELM's advice, or whatever a module of the user's raises
            # Of some packages HELM says itself how to get them.
            missing = error.name if isinstance(error, ModuleNotFoundError) else None
            why = add_advice(f"No module named '{missing}'") if missing else str(error)
            client_name = name.rpartition(".")[2]
            raise SetupError(
                f"{client_name} can't be loaded: {why or describe_error(error)}"
            ) from error
        self._wants_key = "api_key" in signature(client.__init__).parameters
        return name

    def _with_key(self) -> str:
        from helm.common.credentials_utils import provide_api_key

        assert self.context is not None
        host = self._deployment.host_organization
        credentials = self.context.client.credentials
        given = (self._deployment.client_spec.args or {}).get("api_key")
        variable = f"{host.upper().replace('-', '_')}_API_KEY"
        key = given or provide_api_key(credentials, host, self._deployment.name)
        if self._wants_key and not key and not os.environ.get(variable):
            raise SetupError(
                f'{host} asks for a key: add the line {host}ApiKey: "…" to '
                f"{self._local_path / 'credentials.conf'}"
            )
        try:
            self._client = self.context.client._get_client(self._deployment.name)
            self._meter = attach_meter(self._client)
        except Exception as error:  # a provider's own
            raise SetupError(add_advice(describe_error(error))) from error
        return "there" if self._wants_key else "none is needed"

    def _reachable(self) -> str:
        url = getattr(getattr(self._client, "client", None), "base_url", None)
        if url is None:
            return "its client does not say where; the next request shows"
        url = str(url)
        host, port = _first_hop(url)
        try:
            socket.create_connection((host, port), CONNECT_SECONDS).close()
        except OSError as error:
            raise CheckFailed(
                "model",
                f"nothing answers at {url} ({error}): start the server, or correct base_url in "
                f"{self._local_path / 'model_deployments.yaml'}",
            ) from error
        return f"{url} is there"

    def _answers(self) -> str:
        text = self.ask(self.request(prompt="Answer with the one word: ready")).text
        return f"it answers {quote_value(text, 60)}"

    def sees(self) -> str:
        """Shows a picture with a number to the model, and returns what it read.

        Raises:
            CheckFailed: it refuses the picture, or read something else.
        """
        with NamedTemporaryFile(suffix=".png") as file:
            _picture().save(file.name)
            parts = [
                MediaObject(text="Which number do you see?", content_type="text/plain"),
                MediaObject(location=file.name, content_type="image/png"),
            ]
            try:
                text = self.ask(self.request(multimodal_prompt=MultimediaObject(parts))).text
            except CheckFailed as error:
                said = str(error).removesuffix(f"; {PICTURE_REMEDY}")
                remedy = picture_remedy(self.name, self._local_path)
                raise CheckFailed("model", f"it takes no picture ({said}); {remedy}") from error
        self.takes_pictures = True
        if NUMBER not in text:
            raise CheckFailed(
                "model",
                f"it reads {quote_value(text, 60)} in a picture of {NUMBER}: does the server hand "
                "pictures to a model that reads them?",
            )
        return f"it reads {NUMBER} in a picture of {NUMBER}"

    def request(self, **content: Any) -> Request:
        """Returns a request for a short answer."""
        deployment = self._deployment
        return Request(
            model=deployment.model_name or deployment.name,
            model_deployment=deployment.name,
            temperature=0.0,
            max_tokens=MAX_TOKENS,
            **content,
        )

    def ask(self, request: Request) -> GeneratedOutput:
        """Returns the model's answer, asked once: without HELM's retries, which take minutes.

        Raises:
            CheckFailed: there is none.
        """
        try:
            result, usage, seconds = self._deadline.within(lambda: self._timed(request))
        except TimeoutError as error:
            raise CheckFailed(
                "model",
                f"no answer within {self._deadline.seconds:g} s for all requests together; "
                "--timeout gives more, and helm-run waits for longer",
            ) from error
        except Exception as error:  # whatever a provider's client raises
            raise CheckFailed("model", add_advice(describe_error(error))) from error
        if not result.success:
            raise CheckFailed("model", add_advice(one_line(result.error or "the request failed")))
        answer = result.completions[0]
        if not (answer.text or "").strip():
            raise CheckFailed("model", f"its answer is empty (it ended by {_end_of(answer)})")
        counted = token_counts(usage)[1]
        about = text_tokens(answer.text, code=True)
        self.speed = Speed(seconds, counted or round(about), exact=counted is not None)
        return answer

    def _timed(self, request: Request) -> tuple[RequestResult, Mapping[str, Any], float]:
        """Makes a request; returns the result, what its provider says that it took, and seconds."""
        start = monotonic()
        result = self._client.make_request(request)
        return result, self._meter.latest() if self._meter else {}, monotonic() - start


def was_cut(answer: GeneratedOutput) -> bool:
    """Says whether an answer ended for want of tokens."""
    return _end_of(answer) in ("length", "max_tokens")


def _end_of(answer: GeneratedOutput) -> str:
    return str((answer.finish_reason or {}).get("reason", "nothing that it says"))


def _first_hop(url: str) -> tuple[str, int]:
    """Returns host and port of who is spoken to: the server, or a proxy on the way."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    proxy = None if proxy_bypass(host) else getproxies().get(parts.scheme)
    if proxy:
        parts = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
    return parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)


def _picture() -> Image.Image:
    picture = Image.new("RGB", (320, 160), "white")
    ImageDraw.Draw(picture).text((60, 40), NUMBER, "black", ImageFont.load_default(80))
    return picture
