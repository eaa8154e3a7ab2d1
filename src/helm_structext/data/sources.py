"""Rows of the published datasets, read from wherever the user says and from nowhere else."""

import base64
import hashlib
import io
import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from helm_structext.data.hub import NEWEST, fetch, has_split, published_split, snapshot
from helm_structext.errors import SetupError
from helm_structext.pictures import PictureError, PictureTooLarge, decode, is_png, size_of
from helm_structext.texts import describe_error, unquote_json

if TYPE_CHECKING:
    from arro3.core import RecordBatch

SAMPLES = Path(__file__).parent / "samples"

# Below HELM's own logger, whose handlers and level are then those of this one, too.
_log = logging.getLogger("helm.structext")

PICTURES = (".png", ".jpg", ".jpeg")
ARROW_FILE = b"ARROW1"
"""By which Arrow's file format begins."""

LOOKED_UP = "November 2026"
PUBLISHED_SIZES = {
    ("stanford-crfm/image2struct-latex-v1", "algorithm"): 33_800_484,
    ("stanford-crfm/image2struct-latex-v1", "equation"): 4_696_512,
    ("stanford-crfm/image2struct-webpage-v1", "css"): 809_865_478,
    ("stanford-crfm/image2struct-webpage-v1", "html"): 257_833_986,
    ("stanford-crfm/image2struct-webpage-v1", "javascript"): 273_000_000,
    ("stanford-crfm/image2struct-webpage-v1", "wild_legacy"): 99_100_000,
    ("stanford-crfm/image2struct-musicsheet-v1", "music"): 24_944_162,
    ("puar-playground/MMR", "default"): 741_000_000,
    ("TIGER-Lab/StructEval", "default"): 2_334_418,
}
"""Dataset and config to the bytes of the files that are read, as their cards and lists of files said.

As of `LOOKED_UP`, for when the Hub itself can't be asked. Round numbers are rounded there.
"""


@dataclass(frozen=True)
class Row:
    """One row of a dataset, which knows where it came from.

    Args:
        values: column name to value, as stored; pictures are not decoded.
        origin: the words by which an error names the row, such as
            ``row 3 of equation/validation.parquet``.
        dataset: the published dataset and its commit, or "" for a row of another source.

    >>> row = Row({"uuid": '"a1"', "difficulty": "easy"}, "row 0 of equation.parquet")
    >>> row.text("uuid"), row.text("difficulty")
    ('a1', 'easy')
    >>> row.text("structure")
    Traceback (most recent call last):
    ...
    helm_structext.errors.SetupError: row 0 of equation.parquet has no column 'structure' (it has difficulty, uuid)
    """

    values: Mapping[str, Any]
    origin: str
    dataset: str = ""

    def has(self, column: str) -> bool:
        """Says whether the row has a value in `column`."""
        return self.values.get(column) is not None

    def raw(self, column: str) -> Any:
        """Returns the stored value.

        Raises:
            SetupError: there is no such column, or its value is missing.
        """
        if column not in self.values:
            raise SetupError(
                f"{self.origin} has no column '{column}' (it has {', '.join(sorted(self.values))})"
            )
        if self.values[column] is None:
            raise SetupError(f"{self.origin} has no value in column '{column}'")
        return self.values[column]

    def verbatim(self, column: str) -> str:
        """Returns a string column as it is: code may well begin and end with a quote."""
        value = self.raw(column)
        if not isinstance(value, str):
            raise SetupError(
                f"{self.origin}: column '{column}' should hold text, not {type(value).__name__}"
            )
        return value

    def text(self, column: str) -> str:
        """Returns a string column without the quotes of JSON-quoted values (``"equation"``)."""
        text = unquote_json(self.verbatim(column))
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise SetupError(f"{self.origin}: column '{column}' is not Unicode: {error}") from error
        return text

    def picture(self, column: str) -> bytes:
        """Returns the picture of a column as the bytes of a PNG file.

        A stored PNG is returned byte for byte; other formats are converted.

        Raises:
            SetupError: the picture is missing, or can't be read (`helm_structext.pictures`).
        """
        return self._as_png(column, self._stored_picture(column))

    def picture_size(self, column: str) -> tuple[int, int]:
        """Returns the width and height of the picture of a column, which is not decoded.

        Args:
            column: holds a picture, or text: a picture in base64.

        Raises:
            SetupError: as `picture`, as far as the picture's first bytes show it.
        """
        value = self.raw(column)
        try:
            return size_of(
                self._base64(column) if isinstance(value, str) else self._stored_picture(column)
            )
        except PictureError as error:
            raise SetupError(
                f"{self.origin}: column '{column}' holds no picture that can be read: {error}"
            ) from error

    def base64_picture(self, column: str) -> bytes:
        """Returns the picture that a string column holds in base64, as `picture` does."""
        return self._as_png(column, self._base64(column))

    def _stored_picture(self, column: str) -> bytes:
        value = self.raw(column)
        data = value.get("bytes") if isinstance(value, Mapping) else value
        if not isinstance(data, bytes):
            # A path in place of the bytes could point at any file of this machine.
            raise SetupError(f"{self.origin}: column '{column}' holds no picture bytes")
        return data

    def _base64(self, column: str) -> bytes:
        try:
            return base64.b64decode(self.verbatim(column), validate=True)
        except ValueError as error:
            raise SetupError(f"{self.origin}: column '{column}' is not base64: {error}") from error

    def _as_png(self, column: str, data: bytes) -> bytes:
        try:
            return _as_png(data)
        except PictureTooLarge as error:
            raise SetupError(
                f"{self.origin}: column '{column}' holds too large a picture: {error}. "
                f"Scale it down, or leave the row out"
            ) from error
        except PictureError as error:
            raise SetupError(
                f"{self.origin}: column '{column}' holds no picture that can be read: {error}"
            ) from error


