"""What is wrong with JSON, YAML, TOML, XML and CSV, in words that say how to write it instead.

Parsers say what they expected, and where they noticed. What stands before and behind that place tells
what was meant.
"""

import json
import tomllib
from typing import Any, NamedTuple
from xml.parsers import expat

import tomli
import yaml

from helm_structext.patterns import Pattern
from helm_structext.texts import shorten_text
from helm_structext.xml_errors import explain_xml_error

CONTEXT, MAX_QUOTED = 200, 60
"""Characters before and behind the place of an error that are looked at, and those that are quoted."""

JSON_BLANKS = " \t\n\r"
MAX_PARTS = 16
"""Of a dotted key that is looked for."""


class ErrorRule(NamedTuple):
    """What a parser's error is: patterns of its words, of what ends before its place, and begins there.

    A group of the last one is {0} in the words.
    """

    said: Pattern
    before: Pattern
    behind: Pattern
    words: str


def _rule(said: str, words: str, before: str = "", behind: str = "") -> ErrorRule:
    ends = Pattern(rf"(?:{before})\z", ascii=True)
    return ErrorRule(Pattern(said, ascii=True), ends, Pattern(behind, ascii=True), words)


# The first that fits. What stands before and behind is of the same line, or "" at the text's end.
JSON_RULES = (
    _rule("Expecting|Illegal", "there are no comments in JSON", behind="//|/\\*|#"),
    _rule("BOM", "the text begins with a byte order mark"),
    _rule(
        "Expecting|Illegal",
        'no comma stands before "{0}"',
        before=r",\s*",
        behind=r"\s*,?\s*([\]}])",
    ),
    _rule("property name", 'names stand in double quotes, not in "\'"', behind="'"),
    _rule("property name", 'a name stands in double quotes: "{0}"', behind=r"([\w$-]+)"),
    _rule("property name", "there is a comma too many", behind=","),
    _rule("property name", "the text ends within an object", behind=r"\z"),
    _rule("Expecting value", 'texts stand in double quotes, not in "\'"', behind="'"),
    _rule(
        "Expecting value",
        '"{0}" is written in small letters',
        behind="(True|False|TRUE|FALSE|NULL)",
    ),
    _rule("Expecting value", '"{0}" is written null', behind="(None|undefined|nil)"),
    _rule("Expecting value", "{0} is no number in JSON", behind="(NaN|[-+]?Infinity|[+.][0-9]+)"),
    _rule(
        "property name|value",
        "texts stand in straight double quotes, not in {0}",
        behind="([“”„‘’`«])",
    ),
    _rule("Expecting value", "a value, or the rest of the text, is missing", behind=r"\z"),
    _rule("Expecting value", "a value is missing", behind=r"[,\]}]"),
    _rule("Expecting value", 'a text stands in double quotes: "{0}"', behind=r"([\w$][\w$ .-]*)"),
    _rule("Expecting value", 'no value begins with "{0}"', behind="(.)"),
    _rule("',' delimiter", "the text ends before its last bracket is closed", behind=r"\z"),
    _rule(
        "',' delimiter",
        "a number does not begin with 0",
        before=r"(?:^|[^0-9.])-?0",
        behind="[0-9]",
    ),
    _rule(
        "',' delimiter",
        'a comma is missing, or a quote inside of a text is not \\"',
        before=r'"\s*',
    ),
    _rule("',' delimiter", "a comma or a closing bracket is missing"),
    _rule("':' delimiter", 'a name is followed by ":" and its value'),
    _rule("Unterminated string", "the text that begins here has no closing quote"),
    _rule(
        "Invalid control character",
        "a line break inside of a text is written \\n",
        behind="[\r\n]|\\z",
    ),
    _rule("Invalid control character", "a tab inside of a text is written \\t", behind="\t"),
    _rule("Invalid \\\\", 'a backslash inside of a text is written "\\\\"'),
    _rule("Extra data", "something follows the end of the value, which has to hold all"),
)
YAML_RULES = (
    _rule(
        "tab character|cannot start any token",
        "YAML is indented with spaces, not with tabs",
        behind="\t",
    ),
    _rule("tab character", "YAML is indented with spaces, not with tabs"),
    _rule(
        "cannot start any token", 'a value that begins with "{0}" stands in quotes', behind="(.)"
    ),
    _rule(
        "mapping values are not allowed",
        'a value with ": " in it stands in quotes',
        before=r"(?:^|.*\s|[\[{,])[^\s#]+:\s.*",
    ),
    _rule(
        "mapping values are not allowed",
        "what stands before has a value already; check the indentation",
    ),
    _rule("could not find expected ':'", 'a line is neither "key: value" nor "- item"'),
    _rule(
        "did not find expected key", "something follows a value in quotes", before=r"""["']\s*"""
    ),
    _rule(
        "did not find expected key",
        'an item "- …" stands among keys; check the indentation',
        behind=r"-\s",
    ),
    _rule("did not find expected key", "the indentation fits no line before"),
    _rule("expected '-' indicator", 'among items, a line begins with "- "; check the indentation'),
    _rule("expected ',' or", "a comma or a closing bracket is missing"),
    _rule("unexpected end of stream", "a quote is never closed"),
    _rule("unexpected document indicator", "a quote is never closed"),
    _rule("unknown escape", 'in double quotes a backslash is written "\\\\", in single ones "\\"'),
    _rule(
        "alphabetic or numeric|undefined alias",
        'a value that begins with "*" or "&" stands in quotes',
    ),
    _rule("sequence entries are not allowed", 'an item "- …" begins a line of its own'),
    _rule("another document", "a second document begins, and one is read"),
    _rule("<document start>", "something follows the end of the value"),
    _rule("constructor for the tag", 'a value that begins with "!" stands in quotes'),
    _rule("comment or line break", 'behind "|" or ">" the text begins on the next line'),
    _rule("tag", 'a value that begins with "!" stands in quotes', behind="!"),
)
TOML_RULES = (
    _rule("newline or end", "a number does not begin with 0", before="[^0-9.]0", behind="[0-9]"),
    _rule("Invalid value", '"{0}" is written in small letters', behind="(True|False|TRUE|FALSE)"),
    _rule("Invalid value", "TOML has no null; leave the key out", behind="null|None|nil"),
    _rule("Expected '='", 'a key is followed by "=", not by ":"', behind=":"),
    _rule(
        "Expected '='",
        'a line is "key = value"; a key with other signs than letters, digits, _ and - stands in quotes',
    ),
    _rule(
        "Invalid value|Invalid date",
        "the text {0} stands in quotes",
        behind=r"([\w$@#/.-][^\n#]*)",
    ),
    _rule("Invalid value", "a value is missing"),
    _rule(
        "newline or end of document",
        "there is one pair of key and value on each line, and a text stands in quotes",
    ),
    _rule(
        "Unterminated string|Expected \"'\"|Illegal character '\\\\n'",
        'a quote is never closed; a text of several lines stands between """',
    ),
    _rule("Unclosed array", 'a "]" or a comma is missing'),
    _rule("Unclosed inline table", 'a "}}" or a comma is missing'),
    _rule("Unescaped|escape", 'a backslash is written "\\\\", or the text stands in single quotes'),
    _rule(
        "Invalid initial character for a key",
        "in TOML 1.0 all between braces stands on one line",
        behind="\n",
    ),
    _rule(
        "Invalid initial character for a key|Invalid statement",
        "a key of other signs than letters, digits, _ and - stands in quotes",
    ),
    _rule(
        "of a table declaration|of an array declaration",
        'a table\'s name stands between "[" and "]"',
    ),
)

