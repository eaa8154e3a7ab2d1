"""What `fuzz.py text` tries of files: archives, pictures, rows, caches, suites, tables.

See `fuzz_texts`, which has the rest.
"""

import base64
import gzip
import io
import json
import os
import re
import tarfile
import tempfile
import zlib
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

from PIL import Image

from fuzz_inputs import (
    ODD,
    Input,
    Target,
    mutated,
    other_values,
    random_text,
    read_bytes,
    written,
)
from helm_structext.benchmarks import BENCHMARKS
from helm_structext.data import Row
from helm_structext.data.archives import asset_names, unpack_repository
from helm_structext.errors import RenderError, SetupError
from helm_structext.image2struct.cutoffs import read_cutoffs
from helm_structext.image2struct.rows import read_problem
from helm_structext.image2struct.tasks import DOMAINS
from helm_structext.pictures import decode, is_png
from helm_structext.renderers import render
from helm_structext.renderers.engine import Engine, read_engine_picture
from helm_structext.renderers.outcome import Drawing
from helm_structext.renderers.web import svg
from helm_structext.results.result_sets import Selection, group_by_condition
from helm_structext.results.tabular import Column, Table, section_tables
from helm_structext.sandbox import Limits
from helm_structext.structeval.agreement import read_labels
from helm_structext.structeval.rows import read_question

GOLDEN = Path(__file__).parent.parent / "tests" / "golden"


def _tar(chance: Random) -> str:
    """A tar archive, of which some headers may be forged."""
    buffer = io.BytesIO()
    format = chance.choice((tarfile.GNU_FORMAT, tarfile.PAX_FORMAT, tarfile.USTAR_FORMAT))
    with tarfile.open(fileobj=buffer, mode="w", format=format) as archive:
        for _ in range(chance.randrange(1, 5)):
            name = chance.choice(
                ("index.html", "a/b.png", "a", "../x", "/x", "é.css", written(chance, "any", 5))
            )
            entry = tarfile.TarInfo(
                name.replace("\0", "")[:90] if chance.random() < 0.9 else "a/" * 600
            )
            entry.type = chance.choice(
                (tarfile.REGTYPE,) * 6
                + (tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE)
            )
            entry.linkname = "a"
            content = written(chance, "any", 5).encode("utf-8", "replace")
            entry.size = len(content) if entry.isreg() else 0
            try:
                archive.addfile(entry, io.BytesIO(content))
            except (ValueError, UnicodeError):
                continue
    packed = bytearray(buffer.getvalue())
    for start in range(0, len(packed) - 512, 512):
        header = packed[start : start + 512]
        if header[257:262] == b"ustar" and chance.random() < 0.5:
            field, length = chance.choice(
                (
                    (0, 100),
                    (100, 8),
                    (124, 12),
                    (136, 12),
                    (156, 1),
                    (157, 100),
                    (257, 8),
                    (345, 155),
                    (483, 12),
                )
            )
            forged = chance.choice(
                (
                    b"\xff" * 12,
                    b"\x80" + b"\xff" * 11,
                    b"77777777777\0",
                    b"-1",
                    b"\0",
                    b"S",
                    b"L",
                    b"K",
                    b"x",
                    b"g",
                    b"9" * 12,
                    read_bytes(written(chance, "any", 3)),
                )
            )
            header[field : field + length] = forged[:length].ljust(length, b"\0")
            header[148:156] = b" " * 8
            header[148:156] = b"%06o\0 " % sum(header)
            packed[start : start + 512] = header
    return packed.decode("latin-1")


def _archive_input(chance: Random) -> Input:
    unpacked = _tar(chance)
    if chance.random() < 0.2:
        unpacked = mutated(chance, unpacked)
    packed = gzip.compress(read_bytes(unpacked), 1, mtime=0)
    if chance.random() < 0.2:
        packed = read_bytes(mutated(chance, packed.decode("latin-1")))
    text = base64.b64encode(packed).decode()
    return {"structure": mutated(chance, text) if chance.random() < 0.2 else text}


def _archive(structure: str) -> Any:
    files = unpack_repository(structure)
    asset_names(files)
    assert all(not name.startswith("/") and ".." not in name.split("/") for name in files)
    return files


def _honest_archive() -> str:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        entry = tarfile.TarInfo("index.html")
        entry.size = 3
        archive.addfile(entry, io.BytesIO(b"<p>"))
    return base64.b64encode(gzip.compress(buffer.getvalue(), mtime=0)).decode()


_PACKED = [zlib.compress(b"a" * length) for length in (1, 100, 3_000_000)]


