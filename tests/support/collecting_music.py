"""Rounds of music: a stand-in for the classifier, and a program that collects one.

`python -m support.collecting_music URL FOLDER COUNT` asks the wiki of `support.imslp_server` that runs at
an address, without a classifier, whatever this machine has.
"""

import sys
from pathlib import Path

import numpy as np
from PIL import Image

from helm_structext.image2struct.collect import music
from helm_structext.image2struct.collect.pipeline import Tally
from helm_structext.image2struct.collect.records import RoundSettings
from helm_structext.image2struct.collect.rounds import collect_round
from helm_structext.image2struct.collect.systems import staves
from support import pdfs
from support.drafts import WINDOW
from support.hosts import CONTACT
from support.imslp_server import Upload, addresses
from support.scores import corpus, scan, scores

SCAN = {"Image Type": "Normal Scan", "Copyright": "Public Domain"}
RESERVED = {"Image Type": "Typeset", "Copyright": "All rights reserved"}


class StavesClassifier:
    """Takes for music what has staves."""

    def is_sheet(self, page: Image.Image) -> float:
        return float(bool(staves(np.asarray(page.convert("L")))))


def uploads(count: int) -> list[Upload]:
    """Scores of one page, some on each day of the window."""
    return [
        Upload(f"study-{number:04}.pdf", pdf, f"2026-10-{1 + number % 31:02}T10:00:00Z")
        for number, pdf in enumerate(scores(count, 1))
    ]


def corpus_uploads() -> list[Upload]:
    """The corpus, one file an hour, with what is wrong beside it."""
    good = corpus()
    files = {
        **{f"{name}.pdf": pdf for name, pdf in good.items()},
        "tagged.pdf": good["piano-3"],
        "scanned.pdf": scan(good["piano-3"], 2),
        "black-and-white.pdf": scan(good["piano-3"], 2, black_and_white=True),
        "reserved.pdf": good["piano-3"],
        "html.pdf": pdfs.HTML,
        "none.pdf": pdfs.with_pages(0),
        "many.pdf": pdfs.with_pages(10_000),
        "encrypted.pdf": pdfs.encrypted(),
        "broken.pdf": b"%PDF-1.4 and no more",
        "huge.pdf": pdfs.huge(),
        "endless.pdf": pdfs.endless(),
        "frame.pdf": pdfs.frame(),
        "sound.mp3": b"ID3",
        "alone.pdf": good["piano-3"],
        "undated.pdf": good["piano-3"],
        "large.pdf": good["piano-3"],
    }
    more = {
        "tagged.pdf": {"fields": SCAN},
        "reserved.pdf": {"fields": RESERVED},
        "sound.mp3": {"mime": "audio/mpeg"},
        "alone.pdf": {"work": ""},
        "undated.pdf": {"other": {"timestamp": "soon"}},
        "large.pdf": {"other": {"size": 10**10}},
    }
    return [
        Upload(name, content, f"2026-10-02T{number % 24:02}:{number:02}:00Z", **more.get(name, {}))
        for number, (name, content) in enumerate(files.items())
    ]


def collect(url: str, folder: Path, count: int) -> Tally:
    """Collects a round from a wiki."""
    usual = ("music", WINDOW, count, 40, 7, "corrected", frozenset(), "", addresses(url))
    return collect_round(music.COLLECTOR, RoundSettings(*usual), folder, contact=CONTACT, pace=0)


if __name__ == "__main__":
    music.sheet_classifier = lambda protocol: None  # type: ignore[assignment]
    collect(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
