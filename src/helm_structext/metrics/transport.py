"""The earth mover's distance between patches whose costs are earth mover's distances themselves.

What it costs to turn one patch into another is the earth mover's distance between their pixels;
what it costs to turn one picture into the other is the earth mover's distance between patches
under those costs. With 100 patches each that makes 10,000 inner problems; `nested_emd` solves only
those that its result rests on, mostly fewer than 200.

Patches of thousands of pixels are too many points for that. `emd_bounds` says between which values
the distance of two clouds of points lies, and which it is where they are few.
"""

import math
import os
import sys
from collections.abc import Callable
from functools import cache
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Metric = Literal["cityblock", "euclidean"]
Simplex = Callable[[Floats, Floats, Floats, int, int], tuple[Floats, float, *tuple[Any, ...]]]
"""Of two weights, costs, and two bounds of the work: the flow, its cost, and what is not needed."""

MAX_POINTS = 300
"""Points of a cloud for which `emd_bounds` solves the problem itself; more are merged."""

_MERGED = 128
"""To so many, at most: to solve this takes a tenth of the time."""

_BINS = 32
_NO_MASS = 1e-14  # what rounding leaves of mass that was taken away
_MAX_ITERATIONS = 10_000_000
_CHUNK = 1 << 14
"""Points whose distances to others are in memory at a time."""


class Patches(NamedTuple):
    """Patches of one size as clouds of points: a pixel's grey value, its place, and its mass."""

    gray: Floats  # (patches, pixels), in [0, 1]
    mass: Floats  # (patches, pixels), each row sums to 1
    places: Floats  # (pixels, 2), in [0, 1), the same in every patch

    def take(self, which: npt.NDArray[np.intp]) -> "Patches":
        return Patches(self.gray[which], self.mass[which], self.places)


def nested_emd(
    weight: Floats, first: Patches, second: Patches, position_cost: Floats, metric: Metric
) -> tuple[float, Floats, Floats]:
    """Returns the least cost of turning the first patches into the second, and the plan.

    Every inner cost begins as a lower bound. The plan that is optimal under the bounds shows which
    of them matter: those it puts mass on give way to exact costs, until there are none left. Then
    the plan really costs what it seems to, and no other can cost less than it seems to.

    Args:
        weight: each patch's share of the whole, shape (n,), the same on both sides; sums to 1.
        first: n patches.
        second: n patches of the same size.
        position_cost: what moving between two patches costs on top, shape (n, n).
        metric: the distance between points.

    Returns:
        The least cost; the flow, shape (n, n); and the inner costs, shape (n, n), which are exact
        where there is flow and may be lower bounds elsewhere.
    """
    simplex = _network_simplex()
    sources, first = _distinct(first)
    targets, second = _distinct(second)
    cost = _lower_bounds(first, second, metric)
    exact = np.zeros(cost.shape, bool)
    while True:
        pixel_cost = cost[np.ix_(sources, targets)]
        total = pixel_cost + position_cost
        flow, value, *_ = simplex(weight, weight, total, _MAX_ITERATIONS, 1)
        used = np.zeros(cost.shape, bool)
        i, j = np.nonzero(flow)
        used[sources[i], targets[j]] = True
        i, j = np.nonzero(used & ~exact)
        if not len(i):
            return value, flow, pixel_cost
        cost[i, j] = _pixel_emds(first.take(i), second.take(j), metric)
        exact[i, j] = True


def _distinct(patches: Patches) -> tuple[npt.NDArray[np.intp], Patches]:
    """Returns for each patch the number of its kind, and one patch of each kind.

    Within one picture, mass depends on grey values alone.
    """
    numbers: dict[bytes, int] = {}
    number = np.array([numbers.setdefault(row.tobytes(), len(numbers)) for row in patches.gray])
    _, kept = np.unique(number, return_index=True)
    return number, patches.take(kept)


