"""From a completion to the code in it, by the rules of each benchmark."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from helm_structext.errors import check_types
from helm_structext.extraction.fences import Piece, find_whole, join_files
from helm_structext.extraction.prose import cut_prose
from helm_structext.extraction.reasoning import BLANKS, answer
from helm_structext.extraction.tags import between_tags, strip_tags
from helm_structext.formats import ExtractionRule, Format, check_format
from helm_structext.patterns import Match, Pattern, escape_pattern
from helm_structext.protocols import DEFAULT_PROTOCOL, ProtocolName, check_protocol

TAGGED = Pattern(r"(?is)<\|BEGIN_CODE\|>(.*?)(?:<\|END_CODE\|>|\z)")
EMPTY_REASONING = "<think>\n\n</think>\n\n"
"""What models write who were told not to think; the published code removes it."""
FENCE_OPENING = Pattern(r"(?m)^(?P<before>[^\n`]*?)(?P<fence>`{3,}|~{3,})(?P<language>[^\n`]*)\n")
# Fences of a document: the marks stand alone in their line, or with a language.
ALONE = Pattern(r"(?m)^[ \t]*(?P<fence>`{3,}|~{3,})(?P<language>[^\n`]*)$")
WORD = Pattern(r"[\w+.#-]+")
INDENTATION = Pattern(r"[ \t]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)?")
# A fence is closed by a whole run of marks.
FENCE_CLOSING = Pattern(r"(?m)(?P<fence>`{3,}|~{3,})[ \t\r]*$")
# A fence without lines: ```json {}```.
INLINE_FENCE = Pattern(r"(?s)(`+|~{3,})(.*?)(`+|~{3,})")
UNPAIRED = Pattern(r"\A(?:`{3,}|~{3,})[\w+.#-]*[ \t\r]*\n|\n[ \t]*(?:`{3,}|~{3,})[ \t]*\z")
FIRST_WORD = Pattern(r"(\S+)\s*")
# Elements around code: StructEval's first prompt asked for the one, other benchmarks for the other.
WRAPPER = Pattern(r"(?i)(?P<before>(?:[^<`]*\n)?)[ \t]*<(?P<name>code|answer)>")
END_OF_WRAPPER = Pattern(r"(?i)</(code|answer)>")
CDATA = Pattern(r"(?s)<!\[CDATA\[(.*)\]\]>")
LANGUAGE_LINE = Pattern(r"[\w+.#-]*[ \t]*\r?\n")


def extract(completion: str, format: str, protocol: str = DEFAULT_PROTOCOL) -> str:
    r"""Returns the code of a completion, as its benchmark finds it. Nothing is unescaped.

    Formats of StructEval (`tagged`):

    - ``published``: what stands between ``<|BEGIN_CODE|>`` and ``<|END_CODE|>`` or in the first
      code fence, whichever begins first; but with the five formats of text, a fence anywhere wins
      over the tags, be it in the reasoning, of which only an empty block is removed. Tags and fences
      need not be closed. A malformed tag is none, so that a malformed closing one stays in the code.
    - ``corrected``: after the reasoning, what stands between the tags, malformed or doubled or not
      (`helm_structext.extraction.tags`), without a fence around the whole of it; where there are none, in the
      first fence of a language that suits the format, or else in the first one, or in an element
      `code` or `answer` around all. Several fences may be the files of one component
      (`helm_structext.extraction.fences`). A document in Markdown may hold fences of its own, so that only
      one of its own language counts there, or one around the whole of it; so may one in Typst that
      stands between the tags, or in a fence of its own. Where no fence that begins its line names the format's language, one
      within a line counts that does, or that follows a colon. Byte order marks and marks of a turn's
      end are removed.

    Without tags and fences, the whole completion is code in both, but ``corrected`` cuts a document or a
    program out of the prose around it (`helm_structext.extraction.prose`). (The published code raises there
    with formats that have pictures, and goes on with the code of the task before.)

    Formats of Image2Struct (`fenced`, `fenced_corrected`): what stands in the first code fence, or
    else the whole completion. The published code leaves fences around LilyPond's code; ``corrected``
    removes reasoning and marks of a turn's end.

    Args:
        completion: what the model wrote.
        format: a key of `helm_structext.formats.FORMATS`.
        protocol: ``published`` or ``corrected``.

    Returns:
        The code; that of StructEval without white space around it.

    Raises:
        TypeError: the completion is not a string.
        ValueError: unknown format or protocol.

    Source: StructEval, section 3 and the extraction of its published code; Image2Struct's published
    code (HELM), its annotators.

    >>> extract("Sure! <|BEGIN_CODE|>\n{}\n<|END_CODE|> Done.", "json")
    '{}'
    >>> both = "```\n{}\n``` or <|BEGIN_CODE|>[]|END_CODE|>"
    >>> extract(both, "json"), extract(both, "json", "corrected")
    ('{}', '[]')
    >>> extract("<think>Is {} enough?</think>[]", "json", "corrected")
    '[]'
    >>> score = "```lilypond\n{ c' }\n```"
    >>> extract(score, "lilypond") == score, extract(score, "lilypond", "corrected")
    (True, "{ c' }\n")
    """
    return extraction_steps(completion, format, protocol)[-1].text


class Step(NamedTuple):
    """What one part of a rule leaves of a completion.

    Attributes:
        taken: what it takes, for people.
        text: what is left; the last step's is the code.
    """

    taken: str
    text: str


def extraction_steps(completion: str, format: str, protocol: str = DEFAULT_PROTOCOL) -> list[Step]:
    r"""Returns how code is found in a completion, step by step; see `extract`, as for the arguments.

    The first step is the whole completion. Steps that leave all as it is are not there.

    Raises:
        TypeError: the completion is not a string.
        ValueError: unknown format or protocol.

    >>> for step in extraction_steps("<think>{}?</think>```json\n[1]\n```", "json", "corrected"):
    ...     print(step)
    Step(taken='the completion', text='<think>{}?</think>```json\n[1]\n```')
    Step(taken='the answer, without reasoning before it and marks of its end', text='```json\n[1]\n```')
    Step(taken='what a code fence holds', text='[1]')
    """
    check_types(str, completion=completion)
    row = check_format(format)
    steps = [Step("the completion", completion)]
    for step in RULES[row.extraction][check_protocol(protocol)](completion, row):
        if step.text != steps[-1].text:
            steps.append(step)
    return steps


ANSWER = "the answer, without reasoning before it and marks of its end"
TAGS = "what stands between tags"
FENCE = "what a code fence holds"
PROGRAM = "code without the prose around it"
NO_BLANKS = "without white space around it"


def tagged(completion: str, row: Format) -> Iterator[Step]:
    """Yields how the code of a completion of StructEval is found by the published rule; see `extract`."""
    text = completion.replace(EMPTY_REASONING, "")
    yield Step("without empty reasoning", text)
    before, opened, rest = text.partition("```")
    _, opened, rest = rest.partition("\n")
    tagged = TAGGED.search(text)
    if opened and (row.parser or not tagged or len(before) < tagged.start()):
        yield Step(FENCE, rest.partition("```")[0].strip())
    elif tagged:
        yield Step(TAGS, tagged[1].strip())
    else:
        yield Step(NO_BLANKS, text.strip())


def tagged_corrected(completion: str, row: Format) -> Iterator[Step]:
    """Yields how the code of a completion of StructEval is found by the corrected rule; see `extract`."""
    text = answer(completion)
    yield Step(ANSWER, text)
    inside = between_tags(text)
    code = text if inside is None else inside
    yield Step(TAGS, code)
    code = unwrap_element(code, row)
    yield Step("what the element `code` or `answer` holds", code)
    code = code.strip(BLANKS)
    yield Step(NO_BLANKS, code)
    opened = open_fence(code, row, tagged=inside is not None)
    if inside is None and opened == code:
        code = cut_prose(code, row)
        yield Step(PROGRAM, code)
    else:
        code = opened
        yield Step(FENCE, code.strip(BLANKS))
    code = strip_tags(code).strip(BLANKS)
    yield Step("without tags at its ends", code)
    if cdata := CDATA.fullmatch(code):
        yield Step("what a section CDATA holds", cdata[1].strip(BLANKS))


def unwrap_element(text: str, row: Format) -> str:
    """Returns what stands in the element around code, if that is the first one of the text.

    >>> unwrap_element("Here it is:\\n<code>{}</code>", check_format("json"))
    '{}'
    >>> unwrap_element("<answer>1</answer>", check_format("xml"))
    '<answer>1</answer>'
    """
    opening = WRAPPER.match(text)
    if not opening or (opening["before"].strip() and row.own_fences == "always"):
        return text
    name, code = opening["name"].lower(), text[opening.end() :]
    # The root of a document may have such a name.
    if row.fences[0] == "xml" and (name == "answer" or not code.lstrip().startswith("<")):
        return text
    ends = [end for end in END_OF_WRAPPER.finditer(code) if end[1].lower() == name]
    # An element of the code may be closed last.
    closed = ends and "<" not in code[ends[-1].end() :]
    return code[: ends[-1].start()] if closed else code


def open_fence(code: str, row: Format, *, tagged: bool) -> str:
    """Returns what stands in a code fence, if it is the one that holds the code.

    Args:
        code: without tags.
        row: of its format.
        tagged: whether tags stood around it; then only a fence around the whole of it counts.
    """
    document = row.own_fences == "always"
    # Fences inside of a document do not close the one around it.
    nested = document or (row.own_fences == "between tags" and tagged)
    fences = [one for one in fences_of(code, nested=nested) if one.holds_something]
    if not tagged and not any(one.named(row.fences) for one in fences):
        fences = find_inline_fences(code, row, fences)
    if not fences:
        return code if document else strip_inline_marks(code, row)
    if document:
        fences[0] = pair_fences(fences[0], code, bare=True)
    all_of_it = not tagged or code.startswith(fences[0].text)
    if all_of_it and (files := join_files(pieces(code, fences), row)):
        return files
    suitable = choose_suitable(fences, row)
    first = fences[0]
    if tagged and not document and sum(bool(one.language) for one in fences) < 2:
        # One fence around code that has some of its own.
        first = next(fences_of(code, nested=True))
    whole = first.text.strip() == code
    if tagged:
        chosen = (suitable if document else first) if whole else None
    else:
        chosen = suitable or (first if not document or (whole and not first.language) else None)
    if chosen is None:
        return code
    if not chosen.code.strip():
        return strip_inline_marks(chosen.text.strip(), row)
    if row.own_fences == "between tags" and not tagged:
        chosen = pair_fences(chosen, code, bare=False)
    if not chosen.closed and not tagged and not document:
        return cut_prose(remove_indentation(chosen.code, chosen.before).strip(BLANKS), row)
    return remove_indentation(chosen.code, chosen.before)


def choose_suitable(fences: Sequence["Fence"], row: Format) -> "Fence | None":
    r"""Returns the code fence that holds the code: the first with a whole document, or else the first.

    Those in a language of the format count, or, if the first one has no language, those without any.

    >>> row = check_format("latex_document")
    >>> whole = "\\begin{document}\\x\\end{document}\n"
    >>> text = f"Load it:\n```latex\n\\usepackage{{x}}\n```\nAll of it:\n```latex\n{whole}```"
    >>> choose_suitable(list(fences_of(text, nested=False)), row).code == whole
    True
    """
    named = [fence for fence in fences if fence.named(row.fences)]
    bare = [fence for fence in fences if not fence.language] if not fences[0].language else []
    suitable = named or bare
    number = find_whole((fence.code for fence in suitable), row)
    return suitable[number] if named or number else None


def strip_inline_marks(code: str, row: Format) -> str:
    """Returns code without marks of a fence that has no lines of its own, or lacks its other end.

    >>> strip_inline_marks('```json {"a": 1}```', check_format("json")), strip_inline_marks("[1]\\n```", check_format("json"))
    ('{"a": 1}', '[1]')
    """
    found = INLINE_FENCE.fullmatch(code)
    if not found or found[1] != found[3] or found[1] in found[2]:
        return UNPAIRED.sub("", code)
    word = FIRST_WORD.match(found[2])
    named = word and word[1].lower() in row.fences
    return found[2][word.end() :] if word and named else found[2]


class Fence(NamedTuple):
    """A code fence.

    Attributes:
        text: all of it.
        language: behind its marks.
        code: what stands in it.
        before: what stands before it in its line.
        closed: whether it ends before the text does.
    """

    text: str
    language: str
    code: str
    before: str = ""
    closed: bool = True

    @property
    def holds_something(self) -> bool:
        """Whether there is code in it, or after its language."""
        return bool(self.code.strip()) or len(self.language.split()) > 1

    @property
    def begins_line(self) -> bool:
        """Whether nothing but blanks stands before it in its line."""
        return not self.before.strip()

    def named(self, languages: tuple[str, ...]) -> bool:
        """Whether its language is one of some."""
        return self.language.lower().partition(" ")[0].strip("{.}") in languages


def find_inline_fences(code: str, row: Format, others: list[Fence]) -> list[Fence]:
    """Returns the code fences that may hold an answer, if they may begin behind other text of a line.

    They are of the format's language. Without any, one without a language may follow a colon; but
    where code may have fences of its own, such a one is its own.

    Args:
        code: without tags.
        row: of its format.
        others: fences, none of the format's language, that begin a line.

    >>> find_inline_fences("So: ```json\\n{}\\n```\\nDone.", check_format("json"), [])[0].code
    '{}\\n'
    """
    document = row.own_fences == "always"
    found = [one for one in fences_of(code, nested=document, within=True) if one.holds_something]
    named = [one for one in found if one.named(row.fences)]
    if document:  # One that stands further below is the document's own.
        return named[:1] if named and "\n" not in code[: code.index(named[0].text)] else others
    if named:
        return [one for one in named if one.begins_line] or named
    beginning = [one for one in found if one.begins_line]
    if row.own_fences == "between tags":
        return beginning
    bare = [one for one in found if not one.language and one.closed]
    return others if beginning else bare or others


def pair_fences(fence: Fence, text: str, *, bare: bool) -> Fence:
    r"""Returns the fence around a document, which ends at the first one that pairs with none of its own.

    Where all pair, the document is cut off, and goes on to the end.

    Args:
        fence: of the text.
        text: all of it.
        bare: whether one of the document's own may begin without a language, as in Markdown; else the first
            such one that ends none ends the document.

    >>> text = "```markdown\n# T\n```sh\nls\n```\nThe"
    >>> pair_fences(next(fences_of(text, nested=True)), text, bare=True).code
    '# T\n```sh\nls\n```\nThe'
    >>> text = "```markdown\n# T\n```\nThen:\n```sh\nls\n```"
    >>> pair_fences(next(fences_of(text, nested=True)), text, bare=True).code
    '# T\n'
    >>> text = "```typst\n= T\n```sh\nls\n```\nEnd\n```\nOr:\n```\nT\n```"
    >>> pair_fences(next(fences_of(text, nested=False)), text, bare=False).code
    '= T\n```sh\nls\n```\nEnd\n'
    """
    rest = text[text.index(fence.text) :]
    opening, *lines = ALONE.finditer(rest)
    own: Match | bool = False  # Whether a fence of the document is open, or may be.
    alike = [line for line in lines if line["fence"].startswith(opening["fence"])]
    for line in alike:
        if not line["language"].strip():
            own = not own and line
            if own and not bare:
                break
        elif isinstance(own, Match):
            break  # It would stand inside of one without a language.
        else:
            own = True
    start = opening.end() + 1
    if isinstance(own, Match):
        return fence._replace(text=rest[: own.end()], code=rest[start : own.start()], closed=True)
    return fence._replace(text=rest, code=rest[start:], closed=False) if alike else fence


def opens_within(opening: Match) -> bool:
    """Whether marks behind other text begin a code fence: they name a language, or follow a colon."""
    before, language = opening["before"].strip(), opening["language"].strip()
    if opening["fence"].startswith("~") or before.startswith(">"):
        return False
    return bool(WORD.fullmatch(language)) if language else before.rstrip("*").endswith((":", "："))


def remove_indentation(code: str, before: str) -> str:
    r"""Returns code without the indentation of its fence, which may begin an item of a list.

    >>> remove_indentation("   a:\n     b: 1\n", "1. ")
    'a:\n  b: 1\n'
    """
    if not before or not INDENTATION.fullmatch(before):
        return code
    lines = code.split("\n")
    widths = (len(line) - len(line.lstrip(" \t")) for line in lines if line.strip())
    width = min([len(before), *widths])
    return "\n".join(line[width:] for line in lines)


def fences_of(text: str, *, nested: bool, within: bool = False) -> Iterator[Fence]:
    r"""Yields the code fences of a text; one that is never closed goes on to the end.

    Args:
        text: Markdown.
        nested: whether a fence is closed by the last one that could close it, not by the first.
        within: whether fences may begin within a line, too.

    >>> [fence.code for fence in fences_of("```a\nb\n```\n~~~\nc", nested=False)]
    ['b\n', 'c']
    >>> [fence.code for fence in fences_of("Code: ```a\nb\n```", nested=False, within=True)]
    ['b\n']
    """
    closings = FENCE_CLOSING.finditer(text)
    last = _longer_than_all_after(closings) if nested else []
    place = 0
    for opening in FENCE_OPENING.finditer(text):
        start, fence, before = opening.end(), opening["fence"], opening["before"]
        begins = not before.strip() or (within and opens_within(opening))
        if opening.start() < place or not begins:
            continue
        able = (
            closing
            for closing in (last if nested else closings)
            if closing.start() >= start and closing["fence"].startswith(fence)
        )
        closing = next(able, None)
        end, place = (closing.start(), closing.end()) if closing else (len(text), len(text))
        whole = text[opening.start() + len(before) : place]
        yield Fence(whole, opening["language"].strip(), text[start:end], before, bool(closing))
        if closing is None:
            return


def pieces(code: str, fences: Sequence[Fence]) -> list[Piece]:
    """Returns code fences, each with the text before it."""
    found, done = [], 0
    for fence in fences:
        start = code.index(fence.text, done)
        found.append(Piece(code[done:start], fence.language, fence.code))
        done = start + len(fence.text)
    return found


def _longer_than_all_after(closings: Iterator[Match]) -> list[Match]:
    """The closings that are the last one for some fence; of each mark, the last comes first."""
    found: dict[str, list[Match]] = {"`": [], "~": []}
    for closing in closings:
        same = found[closing["fence"][0]]
        while same and len(same[-1]["fence"]) <= len(closing["fence"]):
            same.pop()
        same.append(closing)
    return [closing for same in found.values() for closing in reversed(same)]


def fenced(completion: str, row: Format) -> Iterator[Step]:
    """Yields what stands in the first code fence, as Image2Struct's annotators find it.

    A fence of the format's own language comes first, then any other; the language after any other
    opening stays in the code, and a fence that is never closed is none.

    Source: Image2Struct's published code (HELM), the delimiters of its annotators.

    >>> extract("Here you are:\\n```latex\\nx^2\\n```", "latex")
    '\\nx^2\\n'
    >>> extract("```tex\\nx^2\\n```", "latex")
    'tex\\nx^2\\n'
    """
    completion = completion.strip()
    yield Step(NO_BLANKS, completion)
    for opening in (f"```{row.fences[0]}", "```"):
        _, found, rest = completion.partition(opening)
        code, closed, _ = rest.partition("```")
        if found and closed:
            yield Step(FENCE, code)
            return


def fenced_corrected(completion: str, row: Format) -> Iterator[Step]:
    """Yields what stands in the first code fence of the format's language, or else in the first one.

    An open fence counts. Without one, code is cut out of the prose around it.

    >>> extract("```sh\\nmake\\n```\\n```TeX\\nx^2\\n```", "latex", "corrected")
    'x^2\\n'
    >>> extract("```tex\\nx^2\\n```", "latex", "corrected")
    'x^2\\n'
    >>> extract("```x^2```", "latex", "corrected")
    'x^2'
    >>> extract("Cut off: ```latex\\nx^2", "latex", "corrected")
    'x^2'
    """
    completion = answer(completion)
    yield Step(ANSWER, completion)
    languages = "|".join(map(escape_pattern, row.fences))
    if own := Pattern(rf"(?i)(```(?:{languages}))(?:\W|\z)").search(completion):
        code = completion[own.end(1) :].lstrip(" \t").removeprefix("\n")
    else:
        _, found, code = completion.partition("```")
        if not found:
            yield Step(PROGRAM, cut_prose(completion, row))
            return
        language = LANGUAGE_LINE.match(code)
        code = code[language.end() :] if language else code
    yield Step(FENCE, code.partition("```")[0])


def whole(completion: str, row: Format) -> Iterator[Step]:
    """Yields the completion without white space around it."""
    yield Step(NO_BLANKS, completion.strip())


RULES: dict[ExtractionRule, dict[ProtocolName, Callable[[str, Format], Iterator[Step]]]] = {
    "tagged": {"published": tagged, "corrected": tagged_corrected},
    "fenced": {"published": fenced, "corrected": fenced_corrected},
    "raw": {"published": whole, "corrected": fenced_corrected},
}
"""How code is found in completions, by the rule that a format's row names and the protocol."""
