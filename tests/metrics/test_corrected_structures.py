"""Texts as the protocol `corrected` reads them: tables of cases from the standards, and what `published` does."""

import json
import math

import pytest

from helm_structext.errors import RenderError
from helm_structext.metrics import parse_structure, path_exists, path_score, syntax_score
from helm_structext.metrics.structures import MAX_NUMBER
from helm_structext.structeval.scores import answer_scores, text_scores

WRONG = "syntax"


def read(text, format, protocol="corrected"):
    try:
        return parse_structure(text, format, protocol=protocol)
    except RenderError as error:
        return error.kind


JSON = [
    # RFC 8259, section 6: "Infinity and NaN are not permitted".
    ("NaN", WRONG),
    ("[Infinity]", WRONG),
    ('{"a": -Infinity}', WRONG),
    ('["NaN"]', ["NaN"]),
    # Section 6: the grammar has no bound.
    ("[1e400, -1e400]", [math.inf, -math.inf]),
    ("9" * MAX_NUMBER, int("9" * MAX_NUMBER)),
    ("9" * (MAX_NUMBER + 1), math.inf),
    ("[-0, 1E+2, 0.5]", [0, 100.0, 0.5]),
    ("[01]", WRONG),
    ("[+1]", WRONG),
    ("[.5]", WRONG),
    # Section 4: names "SHOULD be unique"; many parsers report the last.
    ('{"a": 1, "a": 2}', {"a": 2}),
    # Sections 2 to 7.
    ("[1,]", WRONG),
    ("{'a': 1}", WRONG),
    ("// no\n[1]", WRONG),
    ('["\t"]', WRONG),
    ('["\\u00e9\\/"]', ["é/"]),
]

# TOML 1.1.0, whose changes its own list names; WRONG in 1.0.
TOML = [
    ("a = {b = 1,}", {"a": {"b": 1}}, WRONG),
    ("a = {\n  b = 1, # one\n  c = 2\n}", {"a": {"b": 1, "c": 2}}, WRONG),
    ('a = "\\e\\x41"', {"a": "\x1bA"}, WRONG),
    ("a = [\n1,\n]", {"a": [1]}, {"a": [1]}),
    ("a = [1, 'b']", {"a": [1, "b"]}, {"a": [1, "b"]}),
    ("a = 1\na = 2", WRONG, WRONG),
    ("a = {x = 1}\n[a.b]\ny = 2", WRONG, WRONG),
    ("größe = 1", WRONG, WRONG),
    ("a = 01", WRONG, WRONG),
    ("a = " + "9" * 5000, WRONG, WRONG),
]

# YAML 1.2.2, section 10.3.2 unless said otherwise; then YAML 1.1 as PyYAML reads it.
YAML = [
    ("on: {push: 1}", {"on": {"push": 1}}, {True: {"push": 1}}),
    ("[yes, No, OFF, y]", ["yes", "No", "OFF", "y"], [True, False, False, "y"]),
    ("[true, False, TRUE, tRUE]", [True, False, True, "tRUE"], [True, False, True, "tRUE"]),
    ("[~, null, NULL, nULL]", [None, None, None, "nULL"], [None, None, None, "nULL"]),
    ("a:", {"a": None}, {"a": None}),
    ("[1:30, 010, 0o14, 0x1F]", ["1:30", 10, 12, 31], [90, 8, "0o14", 31]),
    ("[0b11, 1_000, +12, -0]", ["0b11", "1_000", 12, 0], [3, 1000, 12, 0]),
    ("[089, 0o8, 0xG]", [89, "0o8", "0xG"], ["089", "0o8", "0xG"]),
    ("[1e3, .5, 6., -1.5E-2]", [1000.0, 0.5, 6.0, -0.015], ["1e3", 0.5, 6.0, -0.015]),
    ("[.inf, -.INF, +.Inf]", [math.inf, -math.inf, math.inf], [math.inf, -math.inf, math.inf]),
    ("[1__2, ., 1.2.3, =]", ["1__2", ".", "1.2.3", "="], WRONG),
    ("2024-02-30: x", {"2024-02-30": "x"}, WRONG),
    ('["on", !!str no, !!int "7", !!float 1]', ["on", "no", 7, 1.0], ["on", "no", 7, 1.0]),
    ("!!int 1_000", WRONG, 1000),
    ("!!float 1:30", WRONG, 90.0),
    ("%YAML 1.2\n---\n{a: no}", {"a": "no"}, {"a": False}),
    ("a:\t1", {"a": 1}, {"a": 1}),
    # Merge keys of YAML 1.1, which 1.2's core schema lacks and most of its parsers know.
    ("a: &x {b: 1}\nc: {<<: *x, b: 2}", {"a": {"b": 1}, "c": {"b": 2}}, None),
    ("- {k: {k: &x {<<: {io: 2}, io: 1}}}\n- {<<: *x}", [{"k": {"k": {"io": 1}}}, {"io": 1}], None),
    # Section 3.2.1.3: keys are unique.
    ("{a: 1, a: 2}", WRONG, {"a": 2}),
    ("{1: a, '1': b}", {1: "a", "1": "b"}, None),
    # Section 3.1.2: a document; aliases stay bounded as in 1.1.
    ("a: 1\n---\nb: 2", WRONG, WRONG),
    ("&a [*a]", WRONG, WRONG),
    ("a: 0o" + "7" * 990_000, WRONG, None),
    ("a: " + "9" * (MAX_NUMBER + 1), WRONG, WRONG),
]


