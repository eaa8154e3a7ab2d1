"""The earth mover similarity as the Image2Struct paper prints it, where its program does another thing."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Literal, NamedTuple, overload

import numpy as np
import numpy.typing as npt
from PIL import Image

from helm_structext.metrics.colors import gray_levels
from helm_structext.metrics.sharing import share_result
from helm_structext.metrics.sizes import Canvas, SizeHandling, match_unpadded
from helm_structext.metrics.transport import MAX_POINTS, Cloud, Floats, emd_bounds

GRID = 8
"""Rows and columns of patches."""

MAX_PIXELS = 4_000_000
"""Of a picture; a larger one is scaled down first."""

_FEW_PAIRS, _MANY_PAIRS = 256, 1000
"""Of patches: more than the first are compared by their pixels only until the bounds of the similarity
are as close as `_PRECISE`, and more than the second never."""
_PRECISE = 0.001

Grays = npt.NDArray[np.int16]


class SimilarityBounds(NamedTuple):
    """Between which values a similarity lies."""

    low: float
    high: float


@overload
def earth_mover_similarity_paper(
    prediction: Image.Image,
    reference: Image.Image,
    size_handling: SizeHandling = ...,
    *,
    explain: Literal[False] = ...,
) -> float: ...
@overload
def earth_mover_similarity_paper(
    prediction: Image.Image,
    reference: Image.Image,
    size_handling: SizeHandling = ...,
    *,
    explain: Literal[True],
) -> tuple[float, SimilarityBounds]: ...
def earth_mover_similarity_paper(
    prediction: Image.Image,
    reference: Image.Image,
    size_handling: SizeHandling = "padding",
    *,
    explain: bool = False,
) -> float | tuple[float, SimilarityBounds]:
    r"""Returns the earth mover similarity (EMS) of two pictures by the paper's equations.

    .. math::
        \mathrm{EMS}(x, \hat x) = 1 - \frac{\mathrm{EMD}_{block}(x, \hat x)}{\max\{
            \mathrm{EMD}_{block}(x, black), \mathrm{EMD}_{block}(x, white)\}}

    Both pictures are cut into 8 × 8 patches of H/8 × W/8 pixels, which all weigh the same (where
    that is no whole number, some have a row or a column more). Turning a patch into another costs
    the earth mover's distance between their pixels and, on top, the Euclidean distance between
    the places of both in the picture. A patch is a picture of its own: each of its pixels is a
    point (column, row, gray value from 0 to 255), all of the same mass, and points are as far
    apart as Euclid has it. All lengths are in pixels of the picture as it is; nothing is scaled,
    and background is like anything else.

    From a black picture, the distance is the mean gray value, as nothing is cheaper than darkening
    each pixel where it is; from a white one it is 255 less that.

    The equation falls below 0, and as far as −1, where a prediction is farther away than black and
    white are, such as the negative of a large chessboard. As "0 indicates the least
    similarity", it is 0 there. Nor is it far below 1 for a page that is nearly all background: a
    blank page has 0.98 and more of most formulas. Read it beside that of `structext/blank`.

    Patches have tens of thousands of pixels. The value is exact where no two patches that matter
    differ in more than `helm_structext.metrics.transport.MAX_POINTS` pixels, which is so for most
    formulas; elsewhere it is the middle between two bounds (`emd_bounds`), and `explain` tells
    them. On rendered pages they are mostly less than 0.002 apart, in large tables of small print up to
    0.03, on photographs 0.02, and on noise up to 0.4. Pictures of more than `MAX_PIXELS` pixels are
    scaled down first: the bounds are those of the scaled pictures, and what scaling changes is in
    neither.

    Args:
        prediction: the picture to judge.
        reference: the picture it should be.
        size_handling: see `match_sizes`.
        explain: whether to return the bounds too.

    Returns:
        A value in [0, 1]; higher is more similar, and 1 for pictures of equal gray values only.
        With `explain`, the value and its `SimilarityBounds`.

    Raises:
        TypeError, ValueError: as `match_sizes`.

    Source: Image2Struct, section 2.2, equations 2 to 4, with Appendix A, equations 7 and 8. The
    text leaves open where the pixels of a patch are: counted from the corner of the picture, each
    move would be paid twice, by them and by equation 3, and the patches in Appendix B that "are
    moved completely without modification" would be modified.

    >>> page = Image.new("L", (64, 64), 255)
    >>> page.paste(0, (8, 8, 40, 16))
    >>> earth_mover_similarity_paper(page, page)
    1.0
    >>> value, bounds = earth_mover_similarity_paper(Image.new("L", (64, 64), 0), page, explain=True)
    >>> value == bounds.low == bounds.high == 0
    True
    """
    canvases = match_unpadded(prediction, reference, size_handling)
    first, second = (_grays(*canvas) for canvas in canvases)
    brightness = float(np.mean([patch.mean() for patch in second.patches]))
    farthest = max(brightness, 255 - brightness)
    low, high = _block_emd_bounds(first, second, _PRECISE * farthest)
    bounds = SimilarityBounds(*(max(0.0, 1 - emd / farthest) for emd in (max(low, high), low)))
    value = (bounds.low + bounds.high) / 2
    return (value, bounds) if explain else value


class _Patches(NamedTuple):
    """The patches of a picture, row by row."""

    patches: list[Grays]
    corners: Floats  # (patches, 2): row and column
    cumulated: Floats  # (patches, 256): share of the pixels that are not brighter


@share_result
def _grays(picture: Image.Image, whole: tuple[int, int]) -> _Patches:
    canvas, (width, height) = Canvas(picture, whole), whole
    if width * height > MAX_PIXELS:
        scale = (MAX_PIXELS / (width * height)) ** 0.5
        size = max(1, int(width * scale)), max(1, int(height * scale))
        gray = gray_levels(canvas.resized(size))
    else:
        gray = gray_levels(canvas.band(0, height))
    tops, lefts = (
        np.arange(count + 1) * side // count
        for side, count in ((side, min(GRID, side)) for side in gray.shape)
    )
    patches = [
        gray[top:bottom, left:right].astype(np.int16)
        for top, bottom in pairwise(tops)
        for left, right in pairwise(lefts)
    ]
    corners = np.array([(top, left) for top in tops[:-1] for left in lefts[:-1]], np.float64)
    shares = [np.bincount(patch.ravel(), minlength=256) / patch.size for patch in patches]
    return _Patches(patches, corners, np.cumsum(shares, axis=1))


def _block_emd_bounds(first: _Patches, second: _Patches, precise: float) -> tuple[float, float]:
    """Returns bounds of the distance between two pictures, by equation 3.

    All patches weigh the same, so that each goes to one other as a whole. Costs begin as lower
    bounds from gray values alone. Those that the best plan rests on are replaced by better ones,
    until it rests on nothing else.

    Args:
        first: patches.
        second: as many.
        precise: the difference between the bounds that is good enough.
    """
    from scipy.optimize import linear_sum_assignment
    from scipy.spatial.distance import cdist

    moves = cdist(first.corners, second.corners)
    low = moves + cdist(first.cumulated, second.cumulated, "cityblock")
    high = np.full(low.shape, np.inf)
    wanted = [(place, place) for place in range(len(low))]
    while True:
        for pair in wanted:
            source, target = pair
            bounds = _patch_emd_bounds(
                first.patches[source], second.patches[target], low[pair] - moves[pair], precise
            )
            low[pair], high[pair] = bounds + moves[pair]
        least, most = (costs[linear_sum_assignment(costs)].mean() for costs in (low, high))
        plan = zip(*linear_sum_assignment(low), strict=True)
        wanted = [pair for pair in plan if np.isinf(high[pair])]
        compared = np.isfinite(high).sum()
        enough = compared > _FEW_PAIRS and most - least <= precise
        if not wanted or enough or compared > _MANY_PAIRS:
            return float(least), float(most)


def _patch_emd_bounds(first: Grays, second: Grays, least: float, precise: float) -> Floats:
    """Returns bounds of the distance between two patches.

    Args:
        first: gray values.
        second: others.
        least: a lower bound.
        precise: see `_block_emd_bounds`.
    """
    if first.shape == second.shape:
        # Nothing moves, and each pixel changes its gray value.
        most = float(np.abs(first - second).mean())
        if most - least <= 1e-9 or (most - least <= precise and first.size > MAX_POINTS):
            return np.array([least, most])
    else:
        most = np.inf
    low, high = emd_bounds(*_uncommon(first, second))
    return np.array([max(low, least), max(min(high, most), least)])


def _uncommon(first: Grays, second: Grays) -> Iterator[Cloud]:
    """Yields the points of both patches without the mass that both have at one point.

    By the triangle inequality it may stay there.
    """
    shape = np.maximum(first.shape, second.shape)
    ours, theirs = (
        np.pad(gray, [(0, most - side) for most, side in zip(shape, gray.shape, strict=True)], constant_values=-1)
        for gray in (first, second)
    )  # fmt: skip
    same = ours == theirs
    masses = 1 / first.size, 1 / second.size
    for gray, mass, other in ((ours, *masses), (theirs, *masses[::-1])):
        at = np.nonzero((gray >= 0) & ~(same & (mass <= other)))
        left = mass - np.where(same[at], other, 0.0)
        yield Cloud(np.stack((*at, gray[at]), axis=1).astype(np.float64), left)
