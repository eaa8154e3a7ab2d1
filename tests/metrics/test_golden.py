"""Values that HELM 0.5.16 computed, on its authors' definitions and our pictures."""

import json

import pytest
from PIL import Image

from helm_structext import metrics
from support import GOLDEN

PAIRS = json.loads((GOLDEN / "image_metrics.json").read_text())


@pytest.mark.parametrize(
    ("metric", "field"),
    [
        (metrics.block_emd, "block_emd"),
        (metrics.earth_mover_similarity, "earth_mover_similarity"),
        (metrics.structural_similarity, "ssim_similarity"),
        (metrics.pixel_similarity_published, "pixel_similarity_helm"),
    ],
)
@pytest.mark.parametrize(
    "pair", PAIRS, ids=lambda pair: f"{pair['prediction']}-{pair['reference']}"
)
def test_published_value(pair, metric, field):
    pictures = [Image.open(GOLDEN / "images" / pair[side]) for side in ("prediction", "reference")]
    assert metric(*pictures, pair["size_handling"]) == pytest.approx(pair[field], abs=1e-5)
