"""What a proof of a generated picture finds, and what it lets pass."""

from dataclasses import dataclass

import pytest
from PIL import Image

from helm_structext.layouts import ElementBox, PictureLayout, TextBox
from helm_structext.renderers import Rendering
from helm_structext.scenes.proof import contrast_of, missing_words, prove
from helm_structext.scenes.scene import Scene, SceneMark

SIZE = (200, 100)


@dataclass(frozen=True, kw_only=True)
class Label(Scene):
    words: tuple[str, ...]
    shapes: tuple[SceneMark, ...] = ()

    @property
    def texts(self):
        return self.words

    @property
    def marks(self):
        return self.shapes


def proof(*boxes, kind="chart", texts=("Rain in May", "12 mm")):
    image = Image.new("RGB", SIZE, "white")
    layout = PictureLayout(SIZE, boxes) if boxes else None
    rendering = Rendering(image, "", "", "", 0.1, None, layout=layout)
    return prove(kind, Label(type="label", language="en", level="easy", words=texts), rendering)


def box(text, left=10, top=10, color="#222222", visible=True, width=80):
    return TextBox(text, (left, top, left + width, top + 20), color, 16, visible)


RAIN, AMOUNT = box("Rain in May"), box("12 mm", top=60)


@pytest.mark.parametrize(
    ("boxes", "found"),
    [
        ([RAIN, AMOUNT], ""),
        ([box("Rain"), box("in May", top=30), AMOUNT], ""),
        ([RAIN], "text missing"),
        ([RAIN, box("12 mm", top=60, visible=False)], "text hidden"),
        ([RAIN, AMOUNT, box("12 mm", top=95)], "text off the picture"),
        ([RAIN, box("12 mm", top=12)], "texts overlap"),
        ([RAIN, box("12 mm", top=27)], ""),
        ([RAIN, box("12 mm", top=60, color="#fafad2")], "text too faint"),
        ([RAIN, box("12 mm", top=27), box("|", top=60, color="#fafad2")], ""),
        ([], "no layout"),
    ],
)
def test_what_is_wrong_is_named(boxes, found):
    assert proof(*boxes) == found


@pytest.mark.parametrize(("apart", "found"), [(40, ""), (10, "texts overlap")])
@pytest.mark.parametrize(("first", "wide"), [("Kriminalromane", 90), ("Lyrik", 28)])
def test_slanted_texts_stand_on_their_lines_and_not_in_their_boxes(first, wide, apart, found):
    """As the names of narrow columns, whose boxes share much."""
    slanted = [
        TextBox(name, (right - wide, 5, right, 5 + wide), "#222222", 12)
        for name, wide, right in ((first, wide, 100), ("Geschichtswerke", 90, 100 + apart))
    ]
    assert proof(*slanted, texts=(first, "Geschichtswerke")) == found


def test_formulas_may_be_set_closely():
    assert proof(RAIN, box("12 mm", top=12), kind="formula") == ""


def test_texts_have_to_be_there_as_often_as_the_scene_has_them():
    assert missing_words(["May", "May"], ["May"]) == ["may"]
    assert missing_words(["−5 °C"], ["-5 °C"]) == []
    assert missing_words(["Größe der Straßen"], ["Größe der Stra-", "ßen"]) == []


def test_an_accent_that_a_formula_sets_alone_is_that_of_its_letter():
    shown = ["f", "u", "\N{DIAERESIS}", "r h ∈", "α", "λλι", "ω", "\N{ACUTE ACCENT}", "ς"]
    assert missing_words(["für", "αλλιώς"], shown, whole=False) == []
    assert missing_words(["für"], ["f", "u", "r"], whole=False) == ["für"]


def test_a_broken_text_takes_no_words_of_whole_ones():
    """Between the sentences of one stands the number of a footnote."""
    wanted = ["Rain in May", "More rain than in any May before. It rained a lot."]
    shown = ["Rain in May", "More rain than in any May before.", "1", "It rained a lot."]
    assert missing_words(wanted, shown) == []


def test_a_short_text_is_no_part_of_a_longer_one():
    wanted = ["Prices rose by 8% since 2017.", "2017"]
    assert missing_words(wanted, ["Prices rose", "2", "by 8% since", "2017.", "2017"]) == []
    assert missing_words(wanted, ["Prices rose", "2", "by 8% since", "2017."]) == ["2017."]


