"""A round's instances as a dataset in the published schema, which `source=FOLDER` reads.

A folder has a card only when the dataset in it is whole: the card goes first and comes last.
"""

import base64
import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from helm_structext.data.schemas import FEATURES, SPLIT, image2struct_schema, open_row_file
from helm_structext.errors import SetupError
from helm_structext.image2struct.collect.fingerprints import identifier
from helm_structext.image2struct.collect.records import Draft, RoundSettings
from helm_structext.image2struct.tasks import DOMAINS, difficulties
from helm_structext.storage.cache import hash_file, sync_folder, write_atomically
from helm_structext.texts import describe_error, utf8

CARD = "README.md"
FILE = f"{SPLIT}-00000-of-00001.parquet"

REPORTS = ("file_filters", "compilation_info", "rendering_filters")
"""Columns of what filters and rendering said, by the keys of `Draft.info`."""

_UNFINISHED = ".unfinished"


@dataclass(frozen=True)
class Round:
    """What all instances of a round have in common.

    Args:
        settings: that it was made by.
        scraped: the day on which it began.

    >>> from helm_structext.image2struct.collect.records import Window
    >>> day = date(2026, 10, 1)
    >>> window = Window(day, date(2026, 10, 31))
    >>> Round(RoundSettings("latex", window, 9, 9, 0, "corrected", frozenset(), "", {}), day).name
    '2026-10-01..2026-10-31'
    """

    settings: RoundSettings
    scraped: date

    @property
    def name(self) -> str:
        """The window, as instances and tables name the round."""
        return f"{self.settings.window.first}..{self.settings.window.last}"


@dataclass(frozen=True)
class Config:
    """What a subset's file holds, for the card.

    Args:
        features: its columns, in order.
        difficulties: ``easy``, ``medium`` and ``hard`` to the number of instances.
        licenses: license to the number of instances; "" where the host named none.
        first: the oldest date of an instance.
        last: the newest.
        num_bytes: of the rows in memory.
        download_size: of the file.
    """

    features: Sequence[str]
    difficulties: Mapping[str, int]
    licenses: Mapping[str, int]
    first: date
    last: date
    num_bytes: int
    download_size: int

    @property
    def num_examples(self) -> int:
        """Number of instances."""
        return sum(self.difficulties.values())


def write_dataset(
    folder: Path,
    made: Round,
    subsets: Mapping[str, Iterable[Draft]],
    card: Callable[[Mapping[str, Config]], str],
) -> None:
    """Writes a round as ``<subset>/validation-00000-of-00001.parquet`` and a card, or nothing.

    The same instances give the same bytes (with the same pyarrow), and files that are there with
    these bytes stay untouched.

    Args:
        folder: of the dataset; other files in it stay.
        made: the round.
        subsets: subset to its instances, which are gone through twice; one without any has no file.
        card: makes the content of ``README.md`` of what the files hold (`card.card_of`).

    Raises:
        SetupError: there are no instances, the disk is full or the folder not writable; the folder
            then holds what it held, or no card.
    """
    staging = folder / _UNFINISHED
    try:
        shutil.rmtree(staging, ignore_errors=True)
        configs = {}
        for subset, drafts in subsets.items():
            names = difficulties([draft.length for draft in drafts])
            if names:
                file = staging / subset / FILE
                configs[subset] = _write_parquet(file, made, subset, drafts, names)
        if not configs:
            raise SetupError(
                "the round has no instances to write; a longer window (--from, --to) has more "
                "candidates, and `helm-structext collect status` says why they were refused"
            )
        write_atomically(staging / CARD, utf8(card(configs)))
        _publish(staging, folder)
    except OSError as error:
        raise SetupError(
            f"{folder} can't be written ({describe_error(error)}); make room there, or name another "
            f"folder, and start the same command again"
        ) from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _publish(staging: Path, folder: Path) -> None:
    """Moves a whole dataset to its place."""
    new = sorted(file.relative_to(staging) for file in staging.rglob("*") if file.is_file())
    # Configs of an earlier state that have no instances any more.
    gone = {file.relative_to(folder) for file in folder.glob(f"*/{FILE}")} - {*new}
    gone -= {Path(_UNFINISHED, FILE)}
    changed = [name for name in new if not _same(staging / name, folder / name)]
    if not changed and not gone:
        return
    (folder / CARD).unlink(missing_ok=True)
    sync_folder(folder)
    for name in gone:
        (folder / name).unlink()
    for name in changed:
        if name != Path(CARD):
            (folder / name).parent.mkdir(exist_ok=True)
            (staging / name).replace(folder / name)
            sync_folder((folder / name).parent)
    sync_folder(folder)
    (staging / CARD).replace(folder / CARD)
    sync_folder(folder)


def _write_parquet(
    file: Path, made: Round, subset: str, drafts: Iterable[Draft], names: Sequence[str]
) -> Config:
    features = _features(made, subset)
    licenses: Counter[str] = Counter()
    days = []
    with open_row_file(file, image2struct_schema(features)) as rows:
        for draft, name in zip(drafts, names, strict=True):
            rows.add(_row(draft, made, name))
            licenses[draft.candidate.license] += 1
            days.append(draft.candidate.day)
    return Config(
        features,
        *(Counter(names), licenses, min(days), max(days), rows.num_bytes, file.stat().st_size),
    )


def _features(made: Round, subset: str) -> list[str]:
    """The columns of a subset, in the published order."""
    structured = DOMAINS[f"image2struct_{made.settings.domain}"].has_structure(subset)
    return [name for name in FEATURES if structured or name not in ("structure", "text")]


def _row(draft: Draft, made: Round, difficulty: str) -> dict[str, Any]:
    candidate = draft.candidate
    info = {"group": candidate.group, "license": candidate.license, "owner": candidate.owner}
    reports: dict[str, Any] = {name: draft.info.get(name, {}) for name in REPORTS}
    others = {name: value for name, value in draft.info.items() if name not in REPORTS}
    if others:
        reports["compilation_info"] = {**reports["compilation_info"], **others}
    values = {
        "download_url": candidate.url,
        "instance_name": candidate.name,
        "date": str(candidate.day),
        "additional_info": {**candidate.info, **info, "round": made.name},
        "date_scrapped": str(made.scraped),
        **reports,
        "category": draft.subset,
        "uuid": identifier(made.settings.domain, draft),
        "length": draft.length,
    }
    row = {
        "structure": draft.structure,
        # A lone surrogate of a page's text is no reason against the page.
        "text": draft.text and draft.text.encode("utf-8", "replace").decode(),
        "image": {"bytes": draft.image, "path": None},
        **{name: json.dumps(value) for name, value in values.items()},
        "assets": [base64.b64encode(asset).decode() for asset in draft.assets],
        "difficulty": difficulty,
    }
    return {name: row[name] for name in _features(made, draft.subset)}


def _same(one: Path, other: Path) -> bool:
    """Whether two files hold the same bytes; the other may be missing."""
    return other.is_file() and hash_file(one) == hash_file(other)
