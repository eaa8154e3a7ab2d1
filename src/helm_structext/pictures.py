"""Files of pictures → pixels: the one place that asks Pillow to decode what others wrote.

An answer that runs in the sandbox can leave any bytes as its picture, and a dataset may hold any.
So the size is read first, and bounded, and Pillow gets no more of a file than says what its pixels
are: of a PNG file the four critical chunks, without texts, profiles, gamma, animation and
orientation. Whatever Pillow raises is a `PictureError`.
"""

import io
import struct
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from PIL import Image, UnidentifiedImageError

MAX_PIXELS = 40_000_000
"""Pictures with more pixels are not read: two of them, compared, take less than 500 MiB.

The largest picture that a browser takes has 25.6 million, a page in the size A2 at 300 DPI 34.8.
"""
MAX_SIDE = 65_500
"""Pixels of width or height: JPEG, as which HELM sends pictures to models, has no more."""

STORED = ("PNG", "JPEG", "WEBP", "GIF", "BMP")
"""Formats of pictures in datasets and on disk. (EPS would start Ghostscript, outside a sandbox.)"""
MADE = ("PNG", "PPM")
"""Formats in which engines write pictures."""

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_HEADER, _END = b"IHDR", b"IEND"
_CRITICAL = (_HEADER, b"PLTE", b"IDAT", _END)
_MAX_CHUNKS = 100_000
_MODES = ("1", "L", "LA", "P", "PA", "RGB", "RGBA", "RGBX", "CMYK", "YCbCr", "HSV")
_GRAY_16 = {"I;16": 1, "I;16L": 1, "I;16B": 0}
"""Modes of gray in 16 bits, with the place of the higher byte of each two."""


class PictureError(ValueError):
    """A file is not a picture that can be read."""


class PictureTooLarge(PictureError):
    """A picture has more pixels than are read."""


class PictureCutOff(PictureError):
    """A file ends before its picture does, as where its space ended."""


def as_rgb(image: Image.Image) -> Image.Image:
    """Returns a picture as RGB in 8 bits a channel, by one rule for files and for open pictures.

    - Gray, palettes and CMYK become the colors that Pillow gives them; color profiles don't count.
    - Of 16 bits a channel, the higher 8 stay.
    - Transparency is dropped, as in the published pipeline: a hidden color counts as the color it
      hides, so that what is to be seen on white has to be put on white before.
    - Of an animation it is the picture at which it stands: in a file, the first one.
    - A picture is not turned, whatever EXIF says: its pixels count as they are stored.

    Raises:
        ValueError: its channels are of another kind, as in the modes `I`, `F` and `LAB`.

    >>> as_rgb(Image.new("I;16", (1, 1), 0x80FF)).getpixel((0, 0))
    (128, 128, 128)
    >>> as_rgb(Image.new("LA", (1, 1), (255, 0))).getpixel((0, 0))
    (255, 255, 255)
    """
    if image.mode in _GRAY_16:
        image = Image.frombytes("L", image.size, image.tobytes()[_GRAY_16[image.mode] :: 2])
    if image.mode not in _MODES:
        expected = ", ".join((*_MODES, *_GRAY_16))
        raise ValueError(f"expected one of the modes {expected}, got {image.mode}")
    return image if image.mode == "RGB" else image.convert("RGB")


def decode(data: bytes, formats: Sequence[str] = STORED) -> Image.Image:
    """Returns the pixels of a picture file as `as_rgb` does, without its metadata.

    Args:
        data: the file.
        formats: in which it may be, of `STORED` and `MADE`.

    Raises:
        PictureTooLarge: it has more than `MAX_PIXELS` pixels, or a side of more than `MAX_SIDE`.
        PictureCutOff: the file, in one of the formats `MADE`, ends too early.
        PictureError: it is not a picture in one of the formats, or a broken one.

    >>> decode(b"P6\\n2 1\\n255\\n\\0\\0\\0\\xff\\xff\\xff", MADE).getpixel((1, 0))
    (255, 255, 255)
    >>> decode(b"P6\\n90000 90000\\n255\\n", MADE)
    Traceback (most recent call last):
    helm_structext.pictures.PictureTooLarge: 90000x90000 pixels; at most 40,000,000 are read
    >>> decode(b"%!PS-Adobe-3.0 EPSF-3.0")
    Traceback (most recent call last):
    helm_structext.pictures.PictureError: not a picture in PNG, JPEG, WEBP, GIF or BMP
    """
    try:
        if "PPM" in formats and data.startswith(b"P6"):
            return _decode_ppm(data)
        with _opened(data, formats) as image:
            image.load()
            picture = as_rgb(image)
    except (PictureError, MemoryError):  # too little memory is the machine's fault
        raise
    except Exception as error:  # Pillow raises many types for broken files
        raise PictureError(f"a broken picture: {error}") from error
    picture.info = {}  # Else some of it goes into the files that Pillow writes.
    return picture


def open_png(data: bytes) -> Image.Image:
    """Returns the picture of an RGB file in PNG that is known to be whole, as those in our caches.

    Its pixels are decoded when something first asks for them, which one thread may do.

    Raises:
        PictureError: as `decode`, as far as the header shows it.
    """
    return _open(io.BytesIO(data), MADE)