def _lower_bounds(first: Patches, second: Patches, metric: Metric) -> Floats:
    """Returns a lower bound of the inner cost for every pair of patches.

    Whatever a plan moves, its projection on an axis moves at least as much as the earth mover's
    distance between the projections, which is the area between two cumulative distributions. The
    bounds of the three axes combine as the metric combines coordinates. In city blocks two of them
    may give way to the larger of the bounds on their sum and on their difference, because
    |x| + |y| is the larger of |x + y| and |x - y|.
    """
    from scipy.spatial.distance import cdist

    gray = np.concatenate((first.gray, second.gray))
    mass = np.concatenate((first.mass, second.mass))
    row, column = first.places.T

    def bound(values: Floats, low: float, high: float) -> Floats:
        scaled = (np.broadcast_to(values, gray.shape) - low) * (_BINS / (high - low))
        areas = _areas(scaled, mass) * ((high - low) / _BINS)
        bounds: Floats = cdist(areas[: len(first.gray)], areas[len(first.gray) :], "cityblock")
        return bounds

    on_gray, on_row, on_column = (bound(x, 0, 1) for x in (gray, row, column))
    if metric == "euclidean":
        joined: Floats = np.sqrt(on_gray**2 + on_row**2 + on_column**2)
        return joined

    def joint(x: Floats, y: Floats, separate: Floats) -> Floats:
        return np.maximum(separate, np.maximum(bound(x + y, 0, 2), bound(x - y, -1, 1)))

    bounds = (
        joint(gray, row, on_gray + on_row) + on_column,
        joint(gray, column, on_gray + on_column) + on_row,
        joint(row, column, on_row + on_column) + on_gray,
    )
    largest: Floats = np.maximum.reduce(bounds)
    return largest


def _areas(values: Floats, mass: Floats) -> Floats:
    """Returns the area below each row's cumulative distribution, between whole numbers.

    Taking areas between whole numbers only, instead of everywhere, can make the area between two
    distributions smaller and never larger, so that a lower bound remains one.
    """
    bins = np.minimum(values.astype(np.intp), _BINS - 1)
    bins += np.arange(len(values))[:, None] * _BINS

    def cumulated(weights: Floats) -> Floats:
        sums = np.bincount(bins.ravel(), weights.ravel(), minlength=len(values) * _BINS)
        return sums.reshape(len(values), _BINS).cumsum(axis=1)

    until = np.arange(1, _BINS + 1) * cumulated(mass) - cumulated(mass * values)
    return np.diff(until, axis=1, prepend=0)


def _pixel_emds(first: Patches, second: Patches, metric: Metric) -> Floats:
    """Returns the earth mover's distance between each of the first patches and its second one."""
    from scipy.spatial.distance import cdist

    simplex = _network_simplex()
    gray_a, gray_b = first.gray, second.gray
    costs = np.zeros(len(gray_a))
    if metric == "cityblock":
        # Where one side has a single grey value, every plan pays the same for grey values. That
        # is paid at once, and only the places are left to solve.
        flat = (np.ptp(gray_a, axis=1) == 0) | (np.ptp(gray_b, axis=1) == 0)
        to_first_b = (first.mass * np.abs(gray_a - gray_b[:, :1])).sum(axis=1)
        to_first_a = (second.mass * np.abs(gray_b - gray_a[:, :1])).sum(axis=1)
        twice = np.abs(gray_a[:, 0] - gray_b[:, 0])
        costs = np.where(flat, to_first_a + to_first_b - twice, 0.0)
        gray_a, gray_b = (np.where(flat[:, None], 0.0, gray) for gray in (gray_a, gray_b))
    # By the triangle inequality, mass that both have at one point may stay there.
    common = np.where(gray_a == gray_b, np.minimum(first.mass, second.mass), 0.0)
    left_a, left_b = first.mass - common, second.mass - common
    at_a, at_b = left_a > _NO_MASS, left_b > _NO_MASS
    points_a, points_b = _points(gray_a, first.places), _points(gray_b, second.places)
    for n in np.flatnonzero(at_a.any(axis=1) & at_b.any(axis=1)):
        a, b = left_a[n][at_a[n]], left_b[n][at_b[n]]
        ground = cdist(points_a[n][at_a[n]], points_b[n][at_b[n]], metric)
        moved = a.sum()
        costs[n] += moved * simplex(a / moved, b / b.sum(), ground, _MAX_ITERATIONS, 1)[1]
    return costs


def _points(gray: Floats, places: Floats) -> Floats:
    """Returns (grey value, row, column) of every pixel, shape (patches, pixels, 3)."""
    return np.concatenate((gray[..., None], np.broadcast_to(places, (*gray.shape, 2))), axis=2)


