"""Typst → picture, by the steps of StructEval.

The first page becomes a picture of 300 DPI. Files are read from the job's folder only, and packages
(`@preview/…`), which would be downloaded, are missing.

Source: StructEval, Section 3, and its published code.
"""

from collections.abc import Mapping
from functools import lru_cache

from helm_structext.errors import RenderError
from helm_structext.extraction import extract
from helm_structext.renderers import python
from helm_structext.renderers.engine import Drawing, Engine, ProtocolName, picture, tidied
from helm_structext.sandbox import Limits

REVISION = "2"
PACKAGES = ("typst",)


def draw(
    source: str, assets: Mapping[str, bytes], protocol: ProtocolName, limits: Limits
) -> Drawing:
    """Renders a completion; see the module's text."""
    code = extract(source, "typst", protocol)
    if not code:
        raise RenderError("empty", "there is no document")
    made = python.make("typst_job", PACKAGES, code, assets, limits)
    return Drawing(picture(made.page), code, tidied(code), made.log)


@lru_cache(maxsize=1)
def version() -> str:
    """Returns the renderer's version: our own revision and that of Typst."""
    return f"typst {REVISION} ({python.versions(PACKAGES)})"


ENGINE = Engine(
    draw=draw,
    version=version,
    limits=Limits(seconds=30, memory=2048, processes=16, scratch=128, output=64),
    packages={},
)
