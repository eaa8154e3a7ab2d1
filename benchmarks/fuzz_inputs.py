"""Random inputs for `fuzz.py`: written by a grammar, or an honest text that is mutated.

All of it depends on a `random.Random` alone, so that a seed and a number say which input it is.
Bytes are kept as text in Latin-1, so that every input is JSON.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from helm_structext.data.sources import SAMPLES
from helm_structext.errors import ERROR_KINDS, RenderError, SetupError
from helm_structext.texts import make_printable

Input = dict[str, Any]
"""Arguments of a check, as JSON."""

MAX_LENGTH = 20_000
"""Characters of an input, but for one in `HUGE_SHARE`."""

HUGE, HUGE_SHARE = 1_050_000, 5_000

ODD = (
    *("\0", "\ud800", "\udfff\ud800", "\ufeff", "\u202e", "\u2028", "\x85", "\x1b[2J", "\x1b]0;", "\x7f"),
    *("\r", "\r\n", "\t", "\x0b", "\x0c", "\x1c", "\xa0", "\u3000", "\u200b", "\u2066", "\\", "\n\n"),
    *("é", "e\u0301", "\u0301" * 40, "\U0001f40b", "ß", "İ", "ﬀ", "²", "٣", "１", "½", "Ⅷ", "三", "\uffff"),
    *("-0", "0", "-1", "1e999", "-1e999", "1e-999", "NaN", "nan", "Infinity", "-inf", "0x1F", "0o7"),
    *("1_000", ".5", "5.", "1:1:1", "007", "0b1", "+1", "1e5", "9" * 400, "9" * 5_000, "1" + "0" * 30),
    *("2147483648", "18446744073709551616", "1." + "0" * 400, "-" + "9" * 400, "true", "null", "None"),
    *("a" * 300, "../" * 20, "/etc/passwd", "C:\\", "con", "~", "%00", "%s%n", "{0}", "${x}", "=1+1"),
    *("<", ">", "&", "&amp;", "&#0;", "&#x110000;", "]]>", "<!--", "-->", '"', "'", "`", "|", "[", "]"),
    *("{", "}", "(", ")", "*", "**", "@", "#", "%", "$", "^", "_", "\\x", "\\u", "\\ud800", "\\N{DASH}"),
)  # fmt: skip
"""What parsers stumble over."""

TOKENS = (
    *("<|BEGIN_CODE|>", "<|END_CODE|>", "BEGIN_CODE", "END_CODE|", "</END_CODE>", "[END_CODE]"),
    *("```", "````", "~~~", "```json\n", "```yaml\n", "```latex\n", "\n```\n", "```html\n", "```\n"),
    *("<think>", "</think>", "<reasoning>", "</THINKING>", "\\begin{document}", "\\end{document}"),
    *("\\documentclass{article}", "\\usepackage[a]{b}", "\\label{a}", "\\begin{", "\\end{", "%"),
    *("<script type=text/babel>", "</script>", "<svg>", "</svg>", "<html>", "<!DOCTYPE html>", "src="),
    *("getElementById('", "createElement('canvas')", "http://localhost/a.js:1:2", "\n    at ", "import "),
    *("// a.jsx\n", "/* a.css */\n", "interface A {", "new Vue", "https://unpkg.com/", "ng:///A/template"),
    *("I cannot help", "[0.1, 0.2, 0.5, 1]", "ERROR", "<!DOCTYPE a [", "<!ENTITY a 'b'>", "&a;", "%YAML"),
    *("!!int ", "!!binary ", "!!set ", "!!timestamp ", "&a ", "*a", "<<: ", "? ", "--- ", "...", "- ", ": "),
    *("[[a]]", "a.b.c = ", "'''", '"""', "inf", "1979-05-27T07:32:00Z", "xmlns:a=''", "<![CDATA[", "<?a ?>"),
    *(".`", "[0]", "[-1]", ".*", "csv::", "@", '{"filename": "', '", "content": "', "---\n", "! ", "l.1 "),
)  # fmt: skip

