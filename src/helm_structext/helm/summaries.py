"""helm-summarize for one suite: with a schema of what the suite has, so that every page of helm-server opens."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from helm.benchmark.config_registry import (
    register_builtin_configs_from_helm_package,
    register_configs_from_directory,
)
from helm.benchmark.presentation.schema import (
    Field,
    MetricGroup,
    MetricNameMatcher,
    RunGroup,
    Schema,
)
from helm.benchmark.presentation.summarize import Run, Summarizer
from helm.benchmark.presentation.table import Table

from helm_structext.baselines import is_offline
from helm_structext.benchmarks import BENCHMARKS, Benchmark
from helm_structext.models.registry import register_used
from helm_structext.storage.cache import content_key

OTHER_JUDGE = "other judge"
"""What the schema calls any judge but the published one."""

TOKENS = frozenset({"num_prompt_tokens", "num_completion_tokens", "num_output_tokens"})
"""Metrics that HELM counts as 1 where no tokenizer is known, as for offline models."""


MAX_NAME = 160
"""Bytes of a table's name: files are named after a group and a table of it, and may have 255."""
HASH = 8


class SuiteSummarizer(Summarizer):
    """HELM's own, but for a schema that holds nothing which the suite has no runs of."""

    def read_run(self, run_path: str) -> Run:
        """Reads a run, without the counts of tokens that an offline model never had."""
        run = super().read_run(run_path)
        if not is_offline(run.run_spec.adapter_spec.model):
            return run
        return replace(run, stats=[stat for stat in run.stats if stat.name.name not in TOKENS])

    def fix_up_schema(self) -> None:
        """Leaves of the schema what the runs have; HELM calls this once it has read them."""
        whole = with_benchmarks(self.schema, self.runs)
        self.schema = with_judges_named(suite_schema(whole, self.runs), self.runs)
        register_used({run.run_spec.adapter_spec.model for run in self.runs})
        super().fix_up_schema()

    def create_group_table(self, *args: Any, **options: Any) -> Table:
        """Makes a table without the columns in which no run has a value; files that are named after it can be."""
        table = super().create_group_table(*args, **options)
        places = [
            place
            for place in range(len(table.header))
            if any(row[place].value is not None for row in table.rows)
        ]
        return replace(
            table,
            name=shorten_name(table.name or ""),
            header=[table.header[place] for place in places],
            rows=[[row[place] for place in places] for row in table.rows],
        )


def shorten_name(name: str) -> str:
    """Returns a name from all arguments of a run, short enough for a file behind the name of a group.

    >>> shorten_name("mmr_all"), len(shorten_name("mmr_all_source:" + "folder" * 50))
    ('mmr_all', 160)
    """
    if len(name.encode()) <= MAX_NAME:
        return name
    start = name.encode()[: MAX_NAME - 1 - HASH].decode("utf-8", "ignore")
    return f"{start}-{content_key(name)[:HASH]}"


def summarize(suite: str, output_path: Path, schema_path: Path, local_path: Path) -> int:
    """Writes what helm-server shows of a suite, as helm-summarize does.

    Args:
        suite: its name.
        output_path: HELM's output folder.
        schema_path: a schema of everything, of which the suite gets its part.
        local_path: HELM's local configuration, for names of models.

    Returns:
        The number of groups that helm-server lists.
    """
    register_builtin_configs_from_helm_package()
    register_configs_from_directory(str(local_path))
    summarizer = SuiteSummarizer(
        release=None,
        suites=None,
        suite=suite,
        schema_path=str(schema_path),
        output_path=str(output_path),
        verbose=False,
        num_threads=8,
        allow_unknown_models=True,
    )
    summarizer.run_pipeline(skip_completed=False)
    return len(summarizer.schema.run_groups)


def with_benchmarks(schema: Schema, runs: Sequence[Run]) -> Schema:
    """Returns a schema that has groups of those of our benchmarks, too, of which it says nothing.

    Such a benchmark's groups show the measures of its tables.

    Args:
        schema: as from a file.
        runs: of a suite.
    """
    known = {group.name for group in schema.run_groups}
    for benchmark in BENCHMARKS:
        ours = [run for run in runs if run.run_spec.name.partition(":")[0] in benchmark.entries]
        if ours and benchmark.scoring and not known.intersection(ours[0].run_spec.groups):
            schema = _with_benchmark(schema, benchmark, ours)
    return schema


