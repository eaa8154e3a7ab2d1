"""Typst code → PNG of its first page, and what is on it.

It is read here from a PDF of the same document: to hand that to another process takes longer than to read it.
"""

import contextlib
import struct

import pdf_job
import typst_job
from python_server import Failure, tell_layout

PNG_SIZE = slice(16, 24)
"""Where a PNG file has its width and height."""

prepare = pdf_job.prepare


def draw(source: str) -> bytes:
    """Compiles a document, and tells what is on its first page."""
    page, pdf = typst_job.compile_page(source, with_pdf=True)
    if page and pdf:
        size = struct.unpack(">II", page[PNG_SIZE])
        asked = {"dpi": typst_job.DPI, "page": size, "box": (0, 0, *size)}
        with contextlib.suppress(Failure):
            tell_layout(pdf_job.read_page(pdf, asked))
    return page
