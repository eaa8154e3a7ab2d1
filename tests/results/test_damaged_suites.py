"""Suites on a disk that was damaged: an error that names the run, or a harmless difference."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from helm_structext.completions.predictions import export_requests
from helm_structext.errors import SetupError
from helm_structext.image2struct.results import read_run
from helm_structext.results.runs import finished_runs
from helm_structext.structeval.results import read_run as read_structeval
from support.damage import ANY_FILE
from support.image2struct_answers import result, write_suite

FILES = ("run_spec.json", "per_instance_stats.json", "scenario_state.json")
VALUES = (None, 7, "x", [], {}, 10**400)
SUITE = Path("benchmark_output/runs/s")


@pytest.fixture
def run(tmp_path, monkeypatch) -> Path:
    """The folder of a run with two answers."""
    folder = write_suite(tmp_path / "suite", [result("x/m", "0", 0.5), result("x/m", "1", 0.6)])
    monkeypatch.chdir(folder)
    (run,) = SUITE.iterdir()
    return run


def read_suite() -> None:
    for run in finished_runs(SUITE, {"image2struct_latex"}):
        list(read_run(run))


def read_as_structeval() -> None:
    for run in finished_runs(SUITE, {"image2struct_latex"}):
        list(read_structeval(run))


def export() -> None:
    list(export_requests(SUITE))


READERS: dict[str, Callable[[], None]] = {
    "tables": read_suite,
    "structeval": read_as_structeval,
    "export": export,
}


def refused(read: Callable[[], None], what: str) -> bool:
    """Whether reading ends in the one error that it may."""
    try:
        read()
    except SetupError as error:
        said = str(error)
    else:
        return False
    assert str(SUITE) in said, what
    assert len(said) < 2000, what
    return True


def spots(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The ways to all parts of a JSON value; of lists to the first item's."""
    if way:
        yield way
    inner = (
        value.items()
        if isinstance(value, dict)
        else list(enumerate(value))[:1]
        if isinstance(value, list)
        else ()
    )
    for key, item in inner:
        yield from spots(item, (*way, key))


def changed(value: Any, way: tuple[Any, ...], to: Any, *, remove: bool = False) -> str:
    copy = json.loads(json.dumps(value))
    place = copy
    for key in way[:-1]:
        place = place[key]
    if remove:
        del place[way[-1]]
    else:
        place[way[-1]] = to
    return json.dumps(copy)


OTHER_TYPES = ("[]", "null", "7", '"x"', "{}", "NaN", "9" * 5000, "[" * 100_000, "[{}]", "[null]")


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("file", FILES)
def test_a_damaged_file_is_named(run, file, reader):
    honest = (run / file).read_bytes()
    for text in OTHER_TYPES:
        (run / file).write_text(text)
        refused(READERS[reader], f"{file} is {text[:20]}")
    # Nobody reads 2 GiB twice to see that they are nothing.
    for name in ANY_FILE.keys() - {"not to be read", "a file of 2 GiB with nothing in it"}:
        (run / file).write_bytes(honest)
        ANY_FILE[name](run / file)
        refused(READERS[reader], f"{file}: {name}")
        if (run / file).is_dir() and not (run / file).is_symlink():
            shutil.rmtree(run / file)
        (run / file).unlink(missing_ok=True)


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("file", FILES)
def test_every_part_of_a_file_may_be_lost_or_another(run, file, reader):
    honest = json.loads((run / file).read_bytes())
    count = 0
    ways = list(spots(honest))
    assert len(ways) > 5
    for way in ways:
        (run / file).write_text(changed(honest, way, None, remove=True))
        count += refused(READERS[reader], f"without {way}")
        for value in VALUES:
            (run / file).write_text(changed(honest, way, value))
            count += refused(READERS[reader], f"{way} is {value!r:.50}")
    if reader == "tables":
        assert count > 5
