"""Answers that have no score, in tables and the report: left out of means, named, counted."""

import csv
import io
import re
from collections.abc import Callable, Sequence
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from helm_structext.benchmarks import BENCHMARKS, Benchmark
from helm_structext.errors import SetupError
from helm_structext.image2struct.contamination import date_tables
from helm_structext.report.data import Part, answers_data, view_data
from helm_structext.report.parts import all_shown
from helm_structext.report.writing import write_report
from helm_structext.results import runs
from helm_structext.results.comparisons import comparison_tables
from helm_structext.results.result_sets import Selection, group_by_condition
from helm_structext.results.runs import InstanceResult
from helm_structext.results.tabular import Table, section_tables
from support import image2struct_answers, mmr_answers, structeval_answers

NOTE = "could not be handled, which is our fault, and count in no mean"
LOST = {"internal_error": 1.0}


def image2struct(model: str, number: int, score: float | None) -> InstanceResult:
    day = f"2024-01-0{number + 1}"
    if score is None:
        lost = partial(
            image2struct_answers.result, rendering=None, error="internal: ValueError: no"
        )
        found = lost(model, str(number), 0.5, error_kind="internal", date=day)
        found.scores.clear()  # type: ignore[attr-defined]
        found.scores.update(LOST)  # type: ignore[attr-defined]
        return found
    return image2struct_answers.result(model, str(number), score, date=day)


def mmr(model: str, number: int, score: float | None) -> InstanceResult:
    found = mmr_answers.answer(model, "font_color", number, score or 0.0)
    if score is None:
        found.scores.clear()  # type: ignore[attr-defined]
        found.scores.update(LOST)  # type: ignore[attr-defined]
    return found


def structeval(model: str, number: int, score: float | None) -> InstanceResult:
    parts = {"syntax_score": score, "path_score": score, "structeval_score": score}
    scores = LOST if score is None else parts
    return structeval_answers.answer(
        model, "text_to_json", score, instance=f"00000{number}", scores=scores
    )


ANSWERS: dict[str, Callable[[str, int, float | None], InstanceResult]] = {
    "image2struct": image2struct,
    "mmr": mmr,
    "structeval": structeval,
}
SCORES = {"x/good": [1.0, None, 1.0, 1.0], "x/other": [1.0, 0.0, 1.0, 0.0]}


@pytest.fixture(params=BENCHMARKS, ids=lambda benchmark: benchmark.name)
def benchmark(request: pytest.FixtureRequest) -> Benchmark:
    found: Benchmark = request.param
    return found


def results_of(benchmark: Benchmark, scores: dict[str, list[float | None]]) -> list[InstanceResult]:
    make = ANSWERS[benchmark.name]
    return [make(m, number, score) for m, row in scores.items() for number, score in enumerate(row)]


def sets_of(benchmark: Benchmark, scores: dict[str, list[float | None]]) -> Sequence[Any]:
    return benchmark.result_sets(results_of(benchmark, scores), Selection())


def tables_of(benchmark: Benchmark, scores: dict[str, list[float | None]]) -> list[Table]:
    return section_tables(benchmark.sections, group_by_condition(sets_of(benchmark, scores)))


def as_rows(table: Table) -> dict[str, dict[str, str]]:
    return {row["Model"]: row for row in csv.DictReader(io.StringIO(table.csv()))}


def test_every_table_names_them_and_rows_are_marked(benchmark):
    tables = tables_of(benchmark, SCORES)
    assert len(tables) >= 5
    for table in tables:
        assert f"1 answer {NOTE}: x/good 1." in table.note, table.name
        assert f"1 answer {NOTE}: x/good 1." in table.markdown().replace("\n", " ")
        names = [column.name for column in table.columns]
        if names[0] == "Model" and not {"against", "1"} & set(names):
            rows = as_rows(table)
            assert rows["x/good"]["Not handled"] == "1"
            assert rows.get("x/other", {"Not handled": "0"})["Not handled"] == "0"


