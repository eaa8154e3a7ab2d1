import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helm_structext.mmr import replies as extraction
from helm_structext.mmr.replies import UnreadableReply
from support import GOLDEN

FIGURES = GOLDEN / "mmr_replies.jsonl"
READERS = {
    "mcq": lambda reply: str(extraction.choice(reply)),
    "recognition": extraction.text,
    "grounding_o": lambda reply: list(extraction.box(reply)),
    "grounding_t": lambda reply: as_published(extraction.text_and_box(reply)),
}


def as_published(answer: tuple) -> str:
    said, box = answer
    return json.dumps([said, list(box)])


def goldens() -> list[dict]:
    return [json.loads(line) for line in FIGURES.read_text(encoding="utf-8").splitlines()]


def test_all_golden_replies_are_read_as_published():
    rows = goldens()
    assert len(rows) == 200
    for row in rows:
        try:
            found = READERS[row["kind"]](row["reply"])
        except UnreadableReply:
            found = 0 if row["kind"] == "mcq" else "ERROR: invalid format"
        assert found == row["extracted"], row


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "[]",
        "null",
        "0.5",
        '"abcd"',
        '{"a": 1, "b": 2, "c": 3, "d": 4}',
        "[0.1, 0.2, 0.3]",
        "[0.1, 0.2, 0.3, 0.4, 0.5]",
        "[[0.1, 0.2, 0.3, 0.4]]",
        "[0.1, 0.2, 0.3, null]",
        "[0.1, 0.2, 0.3, NaN]",
        "[0.1, 0.2, 0.3, Infinity]",
        "[-Infinity, 0.2, 0.3, 0.4]",
        "[0.1, 0.2, 0.3, 1e999]",
        f"[0.1, 0.2, 0.3, 1{'0' * 400}]",
        "[" * 100_000,
        "\ud800",
    ],
)
def test_what_is_not_a_box_is_unreadable_with_or_without_a_text(reply):
    with pytest.raises(UnreadableReply, match="the reply"):
        extraction.box(reply)
    with pytest.raises(UnreadableReply, match="the reply"):
        extraction.text_and_box('"Hello", ' + reply)


def test_numbers_in_quotes_are_refused_but_for_text_grounding_as_published():
    reply = '["0.1", "0.2", "0.3", "0.4"]'
    with pytest.raises(UnreadableReply, match="in quotes"):
        extraction.box(reply)
    assert extraction.text_and_box(reply) == ("", (0.1, 0.2, 0.3, 0.4))


def test_a_text_with_the_word_error_is_refused_as_published():
    with pytest.raises(UnreadableReply, match="ERROR"):
        extraction.text_and_box('"TRIAL AND ERROR", [0.1, 0.2, 0.3, 0.4]')
    assert extraction.text_and_box('"Error", [0, 0, 1, 1]') == ("Error,", (0, 0, 1, 1))


def test_the_first_number_is_the_choice_even_where_it_is_none():
    assert extraction.choice("There are 3 options: 2") == 3
    assert extraction.choice("٢") == 2
    for reply in ("", "second", "1" * 5000):
        with pytest.raises(UnreadableReply):
            extraction.choice(reply)


LENIENT = {
    "[0.25, 0.5, 0.5, 0.75]": "fraction",
    "```[0.25, 0.5, 0.5, 0.75]```": "fraction",
    "```python\nbox = [0.25,0.5,0.5,.75]\n```": "fraction",
    "The box is [0.25; 0.5; 0.5; 0.75].": "fraction",
    "bbox: (0.25 0.5 0.5 7.5e-1)": "fraction",
    '{"bbox_2d": [250, 500, 500, 750], "label": "dog"}': "thousand",
    "[50, 50, 100, 75]": "pixel",
    "One of [1, 2, 3] but rather [50, 50, 100, 75] or [0, 0, 1, 1]": "pixel",
}


@pytest.mark.parametrize("reply", LENIENT)
def test_a_lenient_box_is_found_in_fences_and_prose(reply):
    assert extraction.lenient_box(reply, LENIENT[reply], (200, 100)) == (0.25, 0.5, 0.5, 0.75)


@pytest.mark.parametrize(
    "reply",
    [
        '"Hello world", [0.1, 0.2, 0.3, 0.4]',
        '"Hello world" (0.1, 0.2, 0.3, 0.4).',
        '```json\n["Hello world", [0.1, 0.2, 0.3, 0.4]]\n```',
        "Hello world: [0.1, 0.2, 0.3, 0.4]",
    ],
)
def test_a_lenient_text_is_what_stands_before_the_box(reply):
    found = extraction.lenient_text_and_box(reply, "fraction", (10, 10))
    assert found == ("Hello world", (0.1, 0.2, 0.3, 0.4))


@pytest.mark.parametrize("reply", ["", "[1, 2, 3]", "[1, 2, 3, 4, 5]", "[1e999, 0, 0, 1]"])
def test_a_lenient_box_still_has_four_finite_numbers(reply):
    with pytest.raises(UnreadableReply):
        extraction.lenient_box(reply, "fraction", (10, 10))
    with pytest.raises(UnreadableReply):
        extraction.lenient_text_and_box(reply, "fraction", (10, 10))


replies = st.one_of(st.text(), st.text(alphabet='[]()0123456789.,;-+eE "NaInfity`\n', max_size=60))


@given(reply=replies)
def test_any_reply_is_read_or_unreadable(reply):
    for read in (
        *READERS.values(),
        lambda r: extraction.lenient_box(r, "pixel", (7, 5)),
        lambda r: extraction.lenient_text_and_box(r, "thousand", (7, 5)),
    ):
        with contextlib.suppress(UnreadableReply):
            read(reply)


@pytest.mark.parametrize(
    "reply",
    [
        "[" + "1" * 200_000,
        "[1" + " " * 200_000,
        "[1 " * 60_000,
        "(" + "1.1" * 60_000,
        "[1,2," * 40_000,
    ],
)
def test_long_replies_take_no_longer_than_their_length(reply):
    # A pattern that backtracks would not come back from these.
    with pytest.raises(UnreadableReply):
        extraction.lenient_box(reply, "fraction", (10, 10))
