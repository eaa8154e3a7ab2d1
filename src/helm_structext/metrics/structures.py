"""Structures in text: JSON, YAML, TOML, XML and CSV, the paths in them, and StructEval's scores.

What a model wrote is parsed in this process, so hostile text has to be harmless by itself: it is
refused above `MAX_LENGTH` characters, `MAX_DEPTH` levels or, in YAML, `MAX_NODES` nodes with all
aliases written out; XML may not declare entities, nor attributes that would take more than
`MAX_LENGTH` characters where they stand by default. No completion comes near these limits.

Source: "StructEval: Benchmarking LLMs' Capabilities to Generate Structural Outputs", section 3 and
Table 2, and its published code.
"""

import csv
import io
import math
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from numbers import Real
from typing import Any, NamedTuple
from xml.parsers import expat

import xmltodict
import yaml

from helm_structext.errors import RenderError, check_strings, check_types
from helm_structext.formats import check_format, load, text_formats
from helm_structext.patterns import Pattern
from helm_structext.protocols import DEFAULT_PROTOCOL, check_protocol

MAX_LENGTH = 1_000_000
"""Characters of a text; parsing one takes a few seconds and 250 MB at worst."""

MAX_DEPTH = 100
"""Levels of lists and mappings inside of each other."""

MAX_NODES = 100_000
"""Lists, mappings and scalars of a YAML document, each alias counting as all that it stands for."""

MAX_NUMBER = 4300
"""Characters of a number in YAML: Python's own limit for numbers in decimal digits."""

MAX_LONG_KEYS = 1000
"""Keys of a mapping in YAML that are integers above 2^60, which may all have the same hash."""

MAX_TAG_DIRECTIVES = 100
"""``%TAG`` lines in YAML, each of which the parser compares with all before."""

COMPLAINTS = (ValueError, RecursionError, csv.Error, yaml.YAMLError, expat.ExpatError)
"""What parsers raise for a text that is not in their format; anything else is a mistake of ours."""

_KEY = r"""(?:[\w-]+|"[^"\n]*"|'[^'\n]*')"""
_LONG_KEY = Pattern(rf"(?m)(?:^|[\[{{,])[ \t]*(?:{_KEY}[ \t]*\.[ \t]*){{{MAX_DEPTH}}}", ascii=True)
"""A dotted key in TOML of so many parts, for which the parser would need quadratic time."""


class XmlDocument(dict[str, Any]):
    """XML's root under its name; a child that is alone is the first and only one of its name, too."""


class CsvTable(NamedTuple):
    """A CSV file: its first row, and the others as they are; empty lines are none."""

    header: list[str]
    rows: list[list[str]]


def parse_structure(
    text: str, format: str, *, strict: bool = True, protocol: str = DEFAULT_PROTOCOL
) -> Any:
    """Parses a text that is a structure.

    Args:
        text: code without tags and fences (`helm_structext.extraction.extract`).
        format: ``json``, ``yaml``, ``toml``, ``xml`` or ``csv``.
        strict: whether CSV needs a header, and as many cells in each row as in the header. The
            published code takes any text for CSV.
        protocol: ``published`` reads JSON as Python does, TOML 1.0 and YAML 1.1; ``corrected``
            reads RFC 8259, TOML 1.1 and YAML 1.2 (`helm_structext.metrics.corrected_structures`).

    Returns:
        Mappings, lists and scalars as Python's; of YAML, one document. XML becomes a mapping of the
        root's name to its content, in ``corrected`` an `XmlDocument`: attributes are keys that begin
        with ``@``, children of one name a list if there are several, text beside them the key
        ``#text``. CSV becomes a `CsvTable`.

    Raises:
        RenderError: of kind ``syntax``: the text is not in the format, or too large or too deep.
        TypeError: the text is not a string.
        ValueError: unknown format or protocol.

    >>> parse_structure("moons: [{name: Io}]", "yaml")
    {'moons': [{'name': 'Io'}]}
    >>> [parse_structure("on: no", "yaml", protocol=one) for one in ("published", "corrected")]
    [{True: False}, {'on': 'no'}]
    >>> parse_structure('<planet id="5"><name>Jupiter</name></planet>', "xml")
    {'planet': {'@id': '5', 'name': 'Jupiter'}}
    >>> parse_structure("name,moons\\nJupiter", "csv")
    Traceback (most recent call last):
    helm_structext.errors.RenderError: syntax: line 2: row 1 has 1 cell, the header has 2; an empty cell has its comma, too
    """
    check_types(str, text=text)
    parse = load(check_format(format, text_formats()).parser_of(check_protocol(protocol)))
    if len(text) > MAX_LENGTH:
        raise RenderError("syntax", f"the text has more than {MAX_LENGTH:,} characters")
    try:
        structure = parse(text)
        if strict and isinstance(structure, CsvTable):
            _check_table(text, structure)
        _check_depth(structure)
    except COMPLAINTS as error:
        raise RenderError("syntax", _message(text, error)) from error
    return structure


