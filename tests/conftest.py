"""What many tests share: a small dataset in the published schema."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helm.benchmark import model_deployment_registry as deployments
from helm.benchmark import model_metadata_registry as models


@pytest.fixture
def dataset(tmp_path: Path) -> Callable[..., Path]:
    """Writes rows as <folder>/equation/validation.parquet and returns the folder."""

    def write(rows: list[dict[str, Any]], config: str = "equation") -> Path:
        folder = tmp_path / "dataset"
        (folder / config).mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.Table.from_pylist(rows), folder / config / "validation-0.parquet")
        return folder

    return write


@pytest.fixture
def empty_registries(monkeypatch):
    """HELM as if it knew no model."""
    for module, name, value in (
        (models, "ALL_MODELS_METADATA", []),
        (models, "MODEL_NAME_TO_MODEL_METADATA", {}),
        (deployments, "ALL_MODEL_DEPLOYMENTS", []),
        (deployments, "DEPLOYMENT_NAME_TO_MODEL_DEPLOYMENT", {}),
        (deployments, "_REGISTERED_MODEL_DEPLOYMENT_GENERATORS", {}),
    ):
        monkeypatch.setattr(module, name, value)
