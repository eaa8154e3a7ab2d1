"""A finished suite of HELM runs, read back: one record for each answer of a model."""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from helm_structext.errors import SetupError

# Someone declines in the first person ("I cannot …", "I'm unable to …") …
_DECLINING = r"""
    \b (?-i:I) \b [^.!?\n]{0,30}?
    (?: \b (?: can(?:not|'t|\ not) | won't | will\ not | could(?:n't|\ not) ) \b
      | \b (?:unable|not\ able|not\ allowed|not\ permitted) \ to \b
      | \b (?:don't|do\ not) \ have\ the\ (?:ability|capability|capacity) \ to \b
      | \b (?:must|have\ to) \ (?:decline|refuse) \b )"""
# … to do what was asked for here, or to look at the picture.
_ASKED = r"""
    \b (?: assist | help | comply | fulfil+ | provide | generate | produce | create | recreate
      | reproduce | replicate | transcribe | convert | write | render | view | see | access | open
      | read | process | analy[sz]e | identify | interpret
      | requests? | images? | pictures? | copyright | copyrighted ) \b"""
_REFUSAL = re.compile(rf"{_DECLINING} [^.!?\n]{{0,80}}? {_ASKED}", re.IGNORECASE | re.VERBOSE)
_CODE = re.compile(r"[\\{}<>$`]")
_OPENING = 300

POOLED = frozenset({"domain", "subset", "difficulty", "source"})
"""Arguments that say which instances a run has; tables may pool over their values."""

DEFAULTS = {"perturbation": "none", "wording": "default"}
"""Values of arguments that leave a run as it is without the argument."""


def is_refusal(completion: str) -> bool:
    r"""Says whether a completion does nothing but decline, judged cautiously.

    It is one if its first 300 characters say in the first person, in English, that the writer
    can't or won't do what was asked or look at the picture, and there is no sign of code anywhere
    (backslashes, braces, angle brackets, dollars, backticks). So an apology followed by code is an
    answer, an answer in another language never counts, and neither does an empty one.

    >>> is_refusal("I’m sorry, but I can’t assist with reproducing copyrighted sheet music.")
    True
    >>> is_refusal("I cannot read all of it, but this is close:\n```latex\n$x^2$\n```")
    False
    >>> is_refusal("Dear Ada, I am sorry that I cannot come on Sunday.")
    False
    """
    opening = completion.strip()[:_OPENING].replace("’", "'")
    return bool(_REFUSAL.search(opening)) and not _CODE.search(completion)


class Answered:
    """What an answer's completion says about itself, whatever the benchmark."""

    completion: str
    finish_reason: str
    blocked: bool
    scores: Mapping[str, float]

    @property
    def truncated(self) -> bool:
        """Whether the answer was cut at the limit of tokens."""
        return self.finish_reason == "length"

    @property
    def refused(self) -> bool:
        """Whether the model declined (`is_refusal`), or a filter of its provider did."""
        return self.blocked or is_refusal(self.completion)


@dataclass(frozen=True)
class Result(Answered):
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
        picture: path of the reference picture, which the model saw unless `seen` is another.
        reference_text: the structure reduced to its content, or "".
        completion: what the model wrote.
        finish_reason: why it stopped: ``stop``, ``length``, ``endoftext`` or ``unknown``.
        rendering: path of the rendered picture, or None.
        text: the rendered structure reduced to its content, or "".
        error_kind: ``syntax``, ``timeout``, ``resource`` or ``empty``, or None.
        error: the error's message, or "".
        scores: metric to value; a metric without a value is absent.
        blocked: whether a filter of the provider withheld the answer, which is then empty.
        seen: path of the picture that the model saw instead of the reference, made worse.
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
    blocked: bool = False
    seen: Path | None = None

    @property
    def domain(self) -> str:
        """The run entry's name, such as ``image2struct_latex``."""
        return self.arguments["domain"]

    @property
    def protocol(self) -> str:
        """``published`` or ``corrected``: tables never mix them."""
        return self.arguments["protocol"]

    @property
    def conditions(self) -> dict[str, str]:
        """What else of the run's arguments changes the numbers: tables never mix these.

        The protocol is always among them; an argument that is at its default is not.
        """
        found = {
            name: str(value)
            for name, value in self.arguments.items()
            if name not in POOLED and str(value) != DEFAULTS.get(name)
        }
        if "perturbation" not in found:
            found.pop("severity", None)
        return found


