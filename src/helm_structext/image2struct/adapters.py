"""HELM metrics: pictures and texts become statistics."""

from pathlib import Path

from helm.benchmark.adaptation.adapter_spec import AdapterSpec
from helm.benchmark.adaptation.request_state import RequestState
from helm.benchmark.metrics.metric import Metric
from helm.benchmark.metrics.metric_service import MetricService
from helm.benchmark.metrics.statistic import Stat
from helm.common.cache import Cache

from helm_structext import __version__
from helm_structext.helm.adapters import instance_stats
from helm_structext.image2struct.comparison import Comparison, Compute
from helm_structext.metrics import SizeHandling
from helm_structext.storage.cache import content_key, read_stored


class Image2StructMetric(Metric):
    """Compares the rendering that an annotator made with the reference picture.

    A completion that did not render scores 0 in every similarity and has no distance;
    ``earth_mover_similarity_rendered`` leaves it out. A metric that fails on a pair that rendered
    is left out too, counted in ``metric_errors`` and named in the log: never a silent 0. So is all of
    a completion that could not be handled (`helm_structext.scoring.handling`). Metrics whose weights are not
    there are left out with one line in the log.

    Args:
        size_handling: see `helm_structext.metrics`.
        has_structure: whether the references hold the text that edit metrics compare with.
    """

    def __init__(self, size_handling: SizeHandling, has_structure: bool) -> None:
        self._comparison = Comparison(size_handling, has_structure)
        self._names = self._comparison.names  # says now which metrics are left out

    def evaluate_generation(
        self,
        adapter_spec: AdapterSpec,
        request_state: RequestState,
        metric_service: MetricService,
        eval_cache_path: str,
    ) -> list[Stat]:
        """Returns one `Stat` for each metric of one instance."""
        return instance_stats(
            request_state,
            self._names,
            lambda: self._values(request_state, metric_service.get_cache("structext_metrics")),
        )

    def _values(self, request_state: RequestState, cache: Cache) -> dict[str, float | None]:
        assert request_state.annotations is not None
        rendering, reference = request_state.annotations["rendering"]
        if "error" in rendering:
            return self._comparison.failed(rendering.get("kind"))
        pictures = (
            Path(rendering["media_object"].location),
            Path(reference["media_object"].location),
        )
        texts = rendering["text"], request_state.instance.references[0].output.text
        pair = content_key(*map(read_stored, pictures), self._comparison.size_handling)
        contents = {"pictures": pair, "neural": pair, "texts": content_key(*texts)}

        def known(group: str, compute: Compute) -> dict[str, float]:
            key = {"version": __version__, "group": group, "content": contents[group]}
            values, _ = cache.get(key, compute)
            return values

        what = f"instance {request_state.instance.id}"
        return self._comparison.rendered(what, pictures, texts, known)
