"""Defaults follow from an audit's numbers, where scenes carry it."""

from dataclasses import replace

import pytest

from helm_structext.audit.choice import (
    choose_preset,
    describe_choice,
    find_gains,
    presets_tables,
)
from helm_structext.audit.thresholds import FEWEST
from support.audit import told

IMAGE = ("earth_mover_similarity_corrected", "pixel_similarity")


def scene(case, layout):
    """By pictures half-right is 0.2 above the fraud, by the layout as much as is said."""
    half = dict.fromkeys(IMAGE, 0.7) | {"layout_similarity": 0.3 + layout}
    fraud = dict.fromkeys(IMAGE, 0.5) | {"layout_similarity": 0.3}
    right = dict.fromkeys([*IMAGE, "layout_similarity"], 1.0)
    return [
        told("right", "right", case=case, **right),
        told("half right", "half right", case=case, **half),
        told("fraud", "noise", case=case, **fraud),
    ]


def scenes(*layouts):
    return [one for n, layout in enumerate(layouts) for one in scene(f"svg-{n}", layout)]


CLEAR = scenes(*[-0.1] * FEWEST)


def chosen(answers):
    found = choose_preset(find_gains(answers), answers)
    return found and found.preset


def test_a_preset_that_stands_higher_in_each_scene_is_chosen():
    assert chosen(CLEAR) == "image"
    best = find_gains(CLEAR)[0]
    assert (best.preset, best.scenes) == ("image", FEWEST)
    assert best.gain.value == pytest.approx(0.2 - (0.4 * 0.2 - 0.6 * 0.1))


def test_the_page_says_by_how_much_another_preset_is_better():
    said = [*describe_choice(CLEAR)]
    assert [one.partition(":")[0] for one in said] == ["`svg`", "`chart scenes`", "`all`"]
    assert said[0].startswith(
        "`svg`: take `image` rather than `layout`, its own; it stands +0.180 [+0.180, +0.180] higher in 5 scenes. "
        "Half-right less the highest fraud is +0.200"
    )


def test_few_scenes_change_nothing():
    few = CLEAR[:-3]
    assert chosen(few) is None
    assert next(iter(describe_choice(few))).startswith("`svg`: take `layout`, its own. ")


def test_page_and_table_say_the_same():
    for answers in (CLEAR, CLEAR[:-3]):
        said = [one.split("`")[3] for one in describe_choice(answers)]
        _, table = presets_tables(answers)
        marks: dict[str, dict[str, str]] = {}
        for of, preset, *_, mark in table.rows:
            marks.setdefault(of, {})[mark] = preset
        assert said == [of.get("better", of["the default"]) for of in marks.values()]


def test_several_formats_have_a_line_of_each_ones_own():
    latex = [replace(one, case=f"latex-{one.case}", format="latex") for one in CLEAR]
    text = [replace(one, values={**one.values, "levenshtein_similarity": 0.5}) for one in latex]
    table, _ = presets_tables([*CLEAR, *text])
    own = next(row for row in table.rows if row[0] == "own")
    assert (own[1], own[4], own[-1]) == (10, 0, "the default")
    assert [*describe_choice([*CLEAR, *text])][-1].startswith("`all`: take ")


def test_what_differs_from_scene_to_scene_changes_nothing():
    assert chosen(scenes(0.9, -0.4, 0.9, -0.4, 0.9, -0.3)) is None


def test_what_has_a_score_of_few_scenes_is_not_chosen_for_all():
    text = {"right": 1.0, "half right": 0.9, "fraud": 0.0}
    few = [
        replace(one, values={**one.values, "levenshtein_similarity": text[one.role]})
        for one in CLEAR
    ]
    others = [replace(one, case=f"{one.case}, {n}") for one in CLEAR for n in range(2)]
    assert chosen(few) == "structure"
    assert chosen([*few, *others]) == "image"


def test_what_does_not_see_a_kind_of_mistake_is_not_chosen():
    pictures = dict.fromkeys(IMAGE, 0.99) | {"layout_similarity": 0.5}
    mistake = told("mistake", "recolored", 1, case="svg-0", **pictures)
    answers = [*CLEAR, mistake]
    assert chosen(answers) is None
    said = next(iter(describe_choice(answers)))
    assert said.startswith("`svg`: take `layout`, its own. ")
    assert (
        "`image` stands +0.180 [+0.180, +0.180] higher in 5 scenes, but does not see “recolored”."
        in said
    )


def test_a_preset_that_has_no_score_is_none():
    assert {one.preset for one in find_gains(CLEAR)} == {"image", "layout"}


def test_the_table_says_what_is_better_beside_what_it_is():
    _, table = presets_tables(CLEAR)
    rows = {(row[0], row[1]): row for row in table.rows}
    assert table.drawing()[1:4] == b"PNG"
    assert {of for of, _ in rows} == {"svg", "chart scenes", "all"}
    for of in ("svg", "chart scenes", "all"):
        assert (rows[of, "layout"][-1], rows[of, "image"][-1]) == ("the default", "better")
        assert rows[of, "image"][2] == FEWEST


def test_what_orders_mistakes_worse_is_not_chosen():
    answers = list(CLEAR)
    for case in dict.fromkeys(one.case for one in CLEAR):
        for severity, picture in ((1, 0.5), (3, 0.9), (5, 0.7)):
            layout = {"layout_similarity": 0.1 * (6 - severity)}
            values = dict.fromkeys(IMAGE, picture) | layout
            answers.append(told("mistake", "item lost", severity, case=case, **values))
    assert chosen(answers) is None
    said = next(iter(describe_choice(answers)))
    assert "higher in 5 scenes, but orders mistakes worse (τ -" in said
