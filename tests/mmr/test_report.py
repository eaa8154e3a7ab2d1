"""MMR in the report, as a user meets it in a browser."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from helm_structext.mmr.report import COLUMN_NAMES
from helm_structext.mmr.results import MMRResult
from helm_structext.mmr.tasks import TASKS, ParsedReply
from helm_structext.report.writing import write_report
from support.mmr_answers import answer
from support.report_page import HOSTILE, Folder, Page, parts, small_suite
from support.rows import png

TRUTH = (0.1, 0.2, 0.5, 0.4)
MODELS = ("x/right", "x/half", "x/wrong")


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HELM_STRUCTEXT_CACHE", str(tmp_path / "cache"))


def results(folder: Path) -> list[MMRResult]:
    """Three models' answers to four questions of each task, about two pictures."""
    pictures = [folder / "wide.png", folder / "tall.png"]
    pictures[0].write_bytes(png((200, 220, 240), (400, 200)))
    pictures[1].write_bytes(png((240, 220, 200), (300, 500)))
    found = []
    for task, kind in TASKS.items():
        truth = {
            "choice": ParsedReply(choice=2),
            "text": ParsedReply(text="EMMA"),
            "box": ParsedReply(box=TRUTH),
            "text_box": ParsedReply(text="EMMA", box=TRUTH),
        }[kind]
        replies = {
            "choice": ("2", "2", "3"),
            "text": ("EMMA", "EMMA", HOSTILE),
            "box": ("[0.1, 0.2, 0.5, 0.4]", "[0.2, 0.2, 0.5, 0.4]", "[100, 200, -500, 400]"),
            "text_box": ('"EMMA", [0.1, 0.2, 0.5, 0.4]', '"EMMA", [0.6, 0.6, 1, 1]', "somewhere"),
        }[kind]
        rights = (1.0, 0.5 if kind == "text_box" else 1.0, 0.0)
        for number in range(4):
            for model, reply, right in zip(MODELS, replies, rights, strict=True):
                boxes = {"iou_correct": float(right == 1)} if truth.box else {}
                text = {"pnls_correct_published": float(right > 0)} if truth.text else {}
                scores: dict[str, Any] = {"correct": right, **boxes, **text}
                if reply == "somewhere":
                    scores["valid_format"] = 0.0
                found.append(
                    answer(
                        model,
                        task,
                        number,
                        right,
                        question="Which one?\nChoices:\n1. this\n2. that\n3. those\n4. none",
                        picture=pictures[number % 2],
                        truth=truth,
                        completion=reply,
                        scores=scores,
                    )
                )
    return found


def written(folder: Path, **others: Any) -> Path:
    file = folder / "report.html"
    write_report(parts(mmr=results(folder), **others), file, title="A suite")
    return file


def choose(page_: Page, **filters: str) -> int:
    """Filters the questions, and returns how many are left."""
    count = page_.show("mmr", **filters)
    if count:
        page_.until("document.querySelector('.grouped .replies')")
    page_.filled()
    return count


def test_table_1_shows_what_each_count_is_out_of(tmp_path, opened: Callable[..., Page]):
    page_ = opened(written(tmp_path))
    head, best, half, wrong = page_.run(
        """return [...document.querySelectorAll("#mmr .board tr")].map(
            row => [...row.children].map(cell => cell.innerText.replace("\\n", " ").trim()))"""
    )
    assert head == [
        "Model",
        *(f"{name} of 4" for name in COLUMN_NAMES.values()),
        "Total of 48",
        "Tied",
    ]
    assert best == ["x/right", *["4"] * 12, "48", "a"]
    assert half == ["x/half", *["4"] * 11, "0", "44", "a"]
    assert wrong == ["x/wrong", *["0"] * 12, "0", "b"]


def test_the_radar_has_an_axis_for_each_column_and_a_line_for_each_model(tmp_path, opened):
    page_ = opened(written(tmp_path))
    labels = page_.run(
        "return [...document.querySelectorAll('#mmr .radar text:not(.tick)')].map(t => t.textContent)"
    )
    assert labels == list(COLUMN_NAMES.values())
    points = page_.run(
        "return [...document.querySelectorAll('.line polygon')].map(p => p.getAttribute('points'))"
    )
    worst, half, best = ([tuple(map(float, p.split(","))) for p in of.split()] for of in points)
    rim = page_.run("return document.querySelectorAll('polygon.ring')[3].getAttribute('points')")
    assert best == [tuple(map(float, p.split(","))) for p in rim.split()]
    assert half[:11] == best[:11]
    assert half[11] == worst[0]
    assert set(worst) == {half[11]}
    page_.run("document.querySelector('#mmr .radar button').click()")
    assert page_.run("return document.querySelectorAll('.line').length") == 2


