"""Structures in text: golden paths, the paper's examples, scores, and hostile input."""

import contextlib
import json
import subprocess
import sys
import time
from functools import partial

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from helm_structext import metrics
from helm_structext.errors import RenderError
from helm_structext.formats import text_formats
from helm_structext.metrics import (
    CsvTable,
    count_lost_paths,
    keyword_score,
    parse_structure,
    path_exists,
    path_score,
    structeval_score,
    structeval_score_published,
    syntax_score,
    syntax_score_published,
)
from helm_structext.metrics.structures import (
    MAX_DEPTH,
    MAX_LENGTH,
    check_path,
    holds_nothing,
    score_structure,
)
from helm_structext.protocols import PROTOCOLS
from support import GOLDEN, ROOT
from support.hostile_texts import HOSTILE, declared

FIGURES = [
    json.loads(line)
    for line in (GOLDEN / "dot_paths.jsonl").read_text(encoding="utf-8").splitlines()
]


@pytest.mark.parametrize("format", text_formats())
def test_the_golden_paths_exist_or_not(format):
    ours = [case for case in FIGURES if case["format"] == format]
    assert len(ours) > 80
    for case in ours:
        structure = parse_structure(case["source"], format)
        found = [path_exists(structure, path) for path in case["paths"]]
        assert found == case["exists"], case
        share = sum(case["exists"]) / len(case["exists"])
        # An empty structure is none, whatever the paths.
        assert path_score(case["source"], case["paths"], format) == (share if structure else 0)


ARTICLE = {
    "title": "On moons",
    "authors": [
        {"name": "Galileo", "affiliation": "Padua"},
        {"name": "Cassini", "affiliation": "Paris"},
    ],
    "publication": {"year": 1610},
    "keywords": ["moons", "Jupiter", "telescope"],
}


def test_the_papers_figure_3_scores_all_its_keywords():
    paths = [
        "title",
        "authors[0].name",
        "authors[1].affiliation",
        "publication.year",
        "keywords[2]",
    ]
    assert path_score(json.dumps(ARTICLE), paths, "json") == 1
    assert path_score(yaml.safe_dump(ARTICLE), paths, "yaml") == 1
    short = {**ARTICLE, "keywords": ["moons"], "authors": ARTICLE["authors"][:1]}
    assert path_score(json.dumps(short), paths, "json") == pytest.approx(3 / 5)


@pytest.mark.parametrize(
    ("format", "source", "path", "exists"),
    [
        ("json", '{"planet": {"name": 0}}', "planet.name", True),
        ("json", '{"planet": {"name": null}}', "planet.name", True),
        ("json", '{"name": 0}', "planet.name", False),
        ("json", '{"planet": {"moons": [{"name": 1}]}}', "planet.moons[0].name", True),
        ("json", '{"planet": {"moons": []}}', "planet.moons[0].name", False),
        ("json", '{"planet": {"moons": [{}, {"name": 1}]}}', "planet.moons.*.name", True),
        ("json", '{"planet": {"moons": [{}]}}', "planet.moons.*.name", False),
        ("json", '{"planet": {"moons": {"io": {"name": 1}}}}', "planet.moons.*.name", False),
        ("json", '{"data": {"key.with.dots": 1}}', "data.`key.with.dots`", True),
        ("json", '{"data": {"key": {"with": {"dots": 1}}}}', "data.`key.with.dots`", False),
        ("csv", "discovery.location,year\nPadua,1610\n", "csv::discovery.location", True),
        ("csv", "discovery,year\nPadua,1610\n", "csv::discovery.location", False),
        ("xml", '<planet id="5"/>', "planet.@id", True),
        ("xml", "<planet><id>5</id></planet>", "planet.@id", True),
        ("xml", "<planet><id>5</id></planet>", "planet.id", True),
        ("xml", '<planet id="5"/>', "planet.id", False),
        ("xml", "<a><b>1</b><b>2</b></a>", "a.b[1]", True),
        # A lone child is no list, as published.
        ("xml", "<a><b>1</b></a>", "a.b[0]", False),
        ("toml", "[a]\nb = [{c = 1}]", "a.b[0].c", True),
        ("toml", "[[a.b]]\nc = 1", "a.b[0].c", True),
        ("yaml", "a: &x {b: 1}\nc: *x", "c.b", True),
        ("yaml", "a: &x {b: 1}\nc: {<<: *x}", "c.b", True),
        ("yaml", "2024: {b: 1}", "2024.b", False),
    ],
)
def test_the_rules_of_table_2(format, source, path, exists):
    assert path_exists(parse_structure(source, format), path) is exists


