"""StructEval's judge: a vision-language model that is asked what can be seen in a rendered picture.

The annotation ``judge`` of an answer is a list: empty where nothing is to be seen (text formats),
else of one object with

- ``text``: question, expected answer and verdict line by line, for people;
- ``judge``: the judge as the run entry names it;
- ``answers``: for each pair of question and answer true, false, or None for no verdict;
- ``vqa_score``: the share of true ones, in [0, 1], higher is better;
- ``parsed``: whether the judge's reply could be read; true also where no judge was asked;
- ``reply``: what the judge wrote, or None where none was asked;
- ``requests``: 1, or 0 where the completion gave no picture, which has a score of 0 by itself;
- ``prompt_tokens``, ``completion_tokens``: what the request took as its provider counts, the
  picture included, or None where the provider does not say; the same from HELM's cache.

HELM's costs.json leaves out what annotators ask for, hence the last three.

Source: StructEval, section 3 ("VQA Score") and Figure 5; prompt, parsing and the score of 0 without
a picture as in the published code.
"""

import io
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from helm.benchmark.adaptation.request_state import RequestState
from helm.benchmark.annotation.annotator import Annotator
from helm.clients.client import CachingClient
from helm.common.media_object import MediaObject, MultimediaObject
from helm.common.request import Request
from PIL import Image

from helm_structext.cache import renderings_folder, store
from helm_structext.errors import RenderError, SetupError
from helm_structext.renderers import render
from helm_structext.renderers.engine import ProtocolName
from helm_structext.structeval.tasks import TEXT_FORMATS

if TYPE_CHECKING:
    from helm.clients.auto_client import AutoClient
    from helm.common.cache import Cache

DEFAULT_JUDGE = "openai/gpt-4.1-mini"

NO_JUDGE = "none"
"""Instead of a judge: no VQA score, and no final score of what is to be seen."""

NOT_COMPARABLE = frozenset({"structext/ocr-judge"})
"""Judges whose scores say nothing beside those of a vision-language model."""

MAX_TOKENS = 4000
"""The published code sets no limit; this is far above the longest list of verdicts."""

MAX_SIDE = 65_500
"""Pixels of a picture's longer side: HELM sends JPEG, which has no more."""

SNAPSHOTS = {DEFAULT_JUDGE: "openai/gpt-4.1-mini-2025-04-14"}
"""What HELM calls a judge that it does not have by its plain name."""

USAGE = (("prompt_tokens", "input_tokens"), ("completion_tokens", "output_tokens"))
"""Names that providers give to what a request took."""

# "output falseBase" is as published: a space is missing there.
PROMPT = (
    "You are given an image and a list of question-answer pairs. For each pair, verify if the "
    "image content supports the expected answer based on the corresponding question. If the image "
    "is fully white, then you should always output falseBase your judgment solely on the visual "
    "content of the provided image, and the question. Do not imagine anything. Do not use any "
    "external information or common-sense reasoning beyond what is visible. Respond with a JSON "
    'object mapping each question number to true or false (e.g., {"1": true, "2": false}). If the '
    "image is unclear or does not contain enough information to answer, use null for that "
    "question. Here are the question-answer pairs:\n"
)

Pair = Mapping[str, str]
"""``question`` and ``answer``, as in the column `VQA`."""

Verdict = bool | None


def judge_prompt(pairs: Sequence[Pair]) -> str:
    """Returns what a judge is asked about a picture.

    >>> pairs = [{"question": "How many rows?", "answer": "3"}]
    >>> judge_prompt(pairs).splitlines()[-1]
    '1. Question: How many rows? Expected Answer: 3'
    """
    lines = (
        f"{number}. Question: {pair['question']} Expected Answer: {pair['answer']}\n"
        for number, pair in enumerate(pairs, 1)
    )
    return PROMPT + "".join(lines)


def read_verdicts(reply: str, count: int) -> list[Verdict] | None:
    """Reads a judge's reply by the published rule, which is strict.

    Args:
        reply: a JSON object and nothing else: no fence, no word before or after it.
        count: how many pairs were asked about.

    Returns:
        A verdict for each pair, None where the reply has null, something else, or nothing; or
        None instead of the list if the reply is no JSON object.

    >>> read_verdicts('{"1": true, "2": null, "4": "true"}', 4)
    [True, None, None, None]
    >>> read_verdicts('```json\\n{"1": true}\\n```', 1) is None
    True
    """
    try:
        said = json.loads(reply)
    except (ValueError, RecursionError):
        return None
    if not isinstance(said, dict):
        return None
    found = (said.get(str(number)) for number in range(1, count + 1))
    return [verdict if isinstance(verdict, bool) else None for verdict in found]


