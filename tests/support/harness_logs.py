"""Logs of other harnesses, as these write them."""

import csv
import io
import json
import struct
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import pandas as pd
import pyarrow as pa

ENTRY = "mmr:task=font_color,source=sample"
MODEL = "me/model"
Json = dict[str, Any]


# Inspect


def sample(number: int, completion: str | None = "2", **changes: Any) -> Json:
    """A sample of Inspect's; with None, one that failed before the model answered."""
    message = {"role": "assistant", "content": completion}
    choices = [{"message": message, "stop_reason": "stop"}] if completion is not None else []
    made = {
        "id": f"font_color-{number}",
        "epoch": 1,
        "input": "Which color?",
        "target": "2",
        "output": {"model": "model", "choices": choices, "completion": completion or ""},
        "metadata": {"entry": ENTRY, "part": "font_color"},
        "events": [],
    }
    return {**made, **changes}


def header(samples: Iterable[Json], **changes: Any) -> Json:
    """The head of a log of Inspect's."""
    ids = sorted({str(one["id"]) for one in samples})
    evaluation = {"task": "mmr", "model": MODEL, "dataset": {"sample_ids": ids}}
    return {"version": 2, "status": "success", "eval": evaluation, "results": {}, **changes}


def members(samples: list[Json], head: Json | None = None) -> dict[str, bytes]:
    """The files of an archive of Inspect's, by name."""
    head = head or header(samples)
    found: dict[str, object] = {"_journal/start.json": {"version": 2, "eval": head["eval"]}}
    found |= {f"samples/{one['id']}_epoch_{one['epoch']}.json": one for one in samples}
    found |= {"summaries.json": [], "header.json": head}
    return {name: json.dumps(value, indent=2).encode() for name, value in found.items()}


def write_archive(path: Path, files: Mapping[str, bytes], method: int = 93) -> Path:
    """Writes a ZIP file: stored (0), deflated (8), or by Zstandard (93), in frames of 200 bytes."""
    stored = ZIP_DEFLATED if method == ZIP_DEFLATED else ZIP_STORED
    with ZipFile(path, "w", stored) as archive:
        for name, data in files.items():
            archive.writestr(name, _frames(data) if method == 93 else data)
    if method == 93:
        _declare_zstandard(path, list(files.values()))
    return path


def _frames(data: bytes) -> bytes:
    codec = pa.Codec("zstd")
    starts = range(0, max(len(data), 1), max(200, len(data) // 9))
    step = starts.step
    return b"".join(codec.compress(data[start : start + step], asbytes=True) for start in starts)


def _declare_zstandard(path: Path, contents: list[bytes]) -> None:
    """Says of all files in an archive that they are compressed, and what comes out of them."""
    raw = bytearray(path.read_bytes())
    with ZipFile(io.BytesIO(raw)) as archive:
        entries, place = archive.infolist(), archive.start_dir
    for entry, content in zip(entries, contents, strict=True):
        sizes = zlib.crc32(content), entry.compress_size, len(content)
        for start, method, size in ((entry.header_offset, 8, 14), (place, 10, 16)):
            struct.pack_into("<H", raw, start + method, 93)
            struct.pack_into("<LLL", raw, start + size, *sizes)
        place += 46 + len(entry.filename.encode()) + len(entry.extra) + len(entry.comment)
    path.write_bytes(raw)


def write_eval(path: Path, samples: list[Json], head: Json | None = None) -> Path:
    """Writes a log of Inspect's as an archive."""
    return write_archive(path, members(samples, head))


def write_json_log(path: Path, samples: list[Json], head: Json | None = None) -> Path:
    """Writes a log of Inspect's as one file."""
    log = {**(head or header(samples)), "samples": samples, "reductions": []}
    path.write_text(json.dumps(log, indent=2))
    return path


# lm-evaluation-harness


def document(number: int, completion: str = "2", **changes: Any) -> Json:
    """A line of samples of lm-evaluation-harness, about a question of MMR's."""
    made = {
        "doc_id": number,
        "doc": {"task": "font_color", "Question": "Which color?", "entry": ENTRY},
        "target": "2",
        "arguments": {"gen_args_0": {"arg_0": "Which color?", "arg_1": {"until": []}}},
        "resps": [[completion]],
        "filtered_resps": [completion],
        "filter": "none",
        "metrics": ["exact_match"],
        "doc_hash": "0" * 64,
    }
    return {**made, **changes}


# VLMEvalKit


def row(number: int, prediction: object = "2", **changes: Any) -> Json:
    """A row of a table of VLMEvalKit's, about a question of MMR's."""
    made = {"index": number, "task": "font_color", "question": 'Which "color"?', "entry": ENTRY}
    return {**made, **changes, "prediction": prediction}


def write_sheet(path: Path, rows: list[Json]) -> Path:
    """Writes a table as an Excel file, by what VLMEvalKit calls for it and with its options."""
    options = {"options": {"strings_to_formulas": False}}
    with pd.ExcelWriter(path, engine="xlsxwriter", engine_kwargs=options) as writer:
        pd.DataFrame(rows).to_excel(writer, index=False)
    return path


def write_separated(path: Path, rows: list[Json]) -> Path:
    """Writes a table as text, between tabs or commas by the file's name, as pandas does."""
    delimiter = {".tsv": "\t", ".csv": ","}[path.suffix]
    pd.DataFrame(rows).to_csv(path, sep=delimiter, index=False, quoting=csv.QUOTE_ALL)
    return path
