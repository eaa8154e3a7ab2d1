"""What is on a picture and where, as the engine that drew it knows.

An engine tells it in JSON (`layout_record` has the form), from inside its sandbox, where a completion may have
written anything into it; so does the cache. `read_layout` believes neither.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any, NamedTuple

from helm_structext.errors import RenderError
from helm_structext.layouts.boxes import ElementBox, TextBox, is_placed, read_element, read_text
from helm_structext.layouts.carried import CarriedPicture, read_carried, record_carried
from helm_structext.layouts.charts import ChartData, charts_record, read_charts
from helm_structext.layouts.notes import Music, music_record, read_music
from helm_structext.layouts.seen_charts import seen_charts
from helm_structext.layouts.symbols import SymbolBox, read_symbols, symbols_record

REVISION = "16"
"""Another one where layouts in caches are to be made anew."""


class LayoutLost(RenderError):
    """What was to tell the layout broke the engine, or took too much: the picture is to be drawn without it."""


@dataclass(frozen=True)
class PictureLayout:
    """What is on a picture.

    Args:
        size: width and height of the picture in pixels.
        texts: in the order of reading, as far as the engine knows it.
        elements: from the lowest to the uppermost.
        left_out: boxes that are not listed: beyond the bounds (`MAX_BOXES`, `MAX_CHARACTERS`), or nowhere.
        symbols: each glyph that can be seen, in the order of drawing; of a web page, those of its formulas.
        charts: the data of its charts, in the order in which they were drawn.
        carried: pictures in the code itself, as a browser tells them; of other engines, what is an image says it
            (`helm_structext.renderers.carried`).
        notes: the music on it.
    """

    size: tuple[int, int]
    texts: tuple[TextBox, ...]
    elements: tuple[ElementBox, ...] = ()
    left_out: int = 0
    symbols: tuple[SymbolBox, ...] | None = None
    charts: tuple[ChartData, ...] | None = None
    carried: tuple[CarriedPicture, ...] | None = None
    notes: Music | None = None

    def with_charts(self, charts: Sequence[ChartData] | None) -> "PictureLayout":
        """Returns the layout with what can be seen of the data that an engine tells of its charts."""
        return replace(self, charts=None if charts is None else seen_charts(charts, self.elements))


MAX_BOXES = 50_000
"""Of a layout, texts and elements together."""
MAX_CHARACTERS = 1_000_000
"""Of all texts together."""


class Detail(NamedTuple):
    """What a layout may have beside its boxes: a field of `PictureLayout`, None where its engine does not tell it.

    Args:
        record: from the field's value to JSON.
        read: from JSON, in which an engine or a completion may have written anything, to the value, within bounds
            of its own; raises ValueError, TypeError, KeyError or OverflowError for another form.
    """

    record: Callable[[Any], Any]
    read: Callable[[Any], Any]


DETAILS: Mapping[str, Detail] = {
    "symbols": Detail(symbols_record, read_symbols),
    "charts": Detail(charts_record, read_charts),
    "carried": Detail(record_carried, read_carried),
    "notes": Detail(music_record, read_music),
}
"""By the field's name."""


def layout_record(layout: PictureLayout) -> dict[str, Any]:
    """Returns a layout as JSON.

    >>> layout_record(PictureLayout((9, 9), (TextBox("a", (1, 2, 3, 4), "#000000", 8.0),)))
    {'size': [9, 9], 'texts': [['a', [1, 2, 3, 4], '#000000', 8.0, True]], 'elements': [], 'left_out': 0}
    """
    boxes = {
        "size": [*layout.size],
        "texts": [
            [
                one.text,
                [*one.box],
                one.color,
                one.size,
                one.visible,
                *([one.faces] if one.faces or one.turned else []),
                *([True] if one.turned else []),
            ]
            for one in layout.texts
        ],
        "elements": [
            [one.kind, [*one.box], one.color, *_line_record(one)] for one in layout.elements
        ],
        "left_out": layout.left_out,
    }
    details = {name: getattr(layout, name) for name in DETAILS}
    return boxes | {
        name: DETAILS[name].record(one) for name, one in details.items() if one is not None
    }


def _line_record(element: ElementBox) -> list[str | bool]:
    if element.dashed is None:
        return [element.line] if element.line else []
    return [element.line, element.dashed]


def read_layout(record: Any) -> PictureLayout:
    """Returns what `layout_record` or an engine wrote, within the bounds; blanks of texts are joined.

    Raises:
        ValueError: it has another form.

    >>> read_layout({"size": [9, 9], "texts": [["a  b", [1, 2, 3, 4], "", 0, True]], "elements": []}).texts
    (TextBox(text='a b', box=(1.0, 2.0, 3.0, 4.0), color='', size=0.0, visible=True, faces='', turned=False),)
    >>> read_layout({"size": [9, 9]})
    Traceback (most recent call last):
    ValueError: what an engine tells of its picture is not a layout
    """
    try:
        width, height = record["size"]
        given = [*record["texts"]], [*record["elements"]]
        texts = [read_text(*one) for one in given[0][:MAX_BOXES]]
        elements = [read_element(*one) for one in given[1][: MAX_BOXES - len(texts)]]
        total = sum(map(len, given)) + max(int(record.get("left_out", 0)), 0)
        size = int(width), int(height)
        details = {
            name: detail.read(record[name])
            for name, detail in DETAILS.items()
            if record.get(name) is not None
        }
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
        raise ValueError("what an engine tells of its picture is not a layout") from error
    lengths = accumulate(len(one.text) for one in texts)
    listed = [
        one
        for one, length in zip(texts, lengths, strict=True)
        if is_placed(one.box) and one.text and length <= MAX_CHARACTERS
    ]
    placed = [one for one in elements if is_placed(one.box)]
    left_out = total - len(listed) - len(placed)
    charts = details.pop("charts", None)
    layout = PictureLayout(size, tuple(listed), tuple(placed), left_out, **details)
    return layout.with_charts(charts)
