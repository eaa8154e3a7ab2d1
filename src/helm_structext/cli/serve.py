"""The command that serves scores over HTTP: serve."""

import argparse

from helm_structext.cli.options import COUNT, Commands, add_judge, any_path, number_type
from helm_structext.serving.token import TOKEN, read_token
from helm_structext.terminal import say, stdout


def add_commands(commands: Commands) -> None:
    """Adds this group's commands."""
    command = commands.add_parser(
        "serve", help="score completions over HTTP, as rewards for training (the extra serve)"
    )
    command.add_argument(
        "--host",
        default="127.0.0.1",
        help=f"to listen to; other addresses than the loopback one need a token, in {TOKEN} or a file",
    )
    command.add_argument("--port", type=port, default=8320, help="to listen to; 0 takes any")
    command.add_argument(
        "--token-file", type=any_path, metavar="FILE", help="the token that requests must have"
    )
    command.add_argument(
        "--allow",
        nargs="+",
        type=any_path,
        default=[],
        metavar="FOLDER",
        help="folders below which requests may name files",
    )
    command.add_argument(
        "--max-queue",
        type=COUNT,
        default=16_384,
        metavar="N",
        help="completions that may wait before requests are refused",
    )
    command.add_argument(
        "--max-items", type=COUNT, default=4096, metavar="N", help="completions of a request"
    )
    command.add_argument(
        "--max-megabytes", type=COUNT, default=64, metavar="N", help="of a request's body"
    )
    command.add_argument(
        "--warm",
        nargs="*",
        default=["latex"],
        metavar="FORMAT",
        help="formats whose engines are started before the server is ready",
    )
    command.add_argument(
        "--entries",
        nargs="+",
        default=[],
        metavar="ENTRY",
        help="run entries whose instances requests may name, such as mmr:task=font_color,source=sample",
    )
    add_judge(command)
    command.add_argument(
        "--grace",
        type=number_type("a number of seconds"),
        default=60.0,
        metavar="SECONDS",
        help="for what runs when the server is to stop",
    )
    command.set_defaults(command=_serve)


def port(text: str) -> int:
    """Returns a port; for argparse.

    Raises:
        argparse.ArgumentTypeError: it is none.

    >>> port("8320")
    8320
    """
    if text.isdecimal() and len(text) < 6 and int(text) < 2**16:
        return int(text)
    raise argparse.ArgumentTypeError("expected a port, from 0 to 65535")


def _serve(options: argparse.Namespace) -> int:
    from helm_structext.serving.server import serve
    from helm_structext.serving.service import ServerSettings

    settings = ServerSettings(
        allow=tuple(options.allow),
        token=read_token(options.token_file),
        max_queue=options.max_queue,
        max_items=options.max_items,
        max_megabytes=options.max_megabytes,
        warm=tuple(options.warm),
        entries=tuple(options.entries),
        judge=options.judge,
        local_path=options.local_path,
    )
    serve(settings, options.host, options.port, options.grace, _say)
    return 0


def _say(url: str) -> None:
    say(f"helm-structext serves at {url}")
    stdout().flush()
