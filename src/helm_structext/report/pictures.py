"""Pictures small enough to travel inside a page, and the plans that are drawn over them."""

import io
import json
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image

from helm_structext import __version__
from helm_structext.errors import SetupError
from helm_structext.metrics import SizeHandling, block_emd
from helm_structext.pictures import PictureError, read_picture, size_of
from helm_structext.storage.cache import cache_folder, content_key, get_or_make, prefix_folder

QUALITY = 80
"""Of lossy WebP, for photos; pages and scores are smaller without loss."""

MAX_HEIGHT = 16_383
"""Pixels: the most that WebP has."""

UNIT = 1e-5
"""Of the numbers in a plan: costs in EMS, masses in shares of the whole."""

LEAST_COST = 10
"""Moves that cost less, in `UNIT`, are left out of a plan."""

Plan = tuple[float, float, list[tuple[int, int, int, int, int]]]
"""Height and width in patches, and the moves: see `plan`."""


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
        picture = _rgb(path)
        scale = min(max_width / picture.width, max_height / picture.height)
        if scale < 1:
            width, height = (max(1, round(side * scale)) for side in picture.size)
            picture = picture.resize((width, height), Image.Resampling.LANCZOS)
        lossless = _encoded(picture, lossless=True)
        # One bit a pixel is more than text and lines need, and less than any photo.
        if len(lossless) * 8 <= picture.width * picture.height:
            return lossless
        return min(lossless, _encoded(picture, quality=QUALITY), key=len)

    limits = (max_width, max_height, QUALITY)
    return _cached(content_key("webp", content(path), *map(str, limits)), encode)


def plan(prediction: Path, reference: Path, size_handling: SizeHandling, ems: float) -> Plan:
    """Returns what of a prediction moves where to become the reference, and what that costs.

    Args:
        prediction: path of the rendering.
        reference: path of the picture it should be.
        size_handling: see `helm_structext.metrics.match_sizes`.
        ems: the pair's earth mover similarity; the costs of all moves add up to what it lacks
            of 1.

    Returns:
        Height and width in patches, of which the last may be cut off, and the moves, costly ones
        last: number of the source patch and of the target patch (row by row), mass, cost of
        changing its pixels, and cost of the way, in `UNIT`. Moves cheaper than `LEAST_COST` are
        left out.

    Raises:
        SetupError: a file is missing or no picture.
    """

    def compute() -> bytes:
        pair = (_rgb(prediction), _rgb(reference))
        distance, plan = block_emd(*pair, size_handling, explain=True)
        (width, height), (tall, wide) = plan.size, plan.patch_size
        columns = math.ceil(width / wide)
        scale = (1 - ems) / distance if distance else 0.0
        moves = []
        for move in plan.moves:
            mass, pixels, way = (
                round(move.mass * factor / UNIT)
                for factor in (1, scale * move.pixel_cost, scale * move.position_cost)
            )
            if pixels + way >= LEAST_COST:
                ends = (row * columns + column for row, column in (move.source, move.target))
                moves.append((*ends, mass, pixels, way))
        moves.sort(key=lambda move: (move[3] + move[4], move))
        return json.dumps((height / tall, width / wide, moves)).encode()

    contents = (content(prediction), content(reference))
    key = content_key("plan", __version__, *contents, size_handling, repr(ems))
    height, width, moves = json.loads(_cached(key, compute))
    return height, width, moves


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


def _rgb(path: Path) -> Image.Image:
    with _shown(path):
        return read_picture(path)


def _encoded(picture: Image.Image, **options: bool | int) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, "WEBP", method=4, **options)
    return buffer.getvalue()


def _cached(key: str, make: Callable[[], bytes]) -> bytes:
    return get_or_make(prefix_folder(cache_folder() / "report", key) / key, make)
