"""Typst → picture, by the steps of StructEval.

The first page becomes a picture of 300 DPI. Files are read from the job's folder only, and packages
(`@preview/…`), which would be downloaded, are missing.

Source: StructEval, Section 3, and its published code.
"""

from collections.abc import Mapping
from functools import cache

from helm_structext.protocols import ProtocolName
from helm_structext.renderers import python
from helm_structext.renderers.engine import Engine, read_engine_picture, tidy_text
from helm_structext.renderers.outcome import Drawing
from helm_structext.sandbox import Limits

REVISION = "2"
PACKAGES = ("typst",)


def draw(code: str, assets: Mapping[str, bytes], protocol: ProtocolName, limits: Limits) -> Drawing:
    """Renders code; see the module's text."""
    made = python.make("typst_job", PACKAGES, code, assets, limits)
    page = read_engine_picture(made.page) if made.page else None
    return Drawing(page, code, tidy_text(code), made.log)


version = cache(lambda: f"typst {REVISION} ({python.versions(PACKAGES)})")
"""The renderer's version: our own revision and that of Typst."""

ENGINE = Engine(
    draw, version, Limits(seconds=30, memory=2048, processes=16, scratch=128, output=64), {}
)
