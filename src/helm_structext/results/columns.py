"""The answers of a finished run in columns: a Parquet file in the user's cache, made at first reading.

HELM's files of a run hold each prompt, each picture's place and each statistic in full: some 10 kB of
JSON for an answer, and seconds for a thousand of them. The columns hold what an `InstanceResult` has, and are
read in a hundredth of the time. They are kept by the content of HELM's files and by what reads them,
so that they never have to be cleared.

A column is a field: numbers as they are, texts in UTF-8 (with surrogates: JSON can hold half of an
emoji, and a text of Parquet can't), a path relative to the folder that HELM ran in, anything else as JSON.
Each metric is a column of its own, ``scores.NAME``, the name as in JSON, with null where an answer has no
value.
"""

import io
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, fields, is_dataclass
from functools import partial
from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, TypeVar, Union, get_args, get_origin, get_type_hints

from helm_structext import __version__
from helm_structext.results.runs import InstanceResult, Run, read_as_helm_writes
from helm_structext.storage.cache import (
    cache_folder,
    content_key,
    hash_file,
    keep,
    prefix_folder,
    read_kept,
    read_record,
)
from helm_structext.threads import thread_pool

if TYPE_CHECKING:
    import pyarrow as pa

AnyResult = TypeVar("AnyResult", bound=InstanceResult)

FILES = ("run_spec.json", "scenario_state.json", "per_instance_stats.json")
"""HELM's files of a run that are read."""
LAYOUT = 2
"""Changes with what the columns are."""
SCORES = "scores."
REFUSED = "refused"
"""A column for what takes long to find out."""
NUMBERS = (int, float, bool)


def read_in_columns(
    runs: Sequence[Run], kind: type[AnyResult], read: Callable[[Run], Iterator[AnyResult]]
) -> Iterator[list[AnyResult]]:
    """Yields the answers of each run, from its columns where there are any.

    Answers that we could not handle (`InstanceResult.unhandled`) may be read by a later release: a run with
    such answers is not kept.

    Args:
        runs: finished runs.
        kind: the class of their answers.
        read: reads a run as HELM wrote it.

    Raises:
        SetupError: a run can't be read, or its columns can't be written.
    """
    with thread_pool(2) as threads:  # hashing needs no interpreter
        for run, key in zip(runs, threads.map(_key, runs), strict=True):
            path = prefix_folder(cache_folder() / "runs", key) / f"{kind.__name__}-{key}.parquet"
            record = key and read_record(path.with_suffix(".json"))
            data = read_kept(path, record) if record else None
            if data is not None:
                yield _restored(data, kind, run.root)
                continue
            results = list(read(run))
            if key and not any(result.unhandled for result in results):
                with read_as_helm_writes(run.folder):  # numbers are numbers, and of a size
                    data = _parquet(results, kind, run.root)
                keep(path, data)
                results = _restored(data, kind, run.root)  # what is equal is one object then
            yield results


def _key(run: Run) -> str:
    """What the answers of a run depend on, or "" where a file can't be read."""
    try:
        hashes = [hash_file(run.folder / name) for name in FILES]
    except OSError:
        return ""
    return content_key(f"{LAYOUT} {__version__}", run.name, *hashes)


def _parquet(results: Sequence[AnyResult], kind: type[AnyResult], root: Path) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns: dict[str, pa.Array] = {}
    for name, hint in _columns(kind).items():
        values = [_plain(getattr(result, name), hint, root) for result in results]
        columns[name] = pa.array(values, _type(hint))
    for metric in dict.fromkeys(metric for result in results for metric in result.scores):
        values = [result.scores.get(metric) for result in results]
        columns[f"{SCORES}{json.dumps(metric)[1:-1]}"] = pa.array(values, pa.float64())
    buffer = io.BytesIO()
    pq.write_table(pa.table(columns), buffer, compression="zstd")
    return buffer.getvalue()


def _restored(data: bytes, kind: type[AnyResult], root: Path) -> list[AnyResult]:
    import pyarrow.parquet as pq

    # `read_table` brings pandas in, and threads take longer than a small file.
    table = pq.ParquetFile(io.BytesIO(data)).read(use_threads=False)
    hints = _columns(kind)
    values = {name: _values(table.column(name), hint, root) for name, hint in hints.items()}
    metrics = [name for name in table.column_names if name.startswith(SCORES)]
    names = [json.loads(f'"{name.removeprefix(SCORES)}"') for name in metrics]
    rows = zip(*(table.column(name).to_pylist() for name in metrics), strict=True)
    values["scores"] = [
        {name: value for name, value in zip(names, row, strict=True) if value is not None}
        for row in rows
    ] or [{} for _ in range(table.num_rows)]
    refused = values.pop(REFUSED)
    results = []
    for number, row in enumerate(zip(*values.values(), strict=True)):
        result = kind(**dict(zip(values, row, strict=True)))
        vars(result)[REFUSED] = refused[number]
        results.append(result)
    return results


def _columns(kind: type[InstanceResult]) -> dict[str, Any]:
    """Column to type; scores have columns of their own."""
    hints = get_type_hints(kind)
    found = {field.name: _without_none(hints[field.name]) for field in fields(kind)}
    del found["scores"]
    return {**found, REFUSED: bool}


def _without_none(hint: Any) -> Any:
    if get_origin(hint) in (Union, UnionType):
        (hint,) = (kind for kind in get_args(hint) if kind is not NoneType)
    return hint


def _type(hint: Any) -> "pa.DataType":
    import pyarrow as pa

    return {int: pa.int64(), float: pa.float64(), bool: pa.bool_()}.get(hint, pa.binary())


def _plain(value: Any, hint: Any, root: Path) -> Any:
    if value is None or hint in NUMBERS:
        return value
    if hint is Path:
        value = str(value.relative_to(root) if value.is_relative_to(root) else value)
    elif hint is not str:
        plain = asdict(value) if is_dataclass(value) and not isinstance(value, type) else value
        value = json.dumps(plain)
    return value.encode("utf-8", "surrogatepass")


def _values(column: "pa.ChunkedArray", hint: Any, root: Path) -> list[Any]:
    """The values of a column; equal ones are one object, as most are."""
    if hint in NUMBERS:
        values: list[Any] = column.to_pylist()
        return values
    words = column.combine_chunks().dictionary_encode()
    read: Callable[[str], Any] = partial(_from_json, hint)
    if hint in (str, Path):
        read = root.joinpath if hint is Path else str
    texts = (word.decode("utf-8", "surrogatepass") for word in words.dictionary.to_pylist())
    objects = [read(text) for text in texts]
    return [None if place is None else objects[place] for place in words.indices.to_pylist()]


def _from_json(hint: Any, text: str) -> Any:
    return _object(json.loads(text), hint)


def _object(value: Any, hint: Any) -> Any:
    """What JSON made of a value, as it was."""
    if value is None:
        return None
    if isinstance(hint, type) and is_dataclass(hint):
        hints = get_type_hints(hint)
        return hint(**{name: _object(of, _without_none(hints[name])) for name, of in value.items()})
    return tuple(value) if get_origin(hint) is tuple else value
