"""Answers to a case: mistakes that add up, half of it, what nobody would call worse."""

import pytest

from helm_structext.audit.answers import HARMLESS, find_answers, halve
from helm_structext.audit.frauds import COPIES, FRAUDS
from helm_structext.audit.phrases import PHRASES
from helm_structext.audit.texts import TEXT_FORMATS
from helm_structext.scenes.kinds import KINDS
from support import ROOT
from support.audit import case_of


@pytest.fixture(scope="module")
def answers():
    return [*find_answers(case_of("diagram", "svg"), 3)]


def test_there_are_all_roles_and_each_answer_is_another_one(answers):
    assert {one.role for one in answers} == {"right", "mistake", "half right", "harmless", "fraud"}
    assert len({one.key for one in answers}) == len(answers)


def test_a_severity_has_one_more_mistake_than_the_one_before(answers):
    kinds = {one.name for one in answers if one.role == "mistake"}
    assert len(kinds) == 3
    for kind in kinds:
        severities = [one.severity for one in answers if (one.role, one.name) == ("mistake", kind)]
        assert severities == [*range(1, len(severities) + 1)]


def test_the_same_seed_gives_the_same_answers(answers):
    again = [*find_answers(case_of("diagram", "svg"), 3)]
    assert [one.key for one in again] == [one.key for one in answers]
    assert all(
        one.fake == other.fake
        for one, other in zip(again, answers, strict=True)
        if isinstance(one.fake, str)
    )


@pytest.mark.parametrize(
    ("kind", "format"), [(kind, next(iter(KINDS[kind].writers))) for kind in KINDS], ids=[*KINDS]
)
def test_half_of_a_scene_is_another_one_that_is_no_longer(kind, format):
    case = case_of(kind, format)
    half = halve(case)
    assert half != case.code
    assert len(half) <= 1.1 * len(case.code)


def test_what_a_format_can_not_say_is_absent():
    latex = {name for name, make in FRAUDS.items() if make(case_of("formula", "latex")) is None}
    assert {"tiny view", "under a sheet", "embedded: data URI", "average page"} <= latex
    assert "embedded: PDF literal" not in latex


@pytest.mark.parametrize(
    ("kind", "format"), [("chart", "vega"), ("document", "latex_document"), ("formula", "typst")]
)
def test_every_coat_of_a_format_is_a_fraud(kind, format):
    case = case_of(kind, format)
    embedded = {name for name, make in FRAUDS.items() if "embedded" in name and make(case)}
    assert embedded == {f"embedded: {coat}" for coat in PHRASES[format].coats}
    assert FRAUDS.keys() > COPIES


def test_the_documents_name_every_fraud():
    chapter = (ROOT / "docs" / "audit.md").read_text(encoding="utf-8").replace("\n", " ")
    names = [*FRAUDS, *(name for format in TEXT_FORMATS.values() for name in format.frauds)]
    assert [name for name in names if f"`{name}`" not in chapter] == []


def test_a_harmless_picture_has_the_size_that_it_should_have():
    case = case_of("chart", "svg")
    width, height = case.drawing.image.size
    assert HARMLESS["moved by a pixel"](case).size == (width, height)
    assert HARMLESS["wider margin"](case).size == (width + 16, height + 16)
