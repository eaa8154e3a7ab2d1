"""What a completion is compared with: a picture, or code that is rendered once."""

import io
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from PIL import Image

from helm_structext.errors import RenderError
from helm_structext.pictures import PictureError, as_rgb, decode
from helm_structext.protocols import ProtocolName
from helm_structext.renderers import Rendering, render
from helm_structext.renderers.page_layout import Told
from helm_structext.rewards.guards import Page, page
from helm_structext.scoring.handling import bad_reference
from helm_structext.storage.cache import (
    cache_folder,
    mark_used,
    renderings_folder,
    store,
    stored_path,
)
from helm_structext.texts import describe_error, quote_value

KNOWN = 4096
"""References of which a process remembers where their picture is."""


@dataclass(frozen=True)
class Reference:
    """What a completion should look like, where a picture alone does not say it all.

    Args:
        picture: a file, its bytes, or a picture; None where it is rendered of the code.
        code: that draws it; needed for metrics of text unless `text` is given.
        text: the code reduced to its content, as `helm_structext.renderers.Rendering.text` is.
        assets: files that code may use: relative name to path or content.
    """

    picture: Path | bytes | Image.Image | None = None
    code: str | None = None
    text: str | None = None
    assets: Mapping[str, bytes | str | Path] = field(default_factory=dict)


@dataclass(frozen=True)
class Known:
    """A reference, ready.

    Args:
        picture: a PNG file.
        text: what metrics of text compare with; None if it is not known.
        page: what guards look at.
        assets: see `Reference`.
    """

    picture: Path
    text: str | None
    page: Page
    assets: Mapping[str, bytes | str | Path]


def as_reference(given: Any) -> Reference:
    """Returns a reference that was given in short: a path, bytes or a picture, or code as a string.

    Raises:
        TypeError: it is none of these, or a string that names a file.

    >>> as_reference(r"$x^2$").code
    '$x^2$'
    """
    if isinstance(given, Reference):
        return given
    if isinstance(given, str):
        if len(given) < 4096 and "\n" not in given and "\0" not in given and _is_file(given):
            raise TypeError(
                f"a reference that is a string is code, but {quote_value(given)} is a file; "
                "write pathlib.Path(…) around the name of a picture"
            )
        return Reference(code=given)
    if isinstance(given, Path | bytes | Image.Image):
        return Reference(given)
    raise TypeError(
        "a reference is a pathlib.Path, bytes or a PIL image of a picture, code as a string, or a "
        f"Reference, not {type(given).__name__}"
    )


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except OSError:
        return False


def known(reference: Reference, format: str, protocol: ProtocolName) -> Known:
    """Returns a reference, ready: pictures are kept in the user's cache, named by their content.

    Args:
        reference: of completions in a format.
        format: a key of `helm_structext.formats.FORMATS`.
        protocol: by which code is rendered.

    Raises:
        NotScored: it can't be read, or does not render.
        SetupError: the machine fails.
    """
    picture, text = _picture_of(reference, format, protocol)
    mark_used(picture)
    return Known(picture, text, replace(_page(picture), text=text or ""), reference.assets)


def _picture_of(
    reference: Reference, format: str, protocol: ProtocolName
) -> tuple[Path, str | None]:
    given, text = reference.picture, reference.text
    if reference.code is not None and (given is None or text is None):
        rendering = draw_reference(reference, format, protocol)
        text = rendering.text if text is None else text
        if given is None:
            assert rendering.path is not None  # there is a cache
            return rendering.path, text
    if given is None:
        raise bad_reference("it has neither a picture nor code")
    if isinstance(given, Image.Image):
        return _stored(_encoded(given)), text
    if isinstance(given, Path):
        try:
            stamp = given.stat()
            path = _stored_file(given, (stamp.st_mtime_ns, stamp.st_size, stamp.st_ino))
            return path if path.is_file() else _stored(given.read_bytes()), text
        except OSError as error:
            raise bad_reference(f"{given} can't be read: {describe_error(error)}") from error
    return _stored(given), text


def told_layout(reference: Reference, format: str, protocol: ProtocolName) -> Told:
    """Returns what is on a reference's picture as the engine of its code tells it, or None with the reason.

    Args:
        reference: of completions in a format.
        format: a key of `helm_structext.formats.FORMATS`.
        protocol: by which code is rendered.

    Raises:
        NotScored: its code does not render.
        SetupError: the machine fails.

    >>> told_layout(Reference(b"a picture"), "svg", "corrected")
    (None, 'that needs code; there is a picture alone')
    """
    if reference.code is None:
        return None, "that needs code; there is a picture alone"
    rendering = draw_reference(reference, format, protocol, layout=True)
    return rendering.layout, rendering.layout_reason


def draw_reference(
    reference: Reference, format: str, protocol: ProtocolName, *, layout: bool = False
) -> Rendering:
    """Returns the rendering of a reference's code, which is kept in the user's cache.

    Args:
        reference: with code.
        format: a key of `helm_structext.formats.FORMATS`.
        protocol: by which it is rendered.
        layout: whether what is on it is told.

    Raises:
        NotScored: it does not render.
        SetupError: the machine fails.
    """
    assert reference.code is not None
    try:
        return render(
            format,
            reference.code,
            assets=reference.assets,
            protocol=protocol,
            cache=renderings_folder(),
            layout=layout,
        )
    except RenderError as error:
        raise bad_reference(f"its code does not render: {error}") from error


@lru_cache(KNOWN)
def _stored_file(file: Path, stamp: tuple[int, ...]) -> Path:
    return _stored(file.read_bytes())


def _stored(data: bytes) -> Path:
    """Keeps a picture file as it is, if it can be read."""
    folder = cache_folder() / "references"
    if not stored_path(folder, data, "png").is_file():  # what is there could be read
        try:
            decode(data)
        except PictureError as error:
            raise bad_reference(f"it is no picture that can be read: {error}") from error
    return store(folder, data, "png")


_loading = threading.Lock()


def _encoded(picture: Image.Image) -> bytes:
    file = io.BytesIO()
    try:
        with _loading:  # Pillow reads a file when its pixels are first asked for, in one thread.
            picture.load()
        as_rgb(picture).save(file, "PNG", compress_level=1)
    except (ValueError, OSError) as error:
        raise bad_reference(f"it is no picture that can be read: {error}") from error
    return file.getvalue()


@lru_cache(KNOWN)
def _page(picture: Path) -> Page:
    return page(decode(picture.read_bytes()), "")
