import base64
import io
from pathlib import Path

import pyarrow as pa
import pytest
from PIL import Image

from helm_structext import pictures
from helm_structext.data import load_rows, source_label
from helm_structext.data import sources as sources_module
from helm_structext.errors import SetupError
from support.lazy import Lazy
from support.rows import latex_row, png

datasets = Lazy("datasets")


def rows_of(source, config="equation"):
    return list(
        load_rows(
            str(source),
            benchmark="image2struct_latex",
            dataset="stanford-crfm/image2struct-latex-v1",
            config=config,
            splits=["validation"],
        )
    )


def test_a_folder_of_parquet_files_is_read_in_the_published_schema(dataset):
    rows = rows_of(dataset([latex_row(0), latex_row(1)]))
    assert [row.text("uuid") for row in rows] == ["uuid-0", "uuid-1"]
    assert rows[1].verbatim("structure") == "$x^1$"
    assert rows[1].picture("image") == png((1, 0, 0))


def test_arrow_files_written_by_datasets_are_read(tmp_path):
    table = datasets.Dataset.from_list([latex_row(4)]).cast_column("image", datasets.Image())
    table.save_to_disk(tmp_path / "saved")
    (arrow,) = (tmp_path / "saved").glob("*.arrow")
    (tmp_path / "equation").mkdir()
    arrow.rename(tmp_path / "equation" / "validation.arrow")
    (row,) = rows_of(tmp_path)
    assert row.text("uuid") == "uuid-4"
    assert row.picture("image") == png((4, 0, 0))


def test_arrow_files_in_the_file_format_are_read(tmp_path):
    table = pa.Table.from_pylist([latex_row(5)])
    with pa.ipc.new_file(tmp_path / "validation.arrow", table.schema) as writer:
        writer.write_table(table)
    (row,) = rows_of(tmp_path)
    assert row.text("uuid") == "uuid-5"


def test_files_may_lie_directly_in_the_folder(dataset):
    folder = dataset([latex_row(0)])
    assert len(rows_of(folder / "equation")) == 1


def test_a_folder_of_pictures_needs_no_table(tmp_path):
    (tmp_path / "b.png").write_bytes(png())
    Image.new("RGB", (8, 8)).save(tmp_path / "a.JPG", "JPEG")
    (tmp_path / "notes.txt").write_text("not a picture")
    rows = rows_of(tmp_path, config="wild")
    assert [row.text("uuid") for row in rows] == ["a.JPG", "b.png"]
    assert rows[1].picture("image") == png()
    assert not rows[0].has("structure")


def test_a_jpeg_becomes_a_png():
    buffer = io.BytesIO()
    Image.new("RGB", (8, 8)).save(buffer, "JPEG")
    row = sources_module.Row({"image": buffer.getvalue()}, "row 0")
    assert Image.open(io.BytesIO(row.picture("image"))).format == "PNG"


def test_a_missing_folder_names_the_alternatives(tmp_path):
    with pytest.raises(SetupError, match="source is hub, sample or a folder"):
        rows_of(tmp_path / "absent")


def test_a_folder_without_the_config_says_what_was_looked_for(dataset):
    with pytest.raises(SetupError, match=r"table/validation\*.parquet"):
        rows_of(dataset([latex_row(0)]), config="table")


def test_a_truncated_file_is_named(dataset):
    folder = dataset([latex_row(0)])
    file = folder / "equation" / "validation-0.parquet"
    file.write_bytes(file.read_bytes()[:-20])
    with pytest.raises(SetupError, match=r"validation-0\.parquet can't be read"):
        rows_of(folder)


@pytest.mark.parametrize(
    ("picture", "reason"),
    [
        ({"bytes": b"no picture", "path": None}, "not a picture in PNG, JPEG"),
        ({"bytes": png()[:-30], "path": None}, "the file is cut off"),
        ({"bytes": None, "path": "/etc/passwd"}, "no picture bytes"),
        (base64.b64encode(png()).decode(), "no picture bytes"),
    ],
)
def test_a_broken_picture_names_row_and_column(picture, reason):
    row = sources_module.Row({"image": picture}, "row 7 of somewhere")
    with pytest.raises(SetupError, match=rf"row 7 of somewhere: column 'image' .*{reason}"):
        row.picture("image")


def test_a_picture_bomb_is_refused_before_it_is_decoded(monkeypatch):
    monkeypatch.setattr(pictures, "MAX_PIXELS", 100)
    # Decoding it would end in "cut off".
    row = sources_module.Row({"image": png(size=(11, 10))[:-30]}, "row 0")
    with pytest.raises(SetupError) as caught:
        row.picture("image")
    message = "row 0: column 'image' holds too large a picture: 11x10 pixels; at most 100 are read"
    assert str(caught.value).startswith(message)


def test_labels_of_folders_with_the_same_name_differ(tmp_path):
    first, second = source_label(str(tmp_path / "a" / "x")), source_label(str(tmp_path / "b" / "x"))
    assert first != second
    assert first.startswith("x-")
    assert source_label(str(Path("relative"))) == source_label(str(Path("relative").resolve()))