GRAMMAR = {
    # The first choice ends: it is taken once a text is long enough.
    "ws": ("", " ", "\n", "\t"),
    "word": ("a", "name", "b_1", "Ä", "Io", "x.y", "@id", "#text", "csv", "key with blanks"),
    "number": ("0", "1.5", "-7", "1e3", "<odd>"),
    "odd": ODD,
    "token": TOKENS,
    "any": ("x", "<word>", "<number>", "<odd>", "<token>", "<any><any>", "<any> <any>"),
    "string": ('"a"', '"<word>"', '"<any>"', '"\\u00<number>"', '"\\ud83d"'),
    "json": ("[]", "{}", "<object>", "<array>", "<string>", "<number>", "true", "null", "<json><odd>"),
    "object": ("{}", "{<members>}", "{<members>,}"),
    "members": ("<string>:1", "<string><ws>:<ws><json>", "<string>:<json>,<members>"),
    "array": ("[]", "[<items>]", "[<items>"),
    "items": ("1", "<json>", "<json>,<ws><items>"),
    "yaml": ("{}", "<pairs>", "<listed>", "<json>", "%YAML 1.1\n---\n<pairs>", "<scalar>", "&a <yaml>"),
    "pairs": ("a: 1\n", "<word>: <scalar>\n", "<word>: <scalar>\n<pairs>", "? <scalar>\n: <scalar>\n<pairs>",
              "<word>:\n  - <scalar>\n  - <word>: <scalar>\n<pairs>", "<<: *a\n<pairs>"),
    "listed": ("- a\n", "- <scalar>\n<listed>", "- - <scalar>\n<listed>", "- &a <scalar>\n- *a\n<listed>"),
    "scalar": ("a", "<word>", "<number>", "<string>", "*a", "&a <scalar>", "!!int <any>", "!!float <any>",
               "!!binary <any>", "!!timestamp <any>", "!!bool <any>", "2001-13-41", "|\n  <any>\n", "<json>",
               "!!set {<items>}", "!!omap [<items>]", "!!python/tuple []", "<any>", "1:59:59.5", "= "),
    "toml": ("a = 1\n", "<tomlkey> = <tomlvalue>\n<toml>", "[<tomlkey>]\n<toml>", "[[<tomlkey>]]\n<toml>", "# <any>\n<toml>"),
    "tomlkey": ("a", "<word>", "<tomlkey>.<tomlkey>", "<string>", "'<word>'"),
    "tomlvalue": ("1", "<number>", "<string>", "[<tomlvalue>, <tomlvalue>]", "{ a = <tomlvalue> }", "'''<any>'''",
                  "1979-05-27T07:32:00+<number>", "07:32:60", "inf", "<any>", "0x<any>", "true"),
    "xml": ("<<a/>>", "<xmlhead><element>", "<element>", "<element><any>"),
    "xmlhead": ("", "<<?xml version='1.0' encoding='<encoding>'?>>", "<<!DOCTYPE a>>", "<<!-- <any> -->>",
                "<<!DOCTYPE a [<<!ATTLIST a b CDATA '<any>'>>]>>", "<<!DOCTYPE a [<<!ENTITY b '<any>'>>]>>"),
    "encoding": ("utf-8", "utf-16", "ascii", "latin-1", "utf-7", "cp1252", "<any>"),
    "element": ("<<a/>>", "<<a <attribute>>><content><</a>>", "<<a:b xmlns:a='<any>'/>>", "<<b><content><</b>>"),
    "attribute": ("b='1'", "<word>='<any>'", "<attribute> <attribute>", "xml:lang='<any>'"),
    "content": ("", "<any>", "<element>", "<content><content>", "<<![CDATA[<any>]]>>", "<<?<any>?>>", "&<any>;"),
    "csv": ("a,b\n1,2\n", "<cells>\n<csv>", "<cells>\n<cells>", "<any>", "<cells>\r\n<csv>"),
    "cells": ("a,b", "<cell>,<cell>", "<cell>,<cells>"),
    "cell": ("1", "<word>", "<number>", '"<any>"', '"<any>""<any>"', "", "<any>"),
    "path": ("a", "<word>", "<path>.<path>", "<path>[<number>]", "<path>.*", "`<any>`", "csv::<word>", "@<word>", "<any>",
             "<path>[<any>]"),
    "reply": ("1", "<number>", "<box>", "<string>, <box>", "<any> <box>", "```json\n<box>\n```", "[<string>, <box>]", "<json>", "<any>"),
    "box": ("[0, 0, 1, 1]", "[<number>, <number>, <number>, <number>]", "(<number>; <number> <number> <number>)", "[<items>]"),
    "completion": ("<code>", "<any><|BEGIN_CODE|><code><|END_CODE|><any>", "```<word>\n<code>\n```", "<any>```json\n<code>\n```<any>",
                   "<<think>><any><</think>><completion>", "<completion><completion>", "<token><code><token>", "~~~~\n<completion>\n~~~"),
    "code": ("{}", "<json>", "<yaml>", "<toml>", "<xml>", "<csv>", "<latex>", "<files>", "<any>"),
    "latex": ("$x$", "\\documentclass[<any>]{<any>}\\usepackage{<word>}\\begin{document}<latex>\\end{document}", "\\label{<any>}<latex>",
              "\\begin{<any>}<latex>\\end{<any>}", "% <any>\n<latex>", "<token><latex>", "\n\n <latex>", "<any>"),
    "files": ("[]", '[{"filename": <string>, "content": <string>}]', '[{"filename": "<any>", "content": "---\\n---\\n<any>"}]', "<json>"),
    "page": ("<<p>>", "<<html>><page><</html>>", "<<script type=<word>>><any><</script>>", "<<link integrity='<any>' href=<any>>>",
             "<<!-- <any> -->><page>", "<page><page>", "<<svg <attribute>>><element><</svg>>", "<any>", "// <word>.jsx\n<page>"),
    "log": ("no log", "<any>:<number>: <any>", "! <any>\nl.<number> <any>", "<any>\n    at <any> (http://localhost/<any>:<number>:<number>)",
            "LaTeX Error: Environment <any> undefined", "Error: <any>\n<log>"),
}  # fmt: skip
"""What a name may stand for: texts with names in angle brackets, where ``<<`` is an angle bracket."""


