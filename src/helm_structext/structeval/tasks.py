"""The 44 tasks of StructEval: from which type to which, and what draws the result.

Source: "StructEval: Benchmarking LLMs' Capabilities to Generate Structural Outputs", Table 7; prompt:
Table 4; type codes: the published dataset's task ids.
"""

from collections.abc import Iterator
from typing import NamedTuple

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

NAMES = {
    "text": "Text",
    "angular": "Angular",
    "csv": "CSV",
    "canvas": "Canvas",
    "html": "HTML",
    "json": "JSON",
    "latex": "LaTeX",
    "markdown": "Markdown",
    "matplotlib": "Matplotlib",
    "mermaid": "Mermaid",
    "toml": "TOML",
    "react": "React",
    "svg": "SVG",
    "tikz": "TikZ",
    "typst": "Typst",
    "vega": "Vega",
    "vue": "Vue",
    "xml": "XML",
    "yaml": "YAML",
}
"""Type to its name, in the order of the type codes."""

CODES = {type_: f"{number:02}" for number, type_ in enumerate(NAMES)}
"""Type to its two digits in a task id: the input's come first, then the output's."""

FORMATS: dict[str, str | None] = {
    **dict.fromkeys(("json", "csv", "toml", "xml", "yaml")),
    "angular": "angular",
    "canvas": "canvas",
    "html": "html",
    "latex": "latex_document",
    "markdown": "markdown",
    "matplotlib": "matplotlib",
    "mermaid": "mermaid",
    "react": "react",
    "svg": "svg",
    "tikz": "tikz",
    "typst": "typst",
    "vega": "vega",
    "vue": "vue",
}
"""Output type to the renderer's format, or None for the five formats of text (StructEval-T)."""

TEXT_FORMATS = tuple(type_ for type_, format in FORMATS.items() if format is None)
"""The output types that have no picture, which are their own formats."""

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

SUBSETS = ("t_generation", "t_conversion", "v_generation", "v_conversion")


class Task(NamedTuple):
    """One of the 44 tasks.

    Args:
        input: type of what is given, a key of `NAMES`; ``text`` when something is generated.
        output: type of what is asked for, a key of `FORMATS`.
        subset: one of `SUBSETS`.
    """

    input: str
    output: str
    subset: str

    @property
    def format(self) -> str:
        """The format that completions are in: the renderer's, or the type of text."""
        return FORMATS[self.output] or self.output

    @property
    def rendered(self) -> bool:
        """Whether completions become pictures (StructEval-V)."""
        return FORMATS[self.output] is not None

    @property
    def name(self) -> str:
        """The name in the published dataset.

        >>> TASKS["text_to_json"].name, TASKS["yaml_to_xml"].name
        ('Text to JSON', 'Convert YAML to XML')
        """
        verb = "" if self.input == "text" else "Convert "
        return f"{verb}{NAMES[self.input]} to {NAMES[self.output]}"


def _tasks() -> Iterator[Task]:
    for output, format in FORMATS.items():
        yield Task("text", output, "t_generation" if format is None else "v_generation")
    for subset, pairs in CONVERSIONS.items():
        for pair in pairs:
            yield Task(*pair, subset)


TASKS = {
    f"{task.input}_to_{task.output}": task
    for subset in SUBSETS
    for task in _tasks()
    if task.subset == subset
}
"""Name to task, subset by subset in the order of Table 7."""


def task_slug(task_name: str) -> str:
    """Returns the key in `TASKS` that a name in the published dataset stands for, if there is one.

    >>> task_slug("Convert YAML to XML"), task_slug("Text to Tikz")
    ('yaml_to_xml', 'text_to_tikz')
    """
    return "_".join(task_name.lower().removeprefix("convert ").split())


def tasks_of(task: str, subset: str) -> list[str]:
    """Returns the tasks that a run entry asks for.

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


def prompt_of(query: str) -> str:
    """Returns the text that a model gets.

    >>> print(prompt_of("Please output JSON code.").splitlines()[-1])
    Do not use markdown code fences
    """
    return query + PROMPT_SUFFIX