@pytest.mark.parametrize(
    ("path", "exists"),
    [
        ("a..b", True),
        (".a.b.", True),
        ("", True),
        ("a[x]", False),
        ("a[-1]", False),
        ("list[ 1 ]", True),
        ("list[" + "9" * 5000 + "]", False),
        ("list.1", False),
        ("csv::a", False),
        ("`list`[0]", True),
        ("`[0]`", False),
        ("a.b.c", False),
    ],
)
def test_odd_paths_are_read_as_published(path, exists):
    assert path_exists({"a": {"b": 1}, "list": [1, 2]}, path) is exists


def test_a_path_with_an_open_bracket_is_an_error():
    for read in (check_path, lambda path: path_exists({}, path)):
        with pytest.raises(ValueError, match=r"path 'a\[0' has a \[ that is never closed"):
            read("a[0")
    check_path("csv::[odd")


LEAVES = st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5))
NAMES = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=5)
STRUCTURES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=20,
)


def paths_of(structure, before=""):
    if isinstance(structure, dict):
        for name, value in structure.items():
            yield from (before + f".`{name}`", *paths_of(value, f"{before}.`{name}`"))
    if isinstance(structure, list):
        for number, value in enumerate(structure):
            yield from (f"{before}[{number}]", *paths_of(value, f"{before}[{number}]"))
            yield f"{before}.*"


@given(STRUCTURES)
def test_whatever_is_written_is_found_again(structure):
    for format, write in (("json", json.dumps), ("yaml", yaml.safe_dump)):
        parsed = parse_structure(write(structure), format)
        assert parsed == structure
        for path in paths_of(structure):
            assert path_exists(parsed, path)
            assert not path_exists(parsed, f"{path}.`no such`")
            assert not path_exists(parsed, f"{path}[4]")


@given(st.text(max_size=60), st.sampled_from(text_formats()))
def test_any_text_is_parsed_or_refused(text, format):
    try:
        parse_structure(text, format)
    except RenderError as refusal:
        error = refusal
    else:
        return
    assert error.kind == "syntax"
    assert error.message
    assert "\n" not in error.message


@pytest.mark.parametrize(
    ("format", "source", "message"),
    [
        ("json", '{"a": 1,}', "line 1, column"),
        ("yaml", "a: 1\n b: 2", r"line 2, column 3: .* \(mapping values are not allowed"),
        ("yaml", "a: 1\n---\nb: 2", r"line 2, column 1: .*\(but found another document"),
        ("toml", "a = 1\na = 2\n", "line 2, column 1: the key a stands in line 1 already"),
        ("xml", "<a><b></a>", r"line 1, column 9: .*\(mismatched tag"),
        ("xml", "<a/><b/>", "junk after document element"),
        ("csv", "a,b\n1,2\n3\n", "line 3: row 2 has 1 cell, the header has 2"),
        ("csv", 'a,b\n"1"2,3\n', "line 2: .*expected after"),
        ("csv", 'a,b\n1,"2\n', "line 2: .*unexpected end of data"),
        ("csv", "", "there is no header"),
        ("csv", " , \n1,2", "there is no header"),
    ],
)
def test_wrong_syntax_is_named_with_its_place(format, source, message):
    with pytest.raises(RenderError, match=f"^syntax: .*{message}"):
        parse_structure(source, format)
    assert syntax_score(source, format) == 0
    assert syntax_score_published(source, format) == (format == "csv")


@pytest.mark.parametrize(
    ("format", "source"),
    [
        ("yaml", f"!{'tag' * 9_000} a"),
        ("yaml", f"*{'name' * 9_000}"),
        ("toml", f"{'key' * 9_000} = 1\n" * 2),
        ("xml", f"<{'name' * 9_000}></a>"),
    ],
)
def test_a_message_does_not_quote_pages(format, source):
    with pytest.raises(RenderError) as refusal:
        parse_structure(source, format)
    assert len(refusal.value.message) <= 300


