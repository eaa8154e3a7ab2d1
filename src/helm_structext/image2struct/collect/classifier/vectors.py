"""Pages that are not sheet music, drawn as SVG from random strokes, signs and letters.

They are as finely drawn as engraved music, so that it can't be told from others by that.
"""

import math
from collections.abc import Callable
from random import Random

from PIL import Image

from helm_structext.image2struct.collect.classifier.pieces import word, words
from helm_structext.pictures import decode

WIDTH, HEIGHT = 1200, 1700
FONTS = (
    *("Liberation Sans", "Liberation Serif", "DejaVu Sans", "DejaVu Serif", "Nimbus Sans"),
    *("C059", "P052", "URW Gothic", "Liberation Mono", "Bitstream Charter", "Comfortaa"),
)
"""By their looks; a page has another one where one is not installed."""


def rasterized(svg: str) -> Image.Image:
    """Returns an SVG picture on white paper, in grayscale."""
    from vl_convert import svg_to_png

    head, tag, rest = svg.partition("<svg")
    attributes, close, content = rest.partition(">")
    paper = '<rect width="100%" height="100%" fill="white"/>'
    return decode(svg_to_png(f"{head}{tag}{attributes}{close}{paper}{content}")).convert("L")


def _page(content: str) -> Image.Image:
    return rasterized(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
        f'fill="none" stroke="black" stroke-width="2">{content}</svg>'
    )


def _line(x: float, y: float, to_x: float, to_y: float, width: float) -> str:
    return f'<path d="M{x:.1f} {y:.1f}L{to_x:.1f} {to_y:.1f}" stroke-width="{width:.2f}"/>'