@pytest.mark.parametrize(("text", "expected"), JSON, ids=[text[:30] for text, _ in JSON])
def test_json_is_that_of_rfc_8259(text, expected):
    assert read(text, "json") == expected


@pytest.mark.parametrize(("text", "expected", "older"), TOML, ids=[case[0][:30] for case in TOML])
def test_toml_is_that_of_version_1_1(text, expected, older):
    assert read(text, "toml") == expected
    assert read(text, "toml", "published") == older


@pytest.mark.parametrize(("text", "expected", "older"), YAML, ids=[case[0][:30] for case in YAML])
def test_yaml_is_that_of_the_core_schema(text, expected, older):
    """`older` None: as in 1.2, or of no interest."""
    found = read(text, "yaml")
    assert found == expected
    assert repr(found) == repr(expected)  # 1 is True, and 1.0 is 1.
    if older is not None:
        assert repr(read(text, "yaml", "published")) == repr(older)


def test_a_workflow_has_its_key_on():
    workflow = "name: test\non:\n  push:\n    branches: [main]\njobs: {}\n"
    paths = ["on", "on.push.branches[0]"]
    assert path_score(workflow, paths, "yaml", protocol="corrected") == 1
    assert path_score(workflow, paths, "yaml") == 0


XML = '<a n="1"><b><c>1</c></b><d>2</d><d/><e k="v">x</e><f/></a>'


@pytest.mark.parametrize(
    ("path", "corrected", "published"),
    [
        ("a.b[0].c", True, False),
        ("a.b[0].c[0]", True, False),
        ("a[0].b", True, False),
        ("a.b.*.c", True, False),
        ("a.f[0]", True, False),
        ("a.e[0].@k", True, False),
        ("a.b.c", True, True),
        ("a.d[1]", True, True),
        ("a.d.*", True, True),
        ("a.@n", True, True),
        ("a.e.#text", True, True),
        ("a.b[1]", False, False),
        ("a.b[-1].c", False, False),
        ("a.b[0][0]", False, False),
        ("a.d[0][0]", False, False),
        ("a.@n[0]", False, False),
        ("a.e.#text[0]", False, False),
        ("[0].a", False, False),
        ("*", False, False),
    ],
)
def test_a_lone_child_of_xml_is_the_first_of_its_name(path, corrected, published):
    assert path_exists(parse_structure(XML, "xml", protocol="corrected"), path) is corrected
    assert path_exists(parse_structure(XML, "xml"), path) is published


def test_what_xml_is_parsed_to_is_the_same():
    assert read(XML, "xml") == read(XML, "xml", "published")
    assert read("<a>", "xml") == read('<a b="1" b="2"/>', "xml") == WRONG


def test_a_lone_element_of_other_formats_is_no_list():
    for format, text in (("json", '{"a": {"b": 1}}'), ("yaml", "a: {b: 1}"), ("toml", "a.b = 1")):
        assert not path_exists(parse_structure(text, format, protocol="corrected"), "a[0].b")


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ('name,note\nIo,"a, ""b""\nc"\n', [["Io", 'a, "b"\nc']]),
        ("name,note\r\nIo,x\r\n\r\n", [["Io", "x"]]),
        # A blank is part of a cell, and of the quotes that it stands before.
        ('name,note\nIo, "x"\n', [["Io", ' "x"']]),
        ("name;note\nIo;x\n", [["Io;x"]]),
        ("name\tnote\nIo\tx\n", [["Io\tx"]]),
    ],
)
@pytest.mark.parametrize("protocol", ["published", "corrected"])
def test_csv_is_that_of_rfc_4180_in_both_protocols(text, rows, protocol):
    assert parse_structure(text, "csv", protocol=protocol).rows == rows


def test_a_byte_order_mark_is_no_part_of_a_header_in_corrected():
    for protocol, found in (("published", 0), ("corrected", 1)):
        scores = answer_scores("text_to_csv", "\ufeffa,b\n1,2", ["csv::a"], None, None, protocol)
        assert scores["path_score"] == found


@pytest.mark.parametrize(
    ("format", "text", "path"),
    [
        ("json", '{"a": NaN}', "a"),
        ("yaml", "on: 1", "on"),
        ("toml", "a = {b = 1,}", "a.b"),
        ("xml", "<a><b/></a>", "a.b[0]"),
    ],
)
def test_published_scores_are_the_same_in_both_protocols(format, text, path):
    published, corrected = (
        text_scores(text, [path], format, protocol) for protocol in ("published", "corrected")
    )
    assert published != corrected
    assert {k: v for k, v in published.items() if k.endswith("_published")} == {
        k: v for k, v in corrected.items() if k.endswith("_published")
    }


def test_long_numbers_and_deep_elements_are_read_within_the_limits():
    assert syntax_score("1" * 999_999, "json", protocol="corrected") == 1
    assert read(json.dumps({"a": 10**4000}), "json") == {"a": 10**4000}
    assert read("<a>" * 200 + "</a>" * 200, "xml") == WRONG
