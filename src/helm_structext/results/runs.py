"""A finished suite of HELM runs, read back: one record for each answer of a model."""

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any, TypeVar

from helm_structext.baselines import is_offline
from helm_structext.errors import MISSING, MissingResource, SetupError
from helm_structext.findings import Findings, read_findings
from helm_structext.patterns import Pattern
from helm_structext.results.json_items import json_items
from helm_structext.scoring.handling import (
    FAULTS,
    INTERNAL,
    INTERNAL_ERROR,
    UNDRAWN,
    Failure,
    handle,
)
from helm_structext.scoring.scorer import InstanceKey
from helm_structext.storage.files import read_json
from helm_structext.texts import describe_error

# Someone declines in the first person ("I cannot …", "I'm unable to …") …
_DECLINING = (
    r"\b(?-i:I)\b[^.!?\n]{0,30}?"
    r"(?:\b(?:can(?:not|'t| not)|won't|will not|could(?:n't| not))\b"
    r"|\b(?:unable|not able|not allowed|not permitted) to\b"
    r"|\b(?:don't|do not) have the (?:ability|capability|capacity) to\b"
    r"|\b(?:must|have to) (?:decline|refuse)\b)"
)
# … to do what was asked for here, or to look at the picture.
_ASKED = (
    r"\b(?:assist|help|comply|fulfil+|provide|generate|produce|create|recreate"
    r"|reproduce|replicate|transcribe|convert|write|render|view|see|access|open"
    r"|read|process|analy[sz]e|identify|interpret"
    r"|requests?|images?|pictures?|copyright|copyrighted)\b"
)
_REFUSAL = Pattern(rf"(?i){_DECLINING}[^.!?\n]{{0,80}}?{_ASKED}", ascii=True)
_CODE = "\\{}<>$`"
_OPENING = 300


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
    if any(sign in completion for sign in _CODE):
        return False
    opening = completion.strip()[:_OPENING].replace("’", "'")
    # A letter beyond ASCII belongs to its word, too.
    letters = (letter if letter.isascii() or not letter.isalnum() else "_" for letter in opening)
    return bool(_REFUSAL.search("".join(letters)))


BENCHMARK = "benchmark"
"""The argument of our scenario, and of our annotator, that names the benchmark."""


@dataclass(frozen=True)
class RequestUsage:
    """What somebody was asked for one answer; None where a suite does not say.

    Args:
        pictures: that were sent.
        input_tokens: of what was sent; those that HELM counts are of words alone.
        output_tokens: of the answer.
        requests: that it took.
    """

    pictures: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    requests: int = 1


@dataclass(frozen=True, kw_only=True)
class InstanceResult:
    """What one model answered to one instance, and what came of it, whatever the benchmark.

    Args:
        run: name of the run's folder.
        model: name of the model, such as ``structext/oracle``.
        conditions: the arguments of the run that change the numbers; tables never mix them.
        instance: id of the instance.
        completion: what the model wrote.
        finish_reason: why it stopped: ``stop``, ``length``, ``endoftext`` or ``unknown``.
        scores: metric to value; a metric without a value is absent.
        blocked: whether a filter of the provider withheld the answer, which is then empty.
        dataset: the published dataset that the instance was read from, with its commit, or "".
        prompt: the words that the model was asked with, or "" where the suite does not say.
        seconds: that the request took, or None.
        sent_pictures: how many pictures the model got, or None where the suite does not say.
        origin: the picture, paper or repository that the instance shares with others, or "" where
            it stands alone.
        error_kind: ``syntax``, ``timeout``, ``resource``, ``empty``, ``missing``, ``judge`` or
            ``internal``, or None.
    """

    run: str
    model: str
    conditions: Mapping[str, str]
    instance: str
    completion: str
    finish_reason: str
    scores: Mapping[str, float]
    blocked: bool = False
    dataset: str = ""
    prompt: str = ""
    seconds: float | None = None
    sent_pictures: int | None = None
    origin: str = ""
    error_kind: str | None = None

    @property
    def part(self) -> str:
        """The subset or task that the instance belongs to, or "" where there are none."""
        return ""

    @property
    def key(self) -> InstanceKey:
        """What tells the instance from the benchmark's others."""
        return InstanceKey(self.part, self.instance)

    @property
    def truncated(self) -> bool:
        """Whether the answer was cut at the limit of tokens."""
        return self.finish_reason == "length"

    @cached_property
    def refused(self) -> bool:
        """Whether the model declined (`is_refusal`), or a filter of its provider did."""
        return self.blocked or (not self.empty and is_refusal(self.completion))

    @property
    def empty(self) -> bool:
        """Whether there is not a word in the answer."""
        return not self.completion.strip()

    @property
    def unhandled(self) -> bool:
        """Whether a mistake of ours keeps scores from it (`helm_structext.scoring.handling`)."""
        return bool(self.scores.get(INTERNAL_ERROR))

    @property
    def usage(self) -> dict[str, RequestUsage]:
        """What the answer took, of each who was asked for it: the model first; offline ones take no tokens."""
        if is_offline(self.model):
            return {self.model: RequestUsage(self.sent_pictures)}
        usage = RequestUsage(
            self.sent_pictures,
            _token_count(self.scores.get("num_prompt_tokens"), self.prompt),
            _token_count(self.scores.get("num_output_tokens"), self.completion),
        )
        return {self.model: usage}

    @property
    def failure(self) -> str | None:
        """The kind of error, ``internal`` also where only scores failed for a mistake of ours."""
        return INTERNAL if self.unhandled else self.error_kind

    @property
    def unscored(self) -> str | None:
        """Why it has no score, or not all, for no fault of the model: a key of `FAULTS`, ``missing``, or None."""
        excused = self.failure == MISSING and self.conditions.get(MISSING) == "unscored"
        return self.failure if excused or self.failure in FAULTS else None

    @property
    def undrawn(self) -> bool:
        """Whether it can't be drawn for what is missing here, or is a blank page for it."""
        return self.error_kind == MISSING or bool(self.scores.get(UNDRAWN))

    def interpret(self) -> None:
        """Computes what is to be known of the completion, so that later nothing can fail."""
        _ = self.refused


