"""HELM adapters of StructEval: pictures become verdicts, completions and verdicts statistics."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from helm.benchmark.adaptation.adapter_spec import AdapterSpec
from helm.benchmark.adaptation.request_state import RequestState
from helm.benchmark.annotation.annotator import Annotator
from helm.benchmark.metrics.metric import Metric
from helm.benchmark.metrics.metric_service import MetricService
from helm.benchmark.metrics.statistic import Stat

from helm_structext.errors import RenderError
from helm_structext.formats import FORMATS
from helm_structext.helm.adapters import annotated, instance_stats
from helm_structext.protocols import ProtocolName
from helm_structext.renderers import render_completion
from helm_structext.storage.cache import renderings_folder
from helm_structext.structeval.judge_client import Judge
from helm_structext.structeval.scores import METRICS, answer_scores

if TYPE_CHECKING:
    from helm.clients.auto_client import AutoClient


class JudgeAnnotator(Annotator):
    """Asks a judge about the rendered picture of each answer, through HELM's own clients.

    `helm_structext.structeval.judge` describes the annotation.

    Args:
        judge: a model that HELM knows: the name of a deployment, or of a model.
        protocol: ``published`` or ``corrected``; of the rendering.
        auto_client: HELM's client of all models, with its credentials, cache and retries.
        file_storage_path: the folder in which HELM keeps this annotator's files.
    """

    name = "judge"

    def __init__(
        self, judge: str, protocol: ProtocolName, auto_client: "AutoClient", file_storage_path: str
    ) -> None:
        self._judge = Judge(judge, auto_client, Path(file_storage_path))
        self._protocol = protocol

    def prepare(self) -> None:
        """Says before a model is asked whether the judge can be.

        Raises:
            SetupError: it can't, as far as that is known without asking.
        """
        self._judge.prepare()

    def annotate(self, request_state: RequestState) -> list[dict[str, Any]]:
        """Asks about the picture of one answer.

        Raises:
            SetupError: the judge is unknown or can't be reached. The run stops; run again, it goes
                on where it stopped, as the answers up to there are in HELM's cache.
        """
        extra = request_state.instance.extra_data or {}
        if not FORMATS[extra["format"]].rendered:
            return []
        return [annotated("verdict", request_state, lambda: self._judged(request_state, extra))]

    def _judged(self, request_state: RequestState, extra: dict[str, Any]) -> dict[str, Any]:
        assert request_state.result is not None
        # HELM shows no annotator what another found, but what was rendered lies in our cache.
        try:
            picture = render_completion(
                extra["format"],
                request_state.result.completions[0].text,
                protocol=self._protocol,
                cache=renderings_folder(),
            ).path
        except RenderError:
            picture = None
        return self._judge.look(picture, extra["vqa"])


class StructEvalMetric(Metric):
    """Scores completions as section 3 of the paper says.

    Text (StructEval-T) has a syntax and a path score. What renders (StructEval-V) has a syntax
    score (whether it rendered), a keyword score, and a VQA score where a judge was asked; without
    one it has no final score. Keywords are looked for in the whole completion, as published; with
    ``corrected`` not in the reasoning before it. What could not be handled has no scores
    (`helm_structext.scoring.handling`).

    Args:
        protocol: ``published`` or ``corrected``: how code is found in completions.
    """

    def __init__(self, protocol: ProtocolName) -> None:
        self._protocol = protocol

    def evaluate_generation(
        self,
        adapter_spec: AdapterSpec,
        request_state: RequestState,
        metric_service: MetricService,
        eval_cache_path: str,
    ) -> list[Stat]:
        """Returns one `Stat` for each of `METRICS`; one without a value has no count."""
        return instance_stats(request_state, METRICS, lambda: self._values(request_state))

    def _values(self, request_state: RequestState) -> dict[str, float | None]:
        assert request_state.instance.extra_data is not None
        assert request_state.result is not None
        assert request_state.annotations is not None
        extra_data, annotations = request_state.instance.extra_data, request_state.annotations
        (rendering, *_) = annotations["rendering"]
        (judged,) = annotations.get("judge") or [None]
        return answer_scores(
            extra_data["task"],
            request_state.result.completions[0].text,
            extra_data["keywords"],
            rendering.get("kind"),
            judged,
            self._protocol,
        )
