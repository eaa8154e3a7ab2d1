"""Rows of our own domains: generated ones, and files of code, whose pictures are rendered here."""

import logging
import os
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from helm_structext.data import Row, load_rows
from helm_structext.data.sources import SAMPLES
from helm_structext.errors import RenderError, SetupError
from helm_structext.formats import check_format, rendered_formats
from helm_structext.image2struct.tasks import FILES, SCENES, difficulties
from helm_structext.processes import map_in_threads
from helm_structext.protocols import OWN_PROTOCOL
from helm_structext.renderers import render
from helm_structext.results.tabular import list_some
from helm_structext.storage.cache import renderings_folder
from helm_structext.storage.files import read_text

_log = logging.getLogger("helm.structext")

SAMPLE = SAMPLES / "image2struct_formats"
USUAL = ("html", "latex_document", "react", "vega")
"""The formats that a file means whose ending several have."""
OF_TOOLS = frozenset({"node_modules", "__pycache__", "venv"})
MAX_FILE = 10_000_000
"""Bytes of a file of code."""


def format_rows(format: str, subset: str, source: str) -> Iterator[Row]:
    """Yields the rows of a format's subset: of a kind of scenes, or those of files of code.

    Args:
        format: one of `helm_structext.formats.rendered_formats`.
        subset: one of `SCENES`, or `FILES`.
        source: ``sample``, or a folder. A generated one has ``<format>/<subset>/validation*.parquet``,
            or is one of its folders ``<format>``. Any other one has files of code.

    Raises:
        SetupError: there is no such folder, a file can't be read, or more than half of the files of code
            don't render.
    """
    folder = SAMPLE if source == "sample" else Path(source).expanduser()
    if not folder.is_dir():
        raise SetupError(
            f"source={source}: there is no such folder; source is sample, or a folder that "
            "`helm-structext generate image2struct` wrote, or one of files of code"
        )
    made = made_formats(folder)
    if made and format not in made:
        raise SetupError(f"source={source} has scenes in {', '.join(made)}, and none in {format}")
    if made and not _has_scenes(folder):
        folder /= format
    if made:
        if (folder / subset).is_dir():
            yield from load_rows(
                str(folder), benchmark="", dataset="", config=subset, splits=("validation",)
            )
    elif subset == FILES:
        yield from rendered_rows(format, folder)


def _has_scenes(folder: Path) -> bool:
    return any(any((folder / kind).glob("validation*")) for kind in SCENES)


def made_formats(folder: Path) -> list[str]:
    """Returns the formats of a generated folder, or the one of a format's folder in it; of any other, none."""
    if _has_scenes(folder):
        return [folder.name] if folder.name in rendered_formats() else rendered_formats()
    return [format for format in rendered_formats() if _has_scenes(folder / format)]


def formats_of(source: str) -> list[str]:
    """Returns the formats of which a source has generated rows; of a folder of code, those it may be."""
    folder = SAMPLE if source == "sample" else Path(source).expanduser()
    if not folder.is_dir():
        return []
    endings = {file.suffix.lower() for file in code_files(folder)}
    # Of formats that share an ending, one is looked at, or their files would count twice.
    found = {ending: of for of in rendered_formats() for ending in check_format(of).files}
    found |= {ending: of for of in USUAL for ending in check_format(of).files}
    return made_formats(folder) or [
        format for format in rendered_formats() if format in {found.get(one) for one in endings}
    ]


def code_files(folder: Path) -> list[Path]:
    """Returns the files below a folder that may be somebody's code, by name: none of tools, none hidden."""
    return sorted(
        file
        for file in folder.rglob("*")
        if not any(part in OF_TOOLS or part[0] == "." for part in file.relative_to(folder).parts)
        and file.is_file()
    )


@lru_cache(maxsize=8)
def rendered_rows(format: str, folder: Path) -> list[Row]:
    """Returns a row for each file of code below a folder that renders, in the order of their names.

    The longest third is ``hard``, the shortest one ``easy``. What does not render is named in the log.

    Args:
        format: one of `helm_structext.formats.rendered_formats`.
        folder: files in it are known by how their names end (`Format.files`).

    Raises:
        SetupError: there are no such files, one can't be read, or more than half of them don't render.
    """
    endings = check_format(format).files
    files = [file for file in code_files(folder) if file.suffix.lower() in endings]
    if not files:
        raise SetupError(
            f"{folder} has neither generated scenes of {format} nor files of its code "
            f"({', '.join(endings)})"
        )
    made = [*map_in_threads(lambda file: _render_file(format, file), files)]
    failed = {
        str(file.relative_to(folder)): error
        for file, error in zip(files, made, strict=True)
        if isinstance(error, str)
    }
    if failed:
        reasons = [f"{name} ({reason})" for name, reason in failed.items()]
        said = f"{len(failed)} of {len(files)} files in {folder} don't render: {list_some(reasons)}"
        if 2 * len(failed) > len(files):
            raise SetupError(f"{said}. Is this a folder of {format}?")
        _log.warning(said)
    pairs = [(file, one) for file, one in zip(files, made, strict=True) if not isinstance(one, str)]
    names = difficulties([len(one["structure"]) for _, one in pairs])
    return [
        Row(
            {
                **one,
                "uuid": os.fsencode(file.relative_to(folder)).decode("utf-8", "backslashreplace"),
                "category": FILES,
                "difficulty": name,
            },
            str(file),
        )
        for (file, one), name in zip(pairs, names, strict=True)
    ]


def _render_file(format: str, file: Path) -> dict[str, str | bytes] | str:
    """Returns what a row has of a file of code, or why it has no picture."""
    try:
        code = read_text(file, MAX_FILE).strip()  # as extraction gives it
    except SetupError as error:
        return str(error)
    try:
        rendering = render(format, code, protocol=OWN_PROTOCOL, cache=renderings_folder())
    except RenderError as error:
        return str(error)
    assert rendering.path is not None  # there is a cache
    return {"image": rendering.path.read_bytes(), "structure": code, "text": rendering.text}