@dataclass(frozen=True, kw_only=True)
class RenderedResult(InstanceResult):
    """An answer that is code, and what came of rendering it.

    Args:
        rendering: path of the rendered picture, or None.
        error: the error's message, or "".
        missing: what the answer asked for and did not get; suites that do not say have no score
            `MISSING_RESOURCES`.
        findings: what is wrong with the picture, where the run looked at that.
    """

    rendering: Path | None
    error: str
    missing: tuple[MissingResource, ...] = ()
    findings: Findings | None = None


AnyResult = TypeVar("AnyResult", bound=InstanceResult)


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

    @property
    def arguments(self) -> Mapping[str, Any]:
        """The benchmark's arguments."""
        arguments = {**self.spec["scenario_spec"]["args"]}
        arguments.pop(BENCHMARK, None)  # which old suites don't have
        return arguments

    @property
    def all_arguments(self) -> dict[str, Any]:
        """The arguments of all parts of the run: scenario, annotators and metrics."""
        parts = (self.spec["scenario_spec"], *self.spec["annotators"], *self.spec["metric_specs"])
        return {name: value for part in parts for name, value in part.get("args", {}).items()}

    @cached_property
    def root(self) -> Path:
        """The folder that HELM ran in, to which the paths in a suite are relative.

        It is taken to be the one that holds ``benchmark_output``.
        """
        return self.folder.absolute().parents[3]

    def results(
        self, make: Callable[[Mapping[str, Any], dict[str, Any]], AnyResult]
    ) -> Iterator[AnyResult]:
        """Yields what `make` reads of each answer.

        An answer whose completion we can't read, for a mistake of ours, is one without completion
        and scores, and `InstanceResult.unhandled`.

        Args:
            make: from the answer's request state, and the fields of an `InstanceResult` but `conditions`.

        Raises:
            SetupError: a file of the run can't be read, or is not as HELM writes it.
        """

        def read(state: Mapping[str, Any], fields: dict[str, Any]) -> AnyResult:
            result = make(state, fields)
            result.interpret()
            return result

        with read_as_helm_writes(self.folder):
            for state, fields in self._answers():
                what = f"reading of instance {fields['instance']} in {self.name}"
                result = handle(what, partial(read, state, fields))
                if isinstance(result, Failure):
                    unread = {"completion": "", "scores": {INTERNAL_ERROR: 1.0}}
                    result = make(state, {**fields, **unread})
                yield result

    def _answers(self) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
        scores: dict[str, dict[str, float]] = {}
        for entry in json_items(self.folder / "per_instance_stats.json", REMEDY):
            values = {s["name"]["name"]: float(s["mean"]) for s in entry["stats"] if s["count"]}
            known = {name: value for name, value in values.items() if math.isfinite(value)}
            scores.setdefault(entry["instance_id"], {}).update(known)
        states = self.folder / "scenario_state.json"
        for state in json_items(states, REMEDY, "request_states"):
            completion = state["result"]["completions"][0]
            reason = completion.get("finish_reason", {}).get("reason", "unknown")
            dataset = (state["instance"].get("extra_data") or {}).get("dataset", "")
            media = _media(request := state.get("request") or {})
            _check_texts(state["instance"]["id"], completion["text"], reason, dataset)
            yield (
                state,
                {
                    "run": self.name,
                    "model": self.spec["adapter_spec"]["model"],
                    "instance": state["instance"]["id"],
                    "completion": completion["text"],
                    "finish_reason": reason,
                    "scores": scores[state["instance"]["id"]],
                    "blocked": not state["result"]["success"],
                    "dataset": dataset,
                    "prompt": "\n".join(
                        filter(None, [request.get("prompt"), *(part.get("text") for part in media)])
                    ),
                    "seconds": state["result"].get("request_time") or None,
                    "sent_pictures": sum(bool(part.get("location")) for part in media)
                    if request
                    else None,
                },
            )


