"""What Matplotlib draws, noted as it is drawn: in the colors that are seen on white, each where it can be seen.

Each line of a text is a piece. A heat map is one image, and a scattered plot has a shape for each mark.
"""

import contextlib
import json
import math
from collections.abc import Iterator, Sequence
from typing import Any

import matplotlib.backends.backend_agg as agg
import matplotlib.text
import numpy as np
from matplotlib import patheffects
from matplotlib._mathtext_data import tex2uni
from matplotlib.backend_bases import RendererBase
from matplotlib.path import Path
from matplotlib_charts import read_when_drawn

MAX_BOXES = 50_000
MAX_TEXT = 10_000
"""Characters of a line."""
POINTS = 72
"""Of an inch."""
MAX_CUT = 0.35
"""In sizes of the font: how far a line box may reach beyond where it is clipped."""
UPRIGHT = 0.9
"""Sine of the angle from which on a text is read up or down."""
THIN = 0.03
"""Inches: how thick a rule is at most."""
LINE = "lp"
"""Letters as high and low as those of a line; Matplotlib sets lines by them."""
DRAWN = (
    "draw_gouraud_triangles",
    "draw_image",
    "draw_markers",
    "draw_path_collection",
    "draw_quad_mesh",
)
"""Methods of a renderer that belong to an object of C++, which has no other ones."""
RENDERER = agg.RendererAgg


