"""Rows of Image2Struct's datasets, and what they say."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from helm_structext.data import NEWEST, Row, load_rows
from helm_structext.data.archives import asset_names, unpack_repository
from helm_structext.errors import SetupError
from helm_structext.image2struct.format_rows import format_rows
from helm_structext.image2struct.tasks import DOMAINS, PUBLISHED_DOMAINS, Domain
from helm_structext.storage.cache import store
from helm_structext.texts import one_line

MAX_NAME = 80
"""Characters of the name of a round or a scene."""


def rows_of(
    name: str, subset: str, difficulty: str, source: str, revision: str = NEWEST
) -> Iterator[Row]:
    """Yields the rows of a domain's subset, in the source's order.

    Args:
        name: a key of `DOMAINS`.
        subset: one of the domain's subsets.
        difficulty: ``all``, ``easy``, ``medium`` or ``hard``.
        source: ``hub``, ``sample`` or a folder (`helm_structext.data.load_rows`).
        revision: of the published dataset.

    Raises:
        SetupError: the source can't be read, or a row lacks a column.
    """
    if name in PUBLISHED_DOMAINS:
        rows = load_rows(
            source,
            benchmark=name,
            dataset=DOMAINS[name].dataset,
            config=subset,
            splits=("validation",),
            revision=revision,
        )
    else:
        rows = format_rows(DOMAINS[name].format, subset, source)
    for row in rows:
        # The published datasets hold a few rows of other categories.
        if row.text("category") != subset:
            continue
        if difficulty == "all" or row.text("difficulty") == difficulty:
            yield row


def rows_of_run(
    name: str, subset: str, difficulty: str, source: str, revision: str = NEWEST
) -> Iterator[tuple[Row, str]]:
    """Yields the rows of a run, each with the subset that it is in.

    Args:
        name: a key of `DOMAINS`.
        subset: one of the domain's subsets, or ``all``: those with a ground truth.
        difficulty: see `rows_of`; so are `source` and `revision`.

    Raises:
        SetupError: see `rows_of`; or there are no rows, or two with one uuid.
    """
    seen = set()
    for part in DOMAINS[name].subsets if subset == "all" else (subset,):
        for row in rows_of(name, part, difficulty, source, revision):
            if (uuid := row.text("uuid")) in seen:
                raise SetupError(f"{row.origin} has the uuid of an earlier row, '{uuid}'")
            seen.add(uuid)
            yield row, part
    if not seen:
        raise SetupError(
            f"source={source} has no {name} instance with subset={subset} "
            f"and difficulty={difficulty}"
        )


def round_of(row: Row) -> str:
    """Returns the name of the round of collecting that a row is from, or "" if it names none.

    >>> round_of(Row({"additional_info": '{"round": "2026-10-01..2026-10-31"}'}, "row 0"))
    '2026-10-01..2026-10-31'
    >>> round_of(Row({"additional_info": "[]"}, "row 0")), round_of(Row({}, "row 0"))
    ('', '')
    """
    return _info(row, "round")


SCENE = {"scene": "scene", "scene_type": "type", "scene_language": "language"}
"""What is kept of the scene that a generated row shows, to where the row has it."""


def scene_of(row: Row) -> dict[str, str]:
    """Returns the name, the type and the language of the scene that a generated row shows, as far as it has them.

    >>> scene_of(Row({"additional_info": '{"scene": "3f9a", "type": "pie", "language": "ja"}'}, "row 0"))
    {'scene': '3f9a', 'scene_type': 'pie', 'scene_language': 'ja'}
    """
    found = {name: _info(row, key) for name, key in SCENE.items()}
    return {name: value for name, value in found.items() if value} if found["scene"] else {}


def _info(row: Row, key: str) -> str:
    if not row.has("additional_info"):
        return ""
    try:
        match json.loads(row.verbatim("additional_info")):
            case dict(info) if isinstance(name := info.get(key), str):
                return one_line(name, MAX_NAME)
    except (ValueError, RecursionError):  # other datasets may hold anything there
        pass
    return ""


@dataclass(frozen=True)
class Image2StructQuestion:
    """What a row says: the picture, what may be used, and what is known of the answer.

    Args:
        uuid: the row's id.
        picture: bytes of a PNG file.
        prompt: the domain's, with the names of the assets.
        assets: files that a completion may refer to: name to content.
        text: the structure reduced to its content; empty where there is none.
        oracle: a right completion, or None; only the oracle model sees it.
    """

    uuid: str
    picture: bytes
    prompt: str
    assets: Mapping[str, bytes]
    text: str
    oracle: str | None


def read_problem(row: Row, domain: Domain, subset: str) -> Image2StructQuestion:
    """Reads a row of a domain's dataset.

    Args:
        row: as published, or as `helm_structext.scenes` writes it.
        domain: whose row it is.
        subset: its subset, which says whether it has a structure.

    Raises:
        SetupError: the row lacks a column, or holds a broken picture or archive.
    """
    texts = read_texts(row, domain, subset)
    return Image2StructQuestion(row.text("uuid"), row.picture("image"), **texts)


def read_texts(row: Row, domain: Domain, subset: str) -> dict[str, Any]:
    """Returns what a row says but for its picture: the other arguments of `Image2StructQuestion`.

    Args:
        row: see `read_problem`; so are the others.
        domain: see there.
        subset: see there.

    Raises:
        SetupError: the row lacks a column, or holds a broken archive.
    """
    structure = text = oracle = None
    assets: dict[str, bytes] = {}
    if domain.has_structure(subset):
        structure, text = row.verbatim("structure"), row.verbatim("text")
        oracle = structure
    elif row.has("oracle_structure"):
        oracle = row.verbatim("oracle_structure")
    # Ours are files in JSON, as a model writes them.
    if structure is not None and domain.format == "webpage" and domain.dataset:
        try:
            oracle, assets = repository_completion(structure)
        except ValueError as error:
            raise SetupError(f"{row.origin}: column 'structure': {error}") from error
    prompt = domain.prompt + _asset_list(assets)
    return {"prompt": prompt, "assets": assets, "text": text or "", "oracle": oracle}


def store_assets(folder: Path, problem: Image2StructQuestion) -> dict[str, Path]:
    """Puts the files that a completion may refer to into a folder: name to file.

    Raises:
        SetupError: the folder is not writable.
    """
    return {
        name: store(folder, content, name.rpartition(".")[2].lower())
        for name, content in problem.assets.items()
    }


def _asset_list(assets: Mapping[str, bytes]) -> str:
    if not assets:
        return ""
    return "\nYou have access to the following assets:\n" + "".join(
        f"- {name}\n" for name in assets
    )


def repository_completion(structure: str) -> tuple[str, dict[str, bytes]]:
    """Returns a repository as a model would write it, and the assets that it may refer to.

    The completion has all files but the assets. Code fences and closing tags in them are escaped,
    as JSON allows, so that no extraction takes what they enclose for the answer.

    Args:
        structure: base64 of a tar.gz archive.

    Returns:
        The completion, and name → content of the assets.

    Raises:
        ValueError: see `helm_structext.data.archives.unpack_repository`.
    """
    files = unpack_repository(structure)
    assets = {name: files[name] for name in asset_names(files)}
    listed = [
        {"filename": name, "content": content.decode("utf-8", "replace")}
        for name, content in files.items()
        if name not in assets
    ]
    completion = json.dumps(listed, ensure_ascii=False)
    return completion.replace("```", r"\u0060\u0060\u0060").replace("</", r"<\/"), assets
