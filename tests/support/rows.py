"""Rows in the published schemas, and their pictures."""

import base64
import io
import json
from typing import Any

import pyarrow as pa
from PIL import Image

from helm_structext.mmr.tasks import TASKS


def png(color: tuple[int, int, int] = (200, 30, 30), size: tuple[int, int] = (40, 20)) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", size, color).save(buffer, "PNG")
    return buffer.getvalue()


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


MMR_ANSWERS = {
    "choice": "2",
    "text": '"The Stars Below',
    "box": "[0.25, 0.5, 0.75, 1.0]",
    "text_box": '["The Stars Below", [0.25, 0.5, 0.75, 1.0]]',
}


def mmr_row(task: str = "font_color", number: int = 0, **changes: Any) -> dict[str, Any]:
    """A row of puar-playground/MMR."""
    row = {
        "img_id": f"img-{number}",
        "url": "https://example.org/cover.jpg",
        "Question": f"Question {number} about {task}?",
        "Answer": MMR_ANSWERS[TASKS[task]],
        "task": task,
        "image": base64.b64encode(png((number % 256, number // 256, 0))).decode(),
    }
    row.update(changes)
    return {name: value for name, value in row.items() if value is not ...}


_TEXT = pa.string()
_PICTURE = pa.struct([("bytes", pa.binary()), ("path", _TEXT)])
IMAGE2STRUCT_SCHEMA = pa.schema(
    [
        *(("structure", _TEXT), ("text", _TEXT), ("image", _PICTURE)),
        *((name, _TEXT) for name in ("download_url", "instance_name", "date", "additional_info")),
        *((name, _TEXT) for name in ("date_scrapped", "file_filters", "compilation_info")),
        *(("rendering_filters", _TEXT), ("assets", pa.list_(_TEXT)), ("category", _TEXT)),
        *((name, _TEXT) for name in ("uuid", "length", "difficulty")),
    ]
)
"""The published columns, in their order."""