class Cloud(NamedTuple):
    """Points and their masses."""

    places: Floats  # (points, axes), not negative
    mass: Floats  # (points,)


def emd_bounds(first: Cloud, second: Cloud) -> tuple[float, float]:
    r"""Returns between which values the Euclidean earth mover's distance of two clouds lies.

    Up to `MAX_POINTS` points of each, both values are the distance itself. Of more, those that are
    close together are merged: A into its center a, with the mean square σ² of its points' distances
    from there. A plan between what is merged says how much of A goes to B. If all points of A give
    the same share, that costs at most

    .. math::
        \mathrm{mean}_{x \in A, y \in B} \lVert x - y \rVert
            \le \sqrt{\lVert a - b \rVert^2 + \sigma_A^2 + \sigma_B^2}

    by Jensen's inequality, so that the best plan under these costs is an upper bound. From its
    potentials v comes a lower one: what two clouds differ by in the mean of any function that
    grows by no more than the distance, such as z ↦ min over b of ‖z − b‖ − v(b), they differ by in
    earth mover's distance (Kantorovich and Rubinstein). That is evaluated at all points.

    Args:
        first: some points.
        second: others of the same mass in total.

    >>> left, right = np.zeros((1, 3)), np.array([[3.0, 4.0, 0.0]])
    >>> emd_bounds(Cloud(left, np.ones(1)), Cloud(right, np.ones(1)))
    (5.0, 5.0)
    """
    from scipy.spatial.distance import cdist

    total = first.mass.sum()
    if not total:
        return 0.0, 0.0
    (centers_a, square_a), (centers_b, square_b) = _merge_points(first), _merge_points(second)
    squares = cdist(centers_a.places, centers_b.places, "sqeuclidean")
    ground = np.sqrt(squares + square_a[:, None] + square_b)
    share_a, share_b = (cloud.mass / cloud.mass.sum() for cloud in (centers_a, centers_b))
    _, cost, _, potential, *_ = _network_simplex()(share_a, share_b, ground, _MAX_ITERATIONS, 1)
    high = float(total * cost)
    if not square_a.any() and not square_b.any():
        return high, high

    def mean_height(cloud: Cloud) -> float:
        starts = range(0, len(cloud.mass), _CHUNK)
        chunks = (cloud.places[start : start + _CHUNK] for start in starts)
        heights = [(cdist(chunk, centers_b.places) - potential).min(axis=1) for chunk in chunks]
        return float(cloud.mass @ np.concatenate(heights))

    return min(max(0.0, mean_height(first) - mean_height(second)), high), high


def _merge_points(cloud: Cloud) -> tuple[Cloud, Floats]:
    """Merges points that share a cube, all cubes being as small as `_MERGED` allows, or nearly.

    Returns the centers, and the mean square of the distances of each one's points from it.
    """
    places, mass = cloud
    if len(mass) <= MAX_POINTS:
        return cloud, np.zeros(len(mass))
    # Points lie on a surface rather than in all of the space.
    edge = max(1.0, 0.5 * math.sqrt(len(mass) / _MERGED))
    while True:
        cells = (places / edge).astype(np.intp)
        shape = tuple(cells.max(axis=0) + 1)
        key = np.ravel_multi_index(tuple(cells.T), shape)
        filled = np.bincount(key, minlength=math.prod(shape)) > 0
        if (count := np.count_nonzero(filled)) <= _MERGED:
            break
        edge *= max(1.1, 0.9 * math.sqrt(count / _MERGED))
    number = (np.cumsum(filled) - 1)[key]
    masses = np.bincount(number, mass).astype(np.float64)
    centers = np.stack([np.bincount(number, mass * x) / masses for x in places.T], axis=1)
    squares = ((places - centers[number]) ** 2).sum(axis=1)
    return Cloud(centers, masses), np.bincount(number, mass * squares) / masses


@cache
def _network_simplex() -> Simplex:
    """Returns POT's solver without its checks, which take longer than a small problem.

    POT imports torch where it can, for nothing that is needed here.
    """
    switch = "POT_BACKEND_DISABLE_PYTORCH"
    hide = "torch" not in sys.modules and switch not in os.environ
    if hide:
        os.environ[switch] = "1"
    try:
        from ot.lp.emd_wrap import emd_c
    finally:
        if hide:
            del os.environ[switch]
    simplex: Simplex = emd_c
    return simplex
