"""What is wrong with XML, in words that say how to write it instead.

Expat says `not well-formed (invalid token)` of nearly everything, and where it noticed. What stands
before and behind that place tells what was meant.
"""

from contextlib import suppress
from html.entities import html5
from typing import NamedTuple
from xml.parsers import expat

from helm_structext.patterns import Pattern
from helm_structext.texts import shorten_text

CONTEXT = 1_000
"""Characters before and behind the place of an error that are looked at."""
MAX_OPEN = 1_000
"""Elements inside of each other whose names are kept."""
MAX_NAME = 60
BLANK = " \t\r\n\ufeff"

NAME = Pattern(r"[\pL_:][\pL\pN_:.-]*")
ENTITY = Pattern(r"&([\w.-]+);")
EMPTY_IN_HTML = {
    *(
        "area",
        "base",
        "br",
        "col",
        "embed",
        "hr",
        "img",
        "input",
        "link",
        "meta",
        "source",
        "track",
        "wbr",
    ),
}


class TokenRule(NamedTuple):
    """What an invalid token is: patterns of what ends before it and begins with it, and the words.

    A group of the first pattern is {0} in the words, those of the second follow.
    """

    before: Pattern
    behind: Pattern
    words: str


def _rule(before: str, behind: str, words: str) -> TokenRule:
    return TokenRule(Pattern(rf"(?s)(?:{before})\z"), Pattern(rf"(?s)\A(?:{behind})"), words)


# The first that fits; what stands before begins with the last "<".
INVALID_TOKENS = (
    _rule("", r"([\x00-\x08\x0b\x0c\x0e-\x1f\x{fffe}\x{ffff}])", "XML has no control characters"),
    _rule(r"\A[^<]*", r"([^<\s][^<\n]{0,40})", 'there is text before the first element: "{0}"'),
    _rule(r"<!--.*--", "", '"--" can\'t stand inside of a comment'),
    _rule("&#x?[0-9A-Fa-f]*", "", '"&#" begins the number of a character, such as "&#160;"'),
    _rule("&(amp|lt|gt|quot|apos|nbsp)", "", '"&{0}" lacks its ";"'),
    _rule("&[^<>&;\"']*", "", '"&" as a character is written "&amp;"'),
    _rule("]]", ">", '"]]>" as text is written "]]&gt;"'),
    _rule("<", r"\d", '"<" as a character is written "&lt;", and names begin with a letter'),
    _rule("<", r"[\s=]", '"<" as a character is written "&lt;"'),
    _rule("</", r"\s", 'the name of an element follows "</" at once'),
    _rule("<", "/", "a tag closes an element that has ended before"),
    _rule(r"<[\pL_:][\pL\pN_:.-]*", "", '"<" as a character is written "&lt;"'),
    _rule(r"<[^>]*/\s*", "", '"/" ends a tag, and is followed by ">"'),
    _rule(
        r"""<.*[\s"']([^\s"'<>=]+)\s*=\s*""",
        "[“”‘’«»„]",
        'a value stands in straight quotes: {0}="…"',
    ),
    _rule(r"""<.*[\s"']([^\s"'<>=]+)\s*=\s*""", "", 'a value stands in quotes: {0}="…"'),
    _rule(
        r"""<.*\s([^\s"'<>=]+)\s*=\s*(?:"[^"]*|'[^']*)""",
        "<",
        'the value of {0} has no closing quote, or its "<" has to be "&lt;"',
    ),
    _rule(
        r"""<.*["']""",
        r"[^\s>/]",
        'a blank stands between attributes, and a quote inside of a value is "&quot;"',
    ),
    _rule(
        r"""<.*[\s"']([^\s"'<>=/]+)\s*""",
        r"[\s>/\w]",
        'the attribute {0} has no value; it is written {0}="{0}"',
    ),
    _rule(r"<.*\s", r"([^\s<>]{1,40})", 'the name of an attribute begins with a letter: "{0}"'),
    _rule("", "<", 'a tag inside of a tag, or "<" that has to be "&lt;"'),
)


class OpenElement(NamedTuple):
    """An element that is not closed yet: its name and its line, from 1."""

    name: str
    line: int


def explain_xml_error(text: str, error: expat.ExpatError) -> str:
    r"""Returns what is wrong with a text, without its place, and last what Expat says.

    Args:
        text: all of it.
        error: that Expat raised of it.

    >>> def explain(text):
    ...     try:
    ...         expat.ParserCreate("utf-8").Parse(text, True)
    ...     except expat.ExpatError as error:
    ...         return explain_xml_error(text, error)
    >>> explain("<a>R & D</a>")
    '"&" as a character is written "&amp;" (not well-formed)'
    >>> explain("<a>\n<b></a>")
    '</a> comes before </b>: <b> of line 2 is not closed (mismatched tag)'
    >>> explain("\n<?xml version='1.0'?><a/>")
    'a blank line or a space stands before the declaration <?xml …?>, which comes first (XML or text declaration not at start of entity)'
    """
    said = expat.ErrorString(error.code)
    place, open_elements = _find_place(text)
    before = text[max(place - CONTEXT, 0) : place]
    words = _explain(said, before, text[place : place + CONTEXT], open_elements)
    said = said.removesuffix(" (invalid token)")
    return f"{words} ({said})" if words else said


