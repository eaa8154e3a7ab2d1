"""Pictograms of one color, around the origin."""

from collections.abc import Callable

from helm_structext.scenes.drawing.shapes import (
    Circle,
    Curve,
    Ellipse,
    Item,
    Polygon,
    Rectangle,
    ShapeGroup,
    ShapeSymbol,
    SymbolUse,
    polar,
    star_points,
)


def _sun(s: float, ink: str, back: str) -> tuple[Item, ...]:
    rays = tuple(
        Polygon(
            points=(polar(0, 0, s * 0.66, i * 45), polar(0, 0, s * 0.95, i * 45)),
            open=True,
            stroke=ink,
            width=s / 8,
        )
        for i in range(8)
    )
    return (Circle(x=0, y=0, r=s * 0.42, fill=ink), *rays)


def _moon(s: float, ink: str, back: str) -> tuple[Item, ...]:
    return (
        Curve(start=(s * 0.35, -s * 0.85), segments=((-s * 0.5, -s * 0.6, -s * 0.5, s * 0.6, s * 0.35, s * 0.85),
              (-s * 1.2, s * 0.9, -s * 1.2, -s * 0.9, s * 0.35, -s * 0.85)), fill=ink),
        Polygon(points=star_points(s * 0.45, -s * 0.1, s * 0.28), fill=ink),
    )  # fmt: skip


def _cloud(s: float, ink: str, back: str) -> tuple[Item, ...]:
    return (
        Circle(x=-s * 0.45, y=s * 0.2, r=s * 0.4, fill=ink),
        Circle(x=s * 0.05, y=-s * 0.12, r=s * 0.5, fill=ink),
        Circle(x=s * 0.55, y=s * 0.25, r=s * 0.35, fill=ink),
        Rectangle(x=-s * 0.45, y=s * 0.2, w=s, h=s * 0.4, fill=ink),
    )


def _star(s: float, ink: str, back: str) -> tuple[Item, ...]:
    return (Polygon(points=star_points(0, s * 0.06, s * 0.95), fill=ink),)


def _heart(s: float, ink: str, back: str) -> tuple[Item, ...]:
    return (
        Curve(start=(0, s * 0.8), segments=((-s * 1.5, -s * 0.25, -s * 0.6, -s * 1.15, 0, -s * 0.4),
              (s * 0.6, -s * 1.15, s * 1.5, -s * 0.25, 0, s * 0.8)), fill=ink),
    )  # fmt: skip


def _house(s: float, ink: str, back: str) -> tuple[Item, ...]:
    return (
        Polygon(points=((-s * 0.95, -s * 0.05), (0, -s * 0.85), (s * 0.95, -s * 0.05)), fill=ink),
        Rectangle(x=-s * 0.65, y=-s * 0.1, w=s * 1.3, h=s * 0.9, fill=ink),
        Rectangle(x=-s * 0.18, y=s * 0.25, w=s * 0.36, h=s * 0.55, fill=back),
    )


def _letter(s: float, ink: str, back: str) -> tuple[Item, ...]:
    return (
        Rectangle(x=-s * 0.9, y=-s * 0.62, w=s * 1.8, h=s * 1.24, radius=s * 0.1, fill=ink),
        Polygon(
            points=((-s * 0.75, -s * 0.42), (0, s * 0.15), (s * 0.75, -s * 0.42)),
            open=True,
            stroke=back,
            width=s / 8,
        ),
    )


def _clock(s: float, ink: str, back: str) -> tuple[Item, ...]:
    return (
        Circle(x=0, y=0, r=s * 0.9, fill=ink),
        Polygon(
            points=((0, -s * 0.55), (0, 0), (s * 0.38, s * 0.22)),
            open=True,
            stroke=back,
            width=s / 7,
        ),
    )


def _camera(s: float, ink: str, back: str) -> tuple[Item, ...]:
    return (
        Rectangle(x=-s * 0.35, y=-s * 0.72, w=s * 0.7, h=s * 0.4, radius=s * 0.08, fill=ink),
        Rectangle(x=-s * 0.92, y=-s * 0.5, w=s * 1.84, h=s * 1.2, radius=s * 0.14, fill=ink),
        Circle(x=0, y=s * 0.1, r=s * 0.4, fill=back),
        Circle(x=0, y=s * 0.1, r=s * 0.24, fill=ink),
    )