def path_exists(structure: Any, path: str) -> bool:
    """Says whether there is something at a path of keys.

    - Keys are separated by dots; a part in backticks is one key, dots and all.
    - ``[0]`` is an element of a list, from 0.
    - ``*`` is any element of a list; the rest of the path has to exist in one of them.
    - In an `XmlDocument`, a lone child is the list of itself for these two; else it is no list, as
      published.
    - ``@id`` is the key ``@id``, as XML's attributes have it, or else ``id``.
    - ``csv::`` and a name is a column of a `CsvTable`, which has no other paths.

    Args:
        structure: what `parse_structure` returns.
        path: keys from the outermost on.

    Raises:
        TypeError: the path is not a string.
        ValueError: the path has a ``[`` that is never closed.

    Source: StructEval, Table 2, as its published code reads it.

    >>> planet = {"planet": {"moons": [{"name": "Io"}, {"size": 2}], "key.with.dots": 1}}
    >>> [path_exists(planet, f"planet.moons{part}.name") for part in ("[0]", "[1]", ".*", "")]
    [True, False, True, False]
    >>> path_exists(planet, "planet.`key.with.dots`")
    True
    >>> path_exists(parse_structure("discovery.location\\nPadua", "csv"), "csv::discovery.location")
    True
    """
    check_types(str, path=path)
    return _exists(structure, split_path(path))


def holds_nothing(structure: Any) -> bool:
    """Returns whether a parsed text is valid and yet no answer.

    An empty list or mapping, 0, false and null hold nothing, as published; nor does a header of
    CSV without rows, which any line of prose could be.

    Args:
        structure: as `parse_structure` returns it.

    >>> [holds_nothing(parse_structure(text, "csv")) for text in ("a,b", "a,b\\n1,2")]
    [True, False]
    """
    return not (structure.rows if isinstance(structure, CsvTable) else structure)


def syntax_score(prediction: str, format: str, *, protocol: str = DEFAULT_PROTOCOL) -> float:
    """Returns 1 if a text is in a format and holds anything (`holds_nothing`), else 0.

    Args:
        prediction: code without tags and fences.
        format: ``json``, ``yaml``, ``toml``, ``xml`` or ``csv``.
        protocol: see `parse_structure`.

    Source: StructEval, section 3 ("Syntax Score").

    >>> syntax_score("[1]", "json"), syntax_score("[1", "json"), syntax_score("[]", "json")
    (1.0, 0.0, 0.0)
    """
    return _syntax(prediction, _parse_loosely(prediction, format, protocol))


