"""Filters that all domains share: reasons against candidates, texts and pictures."""

from collections.abc import Iterator

import numpy as np
from PIL import Image

from helm_structext.image2struct.collect.records import (
    Download,
    Draft,
    Filter,
    SourceCandidate,
    Tools,
)
from helm_structext.pictures import decode

WHITE_SHARES = {"latex": 0.99, "webpage": 0.95, "music": 0.99}
"""Domain to the share of white pixels above which a picture shows nothing."""


def malformed(candidate: SourceCandidate, tools: Tools) -> str | None:
    """Returns what is wrong with the host's description of a candidate, or None."""
    reason: str | None = candidate.info.get("malformed")
    return reason


def created_before_start(candidate: SourceCandidate, tools: Tools) -> str | None:
    """Returns why a candidate is older than the round's window, or None."""
    if candidate.day < tools.settings.window.first:
        return f"dated {candidate.day}; the round starts on {tools.settings.window.first}"
    return None


def created_after_end(candidate: SourceCandidate, tools: Tools) -> str | None:
    """Returns why a candidate is newer than the round's window, or None."""
    if candidate.day > tools.settings.window.last:
        return f"dated {candidate.day}; the round ends on {tools.settings.window.last}"
    return None


def license_not_admitted(candidate: SourceCandidate, tools: Tools) -> str | None:
    """Returns why a candidate's license is none of those that the round admits, or None."""
    if tools.settings.licenses and candidate.license not in tools.settings.licenses:
        return f"its license is {candidate.license or 'not known'}"
    return None


def toxic(subject: Download | Draft, tools: Tools) -> str | None:
    """Returns why the texts of a download, or the code of a draft, may not be published, or None.

    Every file of a download that is text is read; a draft's structure, or its text.
    """
    if tools.moderation is None:
        return None
    return tools.moderation([text for text in _texts(subject) if text.strip()])


def _texts(subject: Download | Draft) -> Iterator[str]:
    if isinstance(subject, Draft):
        yield subject.structure or subject.text or ""
        return
    yield from filter(None, map(text_of, subject.files.values()))


def text_of(content: bytes) -> str | None:
    r"""Returns a file's text; None if it is not one in UTF-8.

    >>> text_of("é".encode()), text_of("é".encode("latin-1")), text_of(b"\0\0")
    ('é', None, None)
    """
    if b"\0" in content:  # which is UTF-8 all the same
        return None
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None


def white_image_in(domain: str) -> Filter[Draft]:
    """Returns the filter of a domain against pictures that show almost nothing (`WHITE_SHARES`)."""
    most = WHITE_SHARES[domain]

    def white_image(draft: Draft, tools: Tools) -> str | None:
        """Returns how much of a picture is white if that is too much, or None."""
        share = white_share(decode(draft.image))
        return f"{share:.2%} of its pixels are white" if share > most else None

    return white_image


def white_share(image: Image.Image) -> float:
    """Returns the share of white pixels in an RGB picture: those with 255 in every channel.

    >>> white_share(Image.new("RGB", (2, 2), (255, 255, 254)))
    0.0
    """
    red, green, blue = np.moveaxis(np.asarray(image) == 255, 2, 0)
    return float((red & green & blue).mean())
