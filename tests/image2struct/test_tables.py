import csv
import io
import shutil
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from helm_structext.cli import main
from helm_structext.errors import SetupError
from helm_structext.image2struct import floors
from helm_structext.image2struct.contamination import date_tables, read_cutoffs
from helm_structext.image2struct.experiments import experiment_tables
from helm_structext.image2struct.floors import shuffled_floor
from helm_structext.image2struct.results import Image2StructResult, read_run, result_sets
from helm_structext.image2struct.tables import SECTIONS, correlation_tables
from helm_structext.metrics import earth_mover_similarity
from helm_structext.renderers import render
from helm_structext.results.comparisons import ScoreGrid, comparison_tables
from helm_structext.results.result_sets import Selection
from helm_structext.results.runs import finished_runs, is_refusal
from helm_structext.results.tabular import Column, Table, write_tables
from support import GOLDEN
from support.image2struct_answers import EMS, groups, result, scored, write_suite
from support.rows import png


def section(name: str, results: list[Image2StructResult], **options: Any) -> dict[str, Table]:
    """Name of a table (without the condition) to the table."""
    tables = [t for group in groups(results, **options) for t in SECTIONS[name](group)]
    return {table.name.removeprefix("published-"): table for table in tables}


def rows(table: Table) -> dict[str, dict[str, Any]]:
    """First cell to column to cell; with several rows of one name, the last."""
    names = [column.name for column in table.columns]
    return {row[0]: dict(zip(names, row, strict=True)) for row in table.rows}


def read_suite(suite: Path) -> list[Image2StructResult]:
    runs = finished_runs(suite, {"image2struct_latex"})
    return [answer for run in runs for answer in read_run(run)]


# What is pooled


def test_means_are_over_instances_and_not_over_runs_and_failures_are_zero():
    results = [
        *(result("m", f"e{i}", 0.9, run="one") for i in range(3)),
        result("m", "t0", None, run="two", subset="table"),
    ]
    row = rows(section("scores", results)["latex-scores"])["m"]
    assert row["EMS"] == pytest.approx(2.7 / 4)
    assert row["Rendered"] == 0.75
    assert row["n"] == 4


def test_each_subset_has_a_table_and_a_single_one_is_the_domain():
    results = [result("m", "1", 0.5), result("m", "2", 0.7, subset="plot")]
    tables = section("scores", results)
    assert list(tables) == [
        *("latex-subsets", "latex-scores", "latex-equation-scores", "latex-plot-scores")
    ]
    assert tables["latex-subsets"].rows == [["m", pytest.approx(0.6), 0.5, 0.7]]
    assert rows(tables["latex-plot-scores"])["m"]["EMS"] == 0.7
    assert list(section("scores", results[:1])) == ["latex-scores"]


def test_protocols_are_never_mixed():
    results = [
        result("m", "1", 0.5),
        result("m", "1", 0.9, arguments={"protocol": "corrected"}),
    ]
    tables = section("leaderboard", results)
    assert rows(tables["leaderboard"])["m"]["LaTeX EMS"] == 0.5
    assert rows(tables["corrected-leaderboard"])["m"]["LaTeX EMS"] == 0.9
    assert "protocol=corrected" in tables["corrected-leaderboard"].note


def test_experiments_are_apart_and_an_argument_at_its_default_is_none():
    usual = {"perturbation": "none", "severity": 3, "wording": "default"}
    worse = {"perturbation": "scan", "severity": 3, "wording": "default"}
    results = [
        result("m", "1", 0.5),
        result("m", "2", 0.7, arguments=usual),
        result("m", "1", 0.1, arguments=worse),
    ]
    first, second = result_sets(results)
    assert first.condition == "protocol=published"
    assert len(first.instances) == 2
    assert second.condition == "protocol=published, perturbation=scan, severity=3"


def test_runs_that_overlap_count_once_unless_they_differ():
    twice = [result("m", "1", 0.5, run="all"), result("m", "1", 0.5, run="equation")]
    assert rows(section("scores", twice)["latex-scores"])["m"]["n"] == 1
    twice[1] = result("m", "1", 0.6, run="equation", completion="something else")
    with pytest.raises(SetupError, match=r"m has two answers to instance 1.*all and equation"):
        result_sets(twice)


