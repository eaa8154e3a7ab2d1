"""Pages and scripts that hold nothing: comments, and elements that are empty and unpainted.

Whatever else a page has, such as text, a style, a script that does something, or a picture, may be
seen or may be meant to be blank: such a page is a page.
"""

from helm_structext.patterns import Pattern

_ATTRIBUTE = (
    r"\s+(?:id|class|lang|dir|charset|name|content|http-equiv|rel|href|media|type|width|height|xmlns"
    r"|crossorigin|role|(?:data|aria)-[\w-]+)(?:\s*=\s*(?:\"[^\"<>]*\"|'[^'<>]*'|[^\s\"'<>]+))?"
)
_END_OF_TAG = rf"(?:{_ATTRIBUTE})*\s*/?>"
_ELEMENT = (
    r"</?(?:html|head|body|meta|link|base|canvas|div|span|p|main|section|article|header|footer|nav|br"
    rf"|center|form|label|h[1-6]){_END_OF_TAG}"
)
# What these say is not on the page.
_UNSEEN = "|".join(
    rf"<{name}{_END_OF_TAG}[^<]*</{name}\s*>" for name in ("title", "canvas", "noscript")
)
_COMMENT = r"<!--(?:-?>|--+>|(?:[^->]|-[^->])(?:[^-]|-[^-]|--+[^->])*(?:--+>|-*\z))"
_REMARK = r"\s|//[^\n<]*(?:\n|\z)|/\*(?:[^*<]|\*+[^*/<])*\*+/"
_SILENT = rf"<(?:script|style){_END_OF_TAG}(?:{_REMARK})*</(?:script|style)\s*>"
_DECLARATION = r"<!doctype[^<>]*>|<\?xml[^<>]*\?>"
PAGE = Pattern(
    r"(?i)(?:[\s\x{feff}]|"
    rf"{_DECLARATION}|{_COMMENT}|{_ELEMENT}|{_UNSEEN}|{_SILENT})*"
)
SCRIPT = Pattern(
    r"(?:[\s\x{feff}]|//[^\n]*(?:\n|\z)|/\*(?:[^*]|\*+[^*/])*\*+/|/\*(?:[^*]|\*+[^*/])*\**\z)*"
)
NOTHING = "there is nothing but comments and empty elements"


def is_empty_page(code: str) -> bool:
    """Returns whether a page of HTML holds nothing.

    >>> is_empty_page("<!DOCTYPE html><html><title>A</title><body><!-- soon --></body></html>")
    True
    >>> is_empty_page("<p>&nbsp;</p>"), is_empty_page("<body bgcolor=red>")
    (False, False)
    """
    return PAGE.fullmatch(code) is not None


def is_empty_script(code: str) -> bool:
    """Returns whether a script of JavaScript holds nothing.

    >>> is_empty_script("// soon"), is_empty_script("/* now */ draw()")
    (True, False)
    """
    return SCRIPT.fullmatch(code) is not None
