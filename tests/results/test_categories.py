"""Categories of people: lists and files are read or told, and tallied with intervals and agreement."""

import json
import time
from pathlib import Path

import pytest

from helm_structext.errors import SetupError
from helm_structext.image2struct.results import result_sets
from helm_structext.results.categories import (
    NO_CATEGORY,
    RESERVED,
    AnswerLabel,
    category_tables,
    read_answer_labels,
    read_categories,
)
from helm_structext.results.result_sets import Selection
from helm_structext.results.spreadsheets import csv_text
from helm_structext.results.statistics import wilson_interval
from helm_structext.results.tabular import Table
from support.image2struct_answers import result

HEADER = ("answer", "model", "run", "categories", "annotator", "note")


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_list_is_a_letter_and_a_name_in_each_line_of_text_or_yaml(tmp_path):
    text = "\ufeff# errors\nn missing newline\n\n  C   wrong: colors  \r\n"
    expected = {"n": "missing newline", "C": "wrong: colors"}
    assert read_categories(written(tmp_path, "c.txt", text)) == expected
    yaml = "n: missing newline\nC: 'wrong: colors'\n"
    assert read_categories(written(tmp_path, "c.yaml", yaml)) == expected
    assert read_categories(written(tmp_path, "c.yml", "y: yes\nn: 1.0")) == {"y": "yes", "n": "1.0"}


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("c.txt", "", "has no category"),
        ("c.txt", "# none", "has no category"),
        ("c.txt", "n one\nn two", "line 2: an earlier category has the same key or name"),
        ("c.txt", "n one\ni one", "line 2: an earlier category has the same key or name"),
        ("c.yaml", "n: one\nn: two", "line 2: an earlier category has the same key or name"),
        ("c.txt", "newline", "'newline' can't be a key"),
        ("c.txt", "1 one", "'1' can't be a key"),
        ("c.txt", "é one", "'é' can't be a key"),
        *(("c.txt", f"{key} one", f"'{key}' can't be a key") for key in RESERVED),
        ("c.txt", "n", "a category has a name"),
        ("c.txt", "n a; b", "without a semicolon"),
        ("c.txt", f"n {'x' * 81}", "up to 80 characters"),
        ("c.txt", "n x" * 100_000, "more than 65,536 bytes"),
        ("c.yaml", "- n", "holds no mapping"),
        ("c.yaml", "n: [a]", "line 1: expected a letter and a name"),
        ("c.yaml", "n: {", "is not YAML"),
        ("c.yaml", "n: " + "[" * 30_000, "is not YAML"),
        ("c.yaml", "a: &a [x]\nb: *a", "expected a letter and a name"),
    ],
)
def test_what_is_no_list_is_told(name, text, said, tmp_path):
    with pytest.raises(SetupError, match="can't be read"):
        read_categories(tmp_path / "absent")
    with pytest.raises(SetupError) as error:
        read_categories(written(tmp_path, name, text))
    assert said in str(error.value)


def test_names_are_texts_of_one_line(tmp_path):
    path = written(tmp_path, "c.txt", "n <script>alert(1)</script>\ni \x1b[2Ja\u202eb")
    assert read_categories(path) == {
        "n": "<script>alert(1)</script>",
        "i": "\\u001b[2Ja\\u202eb",
    }


def table_of(folder: Path, name: str, *rows: tuple[str, ...]) -> Path:
    return written(folder, name, csv_text([HEADER, *rows]))


def test_csv_of_the_report_and_of_others_is_read(tmp_path):
    path = table_of(
        tmp_path,
        "ann.csv",
        ("=1+1", "x/good", "run", "layout; wrong font", "", "why"),
        ("b", "x/good", "run", "", "bob", ""),
    )
    assert "'=1+1" in path.read_text()
    first, second = read_answer_labels(path)
    assert first.answer == ("run", "x/good", "=1+1")
    assert (first.annotator, first.categories) == ("ann", {"layout", "wrong font"})
    assert (second.annotator, second.categories) == ("bob", frozenset())


def studio(*annotations: object, **data: str) -> dict[str, object]:
    given = {"answer": "a", "model": "x/good", "run": "run", **data}
    return {"id": 1, "data": given, "annotations": list(annotations), "project": 5}


def choices(*names: object, **more: object) -> dict[str, object]:
    return {"result": [{"type": "choices", "value": {"choices": list(names)}}, None, 5], **more}


@pytest.mark.parametrize(
    ("by", "who"),
    [
        (3, "3"),
        ("ann", "ann"),
        ({"id": 4, "email": "ann@example.org"}, "ann@example.org"),
        ({"id": 4}, "4"),
        (None, "export"),
        ([1], "export"),
    ],
)
def test_label_studio_s_export_is_read_whatever_else_it_holds(by, who, tmp_path):
    tasks = [
        studio(choices("layout", 5, completed_by=by, lead_time=1.5), "no annotation"),
        studio(choices("layout", was_cancelled=True), answer="b"),
        {**studio(answer="c"), "annotations": None, "predictions": [choices("x")]},
        studio(
            {"result": [{"type": "rating", "value": {"rating": 4}}], "completed_by": 1}, answer="d"
        ),
    ]
    found = read_answer_labels(written(tmp_path, "export.json", json.dumps(tasks)))
    assert [(one.answer[2], one.annotator, set(one.categories)) for one in found] == [
        ("a", who, {"layout"}),
        ("d", "1", set()),
    ]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.csv", "answer,model\na,m\n", "row 1: no column run, categories"),
        ("a.csv", 'answer,model,run,categories\n"a', "can't be read as CSV"),
        (
            "a.csv",
            csv_text([HEADER, ("a", "m", "r", "x", "", ""), ("a", "m", "r", "y", "", "")]),
            "row 2: a says something else of the same answer in row 1",
        ),
        ("a.json", "{}", "holds no list of tasks"),
        ("a.json", "[5]", "task 1: its data has no run, model and answer"),
        (
            "a.json",
            '[{"data": {"image": "x.png"}, "annotations": []}]',
            "task 1: its data has no run",
        ),
        ("a.json", "[" * 100_000, "can't be read"),
        ("a.json", "", "can't be read"),
    ],
)
def test_files_that_say_nothing_of_answers_are_told(name, text, said, tmp_path):
    with pytest.raises(SetupError) as error:
        read_answer_labels(written(tmp_path, name, text))
    assert said in str(error.value)
    with pytest.raises(SetupError, match="can't be read"):
        read_answer_labels(tmp_path / f"absent-{name}")
    written(tmp_path, name, "").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SetupError, match="can't be read"):
        read_answer_labels(tmp_path / name)


