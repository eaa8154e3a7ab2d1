r"""TeX files as text: what TeX reads of them, and in which order."""

import pytest

from helm_structext.image2struct.collect import tex
from helm_structext.image2struct.collect.tex import (
    MAX_DEPTH,
    decode_file,
    documents,
    strip_comments,
    tokens,
)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("a % b\nc", "a \nc"),
        ("a\n  % b\nc", "a\nc"),
        ("a\n% b", "a\n"),
        ("a\n\n% b\nc", "a\n\nc"),
        (r"50\% of \\% x", r"50\% of \\"),
        ("\\verb|%| % x", "\\verb|%| "),
        ("\\verb*+%+ % x", "\\verb*+%+ "),
        ("\\verbatim % x", "\\verbatim "),
        ("\\verb|open % x\n|", "\\verb|open \n|"),
        (
            "\\begin{lstlisting}\n% kept\n\\end{lstlisting}%",
            "\\begin{lstlisting}\n% kept\n\\end{lstlisting}",
        ),
        ("\\begin{comment}\n$x$\n\\end{comment}b", "b"),
        ("%\\begin{verbatim}\n% a\nb", "b"),
        ("\\begin{verbatim}\n% never closed", "\\begin{verbatim}\n% never closed"),
        ("a\n\\end{document}\nb", "a\n"),
        ("a \\endinput b", "a "),
        ("\\url{a%20b} c", "\\url{a"),
    ],
)
def test_comments_go_and_nothing_else(text, read):
    assert strip_comments(text) == read


def test_lines_end_as_in_unix_whatever_the_file_is_written_in():
    assert decode_file(b"\xef\xbb\xbfa\r\nb\rc\0") == "a\nb\nc"
    assert decode_file("Müller".encode("latin-1")) == decode_file("Müller".encode()) == "Müller"


@pytest.mark.parametrize(
    ("files", "read"),
    [
        ({"a.tex": r"\input{b}", "b.tex": "B"}, ["B"]),
        ({"a.tex": r"\input b.tex c", "b.tex": "B"}, ["B c"]),
        ({"a.tex": r"\input{ ./x/b }", "x/b.tex": "B"}, ["B"]),
        ({"a.tex": r'\input{"b c"}', "b c.tex": "B"}, ["B"]),
        ({"a.tex": r"\input{b.tikz}", "b.tikz": "B"}, ["B"]),
        ({"a.tex": r"\include{x/b}", "x/b.tex": r"\input{c}", "x/c.tex": "C"}, ["C"]),
        ({"a.tex": r"\subfile{b}", "b.tex": r"B \input{a}"}, [r"B \input{a}"]),
        ({"a.tex": "A % \\input{b}", "b.tex": "B"}, ["A ", "B"]),
        ({"a.tex": r"\input{b}\input{b}", "b.tex": "B"}, [r"B\input{b}"]),
        ({"a.tex": r"\input{../b} \input{/etc/passwd} \input{a}"}, [r"\input{../b} \input{/etc/passwd} \input{a}"]),
        ({"a.tex": r"\inputs \input", "b.txt": "B"}, [r"\inputs \input"]),
        ({"a.tex": "A", "z.tex": r"\documentclass{b}"}, [r"\documentclass{b}", "A"]),
        ({"a.pdf": "A", "b.bib": "B"}, []),
    ],
)  # fmt: skip
def test_files_are_read_where_others_name_them(files, read):
    assert documents({name: text.encode() for name, text in files.items()}) == read


def test_files_that_read_each_other_in_a_long_row_come_as_documents_of_their_own():
    count = 3 * MAX_DEPTH
    files = {f"{n:03}.tex": f"{n} \\input{{{n + 1:03}}}".encode() for n in range(count)}
    read = documents(files)
    assert 1 < len(read) < 5
    assert sum(text.count(" ") for text in read) == count


def test_code_on_a_line_ends_on_it():
    kinds = [token.kind for token in tokens("\\verb|\\a|\\b \\verb|\\c\n|")]
    assert kinds == ["verbatim", "command", "command", "command"]


@pytest.mark.parametrize("unit", ["\\\\", "\\a ", "%\n", "\\begin{a}"])
def test_a_paper_of_nothing_but_marks_is_not_read(unit, monkeypatch):
    monkeypatch.setattr(tex, "MAX_MARKS", 1000)
    marks = (unit * 1001).encode()
    files = {"a.tex": b"\\documentclass{a}\\input b", "b.tex": marks, "c.tex": b"other"}
    assert documents(files) == ["\\documentclass{a}"]
    assert documents({"c.tex": b"\\other"}) == ["\\other"]
