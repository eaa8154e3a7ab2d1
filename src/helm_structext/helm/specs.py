"""Our run entries as HELM has them: what describes a run becomes HELM's `RunSpec`."""

from dataclasses import asdict
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import Any

from helm.benchmark.adaptation.adapter_spec import AdapterSpec
from helm.benchmark.annotation.annotator import AnnotatorSpec
from helm.benchmark.metrics.common_metric_specs import get_basic_metric_specs
from helm.benchmark.metrics.metric import MetricSpec
from helm.benchmark.run_spec import RunSpec, run_spec_function
from helm.benchmark.scenarios.scenario import ScenarioSpec

from helm_structext.results.runs import BENCHMARK
from helm_structext.run_entries import RUN_ENTRIES, RunDescription, RunEntry


def run_spec_of(run: RunDescription) -> RunSpec:
    """Returns HELM's specification of a run: our scenario, annotator and metric, and the metrics that HELM has for all."""
    arguments = {BENCHMARK: run.benchmark, **run.all_arguments}
    return RunSpec(
        name=run.name,
        scenario_spec=ScenarioSpec(f"{__package__}.scenario.BenchmarkScenario", arguments),
        adapter_spec=AdapterSpec(**asdict(run.adapter_spec)),
        annotators=[AnnotatorSpec(f"{__package__}.annotator.ScoreAnnotator", arguments)],
        metric_specs=[
            MetricSpec(f"{__package__}.metric.ScoreMetric"),
            *get_basic_metric_specs([]),
        ],
        groups=[*run.groups],
    )


def register() -> None:
    """Registers the run entries of all benchmarks with HELM."""
    # The table of benchmarks names more than HELM needs here, and takes longer to load.
    package = Path(__file__).parents[1]
    for file in sorted([*package.glob("*/run_specs.py"), *package.glob("*/tasks.py")]):
        import_module(f"{package.name}.{file.parent.name}.{file.stem}")
    for name, entry in RUN_ENTRIES.items():
        run_spec_function(name)(_for_helm(entry))


def _for_helm(entry: RunEntry) -> Any:
    @wraps(entry)
    def made(**arguments: Any) -> RunSpec:
        return run_spec_of(entry(**arguments))

    return made
