"""Answers that other harnesses logged, read as those of a file of requests.

A log is untrusted: it is read in bounded memory, item by item, nothing of it is unpacked or run.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from helm_structext.completions.inspect_logs import read_archive, read_json_log
from helm_structext.completions.lm_eval_samples import read_samples
from helm_structext.completions.predictions import Prediction, read_predictions
from helm_structext.completions.vlmevalkit_tables import (
    REMEDY,
    Rows,
    json_rows,
    read_table,
    sheet_rows,
    split_rows,
)
from helm_structext.errors import SetupError
from helm_structext.patterns import Pattern
from helm_structext.texts import describe_error

HEAD = 4096
"""Bytes at the beginning of a file by which its format is known."""


@dataclass(frozen=True)
class LogFormat:
    """What a file of answers may be.

    Args:
        item: what has an answer in such a file: a line, a sample or a row.
        fits: says whether a file is one, from its ending and its beginning.
        read: yields its answers, scored under a run entry, or None where the answers name it, and of an
            epoch, or None where there is only one. Raises SetupError.
    """

    item: str
    fits: Callable[[str, str], bool]
    read: Callable[[Path, str | None, int | None], Iterator[Prediction]]


def log_format(path: Path) -> LogFormat:
    """Returns the format of a file of answers.

    Raises:
        SetupError: the file can't be read.
    """
    try:
        if not path.is_file():  # a pipe would be waited for, and could not be read twice
            raise FileNotFoundError("it is not a file")
        with path.open("rb") as file:
            head = file.read(HEAD).decode("latin-1")
    except OSError as error:
        raise SetupError(f"{path} can't be read: {describe_error(error)}") from error
    return next(one for one in LOG_FORMATS if one.fits(path.suffix.lower(), head))


def _once(
    read: Callable[[Path, str | None], Iterator[Prediction]],
) -> Callable[[Path, str | None, int | None], Iterator[Prediction]]:
    """Reads a format in which nothing is answered several times by one model."""

    def read_epoch(path: Path, entry: str | None, epoch: int | None) -> Iterator[Prediction]:
        if epoch is not None:
            raise SetupError(f"{path} has no epochs; leave --epoch out")
        return read(path, entry)

    return read_epoch


def _refuse_pickle(path: Path, entry: str | None) -> Iterator[Prediction]:
    raise SetupError(
        f"{path} is a pickle, which runs code when it is read, and is not opened; {REMEDY}, or "
        "convert it where you trust who made it"
    )


def _ends(*endings: str) -> Callable[[str, str], bool]:
    return lambda suffix, head: suffix in endings


def _begins(pattern: str) -> Callable[[str, str], bool]:
    compiled = Pattern(pattern)
    return lambda suffix, head: compiled.match(head) is not None


def _table(rows: Rows) -> Callable[..., Iterator[Prediction]]:
    return _once(partial(read_table, rows=rows))


LOG_FORMATS = (
    # VLMEvalKit's, by their endings; what Python pickles begins so, whatever its name.
    LogFormat("row", _ends(".pkl", ".pickle"), _once(_refuse_pickle)),
    LogFormat("row", _begins("\\x{80}[\\x02-\\x05]"), _once(_refuse_pickle)),
    LogFormat("row", _ends(".xlsx"), _table(sheet_rows)),
    LogFormat("row", _ends(".tsv"), _table(partial(split_rows, delimiter="\t"))),
    LogFormat("row", _ends(".csv"), _table(partial(split_rows, delimiter=","))),
    LogFormat("row", _begins(r"\s*\["), _table(json_rows)),
    # Inspect's.
    LogFormat("sample", _ends(".eval"), read_archive),
    LogFormat("sample", _begins("PK"), read_archive),
    LogFormat(
        "sample", _begins(r'\s*\{\s*"version"\s*:\s*[0-9]+\s*,\s*"status"\s*:'), read_json_log
    ),
    # Those of lm-evaluation-harness and lmms-eval.
    LogFormat("line", _begins(r'\s*\{\s*"doc_id"\s*:'), read_samples),
    # Ours.
    LogFormat("line", lambda suffix, head: True, _once(read_predictions)),
)
"""In this order: the first that fits."""
