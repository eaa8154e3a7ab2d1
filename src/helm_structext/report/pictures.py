"""Pictures small enough to travel inside a page, and what is kept of them."""

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image

from helm_structext.errors import SetupError
from helm_structext.pictures import PictureError, read_picture, size_of
from helm_structext.storage.cache import cache_folder, content_key, get_or_make, prefix_folder

QUALITY = 80
"""Of lossy WebP, for photos; pages and scores are smaller without loss."""

MAX_HEIGHT = 16_383
"""Pixels: the most that WebP has."""


def content(path: Path) -> str:
    """Returns the hash of a file.

    Raises:
        SetupError: it can't be read.
    """
    return content_key(_read(path))


def content_and_size(path: Path) -> tuple[str, tuple[int, int]]:
    """Returns the hash of a picture's file, and its width and height in pixels from the header.

    Raises:
        SetupError: the file can't be read, or is no picture.
    """
    data = _read(path)
    with _shown(path):
        return content_key(data), size_of(data)


def webp(path: Path, max_width: int, max_height: int = MAX_HEIGHT) -> bytes:
    """Returns a picture as WebP, at most that wide and high, in pixels; kept by content.

    Without loss, or with where that makes it smaller.

    Raises:
        SetupError: the file is missing or no picture.
    """

    def encode() -> bytes:
        picture = load_rgb(path)
        scale = min(max_width / picture.width, max_height / picture.height)
        if scale < 1:
            width, height = (max(1, round(side * scale)) for side in picture.size)
            picture = picture.resize((width, height), Image.Resampling.LANCZOS)
        lossless = _encode(picture, lossless=True)
        # One bit a pixel is more than text and lines need, and less than any photo.
        if len(lossless) * 8 <= picture.width * picture.height:
            return lossless
        return min(lossless, _encode(picture, quality=QUALITY), key=len)

    limits = (max_width, max_height, QUALITY)
    return kept_for_reports(content_key("webp", content(path), *map(str, limits)), encode)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise SetupError(f"{path} can't be read: {error}; a report needs every picture") from error


@contextmanager
def _shown(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, PictureError) as error:
        raise SetupError(f"{path} can't be shown: {error}") from error


def load_rgb(path: Path) -> Image.Image:
    """Returns a picture in RGB.

    Raises:
        SetupError: the file is missing or no picture.
    """
    with _shown(path):
        return read_picture(path)


def _encode(picture: Image.Image, **options: bool | int) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, "WEBP", method=4, **options)
    return buffer.getvalue()


def kept_for_reports(key: str, make: Callable[[], bytes]) -> bytes:
    """Returns what `make` gives, which is computed once for all reports.

    Args:
        key: of the content that it depends on.
        make: gives it.
    """
    return get_or_make(prefix_folder(cache_folder() / "report", key) / key, make)
