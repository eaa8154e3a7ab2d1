"""Scores of IMSLP by the time of their upload, over MediaWiki's API.

MediaWiki lists the files of a wiki by the time of their upload (`list=allimages` sorted by
``timestamp``), so that a round asks for the days of its window and for nothing else. For 50 files at a
time, one request says which work pages show them (`prop=fileusage`), and one brings the pages' text
(`prop=revisions`), in which a file stands with its copyright tag and the kind of its picture::

    {{#fte:imslpfile
    |File Name 1=PMLP98884-Score.pdf
    |File Description 1=Complete Score
    |Image Type=Typeset
    |Copyright=Creative Commons Attribution 4.0
    }}

The published collector walked through IMSLP's own list of all works in alphabetical order
(``API.ISCR.php``), asked for the page of each work, and read the files' upload times there: several
hundred thousand requests for a complete walk, most of them for works without a file in the window.

Files lie where the listing says, on the host of the address `imslp-files` alone. IMSLP asks visitors to
accept a disclaimer, by a cookie, and sometimes to show that they are human: there a round stops and
says so; nothing goes around that.

Sources: https://www.mediawiki.org/wiki/API:Allimages, API:Fileusage, API:Revisions, API:Continue and
API:Etiquette; https://imslp.org/wiki/IMSLP:API; the published collector.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any, NoReturn
from urllib.parse import quote, urlsplit

from helm_structext.errors import SetupError
from helm_structext.image2struct.collect.client import HostResponse
from helm_structext.image2struct.collect.pdf import MAX_BYTES
from helm_structext.image2struct.collect.records import SourceCandidate, Tools
from helm_structext.storage.cache import content_key
from helm_structext.texts import make_printable, one_line, quote_value

ADDRESSES = {"imslp-api": "https://imslp.org/api.php", "imslp-files": "https://imslp.org"}

API = {"action": "query", "format": "json", "maxlag": "5"}
LISTING = {
    "list": "allimages",
    "aisort": "timestamp",
    "aidir": "ascending",
    "aiprop": "timestamp|url|size|mime|sha1",
    "ailimit": "500",
}
USAGE = {"prop": "fileusage", "fuprop": "title", "funamespace": "0", "fulimit": "500"}
TEXTS = {"prop": "revisions", "rvprop": "content"}
TITLES = 50
"""Titles in a request: what MediaWiki takes from anybody."""
MAX_TITLES = 5000
"""Characters of them all: servers take addresses of 8 KiB."""
MAX_ANSWERS = 10_000
"""To one question: a year's files are 300."""
MAX_ANSWER = 32 * 2**20
MAX_NAME, MAX_FIELD = 255, 200
"""Characters of a file's name, and of anything else that is kept of what IMSLP says."""

FILE_BLOCK = "{{#fte:imslpfile"
COOKIE = {"cookie": "imslpdisclaimeraccepted=yes"}
BOT_CHECK = "friendlytest.html"


def candidates(tools: Tools) -> Iterator[SourceCandidate]:
    """Yields all files that were uploaded in the window, from the oldest on, whatever they are.

    What the listing does not say of a file, `incomplete` refuses.

    Raises:
        SetupError: the API says something else than what it is documented to say.
    """
    window = {
        "aistart": f"{tools.settings.window.first}T00:00:00Z",
        "aiend": f"{tools.settings.window.last}T23:59:59Z",
    }
    for said in _query(tools, {**LISTING, **window}, "allimages"):
        files = [_read_listing(item, tools) for item in said]
        for start in range(0, len(files), TITLES):
            yield from _add_descriptions(files[start : start + TITLES], tools)


def content(candidate: SourceCandidate, tools: Tools) -> bytes:
    """Returns a candidate's file.

    Raises:
        CandidateRefused: it can't be had.
        SetupError: IMSLP wants to see a human.
    """
    answer = tools.client.get(
        candidate.url, host="imslp-files", headers=COOKIE, max_bytes=MAX_BYTES
    )
    if urlsplit(answer.url).path.endswith(BOT_CHECK):
        tools.client.forget(answer)
        raise SetupError(
            "IMSLP asks for a human before it sends files. Ask IMSLP to let your collector in, or "
            "name a mirror that does by --address imslp-files=URL; then run the same command again"
        )
    return answer.content


def incomplete(candidate: SourceCandidate, tools: Tools) -> str | None:
    """Returns what the listing should say of a file and does not, or None."""
    missing = [name for name in ("title", "mime", "size") if not candidate.info[name]]
    missing += ["url"] * (not candidate.url) + ["timestamp"] * (candidate.day == date.min)
    return f"the listing has no usable {', '.join(missing)}" if missing else None


