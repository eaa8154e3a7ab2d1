"""Block-EMD and the earth mover similarity (EMS): exactly the published values, and fast.

Two pictures are cut into patches. What it costs to turn one patch into another is an earth mover's
distance itself, between their pixels; what it costs to turn one picture into the other is the
earth mover's distance between their patches under those costs.
"""

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, NamedTuple, get_args, overload

import numpy as np
import numpy.typing as npt
from PIL import Image

from helm_structext.metrics.colors import channels, most_frequent_color, pack_colors
from helm_structext.metrics.sharing import share_result
from helm_structext.metrics.sizes import Canvas, SizeHandling, background_of, match_unpadded
from helm_structext.metrics.transport import Floats, Metric, Patches, nested_emd
from helm_structext.storage.cache import content_key

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class EmsSettings:
    """What block-EMD leaves open; the defaults are the published values.

    Args:
        patch_size: height and width of a patch in pixels.
        max_num_patches: pictures with more patches are first scaled down, bicubically and with
            about the same shape, until they have no more than this; at least one row and one
            column of patches always remain.
        weight_most_frequent_color: the weight, in (0, 1], of a pixel of the reference's most
            frequent color and of a patch of nothing else; all others weigh 1.
        threshold_most_frequent_color: when that color covers a larger share of the reference
            than this, in (0, 1], patches that are nothing else in both pictures are left out.
        metric: how distances combine, within patches and between them.

    Raises:
        ValueError: a value out of its range.
    """

    patch_size: tuple[int, int] = (8, 8)
    max_num_patches: int = 100
    weight_most_frequent_color: float = 0.001
    threshold_most_frequent_color: float = 0.5
    metric: Metric = "cityblock"

    def __post_init__(self) -> None:
        if len(self.patch_size) != 2 or min(self.patch_size) < 1:
            raise ValueError(f"patch_size: expected two positive integers, got {self.patch_size!r}")
        if self.max_num_patches < 1:
            raise ValueError(
                f"max_num_patches: expected a positive integer, got {self.max_num_patches!r}"
            )
        for name in ("weight_most_frequent_color", "threshold_most_frequent_color"):
            if not 0 < getattr(self, name) <= 1:
                raise ValueError(
                    f"{name}: expected a number in (0, 1], got {getattr(self, name)!r}"
                )
        if self.metric not in get_args(Metric):
            raise ValueError(
                f"metric: expected one of {', '.join(get_args(Metric))}, got {self.metric!r}"
            )


PUBLISHED = EmsSettings()
"""The settings of the published code."""


class PatchMove(NamedTuple):
    """One entry of a plan: so much of the prediction's patch becomes the reference's patch."""

    source: tuple[int, int]  # row and column of the patch in the prediction
    target: tuple[int, int]  # row and column of the patch in the reference
    mass: float  # share of the whole, in (0, 1]
    pixel_cost: float  # of turning the one into the other, per unit of mass
    position_cost: float  # of carrying it there, per unit of mass


class TransportPlan(NamedTuple):
    """How the prediction's patches become the reference's, most cheaply.

    Row r and column c of a patch begin at pixel (r × height, c × width) of the pictures after size
    handling and scaling to `size`. Patches left out as background in both appear in no move.
    """

    block_emd: float
    size: tuple[int, int]  # width and height in which the pictures were compared
    patch_size: tuple[int, int]  # height and width
    moves: tuple[PatchMove, ...]


