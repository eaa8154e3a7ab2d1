"""Commands that collect fresh rounds: collect latex|webpage|music|train-classifier|status."""

import argparse
import os
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any
from urllib.parse import urlsplit

from helm_structext.cli.collect_classifier import add_train_classifier
from helm_structext.cli.options import COUNT, Commands, any_path, output_folder
from helm_structext.errors import SetupError
from helm_structext.image2struct.collect import COLLECTORS
from helm_structext.image2struct.collect.records import PER_DAY
from helm_structext.protocols import PROTOCOLS, REWARD_PROTOCOL
from helm_structext.terminal import say
from helm_structext.texts import quote_value

CONTACT = "HELM_STRUCTEXT_CONTACT"
"""Environment variable that says whom hosts can write to."""

TEXTLESS = frozenset({"music"})
"""Domains whose instances have no text that anything could judge."""

_WHAT = {
    "latex": "equations, tables, algorithms and plots from papers of arXiv",
    "webpage": "webpages from repositories of GitHub",
    "music": "excerpts of sheet music from IMSLP",
}


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(
            f"{quote_value(text)} is no day, as 2026-11-01 is"
        ) from error


def _address(text: str) -> tuple[str, str]:
    name, _, url = text.partition("=")
    if not is_address(url):
        raise argparse.ArgumentTypeError(f"{quote_value(text)} is not NAME=URL")
    return name, url.rstrip("/")


def is_address(url: str) -> bool:
    """Says whether a text is the address of a host, without anything secret in it.

    >>> is_address("http://127.0.0.1:8000/api"), is_address("ftp://a"), is_address("http://[")
    (True, False, False)
    >>> is_address("https://me:password@example.org"), is_address("https://example.org/?key=1")
    (False, False)
    """
    try:
        parts = urlsplit(url)
        usable = url.isascii() and url.isprintable() and " " not in url and (parts.port or 1) > 0
    except ValueError:
        return False
    secret = "@" in parts.netloc or parts.query or parts.fragment
    return usable and parts.scheme in ("http", "https") and bool(parts.hostname) and not secret


def add_commands(commands: Commands) -> None:
    """Adds this group's commands."""
    collect = commands.add_parser("collect", help="make a fresh round of Image2Struct")
    kinds = collect.add_subparsers(required=True, metavar="WHAT")
    for add in SUBCOMMANDS:
        add(kinds)


def _add_domains(kinds: Commands) -> None:
    for domain in COLLECTORS:
        _add_domain(kinds.add_parser(domain, help=_WHAT[domain]), domain)


def _add_domain(command: argparse.ArgumentParser, domain: str) -> None:
    for names, about in _OPTIONS.items():
        if domain not in TEXTLESS or names not in _OF_TEXTS:
            command.add_argument(*names, **about)
    command.set_defaults(command=_collect, domain=domain)


_OPTIONS: Mapping[tuple[str, ...], Mapping[str, Any]] = {
    ("--from",): {
        "type": _day,
        "required": True,
        "dest": "first",
        "metavar": "DATE",
        "help": "first day, such as 2026-11-01",
    },
    ("--to",): {
        "type": _day,
        "required": True,
        "dest": "last",
        "metavar": "DATE",
        "help": "last day",
    },
    ("--count",): {
        "type": COUNT,
        "required": True,
        "metavar": "N",
        "help": "instances of each subset",
    },
    ("--per-day",): {
        "type": COUNT,
        "default": PER_DAY,
        "metavar": "N",
        "help": "instances of a subset that are dated on one day",
    },
    ("--seed",): {"type": int, "default": 0, "metavar": "S", "help": "of what is left to chance"},
    ("--protocol",): {
        "choices": PROTOCOLS,
        "default": REWARD_PROTOCOL,
        "help": "how instances are made",
    },
    ("--contact",): {
        "metavar": "MAIL",
        "help": f"address of mail or of a page that hosts can write to (or set {CONTACT})",
    },
    ("--journal",): {
        "type": any_path,
        "metavar": "FILE",
        "help": "shared by rounds, which then don't repeat each other",
    },
    ("--address",): {
        "type": _address,
        "action": "append",
        "default": [],
        "metavar": "NAME=URL",
        "help": "another address of a host",
    },
    ("--licenses",): {
        "nargs": "+",
        "default": [],
        "metavar": "NAME",
        "help": "admit these alone",
    },
    ("--moderation",): {
        "default": "local",
        "metavar": "local|perspective|URL",
        "help": "what says which texts are toxic: a small model here, Perspective, or a server with "
        "OpenAI's interface",
    },
    ("--no-moderation",): {
        "action": "store_true",
        "help": "publish texts that nothing has looked at",
    },
    ("--blocklist",): {
        "type": any_path,
        "metavar": "FILE",
        "help": "of names and addresses to leave out",
    },
    ("--published",): {
        "type": any_path,
        "metavar": "FOLDER",
        "help": "of published instances, which are not repeated",
    },
    ("--push-to-hub",): {
        "metavar": "REPO",
        "help": "upload the round to this dataset of the Hub, which is private",
    },
    ("--public",): {"action": "store_true", "help": "let everybody see that dataset"},
    ("-o", "--output"): {"type": output_folder, "required": True, "metavar": "FOLDER"},
}
"""Of every domain."""

