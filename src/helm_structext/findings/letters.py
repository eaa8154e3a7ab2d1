"""Weight and slant of letters: which words of a text are bold or italic that should not be, and the other way round."""

from collections import defaultdict
from collections.abc import Iterator

from helm_structext.findings.kinds import (
    PictureFinding,
    box_others,
    group_alike,
    name_others,
    quote_text,
)
from helm_structext.layouts import FACES, UNKNOWN_FACE, TextBox
from helm_structext.metrics.layout_match import LayoutMatch

Restyled = tuple[str, str]
"""The face of letters, and that which they should have; see `FACES`."""


def find_restyled(match: LayoutMatch) -> Iterator[PictureFinding]:
    """Yields texts with the right letters in another weight or slant; those that changed alike are told once.

    Args:
        match: of the pictures.
    """
    changed = [
        (one, other, change, words, share)
        for pair in match.texts
        if (one := pair.prediction) and (other := pair.reference) and pair.similarity == 1
        for change, (words, share) in compare_faces(one, other).items()
    ]
    for numbers in group_alike([change for _, _, change, _, _ in changed]):
        one, other, (face, wanted), words, share = changed[numbers[0]]
        said = f"{quote_text(words)}{name_others(numbers)} is {FACES[face]}, not {FACES[wanted]}"
        others = box_others([changed[number][:2] for number in numbers])
        yield PictureFinding("text restyled", said, one.box, other.box, share, len(numbers), others)


def compare_faces(one: TextBox, other: TextBox) -> dict[Restyled, tuple[str, float]]:
    """Returns what of two texts with the same letters has another weight or slant, and which share of all letters that is.

    Where the face of a letter is not known on both sides, it is the same.

    >>> bold, plain = TextBox("in May", (0, 0, 9, 9), faces="rrbbb"), TextBox("in May", (0, 0, 9, 9), faces="r")
    >>> compare_faces(bold, plain)
    {('b', 'r'): ('May', 0.6)}
    """
    mine, wanted = one.spread_faces, other.spread_faces
    if len(mine) != len(wanted):
        return {}
    changed: defaultdict[Restyled, list[str]] = defaultdict(list)
    start = 0
    for word in other.text.split():
        by_change: defaultdict[Restyled, str] = defaultdict(str)
        sides = zip(word, mine[start:], wanted[start:], strict=False)
        for letter, face, right in sides:
            if face != right and UNKNOWN_FACE not in (face, right):
                by_change[face, right] += letter
        for change, letters in by_change.items():
            changed[change].append(letters)
        start += len(word)
    return {
        change: (" ".join(words), sum(map(len, words)) / len(wanted))
        for change, words in changed.items()
    }
