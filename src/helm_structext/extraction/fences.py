"""Answers in several code fences, one for each file: a component, its template, its styles."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from helm_structext.formats import Format
from helm_structext.patterns import Pattern

ENDINGS = {"javascript": "js", "typescript": "ts"}
"""Of files in a language that is not called as its files are."""
NAME = r"[\w@-][\w@.-]*(?:/[\w@.-]+)*\."
FILE = Pattern(NAME + r"(?:tsx?|jsx?|mjs|vue|html|css|s[ac]ss)\b", ascii=True)
# A page that loads its own files is none of a framework's.
LOADS = Pattern(r"(?i)<(?:script|link)\s[^<>]*(?:src|href)\s*=")
# What a fence holds that has all of a document, and not a line of it to explain.
WHOLE = {
    "html": Pattern(r"(?i)<(?:!doctype\s+html|html)[\s>]"),
    "svg": Pattern(r"(?i)<svg[\s>]"),
    "latex": Pattern(r"(?s)\\begin\s*\{document\}.*\\end\s*\{document\}"),
    "tikz": Pattern(r"(?s)\\begin\s*\{tikzpicture\}.*\\end\s*\{tikzpicture\}"),
}
"""Language of code fences to what a document in it has."""
COMMENTS = ("//", "/*", "<!--", "#")
"""How lines begin that may name a file."""
MAX_LINE = 200
"""Characters of a line that may name a file."""


class Piece(NamedTuple):
    """A code fence: the text before it, what stands behind its marks, and its code."""

    before: str
    information: str
    code: str

    @property
    def language(self) -> str:
        """The language that it names."""
        return self.information.lower().partition(" ")[0].strip("{.}")

    @property
    def name(self) -> str:
        """The file that it is said to be: by itself, by its first line, or by the line before it."""
        first = self.code.strip().partition("\n")[0]
        said = (
            self.information.partition(" ")[2],
            first if first.startswith(COMMENTS) else "",
            self.before.rstrip().rpartition("\n")[2],
        )
        named = [found[0] for line in said for found in FILE.finditer(line[-MAX_LINE:])]
        return named[0] if named else ""


def join_files(pieces: Sequence[Piece], row: Format) -> str:
    r"""Returns the files of an answer under lines with their names; "" if there are not several.

    Only components have files: a second page, or a job of a workflow for "Node.js", is none.

    The first code in a language of the format begins. Other code belongs to it if it is said to be
    a file, or if it is in a language that goes with the format (`Format.companions`) and the code
    refers to such a file. All else, such as commands to run, is left out.

    Args:
        pieces: the code fences, in order.
        row: of the format.

    >>> from helm_structext.formats import check_format
    >>> component = Piece("The component:", "ts", "@Component({templateUrl: './a.html'})\n")
    >>> template, command = Piece("The template:", "html", "<p>\n"), Piece("", "sh", "ng serve\n")
    >>> join_files([component, template, command], check_format("angular"))
    "@Component({templateUrl: './a.html'})\n\n// a.html\n<p>\n"
    >>> join_files([component, command], check_format("angular"))
    ''
    """
    main = next((piece for piece in pieces if piece.language in row.fences), None)
    if main is None or not row.companions or LOADS.search(main.code):
        return ""
    code = "\n".join(piece.code for piece in pieces if piece.language in row.fences)
    files = {main.name: main.code}
    mentioned: dict[str, Iterator[str]] = {}
    for piece in pieces:
        if piece.language in (*row.fences, *row.companions) and piece is not main:
            own = piece.name
            if not own and piece.language in row.companions:
                # Each goes through the code once, however many pieces ask.
                names = mentioned.setdefault(piece.language, _find_mentions(code, piece.language))
                own = next((name for name in names if name not in files), "")
            if own:
                files.setdefault(own, piece.code)
    if len(files) == 1:
        return ""
    return "\n".join(f"// {name}\n{text}" if name else text for name, text in files.items())


def _find_mentions(code: str, language: str) -> Iterator[str]:
    """Yields the files in a language that code refers to."""
    ending = ENDINGS.get(language, language)
    quoted = Pattern(rf"""['"](?:\./|@/)?({NAME}{ending})['"]""", ascii=True)
    yield from (found[1] for found in quoted.finditer(code))


def find_whole(codes: Iterable[str], row: Format) -> int:
    r"""Returns which code is the first with all of a document; 0 where none is, or a format has no such.

    Args:
        codes: of the code fences of an answer that may hold the code, in order.
        row: of the format.

    >>> from helm_structext.formats import check_format
    >>> page = "<html><img></html>"
    >>> find_whole(["<img>", page], check_format("html")), find_whole(["<img>"], check_format("html"))
    (1, 0)
    """
    whole = next((WHOLE[one] for one in row.fences if one in WHOLE), None)
    if whole is None or row.companions:
        return 0
    return next((number for number, code in enumerate(codes) if whole.search(code)), 0)
