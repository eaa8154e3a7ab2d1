import base64
import errno
import gzip
import io
import json
import os
import tarfile
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest

from helm_structext.data import load_rows
from helm_structext.data.schemas import FEATURES
from helm_structext.errors import SetupError
from helm_structext.image2struct.collect import dataset
from helm_structext.image2struct.collect.dataset import write_dataset
from helm_structext.image2struct.collect.fingerprints import identifier
from helm_structext.image2struct.rows import read_problem, rows_of
from helm_structext.image2struct.tasks import DOMAINS, difficulties
from support.drafts import candidate, draft, made_round, picture
from support.lazy import Lazy

datasets = Lazy("datasets")
FILES = {"index.html": b"<p>a</p>", "a.png": picture(1)}


def packed(files):
    buffer = io.BytesIO()
    with gzip.open(buffer, "wb") as zipped, tarfile.open(fileobj=zipped, mode="w") as archive:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return base64.b64encode(buffer.getvalue()).decode()


def equations(number=5):
    return [draft(i) for i in range(number)]


def page(number):
    return draft(
        number,
        candidate(number, name=f"ann/{number}", owner="ann", group="css"),
        **{"subset": "css", "structure": packed(FILES), "assets": (FILES["a.png"],)},
    )


def score(number):
    return draft(number, subset="music", structure=None, text=None)


DRAFTS = {
    "latex": {"equation": equations(), "table": [draft(7, subset="table")]},
    "webpage": {"css": [page(0), page(1)]},
    "music": {"music": [score(0), score(1), score(2)]},
}


def contents(folder):
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


@pytest.mark.parametrize("domain", DRAFTS)
def test_what_is_written_is_read_as_a_source(domain, tmp_path):
    write_dataset(tmp_path, made_round(domain), DRAFTS[domain], lambda _: "card")
    name = f"image2struct_{domain}"
    for subset, drafts in DRAFTS[domain].items():
        rows = list(rows_of(name, subset, "all", str(tmp_path)))
        assert len(rows) == len(drafts)
        for row, one in zip(rows, drafts, strict=True):
            problem = read_problem(row, DOMAINS[name], subset)
            assert problem.uuid == identifier(domain, one)
            assert problem.picture == one.image
            assert problem.text == (one.text or "")
            if domain == "latex":
                assert problem.oracle == one.structure
            if domain == "webpage":
                assert problem.assets == {"a.png": FILES["a.png"]}


@pytest.mark.parametrize("domain", DRAFTS)
def test_datasets_reads_pictures_and_the_published_columns(domain, tmp_path):
    write_dataset(tmp_path / "round", made_round(domain), DRAFTS[domain], lambda _: "card")
    for subset, drafts in DRAFTS[domain].items():
        folder = str(tmp_path / "round" / subset)
        read = datasets.load_dataset(folder, cache_dir=tmp_path / "cache", split="validation")
        missing = ["structure", "text"] if domain == "music" else []
        assert read.column_names == [name for name in FEATURES if name not in missing]
        for name, kind in read.features.items():
            if name == "image":
                assert isinstance(kind, datasets.Image)
            elif name == "assets":
                assert kind.feature == datasets.Value("string")
            else:
                assert kind == datasets.Value("string")
        assert [one.size for one in read["image"]] == [(64, 64)] * len(drafts)
        wanted = [[base64.b64encode(asset).decode() for asset in one.assets] for one in drafts]
        assert read["assets"] == wanted


