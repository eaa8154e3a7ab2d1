"""Walks a `Collector`: from its listings to admitted drafts, each step noted in the journal.

Candidates are worked off a fixed number ahead of the one whose turn it is, by threads; their turns
come in the order of the listings. What is decided before a turn (`Admission.check`, which subsets
are still tried) is decided by what was admitted that number of turns ago, whatever the machine and
whenever it is killed.
"""

import logging
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import TypeVar

from helm_structext.errors import SetupError
from helm_structext.image2struct.collect.admission import Admission
from helm_structext.image2struct.collect.client import downloading
from helm_structext.image2struct.collect.fingerprints import fingerprints
from helm_structext.image2struct.collect.journal import (
    EXHAUSTED,
    FULL,
    MAX_NAME,
    MAX_REASON,
    TAKEN,
    UNFINISHED,
    Journal,
    JournalEntry,
    Outcome,
    RefusalRecord,
    Rendered,
)
from helm_structext.image2struct.collect.records import (
    CandidateRefused,
    Collector,
    Download,
    Draft,
    Filter,
    Listing,
    SourceCandidate,
    Tools,
    check,
)
from helm_structext.scoring.handling import Failure, handle
from helm_structext.texts import one_line
from helm_structext.threads import thread_pool

AHEAD = 8
"""Candidates that are worked off while the turn of the first has not come. Part of what decides which
drafts are rendered, hence neither an option nor a matter of the machine."""

TRIES = 4
"""Drafts of a subset that are tried for each one that a candidate may give."""

MAX_REPEATS = 1000
"""Candidates in turn that a listing may name again, before it counts as one that never ends."""

_log = logging.getLogger("helm.structext")

Result = TypeVar("Result")
Subject = TypeVar("Subject")


@dataclass
class Tally:
    """What has become of the candidates whose turn has come.

    Args:
        instances: admitted drafts of each subset: candidate and number of the draft.
        candidates: how many there were.
        refusals: how many candidates and drafts were refused, by stage and filter.
    """

    instances: dict[str, list[tuple[SourceCandidate, int]]]
    candidates: int = 0
    refusals: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def admitted(self) -> int:
        """Instances of all subsets."""
        return sum(map(len, self.instances.values()))


def empty(subsets: Iterable[str]) -> Tally:
    """Returns the tally before the first candidate."""
    return Tally({subset: [] for subset in subsets})


# One candidate


def work(
    candidate: SourceCandidate, collector: Collector, tools: Tools, subsets: frozenset[str]
) -> Outcome:
    """Returns what comes of a candidate: fetch filters, download, file filters, drafts, pictures.

    Args:
        candidate: of a listing.
        collector: the domain's table.
        tools: of the round.
        subsets: whose drafts are tried.

    Raises:
        SetupError: the machine's or the user's mistake, or a host's that is out of order.
    """
    seconds: dict[str, float] = {}

    def step(stage: str, what: Callable[[], Result]) -> Result | RefusalRecord:
        return _step(stage, what, f"{stage} of {candidate.name}", seconds)

    def filtered(
        stage: str, filters: Iterable[Filter[Subject]], subject: Subject
    ) -> RefusalRecord | None:
        found = step(stage, lambda: check(filters, subject, tools))
        return found if isinstance(found, RefusalRecord) else None

    if refused := filtered("fetch", collector.fetch_filters, candidate):
        return Outcome(subsets, (refused,), seconds=seconds)
    with downloading(candidate.name):
        download = step("download", lambda: collector.download(candidate, tools))
    if isinstance(download, RefusalRecord):
        return Outcome(subsets, (download,), seconds=seconds)
    if refused := filtered("file", collector.file_filters, download):
        return Outcome(subsets, (refused,), seconds=seconds)
    refusals, rendered = _pictures(download, collector, tools, subsets, seconds)
    return Outcome(subsets, tuple(refusals), tuple(rendered), seconds)


def _pictures(
    download: Download,
    collector: Collector,
    tools: Tools,
    subsets: frozenset[str],
    seconds: dict[str, float],
) -> tuple[list[RefusalRecord], list[Rendered]]:
    """Draws drafts until there are enough of each subset, or no more: what is refused, and what not."""
    refusals: list[RefusalRecord] = []
    rendered: list[Rendered] = []
    given, tried = Counter[str](), Counter[str]()
    full: set[str] = set()
    what = f"drafts of {download.candidate.name}"
    drafts = _step("drafts", lambda: iter(collector.drafts(download, tools)), what, seconds)
    if isinstance(drafts, RefusalRecord):
        return [drafts], []
    while wanted := _find_wanted(subsets, given, tried, collector.most):
        draft = _step("drafts", lambda: next(drafts, None), what, seconds)
        if not isinstance(draft, Draft):
            refusals += [draft] if draft else []
            break
        if draft.subset not in wanted:
            full |= {draft.subset} - subsets
            continue
        tried[draft.subset] += 1
        picture = _picture(draft, collector, tools, seconds)
        if isinstance(picture, RefusalRecord):
            refusals.append(picture)
        else:
            given[draft.subset] += 1
            rendered.append(picture)
    said = "the round has its number of them"
    refusals += [RefusalRecord("drafts", "subset_full", said, subset) for subset in sorted(full)]
    return refusals, rendered


