"""Scripts of pages: names, texts and records as JavaScript and TypeScript write them."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from helm_structext.scenes.page.markup import ItemField, PageElement, PageNode, Repeat

LINE = 110
"""Characters of a line before it is broken."""


def js_text(text: str, quote: str = '"') -> str:
    """Returns a text as a literal of JavaScript.

    >>> js_text('the "Fig"'), js_text("it's", "'")
    ('"the \\\\"Fig\\\\""', "'it\\\\'s'")
    """
    written = json.dumps(text, ensure_ascii=False)
    if quote == '"':
        return written
    return "'" + written[1:-1].replace('\\"', '"').replace("'", "\\'") + "'"


def js_value(value: Any, quote: str = '"', room: int = LINE) -> list[str]:
    """Returns the lines of a value: a text, a number, a record or a list of them.

    Args:
        value: as JSON has it.
        quote: around texts.
        room: characters of the first line; what does not fit is broken.

    >>> js_value([{"name": "Ann", "age": 3}], "'")
    ["[{ name: 'Ann', age: 3 }]"]
    """
    if isinstance(value, str):
        return [js_text(value, quote)]
    if isinstance(value, bool):
        return ["true" if value else "false"]
    if isinstance(value, Mapping):
        parts = [(f"{key}: ", js_value(one, quote, room - 4)) for key, one in value.items()]
        opened, closed = "{ ", " }"
    elif isinstance(value, Sequence):
        parts = [("", js_value(one, quote, room - 4)) for one in value]
        opened, closed = "[", "]"
    else:
        return [str(value)]
    line = opened + ", ".join(name + lines[0] for name, lines in parts) + closed
    nested = isinstance(value, Sequence) and len(value) > 1 and isinstance(value[0], Mapping)
    if all(len(lines) == 1 for _, lines in parts) and len(line) <= room and not nested:
        return [line]
    broken = [opened.strip()]
    for name, lines in parts:
        broken += [f"  {name}{lines[0]}", *(f"  {line}" for line in lines[1:])]
        broken[-1] += ","
    return [*broken, closed.strip()]


def find_lists(node: PageNode) -> list[Repeat]:
    """Returns the lists of a tree that hold their own records."""
    if isinstance(node, Repeat):
        return [] if isinstance(node.items, ItemField) else [node]
    if isinstance(node, PageElement):
        return [found for child in node.children for found in find_lists(child)]
    return []


def find_values(node: PageNode) -> dict[str, Any]:
    """Returns what the inputs of a form hold, by their names."""
    if not isinstance(node, PageElement):
        return {}
    found: dict[str, Any] = {}
    if node.model:
        texts = [child for child in node.children if isinstance(child, str)]
        found[node.model] = (
            True if "checked" in node.attributes else node.attributes.get("value", "".join(texts))
        )
    for child in node.children:
        found |= find_values(child)
    return found


def find_components(node: PageNode) -> list[PageElement]:
    """Returns the elements of a tree that a person would make components."""
    if not isinstance(node, PageElement):
        return []
    below = [found for child in node.children for found in find_components(child)]
    return [node, *below] if node.component else below


KEYS = ("title", "name", "label", "number", "question", "heading", "text", "day", "benefit")
"""Fields that name a record, the usual ones first."""


def key_field(items: Sequence[Any]) -> ItemField | None:
    """Returns the field that tells the records of a list apart, or None if there is none.

    >>> key_field([{"icon": "a", "title": "b"}, {"icon": "a", "title": "c"}]).name
    'title'
    """
    if not items or not isinstance(items[0], Mapping):
        return ItemField() if len(set(items)) == len(items) else None
    for name in (name for name in KEYS if name in items[0]):
        if len({item[name] for item in items}) == len(items):
            return ItemField(name)
    return None


def list_key(repeat: Repeat) -> ItemField | None:
    """Returns the field that tells a list's records apart; those in records are texts that repeat at most as icons."""
    if isinstance(repeat.items, ItemField):
        return ItemField() if repeat.name != "marks" else None
    return key_field(repeat.items)


def chosen_key(repeat: Repeat) -> str:
    """Returns what tells the chosen record of a list from the others."""
    key = list_key(repeat)
    item: Any = repeat.items[repeat.chosen] if not isinstance(repeat.items, ItemField) else ""
    return str(item[key.name] if key and key.name else item)
