"""From a completion to the code in it, by the rules of each benchmark."""

from collections.abc import Callable, Iterator
from itertools import chain
from typing import NamedTuple

from helm_structext.formats import ExtractionRule, Format, check_format
from helm_structext.patterns import Match, Pattern, escaped
from helm_structext.protocols import ProtocolName, check_protocol

TAGGED = Pattern(r"(?is)<\|BEGIN_CODE\|>(.*?)(?:<\|END_CODE\|>|\z)")
OPENING = Pattern(r"(?i)BEGIN_CODE[|>]{0,4}")
CLOSING = Pattern(r"(?i)END_CODE")
_REASONING = "|".join(
    rf"<{name}>.*?(?:</{name}>|\z)" for name in ("think", "thinking", "reasoning")
)
THOUGHTS = Pattern(rf"(?is)(?:\s*(?:{_REASONING}))+")
END_OF_THOUGHTS = Pattern(r"(?i)<(/?)(?:think|thinking|reasoning)>")
FENCE_OPENING = Pattern(r"(?m)^[ \t]*(?P<fence>`{3,}|~{3,})(?P<language>[^\n`]*)\n")
# A fence is closed by a whole run of marks.
FENCE_CLOSING = Pattern(r"(?m)(?P<fence>`{3,}|~{3,})[ \t\r]*$")
LANGUAGE_LINE = Pattern(r"[\w+.#-]*[ \t]*\r?\n")


def extract(completion: str, format: str, protocol: str = "published") -> str:
    r"""Returns the code of a completion, as its benchmark finds it. Nothing is unescaped.

    Formats of StructEval (`tagged`): reasoning blocks are removed. Then

    - ``published``: what stands between ``<|BEGIN_CODE|>`` and ``<|END_CODE|>`` or in the first
      code fence, whichever begins first; but with the five formats of text, a fence anywhere wins
      over the tags. Tags and fences need not be closed. A malformed tag is none, so that a
      malformed closing one stays in the code.
    - ``corrected``: what stands between the tags, malformed or not, without a fence around the
      whole of it; where there are none, in the first fence of a language that suits the format, or
      else in the first one. A document in Markdown may hold fences of its own, so that only one
      of its own language counts there, or one around the whole of it; so may one in Typst that
      stands between the tags.

    Without tags and fences, the whole completion is code in both. (The published code raises there
    with formats that have pictures, and goes on with the code of the task before.)

    Formats of Image2Struct (`fenced`, `fenced_corrected`): what stands in the first code fence, or
    else the whole completion. The published code leaves fences around LilyPond's code.

    Args:
        completion: what the model wrote.
        format: a key of `helm_structext.formats.FORMATS`.
        protocol: ``published`` or ``corrected``.

    Returns:
        The code; that of StructEval without white space around it.

    Raises:
        ValueError: unknown format or protocol.

    Source: StructEval, section 3 and the extraction of its published code; Image2Struct's published
    code (HELM), its annotators.

    >>> extract("Sure! <|BEGIN_CODE|>\n{}\n<|END_CODE|> Done.", "json")
    '{}'
    >>> both = "```\n{}\n``` or <|BEGIN_CODE|>[]|END_CODE|>"
    >>> extract(both, "json"), extract(both, "json", "corrected")
    ('{}', '[]')
    >>> extract("<think>Is {} enough?</think>[]", "json")
    '[]'
    >>> score = "```lilypond\n{ c' }\n```"
    >>> extract(score, "lilypond") == score, extract(score, "lilypond", "corrected")
    (True, "{ c' }\n")
    """
    row = check_format(format)
    return RULES[row.extraction][check_protocol(protocol)](completion, row)


def tagged(completion: str, row: Format) -> str:
    """Returns the code of a completion of StructEval by the published rule; see `extract`."""
    text = without_reasoning(completion)
    before, opened, rest = text.partition("```")
    _, opened, rest = rest.partition("\n")
    tagged = TAGGED.search(text)
    if opened and (row.parser or not tagged or len(before) < tagged.start()):
        return rest.partition("```")[0].strip()
    return (tagged[1] if tagged else text).strip()


def without_reasoning(completion: str) -> str:
    """Returns a completion without the reasoning that it begins with.

    A block that is never closed leaves nothing. What precedes a closing tag that was never opened
    is reasoning too: some chat templates open it in the prompt.

    >>> without_reasoning("<think>2 + 2</think>4"), without_reasoning("2 + 2</think>4")
    ('4', '4')
    >>> without_reasoning("<think>2 + 2 is"), without_reasoning("<p><think></think></p>")
    ('', '<p><think></think></p>')
    """
    thoughts = THOUGHTS.match(completion)
    text = completion[thoughts.end() :] if thoughts else completion
    first = END_OF_THOUGHTS.search(text)
    return text[first.end() :] if first and first[1] else text


