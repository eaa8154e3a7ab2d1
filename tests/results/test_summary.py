"""A suite on one screen, from answers made by hand."""

import csv
from dataclasses import replace

import numpy as np
import pytest

from helm_structext.image2struct.results import result_sets
from helm_structext.image2struct.tables import score_tables
from helm_structext.results.statistics import bootstrap_intervals
from helm_structext.results.summary import summary_tables
from helm_structext.results.tabular import Estimate, Table
from support.image2struct_answers import result, rows, scored

MUSIC = {"subset": "music", "arguments": {"domain": "image2struct_music"}}


def summary(results: list) -> list[Table]:
    return [*summary_tables([one.with_baselines_apart() for one in result_sets(results)])]


def groups(table: Table, column: str = "LaTeX") -> dict[str, str]:
    return {model: row[column].group for model, row in rows(table).items()}


def test_a_score_has_its_interval_and_its_group():
    results = scored(
        good=[0.9, 0.8, 0.95] * 4, bad=[0.1, 0.3, 0.2] * 4, alike=[0.89, 0.82, 0.94] * 4
    )
    (table,) = summary(results)
    cell = rows(table)["good"]["LaTeX"]
    assert cell.value == pytest.approx(0.8833, abs=1e-4)
    grid = result_sets(results)[0].grid
    (interval,) = bootstrap_intervals(grid.measures["EMS"][:, [2]])
    assert cell.interval == interval
    assert groups(table) == {"good": "a", "alike": "a", "bad": "b"}
    assert [row[0] for row in table.rows] == ["good", "alike", "bad"]


def test_baselines_stand_below_without_group_or_win_rate():
    results = scored(
        **{
            "m": [0.5] * 8,
            "n": [0.4] * 8,
            "structext/oracle": [1.0] * 8,
            "structext/blank": [0.6] * 8,
        }
    )
    (table,) = summary(results)
    assert [row[0] for row in table.rows] == ["m", "n", "structext/oracle", "structext/blank"]
    assert table.apart == 2
    assert [row[1] and row[1].value for row in table.rows] == [1, 0, None, None]
    assert groups(table) == {"m": "a", "n": "b", "structext/oracle": "", "structext/blank": ""}
    assert "Baselines (structext/blank, structext/oracle) count in no win rate" in table.note
    lines = table.markdown().splitlines()
    assert lines[-3].startswith("| *baselines* ")


def test_where_there_is_nothing_else_baselines_are_compared():
    (table,) = summary(scored(**{"structext/oracle": [1.0, 1.0], "structext/blank": [0.6, 0.5]}))
    assert table.apart == 0
    assert [row[1].value for row in table.rows] == [1, 0]


def test_one_model_has_neither_group_nor_rates():
    (table,) = summary(scored(**{"m": [0.5, 0.7], "structext/blank": [0.6, 0.6]}))
    assert [column.name for column in table.columns] == ["Model", "LaTeX"]
    assert groups(table)["m"] == ""
    assert "share a letter" not in table.note
    assert "win rate" not in table.note.lower()


def test_many_columns_are_laid_below_each_other_with_the_same_rows():
    models = ["a", "b"]
    results = [
        result(
            model,
            str(n),
            0.5 + (model == "a") / 4,
            arguments={"protocol": protocol, "domain": d},
            **s,
        )
        for model in models
        for n in range(2)
        for protocol in ("published", "corrected")
        for d, s in (
            ("image2struct_latex", {}),
            ("image2struct_webpage", {"subset": "css"}),
            ("image2struct_music", {"subset": "music"}),
        )
    ]
    first, second = summary(results)
    assert [column.name for column in first.columns][:3] == ["Model", "Win rate", "LaTeX (1)"]
    assert [column.name for column in second.columns] == ["Model", "Music (2)"]
    assert [row[0] for row in first.rows] == [row[0] for row in second.rows] == models
    assert "protocol=corrected" in first.note
    assert second.note == ""
    assert max(map(len, first.markdown().splitlines())) <= 130


def test_win_rates_have_the_interval_of_samples_that_all_models_share():
    """b is 0.1 below a on each instance: no sample exchanges them. Whether c beats them, instances say."""
    a = np.random.default_rng(3).random(40) / 2 + 0.2
    c = np.random.default_rng(4).random(40) / 2 + 0.15
    (table,) = summary(scored(a=[*a], b=[*(a - 0.1)], c=[*c]))
    rates = {model: row["Win rate"] for model, row in rows(table).items()}
    counts = np.random.default_rng(5).multinomial(40, [1 / 40] * 40, 20_000)
    first, second, third = (counts @ scores for scores in (a, a - 0.1, c))
    beaten = {
        "a": (1 + (first > third)) / 2,
        "b": (second > third) / 2,
        "c": ((third > first) * 1 + (third > second)) / 2,
    }
    for model, sample in beaten.items():
        assert rates[model].interval == tuple(np.quantile(sample, [0.025, 0.975])), model
        assert rates[model].error == pytest.approx(sample.std(), abs=0.01), model
    assert rates["a"].interval[0] == 0.5


