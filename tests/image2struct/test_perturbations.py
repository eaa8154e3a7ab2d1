import io

import numpy as np
import pytest
from PIL import Image, ImageDraw

from helm_structext.image2struct.perturbations import PERTURBATIONS, SEVERITIES, perturb


def page(mode: str = "RGB") -> bytes:
    image = Image.new("RGB", (200, 80), "white")
    ImageDraw.Draw(image).text((10, 30), "The quick brown fox jumps over it", "black")
    buffer = io.BytesIO()
    image.convert(mode).save(buffer, "PNG")
    return buffer.getvalue()


def pixels(png: bytes, size: tuple[int, int] | None = None) -> np.ndarray:
    image = Image.open(io.BytesIO(png)).convert("RGB")
    return np.asarray(image.resize(size) if size else image, dtype=float)


@pytest.mark.parametrize("kind", PERTURBATIONS)
def test_each_kind_grows_with_severity_and_repeats_exactly(kind):
    original = pixels(page())
    changes = []
    for severity in SEVERITIES:
        worse = perturb(page(), kind, severity)
        assert worse == perturb(page(), kind, severity)
        changes.append(np.abs(pixels(worse, (200, 80)) - original).mean())
    assert changes[0] > 0
    assert changes[-1] > changes[0]


@pytest.mark.parametrize("mode", ["L", "P", "RGBA", "1"])
@pytest.mark.parametrize("kind", PERTURBATIONS)
def test_every_mode_of_picture_is_taken(kind, mode):
    assert pixels(perturb(page(mode), kind, 3)).shape[2] == 3