def path_score(
    prediction: str,
    reference: Sequence[str],
    format: str,
    *,
    protocol: str = DEFAULT_PROTOCOL,
) -> float:
    """Returns the share of paths that exist in a text; 0 where it is not in its format.

    Values are not looked at, as published: the paper matches field names and values. In CSV, as
    published, the header is looked at whatever the rows are like.

    Args:
        prediction: code without tags and fences.
        reference: paths as `path_exists` reads them, at least one.
        format: ``json``, ``yaml``, ``toml``, ``xml`` or ``csv``.
        protocol: see `parse_structure`.

    Returns:
        A value in [0, 1]; higher is better.

    Raises:
        TypeError: the prediction is not a string, or the reference not a list of them.
        ValueError: there is no path, or one can't be read.

    Source: StructEval, section 3 ("Keyword Matching Score").

    >>> path_score("title: x\\nauthors: []", ["title", "authors[0].name"], "yaml")
    0.5
    """
    check_strings(reference=reference)
    return _share_of_paths(_parse_loosely(prediction, format, protocol), reference)


def values_at_paths(
    prediction: str,
    reference: Sequence[str],
    format: str,
    *,
    protocol: str = DEFAULT_PROTOCOL,
) -> list[list[Any]]:
    """Returns what a text holds at each of some paths, which `path_score` does not look at.

    Args:
        prediction: code without tags and fences.
        reference: paths as `path_exists` reads them.
        format: ``json``, ``yaml``, ``toml``, ``xml`` or ``csv``.
        protocol: see `parse_structure`.

    Returns:
        For each path what lies there: a node or, behind a ``*``, several; of a column its cells. Nothing where the
        path does not exist, or the text is not in its format.

    Raises:
        TypeError: the prediction is not a string, or the reference not a list of them.
        ValueError: a path can't be read.

    >>> values_at_paths('{"title": null, "moons": [{"name": "Io"}]}', ["title", "moons[0].name", "size"], "json")
    [[None], ['Io'], []]
    >>> values_at_paths("moon,planet\\nIo,Jupiter\\nMoon,Earth", ["csv::moon"], "csv")
    [['Io', 'Moon']]
    """
    check_strings(reference=reference)
    structure = _parse_loosely(prediction, format, protocol)
    found = [_find(structure, split_path(path)) for path in reference]
    return [
        _cells(structure, nodes) if isinstance(structure, CsvTable) else nodes for nodes in found
    ]


def _cells(table: CsvTable, columns: Sequence[str]) -> list[str]:
    """What stands in columns, by their paths."""
    places = [table.header.index(column.removeprefix("csv::")) for column in columns]
    return [row[place] for place in places for row in table.rows if place < len(row)]


def count_lost_paths(
    prediction: str,
    reference: Sequence[str],
    format: str,
    *,
    protocol: str = DEFAULT_PROTOCOL,
) -> int | None:
    """Returns how many paths are not in a text though their last key is, in another place.

    So a structure has lost its hierarchy: its keys are flat, or have other parents. A key that has dots,
    as headers of CSV do, stands for its last part, too.

    Args:
        prediction: code without tags and fences.
        reference: paths as `path_exists` reads them; a path's elements at its end don't count.
        format: ``json``, ``yaml``, ``toml``, ``xml`` or ``csv``.
        protocol: see `parse_structure`.

    Returns:
        A number of paths, or None for a text that is not in its format.

    Raises:
        TypeError: the prediction is not a string, or the reference not a list of them.
        ValueError: a path can't be read.

    Source: StructEval, section 4.2, speaks of lost hierarchies, without counting them.

    >>> paths = ["planet.name", "planet.moons[0].name", "planet.size", "moons"]
    >>> count_lost_paths('{"planet.name": "Jupiter", "moons": []}', paths, "json")
    2
    """
    check_strings(reference=reference)
    return _count_lost(_parse_loosely(prediction, format, protocol), reference)


