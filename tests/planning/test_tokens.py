"""How many tokens a picture is, by the rules that providers publish."""

import pytest

from helm_structext.planning.tokens import picture_tokens, text_tokens


@pytest.mark.parametrize(
    ("size", "tokens"),
    [
        ((512, 512), 85 + 170),
        ((513, 512), 85 + 2 * 170),
        ((1024, 1024), 765),  # OpenAI's own first example: 768×768 after scaling
        ((2048, 4096), 1105),  # and its second one: 768×1536
        ((1, 1), 85 + 170),
        ((50_000, 10), 85 + 4 * 170),
    ],
)
def test_openai_counts_squares_of_512(size, tokens):
    assert picture_tokens("openai/gpt-4o-2024-11-20", size) == tokens


@pytest.mark.parametrize(
    ("size", "tokens"),
    [((200, 200), 53), ((1000, 1000), 1333), ((1092, 1092), 1590), ((8000, 8000), 1600)],
)
def test_anthropic_counts_pixels_up_to_a_limit(size, tokens):
    assert abs(picture_tokens("anthropic/claude-3", size) - tokens) <= 1


@pytest.mark.parametrize(
    ("size", "tokens"), [((384, 384), 258), ((385, 100), 258), ((769, 768), 516)]
)
def test_google_counts_squares_of_768(size, tokens):
    assert picture_tokens("google/gemini-2.0-flash", size) == tokens


def test_other_models_count_squares_of_28():
    assert picture_tokens("me/my-vlm", (280, 560)) == 200
    assert picture_tokens("", (1, 1)) == 1


def test_code_has_more_tokens_than_prose():
    assert text_tokens(1200, code=True) > text_tokens(1200)
