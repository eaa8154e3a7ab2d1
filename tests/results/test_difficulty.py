"""Tables by difficulty and by length, on answers made by hand."""

import io
from typing import Any

import pytest
from PIL import Image

from helm_structext.results.difficulty import MAX_LEVELS, estimate_means, length_bins
from helm_structext.results.tabular import Table, latex_text
from helm_structext.structeval.results import result_sets as structeval_sets
from helm_structext.structeval.tables import SECTIONS as STRUCTEVAL
from support.image2struct_answers import groups, result, rows, section
from support.structeval_answers import answer


def levelled(**levels: list[float | None]) -> list[Any]:
    """Answers of a model to instances of some levels, as long as their number says."""
    return [
        result("m", f"{level}{i}", ems, difficulty=level, reference_text="x" * (i + 1))
        for level, values in levels.items()
        for i, ems in enumerate(values)
    ]


def headers(table: Table) -> list[str]:
    return [column.name for column in table.columns]


def test_levels_stand_in_the_order_of_the_dataset_and_failures_are_zero():
    tables = section("difficulty", levelled(hard=[0.2, None], easy=[0.9], medium=[0.5, 0.7]))
    table = tables["latex-difficulty"]
    assert headers(table) == [
        "Model",
        *(f"{measure} {level}" for measure in ("R", "EMS") for level in ("easy", "medium", "hard")),
    ]
    row = rows(table)["m"]
    means = [row[header].value for header in headers(table)[1:]]
    assert means == pytest.approx([1, 1, 0.5, 0.9, 0.6, 0.1])
    assert row["EMS hard"].interval == (0.0, 0.2)
    assert row["EMS easy"].half != row["EMS easy"].half  # of one instance nothing is known
    assert "easy 1, medium 2, hard 2" in table.note


def test_unknown_levels_have_their_column_and_without_any_level_there_is_no_table():
    some = section("difficulty", [*levelled(easy=[0.5]), result("m", "x", 0.1, difficulty="")])
    assert headers(some["latex-difficulty"])[-1] == "EMS unknown"
    none = [result("m", "x", 0.1, difficulty="", reference_text="")]
    assert section("difficulty", none) == {}


def test_a_dataset_of_a_thousand_levels_has_no_thousand_columns():
    table = section("difficulty", levelled(**{f"level {i:03}": [0.5] for i in range(1000)}))
    shown = headers(table["latex-difficulty"])
    assert len(shown) == 1 + 2 * (MAX_LEVELS + 1)
    assert shown[-1] == "EMS other"
    assert f"other {1000 - MAX_LEVELS}" in table["latex-difficulty"].note


def test_a_model_that_lacks_a_level_has_a_dash_there():
    answers = [*levelled(easy=[0.5], hard=[0.1]), result("n", "easy0", 0.4, difficulty="easy")]
    table = section("difficulty", answers)["latex-difficulty"]
    assert rows(table)["n"]["EMS hard"] is None
    assert rows(table)["n"]["EMS easy"].value == 0.4


def test_estimates_are_those_of_the_other_tables():
    ((one,),) = groups(levelled(easy=[0.5, 0.7, None]))
    (found,) = estimate_means(one, "earth_mover_similarity")
    assert found.value == one.grid.estimates["m"].value
    assert found.interval == one.grid.estimates["m"].interval
    assert found.error == one.grid.estimates["m"].error


@pytest.mark.parametrize(
    ("lengths", "bins"),
    [
        ([5], [(5, 5)]),
        ([3, 3, 3, 3], [(3, 3)]),
        ([1, 2], [(1, 1), (2, 2)]),
        (range(1, 11), [(1, 2), (3, 4), (5, 6), (7, 8), (9, 10)]),
        ([1, 1, 1, 1, 1, 1, 1, 1, 1, 100], [(1, 1), (100, 100)]),
    ],
)
def test_bins_hold_about_as_many_each_and_every_length_once(lengths, bins):
    found = length_bins(lengths)
    assert found == bins
    assert all(sum(low <= one <= high for low, high in found) == 1 for one in lengths)


def test_longer_code_scores_less_and_what_has_no_code_is_said():
    answers = [
        *levelled(easy=[0.9, 0.8, 0.7, 0.6, 0.5]),
        result("m", "music", 0.1, difficulty="easy", reference_text=""),
    ]
    table = section("difficulty", answers)["latex-length"]
    assert headers(table) == ["Model", *(f"{length} (1)" for length in range(1, 6)), "r"]
    row = rows(table)["m"]
    assert [row[f"{length} (1)"].value for length in range(1, 6)] == [0.9, 0.8, 0.7, 0.6, 0.5]
    assert row["r"] == pytest.approx(-1)
    assert "1 have none." in table.note
    assert table.drawing
    picture = Image.open(io.BytesIO(table.drawing()))
    assert picture.format == "PNG"
    assert table.drawing() == table.drawing()


def test_a_plot_has_the_best_models_and_says_so():
    answers = [
        result(f"m{number:02}", "1", number / 100, reference_text="xx") for number in range(20)
    ]
    drawing = section("difficulty", answers)["latex-length"].drawing
    assert list(drawing.args[0]) == [f"m{number:02}" for number in range(19, 7, -1)]
    assert drawing.args[2].endswith("the first 12 of 20 models")
    assert Image.open(io.BytesIO(drawing())).height < 5000


def test_structeval_counts_keywords_and_its_correlation_is_no_per_cent():
    scored = {1: 0.9, 2: 0.8, 4: 0.3}
    answers = [
        answer("m", "text_to_json", score, keywords=["k"] * number, instance=f"{number:06}")
        for number, score in scored.items()
    ]
    tables = list(STRUCTEVAL["difficulty"](structeval_sets(answers)))
    (table,) = tables  # it has no levels
    assert headers(table) == ["Model", "1 (1)", "2 (1)", "4 (1)", "r"]
    assert [cell.value for cell in table.rows[0][1:4]] == pytest.approx([90, 80, 30])
    assert "| -0.9" in table.markdown()
    assert latex_text("keywords") in table.latex()
