"""Rewards as trainers take them: in this process or from a server, and what is logged of a batch.

Nothing here needs more than Python itself, so that an adapter with a `RemoteReward` works in a
trainer's environment that has none of this package's dependencies.
"""

import json
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import fsum
from typing import Any, Protocol

from helm_structext.scoring.handling import Failure, NotScored
from helm_structext.serving.token import TOKEN

KINDS = (
    *("syntax", "timeout", "resource", "empty", "missing"),
    *("length", "embedded", "blank", "size", "text", "everything", "null", "repeated"),
    *("internal", "setup", "reference", "unfinished", "judge", "server"),
)
"""All kinds of failures: those of code, those that guards notice, and those of the machine."""

DEFAULT_COMPONENTS = (
    *("layout_similarity", "note_similarity", "chart_similarity"),
    *("levenshtein_similarity", "compilation_success"),
    *("earth_mover_similarity_corrected", "pixel_similarity"),
    *("syntax_score", "path_score", "keyword_score", "vqa_score"),
    *("accuracy", "pnls", "iou"),
)
"""The components of all rewards that are told of none."""

MAX_JOURNALED = 100_000
"""Characters of a completion in a journal."""
CONNECTIONS = 64
"""Of a client: trainers may ask for each completion by itself."""
URL = "HELM_STRUCTEXT_SERVE_URL"
"""The environment variable with the address of a server of scores."""


class CompletionResult(Protocol):
    """What is known of a completion, as `helm_structext.rewards.RewardResult` says it."""

    @property
    def score(self) -> float | None: ...
    @property
    def components(self) -> Mapping[str, float | None]: ...
    @property
    def error_kind(self) -> str | None: ...
    @property
    def message(self) -> str: ...
    @property
    def waited(self) -> float: ...
    @property
    def worked(self) -> float: ...


class CompletionScorer(Protocol):
    """What scores completions: a `helm_structext.rewards.BaseReward`, a `RemoteReward`, a training set."""

    @property
    def components(self) -> Collection[str]:
        """The names of what scores are made of."""
        ...

    async def score(
        self, completions: Sequence[str], references: Sequence[Any]
    ) -> Sequence[CompletionResult]:
        """Returns a result for each completion, in their order."""
        ...


class RewardClient(Protocol):
    """What asks a server, as `helm_structext.serving.client.Client` does."""

    async def score_async(
        self, items: Sequence[Mapping[str, Any]], **options: Any
    ) -> Sequence[CompletionResult]: ...


@dataclass(frozen=True)
class RemoteReward:
    """A reward that `helm-structext serve` computes.

    Args:
        client: of the server.
        item: what the completions are: ``{"format": "latex"}``, ``{"task": "text_to_json"}`` or
            ``{"kind": "text"}``.
        components: metric to weight.
        options: for all of them, as the server takes them, such as ``{"protocol": "published"}``.
    """

    client: RewardClient
    item: Mapping[str, str]
    components: Mapping[str, float]
    options: Mapping[str, Any] = field(default_factory=dict)

    async def score(
        self, completions: Sequence[str], references: Sequence[Any]
    ) -> Sequence[CompletionResult]:
        items = [
            {**self.item, "completion": completion, "reference": reference}
            for completion, reference in zip(completions, references, strict=True)
        ]
        return await self.client.score_async(
            items, components=dict(self.components), **self.options
        )


def client_of(url: str | None = None, token: str | None = None) -> RewardClient:
    """Returns what scores items as a server describes them: that server, or this process.

    Args:
        url: of the server; by default that of `HELM_STRUCTEXT_SERVE_URL`. Without either, this process
            scores, which needs all that this package does.
        token: that the server was started with; by default that of `HELM_STRUCTEXT_SERVE_TOKEN`.
    """
    if url := url or os.environ.get(URL):
        return _remote(url, token or os.environ.get(TOKEN))
    from helm_structext.serving.local import Local

    return Local()


@lru_cache(maxsize=8)
def _remote(url: str, token: str | None) -> RewardClient:
    """One for all completions: it keeps its connections."""
    from helm_structext.serving.client import Client as Remote

    return Remote(url, token=token, connections=CONNECTIONS)


