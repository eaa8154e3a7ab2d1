r"""Code between sentences, without tags and fences: ``Here it is: <svg>…</svg> Hope it helps``.

What is cut out can be nothing else. `DOCUMENTS` begin and end with signs of their own: in HTML, SVG, XML or LaTeX, or
JSON that is an object or a list of objects. Before it, prose ends with a mark of punctuation or its line; behind it,
prose begins after a blank. Prose has none of the signs that code has (``<``, braces), or begins no line with them
(``\``), so that whatever is valid by itself stays whole. A page in HTML may be cut off.

`PROGRAMS` have no such end. Prose before one is whole lines, the first of which begins as sentences do and no
program does, with a word in capital letters and another one; prose behind it is the last paragraphs, of which
the first is a sentence. Where sentences are code, too, as in TeX and Typst, prose has to speak of code; in YAML,
CSV and parts of pages, it has to say that something follows. Lines of dashes may stand around a program as fences do.
"""

from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple

from helm_structext.formats import Format
from helm_structext.patterns import Pattern


def _between(code: str, before: str, behind: str, opening: str = "") -> Pattern:
    """The pattern of a text whose first group is the code, after prose that ends, and before prose."""
    return Pattern(rf"(?is)(?:{before}[.:!?…)*。：！？\n])?\s*{opening}({code})(?:{behind})?")


NO_TAGS = r"[^<]*"
# Prose that begins with none may speak of some.
BEHIND_TAGS = r"\.?\s+(?:[^<\s].*)?"
PAGE = r"<(?:!doctype\s+html|html)[\s>].*"
HTML = _between(rf"{PAGE}</html\s*>", NO_TAGS, BEHIND_TAGS)
OPEN_HTML = _between(PAGE, NO_TAGS, "")
SVG = _between(r"(?:<\?xml\s[^<]*)?(?:<!doctype\s[^<]*)?<svg[\s>].*</svg\s*>", NO_TAGS, BEHIND_TAGS)
XML = _between(r"<[?!\pL_].*>", NO_TAGS, r"\.?\s[^<]*")
# TeX reads nothing behind its end. Some models write an environment where others write a fence.
LATEX = _between(
    r"\\documentclass\s*[\[{].*\\end\s*\{document\}",
    r"(?:(?:[^\\%\s][^\n]*)?\n)*?[^\\%\n][^\n]*",
    r".*",
    opening=r"(?:\\begin\s*\{(?:code|latex|verbatim|lstlisting)\}\s*)?",
)
# Neither JSON that is cut off or has comments, nor JavaScript.
JSON = _between(r"\{.*\}|\[\s*\{.*\}\s*\]", r'[^{}\[\]"/=]*', r"\.?\s[^{}]*")
DOCUMENTS = {
    "html": (HTML, OPEN_HTML),
    "svg": (SVG,),
    "xml": (XML,),
    "latex": (LATEX,),
    "json": (JSON,),
}
"""Language of code fences to what a text in it looks like between prose; the first that fits counts."""


class Program(NamedTuple):
    """How programs in a language are told from prose around them.

    Attributes:
        begins: what their first line begins with.
        signs: what prose has nowhere but between backticks.
        announced: what the last line of prose before them has to say, as sentences may be code, too.
        explained: whether prose behind them has to be about code, for the same reason.
        ruled: whether lines of dashes may stand around them, being no code.
    """

    begins: Pattern
    signs: Pattern
    announced: Pattern | None = None
    explained: bool = False
    ruled: bool = True


