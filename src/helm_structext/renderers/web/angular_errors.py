"""Where in an answer an error of Angular arose: what its compiler refuses, and what its templates throw.

Angular compiles templates in the browser, to functions that only their component's name leads back to
(``at AppComponent_Template``). The line is the one where what the error names stands, if it is only one.
"""

from collections.abc import Mapping
from typing import NamedTuple

from helm_structext.patterns import Pattern
from helm_structext.renderers.web.javascript import place, wrong

# What the compiler says of a template, and where in it: the numbers begin with 0.
COMPILER = Pattern(
    r"Errors during JIT compilation of template for (\w+): (.*?)(?: at the end of the | in ng:|\s*\(\"|\z)"
)
COMPILER_PLACE = Pattern(r"ng:///\w+/template\.html@([0-9]{1,9}):")
TEMPLATE_KEY = Pattern(r"""template(?:Url\s*:\s*['"`](?P<url>[^'"`\n]{1,200})|\s*:\s*['"`])""")
FRAME = Pattern(r"(?:\A|\W)at (?:[\w$]+\.)*(\w+?)_(?:\w+_)?(Template|Factory)(?:\W|\z)")
NAMED = Pattern(
    r"\((?:reading|setting) '([^']+)'\)|([\w$]+) is not (?:a function|iterable)"
    r"|The pipe '([^']+)'|No provider found for `(?:\w+ -> )*([^`]+)`"
)
WORD = Pattern(r"[\w$]+")


class Template(NamedTuple):
    """A component's template: its file, how many lines stand before it there, and its text."""

    file: str
    before: int
    text: str


def explain_refusal(said: str, error: str, files: Mapping[str, str]) -> str | None:
    """Returns what Angular's compiler says of a template, with its line; None of any other error.

    Args:
        said: the error's first line.
        error: all of it.
        files: of the answer.
    """
    if not (found := COMPILER.search(said)):
        return None
    where = COMPILER_PLACE.search(error)
    line = int(where[1]) + 1 if where else 0
    if line and (template := template_of(files, found[1])):
        said = f"template of {found[1]}: {found[2]}"
        return wrong(files, template.file, template.before + line, said)
    return place(f"template of {found[1]}", line) + found[2]


def explain_thrown(said: str, name: str, kind: str, files: Mapping[str, str]) -> str:
    r"""Returns what was thrown while a component was made or its template filled, with its line.

    Args:
        said: the error's first line.
        name: of the component, in a `FRAME` of the stack.
        kind: ``Template`` or ``Factory``, as the frame says.
        files: of the answer.

    >>> files = {"a.ts": "@Component({template: `<h1>\n{{ a.b }}\n</h1>`})\nclass A {\n a = this.b }"}
    >>> explain_thrown("TypeError: … (reading 'b')", "A", "Template", files)
    "a.ts:2: template of A: TypeError: … (reading 'b'): {{ a.b }}"
    >>> explain_thrown("NG0201: No provider found for `B`", "A", "Factory", files)
    'a.ts:4: NG0201: No provider found for `B`: class A {'
    """
    found = NAMED.search(said)
    named = next(filter(None, found.groups()), "") if found else ""
    if kind == "Factory":
        return _in_class(said, name, named, files)
    if (template := template_of(files, name)) and (line := only_line(template.text, named)):
        return wrong(files, template.file, template.before + line, f"template of {name}: {said}")
    return f"template of {name}: {said}"


def _in_class(said: str, name: str, named: str, files: Mapping[str, str]) -> str:
    for file, text in files.items():
        if (start := text.find(f"class {name}")) >= 0:
            first = text.count("\n", 0, start) + 1
            end = text.find("\nclass ", start)
            line = only_line(text[start : end if end >= 0 else len(text)], named) if named else 0
            return wrong(files, file, first + max(line - 1, 0), said)
    return said


def only_line(text: str, name: str) -> int:
    r"""Returns the line in which a name stands, from 1, or 0 if there is none or several.

    Args:
        text: the lines.
        name: a word, or "": any line that is not empty.

    >>> only_line("a\nb.c\n", "c"), only_line("a\na", "a"), only_line("\na", "")
    (2, 0, 2)
    """
    lines = [
        number
        for number, line in enumerate(text.split("\n"), 1)
        if (any(word[0] == name for word in WORD.finditer(line)) if name else line.strip())
    ]
    return lines[0] if len(lines) == 1 else 0


def template_of(files: Mapping[str, str], name: str) -> Template | None:
    r"""Returns the template of a component.

    >>> template_of({"a.ts": "@Component({\ntemplate: `<p>`})\nclass A {}"}, "A")
    Template(file='a.ts', before=1, text='<p>')
    """
    for file, text in files.items():
        end = text.find(f"class {name}")
        beginnings = list(TEMPLATE_KEY.finditer(text[: max(end, 0)]))
        if not beginnings:
            continue
        begins = beginnings[-1].end()
        linked = beginnings[-1]["url"]
        if linked is None:
            quote = text.find(text[begins - 1], begins, end)
            inline = text[begins : quote if quote >= 0 else end]
            return Template(file, text.count("\n", 0, begins), inline)
        named = [one for one in files if one.rpartition("/")[2] == linked.rpartition("/")[2]]
        return Template(named[0], 0, files[named[0]]) if named else None
    return None
