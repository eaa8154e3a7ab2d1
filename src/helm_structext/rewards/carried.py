"""The guard against pictures in an answer, by what its engine decoded: in whatever coat, whatever its length in letters.

`helm_structext.rewards.guards` has the quick look at the letters alone, which needs no engine.
"""

from helm_structext.layouts import PictureLayout, box_area, box_around
from helm_structext.patterns import Pattern
from helm_structext.renderers.carried import find_carried
from helm_structext.rewards.guards import embeds

MAX_SHARE = 0.05
"""Of what a picture shows (the box around all of it) that may be carried: ten icons of 48 by 48 pixels are 2 % of a
page of 1280 by 720."""
ICON = 32 * 32
"""Square pixels of a carried picture that does not count, however small the page is."""
MIN_DATA, MIN_QUOTED = 2000, 400
"""Letters and digits of data (`count_data`, `count_quoted`) in code that paints a picture it carries; code that paints
by a rule, such as a gradient or the values of a function, or a heat map of some hundred values, has less."""

_TOKEN = Pattern(r"[0-9A-Za-z+/=_]+")
_QUOTED = Pattern(r"[\"'`]([0-9A-Za-z+/=_]{4,})[\"'`]")
_DIGIT = Pattern("[0-9]")


def count_data(code: str) -> int:
    """Returns how many letters and digits stand in words with a digit, as numbers do, and data in small pieces.

    >>> count_data("ctx.fillRect(10, 20, 'iV' + 'B0R' + 'w0KG')")
    11
    """
    words = (match[0] for match in _TOKEN.finditer(code))
    return sum(len(word) for word in words if _DIGIT.search(word))


def count_quoted(code: str) -> int:
    """Returns how many letters and digits stand in quoted words with a digit, as base64 in pieces does; not colors.

    >>> count_quoted("'iV' + 'B0Rw0KG', '#1f77b4', 'title'")
    7
    """
    words = (match[1] for match in _QUOTED.finditer(code))
    return sum(len(word) for word in words if _DIGIT.search(word))


def find_embedded(
    layout: PictureLayout, format: str, code: str, *, has_files: bool = False
) -> str | None:
    """Returns what is wrong where a picture shows one that its code carries, or None.

    Args:
        layout: of the picture.
        format: of the code.
        code: the answer.
        has_files: whether the reference gives files that the code may show.
    """
    counted = [
        one
        for one in find_carried(layout, format, has_files=has_files)
        if box_area(one.box) > ICON and (one.coat == "written" or _has_data(code))
    ]
    share = sum(one.area for one in counted) / max(_shown_area(layout), 1)
    if share <= MAX_SHARE:
        return None
    return f"a picture that it carries itself covers {min(share, 1):.0%} of what it shows"


def notice_carried(
    layout: PictureLayout | None, format: str, code: str, reference: str, *, has_files: bool = False
) -> str | None:
    """Returns what `find_embedded` does; None also where the reference's own code has a picture in its letters.

    Args:
        layout: of the picture; None where it is not known.
        format: of the code.
        code: the answer.
        reference: code of the reference, or "".
        has_files: see `find_embedded`.
    """
    if layout is None or embeds(reference):
        return None
    return find_embedded(layout, format, code, has_files=has_files)


def _has_data(code: str) -> bool:
    return count_data(code) >= MIN_DATA or count_quoted(code) >= MIN_QUOTED


def _shown_area(layout: PictureLayout) -> float:
    """Square pixels of the box around all that is on a picture, as far as that reaches."""
    boxes = [one.box for one in layout.texts] + [one.box for one in layout.elements]
    if not boxes:
        return 0.0
    left, top, right, bottom = box_around(boxes)
    width, height = layout.size
    return box_area((max(left, 0), max(top, 0), min(right, width), min(bottom, height)))
