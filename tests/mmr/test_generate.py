"""Generated questions: exact, clear, verified, and the same for the same seed."""

import base64
import io
import json
import re
import shutil
from collections import Counter
from dataclasses import replace
from random import Random

import pyarrow.parquet as pq
import pytest
from PIL import Image

from helm_structext.cli import main
from helm_structext.helm.scenario import BenchmarkScenario
from helm_structext.metrics import iou
from helm_structext.mmr.generate import checker, layout, questions
from helm_structext.mmr.generate import dataset as mmr
from helm_structext.mmr.generate.colors import INKS, distractors, name_of, rgb
from helm_structext.mmr.generate.fonts import FONTS, fonts_for, load_font
from helm_structext.mmr.generate.questions import SceneQuestion, questions_about
from helm_structext.mmr.generate.scene import PaintedScene, PaintedText, SceneObject
from helm_structext.mmr.generate.shapes import draw_object, object_shapes
from helm_structext.mmr.generate.words import LANGUAGES, count_words, phrase
from helm_structext.mmr.scores import score
from helm_structext.mmr.tasks import KINDS, TASKS, area_of, read_answer, read_reply

SEED = 11
PICTURES = 40

needs_tesseract = pytest.mark.skipif(
    shutil.which("tesseract") is None, reason="needs tesseract-ocr and its languages"
)


@pytest.fixture(scope="module")
def composed() -> list[tuple[Image.Image, PaintedScene]]:
    return [layout.compose(SEED, number) for number in range(PICTURES)]


@pytest.fixture(scope="module")
def asked(composed) -> list[tuple[Image.Image, PaintedScene, list[SceneQuestion]]]:
    return [
        (picture, scene, questions_about(scene, Random(number)))
        for number, (picture, scene) in enumerate(composed)
    ]


def stored(picture: Image.Image) -> Image.Image:
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", **mmr.QUALITY)
    return Image.open(buffer).convert("RGB")


# --- pictures ---


def test_the_same_seed_and_number_give_the_same_picture(composed):
    picture, scene = layout.compose(SEED, 3)
    assert picture.tobytes() == composed[3][0].tobytes()
    assert scene == composed[3][1]


def test_pictures_differ_in_kind_language_and_difficulty(composed):
    scenes = [scene for _, scene in composed]
    assert {scene.kind for scene in scenes} == set(layout._kinds())
    assert {scene.language for scene in scenes} == set(LANGUAGES)
    assert {scene.difficulty for scene in scenes} == set(layout.DIFFICULTIES)


def test_pictures_have_20_to_100_words_and_nothing_overlaps(composed):
    for _, scene in composed:
        assert 20 <= count_words(" ".join(text.text for text in scene.texts)) <= 100
        items = [*scene.texts, *scene.objects]
        for number, item in enumerate(items):
            left, top, right, bottom = item.box
            assert 0 <= left < right <= scene.size[0]
            assert 0 <= top < bottom <= scene.size[1]
            for other in items[number + 1 :]:
                # A sticker covers part of an object, which knows it.
                covered = any(isinstance(i, SceneObject) and i.shown < 1 for i in (item, other))
                assert covered or iou(item.box, other.box) == 0


def test_texts_are_tilted_by_no_more_than_30_degrees(composed):
    assert all(abs(text.angle) <= 30 for _, scene in composed for text in scene.texts)


def test_a_covered_object_still_shows_its_whole_extent(composed):
    shown = [item.shown for _, scene in composed for item in scene.objects if item.shown < 1]
    assert shown
    assert all(0.6 <= share <= 0.92 for share in shown)


def test_all_layouts_of_all_kinds_can_be_composed():
    for kind, rules in layout._kinds().items():
        for rows in rules["layouts"]:
            for row in rows:
                weight, _, cells = row.partition(" ")
                assert float(weight) > 0, (kind, row)
                for cell in cells.removesuffix("#").split("|"):
                    name, _, share = cell.strip().partition(":")
                    assert not share or float(share) > 0, (kind, row)
                    role = name.strip("<> ").partition("*")[0]
                    assert role in {*layout.STYLES, "object", "barcode", "fact"}, (kind, row)
        assert set(rules.get("objects", ())) <= set(object_shapes())


def test_every_language_has_words_for_every_role():
    rng = Random(0)
    for language in LANGUAGES:
        for role in layout.STYLES:
            for _ in range(20):
                text = phrase(language, role, rng)
                assert text
                assert not set(text) & set('{}[]"')
                assert "ERROR" not in text.upper().split()


