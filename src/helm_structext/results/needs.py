"""What a folder of files asks for: a row for each name, with how many files ask, and how many do not get it."""

import os
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from helm_structext.errors import SetupError
from helm_structext.formats import rendered_formats
from helm_structext.renderers.needs import BESIDE, Need, find_needs
from helm_structext.results.tabular import Cell, Column, Table
from helm_structext.texts import describe_error, quote_value

MAX_TEXT = 10_000_000
"""Bytes of a file that are read."""
MAX_ROWS = 40
"""Rows that are printed; files have all."""
MAX_VERSIONS = 3
"""Versions that a row names, those of most files first."""


@dataclass(frozen=True)
class CorpusFile:
    """A file that was read.

    Args:
        format: of `helm_structext.formats.FORMATS`.
        path: where it lies.
        needs: what it asks for.
    """

    format: str
    path: Path
    needs: Sequence[Need]

    @property
    def lacking(self) -> set[str]:
        """The names of what it does not get."""
        return {need.name for need in self.needs if not need.here}


def read_folder(folder: Path) -> Iterator[CorpusFile]:
    """Yields the files of a folder that has a folder for each format, below which they lie.

    Raises:
        SetupError: there is no folder of a format, or a file can't be read.
    """
    known = [name for name in rendered_formats() if (folder / name).is_dir()]
    if not known:
        raise SetupError(
            f"{quote_value(str(folder))} has no folder that is named as a format; "
            f"there are {', '.join(rendered_formats())}"
        )
    for format in known:
        for path in _files_below(folder / format):
            try:
                with path.open("rb") as file:
                    text = file.read(MAX_TEXT).decode("utf-8", "replace")
            except OSError as error:
                raise SetupError(f"{path} can't be read: {describe_error(error)}") from error
            yield CorpusFile(format, path, find_needs(format, text))


def other_folders(folder: Path) -> list[str]:
    """Returns the names of folders that `read_folder` passes over: no format is named so."""
    names = (path.name for path in folder.iterdir() if path.is_dir())
    return sorted({*names} - {*rendered_formats()})


def _files_below(folder: Path) -> Iterator[Path]:
    """All of them, in a fixed order; what is no file, such as a pipe, is passed over."""
    for place, folders, names in os.walk(folder):
        folders.sort()
        yield from filter(Path.is_file, (Path(place, name) for name in sorted(names)))


def needs_tables(files: Sequence[CorpusFile]) -> Iterator[Table]:
    """What files ask for, by name, and how many ask by format.

    Args:
        files: as `read_folder` yields them.
    """
    formats = [*dict.fromkeys(file.format for file in files)]
    groups = {format: [one for one in files if one.format == format] for format in formats}
    yield Table(
        "needs-formats",
        "What files ask for, by format",
        "Ask: files that ask for anything. Lack: those that do not get all of it here. Own files: those "
        "that lack nothing but files which should lie beside them.",
        [Column("Format"), Column("Files"), Column("Ask"), Column("Lack"), Column("Own files")],
        [_count_files(name, group) for name, group in [*groups.items(), ("all", [*files])]],
    )
    table = Table(
        "needs",
        "What files ask for, by name",
        "Files: those that ask for it. Lack: those that do not get it here. Alone: those that lack nothing "
        "else, so that it would complete them. What a program works out before it asks is not found.",
        [
            Column(name)
            for name in ("Name", "Kind", "Versions", "Formats", "Files", "Lack", "Alone")
        ],
        _rows_of_names(files),
    )
    yield replace(table, rows=table.rows[:MAX_ROWS])
    if len(table.rows) > MAX_ROWS:
        yield replace(table, name=f"{table.name}-all", printed=False)


def _count_files(name: str, files: Sequence[CorpusFile]) -> list[Cell]:
    return [
        name,
        len(files),
        sum(bool(one.needs) for one in files),
        sum(bool(one.lacking) for one in files),
        sum(one.lacking == {BESIDE} for one in files),
    ]


def _rows_of_names(files: Sequence[CorpusFile]) -> list[list[Cell]]:
    """Those that most files lack come first."""
    asking: defaultdict[str, list[tuple[CorpusFile, list[Need]]]] = defaultdict(list)
    for file in files:
        for name in dict.fromkeys(need.name for need in file.needs):
            asking[name].append((file, [need for need in file.needs if need.name == name]))
    rows: list[list[Cell]] = []
    for name, pairs in asking.items():
        versions = Counter(need.version for _, needs in pairs for need in needs if need.version)
        rows.append(
            [
                name,
                ", ".join(sorted({need.kind for _, needs in pairs for need in needs})),
                ", ".join(version for version, _ in versions.most_common(MAX_VERSIONS)),
                ", ".join(sorted({file.format for file, _ in pairs})),
                len(pairs),
                sum(name in file.lacking for file, _ in pairs),
                sum(file.lacking == {name} for file, _ in pairs),
            ]
        )
    return sorted(rows, key=lambda row: (-int(str(row[5])), -int(str(row[4])), str(row[0])))
