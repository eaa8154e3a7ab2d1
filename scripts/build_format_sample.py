"""Builds the embedded sample of Image2Struct's other formats: generated scenes, and completions for the demo's replays.

    .venv/bin/python scripts/build_format_sample.py

One scene of each kind is written in all formats that can say it. The replays' answers are the same scenes with
mistakes that are planted and listed in ``mistakes.json``: the careful one has one small mistake in each scene,
the careless one several, talks around its code, and stops half-way now and then.
"""

import json
import shutil
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow.parquet as pq

from helm_structext.formats import FORMATS
from helm_structext.image2struct.tasks import format_domain
from helm_structext.scenes.items import draw_number, write_number
from helm_structext.scenes.kinds import KINDS
from helm_structext.scenes.mistakes import PlantedMistake, plant
from helm_structext.scenes.scene import Scene
from helm_structext.scenes.sets import generate_set
from helm_structext.scenes.settings import SetSettings, choose_settings
from helm_structext.storage.cache import write_atomically

BUILT = Path(__file__).resolve().parent.parent / "src" / "helm_structext" / "data" / "samples"
FOLDER = BUILT / "image2struct_formats"
SEED = 58
MOST = 2_000_000
"""Bytes of the sample."""
REPLAYS = {"careful": (1, 1), "careless": (3, 2)}
"""Name to how many kinds of mistakes a scene has, and in how many places each."""
SMALL = ("text misspelt", "text changed", "recolored", "order changed")
"""The kinds that the careful one has, the first that a scene can have."""
CARELESS = (*SMALL[:3], "item lost", SMALL[3])
"""The kinds that the careless one has, by lot."""
TALK = "Here is the code that draws the picture:\n\n```{}\n{}\n```\n\nI hope that it looks as it should."


def main() -> None:
    """Writes the sample, the replays and the list of their mistakes."""
    settings = choose_settings(count=1, seed=SEED, levels=("easy", "medium"), parallel=True)
    with TemporaryDirectory() as folder:
        generate_set(settings, Path(folder))
        rows = [*_rows(Path(folder))]
        shutil.rmtree(FOLDER, ignore_errors=True)
        for file in Path(folder).glob("*/*/validation*.parquet"):
            place = FOLDER / file.relative_to(folder)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, place)
    listed = []
    for name, (kinds, places) in REPLAYS.items():
        lines: list[str] = []
        for kind, number in sorted({(row["kind"], row["number"]) for row in rows}):
            scene, planted = _spoil(settings, kind, number, name, kinds, places)
            codes = write_number(settings, kind, number, scene)
            ours = [row for row in rows if (row["kind"], row["number"]) == (kind, number)]
            listed.append(
                {"replay": name, "kind": kind, "scene": ours[0]["scene"]}
                | {"mistakes": [asdict(one) for one in planted]}
            )
            for row in ours:
                completion = _answer(name, row["format"], codes[row["format"]], len(lines))
                record = {"scenario": format_domain(row["format"]), "subset": kind}
                record |= {"uuid": row["uuid"], "completion": completion}
                lines.append(json.dumps(record, ensure_ascii=False) + "\n")
        write_atomically(BUILT / "replay" / f"{name}.formats.jsonl", "".join(lines).encode())
    text = json.dumps(listed, ensure_ascii=False, indent=1) + "\n"
    write_atomically(FOLDER / "mistakes.json", text.encode())
    size = sum(file.stat().st_size for file in FOLDER.rglob("*") if file.is_file())
    print(f"{len(rows)} rows, {size:,} bytes")
    if size > MOST:
        sys.exit(f"the sample has more than {MOST:,} bytes; take another seed")


def _rows(folder: Path) -> Iterator[dict[str, Any]]:
    for format in FORMATS:
        for file in sorted((folder / format).glob("*/*.parquet")):
            for row in pq.read_table(file).to_pylist():
                about = json.loads(row["additional_info"])
                number = int(json.loads(row["instance_name"]).split()[1])
                uuid = json.loads(row["uuid"])
                yield {"format": format, "uuid": uuid, "number": number, **about}


def _spoil(
    settings: SetSettings, kind: str, number: int, name: str, kinds: int, places: int
) -> tuple[Scene, list[PlantedMistake]]:
    """A scene with mistakes of some kinds, each in some places."""
    lot = Random(f"{SEED}/{kind}/{number}/{name}")
    scene = draw_number(settings, kind, number)
    planted: list[PlantedMistake] = []
    for mistake in SMALL if kinds == 1 else lot.sample(CARELESS, len(CARELESS)):
        if len({one.kind for one in planted}) == kinds:
            break
        if spoiled := plant(KINDS[kind], scene, mistake, places, lot):
            scene = spoiled[0]
            planted += spoiled[1]
    return scene, planted


def _answer(name: str, format: str, code: str, number: int) -> str:
    fence = FORMATS[format].fences[0]
    if name == "careful":
        return f"```{fence}\n{code.strip()}\n```"
    if number % 6 == 5:  # stopped half-way
        return f"```{fence}\n{code.strip()[: len(code) // 2]}"
    return TALK.format(fence, code.strip())


if __name__ == "__main__":
    main()