MAX_MESSAGE = 2_100
"""Characters of an error's message, which stands in tables and on terminals."""


class Target(NamedTuple):
    """Something that reads what others wrote.

    Args:
        make: an input.
        check: takes an input as keyword arguments, and raises what is not `declared` if anything
            is wrong.
        declared: exceptions that say that an input is bad.
        honest: an input whose result is always the same.
        weight: how often it is tried.
    """

    make: Callable[[Random], Input]
    check: Callable[..., Any]
    declared: tuple[type[Exception], ...]
    honest: Input
    weight: int = 10


def check_error(error: Exception) -> None:
    """Raises AssertionError unless an error says what is wrong as people and tables need it."""
    if not isinstance(error, RenderError | SetupError):
        return  # a caller's mistake, which says what it wants
    message = error.message if isinstance(error, RenderError) else str(error)
    assert message.strip(), "the message is empty"
    assert len(message) <= MAX_MESSAGE, f"the message has {len(message)} characters"
    assert make_printable(message) == message, "the message steers the terminal"
    if isinstance(error, RenderError):
        assert error.kind in ERROR_KINDS, f"the kind is {error.kind}"


def _parts(choice: str) -> tuple[str, ...]:
    pieces = re.split(r"(<<|>>|<[a-z]+>)", choice)
    named = (
        {"<<": "<", ">>": ">"}.get(piece, piece)
        if piece[1:-1] not in GRAMMAR
        else f"\0{piece[1:-1]}"
        for piece in pieces
        if piece
    )
    return tuple(named)


_CHOICES = {
    f"\0{name}": [(choice,) for choice in choices]
    if choices in (ODD, TOKENS)
    else [_parts(choice) for choice in choices]
    for name, choices in GRAMMAR.items()
}


def written(chance: Random, name: str, size: int = 60) -> str:
    """Returns a text that the grammar writes for a name.

    >>> written(Random(1), "json", size=0)
    '[]'
    """
    pieces: list[str] = []
    open_parts = [f"\0{name}"]
    while open_parts:
        part = open_parts.pop()
        choices = _CHOICES.get(part)
        if choices is None:
            pieces.append(part)
            continue
        size -= 1
        open_parts += reversed(
            choices[int(chance.random() * len(choices))] if size > 0 else choices[0]
        )
    return "".join(pieces)


def _span(chance: Random, text: str) -> tuple[int, int]:
    """A stretch of a text, mostly a short one."""
    start = int(chance.random() * (len(text) + 1))
    length = int(chance.random() ** 4 * (len(text) - start)) + 1
    return start, start + length


def _insert(chance: Random, text: str, other: str) -> str:
    start = int(chance.random() * (len(text) + 1))
    return text[:start] + chance.choice(chance.choice((ODD, TOKENS))) + text[start:]


def _replace(chance: Random, text: str, other: str) -> str:
    start, end = _span(chance, text)
    return text[:start] + chance.choice(chance.choice((ODD, TOKENS))) + text[end:]


def _delete(chance: Random, text: str, other: str) -> str:
    start, end = _span(chance, text)
    return text[:start] + text[end:]


def _repeat(chance: Random, text: str, other: str) -> str:
    start, end = _span(chance, text)
    return text[:start] + text[start:end] * (1 << chance.randrange(1, 10)) + text[end:]


def _splice(chance: Random, text: str, other: str) -> str:
    (start, end), (first, last) = _span(chance, text), _span(chance, other)
    return text[:start] + other[first:last] + text[end:]


def _cut(chance: Random, text: str, other: str) -> str:
    return text[: int(chance.random() * len(text))]


def _nest(chance: Random, text: str, other: str) -> str:
    opening, closing = chance.choice(
        (
            ("[", "]"),
            ("{", "}"),
            ('{"a":', "}"),
            ("<a>", "</a>"),
            ("(", ")"),
            ("`", "`"),
            ("- ", ""),
        )
    )
    start, end = _span(chance, text)
    levels = 1 << chance.randrange(12)
    return text[:start] + opening * levels + text[start:end] + closing * levels + text[end:]


