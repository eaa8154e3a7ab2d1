"""Writes the tables of differences to the papers and the published code into the documents.

    python scripts/write_differences.py

Each benchmark has a list, `src/helm_structext/BENCHMARK/differences.yaml`: a topic, which is a table, to its
entries. A table stands in a document between `<!-- differences: BENCHMARK TOPIC -->` and
`<!-- end of differences -->`. An entry has these keys:

- ``key``: its name in the whole list.
- ``what``: what differs.
- ``section`` and ``paper``: where the paper says something of it, and what. Both may be missing.
- ``published_code``: what the published code does. It may be missing.
- ``here``: what all protocols do here; or ``published`` and ``corrected``: what these protocols do.
- ``why``: a sentence without its full stop; it may be missing where the cells say it.
- ``where``: places in the code, each a module of the package (``renderers.latex``), a name in one
  (``renderers.latex.Steps.tries``) or another file (``sandbox/etc/lilypond_server.scm``).
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "helm_structext"
DOCUMENTS = tuple(sorted((ROOT / "docs").glob("**/*.md")))
BEGIN, END = "<!-- differences: {} {} -->\n\n", "\n<!-- end of differences -->"
COLUMNS = {
    "what": "what",
    "paper": "paper",
    "published_code": "published code",
    "here": "here",
    "published": "`protocol=published`",
    "corrected": "`protocol=corrected`",
}
NOTHING = "–"

Entry = Mapping[str, Any]
Topics = Mapping[str, Sequence[Entry]]


def read_lists() -> dict[str, Topics]:
    """Returns the lists: benchmark to topics."""
    return {
        path.parent.name: yaml.safe_load(path.read_text("utf-8"))
        for path in sorted(PACKAGE.glob("*/differences.yaml"))
    }


def write_table(entries: Sequence[Entry]) -> str:
    """Returns the Markdown table of a topic, without columns in which nothing stands.

    >>> print(write_table([{"what": "fences", "published": "stay", "corrected": "go", "why": "Ours"}]))
    | what | `protocol=published` | `protocol=corrected` |
    |---|---|---|
    | fences | stay | go. Ours |
    """
    columns = [name for name in COLUMNS if any(name in entry for entry in entries)]
    lines = [[COLUMNS[name] for name in columns], ["---"] * len(columns)]
    lines += [[_cell(entry, name) for name in columns] for entry in entries]
    table = [f"| {' | '.join(cells)} |" for cells in lines]
    return "\n".join([table[0], table[1].replace(" ", ""), *table[2:]])


def _cell(entry: Entry, name: str) -> str:
    text = entry.get(name, NOTHING)
    if name == "paper" and "section" in entry:
        section = entry["section"]  # or "Table 6"
        text = f"{text} ({section if ' ' in section else f'section {section}'})"
    last = "here" if "here" in entry else "corrected"
    if name == last and "why" in entry:
        text = f"{text}. {entry['why']}"
    return " ".join(text.split()).replace("|", "\\|")


def update_text(text: str, lists: Mapping[str, Topics]) -> str:
    """Returns a document with its tables as the lists say."""
    for benchmark, topics in lists.items():
        for topic, entries in topics.items():
            before, begin, rest = text.partition(BEGIN.format(benchmark, topic))
            if begin:
                _, end, after = rest.partition(END)
                text = f"{before}{begin}{write_table(entries)}\n{end}{after}"
    return text


def main() -> None:
    """Writes the tables, and names the documents that change."""
    lists = read_lists()
    for path in DOCUMENTS:
        text = path.read_text("utf-8")
        if (updated := update_text(text, lists)) != text:
            path.write_text(updated, "utf-8")
            print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
