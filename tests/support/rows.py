"""Rows in the published schemas, and their pictures."""

import io
import json
from typing import Any

from PIL import Image


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
