"""Instances by the round of collecting that they are from: scenario, suite, tables."""

import json
from datetime import date

import numpy as np
import pytest

from helm_structext.benchmarks import suite_result_sets, suite_tables
from helm_structext.cli import main
from helm_structext.image2struct.contamination import round_tables
from helm_structext.image2struct.results import result_sets
from support import door
from support.image2struct_answers import dated, result, write_suite
from support.rows import latex_row

OLD, NEW = "2024-01-01..2024-01-31", "2026-10-01..2026-10-31"
CUTOFFS = {"x/seen": date(2024, 6, 30), "x/other": date(2024, 6, 30)}


def answers(model, old, new, spread=0.01):
    """Ten answers of a model to each of two rounds, about these means."""
    offsets = spread * np.linspace(-1, 1, 10)
    return [
        *dated(*[("2024-01-15", old + o) for o in offsets], model=model, round=OLD),
        *dated(*[("2026-10-15", new + o) for o in offsets], model=model, round=NEW),
    ]


def table_of(results, cutoffs=CUTOFFS):
    (table,) = round_tables(result_sets(results), cutoffs)
    return table


def by_round(table, model):
    names = [column.name for column in table.columns]
    found = [dict(zip(names, row, strict=True)) for row in table.rows]
    return {row["Round"]: row for row in found if row["Model"] == model}


@pytest.mark.parametrize(
    ("info", "round"),
    [
        ({"round": NEW}, NEW),
        ({"round": "a\x1b[2J" + "b" * 200}, None),
        ({"title": "x"}, ""),
        ({"round": 7}, ""),
        ([], ""),
    ],
)
def test_an_instance_says_its_round(dataset, tmp_path, info, round):
    folder = dataset([latex_row(0, additional_info=json.dumps(info))])
    (instance,) = door.instances(tmp_path, "image2struct", source=str(folder))
    found = instance.extra_data.get("round", "")
    if round is None:  # of a stranger's file
        assert len(found) < 100
        assert "\x1b" not in found
    else:
        assert found == round


def test_a_round_has_a_row_for_each_model():
    table = table_of(answers("x/seen", 0.9, 0.5))
    rows = by_round(table, "x/seen")
    assert [*rows] == [OLD, NEW]
    old, new = rows[OLD], rows[NEW]
    assert (old["n"], new["n"]) == (10, 10)
    assert old["EMS"] == pytest.approx(0.9)
    assert new["EMS"] == pytest.approx(0.5)
    assert old["EMS 95%"][0] < 0.9 < old["EMS 95%"][1]
    assert (old["Since first"], old["Since first 95%"]) == (None, None)
    assert new["Since first"] == pytest.approx(-0.4)
    low, high = new["Since first 95%"]
    assert -0.42 < low < -0.4 < high < -0.38
    assert (old["Instances"], new["Instances"]) == ("up to cut-off", "later")
    assert old["Cut-off"] == "2024-06-30"


def test_the_skill_is_that_of_the_rounds_own_instances():
    results = [*answers("x/seen", 0.9, 0.5), *answers("structext/blank", 0.6, 0.2)]
    rows = by_round(table_of(results), "x/seen")
    assert rows[OLD]["Skill (blank)"] == pytest.approx(0.3 / 0.4)
    assert rows[NEW]["Skill (blank)"] == pytest.approx(0.3 / 0.8)


def test_models_that_drop_after_their_cutoff_are_named():
    results = [
        *answers("x/seen", 0.9, 0.5),
        # Too little to be more than chance.
        *answers("x/other", 0.7, 0.69, spread=0.2),
        # Of whose training nobody knows.
        *answers("x/unknown", 0.9, 0.5),
    ]
    table = table_of(results)
    assert "Significantly less after their cut-off: x/seen." in table.note
    assert by_round(table, "x/unknown")[NEW]["Cut-off"] is None
    assert by_round(table, "x/unknown")[NEW]["Instances"] is None
    late = {"x/seen": date(2026, 10, 15)}
    assert "Significantly" not in table_of(results, late).note
    early = {"x/seen": date(2023, 1, 1)}  # It has seen neither.
    assert "Significantly" not in table_of(results, early).note


def test_a_round_may_lie_on_both_sides_of_a_cutoff():
    days = [(f"2026-10-{day:02}", 0.5) for day in range(1, 11)]
    results = dated(*days, model="x/seen", round=NEW)
    rows = by_round(table_of(results, {"x/seen": date(2026, 10, 5)}), "x/seen")
    assert rows[NEW]["Instances"] == "up to cut-off and later"


def test_instances_of_no_round_are_one_and_the_oldest_comes_first():
    results = [
        *answers("x/seen", 0.9, 0.5),
        *dated(("2023-05-01", 0.8), ("2023-05-02", 0.7), model="x/seen"),
        result("x/seen", "undated", 0.1, round="later"),
    ]
    assert [*by_round(table_of(results), "x/seen")] == ["none", OLD, NEW, "later"]


def test_a_model_that_lacks_a_round_is_compared_with_its_own_first():
    results = answers("x/seen", 0.9, 0.5) + answers("x/other", 0.9, 0.5)[10:]
    rows = by_round(table_of(results), "x/other")
    assert [*rows] == [NEW]
    assert rows[NEW]["Since first"] is None


def test_rounds_of_other_subsets_are_told():
    results = [
        *answers("x/seen", 0.9, 0.5),
        *dated(*[("2026-10-20", 0.1)] * 3, model="x/seen", round=NEW, subset="table"),
    ]
    note = table_of(results).note
    assert f"({OLD}: equation 10; {NEW}: equation 10, table 3)" in note
    assert "differ in subsets" not in table_of(answers("x/seen", 0.9, 0.5)).note


def test_baselines_stand_apart():
    results = [*answers("x/seen", 0.9, 0.5), *answers("structext/blank", 0.95, 0.95)]
    (one,) = result_sets(results)
    (table,) = round_tables([one.with_baselines_apart()], CUTOFFS)
    assert table.apart == 2
    assert [row[0] for row in table.rows[-2:]] == ["structext/blank"] * 2


def test_a_suite_without_rounds_has_no_such_table(dated_suite, capsys):
    found = suite_result_sets(dated_suite / "benchmark_output" / "runs" / "s")
    assert list(suite_tables(found, ["rounds"])) == []
    assert main(["tables", "s"]) == 0
    assert "by round" not in capsys.readouterr().out


def test_tables_shows_rounds_of_a_suite(tmp_path, monkeypatch, capsys):
    results = [*answers("x/seen", 0.9, 0.5), *answers("x/other", 0.7, 0.7)]
    monkeypatch.chdir(write_suite(tmp_path / "finished", results))
    (tmp_path / "cutoffs.yaml").write_text("x/seen: 2024-06\n")
    assert main(["tables", "s", "--cutoffs", str(tmp_path / "cutoffs.yaml"), "-o", "tables"]) == 0
    text = capsys.readouterr().out
    assert text.count("LaTeX, by round") == 1
    assert "Significantly less after their cut-off: x/seen." in " ".join(text.split())
    written = (tmp_path / "finished" / "tables" / "published-latex-rounds.csv").read_text()
    assert "Since first" in written
    assert main(["tables", "s", "--show", "rounds"]) == 0
    assert "LaTeX, by round" in capsys.readouterr().out
