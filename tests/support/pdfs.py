"""PDF files written by hand: such as no program should trust."""

from collections.abc import Sequence

CATALOG = b"<</Type/Catalog/Pages 2 0 R>>"
HTML = b"<!DOCTYPE html><html><head><title>Not found</title></head></html>"


def pdf(objects: Sequence[bytes], trailer: str = "") -> bytes:
    """A file of objects, which are numbered from 1 on."""
    out, offsets = bytearray(b"%PDF-1.4\n"), []
    for number, content in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = f"<</Size {len(objects) + 1}/Root 1 0 R{trailer}>>".encode()
    return bytes(out) + b"trailer\n%s\nstartxref\n%d\n%%%%EOF\n" % (size, start)


def tree(count: int) -> bytes:
    """The pages, which are the objects from the third on."""
    kids = b" ".join(b"%d 0 R" % number for number in range(3, count + 3))
    return b"<</Type/Pages/Count %d/Kids[%s]>>" % (count, kids)


def page(width: int = 300, height: int = 400, more: bytes = b"") -> bytes:
    """A page in points."""
    return b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 %d %d]%s>>" % (width, height, more)


def stream(content: bytes, more: bytes = b"") -> bytes:
    return b"<<%s/Length %d>>stream\n%s\nendstream" % (more, len(content), content)


def drawn(content: bytes, width: int = 595, height: int = 842) -> bytes:
    """A file of one page, on which something is drawn."""
    return pdf([CATALOG, tree(1), page(width, height, b"/Contents 4 0 R"), stream(content)])


def with_pages(count: int) -> bytes:
    """A file of empty pages."""
    return pdf([CATALOG, tree(count), *[page()] * count])


def huge() -> bytes:
    """A page of 70 meters."""
    return pdf([CATALOG, tree(1), page(200_000, 200_000)])


def encrypted() -> bytes:
    """A page behind a password that nobody knows."""
    handler = b"<</Filter/Standard/V 1/R 2/O<%s>/U<%s>/P -4>>" % (b"ab" * 32, b"cd" * 32)
    return pdf([CATALOG, tree(1), page(), handler], "/Encrypt 4 0 R/ID[<00><00>]")


def lying() -> bytes:
    """A page of a file whose title has lines that look like what `pdfinfo` says."""
    info = b"<</Title(x\nPages:          7\nPages: 0)>>"
    return pdf([CATALOG, tree(1), page(), info], "/Info 4 0 R")


def endless() -> bytes:
    """A page that draws a form ten times, which draws another one ten times, and so on."""
    resources = b"/Contents 4 0 R/Resources<</XObject<</F 5 0 R>>>>"
    form = b"/Type/XObject/Subtype/Form/BBox[0 0 300 400]"
    nested = [
        stream(b"/F Do " * 10, form + b"/Resources<</XObject<</F %d 0 R>>>>" % number)
        for number in range(6, 18)
    ]
    last = stream(b"0 0 9 9 re f", form)
    return pdf([CATALOG, tree(1), page(more=resources), stream(b"/F Do"), *nested, last])


def frame() -> bytes:
    """Two pages with a thin frame, and in its middle a small staff without notes."""
    lines = b" ".join(b"220 %d 140 0.2 re f" % (400 + 4 * line) for line in range(5))
    framed = page(595, 842, b"/Contents 5 0 R")
    content = stream(b"0.5 w 60 60 475 722 re S " + lines)
    return pdf([CATALOG, tree(2), framed, framed, content])