def test_models_with_other_instances_are_named():
    results = [*scored(a=[0.5, 0.6, 0.7], b=[0.5, 0.6, 0.7])][:5]
    table = section("scores", results)["latex-scores"]
    assert "Not all models have all instances of LaTeX: b 2." in table.note
    assert rows(table)["b"]["n"] == 2
    assert "Not all" not in section("scores", results[:3])["latex-scores"].note


def test_models_are_chosen_by_pattern_and_the_floor_stays():
    results = scored(**{"x/a": [0.8], "x/b": [0.6], "structext/blank": [0.6]})
    table = section("scores", results, patterns=["x/*"])["latex-scores"]
    assert [row[0] for row in table.rows] == ["x/a", "x/b"]
    assert rows(table)["x/a"]["Skill (blank)"] == pytest.approx(0.5)
    with pytest.raises(SetupError, match=r"no model of the suite is named y/\*.*x/a, x/b"):
        groups(results, patterns=["y/*"])


# The leaderboard


def test_win_rates_with_half_and_with_strict_wins():
    table = section("leaderboard", scored(a=[0.9], b=[0.5], c=[0.5]))["leaderboard"]
    found = {name: (row["Win rate"], row["strict"]) for name, row in rows(table).items()}
    # All rendered: in R everyone ties.
    assert found == {"a": (0.75, 0.5), "b": (0.375, 0.0), "c": (0.375, 0.0)}
    assert "LaTeX 1" in table.note


def test_domains_stand_side_by_side_and_wild_pictures_apart():
    music = {"domain": "image2struct_music"}
    results = [
        result("m", "1", 0.5),
        result("m", "2", 0.4, subset="music", arguments=music),
        result("m", "3", 0.3, subset="wild"),
        result("m", "4", 0.1, subset="wild_legacy"),
    ]
    tables = section("leaderboard", results)
    assert [c.name for c in tables["leaderboard"].columns] == [
        *("Model", "Win rate", "strict", "LaTeX R", "LaTeX EMS", "Music R", "Music EMS")
    ]
    assert rows(tables["wild-leaderboard"])["m"]["LaTeX EMS"] == pytest.approx(0.2)
    assert list(section("scores", results)) == [
        *("latex-scores", "music-scores", "latex-wild-subsets", "latex-wild-scores"),
        *("latex-wild-wild-scores", "latex-wild-wild_legacy-scores"),
    ]


def test_one_model_alone_has_scores_and_no_rates():
    results = scored(only=[0.5, 0.7])
    row = rows(section("leaderboard", results)["leaderboard"])["only"]
    assert row["Win rate"] is None
    assert row["LaTeX EMS"] == pytest.approx(0.6)
    assert section("significance", results) == {}


def test_a_leaderboard_of_three_domains_fits_a_terminal():
    model = "anthropic/claude-3-5-sonnet-20241022"
    results = [
        result(model, "1", 0.5, subset=subset, arguments={"domain": f"image2struct_{domain}"})
        for domain, subset in (("latex", "plot"), ("webpage", "css"), ("music", "music"))
    ]
    for name in SECTIONS:
        for table in section(name, results).values():
            assert max(map(len, table.markdown().splitlines())) <= 130


# Metrics


def test_a_metric_that_a_domain_does_not_have_has_no_column():
    music = {"domain": "image2struct_music"}
    results = [
        result("m", "1", 0.5, scores={"edit_similarity": 0.25, "lpips_similarity": 0.5}),
        result("m", "2", 0.4, subset="music", arguments=music),
    ]
    tables = section("metrics", results)
    assert [c.name for c in tables["latex-metrics"].columns] == [
        *("Model", "Rendered", "EMS", "LPIPS", "Edit sim.")
    ]
    assert "Table A2" in tables["latex-metrics"].title
    assert "Table A4" in tables["music-metrics"].title
    assert [c.name for c in tables["music-metrics"].columns] == ["Model", "Rendered", "EMS"]


