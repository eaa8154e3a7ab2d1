"""How a rendering is compared with its reference: every metric of a run, and what a failure scores."""

import logging
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from helm_structext.errors import error_values
from helm_structext.image2struct.picture_scores import (
    Scores,
    attempt,
    read_pair,
    score_layouts,
    score_pictures,
)
from helm_structext.image2struct.scores import (
    LAYOUT_METRICS,
    NEURAL_METRICS,
    PICTURE_METRICS,
    TEXT_METRICS,
    failed_scores,
    usable_neural_metrics,
)
from helm_structext.layouts import PictureLayout
from helm_structext.metrics import SizeHandling
from helm_structext.metrics.weights import WeightFile, WeightsMissing
from helm_structext.scoring.handling import INTERNAL_ERROR, Failure, handle
from helm_structext.scoring.scorer import Compute

# Below HELM's own logger, whose handlers and level are then those of this one, too.
_log = logging.getLogger("helm.structext")
_helms_log = logging.getLogger("helm")
"""For what is no mistake of ours."""

Known = Callable[[str, Compute], dict[str, float]]
"""Returns what is known of a group of metrics (``pictures``, ``neural`` or ``texts``), or computes it."""


def compute_anew(group: str, compute: Compute) -> dict[str, float]:
    """Knows nothing of earlier values."""
    return compute()


@dataclass(frozen=True)
class RunMetrics:
    """The metrics of a run.

    Args:
        size_handling: see `helm_structext.metrics`.
        has_structure: whether the references hold the text that edit metrics compare with.
        has_layout: whether what lies on the pictures is compared, too.
    """

    size_handling: SizeHandling
    has_structure: bool
    has_layout: bool = False

    @cached_property
    def neural_metrics(self) -> dict[str, Callable[..., float]]:
        """The metrics whose weights are there; what is left out is said once."""
        usable = usable_neural_metrics()
        missing: dict[WeightFile, list[str]] = {}
        for name, (_, file) in NEURAL_METRICS.items():
            if name not in usable:
                missing.setdefault(file, []).append(name)
        for file, names in missing.items():
            _helms_log.warning(f"{' and '.join(names)} left out: {WeightsMissing(file)}")
        return usable

    @property
    def text_metrics(self) -> Mapping[str, Callable[[str, str], float]]:
        """Those that the run has."""
        return TEXT_METRICS if self.has_structure else {}

    @property
    def layout_metrics(self) -> Collection[str]:
        """Those that the run has."""
        return LAYOUT_METRICS if self.has_layout else ()

    @property
    def names(self) -> list[str]:
        """The names of all statistics; those of metrics without weights have no value."""
        return [*dict.fromkeys([*error_values(None), *NEURAL_METRICS, *self.failed(None)])]

    def failed(
        self, kind: str | None, layouts: Collection[str] = LAYOUT_METRICS
    ) -> dict[str, float | None]:
        """Returns the statistics of a completion that did not render: 0 in every similarity.

        Args:
            kind: of the error.
            layouts: those metrics of layouts that the reference has something for; others have no value.
        """
        names = (*PICTURE_METRICS, *self.neural_metrics, *self.text_metrics, *self.layout_metrics)
        without = LAYOUT_METRICS.keys() - {*layouts}
        return {
            **error_values(kind),
            **failed_scores(names),
            **dict.fromkeys(without.intersection(names)),
            "earth_mover_similarity_rendered": None,
            "compilation_success": 0.0,
            "metric_errors": 0.0,
        }

    def rendered(
        self,
        what: str,
        pictures: tuple[Path, Path],
        texts: tuple[str, str],
        known: Known = compute_anew,
        layouts: tuple[PictureLayout, PictureLayout] | None = None,
    ) -> dict[str, float | None]:
        """Returns the statistics of a completion that rendered.

        A metric that fails is left out, counted in ``metric_errors`` and named in the log.

        Args:
            what: is scored, for the log.
            pictures: the rendering and the reference, PNG files.
            texts: the rendered structure and the reference's, reduced to their content.
            known: remembers the values of these pictures and texts.
            layouts: what is on the rendering and on the reference, or None where that is not known.

        Raises:
            SetupError: the machine fails.
        """
        scores = self._scores(pictures, texts, known)
        if layouts and self.has_layout:
            compared = score_layouts(*layouts)
            scores = Scores(scores.values | compared.values, scores.errors | compared.errors)
        for name, message in scores.errors.items():
            _log.warning(f"{name} failed on {what}: {message}")
        return {
            **error_values(None),
            **scores.values,
            "earth_mover_similarity_rendered": scores.values.get("earth_mover_similarity"),
            "compilation_success": 1.0,
            "metric_errors": float(len(scores.errors)),
            INTERNAL_ERROR: float(bool(scores.errors)),
        }

    def _scores(self, pictures: tuple[Path, Path], texts: tuple[str, str], known: Known) -> Scores:
        groups = {
            "pictures": (
                PICTURE_METRICS,
                lambda: score_pictures(*pictures, self.size_handling),
            ),
            "neural": (
                self.neural_metrics,
                lambda: attempt(self.neural_metrics, read_pair(*pictures, self.size_handling)),
            ),
            "texts": (self.text_metrics, lambda: attempt(self.text_metrics, texts)),
        }
        all_scores = [
            _group(known, group, names, compute)
            for group, (names, compute) in groups.items()
            if names
        ]
        return Scores(
            {name: value for scores in all_scores for name, value in scores.values.items()},
            {name: error for scores in all_scores for name, error in scores.errors.items()},
        )


class _Incomplete(Exception):
    """Carries scores of which some failed past what remembers them, which must not keep them."""

    def __init__(self, scores: Scores) -> None:
        super().__init__()
        self.scores = scores


def _group(known: Known, group: str, names: Iterable[str], compute: Callable[[], Scores]) -> Scores:
    """A group's scores; where they can't be computed, all of them are errors."""

    def values() -> dict[str, float]:
        scores = compute()
        if scores.errors:
            raise _Incomplete(scores)
        return scores.values

    def all_scores() -> Scores:
        try:
            return Scores(known(group, values), {})
        except _Incomplete as incomplete:
            return incomplete.scores

    scores = handle(f"scores of {group}", all_scores)
    if isinstance(scores, Failure):
        return Scores({}, dict.fromkeys(names, str(scores)))
    return scores
