"""Builds the sample data embedded in the wheel from the sources under `samples/`.

    .venv/bin/python scripts/build_samples.py [domain ...]

Each domain folder has an `index.yaml` that lists its rows; the files `SUBSET/NAME.*` and the folder
`SUBSET/NAME/` are the sources of a row, and `SUBSET/NAME.REPLAY.*` are completions for the demo.
Pictures come from the project's own renderers, so that the oracle model scores 1. The parquet files
have the columns of the published Image2Struct datasets; the same sources give the same bytes.
"""

import base64
import io
import json
import mimetypes
import sys
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from datasets import Dataset, Features, Image, Sequence, Value, disable_progress_bars
from PIL import Image as PIL_Image
from PIL import ImageDraw, ImageFont, ImageOps

from helm_structext.data.archives import pack_repository
from helm_structext.extraction import extract
from helm_structext.renderers import render
from helm_structext.storage.cache import content_key, write_atomically

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "samples"
BUILT = ROOT / "src" / "helm_structext" / "data" / "samples"
# In the published order. Rows without a published structure have `oracle_structure` instead of
# `structure` and `text`: only the offline oracle model reads it.
COLUMNS: dict[str, Any] = {
    "structure": Value("string"),
    "text": Value("string"),
    "image": Image(),
    "download_url": Value("string"),
    "instance_name": Value("string"),
    "date": Value("string"),
    "additional_info": Value("string"),
    "date_scrapped": Value("string"),
    "file_filters": Value("string"),
    "compilation_info": Value("string"),
    "rendering_filters": Value("string"),
    "assets": Sequence(Value("string")),
    "category": Value("string"),
    "uuid": Value("string"),
    "length": Value("string"),
    "difficulty": Value("string"),
    "oracle_structure": Value("string"),
}


@dataclass(frozen=True)
class Source:
    """One row to be built: where its sources lie and what `index.yaml` says about it."""

    domain: str
    subset: str
    name: str
    subject: str
    date: str

    @property
    def path(self) -> Path:
        """The path of the sources, without the file name's suffix."""
        return SOURCES / self.domain / self.subset / self.name

    @property
    def key(self) -> str:
        return f"{self.domain}/{self.subset}/{self.name}"

    @property
    def identifier(self) -> str:
        return str(uuid.uuid5(uuid.NAMESPACE_URL, f"helm-structext/samples/{self.key}"))

    def files(self) -> list[Path]:
        """The files of which the row is made."""
        inside = self.path.rglob("*") if self.path.is_dir() else ()
        return sorted(
            p
            for p in [*self.path.parent.glob(f"{self.name}.*"), *inside]
            if p.is_file() and (self.path in p.parents or p.stem == self.name)
        )

    def replays(self) -> dict[str, str]:
        """The completions by the name of their replay."""
        files = sorted(self.path.parent.glob(f"{self.name}.*.*"))
        return {p.name.split(".")[1]: p.read_text("utf-8").removesuffix("\n") for p in files}

    def content_hash(self) -> str:
        """The hash that tells whether a built row is up to date."""
        parts = [(str(p.relative_to(self.path.parent)), p.read_bytes()) for p in self.files()]
        return content_key(*(part for pair in parts for part in pair))


@dataclass(frozen=True)
class Drawn:
    """What a domain's renderer makes of a source."""

    image: PIL_Image.Image
    length: int
    columns: dict[str, str]
    assets: list[str] = field(default_factory=list)


def read_index(domain: str) -> list[Source]:
    """Returns the rows of a domain in the order of its `index.yaml`."""
    index = yaml.safe_load((SOURCES / domain / "index.yaml").read_text("utf-8"))
    return [
        Source(domain, subset, row["name"], row["subject"], str(row["date"]))
        for subset, rows in index.items()
        for row in rows
    ]


def count_black(image: PIL_Image.Image) -> int:
    """Counts the dark pixels: the length of what has no text."""
    return int((np.asarray(image.convert("L")) < 128).sum())


def crop_to_ink(image: PIL_Image.Image) -> PIL_Image.Image:
    return image.crop(ImageOps.invert(image.convert("RGB")).getbbox())


def draw_notes(notes: str) -> PIL_Image.Image:
    """Draws plain text as a word processor might: `# ` opens a heading, tabs align columns."""
    sheet = PIL_Image.new("RGB", (1700, 2200), "white")
    pen = ImageDraw.Draw(sheet)
    # The basic layout, as the other depends on whether libraqm is installed.
    fonts = {
        name: ImageFont.truetype(f"{name}.ttf", size, layout_engine=ImageFont.Layout.BASIC)
        for name, size in (("DejaVuSerif", 26), ("DejaVuSerif-Bold", 34))
    }
    y = 100
    for line in notes.splitlines():
        font = fonts["DejaVuSerif-Bold" if line.startswith("# ") else "DejaVuSerif"]
        for column, cell in enumerate(line.removeprefix("# ").split("\t")):
            pen.text((100 + 260 * column, y), cell, "black", font)
        y += round(font.size * 1.6)
    return crop_to_ink(sheet)


def draw_latex(source: Source) -> Drawn:
    code = source.path.with_suffix(".tex").read_text("utf-8")
    if source.subset == "wild":
        image = draw_notes(source.path.with_suffix(".txt").read_text("utf-8"))
        return Drawn(image, count_black(image), {"oracle_structure": code})
    rendering = render("latex", extract(code, "latex"))
    text = rendering.text
    return Drawn(rendering.image, len(text), {"structure": code, "text": text})


