"""What HELM does for harnesses without judges of their own. Loading this does not load HELM."""

from pathlib import Path
from typing import Any

from helm_structext.scoring.scorer import Door


def door_of_helms_judges(local_path: Path) -> Door:
    """Returns the door of a harness without judges of its own: HELM's are asked.

    Args:
        local_path: where HELM finds a judge's credentials and keeps its answers.
    """

    def judge(name: str) -> Any:
        from helm_structext.helm.judge import judge_named  # HELM is loaded for a judge alone.

        return judge_named(name, local_path)

    return Door(judge)