DIAGRAMS = (
    r"(?:graph|flowchart)(?:-elk)?[ \t]+(?:TB|TD|BT|RL|LR)\b|(?:sequence|class|state|er|requirement)Diagram"
    r"|(?:gantt|journey|mindmap|timeline|kanban|gitGraph|quadrantChart|C4[A-Z][a-z]+|zenuml)\b|pie\b"
    r"|(?:xychart|block|sankey|packet|architecture|radar|treemap)(?:-beta)?\b"
    r"|%%|---[ \t]*\n(?:title|config|displayMode|theme)\b"
)
SPEAKS_OF_CODE = Pattern(
    r"(?i)\b(?:code|latex|tikz|typst|snippet|markup)\b|代码|代碼|コード|코드", ascii=True
)
SAYS_WHAT_FOLLOWS = Pattern(
    r"(?i)\b(?:here|here's|below|following|follows|code|snippet|example)\b|如下|代码|以下",
    ascii=True,
)
TEX = Program(
    Pattern(r"\\|%|\$"), Pattern(r"[\\{}$%]"), SPEAKS_OF_CODE, explained=True, ruled=False
)
PROGRAMS = {
    "python": Program(
        Pattern(
            r"""#|@|['"]{3}|(?:import|from|def|class|with|for|if|try)\s|[a-z_][\w., ]*[=(\[]"""
        ),
        Pattern(r"""[={}\\;]|['"]{3}|[\w\])][(\[]"""),
    ),
    "typescript": Program(
        Pattern(
            r"""//|/\*|@|['"]use |(?:import|export|const|let|var|function|class|interface|type)\s"""
        ),
        Pattern(r"[={}<>;\\]"),
    ),
    "vue": Program(Pattern(r"<|//|/\*"), Pattern(r"[={}<>;\\]")),
    "mermaid": Program(Pattern(DIAGRAMS, ascii=True), Pattern(r"""--|->|=>|[{}\[\]";%]""")),
    "lilypond": Program(Pattern(r"\\|%|#\(|<<|\{|[A-Za-z]+ *="), Pattern(r"[{}\\<>=]")),
    "latex": TEX,
    "typst": Program(
        Pattern(r"#[\w({\[]|//|/\*|=+ "),
        Pattern(r"#[\w({\[]|\$"),
        SPEAKS_OF_CODE,
        explained=True,
        ruled=False,
    ),
    "html": Program(Pattern(r"<[A-Za-z!]"), Pattern(r"[={}<>;\\]"), SAYS_WHAT_FOLLOWS),
    "yaml": Program(
        Pattern(r"""---|#|- |["']?[\w./-]+["']?:(?:\s|\z)"""),
        Pattern(r"""\A\s*(?:- )?["']?[\w./-]+["']?:(?:\s|\z)|:\s+\S|[{}\[\]|]"""),
        SAYS_WHAT_FOLLOWS,
    ),
    "toml": Program(Pattern(r"""#|\[|["']?[\w.-]+["']?\s*="""), Pattern(r"[={}\[\]]")),
    "csv": Program(Pattern(r"[^\n]*,[^\n]*(?:\n|\z)"), Pattern(r'[,;]\S|"'), SAYS_WHAT_FOLLOWS),
}
"""Language of code fences to how a program in it is told from prose around it."""