_OF_TEXTS = (("--moderation",), ("--no-moderation",))


def _add_status(kinds: Commands) -> None:
    status = kinds.add_parser("status", help="how far rounds are, and what refuses candidates")
    status.add_argument("path", type=any_path, metavar="FOLDER|JOURNAL")
    status.set_defaults(command=_status)


SUBCOMMANDS = (_add_domains, add_train_classifier, _add_status)
"""What adds the commands below `collect`."""


def _collect(options: argparse.Namespace) -> int:
    from helm_structext.formats import load
    from helm_structext.image2struct.collect.publish import check_access, push_to_hub
    from helm_structext.image2struct.collect.records import RoundSettings, Window
    from helm_structext.image2struct.collect.rounds import collect_round

    if options.last < options.first:
        raise SetupError(f"--to {options.last} is before --from {options.first}")
    if options.push_to_hub is not None:
        check_access(options.push_to_hub)
    collector = load(COLLECTORS[options.domain])
    # Music has no such option.
    moderation = "" if getattr(options, "no_moderation", True) else options.moderation
    settings = RoundSettings(
        options.domain,
        Window(options.first, options.last),
        options.count,
        options.per_day,
        options.seed,
        options.protocol,
        frozenset(options.licenses),
        moderation,
        _addresses(collector.addresses, moderation, options.address),
    )
    tally = collect_round(
        collector,
        settings,
        options.output,
        contact=options.contact or os.environ.get(CONTACT, ""),
        journal=options.journal,
        block_list=options.blocklist,
        published=options.published,
    )
    numbers = ", ".join(f"{len(found)} of {name}" for name, found in tally.instances.items())
    say(f"{tally.admitted} instances in {options.output}: {numbers}; {tally.candidates} candidates")
    if options.push_to_hub is not None:
        say(push_to_hub(options.output, options.push_to_hub, private=not options.public))
    return 0


def _addresses(
    usual: Mapping[str, str], moderation: str, others: Sequence[tuple[str, str]]
) -> dict[str, str]:
    """The addresses of all hosts of a round, by their names."""
    from helm_structext.image2struct.collect.toxicity import ADDRESSES, LOCAL, PERSPECTIVE

    found = dict(usual)
    if moderation == PERSPECTIVE:
        found[moderation] = ADDRESSES[moderation]
    elif moderation and moderation != LOCAL:
        if not is_address(moderation):
            raise SetupError(
                f"--moderation is {quote_value(moderation)}; it is local, perspective, or the address of a server"
            )
        found["moderation"] = moderation.rstrip("/")
    for name, url in others:
        if name not in found:
            raise SetupError(
                f"--address: there is no host {quote_value(name)}; there is {', '.join(found)}"
            )
        found[name] = url
    return found


def _status(options: argparse.Namespace) -> int:
    from helm_structext.image2struct.collect.status import status
    from helm_structext.results.tabular import Table

    for one in status(options.path):
        say(one.markdown() if isinstance(one, Table) else one, end="\n\n")
    return 0
