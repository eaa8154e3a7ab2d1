"""What is on a picture and where: boxes, and what else an engine tells of what it drew."""

from helm_structext.layouts.boxes import (
    ElementBox,
    PixelBox,
    TextBox,
    box_area,
    box_around,
    middle_of,
)
from helm_structext.layouts.carried import CarriedPicture
from helm_structext.layouts.charts import (
    MARK_KINDS,
    MAX_LABEL,
    MAX_POINTS,
    ChartData,
    MarkKind,
    PlotAxis,
    PlotPoint,
    PlotSeries,
    charts_record,
    read_charts,
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
from helm_structext.layouts.symbols import MAX_SYMBOLS, RULE, SHAPE, SymbolBox

__all__ = [
    "DETAILS",
    "MARK_KINDS",
    "MAX_BOXES",
    "MAX_CHARACTERS",
    "MAX_LABEL",
    "MAX_POINTS",
    "MAX_SYMBOLS",
    "REVISION",
    "RULE",
    "SHAPE",
    "CarriedPicture",
    "ChartData",
    "Detail",
    "ElementBox",
    "LayoutLost",
    "MarkKind",
    "Music",
    "MusicNote",
    "MusicSign",
    "PictureLayout",
    "PixelBox",
    "PlotAxis",
    "PlotPoint",
    "PlotSeries",
    "SymbolBox",
    "TextBox",
    "box_area",
    "box_around",
    "charts_record",
    "layout_record",
    "middle_of",
    "read_charts",
    "read_layout",
]