# Questions about one picture stand side by side, each in a row with the picture.
@lru_cache(maxsize=2)
def _as_png(data: bytes) -> bytes:
    picture = decode(data)
    if is_png(data):
        return data
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    return buffer.getvalue()


def load_rows(
    source: str,
    *,
    benchmark: str,
    dataset: str,
    config: str,
    splits: Sequence[str],
    revision: str = NEWEST,
) -> Iterator[Row]:
    """Yields the rows of one config of a dataset from exactly the source that was named.

    Args:
        source: ``hub`` (the published dataset), ``sample`` (the embedded one), or a folder that
            holds ``<config>/<split>*.parquet`` (or ``.arrow``), or such files directly, or nothing
            but PNG and JPEG pictures.
        benchmark: folder name of the embedded sample, such as ``image2struct_latex``.
        dataset: name of the published dataset on the Hugging Face Hub.
        config: dataset config, such as ``equation``.
        splits: names that the split has had, such as ``validation``; the first that is there counts.
        revision: with ``hub``, a branch, a tag or a commit of the dataset.

    Raises:
        SetupError: the source is not there; the message names the alternatives.
    """
    if source == "hub":
        return _hub_rows(dataset, config, splits, revision)
    if source == "sample":
        return _folder_rows(SAMPLES / benchmark, config, splits)
    folder = Path(source).expanduser()
    if not folder.is_dir():
        raise SetupError(
            f"source={source}: there is no such folder; source is hub, sample or a folder with "
            f"<config>/<split>*.parquet files"
        )
    return _folder_rows(folder, config, splits)


def find_configs(
    source: str,
    *,
    benchmark: str,
    dataset: str,
    configs: Sequence[str],
    splits: Sequence[str],
    revision: str = NEWEST,
) -> list[str]:
    """Returns the configs that a source has, of some that it may have.

    A folder that has no folder of a config may have rows of any of them.

    Args:
        source: as for `load_rows`; so are the others.
        configs: names of configs.

    Raises:
        SetupError: the Hub can't be asked.

    >>> names = ("equation", "music", "wild")
    >>> find_configs("sample", benchmark="image2struct_latex", dataset="", configs=names, splits=("validation",))
    ['equation', 'wild']
    """
    if source == "hub":
        found = snapshot(dataset, revision)
        return [config for config in configs if has_split(found, config, splits)]
    folder = SAMPLES / benchmark if source == "sample" else Path(source).expanduser()
    return [config for config in configs if (folder / config).is_dir()] or list(configs)


