"""Builds the embedded sample of Image2Struct's other formats: generated scenes, and completions for the demo's replays.

    .venv/bin/python scripts/build_format_sample.py

One scene of each kind is written in all formats that can say it. The replays' answers are the same scenes with
mistakes that are planted and listed in ``mistakes.json``: the careful one has one small mistake in each scene,
the careless one several, talks around its code, and stops half-way now and then. After a change of scenes or of how
they are written, call it again: a test compares the sample's code with what its seed gives.
"""

import json
import shutil
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pyarrow.parquet as pq

from helm_structext.formats import FORMATS
from helm_structext.image2struct.tasks import format_domain
from helm_structext.scenes.items import draw_number, write_number
from helm_structext.scenes.kinds import KINDS
from helm_structext.scenes.mistakes import PlantedMistake, plant
from helm_structext.scenes.scene import Scene
from helm_structext.scenes.sets import generate_set
from helm_structext.scenes.settings import choose_settings
from helm_structext.storage.cache import write_atomically

BUILT = Path(__file__).resolve().parent.parent / "src" / "helm_structext" / "data" / "samples"
FOLDER = BUILT / "image2struct_formats"
SEED = 3362
"""Its scenes are of seven languages and all five scripts."""
SETTINGS = choose_settings(count=1, seed=SEED, levels=("easy", "medium"), parallel=True)
FILES = "*/*/validation*.parquet"
LISTED = FOLDER / "mistakes.json"
MOST = 2_000_000
"""Bytes of the sample."""
REPLAYS = {"careful": (1, 1), "careless": (3, 2)}
"""Name to how many kinds of mistakes a scene has, and in how many places each."""
SMALL = ("text misspelt", "text changed", "recolored", "order changed")
"""The kinds that the careful one has, the first that a scene can have."""
CARELESS = (*SMALL[:3], "item lost", SMALL[3])
"""The kinds that the careless one has, by lot."""
TALK = "Here is the code that draws the picture:\n\n```{}\n{}\n```\n\nI hope that it looks as it should."


class SampleRow(NamedTuple):
    """What a row of the sample says of its scene."""

    format: str
    kind: str
    number: int
    scene: str
    uuid: str
    code: str


def main() -> None:
    """Writes the sample, the replays and the list of their mistakes."""
    with TemporaryDirectory() as folder:
        generate_set(SETTINGS, Path(folder))
        shutil.rmtree(FOLDER, ignore_errors=True)
        for file in Path(folder).glob(FILES):
            place = FOLDER / file.relative_to(folder)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, place)
    rows = read_rows()
    answers, listed = write_replays(rows)
    for name, text in answers.items():
        write_atomically(replay_file(name), text.encode())
    write_atomically(LISTED, listed.encode())
    size = sum(file.stat().st_size for file in FOLDER.rglob("*") if file.is_file())
    print(f"{len(rows)} rows, {size:,} bytes")
    if size > MOST:
        sys.exit(f"the sample has more than {MOST:,} bytes; take another seed")


def replay_file(name: str) -> Path:
    """Returns where the answers of a replay are."""
    return BUILT / "replay" / f"{name}.formats.jsonl"


def read_rows() -> list[SampleRow]:
    """Returns the rows of the sample as it is there, by format."""
    return [
        _read_row(format, row)
        for format in FORMATS
        for file in sorted((FOLDER / format).glob("*/*.parquet"))
        for row in pq.read_table(file).to_pylist()
    ]


def _read_row(format: str, row: dict[str, Any]) -> SampleRow:
    about = json.loads(row["additional_info"])
    number = int(json.loads(row["instance_name"]).split()[1])
    uuid = json.loads(row["uuid"])
    return SampleRow(format, about["kind"], number, about["scene"], uuid, row["structure"])


def write_replays(rows: Sequence[SampleRow]) -> tuple[dict[str, str], str]:
    """Returns the answers of each replay as lines of JSON, and the list of their mistakes.

    Args:
        rows: of the sample; their pictures are not needed.
    """
    answers, listed = {}, []
    for name, (kinds, places) in REPLAYS.items():
        lines: list[str] = []
        for kind, number in sorted({(row.kind, row.number) for row in rows}):
            scene, planted = _spoil(kind, number, name, kinds, places)
            codes = write_number(SETTINGS, kind, number, scene)
            ours = [row for row in rows if (row.kind, row.number) == (kind, number)]
            listed.append(
                {"replay": name, "kind": kind, "scene": ours[0].scene}
                | {"mistakes": [asdict(one) for one in planted]}
            )
            for row in ours:
                completion = _answer(name, row.format, codes[row.format], len(lines))
                record = {"scenario": format_domain(row.format), "subset": kind}
                record |= {"uuid": row.uuid, "completion": completion}
                lines.append(json.dumps(record, ensure_ascii=False) + "\n")
        answers[name] = "".join(lines)
    return answers, json.dumps(listed, ensure_ascii=False, indent=1) + "\n"


def _spoil(
    kind: str, number: int, name: str, kinds: int, places: int
) -> tuple[Scene, list[PlantedMistake]]:
    """A scene with mistakes of some kinds, each in some places."""
    lot = Random(f"{SEED}/{kind}/{number}/{name}")
    scene = draw_number(SETTINGS, kind, number)
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
