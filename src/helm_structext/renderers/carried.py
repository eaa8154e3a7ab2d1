"""Which pictures code carried with it instead of drawing them, by what its engine decoded.

A browser tells it of each image, style and canvas (`PictureLayout.carried`). What TeX, Typst and LilyPond make is a PDF,
whose images are files: of those that code got, or wrote itself. Matplotlib draws arrays as images. And in any
format a mosaic of thousands of small shapes is a picture, too.
"""

from collections.abc import Mapping

from helm_structext.layouts import CarriedPicture, PictureLayout, box_area, box_around
from helm_structext.layouts.carried import Coat

COATS: Mapping[str, Coat] = {
    "latex": "written",
    "latex_document": "written",
    "tikz": "written",
    "typst": "written",
    "lilypond": "written",
    "matplotlib": "painted",
}
"""What an image is on a picture of an engine that tells no more of it."""
TILE, MIN_TILES = 100.0, 1500
"""Square pixels of a mosaic's tile at most, and how many there are at least: a plot's dots cover little, and a heat
map's tiles are larger or fewer."""


def find_carried(
    layout: PictureLayout, format: str, *, has_files: bool = False
) -> list[CarriedPicture]:
    """Returns the pictures that code carried.

    Args:
        layout: of the code's picture.
        format: of the code.
        has_files: whether the code was given files, of which an engine that makes PDF doesn't tell its own.

    >>> from helm_structext.layouts import ElementBox
    >>> page = PictureLayout((90, 90), (), (ElementBox("image", (0, 0, 40, 40)),))
    >>> [one.area for one in find_carried(page, "typst")], find_carried(page, "html")
    ([1600], [])
    """
    found = list(layout.carried or ())
    coat = COATS.get(format)
    if layout.carried is None and coat and not (has_files and coat == "written"):
        images = (one.box for one in layout.elements if one.kind == "image")
        found += [CarriedPicture(coat, box, box_area(box)) for box in images]
    return found + _find_mosaic(layout)


def _find_mosaic(layout: PictureLayout) -> list[CarriedPicture]:
    tiles = [one.box for one in layout.elements if 0 < box_area(one.box) <= TILE]
    if len(tiles) < MIN_TILES:
        return []
    return [CarriedPicture("painted", box_around(tiles), sum(map(box_area, tiles)))]