def test_boxes_are_drawn_where_the_truth_and_the_models_say(tmp_path, opened):
    page_ = opened(written(tmp_path))
    assert choose(page_, task="grounding_o") == 4
    boxes = page_.run(
        """return [...document.querySelector(".grouped").querySelectorAll("rect:not(.casing)")].map(
            r => ["x", "y", "width", "height"].map(name => Number(r.getAttribute(name))))"""
    )
    *predicted, truth = [[round(value, 6) for value in box] for box in boxes]
    assert truth == [0.1, 0.2, 0.4, 0.2]
    # What lies outside of the picture is cut at its edge.
    assert predicted == [[0.1, 0.2, 0.4, 0.2], [0.2, 0.2, 0.3, 0.2], [0, 1, 1, 0]]


def test_pictures_come_in_their_own_shape_and_once_each(tmp_path, opened):
    file = written(tmp_path)
    page_ = opened(file)
    choose(page_, task="font_size")
    page_.until("[...document.querySelectorAll('.grouped img')].every(i => i.naturalWidth)")
    sizes = page_.run(
        "return [...document.querySelectorAll('.grouped img')].map(i => [i.naturalWidth, i.naturalHeight])"
    )
    assert sizes == [[400, 200], [300, 500], [400, 200]]  # the others are not on the screen
    assert len(re.findall(r'id="p\d+"', file.read_text(encoding="utf-8"))) == 2


def test_questions_are_filtered_by_task_model_outcome_and_text(tmp_path, opened):
    page_ = opened(written(tmp_path))
    assert choose(page_) == 44
    assert choose(page_, task="grounding_t") == 4
    assert choose(page_, outcome="unreadable") == 4
    assert choose(page_, model="0", outcome="wrong") == 0
    assert choose(page_, model="1", outcome="wrong") == 4
    assert choose(page_, text="somewhere") == 4
    assert page_.count("mmr") == "4 of 44"
    page_.run("document.querySelector('#mmr [type=reset]').click()")
    page_.until("report.viewNamed('mmr').items.length === 44")


def test_replies_say_what_was_read_and_never_become_markup(tmp_path, opened):
    page_ = opened(written(tmp_path))
    choose(page_, task="recognition_pos")
    replies = page_.run(
        """return [...document.querySelector(".grouped").querySelectorAll("tr")].map(
            row => row.querySelector(".reply").innerText)"""
    )
    assert replies[0] == "“EMMA”"
    assert HOSTILE.replace('"', "") in replies[2]
    assert page_.run("return window.hacked ?? null") is None
    choose(page_, task="grounding_t")
    (last,) = page_.run(
        "return [document.querySelector('.grouped tr:last-child .reply').innerText]"
    )
    assert "not readable" in last
    assert "somewhere" in last
    choose(page_, task="font_color")
    assert page_.run("return document.querySelector('.grouped .reply').innerText") == "2. that"


def test_a_suite_of_mmr_alone_shows_nothing_empty(tmp_path, opened):
    page_ = opened(written(tmp_path))
    shown = "return [...document.querySelectorAll('#sections a, main > section')].filter(e => !e.hidden).map(e => e.id || e.hash)"
    assert page_.run(shown) == ["#overview", "#mmr", "overview", "mmr"]


def test_image2struct_and_mmr_stand_in_one_report(tmp_path, opened):
    page_ = opened(written(tmp_path, image2struct=small_suite(Folder(tmp_path))))
    titles = "return [...document.querySelectorAll('#sections a')].map(link => link.textContent)"
    assert page_.run(titles) == ["Overview", "Image2Struct", "MMR"]
    assert page_.items("mmr") == 44
    assert choose(page_, task="spatial_oo") == 4
    page_.until("[...document.querySelectorAll('.grouped img')].every(i => i.naturalWidth)")
    page_.filled()


def test_a_suite_without_mmr_has_no_such_section(tmp_path, opened):
    file = tmp_path / "report.html"
    write_report(parts(image2struct=small_suite(Folder(tmp_path))), file, title="A suite")
    assert opened(file).run("return document.querySelector('#mmr') === null")


def test_the_same_answers_give_the_same_bytes(tmp_path):
    first = written(tmp_path).read_bytes()
    assert written(tmp_path).read_bytes() == first
