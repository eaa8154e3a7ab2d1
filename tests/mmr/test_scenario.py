import base64
import hashlib
import io
import json
import logging
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from helm_structext.errors import SetupError
from helm_structext.mmr import tasks as mmr
from helm_structext.mmr.scores import METRICS, score
from helm_structext.mmr.tasks import KINDS, TASKS, read_answer, read_reply
from helm_structext.models.answer_index import read_answer as read_index
from helm_structext.models.answer_index import request_key
from support import ROOT, door
from support.rows import MMR_ANSWERS, mmr_row, png

# The dataset's questions without their pictures, where someone has put them beside the checkout.
PUBLISHED = ROOT.parent / "shared" / "data" / "mmr_qa.json"


@pytest.fixture
def instances(tmp_path):
    """Writes rows as a folder source and returns its instances."""

    def load(rows, task="all", limit=50, system="scale", file="train-0.parquet"):
        folder = tmp_path / "source"
        folder.mkdir(exist_ok=True)
        pq.write_table(pa.Table.from_pylist(rows), folder / file)
        asked = {"task": task, "source": str(folder), "limit": limit, "system": system}
        return door.instances(tmp_path / "output", "mmr", **asked)

    return load


def all_tasks() -> list[dict[str, Any]]:
    return [mmr_row(task, number) for number, task in enumerate(TASKS)]


def test_an_instance_has_prompt_picture_answer_and_an_entry_in_the_index(instances, tmp_path):
    (instance,) = instances([mmr_row("recognition_label", 3)], "recognition_label")
    prompt, picture = instance.input.multimedia_content.media_objects
    assert prompt.text == (
        "Question 3 about recognition_label?\n"
        "Only print the text; do not include any other descriptions."
    )
    assert Path(picture.location).read_bytes() == png((3, 0, 0))
    assert instance.references[0].output.text == '"The Stars Below'
    assert (instance.id, instance.split) == ("recognition_label-0", "test")
    assert instance.extra_data == {"task": "recognition_label", "img_id": "img-3"}
    answer = read_index(tmp_path / "output" / "answers", request_key(prompt.text, [png((3, 0, 0))]))
    assert (answer.format, answer.oracle, answer.blank) == ("mmr_text", "The Stars Below", "")


PROMPTS = {
    "spatial_oo": "{}\nOnly print the index of the correct choice as answer, such as 1, 2, 3, or 4",
    "recognition_pos": "{}\nOnly print the text; do not include any other descriptions.",
    "grounding_o": "{}\nPlease write the position as a bounding box, and output the [x_min, y_min, "
    "x_max, y_max] coordinates in float numbers in python list.\nOutput the text only.",
    "grounding_t": "{}\nPlease write the position as a bounding box, and output the [x_min, y_min, "
    "x_max, y_max] coordinates in float numbers in python list.\nOutput the text and bounding box "
    'only. For example, "Hello world", [x_min, y_min, x_max, y_max]',
}


@pytest.mark.parametrize("task", PROMPTS)
def test_prompts_are_the_published_ones(instances, task):
    (instance,) = instances([mmr_row(task, 1)], task, system="none")
    prompt = instance.input.multimedia_content.media_objects[0].text
    assert prompt == PROMPTS[task].format(f"Question 1 about {task}?")


@pytest.mark.parametrize("task", TASKS)
def test_only_questions_for_boxes_say_the_scale(instances, task):
    (instance,) = instances([mmr_row(task)], task)
    prompt = instance.input.multimedia_content.media_objects[0].text
    assert prompt.startswith("Coordinates are fractions") == task.startswith("grounding")


def test_all_tasks_are_sub_splits_of_one_run(instances):
    found = instances(all_tasks())
    assert [instance.sub_split for instance in found] == list(TASKS)
    assert len({instance.id for instance in found}) == 11
    assert [i.sub_split for i in instances(all_tasks(), "font_size")] == [None]


