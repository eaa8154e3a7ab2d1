"""Replies to the questions of the samples, for models of other harnesses that answer from a list."""

from pathlib import Path

from helm_structext.benchmarks import BENCHMARKS, Benchmark, run_of_entry
from helm_structext.integrations.evaluations import evaluation
from helm_structext.models.answer_index import request_key
from helm_structext.scoring.scorer import Door
from support.completions import read_lines

ENTRIES = (
    "image2struct_latex:source=sample",
    "image2struct_webpage:source=sample",
    "image2struct_music:source=sample",
    "image2struct:format=svg,source=sample",
    "mmr:source=sample,lenient=fraction",
    "structeval:source=sample,judge=none",
)
"""The samples of all benchmarks."""


def replies(model: str) -> dict[str, str]:
    """Returns the keys of all requests that HELM's runs of the samples send, with what a model wrote.

    Args:
        model: ``careful`` or ``careless``: right, wrong and broken.
    """
    return {
        line["key"]: line["completion"]
        for benchmark in BENCHMARKS
        if benchmark.samples
        for line in benchmark.samples.replay_lines(
            [line for path in _files(benchmark, model) for line in read_lines(path)]
        )
    }


def _files(benchmark: Benchmark, model: str) -> list[Path]:
    return sorted(benchmark.samples.REPLAYS.glob(f"{model}*.jsonl"))


def oracles(entry: str) -> dict[str, str]:
    """Returns the keys of all requests of a run, with the right answers.

    Args:
        entry: the run entry, such as ``image2struct:format=svg,source=sample``.
    """
    benchmark, run = run_of_entry(entry)
    right = {one.key.id: one.oracle for one in benchmark.scorer(run.arguments, Door()).inputs()}
    return {
        request_key("".join(one.texts), [one.picture.read_bytes()]): right[one.id]
        for one in evaluation(entry).questions
    }
