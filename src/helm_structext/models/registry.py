"""The offline models as HELM knows them: metadata and deployments."""

from collections.abc import Iterable
from contextlib import suppress
from datetime import date
from typing import TYPE_CHECKING, Any

from helm_structext.baselines import BLANK, OCR, OCR_JUDGE, ORACLE, REPLAY_PREFIX, is_offline
from helm_structext.models.hosts import PICTURE_TAGS

if TYPE_CHECKING:
    from helm.benchmark.model_deployment_registry import ModelDeployment

CLIENTS = "helm_structext.models.clients"

OFFLINE_MODELS = {
    ORACLE: (
        "Oracle (ground truth)",
        "Answers with the structure behind the picture: the upper bound of every metric.",
        "OracleClient",
    ),
    BLANK: (
        "Blank page",
        "Answers with an empty page: the floor of every picture metric.",
        "BlankClient",
    ),
    OCR: (
        "Tesseract OCR",
        "Reads the picture with Tesseract and writes the text down: a floor that really reads.",
        "OcrClient",
    ),
    OCR_JUDGE: (
        "OCR judge (not comparable)",
        "Judges pictures of StructEval by what Tesseract reads of them: for plumbing and demos, "
        "not comparable with a vision-language model.",
        "OcrJudgeClient",
    ),
}
"""Name to display name, description and client."""


def reads_pictures(name: str) -> bool:
    """Says whether a model may be shown pictures, as far as HELM's files describe it.

    Of a model that they don't describe nothing is known; it may.
    """
    import helm.benchmark.model_metadata_registry as models

    known = models.MODEL_NAME_TO_MODEL_METADATA.get(name)
    return is_offline(name) or known is None or PICTURE_TAGS[0] in known.tags


def metadata(name: str) -> dict[str, Any]:
    """Returns an offline model's entry of `model_metadata.yaml`.

    >>> metadata("structext/replay-mine")["display_name"]
    'Replay: mine'
    """
    if name in OFFLINE_MODELS:
        display_name, description, _ = OFFLINE_MODELS[name]
    else:
        replayed = name.removeprefix(REPLAY_PREFIX)
        display_name = f"Replay: {replayed}"
        description = f"Completions made elsewhere, from replay/{replayed}.jsonl."
    return {
        "name": name,
        "display_name": display_name,
        "description": description,
        "creator_organization_name": "helm-structext",
        "access": "open",
        "release_date": date(2026, 11, 21),
        # No tag for vision-language models: `model=vlm` is for real ones.
        "tags": [],
    }


def deployment(name: str) -> dict[str, Any]:
    """Returns an offline model's entry of `model_deployments.yaml`.

    >>> deployment("structext/oracle")["client_spec"]
    {'class_name': 'helm_structext.models.clients.OracleClient'}
    """
    client = OFFLINE_MODELS[name][2] if name in OFFLINE_MODELS else "ReplayClient"
    return {
        "name": name,
        "model_name": name,
        "client_spec": {"class_name": f"{CLIENTS}.{client}"},
    }


def register() -> None:
    """Registers the offline models with HELM, unless the user's own files have done so.

    To call it again does no harm.
    """
    import helm.benchmark.model_deployment_registry as deployments

    for name in OFFLINE_MODELS:
        _register(name)
    with suppress(ValueError):  # which HELM raises the second time
        deployments.model_deployment_generator("structext")(_replay)


def register_used(names: Iterable[str]) -> None:
    """Registers those of the names that are offline models, so that they have display names."""
    for name in names:
        if is_offline(name):
            _register(name)


def _replay(name: str) -> "ModelDeployment":
    import helm.benchmark.model_deployment_registry as deployments

    if not name.startswith(REPLAY_PREFIX):
        raise deployments.ModelDeploymentNotFoundError(
            f"there is no offline model {name}; there are {', '.join(OFFLINE_MODELS)} "
            f"and {REPLAY_PREFIX}NAME"
        )
    _register(name)
    return deployments.DEPLOYMENT_NAME_TO_MODEL_DEPLOYMENT[name]


def _register(name: str) -> None:
    import helm.benchmark.model_deployment_registry as deployments
    import helm.benchmark.model_metadata_registry as models

    if name not in models.MODEL_NAME_TO_MODEL_METADATA:
        models.register_model_metadata(models.ModelMetadata(**metadata(name)))
    if name not in deployments.DEPLOYMENT_NAME_TO_MODEL_DEPLOYMENT:
        fields = deployment(name)
        spec = deployments.ClientSpec(**fields.pop("client_spec"))
        deployments.register_model_deployment(
            deployments.ModelDeployment(client_spec=spec, **fields)
        )
