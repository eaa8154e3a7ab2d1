"""What many tests share: a small dataset in the published schema."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helm.benchmark import model_deployment_registry as deployments
from helm.benchmark import model_metadata_registry as models
from PIL import Image
from selenium import webdriver


def png(color: tuple[int, int, int] = (200, 30, 30), size: tuple[int, int] = (40, 20)) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", size, color).save(buffer, "PNG")
    return buffer.getvalue()


def chromium(*flags: str) -> webdriver.ChromeOptions:
    """Options for a browser without a window that asks the network for nothing by itself."""
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for flag in [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        *flags,
    ]:
        options.add_argument(flag)
    return options


def latex_row(number: int = 0, **changes: Any) -> dict[str, Any]:
    """A row of stanford-crfm/image2struct-latex-v1."""
    row = {
        "structure": f"$x^{number}$",
        "text": f"$x^{number}$",
        "image": {"bytes": png((number, 0, 0)), "path": None},
        "download_url": '""',
        "instance_name": f'"instance {number}"',
        "date": '"2026-11-21"',
        "additional_info": "{}",
        "date_scrapped": '"2026-11-21"',
        "file_filters": "[]",
        "compilation_info": "{}",
        "rendering_filters": "[]",
        "assets": [],
        "category": '"equation"',
        "uuid": json.dumps(f"uuid-{number}"),
        "length": "5",
        "difficulty": ("easy", "medium", "hard")[number % 3],
    }
    row.update(changes)
    return {name: value for name, value in row.items() if value is not ...}


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
