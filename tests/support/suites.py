"""Suites with the scores of made-up runs."""

import json
from pathlib import Path
from typing import Any


def suite(folder: Path, runs: dict[str, Any], seconds: float = 1.0) -> str:
    """Writes the scores of runs as HELM does; None: a metric without a value."""
    for run, instances in runs.items():
        entries = [
            {
                "instance_id": instance,
                "train_trial_index": 0,
                "stats": [
                    {"name": {"name": name, "split": "test"}, "count": int(score is not None)}
                    | ({} if score is None else {"mean": score})
                    for name, score in {"inference_runtime": seconds, **scores}.items()
                ],
            }
            for instance, scores in instances.items()
        ]
        (folder / run).mkdir(parents=True)
        (folder / run / "per_instance_stats.json").write_text(json.dumps(entries))
    return str(folder)
