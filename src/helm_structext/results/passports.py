"""Under which passports the runs of a suite were scored."""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from helm_structext.errors import SetupError
from helm_structext.passport import (
    Passport,
    describe_passports,
    find_differences,
    make_passport,
    read_passport,
)
from helm_structext.results.tabular import Cell, Column, Table
from helm_structext.storage.files import read_json, write_text

FILE = "passport.json"
"""In a run's folder, beside what HELM writes."""
SAME = "The passports are the same: no difference comes from the machine."
REMEDY = "run that entry again with helm-run"


def write_passport(folder: Path, arguments: Mapping[str, object]) -> None:
    """Writes the passport of this machine into the folder of a run that has just been scored here.

    Args:
        folder: of the run.
        arguments: of all its parts: its protocol and its judge can change scores, too.
    """
    said = {name: str(arguments[name]) for name in ("protocol", "judge") if arguments.get(name)}
    document = make_passport().having(**said).document()
    write_text(folder / FILE, json.dumps(document, indent=2) + "\n")


def read_run_passport(folder: Path) -> Passport | None:
    """Returns the passport of a run, or None where it has none that can be read."""
    with suppress(SetupError, ValueError, OSError):
        return read_passport(read_json(folder / FILE, REMEDY))
    return None


def read_passports(suite: Path) -> dict[str, Passport | None]:
    """Returns the passports of a suite's finished runs, by the names of their folders."""
    return {folder.name: read_run_passport(folder) for folder in _finished(suite)}


def passport_line(folders: Iterable[Path]) -> str:
    """Returns a line about the passports of runs, with a warning where they differ; "" where none has one.

    Args:
        folders: of the runs.
    """
    found = [_machine(read_run_passport(folder)) for folder in folders]
    return describe_passports(found) if any(found) else ""


def suite_line(suite: Path) -> str:
    """Returns `passport_line` of a suite's finished runs."""
    return passport_line(_finished(suite))


def _finished(suite: Path) -> list[Path]:
    return [path.parent for path in sorted(suite.glob("*/per_instance_stats.json"))]


def _machine(passport: Passport | None) -> Passport | None:
    """A passport without what runs of a suite may differ in for what they are: tables keep these apart."""
    if passport is None:
        return None
    own = ("protocol", "judge")
    return Passport({name: one for name, one in passport.parts.items() if name not in own})


def _known_machines(suite: Path) -> list[Passport]:
    found = map(_machine, read_passports(suite).values())
    return [*{one.hash: one for one in found if one}.values()]


def passport_tables(suite: Path) -> Iterator[Table]:
    """Yields a table of what the runs of a suite depended on: each part, its value, and how many runs had it."""
    found = [one for one in read_passports(suite).values() if one]
    if not found:
        return
    names = dict.fromkeys(name for one in found for name in one.parts)
    rows: list[list[Cell]] = []
    for name in names:
        values = [one.parts[name] for one in found if name in one.parts]
        rows += [[name, value, values.count(value)] for value in dict.fromkeys(values)]
    columns = [Column("Part"), Column("Version"), Column("Runs")]
    yield Table("passport", "Passport", suite_line(suite), columns, rows)


def machine_tables(old: Path, new: Path) -> Iterator[Table]:
    """Yields a table of what differs between the machines of two suites, or that nothing does.

    Args:
        old: the folder of the one suite.
        new: that of the other.
    """
    passports = {suite: _known_machines(suite) for suite in (old, new)}
    columns = [Column("Part"), Column("Old"), Column("New")]
    if not all(passports.values()):
        lacking = " and ".join(suite.name for suite, found in passports.items() if not found)
        note = (
            f"{lacking} has no passport: whether a difference comes from the machine is not known."
        )
        yield Table("machine", "What differs of the machines", note, columns, [])
        return
    rows: list[list[Cell]] = []
    for name in find_differences([one for found in passports.values() for one in found]):
        values = [
            " or ".join(dict.fromkeys(one.parts.get(name, "-") for one in passports[suite]))
            for suite in (old, new)
        ]
        rows.append([name, *values])
    warning = (
        "Differences between the suites may come from these, and not from the models: score one of them again "
        "where the other was before you rank them together."
    )
    yield Table("machine", "What differs of the machines", warning if rows else SAME, columns, rows)