def test_csv_is_read_as_a_table():
    text = 'name,"a, b"\r\n"x ""y""",1\r\n\r\n"two\nlines",2\r\n'
    assert parse_structure(text, "csv") == CsvTable(
        ["name", "a, b"], [['x "y"', "1"], ["two\nlines", "2"]]
    )


def test_ragged_csv_has_its_header_for_paths_and_in_the_published_score():
    text, paths = "a,b\n1,2,3\n", ["csv::a", "csv::b", "csv::c", "csv::d"]
    assert syntax_score(text, "csv") == 0
    assert syntax_score_published(text, "csv") == 1
    assert path_score(text, paths, "csv") == 0.5


@pytest.mark.parametrize(
    ("format", "source"),
    [("json", "{}"), ("json", "null"), ("json", "0"), ("yaml", ""), ("yaml", "# no"), ("toml", "")],
)
def test_an_empty_structure_has_no_score(format, source):
    parse_structure(source, format)
    assert syntax_score(source, format) == syntax_score_published(source, format) == 0
    assert path_score(source, ["a"], format) == 0


def test_a_header_without_rows_is_no_table_but_has_its_paths():
    assert syntax_score("I'm sorry, I can't do that.", "csv") == 0
    assert (syntax_score("a,b\n", "csv"), syntax_score_published("a,b\n", "csv")) == (0, 1)
    assert path_score("a,b\n", ["csv::a", "csv::c"], "csv") == 0.5


def test_keywords_are_found_in_any_case_anywhere():
    assert keyword_score("<H1>Größe</H1>", ["<h1>", "GRÖSSE", "größe", "h2"]) == 0.5
    assert keyword_score("a", []) == 0


def test_the_final_score_is_the_papers_equations():
    assert structeval_score(1, 0.25) == pytest.approx(0.4)
    assert structeval_score(1, 0.25, 0) == pytest.approx(0.225)
    assert structeval_score(1, 1) == structeval_score(1, 1, 1) == pytest.approx(1)
    assert structeval_score_published(1, 0.25, 1 / 3) == 0.46
    for arguments, name in (((2, 0), "syntax"), ((1, -0.1), "keywords"), ((1, 1, 7), "vqa")):
        with pytest.raises(ValueError, match=f"{name} is .*; expected a number from 0 to 1"):
            structeval_score(*arguments)


def test_arguments_are_checked():
    with pytest.raises(ValueError, match="format is 'html'; expected one of json"):
        parse_structure("", "html")
    with pytest.raises(ValueError, match="expected at least one path"):
        path_score("{}", [], "json")


