"""Structures in text by their standards, as the protocol ``corrected`` reads them.

- JSON: RFC 8259. ``NaN`` and ``Infinity`` are no numbers; of a name that repeats, the last counts.
- TOML: version 1.1, by the same parser on every Python.
- YAML: the core schema of version 1.2, so that ``on``, ``no``, ``1:30`` and dates are strings. A key that
  repeats is an error. Merge keys (``<<``) work, as in most parsers, though the core schema has none.
- XML: an `XmlDocument`, in whose paths a lone child is the element ``[0]`` of its name, too.

CSV is read as in `helm_structext.metrics.structures`, whose limits hold here, too.
"""

import json
from typing import Any, NoReturn

import tomli
import yaml

from helm_structext.metrics.structures import (
    MAX_NUMBER,
    XmlDocument,
    YamlLoader,
    check_toml,
    check_yaml,
)
from helm_structext.metrics.structures import parse_xml as parse_elements
from helm_structext.patterns import Pattern
from helm_structext.texts import quote_value

MAX_KEY = 60
"""Characters of a key in a message."""


def parse_json(text: str) -> Any:
    """Parses JSON, whatever its size or depth.

    Integers that Python would refuse for their length are floats.

    Source: RFC 8259, sections 4 (names that repeat) and 6 (numbers).

    >>> parse_json('{"a": 1, "a": [1e400]}')
    {'a': [inf]}
    >>> parse_json("[NaN]")
    Traceback (most recent call last):
    ValueError: NaN is no number in JSON
    """
    return json.loads(text, parse_constant=_refuse_constant, parse_int=_integer)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number in JSON")


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= MAX_NUMBER else float(digits)


def parse_toml(text: str) -> dict[str, Any]:
    r"""Parses TOML 1.1, whatever its size.

    Source: https://toml.io/en/v1.1.0.

    >>> parse_toml('moon = {\n  name = "Io",  # a comment\n}')
    {'moon': {'name': 'Io'}}
    """
    check_toml(text)
    return tomli.loads(text)


def parse_xml(text: str) -> XmlDocument:
    """Parses XML, whatever its depth.

    >>> parse_xml("<a><b>1</b></a>")
    {'a': {'b': '1'}}
    """
    return XmlDocument(parse_elements(text))


def parse_yaml(text: str) -> Any:
    """Parses one document of YAML 1.2, whatever its size or depth.

    Source: YAML 1.2.2, sections 3.2.1.3 (keys that are equal) and 10.3.2 (tags of the core schema).

    >>> parse_yaml("{on: 010, off: 0o10, time: 1:30, none: ~}")
    {'on': 10, 'off': 8, 'time': '1:30', 'none': None}
    >>> parse_yaml("{a: 1, a: 2}")
    Traceback (most recent call last):
    ValueError: line 1, column 8: the key 'a' stands twice in a mapping, first in line 1
    """
    check_yaml(text, _CoreLoader)
    return yaml.load(text, _CoreLoader)


NULL = Pattern(r"(?:~|null|Null|NULL)?\z")
BOOL = Pattern(r"(?:true|True|TRUE|false|False|FALSE)\z")
INT = Pattern(r"(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)\z")
FLOAT = Pattern(
    r"(?:[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
    r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))\z"
)
MERGE = Pattern(r"<<\z")
TAG = "tag:yaml.org,2002:"
# Tag to the plain scalars that have it, and the letters that these begin with.
CORE = {
    f"{TAG}null": (NULL, ["~", "n", "N", ""]),
    f"{TAG}bool": (BOOL, [*"tTfF"]),
    f"{TAG}int": (INT, [*"-+0123456789"]),
    f"{TAG}float": (FLOAT, [*"-+.0123456789"]),
    f"{TAG}merge": (MERGE, ["<"]),
}


class _CoreLoader(YamlLoader):
    """The loader with the core schema's plain scalars, and no key twice in a mapping."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 (as in PyYAML)

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self._flattened: set[yaml.Node] = set()

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        # A second time, keys stand in it that were merged.
        if node not in self._flattened:
            self._flattened.add(node)
            lines: dict[tuple[str, str], int] = {}
            for key, _ in node.value:
                if not isinstance(key, yaml.ScalarNode) or key.tag == f"{TAG}merge":
                    continue
                mark = key.start_mark
                if first := lines.get((key.tag, key.value)):
                    raise ValueError(
                        f"line {mark.line + 1}, column {mark.column + 1}: the key "
                        f"{quote_value(key.value, MAX_KEY)} stands twice in a mapping, first in line {first}"
                    )
                lines[key.tag, key.value] = mark.line + 1
        super().flatten_mapping(node)

    def construct_yaml_int(self, node: yaml.ScalarNode) -> int:
        _check_number(node)
        return int(node.value, 0 if node.value[1:2] in ("o", "x") else 10)

    def construct_yaml_float(self, node: yaml.ScalarNode) -> float:
        _check_number(node)
        return super().construct_yaml_float(node)


def _check_number(node: yaml.ScalarNode) -> None:
    """Raises ValueError if a scalar is no number of the core schema, whatever its tag says."""
    if not CORE[node.tag][0].match(node.value):
        raise ValueError(f"a value is not what its tag {node.tag!r} says")


for _tag, (_pattern, _letters) in CORE.items():
    _CoreLoader.add_implicit_resolver(_tag, _pattern, _letters)
