"""What is wrong with pictures, counted by model and beside what people say, and kept as it was found."""

import json
from pathlib import Path

import pytest

from helm_structext.findings import Findings, PictureFinding, findings_record, read_findings
from helm_structext.image2struct.results import Image2StructResult, result_sets
from helm_structext.results.categories import AnswerLabel
from helm_structext.results.columns import read_in_columns
from helm_structext.results.findings import agreement_tables, finding_tables
from helm_structext.results.result_sets import Selection
from helm_structext.results.runs import Run, rendering_of
from support.image2struct_answers import result, rows, section

LOST = PictureFinding("text missing", '"Rain"', None, (0.0, 0.0, 40.0, 20.0), 0.5)
MOVED = PictureFinding("text moved", '"May"', (9.0, 9.0, 19.0, 19.0), (0.0, 9.0, 10.0, 19.0), 0.1)
NOTHING = Findings({"text_recall": 1.0}, (), "Nothing differs that is on the picture.")


def found(*findings):
    return Findings({"text_recall": 0.5}, findings, "Something.")


ANSWERS = [
    result("x/good", "a", 0.9, findings=NOTHING),
    result("x/good", "b", 0.9, findings=found(LOST)),
    result("x/bad", "a", 0.5, findings=found(LOST, LOST, MOVED)),
    result("x/bad", "b", 0.5, findings=found(LOST)),
    result("x/bad", "c", 0.5, findings=Findings({}, (), "", "too many boxes")),
    result("x/bad", "d", None),
]


def test_kinds_are_shares_of_the_pictures_that_were_looked_at():
    table = rows(section("findings", ANSWERS)["latex-findings"])
    good = {"n": 2, "nothing": 0.5, "text missing": 0.5, "text moved": 0.0}
    assert table["x/good"] == {"Model": "x/good", **good}
    bad = {"n": 2, "nothing": 0.0, "text missing": 1.0, "text moved": 0.5}
    assert table["x/bad"] == {"Model": "x/bad", **bad}


def test_a_suite_that_looked_at_no_layout_has_no_table():
    assert list(finding_tables(result_sets([result("m", "a", 0.5)], Selection())[0])) == []


def test_what_people_say_stands_beside_what_was_found():
    said = {("x/good", "a"): (), ("x/good", "b"): ("text lost",), ("x/bad", "a"): ("text lost",)}
    labels = [
        AnswerLabel(("run", model, name), "ann", frozenset(names), "f, row 1")
        for (model, name), names in {**said, ("x/bad", "c"): ("text lost",)}.items()
    ]
    best, every = agreement_tables(result_sets(ANSWERS, Selection()), labels)
    assert best.rows == [["text lost", "text missing", 2, 0, 0, 1.0]]
    assert [row[1:5] for row in every.rows] == [["text missing", 2, 0, 0], ["text moved", 1, 1, 0]]
    assert not every.printed
    assert list(agreement_tables(result_sets(ANSWERS, Selection()), [])) == []


def test_a_record_is_bounded_and_no_kind_loses_its_place_to_another():
    many = found(*[LOST] * 80, *[MOVED] * 30)
    record = json.loads(json.dumps(findings_record(many)))
    kinds = [one["kind"] for one in record["findings"]]
    assert (len(kinds), kinds.count("text moved"), record["left_out"]) == (50, 25, 60)
    assert kinds == sorted(kinds)  # in the order in which they came
    assert read_findings(record).findings[0] == LOST
    assert findings_record(read_findings(record))["left_out"] == 60


def test_an_annotation_gives_back_what_was_kept():
    annotation = {"findings": findings_record(found(LOST, MOVED))}
    state = {"annotations": {"rendering": [annotation]}}
    assert rendering_of(state, Path())["findings"] == found(LOST, MOVED)
    assert rendering_of({"annotations": {"rendering": [{}]}}, Path())["findings"] is None


def test_columns_of_a_run_keep_findings(tmp_path, monkeypatch):
    monkeypatch.setenv("HELM_STRUCTEXT_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "benchmark_output" / "runs" / "s" / "run"
    folder.mkdir(parents=True)
    for name in ("run_spec.json", "scenario_state.json", "per_instance_stats.json"):
        (folder / name).write_text("{}")
    run = Run(folder, {"name": "image2struct_latex"})
    for _ in range(2):
        (again,) = read_in_columns([run], Image2StructResult, lambda _: iter(ANSWERS))
        assert [one.findings for one in again] == [one.findings for one in ANSWERS]


@pytest.mark.parametrize("record", [{}, {"scores": {}}, {"findings": [{}], "scores": {}}])
def test_what_is_no_record_is_refused(record):
    with pytest.raises((KeyError, TypeError)):
        read_findings(record)