def test_means_leave_them_out(benchmark):
    (result_set,) = sets_of(benchmark, SCORES)
    score = list(result_set.MEASURES.values())[-1]
    assert result_set.by_model(score) == {"x/good": 1.0, "x/other": 0.5}
    assert result_set.ranking == ["x/good", "x/other"]
    assert result_set.unscored == {("internal", "x/good"): 1}
    tables = tables_of(benchmark, SCORES)
    # StructEval's first table is of the published scores, which these answers lack.
    plain = (one for one in tables if one.name.endswith("leaderboard-plain"))
    leaderboard = as_rows(next(plain, tables[0]))
    column = {"image2struct": "LaTeX EMS", "mmr": "%", "structeval": "T generation"}
    whole = {"image2struct": 1.0, "mmr": 100.0, "structeval": 100.0}[benchmark.name]
    assert float(leaderboard["x/good"][column[benchmark.name]]) == whole


def test_what_a_judge_failed_to_judge_is_counted_by_itself():
    (benchmark,) = (one for one in BENCHMARKS if one.name == "structeval")
    pairs = [{"question": "?", "answer": "a"}]
    results = [
        structeval_answers.answer(
            model,
            "text_to_html",
            score,
            **{"instance": f"00000{number}", "pairs": pairs, "verdicts": [score and True]},
            **{"judge_reply": "", "conditions": {"protocol": "corrected"}},
            **({"error_kind": "judge", "judge_parsed": False} if score is None else {}),
        )
        for model, row in {"x/good": [None, 1.0], "x/other": [0.5, 1.0]}.items()
        for number, score in enumerate(row)
    ]
    (result_set,) = benchmark.result_sets(results, Selection())
    assert result_set.by_model("structeval_score") == {"x/good": 1.0, "x/other": 0.75}
    made = section_tables(benchmark.sections, [[result_set]])
    assert len(made) >= 5
    for table in made:
        assert "1 answer without a verdict" in table.note, table.name
        names = [column.name for column in table.columns]
        if names[0] == "Model" and not {"against", "1"} & set(names):
            assert as_rows(table)["x/good"]["Not judged"] == "1"


def test_without_any_tables_are_as_ever(benchmark):
    for table in tables_of(benchmark, {"x/good": [1.0, 0.5], "x/other": [0.5, 1.0]}):
        assert not re.search("handled|judged", table.csv() + table.note)


def test_a_model_of_whose_answers_none_could_be_handled_stands_last(benchmark, tmp_path):
    scores = {"x/lost": [None, None], "x/other": [0.0, 0.0], "x/third": [0.5, 1.0]}
    rows = as_rows(tables_of(benchmark, scores)[0])
    if benchmark.name != "structeval":  # whose average needs all subsets
        assert list(rows) == ["x/third", "x/other", "x/lost"]
    assert rows["x/lost"]["Not handled"] == "2"
    nothing = tables_of(benchmark, {"x/lost": [None, None]})
    assert f"2 answers {NOTE}: x/lost 2." in nothing[0].note


def test_experiments_dates_and_comparisons_name_them():
    (benchmark,) = (one for one in BENCHMARKS if one.name == "image2struct")
    (plain,) = sets_of(benchmark, SCORES)
    for table in date_tables([plain], dict.fromkeys(SCORES, date(2024, 1, 2))):
        assert NOTE in table.note
    terse = [
        image2struct_answers.result(m, str(n), 0.5, arguments={"wording": "terse"})
        for m in SCORES
        for n in range(4)
    ]
    both = benchmark.result_sets([*results_of(benchmark, SCORES), *terse], Selection())
    experiments = list(benchmark.suite_sections["experiments"](both))
    assert len(experiments) == 2
    for table in experiments:
        assert NOTE in table.note
    (table,) = comparison_tables([plain.grid], [plain.grid])
    assert f"Old: 1 answer {NOTE}" in table.note
    assert f"New: 1 answer {NOTE}" in table.note
    assert [row[1] for row in table.rows] == [3, 4], "the instances that both could be scored on"


