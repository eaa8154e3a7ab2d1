"""What is found in answers that others wrote, beside their pictures, for a person to judge.

    python benchmarks/real_answers.py PAIRS [--out SHEETS] [--width 560]

PAIRS is a folder with a folder for each pair, which has the files `format` (the format's name), `answer` and `reference`
(code). Writes a picture for each pair: the reference, the answer, and the answer with what was found. Prints the
sentences as a table with an empty column, in which who looks at the pictures first writes: agrees, in part or wrong.
"""

import argparse
from pathlib import Path

from PIL import Image

from helm_structext.errors import RenderError
from helm_structext.findings import Findings, compare, draw_findings
from helm_structext.renderers import Rendering, render
from helm_structext.results.tabular import markdown

SIDES = ("answer", "reference")


def draw(pair: Path) -> list[Rendering]:
    """Returns the answer and the reference of a pair."""
    format = (pair / "format").read_text().strip()
    return [
        render(format, (pair / side).read_text(errors="replace"), protocol="corrected", layout=True)
        for side in SIDES
    ]


def put_together(
    answer: Image.Image, reference: Image.Image, found: Findings, width: int
) -> Image.Image:
    """Returns the reference, the answer, and the answer with its findings side by side, each of a width."""
    drawn = [reference, answer, draw_findings(answer, found)]
    shown = [one.resize((width, max(1, round(one.height * width / one.width)))) for one in drawn]
    sheet = Image.new("RGB", (len(shown) * (width + 10), max(one.height for one in shown)), "#ddd")
    for number, one in enumerate(shown):
        sheet.paste(one, (number * (width + 10), 0))
    return sheet


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--width", type=int, default=560)
    options = parser.parse_args()
    rows = []
    for pair in sorted(one for one in options.pairs.iterdir() if (one / "format").exists()):
        try:
            answer, reference = draw(pair)
        except RenderError as error:
            rows.append([pair.name, f"no picture: {error}", ""])
            continue
        found = compare((pair / "format").read_text().strip(), answer, reference)
        rows.append([pair.name, found.sentence or found.reason, ""])
        if options.out:
            options.out.mkdir(parents=True, exist_ok=True)
            sheet = put_together(answer.image, reference.image, found, options.width)
            sheet.save(options.out / f"{pair.name}.png")
    print(markdown(("pair", "found", "judged"), rows))


if __name__ == "__main__":
    main()
