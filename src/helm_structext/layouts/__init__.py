"""What is on a picture and where: boxes, and what else an engine tells of what it drew."""

from helm_structext.layouts.boxes import (
    ElementBox,
    PixelBox,
    TextBox,
    box_area,
    box_around,
    middle_of,
)
from helm_structext.layouts.notes import Music, MusicNote, MusicSign
from helm_structext.layouts.pictures import (
    DETAILS,
    MAX_BOXES,
    MAX_CHARACTERS,
    REVISION,
    Detail,
    LayoutLost,
    PictureLayout,
    layout_record,
    read_layout,
)

__all__ = [
    "DETAILS",
    "MAX_BOXES",
    "MAX_CHARACTERS",
    "REVISION",
    "Detail",
    "ElementBox",
    "LayoutLost",
    "Music",
    "MusicNote",
    "MusicSign",
    "PictureLayout",
    "PixelBox",
    "TextBox",
    "box_area",
    "box_around",
    "layout_record",
    "middle_of",
    "read_layout",
]
