"""A finished suite's answers as a file of completions, and its scores beside those of `score-file`."""

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from helm_structext.benchmarks import entry_of_run
from helm_structext.results.runs import Run
from support.helm import run, suite

HELMS = {
    "batch_size",
    "inference_runtime",
    "logprob",
    "num_bytes",
    "num_completion_tokens",
    "num_output_tokens",
    "num_perplexity_tokens",
    "num_prompt_tokens",
    "num_references",
    "num_train_instances",
    "num_train_trials",
    "prompt_truncated",
    "finish_reason_length",
    "finish_reason_stop",
    "finish_reason_endoftext",
    "finish_reason_unknown",
    "max_prob",
}
"""Statistics of HELM's own, which describe its requests and no answer."""


def runs_of(folder: Path) -> Iterator[tuple[Run, list[dict[str, Any]]]]:
    """Yields the runs of the suite in a folder, each with its request states."""
    for path in sorted(suite(folder).glob("*/scenario_state.json")):
        spec = json.loads(path.with_name("run_spec.json").read_text())
        yield Run(path.parent, spec), json.loads(path.read_text())["request_states"]


def completions(folder: Path) -> list[dict[str, Any]]:
    """Returns all answers of a suite as lines of a file of completions."""
    return [
        {
            "run": ran.name,
            "entry": entry_of_run(ran),
            "instance": state["instance"]["id"],
            "model": ran.spec["adapter_spec"]["model"],
            "completion": state["result"]["completions"][0]["text"],
        }
        for ran, states in runs_of(folder)
        for state in states
    ]


def write_lines(path: Path, records: list[dict[str, Any]]) -> Path:
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    return path


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def helms_scores(folder: Path) -> dict[tuple[str, str], dict[str, float]]:
    """Returns run and instance to the statistics that HELM has for the instance."""
    found: dict[tuple[str, str], dict[str, float]] = {}
    for ran, _ in runs_of(folder):
        for entry in json.loads((ran.folder / "per_instance_stats.json").read_text()):
            values = {s["name"]["name"]: s["mean"] for s in entry["stats"] if s["count"]}
            found.setdefault((ran.name, entry["instance_id"]), {}).update(values)
    return found


def assert_scored_as_by_helm(folder: Path, *options: str) -> list[dict[str, Any]]:
    """Scores the answers of the suite in a folder by `score-file`: the same to the last bit."""
    lines = completions(folder)
    write_lines(folder / "completions.jsonl", lines)
    run(folder, "helm-structext", "score-file", "completions.jsonl", "-o", "scores.jsonl", *options)
    scored = read_lines(folder / "scores.jsonl")
    helms = helms_scores(folder)
    assert len(scored) == len(lines) == len(helms) > 0
    for line, answer in zip(lines, scored, strict=True):
        expected = helms[line["run"], line["instance"]]
        assert (answer["instance"], answer["model"]) == (line["instance"], line["model"])
        ours = {name: value for name, value in expected.items() if name not in HELMS}
        assert answer["scores"] == ours
        assert not any(math.isnan(value) for value in ours.values())
    return scored
