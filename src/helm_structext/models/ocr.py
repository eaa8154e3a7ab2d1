"""Text read from a picture by Tesseract, and written down as code."""

import html
import json
import unicodedata
from pathlib import Path

from helm_structext.errors import RenderError, SetupError
from helm_structext.sandbox import Limits, SandboxProfile, run, run_job

VERSION = "1"
"""Part of the cache keys; to be changed when the same picture would give another text."""

LIMITS = Limits(seconds=60, memory=2048)

LATEX_ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        **{character: f"\\{character}" for character in "{}$&#%_"},
        **dict(zip("‘’“”—–", ["`", "'", "``", "''", "---", "--"], strict=True)),
    }
)


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
            lambda: run(command, profile, LIMITS, files={"in.png": png}, outputs=[f"out.{output}"])
        )
    except RenderError as error:
        raise UnreadablePicture(f"Tesseract failed: {error}") from error
    if finished.status:
        raise UnreadablePicture(f"Tesseract failed: {finished.output.strip()}")
    return finished.files[f"out.{output}"].decode("utf-8", "replace")


def installed_languages() -> set[str]:
    """Returns the languages that Tesseract has data of, by its names for them."""
    return {path.stem for folder in _data_folders() for path in folder.glob("*.traineddata")}


def _data_folders() -> list[Path]:
    return sorted(Path("/usr/share/tesseract-ocr").glob("*/tessdata"))


def latex(text: str) -> str:
    r"""Returns LaTeX that prints lines of text.

    >>> print(latex("50% of x_1\n\nnext — line"))
    \noindent 50\% of x\_1 \\
    \noindent next --- line
    """
    lines = [_ascii(line.translate(LATEX_ESCAPES)) for line in text.splitlines() if line.strip()]
    return " \\\\\n".join(f"\\noindent {line}" for line in lines)


def webpage(text: str) -> str:
    """Returns the files of a webpage that shows lines of text, as JSON.

    >>> print(webpage("a < b"))
    [{"filename": "index.html", "content": "<!DOCTYPE html><pre>a &lt; b</pre>"}]
    """
    page = f"<!DOCTYPE html><pre>{html.escape(text, quote=False)}</pre>"
    return json.dumps([{"filename": "index.html", "content": page}])


def lilypond(text: str) -> str:
    r"""Returns LilyPond code that prints lines of text above one empty bar.

    >>> print(lilypond('Waltz "in" A'))
    \version "2.24.0" \header { tagline = ##f }
    \markup \column { "Waltz \"in\" A" }
    { s1 }
    """
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    lines = " ".join(f'"{line}"' for line in escaped.splitlines() if line.strip())
    header = r'\version "2.24.0" \header { tagline = ##f }'
    return f"{header}\n\\markup \\column {{ {lines} }}\n{{ s1 }}"


def _ascii(text: str) -> str:
    # pdflatex stops at characters that it has no font for.
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