def _with_benchmark(schema: Schema, benchmark: Benchmark, runs: Sequence[Run]) -> Schema:
    assert benchmark.scoring is not None
    name, title = benchmark.name, benchmark.title
    headers = {metric: header for header, metric in benchmark.scoring.headers.items()}
    ranked = [*reversed(headers)]
    splits = (s.name.split for run in runs for s in run.stats if s.name.name in headers)
    split = next(filter(None, splits), "test")
    shown = {f"{name}_main": ranked, f"{name}_general": ["internal_error", "num_instances"]}
    fields = {field.name: field for field in schema.metrics}
    fields |= {metric: Field(metric, headers[metric]) for metric in ranked if metric not in fields}
    groups = sorted({group for run in runs for group in run.run_spec.groups})
    environment = {"main_name": ranked[0], "main_split": split}
    return replace(
        schema,
        metrics=[*fields.values()],
        metric_groups=[
            *schema.metric_groups,
            *(
                MetricGroup(
                    group,
                    title if place == 0 else "General",
                    metrics=[MetricNameMatcher(metric, split) for metric in metrics],
                    hide_win_rates=place > 0,
                )
                for place, (group, metrics) in enumerate(shown.items())
            ),
        ],
        run_groups=[
            *schema.run_groups,
            RunGroup(f"{name}_runs", title, category=title, subgroups=groups),
            *(
                RunGroup(group, title, metric_groups=[*shown], environment=environment)
                for group in groups
            ),
        ],
    )


def suite_schema(schema: Schema, runs: Sequence[Run]) -> Schema:
    """Returns a schema of the groups that have runs, and of the metrics that these runs have.

    A group of groups that shows nothing but a part of another one is left out, too.

    Args:
        schema: of everything; groups of runs that it lacks stay unknown.
        runs: of a suite.
    """
    ran = {name for run in runs for name in run.run_spec.groups}
    known = {group.name for group in schema.run_groups if group.name in ran}
    kept = {
        group.name: replace(group, subgroups=[name for name in group.subgroups if name in known])
        for group in schema.run_groups
        if group.subgroups
    }
    shown = _widest(kept.values())
    metrics = {stat.name.name for run in runs for stat in run.stats}
    metric_groups = [
        replace(group, metrics=[m for m in group.metrics if m.name in metrics or m.name[0] == "$"])
        for group in schema.metric_groups
    ]
    return replace(
        schema,
        metrics=[field for field in schema.metrics if field.name in metrics],
        metric_groups=metric_groups,
        run_groups=[
            shown.get(group.name, group)
            for group in schema.run_groups
            if group.name in known or group.name in shown
        ],
    )


def with_judges_named(schema: Schema, runs: Sequence[Run]) -> Schema:
    """Returns a schema that says in the names of groups which other judge than the published one they are of.

    Args:
        schema: of a suite.
        runs: of the suite.
    """
    judges = {
        (annotator.args or {}).get("judge", "")
        for run in runs
        if any("_other_judge" in group for group in run.run_spec.groups)
        for annotator in run.run_spec.annotators or ()
    }
    names = ", ".join(sorted(filter(None, judges)))
    if not names:
        return schema

    def named(text: str | None) -> str | None:
        return text and text.replace(OTHER_JUDGE, f"judge: {names}")

    return replace(
        schema,
        run_groups=[
            replace(
                group,
                display_name=named(group.display_name),
                short_display_name=named(group.short_display_name),
            )
            for group in schema.run_groups
        ],
    )


def _widest(groups: Collection[RunGroup]) -> dict[str, RunGroup]:
    """Name to group, of those that show something which no other one shows, too.

    StructEval's groups of several judges share those of texts, which have no judge.
    """
    widest: dict[str, RunGroup] = {}
    for group in groups:
        ours = {*group.subgroups}
        others = [{*other.subgroups} for other in groups if other.name != group.name]
        same = [{*other.subgroups} for other in widest.values()]
        if ours and ours not in same and not any(ours < other for other in others):
            widest[group.name] = group
    return widest
