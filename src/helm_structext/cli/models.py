"""`helm-structext add-model`: a model of the user's own in HELM's files."""

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from helm_structext.baselines import require_model_name
from helm_structext.cli.init import place_run_files
from helm_structext.cli.options import ABOVE_0, Commands, add_local_path, number_type
from helm_structext.errors import SetupError
from helm_structext.models.advice import helm_run_command, run_command, try_command
from helm_structext.models.files import DEPLOYMENTS, FACTS, METADATA, entries_of, put_entry
from helm_structext.models.hosts import (
    APIS,
    DESCRIPTION,
    LOCAL_URL,
    PICTURE_TAGS,
    HostedModel,
)
from helm_structext.models.served import list_models, served_name
from helm_structext.results.model_facts import ACCESS, ModelFacts, read_facts
from helm_structext.results.tabular import list_some
from helm_structext.terminal import say


def add_commands(commands: Commands) -> None:
    command = commands.add_parser("add-model", help="describe a model of your own to HELM")
    command.description = (
        "Describes a model to HELM, and writes conf files and schema, as init does. Of a model that is "
        "there, changes what the options say."
    )
    command.add_argument("name", metavar="NAME", help="its name in HELM, such as me/my-vlm")
    command.add_argument(
        "--api",
        choices=sorted(APIS),
        help="the protocol; server, which it is unless said, is OpenAI's on a server that asks for no key",
    )
    command.add_argument("--base-url", metavar="URL", help=f"of the server, such as {LOCAL_URL}")
    command.add_argument(
        "--model-name",
        metavar="NAME",
        help="by which the server knows it; unless said, the server is asked for its list",
    )
    command.add_argument(
        "--hf",
        metavar="NAME",
        help="a model of the Hugging Face Hub, or a folder, which transformers serves on this machine",
    )
    command.add_argument(
        "--text-only",
        action=argparse.BooleanOptionalAction,
        help="it does not read pictures",
    )
    command.add_argument(
        "--access",
        choices=ACCESS,
        help="whether anyone can have its weights; with --parameters alone, nothing else is written",
    )
    command.add_argument(
        "--parameters",
        type=number_type("a number of billions above 0", ABOVE_0),
        metavar="BILLIONS",
        help="how many it has, such as 7",
    )
    add_local_path(command, "HELM's local configuration (%(default)s)")
    command.set_defaults(command=_add_model)


def _add_model(options: argparse.Namespace) -> int:
    if options.hf and options.model_name:
        raise SetupError("--hf already says by which name the server knows the model.")
    facts = ModelFacts(options.access, options.parameters)
    place = (options.api, options.base_url, options.model_name, options.hf, options.text_only)
    if facts != ModelFacts() and place == (None,) * len(place):
        for line in put_facts(options.name, facts, options.local_path):
            say(line)
        return 0
    known = find_model(options.name, options.local_path)
    api = options.api or (known.api if known else "server")
    kept = known if known and known.api == api else None
    base_url = options.base_url or (kept.base_url if kept else LOCAL_URL if options.hf else None)
    if api == "server" and not base_url:
        raise SetupError(
            f"Where does {options.name} answer? Add --base-url {LOCAL_URL} for a server of your own, "
            "--hf NAME for a model of the Hugging Face Hub, or --api for a provider."
        )
    reads_pictures = not options.text_only
    if options.text_only is None and known:
        reads_pictures = known.reads_pictures
    model = HostedModel(
        options.name, api, options.hf or options.model_name, base_url, reads_pictures
    )
    found = None
    if not model.served_as and base_url:
        if kept and kept.base_url == base_url:
            model = replace(model, served_as=kept.served_as)
        else:
            model, found = _as_listed(model, base_url)
    for line in (
        *(line for line in place_run_files(Path.cwd()) if line.startswith("wrote")),
        *([found] if found else []),
        *add_model(model, options.local_path),
        *put_facts(options.name, facts, options.local_path),
        *_next_steps(model, options.local_path, options.hf),
    ):
        say(line)
    return 0


def find_model(name: str, local_path: Path) -> HostedModel | None:
    """Returns what the user's files say of a model, or None if they describe none that is asked like ours.

    Raises:
        SetupError: a file can't be read.
    """
    described = next((one for one in entries_of(local_path, METADATA) if one["name"] == name), {})
    for entry in entries_of(local_path, DEPLOYMENTS):
        client, arguments = entry.get("client_spec") or {}, _arguments(entry)
        for api, kind in APIS.items():
            if entry.get("model_name") == name and client.get("class_name") == kind.client:
                reads = not described or PICTURE_TAGS[0] in (described.get("tags") or ())
                return HostedModel(
                    name, api, arguments.get(kind.model_argument), arguments.get("base_url"), reads
                )
    return None


