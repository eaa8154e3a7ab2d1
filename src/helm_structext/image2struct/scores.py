"""Which metrics a rendering or a text is scored with: names as they appear in tables."""

from collections.abc import Callable, Iterable

from helm_structext.formats import check_format, load
from helm_structext.layouts import PictureLayout
from helm_structext.metrics import (
    block_emd,
    earth_mover_similarity,
    earth_mover_similarity_corrected,
    earth_mover_similarity_paper,
    edit_similarity,
    fid_similarity,
    inception_similarity,
    levenshtein_similarity,
    lpips_similarity,
    pixel_similarity,
    pixel_similarity_published,
    structural_similarity,
)
from helm_structext.metrics.chart import chart_similarity
from helm_structext.metrics.formula import formula_similarity
from helm_structext.metrics.layout import layout_similarity
from helm_structext.metrics.notes import note_similarity
from helm_structext.metrics.weights import INCEPTION_V3, VGG_16, WeightFile
from helm_structext.protocols import ProtocolName

PICTURE_METRICS: dict[str, Callable[..., float]] = {
    "earth_mover_similarity": earth_mover_similarity,
    "earth_mover_similarity_corrected": earth_mover_similarity_corrected,
    "earth_mover_similarity_paper": earth_mover_similarity_paper,
    "block_emd": block_emd,
    "pixel_similarity": pixel_similarity,
    "pixel_similarity_published": pixel_similarity_published,
    "structural_similarity": structural_similarity,
}
"""Functions of (prediction, reference) pictures, with `size_handling`."""

NEURAL_METRICS: dict[str, tuple[Callable[..., float], WeightFile]] = {
    "inception_similarity": (inception_similarity, INCEPTION_V3),
    "fid_similarity": (fid_similarity, INCEPTION_V3),
    "lpips_similarity": (lpips_similarity, VGG_16),
}
"""Picture metrics that need PyTorch and a file of weights; where one is missing they have no value."""


def usable_neural_metrics() -> dict[str, Callable[..., float]]:
    """Returns those of `NEURAL_METRICS` that can be computed here."""
    return {name: metric for name, (metric, file) in NEURAL_METRICS.items() if file.usable}


TEXT_METRICS: dict[str, Callable[[str, str], float]] = {
    "edit_similarity": edit_similarity,
    "levenshtein_similarity": levenshtein_similarity,
}
"""Functions of (prediction, reference) texts: structures reduced to their content."""

LAYOUT_METRICS: dict[str, Callable[[PictureLayout, PictureLayout], float | None]] = {
    "layout_similarity": layout_similarity,
    "formula_similarity": formula_similarity,
    "note_similarity": note_similarity,
    "chart_similarity": chart_similarity,
}
"""Functions of (prediction, reference) layouts, in [0, 1]; None where the reference has nothing of what they compare."""


def comparable_texts(
    texts: tuple[str, str], format: str, protocol: ProtocolName
) -> tuple[str, str]:
    r"""Returns the texts that `TEXT_METRICS` compare: in ``corrected`` without what draws nothing else.

    Args:
        texts: structures reduced to their content: prediction and reference.
        format: a key of `helm_structext.formats.FORMATS`.
        protocol: ``published`` compares the texts as they are.

    >>> comparable_texts(("$x_{2}$", "$x_2$"), "latex", "corrected")
    ('$x_2$', '$x_2$')
    """
    normalizer = check_format(format).normalizer
    if protocol == "published" or not normalizer:
        return texts
    normalize = load(normalizer)
    return normalize(texts[0]), normalize(texts[1])


DISTANCES = frozenset({"block_emd"})
"""Metrics for which less is better."""


def failed_scores(names: Iterable[str]) -> dict[str, float | None]:
    """Returns what metrics give a completion that does not render: similarities 0, `DISTANCES` no value.

    >>> failed_scores(["pixel_similarity", "block_emd"])
    {'pixel_similarity': 0.0, 'block_emd': None}
    """
    return {name: None if name in DISTANCES else 0.0 for name in names}
