"""The documents, and the blocks of code in them.

A block is run unless a comment before it says why not:

    <!-- test: parse (needs a key) -->

Then the arguments of its commands are checked. Only the reasons of `REASONS` count.
"""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCUMENTS = (
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
)
LANGUAGES = {"sh", "python", "yaml", "text"}
REASONS = {
    "does not end",
    "needs a cluster",
    "needs a key",
    "needs a network",
    "needs another harness",
    "needs your own files",
    "takes minutes",
}

BLOCK = re.compile(
    r"(?:^<!--(?P<comment>[^\n]*)-->\n)?^```(?P<language>[^\n]*)\n(?P<code>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
MARK = re.compile(r" test: parse \((.*)\) ")


@dataclass(frozen=True)
class Block:
    """A fenced block.

    Attributes:
        document: its path from the root.
        line: the number of its first line of code.
        language: of the fence.
        code: what stands in the fence.
        comment: the comment before the fence, or "".
    """

    document: str
    line: int
    language: str
    code: str
    comment: str

    @property
    def place(self) -> str:
        return f"{self.document}:{self.line}"

    @property
    def reason(self) -> str:
        """Why it is not run, or ""."""
        mark = MARK.fullmatch(self.comment)
        return mark[1] if mark else ""

    @property
    def commands(self) -> list[list[str]]:
        """The words of each line, without comments."""
        lines = self.code.replace("\\\n", " ").splitlines()
        return [words for line in lines if (words := shlex.split(line, comments=True))]


def blocks_of(text: str, document: str) -> Iterator[Block]:
    """Yields the fenced blocks of a document."""
    for match in BLOCK.finditer(text):
        line = text.count("\n", 0, match.start("code")) + 1
        yield Block(document, line, match["language"], match["code"], match["comment"] or "")


def blocks(*languages: str) -> list[Block]:
    """Returns the blocks of all documents that are in one of the languages."""
    return [
        block
        for path in DOCUMENTS
        for block in blocks_of(path.read_text(encoding="utf-8"), str(path.relative_to(ROOT)))
        if block.language in languages
    ]


def options_of(program: str) -> list[tuple[str, set[str]]]:
    """Returns the subcommands of a program that the documents call, each with its options."""
    called = [words for block in blocks("sh") for words in block.commands if words[0] == program]
    return [(words[1], {word for word in words if word.startswith("-")}) for words in called]


def faults(text: str, document: str) -> Iterator[str]:
    """Yields what is wrong with a document's blocks: no known kind, so that no test looks at it."""
    found = list(blocks_of(text, document))
    for block in found:
        if block.language not in LANGUAGES:
            yield f"{block.place}: the language {block.language!r} is not one of {LANGUAGES}"
        if block.comment and (block.language != "sh" or block.reason not in REASONS):
            yield f"{block.place}: {block.comment!r} is not a mark that tests know"
    fences = len(re.findall(r"^\s*```", text, re.MULTILINE))
    if fences != 2 * len(found):
        yield f"{document}: {fences} lines open or close a fence, of {len(found)} blocks"
    outside = BLOCK.sub("", text)
    for indented in re.findall(r"(?:^|\n)\n( {4}\S.*)", outside):
        # What `:::` sets is indented, too, but follows its line.
        yield f"{document}: {indented.strip()!r} is a block without a fence"
