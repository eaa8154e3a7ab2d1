"""What lies on the picture that answers are compared with."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from helm_structext.errors import RenderError
from helm_structext.protocols import ProtocolName
from helm_structext.renderers import render
from helm_structext.renderers.page_layout import Told
from helm_structext.storage.cache import read_stored, renderings_folder

RECENT = 8
"""References whose layouts a process remembers: answers to one come together."""


def reference_layout(
    format: str, code: Path | None, assets: Mapping[str, Path], protocol: ProtocolName
) -> Told:
    """Returns what is on a reference's picture, as the engine of its code tells it; or None with the reason.

    Args:
        format: one of `helm_structext.formats.rendered_formats`.
        code: a file of what draws it; None where there is a picture alone.
        assets: that it may use, by name.
        protocol: by which it is rendered.

    Raises:
        SetupError: the machine fails.

    >>> reference_layout("svg", None, {}, "corrected")
    (None, 'there is no code of the reference, and nothing else tells')
    """
    if code is None:
        return None, "there is no code of the reference, and nothing else tells"
    return _read_told(format, code, tuple(sorted(assets.items())), protocol)


@lru_cache(RECENT)
def _read_told(
    format: str, code: Path, assets: tuple[tuple[str, Path], ...], protocol: ProtocolName
) -> Told:
    try:
        rendering = render(
            format,
            read_stored(code).decode(),
            assets=dict(assets),
            protocol=protocol,
            cache=renderings_folder(),
            layout=True,
        )
    except RenderError as error:
        return None, f"its code does not render here: {error}"
    return rendering.layout, rendering.layout_reason