IMAGE2STRUCT = ("image2struct_latex", "image2struct_webpage", "image2struct_music")


def read_results(suite: Path) -> Iterator[Result]:
    """Yields every answer in a suite's finished Image2Struct runs, if it has any.

    Paths in a suite are relative to the folder that HELM ran in, which is taken to be the one that
    holds ``benchmark_output`` (the suite's third parent).

    Args:
        suite: a suite's folder, such as ``benchmark_output/runs/demo``.

    Raises:
        SetupError: a run can't be read.
    """
    root = suite.absolute().parents[2]
    for run in finished_runs(suite, IMAGE2STRUCT):
        for state, scores in run.answers():
            yield _result(run.name, run.spec, state, scores, root)


@dataclass(frozen=True)
class Run:
    """A run's folder in a suite.

    Args:
        folder: where HELM wrote it.
        spec: what is in its `run_spec.json`.
    """

    folder: Path
    spec: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.folder.name

    @property
    def entry(self) -> str:
        """The run entry's name, such as ``mmr``: it says what the run is.

        Suites outlive the code that wrote them, so nothing depends on the paths of classes.
        """
        name: str = self.spec["name"]
        return name.partition(":")[0]

    def answers(self) -> Iterator[tuple[dict[str, Any], dict[str, float]]]:
        """Yields the request state of each answer, and metric to value where it has one.

        Raises:
            SetupError: a file of the run can't be read.
        """
        scores: dict[str, dict[str, float]] = {}
        for entry in _load(self.folder / "per_instance_stats.json"):
            values = {s["name"]["name"]: s["mean"] for s in entry["stats"] if s["count"]}
            scores.setdefault(entry["instance_id"], {}).update(values)
        for state in _load(self.folder / "scenario_state.json")["request_states"]:
            yield state, scores[state["instance"]["id"]]


def finished_runs(suite: Path, entries: Collection[str]) -> Iterator[Run]:
    """Yields a suite's finished runs of some run entries.

    Args:
        suite: a suite's folder.
        entries: names of run entries, such as ``mmr``.

    Raises:
        SetupError: the description of a run can't be read.
    """
    for path in sorted(suite.glob("*/per_instance_stats.json")):
        run = Run(path.parent, _load(path.with_name("run_spec.json")))
        if run.entry in entries:
            yield run


def _result(
    run: str, spec: Mapping[str, Any], state: dict[str, Any], scores: dict[str, float], root: Path
) -> Result:
    instance = state["instance"]
    output = instance["references"][0]["output"]
    extra = instance.get("extra_data", {})
    completion = state["result"]["completions"][0]
    rendering = state["annotations"]["rendering"][0]
    arguments = spec["scenario_spec"]["args"]
    picture = output["multimedia_content"]["media_objects"][0]["location"]
    shown = instance["input"]["multimedia_content"]["media_objects"]
    (seen,) = (media["location"] for media in shown if "location" in media)
    return Result(
        run=run,
        model=spec["adapter_spec"]["model"],
        arguments=arguments,
        subset=instance.get("sub_split", arguments["subset"]),
        instance=instance["id"],
        difficulty=extra.get("difficulty", ""),
        date=extra.get("date", ""),
        picture=root / picture,
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
        blocked=not state["result"]["success"],
        seen=root / seen if seen != picture else None,
    )


def _load(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SetupError(
            f"{path} can't be read ({error}); run that entry again with helm-run"
        ) from error
