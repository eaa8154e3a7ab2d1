"""HELM metrics: pictures and texts become statistics."""

from collections.abc import Callable, Iterable
from pathlib import Path

from helm.benchmark.adaptation.adapter_spec import AdapterSpec
from helm.benchmark.adaptation.request_state import RequestState
from helm.benchmark.metrics.metric import Metric
from helm.benchmark.metrics.metric_service import MetricService
from helm.benchmark.metrics.statistic import Stat
from helm.common.cache import Cache
from helm.common.hierarchical_logger import hwarn

from helm_structext import __version__
from helm_structext.cache import content_key, read_stored
from helm_structext.errors import error_values
from helm_structext.handling import INTERNAL_ERROR, Failure, handle
from helm_structext.helm_adapters import instance_stats
from helm_structext.image2struct.scores import (
    DISTANCES,
    NEURAL_METRICS,
    PICTURE_METRICS,
    TEXT_METRICS,
)
from helm_structext.image2struct.scoring import Scores, attempt, read_pair, score_pictures
from helm_structext.metrics import SizeHandling
from helm_structext.metrics.weights import WeightFile, WeightsMissing


class Image2StructMetric(Metric):
    """Compares the rendering that an annotator made with the reference picture.

    A completion that did not render scores 0 in every similarity and has no distance;
    ``earth_mover_similarity_rendered`` leaves it out. A metric that fails on a pair that rendered
    is left out too, counted in ``metric_errors`` and named in the log: never a silent 0. So is all of
    a completion that could not be handled (`helm_structext.handling`). Metrics whose weights are not
    there are left out with one line in the log.

    Args:
        size_handling: see `helm_structext.metrics`.
        has_structure: whether the references hold the text that edit metrics compare with.
    """

    def __init__(self, size_handling: SizeHandling, has_structure: bool) -> None:
        self._size_handling = size_handling
        self._neural_metrics = _neural_metrics()
        self._text_metrics = TEXT_METRICS if has_structure else {}

    def evaluate_generation(
        self,
        adapter_spec: AdapterSpec,
        request_state: RequestState,
        metric_service: MetricService,
        eval_cache_path: str,
    ) -> list[Stat]:
        """Returns one `Stat` for each metric of one instance."""
        names = (*error_values(None), *NEURAL_METRICS, *self._failed())
        return instance_stats(
            request_state,
            names,
            lambda: self._values(request_state, metric_service.get_cache("structext_metrics")),
        )

    def _values(self, request_state: RequestState, cache: Cache) -> dict[str, float | None]:
        assert request_state.annotations is not None
        rendering, reference = request_state.annotations["rendering"]
        errors = error_values(rendering.get("kind"))
        if "error" in rendering:
            return {**errors, **self._failed()}
        scores = self._scored(
            Path(rendering["media_object"].location),
            Path(reference["media_object"].location),
            (rendering["text"], request_state.instance.references[0].output.text),
            cache,
        )
        for name, message in scores.errors.items():
            hwarn(f"{name} failed on instance {request_state.instance.id}: {message}")
        return {
            **errors,
            **scores.values,
            "earth_mover_similarity_rendered": scores.values.get("earth_mover_similarity"),
            "compilation_success": 1.0,
            "metric_errors": float(len(scores.errors)),
            INTERNAL_ERROR: float(bool(scores.errors)),
        }

    def _failed(self) -> dict[str, float | None]:
        names = (*PICTURE_METRICS, *self._neural_metrics, *self._text_metrics)
        return {
            **{name: None if name in DISTANCES else 0.0 for name in names},
            "earth_mover_similarity_rendered": None,
            "compilation_success": 0.0,
            "metric_errors": 0.0,
        }

    def _scored(
        self, prediction: Path, reference: Path, texts: tuple[str, str], cache: Cache
    ) -> Scores:
        paths = prediction, reference
        pair = content_key(*map(read_stored, paths), self._size_handling)

        groups = {
            "pictures": (pair, lambda: score_pictures(*paths, self._size_handling)),
            "neural": (
                pair,
                lambda: attempt(self._neural_metrics, read_pair(*paths, self._size_handling)),
            ),
            "texts": (content_key(*texts), lambda: attempt(self._text_metrics, texts)),
        }
        names = {"neural": self._neural_metrics, "texts": self._text_metrics}
        all_scores = [
            _cached(cache, {"group": group, "content": content}, of_group, compute)
            for group, (content, compute) in groups.items()
            if (of_group := names.get(group, PICTURE_METRICS))
        ]
        return Scores(
            {name: value for scores in all_scores for name, value in scores.values.items()},
            {name: error for scores in all_scores for name, error in scores.errors.items()},
        )


class _Incomplete(Exception):
    """Carries scores of which some failed past the cache, which must not keep them."""

    def __init__(self, scores: Scores) -> None:
        super().__init__()
        self.scores = scores


def _cached(
    cache: Cache, key: dict[str, str], names: Iterable[str], compute: Callable[[], Scores]
) -> Scores:
    """A group's scores; where they can't be computed, all of them are errors."""

    def do_it() -> dict[str, float]:
        scores = compute()
        if scores.errors:
            raise _Incomplete(scores)
        return scores.values

    def known() -> Scores:
        try:
            values, _ = cache.get({"version": __version__, **key}, do_it)
        except _Incomplete as incomplete:
            return incomplete.scores
        return Scores(values, {})

    scores = handle(f"scores of {key['group']}", known)
    if isinstance(scores, Failure):
        return Scores({}, dict.fromkeys(names, str(scores)))
    return scores


def _neural_metrics() -> dict[str, Callable[..., float]]:
    """The metrics whose weights are there; what is left out is said once."""
    usable = {}
    missing: dict[WeightFile, list[str]] = {}
    for name, (metric, file) in NEURAL_METRICS.items():
        if file.path.is_file():
            usable[name] = metric
        else:
            missing.setdefault(file, []).append(name)
    for file, names in missing.items():
        hwarn(f"{' and '.join(names)} left out: {WeightsMissing(file)}")
    return usable
