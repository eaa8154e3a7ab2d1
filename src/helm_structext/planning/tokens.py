"""How many tokens texts and pictures are, by the rules of thumb of those who count them."""

import math

BYTES_PER_TOKEN = 4
"""Of English prose, as OpenAI and Google say; of other text it is UTF-8 that counts."""

CODE_BYTES_PER_TOKEN = 3
"""Of code, in which signs and short names are tokens of their own."""


def text_tokens(size: float, *, code: bool = False) -> float:
    """Returns about how many tokens a text is.

    Args:
        size: bytes in UTF-8.
        code: whether it is code.

    >>> text_tokens(400), text_tokens(300, code=True)
    (100.0, 100.0)
    """
    return size / (CODE_BYTES_PER_TOKEN if code else BYTES_PER_TOKEN)


def picture_tokens(model: str, size: tuple[int, int]) -> int:
    """Returns how many tokens a picture is to a model.

    Args:
        model: its name in HELM, which begins with the name of who made it.
        size: width and height in pixels.

    >>> picture_tokens("openai/gpt-4o", (1024, 1024)), picture_tokens("google/gemini", (900, 700))
    (765, 516)
    >>> picture_tokens("anthropic/claude", (1000, 750)), picture_tokens("me/my-vlm", (1000, 750))
    (1000, 972)
    """
    width, height = size
    return _RULES.get(model.partition("/")[0], _patches)(width, height)


def _openai(width: float, height: float) -> int:
    """85 tokens, and 170 for each square of 512 pixels.

    Source: OpenAI's guide to images, of ``detail: high``: scaled down into 2048×2048, then until the
    shorter side has 768 pixels.
    """
    width, height = _within(width, height, max(width, height), 2048)
    width, height = _within(width, height, min(width, height), 768)
    return 85 + 170 * math.ceil(width / 512) * math.ceil(height / 512)


def _anthropic(width: float, height: float) -> int:
    """A token for each 750 pixels, after scaling down to a longer side of 1568 pixels.

    Source: Anthropic's guide to vision, which names about 1,600 tokens as the most.
    """
    width, height = _within(width, height, max(width, height), 1568)
    return min(1600, round(width * height / 750))


def _google(width: float, height: float) -> int:
    """258 tokens for each square of 768 pixels, or for a picture of at most 384 pixels a side.

    Source: Google's guide to tokens, of Gemini 2.0 and later.
    """
    if max(width, height) <= 384:
        return 258
    return 258 * math.ceil(width / 768) * math.ceil(height / 768)


def _patches(width: float, height: float) -> int:
    """A token for each square of 28 pixels, as of the Qwen-VL models and others since."""
    return max(1, round(width / 28) * round(height / 28))


def _within(width: float, height: float, side: float, most: float) -> tuple[float, float]:
    scale = min(1.0, most / side)
    return width * scale, height * scale


_RULES = {"openai": _openai, "anthropic": _anthropic, "google": _google}