def read_repository(folder: Path) -> dict[str, bytes]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def is_picture(name: str) -> bool:
    return (mimetypes.guess_type(name)[0] or "").startswith("image/")


def draw_webpage(source: Source) -> Drawn:
    files = read_repository(source.path)
    assets = {name: data for name, data in files.items() if is_picture(name)}
    code = {name: data.decode() for name, data in files.items() if name not in assets}
    answer = json.dumps([{"filename": name, "content": text} for name, text in code.items()])
    if source.subset == "wild":
        page = source.path.with_suffix(".tex").read_text("utf-8")
        image = render("latex", extract(page, "latex")).image
        return Drawn(image, count_black(image), {"oracle_structure": answer})
    rendering = render("webpage", extract(answer, "webpage"), assets=assets)
    return Drawn(
        rendering.image,
        sum(len(text.splitlines()) for text in code.values()),
        {"structure": pack_repository(files), "text": rendering.text},
        [base64.b64encode(data).decode() for data in assets.values()],
    )


def draw_music(source: Source) -> Drawn:
    score = source.path.with_suffix(".ly").read_text("utf-8")
    image = render("lilypond", extract(score, "lilypond")).image
    return Drawn(image, count_black(image), {"oracle_structure": score})


DRAW: dict[str, Callable[[Source], Drawn]] = {
    "image2struct_latex": draw_latex,
    "image2struct_webpage": draw_webpage,
    "image2struct_music": draw_music,
}


def encode_png(image: PIL_Image.Image) -> bytes:
    """Returns the smallest of the PNGs that decode to the same RGB pixels."""
    pixels = np.asarray(image.convert("RGB"))
    candidates = [PIL_Image.fromarray(pixels)]
    if (pixels == pixels[..., :1]).all():
        candidates.append(PIL_Image.fromarray(np.ascontiguousarray(pixels[..., 0])))
    colors, index = np.unique(pixels @ np.array([1 << 16, 1 << 8, 1]), return_inverse=True)
    if len(colors) <= 256:
        palette = PIL_Image.fromarray(index.reshape(pixels.shape[:2]).astype(np.uint8))
        palette.putpalette(b"".join(int(color).to_bytes(3, "big") for color in colors))
        candidates.append(palette)
    encoded = []
    for candidate in candidates:
        buffer = io.BytesIO()
        candidate.save(buffer, "PNG", optimize=True)
        encoded.append(buffer.getvalue())
    return min(encoded, key=len)


def thirds(lengths: list[int]) -> list[str]:
    """Names the difficulty of each length: the shortest third is easy, the longest hard.

    >>> thirds([30, 10, 20])
    ['hard', 'easy', 'medium']
    """
    order = sorted(range(len(lengths)), key=lambda i: lengths[i])
    names = ("easy", "medium", "hard")
    rank = {row: 3 * place // len(lengths) for place, row in enumerate(order)}
    return [names[rank[row]] for row in range(len(lengths))]


def build_rows(sources: list[Source]) -> list[dict[str, Any]]:
    """Renders the sources of one subset and fills in the published columns."""
    drawn = [DRAW[source.domain](source) for source in sources]
    rows = []
    for source, made, difficulty in zip(
        sources, drawn, thirds([made.length for made in drawn]), strict=True
    ):
        information = {"subject": source.subject, "source_sha256": source.content_hash()}
        rows.append(
            {
                **made.columns,
                "image": {"bytes": encode_png(made.image), "path": None},
                "download_url": json.dumps(f"samples/{source.key}"),
                "instance_name": json.dumps(source.name),
                "date": json.dumps(source.date),
                "additional_info": json.dumps(information),
                "date_scrapped": json.dumps(source.date),
                "file_filters": "{}",
                "compilation_info": json.dumps({"image_size": made.image.size}),
                "rendering_filters": "{}",
                "assets": made.assets,
                "category": json.dumps(source.subset),
                "uuid": json.dumps(source.identifier),
                "length": str(made.length),
                "difficulty": difficulty,
            }
        )
    return rows


def write_parquet(rows: list[dict[str, Any]], path: Path) -> None:
    """Writes rows with the published feature types, in the published order of columns."""
    features = Features({name: kind for name, kind in COLUMNS.items() if name in rows[0]})
    columns = {name: [row[name] for row in rows] for name in features}
    buffer = io.BytesIO()
    Dataset.from_dict(columns, features=features).to_parquet(buffer)
    write_atomically(path, buffer.getvalue())


def write_replays() -> None:
    """Collects the completions of all domains into one file for each replay."""
    lines: dict[str, list[str]] = {}
    for domain in DRAW:
        for source in read_index(domain):
            for name, completion in source.replays().items():
                record = {
                    "scenario": domain,
                    "subset": source.subset,
                    "uuid": source.identifier,
                    "completion": completion,
                }
                lines.setdefault(name, []).append(json.dumps(record, ensure_ascii=False) + "\n")
    for name, records in lines.items():
        write_atomically(BUILT / "replay" / f"{name}.jsonl", "".join(records).encode())


def main(domains: list[str]) -> None:
    disable_progress_bars()
    for domain in domains or DRAW:
        subsets: dict[str, list[Source]] = {}
        for source in read_index(domain):
            subsets.setdefault(source.subset, []).append(source)
        for subset, sources in subsets.items():
            path = BUILT / domain / subset / "validation.parquet"
            write_parquet(build_rows(sources), path)
            print(f"{path.relative_to(ROOT)}: {len(sources)} rows, {path.stat().st_size:,} bytes")
    write_replays()


if __name__ == "__main__":
    main(sys.argv[1:])
