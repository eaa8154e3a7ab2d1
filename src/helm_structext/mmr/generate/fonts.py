"""The fonts of generated pictures."""

from functools import cache

from PIL import ImageFont

from helm_structext.errors import SetupError
from helm_structext.machine.fonts import font_file
from helm_structext.machine.packages import advice

FONTS: dict[str, tuple[str, str]] = {
    "BebasNeue-Bold.otf": ("fonts-bebas-neue", "en ru"),
    "YanoneKaffeesatz-Bold.otf": ("fonts-yanone-kaffeesatz", "en ru"),
    "RobotoSlab-Bold.otf": ("fonts-roboto-slab", "en ru"),
    "RobotoSlab-Regular.otf": ("fonts-roboto-slab", "en ru"),
    "LobsterTwo-Bold.otf": ("fonts-lobstertwo", "en"),
    "Comfortaa-Bold.ttf": ("fonts-comfortaa", "en ru el"),
    "OldStandard-Bold.ttf": ("fonts-oldstandard", "en ru el"),
    "OldStandard-Italic.ttf": ("fonts-oldstandard", "en ru el"),
    "C059-Bold.otf": ("fonts-urw-base35", "en ru el"),
    "C059-Roman.otf": ("fonts-urw-base35", "en ru el"),
    "P052-Bold.otf": ("fonts-urw-base35", "en ru el"),
    "P052-Italic.otf": ("fonts-urw-base35", "en ru el"),
    "URWBookman-Demi.otf": ("fonts-urw-base35", "en ru el"),
    "URWGothic-Demi.otf": ("fonts-urw-base35", "en ru el"),
    "URWGothic-Book.otf": ("fonts-urw-base35", "en ru el"),
    "NimbusSansNarrow-Bold.otf": ("fonts-urw-base35", "en ru el"),
    "NimbusSans-Bold.otf": ("fonts-urw-base35", "en ru el"),
    "NimbusSans-Regular.otf": ("fonts-urw-base35", "en ru el"),
    "NimbusRoman-Regular.otf": ("fonts-urw-base35", "en ru el"),
    "DejaVuSansCondensed-Bold.ttf": ("fonts-dejavu-extra", "en ru el"),
    "DejaVuSerif-Bold.ttf": ("fonts-dejavu-core", "en ru el"),
    "LiberationSans-Regular.ttf": ("fonts-liberation2", "en ru el"),
    "LiberationSerif-Bold.ttf": ("fonts-liberation2", "en ru el"),
    "wqy-microhei.ttc": ("fonts-wqy-microhei", "zh"),
}
"""File name to Debian package and languages."""

DISPLAY = (
    "BebasNeue-Bold.otf",
    "YanoneKaffeesatz-Bold.otf",
    "RobotoSlab-Bold.otf",
    "LobsterTwo-Bold.otf",
    "Comfortaa-Bold.ttf",
    "OldStandard-Bold.ttf",
    "C059-Bold.otf",
    "P052-Bold.otf",
    "URWBookman-Demi.otf",
    "URWGothic-Demi.otf",
    "NimbusSansNarrow-Bold.otf",
    "DejaVuSerif-Bold.ttf",
    "DejaVuSansCondensed-Bold.ttf",
    "LiberationSerif-Bold.ttf",
    "wqy-microhei.ttc",
)
"""Fonts of titles; all others are for smaller texts, but these do for those too."""

BODY = (
    "RobotoSlab-Regular.otf",
    "OldStandard-Italic.ttf",
    "C059-Roman.otf",
    "P052-Italic.otf",
    "URWGothic-Book.otf",
    "NimbusSans-Regular.otf",
    "NimbusSans-Bold.otf",
    "NimbusRoman-Regular.otf",
    "LiberationSans-Regular.ttf",
    "RobotoSlab-Bold.otf",
    "NimbusSansNarrow-Bold.otf",
    "wqy-microhei.ttc",
)
"""Fonts of smaller texts."""

CAPITALS_ONLY = ("BebasNeue-Bold.otf",)
"""Fonts whose small letters are capitals, too."""

SCRIPTS = ("LobsterTwo-Bold.otf",)
"""Fonts that look like handwriting: never in capitals alone."""


def fonts_for(language: str, among: tuple[str, ...]) -> list[str]:
    """Returns the fonts that have a language's letters.

    >>> fonts_for("zh", DISPLAY)
    ['wqy-microhei.ttc']
    """
    return [name for name in among if language in FONTS[name][1].split()]


@cache
def load_font(name: str, size: int) -> ImageFont.FreeTypeFont:
    """Returns a font of a size in pixels.

    Raises:
        SetupError: it is not installed.
    """
    path = font_file(name)
    if path is None:
        raise SetupError(f"the font {name} is not installed: {advice(FONTS[name][0])}")
    # The basic layout, as the other one depends on whether libraqm is there.
    return ImageFont.truetype(path, size, layout_engine=ImageFont.Layout.BASIC)
