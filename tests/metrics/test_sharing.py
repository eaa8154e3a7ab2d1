"""Sharing steps changes no value, and ends with its block."""

import pytest
from PIL import Image, ImageDraw

from helm_structext.image2struct.scores import PICTURE_METRICS
from helm_structext.metrics.colors import gray_levels
from helm_structext.metrics.sharing import share_result, shared_steps


@pytest.mark.parametrize("background", ["white", "black", (12, 34, 56)])
def test_every_metric_is_the_same_with_and_without(background):
    pair = [Image.new("RGB", (300, 200), background) for _ in range(2)]
    for number, picture in enumerate(pair):
        ImageDraw.Draw(picture).ellipse((20, 30, 150 + 40 * number, 120), "teal")
    with shared_steps():
        together = {name: metric(*pair) for name, metric in PICTURE_METRICS.items()}
    assert together == {name: metric(*pair) for name, metric in PICTURE_METRICS.items()}


def test_a_step_is_taken_once_within_the_block_and_anew_outside():
    taken = []
    step = share_result(lambda picture, times: taken.append(picture) or picture.width * times)
    pages = [Image.new("L", (width, 1)) for width in (3, 4)]
    with shared_steps():
        assert [step(page, times) for page in pages * 2 for times in (1, 2)] == [3, 6, 4, 8] * 2
        assert len(taken) == 4
    step(pages[0], 1)
    assert len(taken) == 5


def test_outside_of_the_block_a_picture_may_change():
    page = Image.new("RGB", (2, 1), "white")
    assert gray_levels(page).max() == 255
    page.paste("black", (0, 0, 2, 1))
    assert gray_levels(page).max() == 0
