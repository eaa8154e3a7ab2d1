"""Run entries of Image2Struct: one for each domain."""

from collections.abc import Collection
from pathlib import Path
from typing import Any

from helm_structext.data import NEWEST
from helm_structext.errors import SetupError
from helm_structext.image2struct.perturbations import PERTURBATIONS, SEVERITIES
from helm_structext.image2struct.tasks import (
    DIFFICULTIES,
    DOMAINS,
    MAX_TOKENS,
    WORDINGS,
    Image2StructArguments,
)
from helm_structext.protocols import DEFAULT_PROTOCOL, PROTOCOLS, MissingRule, ProtocolName
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
    """Describes the run of one Image2Struct entry.

    Args:
        name: the run entry's name, a key of `DOMAINS`.
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
    domain = DOMAINS[name]
    check(name, "subset", subset, ("all", *domain.subsets, *domain.wild_subsets))
    check(name, "difficulty", difficulty, DIFFICULTIES)
    check(name, "protocol", protocol, PROTOCOLS)
    check(name, "perturbation", perturbation, ("none", *PERTURBATIONS))
    check(name, "severity", severity, SEVERITIES)
    instructions, wording_label = _wording(name, wording)
    experiments = {}
    if perturbation != "none":
        experiments["perturbed"] = f",perturbation={perturbation},severity={severity}"
    if wording != "default":
        experiments["reworded"] = f",wording={wording_label}"
    if rule := missing_argument(name, missing, protocol):
        experiments["unscored"] = rule
    data = source_arguments(name, source, revision)
    run = f"{name}:subset={subset},difficulty={difficulty},{data}"
    return RunDescription(
        name=f"{run},protocol={protocol}{''.join(experiments.values())}",
        benchmark="image2struct",
        arguments=Image2StructArguments(
            name,
            subset,
            difficulty,
            source,
            revision,
            protocol,
            perturbation,
            severity,
            wording_label,
            missing if rule else None,
        ),
        adapter_spec=zero_shot(instructions, MAX_TOKENS),
        groups=_groups(name, subset, difficulty, protocol, experiments),
    )


def _groups(
    name: str, subset: str, difficulty: str, protocol: str, experiments: Collection[str]
) -> list[str]:
    """Tables are made of groups, and never mix protocols, nor plain runs with experiments."""
    domain = DOMAINS[name]
    group = name if protocol == "published" else f"{name}_{protocol}"
    if experiments:
        return ["_".join([group, *experiments])]
    if subset in domain.wild_subsets:
        return [f"{group}_wild"]
    # A domain's only subset is the domain.
    whole = ("all", *domain.subsets) if len(domain.subsets) == 1 else ("all",)
    return [group, *(f"{group}_{part}" for part in (subset, difficulty) if part not in whole)]


def _wording(name: str, wording: str) -> tuple[str, str]:
    """Returns the instructions and the label that stands for them in the run's name."""
    if wording in WORDINGS:
        return WORDINGS[wording], wording
    path = Path(str(wording)).expanduser()
    try:
        text = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise SetupError(
            f"{name}: wording={wording} is neither {' nor '.join(WORDINGS)}, "
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
