"""The same for answers that are text: scenes as StructEval's structures, and their texts as replies to MMR's questions.

They are measured with the benchmarks' own scores, and as rewards with their guards: the measure `REWARD`.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, replace
from random import Random
from typing import Any, NamedTuple

import yaml

from helm_structext.audit.answers import AuditAnswer, find_mistaken, shorten_scene
from helm_structext.audit.cases import AuditCase
from helm_structext.audit.measure import MeasuredAnswer
from helm_structext.rewards.base import BaseReward
from helm_structext.rewards.mmr import MMRReward
from helm_structext.rewards.structeval import StructEvalReward
from helm_structext.scenes.scene import Scene

REWARD = "reward"
MAX_PATHS = 60
"""Of a structure: StructEval's questions have some 10 to 20."""
SCORES = {
    *("syntax_score", "path_score", "structeval_score", "structeval_score_published"),
    *("pnls", "pnls_published", "pnls_correct"),
}
"""Measures of the benchmarks that are shown."""


class TextFormat(NamedTuple):
    """How a scene is asked for as text.

    Args:
        write: from a scene to the right answer.
        expect: from a scene to what a reward compares with.
        reward: with the guards that it has.
        frauds: name → from a scene to an answer.
        harmless: the same of what nobody would call worse.
    """

    write: Callable[[Scene], str]
    expect: Callable[[Scene], Any]
    reward: BaseReward
    frauds: Mapping[str, Callable[[Scene], str]]
    harmless: Mapping[str, Callable[[Scene], str]]


def structure_of(scene: Scene) -> Any:
    """Returns a scene as JSON has it."""
    return json.loads(json.dumps(asdict(scene), default=str))


def find_paths(structure: Any, path: str = "") -> Iterator[str]:
    """Yields the paths of a structure's values, as StructEval writes them.

    >>> [*find_paths({"moons": [{"name": "Io"}], "year": 1610})]
    ['moons[0].name', 'year']
    """
    if isinstance(structure, Mapping):
        for name, value in structure.items():
            if name.isidentifier():
                yield from find_paths(value, f"{path}.{name}".lstrip("."))
    elif isinstance(structure, list):
        for number, value in enumerate(structure):
            yield from find_paths(value, f"{path}[{number}]")
    elif path:
        yield path


def replace_values(structure: Any, value: Any) -> Any:
    """Returns a structure with the same keys, and one value everywhere.

    >>> replace_values({"moons": [{"name": "Io"}]}, None)
    {'moons': [{'name': None}]}
    """
    if isinstance(structure, Mapping):
        return {name: replace_values(one, value) for name, one in structure.items()}
    if isinstance(structure, list):
        return [replace_values(one, value) for one in structure]
    return value


def _paths(scene: Scene) -> list[str]:
    paths = [*find_paths(structure_of(scene))]
    return paths[:: max(len(paths) // MAX_PATHS, 1)]


def _structured(task: str, dump: Callable[[Any], str], again: Callable[[Any], str]) -> TextFormat:
    def of(change: Callable[[Any], Any]) -> Callable[[Scene], str]:
        return lambda scene: dump(change(structure_of(scene)))

    return TextFormat(
        of(lambda it: it),
        _paths,
        StructEvalReward(task),
        {
            "keys with null": of(lambda it: replace_values(it, None)),
            "keys with one text": of(lambda it: replace_values(it, "text")),
            "nothing": of(lambda _: {}),
            "paths as a list": lambda scene: dump(_paths(scene)),
        },
        {"written anew": lambda scene: again(structure_of(scene))},
    )


def _longest(scene: Scene) -> str:
    return max(scene.texts, key=len, default="")


TEXT_FORMATS: Mapping[str, TextFormat] = {
    "json": _structured("text_to_json", json.dumps, lambda it: json.dumps(it, indent=4)),
    "yaml": _structured(
        "text_to_yaml", yaml.safe_dump, lambda it: yaml.safe_dump(it, sort_keys=False, indent=4)
    ),
    "reply": TextFormat(
        _longest,
        _longest,
        MMRReward("text"),
        {
            "everything as the answer": lambda scene: "\n".join(scene.texts),
            "every text three times": lambda scene: "\n".join([*scene.texts] * 3),
            "letters shuffled": lambda scene: "".join(
                Random(0).sample(_longest(scene), len(_longest(scene)))
            ),
        },
        {"in capitals": lambda scene: _longest(scene).upper()},
    ),
}
"""Format → how it is asked for."""


def measure_texts(case: AuditCase, mistakes: int) -> Iterator[MeasuredAnswer]:
    """Yields what is said of a case's scene in each of `TEXT_FORMATS`.

    Args:
        case: in any format.
        mistakes: kinds that are planted.
    """
    for name, format in TEXT_FORMATS.items():
        if not format.write(case.scene) or not format.expect(case.scene):
            continue
        of_format = replace(case, format=name, code=format.write(case.scene))
        for answer in _find_answers(of_format, format, mistakes):
            yield _measured(of_format, format, answer)


def _find_answers(case: AuditCase, format: TextFormat, mistakes: int) -> Iterator[AuditAnswer]:
    yield AuditAnswer("right", "right", case.code)
    seen = {case.code}  # not every mistake of a scene is in what is asked for
    for kind, severity, scene in find_mistaken(case, mistakes):
        if (code := format.write(scene)) not in seen:
            seen.add(code)
            yield AuditAnswer("mistake", kind, code, severity)
    half = case.code[: len(case.code) // 2]
    if case.format != "reply":
        half = format.write(shorten_scene(case))
    if half != case.code:
        yield AuditAnswer("half right", "half right", half)
    for name, make in format.harmless.items():
        yield AuditAnswer("harmless", name, make(case.scene))
    for name, make in format.frauds.items():
        yield AuditAnswer("fraud", name, make(case.scene))


def _measured(case: AuditCase, format: TextFormat, answer: AuditAnswer) -> MeasuredAnswer:
    assert isinstance(answer.fake, str)
    expected = format.expect(case.scene)
    unguarded = replace(format.reward, guards=())
    found = unguarded.measure(answer.fake, expected)
    values = {
        name: value for name, value in found.values.items() if name in SCORES and value is not None
    }
    result = format.reward(answer.fake, expected)
    failures = {REWARD: result.message} if result.score is None else {}
    if result.score is not None:
        values[REWARD] = result.score
    about = (case.name, case.kind, case.format, answer.role, answer.name, answer.severity)
    return MeasuredAnswer(*about, "", (), (), values, failures, {})
