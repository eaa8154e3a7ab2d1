r"""TeX's log of a document that failed → what was wrong, and where in the code that a model wrote.

TeX names a line of the document that it compiled, which is not the code: a preamble stands before it,
labels and packages are gone, repairs have been tried (`edits`). And where an environment reads its whole
body first, as those of amsmath do, it names the line of its end. So the place is looked for: TeX shows
how far it has read, with the tokens before, in the arguments and macros first.
"""

import sys
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import accumulate, islice, pairwise
from typing import NamedTuple

from helm_structext.errors import CTAN, MissingResource
from helm_structext.patterns import Match, Pattern
from helm_structext.renderers.edits import Traced
from helm_structext.renderers.engine import add_place, find_packages
from helm_structext.texts import shorten_text

OWN_FILE = "./job.tex"
ERROR = Pattern(r"(?m)^(?:(?P<file>\S+):(?P<line>\d+): |! )(?P<message>.+(?:\n\(\w+\) .+)*)")
# TeX goes on after most errors; these are the ones that it doesn't.
EXCEEDED = "TeX capacity exceeded"
"""Mostly for what went wrong before."""
FATAL = Pattern(rf"LaTeX Error: File .* not found|File ended while scanning|{EXCEEDED}|Fatal ")
MORE_OF_MESSAGE = Pattern(r"\n\(\w+\) +")
RUNAWAY = Pattern(r"(?m)^Runaway .*\n(.*)")
NO_END = r"no legal \end found"
MISSING_END = r"\end{document} is missing"
UNDEFINED = "Undefined control sequence."
ON_LINE = Pattern(r"on input line ([0-9]{1,9})")
MISSING_PACKAGE = Pattern(
    r"(?:LaTeX Error|Left out): File `([A-Za-z0-9_.-]{1,100}?)\.(?:sty|cls)' not found"
    r"|did not find the (?:tikz|pgfplots|pgf) library '([A-Za-z0-9_. -]{1,100})'"
)
LEFT_OUT = Pattern(r"Left out: File `([A-Za-z0-9_.-]{1,100}?)\.(?:sty|cls)' not found")
"""What our own loading of packages says of one that is not here."""
NO_NAME_YET = Pattern(r"Undefined control sequence|Environment \S+ undefined|Undefined color")
"""What may be wrong then."""
MISSING_METRIC = Pattern(r"(?m)^(?:! |line \d+: |\S+:\d+: )Font \S+=(\S+) .*not loadable: Metric")
MISSING_FONT = Pattern(r'Left out: font "([^"\n]{1,100})" not found')
OTHER_TEX = Pattern(r"requires (?:either )?(?:XeTeX|LuaTeX)")
"""What fontspec says, and what needs it."""
PYGMENTS = Pattern(
    r"Package minted Error: (?:You must invoke LaTeX with the\s+-shell-escape"
    r"|[^\n]{1,200}\(minted executable\s+is unavailable)"
)
"""What minted says, which starts a program; from version 3 on only where there is something to highlight."""
SIGN = Pattern(
    r"Unicode character .*\(U\+([0-9A-F]{1,6})\)|Missing character: There is no (\S+)[^\n]* in font"
)
NOT_FOUND = Pattern(r"File `([^']+?)(?:\.\w+)?' not found")
SCANNING = Pattern(
    r"(?:while scanning (?:use|definition|text) of|Paragraph ended before) \\(\S+?) ?(?:\.| was )"
)
LAST_MACRO = Pattern(r"\\(?:[A-Za-z@]+|.)\s*\z")
LAST_LINE = Pattern(r"\Al\.\d+ ")
BEGINNING = Pattern(r"\A(?:<argument> |\\.*?->|l\.\d+ )(?:\.\.\.)?")
NO_NAME = Pattern(
    r"(Environment) (\S+) undefined|(Undefined color) `([^']+)'"
    r"|(I do not know the key) '/(?:tikz|pgfplots|pgf)/([^']+)'"
)
"""Errors that name what is not defined: an environment, a color, or a style of TikZ."""
MAX_ERRORS = 100
"""Errors of a log that are told; TeX itself stops after a hundred of a paragraph."""
OTHER = "other"
UNREADABLE = frozenset([*map(chr, range(128)), "\ufffd"])
"""Signs that say nothing of the font that lacks them."""
MAX_SIGNS = 10_000
"""Lines of a log about signs that are looked at."""
MAX_LAST_WORDS = 100_000
MAX_BEFORE = 300
"""Characters of an error that came before the one which ended the document."""
MAX_SHOWN = 40
"""Lines of a log after an error in which TeX shows where it was."""
WINDOW = 100_000
"""Characters of a document before an error in which its place is looked for."""
LEAST = 3
"""Characters that are enough to be looked for."""


class Fault(NamedTuple):
    """An error in a log.

    Args:
        message: in TeX's own words, on one line.
        line: of the document, or 0.
        shown: how far TeX had read, as it writes it: innermost first.
        scanned: the macro whose argument does not end, and how that begins.
    """

    message: str
    line: int
    shown: list[str]
    scanned: tuple[str, str]


