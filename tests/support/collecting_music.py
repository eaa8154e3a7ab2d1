"""Rounds of music: a stand-in for the classifier, and a program that collects one.

`python -m support.collecting_music URL FOLDER COUNT` asks the wiki of `support.imslp_server` that runs at
an address. (The trained classifier has tests of its own, and takes minutes of training.)
"""

import sys
from pathlib import Path

import numpy as np
from PIL import Image

from helm_structext.image2struct.collect import music
from helm_structext.image2struct.collect.journal import Settings
from helm_structext.image2struct.collect.pipeline import Tally
from helm_structext.image2struct.collect.rounds import collect_round
from helm_structext.image2struct.collect.systems import staves
from support.drafts import WINDOW
from support.hosts import CONTACT
from support.imslp_server import Upload, addresses
from support.scores import scores


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


def collect(url: str, folder: Path, count: int) -> Tally:
    """Collects a round from a wiki."""
    usual = ("music", WINDOW, count, 40, 7, "corrected", frozenset(), "", addresses(url))
    return collect_round(music.COLLECTOR, Settings(*usual), folder, contact=CONTACT, pace=0)


if __name__ == "__main__":
    music.sheet_classifier = StavesClassifier  # type: ignore[assignment]
    collect(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
