"""The 44 tasks of StructEval: from which type to which, and what renders the result.

Source: "StructEval: Benchmarking LLMs' Capabilities to Generate Structural Outputs", Table 7; prompt:
Table 4; type codes: the published dataset's task ids.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from helm_structext.data import NEWEST
from helm_structext.formats import FORMATS
from helm_structext.protocols import MissingRule, ProtocolName

PROMPT_SUFFIX = (
    "\n\n"
    "IMPORTANT: Only output the required output format. You must start the format/code with "
    "<|BEGIN_CODE|> and end the format/code with <|END_CODE|>. No other text output "
    "(explanation, comments, etc.) are allowed.\n"
    "\n"
    "Do not use markdown code fences"
)
"""What follows a row's query (Table 4)."""

MAX_TOKENS = 8192
"""The published runs had no limit. This is as much as several hosted models allow; HELM's
`num_output_tokens=` in a run entry changes it, and `finish_reason_length` says what was cut."""

TYPE_FORMATS = {row.structeval: format for format, row in FORMATS.items() if row.structeval}
"""Output type to the format of its answers."""

NAMES = {"text": "Text", **{type_: FORMATS[format].name for type_, format in TYPE_FORMATS.items()}}
"""Type to its name."""

_TYPES = (
    *("text", "angular", "csv", "canvas", "html", "json", "latex", "markdown", "matplotlib"),
    *("mermaid", "toml", "react", "svg", "tikz", "typst", "vega", "vue", "xml", "yaml"),
)
CODES = {type_: f"{number:02}" for number, type_ in enumerate(_TYPES)}
"""Type to its two digits in a task id: the input's come first, then the output's."""

CONVERSIONS = {
    "t_conversion": (
        ("csv", "json"),
        ("json", "csv"),
        ("xml", "json"),
        ("json", "xml"),
        ("yaml", "json"),
        ("json", "yaml"),
        ("xml", "csv"),
        ("csv", "xml"),
        ("xml", "yaml"),
        ("yaml", "xml"),
        ("yaml", "csv"),
        ("toml", "json"),
        ("csv", "yaml"),
        ("toml", "yaml"),
    ),
    "v_conversion": (
        ("matplotlib", "tikz"),
        ("markdown", "html"),
        ("html", "react"),
        ("react", "html"),
        ("vue", "html"),
        ("html", "vue"),
        ("markdown", "react"),
        ("html", "angular"),
        ("markdown", "vue"),
        ("vue", "react"),
        ("markdown", "angular"),
        ("react", "angular"),
    ),
}

LABELS = {
    "t_generation": "T generation",
    "t_conversion": "T conversion",
    "v_generation": "V generation",
    "v_conversion": "V conversion",
}
"""Subset to its header."""

SUBSETS = tuple(LABELS)


class StructEvalTask(NamedTuple):
    """One of the 44 tasks.

    Args:
        input: type of what is given, a key of `NAMES`; ``text`` when something is generated.
        output: type of what is asked for, a key of `TYPE_FORMATS`.
        subset: one of `SUBSETS`.
    """

    input: str
    output: str
    subset: str

    @property
    def format(self) -> str:
        """The format that completions are in, a key of `helm_structext.formats.FORMATS`."""
        return TYPE_FORMATS[self.output]

    @property
    def rendered(self) -> bool:
        """Whether completions become pictures (StructEval-V)."""
        return FORMATS[self.format].rendered

    @property
    def name(self) -> str:
        """The name in the published dataset.

        >>> TASKS["text_to_json"].name, TASKS["yaml_to_xml"].name
        ('Text to JSON', 'Convert YAML to XML')
        """
        verb = "" if self.input == "text" else "Convert "
        return f"{verb}{NAMES[self.input]} to {NAMES[self.output]}"


def _tasks() -> Iterator[StructEvalTask]:
    for output, format in TYPE_FORMATS.items():
        yield StructEvalTask(
            "text", output, "v_generation" if FORMATS[format].rendered else "t_generation"
        )
    for subset, pairs in CONVERSIONS.items():
        for pair in pairs:
            yield StructEvalTask(*pair, subset)


TASKS = {
    f"{task.input}_to_{task.output}": task
    for subset in SUBSETS
    for task in _tasks()
    if task.subset == subset
}
"""Name to task, subset by subset in the order of Table 7."""

TASK_NAMES = {name: f"{NAMES[task.input]} → {NAMES[task.output]}" for name, task in TASKS.items()}
"""The tasks in words."""


def task_slug(task_name: str) -> str:
    """Returns the key in `TASKS` that a name in the published dataset stands for, if there is one.

    >>> task_slug("Convert YAML to XML"), task_slug("Text to Tikz")
    ('yaml_to_xml', 'text_to_tikz')
    """
    return "_".join(task_name.lower().removeprefix("convert ").split())


def tasks_of(task: str, subset: str) -> list[str]:
    """Returns the tasks that a run entry asks for.

    Args:
        task: a key of `TASKS`, or ``all``.
        subset: ``t_generation`` and its like, or ``all``.

    >>> tasks_of("all", "t_generation")
    ['text_to_json', 'text_to_csv', 'text_to_toml', 'text_to_xml', 'text_to_yaml']
    >>> tasks_of("text_to_csv", "all"), len(tasks_of("all", "all"))
    (['text_to_csv'], 44)
    """
    return [
        name
        for name, kind in TASKS.items()
        if task in ("all", name) and subset in ("all", kind.subset)
    ]


@dataclass(frozen=True)
class StructEvalArguments:
    """What describes a run; `helm_structext.structeval.run_specs.structeval` says what values mean.

    Without a judge, and where nothing is rendered, `judge` is None. Where what can't be drawn for what is
    missing scores 0, `missing` is None.
    """

    task: str
    subset: str
    source: str
    protocol: ProtocolName
    revision: str = NEWEST
    judge: str | None = None
    missing: MissingRule | None = None

    @property
    def tasks(self) -> list[str]:
        """Keys of `TASKS`."""
        return tasks_of(self.task, self.subset)


def prompt_of(query: str) -> str:
    """Returns the text that a model gets.

    >>> print(prompt_of("Please output JSON code.").splitlines()[-1])
    Do not use markdown code fences
    """
    return query + PROMPT_SUFFIX


def blank_answer(format: str) -> str:
    """Returns an answer that says nothing: the tags around a blank page or an empty structure.

    >>> blank_answer("json")
    '<|BEGIN_CODE|>\\n{}\\n<|END_CODE|>'
    """
    return f"<|BEGIN_CODE|>\n{FORMATS[format].blank}\n<|END_CODE|>"
