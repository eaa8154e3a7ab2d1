"""What formats say of frauds: lines that are read, remarks that nobody sees, pictures in coats, a sheet over all."""

import pytest
from PIL import Image, ImageDraw

from helm_structext.audit.phrases import PHRASES, encode_picture, find_patches
from helm_structext.formats import rendered_formats
from helm_structext.metrics import earth_mover_similarity_corrected
from helm_structext.renderers import render

LINES = ["Rain in May", "50% of {all}", "Sun & wind"]
FORMATS = ("svg", "html", "typst", "tikz")


def picture() -> Image.Image:
    drawn = Image.new("RGB", (320, 240), "white")
    ImageDraw.Draw(drawn).rectangle((20, 20, 200, 160), fill="#204060")
    return drawn


def draw(format: str, code: str):
    return render(format, code, protocol="corrected", layout=True)


def is_plain(image: Image.Image) -> bool:
    return len(image.getcolors(1 << 20) or ()) == 1


def test_every_rendered_format_has_phrases():
    assert set(PHRASES) == set(rendered_formats())


@pytest.mark.parametrize("format", FORMATS)
def test_lines_are_read_and_remarks_are_not_seen(format):
    drawn = draw(format, PHRASES[format].write(LINES, "#204060", 14))
    read = "".join(one.text for one in drawn.layout.texts).replace(" ", "")
    assert [line for line in LINES if line.replace(" ", "") not in read] == []
    remark = PHRASES[format].remark(LINES)
    assert LINES[0] in remark
    drawn = draw(format, remark)
    assert is_plain(drawn.image)
    assert drawn.layout.texts == ()


@pytest.mark.parametrize("format", FORMATS)
def test_a_sheet_covers_the_picture_and_the_code_is_still_there(format):
    code = PHRASES[format].write(LINES, "#204060", 14)
    covered = PHRASES[format].cover(code)
    assert LINES[0] in covered
    assert not is_plain(draw(format, code).image)
    assert is_plain(draw(format, covered).image)


def test_a_sheet_covers_a_page_that_is_taller_than_the_window():
    tall = "".join(f"<p>Line {number}</p>" for number in range(90))
    drawn = draw("html", PHRASES["html"].cover(tall)).image
    assert is_plain(drawn)
    assert drawn.size == draw("html", tall).image.size


@pytest.mark.parametrize(
    ("format", "coat"), [("svg", "data URI"), ("typst", "numbers of a file"), ("tikz", "pixels")]
)
def test_a_picture_in_a_coat_is_drawn_as_it_is(format, coat):
    drawn = draw(format, PHRASES[format].coats[coat](picture())).image.resize((320, 240))
    blank = Image.new("RGB", (320, 240), "white")
    assert (
        earth_mover_similarity_corrected(drawn, picture())
        > earth_mover_similarity_corrected(blank, picture()) + 0.05
    )


def test_pictures_become_small_files_and_few_patches():
    assert len(encode_picture(picture(), "WEBP")) < 2000
    assert {color for row in find_patches(picture()) for color in row} >= {"#fff", "#246"}
