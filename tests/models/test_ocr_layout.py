"""Where a reference has no code, its texts are read from its picture."""

import pytest
from PIL import Image, ImageDraw, ImageFont

from helm_structext.cli import main
from helm_structext.findings import compare_layouts
from helm_structext.models import ocr_layout
from helm_structext.models.ocr import UnreadablePicture
from helm_structext.models.ocr_layout import READ_BY_OCR, read_lines, read_picture_layout

HEAD = "block_num\tpar_num\tline_num\tleft\ttop\twidth\theight\tconf\ttext\n"


def page(*lines):
    picture = Image.new("RGB", (500, 60 + 80 * len(lines)), "white")
    for number, line in enumerate(lines):
        ImageDraw.Draw(picture).text(
            (40, 40 + 80 * number), line, "black", ImageFont.load_default(28)
        )
    return picture


def test_texts_are_read_where_they_stand():
    layout, reason = read_picture_layout(page("Rain in May", "Wind in June"))
    assert reason == ""
    assert [(one.text, one.visible) for one in layout.texts] == [
        ("Rain in May", True),
        ("Wind in June", True),
    ]
    (left, top, right, bottom), below = (one.box for one in layout.texts)
    assert 35 < left < 50 < 150 < right < 260
    assert 35 < top < bottom < 80 < below[1]


def test_what_is_wrong_is_found_without_code_of_the_reference():
    reference, _ = read_picture_layout(page("Rain in May", "Wind in June"))
    answer, _ = read_picture_layout(page("Rain in May"))
    found = compare_layouts(answer, reference)
    assert "text missing" in {one.kind for one in found.findings}
    assert found.scores["text_color"] is None


def test_a_blank_picture_has_no_layout_but_a_reason():
    assert read_picture_layout(page()) == (None, "Tesseract reads no text on the picture")


def test_a_picture_that_tesseract_gives_up_has_a_reason(monkeypatch):
    def gives_up(*_):
        raise UnreadablePicture("Tesseract failed: it took too long")

    monkeypatch.setattr(ocr_layout, "tesseract", gives_up)
    assert read_picture_layout(page("Rain")) == (None, "Tesseract failed: it took too long")


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ("1\t1\t1\t0\t0\t9\t9\t96\t雨\n1\t1\t1\t9\t0\t9\t9\t96\t季\n", ["雨季"]),
        ("1\t1\t1\t0\t0\t9\t9\t39\tRain\n", []),
        ("1\t1\t1\t0\t0\t9\t9\t79\t|\n1\t1\t2\t0\t9\t9\t9\t81\t5\n", ["5"]),
        ("1\t1\t1\t0\t0\t9\t9\t96\n", []),
        ('1\t1\t1\t0\t0\t9\t9\t96\t"Rain\n', ['"Rain']),
    ],
)
def test_rows_of_words_are_lines(rows, found):
    assert [line.text for line in read_lines(HEAD + rows)] == found


def test_a_command_compares_code_with_a_picture(tmp_path, capsys):
    code = '<svg xmlns="http://www.w3.org/2000/svg" width="500" height="140"><rect width="500" height="140" fill="white"/>'
    code += '<text x="40" y="65" font-size="28">Rain in May</text></svg>'
    (tmp_path / "answer.svg").write_text(code)
    page("Rain in May", "Wind in June").save(tmp_path / "page.png")
    assert main(["compare", "svg", str(tmp_path / "answer.svg"), str(tmp_path / "page.png")]) == 0
    said = capsys.readouterr().out
    assert said.startswith(READ_BY_OCR)
    assert '"Wind in June"' in said
    assert "recolored" not in said
