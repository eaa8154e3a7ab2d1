"""Image2Struct's tables, on answers made by hand."""

import csv
import json
from datetime import date

import numpy as np
import pytest
from PIL import Image

from helm_structext.errors import SetupError
from helm_structext.image2struct.contamination import date_tables
from helm_structext.image2struct.report import METRICS, SKILL, WORDS
from helm_structext.image2struct.results import result_sets
from helm_structext.image2struct.scores import LAYOUT_METRICS, TEXT_METRICS
from helm_structext.image2struct.tables import SECTIONS, averages, correlation_tables
from helm_structext.renderers import render
from helm_structext.results.tabular import write_tables
from support import GOLDEN, ROOT
from support.image2struct_answers import (
    groups,
    result,
    rows,
    scored,
    section,
)

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
    found = {
        name: (row["Win rate"].value, row["strict"].value, row["ranks"])
        for name, row in rows(table).items()
    }
    # All rendered: in R everyone ties.
    assert found == {"a": (0.75, 0.5, 0.5), "b": (0.375, 0.0, 0.25), "c": (0.375, 0.0, 0.75)}
    assert "LaTeX 1" in table.note
    # One instance says nothing of how much they vary.
    assert all(np.isnan(row["Win rate"].half) for row in rows(table).values())


def test_averages_of_section_4_1_are_of_products():
    table = json.loads((GOLDEN / "image2struct_table2.json").read_text())
    found = {}
    for domain, column in (("LaTeX", 1), ("webpages", 3), ("music", 5)):
        rendered, ems = (
            {model: row[place] for model, row in table["rows"].items()}
            for place in (column, column + 1)
        )
        found[domain] = averages(rendered, ems)
    assert found == {
        "LaTeX": pytest.approx((0.473, 0.324), abs=0.0005),
        "webpages": pytest.approx((0.416, 0.369), abs=0.0005),
        "music": pytest.approx((0.155, 0.069), abs=0.0005),
    }


def test_averages_over_models_leave_baselines_out():
    results = [
        result("a", "1", 0.5),
        result("a", "2", None),
        result("b", "1", 0.8),
        result("b", "2", 0.6),
        result("structext/blank", "1", 0.6),
    ]
    (ours,) = result_sets(results)
    _, table, *_ = SECTIONS["leaderboard"]([ours.with_baselines_apart()])
    (row,) = table.rows
    assert row[:2] == ["LaTeX", 2]
    assert row[2:] == pytest.approx([(0.25 + 0.7) / 2, (0.125 + 0.7) / 2])


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
        *("Model", "Win rate", "strict", "ranks", "LaTeX R", "LaTeX EMS", "Music R", "Music EMS")
    ]
    assert rows(tables["wild-leaderboard"])["m"]["LaTeX EMS"] == pytest.approx(0.2)
    assert {name: table.title for name, table in tables.items() if "skill" not in name} == {
        "leaderboard": "Leaderboard (Table 2)",
        "averages": "Averages over models (section 4.1)",
        "wild-leaderboard": "Leaderboard of wild pictures (Tables A5 and A6)",
        "wild-averages": "Averages over models of wild pictures",
    }
    assert "protocol=published; LaTeX (wild)." in tables["wild-averages"].note
    titles = [table.title for table in section("metrics", results).values()]
    assert titles[::2] == [
        "LaTeX, metrics of the paper (Table A2)",
        "Music, metrics of the paper (Table A4)",
        "LaTeX (wild), metrics of the paper (Table A5)",
    ]
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
            assert max(map(len, table.markdown().splitlines())) <= 140


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


# Truncated and refused answers


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
    assert len(files) == len(set(files)) == 2 * len(tables) + 2
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


# Words


def test_metrics_of_texts_and_layouts_have_columns_and_words_that_explain_them():
    names = [*TEXT_METRICS, *LAYOUT_METRICS]
    assert [METRICS[name] for name in names if METRICS[name] not in WORDS] == []


def test_the_document_explains_every_metric():
    document = (ROOT / "docs" / "benchmarks" / "image2struct.md").read_text()
    assert [name for name in METRICS if f"\n| `{name}`" not in document] == [SKILL]
