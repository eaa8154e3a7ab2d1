"""Tables as files, and cells that others wrote."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from helm_structext.errors import SetupError
from helm_structext.results.tabular import P_VALUE, Column, Table, write_tables


def test_a_folder_that_can_not_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(SetupError, match="can't be written"):
        write_tables([], tmp_path / "file")


def test_signs_that_markdown_needs_are_escaped():
    table = Table("t", "T", "", [Column("a|b")], [["c|d"]])
    assert table.markdown().splitlines()[-1] == r"| c\|d |"


def test_no_p_value_is_printed_as_zero():
    table = Table(
        "t", "T", "", [Column("Model"), Column("p", P_VALUE)], [["a", 0.00002], ["b", 0.5]]
    )
    assert [line.split()[3] for line in table.markdown().splitlines()[-2:]] == ["<0.0001", "0.5000"]
    assert "a & $<$0.0001" in table.latex()
    assert table.csv().splitlines()[1] == "a,2e-05"


HOSTILE = [
    "a|b",
    "a\\|b",
    "a\\\\|b",
    "\\",
    "line\nline",
    "a\r\nb\rc",
    "\x1b[2J\x1b]0;title\x07",
    "\u202egnp.exe\u2066",
    "a\u2028b\x85c\x0bd\x0ce\x1cf",
    "\ud800",
    "\0",
    "```",
    "| a | b |",
    "x" * 5_000,
]


OBEYED = {"Cc", "Cs", "Zl", "Zp"}


def rows_of(markdown: str) -> list[int]:
    """How many cells each row of the first table has, by another reader of Markdown."""
    counts: list[int] = []
    for token in MarkdownIt("commonmark").enable("table").parse(markdown):
        if token.type == "tr_open":
            counts.append(0)
        counts[-1:] = [counts[-1] + (token.type in ("td_open", "th_open"))] if counts else []
    return counts


def check_whole(name: str) -> None:
    """Raises AssertionError unless a name leaves a table and the terminal as they are."""
    table = Table(
        "t", f"T {name}", name, [Column("Model"), Column(name)], [[name, 0.5], ["b", name]]
    )
    said, _, grid = table.markdown().rpartition("\n\n")
    assert rows_of(grid) == [2, 2, 2]
    assert [len(line) for line in grid.split("\n")] == [len(grid.partition("\n")[0])] * 4
    assert {unicodedata.category(sign) for sign in grid.replace("\n", "")}.isdisjoint(OBEYED)
    assert "\x1b" not in said
    assert "\u202e" not in said
    assert table.latex().isascii()
    assert all(sign == "\n" or sign.isprintable() for sign in table.latex())


@pytest.mark.parametrize("name", HOSTILE)
def test_no_name_breaks_a_table_or_steers_the_terminal(name):
    check_whole(name)


@given(st.text(st.sampled_from("|\\ \n\x1b\u202e`a\ud800~")) | st.text())
def test_no_text_breaks_a_table(name):
    check_whole(name)


def test_files_of_tables_hold_any_name(tmp_path):
    table = Table("t", "T", "", [Column("\ud800")], [["=\ud800\0"]])
    write_tables([table], tmp_path)
    assert (tmp_path / "t.csv").read_bytes() == b"\\ud800\n'=\\ud800\\u0000\n"


def test_wide_signs_are_escaped_in_latex_as_narrow_ones(tmp_path):
    """Compatibility forms of signs would otherwise become the signs themselves."""
    table = Table("t", "％＃", "", [Column("＆"), Column("＼")], [["＄＿", "｛"]])
    assert table.latex().count("&") == 2 + table.latex().count("\\&")