def test_every_font_is_installed_and_has_the_letters_of_its_languages():
    rng = Random(0)
    for language in LANGUAGES:
        letters = {c for role in layout.STYLES for c in phrase(language, role, rng) if c.isalpha()}
        for name in fonts_for(language, tuple(FONTS)):
            font = load_font(name, 40)
            absent = font.getmask("\U0010fffe").getbbox(), bytes(font.getmask("\U0010fffe"))
            for letter in letters:
                mask = font.getmask(letter)
                assert (mask.getbbox(), bytes(mask)) != absent, (name, letter)


def test_every_drawing_can_be_drawn_and_fills_its_square():
    for name in object_shapes():
        drawn = draw_object(name, 100)
        assert 60 <= max(drawn.size) <= 106, name


def test_no_choice_of_color_could_be_taken_for_another():
    for name, tones in INKS.items():
        others = distractors(name)
        assert len(others) >= 3
        assert all(name_of(rgb(tone), [name, *others]) == name for tone in tones)


# --- questions ---


def test_every_task_is_asked_and_every_picture_has_four_questions(asked):
    tasks = Counter(question.task for _, _, found in asked for question in found)
    assert set(tasks) == set(TASKS)
    assert min(len(found) for _, _, found in asked) >= mmr.FEWEST


def test_answers_are_read_by_the_loader_and_the_oracle_is_right(asked):
    for _, _, found in asked:
        for question in found:
            kind = TASKS[question.task]
            truth = read_answer(kind, question.answer)
            values = score(read_reply(kind, KINDS[kind].write(truth)), truth)
            assert values["correct"] == 1, question


def test_choices_are_four_different_ones_of_which_the_answer_is_one(asked):
    for _, _, found in asked:
        for question in found:
            if TASKS[question.task] == "choice":
                _, _, listed = question.question.partition("\nChoices:\n")
                numbers, said = zip(
                    *(line.split(". ", 1) for line in listed.splitlines()), strict=True
                )
                assert numbers == ("1", "2", "3", "4")
                assert len(set(said)) == 4
                assert question.answer in numbers


def test_places_of_answers_are_spread_over_the_choices(asked):
    answers = Counter(
        question.answer
        for _, _, found in asked
        for question in found
        if TASKS[question.task] == "choice"
    )
    assert set(answers) == {"1", "2", "3", "4"}
    assert max(answers.values()) < 2 * min(answers.values())


def scene_of(*items: PaintedText | SceneObject, size: tuple[int, int] = (300, 300)) -> PaintedScene:
    return PaintedScene(
        "poster",
        "en",
        "easy",
        size,
        tuple(item for item in items if isinstance(item, PaintedText)),
        tuple(item for item in items if isinstance(item, SceneObject)),
    )


def text_at(words: str, box, role: str = "program", height: float = 20, color="red") -> PaintedText:
    return PaintedText(role, words, box, color, rgb(INKS[color][0]), height, 1, 0.0)


def asked_of(task: str, scene: PaintedScene) -> list[SceneQuestion]:
    return list(questions.CANDIDATES[task](scene, Random(0)))


def test_a_position_is_asked_only_where_one_text_lies_well_inside():
    inside = text_at("Inside", (20, 30, 80, 60))
    border = text_at("Border", (70, 130, 130, 160))
    found = asked_of("grounding_t", scene_of(replace(inside, role="title")))
    (question,) = found
    assert question.question.startswith("What is the title at the top left of the image?")
    assert read_answer("text_box", question.answer).box == (0.06667, 0.1, 0.26667, 0.2)
    assert asked_of("grounding_t", scene_of(replace(border, role="title"))) == []
    alone = asked_of("recognition_pos", scene_of(inside))
    assert [q.answer for q in alone] == ["Inside"]
    crowded = scene_of(inside, text_at("Other", (20, 65, 80, 95)))
    assert not [q for q in asked_of("recognition_pos", crowded) if "top left" in q.question]


def test_labels_are_asked_only_where_one_text_has_them():
    first = text_at("Emma", (20, 20, 80, 60), "title")
    assert [q.answer for q in asked_of("recognition_label", scene_of(first))] == ["Emma"]
    second = text_at("Persuasion", (20, 120, 80, 160), "title")
    assert asked_of("recognition_label", scene_of(first, second)) == []


def relation(first, second) -> str:
    items = SceneObject("fish", first, 1.0), SceneObject("cup", second, 1.0)
    said = [
        question.question.splitlines()[1 + int(question.answer)]
        for question in asked_of("spatial_oo", scene_of(*items))
        if question.question.startswith("Where is the fish")
    ]
    return said[0].partition(". ")[2] if said else ""


