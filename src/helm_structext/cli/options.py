"""Options that several commands have."""

import argparse
from pathlib import Path
from typing import Any

from helm_structext.errors import SetupError

Commands = Any
"""What argparse gives to add commands to; it has no public name."""


def add_suite(command: argparse.ArgumentParser) -> None:
    """Adds the suite that a command reads, and the folder where it lies."""
    command.add_argument("suite")
    command.add_argument(
        "--output-path",
        type=Path,
        default=Path("benchmark_output"),
        metavar="FOLDER",
        help="HELM's output folder",
    )


def suite_folder(options: argparse.Namespace, suite: str | None = None) -> Path:
    """Returns the folder of the suite that is named, or of another one beside it.

    Raises:
        SetupError: it is not there; the message names those that are.
    """
    runs: Path = options.output_path / "runs"
    name = suite or options.suite
    if not (runs / name).is_dir():
        there = sorted(folder.name for folder in runs.glob("*/")) or ["none"]
        raise SetupError(f"{runs} holds no suite {name}; there is {', '.join(there)}")
    return runs / name


def add_local_path(command: argparse.ArgumentParser, help: str | None = None) -> None:
    """Adds the folder of HELM's local configuration."""
    command.add_argument(
        "--local-path", type=Path, default=Path("prod_env"), metavar="FOLDER", help=help
    )
