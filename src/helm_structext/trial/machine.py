"""What of this machine an evaluation needs: engines that render, and a judge."""

from pathlib import Path
from typing import TYPE_CHECKING

from helm_structext.errors import SetupError
from helm_structext.helm.judge import ModelJudge
from helm_structext.structeval.judge import DEFAULT_JUDGE
from helm_structext.trial.checks import CheckFailed
from helm_structext.trial.doctor import examine

if TYPE_CHECKING:
    from helm.clients.auto_client import AutoClient


def renderers_ready() -> str:
    """Says that nothing is missing here.

    Raises:
        SetupError: something is; the message names all of it.
    """
    missing = [f"{f.name} ({f.detail})" for f in examine() if not (f.found or f.optional)]
    if missing:
        raise SetupError(f"{', '.join(missing)}; `helm-structext doctor` says more")
    return "all are there"


def judge_ready(client: "AutoClient", folder: Path) -> str:
    """Says that StructEval's judge can be asked, as far as that is known without asking.

    Args:
        client: HELM's, of all models.
        folder: for pictures.

    Raises:
        CheckFailed: it can't.
    """
    try:
        ModelJudge(DEFAULT_JUDGE, client, folder).prepare()
    except SetupError as error:
        raise CheckFailed(
            "note",
            f"{DEFAULT_JUDGE} has no key, or lacks a package; StructEval's pictures need it, or "
            "judge=structext/ocr-judge (not comparable), or judge=none",
        ) from error
    return f"{DEFAULT_JUDGE} can be asked"