def provenance(dataset: str) -> dict[str, str]:
    """Returns what an instance says in its extra data of where it comes from.

    Args:
        dataset: the published dataset and its commit (`Row.dataset`), or "".

    >>> provenance("a/b@0123"), provenance("")
    ({'dataset': 'a/b@0123'}, {})
    """
    return {"dataset": dataset} if dataset else {}


def source_label(source: str) -> str:
    """Returns the short name under which a source appears in the name of a run.

    >>> source_label("sample")
    'sample'
    >>> source_label("/data/2024/fresh")
    'fresh-6920a5'
    """
    if source in ("hub", "sample"):
        return source
    path = Path(source).expanduser().resolve()
    return f"{path.name}-{hashlib.sha256(str(path).encode()).hexdigest()[:6]}"


def _hub_rows(dataset: str, config: str, splits: Sequence[str], revision: str) -> Iterator[Row]:
    found, files = published_split(dataset, config, splits, revision)
    _log.info(f"Reading {', '.join(files)} of {found.name}")
    return (
        replace(row, dataset=found.name)
        for file in files
        for row in _number_rows(_records(fetch(found, file)), f"{file} of {found.name}")
    )


def _folder_rows(folder: Path, config: str, splits: Sequence[str]) -> Iterator[Row]:
    for place, split in product((folder / config, folder), splits):
        files = sorted(
            file for file in place.glob(f"{split}*") if file.suffix in (".parquet", ".arrow")
        )
        if files:
            return (
                row
                for file in files
                for row in _number_rows(_records(file), str(file.relative_to(folder.parent)))
            )
    pictures = sorted(file for file in folder.iterdir() if file.suffix.lower() in PICTURES)
    if pictures:
        return (_picture_row(file, config) for file in pictures)
    raise SetupError(
        f"{folder} has no {config}/{splits[0]}*.parquet or .arrow file, nor such files directly in "
        f"it, nor pictures ({', '.join(PICTURES)})"
    )


def _picture_row(file: Path, config: str) -> Row:
    """A picture of the user's own as a row: nothing is known but how it looks."""
    if not file.is_file():  # a pipe would be waited for
        raise SetupError(f"{file} is not a file")
    try:
        picture = file.read_bytes()
    except OSError as error:
        raise SetupError(f"{file} can't be read: {error}") from error
    return Row({"image": picture, "uuid": file.name, "category": config}, str(file))


def _records(file: Path) -> Iterator[Mapping[str, Any]]:
    try:
        if not file.is_file():
            raise FileNotFoundError("it is not a file")
        for batch in _batches(file):
            yield from batch_rows(batch)
    except BaseException as error:
        # Damaged values raise many types: texts, dates, numbers, counts. What Rust gives up on, such as
        # a type that it does not know, is no `Exception`.
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise SetupError(f"{file} can't be read: {describe_error(error)}") from error


def batch_rows(batch: "RecordBatch") -> Iterator[dict[str, Any]]:
    """Yields the rows of a batch: column to value."""
    rows = batch.to_struct_array()
    return (rows[number].as_py() for number in range(len(rows)))


def _batches(file: Path) -> "Iterable[RecordBatch]":
    from arro3.io import read_ipc, read_ipc_stream, read_parquet

    if file.suffix == ".parquet":
        return read_parquet(file, batch_size=4)  # a row of a webpage is 3 MB
    # `datasets` writes the stream format, other programs often the file format.
    with file.open("rb") as opened:
        is_stream = opened.read(len(ARROW_FILE)) != ARROW_FILE
    return read_ipc_stream(file) if is_stream else read_ipc(file)


def _number_rows(records: Iterable[Mapping[str, Any]], origin: str) -> Iterator[Row]:
    return (Row(record, f"row {number} of {origin}") for number, record in enumerate(records))
