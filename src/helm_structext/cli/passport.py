"""The command that says what pictures and scores depend on: passport."""

import argparse
import json

from helm_structext.cli.options import Commands, add_suite, show_tables, suite_folder
from helm_structext.errors import SetupError
from helm_structext.terminal import say


def add_commands(commands: Commands) -> None:
    """Adds this group's command."""
    command = commands.add_parser(
        "passport",
        help="say what can change a picture or a score here, or did in a suite, in one hash with its parts",
    )
    add_suite(command)
    command.add_argument("--json", action="store_true", help="print one object in JSON instead")
    command.set_defaults(command=_show_passport)


def _show_passport(options: argparse.Namespace) -> int:
    return _show_here(options.json) if options.suite is None else _show_suite(options)


def _show_here(as_json: bool) -> int:
    from helm_structext.passport import make_passport

    passport = make_passport()
    if as_json:
        say(json.dumps(passport.document(), indent=2))
        return 0
    say(f"passport {passport.hash}")
    width = max(map(len, passport.parts))
    for name, value in passport.parts.items():
        say(f"{name:{width}}  {value}")
    return 0


def _show_suite(options: argparse.Namespace) -> int:
    from helm_structext.results.passports import passport_tables, read_passports

    suite = suite_folder(options)
    found = read_passports(suite)
    if not any(found.values()):
        raise SetupError(
            f"{suite} holds no run with a passport; helm-run writes one beside each run that it scores"
        )
    if options.json:
        say(json.dumps({run: one and one.document() for run, one in found.items()}, indent=2))
        return 0
    return show_tables(passport_tables(suite), None)
