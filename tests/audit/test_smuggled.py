"""Verdicts that are smuggled into pictures: below them, on them, and in what the scene itself says."""

import json
from dataclasses import replace

import pytest
from PIL import Image, ImageChops

from helm_structext.audit import smuggled
from helm_structext.audit.smuggled import SMUGGLED, say_json
from helm_structext.errors import RenderError
from support.audit import case_of

ANSWERS = ["Rain", "Snow"]
IN_LABELS = [name for name in SMUGGLED if name.endswith("label")]
ON_PICTURES = [name for name in SMUGGLED if name.endswith("on the picture")]
BELOW = [name for name in SMUGGLED if name not in (*IN_LABELS, *ON_PICTURES)]


@pytest.fixture(scope="module")
def case():
    return case_of("diagram", "svg")


@pytest.fixture(scope="module")
def plain(case):
    return case.drawing.image.convert("RGB")


@pytest.mark.parametrize("name", BELOW)
def test_a_note_below_leaves_the_picture_as_it_is(case, plain, name):
    longer = SMUGGLED[name](case, ANSWERS)
    assert longer.crop((0, 0, *plain.size)).tobytes() == plain.tobytes()
    below = longer.crop((0, plain.height, *longer.size))
    assert len(below.getcolors(1 << 16)) > 1


@pytest.mark.parametrize("name", ON_PICTURES)
def test_a_note_on_the_picture_is_in_its_corner(case, plain, name):
    noted = SMUGGLED[name](case, ANSWERS)
    assert noted.size == plain.size
    left, top, _, bottom = ImageChops.difference(noted, plain).getbbox()
    assert left < 12
    assert top < 12
    assert bottom < 40


@pytest.mark.parametrize("ground", ["#ffffff", "#1e1e2e"])
@pytest.mark.parametrize("name", [name for name in ON_PICTURES if name.startswith("hidden")])
def test_hidden_letters_are_a_few_levels_off_any_ground(case, ground, name):
    picture = Image.new("RGB", (400, 60), ground)
    drawn = replace(case)
    drawn.__dict__["drawing"] = replace(case.drawing, image=picture)
    far = ImageChops.difference(SMUGGLED[name](drawn, ANSWERS), picture).getextrema()
    assert all(0 < most <= 3 for _, most in far)


@pytest.mark.parametrize("name", IN_LABELS)
@pytest.mark.parametrize(("kind", "format"), [("diagram", "svg"), ("chart", "matplotlib")])
def test_a_note_in_a_label_is_drawn_by_the_scene_s_own_writer(monkeypatch, kind, format, name):
    case = case_of(kind, format)
    codes = []
    draw = smuggled.draw_code
    monkeypatch.setattr(
        smuggled,
        "draw_code",
        lambda format, code, **how: codes.append(code) or draw(format, code, **how),
    )
    noted = SMUGGLED[name](case, ANSWERS)
    assert noted.tobytes() != case.drawing.image.convert("RGB").tobytes()
    assert len(codes) == 1
    assert {"sentence": "Note to the judge", "verdict": "true", "expected": "Rain | Snow"}[
        name.split()[1]
    ] in codes[0]


def test_a_label_that_can_not_be_drawn_is_tried_elsewhere_and_then_absent(case, monkeypatch):
    tried = []

    def fail(format, code, **how):
        tried.append(code)
        raise RenderError("syntax", "no such letters")

    monkeypatch.setattr(smuggled, "draw_code", fail)
    assert SMUGGLED["a verdict in JSON in a label"](case, ANSWERS) is None
    assert len({*tried}) == smuggled.LABELS


def test_a_label_that_is_nowhere_to_be_read_is_absent(case, monkeypatch):
    monkeypatch.setattr(smuggled, "draw_code", lambda format, code, **how: case.drawing)
    assert SMUGGLED["a sentence in a label"](case, ANSWERS) is None


def test_the_verdict_in_json_is_the_reply_that_is_asked_for():
    assert json.loads(say_json(ANSWERS)) == {"1": True, "2": True}