@pytest.mark.parametrize(("color", "faint"), [("#ffffff", False), ("#c06a20", True)])
def test_a_gradient_stands_behind_a_text_though_few_of_its_pixels_are_alike(color, faint):
    shades = Image.linear_gradient("L").resize(SIZE)
    picture = Image.composite(
        Image.new("RGB", SIZE, "#84561e"), Image.new("RGB", SIZE, "#c26a1a"), shades
    )
    assert len({color for _, color in picture.getcolors(20_000)}) > 50
    assert (contrast_of(TextBox("Rain", (0, 0, *SIZE), color), picture) < 2) == faint


def test_letters_that_fill_their_box_are_told_from_it():
    picture = Image.new("RGB", SIZE, "black")
    picture.paste("white", (0, 0, 20, 20))
    assert contrast_of(box("M", 0, 0, "#000000"), picture) == 21


BLUE, RED = "#3366cc", "#cc3333"


def shape_proof(marks, painted=(), told=()):
    image = Image.new("RGB", SIZE, "white")
    for number, color in enumerate(painted):
        image.paste(color, (20 * number, 85, 20 * number + 9, 99))
    elements = tuple(ElementBox("shape", (0, 85, 9, 99), color) for color in told)
    layout = PictureLayout(SIZE, (RAIN,), elements)
    rendering = Rendering(image, "", "", "", 0.1, None, layout=layout)
    label = Label(type="label", language="en", level="easy", words=(), shapes=tuple(marks))
    return prove("chart", label, rendering)


@pytest.mark.parametrize(
    ("marks", "painted", "told", "found"),
    [
        ([SceneMark(BLUE)], [], [], "shape missing"),
        ([SceneMark(BLUE)], [RED], [], "shape missing"),
        ([SceneMark(BLUE)], [BLUE], [], ""),  # of a canvas no shapes are told
        ([SceneMark(BLUE)], ["#3466cb"], [], ""),
        ([SceneMark(BLUE, 5)], [BLUE] * 5, [BLUE] * 5, ""),
        ([SceneMark(BLUE, 5)], [BLUE] * 4, [BLUE] * 4, "shape missing"),
        ([SceneMark(BLUE, 5)], [BLUE] * 5, [BLUE], ""),  # one path with all bars
        (
            [SceneMark(BLUE, named=True), SceneMark("#3369cf", named=True)],
            [BLUE],
            [],
            "colors alike",
        ),
        ([SceneMark(BLUE, named=True), SceneMark(RED, named=True)], [BLUE, RED], [], ""),
        ([SceneMark(BLUE), SceneMark("#3369cf")], [BLUE], [], ""),
    ],
)
def test_shapes_and_their_colors_have_to_be_there(marks, painted, told, found):
    assert shape_proof(marks, painted, told) == found


@pytest.mark.parametrize(
    ("wanted", "shown", "lost"),
    [
        (["12"], ["2012"], ["12"]),
        (["12"], ["1", "2"], ["12"]),
        (["12", "2012"], ["2012", "12"], []),
        (["2017", "12"], ["2017 12"], []),
        (["1 234"], ["1 234"], []),
        (["in 2017"], ["in 2017, 12 mm"], []),
        (["5"], ["15%", "5%"], []),
    ],
)
def test_a_number_within_a_longer_one_is_not_it(wanted, shown, lost):
    assert missing_words(wanted, shown) == lost


def test_a_chart_that_lost_its_bars_is_not_proven():
    from random import Random

    from helm_structext.renderers import render
    from helm_structext.scenes.kinds import KINDS

    chart = KINDS["chart"]
    scene = next(
        one
        for number in range(99)
        if (one := chart.draw(Random(number), "easy", "en")).type == "bar" and not one.labels
    )
    code = chart.writers["svg"](scene, Random(0))
    right = render("svg", code, protocol="corrected", layout=True)
    assert prove("chart", scene, right) == ""
    blank = code.replace(scene.theme.palette[0], scene.theme.ground)
    assert (
        prove("chart", scene, render("svg", blank, protocol="corrected", layout=True))
        == "shape missing"
    )