def _music(s: float, ink: str, back: str) -> tuple[Item, ...]:
    return (
        Ellipse(x=-s * 0.42, y=s * 0.6, rx=s * 0.3, ry=s * 0.22, fill=ink),
        Ellipse(x=s * 0.5, y=s * 0.42, rx=s * 0.3, ry=s * 0.22, fill=ink),
        Polygon(points=((-s * 0.18, s * 0.6), (-s * 0.18, -s * 0.6), (s * 0.74, -s * 0.8), (s * 0.74, s * 0.42)),
                open=True, stroke=ink, width=s / 8),
        Polygon(points=((-s * 0.18, -s * 0.6), (s * 0.74, -s * 0.8), (s * 0.74, -s * 0.45), (-s * 0.18, -s * 0.25)),
                fill=ink),
    )  # fmt: skip


def _lock(s: float, ink: str, back: str) -> tuple[Item, ...]:
    return (
        Curve(
            start=(-s * 0.4, 0),
            segments=((-s * 0.4, -s * 0.35), (s * 0.4, 180, 360), (s * 0.4, 0)),
            open=True,
            stroke=ink,
            width=s * 0.18,
        ),
        Rectangle(x=-s * 0.65, y=-s * 0.1, w=s * 1.3, h=s * 0.95, radius=s * 0.12, fill=ink),
        Circle(x=0, y=s * 0.32, r=s * 0.16, fill=back),
    )


def _flag(s: float, ink: str, back: str) -> tuple[Item, ...]:
    return (
        Polygon(
            points=((-s * 0.6, -s * 0.85), (-s * 0.6, s * 0.9)),
            open=True,
            stroke=ink,
            width=s * 0.14,
        ),
        Curve(
            start=(-s * 0.6, -s * 0.8),
            segments=(
                (-s * 0.1, -s * 1.1, s * 0.3, -s * 0.5, s * 0.8, -s * 0.75),
                (s * 0.8, s * 0.05),
                (s * 0.3, s * 0.3, -s * 0.1, -s * 0.3, -s * 0.6, 0),
            ),
            fill=ink,
        ),
    )


def _drop(s: float, ink: str, back: str) -> tuple[Item, ...]:
    return (
        Curve(start=(0, -s * 0.9), segments=((s * 0.2, -s * 0.5, s * 0.62, -s * 0.1, s * 0.62, s * 0.28),
              (s * 0.62, 0, 180), (-s * 0.62, -s * 0.1, -s * 0.2, -s * 0.5, 0, -s * 0.9)), fill=ink),
    )  # fmt: skip


def _bolt(s: float, ink: str, back: str) -> tuple[Item, ...]:
    points = ((0.15, -0.9), (-0.6, 0.15), (-0.05, 0.15), (-0.2, 0.9), (0.6, -0.25), (0.05, -0.25))
    return (Polygon(points=_scale(points, s), fill=ink),)


def _leaf(s: float, ink: str, back: str) -> tuple[Item, ...]:
    return (
        Curve(
            start=(-s * 0.6, s * 0.5),
            segments=(
                (-s * 0.75, -s * 0.6, s * 0.8, -s * 0.75),
                (s * 0.75, s * 0.75, -s * 0.6, s * 0.5),
            ),
            fill=ink,
        ),
        Polygon(
            points=((-s * 0.8, s * 0.75), (s * 0.3, -s * 0.25)),
            open=True,
            stroke=back,
            width=s / 12,
        ),
    )


def _chart(s: float, ink: str, back: str) -> tuple[Item, ...]:
    bars = tuple(
        Rectangle(x=s * x, y=s * (0.8 - h), w=s * 0.36, h=s * h, fill=ink)
        for x, h in ((-0.75, 0.6), (-0.18, 1.1), (0.39, 1.6))
    )
    return bars