_ARGUMENTS = {"base_url", *(api.model_argument for api in APIS.values())}
"""Of HELM's clients, by which one model is told from another."""


def _arguments(deployment: Mapping[str, Any]) -> Mapping[str, Any]:
    return (deployment.get("client_spec") or {}).get("args") or {}


def _as_listed(model: HostedModel, base_url: str) -> tuple[HostedModel, str]:
    """A model under the name that its server lists, and a line about that."""
    listed = list_models(base_url)
    if listed is None:
        return model, (
            f"note: {base_url} lists no models now; it will be asked for {model.engine} "
            "(--model-name says another name)"
        )
    found = served_name(model.name, listed)
    if found is None:
        return model, (
            f"note: {base_url} lists no {model.engine}, but {list_some(listed) or 'nothing'}; name one of "
            "these with --model-name"
        )
    return replace(model, served_as=found), f"{base_url} lists {found}, which will be asked"


def add_model(model: HostedModel, local_path: Path) -> Iterator[str]:
    """Describes a model in HELM's two files; of one that is there, changes what differs.

    Yields:
        Lines for each file, saying what was done.

    Raises:
        SetupError: a file can't be changed so.
    """
    about, deployment = model.metadata(), model.deployment()
    for entry in entries_of(local_path, METADATA):
        if entry["name"] == model.name:
            about = _find_changed(about, entry)
    there = {entry["name"]: entry for entry in entries_of(local_path, DEPLOYMENTS)}
    others = [name for name, entry in there.items() if entry.get("model_name") == model.name]
    old = next(iter(others), None)
    if deployment["name"] in there:
        old = deployment["name"]
        if old not in others:
            whose = there[old].get("model_name")
            raise SetupError(f"{old} already is where {whose} answers; choose another name")
    if old:
        for argument in _arguments(there[old]).keys() & _ARGUMENTS:
            deployment["client_spec"]["args"].setdefault(argument, None)
    yield from put_entry(local_path, METADATA, about)
    yield from put_entry(local_path, DEPLOYMENTS, deployment, old)


def put_facts(name: str, facts: ModelFacts, local_path: Path) -> list[str]:
    """Writes what is known of a model; what was known before stays, unless it is another value.

    Args:
        name: as HELM has it; it may be a model that only HELM's own files describe.
        facts: what to write; nothing is written of what is None.
        local_path: the folder of HELM's local configuration.

    Returns:
        Lines that say what was done.

    Raises:
        SetupError: the name is none, or the file can't be read or changed.
    """
    read_facts(local_path)
    require_model_name(name)
    said = {field: value for field, value in asdict(facts).items() if value is not None}
    if facts.parameters and float(facts.parameters).is_integer():
        said["parameters"] = int(facts.parameters)  # 7 and not 7.0
    return put_entry(local_path, FACTS, {"name": name, **said}) if said else []


def _find_changed(new: dict[str, Any], old: Mapping[str, Any]) -> dict[str, Any]:
    """What the entry of a model gets where the user may have changed it: its tags, and our own words."""
    tags = [tag for tag in old.get("tags") or () if tag in new["tags"] or tag not in PICTURE_TAGS]
    more = [tag for tag in new["tags"] if tag not in tags]
    changed = {"name": new["name"], "tags": [*tags, *more]}
    if str(old.get("description", "")).startswith(DESCRIPTION):
        changed["description"] = new["description"]
    return changed


def _next_steps(model: HostedModel, local_path: Path, served: str | None) -> Iterator[str]:
    """Says what is still needed before the model can be asked."""
    api, credentials = APIS[model.api], local_path / "credentials.conf"
    if not _importable(api.module):
        yield f"needed: pip install 'crfm-helm[{api.extra}]'"
    known = credentials.read_text("utf-8", "replace") if credentials.is_file() else ""
    if model.key and model.key not in known:
        yield f'needed: the line {model.key}: "…" in {credentials}'
    if served:
        yield "needed: pip install 'transformers[serving]', then: transformers serve --port 8000"
    yield f"then: {try_command(model.name, local_path)}"
    yield f"then: {run_command(model.name, local_path)}"
    yield f"  or: {helm_run_command(model.name, local_path, reads_pictures=model.reads_pictures)}"


def _importable(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # of the package that it belongs to
        return False
