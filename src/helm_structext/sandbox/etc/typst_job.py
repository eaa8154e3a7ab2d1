"""Typst code → PNG of its first page."""

import contextlib
import os
import re
from pathlib import Path

import typst
from python_server import Failure, lack

DPI = 300
HOST = "packages.typst.org"
DOWNLOAD = re.compile(rf"{HOST}/preview/([\w-]+)-([\d.]+)\.tar\.gz")
LOCAL = re.compile(r"package not found \(searched for (@[\w/.:-]+)\)")
OUTSIDE = re.compile(r'path `"(.*?)"` would escape the project root')
PACKAGES = Path(os.environ.get("TYPST_PACKAGES", "/nowhere"))
FONTS = typst.Fonts(include_system_fonts=False, font_paths=[Path("/usr/share/fonts")])


def prepare() -> None:
    """Does nothing: to load it is enough."""


def draw(source: str) -> bytes:
    """Compiles a document."""
    return compile_page(source)[0]


def compile_page(source: str, *, with_pdf: bool = False) -> tuple[bytes, bytes]:
    """The first page of a document as PNG, and all of it as PDF, or nothing; files are found beside it and nowhere else."""
    compiler = typst.Compiler(
        root=Path.cwd(),
        font_paths=FONTS,
        ignore_system_fonts=True,
        package_path=PACKAGES,
        package_cache_path=PACKAGES,
    )
    now = int(os.environ["SOURCE_DATE_EPOCH"])
    try:
        pages, warnings = compiler.compile_with_warnings(
            source.encode(), format="png", ppi=DPI, timestamp=now
        )
    except typst.TypstError as error:
        print(error.diagnostic)
        said = reason(error.message, error.diagnostic, error.hints)
        raise Failure("syntax", said, *place(error.diagnostic)) from error
    for warning in warnings:
        print(warning.diagnostic)
    pdf = None
    if with_pdf:
        with contextlib.suppress(typst.TypstError):
            pdf = compiler.compile(source.encode(), format="pdf", timestamp=now, pdf_tags=False)
    page = pages[0] if isinstance(pages, list) else pages or b""
    return page, pdf if isinstance(pdf, bytes) else b""


def reason(message: str, diagnostic: str, hints: list[str]) -> str:
    """What is wrong, and what Typst advises."""
    if asked := DOWNLOAD.search(message):
        name, version = asked.groups()
        message = f"the package @preview/{name}:{version} is not installed"
        lack("package", HOST, f"@preview/{name}:{version}")
    elif local := LOCAL.search(message):
        lack("package", "", local[1])
    elif outside := OUTSIDE.search(message):
        # Typst advises an option of its command, which nobody here can give.
        message, hints = f"there is no such file in the answer: {outside[1]}", []
    elif inside := re.search(r"┌─ (@[\w/-]+:[\d.]+)", diagnostic.partition("\n")[2][:1000]):
        hints = [*hints, f"in {inside[1]}, which may need another release of Typst"]
    message = message.replace(f"{Path.cwd()}/", "")
    message = re.sub(r" *\(searched at (.*?)\)", r": \1", message)
    return message + "".join(f" ({hint})" for hint in hints)


def place(diagnostic: str) -> tuple[int, int]:
    """Line and column, or zeros."""
    found = re.search(r"__typst_py_bytes__\.typ:(\d+):(\d+)", diagnostic)
    return (int(found[1]), int(found[2])) if found else (0, 0)
