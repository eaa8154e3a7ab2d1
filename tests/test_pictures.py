"""Pictures that an answer forged, or a dataset holds: a picture, or an error with a kind."""

import contextlib
import io
import struct
import warnings
import zlib

import numpy as np
import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from helm_structext import metrics, pictures
from helm_structext.cli import main
from helm_structext.data.sources import Row
from helm_structext.errors import RenderError, SetupError
from helm_structext.pictures import (
    MADE,
    PictureError,
    PictureTooLarge,
    as_rgb,
    bands,
    decode,
    read_picture,
    size_of,
)
from helm_structext.renderers.engine import crop_to_ink, read_engine_picture
from support.pictures import noise

SIGNATURE = b"\x89PNG\r\n\x1a\n"
RED = (255, 0, 0)


def chunk(kind: bytes, data: bytes = b"", crc: int | None = None) -> bytes:
    found = zlib.crc32(kind + data) if crc is None else crc
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", found)


def header(width=2, height=1, depth=8, color=2, compression=0, filtering=0, interlaced=0) -> bytes:
    values = (width, height, depth, color, compression, filtering, interlaced)
    return chunk(b"IHDR", struct.pack(">IIBBBBB", *values))


def png(*chunks: bytes) -> bytes:
    return SIGNATURE + b"".join(chunks)


def bomb(size: int) -> bytes:
    """As many zeros as that, compressed a thousandfold; made piece by piece."""
    packer = zlib.compressobj(9)
    pieces = [packer.compress(bytes(2**20)) for _ in range(size >> 20)]
    return b"".join([*pieces, packer.flush()])


PIXELS = chunk(b"IDAT", zlib.compress(b"\0" + bytes(RED) * 2))
END = chunk(b"IEND")
PLAIN = png(header(), PIXELS, END)
BOMB = bomb(2**27)

SAID = {
    "text": chunk(b"tEXt", b"a\0" + bytes(2**20)),
    "zipped text": chunk(b"zTXt", b"a\0\0" + BOMB),
    "many zipped texts": chunk(b"zTXt", b"a\0\0" + zlib.compress(bytes(2**20))) * 99,
    "international text": chunk(b"iTXt", b"a\0\1\0\0\0" + BOMB),
    "broken texts": chunk(b"zTXt", b"a") + chunk(b"iTXt", b"\0") + chunk(b"tEXt"),
    "profile": chunk(b"iCCP", b"a\0\0" + zlib.compress(b"not a profile")),
    "profile without end": chunk(b"iCCP", b"a\0\0" + BOMB),
    "profile cut off": chunk(b"iCCP", b"a"),
    "gamma": chunk(b"gAMA", struct.pack(">I", 1)),
    "gamma of no length": chunk(b"gAMA"),
    "chromaticities": chunk(b"cHRM", b"\xff"),
    "turned": chunk(b"eXIf", b"II*\0\x08\0\0\0\1\0\x12\1\3\0\1\0\0\0\6\0\0\0\0\0\0\0"),
    "broken turn": chunk(b"eXIf", b"MM"),
    "frames": chunk(b"acTL", struct.pack(">II", 2**31, 0)),
    "broken frames": chunk(b"acTL", b"\0") + chunk(b"fcTL", b"\0") + chunk(b"fdAT"),
    "transparent color": chunk(b"tRNS", struct.pack(">HHH", *RED)),
    "broken transparency": chunk(b"tRNS", b"\0"),
    "resolution": chunk(b"pHYs", b"\0"),
    "time": chunk(b"tIME", b"\0"),
    "unknown": chunk(b"quUx", b"?"),
    "wrong sum": chunk(b"tEXt", b"a\0b", crc=1),
}


@pytest.mark.parametrize("said", SAID.values(), ids=SAID)
def test_what_a_file_says_beside_its_pixels_is_not_read(said):
    for chunks in ((header(), said, PIXELS, END), (header(), PIXELS, said, END)):
        image = read_engine_picture(png(*chunks))
        assert (image.mode, image.size, image.info) == ("RGB", (2, 1), {})
        assert image.getpixel((0, 0)) == image.getpixel((1, 0)) == RED
    again = io.BytesIO()
    image.save(again, "PNG")
    plain = io.BytesIO()
    Image.new("RGB", (2, 1), RED).save(plain, "PNG")
    assert again.getvalue() == plain.getvalue()