def not_a_pdf(candidate: SourceCandidate, tools: Tools) -> str | None:
    """Returns why a file is no PDF, by its type and name, or None."""
    mime = candidate.info["mime"]
    if mime == "application/pdf" and candidate.name.lower().endswith(".pdf"):
        return None
    return f"{candidate.name} is {mime}"


def too_large(candidate: SourceCandidate, tools: Tools) -> str | None:
    """Returns how large a file is if that is too much, or None."""
    size = candidate.info["size"]
    return f"{size:,} bytes; at most {MAX_BYTES:,} are read" if size > MAX_BYTES else None


def no_work_page(candidate: SourceCandidate, tools: Tools) -> str | None:
    """Returns that no work page shows a file, so that nobody says what it is, or None."""
    return None if candidate.info["work"] else "no work page shows the file"


def tagged_as_scan(candidate: SourceCandidate, tools: Tools) -> str | None:
    """Returns IMSLP's word for a file's pictures if they are scans, or None.

    Not in the published rounds, which know scans by their pictures alone and so let in those that
    are black and white.
    """
    kind = str(candidate.info["image_type"])
    scanned = tools.settings.protocol == "corrected" and "scan" in kind.lower()
    return f"its image type is {kind}" if scanned else None


def file_fields(wikitext: str, title: str) -> dict[str, str]:
    """Returns what a work page says of a file: the fields of the block that names it, or nothing.

    Args:
        wikitext: of the page.
        title: of the file, such as ``File:Score 1.pdf``.

    >>> page = "{{#fte:imslpfile\\n|File Name 1=score_1.pdf\\n|Copyright=Public Domain\\n}}"
    >>> file_fields(page, "File:Score 1.pdf")["Copyright"]
    'Public Domain'
    """
    wanted = _canonical(title.partition(":")[2])
    for block in wikitext.split(FILE_BLOCK)[1:]:
        fields = {}
        for line in block.splitlines():
            if line.startswith("}}"):
                break
            name, equals, value = line.partition("=")
            if line.startswith("|") and equals:
                fields[name[1:].strip()] = value.strip()
        if any(
            name.startswith("File Name") and _canonical(value) == wanted
            for name, value in fields.items()
        ):
            return fields
    return {}


def _canonical(name: str) -> str:
    """A title as MediaWiki writes it: its first letter is a capital, underscores are blanks."""
    return name[:1].upper() + name[1:].replace("_", " ").strip()


def _read_listing(item: Any, tools: Tools) -> SourceCandidate:
    """What the listing says of a file; a wrong type counts as nothing."""
    item = item if isinstance(item, dict) else {}
    texts = {
        key: one_line(value, MAX_NAME) if isinstance(value := item.get(key), str) else ""
        for key in ("name", "title", "timestamp", "mime", "sha1")
    }
    size = item.get("size")
    return SourceCandidate(
        name=texts.pop("name") or f"unnamed-{content_key(repr(item))[:16]}",
        group="",
        owner="",
        day=_day(texts["timestamp"]),
        url=_address(item.get("url"), tools.settings.addresses["imslp-files"]),
        license="",
        info={
            **texts,
            "size": size if isinstance(size, int) and size > 0 else 0,
            "work": "",
            "image_type": "",
        },
    )


def _day(timestamp: str) -> date:
    try:
        return date.fromisoformat(timestamp[:10]) if timestamp[10:11] == "T" else date.min
    except ValueError:
        return date.min


def _address(url: Any, base: str) -> str:
    """Where a file is: the path that the listing names, on the host that we ask."""
    try:
        path = urlsplit(url).path if isinstance(url, str) else ""
        return base.rstrip("/") + quote(path, safe="/%:@!$&'()*+,;=~") if path[:1] == "/" else ""
    except ValueError:  # no address, or no UTF-8
        return ""


def _add_descriptions(files: Sequence[SourceCandidate], tools: Tools) -> Iterator[SourceCandidate]:
    """Yields files with what their work pages say; those that are refused anyway as they are."""
    titles = {
        file.info["title"]: ""
        for file in files
        if not (incomplete(file, tools) or not_a_pdf(file, tools) or too_large(file, tools))
        and "|" not in file.info["title"]
    }
    for title, usage in _pages(tools, USAGE, titles, "fileusage"):
        works = [name for one in usage if isinstance(name := one.get("title"), str)]
        if works and titles.get(title) == "":
            titles[title] = one_line(works[0], MAX_NAME)
    pages = sorted({work for work in titles.values() if work and "|" not in work})
    texts = {
        work: text
        for work, revisions in _pages(tools, TEXTS, pages, "revisions")
        if revisions and isinstance(text := revisions[0].get("*"), str)
    }
    for file in files:
        title = file.info["title"]
        work = titles.get(title, "")
        fields = file_fields(texts.get(work, ""), title)
        about = {
            "work": work if fields else "",
            "image_type": fields.get("Image Type", ""),
            "license": fields.get("Copyright", ""),
        }
        about = {key: one_line(value, MAX_FIELD) for key, value in about.items()}
        license = about.pop("license")
        yield replace(file, license=license, info={**file.info, **about})