def test_distances_are_over_rendered_answers():
    row = rows(section("metrics", scored(m=[0.5, 0.7, None]))["latex-readings"])["m"]
    assert row["EMS (rendered)"] == pytest.approx(0.6)
    assert row["Block EMD"] == pytest.approx(0.4)


# Intervals and significance


def test_intervals_surround_means_and_are_the_same_every_time():
    values = np.random.default_rng(1).random(50).tolist()
    tables = [section("scores", scored(m=values))["latex-scores"] for _ in range(2)]
    row = rows(tables[0])["m"]
    low, high = row["EMS 95%"]
    assert low < row["EMS"] < high < low + 0.2
    assert tables[0].csv() == tables[1].csv()


def test_a_clear_difference_is_significant_and_noise_is_not():
    random = np.random.default_rng(3)
    base = random.uniform(0.3, 0.6, 60)
    results = scored(
        strong=(base + 0.2).tolist(),
        weak=base.tolist(),
        twin=(base + random.normal(0, 0.01, 60)).tolist(),
    )
    tables = section("significance", results)
    pairs = {(row[0], row[1]): row for row in tables["latex-pairs"].rows}
    assert len(pairs) == 3
    assert not tables["latex-pairs"].printed
    (clear,) = [row for (one, other), row in pairs.items() if {one, other} == {"strong", "weak"}]
    assert clear[2:4] == [60, pytest.approx(0.2)]
    assert clear[6] < 0.001
    (noise,) = [row for (one, other), row in pairs.items() if {one, other} == {"weak", "twin"}]
    assert noise[6] > 0.05
    marks = {row[0][2:]: row[1:] for row in tables["latex-significant"].rows}
    assert marks["strong"] == ["", ">", ">"]
    assert sorted(marks["weak"]) == sorted(["<", "·", ""])


def test_two_models_are_compared_on_the_instances_of_both():
    results = [*scored(a=[0.5, 0.9, 0.9]), *scored(b=[0.5, 0.8])]
    (row,) = section("significance", results)["latex-significance"].rows
    assert row[2:4] == [2, pytest.approx(0.05)]


# Skill


def test_skill_is_above_the_blank_page_on_the_same_instances():
    results = scored(**{"m": [0.8, 0.9], "late": [0.8], "structext/blank": [0.6, 0.8]})
    found = rows(section("scores", results)["latex-scores"])
    assert found["m"]["Skill (blank)"] == pytest.approx(0.15 / 0.3)
    assert found["late"]["Skill (blank)"] == pytest.approx(0.5)
    assert found["structext/blank"]["Skill (blank)"] == pytest.approx(0)
    assert "blank page 0.700" in section("scores", results)["latex-scores"].note


def test_without_a_floor_there_is_no_skill():
    results = scored(m=[0.8, 0.9])  # of pictures that are not there
    table = section("scores", results)["latex-scores"]
    assert not any("Skill" in column.name for column in table.columns)
    assert "blank page unknown (structext/blank is not in the suite)" in table.note
    assert "shuffled references unknown" in table.note
    assert list(section("leaderboard", results)) == ["leaderboard"]


def test_a_model_without_instances_of_the_floor_has_no_skill():
    results = [
        *scored(**{"m": [0.8, 0.9], "structext/blank": [0.5]}),
        result("other", "2", 0.7),
    ]
    table = section("scores", results)["latex-scores"]
    assert rows(table)["m"]["Skill (blank)"] == pytest.approx(0.6)
    assert table.markdown().splitlines()[-2].split()[1:4:2] == ["other", "1"]
    assert np.isnan(rows(table)["other"]["Skill (blank)"])


@pytest.fixture
def pictures(tmp_path, monkeypatch) -> list[Path]:
    """Three pictures that differ, with a cache of their own."""
    monkeypatch.setenv("HELM_STRUCTEXT_CACHE", str(tmp_path / "cache"))
    paths = []
    for i in range(3):
        image = Image.new("RGB", (48, 32), "white")
        image.paste((200, 0, 0), (8 * i, 4, 8 * i + 12 + 6 * i, 28))
        paths.append(tmp_path / f"{i}.png")
        image.save(paths[-1])
    return paths


