r"""The tags that StructEval asks for around code, and what models write in their place.

A tag is ``BEGIN_CODE`` or ``END_CODE``, in letters of any case,

- between brackets or bars of any kind, with or without a slash or blanks: ``<|BEGIN_CODE|>``,
  ``[BEGIN_CODE]``, ``</END CODE>``, ``&lt;|END_CODE|&gt;``;
- with an angle bracket or a bar on one side: ``|BEGIN_CODE|>``, ``<|END_CODE``;
- or alone on its line, maybe as a comment or in bold, or first in the text and last in it.

What else has these letters is code, such as ``{"BEGIN_CODE": 1}`` and ``send_code()``.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from helm_structext.patterns import Pattern

WORD = Pattern(r"(?i)(BEGIN|END)(\\?_|[ \t-])CODE")
# Code never ends with an opening bracket, nor begins with a closing one; but a table has bars.
BEFORE = Pattern(
    r"(?m)((?:^[|｜]{1,2})?(?:\\?[<＜〈《«‹\[({【「] ?|&lt;){0,3}/?(?:\\?[|｜]){0,2})[\\/ \t]{0,3}\z"
)
AFTER = Pattern(r"[\\/ \t]{0,3}((?:\\?[|｜]){0,2}/?(?: ?\\?[>＞〉》»›\])}】」]|&gt;){0,3})")
ANGLE = Pattern(r"[|｜<＜〈《«‹>＞〉》»›]|&[lg]t;")
EMPHASIS = Pattern(r"`{1,3}|\*{1,3}|_{1,3}")
# What code has before the brackets of an argument, an index or a label.
OWNER = Pattern(r"[\w)\]\\$]\z")
COMMENT = Pattern(r"\s*(?:[#%;*_`~=]+|//+|--+|<!--+|/\*+)?\s*")
END_OF_COMMENT = Pattern(r"\s*(?:[#%;*_`~=]+|--+>?|\*+/)?\s*")
EDGES = Pattern(r"(?is)\s*(BEGIN_CODE)\s.*\s(END_CODE)\s*\z")
REACH = 24
"""How many characters before and after its letters may belong to a tag."""
# What stands between tags that are only spoken of: "between <|BEGIN_CODE|> and <|END_CODE|>".
MENTION = Pattern(r"(?i)[ \t`'\"*_.,…-]*(?:[a-z]+[ \t`'\"*_.,…-]+){0,3}")


class Tag(NamedTuple):
    """A tag in a text: where it begins and ends, which of the two it is, whether as asked for."""

    start: int
    end: int
    opening: bool
    exact: bool


def tags_of(text: str) -> Iterator[Tag]:
    """Yields the tags of a text from left to right; see the module's text.

    >>> [(tag.start, tag.end) for tag in tags_of("a</END_CODE>")]
    [(1, 12)]
    >>> list(tags_of("x[END_CODE] = send_code(BEGIN_CODE)"))
    []
    """
    done, opened = 0, False
    around = EDGES.match(text)
    edges = (around.start(1), around.start(2)) if around else ()
    for word in WORD.finditer(text):
        first, last = max(done, word.start() - REACH), word.end() + REACH
        left, right = text[first : word.start()], text[word.end() : last]
        opening = word[1].upper() == "BEGIN"
        found = _marks(left, word[2], right, opened, opening)
        opening = opening and not (found and "/" in left[len(left) - found[0] :])
        if found is None and word[2].endswith("_"):
            found = _line(left, right, first == 0, last >= len(text))
            found = (0, 0) if word.start() in edges else found
        if found is not None:
            done, opened = word.end() + found[1], opened or opening
            exact = word[2] == "_" and left.endswith("<|") and right.startswith("|>")
            yield Tag(word.start() - found[0], done, opening, exact)


Size = tuple[int, int]
"""How many characters before and after its letters belong to a tag."""


def _marks(left: str, joint: str, right: str, opened: bool, opening: bool) -> Size | None:
    """The marks beside a tag's letters, with bold type or backticks around them."""
    before, after = BEFORE.search(left), AFTER.match(right)
    assert before  # Both may match nothing.
    assert after
    angled = ANGLE.search(before[1] + after[1])
    rest = left[: before.start()]
    other = right[:1] if before[1] else left[-1:]
    closes = opened and (not opening or "/" in before[0])
    if before[1] and after[1]:
        is_tag = bool(angled) or closes or not OWNER.search(rest)
    else:
        is_tag = bool(angled) and joint.endswith("_") and not (other.isalnum() or other == "_")
    if not is_tag:
        return None
    emphasis = EMPHASIS.match(right[after.end() :])
    more = len(emphasis[0]) if emphasis and rest.endswith(emphasis[0]) else 0
    return len(before[0]) + more, len(after[0]) + more