def score_structure(
    prediction: str,
    reference: Sequence[str],
    format: str,
    *,
    protocol: str = DEFAULT_PROTOCOL,
) -> tuple[float, float, int | None]:
    """Returns `syntax_score`, `path_score` and `count_lost_paths`, for which it parses once.

    Args:
        prediction: code without tags and fences.
        reference: paths as `path_exists` reads them; without any the second value is 0.
        format: ``json``, ``yaml``, ``toml``, ``xml`` or ``csv``.
        protocol: see `parse_structure`.

    Returns:
        Two values in [0, 1], and a number of paths.

    Raises:
        TypeError: the prediction is not a string, or the reference not a list of them.
        ValueError: a path can't be read; unknown format or protocol.

    >>> score_structure('{"planet.name": "Jupiter", "moons": []}', ["planet.name", "moons"], "json")
    (1.0, 0.5, 1)
    """
    check_strings(reference=reference)
    structure = _parse_loosely(prediction, format, protocol)
    share = _share_of_paths(structure, reference)
    lost = 0 if share == 1 else _count_lost(structure, reference)
    return _syntax(prediction, structure), share, lost


def _syntax(text: str, structure: Any) -> float:
    try:
        if isinstance(structure, CsvTable):
            _check_table(text, structure)
    except COMPLAINTS:
        return 0.0
    return float(not holds_nothing(structure))


def _share_of_paths(structure: Any, paths: Sequence[str]) -> float:
    if not paths:
        raise ValueError("reference: expected at least one path, got none")
    return sum(path_exists(structure, path) for path in paths) / len(paths) if structure else 0.0


def _count_lost(structure: Any, paths: Sequence[str]) -> int | None:
    if structure is None:
        return None
    names = _names(structure)
    lost = 0
    for path in paths:
        keys = split_path(path)
        while keys and (keys[-1] == "*" or keys[-1].startswith("[")):
            keys.pop()
        if len(keys) > 1 and keys[-1].removeprefix("@") in names:
            lost += not _exists(structure, keys)
    return lost


def keyword_score(prediction: str, reference: Sequence[str]) -> float:
    """Returns the share of keywords that stand in a text, in capital or small letters.

    The paper speaks of exact matches and regular expressions; this is what its code does.

    Args:
        prediction: the whole completion.
        reference: keywords; without any the score is 0, as published.

    Returns:
        A value in [0, 1]; higher is better.

    Raises:
        TypeError: the prediction is not a string, or the reference not a list of them.

    Source: StructEval, section 3 ("Keyword Matching Score").

    >>> keyword_score("<h1>Trip summary</h1>", ["Trip Summary", "highlight"])
    0.5
    """
    check_types(str, prediction=prediction)
    check_strings(reference=reference)
    text = prediction.lower()
    return sum(word.lower() in text for word in reference) / len(reference) if reference else 0.0


def structeval_score(syntax: float, keywords: float, vqa: float | None = None) -> float:
    """Returns the final score of a completion.

        StructEval-T: 0.2 syntax + 0.8 keywords
        StructEval-V: 0.2 syntax + 0.1 keywords + 0.7 vqa

    Args:
        syntax: `syntax_score`, or whether the completion rendered; in [0, 1] like the others.
        keywords: `path_score` of text, `keyword_score` of what renders.
        vqa: share of the questions about the picture that are answered as they should be; None for
            StructEval-T, which has none.

    Returns:
        A value in [0, 1]; higher is better.

    Raises:
        TypeError: an argument is not a number.
        ValueError: one is not in [0, 1].

    Source: StructEval, equations 1 and 2.

    >>> round(structeval_score(1, 0.5), 6), round(structeval_score(1, 0.5, 0.5), 6)
    (0.6, 0.6)
    """
    values = {"syntax": syntax, "keywords": keywords} | ({} if vqa is None else {"vqa": vqa})
    check_types(Real, **values)
    for name, value in values.items():
        if not 0 <= value <= 1:
            raise ValueError(f"{name} is {value!r}; expected a number from 0 to 1")
    if vqa is None:
        return 0.2 * syntax + 0.8 * keywords
    return 0.2 * syntax + 0.1 * keywords + 0.7 * vqa