TOO_LARGE = {
    "no pixels follow": png(header(60_000, 60_000), END),
    "2^31": png(header(2**31, 1), PIXELS, END),
    "2^32 - 1, both": png(header(2**32 - 1, 2**32 - 1), PIXELS, END),
    "one row": png(header(65_501, 1), PIXELS, END),
    "one column": png(header(1, 65_501), PIXELS, END),
    "a little": png(header(8_000, 5_001), PIXELS, END),
    "header alone": png(header()),
    "no end": png(header(), PIXELS),
    "half of the pixels": PLAIN[:50],
    "no chunk": SIGNATURE,
    "a chunk of 2^32 - 1 bytes": png(header(), b"\xff\xff\xff\xffIDAT"),
    "ppm, 172 megapixels": b"P6\n13000 13231\n255\n",
    "ppm, huge": b"P6\n9999999999 9999999999\n255\n",
    "ppm, no pixels": b"P6\n2 1\n255\n",
    "ppm, cut off": b"P6\n2 1\n255\n12345",
}


@pytest.mark.parametrize("data", TOO_LARGE.values(), ids=TOO_LARGE)
def test_a_picture_that_is_too_large_or_cut_off_takes_too_much(data):
    with pytest.raises(RenderError, match="the picture is too large: ") as caught:
        read_engine_picture(data)
    assert caught.value.kind == "resource"


FORGED = {
    "nothing": b"",
    "text": b"hello",
    "zeros": bytes(1000),
    "signature of another line end": b"\x89PNG\n\x1a\n" + PLAIN[8:],
    "no header": png(PIXELS, END),
    "header later": png(chunk(b"tEXt", b"a\0b"), header(), PIXELS, END),
    "short header": png(chunk(b"IHDR", b"\0\0\0\1"), PIXELS, END),
    "long header": png(chunk(b"IHDR", bytes(99)), PIXELS, END),
    "wrong sum of the header": png(chunk(b"IHDR", header()[8:21], crc=1), PIXELS, END),
    "wrong sum of the pixels": png(header(), chunk(b"IDAT", PIXELS[8:-4], crc=1), END),
    "wrong sum of the palette": png(
        header(color=3), chunk(b"PLTE", bytes(3), crc=1), chunk(b"IDAT", zlib.compress(b"\0\0\0"))
    )
    + END,
    "no width": png(header(0, 1), PIXELS, END),
    "no height": png(header(1, 0), PIXELS, END),
    "no pixels": png(header(), END),
    "pixels are no zlib": png(header(), chunk(b"IDAT", b"hello"), END),
    "empty pixels": png(header(), chunk(b"IDAT"), END),
    "broken filter": png(header(), chunk(b"IDAT", zlib.compress(b"\x09" + bytes(6))), END),
    "zlib ends early": png(header(), chunk(b"IDAT", PIXELS[8:-4][:-9]), END),
    "unknown critical chunk": png(header(), chunk(b"QUUX"), PIXELS, END),
    "frames alone": png(header(), chunk(b"fdAT", b"\0\0\0\0" + PIXELS[8:-4]), END),
    "7 bits": png(header(depth=7), PIXELS, END),
    "color type 5": png(header(color=5), PIXELS, END),
    "a million chunks": png(header(), chunk(b"IDAT") * 1_000_000, PIXELS, END),
    "ppm, no header": b"P6",
    "ppm, no width": b"P6\n0 1\n255\n",
    "ppm, negative": b"P6\n-1 -1\n255\n123",
    "ppm, plus": b"P6\n+1 1\n255\n123",
    "ppm, float": b"P6\n1.0 1e0\n255\n123",
    "ppm, words": b"P6\nx y\n255\n123",
    "ppm, other digits": "P6\n١ ١\n255\n123".encode(),
    "ppm, one number": b"P6\n1\n255\n123",
    "ppm, three numbers": b"P6\n1 1 1\n255\n123",
    "ppm, comment": b"P6\n# by hand\n1 1\n255\n123",
    "ppm, comment without end": b"P6\n#" + bytes(10**6),
    "ppm, maxval 0": b"P6\n1 1\n0\n123",
    "ppm, maxval 1": b"P6\n1 1\n1\n123",
    "ppm, maxval 65535": b"P6\n1 1\n65535\n123456",
    "ppm, maxval 65536": b"P6\n1 1\n65536\n123456",
    "ppm, maxval -255": b"P6\n1 1\n-255\n123",
    "ppm, 5,000 digits": b"P6\n" + b"9" * 5000 + b" 1\n255\n",
    **{f"P{n}": f"P{n}\n1 1\n255\n123".encode() for n in "1234579fF"},
    "P7": b"P7\nWIDTH 1\nHEIGHT 1\nDEPTH 3\nMAXVAL 255\nTUPLTYPE RGB\nENDHDR\n123",
    "PyPPM": b"Py\n1 1\n",
    "eps": b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 1 1\n%%EndComments\n",
    "svg": b'<svg xmlns="http://www.w3.org/2000/svg"/>',
    "pdf": b"%PDF-1.7\n",
}  # fmt: skip


