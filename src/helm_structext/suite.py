"""A finished suite of HELM runs, read back: one record for each answer of a model."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from helm_structext.errors import SetupError


@dataclass(frozen=True)
class Result:
    """What one model answered to one instance, and what came of it.

    Args:
        run: name of the run's folder.
        model: name of the model, such as ``structext/oracle``.
        arguments: the run entry's arguments: ``domain``, ``subset``, ``difficulty``, ``source``,
            ``protocol`` and what else changes the numbers.
        subset: the instance's own subset, also where the run's is ``all``.
        instance: id of the instance.
        difficulty: the instance's own difficulty, or "".
        date: the instance's date in ISO format, or "".
        picture: path of the input picture.
        reference_text: the structure reduced to its content, or "".
        completion: what the model wrote.
        finish_reason: why it stopped: ``stop``, ``length``, ``endoftext`` or ``unknown``.
        rendering: path of the rendered picture, or None.
        text: the rendered structure reduced to its content, or "".
        error_kind: ``syntax``, ``timeout``, ``resource`` or ``empty``, or None.
        error: the error's message, or "".
        scores: metric to value; a metric without a value is absent.
    """

    run: str
    model: str
    arguments: Mapping[str, str]
    subset: str
    instance: str
    difficulty: str
    date: str
    picture: Path
    reference_text: str
    completion: str
    finish_reason: str
    rendering: Path | None
    text: str
    error_kind: str | None
    error: str
    scores: Mapping[str, float]

    @property
    def domain(self) -> str:
        """The run entry's name, such as ``image2struct_latex``."""
        return self.arguments["domain"]

    @property
    def protocol(self) -> str:
        """``published`` or ``corrected``: tables never mix them."""
        return self.arguments["protocol"]


def read_results(suite: Path) -> Iterator[Result]:
    """Yields every answer in a suite's finished Image2Struct runs.

    Paths in a suite are relative to the folder that HELM ran in, which is taken to be the one that
    holds ``benchmark_output`` (the suite's third parent).

    Args:
        suite: a suite's folder, such as ``benchmark_output/runs/demo``.

    Raises:
        SetupError: the folder holds no finished run of this package.
    """
    root = suite.absolute().parents[2]
    found = False
    for path in sorted(suite.glob("*/per_instance_stats.json")):
        spec = _load(path.with_name("run_spec.json"))
        if not spec["scenario_spec"]["class_name"].startswith("helm_structext.scenarios.image2"):
            continue
        found = True
        scores: dict[str, dict[str, float]] = {}
        for entry in _load(path):
            values = {s["name"]["name"]: s["mean"] for s in entry["stats"] if s["count"]}
            scores.setdefault(entry["instance_id"], {}).update(values)
        for state in _load(path.with_name("scenario_state.json"))["request_states"]:
            yield _result(path.parent.name, spec, state, scores[state["instance"]["id"]], root)
    if not found:
        raise SetupError(f"{suite} holds no finished runs of helm-structext")


def _result(
    run: str, spec: dict[str, Any], state: dict[str, Any], scores: dict[str, float], root: Path
) -> Result:
    instance = state["instance"]
    output = instance["references"][0]["output"]
    extra = instance.get("extra_data", {})
    completion = state["result"]["completions"][0]
    rendering = state["annotations"]["rendering"][0]
    arguments = spec["scenario_spec"]["args"]
    return Result(
        run=run,
        model=spec["adapter_spec"]["model"],
        arguments=arguments,
        subset=instance.get("sub_split", arguments["subset"]),
        instance=instance["id"],
        difficulty=extra.get("difficulty", ""),
        date=extra.get("date", ""),
        picture=root / output["multimedia_content"]["media_objects"][0]["location"],
        reference_text=output["text"],
        completion=completion["text"],
        finish_reason=completion.get("finish_reason", {}).get("reason", "unknown"),
        rendering=root / rendering["media_object"]["location"]
        if "media_object" in rendering
        else None,
        text=rendering.get("text", ""),
        error_kind=rendering.get("kind"),
        error=rendering.get("error", ""),
        scores=scores,
    )


def _load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))
