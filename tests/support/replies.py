"""Replies to the questions of the samples, for models of other harnesses that answer from a list."""

from helm_structext.benchmarks import BENCHMARKS
from support.completions import read_lines

ENTRIES = (
    "image2struct_latex:source=sample",
    "image2struct_webpage:source=sample",
    "image2struct_music:source=sample",
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
            read_lines(benchmark.samples.REPLAYS / f"{model}.jsonl")
        )
    }
