"""Tricks are noticed, and honest answers are not taken for one."""

import base64
import io
import textwrap
from urllib.parse import quote

import pytest
from PIL import Image, ImageDraw, ImageFilter

from helm_structext.rewards import PRESETS, MMRReward, Reward
from helm_structext.rewards.guards import (
    GUARDS,
    OF_COMPLETIONS,
    OF_LISTS,
    OF_PATHS,
    OF_RENDERINGS,
    OF_TEXTS,
    Page,
    notice_nulls,
    notice_repeats,
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


def test_all_guards_have_a_name():
    tables = (OF_COMPLETIONS, OF_RENDERINGS, OF_TEXTS, OF_LISTS, OF_PATHS)
    assert set(GUARDS) == {name for table in tables for name in table}


@pytest.mark.parametrize("name", TRICKS)
def test_each_trick_is_noticed_by_its_guard_alone(name):
    assert noticed(TRICKS[name]) == [name]


@pytest.mark.parametrize("width", [64, 76, 3900])
@pytest.mark.parametrize("joint", ["\n", '" +\n    "', "\\\n", " " * 50])
def test_data_in_many_lines_is_data(width, joint):
    data = joint.join(textwrap.wrap("iVBORw0KGgo" * 400, width))
    assert noticed(f'<img src="data:image/png;base64,{data}">') == ["embedded"]


def _file(format):
    picture = Image.effect_noise((32, 24), 90).convert("RGB")
    data = io.BytesIO()
    picture.save(data, format)
    return data.getvalue()


FILES = {name: _file(name) for name in ("PNG", "JPEG", "GIF", "WEBP", "AVIF")}
PNG = FILES["PNG"]
LETTERS = base64.b64encode(PNG).decode()
EMBEDDED = {
    **{
        name: f'<svg><image href="data:image/{name.lower()};base64,{base64.b64encode(data).decode()}"/></svg>'
        for name, data in FILES.items()
    },
    **{
        f"{name} without a type": f'<img src="data:;base64,{base64.b64encode(data).decode()}">'
        for name, data in FILES.items()
    },
    **{
        f"{name} as numbers": f"bytes(({', '.join(map(str, data))}))"
        for name, data in FILES.items()
    },
    "css": f"a {{ background: url(data:image/png;base64,{LETTERS}) }}",
    "percent": f"<img src='data:image/png,{quote(PNG)}'>",
    "escaped letters": f"<img src='data:image/png;base64,{quote(LETTERS, safe='')}'>",
    "short lines": "<img src='data:image/png;base64,\n"
    + "\n".join(textwrap.wrap(LETTERS, 20))
    + "'>",
    "short texts": "i.src = "
    + " +\n".join(f"'{it}'" for it in textwrap.wrap("data:image/png;base64," + LETTERS, 30)),
    "entities": f"<image href='data:image/png;base64,{''.join(f'&#{ord(it)};' for it in LETTERS)}'/>",
    "within SVG": "<img src='data:image/svg+xml;base64,"
    + base64.b64encode(
        f'<svg><image href="data:image/png;base64,{LETTERS}"/></svg>'.encode()
    ).decode()
    + "'>",
    "canvas": f"const data = atob('{LETTERS}')",
    "decoder": f"np.frombuffer(zlib.decompress(base64.b64decode('{'eJzT0yMAGGwBn' * 20}')))",
    "hexadecimal": f"bytes.fromhex('{PNG.hex()}')",
    "escapes": "b'" + "".join(f"\\x{byte:02x}" for byte in PNG) + "'",
    "bytes": "\\x89PN" + "".join(f"\\x{byte:02x}" for byte in PNG[3:]),
    "typst": f"#image(bytes(({', '.join(f'0x{byte:02x}' for byte in PNG)})))",
    "tex": "\\immediate\\pdfobj stream attr{/Type /XObject /Subtype /Image} {" + PNG.hex() + "}",
}


@pytest.mark.parametrize("name", EMBEDDED)
def test_a_picture_is_noticed_in_any_encoding_and_length(name):
    assert noticed(EMBEDDED[name]) == ["embedded"]


def test_a_picture_that_the_reference_embeds_may_be_embedded():
    assert OF_COMPLETIONS["embedded"](EMBEDDED["css"])
    assert OF_COMPLETIONS["embedded"](EMBEDDED["css"], EMBEDDED["PNG"]) is None
    assert OF_COMPLETIONS["embedded"](EMBEDDED["JPEG"] * 9, EMBEDDED["JPEG"])


def boxes(words):
    drawn = Image.new("RGB", (900, 400), "white")
    draw = ImageDraw.Draw(drawn)
    for number in range(3):
        draw.rectangle(
            (20 + 290 * number, 40, 290 + 290 * number, 300), fill="#f4f6fb", outline="gray"
        )
        draw.rectangle((40 + 290 * number, 240, 130 + 290 * number, 276), fill="#3366cc")
        draw.text((40 + 290 * number, 90), words, fill="black")
    return drawn


@pytest.mark.parametrize(
    ("words", "right"), [("", False), ("a", False), ("i n", True), ("a t e i n s", True)]
)
def test_boxes_without_the_words_of_the_reference_are_no_copy(words, right):
    text = OF_RENDERINGS["text"]
    found = text(page(boxes(words), ""), page(boxes("w o r d s a n d"), ""))
    assert (found is None) == right
    assert right or "marks that look like letters, the reference 2" in found
    assert text(page(boxes("w o r d s a n d"), ""), page(boxes(""), "")) is None
    # By a layout it is known what was to be read.
    assert text(page(boxes(words), "", told=True), page(boxes("w o r d s a n d"), "")) is None


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
        "<img src='data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'>",
        "<style>a { background: url(\"data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'%3E"
        + "%3Cpath d='M1 2 30 4'/%3E" * 40
        + '") }</style>',
        f"<script src='a.js' integrity='sha384-{'oqVuAfXRKap7fdgc' * 4}'></script>" * 9
        + "atob('aGk=')",
        "const bytes = new Uint8Array(4 * 300 * 200); context.putImageData(picture, 0, 0)",
        "\\draw (0,0) -- (137,80) -- (78,71); (255,216) (255,0);",
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


def test_half_of_a_short_formula_may_be_small_where_layouts_are_compared():
    formula, half = r"$x = \frac{1234567890}{abcdefghij}$", "$x$"
    assert Reward("latex", PRESETS["image"])(half, formula).error_kind == "size"
    found = Reward("latex", PRESETS["whole"])(half, formula)
    assert found.error_kind is None
    assert 0 < found.score < 1
    wide = Reward("latex", PRESETS["whole"])(formula, half)
    assert wide.error_kind == "size"


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


@pytest.mark.parametrize("empty", [{}, [], [None], {"a": None}, "", [[], {}]], ids=str)
def test_what_is_empty_says_as_little_as_null(empty):
    assert notice_nulls([[empty]] * 3 + [["x"]])
    assert notice_repeats([[empty], [None], ["x"], [["x"]], ["y"], ["z"]])
    assert not notice_nulls([[empty], ["a"], ["b"]])


def test_what_differs_is_no_repetition():
    assert not notice_repeats([["a"], ["b"], [{"c": 1, "d": 2}], [None], [1], [True]])
    assert notice_repeats([[{"a": "x", "b": ["x"]}], ["x"], ["x"], [1]])


@pytest.mark.parametrize(
    "between", [", ", " & ", " + ", " = ", "_", "。", "、", ". ", " then ", "; ", ": "]
)
def test_a_list_of_everything_is_noticed_whatever_parts_it(between):
    names = ["Anna", "Bert", "Cem", "Dora", "Emma", "Finn", "Guel", "Hans", "Ida"]
    assert OF_LISTS["everything"](between.join(names), "Emma")
    assert not OF_LISTS["everything"]("It says: Emma. That is at the top, in red", "Emma")
    reply = f'["{between.join(names)}", [0.1, 0.2, 0.5, 0.3]]'
    truth = '["Emma", [0.1, 0.2, 0.5, 0.3]]'
    assert MMRReward("text_box")(reply.replace('["', "", 1), truth).error_kind == "everything"
