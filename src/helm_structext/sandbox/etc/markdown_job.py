"""Markdown → the HTML of its body: that of StructEval, or in ``corrected`` GitHub's."""

from markdown_it import MarkdownIt
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.gfm import gfm_plugin
from mdit_py_plugins.tasklists import tasklists_plugin
from python_server import protocol

plain = MarkdownIt("commonmark").enable(["table", "strikethrough"]).use(tasklists_plugin)
github = MarkdownIt("commonmark").use(gfm_plugin, front_matter=True).use(deflist_plugin)
# "$5 and $10" is no mathematics.
github.use(
    dollarmath_plugin,
    allow_space=False,
    allow_digits=False,
    allow_labels=False,
    allow_blank_lines=False,
    double_inline=True,
)
READERS = {"published": plain, "corrected": github}
"""Protocol → what reads a document."""
WARM = (
    "# Warm\n\n| a | b |\n|---|---|\n| 1 | `2` |\n\n> [!NOTE]\n> - [ ] ~~x~~ <b>x</b> &amp; [link](#)\n\n"
    "$x$ www.example.com[^1]\n\n[^1]: y\n"
)


def prepare() -> None:
    """Reads once what is compiled at the first use."""
    for reader in READERS.values():
        reader.render(WARM)


def draw(source: str) -> bytes:
    """Returns HTML in which that of the document stands as it is."""
    body: str = READERS[protocol()].render(source)
    return body.encode("utf-8", "replace")
