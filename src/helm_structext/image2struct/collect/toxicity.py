"""Whether texts may be published, as what judges them says: a model here, or a service.

The published rounds asked the Perspective API, which Google ends on 31 December 2026. A small model on
this machine takes its place, or any service with the moderation endpoint of OpenAI's API.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import islice
from typing import TYPE_CHECKING, Any, NoReturn

from helm_structext.errors import SetupError
from helm_structext.image2struct.collect.records import Moderation
from helm_structext.texts import one_line, quote_value

if TYPE_CHECKING:
    from helm_structext.image2struct.collect.client import HostClient, HostResponse

LOCAL, PERSPECTIVE = "local", "perspective"
"""The moderations that are no address."""

PERSPECTIVE_ENDS = date(2026, 12, 31)
"""The last day on which it answers, as Google says."""

ADDRESSES = {
    PERSPECTIVE: "https://commentanalyzer.googleapis.com",
    "moderation": "https://api.openai.com",
}
"""Base addresses of the services, by their names in `Tools.addresses`."""

LIMITS = {"toxicity": 0.5, "sexually explicit": 0.3}
"""What is scored, from 0 to 1, and the score from which a text may not be published."""

LOCAL_LIMIT = 0.8
"""The probability that a piece of a text is offensive from which on the text may not be published."""

MAX_CHARACTERS = 20_400
"""Characters of a text that are judged, from its beginning."""

_MAX_BYTES = 20_480  # that Perspective takes, which texts in other alphabets reach earlier
_ATTRIBUTES = {"TOXICITY": "toxicity", "SEXUALLY_EXPLICIT": "sexually explicit"}
_CATEGORIES = {
    "harassment": "toxicity",
    "hate": "toxicity",
    "sexual": "sexually explicit",
    "sexual/minors": "sexually explicit",
}
_PIECE = 200
"""Characters of a piece: among more words an insult does not weigh."""
_BATCH = 16
"""Texts of one request, where a service takes several."""
_KEY_ERRORS = frozenset({"API_KEY_INVALID", "API_KEY_EXPIRED"})
_REFUSED = frozenset({400, 403})


def toxicity(text: str) -> float:
    """Returns how probable it is that the worst piece of a text is offensive, from 0 to 1.

    It counts words, by a linear model that learned from comments in English: so it sees insults,
    obscenities and slurs, and neither meaning nor threats in decent words, nor other languages.

    Source: alt-profanity-check, https://github.com/dimitrismistriotis/alt-profanity-check.

    >>> toxicity("A proof of the lemma.") < 0.1 < LOCAL_LIMIT <= toxicity("Proof.\\nYou idiot!")
    True
    """
    from profanity_check import predict_prob

    lines = text[:MAX_CHARACTERS].splitlines()
    pieces = [line[n : n + _PIECE] for line in lines for n in range(0, len(line), _PIECE)]
    return max(map(float, predict_prob(pieces)), default=0.0) if pieces else 0.0


def local() -> Moderation:
    """Returns a moderation by `toxicity`, which asks nobody."""

    def moderate(texts: Sequence[str]) -> str | None:
        for number, text in enumerate(texts, 1):
            if (score := toxicity(text)) >= LOCAL_LIMIT:
                return f"toxicity {score:.2f} (text {number} of {len(texts)})"
        return None

    return moderate


def perspective(client: "HostClient", address: str = ADDRESSES[PERSPECTIVE]) -> Moderation:
    """Returns a moderation by the Perspective API: a request for each text, until one is refused.

    Texts are judged as English, the only language with both of the published attributes; what the
    service refuses to judge may not be published.

    Args:
        client: asks; it knows the service's pace, and adds the key.
        address: of the service.

    Raises:
        SetupError: it has ended.

    Source: https://developers.perspectiveapi.com/s/about-the-api-methods.
    """
    if date.today() > PERSPECTIVE_ENDS:
        raise SetupError(
            f"The Perspective API ended on {PERSPECTIVE_ENDS}: take --moderation {LOCAL}, or the "
            f"address of a server with OpenAI's interface"
        )

    def moderate(texts: Sequence[str]) -> str | None:
        for number, text in enumerate(texts, 1):
            scores = _perspective_scores(client, address, _cut(text))
            reason = scores if isinstance(scores, str) else _against(scores)
            if reason:
                return f"{reason} (text {number} of {len(texts)})"
        return None

    return moderate


def moderation_endpoint(
    client: "HostClient", address: str = ADDRESSES["moderation"], model: str = ""
) -> Moderation:
    """Returns a moderation by a service that speaks OpenAI's, several texts in a request.

    A text may not be published if the service flags it, or if it scores as much in one of the
    categories that correspond to the published attributes.

    Args:
        client: asks; it adds the key, where there is one.
        address: of the service, without ``/v1/moderations``.
        model: that judges; "" for the service's own choice.

    Source: https://platform.openai.com/docs/api-reference/moderations.
    """

    def moderate(texts: Sequence[str]) -> str | None:
        number = 0
        for batch in _batches(texts):
            body = {"input": [_cut(text) for text in batch], **({"model": model} if model else {})}
            answer = client.post(f"{address}/v1/moderations", body, host="moderation")
            for reason in _moderation_reasons(client, answer, len(batch)):
                number += 1
                if reason:
                    return f"{reason} (text {number} of {len(texts)})"
        return None

    return moderate


def _cut(text: str) -> str:
    data = text[:MAX_CHARACTERS].encode("utf-8", "replace")
    return data[:_MAX_BYTES].decode(errors="ignore")


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    rest = iter(texts)
    while batch := list(islice(rest, _BATCH)):
        yield batch


def _against(scores: Mapping[str, float]) -> str | None:
    found = (f"{name} {score:.2f}" for name, score in scores.items() if not score < LIMITS[name])
    return next(found, None)


def _perspective_scores(client: "HostClient", address: str, text: str) -> dict[str, float] | str:
    """Scores by the names of `LIMITS`, or why the service doesn't judge the text."""
    body = {
        "comment": {"text": text},
        "languages": ["en"],
        "requestedAttributes": {attribute: {} for attribute in _ATTRIBUTES},
        "doNotStore": True,
    }
    answer = client.post(
        f"{address}/v1alpha1/comments:analyze",
        body,
        host="perspective",
        accept=frozenset({200}) | _REFUSED,
    )
    said = _json(client, answer)
    if answer.status in _REFUSED:
        return _not_judged(client, answer, said)
    try:
        return {
            name: _score(said["attributeScores"][attribute]["summaryScore"]["value"])
            for attribute, name in _ATTRIBUTES.items()
        }
    except (KeyError, TypeError, ValueError):
        _nonsense(client, answer, said)


