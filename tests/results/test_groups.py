"""Open and closed models, sizes, hard and saturated tasks: means that can be made by hand."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from helm_structext.mmr.results import result_sets as mmr_result_sets
from helm_structext.results.groups import access_tables, size_tables, task_tables
from helm_structext.results.model_facts import ModelFacts
from helm_structext.results.plain import PlainResultSet, result_set_class, result_sets
from helm_structext.results.result_sets import group_by_condition
from helm_structext.results.tabular import PER_CENT, Estimate, Table
from helm_structext.structeval.results import result_sets as structeval_result_sets
from support.image2struct_answers import result as image2struct_answer
from support.mmr_answers import answer as mmr_answer
from support.mmr_answers import published as mmr_answers
from support.plain_answers import answer
from support.structeval_answers import FIGURES, published

DATES = result_set_class(
    "dates", "Dates", {"Readable": "readable", "Right": "right"}, 100, PER_CENT
)
SCORES = {
    "o/one": {"a1": 0.0, "a2": 1.0, "b1": 0.2, "b2": 0.4},
    "o/two": {"a1": 1.0, "a2": 1.0, "b1": 0.4, "b2": 0.0},
    "c/one": {"a1": 1.0, "a2": 1.0, "b1": 0.8, "b2": 0.6},
    "u/one": {"a1": 1.0, "a2": 1.0, "b1": 0.1, "b2": 0.1},
}
FACTS = {
    "o/one": ModelFacts("open", 1),
    "o/two": ModelFacts("open", 10),
    "c/one": ModelFacts("closed"),
    "x/elsewhere": ModelFacts("closed", 3),
}


def dates(facts: dict[str, ModelFacts], *models: str) -> PlainResultSet:
    answers = [
        answer(model, instance, right)
        for model in models or SCORES
        for instance, right in SCORES[model].items()
    ]
    (found,) = result_sets(DATES, answers)
    return replace(found, model_facts=facts)


def cells(table: Table) -> dict[str, dict[str, Any]]:
    names = [column.name for column in table.columns]
    return {str(row[0]): dict(zip(names, row, strict=True)) for row in table.rows}


def value(cell: Any) -> float:
    assert isinstance(cell, Estimate)
    return cell.value


def test_halves_means_and_deltas():
    (table,) = access_tables([dates(FACTS)])
    rows = cells(table)
    assert list(rows) == [
        "o/two",
        "o/one",
        "mean of open (2)",
        "c/one",
        "mean of closed (1)",
        "Δ mean of closed − mean of open",
        "Δ best closed − best open (c/one − o/two)",
        "mean of all (4)",
    ]
    assert [row["Access"] for row in rows.values()] == [
        *("open", "open", "open", "closed", "closed", None, None, None)
    ]
    assert [row["Size (B)"] for row in rows.values()][:4] == [10, 1, None, None]
    assert rows["o/one"]["Right"] == pytest.approx(40)
    means = {name: value(row["Right"]) for name, row in rows.items() if " " in name}
    assert [*means.values()] == pytest.approx([50, 85, 35, 25, (60 + 40 + 85 + 55) / 4])
    assert "access is not known: 1 model (u/one)." in table.note
    assert "Best: by Right." in table.note
    assert r"$\Delta$ best closed $-$ best open (c/one $-$ o/two)" in table.latex()


def test_intervals_are_of_the_same_samples_of_instances():
    """Of two models that differ by the same on each instance, the difference has no width."""
    base = {"a1": 0.0, "a2": 0.5, "b1": 0.2, "b2": 0.4}
    answers = [
        answer(model, instance, right + more)
        for model, more in (("o/one", 0.0), ("c/one", 0.25))
        for instance, right in base.items()
    ]
    (found,) = result_sets(DATES, answers)
    (table,) = access_tables([replace(found, model_facts=FACTS)])
    rows = cells(table)
    mean, ahead = (
        rows["mean of closed (1)"]["Right"],
        rows["Δ mean of closed − mean of open"]["Right"],
    )
    assert mean.half > 5
    assert (ahead.value, ahead.half) == pytest.approx((25, 0))
    (lone,) = result_sets(DATES, [answer("o/one", "a1", 1.0), answer("c/one", "a1", 0.5)])
    (table,) = access_tables([replace(lone, model_facts=FACTS)])
    assert np.isnan(cells(table)["mean of open (1)"]["Right"].half)


def test_without_facts_there_is_nothing_to_say():
    assert not [*access_tables([dates({})]), *size_tables([dates({})])]
    sizes_alone = {"o/one": ModelFacts(parameters=7)}
    assert not [*access_tables([dates(sizes_alone)])]
    assert len([*size_tables([dates(sizes_alone)])]) == 1


def test_one_model_and_no_closed_ones():
    (table,) = access_tables([dates(FACTS, "o/one")])
    assert list(cells(table)) == ["o/one", "mean of open (1)", "mean of all (1)"]
    (table,) = access_tables([dates(FACTS, "o/one", "o/two")])
    assert not [name for name in cells(table) if "Δ" in name]
    tasks, *_ = task_tables([dates(FACTS, "o/one")])
    assert [column.name for column in tasks.columns] == [
        *("Task", "Verdict", "< 50", "> 90", "Models", "Mean", "open (1)", "Lowest", "Highest")
    ]
    (sizes,) = size_tables([dates(FACTS, "o/one")])
    assert "Pearson" not in sizes.note
    assert sizes.drawing().startswith(b"\x89PNG")


def test_baselines_are_no_models():
    answers = [
        *(answer("o/one", i, right) for i, right in SCORES["o/one"].items()),
        *(answer("structext/oracle", i, 1.0) for i in SCORES["o/one"]),
    ]
    (found,) = result_sets(DATES, answers)
    facts = {**FACTS, "structext/oracle": ModelFacts("open", 3)}
    found = replace(found, model_facts=facts).with_baselines_apart()
    (table,) = access_tables([found])
    assert value(cells(table)["mean of all (1)"]["Right"]) == pytest.approx(40)
    (sizes,) = size_tables([found])
    assert [row[0] for row in sizes.rows] == ["o/one"]
    tasks, *_ = task_tables([found])
    assert [row["Models"] for row in cells(tasks).values()] == [1, 1]


def test_models_stand_by_size_with_their_scores():
    (table,) = size_tables([dates({**FACTS, "u/one": ModelFacts(parameters=100)})])
    assert [row[:3] for row in table.rows] == [
        *(["o/one", "open", 1], ["o/two", "open", 10], ["u/one", None, 100])
    ]
    assert [row[3].value for row in table.rows] == pytest.approx([40, 60, 55])
    expected = np.corrcoef([0, 1, 2], [40, 60, 55])[0, 1]
    assert f"Pearson's r of log size and Right: {expected:.2f}." in table.note
    assert "size is not known: 1 model (c/one)." in table.note
    assert table.drawing().startswith(b"\x89PNG")


def test_hard_and_saturated_tasks():
    (table,) = task_tables([dates(FACTS)])
    rows = cells(table)
    assert list(rows) == ["b", "a"], "the hardest first"
    assert value(rows["b"]["Mean"]) == pytest.approx((30 + 20 + 70 + 10) / 4)
    assert value(rows["a"]["Mean"]) == pytest.approx((50 + 100 + 100 + 100) / 4)
    assert [rows[part]["Verdict"] for part in "ba"] == ["hard", ""]
    assert [(rows[part]["< 50"], rows[part]["> 90"]) for part in "ba"] == [(3, 0), (0, 3)]
    assert value(rows["b"]["open (2)"]) == pytest.approx(25)
    assert value(rows["b"]["closed (1)"]) == pytest.approx(70)
    assert value(rows["b"]["closed − open"]) == pytest.approx(45)
    assert (rows["b"]["Lowest"], rows["b"]["Highest"]) == pytest.approx((10, 70))
    assert "below 50 (1 of 2); saturated: above 90 (0)" in table.note
    assert table.drawing().startswith(b"\x89PNG")
    (table,) = task_tables([dates(FACTS, "o/two", "c/one")])
    assert cells(table)["a"]["Verdict"] == "saturated"


def test_means_are_of_the_models_that_have_a_score():
    answers = [
        *(answer("o/one", i, right) for i, right in SCORES["o/one"].items()),
        *(answer("c/one", i, 1.0) for i in ("a1", "a2")),
        answer("o/two", "a1", None),
    ]
    (found,) = result_sets(DATES, answers)
    found = replace(found, model_facts=FACTS)
    (table,) = task_tables([found])
    rows = cells(table)
    assert [row["Models"] for row in rows.values()] == [1, 2]
    assert value(rows["a"]["Mean"]) == pytest.approx(75)
    assert rows["b"]["closed (1)"] is rows["b"]["closed − open"] is None
    assert "1 answer could not be handled" in table.note
    (table,) = access_tables([found])
    assert "Of 3 models fewer have a score in Readable (2), Right (2)." in table.note
    rows = cells(table)
    assert rows["o/two"]["Not handled"] == 1
    assert rows["o/two"]["Right"] is None
    assert value(rows["mean of open (2)"]["Right"]) == pytest.approx(40)


# The papers'

OPEN = ("Llama", "Meta", "Phi", "Qwen")


@pytest.fixture(scope="module")
def structeval() -> Any:
    facts = {
        model: ModelFacts("open" if model.startswith(OPEN) else "closed") for model in FIGURES["6"]
    }
    (found,) = structeval_result_sets(published())
    return replace(found, model_facts=facts)


def test_structeval_table_6(structeval):
    (table,) = access_tables([structeval])
    rows = cells(table)
    for model, printed in FIGURES["6"].items():
        assert [*rows[model].values()][2:] == pytest.approx(printed, abs=0.0151)
    figures = {
        access: np.mean(
            [row for model, row in FIGURES["6"].items() if model.startswith(OPEN) == is_open],
            axis=0,
        )
        for access, is_open in (("open", True), ("closed", False))
    }
    found = rows["Δ mean of closed − mean of open"]
    ahead = [value(cell) for cell in [*found.values()][2:]]
    assert ahead == pytest.approx(figures["closed"] - figures["open"], abs=0.02)
    # "on average the most on generation tasks in StructEval-T … smallest on generation tasks in StructEval-V"
    assert (max(ahead[:4]), min(ahead[:4])) == (ahead[0], ahead[2])
    # The paper's row is of o1-mini, though it prints a higher average of GPT-4o.
    best = rows["Δ best closed − best open (GPT-4o − Qwen-3-4B)"]
    assert value(best["Average"]) == pytest.approx(76.02 - 67.04, abs=0.02)
    scores = {h: grid.means(grid.score) for h, grid in structeval.columns.items()}
    printed = [23.17, 0.70, 4.99, 5.32, 8.54]
    assert [of["o1-mini"] - of["Qwen-3-4B"] for of in scores.values()] == pytest.approx(
        printed, abs=0.03
    )


def test_structeval_figures_6a_and_6b(structeval):
    tasks, types = task_tables([structeval])
    rows = cells(tasks)
    assert len(rows) == 44
    hard = [name for name, row in rows.items() if row["Verdict"] == "hard"]
    # Of those that section 4.2 names; of Text → TOML the closed models have 75.78 and the open ones 8.58.
    assert {"Text → TOML", "Text → SVG", "Text → Mermaid", "Text → Vega", "Matplotlib → TikZ"} <= {
        *hard
    }
    saturated = [name for name, row in rows.items() if row["Verdict"] == "saturated"]
    assert {"Text → HTML", "React → HTML"} <= {*saturated}
    # "most models achieving scores exceeding 90%"
    most = {name for name, row in rows.items() if row["> 90"] > 6}
    assert {"Text → HTML", "Text → CSV", "Text → Markdown", "YAML → JSON", "React → HTML"} <= most
    assert {"TOML → JSON", "Markdown → HTML"} <= most
    # "all models scoring below 0.5"
    assert rows["Text → Mermaid"]["< 50"] == rows["Matplotlib → TikZ"]["< 50"] == 12
    assert value(rows["Text → TOML"]["closed (6)"]) == pytest.approx(75.78, abs=0.01)
    assert value(rows["Text → TOML"]["open (6)"]) == pytest.approx(8.58, abs=0.01)
    for row, column in zip(cells(types).values(), range(4), strict=True):
        printed = np.mean([of[column] for of in FIGURES["6"].values()])
        assert value(row["Mean"]) == pytest.approx(printed, abs=0.02)
    assert [row["Tasks"] for row in cells(types).values()] == [5, 14, 13, 12]


def test_mmr_table_1_in_halves():
    answers = mmr_answers()
    models = dict.fromkeys(answer.model for answer in answers)
    closed = ("Qwen", "GPT", "Claude")
    size = {model: model.rpartition(" ")[2] for model in models}
    facts = {
        model: ModelFacts("closed")
        if model.startswith(closed)
        else ModelFacts("open", float(size[model].removesuffix("B")))
        for model in models
    }
    (found,) = mmr_result_sets(answers)
    found = replace(found, model_facts=facts)
    (table,) = access_tables([found])
    rows = cells(table)
    for model in models:
        counts = found.counts(model)
        assert [*rows[model].values()][3:] == pytest.approx(
            [*counts.values(), sum(counts.values())]
        )
    assert rows["mean of open (9)"]["Access"] == "open"
    totals = [sum(found.counts(model).values()) for model in facts if facts[model].access == "open"]
    assert value(rows["mean of open (9)"]["Total /600"]) == pytest.approx(np.mean(totals))
    assert "Δ best closed − best open (Claude 3.5 Sonnet − LLaVA-NEXT 34B)" in rows
    # "the performance of most models shows a positive correlation with model size", but for Idefics 80B
    (sizes,) = size_tables([found])
    assert "Pearson's r of log size and Right: -0.16." in sizes.note
    others = [model for model in models if model != "Idefics 80B"]
    assert "Right: 0.38." in next(size_tables([found.of(others)])).note
    assert [row[0] for row in sizes.rows][::8] == ["InternVL2 1B", "Idefics 80B"]
    shares = {row[0]: row[3].value for row in sizes.rows}
    assert shares["LLaVA-NEXT 34B"] > shares["LLaVA-NEXT 13B"] > shares["Idefics 80B"]
    tasks, types = task_tables([found])
    label = np.mean([found.counts(model)["Label"] for model in models]) / 50
    assert value(cells(tasks)["text by label"]["Mean"]) == pytest.approx(label)
    assert next(iter(cells(tasks))) == "text and its box"
    assert [*cells(types)] == ["Text", "Font", "Localization", "Spatial relation", "Grounding"]


def test_mmr_answers_without_a_score_count_in_no_column():
    scores = {
        "o/whole": [("font_color", 1.0), ("font_color", 0.0), ("grounding_t", 1.0)],
        "o/lost": [("font_color", 1.0), ("font_color", None), ("grounding_t", 1.0)],
        "o/less": [("font_color", 1.0), ("font_color", 0.0)],
    }
    answers = [
        mmr_answer(model, task, number, right or 0.0)
        for model, row in scores.items()
        for number, (task, right) in enumerate(row)
    ]
    for one in answers:
        if scores[one.model][int(one.instance[-1])][1] is None:
            one.scores.clear()  # type: ignore[attr-defined]
            one.scores.update(internal_error=1.0)  # type: ignore[attr-defined]
    (found,) = mmr_result_sets(answers)
    found = replace(found, model_facts=dict.fromkeys(scores, ModelFacts("open")))
    (table,) = access_tables([found])
    rows = cells(table)
    columns = {name: rows[name]["Color /2"] for name in scores}
    assert columns == pytest.approx({"o/whole": 1, "o/lost": 2, "o/less": 1})
    totals = {name: rows[name]["Total /4"] for name in scores}
    assert totals["o/whole"] == pytest.approx(3)
    assert totals["o/lost"] == pytest.approx(2 + 2)
    assert totals["o/less"] is rows["o/less"]["T-Box /1"] is None
    (tasks, _) = task_tables([found])
    mean = value(cells(tasks)["font color"]["Mean"])
    assert value(rows["mean of all (3)"]["Color /2"]) == pytest.approx(2 * mean)


def test_image2struct_s_domains_stand_side_by_side_with_the_win_rate():
    from helm_structext.image2struct.results import result_sets as image2struct_result_sets
    from helm_structext.image2struct.tables import SECTIONS

    scores = {"o/one": (0.2, 0.6), "o/two": (0.4, 0.2), "c/one": (0.8, 0.8)}
    answers = [
        image2struct_answer(model, str(number), score, arguments={"domain": domain}, subset=subset)
        for model, both in scores.items()
        for (domain, subset), score in zip(
            (("image2struct_latex", "equation"), ("image2struct_webpage", "css")), both, strict=True
        )
        for number in range(3)
    ]
    answers += [image2struct_answer(model, "w", 0.1, subset="wild") for model in scores]
    (together,) = group_by_condition(
        [replace(one, model_facts=FACTS) for one in image2struct_result_sets(answers)]
    )
    assert [one.label for one in together] == ["LaTeX", "Web", "LaTeX (wild)"]
    (table,) = SECTIONS["groups"](together)
    rows = cells(table)
    assert [column.name for column in table.columns][3:] == [
        *("Win rate", "LaTeX R", "LaTeX EMS", "Web R", "Web EMS")
    ]
    # In R all tie, 1/2. In EMS o/one beats one of two models once, o/two too, c/one both twice.
    assert rows["c/one"]["Win rate"] == pytest.approx(0.75)
    assert value(rows["mean of open (2)"]["Win rate"]) == pytest.approx((0.5 + 0.5 + 0.5) / 4)
    assert value(rows["mean of open (2)"]["LaTeX EMS"]) == pytest.approx(0.3)
    tasks, types = SECTIONS["tasks"](together)
    assert {*cells(tasks)} == {"LaTeX: equation", "Web: css"}
    assert [*cells(types)] == ["LaTeX", "Web"]
    assert len([*SECTIONS["sizes"](together)]) == 2