def tagged_corrected(completion: str, row: Format) -> str:
    """Returns the code of a completion of StructEval by the corrected rule; see `extract`."""
    text = without_reasoning(completion)
    opening = OPENING.search(text)
    code = text[opening.end() :] if opening else text
    closing = CLOSING.search(code)
    if closing:
        code = code[: closing.start()]
        # The beginning of the tag, such as <| or </.
        code = code[:-4] + code[-4:].rstrip("<|/")
    between_tags = bool(opening or closing)
    # Fences inside of a document do not close the one around it.
    nested = row.own_fences == "always" or (row.own_fences == "between tags" and between_tags)
    fences = fences_of(code, nested=nested)
    first = next(fences, None)
    if first is None:
        return code.strip()
    suitable = (fence for fence in chain([first], fences) if fence.language.lower() in row.fences)
    document = row.own_fences == "always"
    whole = first.text.strip() == code.strip()
    if between_tags:
        chosen = (next(suitable, None) if document else first) if whole else None
    else:
        plain = whole and not first.language
        chosen = next(suitable, first if plain or not document else None)
    return (chosen.code if chosen else code).strip()


class Fence(NamedTuple):
    """A code fence: all of it, the language that it names, and what stands in it."""

    text: str
    language: str
    code: str


def fences_of(text: str, *, nested: bool) -> Iterator[Fence]:
    r"""Yields the code fences of a text; one that is never closed goes on to the end.

    Args:
        text: Markdown.
        nested: whether a fence is closed by the last one that could close it, not by the first.

    >>> [fence.code for fence in fences_of("```a\nb\n```\n~~~\nc", nested=False)]
    ['b\n', 'c']
    """
    closings = FENCE_CLOSING.finditer(text)
    last = _longer_than_all_after(closings) if nested else []
    place = 0
    for opening in FENCE_OPENING.finditer(text):
        start, fence = opening.end(), opening["fence"]
        if opening.start() < place:
            continue
        able = (
            closing
            for closing in (last if nested else closings)
            if closing.start() >= start and closing["fence"].startswith(fence)
        )
        closing = next(able, None)
        end, place = (closing.start(), closing.end()) if closing else (len(text), len(text))
        yield Fence(text[opening.start() : place], opening["language"].strip(), text[start:end])
        if closing is None:
            return


def _longer_than_all_after(closings: Iterator[Match]) -> list[Match]:
    """The closings that are the last one for some fence; of each mark, the last comes first."""
    found: dict[str, list[Match]] = {"`": [], "~": []}
    for closing in closings:
        same = found[closing["fence"][0]]
        while same and len(same[-1]["fence"]) <= len(closing["fence"]):
            same.pop()
        same.append(closing)
    return [closing for same in found.values() for closing in reversed(same)]


def fenced(completion: str, row: Format) -> str:
    """Returns what stands in the first code fence, as Image2Struct's annotators find it.

    A fence of the format's own language comes first, then any other; the language after any other
    opening stays in the code, and a fence that is never closed is none.

    Source: Image2Struct's published code (HELM), the delimiters of its annotators.

    >>> fenced("Here you are:\\n```latex\\nx^2\\n```", check_format("latex"))
    '\\nx^2\\n'
    >>> fenced("```tex\\nx^2\\n```", check_format("latex"))
    'tex\\nx^2\\n'
    """
    completion = completion.strip()
    for opening in (f"```{row.fences[0]}", "```"):
        _, found, rest = completion.partition(opening)
        code, closed, _ = rest.partition("```")
        if found and closed:
            return code
    return completion


def fenced_corrected(completion: str, row: Format) -> str:
    """Returns what stands in the first code fence, whatever its language; an open one counts.

    >>> fenced_corrected("```tex\\nx^2\\n```", check_format("latex"))
    'x^2\\n'
    >>> fenced_corrected("```x^2```", check_format("latex"))
    'x^2'
    >>> fenced_corrected("Cut off: ```latex\\nx^2", check_format("latex"))
    'x^2'
    """
    completion = completion.strip()
    opening = f"```{row.fences[0]}"
    if own := Pattern(rf"{escaped(opening)}(?:\W|\z)").search(completion):
        code = completion[own.start() + len(opening) :].lstrip(" \t").removeprefix("\n")
    else:
        _, found, code = completion.partition("```")
        if not found:
            return completion
        language = LANGUAGE_LINE.match(code)
        code = code[language.end() :] if language else code
    return code.partition("```")[0]


def whole(completion: str, row: Format) -> str:
    """Returns the completion without white space around it."""
    return completion.strip()


RULES: dict[ExtractionRule, dict[ProtocolName, Callable[[str, Format], str]]] = {
    "tagged": {"published": tagged, "corrected": tagged_corrected},
    "fenced": {"published": fenced, "corrected": fenced_corrected},
    "raw": {"published": whole, "corrected": fenced_corrected},
}
"""How code is found in completions, by the rule that a format's row names and the protocol."""