def test_columns_hold_what_the_schema_says(tmp_path):
    info = {"file_filters": {"white": 0.5}, "compilation_info": {"size": [1, 2]}, "page": 3}
    paper = candidate(1, info={"title": "é"}, owner="ann")
    write_dataset(
        tmp_path, made_round(), {"equation": [draft(1, paper, info=info)]}, lambda _: "card"
    )
    (row,) = load_rows(
        str(tmp_path), benchmark="", dataset="", config="equation", splits=("validation",)
    )
    values = dict(row.values)
    assert values["category"] == '"equation"'
    assert values["date"] == '"2026-10-02"'
    assert values["date_scrapped"] == '"2026-11-02"'
    assert values["instance_name"] == '"2410.00001"'
    assert values["download_url"] == json.dumps(paper.url)
    assert (values["length"], values["difficulty"]) == ("11", "easy")
    assert json.loads(values["additional_info"]) == {
        **{"title": "é", "group": "math", "license": "CC-BY-4.0", "owner": "ann"},
        "round": "2026-10-01..2026-10-31",
    }
    assert json.loads(values["file_filters"]) == {"white": 0.5}
    assert json.loads(values["compilation_info"]) == {"size": [1, 2], "page": 3}
    assert values["rendering_filters"] == "{}"


def test_thirds_of_three_hundred_have_a_hundred_each():
    names = difficulties(list(range(300)))
    assert names == ["easy"] * 100 + ["medium"] * 100 + ["hard"] * 100
    assert difficulties([]) == []
    assert difficulties([4]) == ["easy"]
    assert difficulties([1, 2]) == ["easy", "medium"]


def test_the_same_instances_give_the_same_bytes_and_touch_nothing(tmp_path):
    for name in ("one", "two"):
        write_dataset(tmp_path / name, made_round(), DRAFTS["latex"], lambda _: "card")
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    before = {file: file.stat() for file in (tmp_path / "one").rglob("*") if file.is_file()}
    write_dataset(tmp_path / "one", made_round(), DRAFTS["latex"], lambda _: "card")
    assert {file: file.stat().st_ino for file in before} == {
        file: about.st_ino for file, about in before.items()
    }


def test_a_subset_without_instances_any_more_is_gone(tmp_path):
    (tmp_path / "journal.sqlite").write_bytes(b"stays")
    write_dataset(tmp_path, made_round(), DRAFTS["latex"], lambda _: "card")
    write_dataset(
        tmp_path, made_round(), {"equation": equations(), "table": []}, lambda _: "other card"
    )
    assert {*contents(tmp_path)} == {"README.md", f"equation/{dataset.FILE}", "journal.sqlite"}
    assert (tmp_path / "README.md").read_text() == "other card"


def test_a_round_without_instances_writes_nothing(tmp_path):
    with pytest.raises(SetupError, match="no instances"):
        write_dataset(tmp_path, made_round(), {"equation": []}, lambda _: "card")
    assert contents(tmp_path) == {}


def full_at(number, monkeypatch):
    """The disk is full when the numberth file or folder is to be on it."""
    sync, calls = os.fsync, count(1)

    def full(descriptor):
        if next(calls) == number:
            raise OSError(errno.ENOSPC, "No space left on device")
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", full)


def test_nothing_half_written_has_a_card(tmp_path, monkeypatch):
    """Wherever writing ends: the old dataset with its card, the new one with its, or no card."""
    old = {"equation": equations(2), "table": [draft(9, subset="table")]}
    write_dataset(tmp_path / "old", made_round(), old, lambda _: "old")
    write_dataset(tmp_path / "new", made_round(), DRAFTS["latex"], lambda _: "new")
    whole = [contents(tmp_path / "old"), contents(tmp_path / "new")]
    for number in count(1):
        folder, finished = tmp_path / str(number), False
        write_dataset(folder, made_round(), old, lambda _: "old")
        with monkeypatch.context() as patch, suppress(SetupError):
            full_at(number, patch)
            write_dataset(folder, made_round(), DRAFTS["latex"], lambda _: "new")
            finished = True
        found = contents(folder)
        assert "README.md" not in found or found in whole
        write_dataset(folder, made_round(), DRAFTS["latex"], lambda _: "new")
        assert contents(folder) == whole[1]
        if finished:
            break
    assert number > 6


def test_a_folder_that_cant_be_made_is_the_users_mistake(tmp_path):
    Path(tmp_path / "file").write_text("")
    with pytest.raises(SetupError, match="name another folder"):
        write_dataset(tmp_path / "file", made_round(), DRAFTS["latex"], lambda _: "card")