def _cup(s: float, ink: str, back: str) -> tuple[Item, ...]:
    return (
        Curve(start=(-s * 0.7, -s * 0.3), segments=((s * 0.5, -s * 0.3), (s * 0.5, s * 0.25), (s * 0.45, 0, 90),
              (-s * 0.25, s * 0.7), (s * 0.45, 90, 180)), fill=ink),
        Curve(start=(s * 0.5, -s * 0.12), segments=((s * 0.25, -90, 90),), open=True, stroke=ink, width=s / 8),
        Curve(start=(-s * 0.3, -s * 0.5), segments=((-s * 0.1, -s * 0.68, -s * 0.3, -s * 0.85),), open=True,
              stroke=ink, width=s / 9),
        Curve(start=(s * 0.1, -s * 0.5), segments=((s * 0.3, -s * 0.68, s * 0.1, -s * 0.85),), open=True,
              stroke=ink, width=s / 9),
    )  # fmt: skip


def _search(s: float, ink: str, back: str) -> tuple[Item, ...]:
    return (
        Circle(x=-s * 0.18, y=-s * 0.18, r=s * 0.52, stroke=ink, width=s * 0.18),
        Polygon(
            points=((s * 0.24, s * 0.24), (s * 0.78, s * 0.78)),
            open=True,
            stroke=ink,
            width=s * 0.22,
        ),
    )


def _pin(s: float, ink: str, back: str) -> tuple[Item, ...]:
    return (
        Curve(start=(0, s * 0.9), segments=((-s * 0.25, s * 0.4, -s * 0.6, s * 0.1, -s * 0.6, -s * 0.3),
              (s * 0.6, 180, 360), (s * 0.6, s * 0.1, s * 0.25, s * 0.4, 0, s * 0.9)), fill=ink),
        Circle(x=0, y=-s * 0.3, r=s * 0.24, fill=back),
    )  # fmt: skip


def _gear(s: float, ink: str, back: str) -> tuple[Item, ...]:
    tooth = ShapeSymbol(
        "tooth",
        (
            Polygon(
                points=_scale(((-0.16, -0.6), (-0.12, -0.92), (0.12, -0.92), (0.16, -0.6)), s),
                fill=ink,
            ),
        ),
    )
    teeth = tuple(SymbolUse(symbol=tooth, x=0, y=0, angle=i * 45) for i in range(8))
    return (*teeth, Circle(x=0, y=0, r=s * 0.66, fill=ink), Circle(x=0, y=0, r=s * 0.28, fill=back))


def _mountain(s: float, ink: str, back: str) -> tuple[Item, ...]:
    return (
        Polygon(points=_scale(((-0.95, 0.7), (-0.25, -0.75), (0.1, -0.1), (0.35, -0.4), (0.95, 0.7)), s), fill=ink),
        Polygon(points=_scale(((-0.25, -0.75), (-0.44, -0.35), (-0.3, -0.22), (-0.2, -0.38), (-0.07, -0.42)), s), fill=back),
    )  # fmt: skip


def _anchor(s: float, ink: str, back: str) -> tuple[Item, ...]:
    return (
        Circle(x=0, y=-s * 0.7, r=s * 0.16, stroke=ink, width=s * 0.12),
        Polygon(points=((0, -s * 0.52), (0, s * 0.8)), open=True, stroke=ink, width=s * 0.14),
        Polygon(
            points=((-s * 0.36, -s * 0.25), (s * 0.36, -s * 0.25)),
            open=True,
            stroke=ink,
            width=s * 0.14,
        ),
        Curve(
            start=(s * 0.7, s * 0.15),
            segments=((s * 0.7, 0, 180),),
            open=True,
            stroke=ink,
            width=s * 0.14,
        ),
    )


def _tree(s: float, ink: str, back: str) -> tuple[Item, ...]:
    tiers = ((-0.9, 0.42, 0.5), (-0.5, 0.58, 0.55), (-0.05, 0.72, 0.6))
    return (
        *(
            Polygon(
                points=((0, s * top), (s * half, s * (top + high)), (-s * half, s * (top + high))),
                fill=ink,
            )
            for top, half, high in tiers
        ),
        Rectangle(x=-s * 0.12, y=s * 0.55, w=s * 0.24, h=s * 0.35, fill=ink),
    )


