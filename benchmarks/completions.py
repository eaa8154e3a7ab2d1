"""The completions that the benchmarks render: those of the samples, right and wrong ones."""

import json
from pathlib import Path

from helm_structext.data.sources import SAMPLES as BUILT
from helm_structext.structeval.rows import load_questions
from helm_structext.structeval.tasks import TASKS

SAMPLES = Path(__file__).parent.parent / "samples"
IMAGE2STRUCT = {
    "latex": "image2struct_latex/*/*.tex",
    "webpage": "image2struct_webpage/*/*.care*.txt",
    "lilypond": "image2struct_music/*/*.ly",
}


def completions(format: str) -> list[str]:
    """All of a format, each once, in a fixed order."""
    pattern = IMAGE2STRUCT.get(format)
    if pattern:
        found = [path.read_text(encoding="utf-8") for path in SAMPLES.glob(pattern)]
    else:
        found = _structeval(format)
    return sorted(set(found))


def _structeval(format: str) -> list[str]:
    """What the oracle and the two replays answer; those of the careless one are mostly broken."""
    tasks = [name for name, task in TASKS.items() if task.format == format]
    questions = {question.id: question for question in load_questions("sample", tasks)}
    found = [question.oracle for question in questions.values() if question.oracle]
    for path in sorted((BUILT / "structeval" / "replay").glob("*.jsonl")):
        records = map(json.loads, path.read_text(encoding="utf-8").splitlines())
        found += [one["completion"] for one in records if one["instance"] in questions]
    return found
