"""The lists of differences to the papers and the published code: nothing in the code is left out of them.

What branches on a protocol, or gives a second reading of a score, is found in the code. A difference that holds
in both protocols is not: no code shows that the published one does something else there. Such entries are only kept
(`IN_BOTH`), and a new one has to be written by who makes the difference. Nor can a test tell whether what an entry
says of the paper and of the published code is true.
"""

import ast
import doctest
import json
import re
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest

import write_differences
from helm_structext.metrics import pnls
from helm_structext.protocols import PROTOCOLS
from support import GOLDEN, ROOT
from write_differences import BEGIN, COLUMNS, DOCUMENTS, END, read_lists, update_text

PACKAGE = ROOT / "src" / "helm_structext"
LISTS = read_lists()
ENTRIES = [entry for topics in LISTS.values() for entries in topics.values() for entry in entries]
PLACES = {place for entry in ENTRIES for place in entry["where"]}
KEYS = {*COLUMNS, "key", "section", "why", "where"}
SUFFIXES = ("_published", "_corrected", "_paper")
NO_DIFFERENCES = {
    "image2struct.run_specs._groups": "names of groups",
    "structeval.run_specs._groups": "names of groups",
    "structeval.rescore.hint": "a note on code that the other protocol finds",
    "integrations.training.find_published": "published data",
    "protocols.check_missing_rule": "which rule a protocol may have",
    "mmr.tasks.RENAMED_SYSTEMS": "an older name of system=scale",
}
"""Where the code asks for the protocol, and does not part the protocols' numbers."""
IN_BOTH = {
    "image2struct": (
        "ems ems-coordinates ems-background ems-edges ems-denominator pixels cis lpips ssim edit-similarity "
        "webpage-text success win-rate averages metric-errors browser network scroll-bar jekyll pdf-pictures "
        "lilypond-png releases sandbox headers macros oai pdf-files imslp classifier jekyll-sites style-sheets "
        "toxicity-order toxicity"
    ),
    "mmr": (
        "prompts scale decoding collection objects verification tilt before-pnls pnls figure-b1 pnls-first-column "
        "pnls-hyphens thresholds total correct malformed-boxes"
    ),
    "structeval": (
        "decoding max-tokens engines browser network latex-errors angular react-vue svg markdown matplotlib "
        "matplotlib-plt syntax keys-only keywords judge-prompt final-score averages parsers"
    ),
}
"""Benchmark to the keys of differences that hold in both protocols."""


@cache
def names_of(module: str) -> dict[str, ast.stmt]:
    """The names at the top of a module, each with its statement."""
    found = {}
    for node in ast.parse((PACKAGE / f"{module.replace('.', '/')}.py").read_text("utf-8")).body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", node)]
        for target in targets:
            for one in target.elts if isinstance(target, ast.Tuple) else [target]:
                if name := getattr(one, "name", None) or getattr(one, "id", None):
                    found[name] = node
    return found


def exists(place: str) -> bool:
    """Whether a place in the code is there: a file, a module or package, a name in one, or a field."""
    if "/" in place:
        return (PACKAGE / place).is_file()
    path = PACKAGE / place.replace(".", "/")
    if path.with_suffix(".py").is_file() or (path / "__init__.py").is_file():
        return True
    module, _, name = place.rpartition(".")
    if (PACKAGE / f"{module.replace('.', '/')}.py").is_file():
        return name in names_of(module)
    module, _, owner = module.rpartition(".")
    if not (PACKAGE / f"{module.replace('.', '/')}.py").is_file():
        return False
    fields = getattr(names_of(module).get(owner), "body", [])
    return any(ast.unparse(field).startswith(f"{name}:") for field in fields)


def asks_for_protocol(node: ast.AST) -> bool:
    """Whether code branches on a protocol: compares with a name of one, or has it as a key."""
    if isinstance(node, ast.Compare):
        named = [node.left, *node.comparators]
    elif isinstance(node, ast.Dict):
        named = [key for key in node.keys if key]
    elif isinstance(node, ast.MatchValue):
        named = [node.value]
    elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("dict", "getattr"):
        if any(word.arg in PROTOCOLS for word in node.keywords):
            return True
        named = []
        if node.args[1:] and ast.unparse(node.args[1]).endswith("protocol"):
            return True
    else:
        return False
    parts = [part for one in named for part in ast.walk(one)]
    return any(
        (isinstance(part, ast.Constant) and part.value in PROTOCOLS)
        or (isinstance(part, ast.Name) and part.id in ("DEFAULT_PROTOCOL", "REWARD_PROTOCOL"))
        for part in parts
    )


