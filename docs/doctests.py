"""Shows the examples of docstrings as Python sessions in the API reference.

Docstrings here carry bare doctests, which Markdown would take for quotations.
"""

import re
from typing import Any

from griffe import Extension, Object

SESSION = re.compile(r"^(>>> .*(?:\n.+)*)", re.MULTILINE)


class Doctests(Extension):
    """Puts a fence around each doctest."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Changes the docstring of an object that was read."""
        if obj.docstring:
            obj.docstring.value = SESSION.sub(r"\n```pycon\n\1\n```", obj.docstring.value)
