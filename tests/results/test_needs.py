"""`helm-structext needs`: what files of a folder ask for, counted by name and by format."""

import csv
import os
from pathlib import Path

import pytest

from helm_structext.cli import main
from helm_structext.errors import SetupError
from helm_structext.renderers.needs import BESIDE
from helm_structext.results.needs import MAX_ROWS, MAX_TEXT, needs_tables, read_folder

CHART = "<script src='https://unpkg.com/chart.js@4'></script>"
ABSENT = "<script src='https://unpkg.com/absent@{}'></script>"


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    put(tmp_path / "html/a.html", CHART + ABSENT.format("1.0") + ABSENT.format("1.0"))
    put(tmp_path / "html/deep/b.html", ABSENT.format("2.0") + "<img src=https://example.com/a.png>")
    put(tmp_path / "html/c.html", CHART)
    put(tmp_path / "html/d.html", "<p>a")
    put(tmp_path / "react/e.jsx", "import a from 'absent'\nimport b from './b'")
    put(tmp_path / "react/f.jsx", "import b from './b'")
    put(tmp_path / "other/g.txt", ABSENT)
    return tmp_path


def test_names_are_counted_by_files_that_ask_that_lack_and_that_lack_nothing_else(corpus):
    formats, names = needs_tables([*read_folder(corpus)])
    assert {row[0]: row[1:] for row in formats.rows} == {
        "html": [4, 3, 2, 0],
        "react": [2, 2, 2, 1],
        "all": [6, 5, 4, 1],
    }
    assert names.rows == [
        ["absent", "package, script", "1.0, 2.0", "html, react", 3, 3, 1],
        [BESIDE, "file", "", "react", 2, 2, 1],
        ["example.com", "picture", "", "html", 1, 1, 0],
        ["chart.js", "script", "4", "html", 2, 0, 0],
    ]


def test_the_command_prints_and_writes_tables(corpus, tmp_path, capsys):
    out = tmp_path / "out"
    assert main(["needs", str(corpus), "-o", str(out)]) == 0
    said = capsys.readouterr()
    assert "| absent" in said.out
    assert "passed over, as no format is named so: other" in said.err
    assert [*csv.reader((out / "needs.csv").open())][1][0] == "absent"
    assert main(["needs", str(corpus), "--csv"]) == 0
    assert 'absent,"package, script","1.0, 2.0"' in capsys.readouterr().out


def test_many_names_are_printed_in_part_and_written_whole(tmp_path):
    put(tmp_path / "react/a.jsx", "".join(f"import 'absent-{n}'\n" for n in range(MAX_ROWS + 5)))
    tables = {table.name: table for table in needs_tables([*read_folder(tmp_path)])}
    assert len(tables["needs"].rows) == MAX_ROWS
    assert len(tables["needs-all"].rows) == MAX_ROWS + 5
    assert not tables["needs-all"].printed


def test_what_is_no_file_is_passed_over_and_a_long_one_is_read_in_part(tmp_path):
    put(tmp_path / "svg/a.svg", "<image href='https://example.com/a'/>" + " " * MAX_TEXT)
    with (tmp_path / "svg/a.svg").open("a") as file:
        file.write("<image href='https://example.org/a'/>")
    (tmp_path / "svg/b.svg").write_bytes(b"\xff\xfe<image href='https://example.com/b'/>")
    os.mkfifo(tmp_path / "svg/pipe")
    (tmp_path / "svg/broken").symlink_to("absent")
    (tmp_path / "svg/round").symlink_to(tmp_path / "svg")
    files = [*read_folder(tmp_path)]
    assert [(file.path.name, file.lacking) for file in files] == [
        ("a.svg", {"example.com"}),
        ("b.svg", {"example.com"}),
    ]


def test_a_folder_without_formats_says_how_one_looks(tmp_path, capsys):
    (tmp_path / "pages").mkdir()
    with pytest.raises(SetupError, match=r"named as a format; there are .*html"):
        next(read_folder(tmp_path))
    assert main(["needs", str(tmp_path / "absent")]) == 2
    assert "named as a format" in capsys.readouterr().err
    (tmp_path / "html").mkdir()
    assert main(["needs", str(tmp_path)]) == 0
    assert "| all    |     0 |" in capsys.readouterr().out