def _book(s: float, ink: str, back: str) -> tuple[Item, ...]:
    return (
        Curve(start=(0, -s * 0.5), segments=((-s * 0.4, -s * 0.8, -s * 0.9, -s * 0.6), (-s * 0.9, s * 0.6),
              (-s * 0.4, s * 0.4, 0, s * 0.7), (s * 0.4, s * 0.4, s * 0.9, s * 0.6), (s * 0.9, -s * 0.6),
              (s * 0.4, -s * 0.8, 0, -s * 0.5)), fill=ink),
        Polygon(points=((0, -s * 0.4), (0, s * 0.55)), open=True, stroke=back, width=s / 12),
    )  # fmt: skip


def _wheat(s: float, ink: str, back: str) -> tuple[Item, ...]:
    grains = tuple(
        ShapeGroup(
            name="",
            x=round(side * s * 0.26, 2),
            y=round(s * y, 2),
            angle=side * 35,
            children=(Ellipse(x=0, y=0, rx=s * 0.13, ry=s * 0.26, fill=ink),),
        )
        for y in (-0.35, 0.0, 0.35)
        for side in (-1, 1)
    )
    stem = Polygon(points=((0, -s * 0.5), (0, s * 0.95)), open=True, stroke=ink, width=s / 10)
    return (stem, Ellipse(x=0, y=-s * 0.7, rx=s * 0.13, ry=s * 0.26, fill=ink), *grains)


def _person(s: float, ink: str, back: str) -> tuple[Item, ...]:
    return (
        Circle(x=0, y=-s * 0.42, r=s * 0.38, fill=ink),
        Curve(start=(-s * 0.75, s * 0.85), segments=((-s * 0.75, -s * 0.25, s * 0.75, -s * 0.25, s * 0.75, s * 0.85),), fill=ink),
    )  # fmt: skip


def _bicycle(s: float, ink: str, back: str) -> tuple[Item, ...]:
    bars = (
        ((-0.55, 0.3), (-0.2, -0.3), (0.35, -0.3), (-0.02, 0.3), (-0.55, 0.3)),
        ((-0.02, 0.3), (-0.28, -0.48)),
        ((0.55, 0.3), (0.28, -0.6), (0.5, -0.6)),
        ((-0.45, -0.5), (-0.12, -0.5)),
    )
    return (
        Circle(x=-s * 0.55, y=s * 0.3, r=s * 0.36, stroke=ink, width=s * 0.1),
        Circle(x=s * 0.55, y=s * 0.3, r=s * 0.36, stroke=ink, width=s * 0.1),
        *(Polygon(points=_scale(bar, s), open=True, stroke=ink, width=s * 0.1) for bar in bars),
    )


def _scale(points: tuple[tuple[float, float], ...], s: float) -> tuple[tuple[float, float], ...]:
    return tuple((round(x * s, 2), round(y * s, 2)) for x, y in points)


PICTOGRAMS: dict[str, Callable[[float, str, str], tuple[Item, ...]]] = {
    "sun": _sun,
    "moon": _moon,
    "cloud": _cloud,
    "star": _star,
    "heart": _heart,
    "house": _house,
    "letter": _letter,
    "clock": _clock,
    "camera": _camera,
    "music": _music,
    "lock": _lock,
    "flag": _flag,
    "drop": _drop,
    "bolt": _bolt,
    "leaf": _leaf,
    "chart": _chart,
    "cup": _cup,
    "search": _search,
    "pin": _pin,
    "gear": _gear,
    "mountain": _mountain,
    "anchor": _anchor,
    "tree": _tree,
    "book": _book,
    "wheat": _wheat,
    "person": _person,
    "bicycle": _bicycle,
}


def pictogram(name: str, x: float, y: float, size: float, ink: str, back: str) -> ShapeGroup:
    """Returns a pictogram.

    Args:
        name: a key of `PICTOGRAMS`.
        x: of its center.
        y: of its center.
        size: about half of its width.
        ink: its color.
        back: the color behind it, for what is cut out of it.
    """
    return ShapeGroup(
        name=name, x=round(x, 2), y=round(y, 2), children=PICTOGRAMS[name](size, ink, back)
    )
