"""Commands that look at this machine, or put something on it: doctor, setup, init, weights."""

import argparse
from pathlib import Path

from helm_structext.cli.options import Commands, add_local_path
from helm_structext.terminal import complain, say


def add_commands(commands: Commands) -> None:
    """Adds this group's commands."""
    doctor = commands.add_parser("doctor", help="list what is installed, and how to get the rest")
    doctor.set_defaults(command=_doctor)

    setup = commands.add_parser(
        "setup", help="install what renderers need beside Python's packages (needs network, once)"
    )
    setup.add_argument(
        "--typst",
        nargs="+",
        metavar="NAME[:VERSION]|FILE",
        help="only these packages of Typst, or those that a list or a document names",
    )
    setup.add_argument(
        "--typst-from",
        metavar="FOLDER|URL",
        help="where packages of Typst come from: a clone of github.com/typst/packages, or a mirror",
    )
    setup.set_defaults(command=_setup)

    init = commands.add_parser(
        "init", help="write conf files, schema, models and sample replays into this folder"
    )
    add_local_path(init)
    init.set_defaults(command=_init)

    weights = commands.add_parser("weights", help="what the neural metrics need")
    actions = weights.add_subparsers(required=True, metavar="ACTION")
    fetch = actions.add_parser("fetch", help="download weights, with checksums (630 MB)")
    fetch.set_defaults(command=_fetch)


def _doctor(options: argparse.Namespace) -> int:
    from helm_structext.trial.doctor import examine, remedy

    missing = 0
    findings = []
    for finding in examine():
        findings.append(finding)
        mark = "ok" if finding.found else "optional" if finding.optional else "MISSING"
        missing += mark == "MISSING"
        say(f"{mark:8} {finding.name}: {finding.detail}")
    if missing:
        complain(f"{missing} missing")
        if line := remedy(findings):
            say(f"To install what is missing:\n{line}")
    return 2 if missing else 0


def _setup(options: argparse.Namespace) -> int:
    from helm_structext.cli.setup import compile_libraries, install_javascript
    from helm_structext.cli.typst_setup import SOURCE, install_typst, read_specs
    from helm_structext.renderers.typst_packages import (
        explain_missing,
        listed_packages,
        packages_folder,
    )

    specs = read_specs(options.typst) if options.typst else listed_packages()
    missing = install_typst(specs, options.typst_from or SOURCE)
    say(_describe_folder(packages_folder()))
    for why in dict.fromkeys(missing.values()):
        names = [name for name, other in missing.items() if other == why]
        complain(f"{why}. {explain_missing(names)}")
    if options.typst:
        return 2 if missing else 0
    compile_libraries()
    say(_describe_folder(install_javascript()))
    return 0


def _describe_folder(folder: Path) -> str:
    """Where something was installed, and how large it is."""
    size = sum(path.lstat().st_size for path in folder.rglob("*") if not path.is_dir())
    return f"{folder} ({size / 1e6:,.0f} MB)"


def _init(options: argparse.Namespace) -> int:
    from helm_structext.cli.init import init

    for line in init(Path.cwd(), options.local_path):
        say(line)
    return 0


def _fetch(options: argparse.Namespace) -> int:
    from helm_structext.metrics import fetch_weights

    for path in fetch_weights():
        say(path)
    return 0
