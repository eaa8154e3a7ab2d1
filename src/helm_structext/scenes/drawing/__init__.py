"""Drawings: landscapes, posters, badges, maps, floor plans, icons, infographics and technical sketches."""

from helm_structext.scenes.drawing.canvas import write_canvas
from helm_structext.scenes.drawing.scene import COMPOSITIONS, draw_drawing
from helm_structext.scenes.drawing.svg import write_svg
from helm_structext.scenes.scene import SceneKind

KIND = SceneKind(
    name="drawing",
    types=tuple(COMPOSITIONS),
    draw=draw_drawing,
    writers={"svg": write_svg, "canvas": write_canvas},
)
