"""Renders the files of a folder, such as public ones that people and models made, and says what became of each.

    python benchmarks/world_files.py FOLDER [--protocol corrected] [--pictures PICTURES] -o RECORDS

The folder has one folder for each format, named as the format. `RECORDS` gets a line of JSON for each
file; a file that is there already is not rendered again. Prints a table by format. What the files ask for
and whether it is here says `helm-structext needs FOLDER`, without rendering.
"""

import argparse
import hashlib
import json
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from helm_structext.errors import ERROR_KINDS, RenderError
from helm_structext.formats import rendered_formats
from helm_structext.protocols import PROTOCOLS, ProtocolName
from helm_structext.renderers import Rendering, render
from helm_structext.renderers.tex_log import ERROR
from helm_structext.results.tabular import Cell, markdown

TEX = ("latex", "latex_document", "tikz")
BLANK = 1e-4
"""Share of a picture's pixels that have another color than most; one with fewer is called blank."""


def find_files(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yields format and path of each file, in a fixed order."""
    for format in sorted(rendered_formats()):
        for path in sorted((folder / format).glob("*")):
            yield format, path


def record_file(
    format: str, path: Path, protocol: ProtocolName, pictures: Path | None
) -> dict[str, Any]:
    """Renders a file, and returns what became of it."""
    start = time.monotonic()
    record: dict[str, Any] = {"format": format, "file": path.name, "protocol": protocol}
    try:
        rendering = render(
            format, path.read_text(encoding="utf-8", errors="replace"), protocol=protocol
        )
    except RenderError as error:
        record |= {"kind": error.kind, "message": error.message}
        told, log = error.missing, error.log
    else:
        record |= {"kind": "ok", **describe_picture(rendering)}
        told, log = rendering.missing, rendering.log
        if pictures:
            (pictures / format).mkdir(parents=True, exist_ok=True)
            rendering.image.save(pictures / format / f"{path.name}.png")
    record["missing"] = [str(one) for one in told]
    record["seconds"] = round(time.monotonic() - start, 2)
    if format in TEX:
        record["tex_errors"] = sum(1 for _ in ERROR.finditer(log))
    record["log"] = log[-2000:]
    return record


def describe_picture(rendering: Rendering) -> dict[str, Any]:
    """Size, hash, and the share of pixels that have another color than most."""
    image = rendering.image
    colors = image.getcolors(image.width * image.height) or [(0, None)]
    most = max(count for count, _ in colors)
    digest = hashlib.sha256(image.tobytes() + rendering.text.encode()).hexdigest()[:16]
    ink = 1 - most / (image.width * image.height)
    return {"size": image.size, "ink": round(ink, 6), "hash": digest}


def table_of(records: Iterable[dict[str, Any]]) -> str:
    """A row for each format and one for all: what became of its files."""
    kinds = ("ok", *ERROR_KINDS)
    groups: dict[str, list[dict[str, Any]]] = {}
    for record in records:
        for name in (record["format"], "all"):
            groups.setdefault(name, []).append(record)
    rows: list[list[Cell]] = []
    for name in sorted(groups, key=lambda name: (name == "all", name)):
        ours = groups[name]
        drawn = [one for one in ours if one["kind"] == "ok"]
        rows.append(
            [
                name,
                len(ours),
                *(sum(one["kind"] == kind for one in ours) for kind in kinds),
                sum(bool(one["missing"]) for one in drawn),
                sum(bool(one.get("tex_errors")) for one in drawn),
                sum(one["ink"] < BLANK for one in drawn),
                round(sum(one["seconds"] for one in ours), 1),
            ]
        )
    told = ("drawn without something", "drawn with TeX errors", "blank", "seconds")
    return markdown(["format", "files", *kinds, *told], rows)


def main() -> None:
    """Renders what has no record yet, and prints the table of all."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "-o", "--output", type=Path, required=True, help="records, a line for each file"
    )
    parser.add_argument("--protocol", choices=PROTOCOLS, default="corrected")
    parser.add_argument("--pictures", type=Path, help="a folder for what was drawn")
    options = parser.parse_args()
    known: dict[tuple[str, str], dict[str, Any]] = {}
    if options.output.exists():
        for line in options.output.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            known[record["format"], record["file"]] = record
    with options.output.open("a", encoding="utf-8") as file:
        for format, path in find_files(options.folder):
            if (format, path.name) not in known:
                record = record_file(format, path, options.protocol, options.pictures)
                known[format, path.name] = record
                file.write(json.dumps(record, ensure_ascii=False) + "\n")
                file.flush()
    print(table_of(known.values()))


if __name__ == "__main__":
    main()
