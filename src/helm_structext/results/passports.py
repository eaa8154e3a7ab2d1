"""Under which passports the runs of a suite were scored, and the answers of a file of scores."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from helm_structext.errors import SetupError
from helm_structext.passport import (
    Passport,
    describe_hashes,
    describe_passports,
    explain_part,
    find_differences,
    join_passports,
    make_passport,
    read_passport,
)
from helm_structext.results.resuming import whole_lines
from helm_structext.results.tabular import Cell, Column, Table, list_some
from helm_structext.storage.files import read_json, write_text
from helm_structext.texts import json_line, utf8

FILE = "passport.json"
"""In a run's folder, beside what HELM writes."""
SAME = "The passports are the same: no difference comes from the machine."
BESIDE = ".passports.json"
"""Behind the name of a file of scores: the passports of its answers, by their hashes."""
MAX_BESIDE = 1000
"""Passports that are read of such a file."""
REMEDY = "run that entry again with helm-run"


def write_passport(folder: Path, arguments: Mapping[str, object]) -> None:
    """Writes the passport of this machine into the folder of a run that has just been scored here.

    Args:
        folder: of the run.
        arguments: of all its parts: its protocol and its judge can change scores, too.
    """
    said = {name: str(arguments[name]) for name in ("protocol", "judge") if arguments.get(name)}
    _write(folder, make_passport().having(**said))


def join_run_passports(folder: Path, parts: Sequence[Path]) -> None:
    """Makes the passport of a run that was put together one of all places where its parts were scored.

    Args:
        folder: of the run, with the passport of the place where it was put together.
        parts: the folders of its parts. Where one has none, it is not known, and the run has none.
    """
    found = [read_run_passport(one) for one in (folder, *parts)]
    known = [one for one in found if one]
    if len(known) == len(found):
        _write(folder, join_passports(known))
    else:
        (folder / FILE).unlink(missing_ok=True)


def _write(folder: Path, passport: Passport) -> None:
    write_text(folder / FILE, json.dumps(passport.document(), indent=2) + "\n")


def read_run_passport(folder: Path) -> Passport | None:
    """Returns the passport of a run, or None where it has none that can be read."""
    with suppress(SetupError, ValueError, OSError):
        return read_passport(read_json(folder / FILE, REMEDY))
    return None


def read_passports(suite: Path) -> dict[str, Passport | None]:
    """Returns the passports of a suite's finished runs, by the names of their folders."""
    return {folder.name: read_run_passport(folder) for folder in _find_finished(suite)}


def passport_line(folders: Iterable[Path]) -> str:
    """Returns a line about the passports of runs, with a warning where they differ; "" where none has one.

    Args:
        folders: of the runs.
    """
    found = [_machine(read_run_passport(folder)) for folder in folders]
    return describe_passports(found) if any(found) else ""


def suite_line(suite: Path) -> str:
    """Returns `passport_line` of a suite's finished runs."""
    return passport_line(_find_finished(suite))


def stamp_lines(output: Path, results: Iterable[Mapping[str, object]]) -> Iterator[bytes]:
    """Yields the lines of results with the hash of this machine's passport, which is written beside them.

    It is written with the first line: who scores nothing leaves the files as they are.

    Args:
        output: the file of scores that the lines are for.
        results: the lines' fields.
    """
    passport: Passport | None = None
    for fields in results:
        if passport is None:
            passport = make_passport()
            keep_beside(output, [passport])
        yield utf8(json_line({**fields, "passport": passport.hash}))


def carry_passports(shards: Iterable[Path], output: Path) -> None:
    """Writes beside a file of scores what stands beside those that it is put together from."""
    keep_beside(output, [one for shard in shards for one in read_beside(shard).values()])


