r"""Code between sentences, without tags and fences: ``Here it is: <svg>…</svg> Hope it helps``.

What is cut out can be nothing else: a whole document in HTML, SVG, XML or LaTeX, or JSON that is an object
or a list of objects. Before it, prose ends with a mark of punctuation or its line; behind it, prose
begins after a blank. Prose has none of the signs that code has (``<``, ``\``, braces), so that whatever is
valid by itself stays whole.
"""

from helm_structext.formats import Format
from helm_structext.patterns import Pattern


def _between(code: str, before: str, behind: str) -> Pattern:
    """The pattern of a text whose first group is the code; prose has none of some letters."""
    return Pattern(rf"(?is)(?:[^{before}]*[.:!?…)*。：！？\n])?\s*({code})(?:\.?\s[^{behind}]*)?")


HTML = _between(r"<(?:!doctype\s+html|html)[\s>].*</html\s*>", "<", "<")
SVG = _between(r"(?:<\?xml\s[^<]*)?(?:<!doctype\s[^<]*)?<svg[\s>].*</svg\s*>", "<", "<")
XML = _between(r"<[?!\pL_].*>", "<", "<")
LATEX = _between(r"\\documentclass\s*[\[{].*\\end\s*\{document\}", r"\\%", r"\\")
# Neither JSON that is cut off or has comments, nor JavaScript.
JSON = _between(r"\{.*\}|\[\s*\{.*\}\s*\]", r'{}\[\]"/=', "{}")
DOCUMENTS = {"html": HTML, "svg": SVG, "xml": XML, "latex": LATEX, "json": JSON}
"""Language of code fences to what a text in it looks like between prose."""


def cut_prose(text: str, row: Format) -> str:
    r"""Returns the code of a text without the prose around it, or all of the text.

    Args:
        text: an answer without tags and fences.
        row: of its format.

    >>> from helm_structext.formats import check_format
    >>> cut_prose("Here it is: <svg><g/></svg> Hope it helps", check_format("svg"))
    '<svg><g/></svg>'
    >>> cut_prose('Sure:\n[{"a": 1}, {"b": 2', check_format("json"))
    'Sure:\n[{"a": 1}, {"b": 2'
    """
    document = next((DOCUMENTS[one] for one in row.fences if one in DOCUMENTS), None)
    found = document and document.fullmatch(text)
    return found[1] if found else text
