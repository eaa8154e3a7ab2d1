"""Pictures that code carried with it, instead of drawing what they show."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from helm_structext.layouts.boxes import PixelBox, is_placed, read_box

MAX_CARRIED = 10_000
"""Of a layout."""

Coat = Literal["written", "painted"]


@dataclass(frozen=True)
class CarriedPicture:
    """A picture that was not given to the code as a file.

    Args:
        coat: how it came there: ``written``, a picture file in the code itself, in whatever letters, that was decoded;
            or ``painted``, pixel by pixel, which code also does to draw.
        box: where it is seen.
        area: square pixels of it that are known to be carried, of those of the box at most.
    """

    coat: Coat
    box: PixelBox
    area: float


def record_carried(carried: Sequence[CarriedPicture]) -> list[Any]:
    return [[one.coat, [*one.box], one.area] for one in carried]


def read_carried(record: Any) -> tuple[CarriedPicture, ...]:
    found = [_read_one(*one) for one in record[:MAX_CARRIED]]
    return tuple(one for one in found if is_placed(one.box))


def _read_one(coat: Any, box: Any, area: Any) -> CarriedPicture:
    if coat not in get_args(Coat):
        raise ValueError(coat)
    return CarriedPicture(coat, read_box(*box), round(max(float(area), 0.0), 2))
