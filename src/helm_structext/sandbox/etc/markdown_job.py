"""Markdown → the HTML of its body."""

from markdown_it import MarkdownIt
from mdit_py_plugins.tasklists import tasklists_plugin

reader = MarkdownIt("commonmark").enable(["table", "strikethrough"]).use(tasklists_plugin)


def prepare() -> None:
    """Reads once what is compiled at the first use."""
    draw("# Warm\n\n| a | b |\n|---|---|\n| 1 | `2` |\n\n- [ ] ~~task~~ <b>x</b> &amp; [link](#)\n")


def draw(source: str) -> bytes:
    """Returns HTML in which that of the document stands as it is."""
    body: str = reader.render(source)
    return body.encode("utf-8", "replace")
