"""Which runs `helm-run` would make of run entries, as HELM expands them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from helm_structext.errors import SetupError
from helm_structext.planning.estimate import PlannedRun
from helm_structext.planning.records import text_tokens
from helm_structext.texts import describe_error, quote_value

if TYPE_CHECKING:
    from helm.benchmark.presentation.run_entry import RunEntry
    from helm.benchmark.run_spec import RunSpec


@dataclass(frozen=True)
class RunOptions:
    """Options of `helm-run`, under its names.

    Args:
        suite: the folder of the suite that the runs would be in.
        local_path: HELM's folder with descriptions of models.
        conf_paths: files of run entries.
        run_entries: others.
        models_to_run: instead of those that the entries name as a group.
        groups_to_run: only runs of these groups.
        priority: only entries up to this priority.
        max_eval_instances: of each run.
    """

    suite: Path
    local_path: Path
    conf_paths: Sequence[str] = ()
    run_entries: Sequence[str] = ()
    models_to_run: list[str] | None = None
    groups_to_run: list[str] | None = None
    priority: int | None = None
    max_eval_instances: int | None = None


def planned_runs(options: RunOptions, known: Collection[str]) -> tuple[list[PlannedRun], int]:
    """Returns the runs that `helm-run` would make.

    Args:
        options: as `helm-run` has them.
        known: names of run entries that can be planned.

    Returns:
        The runs, and how many entries are of other benchmarks than ours.

    Raises:
        SetupError: a file can't be read, an entry or a model is unknown, or there are no runs.
    """
    from helm.benchmark.presentation.run_entry import RunEntry
    from helm.benchmark.run import run_entries_to_run_specs

    from helm_structext.helm.watch import no_runs, unreadable_runs

    register_models(options.local_path)
    entries = [entry for path in options.conf_paths for entry in conf_entries(path)]
    entries += [RunEntry(entry, 1, None) for entry in options.run_entries]
    ours = [entry for entry in entries if entry.description.partition(":")[0] in known]
    _check_names(entries, known)
    _check_models(options, ours)
    filters: dict[str, Any] = {
        "models_to_run": options.models_to_run,
        "groups_to_run": options.groups_to_run,
        "priority": options.priority,
    }
    try:
        specs = run_entries_to_run_specs(
            ours, max_eval_instances=options.max_eval_instances, **filters
        )
    except SetupError:
        raise
    except Exception as error:  # whatever HELM makes of an entry
        raise SetupError(f"HELM makes no runs of these entries: {describe_error(error)}") from error
    if not specs and len(ours) == len(entries):
        raise SetupError(no_runs(run_entries_to_run_specs, entries, filters))
    if unfit := unreadable_runs(specs):
        raise SetupError(unfit)
    return [_plan_run(spec, options) for spec in specs], len(entries) - len(ours)


def register_models(local_path: Path) -> None:
    """Lets HELM know its own models, those of the user's files, and ours.

    Raises:
        SetupError: a file can't be read.
    """
    from helm.benchmark import config_registry

    import helm_structext.helm.plugin  # noqa: F401 (registers)

    try:
        _register_helms_own()
        config_registry.register_configs_from_directory(str(local_path))
    except Exception as error:  # whatever a user's file leads to
        raise SetupError(
            f"{local_path} has a file that HELM can't read: {describe_error(error)}"
        ) from error


@cache
def _register_helms_own() -> None:
    from helm.benchmark import config_registry

    config_registry.register_builtin_configs_from_helm_package()


def conf_entries(path: str) -> "list[RunEntry]":
    """Returns the run entries of a conf file.

    Raises:
        SetupError: it can't be read.
    """
    from helm.benchmark.presentation.run_entry import read_run_entries

    try:
        return read_run_entries([path]).entries
    except Exception as error:  # HOCON, or what is in it
        raise SetupError(f"{path} can't be read as a conf file: {describe_error(error)}") from error


def _check_names(entries: "Sequence[RunEntry]", known: Collection[str]) -> None:
    from helm.benchmark.run_spec import discover_run_spec_functions, get_run_spec_function

    others = {entry.description.partition(":")[0] for entry in entries}.difference(known)
    if others:
        discover_run_spec_functions()  # HELM's own, which takes seconds
    for name in sorted(others):
        if get_run_spec_function(name) is None:
            near = get_close_matches(name, known, 1)
            meant = f"did you mean {near[0]}? " if near else ""
            raise SetupError(
                f"{quote_value(name)} is no run entry, neither of HELM nor of ours; {meant}ours are "
                f"{', '.join(known)}"
            )


def _check_models(options: RunOptions, entries: "Sequence[RunEntry]") -> None:
    from helm.benchmark import model_metadata_registry
    from helm.benchmark.model_deployment_registry import get_model_deployment

    names = set(model_metadata_registry.get_all_models())
    for model in options.models_to_run or ():
        try:
            if model not in names:
                get_model_deployment(model)
        except Exception as error:  # HELM's own kinds
            raise SetupError(
                f"--models-to-run {model}: HELM knows no such model; "
                f"`helm-structext add-model {model} --base-url URL` describes one"
            ) from error
    if not options.models_to_run:
        open_ones = [e.description for e in entries if "model=" not in e.description]
        if open_ones:
            raise SetupError(f"{open_ones[0]} names no model; name some with --models-to-run")


def _plan_run(spec: "RunSpec", options: RunOptions) -> PlannedRun:
    adapter = spec.adapter_spec
    judges = [(one.args or {}).get("judge", "") for one in spec.annotators or ()]
    return PlannedRun(
        name=spec.name,
        entry=spec.name.partition(":")[0],
        model=adapter.model,
        arguments=spec.scenario_spec.args or {},
        finished=(options.suite / spec.name / "per_instance_stats.json").is_file(),
        instructions=text_tokens(adapter.instructions + adapter.input_suffix),
        max_tokens=adapter.max_tokens,
        max_instances=adapter.max_eval_instances,
        judge=next(filter(None, judges), ""),
    )
