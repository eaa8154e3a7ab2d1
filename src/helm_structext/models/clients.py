"""HELM clients of the offline models."""

import threading
from importlib import import_module
from pathlib import Path
from typing import Any

from helm.benchmark.runner import get_benchmark_output_path
from helm.clients.client import CachingClient, Client
from helm.common.cache import CacheConfig
from helm.common.request import GeneratedOutput, Request, RequestResult, Token
from helm.proxy.retry import NonRetriableException

from helm_structext.baselines import REPLAY_PREFIX
from helm_structext.errors import SetupError
from helm_structext.models.answer_index import KnownAnswer, read_answer, request_key
from helm_structext.models.ocr import VERSION, Reader
from helm_structext.texts import describe_error, parse_json


def find_reader(benchmark: str, format: str) -> Reader:
    """Returns how the OCR model answers in a format, which the benchmark's module ``ocr`` says.

    Raises:
        OfflineModelError: it says nothing of that.

    >>> find_reader("image2struct", "latex").write("50%", "")
    '\\\\noindent 50\\\\%'
    """
    try:
        reader: Reader = import_module(f"helm_structext.{benchmark}.ocr").READERS[format]
    except (ImportError, KeyError) as error:
        raise OfflineModelError(f"nothing of {benchmark} reads pictures for {format}") from error
    return reader


class OfflineModelError(SetupError, NonRetriableException):
    """An offline model can't answer. HELM would repeat any other exception for minutes."""


class OracleClient(Client):
    """Answers with the structure that the dataset holds: the upper bound of every metric."""

    def make_request(self, request: Request) -> RequestResult:
        answer = _answer(request)
        if answer.oracle is None:
            raise OfflineModelError(
                f"{request.model} has no answer for instance {answer.instance}: "
                f"the dataset holds no structure for it; leave this model out"
            )
        return _result(answer.oracle)


class BlankClient(Client):
    """Answers with an empty page."""

    def make_request(self, request: Request) -> RequestResult:
        return _result(_answer(request).blank)


class OcrClient(CachingClient):
    """Reads the picture with Tesseract and writes the text down: a floor that really reads."""

    def __init__(self, cache_config: CacheConfig) -> None:
        super().__init__(cache_config)

    def make_request(self, request: Request) -> RequestResult:
        answer = _answer(request)
        if answer.reader is None:
            raise OfflineModelError(
                f"{request.model} reads pictures; instance {answer.instance} has none to read"
            )
        return self._answered_by(find_reader(answer.reader, answer.format), request)

    def _answered_by(self, reader: Reader, request: Request) -> RequestResult:
        (picture,) = _pictures(request)
        key = {
            "ocr": VERSION,
            "reader": reader.read.__name__,
            "picture": request_key("", [picture]),
        }
        try:
            entry, cached = self.cache.get(key, lambda: {"reading": reader.read(picture)})
        except SetupError as error:
            raise OfflineModelError(str(error)) from error
        return _result(reader.write(entry["reading"], _text(request)), cached=cached)


class OcrJudgeClient(OcrClient):
    """Judges a picture by what Tesseract reads of it; answers nothing but a judge's prompt."""

    def make_request(self, request: Request) -> RequestResult:
        return self._answered_by(find_reader("structeval", "structeval_judge"), request)


class ReplayClient(Client):
    """Answers with completions made elsewhere: one JSON object a line, with `key` and `completion`.

    Args:
        lock_file_path: a file that HELM names inside `<local path>/cache`; the completions lie in
            `<local path>/replay`. HELM tells a client nothing else of its local path.
    """

    def __init__(self, lock_file_path: str) -> None:
        self._folder = Path(lock_file_path).parent.parent / "replay"
        self._completions: dict[str, dict[str, dict[str, Any]]] = {}
        self._lock = threading.Lock()

    def make_request(self, request: Request) -> RequestResult:
        name = request.model.removeprefix(REPLAY_PREFIX)
        path = self._folder / f"{name}.jsonl"
        with self._lock:
            if name not in self._completions:
                self._completions[name] = read_completions(path)
        key = request_key(_text(request), _pictures(request))
        record = self._completions[name].get(key)
        if record is None:
            raise OfflineModelError(
                f"{path} has no completion for the request with key {key} "
                f"({_text(request)[-80:]!r}); `helm-structext predictions export` lists all requests"
            )
        return _result(record["completion"], finish_reason=record.get("finish_reason", "stop"))


def read_completions(path: Path) -> dict[str, dict[str, Any]]:
    """Reads a replay file; lines without a completion are left out.

    Returns:
        Each line's object by its key.

    Raises:
        OfflineModelError: there is no such file, or a line of it is not as it should be.
    """
    if not path.is_file():
        raise OfflineModelError(f"there is no file {path} with completions to replay")
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise OfflineModelError(f"{path} can't be read: {error}") from error
    records: dict[str, dict[str, Any]] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = parse_json(line)
            key, completion = record["key"], record["completion"]
        except (ValueError, TypeError, KeyError) as error:
            raise OfflineModelError(
                f"{path}, line {number}: expected an object with 'key' and 'completion': "
                f"{describe_error(error)}"
            ) from error
        if completion is None:
            continue
        for name, default in (("key", None), ("completion", None), ("finish_reason", "stop")):
            if not isinstance(record.get(name, default), str):
                raise OfflineModelError(f"{path}, line {number}: '{name}' is not a string")
        if records.setdefault(key, record)["completion"] != completion:
            raise OfflineModelError(f"{path}, line {number}: another completion for key {key}")
    return records


def _answer(request: Request) -> KnownAnswer:
    """Finds what the scenario wrote about a request.

    An adapter puts instructions before the scenario's prompt, as a text of their own.
    """
    pictures = _pictures(request)
    folders = sorted(Path(get_benchmark_output_path(), "scenarios").glob("*/answers"))
    for text in _texts(request):
        key = request_key(text, pictures)
        for folder in folders:
            try:
                answer = read_answer(folder, key)
            except SetupError as error:
                raise OfflineModelError(str(error)) from error
            if answer is not None:
                return answer
    raise OfflineModelError(
        f"{request.model} answers only requests of this package's scenarios; "
        f"it does not know {_text(request)[-80:]!r}"
    )


def _texts(request: Request) -> list[str]:
    if request.multimodal_prompt is None:
        return [request.prompt]
    return [item.text for item in request.multimodal_prompt.media_objects if item.text is not None]


def _text(request: Request) -> str:
    return "".join(_texts(request))


def _pictures(request: Request) -> list[bytes]:
    if request.multimodal_prompt is None:
        return []
    return [
        Path(item.location).read_bytes()
        for item in request.multimodal_prompt.media_objects
        if item.location is not None
    ]


def _result(text: str, *, cached: bool = False, finish_reason: str = "stop") -> RequestResult:
    output = GeneratedOutput(
        text=text,
        logprob=0.0,
        tokens=[Token(text=text, logprob=0.0)],
        finish_reason={"reason": finish_reason},
    )
    return RequestResult(
        success=True, embedding=[], completions=[output], cached=cached, request_time=0.0
    )