def test_the_shuffled_floor_is_what_others_references_score(pictures):
    images = [Image.open(path) for path in pictures]
    values = shuffled_floor(pictures, "padding")
    for i, value in enumerate(values):
        others = [earth_mover_similarity(images[j], images[i]) for j in range(3) if j != i]
        assert value in others
    backwards = shuffled_floor(pictures[::-1], "padding")
    assert backwards == values[::-1]


def test_the_shuffled_floor_is_kept_by_content(pictures, monkeypatch):
    values = shuffled_floor(pictures, "padding")
    moved = [path.rename(path.with_name(f"moved-{path.name}")) for path in pictures]
    monkeypatch.setattr(floors, "map_in_processes", None)
    assert shuffled_floor(moved, "padding") == values
    moved[0].write_bytes(png())
    with pytest.raises(TypeError):  # it would have to be computed again
        shuffled_floor(moved, "padding")


def test_skill_above_shuffled_references(pictures):
    results = [
        result("m", str(i), value, picture=pictures[i]) for i, value in enumerate([1, 0.9, 0.95])
    ]
    floor = sum(shuffled_floor(pictures, "padding")) / 3
    table = section("scores", results)["latex-scores"]
    assert rows(table)["m"]["Skill (shuffled)"] == pytest.approx((0.95 - floor) / (1 - floor))
    assert f"shuffled references {floor:.3f}" in table.note


def test_a_broken_picture_is_named(pictures):
    pictures[1].write_bytes(b"no picture")
    results = [result("m", str(i), 0.5, picture=path) for i, path in enumerate(pictures)]
    with pytest.raises(SetupError, match=r"can't be read.*1\.png"):
        section("scores", results)


# Truncated and refused answers


@pytest.mark.parametrize(
    ("completion", "refused"),
    [
        ("I'm sorry, but I can't assist with that.", True),
        ("Sorry, I can’t help with that request.", True),
        ("I am unable to view images.", True),
        ("As an AI language model, I do not have the ability to see pictures.", True),
        ("Unfortunately, I cannot transcribe copyrighted sheet music.", True),
        ("I apologize, but I won't reproduce this page.", True),
        ("I must decline this request.", True),
        ("", False),
        ("x", False),
        ("I cannot read it all, but here is a start:\n```latex\n$x$\n```", False),
        (r"I can't see the third line. \begin{align*} x \end{align*}", False),
        ('[{"filename": "index.html", "content": "I cannot help"}]', False),
        ("Dear Ada, I am sorry that I cannot come on Sunday.", False),
        ("node i cannot access the channel", False),
        ("Es tut mir leid, dabei kann ich nicht helfen.", False),
        ("A long page of text. " * 20 + "I cannot assist with that.", False),
    ],
)
def test_only_a_plain_refusal_is_one(completion, refused):
    assert is_refusal(completion) is refused


def test_answers_that_were_cut_or_refused_are_counted_and_named():
    results = [
        result("cut", "1", None, finish_reason="length"),
        result("cut", "2", 0.8),
        result("shy", "1", None, completion="I can't help with that.", error_kind="syntax"),
        result("shy", "2", None, completion="", error_kind="empty", blocked=True),
    ]
    found = rows(section("answers", results)["latex-answers"])
    assert found["cut"] | {"Cut": 0.5, "Refused": 0.0, "Syntax": 0.5, "n": 2} == found["cut"]
    assert found["shy"] | {"Refused": 1.0, "Empty": 0.5, "No page": 0.5} == found["shy"]
    note = section("leaderboard", results)["leaderboard"].note
    assert "Answers cut or refused: cut 50.0%, shy 100.0%." in note
    assert "cut or refused" not in section("leaderboard", scored(m=[0.5]))["leaderboard"].note


# Dates


def dated(*values: tuple[str, float], model: str = "m", **changes: Any) -> list[Image2StructResult]:
    return [
        result(model, f"{day}-{i}", ems, date=day, **changes) for i, (day, ems) in enumerate(values)
    ]