def vqa_score(verdicts: Sequence[Verdict]) -> float:
    """Returns the share of pairs that are true, in [0, 1]; no verdict counts as wrong.

    Without pairs it is 0, as published.

    >>> vqa_score([True, None, False, True])
    0.5
    """
    return sum(verdict is True for verdict in verdicts) / len(verdicts) if verdicts else 0.0


class JudgeAnnotator(Annotator):
    """Asks a judge about the rendered picture of each answer, through HELM's own clients.

    The module's docstring describes the annotation.

    Args:
        judge: a model that HELM knows: the name of a deployment, or of a model.
        protocol: ``published`` or ``corrected``; of the rendering.
        auto_client: HELM's client of all models, with its credentials, cache and retries.
        file_storage_path: the folder in which HELM keeps this annotator's files.
    """

    name = "judge"

    def __init__(
        self, judge: str, protocol: ProtocolName, auto_client: "AutoClient", file_storage_path: str
    ) -> None:
        self._judge = Judge(judge, auto_client, Path(file_storage_path))
        self._protocol = protocol

    def annotate(self, request_state: RequestState) -> list[dict[str, Any]]:
        """Asks about the picture of one answer.

        Raises:
            SetupError: the judge is unknown or can't be reached. The run stops; run again, it goes
                on where it stopped, as the answers up to there are in HELM's cache.
        """
        extra = request_state.instance.extra_data or {}
        if extra["format"] in TEXT_FORMATS:
            return []
        assert request_state.result is not None
        # HELM shows no annotator what another found, but what was rendered lies in our cache.
        try:
            rendered = render(
                extra["format"],
                request_state.result.completions[0].text,
                protocol=self._protocol,
                cache=renderings_folder(),
            )
        except RenderError:
            return [self._judge.look(None, extra["vqa"])]
        return [self._judge.look(rendered.path, extra["vqa"])]


class Judge:
    """A model that is asked about pictures.

    Args:
        name: a model that HELM knows: the name of a deployment, or of a model.
        auto_client: HELM's client of all models.
        pictures: a folder for copies of the pictures, named by their content.
    """

    def __init__(self, name: str, auto_client: "AutoClient", pictures: Path) -> None:
        self._name = name
        self._client = _MeteredClient(auto_client)
        self._pictures = pictures

    def look(self, picture: Path | None, pairs: Sequence[Pair]) -> dict[str, Any]:
        """Returns an annotation: what the judge says of a picture; see the module's docstring.

        Args:
            picture: a PNG file, or None where nothing was rendered.
            pairs: what to ask about; without pairs nobody is asked.

        Raises:
            SetupError: the judge is unknown or can't be reached.
        """
        if picture is None or not pairs:
            return annotation(self._name, pairs, None)
        # HELM's cache knows a picture by its path, so that the path has to be its content.
        copy = store(self._pictures, _sendable(picture), "png")
        return annotation(
            self._name, pairs, self._client.ask(self._name, judge_prompt(pairs), copy)
        )


class Reply(NamedTuple):
    """What a judge wrote, and what that took; None where its provider does not say."""

    text: str
    prompt_tokens: int | None
    completion_tokens: int | None


def annotation(judge: str, pairs: Sequence[Pair], reply: Reply | None) -> dict[str, Any]:
    """Returns the annotation of one answer; see the module's docstring.

    Args:
        judge: its name in the run entry.
        pairs: what it was asked about.
        reply: what it wrote, or None where there was no picture, or no pair, and nobody was asked.

    >>> pairs = [{"question": "How many rows?", "answer": "3"}]
    >>> found = annotation("me/judge", pairs, Reply('{"1": true}', 900, 8))
    >>> print(found["text"])
    me/judge: 1 of 1
    true: How many rows? 3
    >>> found["answers"], found["vqa_score"], found["prompt_tokens"]
    ([True], 1.0, 900)
    >>> annotation("me/judge", pairs, None)["requests"]
    0
    """
    read = read_verdicts(reply.text, len(pairs)) if reply else None
    verdicts = read or [None] * len(pairs)
    lines = (
        f"{json.dumps(verdict)}: {pair['question']} {pair['answer']}"
        for verdict, pair in zip(verdicts, pairs, strict=True)
    )
    said = f"{verdicts.count(True)} of {len(pairs)}" if read or not reply else "unreadable"
    return {
        "text": "\n".join([f"{judge}: {said}{'' if reply else ' (no picture)'}", *lines]),
        "judge": judge,
        "answers": verdicts,
        "vqa_score": vqa_score(verdicts),
        "parsed": reply is None or read is not None,
        "reply": reply.text if reply else None,
        "requests": int(reply is not None),
        "prompt_tokens": reply.prompt_tokens if reply else 0,
        "completion_tokens": reply.completion_tokens if reply else 0,
    }