def _text(x: float, y: float, text: str, style: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="black" stroke="none" {style}>{text}</text>'


def _style(random: Random, size: float) -> str:
    return (
        f'font-size="{size:.1f}" font-family="{random.choice(FONTS)}" '
        f'font-weight="{random.choice(("normal", "bold"))}" text-anchor="middle"'
    )


def _words(random: Random, y: float, size: float, most: int = 4) -> str:
    return _text(WIDTH / 2, y, words(random, 1, most), _style(random, size))


def tablature(random: Random) -> Image.Image:
    """Where fingers go: numbers or letters on rules, of which there may even be five, and no notes."""
    strings, space = random.choice((3, 4, 4, 5, 6, 6, 6, 6, 7, 8)), random.uniform(8, 26)
    height, left = (strings - 1) * space, random.randint(40, 130)
    width, bars = random.uniform(0.8, 2.4), random.choice((1, 2, 3, 4, 5))
    finger, rhythm, caption = _finger(random, space), _rhythm(random, space), _caption(random)
    step, dense = random.uniform(1.2, 3.5) * space, random.choice(((1,), (1, 1, 2), (0, 1, 2, 3)))
    content = _words(random, 60, random.randint(20, 44))
    top = random.uniform(100, 200)
    while top + height < HEIGHT - 60:
        rules = (top + n * space for n in range(strings))
        content += "".join(_line(left, y, WIDTH - left, y, width) for y in rules)
        for n in range(bars + 1):
            x = left + n * (WIDTH - 2 * left) / bars
            content += _line(x, top, x, top + height, 1.4 * width)
        content += caption(top - 2 * space) + caption(top + height + 2.5 * space)
        x = left + 2.5 * space
        while x < WIDTH - left - space:
            held = random.sample(range(strings), min(strings, random.choice(dense)))
            content += "".join(finger(x, top + n * space) for n in held)
            content += rhythm(x, top, height)
            x += step * random.choice((1, 1, 1, 1.5, 2))
        top += height + random.choice((2.5, 4, 6, 9)) * space + 30
    return _page(content)


def _finger(random: Random, space: float) -> Callable[[float, float], str]:
    """What draws the sign of one finger at a place: alike all over a page."""
    size = space * random.uniform(0.75, 1.5)
    style, signs = (
        _style(random, size),
        random.choice((range(10), range(25), range(6), "abcdefghik")),
    )
    halo = random.choice(("", "", "rect", "circle", "ring"))

    def drawn(x: float, y: float) -> str:
        sign = str(random.choice(signs))
        half, wide = 0.42 * size, 0.32 * size * len(sign)
        behind = {
            "": "",
            "rect": f'<rect x="{x - wide:.1f}" y="{y - half:.1f}" width="{2 * wide:.1f}" '
            f'height="{2 * half:.1f}" fill="white" stroke="none"/>',
            "circle": f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{half:.1f}" fill="white" stroke="none"/>',
            "ring": f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{1.4 * half:.1f}" fill="white"/>',
        }[halo]
        return behind + _text(x, y + 0.36 * size, sign, style)

    return drawn


def _rhythm(random: Random, space: float) -> Callable[[float, float, float], str]:
    """What draws a stem over or under a place, with or without flags, on some pages."""
    way, flags = random.choice((0, 0, 0, -1, 1)), random.randint(0, 2)
    length = space * random.uniform(1.5, 3)

    def drawn(x: float, top: float, height: float) -> str:
        if not way:
            return ""
        start = top - 0.8 * space if way < 0 else top + height + 0.8 * space
        stem = _line(x, start, x, start + way * length, 2)
        ends = (start + way * (length - n * 0.5 * space) for n in range(flags))
        return stem + "".join(_line(x, y, x + space, y - way * 0.4 * space, 3) for y in ends)

    return drawn


def _caption(random: Random) -> Callable[[float], str]:
    """What draws words or names of chords across a page, on some pages."""
    style, shown = _style(random, random.randint(14, 26)), random.random() < 0.3
    names = ("C", "G7", "Am", "F", "D", "Em", "B7")

    def drawn(y: float) -> str:
        if not shown:
            return ""
        said = (random.choice((random.choice(names), word(random))) for _ in range(7))
        return "".join(_text(150 + 150 * n, y, text, style) for n, text in enumerate(said))

    return drawn


def ornaments(random: Random) -> Image.Image:
    """A page with decorations in rows, frames and corners, and few large words."""
    content = "".join(_frame(random) for _ in range(random.randint(0, 3)))
    y = random.uniform(150, 500)
    while y < HEIGHT - 200:
        size = random.uniform(12, 60)
        match random.choice(("words", "words", "row", "row", "emblem", "rule")):
            case "words":
                content += _words(random, y, random.choice((24, 40, 70, 110)), most=3)
            case "row":
                content += _row(random, y, size)
            case "emblem":
                content += _ornament(random)(WIDTH / 2, y, 3 * size)
            case "rule":
                half = random.uniform(60, 500)
                width = random.choice((1, 2, 6))
                content += _line(WIDTH / 2 - half, y, WIDTH / 2 + half, y, width)
        y += random.uniform(50, 350)
    return _page(content)


def _row(random: Random, y: float, size: float) -> str:
    count, gap = random.randint(3, 12), size * random.uniform(2.2, 4)
    shapes = [_ornament(random) for _ in range(random.randint(1, 4))]
    places = (WIDTH / 2 + (n - (count - 1) / 2) * gap for n in range(count))
    return "".join(random.choice(shapes)(x, y, size) for x in places)


def _frame(random: Random) -> str:
    inset, size = random.uniform(20, 180), random.uniform(5, 20)
    if random.random() < 0.6:
        return (
            f'<rect x="{inset:.1f}" y="{inset:.1f}" width="{WIDTH - 2 * inset:.1f}" '
            f'height="{HEIGHT - 2 * inset:.1f}" rx="{random.choice((0, 0, 30))}" '
            f'stroke-width="{random.uniform(1, 12):.1f}"/>'
        )
    shape, gap = _ornament(random), 3 * size
    across = [inset + n * gap for n in range(round((WIDTH - 2 * inset) / gap) + 1)]
    down = [inset + n * gap for n in range(round((HEIGHT - 2 * inset) / gap) + 1)]
    edges = [(x, y) for x in across for y in (inset, down[-1])]
    edges += [(x, y) for y in down for x in (inset, across[-1])]
    return "".join(shape(x, y, size) for x, y in edges)


def _ornament(random: Random) -> Callable[[float, float, float], str]:
    """What draws one ornament at a place, with a radius: petals, stars, curls, or notes without staves."""
    points, inner = random.randint(3, 9), random.uniform(0.2, 0.8)
    filled = random.choice(("black", "black", "none", "white"))
    turned = random.choice((0, 0, 45, 90, random.uniform(0, 360)))
    bend = [random.uniform(-1, 1) for _ in range(6)]
    around = [2 * math.pi * n / points for n in range(points)]
    petal = (
        f'cx="{(1 + inner) / 2:.2f}" rx="{(1 - inner) / 2:.2f}" ry="{random.uniform(0.1, 0.4):.2f}"'
    )
    corners = [
        (radius * math.cos(angle + turn), radius * math.sin(angle + turn))
        for angle in around
        for radius, turn in ((1, 0.0), (inner, math.pi / points))
    ]
    curl = "C" + " ".join(f"{value:.2f}" for value in bend)
    body = random.choice(
        (
            "".join(
                f'<ellipse {petal} transform="rotate({math.degrees(a):.0f})"/>' for a in around
            ),
            f'<polygon points="{" ".join(f"{x:.2f},{y:.2f}" for x, y in corners)}"/>',
            f'<path d="M0 1{curl}M0 1{curl}" transform="scale(-1 1)"/><path d="M0 1{curl}"/>',
            f'<circle r="1"/><circle r="{inner:.2f}"/>',
            '<ellipse cx="-0.3" cy="0.7" rx="0.4" ry="0.3"/><path d="M0.1 0.7V-1L0.7 -0.3"/>',
            '<ellipse cx="-0.7" cy="0.8" rx="0.3" ry="0.25"/><ellipse cx="0.4" cy="0.6" rx="0.3" '
            'ry="0.25"/><path d="M-0.4 0.8V-0.8L0.7 -1V0.6"/>',
        )
    )
    style = f'fill="{filled}" stroke-width="{random.choice((0.05, 0.12, 0.2))}"'
    return lambda x, y, radius: (
        f'<g {style} transform="translate({x:.1f} {y:.1f}) scale({radius:.2f}) '
        f'rotate({turned:.0f})">{body}</g>'
    )


def strokes(random: Random) -> Image.Image:
    """Curves, hatchings of up to a dozen strokes, small words: as on drawings and plans."""
    content = ""
    for _ in range(random.randint(5, 60)):
        x, y = random.uniform(0, WIDTH), random.uniform(0, HEIGHT)
        match random.choice(("curve", "curve", "hatching", "words")):
            case "curve":
                reach = random.uniform(20, 400)
                ends = (
                    f"{x + random.gauss(0, reach):.0f} {y + random.gauss(0, reach):.0f}"
                    for _ in range(3 * random.randint(1, 6))
                )
                content += (
                    f'<path d="M{x:.0f} {y:.0f}C{" ".join(ends)}" '
                    f'stroke-width="{random.uniform(0.5, 5):.1f}"/>'
                )
            case "hatching":
                content += _hatching(random, x, y)
            case "words":
                size = random.uniform(10, 30)
                content += _text(x, y, words(random, 1, 2), _style(random, size))
    return _page(content)


def _hatching(random: Random, x: float, y: float) -> str:
    count, gap, length = random.randint(2, 12), random.uniform(5, 25), random.uniform(30, 400)
    angle, bow = random.uniform(0, 180), random.choice((0, 0, random.uniform(-60, 60)))
    lines = "".join(
        f'<path d="M0 {n * gap:.1f}Q{length / 2:.0f} {n * gap + bow:.1f} {length:.0f} {n * gap:.1f}"/>'
        for n in range(count)
    )
    return (
        f'<g transform="translate({x:.0f} {y:.0f}) rotate({angle:.0f})" '
        f'stroke-width="{random.uniform(0.6, 4):.1f}">{lines}</g>'
    )
