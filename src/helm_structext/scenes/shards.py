"""The journal of a set: what each of its shards holds, and what was left out of it.

A shard is what came of a fixed range of a kind's numbers: a file for each format, and a record, which
comes last. So a shard without a record is made again.
"""

from collections import Counter
from dataclasses import astuple, dataclass, field
from pathlib import Path
from typing import Any

from helm_structext.data.schemas import SPLIT
from helm_structext.scenes.items import Drop, MadeScene
from helm_structext.storage.cache import read_record, write_record

JOURNAL = "journal"
"""The folder of the records."""

Count = tuple[str, str, str, str]
"""What items are counted by: format, type, language and level."""


@dataclass
class ShardRecord:
    """What a shard holds; sums of several are records, too.

    Args:
        tried: numbers that were tried.
        kept: scenes that are in it.
        items: by format, type, language and level.
        dropped: scenes that were left out, by format and reason: one for each picture that was wrong.
        sums: by format: ``tried`` pictures; of those that are in it ``lines`` of code, ``width`` and
            ``height`` in pixels; ``bytes`` of files, ``num_bytes`` of rows in memory.
        drops: of a shard alone: each picture for which a scene was left out, with the scene's number.
    """

    tried: int = 0
    kept: int = 0
    items: Counter[Count] = field(default_factory=Counter)
    dropped: Counter[tuple[str, str]] = field(default_factory=Counter)
    sums: Counter[tuple[str, str]] = field(default_factory=Counter)
    drops: list[tuple[int, Drop]] = field(default_factory=list)

    def add(self, made: MadeScene) -> None:
        """Takes what came of a number into account."""
        scene = made.scene
        self.tried += 1
        self.kept += bool(made.items)
        for format in made.formats:
            self.sums[format, "tried"] += 1
        for drop in made.drops:
            self.dropped[drop.format, drop.reason] += 1
            self.drops.append((made.number, drop))
        for item in made.items:
            self.items[item.format, scene.type, scene.language, scene.level] += 1
            self.sums[item.format, "lines"] += len(item.code.splitlines())
            for name, pixels in zip(("width", "height"), item.size, strict=True):
                self.sums[item.format, name] += pixels

    def include(self, other: "ShardRecord") -> None:
        """Adds the numbers of a shard."""
        self.tried += other.tried
        self.kept += other.kept
        self.items.update(other.items)
        self.dropped.update(other.dropped)
        self.sums.update(other.sums)


def shard_file(folder: Path, format: str, kind: str, shard: int) -> Path:
    """Returns where a shard of a set has its rows of a format."""
    return folder / format / kind / f"{SPLIT}-{shard:05}.parquet"


def record_file(folder: Path, kind: str, shard: int) -> Path:
    """Returns where the journal has the record of a shard."""
    return folder / JOURNAL / f"{kind}-{shard:05}.json"


def read_shard(folder: Path, kind: str, shard: int) -> ShardRecord | None:
    """Returns what a shard of a set holds, or None where it is not whole."""
    found = read_record(record_file(folder, kind, shard))
    if found is None:
        return None
    record = ShardRecord(
        tried=found["tried"],
        kept=found["kept"],
        items=_read_counts(found["items"]),
        dropped=_read_counts(found["dropped"]),
        sums=_read_counts(found["sums"]),
        drops=[(number, Drop(*drop)) for number, *drop in found["drops"]],
    )
    sizes = [
        (shard_file(folder, format, kind, shard), size)
        for (format, name), size in record.sums.items()
        if name == "bytes"
    ]
    whole = all(file.is_file() and file.stat().st_size == size for file, size in sizes)
    return record if whole else None


def write_shard_record(folder: Path, kind: str, shard: int, record: ShardRecord) -> None:
    """Notes in the journal of a set that a shard is whole.

    Raises:
        SetupError: the folder can't be written.
    """
    fields = {
        "tried": record.tried,
        "kept": record.kept,
        "items": _list_counts(record.items),
        "dropped": _list_counts(record.dropped),
        "sums": _list_counts(record.sums),
        "drops": [[number, *astuple(drop)] for number, drop in record.drops],
    }
    write_record(record_file(folder, kind, shard), fields)


def _list_counts(counts: Counter[Any]) -> list[list[Any]]:
    return [[*key, number] for key, number in sorted(counts.items())]


def _read_counts(rows: list[list[Any]]) -> Counter[Any]:
    return Counter({tuple(key): number for *key, number in rows})
