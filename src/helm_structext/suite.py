"""A finished suite of HELM runs, read back as one table of scores per instance."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from helm_structext.errors import SetupError


@dataclass(frozen=True)
class Score:
    """One metric's value of one model's answer to one instance.

    Args:
        model: name of the model, such as ``structext/oracle``.
        benchmark: the run entry's name, such as ``image2struct_latex``.
        subset: its subset, such as ``equation``.
        protocol: ``published`` or ``corrected``.
        instance: id of the instance.
        metric: name of the metric.
        value: its value; an instance without one has no `Score`.
    """

    model: str
    benchmark: str
    subset: str
    protocol: str
    instance: str
    metric: str
    value: float


def read_scores(suite: Path) -> Iterator[Score]:
    """Yields every score of a suite's finished runs of this package's benchmarks.

    Args:
        suite: a suite's folder, such as ``benchmark_output/runs/demo``.

    Raises:
        SetupError: the folder holds no finished run of this package.
    """
    found = False
    for path in sorted(suite.glob("*/per_instance_stats.json")):
        spec = _load(path.with_name("run_spec.json"))
        if not spec["scenario_spec"]["class_name"].startswith("helm_structext."):
            continue
        found = True
        arguments = spec["scenario_spec"]["args"]
        for instance in _load(path):
            for stat in instance["stats"]:
                if stat["count"]:
                    yield Score(
                        model=spec["adapter_spec"]["model"],
                        benchmark=arguments["domain"],
                        subset=stat["name"].get("sub_split", arguments["subset"]),
                        protocol=arguments["protocol"],
                        instance=instance["instance_id"],
                        metric=stat["name"]["name"],
                        value=stat["mean"],
                    )
    if not found:
        raise SetupError(f"{suite} holds no finished runs of helm-structext")


def _load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))
