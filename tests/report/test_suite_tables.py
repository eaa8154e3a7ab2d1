"""What the report says above and below the benchmarks: the overview, the settings, and requests."""

import json

import pytest

from helm_structext.benchmarks import BENCHMARKS
from helm_structext.cli import main
from helm_structext.report.panels import ask_of
from helm_structext.report.parts import MAX_CELLS, print_table
from helm_structext.report.settings import settings_tables
from helm_structext.report.writing import write_report
from helm_structext.results.runs import finished_runs
from helm_structext.results.summary import RATE, summary_table
from helm_structext.results.tabular import Column, Rows, Table, format_cell
from support import mmr_answers
from support.image2struct_answers import result, rows, write_suite
from support.report_page import Folder, mixed_suite, page, parts


def overview(**results):
    result_sets = [one for _, sets in parts(**results).values() for one in sets]
    return summary_table([one.with_baselines_apart() for one in result_sets])


def test_the_overview_has_a_row_for_each_model_and_a_column_for_each_benchmark(tmp_path):
    suite = mixed_suite(Folder(tmp_path))
    table = overview(**suite)
    names = [column.name for column in table.columns]
    assert names[:2] == ["Model", RATE]
    assert {"LaTeX", "Web", "Music", "MMR"} <= set(names)
    by_model = rows(table)
    assert list(by_model) == ["x/good", "x/moved", "x/bad"]
    assert by_model["x/good"][RATE].value == 1
    assert format_cell(by_model["x/good"]["LaTeX"]).startswith("1.000 ±0.000")


def test_baselines_stand_last_and_win_against_no_one():
    answers = [
        result(model, name, ems)
        for model, ems in (("structext/oracle", 1.0), ("x/a", 0.5), ("x/b", 0.7))
        for name in "abc"
    ]
    table = overview(image2struct=answers)
    by_model = rows(table)
    assert list(by_model) == ["x/b", "x/a", "structext/oracle"]
    assert [row[RATE] and row[RATE].value for row in by_model.values()] == [1, 0, None]
    assert [row["LaTeX"].group for row in by_model.values()] == ["a", "a", ""]
    assert "Baselines (structext/oracle) count in no win rate" in table.note


def test_where_there_is_nothing_else_baselines_are_compared():
    answers = [
        result(model, name, ems)
        for model, ems in (("structext/blank", 0.5), ("structext/oracle", 1.0))
        for name in "abc"
    ]
    table = overview(image2struct=answers)
    by_model = rows(table)
    assert list(by_model) == ["structext/oracle", "structext/blank"]
    assert [row[RATE].value for row in by_model.values()] == [1, 0]
    assert [row["LaTeX"].group for row in by_model.values()] == ["a", "a"]
    assert "Baselines" not in table.note


def test_columns_of_one_name_are_numbered():
    answers = [
        mmr_answers.answer("x/a", "font_size", 0, right, conditions={"source": source})
        for source, right in (("hub", 1.0), ("sample", 0.0))
    ]
    table = overview(mmr=answers)
    assert [column.name for column in table.columns] == ["Model", "MMR (1)", "MMR (2)"]
    row = rows(table)["x/a"]
    assert [row["MMR (1)"].value, row["MMR (2)"].value] == [1, 0]
    assert (
        "Right: MMR (1) 1 instances (source=hub). Right: MMR (2) 1 instances (source=sample)."
        in table.note
    )


def test_experiments_are_left_out():
    perturbed = {"arguments": {"perturbation": "blur", "severity": "3"}}
    answers = [result("x/a", "a", 0.5), result("x/a", "a", 0.1, **perturbed)]
    assert rows(overview(image2struct=answers))["x/a"]["LaTeX"].value == 0.5


def test_a_table_too_large_for_a_page_says_where_its_rows_are():
    columns = [Column("Model"), Column("against")]
    rows = Rows(MAX_CELLS, lambda: pytest.fail("nobody looks at them"))
    found = print_table(Table("t", "All pairs", "A note.", columns, rows))
    assert found.rows == []
    assert found.note == (
        "A note. 20,000 rows are too many for a page: helm-structext tables -o FOLDER writes them."
    )


def test_settings_are_those_of_the_runs(tmp_path):
    write_suite(tmp_path, [result(model, "a", 0.5) for model in ("x/a", "x/b")])
    runs = tmp_path / "benchmark_output" / "runs" / "s"
    for spec in runs.glob("*/run_spec.json"):
        content = json.loads(spec.read_text())
        content["adapter_spec"] |= {"temperature": 0.25, "max_tokens": 77}
        spec.write_text(json.dumps(content))
    entries = [entry for benchmark in BENCHMARKS for entry in benchmark.entries]
    (table,) = settings_tables(finished_runs(runs, entries))
    ((entry, arguments, temperature, tokens, _, count, models),) = table.rows
    assert (entry, temperature, tokens, count) == ("image2struct_latex", 0.25, 77, 2)
    assert arguments == "protocol=published"
    assert models == "x/a, x/b"
    assert "helm-structext" in table.note


def test_requests_are_shown_where_the_suite_has_them(tmp_path, monkeypatch, opened):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HELM_STRUCTEXT_CACHE", str(tmp_path / "cache"))
    tokens = {"num_prompt_tokens": 1234.0, "num_completion_tokens": 56.0}
    write_suite(tmp_path, [result("x/a", "a", 0.5, scores=tokens)])
    (tmp_path / "pictures").mkdir()
    for number, name in enumerate(["a", "{}"]):
        page(number).save(tmp_path / "pictures" / f"{name}.png")
    (file,) = tmp_path.glob("benchmark_output/runs/s/*/scenario_state.json")
    content = json.loads(file.read_text())
    media = [{"content_type": "text/plain", "text": "Draw <this>"}, {"content_type": "image/png"}]
    for state in content["request_states"]:
        state["request"] = {"prompt": "", "multimodal_prompt": {"media_objects": media}}
        state["result"]["request_time"] = 7.25
    file.write_text(json.dumps(content))
    assert main(["report", "s", "-o", "report.html", "--no-plans"]) == 0
    page_ = opened(tmp_path / "report.html")
    facts = page_.open()
    for part in ("Draw <this>", "1,234", "56", "7.3"):
        assert part in facts, part
    assert "Settings" in page_.run("return document.getElementById('settings').innerText")


def test_our_own_models_count_no_tokens():
    answer = result("structext/oracle", "a", 0.5, scores={"num_prompt_tokens": 1.0})
    assert set(ask_of(answer)) == {"prompt"}


def test_the_commits_of_published_data_stand_beside_the_settings(tmp_path, monkeypatch, opened):
    monkeypatch.setenv("HELM_STRUCTEXT_CACHE", str(tmp_path / "cache"))
    answer = Folder(tmp_path).answer("x/m", "a", dataset="stanford-crfm/i2s@0123abc")
    settings = [Table("settings", "Settings", "", [Column("Run entry")], [["image2struct_latex"]])]
    file = tmp_path / "report.html"
    write_report(
        parts(image2struct=[answer]), file, title="A suite", plans=False, settings=settings
    )
    shown = opened(file).run("return document.getElementById('settings').innerText")
    assert "image2struct_latex" in shown
    assert "Data: stanford-crfm/i2s@0123abc." in shown