def fault(log: str) -> Fault:
    r"""Returns the error for which a document failed: the one after which TeX stopped, or the first.

    >>> fault("./job.tex:2: Undefined control sequence.\nl.2 a \\b\n        {c}").message
    'Undefined control sequence \\b'
    >>> fault("! Emergency stop.\n*** (job aborted, no legal \\end found)").message
    '\\end{document} is missing'
    >>> fault("! Missing $ inserted.\n! TeX capacity exceeded, sorry [grouping levels=255].").message
    'TeX capacity exceeded, sorry [grouping levels=255]. (after Missing $ inserted.)'
    """
    first = ERROR.search(log)
    fatal = next((one for one in ERROR.finditer(log) if FATAL.match(one["message"])), None)
    if not fatal and NO_END in log:
        return Fault(MISSING_END, 0, [], ("", ""))
    if not first:
        last_words = log[-MAX_LAST_WORDS:].strip().splitlines() or ["no log"]
        return Fault(last_words[-1], 0, [], ("", ""))
    error = fatal or first
    shown = list(_find_shown(log[error.end() : error.end() + 100 * MAX_SHOWN]))
    message = _message(error, shown)
    if message.startswith(EXCEEDED) and first.start() < error.start():
        before = _find_shown(log[first.end() : first.end() + 100 * MAX_SHOWN])
        message += f" (after {shorten_text(_message(first, list(before)), MAX_BEFORE)})"
    if "That makes 100 errors" in log:
        message = f"{message} (and 99 other errors)"
    scanned = ("", "")
    if runaway := RUNAWAY.search(log[max(error.start() - WINDOW, 0) : error.start()]):
        macro = SCANNING.search(message)
        scanned = (macro[1] if macro else "", runaway[1])
        message += f" {' '.join(runaway[0].split())}"
    # A document can write any number into its log.
    line = int(error["line"][:9]) if error["file"] == OWN_FILE else 0
    return Fault(message, line, shown, scanned)


def find_cause(error: str, log: str) -> list[MissingResource]:
    r"""Returns what explains the error for which a document failed: what it names, or what was left out before.

    >>> left_out = "Left out: File `siunitx.sty' not found"
    >>> print(*find_cause(r"line 2: Undefined control sequence \SI: \SI{1}", left_out))
    package siunitx of ctan.org
    >>> find_cause(r"line 2: Missing $ inserted.", left_out)
    []
    """
    named = find_missing(error)
    return find_packages(LEFT_OUT, log, CTAN) if not named and NO_NAME_YET.search(error) else named


def _message(error: Match, shown: Sequence[str]) -> str:
    """What an error says, on one line, with the macro that is not defined."""
    message: str = MORE_OF_MESSAGE.sub(" ", error["message"])
    if message == UNDEFINED and shown and (macro := LAST_MACRO.search(shown[0])):
        return f"{UNDEFINED[:-1]} {macro[0].strip()}"
    return message


def _find_shown(log: str) -> Iterator[str]:
    """What TeX shows to have read, each in a line that the next one continues below its end."""
    lines = log.split("\n")[:MAX_SHOWN]
    for line, following in pairwise(lines):
        last = LAST_LINE.search(line)
        if last or (line.strip() and following.startswith(" " * len(line))):
            yield line
        if last:
            return


def find_undefined(log: str) -> Iterator[str]:
    r"""Yields what a document used without a definition, as far as TeX went on.

    A control sequence comes with its backslash, an environment in braces, a color and a style of
    TikZ by their names.

    >>> log = "./job.tex:2: Undefined control sequence.\nl.2 a \\b\n        {c}"
    >>> list(find_undefined(f"{log}\n! LaTeX Error: Environment d undefined.\n"))
    ['\\b', '{d}']
    """
    for error in ERROR.finditer(log):
        if error["message"] == UNDEFINED:
            shown = next(_find_shown(log[error.end() : error.end() + 100 * MAX_SHOWN]), "")
            if macro := LAST_MACRO.search(shown):
                yield macro[0].strip()
        elif found := NO_NAME.search(error["message"]):
            yield f"{{{found[2]}}}" if found[1] else found[4] or found[6]


def find_missing(log: str) -> list[MissingResource]:
    r"""Returns what TeX looked for in vain: packages, classes, libraries, fonts, signs, and another TeX.

    Signs are told by their alphabet, or what else Unicode calls them.

    Args:
        log: all of it, or one error.

    >>> log = "Left out: File `a.sty' not found\nLaTeX Error: Unicode character 你 (U+4F60)"
    >>> print(*find_missing(log), sep=", ")
    package a of ctan.org, font with CJK signs (你)
    """
    signs: dict[str, dict[str, None]] = {}
    for found in islice(SIGN.finditer(log), MAX_SIGNS):
        # Of 8-bit fonts TeX names a byte, which says nothing, however it is read.
        sign = (
            chr(int(found[1], 16)) if found[1] and int(found[1], 16) <= sys.maxunicode else found[2]
        )
        if sign and len(sign) == 1 and sign.isprintable() and sign not in UNREADABLE:
            kind = unicodedata.name(sign, OTHER).partition(" ")[0].partition("-")[0]
            script = kind if unicodedata.category(sign)[0] == "L" else OTHER
            signs.setdefault(script, {})[sign] = None
    other = [
        MissingResource("program", package=name)
        for pattern, name in ((OTHER_TEX, "XeTeX or LuaTeX"), (PYGMENTS, "Pygments"))
        if pattern.search(log)
    ]
    return [
        *find_packages(MISSING_PACKAGE, log, CTAN),
        *find_packages(MISSING_METRIC, log, CTAN, "font"),
        *find_packages(MISSING_FONT, log, kind="font"),
        *other,
        *(
            MissingResource(
                "font", package=f"with {name_script(script)} signs", address="".join(found)
            )
            for script, found in signs.items()
        ),
    ]