def _line(left: str, right: str, at_start: bool, at_end: bool) -> Size | None:
    """A line without anything but a tag's letters, maybe in a comment."""
    _, begins, before = left.rpartition("\n")
    after, ends, _ = right.partition("\n")
    whole = (begins or at_start) and (ends or at_end)
    is_tag = whole and COMMENT.fullmatch(before) and END_OF_COMMENT.fullmatch(after)
    return (len(before), len(after)) if is_tag else None


def ends_malformed(text: str) -> bool:
    """Returns whether a text has a closing tag that is malformed, and none as it was asked for.

    Source: StructEval, section 4.2, speaks of such answers, without counting them.

    >>> ends_malformed("<|BEGIN_CODE|>a: 1</END_CODE>"), ends_malformed("<|BEGIN_CODE|>a: 1<|END_CODE|>")
    (True, False)
    """
    closing = [tag.exact for tag in tags_of(text) if not tag.opening]
    return bool(closing) and not any(closing)


def between_tags(text: str) -> str | None:
    r"""Returns what stands between the tags of a text, or None if it has none.

    That is the first piece after an opening and before a closing tag; where there is none, the
    first one after an opening tag, before a closing one, or between both in the wrong order.
    Doubled tags count once, those that are only spoken of don't count, nor do malformed ones beside
    right ones.

    >>> between_tags("between <|BEGIN_CODE|> and <|END_CODE|>: <|BEGIN_CODE|>[]<|END_CODE|>")
    '[]'
    >>> between_tags("[BEGIN_CODE]\n{}\n<|END_CODE"), between_tags("{}")
    ('\n{}\n', None)
    """
    tags = list(tags_of(text))
    if not tags:
        return None
    spoken = {
        number
        for number, (left, right) in enumerate(pairwise(tags))
        if left.opening and not right.opening and MENTION.fullmatch(text[left.end : right.start])
    }
    named = [tag for number, tag in enumerate(tags) if not spoken & {number, number - 1}]
    tags = named or tags
    exact = {tag.opening for tag in tags if tag.exact}
    tags = [tag for tag in tags if tag.exact or tag.opening not in exact]
    ends = Tag(0, 0, opening=False, exact=False), Tag(len(text), 0, opening=True, exact=False)
    pieces = [
        (2 * (not left.opening) + right.opening, text[left.end : right.start])
        for left, right in pairwise([ends[0], *tags, ends[1]])
    ]
    swapped = not tags[0].opening and not pieces[0][1].strip()
    # The best is 0, after an opening tag and before a closing one; 3 is neither.
    full = [piece for piece in pieces if piece[1].strip() and (piece[0] < 3 or swapped)]
    return strip_tags(min(full, key=lambda piece: piece[0])[1]) if full else ""


def strip_tags(text: str) -> str:
    r"""Returns a text without the tags that it begins or ends with.

    >>> strip_tags("<BEGIN_CODE>\n[]\n|END_CODE|>\n<|END_CODE|>\n")
    '\n[]\n'
    """
    tags = list(tags_of(text))
    start, end = 0, len(text)
    for tag in tags:
        if text[start : tag.start].strip():
            break
        start = tag.end
    for tag in reversed(tags):
        if tag.end <= start or text[tag.end : end].strip():
            break
        end = tag.start
    return text[start:end]
