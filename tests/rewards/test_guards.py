"""Tricks are noticed, and honest answers are not taken for one."""

import textwrap

import pytest
from PIL import Image, ImageDraw, ImageFilter

from helm_structext.rewards.guards import (
    GUARDS,
    OF_COMPLETIONS,
    OF_RENDERINGS,
    OF_TEXTS,
    Page,
    page,
)

REFERENCE = Page((800, 600), 0.1, "An honest page of some length")
TRICKS = {
    "length": "x " * 60_000,
    "embedded": f"<img src='data:image/png;base64,{'iVBORw0KGgo' * 400}'>",
    "blank": Page((800, 600), 0.0005, REFERENCE.text),
    "size": Page((8, 600), 0.1, REFERENCE.text),
    "text": Page((800, 600), 0.1, "word " * 400),
}


def noticed(looked_at):
    if isinstance(looked_at, str):
        return [name for name, guard in OF_COMPLETIONS.items() if guard(looked_at)]
    return [name for name, guard in OF_RENDERINGS.items() if guard(looked_at, REFERENCE)]


@pytest.mark.parametrize("name", GUARDS)
def test_each_trick_is_noticed_by_its_guard_alone(name):
    assert noticed(TRICKS[name]) == [name]


@pytest.mark.parametrize("width", [64, 76, 3900])
@pytest.mark.parametrize("joint", ["\n", '" +\n    "', "\\\n", " " * 50])
def test_data_in_many_lines_is_data(width, joint):
    data = joint.join(textwrap.wrap("iVBORw0KGgo" * 400, width))
    assert noticed(f'<img src="data:image/png;base64,{data}">') == ["embedded"]


def test_a_reply_is_no_copy_of_all_that_is_to_be_read():
    copied = OF_TEXTS["text"]
    assert copied("word " * 60, "Emma")
    assert not copied("The text in the picture is: Emma", "Emma")
    assert not copied("word " * 60, "word " * 50)


@pytest.mark.parametrize(
    "honest",
    [
        "",
        "word " * 5000,
        f"% {'=' * 70}\n\\section{{x}}\n" * 100,
        "An-unusually-long-word-with-many-hyphens-in-it and text between two of them. " * 80,
        f"<path d='{'M 10.5,20.25 L 30,40 ' * 2000}'/>",
        f"@font-face {{ src: url(data:font/woff2;base64,{'d09GMgABAAAA' * 150}) }}",
        REFERENCE,
        Page((400, 300), 0.02, ""),
        Page((3000, 2000), 0.9, "word " * 150),
        Page((800, 160), 0.1, REFERENCE.text),
    ],
    ids=lambda honest: str(honest)[:20],
)
def test_honest_answers_are_not_taken_for_tricks(honest):
    assert noticed(honest) == []


def test_a_page_may_be_four_times_as_large_and_no_larger():
    def size(width):
        return OF_RENDERINGS["size"](Page((width, 600), 0.1, ""), REFERENCE)

    assert [bool(size(width)) for width in (199, 200, 3200, 3201)] == [True, False, False, True]


def test_what_a_photographed_background_differs_by_is_no_ink():
    drawn = Image.new("L", (200, 200), 240)
    ImageDraw.Draw(drawn).rectangle((0, 0, 199, 19), fill=0)
    noise = Image.effect_noise((200, 200), 4).point(lambda value: value - 128 if value > 128 else 0)
    noisy = Image.composite(
        Image.new("L", (200, 200), 232), drawn, noise.point(lambda v: 255 * (v > 3))
    )
    assert page(drawn, "").ink == pytest.approx(0.1)
    noisy.paste(drawn.crop((0, 0, 200, 20)), (0, 0))
    assert page(noisy, "").ink == pytest.approx(0.1, abs=0.001)
    assert page(drawn.filter(ImageFilter.GaussianBlur(1)), "").ink == pytest.approx(0.1, abs=0.02)


def test_dark_pages_have_a_background_too():
    assert page(Image.new("RGB", (9, 9), "black"), "").ink == 0
