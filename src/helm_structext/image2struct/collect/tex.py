r"""The TeX files of a paper as text: tokens, comments, and the files that other files read.

Papers are strangers' work, so everything here takes linear time: each file is read once, and what
encloses something is looked for once.
"""

import posixpath
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass

from helm_structext.patterns import Cursor, Pattern

TOKEN = Pattern(
    r"\\(?P<edge>begin|end)[ \t]*\{(?P<name>[^{}\s]{1,100})\}"
    r"|\\(?P<command>[A-Za-z@]+)|(?s:\\[^A-Za-z@])+|(?P<comment>%)"
)
VERBATIM = frozenset(
    f"{name}{star}"
    for name in ("verbatim", "Verbatim", "lstlisting", "minted", "filecontents", "comment")
    for star in ("", "*")
)
"""Environments whose content TeX does not read as TeX."""
INLINE = frozenset(["verb", "lstinline", "mintinline"])
MAX_INLINE = 200
"""Characters of code on a line, between two equal ones."""
READS = frozenset(["input", "include", "subfile", "subfileinclude"])
HEADERS = (rb"\documentclass", rb"\documentstyle")
SOURCES = (".tex", ".ltx", ".latex")
"""Endings of the files in which excerpts are looked for."""
MAX_NAME = 255
MAX_DEPTH = 16
"""Files that read each other in a row."""
MAX_SOURCE = 10_000_000
"""Characters of a paper; what comes after them is not read."""
MAX_MARKS = 300_000
"""Backslashes and percent signs in these, each of which takes some microseconds: papers have a tenth of it."""


@dataclass(frozen=True)
class Token:
    r"""Something in a text that TeX does not simply typeset.

    Args:
        kind: ``begin`` and ``end`` of an environment, a ``command``, a ``comment``, or
            ``verbatim``: what is not TeX, from its beginning to its end.
        name: of the environment or command.
        start: where it begins.
        end: where it ends.
    """

    kind: str
    name: str
    start: int
    end: int


def tokens(text: str) -> Iterator[Token]:
    r"""Yields the tokens of a text, from left to right; escaped characters are none.

    >>> [(token.kind, token.name) for token in tokens(r"\begin{a}\b{\% \verb|%\c|}% d")]
    [('begin', 'a'), ('command', 'b'), ('verbatim', 'verb'), ('comment', '')]
    """
    ends = {name: Cursor(text, f"\\end{{{name}}}") for name in VERBATIM}
    lines = Cursor(text, "\n")
    done = 0
    for match in TOKEN.finditer(text):
        start, end = match.start(), match.end()
        if start < done:
            continue
        name = match["name"] or match["command"] or ""
        kind = match["edge"] or ""
        if match["comment"]:
            kind, end = "comment", lines.next(end)
        elif kind == "begin" and name in VERBATIM:
            kind, end = "verbatim", min(ends[name].next(end) + len(rf"\end{{{name}}}"), len(text))
        elif match["command"]:
            kind = "command"
            if name in INLINE and (closed := _end_of_inline(text, end)):
                kind, end = "verbatim", closed
        if kind:
            yield Token(kind, name, start, end)
            done = end


def _end_of_inline(text: str, start: int) -> int | None:
    """Where code on a line ends that begins here with a star, maybe, and the character around it."""
    start += text.startswith("*", start)
    line = text[start + 1 : start + 1 + MAX_INLINE].partition("\n")[0]
    mark = text[start : start + 1]
    found = -1 if mark.isspace() or mark in ("", "{", "[") else line.find(mark)
    return None if found < 0 else start + found + 2


def strip_comments(text: str) -> str:
    r"""Returns what TeX reads of a file, without its comments.

    A line with nothing but a comment goes: what was left of it would end a paragraph. So does what
    follows the end of the document or of the file's input, and ``comment`` environments.

    >>> strip_comments("a % b\n  % c\n\\% d\\verb|%|\n\\end{document}\ne")
    'a \n\\% d\\verb|%|\n'
    """
    pieces, done = [], 0
    for token in tokens(text):
        if token.start < done:
            continue
        start, end = token.start, token.end
        if token.kind == "comment":
            line = text.rfind("\n", done, start) + 1 or done
            if (line == 0 or text[line - 1] == "\n") and not text[line:start].strip():
                start, end = line, end + 1
        elif (token.kind, token.name) in (("end", "document"), ("command", "endinput")):
            end = len(text)
        elif not (token.kind == "verbatim" and token.name == "comment"):
            continue
        pieces.append(text[done:start])
        done = end
    return "".join([*pieces, text[done:]])


def decode_file(content: bytes) -> str:
    r"""Returns the text of a file: UTF-8, or else Latin-1, with lines that end as in Unix.

    >>> decode_file("é\r\n".encode()), decode_file("é".encode("latin-1"))
    ('é\n', 'é')
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")


def bounded_reader(size: int) -> Callable[[bytes], str]:
    """Returns what reads files without their comments, as far as all together have a size; others are empty.

    Args:
        size: characters; of `MAX_MARKS` there are as many for each reader.

    >>> read = bounded_reader(5)
    >>> read(b"ab%c"), read(b"de")
    ('ab', '')
    """
    left, marks = size, MAX_MARKS

    def read(content: bytes) -> str:
        nonlocal left, marks
        left -= len(content)
        marks -= content.count(b"\\") + content.count(b"%")
        return strip_comments(decode_file(content)) if min(left, marks) >= 0 else ""

    return read


def documents(files: Mapping[str, bytes]) -> list[str]:
    r"""Returns the documents of a paper, each with the files that it reads in their places.

    Documents with a class come first. Every file stands in one place only, the first; what is not
    in the paper, as all that lies outside of its folder, is not read.

    Args:
        files: name → content.

    >>> documents({"a.tex": b"\\input{b} and \\input ../c", "b.tex": b"of b"})
    ['of b and \\input ../c']
    """
    unread = dict(files)
    readable = bounded_reader(MAX_SOURCE)

    def read(name: str, depth: int = 0) -> str:
        text = readable(unread.pop(name))
        pieces, done = [], 0
        for token in tokens(text):
            if token.kind == "command" and token.name in READS and depth < MAX_DEPTH:
                wanted, end = _argument(text, token.end)
                other = _name_of(wanted, name, unread)
                if token.start >= done and other is not None:
                    pieces += [text[done : token.start], read(other, depth + 1)]
                    done = end
        return "".join([*pieces, text[done:]])

    sources = [name for name in sorted(files) if name.lower().endswith(SOURCES)]
    sources.sort(key=lambda name: not any(header in files[name] for header in HEADERS))
    return [document for name in sources if name in unread and (document := read(name))]


def _argument(text: str, start: int) -> tuple[str, int]:
    """The argument of a command, in braces or, as in plain TeX, up to a blank, and where it ends."""
    while start < len(text) and text[start] in " \t":
        start += 1
    window = text[start : start + MAX_NAME]
    if window.startswith("{"):
        name, closed, _ = window[1:].partition("}")
        return name if closed else "", start + len(name) + 2
    name = (window.split(maxsplit=1) or [""])[0].partition("\\")[0]
    return name, start + len(name)


def _name_of(wanted: str, reader: str, names: Collection[str]) -> str | None:
    """The file that is wanted by another one, from the paper's folder or else from the reader's."""
    wanted = wanted.strip().strip('"')
    for folder in ("", posixpath.dirname(reader)):
        name = posixpath.normpath(posixpath.join(folder, wanted))
        for full in (f"{name}.tex", name):
            if full in names:
                return full
    return None
