"""HELM adapter of StructEval: completions and verdicts become statistics."""

from helm.benchmark.adaptation.adapter_spec import AdapterSpec
from helm.benchmark.adaptation.request_state import RequestState
from helm.benchmark.metrics.metric import Metric
from helm.benchmark.metrics.metric_service import MetricService
from helm.benchmark.metrics.statistic import Stat

from helm_structext.errors import error_values
from helm_structext.extraction import extract
from helm_structext.helm_adapters import stats_of
from helm_structext.structeval.scores import METRICS, rendered_scores, text_scores
from helm_structext.structeval.tasks import TASKS


class StructEvalMetric(Metric):
    """Scores completions as section 3 of the paper says.

    Text (StructEval-T) has a syntax and a path score. What renders (StructEval-V) has a syntax
    score (whether it rendered), a keyword score, and a VQA score where a judge was asked; without
    one it has no final score. Keywords are looked for in the whole completion, as published, but
    not in the reasoning before it.

    Args:
        protocol: ``published`` or ``corrected``: how code is found in completions.
    """

    def __init__(self, protocol: str) -> None:
        self._protocol = protocol

    def evaluate_generation(
        self,
        adapter_spec: AdapterSpec,
        request_state: RequestState,
        metric_service: MetricService,
        eval_cache_path: str,
    ) -> list[Stat]:
        """Returns one `Stat` for each of `METRICS`; one without a value has no count."""
        assert request_state.instance.extra_data is not None
        assert request_state.result is not None
        assert request_state.annotations is not None
        extra_data, annotations = request_state.instance.extra_data, request_state.annotations
        completion = request_state.result.completions[0].text
        (rendering, *_) = annotations["rendering"]
        values: dict[str, float | None] = dict.fromkeys(METRICS)
        values |= error_values(rendering.get("kind"))
        if TASKS[extra_data["task"]].rendered:
            rendered = "error" not in rendering
            (judged,) = annotations.get("judge") or [None]
            values |= rendered_scores(completion, extra_data["keywords"], rendered, judged)
        else:
            code = extract(completion, extra_data["format"], self._protocol)
            values |= text_scores(code, extra_data["keywords"], extra_data["format"])
        return stats_of(values)