def test_recent_instances_weigh_more():
    results = dated(("2024-03-01", 1.0), ("2024-01-31", 0.0))
    table = section("scores", results, half_life=30)["latex-scores"]
    assert rows(table)["m"]["EMS"] == pytest.approx(2 / 3)
    assert (
        "have a half-life of 30 days, counted from 2024-03-01 (worth 1.8 equal ones)" in table.note
    )
    later = dated(("2024-03-31", 1.0), subset="wild", model="n")
    ours, _ = result_sets([*results, *later], Selection(half_life=30))
    assert ours.weights.tolist() == [0.25, 0.5]  # in order of the ids, which begin with dates


def test_a_result_set_without_dates_is_not_weighed_and_says_so():
    results = [*dated(("2024-03-01", 1.0)), result("m", "x", 0.4, subset="wild")]
    table = section("scores", results, half_life=30)["latex-wild-scores"]
    assert rows(table)["m"]["EMS"] == 0.4
    assert "have no dates and count the same" in table.note


def test_instances_without_a_date_among_others_are_named():
    results = [*dated(("2024-03-01", 1.0)), result("m", "nodate", 0.4)]
    with pytest.raises(SetupError, match="1 of 2 instances of LaTeX have none: nodate"):
        section("scores", results, half_life=30)
    with pytest.raises(SetupError, match=r"date 'yesterday'.*YYYY-MM-DD"):
        result_sets(dated(("yesterday", 0.1)), Selection(half_life=30))


def test_scores_before_and_after_the_cutoff():
    results = [
        *dated(*[("2024-01-31", 0.9)] * 5, *[("2024-02-01", 0.5)] * 5),
        *dated(*[("2024-01-31", 0.6)] * 5, *[("2024-02-01", 0.6)] * 5, model="structext/blank"),
        *dated(("2024-01-31", 0.9), model="unlisted"),
    ]
    cutoff, periods = date_tables(result_sets(results), {"m": date(2024, 1, 31)})
    found = {row[2]: row[3:] for row in cutoff.rows}
    assert found["up to cut-off"] == [5, pytest.approx(0.9), (0.9, 0.9), pytest.approx(0.75)]
    assert found["later"][:2] == [5, pytest.approx(0.5)]
    assert found["change"][1:] == [pytest.approx(-0.4), (-0.4, -0.4), pytest.approx(-1.0)]
    assert {row[0] for row in cutoff.rows} == {"m"}
    assert [row[1:5] for row in periods.rows] == [
        ["2024-01-31", "2024-01-31", "up to cut-off", 5],
        ["2024-02-01", "2024-02-01", "later", 5],
    ]
    assert Image.open(io.BytesIO(periods.drawing())).size > (600, 200)


def test_periods_have_equal_lengths_and_are_cut_at_the_cutoff():
    results = dated(*[(f"2024-01-{day:02}", day / 100) for day in range(1, 25)])
    _, periods = date_tables(result_sets(results), {"m": date(2024, 1, 2)})
    assert [row[4] for row in periods.rows] == [2, 1, *[3] * 7]
    assert [row[5] for row in periods.rows[:2]] == [pytest.approx(0.015), pytest.approx(0.03)]


def test_a_cutoff_before_all_instances_leaves_nothing_to_compare():
    (cutoff, _) = date_tables(
        result_sets(dated(("2024-01-31", 0.9), ("2024-02-01", 0.5))), {"m": date(2020, 1, 1)}
    )
    assert [row[3] for row in cutoff.rows] == [0, 2, None]
    assert np.isnan(cutoff.rows[2][4])
    assert "–" in cutoff.markdown()


def test_cutoffs_for_none_of_the_models():
    with pytest.raises(SetupError, match="none of the models m"):
        list(date_tables(result_sets(dated(("2024-01-31", 0.9))), {"x": date(2024, 1, 1)}))