CHILD = """
import resource, sys
sys.path.insert(0, "tests")
from helm_structext.errors import RenderError
from helm_structext.metrics import parse_structure, path_score
from support.hostile_texts import HOSTILE, TAKEN

before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
format, protocol = sys.argv[1:]
huge = [character * 50_000_000 for character in "[a "]
for number, text in enumerate(HOSTILE[format] + huge):
    try:
        parse_structure(text, format, protocol=protocol)
    except RenderError as error:
        assert error.kind == "syntax", error
    else:
        assert protocol == "corrected", f"{number} was taken: {text[:60]!r}"
        assert text == TAKEN[format]
    path_score(text, ["a.*.*.*.*.*.*.*", "[0][0][0]", "csv::a"], format, protocol=protocol)
del huge
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("format", HOSTILE)
def test_hostile_text_is_a_syntax_failure_and_no_crash(format, protocol):
    child = subprocess.run(
        [sys.executable, "-c", CHILD, format, protocol],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert child.returncode == 0, child.stderr[-2000:]
    # Kilobytes; the three texts of 50 MB are part of them.
    assert int(child.stdout) < 500_000


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_limits_leave_room_for_what_is_right(protocol):
    depth = MAX_DEPTH
    parse_structure = partial(metrics.parse_structure, protocol=protocol)
    assert parse_structure("[" * depth + "]" * depth, "json")
    assert parse_structure("[" * depth + "]" * depth, "yaml")
    assert parse_structure("<a>" * depth + "</a>" * depth, "xml")
    assert parse_structure("a." * (depth - 1) + "a = 1", "toml")
    assert parse_structure('"' + "x" * (MAX_LENGTH - 2) + '"', "json")
    rows = "".join(f"- {{id: {number}, name: x}}\n" for number in range(9_000))
    assert len(parse_structure(rows, "yaml")) == 9_000
    keys = "".join(f"{10**20 + number}: x\n" for number in range(900))
    assert len(parse_structure(keys, "yaml")) == 900
    assert path_exists(parse_structure(declared('b CDATA "x"', 9_000), "xml"), "r.a[8999].@b")
    quoted = 'a = "' + "word." * 500 + '"'
    assert parse_structure(quoted, "toml")


def test_walking_a_structure_of_shared_parts_looks_at_each_once():
    node = ["leaf"]
    for _ in range(60):
        node = [node, node]
    assert not path_exists(node, ".".join(["*"] * 61) + ".name")
    assert path_exists(node, ".".join(["*"] * 61))


@pytest.mark.parametrize(
    ("text", "paths", "lost"),
    [
        ('{"planet": {"name": 1}}', ["planet.name", "planet.size"], 0),
        ('{"name": 1, "size": 2}', ["planet.name", "planet.size", "planet.moons"], 2),
        ('{"planet.name": 1}', ["planet.name"], 1),
        ('{"planet": {"moon": {"id": 1}}}', ["planet.@id", "@id"], 1),
        ('{"tags": [1]}', ["tags[3]", "post.tags[0]", "post.tags.*"], 2),
        ('[{"name": 1}]', ["name", "planets[0].name"], 1),
        ('{"a": {"name": 1}}', ["[0].name"], 1),
        ("[]", ["planet.name"], 0),
        ("{", ["planet.name"], None),
        ('{"1": 1}', [], 0),
    ],
)
def test_paths_are_lost_whose_last_key_is_elsewhere(text, paths, lost):
    assert count_lost_paths(text, paths, "json") == lost


@pytest.mark.parametrize("protocol", ["published", "corrected"])
@pytest.mark.parametrize(
    ("format", "text"),
    [
        *(("json", text) for text in ('{"a": {"b": 1}}', '{"b": 1}', "[]", "{", "0")),
        *(("csv", text) for text in ("a,b\n1,2", "a,b\n1", "a,b", "", 'a\n"x"y', ",\n,")),
        *(("xml", "<a><b/></a>"), ("yaml", "a: {b: 1}"), ("toml", "a.b = 1"), ("toml", "a = ")),
    ],
)
def test_scores_of_one_parsing_are_those_of_several(format, text, protocol):
    paths = ["a.b", "x.b", "csv::a"]
    assert score_structure(text, paths, format, protocol=protocol) == tuple(
        score(text, *of, format, protocol=protocol)
        for score, of in ((syntax_score, ()), (path_score, (paths,)), (count_lost_paths, (paths,)))
    )
    structure = None
    with contextlib.suppress(RenderError):
        structure = parse_structure(text, format, protocol=protocol)
    assert syntax_score(text, format, protocol=protocol) == (not holds_nothing(structure))


def test_text_is_parsed_once_for_its_scores(monkeypatch):
    parsed = []
    monkeypatch.setattr(
        metrics.structures,
        "parse_structure",
        lambda *args, **more: parsed.append(args) or parse_structure(*args, **more),
    )
    assert score_structure('{"a": 1}', ["b.a", "a"], "json") == (1, 0.5, 1)
    assert len(parsed) == 1


def test_columns_of_csv_have_no_hierarchy_to_lose():
    assert count_lost_paths("name\nIo", ["csv::planet.name", "planet.name"], "csv") == 0


def test_keys_are_collected_once_for_all_lost_paths_and_once_of_each_alias():
    shared = "\n".join(f"k{i}: &a{i} [*a{i - 1}, *a{i - 1}]" for i in range(1, 12))
    text = f"k0: &a0 [{{name: 1}}]\n{shared}"
    started = time.process_time()
    assert count_lost_paths(text, [f"x{i}.name" for i in range(2000)], "yaml") == 2000
    assert time.process_time() - started < 2
