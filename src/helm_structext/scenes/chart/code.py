"""What writers share: numbers and lists as code."""

import json
from collections.abc import Iterable, Sequence
from textwrap import wrap
from typing import Any

LINE = 88
"""Signs of a line of code, at most, where lists are wrapped."""


def number(value: float) -> str:
    """Returns a number as code in any language.

    >>> number(3.0), number(-0.25)
    ('3', '-0.25')
    """
    return f"{value:.10g}"


def quote(text: str) -> str:
    r"""Returns a text in double quotes, as JSON, Python and JavaScript read it.

    >>> print(quote('5" & 6°'))
    "5\" & 6°"
    """
    return json.dumps(text, ensure_ascii=False)


def literal(value: Any) -> str:
    """Returns a number or a text as code."""
    return quote(value) if isinstance(value, str) else number(value)


def row(values: Iterable[Any], indent: int = 0, start: int = 0) -> str:
    """Returns a list in brackets, on as many lines as it needs.

    Args:
        values: numbers and texts.
        indent: blanks before the line on which it begins.
        start: signs on that line before it.

    >>> row([1.0, 2.5, "a"])
    '[1, 2.5, "a"]'
    """
    parts = [literal(value) for value in values]
    line = f"[{', '.join(parts)}]"
    if indent + start + len(line) <= LINE:
        return line
    return "\n".join(["[", *fill(parts, indent + 4), " " * indent + "]"])


def fill(parts: Sequence[str], indent: int) -> list[str]:
    """Returns lines of parts with commas between them, none broken."""
    # What may not be broken has no blanks while lines are filled.
    joined = " ".join(f"{part},".replace(" ", "\0") for part in parts)
    blanks = " " * indent
    lines = wrap(
        joined,
        LINE,
        initial_indent=blanks,
        subsequent_indent=blanks,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace("\0", " ") for line in lines]


def write_json(value: Any, indent: int = 0, start: int = 0, step: int = 2) -> str:
    """Returns JSON as people write it: what fits in a line is in one.

    >>> print(write_json({"mark": "bar", "width": 300}))
    {"mark": "bar", "width": 300}
    """
    line = json.dumps(value, ensure_ascii=False)
    if indent + start + len(line) <= LINE - 8 or not isinstance(value, dict | list) or not value:
        return line
    deeper = indent + step
    blanks = " " * deeper
    if isinstance(value, dict):
        parts = [
            f"{quote(key)}: {write_json(held, deeper, len(quote(key)) + 2, step)}"
            for key, held in value.items()
        ]
        opening, closing = "{", "}"
    elif all(isinstance(held, int | float | str) for held in value):
        filled = fill([json.dumps(held, ensure_ascii=False) for held in value], deeper)
        return "\n".join(["[", *filled, " " * indent + "]"]).replace(
            ",\n" + " " * indent + "]", "\n" + " " * indent + "]"
        )
    else:
        parts = [write_json(held, deeper, 0, step) for held in value]
        opening, closing = "[", "]"
    body = ",\n".join(blanks + part for part in parts)
    return f"{opening}\n{body}\n{' ' * indent}{closing}"
