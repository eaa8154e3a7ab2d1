"""Prints how large the package is, and which of its rooms hang together.

    python scripts/structure.py [FOLDER]

A room is a package of `src/helm_structext`, or a module beside them. Lines are lines of code: without blanks, comments and
docstrings. A circle is of files that import each other when they are imported; a lump is of rooms that reach each
other by imports of any kind, those inside functions too. An arrow up is an import, of any kind, of a room that does not
stand below in the order of the chapter "Architecture".
"""

import ast
import io
import sys
import tokenize
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "helm_structext"
ARCHITECTURE = ROOT / "docs" / "architecture.md"
SKIPPED = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE),
    *(tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER),
}
ITSELF = "(itself)"
"""The room of the package's own `__init__.py`."""

Graph = Mapping[str, set[str]]


def lines_of_code(code: str) -> int:
    '''Returns the number of lines that hold code.

    >>> lines_of_code('"""A module."""\\n\\n# Why.\\nx = 1\\n')
    1
    '''
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    said = {
        line
        for node in ast.walk(ast.parse(code))
        if isinstance(node, documented) and ast.get_docstring(node, clean=False) is not None
        for line in range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1)
    }
    lines = {
        line
        for token in tokenize.generate_tokens(io.StringIO(code).readline)
        if token.type not in SKIPPED
        for line in range(token.start[0], token.end[0] + 1)
    }
    return len(lines - said)


def imported(tree: ast.AST, *, later: bool) -> Iterator[str]:
    """Yields the dotted names that code imports; with `later` also inside of functions."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif later or not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield from imported(node, later=later)


def components(graph: Graph) -> list[list[str]]:
    """Returns the groups of nodes, larger than one, that all reach each other.

    >>> components({"a": {"b"}, "b": {"a"}, "c": {"a"}})
    [['a', 'b']]
    """
    reached = {node: _reached(graph, node) for node in graph}
    groups = {
        tuple(sorted(other for other in reached[node] if node in reached[other])) for node in graph
    }
    return [list(group) for group in sorted(groups) if len(group) > 1]


def _reached(graph: Graph, start: str) -> set[str]:
    found: set[str] = set()
    waiting = [start]
    while waiting:
        for other in graph[waiting.pop()] - found:
            found.add(other)
            waiting.append(other)
    return found


def modules(source: Path) -> dict[str, Path]:
    """Returns the modules of a package by their dotted names; what runs in the sandbox is none of them."""
    files = {}
    for file in sorted(source.rglob("*.py")):
        if not {"etc", "node_modules"} & {*file.relative_to(source).parts}:
            parts = file.relative_to(source.parent).with_suffix("").parts
            files[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return files


def structure(source: Path) -> tuple[Counter[str], list[list[str]], list[list[str]]]:
    """Returns lines of code by room, circles of files, and lumps of rooms."""
    files = modules(source)
    rooms: Counter[str] = Counter()
    now: defaultdict[str, set[str]] = defaultdict(set)
    ever: defaultdict[str, set[str]] = defaultdict(set)
    for name, file in files.items():
        code = file.read_text("utf-8")
        room = _room(name)
        rooms[room] += lines_of_code(code)
        tree = ast.parse(code)
        now[name] = _files(imported(tree, later=False), files) - {name}
        ever[room] |= {*map(_room, _files(imported(tree, later=True), files))} - {room, ITSELF}
    return rooms, components(now), components(ever)


def written_order(document: str) -> list[str]:
    """Returns the rooms from the lowest to the highest, as the chapter has them: the first block below "Layers".

    >>> written_order("## Layers\\n\\n```text\\ntexts  errors\\ncli\\n```\\n")
    ['texts', 'errors', 'cli']
    """
    block = document.partition("## Layers\n")[2]
    return block.split("```")[1].split()[1:]


def arrows_up(source: Path, order: Sequence[str]) -> list[str]:
    """Returns the imports of rooms that don't stand below, inside functions too.

    Args:
        source: the package's folder.
        order: all rooms, from the lowest to the highest.
    """
    files = modules(source)
    places = {room: place for place, room in enumerate(order)}
    return [
        f"{name} → {other}"
        for name, file in files.items()
        for other in sorted(_files(imported(ast.parse(file.read_text("utf-8")), later=True), files))
        if ITSELF not in (_room(name), _room(other))
        and _room(name) != _room(other)
        and places[_room(name)] < places[_room(other)]
    ]


def _files(names: Iterable[str], files: Container[str]) -> set[str]:
    """The modules among dotted names, or those that they are names of."""
    owners = (name if name in files else name.rpartition(".")[0] for name in names)
    return {owner for owner in owners if owner in files}


def _room(module: str) -> str:
    return module.split(".")[1] if "." in module else ITSELF


def main(source: Path) -> None:
    """Prints it all."""
    rooms, circles, lumps = structure(source)
    for room, lines in rooms.most_common():
        print(f"{lines:7,}  {room}")
    print(f"{rooms.total():7,}  lines of code in {len(rooms)} rooms")
    for name, groups in (("circles of files", circles), ("lumps of rooms", lumps)):
        print(f"{name}: {len(groups)}", *(f"  {' '.join(group)}" for group in groups), sep="\n")
    arrows = arrows_up(source, written_order(ARCHITECTURE.read_text("utf-8")))
    print(f"arrows up: {len(arrows)}", *(f"  {arrow}" for arrow in arrows), sep="\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else SOURCE)
