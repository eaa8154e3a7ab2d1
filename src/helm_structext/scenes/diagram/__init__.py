"""Diagrams: flows, sequences, classes, states, trees, plans and mind maps."""

from helm_structext.scenes.diagram.mermaid import write_mermaid
from helm_structext.scenes.diagram.scene import TYPES, draw_diagram
from helm_structext.scenes.diagram.svg import write_svg
from helm_structext.scenes.diagram.tikz import write_tikz
from helm_structext.scenes.scene import SceneKind

KIND = SceneKind(
    name="diagram",
    types=tuple(TYPES),
    draw=draw_diagram,
    writers={"mermaid": write_mermaid, "tikz": write_tikz, "svg": write_svg},
)
"""What this package supplies."""