class NotingRenderer(agg.RendererAgg):
    """Draws as Agg does, and notes what.

    Attributes:
        last: the one that has last begun a picture.
    """

    last: "NotingRenderer | None" = None

    def __init__(self, *arguments: Any) -> None:
        self.begin()
        base: Any = super()
        base.__init__(*arguments)

    def record(self, charts: Sequence[Any]) -> bytes:
        """What was noted, as JSON."""
        record = {
            "size": [int(self.width), int(self.height)],
            "texts": self.texts,
            "elements": self.elements,
            "left_out": self.left_out,
            "charts": next(iter(charts), None),
        }
        return json.dumps(record).encode()

    def pixels(self, points: float) -> float:
        """What points are on the picture."""
        return points * float(self.dpi) / POINTS

    def begin(self) -> None:
        """Forgets what was noted."""
        self.texts: list[Any] = []
        self.elements: list[Any] = []
        self.left_out = 0
        self.quiet = self.failed = False

    def clear(self) -> None:
        """Begins a picture."""
        self.begin()
        type(self).last = self
        base: Any = super()
        base.clear()

    def _update_methods(self) -> None:
        base: Any = super()
        base._update_methods()
        for name in DRAWN:
            setattr(self, name, self.noting(getattr(self, name), getattr(self, f"note_{name[5:]}")))

    def noting(self, draw: Any, note: Any) -> Any:
        """A method that draws, and notes what, if it can."""

        def drawn(*arguments: Any, **options: Any) -> None:
            draw(*arguments, **options)
            if not self.quiet:
                try:
                    note(*arguments, **options)
                except Exception:
                    self.failed = True

        return drawn

    def draw_path(self, *arguments: Any, **options: Any) -> None:
        """Draws a line or area."""
        self.noting(super().draw_path, self.note_path)(*arguments, **options)

    def draw_text(self, *arguments: Any, **options: Any) -> None:
        """Draws a line of text."""
        self.noting(super().draw_text, self.note_text)(*arguments, **options)

    def note_path(self, gc: Any, path: Any, transform: Any, rgbFace: Any = None) -> None:
        """Notes a line or area."""
        if (box := around(path, transform)) is not None:
            width = self.pixels(gc.get_linewidth()) if gc.get_rgb()[3] else 0
            color = seen_color(gc, rgbFace)
            self.note("shape", [widened(box, width / 2)], gc, [color], outline(gc, rgbFace, color))

    def note_markers(
        self,
        gc: Any,
        marker: Any,
        marker_transform: Any,
        path: Any,
        transform: Any,
        rgbFace: Any = None,
    ) -> None:
        """Notes each mark."""
        if (box := around(marker, marker_transform)) is None:
            return
        width = self.pixels(gc.get_linewidth()) if gc.get_rgb()[3] else 0
        places = corners(path, transform)
        self.note(
            "shape",
            np.hstack([places, places]) + np.asarray(widened(box, width / 2)),
            gc,
            [seen_color(gc, rgbFace)],
        )

    def note_path_collection(
        self,
        gc: Any,
        master: Any,
        paths: Any,
        transforms: Any,
        offsets: Any,
        offset_transform: Any,
        faces: Any,
        edges: Any,
        *ignored: Any,
        **options: Any,
    ) -> None:
        """Notes each path."""
        offsets = (
            np.asarray(offset_transform.transform(offsets)) if len(offsets) else np.zeros((1, 2))
        )
        count = max(len(paths), len(offsets)) if len(paths) else 0
        told = min(count, MAX_BOXES)
        matrices = [np.asarray(one) for one in transforms] or [np.eye(3)]
        known: dict[tuple[int, int], Any] = {}
        boxes = []
        for index in range(told):
            key = index % len(paths), index % len(matrices)
            if key not in known:
                points = paths[key[0]].vertices
                matrix = np.asarray(master.get_matrix()) @ matrices[key[1]]
                known[key] = around(Path(points, paths[key[0]].codes), matrix)
            box, offset = known[key], offsets[index % len(offsets)]
            boxes.append([math.nan] * 4 if box is None else np.add(box, [*offset, *offset]))
        colors = [seen_color(gc, one) for one in (faces if len(faces) else edges)]
        self.left_out += count - told
        self.note("shape", boxes, gc, colors or [""])

    def note_quad_mesh(
        self, gc: Any, master: Any, width: int, height: int, points: Any, *ignored: Any
    ) -> None:
        """Notes a heat map."""
        box = around(Path(np.asarray(points).reshape(-1, 2)), master)
        self.note("image", [] if box is None else [box], gc, [""])

    def note_gouraud_triangles(self, gc: Any, points: Any, colors: Any, transform: Any) -> None:
        """Notes shaded triangles."""
        box = around(Path(np.asarray(points).reshape(-1, 2)), transform)
        self.note("image", [] if box is None else [box], gc, [""])

    def note_image(self, gc: Any, x: float, y: float, image: Any, *ignored: Any) -> None:
        """Notes an image."""
        height, width = image.shape[:2]
        self.note("image", [[x, y, x + width, y + height]], gc, [""])

    def note_text(
        self,
        gc: Any,
        x: float,
        y: float,
        s: str,
        prop: Any,
        angle: float,
        ismath: Any = False,
        mtext: Any = None,
    ) -> None:
        """Notes a line of text."""
        width, height, descent = self.measured(s, prop, ismath)
        _, usual, low = self.measured(LINE, prop, False)
        below, above = max(descent, low), max(height - descent, usual - low)
        cosine, sine = math.cos(math.radians(angle)), math.sin(math.radians(angle))
        places = [
            (x + along * cosine + down * sine, self.height - y + along * sine - down * cosine)
            for along in (0, width)
            for down in (-above, below)
        ]
        across, up = zip(*places, strict=True)
        box = [min(across), min(up), max(across), max(up)]
        color, alpha = mixed(gc.get_rgb(), 1.0)
        size = self.pixels(prop.get_size_in_points())
        clip, free = self.clip(gc), MAX_CUT * size
        inside = all(
            box[side] >= clip[side] - free and box[side + 2] <= clip[side + 2] + free
            for side in (0, 1)
        )
        text = read_formulas(s) if ismath else s
        upright = abs(sine) > UPRIGHT
        if len(self.texts) + len(self.elements) < MAX_BOXES:
            seen = inside and alpha > 0
            told = [text[:MAX_TEXT], self.placed(box), color, float(size), seen, "", upright]
            self.texts.append(told)
        else:
            self.left_out += 1

    def measured(self, text: str, prop: Any, ismath: Any) -> Any:
        """Width, height and descent of a line; Matplotlib remembers them of those that it has set."""
        if remembered := getattr(matplotlib.text, "_get_text_metrics_with_cache", None):
            return remembered(self, text, prop, ismath, self.dpi)
        measure: Any = self.get_text_width_height_descent
        return measure(text, prop, ismath)

    def note(self, kind: str, boxes: Any, gc: Any, colors: Sequence[str], line: str = "") -> None:
        """Notes elements, as far as they are seen; they may have an outline of another color."""
        left, bottom, right, top = self.clip(gc)
        # Few numbers are compared faster without NumPy.
        for index, sides in enumerate(np.asarray(boxes, float).reshape(-1, 4).tolist()):
            seen = (
                max(sides[0], left),
                max(sides[1], bottom),
                min(sides[2], right),
                min(sides[3], top),
            )
            if not (seen[0] <= seen[2] and seen[1] <= seen[3]):
                continue
            color = colors[index % len(colors)]
            box = self.placed(seen)
            if color == UNSEEN or (color == WHITE and not self.elements and self.covers(box)):
                continue
            if len(self.texts) + len(self.elements) >= MAX_BOXES:
                self.left_out += 1
                continue
            thick, long = sorted((box[2] - box[0], box[3] - box[1]))
            rule = kind == "shape" and thick <= THIN * self.dpi and long > 2 * thick
            self.elements.append(["rule" if rule else kind, box, color, *[line] * bool(line)])

    def placed(self, box: Any) -> list[float]:
        """A box in pixels from the upper left corner."""
        left, bottom, right, top = map(float, box)
        sides = left, self.height - top, right, self.height - bottom
        return [round(side, 2) for side in sides]

    def covers(self, box: Sequence[float]) -> bool:
        """Whether a box is all of the picture."""
        return max(box[:2]) <= 1 and box[2] >= self.width - 1 and box[3] >= self.height - 1

    def clip(self, gc: Any) -> Sequence[float]:
        """Where something is seen."""
        box: Sequence[float] = (0.0, 0.0, float(self.width), float(self.height))
        rectangle = gc.get_clip_rectangle()
        path, transform = gc.get_clip_path()
        for other in (
            None if rectangle is None else rectangle.extents.tolist(),
            None if path is None else around(path, transform),
        ):
            if other is not None:
                low = max(box[0], other[0]), max(box[1], other[1])
                box = (*low, min(box[2], other[2]), min(box[3], other[3]))
        return box