def test_columns_of_other_instances_are_drawn_independently():
    """Alike columns whose samples were the same would make rates vary as much as one column's."""
    scores = {model: [*np.random.default_rng(i).random(30)] for i, model in enumerate("ab")}
    one = summary(scored(**scores))[0]
    music = [
        result(model, f"m{n}", ems, **MUSIC)
        for model, values in scores.items()
        for n, ems in enumerate(values)
    ]
    two = summary([*scored(**scores), *music])[0]
    single, both = (rows(table)["a"]["Win rate"].error for table in (one, two))
    assert both == pytest.approx(single / np.sqrt(2), rel=0.05)


def test_experiments_are_only_named():
    scan = {"perturbation": "scan", "severity": 3}
    (table,) = summary([result("m", "1", 0.5), result("m", "1", 0.1, arguments=scan)])
    assert rows(table)["m"]["LaTeX"].value == 0.5
    assert "Left out: protocol=published, perturbation=scan, severity=3." in table.note


def test_it_says_where_helm_server_shows_another_mean():
    uneven = [
        *(result("m", f"e{i}", 0.9, run="one") for i in range(3)),
        result("m", "t0", 0.1, run="two", subset="table"),
    ]
    (table,) = summary(uneven)
    assert rows(table)["m"]["LaTeX"].value == pytest.approx(0.7)
    assert "so its means differ: LaTeX up to 0.200." in table.note
    (table,) = summary(uneven[2:])
    assert "helm-server" not in table.note


def test_who_lacks_instances_is_named():
    (table,) = summary([*scored(a=[0.5, 0.6], b=[0.5])])
    assert "Not all models have all instances of LaTeX: b 1." in table.note


def test_files_have_the_interval_and_the_group_in_columns_of_their_own():
    (table,) = summary([result("m", "1", 0.5, **MUSIC), *scored(m=[0.5, 0.5], n=[0.25, 0.25])])
    header, first, second = table.csv().splitlines()
    assert header == (
        "Model,Win rate,Win rate SE,Win rate low,Win rate high,Win rate tied,LaTeX,LaTeX SE,LaTeX low,LaTeX high,LaTeX tied,"
        "Music,Music SE,Music low,Music high,Music tied"
    )
    assert first == "m,1.0,0.0,1.0,1.0,,0.5,0.0,0.5,0.5,a,0.5,,,,"
    assert second == "n,0.0,0.0,0.0,0.0,,0.25,0.0,0.25,0.25,a,,,,,"


def test_latex_has_a_rule_above_the_baselines():
    (table,) = summary(scored(**{"m": [0.5, 0.5], "structext/blank": [0.6, 0.6]}))
    assert table.latex().count(r"\hline") == 4
    assert r"0.600 $\pm$0.000" in table.latex()


def test_a_single_instance_has_no_interval():
    (table,) = summary(scored(m=[0.5]))
    assert rows(table)["m"]["LaTeX"] == Estimate(
        0.5,
        pytest.approx((float("nan"),) * 2, nan_ok=True),
        "",
        pytest.approx(float("nan"), nan_ok=True),
    )
    assert "0.500 |" in table.markdown()


def test_standard_errors_are_clustered():
    """Ten questions about one picture are not ten pictures."""
    scores = [0.2] * 10 + [0.8] * 10 + [0.5] * 10
    results = [
        replace(answer, origin=f"paper {int(answer.instance) // 10}") for answer in scored(m=scores)
    ]
    expected = np.std([0.2, 0.8, 0.5], ddof=1) / np.sqrt(3)
    (table,) = summary(results)
    assert rows(table)["m"]["LaTeX"].error == pytest.approx(expected)
    (row,) = csv.DictReader(table.csv().splitlines())
    assert float(row["LaTeX SE"]) == pytest.approx(expected, abs=1e-6)
    table, *_ = (one for one in score_tables(result_sets(results)) if one.name.endswith("scores"))
    assert rows(table)["m"]["EMS SE"] == pytest.approx(expected)
    assert "SE: standard error of the mean, clustered alike." in table.note
