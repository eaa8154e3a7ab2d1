"""Services on this machine that judge texts by a list of words, and speak the real protocols."""

from collections.abc import Mapping
from typing import Any

from support.hosts import Host, Reply, Request, json_reply

TOXIC = {"idiot": 0.9, "borderline": 0.5, "mild": 0.49}
SEXUAL = {"lewd": 0.8, "flirt": 0.3, "kiss": 0.29}
MAX_BYTES = 20_480
KEY = "perspective-key"


def scores(text: str) -> tuple[float, float]:
    """How toxic and how sexually explicit the worst words of a text are."""
    words = text.lower().split()
    return tuple(
        max((listed.get(word, 0.01) for word in words), default=0.01) for listed in (TOXIC, SEXUAL)
    )


def perspective_server(key: str = KEY) -> Host:
    """The Perspective API, version v1alpha1."""

    def answer(request: Request) -> Reply:
        if request.path != "/v1alpha1/comments:analyze" or request.method != "POST":
            return _error(404, "Requested entity was not found.")
        if request.headers.get("x-goog-api-key") != key:
            reason = {
                "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                "reason": "API_KEY_INVALID",
            }
            return _error(400, "API key not valid. Please pass a valid API key.", reason)
        text = request.json["comment"]["text"]
        if not text.strip():
            return _error(400, "Comment must be non-empty.", {"errorType": "COMMENT_EMPTY"})
        if len(text.encode()) > MAX_BYTES:
            return _error(400, "Comment text was too long.", {"errorType": "COMMENT_TOO_LONG"})
        if request.json.get("languages") != ["en"]:
            kind = {"errorType": "LANGUAGE_NOT_SUPPORTED_BY_ATTRIBUTE"}
            return _error(400, "Attribute SEXUALLY_EXPLICIT does not support the language.", kind)
        if "unjudgeable" in text:
            return _error(400, "Unable to judge.", {"errorType": "UNSUPPORTED_TEXT"})
        known = dict(zip(("TOXICITY", "SEXUALLY_EXPLICIT"), scores(text), strict=True))
        asked = request.json["requestedAttributes"]
        return json_reply(
            {
                "attributeScores": {
                    name: {"summaryScore": {"value": known[name], "type": "PROBABILITY"}}
                    for name in asked
                },
                "languages": ["en"],
            }
        )

    return Host(answer)


def moderation_server(with_scores: bool = True) -> Host:
    """A service with the endpoint /v1/moderations; without scores it only flags."""

    def answer(request: Request) -> Reply:
        if request.path != "/v1/moderations" or request.method != "POST":
            return json_reply({"error": {"message": "Not Found"}}, 404)
        results = [_result(*scores(text), with_scores) for text in request.json["input"]]
        return json_reply({"id": "modr-1", "model": "words-1", "results": results})

    return Host(answer)


def _result(toxic: float, sexual: float, with_scores: bool) -> Mapping[str, Any]:
    found = {"harassment": toxic, "sexual": sexual, "violence": 0.02}
    categories = {name: score > 0.7 for name, score in found.items()}
    result: dict[str, Any] = {"flagged": any(categories.values()), "categories": categories}
    return {**result, "category_scores": found} if with_scores else result


def _error(status: int, message: str, *details: Mapping[str, str]) -> Reply:
    error = {"code": status, "message": message, "status": "INVALID_ARGUMENT"}
    return json_reply({"error": {**error, "details": list(details)}}, status)
