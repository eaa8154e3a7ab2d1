"""What all run entries share: zero-shot prompts, and arguments that are checked.

A run entry is a line of a conf file. Every value arrives as text, except that HELM turns what looks
like a number into one.
"""

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import wraps
from inspect import signature
from typing import Any, get_args, get_type_hints

from helm_structext.data import NEWEST, source_label
from helm_structext.errors import SetupError
from helm_structext.patterns import Pattern
from helm_structext.protocols import MISSING_RULES, check_missing_rule

MULTIMODAL, TEXT = "generation_multimodal", "generation"
"""HELM's names for requests with pictures, and for those of text alone."""


@dataclass(frozen=True)
class Adapter:
    """How models are asked; names and meanings are those of HELM's `AdapterSpec`."""

    method: str
    instructions: str
    input_suffix: str
    max_tokens: int
    input_prefix: str = ""
    output_prefix: str = ""
    output_suffix: str = ""
    instance_prefix: str = "\n"
    max_train_instances: int = 0
    num_outputs: int = 1
    temperature: float = 0.0
    stop_sequences: Sequence[str] = field(default_factory=list)


@dataclass(frozen=True)
class RunDescription:
    """A run as a run entry describes it, without HELM.

    `helm_structext.helm.specs.run_spec_of` makes HELM's `RunSpec` of it.

    Args:
        name: of the run, without the model.
        benchmark: the name of its package (`helm_structext.benchmarks`).
        arguments: what the benchmark's scorer gets: a dataclass of the benchmark.
        adapter_spec: how models are asked.
        groups: the run groups of the schema.
    """

    name: str
    benchmark: str
    arguments: Any
    adapter_spec: Adapter
    groups: Sequence[str]

    @property
    def entry(self) -> str:
        """The run entry's name, such as ``mmr``."""
        return self.name.partition(":")[0]

    @property
    def all_arguments(self) -> dict[str, Any]:
        """The arguments by name; one that is None is absent."""
        return {name: value for name, value in vars(self.arguments).items() if value is not None}


RunEntry = Callable[..., RunDescription]
"""A function that describes a run by the arguments in a conf file."""

RUN_ENTRIES: dict[str, RunEntry] = {}
"""Every run entry whose module was imported, by its name."""


def run_entry(name: str, arguments_of: RunEntry | None = None) -> Callable[[RunEntry], RunEntry]:
    """Registers a run entry; an argument that it does not have is a `SetupError`.

    Args:
        name: of the run entry.
        arguments_of: the function that has its arguments, where it passes them on.

    >>> @run_entry("example")
    ... def example(source: str = "hub") -> RunDescription: ...
    >>> example(sorce="sample")
    Traceback (most recent call last):
    helm_structext.errors.SetupError: example: sorce= is unknown; did you mean source=? ...
    >>> del RUN_ENTRIES["example"]
    """

    def registered(function: RunEntry) -> RunEntry:
        parameters = signature(arguments_of or function).parameters
        known = [parameter for parameter in parameters if parameter != "name"]

        @wraps(function)
        def checked(**arguments: Any) -> RunDescription:
            unknown = next((argument for argument in arguments if argument not in known), None)
            if unknown is not None:
                (near,) = get_close_matches(unknown, known, 1, cutoff=0)
                raise SetupError(
                    f"{name}: {unknown}= is unknown; did you mean {near}=? "
                    f"The arguments are {', '.join(known)}"
                )
            return function(**arguments)

        RUN_ENTRIES[name] = checked
        return checked

    return registered


def plain_entry(name: str, record: type, adapter: Adapter) -> RunEntry:
    """Registers the run entry of a benchmark that is asked in one way, and returns it.

    A value is of its argument's type: ``str``, ``int``, ``float``, or a ``Literal`` of those that are allowed.

    Args:
        name: of the run entry, and of the benchmark's package.
        record: a dataclass of the arguments, each with its value in a run that doesn't say. Where the
            data comes from is ``source``, and of the published data its ``revision``.
        adapter: how models are asked.

    >>> from typing import Literal
    >>> @dataclass(frozen=True)
    ... class ExampleArguments:
    ...     source: str = "hub"
    ...     style: Literal["short", "long"] = "short"
    >>> example = plain_entry("example", ExampleArguments, zero_shot("", 100))
    >>> example(source="sample").name
    'example:source=sample,style=short'
    >>> example(style="wide")
    Traceback (most recent call last):
    helm_structext.errors.SetupError: example: style=wide is unknown; it is one of short, long
    >>> del RUN_ENTRIES["example"]
    """
    types = get_type_hints(record)

    def describe(**values: Any) -> RunDescription:
        arguments = record(**values)
        found = {**vars(arguments)}
        said = []
        if "source" in found:
            said = [source_arguments(name, found.pop("source"), found.pop("revision", NEWEST))]
        for argument, value in found.items():
            if allowed := get_args(types[argument]):
                check(name, argument, value, allowed)
            elif not isinstance(value, types[argument]):
                expected = types[argument].__name__
                raise SetupError(f"{name}: {argument}={value} is not of type {expected}")
            said.append(f"{argument}={value}")
        return RunDescription(f"{name}:{','.join(said)}", name, arguments, adapter, [name])

    return run_entry(name, record)(describe)