def places_of_switch(module: str, name: str, node: ast.AST) -> Iterator[str]:
    """Yields what has to be in a list for a branch on a protocol.

    A table of functions, or of records, names each function, or each field.
    """
    values = node.values if isinstance(node, ast.Dict) else []
    for value in values:
        if isinstance(value, ast.Name):
            yield f"{module}.{value.id}"
        elif isinstance(value, ast.Call) and value.keywords:
            yield from (f"{module}.{ast.unparse(value.func)}.{word.arg}" for word in value.keywords)
        else:
            yield f"{module}.{name}"
    if not values:
        yield f"{module}.{name}"


def switches_of(code: str, module: str) -> Iterator[str]:
    """Yields the places in a module that branch on a protocol, or give a second reading of a score."""
    for top in ast.parse(code).body:
        target = getattr(top, "target", None) or (getattr(top, "targets", None) or [None])[0]
        name = getattr(top, "name", None) or (ast.unparse(target) if target else "")
        if isinstance(top, ast.FunctionDef) and name.endswith(SUFFIXES) and name[0] != "_":
            yield f"{module}.{name}"
        for node in ast.walk(top):
            if asks_for_protocol(node):
                yield from places_of_switch(module, name, node)


@cache
def switches() -> frozenset[str]:
    found = set()
    for path in PACKAGE.rglob("*"):
        place = path.relative_to(PACKAGE)
        if "node_modules" in place.parts or not path.is_file():
            continue
        if path.suffix == ".py":
            module = ".".join(place.with_suffix("").parts)
            found |= set(switches_of(path.read_text("utf-8"), module))
        elif path.suffix in (".js", ".mjs", ".ts", ".scm", ".ly", ".rb", ".sh"):
            text = path.read_text("utf-8")
            if any(f'"{name}"' in text or f"'{name}'" in text for name in PROTOCOLS):
                found.add(str(place))
    return frozenset(found)


def test_every_place_that_asks_for_the_protocol_has_an_entry():
    missing = switches() - PLACES - NO_DIFFERENCES.keys()
    assert not missing, (
        f"{sorted(missing)}: add an entry to differences.yaml, and run scripts/write_differences.py"
    )


def test_places_without_differences_ask_for_the_protocol():
    assert NO_DIFFERENCES.keys() <= switches()


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ('def f(protocol):\n    return 1 if protocol == "corrected" else 2', ["m.f"]),
        ('A = {"published": 1, "corrected": 2}', ["m.A", "m.A"]),
        ('A: dict = {"published": f, "corrected": g}', ["m.f", "m.g"]),
        ('A = {"corrected": Steps(tries=2)}', ["m.Steps.tries"]),
        ('class A:\n    def f(self):\n        return self.protocol in ("published",)', ["m.A"]),
        ('def f(p):\n    match p:\n        case "published":\n            pass', ["m.f"]),
        ("def f(steps, protocol):\n    return getattr(steps, protocol)", ["m.f"]),
        ("A = dict(published=1)", ["m.A"]),
        ("def f(protocol):\n    return protocol == DEFAULT_PROTOCOL", ["m.f"]),
        ("def score_published(): ...", ["m.score_published"]),
        ('def _published():\n    return "published"', []),
    ],
)
def test_a_switch_is_found(code, found):
    assert list(switches_of(code, "m")) == found


def test_what_differs_in_both_protocols_keeps_its_entries():
    for benchmark, keys in IN_BOTH.items():
        entries = [entry for topic in LISTS[benchmark].values() for entry in topic]
        assert set(keys.split()) <= {entry["key"] for entry in entries if "here" in entry}
    assert IN_BOTH.keys() == LISTS.keys()


def test_every_score_with_a_second_reading_is_in_its_benchmarks_list():
    for benchmark, topics in LISTS.items():
        said = json.dumps(topics)
        code = (PACKAGE / benchmark / "scores.py").read_text("utf-8")
        texts = {node.value for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Constant)}
        names = {text for text in texts if str(text).endswith(SUFFIXES)}
        assert names
        missing = {name for name in names if f"`{name}`" not in said and f".{name}" not in said}
        assert missing == set()