QUOTED = Pattern(r"`[^`\n]*`")
_CAPITAL = r"""[*_]{0,3}["'“(]?[\p{Lu}\p{Lo}][\pL\pM'’-]*[*_]{0,3}"""
# "Here is", "Sure, this", "**Note:** the", "Sure!", and what has marks of Chinese and Japanese.
SENTENCE = Pattern(
    rf"""{_CAPITAL}(?:[,;:!.]?[*_]{{0,3}} [*_`"'“(]{{0,4}}[\pL\pN].*|[,:!.]{{1,3}}[*_]{{0,3}}\s*|.*[，。：！？；].*)"""
)
PROSE = Pattern(r"""\s*(?:(?:[-*+•]|[0-9]{1,3}[.)]|#{1,6})\s.*|[*_`"'“(]{0,4}[\pL\pN].*)?""")
"""A further line of prose: of a paragraph, of a list, a heading, or an empty one."""
HEADING = Pattern(r"#{2,6} ")
END_OF_SENTENCE = Pattern(r"""[.:!?…。：！？][)*_"'”]{0,4}\s*\z""")
RULER = Pattern(r"[-=_*─━]{8,}\s*")
GOODBYE = Pattern(r"(?i)\A\W*(?:I )?hope |\A\W*let me know |\A\W*enjoy\b", ascii=True)
EXPLAINS_CODE = Pattern(
    r"(?i)\A\W*(?:(?:this|the|in this|above) (?:[a-z]+ )?(?:code|snippet)\b"
    r"|this (?:will )?(?:draw|creat|produc|render|generat)|(?:explanation|notes?)\W*\z"
    r"|(?:i )?hope |let me know |feel free |you can (?:compile|copy|adjust|change|modify) "
    r"|(?:to )?compile (?:it|this|the) |make sure |save (?:it|this) )",
    ascii=True,
)


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
    >>> cut_prose("Here it is:\n\npie\n  \"a\": 1\n\nThis is a pie.", check_format("mermaid"))
    'pie\n  "a": 1'
    """
    documents = next((DOCUMENTS[one] for one in row.fences if one in DOCUMENTS), ())
    if found := next(filter(None, (one.fullmatch(text) for one in documents)), None):
        return str(found[1])
    program = next((PROGRAMS[one] for one in row.fences if one in PROGRAMS), None)
    return cut_program(text, program) if program else text


def cut_program(text: str, program: Program) -> str:
    r"""Returns a program without the prose around it, or all of the text.

    >>> cut_program("Sure!\n\nx = 1\nprint(x)\n\nIt prints `x = 1`.", PROGRAMS["python"])
    'x = 1\nprint(x)'
    >>> cut_program("Text\n#let x = 1", PROGRAMS["typst"])
    'Text\n#let x = 1'
    """
    lines = text.split("\n")
    if ruled := find_between_rulers(lines, program):
        return "\n".join(ruled).strip("\n")
    first = find_first_line(lines, program)
    if not begins_at(lines, first, program) or (program.explained and not first):
        return text
    last = first + find_last_line(lines[first:], program)
    return "\n".join(lines[first:last]).rstrip() if (first, last) != (0, len(lines)) else text


def begins_at(lines: Sequence[str], number: int, program: Program) -> bool:
    """Whether a program begins with a line, seen with the next one.

    >>> begins_at(["---", "title: A", "---", "pie"], 0, PROGRAMS["mermaid"])
    True
    """
    return bool(program.begins.match("\n".join(lines[number : number + 2])))


def find_first_line(lines: Sequence[str], program: Program) -> int:
    """Returns how many lines of prose stand before a program; 0 also where none begins behind them.

    >>> find_first_line(["Here is the code:", "", "pie"], PROGRAMS["mermaid"])
    2
    """
    if not SENTENCE.fullmatch(lines[0]):
        return 0
    for number, line in enumerate(lines):
        if number and begins_at(lines, number, program):
            said = [one for one in lines[:number] if one.strip()]
            ended = END_OF_SENTENCE.search(said[-1]) or not lines[number - 1].strip()
            return number if ended and announces(said, program) else 0
        if not is_prose(line, program):
            return 0
    return 0


def announces(said: Sequence[str], program: Program) -> bool:
    """Whether prose says that a program follows, where it has to.

    >>> announces(["Sure!", "Here is the LaTeX code:"], TEX), announces(["We know:"], TEX)
    (True, False)
    """
    last = said[-1].rstrip(" *")
    asked = program.announced
    return not asked or (last.endswith((":", "：")) and bool(asked.search(last)))


def find_between_rulers(lines: Sequence[str], program: Program) -> Sequence[str]:
    """Returns the lines of a program between two lines of dashes, behind prose; none where there is none.

    Behind a line of dashes that has no second one, a program ends where prose begins.

    >>> text = ["Below is the code:", "--------", "x = 1", "print(x)", "--------", "Explanation:"]
    >>> find_between_rulers(text, PROGRAMS["python"])
    ['x = 1', 'print(x)']
    """
    if not program.ruled or not SENTENCE.fullmatch(lines[0]):
        return ()
    rulers = [number for number, line in enumerate(lines) if RULER.fullmatch(line)]
    if not rulers or not announces([line for line in lines[: rulers[0]] if line.strip()], program):
        return ()
    for first, last in zip(rulers, [*rulers[1:], None], strict=True):
        inside = lines[first + 1 : last]
        said = [number for number, line in enumerate(inside) if line.strip()]
        # One line alone names the file that follows.
        if len(said) > 1 and begins_at(inside, said[0], program):
            return inside if last else inside[: find_last_line(inside, program)]
    return ()


def find_last_line(lines: Sequence[str], program: Program) -> int:
    """Returns how many lines there are before the prose behind a program.

    >>> find_last_line(["pie", "", "This is a pie."], PROGRAMS["mermaid"])
    1
    """
    found = len(lines)
    behind = takewhile(lambda one: is_prose(lines[one], program), reversed(range(1, len(lines))))
    for number in behind:
        line = lines[number]
        if not lines[number - 1].strip() and (
            says_something(line, program) or (found < len(lines) and HEADING.match(line))
        ):
            found = number - 1
    return found


def says_something(line: str, program: Program) -> bool:
    """Whether a line begins what follows a program: it is a sentence, and about code where it has to be.

    >>> says_something("This draws a line.", PROGRAMS["latex"]), says_something("A line.", PROGRAMS["latex"])
    (True, False)
    """
    ends = EXPLAINS_CODE if program.explained else END_OF_SENTENCE
    return bool(SENTENCE.fullmatch(line) and (ends.search(line) or GOODBYE.search(line)))


def is_prose(line: str, program: Program) -> bool:
    """Whether a line may be one of prose around a program.

    >>> is_prose("and `x = 1` is", PROGRAMS["python"]), is_prose("x = 1", PROGRAMS["python"])
    (True, False)
    """
    return bool(PROSE.fullmatch(line)) and not program.signs.search(QUOTED.sub("", line))
