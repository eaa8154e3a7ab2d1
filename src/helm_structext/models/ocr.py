"""Pictures read by Tesseract, in the sandbox; each benchmark's `ocr` makes answers of that."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from helm_structext.errors import RenderError, SetupError
from helm_structext.sandbox import Limits, SandboxProfile, run, run_job

VERSION = "1"
"""Part of the cache keys; to be changed when the same picture would give another text."""

LIMITS = Limits(seconds=60, memory=2048)
LANGUAGES = ("eng", "rus", "ell", "chi_sim")
"""Read all at once, as far as they are installed: pictures do not say their language."""


@dataclass(frozen=True)
class Reader:
    """How the OCR model answers in a format.

    Args:
        read: reads the bytes of a PNG file; what it returns is kept in HELM's cache, as JSON.
        write: makes an answer of that, and of the request's text.
    """

    read: Callable[[bytes], Any]
    write: Callable[[Any, str], str]


class UnreadablePicture(SetupError):
    """Tesseract is here, and gave up over a picture."""


def read_text(png: bytes) -> str:
    """Returns the text of a picture as Tesseract reads it, line by line.

    Args:
        png: the bytes of a PNG file.

    Raises:
        SetupError: Tesseract is not installed, or could not read this picture.
    """
    return tesseract(png, ["--psm", "6"], "txt").strip("\f\n")


def tesseract(png: bytes, options: list[str], output: str) -> str:
    """Returns what Tesseract writes about a picture, in the sandbox.

    Args:
        png: the bytes of a PNG file.
        options: of its command line.
        output: ``txt`` or ``tsv``.

    Raises:
        UnreadablePicture: it took too long over this picture, or took too much, or refused it.
        SetupError: Tesseract is not installed.
    """
    profile = SandboxProfile(
        programs=("tesseract",),
        paths=tuple(map(str, _data_folders())),
        # More threads than pictures only wait for each other.
        environment={"OMP_THREAD_LIMIT": "1"},
    )
    command = ["tesseract", "in.png", "out", "--dpi", "200", *options, output]
    try:
        finished = run_job(
            lambda: run(command, profile, LIMITS, files={"in.png": png}, outputs=[f"out.{output}"]),
            LIMITS.seconds,
        )
    except RenderError as error:
        raise UnreadablePicture(f"Tesseract failed: {error}") from error
    if finished.status:
        raise UnreadablePicture(f"Tesseract failed: {finished.output.strip()}")
    return finished.files[f"out.{output}"].decode("utf-8", "replace")


def installed_languages() -> set[str]:
    """Returns the languages that Tesseract has data of, by its names for them."""
    return {path.stem for folder in _data_folders() for path in folder.glob("*.traineddata")}


def usable_languages() -> str:
    """Returns those of `LANGUAGES` that are installed, as Tesseract takes them; English where none is."""
    return "+".join(name for name in LANGUAGES if name in installed_languages()) or "eng"


def _data_folders() -> list[Path]:
    return sorted(Path("/usr/share/tesseract-ocr").glob("*/tessdata"))
