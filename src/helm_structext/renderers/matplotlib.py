"""Matplotlib code → picture, by the steps of StructEval.

The code runs as a script that has NumPy, pandas and Matplotlib, and, if it imports them, SciPy,
seaborn, NetworkX and scikit-learn. Its picture is the current figure
when it ends, as `plt.savefig(…, bbox_inches="tight")` saves it; where it has closed them all, or
nothing is on it, the last that it saved or showed. Time stands still, and chance repeats itself.

Loading the libraries takes ten times as long as a usual script, so an interpreter that has loaded
them waits, and forks for each script (`python.py`).

Source: StructEval, Section 3, and its published code, where a script that closes its figures
gives a blank picture, and `plt` is there without being imported.
"""

from collections.abc import Mapping
from functools import cache, partial

from helm_structext.protocols import ProtocolName
from helm_structext.renderers import python
from helm_structext.renderers.engine import Engine, read_engine_picture
from helm_structext.renderers.limits import PYTHON_LIMITS
from helm_structext.renderers.outcome import Drawing
from helm_structext.renderers.page_layout import Told, read_told
from helm_structext.sandbox import Limits

REVISION = "3"
PACKAGES = ("matplotlib", "networkx", "numpy", "pandas", "scikit-learn", "scipy", "seaborn")


def draw(
    code: str,
    assets: Mapping[str, bytes],
    protocol: ProtocolName,
    limits: Limits,
    *,
    layout: bool = False,
) -> Drawing:
    """Renders code; see the module's text."""
    made = python.make("matplotlib_job", PACKAGES, code, assets, protocol, limits, layout=layout)
    page = read_engine_picture(made.page) if made.page else None
    told: Told = read_told(made.layout, page) if layout and page else (None, "")
    return Drawing(
        page,
        code,
        code,
        made.log,
        nothing="the script ended without a figure",
        missing=made.missing,
        layout=told[0],
        layout_reason=told[1],
    )


version = cache(lambda: f"matplotlib {REVISION} ({python.versions(PACKAGES)})")
"""The renderer's version: our own revision and those of the libraries."""

ENGINE = Engine(
    draw,
    version,
    PYTHON_LIMITS,
    {},
    partial(draw, layout=True),
)
