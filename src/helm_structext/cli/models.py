"""`helm-structext add-model`: a model of the user's own in HELM's files."""

import argparse
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from helm_structext.cli.options import Commands, add_local_path
from helm_structext.cli.terminal import say
from helm_structext.errors import SetupError
from helm_structext.models.hosts import APIS, LOCAL_URL, HostedModel


def add_commands(commands: Commands) -> None:
    command = commands.add_parser("add-model", help="describe a model of your own to HELM")
    command.description = (
        "Describes a model to HELM, and writes conf files and schema, as init does."
    )
    command.add_argument("name", metavar="NAME", help="its name in HELM, such as me/my-vlm")
    command.add_argument(
        "--api",
        choices=sorted(APIS),
        default="server",
        help="the protocol; server is OpenAI's on a server that asks for no key (%(default)s)",
    )
    command.add_argument("--base-url", metavar="URL", help=f"of the server, such as {LOCAL_URL}")
    command.add_argument(
        "--model-name", metavar="NAME", help="by which the server knows it, if that is another one"
    )
    command.add_argument(
        "--hf",
        metavar="NAME",
        help="a model of the Hugging Face Hub, or a folder, which transformers serves on this machine",
    )
    command.add_argument("--text-only", action="store_true", help="it does not read pictures")
    add_local_path(command, "HELM's local configuration (%(default)s)")
    command.set_defaults(command=_add_model)


def _add_model(options: argparse.Namespace) -> int:
    if options.hf and options.model_name:
        raise SetupError("--hf already says by which name the server knows the model.")
    if options.api == "server" and not options.base_url and not options.hf:
        raise SetupError(
            f"Where does {options.name} answer? Add --base-url {LOCAL_URL} for a server of your own, "
            "--hf NAME for a model of the Hugging Face Hub, or --api for a provider."
        )
    model = HostedModel(
        options.name,
        options.api,
        options.hf or options.model_name,
        options.base_url or (LOCAL_URL if options.hf else None),
        not options.text_only,
    )
    from helm_structext.cli.init import place_run_files

    for line in (
        *(line for line in place_run_files(Path.cwd()) if line.startswith("wrote")),
        *add_model(model, options.local_path),
        *_next_steps(model, options.local_path / "credentials.conf", options.hf),
    ):
        say(line)
    return 0


def add_model(model: HostedModel, local_path: Path) -> Iterator[str]:
    """Adds a model to HELM's two files, unless it is there.

    Yields:
        A line for each file, saying what was done.

    Raises:
        SetupError: a file can't be merged into, or has the model with another address or server's name.
    """
    from helm_structext.models.files import DEPLOYMENTS, METADATA, add_entries, check_field

    check_field(local_path, DEPLOYMENTS, model.deployment(), "client_spec")
    yield add_entries(local_path, METADATA, [model.metadata()])
    yield add_entries(local_path, DEPLOYMENTS, [model.deployment()])


def _next_steps(model: HostedModel, credentials: Path, served: str | None) -> Iterator[str]:
    """Says what is still needed before the model can be asked."""
    api = APIS[model.api]
    if not _importable(api.module):
        yield f"needed: pip install 'crfm-helm[{api.extra}]'"
    known = credentials.read_text("utf-8", "replace") if credentials.is_file() else ""
    if model.key and model.key not in known:
        yield f'needed: the line {model.key}: "…" in {credentials}'
    if served:
        yield "needed: pip install 'transformers[serving]', then: transformers serve --port 8000"
    yield (
        f"then: helm-structext try {model.name}; helm-run --conf-paths run_specs/sample.conf "
        f"--suite s --max-eval-instances 10 --models-to-run {model.name}"
    )


def _importable(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # of the package that it belongs to
        return False
