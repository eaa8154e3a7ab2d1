"""Logs of Inspect: an archive (`.eval`) or one file of JSON.

An archive is a ZIP file with a JSON file for the head of the log, ``header.json``, and one for each sample.
Nothing of it is unpacked to disk, and one sample is in memory at a time. Newer releases compress by
Zstandard, which Python's ZIP files know from 3.14 on only, and newer ones still may cut a sample into
parts, of which ``sample.json`` and ``metadata.json`` matter here.

Source: github.com/UKGovernmentBEIS/inspect_ai, ``src/inspect_ai/log`` (0.3.285).
"""

import logging
import sys
import zlib
from collections.abc import Iterator, Mapping
from copy import copy
from functools import cache
from pathlib import Path
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from helm_structext.completions.instances import place_of
from helm_structext.completions.predictions import Prediction
from helm_structext.errors import SetupError
from helm_structext.patterns import Pattern
from helm_structext.results.json_items import json_fields
from helm_structext.storage.files import MAX_LINE
from helm_structext.texts import describe_error, parse_json, quote_value

if sys.version_info >= (3, 14):
    from compression.zstd import ZstdError, ZstdFile
else:
    from backports.zstd import ZstdError, ZstdFile

HEADER = "header.json"
START = "_journal/start.json"
"""What an unfinished archive has instead of its header."""
SAMPLES = "samples"
ZSTANDARD = 93

REMEDY = "name a log that Inspect wrote, .eval or .json"
FINISH = "make it whole by `inspect log recover`, or let `inspect eval-retry` go on with it"
FINISH_REASONS = {"max_tokens": "length", "model_length": "length"}
"""Inspect's reasons to stop that HELM has another word for."""

_SAMPLE = Pattern(r"samples/.*_epoch_[0-9]+(/sample)?[.]json")
_FAULTS = (OSError, ValueError, RuntimeError, EOFError, BadZipFile, ZstdError, zlib.error)

logger = logging.getLogger(__name__)


def read_archive(path: Path, entry: str | None, epoch: int | None) -> Iterator[Prediction]:
    """Yields the answers in an archive, in its order.

    Args:
        path: a file that ends in ``.eval``.
        entry: the run entry under which all are scored; by default each sample's metadata names it.
        epoch: whose answers to take, where samples were answered several times.

    Raises:
        SetupError: the archive can't be read or is unfinished, or a sample is not as it should be.
    """
    try:
        with ZipFile(path) as archive:
            yield from _predictions(path, _read_archive_fields(archive), entry, epoch)
    except _FAULTS as error:
        raise SetupError(
            f"{path} can't be read ({describe_error(error)}); {REMEDY}; if it was cut off, {FINISH}"
        ) from error


def read_json_log(path: Path, entry: str | None, epoch: int | None) -> Iterator[Prediction]:
    """Yields the answers in a log that is one file of JSON, as `read_archive` does."""
    return _predictions(path, json_fields(path, f"{REMEDY}; {FINISH}", SAMPLES), entry, epoch)


def _read_archive_fields(archive: ZipFile) -> Iterator[tuple[str, Any]]:
    """The fields of the log in an archive, as `json_fields` has those of a file."""
    # Of several with one name the last counts: the others were replaced.
    members = {member.filename: member for member in archive.infolist()}
    if START not in members and HEADER not in members:
        raise ValueError(f"it has no {HEADER}")
    header = _object(archive, members[HEADER if HEADER in members else START])
    yield from header.items()
    if HEADER not in members:
        yield "status", "started"
    for name, member in members.items():
        if not (match := _SAMPLE.fullmatch(name)):
            continue
        sample = _object(archive, member)
        metadata = members.get(f"{name.removesuffix('sample.json')}metadata.json")
        if match[1] and metadata:
            sample["metadata"] = _object(archive, metadata)
        yield SAMPLES, sample


