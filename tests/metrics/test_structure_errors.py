"""The usual mistakes in JSON, YAML, TOML, XML and CSV are named with their place and how to write it."""

import json

import pytest

from helm_structext.errors import RenderError
from helm_structext.metrics import parse_structure
from helm_structext.metrics.structure_errors import explain_structure_error

WORDS = {
    ("json", '{"a": [1,\n2,]}'): 'line 2, column 3: no comma stands before "]"',
    ("json", "{'a': 1}"): "line 1, column 2: names stand in double quotes",
    ("json", '{"a": 1,\n b: 2}'): 'line 2, column 2: a name stands in double quotes: "b"',
    ("json", '{"a": True}'): 'line 1, column 7: "True" is written in small letters',
    ("json", '{"a": 1 // one\n}'): "line 1, column 9: there are no comments in JSON",
    ("json", '{"a": 1\n"b": 2}'): "line 2, column 1: a comma or a closing bracket is missing",
    ("json", '{"a": "b"\n"c": 2}'): "line 2, column 1: a comma is missing, or a quote",
    ("json", '{"a": "b\nc"}'): r"line 1, column 9: a line break inside of a text is written \n",
    ("json", '{"a": "\\d"}'): "a backslash inside of a text is written",
    ("json", '{"a": [1, 2'): "line 1, column 12: the text ends before its last bracket is closed",
    ("json", "{} {}"): "something follows the end of the value",
    ("yaml", "a:\n\tb: 1"): "line 2, column 1: YAML is indented with spaces, not with tabs",
    ("yaml", "a: 1\nb:\n  c: 2\n\td: 3"): "line 4, column 1: YAML is indented with spaces",
    (
        "yaml",
        "title: Jupiter: a planet",
    ): 'line 1, column 15: a value with ": " in it stands in quotes',
    ("yaml", "- a: b: c"): 'a value with ": " in it stands in quotes',
    ("yaml", "a: 1\n  b: 2"): "line 2, column 4: what stands before has a value already",
    ("yaml", "a: 1\nhello\nb: 2"): 'line 2, column 1: a line is neither "key: value" nor "- item"',
    ("yaml", "a: @b"): 'line 1, column 4: a value that begins with "@" stands in quotes',
    ("yaml", "a: **b** c"): 'a value that begins with "*" or "&" stands in quotes',
    ("yaml", "a: 1\nb: 'x\nc: 2"): "line 2, column 4: a quote is never closed",
    ("yaml", 'a: "b" c'): "something follows a value in quotes",
    ("yaml", "a: [1, 2\nb: 3"): "a comma or a closing bracket is missing",
    (
        "yaml",
        "a:\n  b: 1\n  c: 2\n  b: 3",
    ): "line 4, column 3: the key 'b' stands twice in a mapping, first in line 2",
    ("toml", "a = 1\n\na = 2"): "line 3, column 1: the key a stands in line 1 already (Cannot",
    ("toml", "[a.b]\nc = 1\n[a]\n[a.b]"): "line 4, column 2: the key a.b stands in line 1 already",
    (
        "toml",
        "a = 1\n[b]\na = 1\n  a = 2\n",
    ): "line 4, column 3: the key b.a stands in line 3 already",
    (
        "toml",
        "[[a]]\nb = 1\n[[a]]\nb = 1\nb = 2",
    ): "line 5, column 1: the key a.b stands in line 4 already",
    (
        "toml",
        'a = """\nb = 1\n"""\nb = 1\nb = 2',
    ): "line 5, column 1: the key b stands in line 4 already",
    ("toml", "a = hello"): "line 1, column 5: the text hello stands in quotes",
    ("toml", "a: 1"): 'line 1, column 2: a key is followed by "="',
    ("toml", "a = [1, 2\n\n"): 'a "]" or a comma is missing',
    ("toml", 'a = "x\ny"'): "line 1, column 7: a quote is never closed",
    (
        "csv",
        "a,b\n\n1,2\n3,4,5",
    ): "line 4: row 2 has 3 cells, the header has 2; a cell with a comma",
    ("csv", 'a,b\n"x\ny",1\n3'): "line 4: row 2 has 1 cell, the header has 2; an empty cell",
    ("csv", "a;b\n1;2,5"): "commas separate cells, not semicolons",
    ("csv", 'a,b\n1,"2'): "line 2: a quote in the row that begins here is never closed",
    ("csv", 'a,b\n"x "y"",1'): "line 2: a quote inside of a cell in quotes is written twice",
    ("xml", "<a>R & D</a>"): 'line 1, column 7: "&" as a character is written "&amp;"',
    (
        "xml",
        "\n<?xml version='1.0'?><a/>",
    ): "line 2, column 1: a blank line or a space stands before",
}


@pytest.mark.parametrize(("source", "words"), WORDS.items())
def test_a_mistake_is_named_with_its_place_and_how_to_write_it(source, words):
    format, text = source
    with pytest.raises(RenderError) as refusal:
        parse_structure(text, format, protocol="corrected")
    assert words in refusal.value.message


@pytest.mark.parametrize(("text", "kind"), [('{"a": 1,\n}', "object"), ("[1, 2,\n]", "array")])
def test_a_comma_too_many_is_told_alike_by_every_python(text, kind):
    said = f"Illegal trailing comma before end of {kind}"
    with pytest.raises(json.JSONDecodeError) as own:
        json.loads(text)
    newer = json.JSONDecodeError(said, text, text.index(",\n"))
    words = [explain_structure_error(text, one).partition(" (")[0] for one in (own.value, newer)]
    assert words == [f'line 2, column 1: no comma stands before "{text[-1]}"'] * 2


@pytest.mark.parametrize(
    "text", ["[a]\nb=1\n" * 50_000, "a.b.c.d.e.f=1\n" * 50_000, "a='" + "\n" * 900_000]
)
def test_long_texts_are_explained_at_once(text):
    with pytest.raises(RenderError) as refusal:
        parse_structure(text, "toml")
    assert refusal.value.message.startswith("line ")