def encoded(format: str, color: tuple[int, int, int] = RED) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (3, 2), color).save(buffer, format)
    return buffer.getvalue()


OTHER_FORMATS = ("JPEG", "GIF", "BMP", "WEBP", "TIFF", "ICO", "TGA", "PCX", "JPEG2000", "SGI", "IM")


@pytest.mark.parametrize("data", FORGED.values(), ids=FORGED)
def test_what_is_no_picture_is_the_answers_fault(data):
    with pytest.raises(RenderError, match="what was made is not a picture: ") as caught:
        read_engine_picture(data)
    assert caught.value.kind == "syntax"
    assert len(caught.value.message) < 300


@pytest.mark.parametrize("format", OTHER_FORMATS)
def test_an_engine_writes_no_other_format(format):
    with pytest.raises(RenderError, match=r"syntax: .* not a picture in PNG or PPM"):
        read_engine_picture(encoded(format))


HONEST = {
    "gray": ("L", 9),
    "black and white": ("1", 0),
    "palette": ("P", 3),
    "gray with alpha": ("LA", (9, 8)),
    "colors with alpha": ("RGBA", (1, 2, 3, 4)),
    "colors": ("RGB", (1, 2, 3)),
}


@pytest.mark.parametrize(("mode", "color"), HONEST.values(), ids=HONEST)
def test_every_kind_of_8_bits_is_read_as_pillow_does(mode, color):
    image = Image.new(mode, (30, 20), color)
    buffer = io.BytesIO()
    texts = PngInfo()
    texts.add_text("a", "b", zip=True)
    image.save(buffer, "PNG", pnginfo=texts, dpi=(72, 72))
    read = read_engine_picture(buffer.getvalue())
    assert read.mode == "RGB"
    assert read.tobytes() == Image.open(buffer).convert("RGB").tobytes()


LENIENT = {
    "fewer rows than it says": png(header(2, 9), PIXELS, END),
    "unknown compression": png(header(compression=1), PIXELS, END),
    "unknown interlacing": png(header(9, 9, interlaced=7), PIXELS, END),
    "palette without colors": png(
        header(1, 1, color=3), chunk(b"IDAT", zlib.compress(b"\0\5")), END
    ),
    "more pixels than it says": png(header(1, 1), chunk(b"IDAT", BOMB), END),
    "bytes after the end": PLAIN + bytes(10**6),
    "two ends": PLAIN + END,
}  # fmt: skip


@pytest.mark.parametrize("data", LENIENT.values(), ids=LENIENT)
def test_what_pillow_forgives_is_the_same_picture_each_time(data):
    first = read_engine_picture(data)
    assert first.mode == "RGB"
    assert first.tobytes() == read_engine_picture(data).tobytes()


def test_interlaced_and_16_bits_of_color():
    rows = b"".join(b"\0" + bytes(range(3)) for _ in range(1))
    image = read_engine_picture(
        png(header(1, 1, interlaced=1), chunk(b"IDAT", zlib.compress(rows)), END)
    )
    assert image.getpixel((0, 0)) == (0, 1, 2)
    deep = b"\0" + b"\1\xff\2\xff\3\xff"
    image = read_engine_picture(png(header(1, 1, 16), chunk(b"IDAT", zlib.compress(deep)), END))
    assert image.getpixel((0, 0)) == (1, 2, 3)
    deep = b"\0" + b"\x80\xff"
    image = read_engine_picture(png(header(1, 1, 16, 0), chunk(b"IDAT", zlib.compress(deep)), END))
    assert image.getpixel((0, 0)) == (128, 128, 128)


def saved(image: Image.Image, format: str, **options) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, format, **options)
    return buffer.getvalue()