def append_journal(
    journal: str | os.PathLike[str],
    completions: Sequence[str],
    references: Sequence[Any],
    results: Sequence[CompletionResult],
    passport: str | None = None,
) -> None:
    """Adds the results of a batch to a journal of training, which `helm-structext reward watch` reads.

    A line is one completion in JSON, with its reference as far as JSON can say it, its score, its kind of failure
    and the hash of the reward's passport. Any number of processes may write: a line is written at once, behind what is there.

    Args:
        journal: a file, which is made where there is none.
        completions: of the batch.
        references: of them.
        results: of them.
        passport: the hash of all that can change a score of the reward; None where it is not known.
    """
    said = {} if passport is None else {"passport": passport}
    lines = [
        json.dumps(
            {
                "completion": completion[:MAX_JOURNALED],
                "reference": _said_reference(reference),
                "score": result.score,
                "error_kind": result.error_kind,
                "components": dict(result.components),
                **said,
            }
        ).encode()
        + b"\n"
        for completion, reference, result in zip(completions, references, results, strict=True)
    ]
    file = os.open(journal, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        for line in lines:
            os.write(file, line)
    finally:
        os.close(file)


def _said_reference(reference: Any) -> Any:
    """A reference as JSON says it, which `helm_structext.rewards.files.read_reference` reads; None where it can't."""
    if isinstance(reference, os.PathLike):
        return {"picture": os.fspath(reference)}
    if (code := getattr(reference, "code", None)) and not getattr(reference, "assets", None):
        return {"code": code}
    try:
        return json.loads(json.dumps(reference, allow_nan=False))
    except (TypeError, ValueError, RecursionError):
        return None


def find_passport(scorer: object) -> str | None:
    """Returns the hash of a reward's passport; None of what has none: a server, a set with rewards of several kinds.

    >>> from helm_structext.rewards import MMRReward
    >>> find_passport(MMRReward("text")) == MMRReward("text").passport.hash, find_passport(None)
    (True, None)
    """
    found = getattr(getattr(scorer, "passport", None), "hash", None)
    return found if isinstance(found, str) else None


def score_of(result: CompletionResult) -> float:
    """Returns a score, for trainers that take nothing but numbers.

    Raises:
        NotScored: there is none, for no fault of the completion's.

    >>> from helm_structext.rewards import RewardResult
    >>> score_of(RewardResult(0.0, error_kind="syntax"))
    0.0
    >>> score_of(RewardResult(None, error_kind="setup", message="the disk is full"))
    Traceback (most recent call last):
    helm_structext.scoring.handling.NotScored: a completion has no score (setup): the disk is full
    """
    if result.score is None:
        raise NotScored(Failure(str(result.error_kind), result.message))
    return result.score


def text_of(completion: Any) -> str:
    """Returns what a model wrote: a text, or the last of the messages that a trainer has of it.

    >>> text_of([{"role": "assistant", "content": "<svg/>"}])
    '<svg/>'
    >>> text_of([{"role": "assistant", "content": [{"type": "text", "text": "$x$"}]}])
    '$x$'
    """
    if isinstance(completion, str):
        return completion
    content = completion[-1].get("content") if completion else None
    if isinstance(content, str):
        return content
    return "".join(part["text"] for part in content or () if part.get("type") == "text")


def batch_means(
    results: Sequence[CompletionResult], components: Collection[str]
) -> dict[str, float]:
    """Returns what is logged of a batch: name to mean.

    Args:
        results: of a batch.
        components: the names of what scores are made of.

    Returns:
        ``components/NAME``, the mean over the completions that have a value of it;
        ``failures/KIND``, the share of the completions, for each of `KINDS`, so that the mean over
        steps is one over all their completions; ``unscored``, the share without a score; and
        ``seconds/waited`` and ``seconds/worked``, for a completion.

    >>> from helm_structext.rewards import RewardResult
    >>> batch = RewardResult(1.0, {"iou": 0.5}), RewardResult(0.0, {"iou": None}, "syntax")
    >>> found = batch_means(batch, ["iou"])
    >>> found["components/iou"], found["failures/syntax"], found["unscored"]
    (0.5, 0.5, 0.0)
    """
    if not results:
        return {}
    kinds = [result.error_kind for result in results]
    means = {}
    for name in components:
        values = [result.components.get(name) for result in results]
        known = [value for value in values if value is not None]
        if known:
            means[f"components/{name}"] = fsum(known) / len(known)
    means |= {f"failures/{kind}": kinds.count(kind) / len(kinds) for kind in KINDS}
    means["unscored"] = sum(result.score is None for result in results) / len(results)
    means["seconds/waited"] = fsum(result.waited for result in results) / len(results)
    means["seconds/worked"] = fsum(result.worked for result in results) / len(results)
    return means