@overload
def block_emd(
    prediction: Image.Image,
    reference: Image.Image,
    size_handling: SizeHandling = ...,
    *,
    settings: EmsSettings = ...,
    explain: Literal[False] = ...,
) -> float: ...
@overload
def block_emd(
    prediction: Image.Image,
    reference: Image.Image,
    size_handling: SizeHandling = ...,
    *,
    settings: EmsSettings = ...,
    explain: Literal[True],
) -> tuple[float, TransportPlan]: ...
def block_emd(
    prediction: Image.Image,
    reference: Image.Image,
    size_handling: SizeHandling = "padding",
    *,
    settings: EmsSettings = PUBLISHED,
    explain: bool = False,
) -> float | tuple[float, TransportPlan]:
    r"""Returns the earth mover's distance between the patches of two pictures.

    .. math::
        \min_{f \ge 0} \sum_{t,u} f_{tu} \left[ \mathrm{EMD}(P_t, Q_u)
            + \frac{\sqrt{rs}}{W + H} \lVert \phi_t - \phi_u \rVert_1 \right]
        \quad \text{with} \quad \sum_u f_{tu} = w_t, \; \sum_t f_{tu} = w_u

    where P and Q are the prediction's and the reference's patches of r × s pixels, φ is a patch's
    row and column as fractions of the grid, W × H is the size after scaling, and EMD(P, Q) is the
    earth mover's distance between the pixels of two patches, of which each is a point (grey value
    in [0, 1], row / r, column / s). Pixels and patches of the background, that is of the
    reference's most frequent color after scaling, weigh next to nothing (see `EmsSettings`); a
    patch's weight w is the larger one of both pictures' at that place, and all weights sum to 1.

    Args:
        prediction: the picture to judge.
        reference: the picture it should be; it alone decides what is background.
        size_handling: see `match_sizes`.
        settings: patches, weights and metric. None of them gives the paper's own equations, which
            `earth_mover_similarity_paper` computes.
        explain: whether to return the plan too.

    Returns:
        The distance: 0 for equal pictures, mostly below 1; lower is more similar. With `explain`,
        the distance and its `TransportPlan`.

    Raises:
        TypeError, ValueError: as `match_sizes` and `EmsSettings`.

    Source: Image2Struct, section 2.2, equations 2 and 3, as computed by HELM 0.5.16
    (`compute_emd_recursive`) up to its solver's tolerance. HELM decides what is background by
    comparing a grey value that went through float32 with one that did not. That works on colors
    whose channels are all 0 or 255; on most others a patch never counts as background when
    weights are given out, and, depending on the color, pixels may not either. And it fills
    patches up with two shades of grey, made of the background's red below and of its green to the
    right. The published rankings contain this, so it is reproduced here. (In HELM the last bit of
    a matrix product decides even on white, and that depends on the processor: there are machines
    on which white is no background. Here it always is.) Very long pictures, on which HELM raises,
    are defined here.

    >>> page = Image.new("L", (64, 64), 255)
    >>> page.paste(0, (0, 0, 8, 8))
    >>> moved = Image.new("L", (64, 64), 255)
    >>> moved.paste(0, (8, 0, 16, 8))
    >>> value, plan = block_emd(moved, page, explain=True)
    >>> round(value, 4)
    0.0078
    >>> [(move.source, move.target) for move in plan.moves]
    [((0, 0), (0, 1)), ((0, 1), (0, 0))]
    """
    canvases = match_unpadded(prediction, reference, size_handling)
    first, second = (_scale(*canvas, settings) for canvas in canvases)
    plan = _recent_plan(first, second, settings, _PUBLISHED)
    return (plan.block_emd, plan) if explain else plan.block_emd