def odd_files() -> dict[str, bytes]:
    """The same picture in files of every odd kind; some hide colors, or keep fewer of them."""
    plain = noise(3, (40, 30))
    gray, other = plain.convert("L"), noise(4, (40, 30))
    deep = Image.fromarray(np.asarray(gray).astype(np.uint16) * 257)
    turned = Image.Exif()
    turned[0x0112] = 6  # a quarter turn to the right
    with_alpha = Image.merge("RGBA", (*plain.split(), noise(5, (40, 30)).convert("L")))
    transparent = plain.convert("P", palette=Image.Palette.ADAPTIVE)
    return {
        "gray": saved(gray, "PNG"),
        "gray in 16 bits": saved(deep, "PNG"),
        "transparent": saved(with_alpha, "PNG"),
        "transparent in WEBP": saved(with_alpha, "WEBP", lossless=True, exact=True),
        "gray, transparent": saved(with_alpha.convert("LA"), "PNG"),
        "palette": saved(plain.quantize(64), "PNG"),
        "palette with a transparent color": saved(transparent, "PNG", transparency=3),
        "palette in GIF": saved(transparent, "GIF", transparency=3),
        "CMYK": saved(plain.convert("CMYK"), "JPEG"),
        "animated GIF": saved(plain, "GIF", save_all=True, append_images=[other]),
        "animated WEBP": saved(plain, "WEBP", save_all=True, append_images=[other], lossless=True),
        "animated PNG": saved(plain, "PNG", save_all=True, append_images=[other]),
        "turned JPEG": saved(plain, "JPEG", exif=turned),
        "turned PNG": saved(plain, "PNG", exif=turned),
        "turned WEBP": saved(plain, "WEBP", exif=turned, lossless=True),
    }


ODD = odd_files()


@pytest.mark.parametrize("data", ODD.values(), ids=ODD)
def test_a_picture_scores_the_same_from_its_file_and_when_it_is_open(data, tmp_path, capsys):
    path, other = tmp_path / "odd", tmp_path / "plain.png"
    path.write_bytes(data)
    plain = noise(3, (40, 30))
    plain.save(other)
    assert main(["score", str(path), str(other)]) == 0
    said = dict(line.split() for line in capsys.readouterr().out.splitlines())
    for name in ("pixel_similarity", "earth_mover_similarity", "structural_similarity"):
        with Image.open(path) as image:
            assert said[name] == f"{getattr(metrics, name)(image, plain):.4f}"


def test_a_copy_in_16_bits_is_the_picture_itself():
    gray, deep = (Image.open(io.BytesIO(ODD[name])) for name in ("gray", "gray in 16 bits"))
    assert deep.mode == "I;16"
    assert decode(ODD["gray in 16 bits"]).tobytes() == decode(ODD["gray"]).tobytes()
    assert metrics.earth_mover_similarity(deep, gray) == 1
    for order in ("<", ">"):
        pixels = np.array([[0x0102, 0x80FF]], dtype=f"{order}u2")
        mode = "I;16" if order == "<" else "I;16B"
        image = Image.frombytes(mode, (2, 1), pixels.tobytes())
        assert as_rgb(image).tobytes() == bytes([1, 1, 1, 128, 128, 128])


@pytest.mark.parametrize("name", ["animated GIF", "animated WEBP", "animated PNG"])
def test_of_an_animation_the_first_picture_counts_or_the_one_at_which_it_stands(name):
    image = Image.open(io.BytesIO(ODD[name]))
    first = decode(ODD[name])
    assert image.n_frames == 2
    assert as_rgb(image).tobytes() == first.tobytes()
    image.seek(1)
    assert as_rgb(image).tobytes() != first.tobytes()


def test_a_picture_is_not_turned():
    for name in ("turned JPEG", "turned PNG", "turned WEBP"):
        assert decode(ODD[name]).size == (40, 30)


def test_ppm_as_poppler_writes_it():
    image = noise(1, (31, 17)).convert("RGB")
    assert read_engine_picture(b"P6\n31 17\n255\n" + image.tobytes()).tobytes() == image.tobytes()
    assert read_engine_picture(b"P6\n1 1\n255\n123and more").size == (1, 1)


def test_every_prefix_and_every_changed_byte_ends_well():
    buffer = io.BytesIO()
    noise(1, (12, 9)).save(buffer, "PNG")
    for data in (buffer.getvalue(), PLAIN, b"P6\n2 1\n255\n123456"):
        changed = [data[:end] for end in range(len(data))]
        changed += [
            data[:at] + bytes([data[at] ^ flip]) + data[at + 1 :]
            for at in range(len(data))
            for flip in (1, 0x20, 0x80, 0xFF)
        ]
        for file in changed:
            with contextlib.suppress(RenderError):
                assert read_engine_picture(file).mode == "RGB"