def structeval_score_published(syntax: float, keywords: float, vqa: float | None = None) -> float:
    """Returns `structeval_score` rounded to two decimals, as in the published code.

    Args:
        syntax: see `structeval_score`; so are the others.
        keywords: see there.
        vqa: see there.

    Raises:
        TypeError, ValueError: as `structeval_score`.

    Source: StructEval's published code; its paper has no rounding.

    >>> structeval_score_published(1, 1 / 3)
    0.47
    """
    return round(structeval_score(syntax, keywords, vqa), 2)


def check_path(path: str) -> None:
    """Raises ValueError if `path_exists` could not read a path.

    >>> check_path("authors[0.name")
    Traceback (most recent call last):
    ValueError: path 'authors[0.name' has a [ that is never closed
    """
    split_path(path)


def split_path(path: str) -> list[str]:
    """Splits a path into keys; an index keeps its brackets.

    Raises:
        ValueError: see `check_path`.

    >>> split_path("authors[0].`full.name`")
    ['authors', '[0]', 'full.name']
    """
    if path.startswith("csv::"):
        return [path]
    keys: list[str] = []
    letters: list[str] = []
    quoted = False
    position = 0
    while position < len(path):
        character = path[position]
        if character == "`":
            quoted = not quoted
        elif character == "." and not quoted:
            keys.append("".join(letters))
            letters.clear()
        elif character == "[" and not quoted:
            end = path.find("]", position)
            if end < 0:
                raise ValueError(f"path {path!r} has a [ that is never closed")
            keys += ["".join(letters), path[position : end + 1]]
            letters.clear()
            position = end
        else:
            letters.append(character)
        position += 1
    return [key for key in (*keys, "".join(letters)) if key]


def _exists(structure: Any, keys: Sequence[str]) -> bool:
    return bool(_find(structure, keys))


def _find(structure: Any, keys: Sequence[str]) -> list[Any]:
    """What lies at a path of keys."""
    nodes = [structure]
    for before, key in zip(["", *keys], keys, strict=False):
        # Neither the root's mapping nor text, attributes and elements of lists are children by name.
        lone = isinstance(structure, XmlDocument) and before != "" and before[0] not in "@#[*"
        # Aliases make several elements one object, which is looked into once.
        nodes = list(
            {id(child): child for node in nodes for child in _children(node, key, lone)}.values()
        )
    return nodes


def _names(structure: Any) -> set[str]:
    """The keys of all mappings in a structure, each with the last of its parts between dots."""
    names: set[str] = set()
    waiting, seen = [structure], set()
    while waiting:
        node = waiting.pop()
        if id(node) not in seen:  # else aliases would be looked into again
            seen.add(id(node))
            keys = node if isinstance(node, dict) else ()
            plain = [key.removeprefix("@") for key in keys if isinstance(key, str)]
            names.update(plain, (key.rpartition(".")[2] for key in plain))
            waiting += _containers(node)
    return names


def _children(node: Any, key: str, lone: bool) -> Iterable[Any]:
    if isinstance(node, CsvTable):
        return [key] if key.startswith("csv::") and key[5:] in node.header else []
    # As published, backticks do not keep a key from being an index or a wildcard.
    if key == "*" or (key.startswith("[") and key.endswith("]")):
        elements = node if isinstance(node, list) else [node] if lone else []
        return elements if key == "*" else _element(elements, key[1:-1])
    if isinstance(node, dict):
        return [node[name] for name in (key, key.removeprefix("@")) if name in node][:1]
    return []


def _element(elements: list[Any], number: str) -> list[Any]:
    try:
        index = int(number)
    except ValueError:
        return []
    return [elements[index]] if 0 <= index < len(elements) else []


def _parse_loosely(text: str, format: str, protocol: str) -> Any:
    """A structure, whatever the rows of CSV are like, or None."""
    try:
        return parse_structure(text, format, strict=False, protocol=protocol)
    except RenderError:
        return None


