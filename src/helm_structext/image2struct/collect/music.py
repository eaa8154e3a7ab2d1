"""Music: files of IMSLP → one page of each → one system, or its first measures.

A file's page is chosen by chance, not among the first two and the last two if there are more; scans
and pages that are not music are refused: what has no staves, and what the classifier says so of, where
one is trained (published rounds asked a classifier alone, and can't do without one); of a system on the page, an excerpt that
begins with its clefs and ends behind a bar line becomes the picture (`systems`). An instance has no
structure and no text: nobody knows the code of a picture that was found. Its length, by which
difficulty is measured, is the number of its black pixels.

The published rounds make an instance of every system of the page, whole, by the published rule; one
excerpt of each file makes a round of as many scores as it has instances.

Source: Image2Struct, Section 2.1.3 and Appendix C, and its published collector.
"""

import io
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from random import Random
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

from helm_structext.image2struct.collect import imslp, pdf
from helm_structext.image2struct.collect.filters import (
    created_after_end,
    created_before_start,
    license_not_admitted,
    white_image_in,
    white_share,
)
from helm_structext.image2struct.collect.records import (
    CandidateRefused,
    Collector,
    Download,
    Draft,
    Listing,
    SourceCandidate,
    Tools,
)
from helm_structext.image2struct.collect.systems import (
    Span,
    excerpt_widths,
    ink_columns,
    published_systems,
    staves,
    systems,
)
from helm_structext.metrics.weights import sheet_classifier_path
from helm_structext.protocols import ProtocolName

if TYPE_CHECKING:
    from helm_structext.image2struct.collect.classifier import SheetClassifier

SUBSET = "music"
PAGE = "page.ppm"
MIN_WHITE = 0.5
"""Share of the values of a page that are 255, in the published rounds."""
MIN_SHEET = 0.5
"""Probability that a page is one of music."""
BLACK = 255 / 4
WHITE = 0xFFFFFF
MOST = 20
"""Systems of a page that the published protocol takes; the corrected one takes one."""


def candidates(tools: Tools) -> Iterator[SourceCandidate]:
    """Yields the files of the window, once it is sure that pages can be judged.

    Raises:
        SetupError: the protocol needs a classifier, and it is not trained or its file is damaged.
    """
    sheet_classifier(tools.settings.protocol)
    yield from imslp.candidates(tools)


@cache
def sheet_classifier(protocol: ProtocolName) -> "SheetClassifier | None":
    """Returns what says how sure it is that a page is one of music; None if staves alone decide.

    Raises:
        SetupError: it is not trained, and the protocol needs it; or its file is damaged.
    """
    if protocol == "corrected" and not sheet_classifier_path().is_file():
        return None
    from helm_structext.image2struct.collect import classifier  # which imports torch

    return classifier.load()


def choose_page(count: int, random: Random) -> int:
    """Returns the page of a score to take: not a title, not a blank one at the end, if that can be.

    Args:
        count: of pages, from 1 on.
        random: chooses among the pages from the third to the last but two, if there are more than 4.

    >>> [choose_page(count, Random(1)) for count in (1, 2, 3, 4, 5)]
    [1, 2, 2, 3, 3]
    """
    return random.randint(3, count - 2) if count > 4 else (1, 2, 2, 3)[count - 1]


def download(candidate: SourceCandidate, tools: Tools) -> Download:
    """Asks for a file, and takes a page out of it.

    Raises:
        CandidateRefused: it can't be had, or is no PDF with a page that can be drawn.
        SetupError: IMSLP or the sandbox refuses everything.
    """
    content = imslp.content(candidate, tools)
    count = pdf.page_count(content)
    page = choose_page(count, tools.random(candidate.name, "page"))
    chosen = replace(candidate, info={**candidate.info, "pages": count, "page": page})
    return Download(chosen, {PAGE: pdf.rasterize_page(content, page)})