def test_bytes_without_sense_end_well():
    random = np.random.default_rng(7)
    for length in range(200):
        tail = random.bytes(length)
        for head in (b"", b"P6\n", b"P6\n2 1\n255\n", SIGNATURE, png(header()), b"GIF89a", b"BM"):
            for read in (read_engine_picture, decode, size_of):
                with contextlib.suppress(RenderError, PictureError):
                    read(head + tail)


def test_too_little_memory_is_not_the_answers_fault(monkeypatch):
    def full(*arguments, **options):
        raise MemoryError

    monkeypatch.setattr(Image, "open", full)
    with pytest.raises(MemoryError):
        read_engine_picture(PLAIN)


@pytest.mark.parametrize("format", ["JPEG", "GIF", "BMP", "WEBP", "PNG"])
def test_a_row_may_hold_what_datasets_hold(format):
    data = encoded(format)
    assert size_of(data) == decode(data).size == (3, 2)
    stored = Row({"image": data}, "row 7 of x.parquet").picture("image")
    assert stored == data if format == "PNG" else Image.open(io.BytesIO(stored)).format == "PNG"


@pytest.mark.parametrize("format", ["TIFF", "ICO", "TGA", "JPEG2000"])
def test_a_row_may_hold_nothing_else(format):
    with pytest.raises(SetupError, match="row 7 of x: column 'image' holds no picture that can be"):
        Row({"image": encoded(format)}, "row 7 of x").picture("image")


@pytest.mark.parametrize("data", [*FORGED.values()], ids=FORGED)
def test_a_forged_row_is_named(data):
    with pytest.raises(SetupError, match="row 7 of x: column 'image' holds no picture"):
        Row({"image": data}, "row 7 of x").picture("image")


def test_a_row_that_is_too_large_is_named_and_not_the_models_fault(monkeypatch):
    for size in ((60_000, 60_000), (65_501, 1)):
        data = png(header(*size), PIXELS, END)
        with pytest.raises(SetupError, match=rf"row 7 of x: .* too large .*{size[0]}x{size[1]}"):
            Row({"image": data}, "row 7 of x").picture("image")
    monkeypatch.setattr(pictures, "MAX_PIXELS", 5)
    for format in ("JPEG", "GIF", "BMP", "WEBP", "PNG"):
        with pytest.raises(SetupError, match="too large a picture: 3x2 pixels; at most 5 are"):
            Row({"image": encoded(format, (1, 2, 3))}, "row 7 of x").picture("image")


def test_pillow_is_asked_for_no_size_that_is_not_read():
    """Not even for its warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(PictureTooLarge):
            decode(png(header(12_000, 12_000), PIXELS, END), MADE)


def test_a_file_is_named(tmp_path):
    (tmp_path / "a.png").write_bytes(b"hello")
    with pytest.raises(PictureError, match=r"a\.png: not a picture in PNG, JPEG, WEBP, GIF or BMP"):
        read_picture(tmp_path / "a.png")
    (tmp_path / "a.png").write_bytes(png(header(60_000, 60_000)))
    with pytest.raises(PictureTooLarge, match=r"a\.png: 60000x60000 pixels; at most"):
        read_picture(tmp_path / "a.png")


def test_bands_cover_each_row_once():
    for size in ((1, 1), (7, 1), (1, 999), (33, 100), (2000, 3)):
        for pixels in (1, 10, 50, 10**6):
            cut = list(bands(size, 99, pixels))
            assert [row for top, end in cut for row in range(top, end)] == list(range(size[1]))
            assert all((end - top) * size[0] <= max(99, pixels, size[0]) for top, end in cut)


@pytest.mark.parametrize("size", [(1, 1), (1, 3), (2000, 1200), (700, 2000)])
def test_ink_is_found_in_all_bands(size):
    width, height = size
    for seed in range(4):
        random = np.random.default_rng(seed)
        page = Image.new("RGB", size, "white")
        for _ in range(seed):
            page.putpixel((random.integers(width), random.integers(height)), (255, 255, 254))
        for footer in (0, 0.2):
            cut = page.crop((0, 0, width, height - int(height * footer)))
            ink = np.asarray(cut).min(axis=2) < 255
            found = crop_to_ink(page, footer)
            if ink.any():
                rows, columns = np.flatnonzero(ink.any(1)), np.flatnonzero(ink.any(0))
                box = (columns[0], rows[0], columns[-1] + 1, rows[-1] + 1)
                cut = cut.crop(tuple(map(int, box)))
            assert (found.size, found.tobytes()) == (cut.size, cut.tobytes())
