"""The holes of rewards that are known: each with its number by preset, and what half of the right answer has.

A number that changes says that a hole was closed or opened: write the new one here and in the table of the chapter
"Rewards".
"""

import base64
import io

import pytest
from PIL import Image

from helm_structext.rewards import PRESETS, MMRReward, Reward, StructEvalReward, preset_for
from support import ROOT
from support.known_holes import HOLES

SUITED = "preset_for"
"""Stands for the preset that suits the format."""
NUMBERS = {
    "a wrong digit in a title": {
        "image": (0.993, 0.57),
        "structure": (0.938, 1.0),
        "layout": (0.974, 0.772),
        SUITED: (0.974, 0.772),
    },
    "every note wrong": {
        "image": (0.744, 0.701),
        "structure": (0.851, 0.784),
        "layout": (0.732, 0.675),
        SUITED: (0.502, 0.782),
    },
    "nothing but rests": {
        "image": (0.714, 0.701),
        "structure": (0.751, 0.784),
        "layout": (0.75, 0.675),
        SUITED: (0.358, 0.782),
    },
    "every word of a diagram wrong": {
        "image": (0.741, 0.566),
        "structure": (0.404, 0.767),
        "layout": (0.43, 0.596),
        SUITED: (0.43, 0.596),
    },
    "boxes of a page without text": {
        "image": (0.0, 0.788),
        "structure": (0.0, 0.75),
        "layout": (0.536, 0.841),
        SUITED: (0.536, 0.841),
    },
    "every entry of a table wrong": {
        "image": (0.464, 0.843),
        "structure": (0.711, 0.889),
        "layout": (0.536, 0.887),
        SUITED: (0.6, 0.891),
    },
    "arrows without heads": {
        "image": (0.993, 0.566),
        "structure": (1.0, 0.767),
        "layout": (0.914, 0.596),
        SUITED: (0.914, 0.596),
    },
    "labels of a diagram exchanged": {
        "image": (0.671, 0.566),
        "structure": (0.404, 0.767),
        "layout": (0.549, 0.596),
        SUITED: (0.549, 0.596),
    },
    "entries of a table exchanged": {
        "image": (0.428, 0.843),
        "structure": (0.626, 0.889),
        "layout": (0.428, 0.887),
        SUITED: (0.506, 0.891),
    },
    "messages turned round": {
        "image": (0.962, 0.615),
        "structure": (1.0, 0.721),
        "layout": (0.892, 0.712),
        SUITED: (0.892, 0.712),
    },
    "every number of a page wrong": {
        "image": (0.785, 0.73),
        "structure": (0.765, 0.635),
        "layout": (0.784, 0.806),
        SUITED: (0.784, 0.806),
    },
    "bars that are hardly to be seen": {
        "image": (0.513, 0.565),
        "structure": (1.0, 0.697),
        "layout": (0.784, 0.601),
        SUITED: (0.474, 0.628),
    },
}
"""Hole → preset → the wrong answer's score and that of the half-right one."""
OPEN = (
    "a wrong digit in a title",
    "arrows without heads",
    "messages turned round",
    "every number of a page wrong",
)
"""Those that the preset which suits the format pays more than half-right, or nearly so."""
ABOUT = 0.03
"""By which a score may differ on another release of an engine."""


@pytest.mark.parametrize("name", HOLES)
def test_a_hole_has_its_number(name):
    hole = HOLES[name]
    answers = [hole.right, hole.wrong, hole.half]
    for preset, numbers in NUMBERS[name].items():
        components = preset_for(hole.format) if preset == SUITED else PRESETS[preset]
        results = Reward(hole.format, components)(answers, [hole.right] * 3)
        right, *others = [result.score for result in results]
        assert right == pytest.approx(1, abs=1e-6)
        assert others == pytest.approx(numbers, abs=ABOUT), preset


def test_the_table_of_the_documents_has_these_numbers():
    said = (ROOT / "docs" / "rewards.md").read_text()
    for name, presets in NUMBERS.items():
        cells = [f"{wrong:.3f} / {half:.3f}" for wrong, half in presets.values()]
        assert f"| {name} | `{HOLES[name].format}` | {' | '.join(cells)} |" in said


