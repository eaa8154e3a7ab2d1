"""A small made-up domain, its host, and a round of it: collecting without engines.

Started as a program (`python -m support.collecting URL FOLDER COUNT`) it collects a round, to be killed.
"""

import io
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from helm_structext.image2struct.collect.records import (
    CandidateRefused,
    Collector,
    Download,
    Draft,
    Listing,
    RoundSettings,
    SourceCandidate,
    Tools,
    Window,
)
from helm_structext.image2struct.collect.rounds import collect_round
from support.hosts import CONTACT, Host, Reply, Request, json_reply

FIRST = date(2026, 10, 1)
WINDOW = Window(FIRST, date(2026, 10, 31))
SUBSETS = ("equation", "table")
PAGE = 10
"""Items on a page of a listing."""


@dataclass(frozen=True)
class Item:
    """What the made-up host has: a thing with texts, each of which gives a picture.

    Args:
        name: of the candidate.
        texts: subset and code of each draft; ``white``, ``bug`` and ``wrong`` are refused as such.
        day: of the candidate.
        owner: of the candidate.
        license: of the candidate.
    """

    name: str
    texts: Sequence[tuple[str, str]]
    day: date = FIRST
    owner: str = ""
    license: str = "free"


def items(count: int, listing: str = "a") -> list[Item]:
    """Returns items of which most give two equations, and every third a table."""
    return [
        Item(
            f"{listing}{number}",
            [
                ("equation", f"{listing} {number} one"),
                ("equation", "white" if number % 4 == 1 else f"{listing} {number} two"),
                *([("table", f"{listing} {number} table")] if number % 3 == 0 else []),
            ],
            FIRST + timedelta(number % 31),
        )
        for number in range(count)
    ]


@dataclass
class Shop(Host):
    """The made-up host.

    Attributes:
        listings: name to its items.
    """

    listings: Mapping[str, Sequence[Item]] = field(default_factory=dict)

    def answer_of(self, request: Request) -> Reply:
        kind, _, name = request.path.strip("/").partition("/")
        if kind == "list":
            page = int(request.query["page"])
            found = self.listings[name][page * PAGE : (page + 1) * PAGE]
            return json_reply([{**vars(item), "day": str(item.day), "texts": 0} for item in found])
        found = [one for items in self.listings.values() for one in items if one.name == name]
        if not found:
            return Reply("no such item", 404)
        return Reply(
            json.dumps(found[0].texts), headers={"content-type": "application/octet-stream"}
        )


@contextmanager
def shop(**listings: Sequence[Item]) -> Iterator[Shop]:
    """Runs the made-up host."""
    host = Shop(lambda request: host.answer_of(request), listings=listings)
    with host:
        yield host


def _listed(name: str, tools: Tools) -> Iterator[SourceCandidate]:
    page = 0
    base = tools.settings.addresses["shop"]
    while True:
        found = json.loads(
            tools.client.get(f"{base}/list/{name}", {"page": str(page)}, host="shop").content
        )
        for item in found:
            day, url = date.fromisoformat(item["day"]), f"{base}/item/{item['name']}"
            yield SourceCandidate(item["name"], name, item["owner"], day, url, item["license"])
        if not found:
            return
        page += 1


def outside_window(candidate: SourceCandidate, tools: Tools) -> str | None:
    return None if candidate.day in tools.settings.window else f"dated {candidate.day}"


def _download(candidate: SourceCandidate, tools: Tools) -> Download:
    answer = tools.client.get(candidate.url, host="shop")
    return Download(candidate, {"texts.json": answer.content})


def too_many_texts(download: Download, tools: Tools) -> str | None:
    return "more than 20" if len(json.loads(download.files["texts.json"])) > 20 else None


def _drafts(download: Download, tools: Tools) -> Iterator[Draft]:
    texts = json.loads(download.files["texts.json"])
    tools.random(download.candidate.name).shuffle(texts)
    for subset, text in texts:
        yield Draft(download.candidate, subset, text, text, b"", len(text), info={"log": "fine"})


def _render(draft: Draft, tools: Tools) -> Draft:
    text = draft.structure or ""
    if text == "bug":
        raise KeyError(text)
    if text == "wrong":
        raise CandidateRefused("not_rendered", "it is wrong")
    if text == "white":
        picture = Image.new("RGB", (64, 64), "white")
    else:
        seed = int.from_bytes(sha256(f"{tools.settings.seed} {text}".encode()).digest()[:8], "big")
        noise = np.random.default_rng(seed).integers(0, 256, (8, 8, 3), dtype=np.uint8)
        picture = Image.fromarray(noise).resize((64, 64), Image.Resampling.NEAREST)
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    return replace(draft, image=buffer.getvalue())


def white_image(draft: Draft, tools: Tools) -> str | None:
    return "all white" if draft.structure == "white" else None


def collector(*listings: str) -> Collector:
    """Returns the table of the made-up domain, which calls itself ``latex``."""
    return Collector(
        domain="latex",
        subsets=SUBSETS,
        addresses={"shop": "https://shop.example.org"},
        credentials=(),
        listings=tuple(Listing(name, partial(_listed, name)) for name in listings),
        fetch_filters=(outside_window,),
        download=_download,
        file_filters=(too_many_texts,),
        drafts=_drafts,
        most=2,
        render=_render,
        rendering_filters=(white_image,),
    )


TABLE = collector("a", "b")
"""Of listings of these names."""


def settings(url: str, **changes: Any) -> RoundSettings:
    """Returns those of a round of the made-up domain."""
    usual = RoundSettings("latex", WINDOW, 12, 40, 7, "corrected", frozenset(), "", {"shop": url})
    return replace(usual, **changes)


if __name__ == "__main__":
    address, target, number = sys.argv[1:]
    collect_round(TABLE, settings(address, count=int(number)), Path(target), contact=CONTACT)
