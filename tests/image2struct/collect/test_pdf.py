"""PDF files of strangers: each is read in the sandbox, or refused for its reason."""

import subprocess
from pathlib import Path

import pytest

from helm_structext.image2struct.collect.pdf import MAX_PAGES, page_count, picture, rasterize_page
from helm_structext.image2struct.collect.refusals import CandidateRefused
from support import pdfs


def refused(function, *arguments) -> str:
    with pytest.raises(CandidateRefused) as raised:
        function(*arguments)
    assert raised.value.reason
    return raised.value.filter


@pytest.mark.parametrize("count", [1, 2, 7, MAX_PAGES])
def test_pages_are_counted(count):
    assert page_count(pdfs.with_pages(count)) == count


def test_a_title_that_looks_like_what_pdfinfo_says_counts_for_nothing():
    assert page_count(pdfs.lying()) == 1


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("not_a_pdf", b""),
        ("not_a_pdf", pdfs.HTML),
        ("not_a_pdf", b"\x89PNG\r\n\x1a\n" + b"\0" * 2000 + b"%PDF-1.4"),
        ("broken_pdf", b"%PDF-1.4\n"),
        ("broken_pdf", pdfs.with_pages(30)[:1000]),
        ("no_pages", pdfs.with_pages(0)),
        ("too_many_pages", pdfs.with_pages(10_000)),
        ("encrypted", pdfs.encrypted()),
    ],
)
def test_what_has_no_usable_number_of_pages_is_refused_for_its_reason(name, content):
    assert refused(page_count, content) == name


def test_a_page_is_drawn_in_200_dpi():
    squares = pdfs.drawn(b"0 842 72 -72 re f 1 0 0 rg 297 0 298 72 re f")
    image = picture(rasterize_page(squares, 1))
    assert image.size == (1653, 2339)
    assert image.getpixel((100, 100)) == (0, 0, 0)
    assert image.getpixel((300, 100)) == (255, 255, 255)
    assert image.getpixel((1200, 2300)) == (255, 0, 0)


def test_the_page_that_was_asked_for_is_drawn():
    objects = [pdfs.CATALOG, pdfs.tree(2), pdfs.page(100, 100), pdfs.page(200, 100)]
    assert picture(rasterize_page(pdfs.pdf(objects), 2)).size == (556, 278)


def test_a_page_of_70_meters_is_refused():
    assert page_count(pdfs.huge()) == 1
    assert refused(rasterize_page, pdfs.huge(), 1) == "pdf_too_large"


def test_a_page_whose_picture_is_larger_than_its_bound_is_refused():
    # 400 megabytes, which Poppler would make.
    assert refused(rasterize_page, pdfs.drawn(b"", 4200, 4200), 1) == "pdf_too_large"


def test_a_page_that_is_never_done_is_refused(monkeypatch):
    monkeypatch.setenv("HELM_STRUCTEXT_PDF_SECONDS", "1")
    assert page_count(pdfs.endless()) == 1
    assert refused(rasterize_page, pdfs.endless(), 1) == "pdf_too_slow"


def test_a_broken_page_beside_a_good_one_is_refused():
    objects = [pdfs.CATALOG, pdfs.tree(2), pdfs.page(), b"<</Type/Font>>"]
    assert refused(rasterize_page, pdfs.pdf(objects), 3) == "broken_pdf"


def test_what_is_left_in_place_of_a_picture_is_refused():
    assert refused(picture, b"GIF89a") == "broken_pdf"
    assert refused(picture, b"P6\n9 9\n255\n\0") == "broken_pdf"


def test_no_program_reads_a_file_outside_of_the_sandbox(monkeypatch):
    started = []

    class Popen(subprocess.Popen):
        def __init__(self, command, **options):
            started.append(Path(command[0]).name)
            super().__init__(command, **options)

    monkeypatch.setattr(subprocess, "Popen", Popen)
    rasterize_page(pdfs.with_pages(1), page_count(pdfs.with_pages(1)))
    assert len(started) == 2
    assert not {"pdfinfo", "pdftoppm", "sh"} & set(started)
