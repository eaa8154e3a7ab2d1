import base64
import io
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from helm_structext import pictures
from helm_structext.data import load_rows, source_label
from helm_structext.data import sources as sources_module
from helm_structext.data.sources import SAMPLES
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


def values_of(source):
    return [row.values for row in rows_of(source)]


@pytest.mark.parametrize(
    "file", sorted(SAMPLES.glob("**/*.parquet")), ids=lambda file: str(file.relative_to(SAMPLES))
)
def test_embedded_samples_have_the_rows_that_pyarrow_reads(tmp_path, file):
    (tmp_path / "validation.parquet").symlink_to(file)
    assert values_of(tmp_path) == pq.read_table(file).to_pylist()


COLUMNS = {
    "text": pa.array(["a", None, "é\n"]),
    "large text": pa.array(["a", None, ""], pa.large_string()),
    "text view": pa.array(["a", None, "a long string"], pa.string_view()),
    "bytes": pa.array([b"\0\xff", None, b""]),
    "large bytes": pa.array([b"\0\xff", None, b""], pa.large_binary()),
    "three bytes": pa.array([b"abc", None, b"xyz"], pa.binary(3)),
    "picture": pa.array([{"bytes": png(), "path": None}, None, {"bytes": None, "path": "a"}]),
    "list": pa.array([[1, None], None, []]),
    "large list": pa.array([["a"], None, []], pa.large_list(pa.string())),
    "pair": pa.array([[1, 2], None, [3, 4]], pa.list_(pa.int32(), 2)),
    "list of structs": pa.array([[{"a": 1, "b": ["x"]}], None, []]),
    "map": pa.array([[("k", 1)], None, []], pa.map_(pa.string(), pa.int64())),
    "category": pa.array(["x", None, "x"]).dictionary_encode(),
    "time": pa.array([datetime(2024, 1, 2, 3, 4, 5, 6), None, datetime(1960, 1, 1)]),
    "time in UTC": pa.array(
        [datetime(2024, 1, 2, tzinfo=UTC), None, datetime(1960, 1, 1, tzinfo=UTC)]
    ),
    "date": pa.array([date(2024, 1, 2), None, date(1, 1, 1)]),
    "time of day": pa.array([time(1, 2, 3, 4), None, time()]),
    "duration": pa.array([timedelta(1), None, timedelta()]),
    "decimal": pa.array([Decimal("1.23"), None, Decimal("-4.50")]),
    "large decimal": pa.array([Decimal("1.23"), None, None], pa.decimal256(50, 2)),
    "truth": pa.array([True, None, False]),
    "byte": pa.array([1, None, 255], pa.uint8()),
    "large number": pa.array([2**64 - 1, None, 0], pa.uint64()),
    "half": pa.array([1.5, None, 0], pa.float16()),
    "single": pa.array([0.1, None, float("inf")], pa.float32()),
    "double": pa.array([0.1, None, 1e300]),
    "nothing": pa.nulls(3),
}


def write_parquet(table, folder):
    pq.write_table(table, folder / "validation.parquet", row_group_size=2)


def write_stream(table, folder):
    with pa.ipc.new_stream(folder / "validation.arrow", table.schema) as writer:
        writer.write_table(table, max_chunksize=2)


def write_file(table, folder):
    with pa.ipc.new_file(folder / "validation.arrow", table.schema) as writer:
        writer.write_table(table, max_chunksize=2)


@pytest.mark.parametrize("write", [write_parquet, write_stream, write_file])
@pytest.mark.parametrize("name", COLUMNS)
def test_values_are_those_that_pyarrow_reads(tmp_path, write, name):
    table = pa.table({name: COLUMNS[name]})
    write(table, tmp_path)
    assert repr(values_of(tmp_path)) == repr(table.to_pylist())


def test_several_columns_and_files_keep_their_order(tmp_path):
    table = pa.table(COLUMNS)
    for number in range(2):
        pq.write_table(table, tmp_path / f"validation-{number}.parquet", row_group_size=2)
    assert values_of(tmp_path) == table.to_pylist() * 2


def test_a_column_of_a_type_that_is_unknown_is_named(tmp_path):
    """Reading it ends in a panic of Rust's, which is no `Exception`."""
    ends = pa.RunEndEncodedArray.from_arrays([2, 3], ["a", None])
    write_stream(pa.table({"c": ends}), tmp_path)
    with pytest.raises(SetupError, match=r"validation\.arrow can't be read: "):
        rows_of(tmp_path)


def test_text_of_datasets_is_read_as_it_writes_it(tmp_path):
    rows = [
        {"id": n, "tags": ["a", None], "meta": {"at": datetime(2024, 1, n + 1)}} for n in range(3)
    ]
    table = datasets.Dataset.from_list(rows)
    table.to_parquet(str(tmp_path / "validation.parquet"))
    assert values_of(tmp_path) == rows
