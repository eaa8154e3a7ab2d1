"""Writes down what the renderers draw, so that a test notices a picture that changed without a new revision.

Call it after a change of a renderer that is meant to change pictures, once its `REVISION` is another:

    python scripts/golden_pictures.py            # all formats
    python scripts/golden_pictures.py latex svg  # some

Pictures are the same wherever the same programs draw with the same fonts, so each hash goes with the
engine's version and the system's release.
"""

import argparse
import hashlib
import json
import platform
import re
from collections.abc import Mapping
from pathlib import Path

from helm_structext.formats import rendered_formats
from helm_structext.renderers import engine_of, render

ROOT = Path(__file__).parents[1]
GOLDEN = ROOT / "tests" / "golden" / "pictures.json"
SNIPPETS = ROOT / "tests" / "renderers" / "snippets"
PER_FORMAT = 2
"""Snippets of a format that are drawn, the first ones by name."""

PAGE = (
    "<style>p { font: italic 20px serif; border: 2px dashed teal; transition: color 1s }</style>"
    "<p id=a>Grüße</p><script>setTimeout(() => { a.textContent += ' 1 + 1 = ' + (1 + 1) }, 300)</script>"
)
CODE = {
    "latex": r"\begin{tabular}{|c|c|} \hline $x^2$ & $\int_0^1 x\,dx$ \\ \hline \end{tabular}",
    "webpage": json.dumps([{"filename": "index.html", "content": PAGE}]),
    "lilypond": r"""\version "2.24.0" \relative c' { \time 3/4 c8 d e4 <f a>4 | g2. \fermata \bar "|." }""",
    "html": PAGE,
    "canvas": "<canvas id=c width=200 height=100></canvas><script>const d = c.getContext('2d');"
    "d.fillStyle = 'orange'; d.arc(60, 50, 40, 0, 5); d.fill(); d.font = '20px serif';"
    "d.fillText('Canvas', 110, 60)</script>",
    "react": "import { useState } from 'react';\nexport default function App() {"
    " const [n] = useState(3); return <ul>{[...Array(n)].map((_, i) => <li key={i}>{i}</li>)}</ul>; }",
    "vue": "<template><p :class='kind'>{{ kind }}</p></template>\n<script setup>const kind = 'red'</script>"
    "\n<style>.red { color: red }</style>",
    "angular": "import { Component } from '@angular/core';\n@Component({ selector: 'app-root',"
    " standalone: true, template: '<h1>{{ title }}</h1>' })\nexport class AppComponent { title = 'Angular'; }",
}
"""Code of the formats that have no snippets of their own."""


def system() -> str:
    """Returns what the fonts and libraries of pictures belong to.

    >>> system() == system()
    True
    """
    release = platform.freedesktop_os_release()
    return f"{release['ID']} {release.get('VERSION_ID', '')} {platform.machine()}"


def codes(format: str) -> dict[str, str]:
    """Returns what is drawn of a format: name to code."""
    files = sorted((SNIPPETS / format).glob("*"))[:PER_FORMAT]
    return {file.name: file.read_text("utf-8") for file in files} or {"inline": CODE[format]}


def programs(version: str) -> str:
    """Returns an engine's version without our own revisions.

    >>> programs("webpage 4 (browser 8: Chromium 156.0.8078.108)")
    'webpage (browser: Chromium 156.0.8078.108)'
    """
    return re.sub(r"\b(\w+) \w+(?= ?[(:])", r"\1", version)


def drawn(format: str) -> dict[str, str]:
    """Returns hashes of a format's pictures: name of the code to size and SHA-256 of the pixels."""
    pictures = {name: render(format, code).image for name, code in codes(format).items()}
    return {
        name: f"{image.width}x{image.height} {hashlib.sha256(image.tobytes()).hexdigest()}"
        for name, image in pictures.items()
    }


def golden() -> dict[str, Mapping[str, str]]:
    """Returns what was written: format to version, system, and the hash of each picture."""
    found: dict[str, Mapping[str, str]] = json.loads(GOLDEN.read_text("utf-8"))
    return found


def main() -> None:
    """Writes the pictures of some formats, or all."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("formats", nargs="*", default=rendered_formats())
    known = dict(golden()) if GOLDEN.exists() else {}
    for format in parser.parse_args().formats:
        about = {"version": engine_of(format).version(), "system": system()}
        known[format] = {**about, **drawn(format)}
    GOLDEN.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", "utf-8")


if __name__ == "__main__":
    main()