def test_relations_are_asked_only_where_they_are_clear():
    assert relation((50, 0, 90, 40), (60, 60, 100, 100)) == "Above the cup"
    assert relation((60, 60, 100, 100), (50, 0, 90, 40)) == "Below the cup"
    assert relation((0, 50, 40, 90), (60, 60, 100, 100)) == "To the left of the cup"
    assert relation((60, 60, 100, 100), (0, 50, 40, 90)) == "To the right of the cup"
    assert relation((0, 0, 40, 40), (60, 60, 100, 100)) == ""
    assert relation((0, 0, 70, 70), (60, 10, 100, 50)) == ""


def test_sizes_are_compared_only_where_they_differ_clearly():
    texts = [
        text_at(words, (20, top, 280, top + height), height=height)
        for words, top, height in (("Large", 10, 60), ("Small", 100, 22), ("Tiny", 150, 20))
    ]
    found = asked_of("font_size", scene_of(*texts))
    assert {q.question.splitlines()[0] for q in found} == {
        "Which text is larger in font size on the poster?"
    }
    (question,) = found
    assert question.question.splitlines()[1 + int(question.answer)].endswith('"Large"')


def test_the_next_text_is_the_only_one_of_its_height():
    anchor = text_at("Anchor", (100, 50, 200, 80))
    below = text_at("Below", (100, 100, 200, 130))
    later = text_at("Later", (100, 150, 200, 180))
    assert questions._next(scene_of(anchor, below, later), anchor, "below") == below
    beside = text_at("Beside", (190, 105, 290, 135))
    assert questions._next(scene_of(anchor, below, beside), anchor, "below") is None
    item = SceneObject("fish", (120, 85, 180, 95), 1.0)
    assert questions._next(scene_of(anchor, below, item), anchor, "below") is None


def test_places_in_words_match_the_ninths():
    for row in range(3):
        for column in range(3):
            box = (column / 3 + 0.1, row / 3 + 0.1, column / 3 + 0.2, row / 3 + 0.2)
            assert area_of(box) in questions.AREA_PHRASES


# --- the checker ---


@needs_tesseract
def test_most_questions_are_proven_from_their_pictures(asked):
    reasons = [
        reason
        for picture, scene, found in asked[:10]
        for reason in checker.verify(stored(picture), scene, found)
    ]
    assert reasons.count("") / len(reasons) >= 0.9
    assert set(reasons) <= {"", *checker.REASONS}


@needs_tesseract
def test_wrong_claims_are_not_proven_and_the_reason_is_named(asked):
    picture, scene, _ = next(entry for entry in asked if entry[1].language == "en")
    picture = stored(picture)
    longest = max(scene.texts, key=lambda text: len(text.text))
    (item, *_) = scene.objects

    def reason(question: SceneQuestion, claimed: PaintedText | None = None) -> str:
        texts = [claimed if claimed and t == longest else t for t in scene.texts]
        return checker.verify(picture, replace(scene, texts=tuple(texts)), [question])[0]

    right = SceneQuestion("recognition_label", "?", longest.text, (longest,))
    assert reason(right) == ""
    other_words = replace(longest, text="Something else entirely, at some length")
    assert reason(replace(right, texts=(other_words,)), other_words) == "words"
    left, top, right_edge, bottom = longest.box
    cut = replace(longest, box=(left, top, (left + right_edge) / 2, bottom))
    assert reason(replace(right, texts=(cut,)), cut) in ("words", "box")
    x_min, y_min, x_max, y_max = longest.box
    wide = replace(longest, box=(x_min, y_min, x_max, y_max + longest.height))
    assert reason(replace(right, texts=(wide,)), wide) in ("words", "box")
    elsewhere = replace(item, box=tuple(edge / 2 for edge in item.box))
    assert reason(replace(right, objects=(elsewhere,))) == "object"

    assert checker.object_is_visible(picture, item)
    x_min, y_min, x_max, y_max = item.box
    third = (x_max - x_min) / 3
    for box in ((x_min + third, y_min, x_max, y_max), (x_min, y_min, x_max - third, y_max)):
        assert not checker.object_is_visible(picture, replace(item, box=box))
    blank = Image.new("RGB", picture.size, "white")
    assert not checker.object_is_visible(blank, item)

    def color_question(answer: str) -> SceneQuestion:
        asked = f"?\nChoices:\n1. {longest.color.capitalize()}\n2. {other.capitalize()}"
        return SceneQuestion("font_color", asked, answer, (longest,), aspect="color")

    other = distractors(longest.color)[0]
    assert reason(color_question("1")) == ""
    assert reason(color_question("2")) == "color"

    small, large = sorted(scene.texts, key=lambda text: text.height)[:: len(scene.texts) - 1]
    sizes = SceneQuestion("font_size", "Which text is larger?", "1", (large, small), aspect="size")
    assert reason(sizes) == ""
    assert reason(replace(sizes, texts=(small, large))) == "size"