def scanned(download: Download, tools: Tools) -> str | None:
    """Returns why a page is a scan, by the color of its paper, or None."""
    page = pdf.picture(download.files[PAGE])
    pixels = np.asarray(page)
    if tools.settings.protocol == "published":
        white = (pixels == 255).mean()
        return f"{white:.1%} of its values are white" if white < MIN_WHITE else None
    if white_share(page) > 0.5:  # Nothing can be more common; to count colors takes longer.
        return None
    red, green, blue = np.moveaxis(pixels.astype(np.uint32), 2, 0)
    colors, counts = np.unique(red << 16 | green << 8 | blue, return_counts=True)
    paper = int(colors[counts.argmax()])
    return f"its paper is #{paper:06x}" if paper != WHITE else None


def not_a_sheet(download: Download, tools: Tools) -> str | None:
    """Returns why a page is not one of music, or None."""
    page = pdf.picture(download.files[PAGE])
    if tools.settings.protocol == "corrected" and not staves(np.asarray(page.convert("L"))):
        return "no staves of five lines"
    classifier = sheet_classifier(tools.settings.protocol)
    probability = classifier.is_sheet(page) if classifier else 1.0
    return f"music by {probability:.1%}" if probability < MIN_SHEET else None


def drafts(download: Download, tools: Tools) -> Iterator[Draft]:
    """Yields an excerpt of a system of the page, by chance; published, all systems, whole.

    Raises:
        CandidateRefused: ``no_system``: there is none that can be taken out whole.
    """
    page = pdf.picture(download.files[PAGE])
    first_page = download.candidate.info["page"] == 1
    random = tools.random(download.candidate.name, "excerpt")
    boxes = BOXES[tools.settings.protocol](page, first_page, random)
    if not boxes:
        raise CandidateRefused("no_system", "no system stands clear of what is above and below it")
    for rows, columns in boxes:
        box = (columns[0], rows[0], columns[1], rows[1])
        excerpt = page.crop(box)
        file = io.BytesIO()
        excerpt.save(file, "PNG")
        length = int((np.asarray(excerpt.convert("L")) < BLACK).sum())
        info = {"page": download.candidate.info["page"], "box": box, "systems": len(boxes)}
        yield Draft(download.candidate, SUBSET, None, None, file.getvalue(), length, info=info)


def _cut_published(page: Image.Image, first_page: bool, random: Random) -> list[tuple[Span, Span]]:
    """All systems of a page by the published rule."""
    pixels = np.asarray(page)
    darkest = pixels.min(axis=2)
    found = published_systems(pixels.mean(axis=2), first_page)
    return [(rows, ink_columns(darkest, rows)) for rows in found]


def _cut_corrected(page: Image.Image, first_page: bool, random: Random) -> list[tuple[Span, Span]]:
    """One excerpt of one of the systems of a page."""
    gray = np.asarray(page.convert("L"))
    found = systems(gray, first_page)
    if not found:
        return []
    system = random.choice(found)
    columns = ink_columns(gray, system.rows)
    columns = (columns[0], random.choice(excerpt_widths(gray, system, columns)))
    # What made the system higher may lie behind the cut.
    top, bottom = ink_columns(gray[slice(*system.rows)].T, columns)
    return [((system.rows[0] + top, system.rows[0] + bottom), columns)]


BOXES = {"published": _cut_published, "corrected": _cut_corrected}
"""Protocol to what makes excerpts: a page, whether it is the first one, and chance → rows, columns."""


def as_cut(draft: Draft, tools: Tools) -> Draft:
    """Returns a draft as it is: its picture was cut out of a page."""
    return draft


COLLECTOR = Collector(
    domain="music",
    subsets=(SUBSET,),
    addresses=imslp.ADDRESSES,
    credentials=(),
    listings=(Listing("uploads", candidates),),
    fetch_filters=(
        imslp.incomplete,
        created_before_start,
        created_after_end,
        imslp.not_a_pdf,
        imslp.too_large,
        imslp.no_work_page,
        license_not_admitted,
        imslp.tagged_as_scan,
    ),
    download=download,
    file_filters=(scanned, not_a_sheet),
    drafts=drafts,
    most=MOST,
    render=as_cut,
    rendering_filters=(white_image_in("music"),),
)
