"""Documents, as LaTeX, Typst, Markdown and HTML write them."""

from helm_structext.scenes.document.html import write_html
from helm_structext.scenes.document.latex_document import write_latex_document
from helm_structext.scenes.document.markdown import write_markdown
from helm_structext.scenes.document.scene import TYPES, draw_document
from helm_structext.scenes.document.typst import write_typst
from helm_structext.scenes.scene import SceneKind

KIND = SceneKind(
    "document",
    TYPES,
    draw_document,
    {
        "latex_document": write_latex_document,
        "typst": write_typst,
        "markdown": write_markdown,
        "html": write_html,
    },
)