def _find_wanted(
    subsets: frozenset[str], given: Counter[str], tried: Counter[str], most: int
) -> set[str]:
    """Subsets of which a candidate may give more."""
    return {one for one in subsets if given[one] < most and tried[one] < most * TRIES}


def _picture(
    draft: Draft, collector: Collector, tools: Tools, seconds: dict[str, float]
) -> Rendered | RefusalRecord:
    def drawn() -> Draft:
        return collector.render(draft, tools)

    def checked(rendered: Draft) -> Rendered:
        check(collector.rendering_filters, rendered, tools)
        return Rendered(rendered, fingerprints(rendered.image, rendered.structure))

    what = f"a draft of {draft.candidate.name}"
    picture = _step("render", drawn, what, seconds)
    found = (
        picture
        if isinstance(picture, RefusalRecord)
        else _step("rendering", lambda: checked(picture), what, seconds)
    )
    return replace(found, subset=draft.subset) if isinstance(found, RefusalRecord) else found


def _step(
    stage: str, what: Callable[[], Result], name: str, seconds: dict[str, float]
) -> Result | RefusalRecord:
    """Does one step: refusals, code that does not render and mistakes of ours end this one thing."""

    def tried() -> Result | RefusalRecord:
        try:
            return what()
        except CandidateRefused as refusal:
            return RefusalRecord(stage, refusal.filter, one_line(refusal.reason, MAX_REASON))

    start = time.perf_counter()
    done = handle(name, tried)
    seconds[stage] = seconds.get(stage, 0.0) + time.perf_counter() - start
    if isinstance(done, Failure):
        return RefusalRecord(stage, done.kind, one_line(done.message, MAX_REASON))
    return done


# All candidates


def walk(
    collector: Collector, tools: Tools, journal: Journal, admission: Admission, tally: Tally
) -> Iterator[JournalEntry]:
    """Works candidates off until every subset has its number, or the listings have ended.

    Args:
        collector: the domain's table.
        tools: of the round; its client is closed in the end.
        journal: of the round; what is in it is not done again.
        admission: as it is before the first candidate.
        tally: without candidates; grows.

    Yields:
        Each candidate after its turn.

    Raises:
        SetupError: the machine's or the user's mistake, a host that is out of order, or a listing
            that can't be read; the round can be continued.
    """
    entries = _entries(collector, tools, journal, admission)
    outcome = partial(_outcome, collector, tools, journal)
    pending: deque[tuple[JournalEntry, Callable[[], Outcome]]] = deque()
    names: set[str] = set()
    with _workers(tools) as pool:

        def begin(entry: JournalEntry) -> Callable[[], Outcome]:
            candidate, subsets = entry.candidate, _open(admission, journal)
            known = journal.state != UNFINISHED or candidate.name in names
            names.add(candidate.name)
            if known or admission.check(candidate):
                # Until its turn shows that it is needed after all.
                return lambda: outcome(candidate, _open(admission, journal))
            return pool.submit(outcome, candidate, subsets).result

        while not admission.full:
            while len(pending) < AHEAD and (entry := next(entries, None)):
                pending.append((entry, begin(entry)))
            if not pending:
                break
            entry, came = pending.popleft()
            refused, verdicts = _decide(entry.candidate, came, admission, tally)
            journal.conclude(entry, refused, verdicts)
            yield entry
    journal.finish(FULL if admission.full else EXHAUSTED)


def replay_journal(journal: Journal, admission: Admission) -> Tally:
    """Returns what the candidates of a journal give whose turn has come, without doing anything.

    What a round did not take, a later one may have: so where one has begun, nothing is added.

    Args:
        journal: of the round.
        admission: as it is before the first candidate.
    """
    tally = empty(admission.counts)
    for entry in journal.entries():
        if entry.stage == TAKEN:
            break
        outcome = journal.outcome(entry.candidate) or Outcome(frozenset())
        settled = journal.not_admitted(entry.candidate) if journal.superseded else {}
        _decide(entry.candidate, lambda: outcome, admission, tally, settled)  # noqa: B023
    return tally


def _open(admission: Admission, journal: Journal) -> frozenset[str]:
    return frozenset(
        subset for subset, number in admission.counts.items() if number < journal.settings.count
    )


