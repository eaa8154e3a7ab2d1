"""What may not be published: takedowns, by whatever they name."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from helm_structext.errors import SetupError
from helm_structext.image2struct.collect.records import SourceCandidate


@dataclass(frozen=True)
class BlockList:
    """Entries that each name what may not be in any dataset.

    An entry is the name of a candidate, an owner, an id (`fingerprints.identifier`), a fingerprint
    with or without its kind, or an address: that of the download, one above it, or one that ends in
    the name. Capitals don't matter.

    Args:
        entries: as read from a file, in lower case.

    >>> from datetime import date
    >>> page = SourceCandidate("ann/a", "css", "ann", date(2026, 11, 1), "https://example.org/ann/a/tar", "")
    >>> BlockList(frozenset({"https://example.org/ann"})).reason(page)
    'the block list has https://example.org/ann'
    >>> BlockList(frozenset({"https://example.org/an"})).reason(page)
    >>> BlockList(frozenset({"0123"})).reason(page, ["8x8:0123"])
    'the block list has 0123'
    """

    entries: frozenset[str] = frozenset()

    def reason(self, candidate: SourceCandidate, keys: Iterable[str] = ()) -> str | None:
        """Returns why a candidate, or an instance of it, is blocked, or None.

        Args:
            candidate: what the listing said.
            keys: the instance's id and fingerprints.
        """
        keys = list(keys)
        names = [candidate.name, candidate.owner, *keys, *(key.partition(":")[2] for key in keys)]
        found = self.entries.intersection(name.casefold() for name in names if name)
        if self.entries:
            found |= {entry for entry in self.entries if _leads_to(entry, candidate)}
        return f"the block list has {min(found)}" if found else None


def read_block_list(file: Path) -> BlockList:
    """Reads a file with an entry on each line; what follows ``#`` after a blank is a remark.

    Raises:
        SetupError: it can't be read.
    """
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SetupError(f"the block list {file} can't be read: {error}") from error
    entries = (f" {line}".partition(" #")[0].strip().rstrip("/").casefold() for line in lines)
    return BlockList(frozenset(filter(None, entries)))


def _leads_to(entry: str, candidate: SourceCandidate) -> bool:
    """Whether an entry is an address of the candidate."""
    if "://" not in entry:
        return False
    url = f"{candidate.url.casefold()}/"
    return url.startswith(f"{entry}/") or entry.endswith(f"/{candidate.name.casefold()}")
