"""GitHub's Markdown → the HTML of its body."""

from markdown_it import MarkdownIt
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.gfm import gfm_plugin

reader = MarkdownIt("commonmark").use(gfm_plugin, front_matter=True).use(deflist_plugin)
# "$5 and $10" is no mathematics.
reader.use(
    dollarmath_plugin,
    allow_space=False,
    allow_digits=False,
    allow_labels=False,
    allow_blank_lines=False,
    double_inline=True,
)


def prepare() -> None:
    """Reads once what is compiled at the first use."""
    draw(
        "# Warm\n\n| a |\n|---|\n| `2` |\n\n> [!NOTE]\n> - [ ] ~~x~~ $x$ www.example.com[^1]\n\n[^1]: y\n"
    )


def draw(source: str) -> bytes:
    """Returns HTML in which that of the document stands as it is."""
    body: str = reader.render(source)
    return body.encode("utf-8", "replace")
