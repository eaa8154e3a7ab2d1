"""Options that several commands have."""

import argparse
import errno
import math
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import TYPE_CHECKING, Any, NamedTuple

from helm_structext.errors import SetupError
from helm_structext.models.advice import LOCAL_PATH
from helm_structext.structeval.judge import NO_JUDGE
from helm_structext.terminal import complain, say, stdout
from helm_structext.texts import describe_error, quote_value

if TYPE_CHECKING:
    from helm_structext.results.tabular import Table

OUTPUT_PATH = Path("benchmark_output")
"""Where HELM writes."""
MAX_LISTED = 10
"""Suites that the help names."""
STDOUT = Path("-")
"""Where a command prints its file instead."""

Commands = Any
"""What argparse gives to add commands to; it has no public name."""


def add_suite(command: argparse.ArgumentParser) -> None:
    """Adds the suite that a command reads, and the folder where it lies."""
    here = _suites(OUTPUT_PATH / "runs")[:MAX_LISTED]
    # Not required, for an option that takes several names takes the suite's, too.
    listed = ", ".join(here).replace("%", "%%")
    command.add_argument("suite", nargs="?", type=suite_name, help=f"here: {listed}")
    command.add_argument(
        "--output-path",
        type=any_path,
        default=OUTPUT_PATH,
        metavar="FOLDER",
        help="HELM's output folder",
    )


def suite_name(text: str) -> str:
    """Returns the name of a suite, which is that of a folder; for argparse."""
    any_path(text)
    return text


def suite_or_file(text: str) -> str | Path:
    """Returns the name of a suite, or a file in JSON; for argparse."""
    path = any_path(text)
    return path if path.suffix == ".json" else text


def suite_folder(options: argparse.Namespace, suite: str | None = None) -> Path:
    """Returns the folder of the suite that is named, or of another one beside it.

    Raises:
        SetupError: it is not there; the message names those that are.
    """
    runs: Path = options.output_path / "runs"
    name = suite or options.suite
    there = ", ".join(_suites(runs))
    if name is None:
        raise SetupError(f"Which suite? {runs} holds {there}")
    if not (runs / name).is_dir():
        raise SetupError(f"{runs} holds no suite {name}; there is {there}")
    return runs / name


def _suites(runs: Path) -> list[str]:
    return sorted(folder.name for folder in runs.glob("*/")) or ["none"]


def find_suite(options: argparse.Namespace) -> None:
    """Takes a suite's name from the option before it, if that takes several.

    >>> options = argparse.Namespace(suite=None, show=["leaderboard", "demo"])
    >>> find_suite(options)
    >>> options
    Namespace(suite='demo', show=['leaderboard'])
    """
    if "suite" in options and options.suite is None:
        lists = [value for value in vars(options).values() if isinstance(value, list)]
        options.suite = next((str(names.pop()) for names in lists if len(names) > 1), None)


def any_path(text: str) -> Path:
    """Returns a path that a file can have; for argparse.

    Raises:
        argparse.ArgumentTypeError: none can.

    >>> any_path("a" * 5000)
    Traceback (most recent call last):
    argparse.ArgumentTypeError: no file has this name: File name too long
    """
    try:
        Path(text).lstat()
    except (OSError, ValueError) as error:
        if isinstance(error, ValueError) or error.errno == errno.ENAMETOOLONG:
            said = getattr(error, "strerror", error)
            raise argparse.ArgumentTypeError(f"no file has this name: {said}") from error
    return Path(text)


ABOVE_0 = math.nextafter(0, 1)
"""The smallest number above 0."""


def number_type(expected: str, least: float = 0, *, whole: bool = False) -> Callable[[str], Any]:
    """Returns what reads a number that is finite; for argparse.

    Args:
        expected: what it should be, for the message.
        least: that it may be.
        whole: whether it has no fraction.

    >>> number_type("a price, such as 2.50")("2.50"), number_type("1 or more", 1, whole=True)("16")
    (2.5, 16)
    >>> number_type("seconds above 0", ABOVE_0)("0")
    Traceback (most recent call last):
    argparse.ArgumentTypeError: it is '0'; expected seconds above 0
    """

    def read(text: str) -> float:
        try:
            value = int(text) if whole else float(text)
        except ValueError:
            value = math.nan
        if not least <= value < math.inf:
            raise argparse.ArgumentTypeError(f"it is {quote_value(text)}; expected {expected}")
        return value

    return read


COUNT = number_type("a whole number from 1 on", 1, whole=True)
SEED = number_type("a whole number from 0 on", whole=True)


def output_file(text: str) -> Path:
    """Returns where a command writes a file, or `STDOUT`; for argparse.

    Raises:
        argparse.ArgumentTypeError: it can't be written there, which is known before any work.

    >>> output_file("-") == STDOUT
    True
    >>> output_file("/")
    Traceback (most recent call last):
    argparse.ArgumentTypeError: / is a folder; name a file in it
    """
    path = any_path(text)
    if path != STDOUT:
        if path.is_dir():
            raise argparse.ArgumentTypeError(f"{path} is a folder; name a file in it")
        _check_writable(path.parent)
    return path


class OutputPlace(NamedTuple):
    """Where a command writes one file, or a folder."""

    path: Path
    is_folder: bool