def _exchange(chance: Random, text: str, other: str) -> str:
    """Another character in place of one, wherever that stands."""
    return text.replace(chance.choice(text), chance.choice(ODD)) if text else text


def _flip(chance: Random, text: str, other: str) -> str:
    """Another byte in place of one."""
    start = int(chance.random() * (len(text) + 1))
    return text[:start] + chr(chance.randrange(256)) + text[start + 1 :]


MUTATIONS: Sequence[Callable[[Random, str, str], str]] = (
    *(_insert, _insert, _replace, _replace, _delete, _repeat, _splice, _cut, _nest, _exchange, _flip),
)  # fmt: skip


def mutated(chance: Random, text: str, other: str = "") -> str:
    """Returns a text with a few changes at random places.

    Args:
        chance: decides.
        text: an honest one.
        other: another, of which pieces are taken.
    """
    while True:
        text = chance.choice(MUTATIONS)(chance, text, other)[:MAX_LENGTH]
        if chance.random() < 0.4:
            return text


def random_text(chance: Random, name: str, honest: Sequence[str]) -> str:
    """Returns a text for a name of the grammar, or one made of honest ones.

    Args:
        chance: decides.
        name: of the grammar.
        honest: texts of the same kind.
    """
    text = chance.choice(honest) if chance.random() < 0.4 else written(chance, name)
    if chance.random() < 0.6:
        text = mutated(chance, text, chance.choice(honest))
    if text and chance.random() < 1 / HUGE_SHARE:
        start, end = _span(chance, text)
        piece = text[start:end] or text
        text = text[:start] + piece * (chance.randrange(HUGE) // len(piece)) + text[end:]
    return text


def random_value(chance: Random, levels: int = 3) -> Any:
    """Returns a value as JSON has them, mostly an odd one."""
    kind = chance.randrange(9 if levels else 7)
    if kind < 3:
        return written(chance, "any", 8)
    if kind < 7:
        return chance.choice(
            (None, True, 0, -1, 1.5, 10**30, 1e308, float("inf"), float("nan"), "")
        )
    values = [random_value(chance, levels - 1) for _ in range(chance.randrange(4))]
    return values if kind == 7 else {written(chance, "word"): value for value in values}


def other_values(chance: Random, value: Any) -> Any:
    """Returns JSON with one of its values changed, removed or replaced, at any depth."""
    if isinstance(value, dict | list) and value and chance.random() < 0.9:
        key = chance.choice(list(value) if isinstance(value, dict) else range(len(value)))
        changed = value.copy()
        if chance.random() < 0.15:
            del changed[key]
        else:
            changed[key] = other_values(chance, value[key])
        return changed
    if isinstance(value, str) and chance.random() < 0.5:
        return mutated(chance, value)
    return random_value(chance)


@lru_cache(maxsize=1)
def honest_completions() -> list[str]:
    """What the embedded samples hold of completions, right and wrong ones."""
    found = set()
    for file in sorted(SAMPLES.glob("**/*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            found |= {value for value in json.loads(line).values() if isinstance(value, str)}
    return sorted(text for text in found if len(text) < MAX_LENGTH)


def smaller(value: Any) -> Iterator[Any]:
    """Yields what is left of JSON without some part, the largest parts first."""
    if isinstance(value, str | list):
        text: Any = value
        length = len(value)
        while length:
            for start in range(0, len(value), length):
                yield text[:start] + text[start + length :]
            length //= 2
    if isinstance(value, str) and value.strip("a"):
        yield "a" * len(value)
    items: Any = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    for key, part in items:
        for less in smaller(part):
            changed = value.copy()
            changed[key] = less
            yield changed


def minimized(value: Input, fails: Callable[[Input], bool], tries: int = 2_000) -> Input:
    """Returns a smaller input that still fails.

    Args:
        value: one that fails.
        fails: whether another does.
        tries: after so many, the smallest so far will do.

    >>> minimized({"text": "abcdef1ghi", "more": "b"}, lambda value: "1" in value["text"])
    {'text': '1', 'more': ''}
    """
    while True:
        for less in smaller(value):
            tries -= 1
            if tries < 0:
                return value
            if fails(less):
                value = less
                break
        else:
            return value


def read_bytes(text: str) -> bytes:
    """The bytes that a text in Latin-1 stands for; what is none counts as a question mark."""
    return text.encode("latin-1", "replace")


def folder_of_seeds() -> Path:
    """Inputs that once failed, each a file that `--replay` reads."""
    return Path(__file__).parent / "fuzz_seeds"
