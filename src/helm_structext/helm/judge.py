"""Asks StructEval's judge through HELM's own clients, with its credentials, cache and retries."""

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from helm.clients.client import CachingClient
from helm.common.media_object import MediaObject, MultimediaObject
from helm.common.request import Request

from helm_structext.errors import SetupError
from helm_structext.models.advice import READS_SOME
from helm_structext.models.registry import reads_pictures
from helm_structext.patterns import Pattern
from helm_structext.protocols import ProtocolName
from helm_structext.storage.cache import cache_folder, mark_used, store_copy
from helm_structext.structeval.judge import (
    DEFAULT_JUDGE,
    NO_JUDGE,
    JudgeReply,
    Pair,
    annotation,
    judge_prompt,
    needs_room,
)
from helm_structext.texts import describe_error, make_printable

if TYPE_CHECKING:
    from helm.clients.auto_client import AutoClient
    from helm.clients.client import Client
    from helm.common.cache import Cache

MAX_TOKENS = 4000
"""The published code sets no limit; this is far above the longest list of verdicts."""

MORE_TOKENS = 4 * MAX_TOKENS
"""For a second request, to a judge that thought for too long."""

NO_ROOM = Pattern(r"(?i)max\w*[ _]?tokens|context length|\b(?:maximum|output) tokens\b", ascii=True)
"""What providers say to a request for more tokens than their model can write."""

SNAPSHOTS = {DEFAULT_JUDGE: "openai/gpt-4.1-mini-2025-04-14"}
"""What HELM calls a judge that it does not have by its plain name."""

CUT = ("length", "max_tokens")
"""How HELM and providers call the end of a reply at its limit."""

USAGE = (("prompt_tokens", "input_tokens"), ("completion_tokens", "output_tokens"))
"""Names that providers give to what a request took."""


class ModelJudge:
    """A model that is asked about pictures.

    Args:
        name: a model that HELM knows: the name of a deployment, or of a model.
        auto_client: HELM's client of all models.
        pictures: a folder for copies of the pictures, named by their content.
    """

    def __init__(self, name: str, auto_client: "AutoClient", pictures: Path) -> None:
        self.name = name
        self._client = _MeteredClient(auto_client)
        self._pictures = pictures

    def prepare(self) -> None:
        """Says whether the judge can be asked, as far as that is known without asking.

        Raises:
            SetupError: it is unknown, it reads no pictures, or its key is missing, or what its client needs.
        """
        self._client.prepare(self.name)

    def look(
        self, picture: Path | None, pairs: Sequence[Pair], protocol: ProtocolName
    ) -> dict[str, Any]:
        """Returns what the judge says of a picture, as `helm_structext.structeval.judge` describes.

        Args:
            picture: a PNG file, or None where nothing was rendered.
            pairs: what to ask about; without pairs nobody is asked.
            protocol: by which the reply is read; ``corrected`` asks once more where it is empty or cut.

        Raises:
            SetupError: the judge is unknown or can't be reached.
        """
        if picture is None or not pairs:
            return annotation(self.name, pairs, [], protocol)
        # HELM's cache knows a picture by its path, so that the path has to be its content.
        copy = store_copy(self._pictures, picture)
        mark_used(copy)
        replies = []
        for tokens in (MAX_TOKENS, MORE_TOKENS):
            reply = self._client.ask(self.name, judge_prompt(pairs), copy, tokens)
            replies += [reply] if reply else []
            if not needs_room(replies[-1], len(pairs), protocol):
                break
        return annotation(self.name, pairs, replies, protocol)


def deployment_of(judge: str, purpose: str = "to judge pictures") -> tuple[str, str]:
    """Returns the deployment and the model that HELM knows under a judge's name.

    Args:
        judge: a name, or that of another model.
        purpose: what it is asked for, for the message.

    Raises:
        SetupError: there is none.
    """
    import helm.benchmark.model_deployment_registry as deployments

    known = {n for d in deployments.ALL_MODEL_DEPLOYMENTS for n in (d.name, d.model_name)}
    # HELM would make up a deployment for any name of a well-known provider.
    name = judge if judge in known else SNAPSHOTS.get(judge, judge)
    if name not in deployments.DEPLOYMENT_NAME_TO_MODEL_DEPLOYMENT:
        name = deployments.get_default_model_deployment_for_model(name) or ""
    if not name:
        raise SetupError(
            f"HELM knows no model {judge} {purpose}; describe it in model_deployments.yaml and "
            "model_metadata.yaml of its local path, or let helm-structext add-model do so"
        )
    return name, deployments.get_model_deployment(name).model_name or name


def helms_client(local_path: Path) -> "AutoClient":
    """Returns HELM's client of all models as `helm-run` makes it.

    Args:
        local_path: HELM's folder with credentials, model files and cache, such as ``prod_env``.

    Raises:
        SetupError: the folder has a name that HELM can't print.
    """
    if (name := make_printable(str(local_path))) != str(local_path):
        raise SetupError(
            f"HELM can't work in a folder of the name {name}; name another --local-path"
        )
    from helm.benchmark import config_registry
    from helm.clients.auto_client import AutoClient
    from helm.common.cache_backend_config import SqliteCacheBackendConfig
    from helm.common.general import get_credentials

    from helm_structext.models.registry import register

    config_registry.register_builtin_configs_from_helm_package()
    config_registry.register_configs_from_directory(str(local_path))
    register()
    replies = local_path / "cache"
    replies.mkdir(parents=True, exist_ok=True)
    config = SqliteCacheBackendConfig(str(replies))
    return AutoClient(get_credentials(str(local_path)), str(replies), config)