@overload
def earth_mover_similarity(
    prediction: Image.Image,
    reference: Image.Image,
    size_handling: SizeHandling = ...,
    *,
    settings: EmsSettings = ...,
    explain: Literal[False] = ...,
) -> float: ...
@overload
def earth_mover_similarity(
    prediction: Image.Image,
    reference: Image.Image,
    size_handling: SizeHandling = ...,
    *,
    settings: EmsSettings = ...,
    explain: Literal[True],
) -> tuple[float, TransportPlan]: ...
def earth_mover_similarity(
    prediction: Image.Image,
    reference: Image.Image,
    size_handling: SizeHandling = "padding",
    *,
    settings: EmsSettings = PUBLISHED,
    explain: bool = False,
) -> float | tuple[float, TransportPlan]:
    r"""Returns the earth mover similarity (EMS) of two pictures.

    .. math::
        1 - \frac{\mathrm{EMD}_{block}(\hat x, x)}{\mathrm{EMD}_{block}(c(x), x)}

    where c(x) is a white picture if the reference's most frequent color is dark (grey below 127
    of 255) and a black one otherwise.

    That need not be the picture that is farther away, so that there is no lower bound. A blank page
    has about 0.55 to 0.9 on a page of text, but −0.89 on one with a dark top (150 of 360 rows), and
    below −3 on a dark photograph in a white frame: less than the 0 of an answer that does not render.
    Where that matters, as in a reward, take `earth_mover_similarity_corrected`, which lies in [0, 1].

    Args:
        prediction: the picture to judge.
        reference: the picture it should be.
        size_handling: see `match_sizes`. The denominator depends on the reference after this
            step alone; its recent values are kept, by the pictures' content.
        settings: see `block_emd`.
        explain: whether to return the plan of the numerator too.

    Returns:
        A value of at most 1, and without a lower bound; higher is more similar, 1 for equal
        pictures. With `explain`, the value and a `TransportPlan`.

    Raises:
        TypeError, ValueError: as `match_sizes` and `EmsSettings`.

    Source: HELM 0.5.16, `earth_mover_similarity`, to the last bit of its formula. In Image2Struct,
    section 2.2, equation 4, the denominator is the larger of the distances to black and to white.

    >>> page = Image.new("L", (64, 64), 255)
    >>> page.paste(0, (8, 8, 40, 16))
    >>> earth_mover_similarity(page, page)
    1.0
    >>> earth_mover_similarity(Image.new("L", (64, 64), 0), page)
    0.0
    """
    canvases = match_unpadded(prediction, reference, size_handling)
    value, plan = _similarity_plan(*canvases, settings, _PUBLISHED)
    return (value, plan) if explain else value


def earth_mover_similarity_corrected(
    prediction: Image.Image,
    reference: Image.Image,
    size_handling: SizeHandling = "padding",
    *,
    settings: EmsSettings = PUBLISHED,
) -> float:
    """Returns the earth mover similarity as it was meant, in [0, 1].

    It differs from `earth_mover_similarity` in three ways:

    - The denominator is the larger of the distances to black and to white, as equation 4 of the
      paper says, where the program takes one of both by the most frequent color. On most pages of
      text these are the same.
    - What lies below 0 is 0, "the least similarity" (section 2.2): a blank page is never worse than
      one that does not render.
    - A pixel is background exactly when its grey value in thousandths, 299 R + 587 G + 114 B, is
      that of the most frequent color, and patches are filled up with this color. On white and black
      pages that changes nothing.

    Args:
        prediction: the picture to judge.
        reference: the picture it should be.
        size_handling: see `match_sizes`.
        settings: see `block_emd`.

    Returns:
        A value in [0, 1]; higher is more similar, 1 for equal pictures.

    Raises:
        TypeError, ValueError: as `match_sizes` and `EmsSettings`.

    Source: Image2Struct, section 2.2, equation 4; the algorithm is that of HELM 0.5.16.

    >>> page = Image.new("RGB", (64, 64), (12, 34, 56))
    >>> page.paste((250, 250, 250), (8, 8, 40, 16))
    >>> blank = Image.new("RGB", (64, 64), (12, 34, 56))
    >>> earth_mover_similarity_corrected(blank, page), round(earth_mover_similarity(blank, page), 3)
    (0.0, -0.041)
    """
    canvases = match_unpadded(prediction, reference, size_handling)
    value, _ = _similarity_plan(*canvases, settings, _CORRECTED)
    return max(0.0, value)


def earth_mover_distance(
    prediction: Image.Image,
    reference: Image.Image,
    size_handling: SizeHandling = "padding",
) -> float:
    """Returns the classic earth mover's distance between the grey histograms of two pictures.

    Each histogram is divided by its number of pixels; moving a unit of it costs the difference in
    grey levels. Where the pixels are does not matter. In one dimension the distance is the area
    between the two cumulative histograms.

    Args:
        prediction: the picture to judge.
        reference: the picture it should be.
        size_handling: see `match_sizes`.

    Returns:
        A value in [0, 255], in grey levels; 0 for equal histograms, lower is more similar.

    Raises:
        TypeError, ValueError: as `match_sizes`.

    Source: Image2Struct, Appendix A, equations 6 to 8.

    >>> earth_mover_distance(Image.new("L", (4, 4), 0), Image.new("L", (4, 4), 255))
    255.0
    """
    canvases = match_unpadded(prediction, reference, size_handling)
    first, second = (np.array(canvas.picture.convert("L").histogram()) for canvas in canvases)
    pixels = canvases[0].size[0] * canvases[0].size[1]
    for histogram in (first, second):
        histogram[255] += pixels - histogram.sum()
    area = np.abs(np.cumsum(first - second)).sum()
    return float(area / pixels)


