"""What is measured of an answer: values, or why there are none; never a 0 for what failed."""

import pytest
from PIL import Image

from helm_structext.audit import measure
from helm_structext.audit.answers import AuditAnswer
from helm_structext.audit.cases import AuditCase
from helm_structext.audit.measure import (
    Evidence,
    MetricPair,
    measure_answer,
    measure_pair,
    meters,
)
from helm_structext.errors import SetupError
from helm_structext.image2struct.scores import PICTURE_METRICS, TEXT_METRICS
from helm_structext.layouts import PictureLayout, TextBox
from helm_structext.processes import run_in_process
from helm_structext.scenes.items import draw_number, write_number
from helm_structext.scenes.settings import choose_settings


@pytest.fixture(scope="module")
def case():
    settings = choose_settings(count=1, seed=7, kinds=["chart"], formats=["svg"], languages=["en"])
    scene = draw_number(settings, "chart", 0)
    return AuditCase(
        7, "chart", 0, "svg", scene, write_number(settings, "chart", 0, scene)["svg"], ()
    )


@pytest.fixture(autouse=True)
def here(monkeypatch):
    """Measured in this process, so that what is replaced here is."""
    monkeypatch.setattr(
        measure, "run_in_process", lambda function, *args, **named: function(*args, **named)
    )


def evidence(color: str) -> Evidence:
    picture = Image.new("RGB", (40, 30), color)
    layout = PictureLayout(picture.size, (TextBox("Rain", (0, 0, 20, 10)),))
    return Evidence("Rain", picture.size, picture.tobytes(), "Rain", layout)


PAIR = MetricPair(evidence("white"), evidence("white"), "svg", ("Rain",))


def test_every_metric_of_pictures_texts_and_layouts_is_measured_with_its_cost():
    values, failures, costs = measure_pair(PAIR)
    assert PICTURE_METRICS.keys() | TEXT_METRICS.keys() <= values.keys()
    assert {"layout_similarity", "text_recall", "keyword_score"} <= values.keys()
    assert failures == {}
    assert costs.keys() == meters().keys()


def test_it_travels_to_another_process():
    assert run_in_process(measure_pair, PAIR)[0] == measure_pair(PAIR)[0]


def test_a_metric_that_fails_has_no_value_and_takes_no_other_along(monkeypatch):
    def broken(pair):
        raise ZeroDivisionError("of nothing")

    kept = meters()
    monkeypatch.setattr(measure, "meters", lambda **_: {"broken": broken, **kept})
    values, failures, _ = measure_pair(PAIR)
    assert "broken" not in values
    assert "of nothing" in failures["broken"]
    assert values["pixel_similarity"] == 1


def test_the_machine_s_mistake_stops_the_audit(monkeypatch):
    def lost(pair):
        raise SetupError("no disk")

    monkeypatch.setattr(measure, "meters", lambda **_: {"lost": lost})
    with pytest.raises(SetupError, match="no disk"):
        measure_pair(PAIR)


def test_code_that_does_not_render_has_its_kind_of_error_and_no_values(case):
    found = measure_answer(case, AuditAnswer("fraud", "broken", "<svg"))
    assert (found.error, found.values, found.failures) == ("syntax", {}, {})


def test_of_a_harmless_picture_no_text_is_known_and_of_a_fraud_there_is_none(case):
    picture = case.drawing.image
    harmless = measure_answer(case, AuditAnswer("harmless", "as it is", picture))
    fraud = measure_answer(case, AuditAnswer("fraud", "copy", picture))
    assert harmless.values.keys() == {*PICTURE_METRICS}
    assert fraud.values["pixel_similarity"] == harmless.values["pixel_similarity"] == 1
    assert fraud.values["levenshtein_similarity"] == fraud.values["keyword_score"] == 0
    assert fraud.values["layout_similarity"] < 0.5


def test_what_guards_notice_is_noted_beside_the_values(case):
    blank = measure_answer(
        case, AuditAnswer("fraud", "blank", Image.new("RGB", case.drawing.image.size, "white"))
    )
    assert "blank" in blank.guards
    assert blank.values["structural_similarity"] > 0.5
