"""Rewards and completions as files say them, for what looks at a reward before and while a model is trained.

A reward is a mapping in YAML or JSON: what a completion is (``format``, ``task``, ``kind`` or ``entry``, as
`helm-structext serve` takes it) and its options. Completions are JSON lines with ``completion``, ``reference`` and,
where several are of one prompt, ``group``.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import Any

import yaml

from helm_structext.errors import SetupError
from helm_structext.rewards.base import BaseReward
from helm_structext.rewards.instances import InstanceReward
from helm_structext.rewards.mmr import MMRReward
from helm_structext.rewards.pictures import Reward
from helm_structext.rewards.references import Reference
from helm_structext.rewards.structeval import StructEvalReward
from helm_structext.storage.files import read_json_lines
from helm_structext.texts import describe_error, one_line

MAX_FILE = 100_000
"""Bytes of a file that says a reward."""
MAX_LINES = 1_000_000
"""Of a file of completions."""

REWARDS: Mapping[str, Callable[..., BaseReward]] = {
    "format": Reward,
    "task": StructEvalReward,
    "kind": MMRReward,
    "entry": InstanceReward,
}
"""What says what a completion is → the reward."""


@dataclass(frozen=True)
class RewardSample:
    """A completion of a model before or while it is trained.

    Args:
        completion: what it wrote.
        reference: as the reward takes it.
        group: what completions of one prompt share; their own line where nothing is said.
    """

    completion: str
    reference: Any
    group: str = ""


def make_reward(said: Any) -> BaseReward:
    """Returns the reward that a mapping says.

    Raises:
        ValueError: it says none.

    >>> make_reward({"format": "svg", "components": {"pixel_similarity": 1}}).lane
    'svg'
    >>> make_reward({"formats": "svg"})
    Traceback (most recent call last):
    ValueError: a reward is a mapping with one of format, task, kind, entry
    """
    if isinstance(said, Mapping) and all(isinstance(name, str) for name in said):
        names = [name for name in REWARDS if name in said]
        if len(names) == 1:
            options = {name: value for name, value in said.items() if name != names[0]}
            try:
                return REWARDS[names[0]](said[names[0]], **options)
            except TypeError as error:
                raise ValueError(one_line(str(error))) from error
    raise ValueError(f"a reward is a mapping with one of {', '.join(REWARDS)}")


def make_asked_reward(asked: Mapping[str, Any]) -> BaseReward:
    """Returns the reward of what a server is asked: an item with all options, of which those of rewards count.

    Raises:
        ValueError: it says none.

    >>> make_asked_reward({"kind": "text", "completion": "EMMA", "reference": "Emma", "seconds": 3}).lane
    'mmr_text'
    """
    kinds = [REWARDS[name] for name in asked.keys() & REWARDS.keys()]
    known = {*REWARDS, *(name for kind in kinds for name in signature(kind).parameters)}
    return make_reward({name: value for name, value in asked.items() if name in known})


def read_reward(path: Path) -> BaseReward:
    """Returns the reward that a file says.

    Raises:
        SetupError: it can't be read, or says none.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE + 1)
        if len(data) > MAX_FILE:
            raise ValueError(f"it has more than {MAX_FILE:,} bytes")
        return make_reward(yaml.safe_load(data))
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        raise SetupError(
            f"{path} says no reward: {one_line(describe_error(error), 300)}"
        ) from error


def read_samples(path: Path) -> list[RewardSample]:
    """Returns the completions of a file.

    Raises:
        SetupError: it can't be read, or a line is no completion with its reference.
    """
    samples = [
        _read_sample(path, number, line) for number, line in read_json_lines(path, MAX_LINES)
    ]
    if not samples:
        raise SetupError(f"{path} has no completions")
    return samples


def _read_sample(path: Path, number: int, line: Any) -> RewardSample:
    match line:
        case {"completion": str(completion), "reference": reference}:
            group = line.get("group")
            if group is not None and not isinstance(group, str | int):
                raise SetupError(f"line {number} of {path}: a group is a text or a number")
            # A group of its own, which no number that is said is the name of.
            named = f"line {number}" if group is None else str(group)
            return RewardSample(completion, read_reference(reference), named)
    raise SetupError(f"line {number} of {path} has no completion with its reference")


def read_reference(said: Any) -> Any:
    """Returns a reference that JSON says: code or an answer as a text, a list of keywords, or a mapping.

    >>> read_reference({"picture": "a.png", "code": "<svg/>"}).picture
    PosixPath('a.png')
    """
    match said:
        case {"picture": str(picture)}:
            return Reference(Path(picture), said.get("code"), said.get("text"))
        case {"code": str(code)}:
            return Reference(None, code, said.get("text"))
    return said