def deployment_of(judge: str) -> tuple[str, str]:
    """Returns the deployment and the model that HELM knows under a judge's name.

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
            f"HELM knows no model {judge} to judge pictures; describe it in "
            "model_deployments.yaml and model_metadata.yaml of its local path"
        )
    return name, deployments.get_model_deployment(name).model_name or name


def _sendable(picture: Path) -> bytes:
    """A PNG file's bytes, or a smaller picture's if HELM could not send it."""
    with Image.open(picture) as image:
        if max(image.size) <= MAX_SIDE:
            return picture.read_bytes()
        image.thumbnail((MAX_SIDE, MAX_SIDE))
        smaller = io.BytesIO()
        image.save(smaller, "PNG")
        return smaller.getvalue()


def helms_client(local_path: Path) -> "AutoClient":
    """Returns HELM's client of all models as `helm-run` makes it.

    Args:
        local_path: HELM's folder with credentials, model files and cache, such as ``prod_env``.
    """
    from helm.benchmark import config_registry
    from helm.clients.auto_client import AutoClient
    from helm.common.cache_backend_config import SqliteCacheBackendConfig
    from helm.common.general import get_credentials

    from helm_structext.models.registry import register

    config_registry.register_builtin_configs_from_helm_package()
    config_registry.register_configs_from_directory(str(local_path))
    register()
    cache = local_path / "cache"
    cache.mkdir(parents=True, exist_ok=True)
    config = SqliteCacheBackendConfig(str(cache))
    return AutoClient(get_credentials(str(local_path)), str(cache), config)


class _MeteredClient:
    """HELM's clients, which also say how many tokens a request took.

    HELM's results leave that out; the replies in its cache hold what the provider says.
    """

    def __init__(self, auto_client: "AutoClient") -> None:
        self._auto_client = auto_client
        self._lock = threading.Lock()
        self._meters: dict[str, _Meter | None] = {}

    def ask(self, judge: str, prompt: str, picture: Path) -> Reply:
        """Asks a judge about a picture.

        What the provider's filter withholds is a reply without a word.

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
            max_tokens=MAX_TOKENS,
        )
        try:
            meter = self._meter(deployment)
            result = self._auto_client.make_request(request)
        except Exception as error:  # whatever a provider's client raises, it is no verdict
            raise _unreachable(judge, str(error)) from error
        if result.success:
            usage = meter.latest() if meter else {}
            return Reply(result.completions[0].text or "", *(_count(usage, of) for of in USAGE))
        flags = result.error_flags
        if flags and flags.is_fatal is False and flags.is_retriable is False:
            return Reply("", None, None)
        raise _unreachable(judge, result.error)

    def _meter(self, deployment: str) -> "_Meter | None":
        with self._lock:
            if deployment not in self._meters:
                client = self._auto_client._get_client(deployment)
                self._meters[deployment] = None
                if isinstance(client, CachingClient) and client.cache is not None:
                    client.cache = self._meters[deployment] = _Meter(client.cache)  # type: ignore
            return self._meters[deployment]


class _Meter:
    """A client's cache that remembers what the latest reply to each thread took."""

    def __init__(self, cache: "Cache") -> None:
        self._cache = cache
        self._thread = threading.local()

    def get(
        self, request: Mapping[str, Any], compute: Callable[[], dict[str, Any]]
    ) -> tuple[dict[str, Any], bool]:
        self._thread.usage = {}
        reply, cached = self._cache.get(request, compute)
        self._thread.usage = reply.get("usage") or {}
        return reply, cached

    def latest(self) -> Mapping[str, Any]:
        """Returns ``usage`` of the latest reply."""
        return getattr(self._thread, "usage", {})


def _count(usage: Mapping[str, Any], names: Sequence[str]) -> int | None:
    return next((usage[name] for name in names if isinstance(usage.get(name), int)), None)


def _unreachable(judge: str, reason: str | None) -> SetupError:
    return SetupError(
        f"the judge {judge} can't be asked ({reason}); run again when it can (its key belongs into "
        "credentials.conf of HELM's local path), or with judge=none: what it answered so far is kept"
    )
