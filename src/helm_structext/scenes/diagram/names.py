"""Names that code gives to the nodes of a diagram."""

from collections.abc import Sequence
from random import Random

from helm_structext.scenes.diagram.scene import DiagramNode

SHAPE_NAMES = {"stadium": "term", "diamond": "check", "start": "start", "end": "stop"}
RESERVED = ("end", "graph", "subgraph", "class", "style", "click", "default", "state", "note")


def slug(text: str) -> str:
    """Returns a text as a name of ASCII letters and figures, or nothing where it has other letters.

    >>> slug("Check stock?"), slug("Größe"), slug("End")
    ('check_stock', '', 'end_')
    """
    if not text.isascii():
        return ""
    words = "".join(char if char.isalnum() else " " for char in text.lower()).split()
    name = "_".join(words[:2])
    return f"{name}_" if name in RESERVED else name


def name_nodes(nodes: Sequence[DiagramNode], rng: Random) -> list[str]:
    """Returns names of nodes: letters, kinds with numbers, or words of their labels where these have such.

    Args:
        nodes: of a diagram.
        rng: decides which.

    >>> name_nodes([DiagramNode("Check"), DiagramNode("Go")], Random(1))
    ['A', 'B']
    """
    slugs = [slug(node.text) for node in nodes]
    fit = len(set(slugs)) == len(nodes) and all(name and name[0].isalpha() for name in slugs)
    style = rng.choice(("letters", "kinds", "slugs") if fit else ("letters", "kinds"))
    if style == "slugs":
        return slugs
    if style == "letters" and len(nodes) <= 26:
        return [chr(ord("A") + number) for number in range(len(nodes))]
    counts: dict[str, int] = {}
    names = []
    for node in nodes:
        kind = SHAPE_NAMES.get(node.shape, "step" if node.shape in ("box", "round") else "n")
        counts[kind] = counts.get(kind, 0) + 1
        names.append(f"{kind}{counts[kind]}")
    return names