def _find_place(text: str) -> tuple[int, list[OpenElement]]:
    """Returns where Expat ends in a text, and the elements that are open there, the innermost last."""
    data = text.encode("utf-8", "replace")
    parser = expat.ParserCreate("utf-8")
    opened: list[OpenElement] = []
    depth = 0

    def start(name: str, attributes: object) -> None:
        nonlocal depth
        depth += 1
        if depth <= MAX_OPEN:
            opened.append(OpenElement(shorten_text(name, MAX_NAME), parser.CurrentLineNumber))

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        del opened[depth:]

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    # With it, entities are not replaced.
    parser.DefaultHandler = lambda data: None
    with suppress(expat.ExpatError):
        parser.Parse(data, True)
    return len(data[: parser.ErrorByteIndex].decode("utf-8", "replace")), opened[:depth]


def _explain(said: str, before: str, behind: str, opened: list[OpenElement]) -> str:
    inner = opened[-1] if opened else OpenElement("", 0)
    unclosed = f"<{inner.name}> of line {inner.line} is not closed"
    name = NAME.match(behind.lstrip("</"))
    tag = shorten_text(name[0], MAX_NAME) if name else ""
    match said:
        case expat.errors.XML_ERROR_INVALID_TOKEN:
            return _explain_token(before, behind)
        case expat.errors.XML_ERROR_SYNTAX if behind.lower().startswith("<!doctype"):
            return '"<!DOCTYPE" is written in capital letters'
        case expat.errors.XML_ERROR_SYNTAX:
            return "there is text before the first element"
        case expat.errors.XML_ERROR_NO_ELEMENTS:
            return f"the text ends, but {unclosed}" if inner.name else "there is no element"
        case expat.errors.XML_ERROR_UNCLOSED_TOKEN if behind.startswith("<!--"):
            return 'the comment is not closed by "-->"'
        case expat.errors.XML_ERROR_UNCLOSED_TOKEN:
            return 'the tag is not closed by ">", or a value by its quote'
        case expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION:
            return 'the text after "<![CDATA[" is not closed by "]]>"'
        case expat.errors.XML_ERROR_TAG_MISMATCH if inner.name.lower() in EMPTY_IN_HTML:
            return f"{unclosed}: one without content is written <{inner.name}/>"
        case expat.errors.XML_ERROR_TAG_MISMATCH if inner.name.lower() == tag.lower():
            return (
                f"<{inner.name}> of line {inner.line} is closed by </{tag}>: letters' case counts"
            )
        case expat.errors.XML_ERROR_TAG_MISMATCH if inner.name:
            return f"</{tag}> comes before </{inner.name}>: {unclosed}"
        case expat.errors.XML_ERROR_DUPLICATE_ATTRIBUTE:
            return f'the attribute "{tag}" stands twice in one tag'
        case expat.errors.XML_ERROR_JUNK_AFTER_DOC_ELEMENT:
            what = f"a second one, <{tag}>," if behind.startswith("<") else "text"
            return f"{what} comes after the first element, which has to hold all"
        case expat.errors.XML_ERROR_UNDEFINED_ENTITY if entity := ENTITY.match(behind):
            return _explain_entity(entity[1])
        case expat.errors.XML_ERROR_BAD_CHAR_REF:
            return "a number stands for a character that XML does not allow"
        case expat.errors.XML_ERROR_MISPLACED_XML_PI if "<?xml" in before:
            return "there is a second declaration <?xml …?>"
        case expat.errors.XML_ERROR_MISPLACED_XML_PI:
            what = "text" if before.strip(BLANK) else "a blank line or a space"
            return f"{what} stands before the declaration <?xml …?>, which comes first"
        case expat.errors.XML_ERROR_XML_DECL:
            return 'the declaration is written <?xml version="1.0" encoding="UTF-8"?>'
    return ""


def _explain_token(before: str, behind: str) -> str:
    before = before[max(before.rfind("<"), 0) :]
    for rule in INVALID_TOKENS:
        left, right = rule.before.search(before), rule.behind.match(behind)
        if left and right:
            groups = (shorten_text(group, MAX_NAME) for group in (*left.groups(), *right.groups()))
            return rule.words.format(*groups)
    return ""


def _explain_entity(name: str) -> str:
    name = shorten_text(name, MAX_NAME)
    sign = html5.get(f"{name};", "")
    if not sign:
        return f'&{name}; is not declared; "&" as a character is written "&amp;"'
    numbers = "".join(f"&#{ord(one)};" for one in sign)
    return f"XML has no &{name};, which is HTML's: write {numbers}"
