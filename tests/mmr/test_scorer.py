"""MMR's scorer behind HELM's door."""

import pytest
from helm.benchmark.adaptation.request_state import RequestState
from PIL import Image

from helm_structext.helm.boxes import PREDICTION, TRUTH, draw_boxes
from helm_structext.mmr.scores import LENIENT_METRICS, METRICS
from helm_structext.scoring.handling import INTERNAL_ERROR
from support import door

BOX = "[0.25, 0.25, 0.75, 0.75]"


@pytest.fixture
def answered(tmp_path):
    """A request state of a question about a white picture of 200×100 pixels."""

    def make(task: str, reply: str, answer: str) -> RequestState:
        path = tmp_path / "picture.png"
        Image.new("RGB", (200, 100), "white").save(path)
        extra = {"task": task, "img_id": "img"}
        return door.answered(reply, extra, picture=path, target=answer)

    return make


@pytest.fixture
def values_of(tmp_path):
    def values(state: RequestState, lenient: str = "none") -> dict[str, float | None]:
        return door.values_of(door.annotator(tmp_path / "door", "mmr", lenient=lenient), state)

    return values


def test_every_metric_is_reported_and_those_without_a_value_have_no_count(answered, values_of):
    values = values_of(answered("font_color", "2. Red", "2"))
    assert set(values) == {*METRICS, *LENIENT_METRICS, INTERNAL_ERROR}
    present = {name: value for name, value in values.items() if value is not None}
    assert present == {"correct": 1.0, "accuracy": 1.0, "valid_format": 1.0, INTERNAL_ERROR: 0.0}


def test_text_grounding_has_both_scores_and_their_mean(answered, values_of):
    answer = f'["Emma", {BOX}]'
    values = values_of(answered("grounding_t", '"Emma", [0.25, 0.25, 0.3, 0.3]', answer))
    assert (values["pnls_correct"], values["iou_correct"], values["correct"]) == (1, 0, 0.5)
    values = values_of(answered("grounding_t", f'The text is "Emma" at {BOX}.', answer))
    assert (values["pnls_correct"], values["iou_correct"], values["valid_format"]) == (0, 0, 0)


def test_lenient_scores_are_a_second_set_in_the_declared_scale(answered, values_of):
    reply = "```json\n[50, 25, 150, 75]\n```"
    values = values_of(answered("grounding_o", reply, BOX), "pixel")
    assert (values["iou"], values["valid_format"]) == (0, 0)
    assert values["iou_lenient"] == pytest.approx(1)
    assert (values["iou_correct_lenient"], values["valid_format_lenient"]) == (1, 1)
    assert values["pnls_lenient"] is None
    values = values_of(answered("grounding_o", reply, BOX), "thousand")
    assert (values["iou_correct_lenient"], values["valid_format_lenient"]) == (0, 1)
    values = values_of(answered("grounding_o", "no box", BOX), "pixel")
    assert values["valid_format_lenient"] == 0
    assert values_of(answered("font_color", "2", "2"), "pixel")["iou_lenient"] is None


def test_an_annotation_says_what_was_read(answered, tmp_path):
    annotate = door.annotator(tmp_path / "door", "mmr").annotate
    (annotation,) = annotate(answered("font_color", "2. Red", "2"))
    assert annotation.pop("scores")["correct"] == 1
    assert annotation == {"text": "read as 2"}
    (annotation,) = annotate(answered("font_color", "red", "2"))
    assert annotation.pop("scores")["valid_format"] == 0
    error = "syntax: the reply has no number in it"
    assert annotation == {"error": error, "kind": "syntax", "log": ""}


def test_an_annotation_shows_both_boxes(answered, tmp_path):
    annotate = door.annotator(tmp_path / "door", "mmr").annotate
    (annotation,) = annotate(answered("grounding_o", "[0.1, 0.1, 0.9, 0.9]", BOX))
    with Image.open(annotation["media_object"].location) as drawn:
        colors = {color for _, color in drawn.convert("RGB").getcolors(1 << 16)}
    assert colors == {(255, 255, 255), rgb(TRUTH), rgb(PREDICTION)}
    assert annotation["text"] == (
        "read as [0.1, 0.1, 0.9, 0.9] (dashed magenta; green: the true box)"
    )
    (annotation,) = annotate(answered("grounding_o", "at the top", BOX))
    assert annotation["error"] == "syntax: the reply is not a list in JSON"
    with Image.open(annotation["media_object"].location) as drawn:
        colors = {color for _, color in drawn.convert("RGB").getcolors(1 << 16)}
    assert colors == {(255, 255, 255), rgb(TRUTH)}


def rgb(color: str) -> tuple[int, ...]:
    return tuple(bytes.fromhex(color.removeprefix("#")))


@pytest.mark.parametrize(
    "box", [(0, 0, 1, 1), (0.9, 0.9, 0.1, 0.1), (-5, -5, 9e300, 7), (0.5, 0.5, 0.5, 0.5)]
)
def test_any_box_can_be_drawn_and_lies_where_it_should(box):
    picture = Image.new("L", (101, 51), 255)
    drawn = draw_boxes(picture, box, box)
    assert drawn.size == picture.size
    assert picture.getextrema() == (255, 255)
    left, top = (
        round(min(max(value, 0), 1) * size) for value, size in zip(box[:2], (100, 50), strict=True)
    )
    near = drawn.crop((left - 2, top - 2, left + 3, top + 3))
    assert rgb(PREDICTION) in {color for _, color in near.getcolors(100)}
