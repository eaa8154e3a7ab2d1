"""What a file of answers is taken for, by its name and how it begins."""

import pytest

from helm_structext.completions.logs import log_format
from helm_structext.errors import SetupError


@pytest.mark.parametrize(
    ("name", "content", "item"),
    [
        ("a.jsonl", b'{"instance": "a", "completion": "b"}\n', "line"),
        ("a.json", b'{"version": 1, "instance": "a", "completion": "b"}\n', "line"),
        ("a", b"", "line"),
        ("a", b"\xff\xfe", "line"),
        ("a.jsonl", b'{"doc_id": 0, "doc": {}}\n', "line"),
        ("a.json", b'{\n  "version": 2,\n  "status": "success",\n  "eval": {', "sample"),
        ("a", b"PK\x03\x04", "sample"),
        ("A.EVAL", b"", "sample"),
        ("a.json", b' \n[{"index": 0}]', "row"),
        ("a.TSV", b"index\tprediction\n", "row"),
        ("a.csv", b"", "row"),
        ("a.xlsx", b"PK\x03\x04", "row"),
        ("a.pkl", b"", "row"),
        ("a", b"\x80\x04\x95", "row"),
    ],
)
def test_a_format_is_known(tmp_path, name, content, item):
    (tmp_path / name).write_bytes(content)
    assert log_format(tmp_path / name).item == item


@pytest.mark.parametrize("name", ["absent.eval", "folder", "link"])
def test_what_is_no_file_is_said(tmp_path, name):
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("link")
    with pytest.raises(SetupError, match=f"{name} can't be read"):
        log_format(tmp_path / name)


@pytest.mark.parametrize("name", ["a.jsonl", "a.tsv", "a.pkl", "a.json"])
def test_an_epoch_is_only_of_formats_that_have_some(tmp_path, name):
    (tmp_path / name).write_bytes(b"[" if name == "a.json" else b"")
    path = tmp_path / name
    with pytest.raises(SetupError, match="has no epochs; leave --epoch out"):
        log_format(path).read(path, None, 2)
