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


class Script(str):
    """JavaScript in an object that `write_object` writes."""


def write_object(
    value: Any, indent: int = 0, start: int = 0, step: int = 2, bare: bool = False
) -> str:
    """Returns JSON, or an object of JavaScript, as people write it: what fits in a line is in one.

    Args:
        value: what `json` writes, and with `bare` also `Script`.
        indent: blanks before the line on which it begins.
        start: signs on that line before it.
        step: blanks of each further level.
        bare: whether keys have no quotes, as in JavaScript.

    >>> print(write_object({"mark": "bar", "width": 300.0}))
    {"mark": "bar", "width": 300}
    >>> print(write_object({"min": 0, "draw": Script("chart => 1")}, bare=True))
    { min: 0, draw: chart => 1 }
    """
    if isinstance(value, Script):
        return value.replace("\n", "\n" + " " * indent)
    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    if not isinstance(value, dict | list | tuple):
        return literal(value)
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    blanks = " " * (indent + step)
    if isinstance(value, dict):
        keys = [f"{key if bare and key.isidentifier() else quote(key)}: " for key in value]
        held = list(value.values())
    else:
        keys, held = [""] * len(value), list(value)
    parts = [
        key + write_object(item, indent + step, len(key), step, bare)
        for key, item in zip(keys, held, strict=True)
    ]
    if not any("\n" in part for part in parts):
        space = " " if bare and parts and opening == "{" else ""
        line = f"{opening}{space}{', '.join(parts)}{space}{closing}"
        if indent + start + len(line) <= LINE - 8:
            return line
    if isinstance(value, list | tuple) and not any(
        isinstance(item, dict | list | tuple | Script) for item in held
    ):
        lines = fill(parts, indent + step)
        lines[-1] = lines[-1].removesuffix(",")
        body = "\n".join(lines)
    else:
        body = ",\n".join(blanks + part for part in parts)
    return f"{opening}\n{body}\n{' ' * indent}{closing}"