def _object(archive: ZipFile, member: ZipInfo) -> dict[str, Any]:
    try:
        with _stream(archive, member) as stream:
            data = stream.read(MAX_LINE + 1)
        if len(data) > MAX_LINE:
            raise ValueError(f"it has more than {MAX_LINE:,} bytes")
        if zlib.crc32(data) != member.CRC:
            raise ValueError("it is damaged")
        value = parse_json(data)
    except _FAULTS as error:
        raise ValueError(f"{quote_value(member.filename)}: {describe_error(error)}") from error
    if not isinstance(value, dict):
        raise ValueError(f"{quote_value(member.filename)}: it is no object")
    return value


def _stream(archive: ZipFile, member: ZipInfo) -> IO[bytes] | ZstdFile:
    """Opens a file in an archive; what of it is never asked for is not decompressed."""
    if member.compress_type in (ZIP_STORED, ZIP_DEFLATED):
        return archive.open(member)
    if member.compress_type != ZSTANDARD:
        raise ValueError(f"it is compressed by method {member.compress_type}")
    raw = copy(member)
    raw.compress_type, raw.file_size = ZIP_STORED, member.compress_size
    del raw.CRC  # which is of what comes out, and would be compared with what goes in
    return ZstdFile(archive.open(raw))


def _predictions(
    path: Path, fields: Iterator[tuple[str, Any]], entry: str | None, epoch: int | None
) -> Iterator[Prediction]:
    header: dict[str, Any] = {}
    number = 0
    for name, value in fields:
        if name != SAMPLES:
            header[name] = value
            continue
        try:
            sample = _check_sample(value)
            if _is_taken(sample, epoch):
                yield _prediction(number + 1, sample, _field(header, "eval", "model"), entry)
                number += 1
        except ValueError as error:
            raise SetupError(f"{path}, sample {number + 1}: {error}") from error
    if header.get("status") == "started":
        raise SetupError(f"{path} is unfinished: {FINISH}")
    if not number:
        raise SetupError(
            f"{path} holds no samples{f' of epoch {epoch}' if epoch else ''}: Inspect leaves them out "
            "where it was called with --no-log-samples"
        )
    planned = _field(header, "eval", "dataset", "sample_ids")
    if isinstance(planned, list) and number < len(planned):
        _warn(path, number, len(planned))


@cache
def _warn(path: Path, there: int, planned: int) -> None:
    """Says once that samples are lacking: a log is read several times."""
    logger.warning("%s holds %d of %d samples; the others have no scores", path, there, planned)


def _field(value: Any, *names: str) -> Any:
    """What stands in an object under a name, in what that is under the next, and so on, or None."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _check_sample(sample: Any) -> dict[str, Any]:
    if not isinstance(sample, dict) or not isinstance(sample.get("output"), dict):
        raise ValueError("it is no sample with an 'output'")
    if not isinstance(sample.get("id"), str | int):
        raise ValueError("it has no 'id', or one that is neither a string nor a number")
    return sample


def _is_taken(sample: Mapping[str, Any], epoch: int | None) -> bool:
    found = sample.get("epoch", 1)
    if epoch is None and found != 1:
        raise ValueError(
            f"instance {quote_value(sample['id'])} was answered several times (epoch {quote_value(found)}); say "
            "which answers to score by --epoch"
        )
    return epoch is None or found == epoch


def _prediction(number: int, sample: Any, model: Any, entry: str | None) -> Prediction:
    choices = _field(sample, "output", "choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    completion, reason = _completion(sample["output"], choice), _field(choice, "stop_reason")
    for name, value in (("completion", completion), ("stop_reason", reason), ("model", model)):
        if not isinstance(value, str | None):
            raise ValueError(f"its '{name}' is not a string")
    if not (completion or choice) or sample.get("invalidation"):
        completion = None  # the sample failed before the model answered, or was declared invalid
    place = place_of(str(sample["id"]), {"entry": _field(sample, "metadata", "entry")}, entry)
    return Prediction(number, (place,), completion, model, FINISH_REASONS.get(str(reason), reason))


def _completion(output: Mapping[str, Any], choice: Any) -> Any:
    """What the model wrote; early releases have it in their first choice alone."""
    content = output.get("completion", _field(choice, "message", "content"))
    if not isinstance(content, list):
        return content
    texts = [_field(part, "text") for part in content if _field(part, "type") == "text"]
    return "\n".join(text for text in texts if isinstance(text, str))