def judge_named(name: str, local_path: Path) -> ModelJudge:
    """Returns a model of HELM's that can be asked, as far as that is known.

    Args:
        name: of the model, as in run entries.
        local_path: where HELM finds credentials and keeps answers.

    Raises:
        SetupError: the model is unknown, or its key is missing, or what its client needs.
    """
    judge = _judge_of(name, local_path)
    judge.prepare()
    return judge


@cache
def _judge_of(name: str, local_path: Path) -> ModelJudge:
    return ModelJudge(name, helms_client(local_path), cache_folder() / "judge")


class _MeteredClient:
    """HELM's clients, which also say how many tokens a request took.

    HELM's results leave that out; the replies in its cache hold what the provider says.
    """

    def __init__(self, auto_client: "AutoClient") -> None:
        self._auto_client = auto_client
        self._lock = threading.Lock()
        self._meters: dict[str, Meter | None] = {}

    def prepare(self, judge: str) -> None:
        """Makes the client of a judge who reads pictures.

        Raises:
            SetupError: see `ModelJudge.prepare`.
        """
        deployment, model = deployment_of(judge)
        if not reads_pictures(model):
            raise SetupError(
                f"the judge {judge} reads text only, as HELM describes it, and is to look at pictures; name "
                f"one that reads them, or judge={NO_JUDGE}; {READS_SOME.format(model)}"
            )
        try:
            self._meter(deployment)
        except Exception as error:  # as below
            raise _unreachable(judge, describe_error(error)) from error

    def ask(self, judge: str, prompt: str, picture: Path, tokens: int) -> JudgeReply | None:
        """Asks a judge about a picture.

        What the provider's filter withholds is a reply without a word.

        Args:
            judge: its name in the run entry.
            prompt: what is asked.
            picture: a PNG file.
            tokens: as many as the reply may have.

        Returns:
            None where the judge can't write `MORE_TOKENS`.

        Raises:
            SetupError: the judge is unknown or can't be reached.
        """
        deployment, model = deployment_of(judge)
        request = Request(
            model=model,
            model_deployment=deployment,
            multimodal_prompt=MultimediaObject(
                [
                    MediaObject(text=prompt, content_type="text/plain"),
                    MediaObject(location=str(picture), content_type="image/png"),
                ]
            ),
            temperature=0.0,
            max_tokens=tokens,
        )
        try:
            meter = self._meter(deployment)
            result = self._auto_client.make_request(request)
        except Exception as error:  # whatever a provider's client raises, it is no verdict
            if _lacks_room(tokens, str(error)):
                return None
            raise _unreachable(judge, str(error)) from error
        if result.success:
            said = result.completions[0]
            asked, written = token_counts(meter.latest() if meter else {})
            cut = (said.finish_reason or {}).get("reason") in CUT
            return JudgeReply(said.text or "", asked, written, cut)
        flags = result.error_flags
        if flags and flags.is_fatal is False and flags.is_retriable is False:
            return JudgeReply("", None, None)
        if _lacks_room(tokens, result.error or ""):
            return None
        raise _unreachable(judge, result.error)

    def _meter(self, deployment: str) -> "Meter | None":
        with self._lock:
            if deployment not in self._meters:
                self._meters[deployment] = attach_meter(self._auto_client._get_client(deployment))
            return self._meters[deployment]


def attach_meter(client: "Client") -> "Meter | None":
    """Returns what from now on knows what replies to a client take, or None where it has no cache."""
    if not isinstance(client, CachingClient) or client.cache is None:
        return None
    client.cache = meter = Meter(client.cache)  # type: ignore
    return meter


class Meter:
    """A client's cache that remembers what the latest reply to each thread took."""

    def __init__(self, cache: "Cache") -> None:
        self._cache = cache
        self._thread = threading.local()

    def get(
        self, request: Mapping[str, Any], compute: Callable[[], dict[str, Any]]
    ) -> tuple[dict[str, Any], bool]:
        self._thread.usage = {}
        reply, cached = self._cache.get(request, compute)
        usage = reply.get("usage")
        self._thread.usage = usage if isinstance(usage, Mapping) else {}
        return reply, cached

    def latest(self) -> Mapping[str, Any]:
        """Returns ``usage`` of the latest reply."""
        return getattr(self._thread, "usage", {})


def token_counts(usage: Mapping[str, Any]) -> list[int | None]:
    """Returns tokens of a prompt and of its reply, None where the provider does not say.

    >>> token_counts({"prompt_tokens": 9, "output_tokens": 5}), token_counts({})
    ([9, 5], [None, None])
    """
    return [_count(usage, names) for names in USAGE]


def _count(usage: Mapping[str, Any], names: Sequence[str]) -> int | None:
    return next((usage[name] for name in names if isinstance(usage.get(name), int)), None)


def _lacks_room(tokens: int, reason: str) -> bool:
    return tokens > MAX_TOKENS and NO_ROOM.search(reason) is not None


def _unreachable(judge: str, reason: str | None) -> SetupError:
    return SetupError(
        f"the judge {judge} can't be asked ({reason}); run again when it can (its key belongs into "
        "credentials.conf of HELM's local path), or with judge=none: what it answered so far is kept"
    )