def keep_beside(output: Path, passports: Iterable[Passport]) -> None:
    """Writes passports beside a file that depends on them, with those that are there.

    Args:
        output: the file, which may come later.
        passports: of the machine that makes it, or a part of it.
    """
    there = read_beside(output)
    found = there | {one.hash: one for one in passports}
    if found != there:
        documents = [one.document() for one in found.values()]
        write_text(_beside(output), json.dumps(documents, indent=2) + "\n")


def _beside(output: Path) -> Path:
    return output.with_name(output.name + BESIDE)


def read_beside(scores: Path) -> dict[str, Passport]:
    """Returns the passports that stand beside a file of scores, by their hashes; none where that can't be read."""
    with suppress(SetupError, ValueError, OSError):
        documents = read_json(_beside(scores), REMEDY)
        if isinstance(documents, list):
            found = map(read_passport, documents[:MAX_BESIDE])
            return {one.hash: one for one in found}
    return {}


def beside_line(output: Path) -> str:
    """Returns a line about the passports that stand beside a file, with a warning where they differ.

    Args:
        output: what was made under each of them, in part.
    """
    known = read_beside(output)
    return describe_hashes(Counter(dict.fromkeys(known, 1)), known, "start")


def scores_line(scores: Path) -> str:
    """Returns a line about the passports of a file of scores, with a warning where they differ.

    Args:
        scores: a file that `stamp_lines` wrote, or an earlier version without passports: then "".
    """
    found = (fields.get("passport") for _, _, fields in whole_lines(scores))
    counts = Counter(one if isinstance(one, str) and one.isalnum() else None for one in found)
    return describe_hashes(counts, read_beside(scores), "answer") if {*counts} - {None} else ""


def _find_finished(suite: Path) -> list[Path]:
    return [path.parent for path in sorted(suite.glob("*/per_instance_stats.json"))]


def _machine(passport: Passport | None) -> Passport | None:
    """A passport without what runs of a suite may differ in for what they are: tables keep these apart."""
    if passport is None:
        return None
    own = ("protocol", "judge")
    return Passport({name: one for name, one in passport.parts.items() if name not in own})


def _find_machines(suite: Path) -> list[Passport]:
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
    passports = {suite: _find_machines(suite) for suite in (old, new)}
    if not all(passports.values()):
        lacking = " and ".join(suite.name for suite, found in passports.items() if not found)
        yield unknown_machine(lacking)
        return
    rows: list[list[Cell]] = []
    for name in find_differences([one for found in passports.values() for one in found]):
        values = [
            " or ".join(dict.fromkeys(one.parts.get(name, "-") for one in passports[suite]))
            for suite in (old, new)
        ]
        rows.append([name, explain_part(name), *values])
    warning = (
        "Differences between the suites may come from these, and not from the models: score one of them again "
        "where the other was before you rank them together."
    )
    note = f"{warning} {_compare_runs(old, new)}".strip() if rows else SAME
    yield _machine_table(note, rows)


def unknown_machine(name: str) -> Table:
    """Returns an empty table that says of what it is not known where it was scored."""
    note = f"{name} has no passport: whether a difference comes from the machine is not known."
    return _machine_table(note, [])


def _machine_table(note: str, rows: list[list[Cell]]) -> Table:
    columns = [Column("Part"), Column("Can change"), Column("Old"), Column("New")]
    return Table("machine", "What differs of the machines", note, columns, rows)


def _compare_runs(old: Path, new: Path) -> str:
    """Of the runs that both suites have: in which a difference can come from the machine, and in which not."""
    before, after = ({n: _machine(p) for n, p in read_passports(one).items()} for one in (old, new))
    both = [name for name in before if name in after]
    same = [name for name in both if before[name] and before[name] == after[name]]
    if not both:
        return ""
    if not same:
        return f"No run that both have is of the same passport: in {list_some(both)} what changed may come from the machine."
    others = [name for name in both if name not in same]
    said = (
        f"{len(same)} of {len(both)} runs that both have are of the same passport: what changed in these does "
        "not come from the machine."
    )
    return f"{said} In {list_some(others)} it may." if others else said
