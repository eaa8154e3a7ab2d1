"""What a dataset consists of, counted by hand; and within bounds, whatever it holds."""

import math
import random
from collections.abc import Iterator
from typing import Any

import pytest

from helm_structext.benchmarks import benchmark_named
from helm_structext.results import descriptions
from helm_structext.results.descriptions import (
    NumberCounts,
    RowFacts,
    describe_rows,
    description_tables,
    facts_of_input,
    split_words,
)
from helm_structext.results.tabular import Table
from helm_structext.scoring.scorer import Input, InstanceKey
from support.rows import png

ROWS = [
    RowFacts(
        {"Subset": "text", "Task": "to JSON"},
        {"Keywords": 2},
        {"Queries": "Write the JSON of a pear, please: a pear!"},
    ),
    RowFacts({"Subset": "text", "Task": "to CSV"}, {"Keywords": 4}, {"Queries": "Write CSV"}),
    RowFacts(
        {"Subset": "pictures", "Task": "to SVG"},
        {"Keywords": 9, "Pairs": 3},
        {"Queries": "Draw a pear"},
        picture="p1",
        shown={"Objects": ["pear", "ice cream cone"]},
        size=(100, 50),
    ),
    RowFacts({"Subset": "pictures", "Task": "to SVG"}, {"Pairs": 4}, picture="p1", size=(100, 50)),
]


def tables(rows: list[RowFacts], **options: Any) -> dict[str, Table]:
    found = description_tables("d", "D", describe_rows(rows, **options), 3)
    return {table.name: table for table in found}


def test_counts_shares_and_means_by_group():
    found = tables(ROWS)
    assert [column.name for column in found["d-subset"].columns] == [
        *("Subset", "Tasks", "Instances", "%", "Keywords", "Pairs"),
    ]
    assert found["d-subset"].rows == [
        ["text", 2, 2, 50.0, 3.0, None],
        ["pictures", 1, 2, 50.0, 9.0, 3.5],
        ["all", 3, 4, 100.0, 5.0, 3.5],
    ]
    assert [row[:2] for row in found["d-task"].rows] == [
        *(["to JSON", 1], ["to CSV", 1], ["to SVG", 2], ["all", 4]),
    ]


def test_what_is_in_a_picture_counts_once():
    found = tables(ROWS)
    lengths = {row[0]: list(row[1:]) for row in found["d-lengths"].rows}
    assert lengths["Queries"] == [3, pytest.approx(14 / 3), 3, 2, 9, pytest.approx(61 / 3), 41]
    assert lengths["Objects"] == [1, 2.0, 2, 2, 2, 18.0, 18]
    assert found["d-pictures"].rows[0] == ["Width", 100.0, 100, 100, 100]
    assert "1 different pictures" in found["d-pictures"].note


def test_frequent_words_say_something():
    found = tables([*ROWS, RowFacts({"Subset": "text"}, texts={"Queries": "1 2 2 2 2 the the"})])
    assert found["d-words-queries"].rows[:2] == [
        ["pear", 3, pytest.approx(1000 * 3 / 21)],
        ["write", 2, pytest.approx(1000 * 2 / 21)],
    ]
    assert [row[:2] for row in found["d-words-objects"].rows] == [
        ["ice cream cone", 1],
        ["pear", 1],
    ]
    assert found["d-words"].rows[0] == [1, "pear 3", "ice cream cone 1"]


def test_text_is_read_of_each_picture_once():
    asked: list[bytes] = []

    def read(picture: bytes) -> str:
        asked.append(picture)
        return "Two words"

    rows = [RowFacts({}, picture=f"{n % 2}", load=lambda: b"png") for n in range(6)]
    description = describe_rows(rows, read)
    assert len(asked) == 2
    assert description.words["Text read in pictures"].counts == {2: 2}


def test_tables_are_drawn_and_nothing_at_all_is_no_table():
    found = tables(ROWS)
    assert {name for name, table in found.items() if table.drawing} == {
        *("d-subset", "d-task", "d-lengths", "d-words-queries", "d-words-objects"),
    }
    for table in found.values():
        if table.drawing:
            assert table.drawing()[1:4] == b"PNG"
    assert tables([]) == {}


def test_a_group_of_one_value_is_shown_if_there_is_no_other():
    assert [*tables([RowFacts({"Part": "all"})])] == ["d-part"]
    assert [*tables([RowFacts({"A": "x", "B": "y"}), RowFacts({"A": "x", "B": "z"})])] == ["d-b"]