_TOML_PLACE = Pattern(r"\s*\(at (?:line ([0-9]+), column ([0-9]+)|end of document)\)\z")
_TOML_AGAIN = Pattern("overwrite|twice|mutate|redefine")
_TOML_KEY = r"""[\w-]+|"[^"\n]*"|'[^'\n]*'"""
_TOML_NAME = rf"\s*((?:{_TOML_KEY})(?:\s*\.\s*(?:{_TOML_KEY}))*)\s*"
_TOML_TABLE = Pattern(rf"(\s*\[\[?){_TOML_NAME}\]")
_TOML_PAIR = Pattern(rf"(\s*){_TOML_NAME}=")
_TOML_PART = Pattern(_TOML_KEY)
_LONG_TEXT = Pattern("\"\"\"|'''")


class TextPlace(NamedTuple):
    """Where a text is wrong: line and column, from 1."""

    line: int
    column: int


def explain_structure_error(text: str, error: Exception) -> str:
    r"""Returns where a text is wrong, how to write it instead, and last what the parser says.

    Args:
        text: all of it.
        error: of the parser of JSON, YAML, TOML or XML; of any other, its own words are returned.

    >>> def explain(text, parse):
    ...     try:
    ...         parse(text)
    ...     except ValueError as error:
    ...         return explain_structure_error(text, error)
    >>> explain('{"a": 1,}', json.loads).partition(" (")[0]
    'line 1, column 9: no comma stands before "}"'
    >>> explain("a = 1\n\na = 2", tomllib.loads)
    'line 3, column 1: the key a stands in line 1 already (Cannot overwrite a value)'
    """
    if isinstance(error, json.JSONDecodeError):
        error = place_json_error(error)
        return _explain_place(text, TextPlace(error.lineno, error.colno), error.msg, JSON_RULES)
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark:
        return _explain_yaml(text, error)
    if isinstance(error, tomllib.TOMLDecodeError | tomli.TOMLDecodeError):
        return _explain_toml(text, str(error))
    if isinstance(error, expat.ExpatError):
        return f"line {error.lineno}, column {error.offset + 1}: {explain_xml_error(text, error)}"
    return str(error)