def test_cutoffs_are_days_or_months(tmp_path):
    file = tmp_path / "cutoffs.yaml"
    file.write_text("a/b: 2023-10-01\nc/d: 2024-02\n")
    assert read_cutoffs(file) == {"a/b": date(2023, 10, 1), "c/d": date(2024, 2, 29)}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("- a\n", "holds no mapping"),
        ("a: spring\n", "a: expected YYYY-MM-DD or YYYY-MM, got 'spring'"),
        ("a: 2024-13\n", "got '2024-13'"),
        ("a: 2024\n", "got 2024"),
        ("a: [1\n", "can't be read"),
        ("\xff", "can't be read"),
    ],
)
def test_bad_cutoffs_are_named(tmp_path, text, words):
    file = tmp_path / "cutoffs.yaml"
    file.write_bytes(text.encode("latin-1"))
    with pytest.raises(SetupError, match=words):
        read_cutoffs(file)


# Suites and conditions against each other


def grids(results: list[Image2StructResult]) -> list[ScoreGrid]:
    return [one.grid() for one in result_sets(results)]


def test_what_changed_between_two_suites():
    old = grids(scored(a=[0.5, 0.5, 0.5], b=[0.6, 0.6, 0.6], gone=[0.1]))
    new = grids(scored(a=[0.7, 0.8, 0.9], b=[0.6, 0.6, None], added=[0.2]))
    (table,) = comparison_tables(old, new)
    found = rows(table)
    assert list(found) == ["a", "b"]
    assert found["a"]["Change"] == pytest.approx(0.3)
    assert found["a"]["Rank"] == "2 → 1"
    assert found["b"]["R new"] == pytest.approx(2 / 3)
    assert found["b"]["Change"] == pytest.approx(-0.2)
    assert found["a"]["p (Holm)"] == 0.5  # a quarter for three instances, times two


def test_suites_with_other_instances_are_refused_with_the_difference():
    old, new = grids(scored(m=[0.5, 0.6])), grids(scored(m=[0.5, 0.6, 0.7]))
    with pytest.raises(SetupError, match=r"image2struct_latex, equation: 1 only in the new.*\(2\)"):
        list(comparison_tables(old, new))
    corrected = grids([result("m", "0", 0.5, arguments={"protocol": "corrected"})])
    with pytest.raises(SetupError, match=r"protocol=corrected.*only in the old.*only in the new"):
        list(comparison_tables(corrected, grids(scored(m=[0.5]))))
    other = grids([result("m", "0", 0.5, picture=Path("other.png"))])
    with pytest.raises(SetupError, match="1 with another content"):
        list(comparison_tables(grids(scored(m=[0.5])), other))
    with pytest.raises(SetupError, match="no model in common"):
        list(comparison_tables(grids(scored(x=[0.5])), old))


def test_the_models_of_both_suites_need_the_same_instances_each():
    old = grids([*scored(a=[0.5, 0.6]), *scored(b=[0.5, 0.6])])
    new = grids([*scored(a=[0.5]), *scored(b=[0.5, 0.6])])
    with pytest.raises(SetupError, match="1 only in the old suite"):
        list(comparison_tables(old, new))


def test_what_a_perturbation_and_a_wording_change():
    scan = {"perturbation": "scan", "severity": 4}
    results = [
        *scored(m=[0.8, 0.6, 0.9], other=[0.5]),
        *(result("m", str(i), v, arguments=scan) for i, v in enumerate([0.5, 0.5])),
        *(
            result("m", str(i), v, arguments={"wording": "cot"})
            for i, v in enumerate([0.9, 0.8, 0.7])
        ),
    ]
    changes, spread = experiment_tables(result_sets(results))
    found = {row[1]: row[2:] for row in changes.rows}
    assert found["perturbation=scan, severity=4"][:4] == [2, *map(pytest.approx, (0.7, 0.5, -0.2))]
    assert found["wording=cot"][0] == 3
    assert rows(spread)["m"]["cot"] == pytest.approx(0.8)
    assert rows(spread)["m"]["Spread"] == pytest.approx(0.8 - 2.3 / 3)
    assert rows(spread)["other"]["cot"] is rows(spread)["other"]["Spread"] is None
    assert list(experiment_tables(result_sets(scored(m=[0.5])))) == []


# Correlation


