"""Two systems compared: what differs is counted by format and metric."""

import pytest
from PIL import Image

from compare_systems import format_of, main
from support.suites import suite

LATEX = "image2struct_latex:subset=plot,model=a"
REACT = "structeval:task=text_to_react,source=sample,model=a"


@pytest.mark.parametrize(
    ("run", "format"),
    [
        (LATEX, "latex"),
        ("image2struct_music:subset=music,model=a", "music"),
        ("image2struct:format=latex_document,source=sample,model=a", "latex_document"),
        ("structeval:task=text_to_latex_document,source=sample", "latex_document"),
        ("mmr:task=all,model=a", "mmr"),
        ("other:x=1", "other:x=1"),
    ],
)
def test_the_format_is_read_from_the_run(run, format):
    assert format_of(run) == format


def test_values_are_counted_by_format_and_metric_with_the_largest_difference(tmp_path, capsys):
    old = suite(tmp_path / "old", {LATEX: {"1": {"ems": 1.0}, "2": {"ems": 0.5}, "3": {"ems": 0}},
                                   REACT: {"1": {"ems": 1.0}}})  # fmt: skip
    new = suite(tmp_path / "new", {LATEX: {"1": {"ems": 1.0}, "2": {"ems": 0.25}, "3": {"ems": 0.125}},
                                   REACT: {"1": {"ems": 1.0}}})  # fmt: skip
    assert main(["scores", old, new]) == 0
    assert [line.split() for line in capsys.readouterr().out.splitlines()[1:]] == [
        ["latex", "ems", "3", "1", "0.250000"],
        ["latex", "all", "metrics", "3", "1"],
        ["react", "all", "metrics", "1", "1"],
    ]


def test_what_one_system_has_no_score_of_is_infinitely_far(tmp_path, capsys):
    old = suite(tmp_path / "old", {LATEX: {"1": {"ems": 1.0}}})
    new = suite(tmp_path / "new", {LATEX: {"1": {"ems": None}}})
    main(["scores", old, new])
    assert capsys.readouterr().out.splitlines()[1].split() == ["latex", "ems", "1", "0", "inf"]


def test_pictures_are_compared_by_format(tmp_path, capsys):
    for system, color, width in (("old", "black", 8), ("new", "gray", 9)):
        folder = tmp_path / system
        folder.mkdir()
        Image.new("RGB", (8, 8), "white").save(folder / "svg-00.png")
        picture = Image.new("RGB", (width, 8), "white")
        picture.paste(color, (0, 0, 4, 4))
        picture.save(folder / "svg-01.png")
        (folder / "tikz-00.txt").write_text("syntax")
    (tmp_path / "new" / "tikz-01.txt").write_text("empty")
    assert main(["pictures", str(tmp_path / "old"), str(tmp_path / "new")]) == 0
    svg, tikz = (line.split() for line in capsys.readouterr().out.splitlines()[1:])
    assert svg[:4] == ["svg", "2", "1", "1"]
    assert 0 < float(svg[4]) < 1
    assert tikz == ["tikz", "2", "1", "0", "1.0000"]
