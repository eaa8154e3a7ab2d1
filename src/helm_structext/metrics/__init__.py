"""Metrics of pictures, texts and structures, usable without HELM.

Every metric takes the prediction first and the reference second. Picture metrics take Pillow
images of any size and of the modes that `helm_structext.pictures.as_rgb` knows, which says what of
them counts; `size_handling` says what to do when sizes differ.

>>> from PIL import Image
>>> page = Image.new("RGB", (64, 64), "white")
>>> earth_mover_similarity(page, page)
1.0
"""

from helm_structext.metrics.boxes import iou
from helm_structext.metrics.ems import (
    PUBLISHED,
    EmsSettings,
    PatchMove,
    TransportPlan,
    block_emd,
    earth_mover_distance,
    earth_mover_similarity,
    earth_mover_similarity_corrected,
)
from helm_structext.metrics.ems_paper import SimilarityBounds, earth_mover_similarity_paper
from helm_structext.metrics.neural import (
    NeuralMetric,
    fid_similarity,
    inception_similarity,
    lpips_similarity,
    neural_similarities,
)
from helm_structext.metrics.pixel import pixel_similarity, pixel_similarity_published
from helm_structext.metrics.pnls import pnls, pnls_published
from helm_structext.metrics.published_structures import (
    path_score_published,
    syntax_score_published,
    text_scores_published,
)
from helm_structext.metrics.sizes import SizeHandling, match_sizes
from helm_structext.metrics.ssim import structural_similarity
from helm_structext.metrics.structures import (
    CsvTable,
    XmlDocument,
    count_lost_paths,
    keyword_score,
    parse_structure,
    path_exists,
    path_score,
    structeval_score,
    structeval_score_published,
    syntax_score,
    values_at_paths,
)
from helm_structext.metrics.text import edit_similarity, levenshtein_similarity
from helm_structext.metrics.weights import WeightsMissing, fetch_weights, missing_weights

__all__ = [
    "PUBLISHED",
    "CsvTable",
    "EmsSettings",
    "NeuralMetric",
    "PatchMove",
    "SimilarityBounds",
    "SizeHandling",
    "TransportPlan",
    "WeightsMissing",
    "XmlDocument",
    "block_emd",
    "count_lost_paths",
    "earth_mover_distance",
    "earth_mover_similarity",
    "earth_mover_similarity_corrected",
    "earth_mover_similarity_paper",
    "edit_similarity",
    "fetch_weights",
    "fid_similarity",
    "inception_similarity",
    "iou",
    "keyword_score",
    "levenshtein_similarity",
    "lpips_similarity",
    "match_sizes",
    "missing_weights",
    "neural_similarities",
    "parse_structure",
    "path_exists",
    "path_score",
    "path_score_published",
    "pixel_similarity",
    "pixel_similarity_published",
    "pnls",
    "pnls_published",
    "structeval_score",
    "structeval_score_published",
    "structural_similarity",
    "syntax_score",
    "syntax_score_published",
    "text_scores_published",
    "values_at_paths",
]