def parse_run_entry(entry: str) -> tuple[str, dict[str, Any]]:
    """Returns the name of a run entry and its arguments, as HELM reads a line of a conf file.

    Raises:
        ValueError: what should be an argument has no value.

    >>> parse_run_entry("mmr:task=font_color,limit=5")
    ('mmr', {'task': 'font_color', 'limit': 5})
    >>> parse_run_entry("mmr:task")
    Traceback (most recent call last):
    ValueError: expected NAME=VALUE, got 'task'
    """
    name, colon, rest = entry.partition(":")
    arguments: dict[str, Any] = {}
    for argument in rest.split(",") if colon else ():
        key, equals, text = argument.partition("=")
        if not equals:
            raise ValueError(f"expected NAME=VALUE, got {argument!r}")
        arguments[key] = _value(text)
    return name, arguments


def _value(text: str) -> str | int | float:
    for number in (int, float):
        with suppress(ValueError):
            return number(text)
    return text


def zero_shot(
    instructions: str, max_tokens: int, *, method: str = MULTIMODAL, input_suffix: str = ""
) -> Adapter:
    """Returns how a benchmark of this package asks: once, without examples, at temperature 0.

    Args:
        instructions: what precedes the prompt, or "".
        max_tokens: of a completion.
        method: `MULTIMODAL` or `TEXT`.
        input_suffix: what follows the prompt of text.
    """
    return Adapter(method, instructions, input_suffix, max_tokens)


def check(name: str, argument: str, value: Any, allowed: Collection[Any]) -> None:
    """Says whether a value of a run entry is allowed.

    Raises:
        SetupError: it is not; the message names the allowed ones.
    """
    if value not in allowed:
        raise SetupError(
            f"{name}: {argument}={value} is unknown; it is one of {', '.join(map(str, allowed))}"
        )


def source_arguments(name: str, source: str, revision: str) -> str:
    """Returns how the name of a run says where its data comes from.

    Args:
        name: of the run entry.
        source: ``hub``, ``sample`` or a folder.
        revision: of the published dataset; `NEWEST` goes without saying.

    Raises:
        SetupError: HELM can't have read them as they were meant, or a revision is none of the Hub's.

    >>> source_arguments("mmr", "sample", "main"), source_arguments("mmr", "hub", "refs/pr/1")
    ('source=sample', 'source=hub,revision=refs_pr_1')
    """
    _check_source(name, source)
    if revision == NEWEST:
        return f"source={source_label(source)}"
    if source != "hub":
        raise SetupError(
            f"{name}: revision={revision} is for source=hub, and source={source} has no revisions"
        )
    if not isinstance(revision, str):
        raise SetupError(
            f"{name}: HELM reads revision={revision} as a number; "
            f"write all 40 digits of the commit, or the name of a branch or tag"
        )
    if not _REVISION.fullmatch(revision) or ".." in revision:
        raise SetupError(f"{name}: revision={revision} is neither a commit nor a branch or tag")
    return f"source=hub,revision={revision.replace('/', '_')}"


def missing_argument(name: str, missing: str, protocol: str) -> str:
    """Returns how the name of a run says what comes of answers that can't be drawn for what is missing here.

    Args:
        name: of the run entry.
        missing: ``zero``, which goes without saying, or ``unscored``.
        protocol: of the run.

    Raises:
        SetupError: there is no such rule, or the protocol has another one.

    >>> missing_argument("structeval", "unscored", "corrected")
    ',missing=unscored'
    """
    check(name, "missing", missing, MISSING_RULES)
    try:
        rule = check_missing_rule(missing, protocol)
    except ValueError as error:
        raise SetupError(f"{name}: {error}") from error
    return "" if rule == "zero" else f",missing={rule}"


_REVISION = Pattern(r"[A-Za-z0-9][A-Za-z0-9._/-]*")


def _check_source(name: str, source: str) -> None:
    if not isinstance(source, str):
        raise SetupError(
            f"{name}: HELM reads source={source} as a number; write the folder as ./{source}"
        )
    if "," in source:
        raise SetupError(
            f"{name}: source={source} has a comma, at which HELM splits run entries; "
            f"rename the folder or make a link to it"
        )
