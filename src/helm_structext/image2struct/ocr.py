"""Text that Tesseract read from a picture, written down as code: a floor that really reads."""

import html
import json
import unicodedata

from helm_structext.models.ocr import Reader, read_text

LATEX_ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        **{character: f"\\{character}" for character in "{}$&#%_"},
        **dict(zip("‘’“”—–", ["`", "'", "``", "''", "---", "--"], strict=True)),
    }
)


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


READERS = {
    "latex": Reader(read_text, lambda text, _: latex(text)),
    "webpage": Reader(read_text, lambda text, _: webpage(text)),
    "lilypond": Reader(read_text, lambda text, _: lilypond(text)),
}
"""Format to how the OCR model answers in it."""