def test_null_everywhere_is_no_answer():
    reward, paths = StructEvalReward("text_to_json"), ["title", "moons[0].name", "size"]
    null = reward('{"title": null, "moons": [{"name": null}], "size": null}', paths)
    assert (null.score, null.error_kind) == (0.0, "null")
    honest = '{"title": "Io", "moons": [{"name": "Amalthea"}], "size": null}'
    assert reward(honest, paths).score == 1.0
    assert reward('{"title": "Io"}', paths).score == pytest.approx(0.2 + 0.8 / 3)
    assert StructEvalReward("text_to_json", guards=())('{"title": null}', ["title"]).score == 1.0


def test_one_text_everywhere_is_no_answer():
    paths = ["title", "moons[0].name", "moons[0].size", "moons.*.found"]
    reward = StructEvalReward("text_to_json")
    moon = '{{"title": {}, "moons": [{{"name": {}, "size": {}, "found": {}}}]}}'.format
    for value in ('"x"', "0", "true"):
        same = reward(moon(value, value, value, '"1610"'), paths)
        assert (same.score, same.error_kind) == (0.0, "repeated"), value
    assert reward(moon('"Moons"', '"Io"', "3643", "1610"), paths).score == 1.0
    assert reward(moon('"Io"', '"Io"', "3643", "1610"), paths).score == 1.0
    assert reward('{"a": "x", "b": "x", "c": "x"}', ["a", "b", "c"]).score == 1.0
    table = "name,size,found,planet\nx,x,x,x\nx,x,x,x"
    columns = [f"csv::{name}" for name in ("name", "size", "found", "planet")]
    assert StructEvalReward("text_to_csv")(table, columns).error_kind == "repeated"


def test_another_text_at_each_path_is_a_hole_that_is_open():
    reward, paths = StructEvalReward("text_to_json"), ["title", "moons[0].name", "size", "found"]
    made_up = reward('{"title": "a", "moons": [{"name": "b"}], "size": "c", "found": "d"}', paths)
    half = reward('{"title": "Moons", "size": 3643}', paths)
    assert (made_up.score, half.score) == pytest.approx((1.0, 0.6))
    said = (ROOT / "docs" / "rewards.md").read_text()
    assert (
        "a text of its own at each path that StructEval asks for, 1.000, where half of them have 0.600"
        in said
    )


def test_half_right_stands_above_each_hole_but_the_open_ones_by_what_the_documents_say():
    least = min(
        half - wrong
        for name, presets in NUMBERS.items()
        for wrong, half in [presets[SUITED]]
        if name not in OPEN
    )
    said = (ROOT / "docs" / "rewards.md").read_text()
    assert f"half-right stands above each of them by {least:.3f} or more" in said


def test_a_list_of_all_names_is_no_answer():
    names = ("Anna", "Bert", "Cem", "Dora", "EMMA", "Finn", "Gül")
    reward = MMRReward("text")
    for joint in (", ", "\n", " | ", " or ", "; "):
        assert reward(joint.join(names), "Emma").error_kind == "everything"
    for honest in (
        "The name, in the upper left corner of the page, is EMMA, which stands above the line, in red letters.",
        "EMMA",
        "Anna or EMMA",
    ):
        assert reward(honest, "Emma").score == 1.0
    assert reward(", ".join(names), ", ".join(names)).score == 1.0


def test_the_reference_as_a_small_file_is_no_answer():
    hole = HOLES["a wrong digit in a title"]
    picture = io.BytesIO()
    Image.new("RGB", (64, 48), "navy").save(picture, "AVIF", quality=20)
    letters = base64.b64encode(picture.getvalue()).decode()
    answer = f'<svg xmlns="http://www.w3.org/2000/svg"><image width="400" height="240" href="data:image/avif;base64,{letters}"/></svg>'
    assert Reward("svg")(answer, hole.right).error_kind == "embedded"


def test_another_way_to_write_a_fraction_is_the_same():
    reward = Reward("latex", PRESETS["structure"])
    assert reward(r"${a\over b}$", r"$\frac{a}{b}$").score == pytest.approx(1)
