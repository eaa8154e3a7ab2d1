"""Which scenes are audited in which format."""

import io

import pytest

from helm_structext.audit import cases
from helm_structext.audit.cases import OTHERS, find_cases
from helm_structext.errors import RenderError, SetupError
from helm_structext.pictures import open_png
from helm_structext.scenes import kinds
from helm_structext.scenes.settings import choose_settings
from support.scenes import PATCHES, paint


@pytest.fixture(autouse=True)
def patches(monkeypatch):
    monkeypatch.setitem(kinds.KINDS, "patch", PATCHES)
    monkeypatch.setattr(cases, "draw_code", paint)


def settings(**changes):
    return choose_settings(
        **{"count": 5, "seed": 7, "kinds": ["patch"], "languages": ["en"], **changes}
    )


def test_scenes_are_in_one_format_each_all_of_them_in_turn():
    found = [*find_cases(settings())]
    assert sorted(one.format for one in found) == ["svg"] * 3 + ["typst"] * 2
    assert len({one.name for one in found}) == len({one.number for one in found}) == 5
    assert [one.format for one in found[:4]] == ["svg", "typst"] * 2  # wherever it stops


def test_in_parallel_each_format_has_all():
    found = [*find_cases(settings(parallel=True))]
    assert sorted(one.format for one in found) == ["svg"] * 5 + ["typst"] * 5


def test_what_can_not_be_drawn_right_is_passed_over():
    assert not any("blue" in one.code for one in find_cases(settings(formats=["svg"])))


def test_a_case_has_pictures_of_others_and_the_same_seed_gives_the_same():
    first, again = ([*find_cases(settings(count=2))] for _ in range(2))
    assert [one.code for one in first] == [one.code for one in again]
    for one in first:
        assert len(one.others) == OTHERS
        png = io.BytesIO()
        one.drawing.image.save(png, "PNG")
        mine = open_png(png.getvalue()).tobytes()
        assert all(other.tobytes() != mine for other in one.others)


def test_a_format_of_which_nothing_can_be_used_ends_the_audit(monkeypatch):
    def fail(*_, **__):
        raise RenderError("syntax", "never")

    monkeypatch.setattr(cases, "draw_code", fail)
    with pytest.raises(SetupError, match=r"none of 20 scenes of patch in svg in a row .*syntax"):
        next(find_cases(settings()))