def place_json_error(error: json.JSONDecodeError) -> json.JSONDecodeError:
    """Returns an error of JSON at the place where every Python notices it.

    From Python 3.13 on, a comma before a bracket is told at the comma; before, at the bracket.

    >>> place_json_error(json.JSONDecodeError("Illegal trailing comma before end of object", "[{1, }]", 3)).pos
    5
    """
    if not error.msg.startswith("Illegal trailing comma"):
        return error
    behind = error.doc[error.pos + 1 :]
    place = len(error.doc) - len(behind.lstrip(JSON_BLANKS))
    return json.JSONDecodeError(error.msg, error.doc, place)


def _explain_place(
    text: str, place: TextPlace, said: str, rules: tuple[ErrorRule, ...], words: str = ""
) -> str:
    lines = text.split("\n")
    line = lines[place.line - 1] if place.line <= len(lines) else ""
    above = lines[max(place.line - 3, 0) : place.line - 1]
    before = "\n".join([*above, line[: place.column - 1]])
    behind = line[place.column - 1 :]
    if not behind and place.line < len(lines):
        behind = "\n"
    if not words:
        words = _words(rules, said, before[-CONTEXT:], behind[:CONTEXT])
    said = f"{words} ({said})" if words else said
    return f"line {place.line}, column {place.column}: {said}"


def _words(rules: tuple[ErrorRule, ...], said: str, before: str, behind: str) -> str:
    for rule in rules:
        found = rule.behind.match(behind)
        if found and rule.said.search(said) and rule.before.search(before):
            return rule.words.format(*(shorten_text(group, MAX_QUOTED) for group in found.groups()))
    return ""


def _explain_yaml(text: str, error: yaml.MarkedYAMLError) -> str:
    # Where a line is no pair, and where a quote begins, is told beside the place where it was noticed.
    early = error.context_mark if error.problem in _NOTICED_LATE else None
    mark: Any = early or error.problem_mark
    return _explain_place(
        text, TextPlace(mark.line + 1, mark.column + 1), str(error.problem), YAML_RULES
    )


_NOTICED_LATE = (
    "could not find expected ':'",
    "found unexpected end of stream",
    "found unexpected document indicator",
)


def _explain_toml(text: str, message: str) -> str:
    found = _TOML_PLACE.search(message)
    said = message[: found.start()] if found else message
    lines = text.rstrip().split("\n")
    place = TextPlace(len(lines), len(lines[-1]) + 1)
    if found and found[1]:
        place = TextPlace(int(found[1]), int(found[2]))
    words = ""
    if _TOML_AGAIN.search(said):
        place, words = _find_key_again(lines, place)
    return _explain_place(text, place, said, TOML_RULES, words)


def _find_key_again(lines: list[str], place: TextPlace) -> tuple[TextPlace, str]:
    """Finds the key of a line, and the line before that has it, by what most lines of TOML look like."""
    seen: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    inside = False  # of a text of several lines
    for number, line in enumerate(lines[: place.line], 1):
        begins, inside = not inside, inside ^ (len(list(_LONG_TEXT.finditer(line))) % 2 == 1)
        head, pair = _TOML_TABLE.match(line), _TOML_PAIR.match(line)
        if not begins or not (found := head or pair):
            continue
        parts = tuple(part[0].strip("\"'") for part in _TOML_PART.finditer(found[2]))
        name = parts if head else table + parts
        if len(name) > MAX_PARTS:
            continue
        if number == place.line:
            for length in range(len(name), 0 if head else len(table), -1):
                if first := seen.get(name[:length]):
                    key = ".".join(part for part in name[:length] if part[:1] != "[")
                    said = f"the key {shorten_text(key, MAX_QUOTED)} stands in line {first} already"
                    return TextPlace(number, len(found[1]) + 1), said
        if head and line.lstrip().startswith("[["):
            name = (*parts, f"[{number}]")
        for length in range(len(name), 0, -1):
            seen.setdefault(name[:length], number)
        table = name if head else table
    return place, ""