def parse_yaml(text: str) -> Any:
    """Parses one document of YAML 1.1, whatever its size or depth; see `parse_structure`."""
    check_yaml(text, yaml.CSafeLoader)
    return yaml.load(text, YamlLoader)


def parse_toml(text: str) -> dict[str, Any]:
    """Parses TOML 1.0, whatever its size; see `parse_structure`."""
    check_toml(text)
    return tomllib.loads(text)


def check_toml(text: str) -> None:
    """Raises ValueError if a key of TOML may have too many parts."""
    if _LONG_KEY.search(text):
        raise ValueError(f"a key has more than {MAX_DEPTH} parts")


def parse_xml(text: str) -> dict[str, Any]:
    """Parses XML, whatever its depth; see `parse_structure`."""
    _check_xml(text)
    parsed: dict[str, Any] = xmltodict.parse(text)
    return parsed


def parse_csv(text: str) -> CsvTable:
    """Reads any text as CSV; see `parse_structure`."""
    header, *rows = _csv_rows(text) or [[]]
    return CsvTable(header, rows)


INTEGER = "tag:yaml.org,2002:int"
# Of libyaml since PyYAML 6.0.4, whose scanner is ahead of the count in `check_yaml`.
_TOO_DEEP = "exceeded maximum nesting depth"


class YamlLoader(yaml.CSafeLoader):
    """The safe loader, with limits to what takes quadratic time.

    These are long numbers (1:1:1:… in base 60), and keys that are multiples of 2^61 - 1, which is
    the modulus of Python's hash.
    """

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        if isinstance(node, yaml.MappingNode):
            self.flatten_mapping(node)
            # In any base, up to 17 characters stay below 2^61 - 1.
            long = sum(key.tag == INTEGER and len(key.value) > 17 for key, _ in node.value)
            if long > MAX_LONG_KEYS:
                raise ValueError(f"a mapping has more than {MAX_LONG_KEYS:,} long numbers as keys")
        return super().construct_mapping(node, deep=deep)

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep=deep)
        except (ArithmeticError, AttributeError, LookupError, TypeError) as error:
            # PyYAML believes tags: !!bool x is a KeyError there, and !!int '' an IndexError.
            raise ValueError(f"a value is not what its tag {node.tag!r} says") from error

    def construct_number(self, node: yaml.ScalarNode) -> int | float:
        if len(node.value) > MAX_NUMBER:
            raise ValueError(f"a number has more than {MAX_NUMBER} characters")
        integer = node.tag == INTEGER
        return self.construct_yaml_int(node) if integer else self.construct_yaml_float(node)


for _tag in (INTEGER, "tag:yaml.org,2002:float"):
    YamlLoader.add_constructor(_tag, YamlLoader.construct_number)


def check_yaml(text: str, loader: Any) -> None:
    """Counts levels and nodes of YAML before anything is built of them.

    Args:
        text: of one document or several.
        loader: PyYAML's, by whose rules the text is read.

    Raises:
        ValueError: there are too many, or an alias stands for what it is part of.
        yaml.YAMLError: the text is not YAML.
    """
    if text.count("%TAG") > MAX_TAG_DIRECTIVES:
        raise ValueError(f"it has more than {MAX_TAG_DIRECTIVES} %TAG directives")
    nodes = 0.0
    sizes: dict[str | None, float] = {}
    unfinished: list[tuple[str | None, float]] = []
    for event in yaml.parse(text, loader):
        if isinstance(event, yaml.AliasEvent):
            nodes += sizes.get(event.anchor, 0)
        elif isinstance(event, yaml.CollectionStartEvent):
            unfinished.append((event.anchor, nodes))
            sizes[event.anchor] = math.inf
            nodes += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            anchor, before = unfinished.pop()
            sizes[anchor] = nodes - before
        elif isinstance(event, yaml.ScalarEvent):
            sizes[event.anchor] = 1
            nodes += 1
        if nodes > MAX_NODES:
            raise ValueError(f"with its aliases written out, it has more than {MAX_NODES:,} nodes")
        if len(unfinished) > MAX_DEPTH:
            raise ValueError(f"it has more than {MAX_DEPTH} levels")