def name_script(word: str) -> str:
    """Returns the first word of a sign's name in Unicode as the name of its script.

    >>> name_script("CJK"), name_script("CYRILLIC")
    ('CJK', 'Cyrillic')
    """
    return word if word in ("CJK", OTHER) else word.capitalize()


def find_errors(log: str, document: Traced, code: str) -> list[str]:
    r"""Returns the errors of a log, the first `MAX_ERRORS`, each with its line of the code if TeX names it.

    Args:
        log: TeX's.
        document: what was compiled, with the edits that made it of the code.
        code: what the model wrote.

    >>> log = "./job.tex:2: Missing $ inserted.\nl.2 b_\n      c\n! Extra }.\n"
    >>> find_errors(log, Traced("a\nb_c"), "a\nb_c")
    ['line 2: Missing $ inserted.', 'Extra }.']
    """
    starts = [0, *accumulate(len(line) + 1 for line in document.text.split("\n"))]
    told = []
    for error in islice(ERROR.finditer(log), MAX_ERRORS):
        shown = list(_find_shown(log[error.end() : error.end() + 100 * MAX_SHOWN]))
        said = _message(error, shown)
        line = int(error["line"][:9]) if error["file"] == OWN_FILE else 0
        if 0 < line < len(starts):
            place = document.origin(starts[line - 1])
            said = f"line {code.count(chr(10), 0, place) + 1}: {said}"
        told.append(said)
    return told


def reason(log: str, document: Traced, code: str) -> str:
    r"""Returns why a document failed, with the line of the code and what stands there.

    Args:
        log: pdfTeX's.
        document: what was compiled, with the edits that made it of the code.
        code: what the model wrote.

    >>> log = "./job.tex:1: Undefined control sequence.\nl.1 \\begin{document}a \\b\n" + " " * 24
    >>> code = "% why\na \\b{c}"
    >>> reason(log, Traced(code).edited(lambda text: [(0, 6, r"\begin{document}")]), code)
    'line 2: Undefined control sequence \\b: a \\b{c}'
    """
    found = fault(log)

    def line_of(place: int) -> int:
        return code.count("\n", 0, document.origin(place)) + 1

    said = ON_LINE.sub(
        lambda other: f"on line {line_of(_start_of_line(document.text, int(other[1])))}",
        found.message,
    )
    place = _place(found, document.text)
    if place is not None:
        place = document.origin(place)
    elif missing := NOT_FOUND.search(found.message):
        place = code.find(missing[1])
    if place is None or place < 0:
        return said
    return add_place(code, said, code.count("\n", 0, place) + 1)


def _place(found: Fault, text: str) -> int | None:
    """Where in a document an error is, if that can be told."""
    macro, argument = found.scanned
    argument = argument.partition(r"\par ")[0]
    if argument:
        window = text[-WINDOW:]
        for beginning in (f"\\{macro}{argument}", f"\\begin{{{macro}}}{argument}", argument):
            if found_at := _last(window, beginning):
                return len(text) - len(window) + found_at[0]
    if not found.line:
        return None
    start = _start_of_line(text, found.line)
    end = text.find("\n", start)
    end = len(text) if end < 0 else end
    for shown in found.shown:
        if not (begins := BEGINNING.search(shown)):
            continue
        first = start if LAST_LINE.search(shown) else max(end - WINDOW, 0)
        if found_at := _last(text[first:end], shown[begins.end() :]):
            return first + found_at[1]
    return start


def _start_of_line(text: str, line: int) -> int:
    start = 0
    for _ in range(line - 1):
        if (end := text.find("\n", start)) < 0:
            break
        start = end + 1
    return start


def _last(text: str, shown: str) -> tuple[int, int] | None:
    """Where what TeX shows begins and ends, last in a text; TeX writes its own blanks."""
    words = "".join(shown.split())
    places = [place for place, character in enumerate(text) if not character.isspace()]
    dense = "".join(text[place] for place in places)
    if len(words) < LEAST:
        return None
    macro = LAST_MACRO.search(words)
    end = len(dense)
    while (start := dense.rfind(words, 0, end)) >= 0:
        first, last = places[start], places[start + len(words) - 1]
        if not (macro and macro[0][-1].isalpha() and text[last + 1 : last + 2].isalpha()):
            return first, last
        end = start + len(words) - 1
    return None
