"""The one way of an instance: what a benchmark asks, and what comes of a completion.

HELM, Inspect, lm-evaluation-harness, trainers and files of completions are doors to it: each asks in
its own way, and all take what a benchmark's `Scorer` says.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeVar

from helm_structext import __version__
from helm_structext.errors import MISSING, MissingResource, error_values
from helm_structext.scoring.handling import (
    INTERNAL,
    INTERNAL_ERROR,
    MISSING_RESOURCES,
    TEX_ERRORS,
    Failure,
    handle,
)

if TYPE_CHECKING:  # which brings metrics, and they take long to load
    from helm_structext.findings import Findings

Item = TypeVar("Item")
Box = tuple[float, float, float, float]

SCORES_VERSION = f"{__version__}-5"
"""Part of the keys of all scores that are kept: another number when a metric gives other values, or one is added."""

Compute = Callable[[], dict[str, float]]
Remember = Callable[[Mapping[str, str], Compute], dict[str, float]]
"""Returns what is remembered under a key, or computes it and remembers that."""


@dataclass(frozen=True)
class Scored:
    """What came of a completion.

    Args:
        scores: metric to value; one without a value is absent.
        failure: why it could not be read or rendered, or could not be handled; or None.
        picture: the PNG file that the completion was rendered to, or None.
        text: what was read of it: the structure reduced to its content, or a sentence; or None.
        seconds: that its rendering took, or None.
        boxes: on the picture that was asked about: the true one, and the one that the completion
            names, if it names one; or None where no box is asked for.
        verdict: what a judge said of the picture (`helm_structext.structeval.judge`), or None.
        missing: what the completion asked for and did not get, whether or not it rendered.
        findings: what is wrong with the picture, by what lies on it; None where that is not looked at.
    """

    scores: Mapping[str, float] = field(default_factory=dict)
    failure: Failure | None = None
    picture: Path | None = None
    text: str | None = None
    seconds: float | None = None
    boxes: tuple[Box, Box | None] | None = None
    verdict: Mapping[str, Any] | None = None
    missing: Sequence[MissingResource] = ()
    findings: "Findings | None" = None

    @property
    def error_kind(self) -> str | None:
        """That of the failure, or None."""
        return self.failure.kind if self.failure else None

    @property
    def error(self) -> str:
        """The message of the failure, or ""."""
        return self.failure.message if self.failure else ""


class InstanceKey(NamedTuple):
    """An instance: the subset or task that it belongs to, and its id, unique in the benchmark."""

    part: str
    id: str


@dataclass(frozen=True)
class Input:
    """What a run asks of an instance, and what is known of the answer.

    Args:
        key: of the instance.
        text: what is asked; the run's adapter says what stands before and after it.
        format: in which it is to be answered: a key of `helm_structext.formats.FORMATS`, or a
            benchmark's own.
        picture: that goes with it, bytes of a PNG file, or None.
        target: the reference as text, or None where there is none.
        target_picture: the reference as a picture, bytes of a PNG file, or None.
        oracle: a right completion, or None; only the oracle model sees it.
        blank: a completion that says nothing.
        assets: files that a completion may refer to: name to content.
        details: what else is known of the instance, as JSON has it.
        dataset: the published dataset that it is from, with its commit, or "".
        code: that draws the target's picture, where the scorer compares what lies on both; else None.
    """

    key: InstanceKey
    text: str
    format: str
    picture: bytes | None = None
    target: str | None = None
    target_picture: bytes | None = None
    oracle: str | None = None
    blank: str = ""
    assets: Mapping[str, bytes] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)
    dataset: str = ""
    code: str | None = None


@dataclass(frozen=True)
class Kept:
    """An `Input` as a harness keeps it until there is a completion: pictures and assets are files.

    Args:
        id: of the instance, and of the answer where that is known, for the log.
        target: see `Input`; "" where there is none. So are the others.
        code: a file, or None.
    """

    id: str
    target: str
    picture: Path | None
    target_picture: Path | None
    assets: Mapping[str, Path]
    details: Mapping[str, Any]
    code: Path | None = None


@dataclass(frozen=True)
class Scorer(Generic[Item]):
    """What a run asks, and how completions are scored.

    Args:
        metrics: names of all scores that answers of the run may have.
        statistics: names of all that tables have a place for, whether or not answers of this run have it.
        inputs: yields what is asked, of all instances in the source's order. Raises SetupError if the
            data can't be read, or there is none.
        find: yields, of the instances whose ids it gets, those that are there, each with what is to
            be known of it; pictures are files then. Raises SetupError if the data can't be read.
        recall: returns the same of one instance, from what a harness kept of it.
        score: scores a completion of an instance. Raises SetupError if the machine fails.
        parted: whether the run has several subsets or tasks, as whose part instances count.
        split: of the dataset, by HELM's names.
        suffix: what the run's adapter appends to each text.
        annotation: what a completion becomes: a ``rendering`` or a ``reading``.
    """

    metrics: Sequence[str]
    statistics: Sequence[str]
    inputs: Callable[[], Iterator[Input]]
    find: Callable[[Collection[str]], Iterator[tuple[InstanceKey, Item]]]
    recall: Callable[[Kept], Item]
    score: Callable[[Item, str], Scored]
    parted: bool = False
    split: Literal["valid", "test"] = "test"
    suffix: str = ""
    annotation: Literal["rendering", "reading"] = "rendering"


@dataclass(frozen=True)
class Door:
    """What a scorer may need of the harness that it works for.

    Args:
        judge: returns a judge by name (`helm_structext.structeval.judge.Judge`); by default there is none.
        remember: keeps what takes long for a next time; by default nothing is kept.
    """

    judge: Callable[[str], Any] = lambda name: None
    remember: Remember | None = None


def make_scored(
    what: str,
    compute: Callable[[], Mapping[str, float | None]],
    failures: Sequence[Failure] = (),
    *,
    missing: Sequence[MissingResource] | None = None,
    blank: bool = False,
    tex_errors: Sequence[str] | None = None,
    **found: Any,
) -> Scored:
    """Returns what came of a completion; of one that could not be handled no metric has a value.

    Args:
        what: is computed, for the log.
        compute: returns the values; what has none is None, NaN or absent.
        failures: why the completion did not render, or has no verdict.
        missing: what it asked for and did not get, which is counted; None where nothing is rendered.
        blank: whether it is drawn as a blank page for what is missing, which is counted, too.
        tex_errors: those after which TeX went on, which are counted; None where TeX drew nothing.
        found: the other arguments of `Scored`.

    Raises:
        SetupError: see `helm_structext.scoring.handling.handle`.

    >>> found = make_scored("an answer", lambda: {"a": 1.0, "b": None}, [Failure("syntax", "line 1: what?")])
    >>> found.scores, found.error_kind, found.error
    ({'internal_error': 0.0, 'a': 1.0}, 'syntax', 'line 1: what?')
    >>> make_scored("an answer", lambda: {"a": 1 / 0}).scores
    {'internal_error': 1.0}
    >>> lacking = Failure("missing", "the package cetz is not here").excuse("unscored")
    >>> found = make_scored("an answer", lambda: {"a": 0.0}, [lacking], missing=())
    >>> found.scores["render_error_missing"], "a" in found.scores, found.failure.fault
    (1.0, False, 'machine')
    """
    found["missing"] = missing or ()
    internal = next((failure for failure in failures if failure.kind == INTERNAL), None)
    failure = failures[0] if failures else None
    counted = {} if missing is None else {MISSING_RESOURCES: float(len(missing))}
    if internal is None and failure and failure.excused:
        kinds = error_values(failure.kind)
        return Scored({INTERNAL_ERROR: 0.0, **counted, **kinds}, failure, **found)
    values = handle(what, compute) if internal is None else internal
    if isinstance(values, Failure):
        return make_unhandled(values, **found)
    known = {
        name: value
        for name, value in values.items()
        if value is not None and not isnan(value)  # HELM leaves these out, too
    }
    if blank:
        known |= error_values(MISSING)
    if tex_errors is not None:
        counted[TEX_ERRORS] = float(len(tex_errors))
    return Scored({INTERNAL_ERROR: 0.0, **counted, **known}, failure, **found)


def make_unhandled(failure: Failure, **found: Any) -> Scored:
    """Returns what came of a completion that could not be handled: it has no score.

    >>> make_unhandled(Failure("internal", "a bug")).scores
    {'internal_error': 1.0}
    """
    return Scored({INTERNAL_ERROR: 1.0}, failure, **found)