def _png(chance: Random) -> str:
    """A PNG file of chunks that may be forged; their checksums mostly fit."""
    size = [
        chance.choice((1, 1, 2, 9, 60_000, 2**31 - 1, 2**32 - 1, 0)) if chance.random() < 0.3 else 2
        for _ in range(2)
    ]
    header = b"".join(side.to_bytes(4, "big") for side in size) + bytes(
        [chance.choice((8, 1, 16, 7)), chance.choice((2, 0, 3, 4, 6, 5)), 0, 0, chance.choice((0, 1))] if chance.random() < 0.5 else [8, 2, 0, 0, 0]
    )  # fmt: skip
    bomb = chance.choice(_PACKED)
    extra = [
        (b"tEXt", b"a\0" + read_bytes(written(chance, "any", 5))),
        (b"zTXt", b"a\0\0" + bomb),
        (b"iTXt", b"a\0\1\0\0\0" + bomb),
        (b"iCCP", b"a\0\0" + bomb),
        *(
            (name, read_bytes(written(chance, "any", 3)))
            for name in (
                b"eXIf",
                b"PLTE",
                b"tRNS",
                b"gAMA",
                b"cHRM",
                b"pHYs",
                b"sRGB",
                b"acTL",
                b"fcTL",
                b"fdAT",
                b"IHDR",
                b"IEND",
                b"bKGD",
                b"abcd",
            )
        ),
        (b"acTL", bytes(7) + b"\2" + bytes(4)),
    ]
    chunks = [
        (b"IHDR", header),
        *chance.sample(extra, chance.randrange(3)),
        (b"IDAT", zlib.compress(bytes(14))),
        *chance.sample(extra, chance.randrange(2)),
        (b"IEND", b""),
    ]
    if chance.random() < 0.2:
        chance.shuffle(chunks)
    pieces = [b"\x89PNG\r\n\x1a\n"]
    for name, content in chunks:
        length = (
            len(content)
            if chance.random() < 0.95
            else chance.choice((0, 2**31, 2**32 - 1, len(content) + 1))
        )
        sum = zlib.crc32(name + content) if chance.random() < 0.95 else 0
        pieces += [length.to_bytes(4, "big"), name, content, sum.to_bytes(4, "big")]
    return b"".join(pieces).decode("latin-1")


def _other_picture(chance: Random) -> str:
    if chance.random() < 0.5:
        number = [
            chance.choice(("1", "2", "60000", "-1", "99999999999", "x", "", "1e3", "9" * 5000))
            for _ in range(3)
        ]
        kind = chance.choice(("P6", "P3", "P1", "P2", "P5", "P4", "Pf", "PF", "P7", "Py", "P0CMYK"))
        return (
            f"{kind}{chance.choice((' ', chr(10), '# a' + chr(10)))}{number[0]} {number[1]}\n{number[2]}\n"
            + "a" * chance.randrange(30)
        )
    buffer = io.BytesIO()
    kind = chance.choice(("JPEG", "GIF", "BMP", "WEBP", "TIFF", "ICO", "PPM", "PNG"))
    Image.new("RGB", (4, 4), "red").save(buffer, kind)
    return buffer.getvalue().decode("latin-1")


def _picture_input(chance: Random) -> Input:
    data = (_png if chance.random() < 0.7 else _other_picture)(chance)
    return {"data": mutated(chance, data) if chance.random() < 0.3 else data}


def _seen_picture(data: str) -> Any:
    return read_engine_picture(read_bytes(data)).size


def _stored_picture(data: str) -> Any:
    kept = Row({"image": {"bytes": read_bytes(data)}}, "row 0 of fuzz").picture("image")
    assert is_png(kept)
    return decode(kept).size


def _honest_png() -> str:
    buffer = io.BytesIO()
    Image.new("RGB", (64, 48), "white").save(buffer, "PNG")
    return buffer.getvalue().decode("latin-1")


_ROWS: dict[str, Input] = {
    "image2struct_latex": {"structure": "$x$", "text": "x", "uuid": '"u"', "image": {"bytes": _honest_png()}},
    "image2struct_music": {"uuid": '"u"', "image": {"bytes": _honest_png()}, "oracle_structure": "{ c' }"},
    "image2struct_webpage": {"structure": _honest_archive(), "text": "x", "uuid": '"u"', "image": {"bytes": _honest_png()}, "assets": []},
    "mmr": {"task": "grounding_t", "Question": "Where?", "Answer": '["Emma", [0, 0, 0.5, 1]]', "image": base64.b64encode(read_bytes(_honest_png())).decode(), "img_id": "1"},
    "structeval": {"task_name": "Text to JSON", "task_id": "000100", "query": "Write", "raw_output_metric": ["a.b", "c[0]"], "VQA": [], "query_example": ""},
    "structeval rendered": {"task_name": "Text to HTML", "task_id": "000200", "query": "Write", "raw_output_metric": ["a"], "VQA": [{"question": "a", "answer": "b"}]},
}  # fmt: skip


