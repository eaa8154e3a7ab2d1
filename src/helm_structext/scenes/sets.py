"""Sets of scenes as datasets in the published schema, which `source=FOLDER` reads.

Numbers are made in order on all cores, and written by shards. What was killed goes on with the first shard
that is not whole, and gives the same bytes. A folder has a card only when the set in it is whole.
"""

import itertools
import json
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from helm_structext import __version__
from helm_structext.data.schemas import RowFile, image2struct_schema, open_row_file
from helm_structext.errors import SetupError
from helm_structext.processes import map_in_threads
from helm_structext.progress import progress
from helm_structext.renderers import engine_of, render
from helm_structext.scenes.card import CARD, card_of
from helm_structext.scenes.items import Drop, MadeScene, Renderer, make_scene, row_of
from helm_structext.scenes.settings import SetSettings
from helm_structext.scenes.shards import ShardRecord, read_shard, shard_file, write_shard_record
from helm_structext.storage.cache import sync_folder
from helm_structext.storage.files import read_json, write_text
from helm_structext.storage.locks import hold_files
from helm_structext.texts import describe_error, quote_value

if TYPE_CHECKING:
    import pyarrow as pa

SETTINGS = "set.json"
"""The file that says what a set is made by."""

NUMBERS = 500
"""Numbers of a shard."""

PATIENCE = 200
"""Numbers in a row of which nothing may be kept."""

_LOCK, _UNFINISHED = ".lock", ".unfinished"


def generate_set(
    settings: SetSettings, folder: Path, renderer: Renderer = render
) -> dict[str, ShardRecord]:
    """Makes a set, or what is missing of it: ``<format>/<kind>/validation-00000.parquet``, … and a card.

    Args:
        settings: of the set.
        folder: of the set; it is new, or holds what has been made of this one.
        renderer: makes the pictures.

    Returns:
        Kind to what the set holds of it.

    Raises:
        SetupError: the machine can't render, nothing can be kept, the folder holds something else,
            another process writes it, or it can't be written. What is whole by then stays.
    """
    schema = image2struct_schema()
    with hold_files(folder / _LOCK):
        versions = {format: engine_of(format).version() for format in settings.formats}
        versions = {"helm-structext": __version__, **versions}
        _check_folder(folder, {"settings": settings.document(), "versions": versions})
        made = {kind: ShardRecord() for kind in settings.kinds}
        try:
            for kind, found in made.items():
                for record in _make_shards(settings, kind, folder, renderer, schema):
                    found.include(record)
            write_text(folder / CARD, card_of(settings, versions, made))
        except OSError as error:
            if error.filename and not Path(error.filename).is_relative_to(folder):
                raise
            raise SetupError(
                f"{folder} can't be written ({describe_error(error)}); make room there, and start "
                f"the same command again"
            ) from error
        finally:
            shutil.rmtree(folder / _UNFINISHED, ignore_errors=True)
        return made


def _check_folder(folder: Path, about: Mapping[str, Mapping[str, object]]) -> None:
    """Looks whether a folder is of this set, and notes it in a new one."""
    file = folder / SETTINGS
    if not file.exists():
        # What was killed while it wrote the settings leaves a file that begins as theirs.
        ours = (_LOCK, f".{SETTINGS}.")
        names = (path.name for path in folder.iterdir())
        if other := next((name for name in names if not name.startswith(ours)), None):
            raise SetupError(f"{folder} holds something else ({other}); name a new folder")
        write_text(file, json.dumps(about, indent=2) + "\n")
        return
    match read_json(file, "name a new folder"):
        case {"settings": dict(settings), "versions": dict(versions)}:
            found = {"settings": settings, "versions": versions}
        case _:
            raise SetupError(f"{file} is not of a set; name a new folder")
    for what, now in about.items():
        differing = [
            f"{name} {quote_value(found[what].get(name), 300)}, not {quote_value(value, 300)}"
            for name, value in now.items()
            if found[what].get(name) != value
        ]
        if differing:
            raise SetupError(
                f"{folder} holds a set of other {what}: {'; '.join(differing)}. The same ones go on with "
                f"it; or name a new folder"
            )


def _make_shards(
    settings: SetSettings, kind: str, folder: Path, renderer: Renderer, schema: "pa.Schema"
) -> Iterator[ShardRecord]:
    """Yields what each shard of a kind holds, those that are there and those that are made."""
    kept, record = 0, ShardRecord()
    numbers = (
        number
        for shard in itertools.count()
        if read_shard(folder, kind, shard) is None
        for number in range(shard * NUMBERS, (shard + 1) * NUMBERS)
    )
    make = partial(make_scene, settings, kind, renderer=renderer)
    with closing(map_in_threads(make, numbers)) as stream:
        scenes = progress(
            _expect_some(stream, kind),
            f"making scenes of {kind}",
            note=lambda: f"{kept + record.kept:,} of {settings.count:,} kept",
        )
        for shard in itertools.count():
            if there := read_shard(folder, kind, shard):
                record = there
            else:
                record = ShardRecord()
                (folder / CARD).unlink(missing_ok=True)
                rows = _rows_of(settings, scenes, record, settings.count - kept)
                _write_shard(folder, kind, shard, schema, rows, record)
            kept += record.kept
            yield record
            record = ShardRecord()
            if kept >= settings.count:
                return


def _expect_some(stream: Iterable[MadeScene], kind: str) -> Iterator[MadeScene]:
    """Ends with an error where nothing is kept of many scenes in a row."""
    in_vain: list[Drop] = []
    tried = 0
    for made in stream:
        tried = 0 if made.items else tried + 1
        in_vain = [*in_vain, *made.drops] if tried else []
        if tried == PATIENCE:
            reasons = Counter(f"{drop.format} {drop.reason}".strip() for drop in in_vain)
            often = ", ".join(f"{reason} ({number})" for reason, number in reasons.most_common(5))
            said = next((f"; such as: {drop.said}" for drop in in_vain if drop.said), "")
            raise SetupError(
                f"none of {PATIENCE} scenes of {kind} in a row can be used: {often}{said}. "
                f"`helm-structext doctor` says what this machine lacks; other formats or languages may do"
            )
        yield made


def _rows_of(
    settings: SetSettings, scenes: Iterator[MadeScene], record: ShardRecord, wanted: int
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields the rows of a shard, each with its format, and notes in its record what they are."""
    for made in itertools.islice(scenes, NUMBERS):
        record.add(made)
        for item in made.items:
            yield item.format, row_of(settings, made, item)
        if record.kept == wanted:
            return


def _write_shard(
    folder: Path,
    kind: str,
    shard: int,
    schema: "pa.Schema",
    rows: Iterable[tuple[str, dict[str, Any]]],
    record: ShardRecord,
) -> None:
    """Writes rows beside a set first, then to their places, and notes that these are whole."""
    staging = folder / _UNFINISHED
    shutil.rmtree(staging, ignore_errors=True)
    files: dict[str, RowFile] = {}
    with ExitStack() as stack:
        for format, row in rows:
            if format not in files:
                opened = open_row_file(staging / format, schema)
                files[format] = stack.enter_context(opened)
            files[format].add(row)
    for format, written in files.items():
        file = shard_file(folder, format, kind, shard)
        file.parent.mkdir(parents=True, exist_ok=True)
        (staging / format).replace(file)
        sync_folder(file.parent)
        record.sums[format, "bytes"] = file.stat().st_size
        record.sums[format, "num_bytes"] = written.num_bytes
    write_shard_record(folder, kind, shard, record)