def _not_judged(client: "HostClient", answer: "HostResponse", said: Any) -> str:
    """Why a text is not judged: the text's fault is a reason against it, the key's is ours."""
    match said:
        case {"error": {"message": message, **error}}:
            details = error.get("details")
        case _:
            _nonsense(client, answer, said)
    details = [one for one in details if isinstance(one, dict)] if isinstance(details, list) else []
    if answer.status == 403 or any(str(one.get("reason")) in _KEY_ERRORS for one in details):
        client.forget(answer)
        raise SetupError(
            f"the Perspective API refuses the key: {one_line(str(message), 300)} Set "
            f"PERSPECTIVE_API_KEY to a key of a project for which it is enabled"
        )
    kinds = [str(one["errorType"]) for one in details if "errorType" in one]
    return f"Perspective doesn't judge it: {one_line(', '.join(kinds) or str(message), 200)}"


def _moderation_reasons(
    client: "HostClient", answer: "HostResponse", number: int
) -> Iterator[str | None]:
    """A reason or None for each text of a batch."""
    said = _json(client, answer)
    try:
        results = said["results"]
        if len(results) != number:
            raise ValueError("another number of results than of texts")
        reasons = [_reason(result) for result in results]
    except (KeyError, TypeError, ValueError, AttributeError):
        _nonsense(client, answer, said)
    yield from reasons


def _reason(result: Mapping[str, Any]) -> str | None:
    if not isinstance(result["flagged"], bool):
        raise ValueError("neither flagged nor not")
    if result["flagged"]:
        hit = sorted(name for name, yes in result.get("categories", {}).items() if yes is True)
        return f"flagged as {one_line(', '.join(map(str, hit)), 200) or 'harmful'}"
    scores: dict[str, float] = {}
    for category, value in (result.get("category_scores") or {}).items():
        if name := _CATEGORIES.get(category):
            scores[name] = max(scores.get(name, 0.0), _score(value))
    return _against(scores)


def _score(value: Any) -> float:
    """A number from 0 to 1; anything else is none, lest it count as harmless."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError("not a score")
    return float(value)


def _json(client: "HostClient", answer: "HostResponse") -> Any:
    try:
        return json.loads(answer.content)
    except (ValueError, RecursionError):
        _nonsense(client, answer, answer.content[:200])


def _nonsense(client: "HostClient", answer: "HostResponse", said: Any) -> NoReturn:
    client.forget(answer)
    raise SetupError(
        f"{answer.url.partition('?')[0]} answers what no moderation does ({quote_value(said, 200)}); "
        f"name another address, or give the same command again later"
    )
