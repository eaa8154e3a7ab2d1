"""What to do where a model can't be asked: from what HELM's clients say to what helps."""

from helm_structext.models.hosts import APIS

PICTURE_REMEDY = (
    "serve a model that reads pictures, or describe it with `helm-structext add-model --text-only`"
)

UNREACHABLE = ("connection error", "connection refused", "connecterror", "unreachable")
"""What clients say, in small letters, of a server that is not there."""

ADVICE = (
    *(
        ((f"no module named '{api.module}'",), f"pip install 'crfm-helm[{api.extra}]'")
        for api in APIS.values()
    ),
    (
        UNREACHABLE,
        "nothing answers there: start the server, or correct base_url in model_deployments.yaml",
    ),
    (
        ("timed out", "timeout"),
        "the server is too slow or too busy: try with fewer threads (helm-run --num-threads 1)",
    ),
    (
        ("api_key", "api key", "code: 401", "code: 403", "unauthorized"),
        "put the key that the provider gave you into credentials.conf of HELM's local path",
    ),
    (
        ("image", "multimodal", "vision", "picture"),
        PICTURE_REMEDY,
    ),
    (
        ("code: 404", "does not exist", "model not found"),
        "name the model as the server does (`helm-structext add-model --model-name`), and see that "
        "base_url ends as the server's documents say, mostly in /v1",
    ),
    (
        ("context length", "maximum context", "too many tokens", "max_tokens"),
        "serve the model with a longer context",
    ),
    (("code: 429", "rate limit", "quota"), "wait, or see what your account allows"),
)
"""Words, of which one is in a message, to what to do; the first row that fits counts."""


def advised(message: str) -> str:
    """Returns a message, and what to do about it where that is known.

    >>> advised("OpenAI error: Connection error.").partition("; ")[2]
    'nothing answers there: start the server, or correct base_url in model_deployments.yaml'
    >>> advised("no such luck")
    'no such luck'
    """
    low = message.lower()
    for words, remedy in ADVICE:
        if any(word in low for word in words):
            return f"{message.rstrip('. ')}; {remedy}"
    return message