def read_picture(path: Path) -> Image.Image:
    """Returns the pixels of a file on disk as `decode` does.

    Raises:
        PictureError: as `decode`; the message names the file.
        OSError: it can't be read.
    """
    try:
        return decode(path.read_bytes())
    except PictureError as error:
        raise type(error)(f"{path}: {error}") from error


def size_of(data: bytes) -> tuple[int, int]:
    """Returns the width and height of a picture in one of the formats `STORED`, from its header.

    Raises:
        PictureError: as `decode`, as far as the header shows it.
    """
    try:
        with _opened(data, STORED) as image:
            return image.size
    except (PictureError, MemoryError):
        raise
    except Exception as error:
        raise PictureError(f"a broken picture: {error}") from error


def is_png(data: bytes) -> bool:
    """Returns whether a file says that it is PNG.

    >>> is_png(b"GIF89a")
    False
    """
    return data.startswith(_SIGNATURE)


def bands(
    size: tuple[int, int], whole: int = 2**21, pixels: int = 2**19
) -> Iterator[tuple[int, int]]:
    """Yields top and bottom of one band after the other, for what needs more memory than a picture.

    Args:
        size: width and height of the picture.
        whole: a picture of no more pixels, such as one of 1920×1080, is one band.
        pixels: that a band of a larger one has at most, unless one row has more.

    >>> list(bands((100, 25), 2000, 1000)), list(bands((100, 25)))
    ([(0, 10), (10, 20), (20, 25)], [(0, 25)])
    """
    width, height = size
    rows = height if width * height <= whole else max(1, pixels // width)
    return ((top, min(top + rows, height)) for top in range(0, height, rows))


@contextmanager
def _opened(data: bytes, formats: Sequence[str]) -> Iterator[Image.Image]:
    """Pillow's image of a file, of which nothing is decoded yet, if it has a size to be read."""
    if is_png(data):
        data = _critical_chunks(data)
    with io.BytesIO(data) as file:  # Else the picture keeps it.
        yield _open(file, formats)


def _open(file: io.BytesIO, formats: Sequence[str]) -> Image.Image:
    try:
        image = Image.open(file, formats=[name for name in formats if name != "PPM"])
    except UnidentifiedImageError:
        listed = f"{', '.join(formats[:-1])} or {formats[-1]}"
        raise PictureError(f"not a picture in {listed}") from None
    except Image.DecompressionBombError as error:
        raise PictureTooLarge(str(error)) from error
    _check_size(*image.size)
    return image


def _check_size(width: int, height: int) -> None:
    if not width or not height:
        raise PictureError(f"{width}x{height} pixels; expected an area")
    if width * height > MAX_PIXELS:
        raise PictureTooLarge(f"{width}x{height} pixels; at most {MAX_PIXELS:,} are read")
    if max(width, height) > MAX_SIDE:
        raise PictureTooLarge(f"{width}x{height} pixels; a side has at most {MAX_SIDE:,}")


def _critical_chunks(png: bytes) -> bytes:
    """A PNG file without the chunks that say something else than its pixels.

    Source: PNG specification, section 5.3, https://www.w3.org/TR/png-3/.
    """
    whole, start = memoryview(png), len(_SIGNATURE)
    spans = [(0, start)]
    for number in range(_MAX_CHUNKS):
        length, kind = struct.unpack_from(">I4s", png, start) if start + 8 <= len(png) else (0, b"")
        end = start + length + 12
        if end > len(png):
            raise PictureCutOff("the file is cut off")
        if number == 0:
            if (kind, length) != (_HEADER, 13):
                raise PictureError("a broken picture: it does not begin with its header")
            _check_size(*struct.unpack_from(">II", png, start + 8))
        if kind in _CRITICAL:
            (expected,) = struct.unpack_from(">I", png, end - 4)
            if zlib.crc32(whole[start + 4 : end - 4]) != expected:
                raise PictureError(f"a broken picture: its chunk {kind!r} has been changed")
            # Pieces that touch are one, so that a file of nothing else is not copied.
            first = spans.pop()[0] if spans[-1][1] == start else start
            spans.append((first, end))
        elif not kind[0] & 0x20:
            raise PictureError(f"a broken picture: it has a chunk {kind!r}")
        if kind == _END:
            return png[:end] if len(spans) == 1 else b"".join(whole[a:b] for a, b in spans)
        start = end
    raise PictureError(f"a broken picture: it has more than {_MAX_CHUNKS:,} chunks")


def _decode_ppm(data: bytes) -> Image.Image:
    """Pixels of a PPM file as Poppler writes it: no comments, 8 bits a channel."""
    magic, sizes, most, *_ = *data[:40].split(b"\n", 3), b"", b""
    numbers = sizes.split(b" ")
    if (
        (magic, most) != (b"P6", b"255")
        or len(numbers) != 2
        or not all(map(bytes.isdigit, numbers))
    ):
        raise PictureError(f"a broken picture: its header is {data[:40]!r}")
    width, height = map(int, numbers)
    _check_size(width, height)
    start = len(magic) + len(sizes) + len(most) + 3
    pixels = memoryview(data)[start : start + 3 * width * height]
    if len(pixels) < 3 * width * height:
        raise PictureCutOff("the file is cut off")
    return Image.frombytes("RGB", (width, height), pixels)
