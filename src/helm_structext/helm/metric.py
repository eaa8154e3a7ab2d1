"""The metric of all our runs: what the annotator stored becomes HELM's statistics."""

from collections.abc import Mapping

from helm.benchmark.adaptation.adapter_spec import AdapterSpec
from helm.benchmark.adaptation.request_state import RequestState
from helm.benchmark.metrics.metric import Metric
from helm.benchmark.metrics.metric_name import MetricName
from helm.benchmark.metrics.metric_service import MetricService
from helm.benchmark.metrics.statistic import Stat


class ScoreMetric(Metric):
    """Reads the scores in the annotations of `helm_structext.helm.annotator.ScoreAnnotator`."""

    def evaluate_generation(
        self,
        adapter_spec: AdapterSpec,
        request_state: RequestState,
        metric_service: MetricService,
        eval_cache_path: str,
    ) -> list[Stat]:
        """Returns one `Stat` for each score of one instance; one without a value has no count."""
        annotations = (request_state.annotations or {}).values()
        return stats_of(
            {
                name: value
                for items in annotations
                for item in items
                for name, value in item.get("scores", {}).items()
            }
        )


def stats_of(values: Mapping[str, float | None]) -> list[Stat]:
    """Returns HELM's statistics of one instance: those of None have a count of 0.

    So they say that there is no value, without a warning from helm-summarize.

    >>> [(stat.name.name, stat.count) for stat in stats_of({"iou": 0.5, "pnls": None})]
    [('iou', 1), ('pnls', 0)]
    """
    # HELM's Stat leaves out None.
    return [Stat(MetricName(name)).add(value) for name, value in values.items()]
