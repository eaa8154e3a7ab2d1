"""Tables as files."""

import pytest

from helm_structext.errors import SetupError
from helm_structext.results.tabular import Column, Table, write_tables


def test_a_folder_that_can_not_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(SetupError, match="can't be written"):
        write_tables([], tmp_path / "file")


def test_signs_that_markdown_needs_are_escaped():
    table = Table("t", "T", "", [Column("a|b")], [["c|d"]])
    assert table.markdown().splitlines()[-1] == r"| c\|d |"
