"""Pictures for the documents: scenes of a generated set, each in all of its formats.

    helm-structext generate image2struct --kind all --parallel --count 4 --seed 1 -o FOLDER
    .venv/bin/python scripts/contact_sheets.py FOLDER docs/images

Writes ``scenes-KIND.png`` for each kind: a row for each scene, a column for each format.
"""

import io
import json
import sys
from pathlib import Path

import pyarrow.parquet as pq
from PIL import Image, ImageChops, ImageDraw, ImageFont

from helm_structext.formats import FORMATS, rendered_formats
from helm_structext.scenes.kinds import KINDS

CELL, GAP, HEADER = (320, 240), 8, 20
INK, PAPER, GROUND = "#333333", "#ffffff", "#e8e8e8"
COLORS = 128
"""Of the picture's palette: sheets are for looking at."""


MOST = {"score": 6}
"""Scenes on a sheet, where it is not `FEW`: a score has one column."""
FEW = 3


def main(folder: Path, output: Path) -> None:
    """Writes a sheet for each kind that a set has.

    Args:
        folder: of the set.
        output: where the pictures go.
    """
    for kind in KINDS:
        scenes = read_scenes(folder, kind)
        if scenes:
            file = output / f"scenes-{kind}.png"
            picture = sheet([*scenes.values()][: MOST.get(kind, FEW)]).quantize(
                COLORS, dither=Image.Dither.NONE
            )
            picture.save(file, optimize=True)
            print(f"{file}: {len(scenes)} scenes, {file.stat().st_size:,} bytes")


def read_scenes(folder: Path, kind: str) -> dict[str, dict[str, Image.Image]]:
    """Returns the pictures of a kind by scene and format: the first scene of each type."""
    found: dict[str, dict[str, Image.Image]] = {}
    of_type: dict[str, str] = {}
    for format in rendered_formats():
        for file in sorted((folder / format / kind).glob("validation*.parquet")):
            for row in pq.read_table(file, columns=["image", "additional_info"]).to_pylist():
                about = json.loads(row["additional_info"])
                scene = about["scene"]
                if of_type.setdefault(about["type"], scene) != scene:
                    continue
                picture = Image.open(io.BytesIO(row["image"]["bytes"])).convert("RGB")
                found.setdefault(scene, {})[format] = picture
    return found


def sheet(scenes: list[dict[str, Image.Image]]) -> Image.Image:
    """Returns a sheet of scenes: each picture without its margins, as large as its cell allows."""
    formats = [name for name in rendered_formats() if any(name in scene for scene in scenes)]
    width, height = CELL
    size = (
        GAP + len(formats) * (width + GAP),
        HEADER + GAP + len(scenes) * (height + GAP),
    )
    made = Image.new("RGB", size, GROUND)
    draw = ImageDraw.Draw(made)
    font = ImageFont.load_default(14)
    for column, format in enumerate(formats):
        left = GAP + column * (width + GAP)
        draw.text((left, 6), FORMATS[format].name, INK, font)
        for row, scene in enumerate(scenes):
            if format in scene:
                top = HEADER + GAP + row * (height + GAP)
                made.paste(fit(scene[format]), (left, top))
    return made


def fit(picture: Image.Image) -> Image.Image:
    """Returns a picture in the middle of a cell, cropped to what differs from its upper left corner."""
    ground = Image.new("RGB", picture.size, picture.getpixel((0, 0)))
    box = ImageChops.difference(picture, ground).getbbox() or (0, 0, *picture.size)
    left, top, right, bottom = box
    margin = round(0.03 * max(right - left, bottom - top)) + 4
    inner = picture.crop(
        (
            *(max(left - margin, 0), max(top - margin, 0)),
            *(min(right + margin, picture.width), min(bottom + margin, picture.height)),
        )
    )
    inner.thumbnail(CELL, Image.Resampling.LANCZOS)
    cell = Image.new("RGB", CELL, PAPER)
    cell.paste(inner, ((CELL[0] - inner.width) // 2, (CELL[1] - inner.height) // 2))
    return cell


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
