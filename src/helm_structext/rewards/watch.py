"""While a model is trained: whether what is not in its reward rises, too.

A policy finds what a reward overlooks. Then the reward goes on rising, and what it should stand for does not. So
probes score the same completions by what the policy is not rewarded for: another metric, the completion beside the
reference of another prompt (which is wrong, whatever it shows), the code with a change that nobody sees, a blank answer.

A trainer's adapter writes a journal (`helm_structext.integrations.trainers.append_journal`), which is read here.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite, sqrt
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from helm_structext.errors import RenderError, SetupError
from helm_structext.extraction import extract
from helm_structext.formats import FORMATS
from helm_structext.rewards.base import BaseReward
from helm_structext.rewards.files import MAX_LINES, read_reference
from helm_structext.rewards.guards import GUARDS
from helm_structext.storage.files import read_json_lines
from helm_structext.texts import one_line

POINTS = 12
"""Into which training is cut, at most."""
SAMPLES = 8
"""Completions of a point that probes score, spread evenly."""
SURE = 2.0
"""Standard errors by which a mean rises or falls."""
LEAST = 0.02
"""By how much it does at least."""
MUCH = 0.1
"""By how much a reward has risen where its probes should have, too."""

OTHER_COMPONENTS = (
    *("layout_similarity", "levenshtein_similarity", "earth_mover_similarity_corrected"),
    *("pixel_similarity", "structural_similarity", "path_score", "keyword_score", "pnls", "iou"),
    *("accuracy", "correct", "syntax_score"),
)
"""What the probe ``other`` measures: the first of these that the reward has not."""
NO_CODE = frozenset({"layout_similarity", "levenshtein_similarity"})
"""Those of them that need code of the reference."""

MAX_NAME = 64
"""Characters of a kind or of a passport in a journal."""

COMMENTS: Mapping[str, str] = {
    **dict.fromkeys(("latex", "latex_document", "tikz", "lilypond"), "\n% {}"),
    **dict.fromkeys(("html", "svg", "canvas", "webpage", "markdown", "vue"), "\n<!-- {} -->"),
    **dict.fromkeys(("typst", "react", "angular"), "\n// {}"),
    **dict.fromkeys(("matplotlib", "yaml", "toml"), "\n# {}"),
    "mermaid": "\n%% {}",
}
"""How a format says a comment, which nobody sees on the picture."""


@dataclass(frozen=True)
class RewardEntry:
    """A completion as a trainer's journal has it.

    Args:
        completion: what the policy wrote.
        reference: as rewards take it; None where JSON could not say it.
        score: its reward, or None.
        error_kind: why it failed, or None.
        passport: the hash of its reward's passport, or None.
    """

    completion: str
    reference: Any
    score: float | None
    error_kind: str | None = None
    passport: str | None = None


@dataclass(frozen=True)
class ProbeMean:
    """A mean over the completions of a point.

    Args:
        value: the mean.
        error: its standard error.
    """

    value: float
    error: float


@dataclass(frozen=True)
class WatchPoint:
    """A piece of training.

    Args:
        last: the number of its last completion, from 1.
        means: ``reward``, each probe and each guard that fired (share of the completions) → its mean; what could
            not be measured is absent.
    """

    last: int
    means: Mapping[str, ProbeMean]


def read_journal(path: Path) -> list[RewardEntry]:
    """Returns the completions of a journal, in the order in which they were scored.

    Raises:
        SetupError: it can't be read, or has none.
    """
    entries = []
    for number, line in read_json_lines(path, MAX_LINES):
        match line:
            case {"completion": str(completion), "score": int() | float() | None as score} if (
                score is None or isfinite(score)
            ):
                kind, passport = (_short(line.get(name)) for name in ("error_kind", "passport"))
                reference = read_reference(line.get("reference"))
                entries.append(RewardEntry(completion, reference, score, kind, passport))
            case _:
                raise SetupError(f"line {number} of {path} is of no journal of rewards")
    if not entries:
        raise SetupError(f"{path} has no completions yet")
    return entries


def _short(said: Any) -> str | None:
    return one_line(str(said), MAX_NAME) if said else None


Probe = Callable[[BaseReward, Sequence[RewardEntry]], list[float | None]]


def score_other(reward: BaseReward, entries: Sequence[RewardEntry]) -> list[float | None]:
    """Returns what completions have of a component that is not in the reward."""
    known = [name for name in OTHER_COMPONENTS if name in reward.known_components()]
    names = [name for name in known if name not in reward.components]
    coded = all(
        isinstance(one.reference, str) or getattr(one.reference, "code", None) for one in entries
    )
    name = next((name for name in names if coded or name not in NO_CODE), None)
    if name is None:
        return []
    changes: dict[str, Any] = {"components": {name: 1.0}, "failure": 0.0}
    probe = replace(reward, **changes)
    return score_pairs(probe, [(one.completion, one.reference) for one in entries])


def score_elsewhere(reward: BaseReward, entries: Sequence[RewardEntry]) -> list[float | None]:
    """Returns what completions are worth beside the reference of another prompt, subtracted from their reward."""
    pairs = []
    for number, one in enumerate(entries):
        others = (*entries[number + 1 :], *entries[:number])
        other = next((it for it in others if it.reference != one.reference), None)
        if other is not None:
            pairs.append((one, other.reference))
    found = score_pairs(reward, [(one.completion, reference) for one, reference in pairs])
    return [
        None if wrong is None or one.score is None else one.score - wrong
        for (one, _), wrong in zip(pairs, found, strict=True)
    ]


def score_rewritten(reward: BaseReward, entries: Sequence[RewardEntry]) -> list[float | None]:
    """Returns what completions are worth with a comment more, which changes nothing that is seen."""
    if reward.lane not in COMMENTS:
        return []
    comment = COMMENTS[reward.lane].format("as before")
    codes = [find_code(reward, one.completion) + comment for one in entries]
    return score_pairs(reward, list(zip(codes, (one.reference for one in entries), strict=True)))


def find_code(reward: BaseReward, completion: str) -> str:
    """Returns the code of a completion, as a reward reads it; the completion itself where it has none."""
    try:
        return extract(completion, reward.lane, reward.measured_by)
    except RenderError:  # there is none
        return completion


def score_advantage(reward: BaseReward, entries: Sequence[RewardEntry]) -> list[float | None]:
    """Returns how much more completions are worth than a blank answer to the same."""
    if reward.lane not in FORMATS or not FORMATS[reward.lane].blank:
        return []
    blank = FORMATS[reward.lane].blank
    unguarded = replace(reward, guards=())
    found = score_pairs(unguarded, [(blank, one.reference) for one in entries])
    return [
        None if nothing is None or one.score is None else one.score - nothing
        for one, nothing in zip(entries, found, strict=True)
    ]


PROBES: Mapping[str, Probe] = {
    "other": score_other,
    "elsewhere": score_elsewhere,
    "rewritten": score_rewritten,
    "advantage": score_advantage,
}
"""What rises with an honest reward: name to what scores it; `helm_structext.audit.probes` has one more."""


def score_pairs(reward: BaseReward, pairs: Sequence[tuple[str, Any]]) -> list[float | None]:
    """Returns the rewards of completions beside references; those without a reference are left out."""
    known = [(completion, reference) for completion, reference in pairs if reference is not None]
    results = reward([one for one, _ in known], [one for _, one in known])
    return [result.score for result in results]


def watch_points(
    reward: BaseReward,
    entries: Sequence[RewardEntry],
    points: int = POINTS,
    probes: Mapping[str, Probe] = PROBES,
) -> list[WatchPoint]:
    """Returns what became of the reward and of the probes, piece by piece.

    Args:
        reward: of the training.
        entries: of its journal.
        points: into how many pieces it is cut, at most.
        probes: name → what scores completions by it.
    """
    size = max(-(-len(entries) // max(points, 1)), 1)
    pieces = [entries[start : start + size] for start in range(0, len(entries), size)]
    fired = [guard for guard in GUARDS if any(one.error_kind == guard for one in entries)]
    return [
        WatchPoint(
            min((number + 1) * size, len(entries)), dict(_measure(reward, piece, probes, fired))
        )
        for number, piece in enumerate(pieces)
    ]


def _measure(
    reward: BaseReward,
    entries: Sequence[RewardEntry],
    probes: Mapping[str, Probe],
    guards: Sequence[str],
) -> Iterator[tuple[str, ProbeMean]]:
    if known := [one.score for one in entries if one.score is not None]:
        yield "reward", _mean(known)
    scored = [one for one in entries if one.score is not None and one.reference is not None]
    chosen = scored[:: max(len(scored) // SAMPLES, 1)][:SAMPLES]
    for name, probe in probes.items():
        if values := [value for value in probe(reward, chosen) if value is not None]:
            yield name, _mean(values)
    for guard in guards:
        yield f"guard {guard}", _mean([float(one.error_kind == guard) for one in entries])


def _mean(values: Sequence[float]) -> ProbeMean:
    return ProbeMean(fmean(values), stdev(values) / sqrt(len(values)) if len(values) > 1 else 0.0)


def find_change(points: Sequence[WatchPoint], name: str) -> float | None:
    """Returns by how much a mean rose (or fell, below 0) from the first third of the points to the last.

    Returns:
        0 where it did not change by `LEAST` and by `SURE` standard errors; None where it is not known.

    >>> steps = [WatchPoint(n, {"reward": ProbeMean(n / 10, 0.01)}) for n in range(6)]
    >>> round(find_change(steps, "reward"), 6), find_change(steps, "other")
    (0.4, None)
    """
    known = [point.means[name] for point in points if name in point.means]
    third = len(known) // 3 or len(known) // 2
    if not third:
        return None
    first, last = known[:third], known[-third:]
    change = fmean(one.value for one in last) - fmean(one.value for one in first)
    error = sqrt(sum(one.error**2 for one in (*first, *last))) / third
    return change if abs(change) >= max(LEAST, SURE * error) else 0.0


def find_warnings(points: Sequence[WatchPoint]) -> Iterator[str]:
    """Yields what speaks for a policy that has found what its reward overlooks.

    >>> def step(number, reward, other):
    ...     return WatchPoint(number, {"reward": ProbeMean(reward, 0.01), "other": ProbeMean(other, 0.01)})
    >>> [*find_warnings([step(1, 0.2, 0.5), step(2, 0.5, 0.4), step(3, 0.8, 0.2)])]
    ['the reward rises by 0.6, and the probe other falls by 0.3']
    """
    risen = find_change(points, "reward")
    for name in dict.fromkeys(name for point in points for name in point.means):
        change = find_change(points, name)
        if name == "reward" or change is None:
            continue
        if name.startswith("guard "):
            if change > 0:
                yield f"the {name} fires more often, by {change:.2g} of the completions"
        elif risen and risen > 0 and change < 0:
            yield f"the reward rises by {risen:.2g}, and the probe {name} falls by {-change:.2g}"
        elif risen and risen > MUCH and change == 0:
            yield f"the reward rises by {risen:.2g}, and the probe {name} does not"


def find_passport_changes(entries: Sequence[RewardEntry]) -> Iterator[str]:
    """Yields where a journal goes on with other passports than before: from there on rewards are of another scale.

    Rewards of several kinds in turn, each with a passport of its own, are no change.

    >>> def scored(passport):
    ...     return RewardEntry("", "", 1.0, passport=passport)
    >>> [*find_passport_changes([scored("aa"), scored("bb"), scored("aa"), scored("cc")])]
    ["the reward's passport changes at completion 4, to cc: rewards before and after are not of one scale"]
    """
    first: dict[str, int] = {}
    last: dict[str, int] = {}
    for number, one in enumerate(entries, 1):
        if one.passport:
            first.setdefault(one.passport, number)
            last[one.passport] = number
    end = 0
    for passport, start in first.items():
        if 0 < end < start:
            yield (
                f"the reward's passport changes at completion {start}, to {passport}: rewards before and after are "
                "not of one scale"
            )
        end = max(end, last[passport])


def find_all_warnings(points: Sequence[WatchPoint], entries: Sequence[RewardEntry]) -> list[str]:
    """Returns all that speaks against a training: what its points say, and what its journal does.

    Args:
        points: of the journal.
        entries: of the same.
    """
    return [*find_warnings(points), *find_passport_changes(entries)]


def look_at_journal(
    reward: BaseReward, journal: Path, probes: Mapping[str, Probe] = PROBES
) -> tuple[dict[str, float], list[str]]:
    """Returns the last means of a journal, and its warnings.

    Args:
        reward: of the training.
        journal: a file, see `read_journal`.
        probes: see `watch_points`.

    Raises:
        SetupError: it can't be read.
    """
    entries = read_journal(journal)
    points = watch_points(reward, entries, probes=probes)
    means = {name: one.value for name, one in points[-1].means.items()}
    return means, find_all_warnings(points, entries)


def write_gauges(points: Sequence[WatchPoint], entries: Sequence[RewardEntry] = ()) -> str:
    """Returns the last means and the number of warnings as Prometheus reads them from a text file.

    Args:
        points: of a journal.
        entries: of the same.

    >>> print(write_gauges([WatchPoint(1, {"guard text": ProbeMean(0.25, 0.1)})]), end="")
    # TYPE helm_structext_watch gauge
    helm_structext_watch{what="guard text"} 0.25
    # TYPE helm_structext_watch_warnings gauge
    helm_structext_watch_warnings 0
    """
    means = points[-1].means if points else {}
    lines = [
        f'helm_structext_watch{{what="{name}"}} {one.value:.6g}' for name, one in means.items()
    ]
    number = len(find_all_warnings(points, entries))
    return "\n".join(
        (
            "# TYPE helm_structext_watch gauge",
            *lines,
            "# TYPE helm_structext_watch_warnings gauge",
            f"helm_structext_watch_warnings {number}\n",
        )
    )
