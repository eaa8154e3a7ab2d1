"""What travels through a round, and the table that says what happens to it.

A `SourceCandidate` is what a listing names, a `Download` what its host sends, a `Draft` what may become an
instance. The functions of a `Collector` are pure but for the requests that they make through
`Tools.client`, whose answers are kept: the same candidates give the same instances, bit for bit.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from random import Random
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from helm_structext.image2struct.collect.refusals import CandidateRefused
from helm_structext.protocols import ProtocolName

if TYPE_CHECKING:
    from helm_structext.image2struct.collect.client import HostClient

__all__ = [
    "PER_DAY",
    "CandidateRefused",
    "Collector",
    "Download",
    "Draft",
    "Filter",
    "Listing",
    "Moderation",
    "RoundSettings",
    "SourceCandidate",
    "Tools",
    "Window",
    "check",
]

Subject = TypeVar("Subject")

PER_DAY = 40
"""Instances of a subset that are dated on one day, as in the published rounds."""


@dataclass(frozen=True)
class SourceCandidate:
    """What a listing names: a paper, a repository, a file of a score.

    Args:
        name: unique in its domain, such as ``2411.01234`` or ``user/user.github.io``; becomes the
            column ``instance_name``.
        group: what instances are balanced over: arXiv's set, a repository's language; else "".
        owner: who made it, where a round takes one from each (a user of GitHub); else "".
        day: its date, which the round's window bounds.
        url: of its download; becomes the column ``download_url``.
        license: as the host names it, or "" where it says nothing.
        info: what else the host said; JSON. Becomes the column ``additional_info``.
    """

    name: str
    group: str
    owner: str
    day: date
    url: str
    license: str
    info: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Download:
    """What a host sent for a candidate, taken apart.

    Args:
        candidate: for which it was asked.
        files: relative name → content; what leads out of the folder is not in it.
    """

    candidate: SourceCandidate
    files: Mapping[str, bytes]


@dataclass(frozen=True)
class Draft:
    """What may become an instance.

    Args:
        candidate: that it comes from.
        subset: of the dataset, such as ``equation``.
        structure: the code, or for webpages the base64 of a tar.gz; None where there is none.
        text: the structure reduced to its content; None where there is none.
        image: bytes of a PNG file; empty before it is rendered.
        length: by which difficulty is measured.
        assets: contents of files that an answer may use; the column holds their base64.
        info: what filters and rendering said, for the columns of JSON; JSON.
    """

    candidate: SourceCandidate
    subset: str
    structure: str | None
    text: str | None
    image: bytes
    length: int
    assets: tuple[bytes, ...] = ()
    info: Mapping[str, Any] = field(default_factory=dict)


class Moderation(Protocol):
    """Says whether texts may be published."""

    def __call__(self, texts: Sequence[str]) -> str | None:
        """Returns a reason against any of the texts, or None."""


@dataclass(frozen=True)
class Window:
    """The days of a round, both included."""

    first: date
    last: date

    def __contains__(self, day: date) -> bool:
        return self.first <= day <= self.last

    def __iter__(self) -> Iterator[date]:
        """Yields the days, the first one first.

        >>> [day.day for day in Window(date(2026, 10, 1), date(2026, 10, 3))]
        [1, 2, 3]
        """
        for number in range(self.first.toordinal(), self.last.toordinal() + 1):
            yield date.fromordinal(number)


@dataclass(frozen=True)
class RoundSettings:
    """What decides the bytes of a round, beside what hosts say.

    Args:
        domain: ``latex``, ``webpage`` or ``music``.
        window: the days of the round.
        count: instances of each subset.
        per_day: instances of one day in a subset, at most.
        seed: of everything that is left to chance.
        protocol: ``published`` or ``corrected``.
        licenses: those that are admitted; empty admits all.
        moderation: ``perspective`` or the address of a service; "" where it was turned off.
        addresses: base address of each host by its name.
    """

    domain: str
    window: Window
    count: int
    per_day: int
    seed: int
    protocol: ProtocolName
    licenses: frozenset[str]
    moderation: str
    addresses: Mapping[str, str]

    def document(self) -> str:
        """As JSON; equal for equal settings."""
        fields = {**asdict(self), "licenses": sorted(self.licenses)}
        return json.dumps(fields, default=str, sort_keys=True)


@dataclass(frozen=True)
class Tools:
    """What the functions of a `Collector` may use.

    Args:
        client: asks hosts, politely, and each question once.
        settings: of the round. ``published`` makes instances as the published rounds, ``corrected`` as
            they were meant (`docs/collecting.md`).
        moderation: says whether texts may be published; None where it was turned off.
    """

    client: "HostClient"
    settings: RoundSettings
    moderation: Moderation | None

    def random(self, *names: str) -> Random:
        """Returns a source of chance that depends on the seed and the names alone.

        >>> day = date(2024, 1, 1)
        >>> settings = RoundSettings("latex", Window(day, day), 1, 1, 7, "corrected", frozenset(), "", {})
        >>> tools = Tools(None, settings, None)
        >>> tools.random("a").random() == tools.random("a").random()
        True
        >>> tools.random("a").random() == tools.random("b").random()
        False
        """
        return Random("\0".join((str(self.settings.seed), *names)))


Filter = Callable[[Subject, Tools], str | None]
"""Returns why a subject is refused, or None. Its `__name__` is what refusals are counted under."""


def check(filters: Iterable[Filter[Subject]], subject: Subject, tools: Tools) -> None:
    """Asks filters one after the other.

    Raises:
        CandidateRefused: the first reason that one has.
    """
    for filter in filters:
        if reason := filter(subject, tools):
            raise CandidateRefused(getattr(filter, "__name__", type(filter).__name__), reason)


@dataclass(frozen=True)
class Listing:
    """One stream of candidates; a round takes from its listings in turn."""

    name: str
    candidates: Callable[[Tools], Iterator[SourceCandidate]]


@dataclass(frozen=True)
class Collector:
    """What happens to candidates of a domain, as a table.

    Args:
        domain: ``latex``, ``webpage`` or ``music``.
        subsets: of the dataset that a round fills.
        addresses: the public hosts by name, which options replace.
        credentials: environment variables that must be set before the first request.
        listings: makes the streams of candidates; they may ask hosts as they are read.
        fetch_filters: look at what the listing said.
        download: asks for a candidate and takes apart what comes; raises `CandidateRefused`.
        file_filters: look at what came.
        drafts: what may become instances, in the order in which they are tried; raises `CandidateRefused`.
        most: drafts of one subset that a candidate may give.
        render: draws a draft; raises `CandidateRefused`.
        rendering_filters: look at the picture.
    """

    domain: str
    subsets: tuple[str, ...]
    addresses: Mapping[str, str]
    credentials: tuple[str, ...]
    listings: tuple[Listing, ...]
    fetch_filters: tuple[Filter[SourceCandidate], ...]
    download: Callable[[SourceCandidate, Tools], Download]
    file_filters: tuple[Filter[Download], ...]
    drafts: Callable[[Download, Tools], Iterator[Draft]]
    most: int
    render: Callable[[Draft, Tools], Draft]
    rendering_filters: tuple[Filter[Draft], ...]
