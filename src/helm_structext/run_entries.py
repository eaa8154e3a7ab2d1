"""What all run entries share: zero-shot prompts, and arguments that are checked.

A run entry is a line of a conf file. Every value arrives as text, except that HELM turns what looks
like a number into one.
"""

from collections.abc import Callable, Collection, Sequence
from difflib import get_close_matches
from functools import wraps
from inspect import signature
from typing import Any

from helm.benchmark.adaptation.adapter_spec import ADAPT_GENERATION_MULTIMODAL, AdapterSpec
from helm.benchmark.annotation.annotator import AnnotatorSpec
from helm.benchmark.metrics.common_metric_specs import get_basic_metric_specs
from helm.benchmark.metrics.metric import MetricSpec
from helm.benchmark.run_spec import RunSpec, run_spec_function
from helm.benchmark.scenarios.scenario import ScenarioSpec

from helm_structext.data import NEWEST, source_label
from helm_structext.errors import SetupError
from helm_structext.patterns import Pattern

Part = tuple[str, dict[str, Any]]
"""The name of a class with its module, and what that gets."""


RunEntry = Callable[..., RunSpec]
"""A function that makes a run of the arguments in a conf file."""


def run_entry(name: str, arguments_of: RunEntry | None = None) -> Callable[[RunEntry], RunEntry]:
    """Registers a run entry with HELM; an argument that it does not have is a `SetupError`.

    Args:
        name: of the run entry.
        arguments_of: the function that has its arguments, where it passes them on.

    >>> @run_entry("example")
    ... def example(source: str = "hub") -> RunSpec: ...
    >>> example(sorce="sample")
    Traceback (most recent call last):
    helm_structext.errors.SetupError: example: sorce= is unknown; did you mean source=? ...
    """

    def registered(function: RunEntry) -> RunEntry:
        parameters = signature(arguments_of or function).parameters
        known = [parameter for parameter in parameters if parameter != "name"]

        @run_spec_function(name)
        @wraps(function)
        def checked(**arguments: Any) -> RunSpec:
            unknown = next((argument for argument in arguments if argument not in known), None)
            if unknown is not None:
                (near,) = get_close_matches(unknown, known, 1, cutoff=0)
                raise SetupError(
                    f"{name}: {unknown}= is unknown; did you mean {near}=? "
                    f"The arguments are {', '.join(known)}"
                )
            return function(**arguments)

        return checked

    return registered


def zero_shot(
    instructions: str,
    max_tokens: int,
    *,
    method: str = ADAPT_GENERATION_MULTIMODAL,
    input_suffix: str = "",
) -> AdapterSpec:
    """Returns how a benchmark of this package asks: once, without examples, at temperature 0.

    Args:
        instructions: what precedes the prompt, or "".
        max_tokens: of a completion.
        method: HELM's name for requests with pictures, or for those of text alone.
        input_suffix: what follows the prompt of text.
    """
    return AdapterSpec(
        method=method,
        instructions=instructions,
        input_prefix="",
        input_suffix=input_suffix,
        output_prefix="",
        output_suffix="",
        instance_prefix="\n",
        max_train_instances=0,
        num_outputs=1,
        max_tokens=max_tokens,
        temperature=0.0,
        stop_sequences=[],
    )


def render_annotator(format: str | None, protocol: str) -> Part:
    """Returns what renders or parses completions, in a format or in each instance's own."""
    arguments = {"format": format, "protocol": protocol}
    return "helm_structext.helm_adapters.RenderAnnotator", arguments


def run_spec(
    name: str,
    *,
    scenario: Part,
    adapter_spec: AdapterSpec,
    annotators: Sequence[Part],
    metric: Part,
    groups: list[str],
) -> RunSpec:
    """Returns a run with the benchmark's metric and those that HELM has for all.

    Args:
        name: of the run, without the model.
        scenario: its class, and what that gets.
        adapter_spec: how models are asked.
        annotators: the same of what looks at completions, one after the other.
        metric: the same of the benchmark's own metric.
        groups: the run groups of the schema.
    """
    return RunSpec(
        name=name,
        scenario_spec=ScenarioSpec(*scenario),
        adapter_spec=adapter_spec,
        annotators=[AnnotatorSpec(*annotator) for annotator in annotators],
        metric_specs=[MetricSpec(*metric), *get_basic_metric_specs([])],
        groups=groups,
    )


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