def _pages(
    tools: Tools, params: Mapping[str, str], titles: Iterable[str], key: str
) -> Iterator[tuple[str, list[Any]]]:
    """Yields title and property of the pages that have it."""
    for some in _batches(titles):
        yield from _some_pages(tools, {**params, "titles": "|".join(some)}, key)


def _batches(titles: Iterable[str]) -> Iterator[list[str]]:
    """Yields titles in groups that fit into an address."""
    batch: list[str] = []
    for title in titles:
        if sum(len(quote(one)) for one in [*batch, title]) > MAX_TITLES:
            yield batch
            batch = []
        batch.append(title)
    if batch:
        yield batch


def _some_pages(
    tools: Tools, params: Mapping[str, str], key: str
) -> Iterator[tuple[str, list[Any]]]:
    for said in _query(tools, params, "pages"):
        for page in said:
            found = page.get(key) if isinstance(page, dict) else None
            if isinstance(found, list) and isinstance(page.get("title"), str):
                yield page["title"], [one for one in found if isinstance(one, dict)]


def _query(tools: Tools, params: Mapping[str, str], key: str) -> Iterator[list[Any]]:
    """Yields the items of a list, or the pages, that the API names, for as long as it has more.

    Raises:
        SetupError: it says something else than JSON, an error, or the same again.
    """
    more: dict[str, str] = {"continue": ""}
    asked = [more]
    while more:
        answer = tools.client.get(
            tools.settings.addresses["imslp-api"],
            {**API, **params, **more},
            host="imslp-api",
            max_bytes=MAX_ANSWER,
        )
        said, items = _read(answer, tools, key)
        yield items
        more = _continuation(said)
        if more in asked or len(asked) == MAX_ANSWERS:
            _stop(answer, tools, f"does not come to an end: {quote_value(more)}")
        asked.append(more)


def _read(answer: HostResponse, tools: Tools, key: str) -> tuple[dict[str, Any], list[Any]]:
    """What the API says, and the list or, as a list, the pages in it."""
    try:
        said = json.loads(answer.content)
    except (ValueError, RecursionError) as error:
        _stop(answer, tools, f"is not JSON ({one_line(str(error), MAX_FIELD)})")
    if not isinstance(said, dict):
        _stop(answer, tools, f"is not what MediaWiki documents: {quote_value(said)}")
    if "error" in said:
        _stop(answer, tools, f"is an error: {quote_value(said['error'], MAX_FIELD)}")
    if "nrecognized" in (warnings := quote_value(said.get("warnings"), 1000)):
        _stop(answer, tools, f"does not know what was asked: {warnings}")
    query = said.get("query")
    found = query.get(key) if isinstance(query, dict) else None
    items = list(found.values()) if isinstance(found, dict) else found
    if not isinstance(items, list):
        _stop(answer, tools, f"has no {key}: {quote_value(said)}")
    return said, items


def _continuation(said: Mapping[str, Any]) -> dict[str, str]:
    """The parameters that ask for more, in today's form or in that of MediaWiki before 1.26.

    >>> _continuation({"continue": {"aicontinue": "20241101|A.pdf", "continue": "-||"}})
    {'aicontinue': '20241101|A.pdf', 'continue': '-||'}
    >>> _continuation({"query-continue": {"allimages": {"aistart": "20241101"}}})
    {'aistart': '20241101'}
    """
    old = said.get("query-continue")
    found = said.get("continue") or (next(iter(old.values()), {}) if isinstance(old, dict) else {})
    return (
        {make_printable(key): make_printable(str(value)) for key, value in found.items()}
        if isinstance(found, dict)
        else {}
    )


def _stop(answer: HostResponse, tools: Tools, what: str) -> NoReturn:
    """Forgets an answer that is of no use, so that the same command asks again, and says so."""
    tools.client.forget(answer)
    raise SetupError(
        f"What IMSLP's API answers {what}. Run the same command again later; nothing is lost"
    )