def test_correlation_is_over_rendered_answers_of_real_models():
    pairs = [(0.2, 0.4), (0.4, 0.5), (0.9, 0.75)]
    results = [
        *(
            result("m", str(i), e, scores={"structural_similarity": s})
            for i, (e, s) in enumerate(pairs)
        ),
        result("m", "failed", None, scores={"structural_similarity": 0.0}),
        *(
            result("structext/oracle", str(i), 1.0, scores={"structural_similarity": 1})
            for i in range(3)
        ),
    ]
    (group,) = groups(results)
    (table,) = correlation_tables(group)
    names = [row[0] for row in table.rows]
    assert names == ["1 EMS", "2 SSIM", "3 Block EMD"]
    expected = np.corrcoef(np.array(pairs).T)[0, 1]
    assert table.rows[0][2] == pytest.approx(expected)
    assert table.rows[0][3] == pytest.approx(-1)
    assert "3 rendered answers of 1 model," in table.note
    (group,) = groups(results[-3:])
    assert list(correlation_tables(group)) == []


# Files


def test_tables_are_written_and_can_be_read_back(tmp_path):
    (group,) = groups(scored(a=[0.8, 0.9, 0.4], b=[0.6, None, 0.5]))
    tables = [t for make in SECTIONS.values() for t in make(group)]
    files = write_tables(tables, tmp_path / "new" / "folder")
    assert len(files) == len(set(files)) == 2 * len(tables) + 1
    with (tmp_path / "new/folder/published-latex-scores.csv").open() as file:
        first, second = csv.DictReader(file)
    assert first["Model"] == "a"
    assert float(first["EMS"]) == pytest.approx(0.7)
    assert float(first["EMS 95% low"]) < 0.7 < float(first["EMS 95% high"])
    assert second["Model"] == "b"
    picture = Image.open(tmp_path / "new/folder/published-correlation.png")
    assert picture.width > 200
    again = tmp_path / "again"
    write_tables(tables, again)
    for file in files:
        assert (again / file.name).read_bytes() == file.read_bytes()


def test_a_folder_that_can_not_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(SetupError, match="can't be written"):
        write_tables([], tmp_path / "file")


def test_every_table_compiles_in_latex():
    names = ["plain", r"a_b & 100% #1 {x} ~ ^ \y $z$", "[opt]", "*star", "模型 é ≥"]
    results = [result(name, str(i), 0.5 + i / 10) for name in names for i in range(3)]
    results += [result(n, "w", 0.4, subset="wild", date="2024-01-01") for n in names]
    (group,) = groups(results)
    tables = [t for make in SECTIONS.values() for t in make(group)]
    tables += date_tables(group, {names[1]: date(2024, 1, 1)})
    # One document for all: each float alone on its page, and the first page is the picture.
    document = "".join(table.latex() for table in tables)
    assert render("latex", document).image.width > 500
    assert render("latex", tables[0].latex(), protocol="corrected").image.height > 100


def test_signs_that_markdown_needs_are_escaped():
    table = Table("t", "T", "", [Column("a|b")], [["c|d"]])
    assert table.markdown().splitlines()[-1] == r"| c\|d |"


# The commands


@pytest.fixture
def finished(tmp_path, monkeypatch) -> Path:
    folder = write_suite(
        tmp_path / "finished",
        [
            *dated(("2024-01-01", 0.8), ("2024-02-01", 0.6), ("2024-02-02", 0.9), model="x/good"),
            *dated(("2024-01-01", 0.4), ("2024-02-01", 0.2), ("2024-02-02", 0.3), model="x/bad"),
        ],
    )
    monkeypatch.chdir(folder)
    return folder


def test_a_suite_is_read_back_as_it_was_written(finished):
    results = read_suite(Path("benchmark_output/runs/s"))
    assert {(r.model, r.date, r.scores[EMS]) for r in results} >= {("x/good", "2024-02-01", 0.6)}
    assert not any(r.blocked or r.truncated or r.refused for r in results)


def test_what_the_model_saw_is_kept_where_it_was_another_picture(tmp_path):
    plain = result("x/good", "0", 0.5)
    worse = result("x/good", "1", 0.5, seen="pictures/1-blurred.png")
    folder = write_suite(tmp_path, [plain, worse])
    first, second = read_suite(folder / "benchmark_output" / "runs" / "s")
    assert first.seen is None
    assert (second.seen, second.picture) == (
        folder / "pictures" / "1-blurred.png",
        folder / "pictures" / "1.png",
    )