def test_the_first_rows_of_each_task_up_to_the_limit(instances):
    rows = [mmr_row(task, number) for number in range(5) for task in ("font_size", "font_color")]
    found = instances(rows, "font_color", limit=3)
    assert [i.extra_data["img_id"] for i in found] == ["img-0", "img-1", "img-2"]
    assert len(instances(rows, "font_color", limit=999)) == 5


def test_the_older_name_of_the_split_is_read_too(instances):
    assert len(instances(all_tasks(), file="test-00000-of-00001.parquet")) == 11


def test_other_image_formats_become_png(instances):
    buffer = io.BytesIO()
    Image.new("CMYK", (30, 20)).save(buffer, "JPEG")
    row = mmr_row(image=base64.b64encode(buffer.getvalue()).decode())
    (instance,) = instances([row], "font_color")
    with Image.open(instance.input.multimedia_content.media_objects[1].location) as image:
        assert (image.format, image.mode, image.size) == ("PNG", "RGB", (30, 20))


BAD_ROWS = {
    "not base64": (mmr_row(image="§§§"), "row 0 of .*'image' is not base64"),
    "a broken image": (
        mmr_row(image=base64.b64encode(png()[:40]).decode()),
        "row 0 of .*'image' holds no picture that can be read",
    ),
    "no image": (mmr_row(image=...), "row 0 of .* has no column 'image'"),
    "no question": (mmr_row(Question=...), "row 0 of .* has no column 'Question'"),
    "no choice": (mmr_row(Answer="red"), "row 0 of .*'Answer': 'red' is no answer of kind choice"),
    "an unknown task": (mmr_row() | {"task": "counting"}, "task 'counting' is unknown"),
    "no JSON": (mmr_row("grounding_o", Answer="0.1 0.2"), "'Answer': '0.1 0.2' is no answer"),
    "five numbers": (mmr_row("grounding_o", Answer="[0, 0, 1, 1, 1]"), "5 items, not four"),
    "no number": (mmr_row("grounding_t", Answer='["A", [0, 0, 1, NaN]]'), "not finite"),
    "infinity": (mmr_row("grounding_o", Answer="[0, 0, 1, 1e999]"), "not finite"),
    "a box without text": (mmr_row("grounding_t", Answer="[0, 0, 1, 1]"), "of kind text_box"),
}


@pytest.mark.parametrize("name", BAD_ROWS)
def test_a_bad_row_is_named(instances, name):
    row, message = BAD_ROWS[name]
    with pytest.raises(SetupError, match=message):
        instances([row])


def test_a_task_without_rows_is_named(instances):
    with pytest.raises(SetupError, match="no row with task grounding_o"):
        instances([mmr_row("font_size")], "grounding_o")


def test_odd_boxes_are_kept_and_logged(instances, caplog):
    rows = [
        mmr_row("grounding_t", Answer='["A", [0.2, 0.9, 0.8, 0.8]]'),
        mmr_row("grounding_t", 1, Answer='["B", [0.4, 7.3, 4.8, 7.7]]'),
        mmr_row("grounding_t", 2),
    ]
    with caplog.at_level(logging.WARNING):
        found = instances(rows, "grounding_t")
    assert [i.references[0].output.text for i in found] == [row["Answer"] for row in rows]
    warned = [record for record in caplog.records if record.levelno == logging.WARNING]
    assert [record.getMessage().partition(" of ")[0] for record in warned] == ["row 0", "row 1"]


def values_of(task: str, reply: str, answer: str) -> dict[str, float | None]:
    try:
        reading = read_reply(TASKS[task], reply)
    except mmr.extraction.UnreadableReply:
        reading = None
    return score(reading, read_answer(TASKS[task], answer))


WRONG = {
    "font_color": (["3", "", "none", "two"], "2"),
    "recognition_pos": (["", "The moon above"], '"The Stars Below'),
    "grounding_o": (
        [
            "",
            "dog",
            "[0.2, 0.5, 0.75]",
            "[0.2, 0.5, 0.7, 1, 1]",
            "[NaN, 0.5, 0.7, 1]",
            "[0, 0, 1, Infinity]",
            "[0.75, 0.5, 0.25, 1]",
            "[0.25, 0.5, 0.25, 0.5]",
        ],
        MMR_ANSWERS["box"],
    ),
    "grounding_t": (
        ["", "The Stars Below", '"The Stars Below" [1, 2]', "[0.25, 0.5, 0.75]"],
        MMR_ANSWERS["text_box"],
    ),
}


