"""A round of collecting, from its options to its dataset."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from helm_structext.errors import SetupError
from helm_structext.image2struct.collect.admission import Admission
from helm_structext.image2struct.collect.blocklist import BlockList, read_block_list
from helm_structext.image2struct.collect.card import CardDetails, card_of
from helm_structext.image2struct.collect.client import HostClient, check_contact, check_credentials
from helm_structext.image2struct.collect.dataset import CARD, FILE, Round, write_dataset
from helm_structext.image2struct.collect.fingerprints import published_fingerprints
from helm_structext.image2struct.collect.journal import (
    JOURNAL,
    UNFINISHED,
    Journal,
    open_journal,
)
from helm_structext.image2struct.collect.pipeline import Tally, empty, replay_journal, walk
from helm_structext.image2struct.collect.records import (
    Collector,
    Draft,
    Moderation,
    RoundSettings,
    SourceCandidate,
    Tools,
)
from helm_structext.image2struct.collect.toxicity import (
    LOCAL,
    PERSPECTIVE,
    local,
    moderation_endpoint,
    perspective,
)
from helm_structext.progress import announce, progress

HELD = ".collecting"
"""The file in a dataset's folder that one collector at a time can hold."""

KEYS = {PERSPECTIVE: ("PERSPECTIVE_API_KEY",)}
"""Credentials that a moderation can't do without."""

MAX_NAMED = 4
"""Filters that the line of progress names."""


def collect_round(
    collector: Collector,
    settings: RoundSettings,
    folder: Path,
    *,
    contact: str,
    journal: Path | None = None,
    block_list: Path | None = None,
    published: Path | None = None,
    pace: float = 1.0,
) -> Tally:
    """Collects a round, or goes on with it, and writes its dataset.

    Args:
        collector: the table of the domain.
        settings: of the round.
        folder: of the dataset.
        contact: an address of mail or of a page, for the hosts.
        journal: by default `JOURNAL` in the folder.
        block_list: file of what may not be published.
        published: folder of instances that the round must not repeat.
        pace: by which the pauses between requests are multiplied; 0 for tests.

    Returns:
        What was admitted and what was refused.

    Raises:
        SetupError: of the user, the machine or a host; what to do. The same call goes on.
    """
    check_contact(contact)
    check_credentials((*collector.credentials, *KEYS.get(settings.moderation, ())))
    blocked = read_block_list(block_list) if block_list else BlockList()
    known = published_fingerprints(published) if published else {}
    path = journal or folder / JOURNAL
    own = path.absolute().parent == folder.absolute()
    with open_journal(path, *([] if own else [folder / HELD])) as database:
        kept = Journal(database, settings, "" if own else str(folder.absolute()))
        admission = partial(_admission, collector, kept, blocked, known)
        if kept.state != UNFINISHED:
            # What was blocked since leaves the dataset before anything else is done.
            tally = replay_journal(kept, admission())
            _write(folder, kept, tally, contact)
            if kept.superseded:
                # Nothing takes its place: later rounds would not know of it.
                return tally
        elif (folder / CARD).exists():
            raise SetupError(
                f"{folder} has a {CARD} that is not of this round; name another folder"
            )
        tally = empty(collector.subsets)
        answers, addresses = kept.answers(), settings.addresses
        client = HostClient(answers, addresses, contact=contact, pace=pace, told=announce)
        with closing(client):
            turns = walk(
                collector,
                Tools(client, settings, _moderation(settings, client)),
                kept,
                admission(),
                tally,
            )
            what = f"collecting {collector.domain}"
            for _ in progress(turns, what, note=lambda: _note(tally, settings)):
                pass
        _write(folder, kept, tally, contact)
    return tally


def _admission(
    collector: Collector, journal: Journal, blocked: BlockList, known: Mapping[str, str]
) -> Admission:
    """As it is before the first candidate."""
    names, earlier = journal.earlier()
    return Admission(
        collector.domain,
        collector.subsets,
        count=journal.settings.count,
        most=collector.most,
        per_day=journal.settings.per_day,
        blocked=blocked,
        taken=names,
        known={**known, **earlier},
    )


def _moderation(settings: RoundSettings, client: HostClient) -> Moderation | None:
    if not settings.moderation:
        return None
    if settings.moderation == LOCAL:
        return local()
    if settings.moderation == PERSPECTIVE:
        return perspective(client, settings.addresses[PERSPECTIVE])
    return moderation_endpoint(client, settings.addresses["moderation"])


def _note(tally: Tally, settings: RoundSettings) -> str:
    """How full the subsets are, and what refuses most."""
    full = ", ".join(f"{name} {len(of)}/{settings.count}" for name, of in tally.instances.items())
    refused: Counter[str] = Counter()
    for (_, name), number in tally.refusals.items():
        refused[name] += number
    most = ", ".join(f"{name} {number}" for name, number in refused.most_common(MAX_NAMED))
    return f"{full}; refused: {most or 'none'}"


@dataclass(frozen=True)
class _Instances:
    """Drafts of a journal, read one at a time whenever they are gone through."""

    journal: Journal
    chosen: Sequence[tuple[SourceCandidate, int]]

    def __iter__(self) -> Iterator[Draft]:
        return (self.journal.instance(candidate, number) for candidate, number in self.chosen)


def _write(folder: Path, journal: Journal, tally: Tally, contact: str) -> None:
    made = Round(journal.settings, journal.started)
    report = CardDetails(tally.candidates, tally.refusals, contact)
    if not tally.admitted:
        for file in (folder / CARD, *folder.glob(f"*/{FILE}")):
            file.unlink(missing_ok=True)
    drafts = {subset: _Instances(journal, chosen) for subset, chosen in tally.instances.items()}
    write_dataset(folder, made, drafts, card_of(made, report))