def _row_input(chance: Random) -> Input:
    name = chance.choice(list(_ROWS))
    return {"name": name, "values": other_values(chance, _ROWS[name])}


def _row(name: str, values: Any) -> Any:
    if not isinstance(values, dict):
        return None
    values = dict(values)
    if isinstance(image := values.get("image"), dict) and isinstance(image.get("bytes"), str):
        values["image"] = {**image, "bytes": read_bytes(image["bytes"])}
    row = Row(values, "row 0 of fuzz")
    if name.startswith("structeval"):
        return read_question(row)
    if name == "mmr":
        row.verbatim("task")
        row.base64_picture("image")
        return row.verbatim("Question")
    domain = DOMAINS[name]
    return read_problem(row, domain, domain.subsets[0]).uuid


def _cache_input(chance: Random) -> Input:
    if chance.random() < 0.3:
        return {"number": chance.randrange(4), "content": None}
    number = chance.randrange(4)
    kept = list(_kept_rendering().values())
    text = kept[number % len(kept)]
    if text[:1] == "{" and chance.random() < 0.4:
        content = json.dumps(other_values(chance, json.loads(text)))
    else:
        content = (
            mutated(chance, text) if chance.random() < 0.8 else random_text(chance, "json", [text])
        )
    return {"number": number, "content": content}


def _draw(code: str, *others: object) -> Drawing:
    if code == "wrong":
        raise RenderError("syntax", "the code is wrong", "a log")
    return Drawing(Image.new("RGB", (3, 2), "red"), code, "seen", "a log")


_ENGINE = Engine(draw=_draw, version=lambda: "fuzz", limits=Limits(), packages={})  # type: ignore[arg-type]


def _rendered(cache: Path, code: str) -> Any:
    with patch.object(svg, "ENGINE", _ENGINE):
        try:
            rendering = render("svg", code, cache=cache)
        except RenderError as error:
            return error.kind, error.message, error.log
    return rendering.image.tobytes(), rendering.source, rendering.text, rendering.log


def _files(cache: Path) -> list[Path]:
    return sorted(path for path in cache.rglob("*") if path.is_file())


@lru_cache(maxsize=1)
def _kept_rendering() -> dict[str, str]:
    with tempfile.TemporaryDirectory(dir=scratch()) as folder:
        for code in ("right", "wrong"):
            _rendered(Path(folder), code)
        return {
            str(path.relative_to(folder)): path.read_bytes().decode("latin-1")
            for path in _files(Path(folder))
        }


def _cached(number: int, content: str | None) -> Any:
    """What a damaged cache gives is what is made anew."""
    with tempfile.TemporaryDirectory(dir=scratch()) as folder:
        cache = Path(folder)
        expected = [_rendered(cache, code) for code in ("right", "wrong")]
        files = _files(cache)
        damaged = files[number % len(files)]
        if content is None:
            damaged.unlink()
        else:
            damaged.write_bytes(content.encode("utf-8", "surrogatepass"))
        found = [_rendered(cache, code) for code in ("right", "wrong")]
        assert found == expected, f"{damaged.name}: {found}"
        return found


def scratch() -> str | None:
    """Where files are short-lived: in memory, if there is such a place."""
    return "/dev/shm" if Path("/dev/shm").is_dir() else None


SUITE = GOLDEN / "suite" / "benchmark_output" / "runs" / "demo"
KEPT = ("run_spec.json", "per_instance_stats.json", "scenario_state.json")


@lru_cache(maxsize=1)
def _runs() -> dict[str, dict[str, str]]:
    """The smallest run of each benchmark in the stored suite: its files."""
    found = {}
    for entry in ("image2struct_latex", "mmr", "structeval"):
        folders = sorted(
            SUITE.glob(f"{entry}:*careful*"), key=lambda folder: (folder / KEPT[2]).stat().st_size
        )
        found[entry] = {name: (folders[0] / name).read_text(encoding="utf-8") for name in KEPT}
        states = json.loads(found[entry][KEPT[2]])
        states["request_states"] = states["request_states"][:3]
        ids = {state["instance"]["id"] for state in states["request_states"]}
        stats = [one for one in json.loads(found[entry][KEPT[1]]) if one["instance_id"] in ids]
        found[entry] |= {KEPT[2]: json.dumps(states), KEPT[1]: json.dumps(stats)}
    return found


