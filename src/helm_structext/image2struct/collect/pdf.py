"""Pages of a stranger's PDF: how many there are, and what one of them looks like.

Poppler's `pdfinfo` and `pdftoppm` read the file inside of the sandbox. The published collector asks
them by pdf2image, which starts them itself, outside of any sandbox, and opens what they make by
Pillow. Its `poppler_path` could lead to a program that enters the sandbox: but then three processes
would start for a page, each of them a whole Python, and a limit that a file exceeds would come back as
a text on standard error. What remains of pdf2image is one line of arguments, so it is not used.
"""

from collections.abc import Sequence

from PIL import Image

from helm_structext.errors import RenderError
from helm_structext.image2struct.collect.records import CandidateRefused
from helm_structext.machine.fonts import FAMILIES
from helm_structext.patterns import Pattern
from helm_structext.pictures import MADE, PictureError, decode
from helm_structext.sandbox import Finished, Limits, SandboxProfile, limits_for, run, run_job
from helm_structext.texts import one_line

DPI = 200
"""What pdf2image takes where nothing else is said, as in the published rounds."""
MAX_PAGES = 2000
"""Of a score: operas have up to a thousand."""
MAX_BYTES = 64 * 2**20
"""Of a file."""
HEAD = 1024
"""Bytes among which a file must say that it is PDF (PDF 1.7, implementation note 13)."""

LIMITS = Limits(seconds=60, memory=1024, processes=8, scratch=256, output=64)
"""For each of the two programs; the environment may say otherwise (`HELM_STRUCTEXT_PDF_SECONDS`)."""
PROFILE = SandboxProfile(
    programs=("pdfinfo", "pdftoppm"),
    paths=("/usr/share/poppler",),
    fonts=tuple(FAMILIES),
)
PAGES = Pattern(r"(?m)^Pages: +(\d{1,9})$")
PASSWORD = "Incorrect password"
NO_PAGE = "Invalid page count 0"
TOO_LARGE = "Bogus memory allocation"


def page_count(pdf: bytes) -> int:
    """Returns how many pages a PDF has.

    Args:
        pdf: the file, of at most `MAX_BYTES`.

    Raises:
        CandidateRefused: ``not_a_pdf``, ``encrypted``, ``broken_pdf``, ``no_pages``, ``too_many_pages``,
            ``pdf_too_slow`` or ``pdf_too_large``.
        SetupError: the sandbox can't be built, or Poppler is missing.

    >>> page_count(b"<!DOCTYPE html><title>Not found</title>")
    Traceback (most recent call last):
    helm_structext.image2struct.collect.refusals.CandidateRefused: not a PDF file: b'<!DOCTYPE html><title>No'
    """
    if b"%PDF-" not in pdf[:HEAD]:
        raise CandidateRefused("not_a_pdf", f"not a PDF file: {pdf[:24]!r}")
    finished = _poppler(["pdfinfo", "score.pdf"], pdf)
    # Titles, which come first, may say anything, over several lines.
    counts = [int(found[1]) for found in PAGES.finditer(finished.output)]
    if NO_PAGE in finished.output or counts[-1:] == [0]:
        raise CandidateRefused("no_pages", "the PDF has no pages")
    if finished.status or not counts:
        raise _unreadable(finished)
    if counts[-1] > MAX_PAGES:
        raise CandidateRefused(
            "too_many_pages", f"{counts[-1]:,} pages; at most {MAX_PAGES:,} are read"
        )
    return counts[-1]


def rasterize_page(pdf: bytes, page: int) -> bytes:
    """Returns a page as PPM file of 200 DPI, in RGB.

    Args:
        pdf: the file.
        page: its number, from 1 to `page_count`.

    Raises:
        CandidateRefused: ``encrypted``, ``broken_pdf``, ``pdf_too_slow`` or ``pdf_too_large``.
        SetupError: as `page_count`.
    """
    arguments = ["-r", str(DPI), "-f", str(page), "-l", str(page), "-singlefile"]
    finished = _poppler(["pdftoppm", *arguments, "score.pdf", "page"], pdf)
    if TOO_LARGE in finished.output:
        raise CandidateRefused("pdf_too_large", f"page {page} is too large to be rasterized")
    if finished.status or "page.ppm" not in finished.files:
        raise _unreadable(finished)
    return finished.files["page.ppm"]


def picture(ppm: bytes) -> Image.Image:
    """Returns a page that `rasterize_page` made, as RGB.

    Raises:
        CandidateRefused: ``pdf_too_large`` or ``broken_pdf``: the program left something else there.

    >>> picture(b"P6\\n2 1\\n255\\n\\0\\0\\0\\xff\\xff\\xff").size
    (2, 1)
    """
    try:
        return decode(ppm, MADE)
    except PictureError as error:
        raise CandidateRefused(
            "broken_pdf", f"what was rasterized is not a picture: {error}"
        ) from error


def _poppler(command: Sequence[str], pdf: bytes) -> Finished:
    """Runs one of Poppler's programs on a file, in the sandbox."""
    limits = limits_for("PDF", LIMITS)
    try:
        return run_job(
            lambda: run(command, PROFILE, limits, files={"score.pdf": pdf}, outputs=("page.ppm",)),
            limits.seconds,
        )
    except RenderError as error:
        name = "pdf_too_slow" if error.kind == "timeout" else "pdf_too_large"
        raise CandidateRefused(name, f"{command[0]}: {error.message}") from error


def _unreadable(finished: Finished) -> CandidateRefused:
    if PASSWORD in finished.output:
        return CandidateRefused("encrypted", "the PDF asks for a password")
    said = one_line(finished.output, 200) or "nothing was said"
    return CandidateRefused("broken_pdf", f"Poppler can't read the PDF: {said}")
