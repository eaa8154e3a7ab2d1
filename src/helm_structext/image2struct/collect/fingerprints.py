"""By what an instance is recognized again: its picture, its structure and its id."""

import hashlib
import uuid
from collections.abc import Iterator
from pathlib import Path

import PIL

from helm_structext.data import load_rows
from helm_structext.errors import SetupError
from helm_structext.image2struct.collect.filters import white_share
from helm_structext.image2struct.collect.records import CandidateRefused, Draft
from helm_structext.pictures import PictureError, decode
from helm_structext.storage.cache import (
    cache_folder,
    content_key,
    hash_file,
    read_record,
    write_record,
)

_SPLITS = ("validation", "train", "test")
_ENDINGS = (".parquet", ".arrow")


def fingerprints(image: bytes, structure: str | None) -> tuple[str, ...]:
    """Returns what no two instances may share.

    - ``8x8:…``, the average hash of the picture in 8×8 pixels, as compared at the published upload;
    - ``5x5:…``, the same in 5×5 pixels where at most half of the picture is white: there the
      published collector compares these;
    - ``picture:…`` and ``structure:…``, the SHA-256 of the PNG file and of the structure.

    Args:
        image: bytes of a PNG file.
        structure: the code; None where there is none.

    Raises:
        CandidateRefused: the picture can't be read, or the structure is not Unicode.
        SetupError: imagehash is not installed.
    """
    from imagehash import average_hash

    try:
        picture = decode(image)
    except PictureError as error:
        raise CandidateRefused("broken_picture", str(error)) from error
    try:
        code = (structure or "").encode()
    except UnicodeEncodeError as error:
        raise CandidateRefused("not_unicode", f"its structure: {error}") from error
    sizes = (8,) if white_share(picture) > 0.5 else (8, 5)
    found = [f"{size}x{size}:{average_hash(picture, size)}" for size in sizes]
    found.append(f"picture:{hashlib.sha256(image).hexdigest()}")
    if structure is not None:
        found.append(f"structure:{hashlib.sha256(code).hexdigest()}")
    return tuple(found)


def identifier(domain: str, draft: Draft) -> str:
    """Returns the id of an instance: a UUID of its domain, name, subset and picture.

    It doesn't depend on what else a round has, so that it stays when others are taken out.
    """
    digest = hashlib.sha256(draft.image).hexdigest()
    parts = ("helm-structext", domain, draft.candidate.name, draft.subset, digest)
    return str(uuid.uuid5(uuid.NAMESPACE_URL, "/".join(parts)))


def published_fingerprints(folder: Path) -> dict[str, str]:
    """Returns the fingerprints in a folder of published instances, and whose they are.

    They are computed once and kept in the user's cache folder by the content of the files.

    Args:
        folder: ``<config>/<split>*.parquet`` (or ``.arrow``), or such files directly, such as a
            downloaded dataset of the Hub or the folder of a round.

    Raises:
        SetupError: there is no such folder, or it holds no instances that can be read.
    """
    import imagehash

    files = sorted(file for file in folder.rglob("*") if _holds_rows(file))
    if not files:
        raise SetupError(
            f"{folder} holds no published instances: expected <config>/validation*.parquet in it"
        )
    versions = (imagehash.__version__, PIL.__version__)  # which say how pictures are scaled
    key = content_key(*versions, *(_digest(file) for file in files))
    path = cache_folder() / "fingerprints" / f"{key}.json"
    record = read_record(path)
    if record is None:
        # The first instance that has a fingerprint is named.
        record = dict(reversed([*_all_fingerprints(folder, files)]))
        write_record(path, record)
    return record


def _all_fingerprints(folder: Path, files: list[Path]) -> Iterator[tuple[str, str]]:
    for config in sorted({file.parent.name for file in files}):
        rows = load_rows(str(folder), benchmark="", dataset="", config=config, splits=_SPLITS)
        for row in rows:
            structure = row.verbatim("structure") if row.has("structure") else None
            name = row.text("instance_name") if row.has("instance_name") else row.origin
            try:
                found = fingerprints(row.picture("image"), structure)
            except CandidateRefused as refusal:
                raise SetupError(f"{row.origin}: {refusal.reason}") from refusal
            yield from ((fingerprint, name) for fingerprint in found)


def _holds_rows(file: Path) -> bool:
    return file.suffix in _ENDINGS and file.name.startswith(_SPLITS) and file.is_file()


def _digest(file: Path) -> str:
    try:
        return hash_file(file)
    except OSError as error:
        raise SetupError(f"{file} can't be read: {error}") from error
