import io
from datetime import date

import pytest
from PIL import Image

from helm_structext.image2struct.collect.filters import (
    created_after_end,
    created_before_start,
    license_not_admitted,
    toxic,
    white_image_in,
)
from helm_structext.image2struct.collect.records import Download
from support.drafts import END, START, candidate, draft, tools


@pytest.mark.parametrize(
    ("day", "before", "after"),
    [
        (date(2026, 9, 30), True, False),
        (START, False, False),
        (END, False, False),
        (date(2026, 11, 1), False, True),
    ],
)
def test_the_window_includes_both_of_its_days(day, before, after):
    one = candidate(day=day)
    assert bool(created_before_start(one, tools())) == before
    assert bool(created_after_end(one, tools())) == after


@pytest.mark.parametrize(
    ("license", "admitted", "refused"),
    [
        ("", [], False),
        ("MIT", [], False),
        ("MIT", ["MIT", "CC0-1.0"], False),
        ("GPL-3.0", ["MIT"], True),
        ("", ["MIT"], True),
    ],
)
def test_a_round_may_admit_some_licenses_only(license, admitted, refused):
    one = candidate(license=license)
    assert bool(license_not_admitted(one, tools(licenses=frozenset(admitted)))) == refused


def test_the_moderation_reads_all_texts_and_nothing_else():
    read = []
    files = {"a.tex": b"one", "b.png": b"\x89PNG\0", "c": "é".encode("latin-1"), "d": b" \n"}
    with_moderation = tools(moderation=lambda texts: read.extend(texts) or "toxicity 0.9")
    assert toxic(Download(candidate(), files), with_moderation) == "toxicity 0.9"
    assert read == ["one"]
    assert toxic(draft(3), with_moderation) == "toxicity 0.9"
    assert read == ["one", draft(3).structure]
    assert toxic(draft(3), tools(moderation=None)) is None


def almost_white(share, channel=0):
    """A picture of 100×100 pixels, so many of which are white; the others miss it by one channel."""
    image = Image.new("RGB", (100, 100), "white")
    gray = tuple(254 if place == channel else 255 for place in range(3))
    for pixel in range(round((1 - share) * 10_000)):
        image.putpixel((pixel % 100, pixel // 100), gray)
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("domain", "share", "refused"),
    [
        ("latex", 0.99, False),
        ("latex", 0.9901, True),
        ("webpage", 0.95, False),
        ("webpage", 0.9501, True),
        ("music", 0.99, False),
        ("music", 1, True),
    ],
)
def test_a_picture_that_is_almost_white_shows_nothing(domain, share, refused):
    white_image = white_image_in(domain)
    assert white_image.__name__ == "white_image"
    for channel in range(3):
        assert bool(white_image(draft(image=almost_white(share, channel)), tools())) == refused