def _run_input(chance: Random) -> Input:
    entry, name = chance.choice(list(_runs())), chance.choice(KEPT)
    text = _runs()[entry][name]
    changed = (
        json.dumps(other_values(chance, json.loads(text)))
        if chance.random() < 0.7
        else mutated(chance, text)
    )
    return {"entry": entry, "name": name, "content": changed}


def _run(entry: str, name: str, content: str | None) -> Any:
    with tempfile.TemporaryDirectory(dir=scratch()) as folder:
        suite = Path(folder) / "benchmark_output" / "runs" / "demo"
        run = suite / f"{entry}:model=a"
        run.mkdir(parents=True)
        for file, text in _runs()[entry].items():
            (run / file).write_text(text, encoding="utf-8")
        if content is not None:
            (run / name).write_text(content, encoding="utf-8", errors="replace")
        with patch.dict(os.environ, HELM_STRUCTEXT_CACHE=folder):
            first, again = ([_table(table) for table in _leaderboards(suite)] for _ in range(2))
        assert again == first, "columns hold something else than the files of the run"
        return first


def _leaderboards(suite: Path) -> Iterator[Table]:
    for benchmark in BENCHMARKS:
        if results := benchmark.read(suite):
            models = {result.model for result in results}
            result_sets = benchmark.result_sets(results, Selection(sorted(models)))
            sections = {"leaderboard": benchmark.sections["leaderboard"]}
            yield from section_tables(sections, group_by_condition(result_sets))


_CELL_END = re.compile(r"(?<!\\)(?:\\\\)*\|")


def _table(table: Table) -> list[str]:
    """A table in its three forms, which nothing in its cells may break."""
    lines = table.markdown().rpartition("\n\n")[2].split("\n")
    assert len(lines) == len(table.rows) + 2, "a cell breaks its line"
    cells = [len(_CELL_END.findall(line)) for line in lines]
    assert set(cells) == {len(table.columns) + 1}, "a cell breaks its row"
    assert "\x1b" not in "".join(lines), "a cell steers the terminal"
    table.latex()
    return [table.csv(), *lines]


def _cells_input(chance: Random) -> Input:
    return {
        "cells": [random_text(chance, "any", ODD) for _ in range(4)],
        "number": chance.uniform(-1, 1),
    }


def _cells(cells: list[str], number: float) -> Any:
    names = [*cells, "", "", "", ""]
    columns = [Column("Model"), Column(names[0][:50]), Column("EMS")]
    return _table(
        Table(
            "t", "Title", "Note.", columns, [[names[1], names[2], number], [names[3], None, None]]
        )
    )


def _small_file_input(chance: Random) -> Input:
    name = chance.choice(list(_SMALL_FILES))
    return {
        "name": name,
        "content": random_text(chance, _SMALL_FILES[name][0], [_SMALL_FILES[name][1]]),
    }


_SMALL_FILES: dict[str, tuple[str, str, Callable[[Path], Any]]] = {
    "labels": ("csv", "model,instance,pair,label,fair\na,1,1,true,\n", lambda path: read_labels(path, {("a", "1", 1): None})),  # type: ignore[dict-item]
    "cut-offs": ("yaml", "a/b: 2023-10-01\nc: 2024-02\n", read_cutoffs),
}  # fmt: skip


def _small_file(name: str, content: str) -> Any:
    with tempfile.TemporaryDirectory(dir=scratch()) as folder:
        path = Path(folder) / "file"
        path.write_text(content, encoding="utf-8", errors="surrogatepass")
        return str(_SMALL_FILES[name][2](path)).replace(folder, "")


FILES = {
    "archive": Target(_archive_input, _archive, (ValueError,), {"structure": _honest_archive()}, 10),
    "row": Target(_row_input, _row, (SetupError,), {"name": "mmr", "values": _ROWS["mmr"]}, 10),
    "picture": Target(_picture_input, _seen_picture, (RenderError,), {"data": _honest_png()}, 10),
    "stored picture": Target(_picture_input, _stored_picture, (SetupError,), {"data": _honest_png()}, 10),
    "cache": Target(_cache_input, _cached, (), {"number": 0, "content": None}, 3),
    "run": Target(_run_input, _run, (SetupError,), {"entry": "mmr", "name": KEPT[0], "content": None}, 2),
    "small file": Target(
        _small_file_input, _small_file, (SetupError,), {"name": "cut-offs", "content": "a: 2024-01-01"}, 5
    ),
    "cells": Target(_cells_input, _cells, (), {"cells": ["a", "b", "c", "d"], "number": -0.5}, 10),
}  # fmt: skip
"""Name to what is tried."""
