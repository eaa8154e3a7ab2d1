"""All kinds of scenes."""

from collections.abc import Mapping

from helm_structext.scenes.chart import KIND as CHART
from helm_structext.scenes.diagram import KIND as DIAGRAM
from helm_structext.scenes.document import KIND as DOCUMENT
from helm_structext.scenes.drawing import KIND as DRAWING
from helm_structext.scenes.formula import KIND as FORMULA
from helm_structext.scenes.page import KIND as PAGE
from helm_structext.scenes.scene import SceneKind
from helm_structext.scenes.score import KIND as SCORE

KINDS: Mapping[str, SceneKind] = {
    kind.name: kind for kind in (CHART, DIAGRAM, DOCUMENT, PAGE, DRAWING, SCORE, FORMULA)
}
"""Name to kind."""
