"""Writes the numbers of an audit of presets into docs/audit.md and docs/rewards.md, and its plot beside them.

    helm-structext audit metrics --count 30 --mistakes 1 --short --seed 3 -o FOLDER
    python benchmarks/audit_page.py FOLDER

What lies between `<!-- audit -->` and `<!-- end of audit -->` is replaced. Nothing is measured.
"""

import argparse
import csv
import shutil
import textwrap
from pathlib import Path

from helm_structext.audit.run import PAGE, TABLES

ROOT = Path(__file__).parents[1]
PLOT = "images/presets.png"
BEGIN, END = "<!-- audit -->\n", "<!-- end of audit -->\n"
WIDTH = 120
GAIN = 0.001
"""Least one that is told."""


def main() -> int:
    """Writes the documents."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="of `audit metrics`")
    parser.add_argument("--docs", type=Path, default=ROOT / "docs", help="the documents' folder")
    options = parser.parse_args()
    replace_block(options.docs / "audit.md", write_findings(options.folder))
    replace_block(options.docs / "rewards.md", write_summary(options.folder))
    shutil.copyfile(
        options.folder / TABLES / "presets-by-format.png", options.docs / PLOT, follow_symlinks=True
    )
    return 0


def replace_block(document: Path, text: str) -> None:
    """Replaces what a document says of the audit."""
    before, _, rest = document.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    assert end, f"{document} has no {BEGIN.strip()} with its end"
    document.write_text(f"{before}{BEGIN}\n{text}\n\n{END}{after}", encoding="utf-8")


def write_findings(folder: Path) -> str:
    """Returns what the audit measured: its command, the table of presets, the plot, and what follows."""
    page = (folder / PAGE).read_text(encoding="utf-8")
    _, command, *said = page.partition("## What follows")[0].rstrip().split("\n\n")
    follows = page.partition("## What follows\n\n")[2].partition("\n\n")[0]
    table = page.partition("**Presets, all scenes together.**")[2].split("\n\n")[1]
    lines = [fill(line) for line in follows.splitlines()]
    shell = f"<!-- test: parse (takes minutes) -->\n```sh\n{command.strip('`')} -o audit\n```"
    plot = f"![For each format and kind of scenes, dots with intervals of the presets]({PLOT})"
    return "\n\n".join([shell, *map(fill, said), table, plot, "\n".join(lines)])


def write_summary(folder: Path) -> str:
    """Returns the sentence of the chapter on rewards."""
    every = {row["Preset"]: row for row in _rows(folder / TABLES / "presets.csv")}
    chart = [
        row
        for row in _rows(folder / TABLES / "presets-by-format.csv")
        if (row["Of"], row["Preset"]) == ("chart scenes", "chart")
    ]
    own, image = every["own"], every["image"]
    said = (
        "Which preset resists which fraud in which format is measured by [`audit metrics`](audit.md#which-preset): with the "
        f"one that suits the format, half-right stands {_margin(own)} above the highest fraud of a scene on average, with "
        f"`image` {_margin(image)}, and a fraud has more than half-right in {own['fraud above']} and in "
        f"{image['fraud above']} of {own['scenes']} scenes."
    )
    for row in (row for row in chart if float(row["gain"]) >= GAIN):
        said += f' For references that show charts, `PRESETS["chart"]` stands {float(row["gain"]):+.3f} higher than the format\'s own.'
    return fill(said)


def _rows(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as lines:
        return [*csv.DictReader(lines)]


def _margin(row: dict[str, str]) -> str:
    return f"{float(row['half-right above frauds']):+.3f}"


def fill(text: str) -> str:
    """Returns a paragraph or an item of a list in lines."""
    indent = "  " * text.startswith("- ")
    return textwrap.fill(
        text, WIDTH, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False
    )


if __name__ == "__main__":
    raise SystemExit(main())
