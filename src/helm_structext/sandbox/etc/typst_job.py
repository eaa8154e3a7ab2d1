"""Typst code → PNG of its first page."""

import os
import re
from pathlib import Path

import typst
from python_server import Failure

DPI = 300
FONTS = typst.Fonts(include_system_fonts=False, font_paths=[Path("/usr/share/fonts")])


def prepare() -> None:
    """Does nothing: to load it is enough."""


def draw(source: str) -> bytes:
    """Compiles a document; files are found beside it and nowhere else."""
    compiler = typst.Compiler(root=Path.cwd(), font_paths=FONTS, ignore_system_fonts=True)
    try:
        pages = compiler.compile(
            source.encode(), format="png", ppi=DPI, timestamp=int(os.environ["SOURCE_DATE_EPOCH"])
        )
    except typst.TypstError as error:
        print(error.diagnostic)
        raise Failure("syntax", reason(error.message, error.diagnostic, error.hints)) from error
    return pages[0] if isinstance(pages, list) else pages or b""


def reason(message: str, diagnostic: str, hints: list[str]) -> str:
    """What is wrong, where, and what Typst advises."""
    if "failed to download package" in message:
        name = re.search(r"@[\w-]+/[\w.:-]+", diagnostic)
        package = f"the package {name[0]}" if name else "the package"
        message = f"{package} can't be downloaded: there is no network"
    message = message.replace(f"{Path.cwd()}/", "")
    message = re.sub(r" *\(searched at (.*?)\)", r": \1", message)
    place = re.search(r"__typst_py_bytes__\.typ:(\d+):(\d+)", diagnostic)
    where = f"line {place[1]}, column {place[2]}: " if place else ""
    return where + message + "".join(f" ({hint})" for hint in hints)