RGB = npt.NDArray[np.uint8]


class _Reading(NamedTuple):
    """What is background: as the published program has it, or as it was meant."""

    # Whether each pixel of an image, shape (height, width, 3), is of the background color: for
    # the weight of its patch; and for its own weight and for leaving patches out.
    is_background: Callable[[RGB, RGB], tuple[Bools, Bools]]
    # With which colors rows below and columns to the right are filled up to whole patches.
    filling: Callable[[RGB], tuple[RGB, RGB]]


def _equal_as_published(image: RGB, background: RGB) -> tuple[Bools, Bools]:
    gray, level = _gray(_unit_range(image)), _gray(background) / 255
    # Not `==`: the last bit depends on the order in which the three products are added.
    return np.abs(gray - level) < 1e-15, gray.astype(np.float32) == level.astype(np.float32)


def _equal_as_meant(image: RGB, background: RGB) -> tuple[Bools, Bools]:
    thousandths = np.array([299, 587, 114])
    same = image @ thousandths == background @ thousandths
    return same, same


_PUBLISHED = _Reading(
    _equal_as_published,
    # HELM gives `np.pad` one value for each channel, which takes them as one for each axis.
    lambda background: (np.repeat(background[0], 3), np.repeat(background[1], 3)),
)
_CORRECTED = _Reading(_equal_as_meant, lambda background: (background, background))
# Black and white, on which both agree, so that one plan does for both.
_UNDISPUTED = (0x000000, 0xFFFFFF)


def _plan(
    prediction: Image.Image,
    reference: Image.Image,
    settings: EmsSettings,
    reading: _Reading,
) -> TransportPlan:
    """Returns the plan between two pictures that `_scale` has made comparable."""
    from scipy.spatial.distance import cdist

    size = reference.size
    color, share = most_frequent_color(pack_colors(reference))
    background = channels(color)
    ink_a, weight_a, first = _patches(prediction, background, settings, reading)
    ink_b, weight_b, second = _patches(reference, background, settings, reading)
    ink = ink_a | ink_b
    if share <= settings.threshold_most_frequent_color or not ink.any():
        ink[:] = True
    kept = np.flatnonzero(ink)
    weight = np.maximum(weight_a, weight_b)[kept]
    weight /= weight.sum()

    tall, wide = settings.patch_size
    grid = (math.ceil(size[1] / tall), math.ceil(size[0] / wide))
    places = np.stack(np.unravel_index(kept, grid), axis=1)
    scale = math.sqrt(tall * wide) / sum(size)
    position_cost = scale * cdist(places / grid, places / grid, settings.metric)
    value, flow, pixel_cost = nested_emd(
        weight, first.take(kept), second.take(kept), position_cost, settings.metric
    )
    i, j = np.nonzero(flow)
    columns = (places[i], places[j], flow[i, j], pixel_cost[i, j], position_cost[i, j])
    moves = (
        PatchMove(tuple(source), tuple(target), *rest)
        for source, target, *rest in zip(*(x.tolist() for x in columns), strict=True)
    )
    return TransportPlan(value, size, settings.patch_size, tuple(moves))


def _recent_plan(
    prediction: Image.Image,
    reference: Image.Image,
    settings: EmsSettings,
    reading: _Reading,
) -> TransportPlan:
    """Returns `_plan`, kept for a while: who wants the distance mostly wants the similarity too."""
    contents = prediction.tobytes(), reference.tobytes()
    return _plan_of_contents(reference.size, *contents, settings, reading)


@lru_cache(maxsize=64)
def _plan_of_contents(
    size: tuple[int, int],
    prediction: bytes,
    reference: bytes,
    settings: EmsSettings,
    reading: _Reading,
) -> TransportPlan:
    first, second = (Image.frombytes("RGB", size, data) for data in (prediction, reference))
    return _plan(first, second, settings, reading)