def _decide(
    candidate: SourceCandidate,
    outcome: Callable[[], Outcome],
    admission: Admission,
    tally: Tally,
    settled: Mapping[int, RefusalRecord] = MappingProxyType({}),
) -> tuple[RefusalRecord | None, list[RefusalRecord | None]]:
    """Decides what of a candidate is admitted: why it gives nothing, and what of each draft.

    Drafts that are refused for good are given by their numbers.
    """
    verdicts: list[RefusalRecord | None] = []
    if refusal := admission.enter(candidate):
        refused = [_record_refusal(refusal)]
    else:
        came = outcome()
        verdicts = _verdicts(came, admission, settled)
        refused = [*came.refused, *(verdict for verdict in verdicts if verdict)]
        for number, verdict in enumerate(verdicts):
            if verdict is None:
                subset = came.rendered[number].draft.subset
                tally.instances[subset].append((candidate, number))
    gave = not all(verdicts)
    if not (gave or refused):
        refused = [RefusalRecord("drafts", "no_drafts", "there is nothing to make one of")]
    tally.candidates += 1
    tally.refusals.update((one.stage, one.filter) for one in refused)
    return None if gave else refused[-1], verdicts


def _record_refusal(refusal: CandidateRefused) -> RefusalRecord:
    return RefusalRecord("admission", refusal.filter, one_line(refusal.reason, MAX_REASON))


def _verdicts(
    outcome: Outcome, admission: Admission, settled: Mapping[int, RefusalRecord]
) -> list[RefusalRecord | None]:
    found: list[RefusalRecord | None] = []
    for number, rendered in enumerate(outcome.rendered):
        if number in settled:
            found.append(settled[number])
            continue
        refusal = admission.admit(rendered.draft, rendered.fingerprints)
        subset = rendered.draft.subset
        found.append(replace(_record_refusal(refusal), subset=subset) if refusal else None)
    return found


def _outcome(
    collector: Collector,
    tools: Tools,
    journal: Journal,
    candidate: SourceCandidate,
    subsets: frozenset[str],
) -> Outcome:
    """What came of a candidate, from the journal if it is there."""
    outcome = journal.outcome(candidate)
    if outcome is None or not subsets <= outcome.subsets:
        outcome = work(candidate, collector, tools, subsets)
        journal.keep(candidate.name, outcome)
    return outcome


@contextmanager
def _workers(tools: Tools) -> Iterator[Executor]:
    """Threads that work candidates off, and are not waited for longer than what they do now takes."""
    pool = thread_pool(AHEAD, "collect")
    try:
        yield pool
    finally:
        # The round is at its end, or stops: nothing is asked any more.
        tools.client.close()
        pool.shutdown(cancel_futures=True)


# Listings


def _entries(
    collector: Collector, tools: Tools, journal: Journal, admission: Admission
) -> Iterator[JournalEntry]:
    """Candidates in order: first those that the journal knows, then those that listings go on with."""
    if journal.superseded:
        raise SetupError(
            "A later round of this journal has begun, and does not know what this one would take "
            "from now on: collect what is missing in a round of its own"
        )
    known = journal.entries()
    yield from known
    if journal.state == EXHAUSTED:
        return
    passed = Counter(entry.candidate.name for entry in known)
    place = len(known)

    def wanted(listing: str) -> bool:
        return listing not in admission.counts or listing in _open(admission, journal)

    for listing, candidate in in_turn(collector.listings, tools, wanted):
        name = one_line(candidate.name, MAX_NAME)
        if passed[name]:
            passed[name] -= 1
            continue
        yield journal.take(place, candidate, listing)
        place += 1


def in_turn(
    listings: Iterable[Listing], tools: Tools, wanted: Callable[[str], bool]
) -> Iterator[tuple[str, SourceCandidate]]:
    """Yields candidates of listings in turn, with the names of these, until all have ended.

    Args:
        listings: read as far as they are wanted.
        tools: of the round.
        wanted: says by its name whether a listing is still read; one of a subset's name is not
            once the subset is full.

    Raises:
        SetupError: a listing can't be read, or repeats itself without end.
    """
    streams = deque((listing.name, _list_candidates(listing, tools)) for listing in listings)
    while streams:
        name, stream = streams.popleft()
        candidate = next(stream, None) if wanted(name) else None
        if candidate is not None:
            yield name, candidate
            streams.append((name, stream))


def _list_candidates(listing: Listing, tools: Tools) -> Iterator[SourceCandidate]:
    names: set[str] = set()
    repeats = 0
    try:
        for candidate in listing.candidates(tools):
            repeats = repeats + 1 if candidate.name in names else 0
            names.add(candidate.name)
            if repeats > MAX_REPEATS:
                raise SetupError(
                    f"The listing {listing.name} names the same {len(names)} candidates again and "
                    f"again: look whether its host works, and give the same command again"
                )
            yield candidate
    except CandidateRefused as refusal:
        raise SetupError(
            f"The listing {listing.name} can't be read: {refusal.reason}; give the same command "
            f"again later, it goes on where it stopped"
        ) from refusal