WHITE, UNSEEN = "#ffffff", "unseen"


def mixed(color: Any, alpha: float) -> tuple[str, float]:
    """What a color looks like on white, and how opaque it is."""
    red, green, blue, *own = (float(level) for level in color)
    alpha = own[0] if own else alpha
    levels = (
        round(255 * min(max(level * alpha + 1 - alpha, 0), 1)) for level in (red, green, blue)
    )
    return "#" + "".join(f"{level:02x}" for level in levels), alpha


def seen_color(gc: Any, face: Any) -> str:
    """What something is filled with, or else the color of its line; `UNSEEN` if it has neither."""
    ways = (
        [] if face is None else [mixed(face[:3] if gc.get_forced_alpha() else face, gc.get_alpha())]
    )
    if gc.get_linewidth() > 0 or face is None:
        ways.append(mixed(gc.get_rgb(), 1.0))
    return next((color for color, alpha in ways if alpha > 0), UNSEEN)


def outline(gc: Any, face: Any, filled: str) -> str:
    """The color of a line around what is filled in another one, or ""."""
    if face is None or gc.get_linewidth() <= 0:
        return ""
    color, alpha = mixed(gc.get_rgb(), 1.0)
    return color if alpha > 0 and color != filled else ""


def corners(path: Any, transform: Any) -> Any:
    """The points of a path in pixels, as far as they are somewhere."""
    points = np.asarray(path.vertices, float)
    if path.codes is not None:
        points = points[path.codes != Path.CLOSEPOLY]
    if isinstance(transform, np.ndarray):
        points = points @ transform[:2, :2].T + transform[:2, 2]
    else:
        points = np.asarray(transform.transform(points), float)
    return points[np.isfinite(points).all(axis=1)].reshape(-1, 2)


def around(path: Any, transform: Any) -> Any:
    """The box around a path, or None."""
    points = corners(path, transform)
    return [*points.min(axis=0).tolist(), *points.max(axis=0).tolist()] if len(points) else None


def widened(box: Any, width: float) -> Any:
    """A box with more on each side."""
    left, bottom, right, top = box
    return [left - width, bottom - width, right + width, top + width]


def read_formulas(text: str) -> str:
    """A line with formulas, as it is read: their signs in the order in which they are written."""
    pieces = text.replace(r"\$", "\0").split("$")
    return "".join(
        "".join(read_signs(piece)) if index % 2 else piece for index, piece in enumerate(pieces)
    ).replace("\0", "$")


def read_signs(formula: str) -> Iterator[str]:
    """The signs of a formula."""
    index = 0
    while index < len(formula):
        sign = formula[index]
        index += 1
        if sign == "\\":
            end = index
            while end < len(formula) and formula[end].isalpha() and formula[end].isascii():
                end += 1
            name = formula[index : max(end, index + 1)]
            index += len(name)
            if name in tex2uni:
                yield chr(tex2uni[name])
            elif name in ("sin", "cos", "tan", "log", "ln", "exp", "lim", "max", "min"):
                yield name
            elif name in (" ", "quad", "qquad"):
                yield " "
            elif len(name) == 1 and name in "%$#&_{}":
                yield name
        elif sign == "-":
            yield "\N{MINUS SIGN}"
        elif sign not in "{}^_~" and not sign.isspace():
            yield sign


@contextlib.contextmanager
def noted(figure: Any) -> Iterator[list[bytes]]:
    """What is saved in here is noted; then the list has what tells it, if that can be had."""
    told: list[bytes] = []
    effects: Any = patheffects.PathEffectRenderer
    module: Any = agg
    usual = module.RendererAgg

    def draw_text(renderer: Any, *arguments: Any, **options: Any) -> None:
        inner = object.__getattribute__(renderer, "_renderer")
        if not isinstance(inner, NotingRenderer) or inner.quiet:
            RendererBase.draw_text(renderer, *arguments, **options)
            return
        inner.noting(lambda *_, **__: None, inner.note_text)(*arguments, **options)
        inner.quiet = True  # What follows are outlines of the letters.
        try:
            RendererBase.draw_text(renderer, *arguments, **options)
        finally:
            inner.quiet = False

    if usual is not RENDERER:  # The code has one of its own.
        yield told
        return
    try:
        module.RendererAgg = NotingRenderer
        effects.draw_text = draw_text
        figure.canvas._lastKey = None  # It may keep a renderer.
        NotingRenderer.last = None
        with read_when_drawn(agg.FigureCanvasAgg, mixed, NotingRenderer) as charts:
            yield told
    finally:
        module.RendererAgg = usual
        effects.draw_text = RendererBase.draw_text
        figure.canvas._lastKey = None
    with contextlib.suppress(Exception):
        if NotingRenderer.last and not NotingRenderer.last.failed:
            told.append(NotingRenderer.last.record(charts))
