"""Which drafts become instances: decided in the listing's order, by what was admitted before.

Nothing here asks hosts, clocks or disks: the same candidates and drafts in the same order, with the
same limits, give the same instances.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date

from helm_structext.image2struct.collect.blocklist import BlockList
from helm_structext.image2struct.collect.fingerprints import identifier
from helm_structext.image2struct.collect.records import (
    PER_DAY,
    CandidateRefused,
    Draft,
    SourceCandidate,
)


class Admission:
    """Admits drafts until each subset has its number of instances.

    Candidates enter in the order of the listing, and their drafts follow before the next one
    enters. What is refused once is refused from then on, too: a candidate that `check` refuses
    need not be downloaded, and `enter` refuses it in the end with a reason that doesn't depend on
    how far anyone looked ahead.

    Args:
        domain: the collector's, such as ``latex``.
        subsets: that the round fills. A candidate whose group is one of them gives to this one only.
        count: instances of each subset.
        most: drafts of one subset that a candidate may give.
        per_day: instances of a subset that are dated on one day.
        blocked: what may not be published.
        taken: names of candidates that earlier rounds took instances from.
        known: fingerprints of earlier rounds and of the published set, and whose they are.
    """

    def __init__(
        self,
        domain: str,
        subsets: Sequence[str],
        *,
        count: int,
        most: int,
        per_day: int = PER_DAY,
        blocked: BlockList | None = None,
        taken: Collection[str] = (),
        known: Mapping[str, str] | None = None,
    ) -> None:
        self.counts = dict.fromkeys(subsets, 0)
        """Instances admitted of each subset."""
        self._domain, self._count, self._most, self._per_day = domain, count, most, per_day
        self._blocked = blocked or BlockList()
        self._names = dict.fromkeys(taken, "an earlier round took it")
        self._known = dict(known or {})
        self._owners: dict[str, str] = {}
        self._days: Counter[tuple[str, date]] = Counter()
        self._given: Counter[tuple[str, str]] = Counter()

    @property
    def full(self) -> bool:
        """Whether every subset has its number of instances."""
        return not any(map(self._has_room, self.counts))

    def check(self, candidate: SourceCandidate) -> CandidateRefused | None:
        """Returns why a candidate can give nothing any more, or None; changes nothing."""
        return _first(self._against_candidate(candidate))

    def enter(self, candidate: SourceCandidate) -> CandidateRefused | None:
        """Begins with a candidate: returns why it is refused, or None if its drafts may follow."""
        refusal = self.check(candidate)
        if refusal is None:
            self._names[candidate.name] = "the listing named it before"
        return refusal

    def admit(self, draft: Draft, fingerprints: Sequence[str]) -> CandidateRefused | None:
        """Admits a draft of the candidate that entered last, or returns why it is refused.

        Args:
            draft: rendered.
            fingerprints: of its picture and structure (`fingerprints.fingerprints`).
        """
        refusal = _first(self._against_draft(draft, fingerprints))
        if refusal is None:
            candidate, subset = draft.candidate, draft.subset
            self.counts[subset] += 1
            self._days[subset, candidate.day] += 1
            self._given[candidate.name, subset] += 1
            self._owners.setdefault(candidate.owner, candidate.name)
            self._known.update(dict.fromkeys(fingerprints, candidate.name))
        return refusal

    def _against_candidate(self, candidate: SourceCandidate) -> Iterator[tuple[str, str | None]]:
        yield "blocked", self._blocked.reason(candidate)
        yield "repeated", self._names.get(candidate.name)
        yield "one_per_owner", self._other_of_owner(candidate)
        group = candidate.group
        subsets = [group] if group in self.counts else [*self.counts]
        with_room = [subset for subset in subsets if self._has_room(subset)]
        yield "subset_full", None if with_room else self._fullness(subsets)
        days = [self._day_limit(subset, candidate.day) for subset in with_room]
        yield "limit_a_day", days[0] if all(days) else None

    def _against_draft(
        self, draft: Draft, fingerprints: Sequence[str]
    ) -> Iterator[tuple[str, str | None]]:
        candidate, subset = draft.candidate, draft.subset
        keys = [identifier(self._domain, draft), *fingerprints]
        yield "blocked", self._blocked.reason(candidate, keys)
        yield "subset_full", None if self._has_room(subset) else self._fullness([subset])
        given = self._given[candidate.name, subset]
        yield "limit_a_candidate", f"it gave {given} of {subset}" if given >= self._most else None
        yield "limit_a_day", self._day_limit(subset, candidate.day)
        same = next((one for one in fingerprints if one in self._known), None)
        yield "duplicate", same and f"{same.partition(':')[0]} as in {self._known[same]}"

    def _other_of_owner(self, candidate: SourceCandidate) -> str | None:
        other = self._owners.get(candidate.owner) if candidate.owner else None
        return other and f"{candidate.owner} has {other} in the round"

    def _has_room(self, subset: str) -> bool:
        return self.counts[subset] < self._count

    def _fullness(self, subsets: Sequence[str]) -> str:
        return f"{', '.join(subsets)}: the round has its {self._count}"

    def _day_limit(self, subset: str, day: date) -> str | None:
        number = self._days[subset, day]
        return f"{number} of {subset} are dated {day}" if number >= self._per_day else None


def _first(reasons: Iterator[tuple[str, str | None]]) -> CandidateRefused | None:
    return next((CandidateRefused(name, reason) for name, reason in reasons if reason), None)