def _scaled_size(size: tuple[int, int], settings: EmsSettings) -> tuple[int, int]:
    width, height = size
    tall, wide = settings.patch_size
    most = settings.max_num_patches
    patches = math.ceil(width / wide) * math.ceil(height / tall)
    if patches <= most:
        return size
    columns = min(most, math.ceil(width / wide / math.sqrt(patches / most)))
    return columns * wide, max(1, most // columns) * tall


def _gray(colors: npt.NDArray[Any]) -> Floats:
    red, green, blue = np.moveaxis(colors.astype(np.float64), -1, 0)
    gray: Floats = 0.299 * red + 0.587 * green + 0.114 * blue
    return gray


def _patches(
    picture: Image.Image,
    background: RGB,
    settings: EmsSettings,
    reading: _Reading,
) -> tuple[Bools, Floats, Patches]:
    """Cuts a picture into patches, row by row; the last ones are filled up.

    Returns whether each patch has any ink, its share of the picture's weight, and the patches.
    """
    tall, wide = settings.patch_size
    rows, columns = math.ceil(picture.height / tall), math.ceil(picture.width / wide)
    image = np.empty((rows * tall, columns * wide, 3), np.uint8)
    below, right = reading.filling(background)
    image[:, : picture.width], image[:, picture.width :] = below, right
    image[: picture.height, : picture.width] = np.asarray(picture)

    def cut(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        blocks = values.reshape(rows, tall, columns, wide).swapaxes(1, 2)
        return blocks.reshape(rows * columns, tall * wide)

    for_patches, for_pixels = map(cut, reading.is_background(image, background))
    light = settings.weight_most_frequent_color
    weight = np.where(for_patches.all(axis=1), light, 1.0)
    mass = np.where(for_pixels, light, 1.0)
    mass /= mass.sum(axis=1, keepdims=True)
    gray = cut(_gray(_unit_range(image)).astype(np.float32)).astype(np.float64)
    places = np.indices((tall, wide)).reshape(2, -1).T / (tall, wide)
    ink = np.logical_not(for_pixels.all(axis=1))
    return ink, weight / weight.sum(), Patches(gray, mass, places)


def _unit_range(image: RGB) -> npt.NDArray[np.float32]:
    return image.astype(np.float32) / np.float32(255)


@share_result
def _scale(picture: Image.Image, whole: tuple[int, int], settings: EmsSettings) -> Image.Image:
    canvas, size = Canvas(picture, whole), _scaled_size(whole, settings)
    return canvas.band(0, size[1]) if whole == size else canvas.resized(size)


# Recent denominators, by all that they depend on.
_bases: dict[tuple[Any, ...], float] = {}
_bases_lock = threading.Lock()
_MAX_BASES = 4096


def _similarity_plan(
    prediction: Canvas,
    reference: Canvas,
    settings: EmsSettings,
    reading: _Reading,
) -> tuple[float, TransportPlan]:
    scaled = _scale(*reference, settings)
    opposites = ["white", "black"]
    if reading is _PUBLISHED:
        dark = _gray(channels(background_of(*reference))) < 127
        opposites = ["white" if dark else "black"]
    elif most_frequent_color(pack_colors(scaled))[0] in _UNDISPUTED:
        reading = _PUBLISHED
    plan = _recent_plan(_scale(*prediction, settings), scaled, settings, reading)
    base = max(_base(opposite, scaled, settings, reading) for opposite in opposites)
    return 1.0 - plan.block_emd / base, plan


def _base(opposite: str, scaled: Image.Image, settings: EmsSettings, reading: _Reading) -> float:
    """Returns the distance of a reference from a white or black picture, kept for a while."""
    key = (opposite, scaled.size, content_key(scaled.tobytes()), settings, reading)
    base = _bases.get(key)
    if base is None:
        blank = Image.new("RGB", scaled.size, opposite)
        base = _plan(blank, scaled, settings, reading).block_emd
        with _bases_lock:
            while len(_bases) >= _MAX_BASES:
                del _bases[next(iter(_bases))]
            _bases[key] = base
    return base