def file_or_folder(text: str) -> OutputPlace:
    """Returns where a command writes: a folder if one is there, or the name ends in a slash; for argparse.

    Raises:
        argparse.ArgumentTypeError: it can't be written there, which is known before any work.

    >>> file_or_folder("report/"), file_or_folder("report.html").is_folder
    (OutputPlace(path=PosixPath('report'), is_folder=True), False)
    """
    if text.endswith(os.sep) or any_path(text).is_dir():
        return OutputPlace(output_folder(text), is_folder=True)
    return OutputPlace(output_file(text), is_folder=False)


def add_models(command: argparse.ArgumentParser) -> None:
    """Adds which models of a suite count."""
    command.add_argument(
        "--models", nargs="+", default=[], metavar="NAME", help="only these (* stands for any)"
    )


def add_sample(command: argparse.ArgumentParser, what: str, *, default: int | None = None) -> None:
    """Adds how many of something are drawn, and from which seed."""
    command.add_argument(
        "--sample",
        type=COUNT,
        default=default,
        metavar="N",
        help=f"so many {what}, drawn at random",
    )
    command.add_argument(
        "--seed",
        type=SEED,
        default=1,
        metavar="S",
        help="of --sample: the same draws the same (%(default)s)",
    )


def output_folder(text: str) -> Path:
    """Returns where a command writes several files; for argparse.

    Raises:
        argparse.ArgumentTypeError: it can't write there.
    """
    path = any_path(text)
    if path == STDOUT:
        raise argparse.ArgumentTypeError("several files are written; name a folder")
    _check_writable(path)
    return path


def _check_writable(folder: Path) -> None:
    """Looks at a folder, or the one in which it would be made."""
    there = next(parent for parent in (folder, *folder.absolute().parents) if parent.exists())
    if not there.is_dir():
        raise argparse.ArgumentTypeError(f"{there} is a file; name a folder")
    try:
        TemporaryFile(
            dir=there
        ).close()  # only trying shows: root may write everywhere, but not in /proc
    except OSError as error:
        said = error.strerror or str(error)
        raise argparse.ArgumentTypeError(
            f"{there} can't be written to ({said}); name another folder"
        ) from error


def explain_unwritten(options: argparse.Namespace, error: OSError) -> SetupError | None:
    """Returns what to say of an error if it is about a place where a command was told to write.

    >>> there = argparse.Namespace(output=Path("out"), suite="s")
    >>> print(explain_unwritten(there, FileNotFoundError(2, "No such file or directory", "out/x.tmp")))
    out/x.tmp can't be written: No such file or directory; name another place
    >>> explain_unwritten(there, FileNotFoundError(2, "No such file or directory", "elsewhere"))
    """
    if not isinstance(error.filename, str):
        return None
    named = [one.path if isinstance(one, OutputPlace) else one for one in vars(options).values()]
    places = {path.absolute() for path in named if isinstance(path, Path)}
    failed = Path(error.filename).absolute()
    if not places.intersection([failed, *failed.parents]):
        return None
    return SetupError(f"{error.filename} can't be written: {error.strerror}; name another place")


@contextmanager
def output(path: Path) -> Iterator[Path]:
    """Yields where a command writes its file: what goes to standard output is printed afterwards."""
    if path != STDOUT:
        yield path
        return
    with TemporaryDirectory() as folder:
        file = Path(folder) / "output"
        yield file
        with file.open("rb") as stream:
            shutil.copyfileobj(stream, stdout().buffer)


def read_input(file: str) -> bytes:
    """Returns what a file holds, or standard input where its name is ``-``.

    Raises:
        SetupError: it can't be read.
    """
    try:
        return sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except (OSError, ValueError) as error:
        raise SetupError(f"{file} can't be read: {describe_error(error)}") from error


def say_of(path: Path, text: object) -> None:
    """Says what was written, beside standard output where that is what was written."""
    if path == STDOUT:
        complain(text)
    else:
        say(text)


def add_tables_output(command: argparse.ArgumentParser, help: str) -> None:
    """Adds how tables are shown (`show_tables`).

    Args:
        command: that shows them.
        help: what is written to the folder.
    """
    command.add_argument("--csv", action="store_true", help="print the tables as CSV")
    command.add_argument("-o", "--output", type=output_folder, metavar="FOLDER", help=help)


def show_tables(tables: "Iterable[Table]", folder: Path | None, *, csv: bool = False) -> int:
    """Prints tables that are short enough, and writes all of them to a folder, if one is named.

    Args:
        tables: to show.
        folder: for CSV, LaTeX and PNG.
        csv: whether they are printed as CSV.
    """
    from helm_structext.results.tabular import write_tables

    tables = list(tables)
    files = write_tables(tables, folder) if folder else []
    shown = (table.csv() if csv else table.markdown() for table in tables if table.printed)
    say("\n\n".join(text.rstrip("\n") for text in shown))
    if files:
        say_of(STDOUT if csv else folder or STDOUT, f"\n{len(files)} files in {folder}")
    return 0


def add_judge(command: argparse.ArgumentParser) -> None:
    """Adds StructEval's judge, and where HELM has what it takes to ask it."""
    command.add_argument(
        "--judge",
        default=NO_JUDGE,
        metavar="NAME",
        help="who looks at the pictures of StructEval's tasks; %(default)s scores them without",
    )
    add_local_path(command, "where HELM finds the judge's credentials and keeps its answers")


def add_local_path(command: argparse.ArgumentParser, help: str | None = None) -> None:
    """Adds the folder of HELM's local configuration."""
    command.add_argument(
        "--local-path", type=output_folder, default=LOCAL_PATH, metavar="FOLDER", help=help
    )