def test_a_hundred_thousand_rows_take_seconds(tmp_path):
    rows = (("a" * 20 + f"{n}", "x/good", "run", "layout; colors", "ann", "") for n in range(10**5))
    path = table_of(tmp_path, "many.csv", *rows)
    begun = time.process_time()
    labels = read_answer_labels(path)
    assert len(labels) == 10**5
    sets = result_sets([result("x/good", "a" * 20 + "7", 0.5, run="run")], Selection())
    first, *_ = category_tables(sets, labels)
    assert "99999 labels are of answers that are not shown" in first.note
    assert time.process_time() - begun < 60


def label(instance: str, *names: str, who: str = "ann", model: str = "x/good") -> AnswerLabel:
    return AnswerLabel(("run", model, instance), who, frozenset(names), "f, row 1")


def tables(*labels: AnswerLabel) -> dict[str, Table]:
    answers = [
        result(model, name, 0.5, run="run") for model in ("x/good", "x/bad") for name in "abcdefg"
    ]
    return {t.name: t for t in category_tables(result_sets(answers, Selection()), labels)}


def test_categories_are_counted_by_model_with_wilson_s_intervals():
    """By hand: 2 of 4 with newline, 1 of 4 with layout; the other model has none of 1."""
    found = tables(
        *(label("a", "newline", "layout"), label("b", "newline"), label("c"), label("d")),
        label("a", model="x/bad"),
    )
    rows = {(row[0], row[2]): list(row[3:]) for row in found["categories"].rows}
    assert rows["x/good", "newline"] == [2, 4, 0.5, pytest.approx((0.15, 0.85), abs=5e-3)]
    assert rows["x/good", "layout"] == [1, 4, 0.25, pytest.approx((0.0456, 0.6994), abs=5e-4)]
    assert rows["x/bad", "newline"] == [0, 1, 0.0, pytest.approx((0, 0.793), abs=5e-3)]
    assert {row[1] for row in found["categories"].rows} == {"LaTeX (protocol=published)"}
    assert found["categories-parts"].rows[0][1] == "LaTeX: equation (protocol=published)"
    assert not found["categories-parts"].printed
    assert "categories-agreement" not in found
    assert rows["x/good", NO_CATEGORY][:2] == [2, 4]
    assert (
        " newline |      2 |         4 | 0.500 | [0.150, 0.850] |" in found["categories"].markdown()
    )


def test_wilson_s_interval_is_that_of_the_literature():
    """Newcombe, Statistics in Medicine, 1998, table I, method 3."""
    for (count, total), expected in {
        (81, 263): (0.2553, 0.3662),
        (15, 148): (0.0624, 0.1605),
        (0, 20): (0.0, 0.1611),
        (1, 29): (0.0061, 0.1718),
    }.items():
        assert wilson_interval(count, total) == pytest.approx(expected, abs=5e-5)


def test_several_annotators_count_by_their_share_and_their_agreement_is_shown():
    found = tables(
        *(label("a", "newline"), label("b", "newline"), label("c"), label("d")),
        *(label("a", "newline", who="bob"), label("b", who="bob"), label("c", who="bob")),
        label("d", who="bob"),
        label("a", "newline", who="cid"),
    )
    row, none = found["categories"].rows
    assert none[3:5] == [2.5, 4]
    assert row[3:6] == [1.5, 4, 0.375]
    (row,) = found["categories-agreement"].rows
    # Three agree on a, two on c and d, and not on b.
    assert row[:3] == ["newline", 4, 0.75]
    # 9 ratings, 4 true: observed 2 / 1 disagreements, expected 2 · 4 · 5 / 8.
    assert row[3] == pytest.approx(1 - 2 / (2 * 4 * 5 / 8))
    pairs = {row[0]: list(row[1:]) for row in found["categories-pairs"].rows}
    assert pairs["ann and bob"] == ["newline", 4, 0.75, 0.5]
    assert pairs["ann and cid"] == ["newline", 1, 1.0, None]
    assert [*pairs] == ["ann and bob", "ann and cid", "bob and cid"]


def test_labels_of_other_answers_are_named_and_never_dropped_silently():
    found = tables(label("a", "newline"), label("zz", "newline"))
    assert "1 labels are of answers that are not shown and do not count: zz of run." in (
        found["categories"].note
    )
    with pytest.raises(
        SetupError, match="no label is of an answer that is shown; they name zz of run"
    ):
        tables(label("zz", "newline"))
    with pytest.raises(SetupError, match="no label is of an answer"):
        tables()


def test_answers_to_which_no_category_applies_are_counted():
    (row,) = tables(label("a"), label("b"))["categories"].rows
    assert row[2:6] == [NO_CATEGORY, 2, 2, 1.0]
