"""The answers of a finished run in columns: a file of Arrow's in the user's cache, made at first reading.

HELM's files of a run hold each prompt, each picture's place and each statistic in full: some 10 kB of
JSON for an answer, and seconds for a thousand of them. The columns hold what an `InstanceResult` has, and are
read in a hundredth of the time. They are kept by the content of HELM's files and by what reads them,
so that they never have to be cleared. A suite has thousands of runs with a few answers each, of which Parquet
takes 20 times as long to read.

A column is a field: numbers as they are, texts in UTF-8 (with surrogates: JSON can hold half of an
emoji, and a text of Arrow's can't), a path relative to the folder that HELM ran in, anything else as JSON.
Each metric is a column of its own, ``scores.NAME``, the name as in JSON, with null where an answer has no
value.
"""

import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields, is_dataclass, replace
from functools import cache, lru_cache, partial
from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, TypeVar, Union, get_args, get_origin, get_type_hints

from helm_structext import __version__
from helm_structext.processes import map_in_threads, run_in_process
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

if TYPE_CHECKING:
    import pyarrow as pa

AnyResult = TypeVar("AnyResult", bound=InstanceResult)
Reader = Callable[[bytes], Any]

FILES = ("run_spec.json", "scenario_state.json", "per_instance_stats.json")
"""HELM's files of a run that are read."""
LAYOUT = 4
"""Changes with how columns are written; which there are is part of the key."""
SCORES = "scores."
REFUSED = "refused"
"""A column for what takes long to find out."""
NUMBERS = (int, float, bool)
LARGE = 30_000_000
"""Bytes of all runs from which on those without columns are read by all processors: to start these takes a second."""
SHARED = 2**12
"""Values of a column that further runs may have again, as those of their instances: they are one object then."""


def read_in_columns(
    runs: Sequence[Run], kind: type[AnyResult], read: Callable[[Run], Iterator[AnyResult]]
) -> Iterator[list[AnyResult]]:
    """Yields the answers of each run, from its columns where there are any.

    Answers that we could not handle (`InstanceResult.unhandled`) may be read by a later release: a run with
    such answers is not kept.

    Args:
        runs: finished runs.
        kind: the class of their answers.
        read: reads a run as HELM wrote it; a function of a module.

    Raises:
        SetupError: a run can't be read, or its columns can't be written.
    """
    columns = _columns(kind)
    readers = cache(partial(_readers, columns))
    apart = sum(map(_size, runs)) >= LARGE
    found = map_in_threads(partial(_find_or_make, kind, str(columns), read, apart), runs)
    for run, data in zip(runs, found, strict=True):
        # What was written is read again: what is equal is one object then.
        yield data if isinstance(data, list) else _restore(data, kind, readers(run.root))


def _find_or_make(
    kind: type[AnyResult],
    columns: str,
    read: Callable[[Run], Iterator[AnyResult]],
    apart: bool,
    run: Run,
) -> bytes | list[AnyResult]:
    """The columns of a run, kept from now on; or its answers, if there are such as may be read by a later release."""
    key = _key(columns, run)
    path = prefix_folder(cache_folder() / "runs", key) / f"{kind.__name__}-{key}.arrow"
    record = key and read_record(path.with_suffix(".json"))
    data = read_kept(path, record) if record else None
    if data is not None:
        return data
    if apart:  # A process may have another current folder.
        made = run_in_process(_make, kind, read, replace(run, folder=run.folder.absolute()))
    else:
        made = _make(kind, read, run)
    if key and isinstance(made, bytes):
        keep(path, made)
    return made


def _make(
    kind: type[AnyResult], read: Callable[[Run], Iterator[AnyResult]], run: Run
) -> bytes | list[AnyResult]:
    results = list(read(run))
    if any(result.unhandled for result in results):
        return results
    with read_as_helm_writes(run.folder):  # numbers are numbers, and of a size
        return _arrow(results, _columns(kind), run.root)


def _size(run: Run) -> int:
    """The bytes of what is read of a run; 0 for a file that can't be read."""
    return sum(file.stat().st_size for name in FILES if (file := run.folder / name).is_file())


def _key(columns: str, run: Run) -> str:
    """What the answers of a run depend on, in such columns, or "" where a file can't be read."""
    try:
        hashes = [hash_file(run.folder / name) for name in FILES]
    except OSError:
        return ""
    return content_key(f"{LAYOUT} {__version__}", columns, run.name, *hashes)


def _arrow(results: Sequence[InstanceResult], hints: Mapping[str, Any], root: Path) -> bytes:
    import pyarrow as pa

    columns: dict[str, pa.Array] = {}
    for name, hint in hints.items():
        values: Iterator[Any] = (getattr(result, name) for result in results)
        if hint not in NUMBERS:
            write = partial(_word, hint, f"{root}/")
            values = (None if value is None else write(value) for value in values)
        columns[name] = pa.array(values, _type(hint))
    for metric in dict.fromkeys(metric for result in results for metric in result.scores):
        values = (result.scores.get(metric) for result in results)
        columns[f"{SCORES}{json.dumps(metric)[1:-1]}"] = pa.array(values, pa.float64())
    table, buffer = pa.table(columns), io.BytesIO()
    options = pa.ipc.IpcWriteOptions(compression="lz4", use_threads=False)
    with pa.ipc.new_file(buffer, table.schema, options=options) as file:
        file.write_table(table)
    return buffer.getvalue()


def _restore(
    data: bytes, kind: type[AnyResult], readers: Mapping[str, Reader | None]
) -> list[AnyResult]:
    import pyarrow as pa

    # Threads take longer than a small file.
    options = pa.ipc.IpcReadOptions(use_threads=False)
    table = pa.ipc.open_file(pa.py_buffer(data), options=options).read_all()
    values = {name: _values(table.column(name), read) for name, read in readers.items()}
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


_encode = json.JSONEncoder(default=asdict).encode
"""Made once: `json.dumps` makes an encoder for each value."""


def _word(hint: Any, root: str, value: Any) -> bytes:
    """What stands in a column for a value that is no number."""
    if hint is Path:
        value = str(value).removeprefix(root)
    elif hint is not str:
        value = _encode(value)
    text: str = value
    return text.encode("utf-8", "surrogatepass")


def _readers(hints: Mapping[str, Any], root: Path) -> dict[str, Reader | None]:
    """Column to what reads its words, None for numbers; equal ones are one object, as most are."""
    return {
        name: None if hint in NUMBERS else lru_cache(SHARED)(partial(_read_word, hint, root))
        for name, hint in hints.items()
    }


def _read_word(hint: Any, root: Path, word: bytes) -> Any:
    text = word.decode("utf-8", "surrogatepass")
    if hint is Path:
        return root / text
    return text if hint is str else _object(json.loads(text), hint)


def _values(column: "pa.ChunkedArray", read: Reader | None) -> list[Any]:
    values: list[Any] = column.to_pylist()
    return values if read is None else [None if word is None else read(word) for word in values]


_hints_of = lru_cache(get_type_hints)


def _object(value: Any, hint: Any) -> Any:
    """What JSON made of a value, as it was."""
    if value is None:
        return None
    if isinstance(hint, type) and is_dataclass(hint):
        hints = _hints_of(hint)
        return hint(**{name: _object(of, _without_none(hints[name])) for name, of in value.items()})
    if get_origin(hint) is tuple:
        return tuple(_object(one, get_args(hint)[0]) for one in value)
    return value
