r"""What LaTeX documents and TeX's logs look like as text: commands with their arguments, comments.

The published repairs are regular expressions whose options (`\[.*?\]`) may never be closed, so that
finding all of them takes quadratic time in any engine. These scanners find the same in linear time.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from helm_structext.patterns import Cursor, Match, Pattern
from helm_structext.renderers.edits import Edit, Traced

END_OF_DOCUMENT = r"\end{document}"
ENVIRONMENT_END = Pattern(r"\\end\{.*?\}")


class Command(NamedTuple):
    """A command with its arguments: where it begins, and what is written from there to its end."""

    start: int
    text: str


def on_a_line(code: str, names: Sequence[str]) -> Iterator[Command]:
    r"""Yields commands of one line with an argument in braces, and maybe an option before it.

    As a regular expression: ``\\(name|…)(\[.*?\])?\{.*?\}``.

    >>> [command.text for command in on_a_line(r"\a{b} \a[c]{d}} \a[", ["a"])]
    ['\\a{b}', '\\a[c]{d}']
    """
    line_end, option_end = Cursor(code, "\n"), Cursor(code, "]{")
    end_of_bare, end_of_other = Cursor(code, "}"), Cursor(code, "}")

    def end(start: int) -> int | None:
        if code.startswith("{", start):
            found = end_of_bare.next(start + 1)
        elif code.startswith("[", start):
            option = option_end.next(start + 1)
            found = end_of_other.next(min(option + len("]{"), len(code)))
        else:
            return None
        return found + 1 if found < line_end.next(start) else None

    return _commands(code, names, end)


def across_lines(code: str, name: str) -> Iterator[Command]:
    r"""Yields commands with an argument in braces and maybe an option, over any number of lines.

    As a regular expression: ``\\name\s*(\[[^]]*\])?\s*\{[^}]*\}``.

    >>> [command.text for command in across_lines("\\a [b]\n{c}, \\a", "a")]
    ['\\a [b]\n{c}']
    """
    option_end = Cursor(code, "]")
    end_of_bare, end_of_other = Cursor(code, "}"), Cursor(code, "}")
    after: dict[int, int] = {}

    def end(start: int) -> int | None:
        start = after_blanks(code, start)
        closing = end_of_bare
        if code.startswith("[", start):
            option = option_end.next(start + 1)
            # Many commands may wait for the same end of an option.
            if option not in after:
                after.clear()
                after[option] = after_blanks(code, option + 1)
            start, closing = after[option], end_of_other
        found = closing.next(start + 1) if code.startswith("{", start) else len(code)
        return found + 1 if found < len(code) else None

    return _commands(code, [name], end)


def _commands(
    code: str, names: Sequence[str], end: Callable[[int], int | None]
) -> Iterator[Command]:
    cursors = {f"\\{name}": Cursor(code, f"\\{name}") for name in names}
    place = 0
    while True:
        start, command = min((cursor.next(place), name) for name, cursor in cursors.items())
        if start == len(code):
            return
        stop = end(start + len(command))
        if stop is None:
            place = start + 1
        else:
            yield Command(start, code[start:stop])
            place = stop


def after_blanks(code: str, start: int) -> int:
    """Returns the first place from a start on that has no white space."""
    while start < len(code) and code[start].isspace():
        start += 1
    return start


def find_removals(commands: Iterable[Command]) -> Iterator[Edit]:
    """Yields the edits that remove commands."""
    return ((start, start + len(text), "") for start, text in commands)


def remove_commands(code: str, commands: Iterable[Command]) -> str:
    """Returns a document without some of its commands."""
    return Traced(code).edited(lambda _: find_removals(commands)).text


def move_packages(code: str, begin: str) -> Iterator[Edit]:
    r"""Yields the edits that move the packages which a document's body loads to the end of its preamble.

    >>> list(move_packages(r"\begin{document}\usepackage{a}b", r"\begin{document}"))
    [(0, 0, '\\usepackage{a}\n'), (16, 30, '')]
    """
    body = code.find(begin)
    if body < 0:
        return
    comments = deque(find_comments(code))
    moved = []
    for command in across_lines(code, "usepackage"):
        while comments and comments[0][1] <= command.start:
            comments.popleft()
        if command.start > body and not (comments and comments[0][0] < command.start):
            moved.append(command)
    if moved:
        yield body, body, "".join(f"{command.text}\n" for command in moved)
        yield from find_removals(moved)


def strip_comments(code: str) -> str:
    r"""Returns a document without its comments, each from a percent sign to the end of its line.

    >>> strip_comments("a % b\n5\\% of c \\\\% d")
    'a \n5\\% of c \\\\'
    """
    return Traced(code).edited(lambda _: ((*place, "") for place in find_comments(code))).text


def find_comments(code: str) -> Iterator[tuple[int, int]]:
    r"""Yields where comments begin and end.

    >>> list(find_comments("a % b\n5\\% of c"))
    [(2, 5)]
    """
    done = 0
    percent = code.find("%")
    while percent >= 0:
        backslashes = percent
        while backslashes > done and code[backslashes - 1] == "\\":
            backslashes -= 1
        start = percent
        percent += 1
        if (start - backslashes) % 2 == 0:
            done = code.find("\n", start)
            done = len(code) if done < 0 else done
            yield start, done
            percent = done
        percent = code.find("%", percent)


def surround_bodies(code: str, before: str, after: str, begin: str) -> Iterator[Edit]:
    r"""Yields the edits that put something before and after what stands inside of a document.

    As a regular expression: ``(?<=\\begin{document})(.*?)(?=\\end{document})``.

    >>> list(surround_bodies(r"\begin{document}a\end{document}", "$", "$", r"\begin{document}"))
    [(16, 16, '$'), (17, 17, '$')]
    """
    begins, ends = Cursor(code, begin), Cursor(code, END_OF_DOCUMENT)
    done, empty = 0, -1
    while True:
        start = begins.next(max(done - len(begin), 0)) + len(begin)
        # After an empty body, the next one is none at the same place.
        end = ends.next(start + (start == empty)) if start <= len(code) else len(code)
        if end == len(code):
            return
        yield start, start, before
        yield end, end, after
        done, empty = end, end if start == end else -1


def lines_ended(code: str) -> str:
    r"""Returns a document in which each ``\begin`` and ``\end`` ends its line.

    An option belongs to the ``\begin``, unless its line ends with it.

    >>> lines_ended(r"\begin{a}[b]c\end{a} d")
    '\\begin{a}[b]\nc\\end{a}\n d'
    """
    name = r"\begin{"
    line_end, closing, option_end = Cursor(code, "\n"), Cursor(code, "}"), Cursor(code, "]")
    starts = Cursor(code, name)
    pieces, done, place = [], 0, 0
    while (start := starts.next(place)) < len(code):
        line = line_end.next(start)
        end = closing.next(start + len(name)) + 1
        if end >= line + (line == len(code)):  # no brace on the line, or one that ends it
            place = start + 1
            continue
        if code.startswith("[", end) and (option := option_end.next(end + 1) + 1) <= line:
            end = option if option < line or line == len(code) else end
        pieces += [code[done:end], "\n"]
        done = place = end
    code = "".join([*pieces, code[done:]])

    def ended(command: Match) -> str:
        return f"{command[0]}{'' if code.startswith(chr(10), command.end()) else chr(10)}"

    return ENVIRONMENT_END.sub(ended, code)
