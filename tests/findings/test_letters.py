"""Which words are bold or italic that should not be, and the other way round."""

import pytest

from helm_structext.findings import compare_layouts
from helm_structext.findings.letters import compare_faces
from helm_structext.layouts import PictureLayout, TextBox, layout_record, read_layout
from helm_structext.metrics.text_lines import join_lines, join_paragraph

LINE = "It rains in May"


def text(faces, line=LINE, row=0):
    return TextBox(line, (10, 20 * row, 90, 20 * row + 12), "#000000", 10.0, faces=faces)


def told(ours, theirs):
    """What is said of two lists of texts."""
    layouts = [PictureLayout((200, 400), tuple(texts)) for texts in (ours, theirs)]
    found = compare_layouts(*layouts).findings
    assert {one.kind for one in found} <= {"text restyled"}
    return [one.text for one in found]


@pytest.mark.parametrize(
    ("faces", "wanted", "said"),
    [
        ("r", "b", ['"It rains in May" is plain, not bold']),
        ("rr" + "iiiii" + "rr" + "iii", "r", ['"rains May" is italic, not plain']),
        ("r" * 7 + "zz" + "rrr", "r" * 7 + "ii" + "bbb",
         ['"May" is plain, not bold', '"in" is bold and italic, not italic']),
        ("rrb" + "r" * 9, "r", ['"r" is bold, not plain']),
        ("", "b", []),
        ("?" * 9 + "bbb", "r", ['"May" is bold, not plain']),
        ("b", "b" * 11 + "?", []),
    ],
)  # fmt: skip
def test_letters_of_another_weight_or_slant_are_told(faces, wanted, said):
    assert told([text(faces)], [text(wanted)]) == said


def test_what_changed_alike_is_told_once():
    lines = ["Rain", "falls in", "the month of May"]
    ours, theirs = (
        [text(face, line, row) for row, line in enumerate(lines)] for face in ("r", "b")
    )
    assert told(ours, theirs) == ['"Rain" and 2 others is plain, not bold']


def test_misspelt_texts_have_no_style_that_could_be_compared():
    assert compare_faces(text("b", "It rains in Mai"), text("bbb", "May")) == {}


def test_lines_and_paragraphs_have_the_faces_of_their_pieces():
    pieces = [
        TextBox("May", (40, 0, 60, 10), size=8.0, faces="b"),
        TextBox("in", (28, 0, 38, 10), size=8.0, faces="ri"),
        TextBox("It", (16, 0, 26, 10), size=8.0),
    ]
    (line,) = join_lines(pieces)
    assert (line.text, line.faces) == ("It in May", "??" + "ri" + "bbb")
    below = TextBox("rain", (16, 12, 40, 22), size=8.0, faces="i")
    assert join_paragraph([line, below]).spread_faces == "??ribbb" + "iiii"


@pytest.mark.parametrize("faces", ["bb", "x", "bold", "r" * 9, "b" * 10_000])
def test_faces_that_can_not_be_are_not_known(faces):
    record = layout_record(PictureLayout((9, 9), (text(""),)))
    record["texts"][0].append(faces)
    assert read_layout(record).texts[0].faces == ""


@pytest.mark.parametrize("faces", [None, 5, ["b"] * 12, {"b": 1}])
def test_faces_of_another_form_are_no_layout(faces):
    record = layout_record(PictureLayout((9, 9), (text(""),)))
    record["texts"][0].append(faces)
    with pytest.raises(ValueError, match="not a layout"):
        read_layout(record)