def _media(request: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """The words and pictures of a request, if it has pictures."""
    return (request.get("multimodal_prompt") or {}).get("media_objects") or []


def _token_count(value: float | None, text: str) -> int | None:
    """A count of HELM's, or None: where no tokenizer is known, it has 0 or 1 for any text.

    >>> _token_count(7.0, "two words"), _token_count(1.0, "two words"), _token_count(1.0, "one")
    (7, None, 1)
    """
    return None if value is None or (value < 2 and len(text.split(None, 2)) > 1) else int(value)


def conditions_of(arguments: Mapping[str, Any], pooled: Collection[str]) -> dict[str, str]:
    """Returns the arguments of a run that change its numbers, the protocol first.

    Args:
        arguments: of the run.
        pooled: names of those that only say which instances it has.

    >>> conditions_of({"source": "sample", "lenient": 1, "protocol": "published"}, {"source"})
    {'protocol': 'published', 'lenient': '1'}
    """
    protocol_first = sorted(arguments.items(), key=lambda item: (item[0] != "protocol", item[0]))
    return {name: str(value) for name, value in protocol_first if name not in pooled}


def rendering_of(state: Mapping[str, Any], root: Path) -> dict[str, Any]:
    """Returns the fields that a `RenderedResult` has more than an `InstanceResult`.

    Args:
        state: an answer's request state; without an annotation nothing was to be rendered or read.
        root: the folder that HELM ran in.
    """
    annotations = state["annotations"]
    rendering = (annotations.get("rendering") or annotations.get("reading") or [{}])[0]
    drawn = rendering.get("media_object")
    every = (item for items in annotations.values() for item in items)
    failed = next((item for item in every if item.get("kind") == INTERNAL), rendering)
    return {
        "rendering": root / drawn["location"] if drawn else None,
        "error_kind": failed.get("kind"),
        "error": failed.get("error", ""),
        "missing": tuple(MissingResource(**one) for one in rendering.get("missing", ())),
        "findings": read_findings(rendering["findings"]) if "findings" in rendering else None,
    }


def finished_runs(suite: Path, entries: Collection[str]) -> Iterator[Run]:
    """Yields a suite's finished runs of some run entries.

    Args:
        suite: a suite's folder.
        entries: names of run entries, such as ``mmr``.

    Raises:
        SetupError: the description of a run can't be read.
    """
    for path in sorted(suite.glob("*/per_instance_stats.json")):
        with read_as_helm_writes(path.parent):
            run = Run(path.parent, read_json(path.with_name("run_spec.json"), REMEDY))
            _check_texts(run.spec["adapter_spec"]["model"], *run.arguments.keys())
            wanted = run.entry in entries
        if wanted:
            yield run


REMEDY = "run that entry again with helm-run"


@contextmanager
def read_as_helm_writes(folder: Path) -> Iterator[None]:
    """Says of whatever goes wrong in reading a run's folder that it is not as HELM writes it.

    Raises:
        SetupError: something went wrong.
    """
    try:
        yield
    except SetupError:
        raise
    except Exception as error:  # whatever it lacks, and whatever stands in its place
        raise SetupError(
            f"{folder} holds no run as HELM writes it ({describe_error(error)}); {REMEDY}"
        ) from error


def _check_texts(*values: Any) -> None:
    for value in values:
        if not isinstance(value, str):
            raise TypeError(f"expected a text, got {value!r:.100}")
