"""What of a rendering moves where to become the reference: the plan behind the earth mover similarity."""

import json
import math
from pathlib import Path

from helm_structext import __version__
from helm_structext.metrics import SizeHandling, block_emd
from helm_structext.report.pictures import content, kept_for_reports, load_rgb
from helm_structext.storage.cache import content_key

UNIT = 1e-5
"""Of the numbers in a plan: costs in EMS, masses in shares of the whole."""

LEAST_COST = 10
"""Moves that cost less, in `UNIT`, are left out of a plan."""

Plan = tuple[float, float, list[tuple[int, int, int, int, int]]]
"""Height and width in patches, and the moves: see `plan`."""


def plan(prediction: Path, reference: Path, size_handling: SizeHandling, ems: float) -> Plan:
    """Returns what of a prediction moves where to become the reference, and what that costs.

    Args:
        prediction: path of the rendering.
        reference: path of the picture it should be.
        size_handling: see `helm_structext.metrics.match_sizes`.
        ems: the pair's earth mover similarity; the costs of all moves add up to what it lacks
            of 1.

    Returns:
        Height and width in patches, of which the last may be cut off, and the moves, costly ones
        last: number of the source patch and of the target patch (row by row), mass, cost of
        changing its pixels, and cost of the way, in `UNIT`. Moves cheaper than `LEAST_COST` are
        left out.

    Raises:
        SetupError: a file is missing or no picture.
    """

    def compute() -> bytes:
        pair = (load_rgb(prediction), load_rgb(reference))
        distance, plan = block_emd(*pair, size_handling, explain=True)
        (width, height), (tall, wide) = plan.size, plan.patch_size
        columns = math.ceil(width / wide)
        scale = (1 - ems) / distance if distance else 0.0
        moves = []
        for move in plan.moves:
            mass, pixels, way = (
                round(move.mass * factor / UNIT)
                for factor in (1, scale * move.pixel_cost, scale * move.position_cost)
            )
            if pixels + way >= LEAST_COST:
                ends = (row * columns + column for row, column in (move.source, move.target))
                moves.append((*ends, mass, pixels, way))
        moves.sort(key=lambda move: (move[3] + move[4], move))
        return json.dumps((height / tall, width / wide, moves)).encode()

    contents = (content(prediction), content(reference))
    key = content_key("plan", __version__, *contents, size_handling, repr(ems))
    height, width, moves = json.loads(kept_for_reports(key, compute))
    return height, width, moves
