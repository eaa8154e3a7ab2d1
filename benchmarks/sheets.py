"""What pages in PDF files are taken for music by their staves, or by a trained classifier.

    .venv/bin/python benchmarks/sheets.py [--weights FILE] [--scores 60]

The pages are typeset by LilyPond from the tests' scores, prefaces and tables, and scanned by a program.
Prints, kind by kind, how many pages are taken for music, and each that is taken wrongly. Then it collects
a round from the tests' files, each of which a filter should let in or refuse, and prints what came of
each.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from PIL import Image

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "src")]

from helm_structext.image2struct.collect import music  # noqa: E402
from helm_structext.image2struct.collect.classifier import SheetClassifier, load  # noqa: E402
from helm_structext.image2struct.collect.database import Database  # noqa: E402
from helm_structext.image2struct.collect.journal import JOURNAL  # noqa: E402
from helm_structext.image2struct.collect.pdf import page_count, picture, rasterize_page  # noqa: E402
from helm_structext.image2struct.collect.systems import staves  # noqa: E402
from helm_structext.results.tabular import Cell, markdown  # noqa: E402
from helm_structext.texts import one_line  # noqa: E402
from support.collecting_music import collect, corpus_uploads  # noqa: E402
from support.imslp_server import Imslp  # noqa: E402
from support.scores import corpus, scan, scores  # noqa: E402

PREFACE = {"quartet-6": 2, "text-3": 3, "table-1": 1}
"""File of the corpus to the number of its first pages that have no music."""
SECONDS = "20"
"""For Poppler and a page; one of the files takes any time that it gets."""
COUNT = 100
"""Instances that the round asks for: more than there are."""

Page = tuple[str, str, bytes]
"""Kind and name of a page, and what it looks like, as a PPM file."""


def pages(count: int) -> Iterator[Page]:
    """Yields pages of music, and of other things."""
    for number, score in enumerate(scores(count, 2)):
        yield "music: scores of one page", f"score {number}", rasterize_page(score, 1)
    for name, pdf in corpus().items():
        for number in range(1, page_count(pdf) + 1):
            what = (
                "other: prefaces and tables"
                if number <= PREFACE.get(name, 0)
                else "music: of several"
            )
            place = f"{name}, page {number}"
            gray = scan(pdf, number)
            black_and_white = scan(pdf, number, black_and_white=True)
            yield what, place, rasterize_page(pdf, number)
            yield f"{what}, scanned", place, rasterize_page(gray, 1)
            yield f"{what}, scanned in black and white", place, rasterize_page(black_and_white, 1)


def probability(classifier: SheetClassifier | None, page: Image.Image) -> float:
    """How sure the classifier is that a page is music, or whether it has staves."""
    if classifier:
        return classifier.is_sheet(page)
    return float(bool(staves(np.asarray(page.convert("L")))))


def judge(classifier: SheetClassifier | None, count: int) -> None:
    """Prints what pages are taken for."""
    found: dict[str, list[float]] = {}
    wrong = []
    for kind, name, page in pages(count):
        sure = probability(classifier, picture(page))
        found.setdefault(kind, []).append(sure)
        if (sure >= music.MIN_SHEET) != kind.startswith("music"):
            wrong.append(f"{kind}: {name}: music by {sure:.1%}")
    rows: list[list[Cell]] = []
    for kind, sure_of in found.items():
        taken = sum(sure >= music.MIN_SHEET for sure in sure_of)
        rows.append([kind, len(sure_of), taken, f"{min(sure_of):.3f}", f"{max(sure_of):.3f}"])
    print(markdown(["pages", "number", "taken for music", "least", "most"], rows))
    print(f"{len(wrong)} wrong", *wrong, "", sep="\n")


def collected(classifier: SheetClassifier | None) -> None:
    """Prints what came of each file of the tests' wiki."""
    music.sheet_classifier = lambda protocol: classifier  # type: ignore[assignment]
    with tempfile.TemporaryDirectory() as name, Imslp(uploads=corpus_uploads()) as wiki:
        collect(wiki.url, Path(name), COUNT)
        with Database(Path(name) / JOURNAL) as database:
            rows = database.rows(
                "SELECT name, stage, filter, reason FROM candidates ORDER BY place"
            )
    cells: list[list[Cell]] = [[*row[:-1], one_line(row[-1], 60)] for row in rows]
    print(markdown(["file", "came to", "refused as", "because"], cells))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--weights", type=Path, metavar="FILE", help="of a classifier; else staves decide"
    )
    parser.add_argument("--scores", type=int, default=60, help="of one page")
    options = parser.parse_args()
    os.environ.setdefault("HELM_STRUCTEXT_PDF_SECONDS", SECONDS)
    classifier = load(options.weights) if options.weights else None
    judge(classifier, options.scores)
    collected(classifier)


if __name__ == "__main__":
    main()