@pytest.mark.parametrize("place", sorted(PLACES))
def test_every_place_exists(place):
    assert exists(place)


@pytest.mark.parametrize(
    "place", ["renderers.tex", "renderers.latex.STEPPES", "renderers.latex.Steps.try", "a/b.scm"]
)
def test_a_place_that_is_gone_is_noticed(place):
    assert not exists(place)


def test_entries_are_whole():
    for benchmark, topics in LISTS.items():
        keys = [entry["key"] for entries in topics.values() for entry in entries]
        assert sorted(set(keys)) == sorted(keys), benchmark
    for entry in ENTRIES:
        assert {*entry} <= KEYS, entry["key"]
        assert ("here" in entry) != ({"published", "corrected"} <= {*entry}), entry["key"]
        assert ("published" in entry) == ("corrected" in entry), entry["key"]
        assert not str(entry.get("why", "")).endswith("."), entry["key"]


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_tables_are_as_the_lists_say(path):
    text = path.read_text("utf-8")
    assert update_text(text, LISTS) == text, "run scripts/write_differences.py"


def test_every_topic_has_its_table():
    text = "".join(path.read_text("utf-8") for path in DOCUMENTS)
    for benchmark, topics in LISTS.items():
        assert all(text.count(BEGIN.format(benchmark, topic)) == 1 for topic in topics)
    assert (
        len(re.findall("<!-- differences: ", text))
        == text.count(END)
        == sum(map(len, LISTS.values()))
    )


def test_a_table_that_is_wrong_is_written_anew():
    lists = {"b": {"t": [{"what": "x", "here": "y|z", "section": "2", "why": "So"}]}}
    begin = BEGIN.format("b", "t")
    assert update_text(f"1{begin}old{END}2", lists) == (
        f"1{begin}| what | here |\n|---|---|\n| x | y\\|z. So |\n{END}2"
    )


def matches_by_smallest_distance(truth: str, reply: str) -> float:
    """Equal characters ÷ columns of the alignment with the smallest edit distance (MMR, section 4.1).

    Of stretches that are as near the first end counts, and on the way back two characters opposite
    each other come before a gap in the reply, and that before one in the truth.
    """
    height, width = len(truth), len(reply)
    costs = np.zeros((height + 1, width + 1), dtype=int)
    costs[:, 0] = range(height + 1)
    for i in range(1, height + 1):
        for j in range(1, width + 1):
            costs[i, j] = min(
                costs[i - 1, j - 1] + (truth[i - 1] != reply[j - 1]),
                costs[i - 1, j] + 1,
                costs[i, j - 1] + 1,
            )
    i, j = height, int(costs[height].argmin())
    equal = columns = 0
    while i:
        same = j > 0 and truth[i - 1] == reply[j - 1]
        columns += 1
        if j and costs[i, j] == costs[i - 1, j - 1] + (not same):
            equal += same
            i, j = i - 1, j - 1
        elif costs[i, j] == costs[i - 1, j] + 1:
            i -= 1
        else:
            j -= 1
    return equal / columns


def test_the_smallest_edit_distance_is_on_another_side_of_the_threshold_in_1_of_1500_pairs():
    lines = (GOLDEN / "pnls.jsonl").read_text("utf-8").splitlines()
    pairs = [(one["truth"], one["prediction"]) for one in map(json.loads, lines)]
    assert len(pairs) == 1500
    differing = [
        pair
        for pair in pairs
        if (matches_by_smallest_distance(*pair) > 0.9) != (pnls(pair[1], pair[0]) > 0.9)
    ]
    assert len(differing) == 1
    (said,) = (entry["why"] for entry in LISTS["mmr"]["scores"] if entry["key"] == "pnls")
    assert "in 1 of 1,500 pairs" in said


def test_pnls_as_printed_gives_half_to_an_exact_match():
    truth = "emma"
    first, last = 1, len(truth)
    assert len(truth) / (len(truth) + last - first + 1) == 0.5
    assert pnls(f"title: {truth}", truth) == 1


def test_the_scripts_examples_hold():
    found = doctest.testmod(write_differences)
    assert found.attempted
    assert not found.failed
