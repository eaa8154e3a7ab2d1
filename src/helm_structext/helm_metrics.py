"""HELM metrics: pictures and texts become statistics."""

import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from helm.benchmark.adaptation.adapter_spec import AdapterSpec
from helm.benchmark.adaptation.request_state import RequestState
from helm.benchmark.metrics.metric import Metric
from helm.benchmark.metrics.metric_name import MetricName
from helm.benchmark.metrics.metric_service import MetricService
from helm.benchmark.metrics.statistic import Stat
from helm.common.cache import Cache
from helm.common.hierarchical_logger import hwarn
from PIL import Image

from helm_structext import __version__
from helm_structext.cache import content_key
from helm_structext.errors import ERROR_KINDS
from helm_structext.metrics import SizeHandling, match_sizes
from helm_structext.metrics.weights import WeightFile, WeightsMissing
from helm_structext.scores import DISTANCES, NEURAL_METRICS, PICTURE_METRICS, TEXT_METRICS


class Image2StructMetric(Metric):
    """Compares the rendering that an annotator made with the reference picture.

    A completion that did not render scores 0 in every similarity and has no distance;
    ``earth_mover_similarity_rendered`` leaves it out. A metric that fails on a pair that rendered
    is left out too, counted in ``metric_errors`` and named in the log: never a silent 0. Metrics
    whose weights are not there are left out with one line in the log.

    Args:
        size_handling: see `helm_structext.metrics`.
        has_structure: whether the references hold the text that edit metrics compare with.
    """

    def __init__(self, size_handling: SizeHandling, has_structure: bool) -> None:
        self._size_handling = size_handling
        self._picture_metrics = {**PICTURE_METRICS, **_neural_metrics()}
        self._text_metrics = TEXT_METRICS if has_structure else {}

    def evaluate_generation(
        self,
        adapter_spec: AdapterSpec,
        request_state: RequestState,
        metric_service: MetricService,
        eval_cache_path: str,
    ) -> list[Stat]:
        """Returns one `Stat` for each metric of one instance."""
        assert request_state.annotations is not None
        rendering, reference = request_state.annotations["rendering"]
        if "error" in rendering:
            values = self._failed(rendering["kind"])
        else:
            values = self._scored(
                rendering,
                reference["media_object"].location,
                request_state.instance.references[0].output.text,
                metric_service.get_cache("structext_metrics"),
                str(request_state.instance.id),
            )
        stats = []
        for name, value in values.items():
            stat = Stat(MetricName(name))
            # A count of 0 says "no value" without a warning from helm-summarize.
            stats.append(stat if value is None else stat.add(value))
        return stats

    def _failed(self, kind: str) -> dict[str, float | None]:
        return {
            **dict.fromkeys(NEURAL_METRICS),
            **{name: None if name in DISTANCES else 0.0 for name in self._picture_metrics},
            **dict.fromkeys(self._text_metrics, 0.0),
            "earth_mover_similarity_rendered": None,
            "compilation_success": 0.0,
            **_error_rates(kind),
            "metric_errors": 0.0,
        }

    def _scored(
        self,
        rendering: dict[str, Any],
        reference_picture: str,
        reference_text: str,
        cache: Cache,
        instance: str,
    ) -> dict[str, float | None]:
        errors = 0

        def value_of(
            name: str,
            metric: Callable[..., float],
            inputs: Sequence[str | bytes],
            arguments: Callable[[], Sequence[Any]],
            **options: str,
        ) -> Any:
            nonlocal errors
            content = content_key(*inputs, *options.values())
            key = {"version": __version__, "metric": name, "content": content}
            try:
                entry, _ = cache.get(key, lambda: {"value": metric(*arguments(), **options)})
                return entry["value"]
            except Exception as error:  # whatever it is, it must be neither lost nor a score
                hwarn(f"{name} failed on instance {instance}: {error!r}")
                errors += 1
                return None

        paths = [Path(rendering["media_object"].location), Path(reference_picture)]
        contents = [path.read_bytes() for path in paths]

        @functools.cache
        def pictures() -> tuple[Image.Image, Image.Image]:
            prediction, reference = (Image.open(path).convert("RGB") for path in paths)
            return match_sizes(prediction, reference, self._size_handling)

        values = {
            name: value_of(name, metric, contents, pictures, size_handling=self._size_handling)
            for name, metric in self._picture_metrics.items()
        }
        texts = [rendering["text"], reference_text]
        values |= {
            name: value_of(name, metric, texts, lambda: texts)
            for name, metric in self._text_metrics.items()
        }
        return {
            **dict.fromkeys(NEURAL_METRICS),
            **values,
            "earth_mover_similarity_rendered": values["earth_mover_similarity"],
            "compilation_success": 1.0,
            **_error_rates(None),
            "metric_errors": float(errors),
        }


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


def _error_rates(kind: str | None) -> dict[str, float | None]:
    return {f"render_error_{other}": float(kind == other) for other in ERROR_KINDS}
