"""A tiny kind of scenes, and a renderer that starts nothing, for tests of sets."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from PIL import Image, ImageDraw

from helm_structext.errors import RenderError
from helm_structext.layouts import PictureLayout, TextBox
from helm_structext.renderers import Rendering
from helm_structext.scenes.scene import Level, Scene, SceneKind

COLORS = ("red", "green", "blue")


@dataclass(frozen=True, kw_only=True)
class Patch(Scene):
    """A rectangle in a color, with a number beside it."""

    color: str
    number: int

    @property
    def texts(self) -> Sequence[str]:
        return [str(self.number)]


def draw_patch(rng: Random, level: Level, language: str) -> Patch:
    return Patch(
        type=rng.choice(("wide", "tall")),
        language=language,
        level=level,
        color=rng.choice(COLORS),
        number=rng.randrange(10**9),
    )


def write_svg(patch: Patch, rng: Random) -> str:
    width, height = (160, 90) if patch.type == "wide" else (90, 160)
    quote = rng.choice("\"'")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="200" height="200">\n'
        f'<rect x="9" y="9" width="{width}" height="{height}" fill={quote}{patch.color}{quote}/>\n'
        f'<text x="9" y="190">{patch.number}</text>\n</svg>'
    )


def write_typst(patch: Patch, rng: Random) -> str:
    comment = rng.choice(("", "// a patch\n"))
    return f"{comment}#rect(fill: {patch.color})\n\n{patch.number}"


def says_patch(patch: Patch, format: str) -> bool:
    """Typst has no tall patches in Greek here."""
    return format != "typst" or (patch.type, patch.language) != ("tall", "el")


PATCHES = SceneKind(
    "patch", ("wide", "tall"), draw_patch, {"svg": write_svg, "typst": write_typst}, says_patch
)


def paint(format: str, source: str, *, protocol: str, layout: bool) -> Rendering:
    """Returns a picture that differs from code to code. Blue ones in SVG fail, red ones in Typst lack their text."""
    if format == "svg" and "blue" in source:
        raise RenderError("syntax", "there is no blue")
    image = Image.new("RGB", (64, 64), "white")
    number = source.split()[-1] if format == "typst" else svg_text(source)
    texts = () if format == "typst" and "red" in source else (TextBox(number, (9, 50, 50, 60)),)
    ImageDraw.Draw(image).rectangle((8, 8, 40, 40), fill=f"#{int(number) % 2**24:06x}")
    told = PictureLayout(image.size, texts) if layout else None
    return Rendering(image, source, f"text of {len(source)}", "", 0.1, None, layout=told)


def svg_text(source: str) -> str:
    return source.partition("<text")[2].partition(">")[2].partition("<")[0]
