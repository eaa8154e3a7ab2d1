"""The published schema of Image2Struct, and files in it."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

SPLIT = "validation"
FEATURES = (
    *("structure", "text", "image", "download_url", "instance_name", "date", "additional_info"),
    *("date_scrapped", "file_filters", "compilation_info", "rendering_filters", "assets"),
    *("category", "uuid", "length", "difficulty"),
)
"""The published columns, in their order; without a structure there is neither it nor its text."""

GROUP = 20
"""Rows of a group, all of which are in memory at once: webpages have 3 MB each."""

_IN_CARDS: Mapping[str, Mapping[str, str]] = {
    "image": {"dtype": "image"},
    "assets": {"sequence": "string"},
}


def image2struct_schema(features: Sequence[str] = FEATURES) -> "pa.Schema":
    """Returns Arrow's types of columns, and in the metadata those of `datasets`, which makes a picture one.

    Args:
        features: the columns, some of `FEATURES`.
    """
    import pyarrow as pa

    types = {
        "image": pa.struct([("bytes", pa.binary()), ("path", pa.string())]),
        "assets": pa.list_(pa.string()),
    }
    text = {"dtype": "string", "_type": "Value"}
    kinds = {"image": {"_type": "Image"}, "assets": {"feature": text, "_type": "Sequence"}}
    described = {"info": {"features": {name: kinds.get(name, text) for name in features}}}
    return pa.schema(
        [(name, types.get(name, pa.string())) for name in features],
        metadata={"huggingface": json.dumps(described)},
    )


def card_features(features: Sequence[str] = FEATURES) -> list[dict[str, str]]:
    """Returns columns as the header of a card lists them.

    >>> card_features(["image", "uuid"])
    [{'name': 'image', 'dtype': 'image'}, {'name': 'uuid', 'dtype': 'string'}]
    """
    return [{"name": name, **_IN_CARDS.get(name, {"dtype": "string"})} for name in features]


class RowFile:
    """A Parquet file that is being written (`open_row_file`).

    Args:
        writer: of the file.
        schema: of its rows.
    """

    def __init__(self, writer: "ParquetWriter", schema: "pa.Schema") -> None:
        self._writer, self._schema = writer, schema
        self._group: list[Mapping[str, Any]] = []
        self.rows = 0
        self.num_bytes = 0

    def add(self, row: Mapping[str, Any]) -> None:
        """Adds a row: column to value."""
        self._group.append(row)
        self.rows += 1
        if len(self._group) == GROUP:
            self.end_group()

    def end_group(self) -> None:
        """Writes the rows that are in memory."""
        import pyarrow as pa

        if self._group:
            table = pa.Table.from_pylist(self._group, self._schema)
            self._writer.write_table(table)
            self.num_bytes += table.nbytes
            self._group.clear()


@contextmanager
def open_row_file(file: Path, schema: "pa.Schema") -> Iterator[RowFile]:
    """Opens a new Parquet file for rows; in the end all of it is on the disk.

    The same rows give the same bytes (with the same pyarrow).

    Args:
        file: is not there yet; its folder is made.
        schema: of the rows.

    Yields:
        What takes the rows. It knows how many there were (`rows`), and the bytes that they took
        in memory (`num_bytes`).

    Raises:
        OSError: it can't be written.
    """
    import pyarrow.parquet as pq

    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("xb") as opened:
        with pq.ParquetWriter(opened, schema) as writer:
            rows = RowFile(writer, schema)
            yield rows
            rows.end_group()
        opened.flush()
        os.fsync(opened.fileno())
