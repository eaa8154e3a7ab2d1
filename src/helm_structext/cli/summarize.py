"""`helm-structext summarize`: what helm-server shows of a suite, and its results on one screen."""

import argparse
import logging
from pathlib import Path

from helm_structext.cli.options import Commands, add_local_path, add_suite, any_path, suite_folder
from helm_structext.cli.suites import show_summary
from helm_structext.errors import SetupError
from helm_structext.terminal import say

SCHEMA = Path("schema.yaml")


def add_commands(commands: Commands) -> None:
    """Adds this group's command."""
    command = commands.add_parser(
        "summarize",
        help="print a finished suite's results on one screen, and write what helm-server shows of it",
    )
    add_suite(command)
    add_local_path(command, "HELM's local configuration (%(default)s)")
    command.add_argument(
        "--schema-path",
        type=any_path,
        metavar="YAML",
        help="of what there may be; by default schema.yaml of this folder, or else ours",
    )
    command.set_defaults(command=_summarize)


def _summarize(options: argparse.Namespace) -> int:
    summarize_suite(suite_folder(options), options.local_path, options.schema_path)
    return 0


def summarize_suite(suite: Path, local_path: Path, schema: Path | None = None) -> None:
    """Prints a suite's results, and writes what helm-server shows of it.

    Args:
        suite: its folder.
        local_path: HELM's local configuration.
        schema: of what there may be; by default ``schema.yaml`` of this folder, or else ours.

    Raises:
        SetupError: there is nothing to show.
    """
    from helm_structext.data.packaged import packaged_folder

    schema = schema or (SCHEMA if SCHEMA.is_file() else packaged_folder() / SCHEMA)
    if not schema.is_file():
        raise SetupError(f"there is no schema {schema}; helm-structext init writes one")
    if not any(suite.glob("*/stats.json")):
        raise SetupError(f"{suite} holds no finished runs; start them with helm-run")

    from helm.common.hierarchical_logger import setup_default_logging

    from helm_structext.helm.summaries import summarize

    helm = logging.getLogger("helm")
    if not helm.handlers:
        setup_default_logging(None)
    level = helm.level
    helm.setLevel(logging.ERROR)  # else a line for each file, and cell without a value
    try:
        groups = summarize(suite.name, suite.parent.parent, schema, local_path)
    finally:
        helm.setLevel(level)
    show_summary(suite)
    say(
        f"       helm-server --suite {suite.name}{'':24}{groups} groups, at http://localhost:8000; it "
        "listens on all interfaces (0.0.0.0): whoever reaches this machine sees them"
    )
