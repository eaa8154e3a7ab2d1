"""How a suite was run: versions, the settings of its run entries, and the models."""

import platform
from collections.abc import Iterable
from importlib.metadata import version

from helm_structext import __version__
from helm_structext.results.passports import passport_line
from helm_structext.results.result_sets import group_values
from helm_structext.results.runs import Run
from helm_structext.results.tabular import Cell, Column, Table, list_some

VARYING = frozenset({"domain", "subset", "task", "difficulty"})
"""Arguments that only say which instances a run has."""

COLUMNS = ("Run entry", "Arguments", "Temperature", "Tokens at most", "Instances at most", "Runs")


def settings_tables(runs: Iterable[Run]) -> list[Table]:
    """Returns a table of what the runs of a suite have in common, a row for each such setting.

    Args:
        runs: of the suite.
    """
    runs = list(runs)
    rows = [
        [
            *settings,
            len(ours),
            list_some(sorted({run.spec["adapter_spec"]["model"] for run in ours})),
        ]
        for settings, ours in group_values(runs, _settings).items()
    ]
    note = (
        f"Written by helm-structext {__version__} with crfm-helm {version('crfm-helm')} and Python "
        f"{platform.python_version()}. Instances at most: of each run. "
        f"{passport_line(run.folder for run in runs)}"
    ).strip()
    columns = [*map(Column, COLUMNS), Column("Models")]
    return [Table("settings", "Settings", note, columns, rows)] if rows else []


def _settings(run: Run) -> tuple[Cell, ...]:
    adapter = run.spec["adapter_spec"]
    arguments = (
        f"{name}={value}"
        for name, value in run.arguments.items()
        if name not in VARYING and value is not None
    )
    limits = (adapter.get(name) for name in ("temperature", "max_tokens", "max_eval_instances"))
    return run.entry, ", ".join(arguments), *limits
