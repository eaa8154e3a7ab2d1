"""What all run entries share: zero-shot prompts, and arguments that are checked.

A run entry is a line of a conf file. Every value arrives as text, except that HELM turns what looks
like a number into one.
"""

from collections.abc import Collection
from typing import Any

from helm.benchmark.adaptation.adapter_spec import ADAPT_GENERATION_MULTIMODAL, AdapterSpec

from helm_structext.errors import SetupError


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


def check(name: str, argument: str, value: Any, allowed: Collection[Any]) -> None:
    """Says whether a value of a run entry is allowed.

    Raises:
        SetupError: it is not; the message names the allowed ones.
    """
    if value not in allowed:
        raise SetupError(
            f"{name}: {argument}={value} is unknown; it is one of {', '.join(map(str, allowed))}"
        )


def check_source(name: str, source: str) -> None:
    """Says whether HELM can have read a run entry's source as it was meant.

    Raises:
        SetupError: it can't; the message says how to write it.
    """
    if not isinstance(source, str):
        raise SetupError(
            f"{name}: HELM reads source={source} as a number; write the folder as ./{source}"
        )
    if "," in source:
        raise SetupError(
            f"{name}: source={source} has a comma, at which HELM splits run entries; "
            f"rename the folder or make a link to it"
        )