def test_a_run_that_is_half_written_is_named(finished):
    (run, *_) = Path("benchmark_output/runs/s").iterdir()
    (run / "scenario_state.json").write_text('{"request_states": [')
    with pytest.raises(SetupError, match=r"scenario_state.json can't be read.*helm-run"):
        read_suite(Path("benchmark_output/runs/s"))


def test_tables_prints_and_writes(finished, capsys):
    assert main(["tables", "s", "-o", "out"]) == 0
    printed = capsys.readouterr().out
    assert "**Leaderboard (Table 2).** protocol=published" in printed
    assert "| x/good |" in printed
    assert "all pairs" not in printed
    assert Path("out/published-latex-pairs.csv").exists()
    assert Path("out/published-correlation.png").exists()


def test_tables_shows_what_it_is_asked_for(finished, capsys):
    Path("cutoffs.yaml").write_text("x/good: 2024-01\n")
    arguments = ["--show", "answers", "--models", "x/g*", "--cutoffs", "cutoffs.yaml"]
    assert main(["tables", "s", *arguments]) == 0
    printed = capsys.readouterr().out
    assert "Leaderboard" not in printed
    assert "before and after the training cut-off" in printed
    assert "x/bad" not in printed


def test_half_life_changes_the_means(finished, capsys):
    assert main(["tables", "s", "--show", "scores", "--half-life", "1"]) == 0
    printed = capsys.readouterr().out
    assert "0.800" in printed.split("x/good")[1]  # (0.9 + 0.6 / 2) / 1.5, near enough
    assert "half-life of 1 days" in printed.replace("\n", " ")


def test_a_suite_against_itself_has_not_changed(finished, capsys):
    assert main(["tables", "s", "--against", "s"]) == 0
    printed = capsys.readouterr().out
    assert "+0.000" in printed
    assert "1 → 1" in printed
    assert "1.0000" in printed


def test_suites_that_have_no_benchmark_in_common(finished, capsys):
    suite = Path("benchmark_output/runs")
    shutil.copytree(GOLDEN / "suite" / suite / "demo", suite / "t")
    for run in (suite / "t").iterdir():
        if not run.name.startswith("mmr"):
            shutil.rmtree(run)
    assert main(["tables", "s", "--against", "t"]) == 2
    assert "t and s have no benchmark in common" in capsys.readouterr().err


def test_correlate_prints_a_matrix_and_draws_it(finished, capsys):
    assert main(["correlate", "s", "-o", "out"]) == 0
    assert "| 2 Block EMD |" in capsys.readouterr().out
    assert {path.suffix for path in Path("out").iterdir()} == {".csv", ".tex", ".png"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["tables", "s", "--half-life", "0"], "--half-life is 0; expected"),
        (["tables", "s", "--half-life", "nan"], "--half-life is nan; expected"),
        (["tables", "s", "--show", "everything"], "unknown section everything; there are leaderb"),
        (["tables", "s", "--against", "s", "--show", "scores"], "--against shows"),
        (["tables", "s", "--against", "absent"], "no finished runs"),
        (["tables", "s", "--cutoffs", "absent.yaml"], "absent.yaml can't be read"),
        (["tables", "s", "--models", "nobody"], "no model of the suite is named nobody"),
        (["correlate", "absent"], "no finished runs"),
    ],
)
def test_faults_of_the_user_say_what_to_do(finished, capsys, arguments, words):
    assert main(arguments) == 2
    assert words in capsys.readouterr().err


def test_nothing_to_correlate_says_so(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(write_suite(tmp_path, scored(**{"structext/blank": [0.5, 0.6]})))
    assert main(["correlate", "s"]) == 2
    assert "no answer rendered but those of structext/oracle" in capsys.readouterr().err


def test_a_reader_who_leaves_early_is_no_error(finished):
    code = "import sys; from helm_structext.cli import main; sys.exit(main(sys.argv[1:]))"
    program = [sys.executable, "-c", code, "tables", "s", "--show", "leaderboard"]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        said = process.stderr.read()
    assert (process.returncode, said) == (0, b"")
