"""Instances per second, end to end through helm-run, from folder sources and replayed completions.

    .venv/bin/python benchmarks/throughput.py [instances per domain, default 300]

The instances are the embedded samples over and over, each with a pixel and a comment of its own, so
that nothing is answered from a cache: every completion is rendered and every pair is scored.
"""

import io
import json
import os
import subprocess
import sys
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image

from helm_structext.data import load_rows
from helm_structext.image2struct.rows import read_problem
from helm_structext.image2struct.tasks import DOMAINS, INSTRUCTIONS
from helm_structext.models.answer_index import request_key

# Something that changes the code and not the picture. Spaces around JSON would be stripped.
VARIANTS = {
    "latex": "{code}\n% variant {number}\n",
    "webpage": "```json\n{code}\n```\nVariant {number}",
    "lilypond": "{code}\n% variant {number}\n",
}
REPLAY = "careful"


def main(count: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run(["helm-structext", "init"], cwd=folder, check=True, capture_output=True)
        completions = {
            record["instance"]: record["completion"]
            for record in map(
                json.loads, (folder / "prod_env/replay" / f"{REPLAY}.jsonl").open(encoding="utf-8")
            )
        }
        replay = folder / "prod_env" / "replay" / "many.jsonl"
        print("| domain | instances | seconds | instances / s |\n|---|---|---|---|")
        total = 0.0
        with replay.open("w", encoding="utf-8") as lines:
            for domain in DOMAINS:
                for line in _write_dataset(domain, folder / domain, count, completions):
                    lines.write(json.dumps(line) + "\n")
        for domain in DOMAINS:
            seconds = _run(domain, folder)
            total += seconds
            print(f"| {domain} | {count} | {seconds:.0f} | {count / seconds:.1f} |")
        all_of_them = count * len(DOMAINS)
        print(f"| all | {all_of_them} | {total:.0f} | {all_of_them / total:.1f} |")


def _write_dataset(
    domain: str, folder: Path, count: int, completions: dict[str, str]
) -> list[dict[str, str]]:
    """Writes a config as parquet and returns the lines of the replay file."""
    described = DOMAINS[domain]
    samples = [
        (subset, row)
        for subset in described.subsets
        for row in load_rows(
            "sample", benchmark=domain, dataset="", config=subset, splits=["validation"]
        )
    ]
    rows: dict[str, list[dict[str, Any]]] = {subset: [] for subset in described.subsets}
    lines = []
    for number, (subset, sample) in enumerate(islice(cycle(samples), count)):
        problem = read_problem(sample, described, subset)
        picture = _with_own_pixel(problem.picture, number)
        values = {**sample.values, "image": {"bytes": picture, "path": None}}
        rows[subset].append({**values, "uuid": json.dumps(f"{problem.uuid}-{number}")})
        code = completions[problem.uuid]
        if described.format == "webpage" and "```" in code:
            code = code.split("```")[1].removeprefix("json")
        lines.append(
            {
                "key": request_key(f"{INSTRUCTIONS}\n{problem.prompt}", [picture]),
                "completion": VARIANTS[described.format].format(code=code, number=number),
            }
        )
    for subset, records in rows.items():
        (folder / subset).mkdir(parents=True)
        pq.write_table(pa.Table.from_pylist(records), folder / subset / "validation.parquet")
    return lines


def _with_own_pixel(png: bytes, number: int) -> bytes:
    image = Image.open(io.BytesIO(png)).convert("RGB")
    image.putpixel((0, 0), (255, 255 - number % 8, 255 - number // 8 % 256))
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


def _run(domain: str, folder: Path) -> float:
    entry = f"{domain}:source={folder / domain},model=structext/replay-many"
    threads = str(len(os.sched_getaffinity(0)))
    command = ["helm-run", "--suite", "s", "--exit-on-error", "--max-eval-instances", "100000"]
    start = time.monotonic()
    finished = subprocess.run(
        [*command, "--num-threads", threads, "-r", entry],
        cwd=folder, capture_output=True, text=True,
    )  # fmt: skip
    if finished.returncode:
        sys.exit(f"{entry} failed:\n{finished.stderr[-4000:]}")
    return time.monotonic() - start


if __name__ == "__main__":
    os.environ["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 300)