def _check_xml(text: str) -> None:
    """Counts the characters of all attributes, those that stand by default among them.

    Raises:
        ValueError: there are too many, or the text declares entities.
        expat.ExpatError: the text is not XML.
    """
    written = 0

    def count(name: str, attributes: list[str]) -> None:
        nonlocal written
        # Each pair is written with a blank, an equals sign and two quotes.
        written += sum(map(len, attributes)) + 2 * len(attributes)
        if written > MAX_LENGTH:
            raise ValueError(
                f"with its default attributes written out, it has more than {MAX_LENGTH:,} characters"
            )

    def refuse(*declaration: object) -> None:
        raise ValueError("it declares entities")

    parser = expat.ParserCreate()
    parser.ordered_attributes = True
    parser.StartElementHandler = count
    parser.EntityDeclHandler = refuse
    parser.Parse(text, True)


def _check_table(text: str, table: CsvTable) -> None:
    lines = [line for line, _ in _csv_lines(text, strict=True)]
    if not any(cell.strip() for cell in table.header):
        raise ValueError("there is no header")
    expected = len(table.header)
    for number, row in enumerate(table.rows, 1):
        if len(row) != expected:
            cells = "1 cell" if len(row) == 1 else f"{len(row)} cells"
            advice = _ADVICE[len(row) > expected]
            if min(len(row), expected) == 1 and any(sign in text for sign in ";\t"):
                advice = "commas separate cells, not semicolons or tabs"
            raise ValueError(
                f"line {lines[number]}: row {number} has {cells}, the header has {expected}; {advice}"
            )


_ADVICE = ("an empty cell has its comma, too", "a cell with a comma stands in double quotes")


def _csv_rows(text: str) -> list[list[str]]:
    return [row for _, row in _csv_lines(text)]


def _csv_lines(text: str, *, strict: bool = False) -> list[tuple[int, list[str]]]:
    """All rows that have cells, each with the line where it begins."""
    # Line ends become \n, as when a file is read.
    reader = csv.reader(io.StringIO(text, newline=None), strict=strict)
    rows, line = [], 1
    try:
        for row in reader:
            if row:
                rows.append((line, row))
            line = reader.line_num + 1
    except csv.Error as error:
        words = [words for said, words in _CSV_WORDS.items() if said in str(error)]
        said = f"{words[0]} ({error})" if words else str(error)
        raise ValueError(f"line {line}: {said}") from error
    return rows


_CSV_WORDS = {
    "unexpected end of data": "a quote in the row that begins here is never closed",
    "expected after": 'a quote inside of a cell in quotes is written twice: ""',
}


def _check_depth(structure: Any) -> None:
    level = [structure]
    for _ in range(MAX_DEPTH + 1):
        level = [child for node in level for child in _containers(node)]
        if not level:
            return
    raise ValueError(f"it has more than {MAX_DEPTH} levels")


def _containers(node: Any) -> Iterator[Any]:
    if isinstance(node, dict | list):
        children = node.values() if isinstance(node, dict) else node
        yield from (child for child in children if isinstance(child, dict | list))


def _message(text: str, error: Exception) -> str:
    """One line that says where a text is wrong, and how; it may quote a part of the text."""
    if isinstance(error, RecursionError) or getattr(error, "problem", None) == _TOO_DEEP:
        return f"it has more than {MAX_DEPTH} levels"
    # Its parsers are not needed for what is right.
    from helm_structext.metrics.structure_errors import explain_structure_error

    said = explain_structure_error(text, error)
    return " ".join(said.split())[:300] or type(error).__name__
