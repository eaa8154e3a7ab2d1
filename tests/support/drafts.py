"""What collectors hand on: candidates, and drafts with pictures that differ in every fingerprint."""

import io
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import numpy as np
from PIL import Image

from helm_structext.image2struct.collect.dataset import Round
from helm_structext.image2struct.collect.records import (
    Draft,
    Moderation,
    RoundSettings,
    SourceCandidate,
    Tools,
    Window,
)

START, END = date(2026, 10, 1), date(2026, 10, 31)
WINDOW = Window(START, END)


SETTINGS = RoundSettings(
    "latex", WINDOW, 300, 40, 7, "corrected", frozenset(), moderation="perspective", addresses={}
)


def made_round(domain: str = "latex", **changes: Any) -> Round:
    return Round(replace(SETTINGS, domain=domain, **changes), date(2026, 11, 2))


def tools(client: Any = None, moderation: Moderation | None = None, **changes: Any) -> Tools:
    return Tools(client, replace(SETTINGS, **changes), moderation)


def candidate(number: int = 0, **changes: Any) -> SourceCandidate:
    """A paper, on another day for each number."""
    return SourceCandidate(
        **{
            **{"name": f"2410.{number:05}", "group": "math", "owner": ""},
            **{"day": START + timedelta(number % 31), "license": "CC-BY-4.0"},
            **{"url": f"https://arxiv.org/e-print/2410.{number:05}", "info": {"title": "é"}},
            **changes,
        }
    )


def picture(number: int = 0, white: bool = True, size: int = 64) -> bytes:
    """A PNG file of 8×8 squares, black and white at random; most of it is white, or black."""
    squares = np.random.default_rng(number).random((8, 8)) < (0.8 if white else 0.3)
    pixels = np.kron(squares, np.ones((size // 8, size // 8))).astype(np.uint8) * 255
    buffer = io.BytesIO()
    Image.fromarray(pixels).convert("RGB").save(buffer, "PNG")
    return buffer.getvalue()


def draft(number: int = 0, of: SourceCandidate | None = None, **changes: Any) -> Draft:
    """An equation; its structure, picture and length differ for each number."""
    return Draft(
        **{
            **{"candidate": of or candidate(number), "subset": "equation"},
            **{"structure": f"$x^{{{number}}}$", "text": f"x{number}", "length": 10 + number},
            **{"image": picture(number), "info": {"file_filters": {"toxic": "passed"}}},
            **changes,
        }
    )
