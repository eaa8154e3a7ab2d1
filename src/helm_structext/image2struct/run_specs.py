"""Run entries of Image2Struct: one for each domain of the paper, and one for all of ours."""

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

from helm_structext.data import NEWEST
from helm_structext.errors import SetupError
from helm_structext.formats import rendered_formats
from helm_structext.image2struct.perturbations import PERTURBATIONS, SEVERITIES
from helm_structext.image2struct.tasks import (
    DIFFICULTIES,
    DOMAINS,
    FORMATS_ENTRY,
    PUBLISHED_DOMAINS,
    WORDINGS,
    Image2StructArguments,
    format_domain,
)
from helm_structext.protocols import (
    DEFAULT_PROTOCOL,
    OWN_PROTOCOL,
    PROTOCOLS,
    MissingRule,
    ProtocolName,
)
from helm_structext.run_entries import (
    RunDescription,
    check,
    missing_argument,
    run_entry,
    source_arguments,
    zero_shot,
)
from helm_structext.storage.cache import content_key


def _image2struct(
    name: str,
    subset: str = "all",
    difficulty: str = "all",
    source: str = "hub",
    protocol: ProtocolName = DEFAULT_PROTOCOL,
    perturbation: str = "none",
    severity: int = 3,
    wording: str = "default",
    revision: str = NEWEST,
    missing: MissingRule = "zero",
) -> RunDescription:
    """Describes the run of one of the paper's domains.

    Args:
        name: the run entry's name, a key of `PUBLISHED_DOMAINS`.
        subset: one of the domain's subsets, or ``all`` of those with published tables.
        difficulty: ``all``, ``easy``, ``medium`` or ``hard``.
        source: ``hub``, ``sample`` or a folder.
        protocol: ``published`` or ``corrected``.
        perturbation: ``none``, or how the input picture is made worse.
        severity: of the perturbation, 1 to 5.
        wording: of the instructions: ``default`` (as published), ``cot`` (chain of thought), or
            a text file that holds others. (HELM keeps the names `instructions` and `prompt` for
            itself.)
        revision: of the published data: a branch, a tag or a commit.
        missing: of the protocol ``corrected``: whether answers that can't be drawn for what is missing
            here score ``zero`` or are ``unscored``.

    Raises:
        SetupError: a value is unknown; the message names the allowed ones.
    """
    domain = PUBLISHED_DOMAINS[name]
    check(name, "subset", subset, ("all", *domain.subsets, *domain.wild_subsets))
    check(name, "protocol", protocol, PROTOCOLS)
    arguments = Image2StructArguments(name, subset, difficulty, source, revision, protocol)
    return _run(name, arguments, perturbation, severity, wording, missing)


def _image2struct_format(
    format: str,
    subset: str = "all",
    difficulty: str = "all",
    source: str = "sample",
    protocol: ProtocolName = OWN_PROTOCOL,
    perturbation: str = "none",
    severity: int = 3,
    wording: str = "default",
    revision: str = NEWEST,
    missing: MissingRule = "zero",
) -> RunDescription:
    """Describes the run of one of our own domains; what is not said here is as in the paper's.

    Args:
        format: one of `helm_structext.formats.rendered_formats`.
        subset: a kind of scenes, ``files`` for files of code, or ``all``.
        source: ``sample``, or a folder: a generated one, or one of files of code.
        protocol: ``corrected``; nothing is published of these.

    Raises:
        SetupError: a value is unknown; the message names the allowed ones.
    """
    name = FORMATS_ENTRY
    check(name, "format", format, rendered_formats())
    check(name, "subset", subset, ("all", *DOMAINS[format_domain(format)].subsets))
    check(name, "protocol", protocol, (OWN_PROTOCOL,))
    if source == "hub":
        raise SetupError(f"{name}: no dataset is published; source is sample or a folder")
    arguments = Image2StructArguments(
        format_domain(format), subset, difficulty, source, revision, protocol, format=format
    )
    return _run(name, arguments, perturbation, severity, wording, missing)


