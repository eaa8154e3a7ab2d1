"""`helm-structext needs`: what files ask for, and whether it is here."""

import argparse

from helm_structext.cli.options import Commands, add_tables_output, any_path, show_tables
from helm_structext.progress import progress
from helm_structext.terminal import complain
from helm_structext.texts import one_line


def add_commands(commands: Commands) -> None:
    """Adds this group's command."""
    command = commands.add_parser(
        "needs",
        help="count what a folder of files asks for (libraries, packages, fonts, data), and whether it is here",
        description="Reads files, renders nothing, and counts what they ask for by name: of the libraries, "
        "packages, fonts and data, how many files ask for each, how many do not get it on this machine, and "
        "how many it alone would complete.",
    )
    command.add_argument(
        "folder",
        type=any_path,
        help="has a folder for each format, named as the format, with its files",
    )
    add_tables_output(command, "write all rows as CSV and LaTeX")
    command.set_defaults(command=_count_needs)


def _count_needs(options: argparse.Namespace) -> int:
    from helm_structext.results.needs import needs_tables, other_folders, read_folder

    files = [*progress(read_folder(options.folder), "reading files")]
    if others := other_folders(options.folder):
        complain(one_line(f"passed over, as no format is named so: {', '.join(others)}"))
    return show_tables(needs_tables(files), options.output, csv=options.csv)
