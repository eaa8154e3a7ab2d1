"""Builds the embedded StructEval sample from the sources under `samples/structeval/`.

    .venv/bin/python scripts/build_structeval_sample.py

A folder there is one subject: a `subject.yaml`, and the same content in some of the types of
StructEval, each in a file that is called by its type (`react.jsx`, `vega.json`). A row turns one of
them into another one, or asks for one in words. The completions of the two imaginary models follow
from the sources too: the careful one makes one of the subject's small mistakes in each answer; the
careless one breaks its code in one of the ways of `faults.yaml`, or breaks the rules of the prompt.
The same sources give the same bytes.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

import pyarrow as pa
import pyarrow.parquet as pq
import yaml

from helm_structext.data.sources import SAMPLES
from helm_structext.storage.cache import write_atomically
from helm_structext.structeval.tasks import CODES, NAMES, TASKS, StructEvalTask

SOURCES = Path(__file__).resolve().parent.parent / "samples" / "structeval"
FOLDER = SAMPLES / "structeval"
BEGIN, END = "<|BEGIN_CODE|>", "<|END_CODE|>"

# The published columns, and the one that only the offline oracle reads.
SCHEMA = pa.schema(
    {
        "task_id": pa.string(),
        "query": pa.string(),
        "feature_requirements": pa.string(),
        "task_name": pa.string(),
        "input_type": pa.string(),
        "output_type": pa.string(),
        "query_example": pa.string(),
        "VQA": pa.list_(pa.struct({"question": pa.string(), "answer": pa.string()})),
        "raw_output_metric": pa.list_(pa.string()),
        "rendering": pa.bool_(),
        "oracle_structure": pa.string(),
    }
)

# What a conversion to or from a type of text has to keep to, so that one answer is right. `{list}`
# is the list whose entries are the lines of a table.
INPUT_RULES = {
    "csv": "Every line becomes one entry of the list {list}, and a dot in the name of a column "
    "stands for one level of nesting.",
    "xml": "The root element is kept as the outermost key, an attribute becomes a key that begins "
    "with @, and elements that are repeated become one list.",
}
OUTPUT_RULES = {
    "csv": "Every entry of the list {list} becomes one line below a header. Nested names are "
    "joined by dots, such as outer.inner.",
    "xml": "The outermost key becomes the root element, a list becomes repeated elements, and a "
    "key that begins with @ becomes an attribute.",
}
KEEP_NAMES = "Keep all names, values and levels as they are."
KEEP_PAGE = "Keep all texts, their order and structure, and the look where the input gives one."


class Facts(TypedDict, total=False):
    """What ``subject.yaml`` says, as far as it is read."""

    rows: list[str]
    slips: list[list[str]]
    task: str
    requirements: dict[str, list[str]]
    paths: list[str]
    headers: list[str]
    keywords: list[str]
    format_keywords: dict[str, list[str]]
    vqa: list[dict[str, str]]


@dataclass(frozen=True)
class Subject:
    """One folder of sources."""

    name: str
    facts: Facts
    codes: dict[str, str]

    def metric(self, task: StructEvalTask) -> list[str]:
        """The dot paths or keywords of a row."""
        if task.rendered:
            extra = self.facts.get("format_keywords", {})
            return self.facts["keywords"] + extra.get(task.output, [])
        if task.output == "csv":
            return [f"csv::{header}" for header in self.facts["headers"]]
        return self.facts["paths"]

    def requirements(self, task: StructEvalTask) -> str:
        """What a row that gives no input asks for, point by point; else nothing."""
        if task.input != "text":
            return ""
        points = self.facts["requirements"]
        chosen = [*points.get("all", []), *points.get(task.output, [])]
        return "\n".join(f"{number}. {point}" for number, point in enumerate(chosen, 1))

    def query(self, task: StructEvalTask) -> str:
        """What the model is asked."""
        name = NAMES[task.output]
        if task.input == "text":
            return (
                f"Please output {name} code.\n\nTask:\n{self.facts['task']}\n\n"
                f"Feature Requirements:\n{self.requirements(task)}"
            )
        rules = (INPUT_RULES.get(task.input), OUTPUT_RULES.get(task.output))
        kept = KEEP_PAGE if task.rendered else KEEP_NAMES
        path = next((p.split("[")[0] for p in self.facts.get("paths", []) if "[" in p), "")
        wish = " ".join(rule for rule in (*rules, kept) if rule).replace("{list}", path)
        return (
            f"Please output {name} code.\n\nTask:\nConvert the {NAMES[task.input]} code below to "
            f"{name}. {wish}\n\n<code>\n{self.codes[task.input]}</code>"
        )


@dataclass(frozen=True)
class Sample:
    """One row to be built.

    Args:
        subject: what it is about.
        task: what is asked for.
        task_id: the six digits.
        number: its place among the rows with the same type of output, from 0.
        variant: its place among the rows of the subject, from 0.
    """

    subject: Subject
    task: StructEvalTask
    task_id: str
    number: int
    variant: int

    @property
    def code(self) -> str:
        return self.subject.codes[self.task.output]

    def record(self) -> dict[str, Any]:
        """The row of the published schema."""
        vqa = self.subject.facts["vqa"] if self.task.rendered else []
        return {
            "task_id": self.task_id,
            "query": self.subject.query(self.task),
            "feature_requirements": self.subject.requirements(self.task),
            "task_name": self.task.name,
            "input_type": NAMES[self.task.input],
            "output_type": NAMES[self.task.output],
            "query_example": "",
            "VQA": [{"question": v["question"], "answer": v["answer"]} for v in vqa],
            "raw_output_metric": self.subject.metric(self.task),
            "rendering": self.task.rendered,
            "oracle_structure": tagged(self.code),
        }

    def careful(self) -> str:
        """The code with the one of the subject's slips whose turn it is, of those that apply."""
        slips = self.subject.facts["slips"]
        made = [self.code.replace(right, wrong) for right, wrong in slips if right in self.code]
        return tagged(made[self.variant % len(made)])

    def careless(self) -> str:
        """The code broken, or the rules of the prompt, turn by turn."""
        faults = read_faults().get(self.task.output, {})
        broken = [tagged(code) for code in broken_codes(self.code, faults).values()]
        unruly = [manner(self.code, self.task.output) for manner in MANNERS]
        if not broken:
            return unruly[self.number % len(unruly)]
        kind = broken if self.number % 2 == 0 else unruly
        return kind[self.number // 2 % len(kind)]


def tagged(code: str) -> str:
    return f"{BEGIN}\n{code}{END}"


# How careless models break the rules of the prompt.
MANNERS: tuple[Callable[[str, str], str], ...] = (
    # The limit on tokens, or a loss of interest.
    lambda code, type_: f"{BEGIN}\n{code[: len(code) * 3 // 5]}",
    lambda code, type_: f"```{type_}\n{code}```",
    lambda code, type_: (
        f"Sure, here is the {NAMES[type_]} code you asked for:\n\n{tagged(code)}\n\n"
        "Let me know if you would like me to change anything!"
    ),
    lambda code, type_: f"{BEGIN}\n{code}|<|END_CODE|>",
    lambda code, type_: tagged(""),
    lambda code, type_: f"Of course! In {NAMES[type_]} this is:\n\n{code}\nI hope this helps.",
    lambda code, type_: f"I am sorry, but I can't show {NAMES[type_]} code here.",
)


def broken_codes(code: str, faults: dict[str, list[str]]) -> dict[str, str]:
    """Returns what faults make of a code, by their names; those that change nothing are left out.

    >>> broken_codes("<b>a</b>", {"open": ["</b>", ""], "bare": ["&amp;", "&"]})
    {'open': '<b>a'}
    """
    broken = {
        name: re.sub(pattern, replacement, code, count=1, flags=re.MULTILINE)
        for name, (pattern, replacement) in faults.items()
    }
    return {name: result for name, result in broken.items() if result != code}


def read_faults() -> dict[str, dict[str, list[str]]]:
    """Returns the faults by type of output."""
    faults: dict[str, dict[str, list[str]]] = yaml.safe_load(
        (SOURCES / "faults.yaml").read_text("utf-8")
    )
    return faults


def read_subjects() -> list[Subject]:
    """Returns the subjects in the order of their names."""
    return [
        Subject(
            folder.name,
            yaml.safe_load((folder / "subject.yaml").read_text("utf-8")),
            {p.stem: p.read_text("utf-8") for p in sorted(folder.iterdir()) if p.stem in NAMES},
        )
        for folder in sorted(path for path in SOURCES.iterdir() if path.is_dir())
    ]


def read_samples() -> Iterator[Sample]:
    """Yields the rows, task by task in the order of the paper."""
    subjects = read_subjects()
    outputs: Counter[str] = Counter()
    for slug, task in TASKS.items():
        chosen = [subject for subject in subjects if slug in subject.facts["rows"]]
        for place, subject in enumerate(chosen):
            task_id = f"{CODES[task.input]}{CODES[task.output]}{place:02}"
            variant = subject.facts["rows"].index(slug)
            yield Sample(subject, task, task_id, outputs[task.output], variant)
            outputs[task.output] += 1


def parquet(records: list[dict[str, Any]]) -> bytes:
    """Returns rows as a parquet file."""
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist(records, SCHEMA), sink, compression="zstd")
    data: bytes = sink.getvalue().to_pybytes()
    return data


def replay(samples: list[Sample], completion: Callable[[Sample], str]) -> bytes:
    """Returns the completions of a made-up model as a JSONL file."""
    lines = ({"instance": s.task_id, "completion": completion(s)} for s in samples)
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode()


def build() -> dict[Path, bytes]:
    """Returns the files of the sample: path to content."""
    samples = list(read_samples())
    return {
        FOLDER / "train.parquet": parquet([sample.record() for sample in samples]),
        FOLDER / "replay" / "careful.jsonl": replay(samples, Sample.careful),
        FOLDER / "replay" / "careless.jsonl": replay(samples, Sample.careless),
    }


def main() -> None:
    """Writes the sample and the replays."""
    for path, data in build().items():
        write_atomically(path, data)
        print(f"{len(data):>9,} bytes in {path}")


if __name__ == "__main__":
    main()