def _run(
    name: str,
    arguments: Image2StructArguments,
    perturbation: str,
    severity: int,
    wording: str,
    missing: MissingRule,
) -> RunDescription:
    """Describes a run of a domain, and what its experiments change."""
    domain, protocol = arguments.domain, arguments.protocol
    check(name, "difficulty", arguments.difficulty, DIFFICULTIES)
    check(name, "perturbation", perturbation, ("none", *PERTURBATIONS))
    check(name, "severity", severity, SEVERITIES)
    instructions, wording_label = _find_wording(name, domain, wording)
    experiments = {}
    if perturbation != "none":
        experiments["perturbed"] = f",perturbation={perturbation},severity={severity}"
    if wording != "default":
        experiments["reworded"] = f",wording={wording_label}"
    if rule := missing_argument(name, missing, protocol):
        experiments["unscored"] = rule
    data = source_arguments(name, arguments.source, arguments.revision)
    of_format = f"format={arguments.format}," if arguments.format else ""
    run = f"{name}:{of_format}subset={arguments.subset},difficulty={arguments.difficulty},{data}"
    return RunDescription(
        name=f"{run},protocol={protocol}{''.join(experiments.values())}",
        benchmark="image2struct",
        arguments=replace(
            arguments,
            perturbation=perturbation,
            severity=severity,
            wording=wording_label,
            missing=missing if rule else None,
        ),
        adapter_spec=zero_shot(instructions, DOMAINS[domain].max_tokens),
        groups=_groups(domain, arguments.subset, arguments.difficulty, protocol, experiments),
    )


def _groups(
    name: str, subset: str, difficulty: str, protocol: str, experiments: Collection[str]
) -> list[str]:
    """Tables are made of groups, and never mix protocols, nor plain runs with experiments."""
    if name not in PUBLISHED_DOMAINS:
        return ["_".join([name, *experiments])]
    domain = DOMAINS[name]
    group = name if protocol == "published" else f"{name}_{protocol}"
    if experiments:
        return ["_".join([group, *experiments])]
    if subset in domain.wild_subsets:
        return [f"{group}_wild"]
    # A domain's only subset is the domain.
    whole = ("all", *domain.subsets) if len(domain.subsets) == 1 else ("all",)
    return [group, *(f"{group}_{part}" for part in (subset, difficulty) if part not in whole)]


def _find_wording(name: str, domain: str, wording: str) -> tuple[str, str]:
    """Returns the instructions and the label that stands for them in the run's name."""
    wordings = {"default": DOMAINS[domain].instructions, **WORDINGS}
    if wording in wordings:
        return wordings[wording], wording
    path = Path(str(wording)).expanduser()
    try:
        text = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise SetupError(
            f"{name}: wording={wording} is neither {' nor '.join(wordings)}, "
            f"nor a text file that can be read: {error}"
        ) from error
    return text, f"{path.stem}-{content_key(text)[:6]}"


@run_entry("image2struct_latex", _image2struct)
def image2struct_latex(**arguments: Any) -> RunDescription:
    """Image2Struct, LaTeX: equations, tables, plots and algorithms from papers."""
    return _image2struct("image2struct_latex", **arguments)


@run_entry("image2struct_webpage", _image2struct)
def image2struct_webpage(**arguments: Any) -> RunDescription:
    """Image2Struct, webpages: pages of GitHub repositories in HTML, CSS and JavaScript."""
    return _image2struct("image2struct_webpage", **arguments)


@run_entry("image2struct_music", _image2struct)
def image2struct_music(**arguments: Any) -> RunDescription:
    """Image2Struct, music: excerpts of sheet music, to be written in LilyPond."""
    return _image2struct("image2struct_music", **arguments)


@run_entry(FORMATS_ENTRY, _image2struct_format)
def image2struct(**arguments: Any) -> RunDescription:
    """Pictures of any rendered format, to be written in it: ours, and in no paper."""
    if "format" not in arguments:
        raise SetupError(f"{FORMATS_ENTRY}: format= is one of {', '.join(rendered_formats())}")
    return _image2struct_format(**arguments)
