"""What happens to pages: that something does, that it can be repeated, and that notes stay to be seen."""

from random import Random

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFilter, ImageOps

from helm_structext.image2struct.collect.classifier.degrade import (
    EFFECTS,
    bilevel,
    degraded,
    placed,
)


@pytest.fixture(scope="module")
def page() -> Image.Image:
    page = Image.new("L", (400, 560), 255)
    draw = ImageDraw.Draw(page)
    for y in range(40, 520, 12):
        draw.line((30, y, 370, y), fill=0, width=2)
        draw.ellipse((y % 300 + 40, y, y % 300 + 54, y + 10), fill=0)
    return page.filter(ImageFilter.GaussianBlur(0.8))  # Edges are gray, as those of any drawing.


@pytest.mark.parametrize("effect", EFFECTS, ids=lambda effect: effect.__name__)
def test_an_effect_changes_a_page_and_keeps_what_is_on_it(page, effect):
    changed = [effect(page, Random(seed)) for seed in range(8)]
    assert all(other.size == page.size and other.mode == "L" for other in changed)
    assert changed[0].tobytes() == effect(page, Random(0)).tobytes()
    assert any(other.tobytes() != page.tobytes() for other in changed)
    before = np.asarray(page, float).ravel()
    alike = [np.corrcoef(before, np.asarray(other, float).ravel())[0, 1] for other in changed]
    assert min(map(abs, alike)) > 0.3


def test_black_and_white_alone_keeps_light_ink_on_dark_paper(page):
    for seed in range(8):
        light, dark = bilevel(ImageOps.invert(page), Random(seed)), bilevel(page, Random(seed))
        changed = np.asarray(ImageOps.invert(light), float).ravel()
        assert np.corrcoef(np.asarray(dark, float).ravel(), changed)[0, 1] > 0.8


def test_effects_leave_the_page_they_are_given(page):
    before = page.tobytes()
    for seed in range(30):
        degraded(page, Random(seed))
    assert page.tobytes() == before


def test_the_middle_stays_in_the_middle():
    page = Image.new("L", (400, 560), 255)
    page.paste(0, (190, 270, 210, 290))
    for seed in range(20):
        left, top, right, bottom = placed(page, Random(seed)).point(lambda v: 255 - v).getbbox()
        assert abs((left + right) / 2 - 200) < 25
        assert abs((top + bottom) / 2 - 280) < 35
        assert 12 < right - left < 30


def test_some_pages_stay_clean(page):
    clean = [
        seed for seed in range(50) if degraded(page, Random(seed)) == placed(page, Random(seed))
    ]
    assert 7 < len(clean) < 30
