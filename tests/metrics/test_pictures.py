"""Sizes, pixels and structure; and what every picture metric refuses."""

import inspect

import numpy as np
import pytest
from PIL import Image
from skimage.metrics import structural_similarity as skimage_ssim

from helm_structext import metrics
from helm_structext.metrics.colors import most_frequent_color, pack_colors
from support.lazy import Lazy
from support.pictures import DRAWN, drawn, noise, photo

image_utils = Lazy("helm.benchmark.metrics.vision_language.image_utils")
WHITE = (255, 255, 255)
PICTURE_METRICS = [
    metric
    for metric in vars(metrics).values()
    if inspect.isfunction(metric)
    and "reference" in inspect.signature(metric).parameters
    and "size_handling" in inspect.signature(metric).parameters
]

NEED_WEIGHTS = (metrics.inception_similarity, metrics.fid_similarity, metrics.lpips_similarity)


@pytest.mark.parametrize("metric", PICTURE_METRICS)
@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ("a.png", TypeError, "expected a PIL.Image.Image, got str"),
        (np.full((8, 8), np.nan), TypeError, "expected a PIL.Image.Image, got ndarray"),
        (None, TypeError, "expected a PIL.Image.Image, got NoneType"),
        (Image.new("RGB", (0, 8)), ValueError, "expected a picture with an area, got 0×8 pixels"),
        (Image.new("F", (8, 8)), ValueError, "expected one of the modes 1, L, .*, got F"),
        (Image.new("I", (8, 8)), ValueError, "expected one of the modes 1, L, .*, got I"),
    ],
    ids=["path", "array", "none", "no-area", "float", "32-bit"],
)
def test_wrong_pictures(metric, wrong, error, message):
    right = Image.new("RGB", (8, 8))
    with pytest.raises(error, match=f"prediction: {message}"):
        metric(wrong, right)
    with pytest.raises(error, match=f"reference: {message}"):
        metric(right, wrong)


@pytest.mark.parametrize("metric", PICTURE_METRICS)
def test_size_handling(metric):
    small, large = noise(1, (20, 30)), noise(2, (24, 16))
    with pytest.raises(ValueError, match=r"prediction: .* 24×16 pixels, got 20×30"):
        metric(small, large, size_handling="error")
    with pytest.raises(ValueError, match=r"size_handling: expected one of padding, .* 'crop'"):
        metric(small, large, "crop")
    if metric not in (metrics.match_sizes, *NEED_WEIGHTS):
        for handling in ("padding", "resize"):
            matched = metrics.match_sizes(small, large, handling)
            assert metric(small, large, handling) == metric(*matched, "error")


def test_padding_adds_white_below_and_to_the_right():
    wide, tall = metrics.match_sizes(Image.new("L", (3, 1), 9), Image.new("L", (1, 2), 7))
    assert np.asarray(wide)[..., 0].tolist() == [[9, 9, 9], [255, 255, 255]]
    assert np.asarray(tall)[..., 0].tolist() == [[7, 255, 255], [7, 255, 255]]


def test_most_frequent_color():
    for picture in (photo(1, (60, 50)), noise(2, (9, 9)), drawn("plot", 3, (80, 60), WHITE)):
        colors, counts = np.unique(np.asarray(picture).reshape(-1, 3), axis=0, return_counts=True)
        red, green, blue = (int(x) for x in colors[counts.argmax()])
        expected = (red << 16 | green << 8 | blue, counts.max() / counts.sum())
        assert most_frequent_color(pack_colors(picture)) == expected


def test_pixel_similarity_counts_pixels():
    page, other = Image.new("RGB", (10, 10), "white"), Image.new("RGB", (10, 10), "white")
    page.paste((100, 100, 100), (0, 0, 10, 2))
    other.paste((105, 95, 100), (0, 0, 10, 1))  # within 2% in every channel
    other.paste((106, 100, 100), (0, 1, 5, 2))  # not quite
    assert metrics.pixel_similarity(other, page) == pytest.approx(10 / 20)


def test_pixel_similarity_of_blank_pages():
    white, black = Image.new("RGB", (9, 9), "white"), Image.new("RGB", (9, 9), "black")
    assert metrics.pixel_similarity(white, white) == 1
    assert metrics.pixel_similarity(black, white) == 0
    # A pixel is left out only where both pictures have the modal color.
    half = white.copy()
    half.paste("black", (0, 0, 9, 3))
    assert metrics.pixel_similarity(white, half) == 0


@pytest.mark.parametrize("kind", [*DRAWN, "noise", "photo"])
@pytest.mark.parametrize("same", [False, True])
def test_published_pixel_similarity_equals_helm(kind, same):
    make = {"noise": noise, "photo": photo}.get(kind)
    first, second = (
        make(seed, (90, 70)) if make else drawn(kind, seed, (90, 70), WHITE)
        for seed in (1, 1 if same else 2)
    )
    helm = image_utils.pixel_similarity(*(image_utils.preprocess_image(x) for x in (first, second)))
    assert metrics.pixel_similarity_published(first, second) == pytest.approx(helm, abs=1e-12)


@pytest.mark.parametrize("size", [(7, 7), (7, 90), (203, 131), (64, 70), (9, 500)])
def test_structural_similarity_equals_skimage(size):
    for first, second in (
        (noise(1, size), noise(2, size)),
        (photo(1, size), photo(3, size)),
        (photo(1, size), Image.new("L", size, 140)),
    ):
        gray = [np.asarray(picture.convert("RGB").convert("L")) for picture in (first, second)]
        expected = (skimage_ssim(*gray) + 1) / 2
        assert metrics.structural_similarity(first, second) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("size", [(1, 1), (6, 6), (3, 40), (40, 3)])
def test_structural_similarity_below_its_window(size):
    first, second = noise(1, size), noise(2, size)
    assert metrics.structural_similarity(first, first) == 1
    assert 0 <= metrics.structural_similarity(first, second) < 1