# --- sets ---


def offer(number: int, *tasks: str, failed: int = 0) -> mmr.Offer:
    pairs = [
        (SceneQuestion(task, f"{number}-{k}", "1"), "words" if k < failed else "")
        for k, task in enumerate(tasks)
    ]
    return mmr.Offer(number, b"", scene_of(), tuple(pairs))


@pytest.mark.parametrize("count", [1, 3, 4, 7, 8, 9, 11, 50, 55, 101])
def test_tasks_are_equally_frequent_and_every_picture_has_four_questions(count):
    chosen = list(mmr.choose((offer(n, *TASKS) for n in range(1000)), count))
    tasks = Counter(question.task for _, found in chosen for question in found)
    assert tasks.total() == count
    assert max(tasks.values()) - min(tasks[task] for task in TASKS) <= 1
    assert min(len(found) for _, found in chosen) >= min(4, count)


def test_pictures_that_offer_little_are_left_out_and_the_last_has_four_questions_too():
    rng = Random(1)
    for count in range(4, 60):
        offers = (offer(n, *rng.sample(list(TASKS), rng.randrange(1, 12))) for n in range(5000))
        chosen = list(mmr.choose(offers, count))
        assert sum(len(found) for _, found in chosen) == count
        assert min(len(found) for _, found in chosen) >= 4


def test_questions_that_were_not_proven_are_never_chosen():
    chosen = mmr.choose((offer(n, *TASKS, failed=3) for n in range(3000)), 44)
    assert not [
        question for _, found in chosen for question in found if question.task in list(TASKS)[:3]
    ]


def test_a_set_is_read_by_the_scenario_and_scored(tmp_path, capsys):
    folder = tmp_path / "set"
    command = ["generate", "mmr", "--count", "24", "--seed", "3", "--no-check"]
    assert main([*command, "-o", str(folder)]) == 0
    assert f"24 questions about 5 pictures in {folder}" in capsys.readouterr().out
    instances = BenchmarkScenario("mmr", source=str(folder)).get_instances(str(tmp_path / "output"))
    assert len(instances) == 24
    assert {instance.sub_split for instance in instances} == set(TASKS)

    scenes = [json.loads(line) for line in (folder / "scenes.jsonl").read_text().splitlines()]
    rows = pq.read_table(folder / "train.parquet").to_pylist()
    assert {row["img_id"] for row in rows} == {scene["img_id"] for scene in scenes}
    assert list(rows[0]) == ["img_id", "url", "Question", "Answer", "task", "image"]
    with Image.open(io.BytesIO(base64.b64decode(rows[0]["image"]))) as image:
        assert list(image.size) == scenes[0]["size"]

    again = tmp_path / "again"
    assert main([*command, "-o", str(again)]) == 0
    for name in ("train.parquet", "scenes.jsonl"):
        assert (again / name).read_bytes() == (folder / name).read_bytes()


def test_sets_of_different_seeds_share_no_question(tmp_path):
    def questions_of(seed: int) -> set[tuple[str, str, str]]:
        offers = [mmr.make_offer(seed, number, False) for number in range(4)]
        return {
            (offer.jpeg, question.question, question.answer)
            for offer in offers
            for question, _ in offer.questions
        }

    assert not questions_of(1) & questions_of(2)


@needs_tesseract
def test_a_checked_set_reports_what_was_proven_and_dropped(tmp_path, capsys):
    assert main(["generate", "mmr", "--count", "8", "--seed", "4", "-o", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "8 questions about 2 pictures" in said
    assert re.search(r"\d+\.\d% of \d+ possible questions verified from their pictures", said)
    assert re.search(r"; dropped: (none|\d+ for (words|box|object|color|size))", said)


def test_a_count_below_1_is_refused(tmp_path, capsys):
    assert main(["generate", "mmr", "--count", "0", "--seed", "1", "-o", str(tmp_path)]) == 2
    assert "count=0" in capsys.readouterr().err
