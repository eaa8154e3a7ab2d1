"""Files that a user edits or reads: conf files, the schema, tasks for harnesses, the system packages.

They lie at the top of a checkout; the wheel carries them in `data/packaged/`.
"""

from pathlib import Path

from helm_structext.errors import SetupError


def packaged_folder() -> Path:
    """Returns the folder that holds `run_specs/`, `integrations/`, `schema.yaml` and the rest."""
    package = Path(__file__).parents[1]
    for folder in (package / "data" / "packaged", package.parents[1]):
        if (folder / "schema.yaml").is_file():
            return folder
    raise SetupError("this installation lacks schema.yaml; install helm-structext again")


def lm_eval_tasks() -> Path:
    """Returns the folder of the tasks of lm-evaluation-harness.

    >>> (lm_eval_tasks() / "mmr.yaml").is_file()
    True
    """
    return packaged_folder() / "integrations" / "lm_eval"


def debian_packages() -> list[str]:
    """Returns the lines of `debian-packages.txt`; `helm_structext.machine.packages` chooses a name of each.

    >>> "bubblewrap" in debian_packages()
    True
    """
    lines = (packaged_folder() / "debian-packages.txt").read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]