def test_a_tally_is_that_of_all_numbers():
    numbers = [random.Random(1).randrange(50) for _ in range(999)]
    tally = NumberCounts()
    for number in numbers:
        tally.add(number)
    assert (tally.total, tally.least, tally.most) == (999, min(numbers), max(numbers))
    assert tally.mean == pytest.approx(sum(numbers) / 999)
    assert tally.median == sorted(numbers)[499]
    empty = NumberCounts()
    assert all(map(math.isnan, (empty.mean, empty.median, empty.least, empty.most)))


def test_memory_is_bounded_whatever_words_there_are(monkeypatch):
    monkeypatch.setattr(descriptions, "MAX_WORDS", 100)
    rows = [RowFacts({}, texts={"T": f"common w{n} {'x' * 10_000}{n}"}) for n in range(300)]
    words = describe_rows(rows).vocabulary["T"]
    assert len(words.counts) <= 100
    assert words.frequent(1) == [("common", 300)] or words.counts["common"] == 300
    assert max(map(len, words.counts)) <= descriptions.MAX_WORD
    assert "were forgotten" in words.note


def test_rows_are_looked_at_one_by_one():
    alive = 0

    def rows() -> Iterator[RowFacts]:
        nonlocal alive
        for _ in range(1000):
            alive += 1
            yield RowFacts({"Task": "a"})
            alive -= 1

    assert describe_rows(rows()).rows == 1000
    assert alive == 0


def test_signs_around_words_and_other_scripts():
    assert split_words("„Wort“ (слово) «λέξη» 一句话。 a-b x_y ... --") == [
        *("wort", "слово", "λέξη", "一句话", "a-b", "x_y"),
    ]


def test_what_a_benchmark_asks_describes_it_if_nothing_else_does():
    asked = Input(InstanceKey("", "1"), "Which?", "date", picture=png(size=(40, 20)))
    facts = facts_of_input(asked)
    assert (facts.groups, facts.size, facts.picture) == ({"Part": "all"}, (40, 20), "1")


def sample_tables(name: str, entry: str) -> dict[str, Table]:
    describe = benchmark_named(name).describe_source
    assert describe
    return tables(list(describe(entry, "sample", "main")))


def test_structeval_s_table_1_of_the_sample():
    """By hand: 2 rows of each text task; keywords and pairs are summed from the sample's rows."""
    from helm_structext.structeval.rows import load_questions
    from helm_structext.structeval.tasks import TASKS

    found = sample_tables("structeval", "structeval")
    rows = {row[0]: list(row[1:]) for row in found["d-subset"].rows}
    assert [*rows] == ["SE-T-gen", "SE-T-conv", "SE-V-gen", "SE-V-conv", "all"]
    assert [row[0] for row in rows.values()] == [5, 14, 13, 12, 44]  # tasks, as in the paper
    assert [row[1] for row in rows.values()] == [10, 28, 62, 24, 124]
    questions = list(load_questions("sample", TASKS))
    for subset, label in (("t_generation", "SE-T-gen"), ("v_conversion", "SE-V-conv")):
        ours = [one for one in questions if one.kind.subset == subset]
        assert rows[label][3] == pytest.approx(sum(len(q.keywords) for q in ours) / len(ours))
    assert rows["SE-T-gen"][4] is None
    pairs = [len(one.pairs) for one in questions if one.kind.rendered]
    assert rows["all"][4] == pytest.approx(sum(pairs) / len(pairs))
    assert {row[0]: row[1] for row in found["d-task"].rows}["Text to Matplotlib"] == 7


def test_mmr_s_figures_of_the_sample():
    """By hand, from scenes.jsonl: 11 pictures with 316 words and 21 objects."""
    found = sample_tables("mmr", "mmr")
    assert [row[1:3] for row in found["d-task"].rows] == [[5, pytest.approx(100 / 11)]] * 11 + [
        [55, 100.0]
    ]
    lengths = {row[0]: list(row[1:]) for row in found["d-lengths"].rows}
    assert lengths["Text in pictures"][:2] == [11, pytest.approx(316 / 11)]
    assert lengths["Objects"][:2] == [11, pytest.approx(21 / 11)]
    assert lengths["Answers in words"][0] == 15  # 3 tasks of 5
    assert found["d-words-objects"].rows[0][:2] == ["hot air balloon", 2]


def test_image2struct_s_subsets_of_the_sample():
    found = sample_tables("image2struct", "image2struct_webpage")
    assert [row[:2] for row in found["d-subset"].rows] == [
        *(["wild", 3], ["css", 6], ["html", 6], ["javascript", 6], ["all", 21]),
    ]
    assert found["d-pictures"].rows[0][4] == 1920
    assert {row[0] for row in found["d-lengths"].rows} == {"Code", "Text"}
