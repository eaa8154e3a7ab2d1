"""Typst → picture, by the steps of StructEval.

The first page becomes a picture of 300 DPI. Files are read from the job's folder only. Packages
(`@preview/…`) are those that `helm-structext setup` has installed; `corrected` takes a later version
that fits where the one that is asked for is not there.

Source: StructEval, Section 3, and its published code.
"""

import json
from collections.abc import Mapping
from functools import cache, partial

from helm_structext.errors import RenderError
from helm_structext.layouts import LayoutLost
from helm_structext.patterns import Pattern
from helm_structext.protocols import ProtocolName
from helm_structext.renderers import python
from helm_structext.renderers.engine import (
    Engine,
    ReaderDied,
    find_packages,
    read_engine_picture,
    tidy_text,
)
from helm_structext.renderers.limits import PYTHON_LIMITS
from helm_structext.renderers.outcome import Drawing
from helm_structext.renderers.page_layout import PACKAGES as LAYOUT_PACKAGES
from helm_structext.renderers.page_layout import Told, read_told
from helm_structext.renderers.typst_packages import (
    find_missing,
    installed_packages,
    packages_folder,
    replace_versions,
)
from helm_structext.sandbox import Limits, ProcessDied
from helm_structext.storage.cache import content_key

REVISION = "3"
PACKAGES = ("typst",)
JOBS: Mapping[bool, tuple[str, tuple[str, ...]]] = {
    False: ("typst_job", PACKAGES),
    True: ("typst_layout_job", PACKAGES + LAYOUT_PACKAGES),
}
"""Without and with what is on the page: the module in `etc/`, and what it needs."""
MISSING_FONT = Pattern(r"unknown font family: ([^\n]+)")


def draw(
    code: str,
    assets: Mapping[str, bytes],
    protocol: ProtocolName,
    limits: Limits,
    *,
    layout: bool = False,
) -> Drawing:
    """Renders code; see the module's text."""
    folder, log = packages_folder(), ""
    folders = (("TYPST_PACKAGES", str(folder)),) if folder.is_dir() else ()
    if protocol == "corrected":
        code, log = replace_versions(code, installed_packages())
    job, packages = JOBS[layout]
    try:
        made = python.make(job, packages, code, assets, protocol, limits, folders)
    except ProcessDied as error:
        if layout:  # It may have died of either.
            raise ReaderDied(str(error)) from error
        raise
    except RenderError as error:
        if layout and error.kind != "syntax":
            raise LayoutLost(error.kind, f"with what reads the page: {error.message}") from error
        # Typst names the first.
        missing = [*error.missing, *find_missing(code)]
        raise RenderError(error.kind, error.message, log + error.log, missing) from error
    page = read_engine_picture(made.page) if made.page else None
    missing = find_packages(MISSING_FONT, made.log, kind="font")
    told: Told = read_told(made.layout, page) if layout and page else (None, "")
    return Drawing(
        page,
        code,
        tidy_text(code),
        log + made.log,
        missing=missing,
        layout=told[0],
        layout_reason=told[1],
    )


libraries = cache(lambda: python.versions(PACKAGES))


def version() -> str:
    """Returns the renderer's version: our own revision, and those of Typst and of its packages."""
    there = json.dumps(sorted((*package, key) for package, key in installed_packages().items()))
    packages = f", packages {content_key(there)[:16]}" if there != "[]" else ""
    return f"typst {REVISION} ({libraries()}{packages})"


ENGINE = Engine(
    draw,
    version,
    PYTHON_LIMITS,
    {},
    partial(draw, layout=True),
)
