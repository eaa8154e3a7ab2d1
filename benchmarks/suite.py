"""Writes a suite of any size, as helm-run would: made-up models, scores and pictures, all different.

    python benchmarks/suite.py --models 20 --instances 5000 -o FOLDER

The answers are those of the small suite of the tests, over and over, each with an id, a score and a
picture of its own. Models differ in what they score, so that some can be told apart and some can't.
The suite is `benchmark_output/runs/made` in the folder.
"""

import argparse
import json
import zlib
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np

TEMPLATES = Path(__file__).parents[1] / "tests" / "golden" / "suite" / "benchmark_output" / "runs"
TEMPLATE = "structext_replay-careless"
FILES = ("run_spec", "scenario_state", "per_instance_stats")
SUITE = Path("benchmark_output", "runs", "made")
SIZE = (60, 160)
"""Height and width of the pictures."""
FAILING = 0.1
"""Share of answers that don't render."""


def main() -> None:
    """Writes the suite that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--models", type=int, default=20)
    parser.add_argument("--instances", type=int, default=5000, help="of each model")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FOLDER")
    options = parser.parse_args()
    write_suite(options.output, options.models, options.instances)


def write_suite(folder: Path, models: int, instances: int) -> Path:
    """Writes a suite and its pictures.

    Args:
        folder: where HELM would have run.
        models: their number.
        instances: of each model, in all benchmarks together.

    Returns:
        The suite's folder.
    """
    templates = list(_templates())
    shares = [number.size for number in np.array_split(np.arange(instances), len(templates))]
    for name, run in templates:
        for number in range(models):
            model = f"made/model-{number:02}"
            target = folder / SUITE / name.replace(TEMPLATE, model.replace("/", "_"))
            count = shares[[n for n, _ in templates].index(name)]
            _write_run(target, run, model, number, count)
    return folder / SUITE


def _templates() -> Iterator[tuple[str, dict[str, Any]]]:
    for folder in sorted(TEMPLATES.glob(f"*/*model={TEMPLATE}")):
        yield (
            folder.name,
            {
                file: json.loads((folder / f"{file}.json").read_text(encoding="utf-8"))
                for file in FILES
            },
        )


def _write_run(folder: Path, run: dict[str, Any], model: str, number: int, count: int) -> None:
    root = folder.parents[3]
    kind = zlib.crc32(folder.name.partition("model=")[0].encode())
    spec = deepcopy(run["run_spec"])
    spec["name"] = spec["name"].replace(TEMPLATE, model)
    spec["adapter_spec"] |= {"model": model, "model_deployment": model}
    templates = run["scenario_state"]["request_states"]
    stats: dict[str, list[dict[str, Any]]] = {}
    for entry in run["per_instance_stats"]:
        stats.setdefault(entry["instance_id"], []).extend(entry["stats"])
    # What makes an instance hard is the same for all models.
    hardness = np.random.default_rng(kind).normal(0, 0.2, count)
    noise = np.random.default_rng([kind, number]).normal(0, 0.1, count)
    scores = np.clip(0.8 - 0.01 * number + hardness + noise, 0, 1)
    fails = np.random.default_rng([kind, number, 1]).random(count) < FAILING
    states, entries = [], []
    for place in range(count):
        state = deepcopy(templates[place % len(templates)])
        old = state["instance"]["id"]
        key = f"{kind:08x}{place:08x}"
        state["instance"]["id"] = _new_id(old, place)
        state["result"]["completions"][0]["text"] += f"\n% {key} {number}"
        _place_pictures(state, root, key, number)
        rendering = state["annotations"].get("rendering")
        failed = bool(rendering) and bool(fails[place])
        if failed:
            rendering[0] = {"kind": "syntax", "error": f"syntax: line {place} is wrong"}
        states.append(state)
        entries.append(
            {
                "instance_id": state["instance"]["id"],
                "train_trial_index": 0,
                "stats": _scored(stats[old], float(scores[place]), failed),
            }
        )
    folder.mkdir(parents=True)
    contents = (spec, {**run["scenario_state"], "request_states": states}, entries)
    for file, content in zip(FILES, contents, strict=True):
        (folder / f"{file}.json").write_text(json.dumps(content, indent=2), encoding="utf-8")


def _new_id(old: str, place: int) -> str:
    """Ids of MMR end in a number; StructEval's begin with the code of their task."""
    if old.isdigit():
        return f"{old[:4]}{place:06}"
    return f"{old.rpartition('-')[0]}-{place}"


def _place_pictures(state: dict[str, Any], root: Path, key: str, number: int) -> None:
    """Writes the pictures of an answer, those of the instance once."""
    names: dict[str, str] = {}

    def replace(value: Any, drawn: bool) -> None:
        if isinstance(value, list):
            for item in value:
                replace(item, drawn)
        elif isinstance(value, dict):
            if "location" in value:
                old = value["location"]
                own = drawn and "/render/" in old
                digits = f"{number:04x}{key}" if own else f"ffff{key}"
                name = names.setdefault(old, f"{old.rpartition('/')[0]}/{digits:0>64}.png")
                value["location"] = name
                _write_picture(root / name, int(key, 16) + (number + 1 if own else 0))
            for item in value.values():
                replace(item, drawn)

    replace(state["instance"], False)
    replace(state["request"], False)
    replace(state["annotations"], True)


def _write_picture(path: Path, seed: int) -> None:
    if path.exists():
        return
    from PIL import Image

    path.parent.mkdir(parents=True, exist_ok=True)
    blocks = np.random.default_rng(seed).integers(0, 2, (6, 16), dtype=np.uint8) * 255
    pixels = np.kron(blocks, np.ones((SIZE[0] // 6, SIZE[1] // 16), np.uint8))
    Image.fromarray(pixels).convert("RGB").save(path, compress_level=1)


def _scored(stats: list[dict[str, Any]], score: float, failed: bool) -> list[dict[str, Any]]:
    found = []
    for stat in stats:
        name = stat["name"]["name"]
        if not stat["count"] or (failed and name.endswith("_rendered")):
            continue
        value = stat["mean"]
        if failed and (name == "compilation_success" or "similarity" in name or "score" in name):
            value = 0.0
        elif name == "render_error_syntax":
            value = float(failed)
        elif "error" not in name and value not in (0.0, 1.0):
            value = score
        elif name in ("correct", "accuracy", "iou_correct", "pnls_correct_published"):
            value = float(score > 0.5)
        found.append({**stat, **dict.fromkeys(("sum", "min", "max", "mean"), value)})
    return found


if __name__ == "__main__":
    main()
