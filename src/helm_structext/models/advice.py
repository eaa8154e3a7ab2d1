"""What to do where a model can't be asked: from what HELM's clients say to what helps."""

import shlex
from pathlib import Path

from helm_structext.models.hosts import APIS

PICTURE_REMEDY = (
    "serve a model that reads pictures, or say that it reads none: `helm-structext add-model MODEL "
    "--text-only`"
)

READS_SOME = (
    "if it does read pictures, say so: `helm-structext add-model {} --no-text-only` of one that you added, "
    "VISION_LANGUAGE_MODEL_TAG in model_metadata.yaml of another"
)

SAMPLES = {True: "run_specs/sample.conf", False: "run_specs/text.conf"}
"""Whether a model reads pictures, to the conf file of the samples that it can read."""

PUBLISHED = {True: "run_specs/all.conf", False: "run_specs/structeval.conf"}
"""The same of all that is published."""

LOCAL_PATH = Path("prod_env")
"""HELM's local configuration unless said otherwise."""

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


def add_advice(message: str) -> str:
    """Returns a message, and what to do about it where that is known.

    >>> add_advice("OpenAI error: Connection error.").partition("; ")[2]
    'nothing answers there: start the server, or correct base_url in model_deployments.yaml'
    >>> add_advice("no such luck")
    'no such luck'
    """
    low = message.lower()
    for words, remedy in ADVICE:
        if any(word in low for word in words):
            return f"{message.rstrip('. ')}; {remedy}"
    return message


def picture_remedy(model: str, local_path: Path) -> str:
    """Returns `PICTURE_REMEDY` for a model, as a command that can be pasted."""
    return PICTURE_REMEDY.replace(" MODEL ", f" {shlex.quote(model)} ").replace(
        "--text-only", f"--text-only{_at(local_path)}"
    )


def try_command(model: str, local_path: Path) -> str:
    """Returns the command that tries a model.

    >>> try_command("me/my-vlm", Path("prod_env"))
    'helm-structext try me/my-vlm'
    """
    return f"helm-structext try {shlex.quote(model)}{_at(local_path)}"


def run_command(model: str, local_path: Path) -> str:
    """Returns the command that leads to a model's first result.

    >>> run_command("me/my-vlm", Path("a b"))
    "helm-structext run me/my-vlm --local-path 'a b'"
    """
    return f"helm-structext run {shlex.quote(model)}{_at(local_path)}"


def helm_run_command(model: str, local_path: Path, *, reads_pictures: bool) -> str:
    """Returns HELM's command that runs the samples which a model can read.

    >>> helm_run_command("me/my-llm", Path("prod_env"), reads_pictures=False)
    'helm-run --conf-paths run_specs/text.conf --suite s --max-eval-instances 10 --models-to-run me/my-llm'
    """
    return (
        f"helm-run --conf-paths {SAMPLES[reads_pictures]} --suite s --max-eval-instances 10 "
        f"--models-to-run {shlex.quote(model)}{_at(local_path)}"
    )


def _at(local_path: Path) -> str:
    return "" if local_path == LOCAL_PATH else f" --local-path {shlex.quote(str(local_path))}"