# Suites on disk


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    results = [
        image2struct_answers.result("x/good", str(number), 0.8, completion=f"answer {number}")
        for number in range(3)
    ]
    folder = image2struct_answers.write_suite(tmp_path, results)
    return folder / "benchmark_output" / "runs" / "s"


def planted(completion: str) -> bool:
    if completion in ("", "answer 1"):
        raise ArithmeticError("a bug of ours")
    return False


def read(suite: Path) -> list[InstanceResult]:
    return [r for one in BENCHMARKS for r in one.read(suite)]


def test_an_answer_that_we_can_not_read_is_counted(suite, monkeypatch, caplog):
    monkeypatch.setattr(runs, "is_refusal", planted)
    results = read(suite)
    assert [result.unhandled for result in results] == [False, True, False]
    assert (results[1].completion, dict(results[1].scores)) == ("", LOST)
    assert "raise ArithmeticError" in caplog.text
    (result_set,) = BENCHMARKS[0].result_sets(results, Selection())
    for table in section_tables(BENCHMARKS[0].sections, [[result_set]]):
        assert NOTE in table.note or table.name.endswith("pairs")


@pytest.mark.parametrize("planted_in", ["pictures", "models"])
def test_a_run_that_is_not_as_helm_writes_it_is_named(suite, planted_in, monkeypatch):
    if planted_in == "pictures":
        (file,) = suite.glob("*/scenario_state.json")
        file.write_text(file.read_text().replace("media_objects", "media"))
    else:
        monkeypatch.setattr("helm_structext.image2struct.results.rendering_of", planted)
    with pytest.raises(SetupError, match=r"run,model=x_good holds no run as HELM writes it"):
        read(suite)


def test_of_an_internal_annotation_the_error_is_shown(tmp_path):
    state = {
        "annotations": {
            "rendering": [{"media_object": {"location": "x.png"}}],
            "judge": [{"kind": "internal", "error": "internal: KeyError: 'a'", "log": ""}],
        }
    }
    fields = runs.rendering_of(state, tmp_path)
    assert fields == {
        "rendering": tmp_path / "x.png",
        "error_kind": "internal",
        "error": "internal: KeyError: 'a'",
        "missing": (),
        "findings": None,
    }


def test_the_report_shows_them(benchmark, tmp_path, monkeypatch):
    monkeypatch.setenv("HELM_STRUCTEXT_CACHE", str(tmp_path / "cache"))
    from PIL import Image

    Image.new("RGB", (8, 8)).save(tmp_path / "x.png")
    found = {tmp_path / "x.png": 0}
    part = benchmark.report
    numbers = {"x/good": 0, "x/other": 1}

    class Any0(dict):  # type: ignore[type-arg]
        def __missing__(self, key: object) -> int:
            return 0

    view = part.make_view(sets_of(benchmark, SCORES))
    assert f"1 answer {NOTE}" in str(view_data(benchmark.name, view))
    index = answers_data(Part(part, view), all_shown(view), numbers, Any0(found))
    kinds = [index["states"][state]["kind"] for state in index["answers"]["state"]]
    assert kinds.count("internal") == 1


def test_a_report_of_answers_none_of_which_could_be_handled(tmp_path, benchmark, monkeypatch):
    monkeypatch.setenv("HELM_STRUCTEXT_CACHE", str(tmp_path / "cache"))
    from PIL import Image

    Image.new("RGB", (8, 8)).save(tmp_path / "x.png")
    results = results_of(benchmark, {"x/lost": [None, None]})
    if benchmark.name != "structeval":
        results = [_with_picture(result, tmp_path / "x.png") for result in results]
    parts = {benchmark.name: (benchmark.report, benchmark.result_sets(results, Selection()))}
    output = tmp_path / "report.html"
    assert write_report(parts, output, title="lost", plans=False) == (2, 2)
    assert f"2 answers {NOTE}" in output.read_text()


def _with_picture(result: Any, picture: Path) -> Any:
    from dataclasses import replace

    return replace(result, picture=picture)
