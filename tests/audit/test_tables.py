"""What is said of what was measured: orders, what is not seen, frauds, failures that are no scores."""

import pytest

from helm_structext.audit.page import recommendations, write_page
from helm_structext.audit.tables import (
    audit_tables,
    find_measures,
    fraud_margins,
    harmless_loss,
    margin_of,
    order_of,
    score_of,
    unseen_share,
)
from helm_structext.rewards.pictures import PRESETS
from support.audit import told


def audit(case="a", **changes):
    """A metric that orders mistakes and sees frauds, one that sees nothing, one that frauds please, a distance."""
    scores = {
        "right": {"sharp": 1.0, "structural_similarity": 1.0, "naive": 1.0, "block_emd": 0.0},
        1: {"sharp": 0.9, "structural_similarity": 1.0, "naive": 0.9, "block_emd": 0.1},
        2: {"sharp": 0.8, "structural_similarity": 1.0, "naive": 0.95, "block_emd": 0.2},
        "half": {"sharp": 0.5, "structural_similarity": 1.0, "naive": 0.5, "block_emd": 0.5},
        "fraud": {"sharp": 0.1, "structural_similarity": 1.0, "naive": 0.8, "block_emd": 0.9},
        "harmless": {"sharp": 0.99, "structural_similarity": 1.0, "naive": 0.7, "block_emd": 0.0},
    }
    return [
        told("right", "right", case=case, **scores["right"]),
        told("mistake", "recolored", 1, case=case, **scores[1]),
        told("mistake", "recolored", 2, case=case, **scores[2]),
        told("half right", "half right", case=case, **scores["half"]),
        told("harmless", "as JPEG", case=case, **scores["harmless"]),
        told("fraud", "noise", case=case, **{"guards": ["text"], **changes}, **scores["fraud"]),
    ]


ANSWERS = [*audit("a"), *audit("b")]


@pytest.mark.parametrize(
    ("measure", "tau"), [("sharp", 1.0), ("structural_similarity", 0.0), ("block_emd", 1.0)]
)
def test_tau_says_how_well_mistakes_are_ordered(measure, tau):
    assert order_of(ANSWERS, measure).value == pytest.approx(tau)


def test_a_mistake_that_leaves_nearly_all_is_not_seen():
    assert unseen_share(ANSWERS, "structural_similarity", "recolored") == 1
    assert unseen_share(ANSWERS, "sharp", "recolored") == 0
    assert unseen_share(ANSWERS, "sharp", "item lost") is None


def test_a_rearranged_scene_is_told_apart_from_frauds():
    dealt = told("fraud", "texts dealt anew", case="a", sharp=0.7)
    answers = [*ANSWERS, dealt]
    assert margin_of(answers, "sharp") == margin_of(ANSWERS, "sharp")
    (margin,) = fraud_margins(answers, "sharp", {"texts dealt anew"})
    assert (margin.case, margin.margin) == ("a", pytest.approx(-0.2))
    (table,) = [one for one in audit_tables(answers) if one.name == "margins-rearranged"]
    assert table.rows


def test_the_margin_is_from_the_highest_fraud_to_half_right():
    assert margin_of(ANSWERS, "sharp").value == pytest.approx(0.4)
    assert margin_of(ANSWERS, "naive").value == pytest.approx(-0.3)
    assert [one.fraud for one in fraud_margins(ANSWERS, "naive")] == ["noise", "noise"]


def test_a_copy_of_the_input_does_not_hide_other_frauds():
    copy = told("fraud", "blurred reference", sharp=0.99)
    assert margin_of([*ANSWERS, copy], "sharp").value == pytest.approx(0.4)
    assert fraud_margins([*ANSWERS, copy], "sharp", {"blurred reference"})[0].score == 0.99


def test_what_is_not_drawn_or_noticed_has_0_and_what_failed_has_no_score():
    failed = told("fraud", "noise", failures={"sharp": "internal: why"})
    assert score_of(failed, "sharp") is None
    assert score_of(told("fraud", "noise", error="syntax"), "sharp") == 0
    assert score_of(told("fraud", "noise", error="syntax"), "block_emd") is None
    assert score_of(told("fraud", "noise", guards=["text"], sharp=0.9), "sharp") == 0.9
    assert score_of(told("fraud", "noise", guards=["text"], sharp=0.9), "preset image") == 0
    scores = dict.fromkeys(PRESETS["image"].keys() | PRESETS["layout"].keys(), 0.5)
    half = told("half right", "half right", guards=["text"], guards_by_layout=[], **scores)
    assert [score_of(half, f"preset {name}") for name in ("image", "layout")] == [0, 0.5]


def test_a_failure_is_counted():
    failed = told("fraud", "noise", failures={"sharp": "internal: why"})
    (costs,) = [table for table in audit_tables([*ANSWERS, failed]) if table.name == "costs"]
    assert [row for row in costs.rows if row[0] == "sharp"] == [["sharp", 12, 2.0, 2.0, 1]]


def test_harmless_changes_cost_what_the_right_answer_loses():
    assert harmless_loss(ANSWERS, "sharp") == pytest.approx(0.01)
    assert harmless_loss(ANSWERS, "naive", "as JPEG") == pytest.approx(0.3)


def test_what_follows_names_what_is_fooled_what_is_blind_and_what_is_nervous():
    said = "\n".join(recommendations(ANSWERS))
    assert "`naive` (-0.300, “noise”)" in said
    assert "`sharp`" not in said.partition("none should be a reward alone")[2].partition("\n")[0]
    assert "“recolored” mostly leaves more than 0.98 by: `structural_similarity` (100%)" in said
    assert "Harmless changes cost more than one mistake by: `naive` (0.300 and 0.100)" in said


def test_the_page_has_all_short_tables_and_the_command():
    page = write_page(ANSWERS, "helm-structext audit metrics --count 2")
    assert page.startswith("# ")
    assert "`helm-structext audit metrics --count 2`" in page
    assert "2 scenes to be drawn, 0 to be written as text; 12 answers" in page
    for table in audit_tables(ANSWERS):
        assert (table.title in page) == table.printed or table.title == "Frauds"


def test_a_single_scene_has_numbers_without_intervals():
    page = write_page(audit(), "helm-structext")
    assert "1 scene to be drawn" in page
    assert "nan" not in page


def test_every_preset_is_a_measure():
    assert find_measures(ANSWERS)[:2] == ["preset own", "preset image"]


def test_the_page_says_how_often_a_copy_of_the_input_has_more_than_half():
    copies = [
        told("fraud", "shrunk", case=case, **dict.fromkeys(PRESETS["layout"], score))
        for case, score in (("a", 0.9), ("b", 0.2))
    ]
    honest = [
        told(role, role, case=case, **dict.fromkeys(PRESETS["layout"], score))
        for case in "ab"
        for role, score in (("right", 1.0), ("half right", 0.6))
    ]
    said = "\n".join(recommendations([*honest, *copies]))
    assert "in 1 of 2 scenes (the highest: “shrunk” in 1 scene); half-right stands +0.050" in said


def test_the_page_says_how_often_a_rearranged_scene_has_more_than_half():
    answers = [
        told(role, name, case=case, **dict.fromkeys(PRESETS["layout"], score))
        for case, dealt in (("a", 0.9), ("b", 0.5))
        for role, name, score in (
            ("right", "right", 1.0),
            ("half right", "half right", 0.7),
            ("fraud", "edges turned", dealt),
        )
    ]
    said = "\n".join(recommendations(answers))
    assert "“edges turned” in 1 of 2 scenes (+0.000)" in said