@pytest.mark.parametrize("task", WRONG)
def test_malformed_and_wrong_replies_score_0_and_are_never_left_out(task):
    replies, answer = WRONG[task]
    for reply in replies:
        values = values_of(task, reply, answer)
        assert set(values) == set(METRICS)
        right = [v for name, v in values.items() if "correct" in name or name == "accuracy"]
        assert {v for v in right if v is not None} == {0.0}, reply


def test_valid_format_tells_malformed_replies_from_wrong_ones():
    assert values_of("font_color", "3", "2")["valid_format"] == 1
    assert values_of("font_color", "blue", "2")["valid_format"] == 0
    assert values_of("grounding_o", "[0, 0, 0.1, 0.1]", MMR_ANSWERS["box"])["valid_format"] == 1
    assert values_of("grounding_o", "Here: [0, 0, 1, 1]", MMR_ANSWERS["box"])["valid_format"] == 0


def test_thresholds_are_strictly_greater():
    ten = values_of("recognition_label", "abcdefghi?", '"abcdefghij"')
    assert (ten["pnls"], ten["pnls_correct"]) == (0.9, 0.0)
    eleven = values_of("recognition_label", "abcdefghij?", '"abcdefghijk"')
    assert eleven["pnls_correct"] == 1.0
    # 0.3 itself: three tenths of the height of the same column.
    exactly = values_of("grounding_o", "[0, 0, 1, 3]", "[0, 0, 1, 10]")
    assert (exactly["iou"], exactly["iou_correct"]) == (0.3, 0.0)
    assert values_of("grounding_o", "[0, 0, 1, 3.01]", "[0, 0, 1, 10]")["iou_correct"] == 1.0


def test_case_and_quotes_do_not_count():
    assert (
        values_of("recognition_label", 'It says "the STARS below".', MMR_ANSWERS["text"])["pnls"]
        == 1
    )


def test_an_empty_truth_is_found_in_any_reply():
    assert values_of("recognition_label", "anything", '""')["pnls_correct"] == 1.0


def test_hyphens_decide_only_the_published_count():
    values = values_of("recognition_label", "well-r-e-a-d", '"wellread"')
    assert values["pnls_correct"] == 0.0
    assert values["pnls_correct_published"] == 1.0


@pytest.mark.skipif(not PUBLISHED.exists(), reason="needs the 2,002 published questions")
def test_all_published_questions_load_prompt_extract_and_score(instances):
    questions = json.loads(PUBLISHED.read_text(encoding="utf-8"))
    assert len(questions) == 2002

    def picture(img_id: str) -> str:
        digest = hashlib.sha256(img_id.encode()).digest()
        return base64.b64encode(png(tuple(digest[:3]), (1 + digest[3], 1 + digest[4]))).decode()

    rows = [{**question, "image": picture(question["img_id"])} for question in questions]
    every = instances(rows, limit=2000)
    assert len(every) == 2002
    for instance, answer in ((i, i.references[0].output.text) for i in every):
        kind = TASKS[instance.extra_data["task"]]
        prompt = instance.input.multimedia_content.media_objects[0].text
        assert prompt.endswith(KINDS[kind].suffix)
        truth = read_answer(kind, answer)
        assert read_reply(kind, KINDS[kind].write(truth)).box == truth.box

    first = instances(rows)
    assert len(first) == 550
    points = 0.0
    for instance in first:
        kind = TASKS[instance.extra_data["task"]]
        truth = read_answer(kind, instance.references[0].output.text)
        values = score(read_reply(kind, KINDS[kind].write(truth)), truth)
        points += sum(
            values[name] or 0.0 for name in ("accuracy", "pnls_correct_published", "iou_correct")
        )
    assert points == 600
