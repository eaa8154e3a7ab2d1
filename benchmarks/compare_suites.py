"""Compares two suites of runs: every metric of every instance, run times aside.

    python benchmarks/compare_suites.py old/benchmark_output/runs/demo new/benchmark_output/runs/demo

Prints how many values of each metric are equal, and each difference; ends with status 1 if there
is one. What only one of the suites has is a difference, too.
"""

import argparse
import json
import math
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

RUN_TIME = "runtime"
"""Part of the names of HELM's metrics that no two runs share."""


class Place(NamedTuple):
    """Where a value stands: the run, the instance (and which trial of it), the metric."""

    run: str
    instance: str
    metric: str


class Difference(NamedTuple):
    place: Place
    old: Any
    new: Any


def read_suite(folder: Path) -> dict[Place, Any]:
    """Reads the mean of every metric of every instance; of a metric without a value, ``None``.

    Raises:
        SystemExit: the folder holds no finished run.
    """
    values = {}
    for path in sorted(folder.glob("*/per_instance_stats.json")):
        for entry in json.loads(path.read_text(encoding="utf-8")):
            instance = [entry["instance_id"], entry["train_trial_index"], entry.get("perturbation")]
            for stat in entry["stats"]:
                if RUN_TIME in stat["name"]["name"]:
                    continue
                others = {key: value for key, value in stat["name"].items() if key != "name"}
                metric = f"{stat['name']['name']} {json.dumps(others, sort_keys=True)}"
                values[Place(path.parent.name, json.dumps(instance), metric)] = stat.get("mean")
    if not values:
        raise SystemExit(f"{folder} holds no finished run; expected */per_instance_stats.json")
    return values


def equal(old: Any, new: Any) -> bool:
    """Whether two values are the same to the last bit, NaN included."""
    both = isinstance(old, float) and isinstance(new, float)
    return old == new or (both and math.isnan(old) and math.isnan(new))


def differences(old: dict[Place, Any], new: dict[Place, Any]) -> Iterator[Difference]:
    """Yields the places where two suites differ, in order."""
    for place in sorted(old.keys() | new.keys()):
        pair = old.get(place, "absent"), new.get(place, "absent")
        if not equal(*pair):
            yield Difference(place, *pair)


def report(old: dict[Place, Any], new: dict[Place, Any]) -> Iterator[str]:
    """Yields the lines to print: counts for each metric, the sum of them, each difference."""
    found = list(differences(old, new))
    names = {place: place.metric.partition(" ")[0] for place in old.keys() | new.keys()}
    total, different = Counter(names.values()), Counter(names[d.place] for d in found)
    width = max(map(len, total))
    yield f"{'metric':{width}}  values   equal  different"
    for name in sorted(total):
        count, wrong = total[name], different[name]
        yield f"{name:{width}}  {count:6}  {count - wrong:6}  {wrong:9}"
    runs, answers = ({place[:n] for place in names} for n in (1, 2))
    yield (
        f"{len(runs)} runs, {len(answers)} answers, {len(names)} values: "
        f"{len(names) - len(found)} equal, {len(found)} different"
    )
    for place, before, after in found:
        yield f"{place.run}\n    {place.instance} {place.metric}: {before} → {after}"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("old", type=Path, help="a folder of runs: benchmark_output/runs/SUITE")
    parser.add_argument("new", type=Path, help="another one")
    options = parser.parse_args(arguments)
    suites = read_suite(options.old), read_suite(options.new)
    print(*report(*suites), sep="\n")
    return int(any(differences(*suites)))


if __name__ == "__main__":
    sys.exit(main())
