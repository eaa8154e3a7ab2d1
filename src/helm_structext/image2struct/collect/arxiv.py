"""arXiv: papers by subject and day, and their sources.

The listing is OAI-PMH 2.0 with arXiv's own metadata, asked a day at a time, so that a round reads no
more of its window than it needs. A record's datestamp, by which OAI lists, is when its metadata
changed last; the paper's own date is its last update, or else its creation.

Source: https://info.arxiv.org/help/oa and https://www.openarchives.org/OAI/openarchivesprotocol.html
for the listing, https://info.arxiv.org/help/mimetypes.html for the sources.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import partial
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from helm_structext.data.archives import gunzip, unpack_tar
from helm_structext.errors import SetupError
from helm_structext.image2struct.collect.records import (
    CandidateRefused,
    Download,
    Listing,
    SourceCandidate,
    Tools,
)
from helm_structext.image2struct.collect.tex import SOURCES
from helm_structext.patterns import Pattern
from helm_structext.texts import one_line

SETS = ("physics", "math", "cs", "q-bio", "q-fin", "stat", "eess", "econ")
"""arXiv's subjects, over which a round is balanced."""
ADDRESSES = {
    "arxiv-oai": "https://oaipmh.arxiv.org/oai",
    "arxiv-eprint": "https://export.arxiv.org/e-print",
}
IDENTIFIER = Pattern(r"\d{4}\.\d{4,5}|[a-z-]{2,20}(\.[A-Za-z-]{2,10})?/\d{7}", ascii=True)
DAY = Pattern(r"\d{4}-\d\d-\d\d", ascii=True)
MAX_PAGE = 16 * 2**20
"""Bytes of a page of the listing; arXiv's have about 2 MB."""
MAX_RESTARTS = 3
"""How often the list of a day is begun anew."""
MAX_IDLE_PAGES = 3
"""Pages in a row with nothing new, after which a list goes round in circles."""
MAX_EPRINT = 64 * 2**20
MAX_TITLE = 300


@dataclass(frozen=True)
class RecordPage:
    """A part of a list of records.

    Args:
        records: as they stand there, without the deleted ones.
        token: with which the next page is asked for, or "" on the last one.
        error: OAI's code of an error, or "".
        message: what the host said about it.
    """

    records: tuple[Element, ...]
    token: str
    error: str
    message: str


def listings() -> tuple[Listing, ...]:
    """Returns a listing for each of arXiv's subjects."""
    return tuple(Listing(name, partial(papers, name)) for name in SETS)


def papers(subject: str, tools: Tools) -> Iterator[SourceCandidate]:
    """Yields the papers of a subject whose records changed in a round's window, day by day.

    Raises:
        SetupError: the listing can't be had or read, or does not end.
    """
    seen: set[str] = set()
    for day in tools.settings.window:
        for record in records(subject, day, tools):
            candidate = paper(record, subject, tools.settings.addresses["arxiv-eprint"])
            if candidate.name not in seen:
                seen.add(candidate.name)
                yield candidate


def records(subject: str, day: date, tools: Tools) -> Iterator[Element]:
    """Yields the records of a subject and day, each once.

    A token may have expired since its page was stored, and a page may come cut off: then the list is
    asked for anew, and what it has said before is left out.
    """
    first = {"verb": "ListRecords", "metadataPrefix": "arXiv", "set": subject}
    first |= {"from": day.isoformat(), "until": day.isoformat()}
    seen: set[str] = set()  # in this pass through the list, and
    known: set[str] = set()  # in any
    params, restarts, idle = first, 0, 0
    while True:
        page = _page(params, tools, anew=restarts > 0)
        found = {_text(record, "identifier"): record for record in page.records}
        yield from (record for name, record in found.items() if name not in known)
        idle = 0 if found.keys() - seen else idle + 1
        seen |= found.keys()
        known |= seen
        if page.error == "noRecordsMatch" or not (page.token or page.error):
            return
        if page.error or idle >= MAX_IDLE_PAGES or page.token == params.get("resumptionToken"):
            restarts += 1
            if page.error not in ("", *TRANSIENT) or restarts > MAX_RESTARTS:
                problem = page.message or "it goes round in circles"
                raise SetupError(
                    f"arXiv's list of {subject} on {day} can't be read: {one_line(problem, 300)}. "
                    "Repeat the command later: it goes on from here."
                )
            params, idle, seen = first, 0, set()
        else:
            params = {"verb": "ListRecords", "resumptionToken": page.token}


BROKEN = "broken"
TRANSIENT = ("badResumptionToken", BROKEN)
"""Errors after which a list is asked for anew."""


def _page(params: Mapping[str, str], tools: Tools, *, anew: bool) -> RecordPage:
    try:
        answer = tools.client.get(
            tools.settings.addresses["arxiv-oai"],
            params,
            host="arxiv-oai",
            max_bytes=MAX_PAGE,
            expires=anew,
        )
    except CandidateRefused as refusal:
        raise SetupError(
            f"arXiv's listing can't be had: {refusal.reason}. Repeat the command later."
        ) from refusal
    return read_page(answer.content)


def read_page(content: bytes) -> RecordPage:
    """Reads an answer of OAI-PMH to ListRecords.

    Anything but such an answer, as a page that was cut off, is a page with the error `BROKEN`.

    >>> read_page(b"<OAI-PMH><error code='noRecordsMatch'>none</error></OAI-PMH>").error
    'noRecordsMatch'
    >>> read_page(b"<html>Back soon").error
    'broken'
    """
    try:
        root = fromstring(content, forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError, LookupError) as error:
        return RecordPage((), "", BROKEN, f"its answer is not XML: {error}")
    refused = root.find("{*}error")
    listed = root.find("{*}ListRecords")
    if refused is not None:
        return RecordPage(
            (), "", refused.get("code") or BROKEN, refused.text or "it gives no reason"
        )
    if listed is None:
        return RecordPage((), "", BROKEN, "its answer is no list of records")
    found = tuple(
        record
        for record in listed.findall("{*}record")
        if (header := record.find("{*}header")) is not None and header.get("status") != "deleted"
    )
    return RecordPage(found, (listed.findtext("{*}resumptionToken") or "").strip(), "", "")


def _text(record: Element, name: str) -> str:
    """What an element of the header or metadata says, by its name."""
    paths = (f"{{*}}header/{{*}}{name}", f"{{*}}metadata/{{*}}arXiv/{{*}}{name}")
    return next((text.strip() for path in paths if (text := record.findtext(path))), "")


def paper(record: Element, subject: str, address: str) -> SourceCandidate:
    """Returns what a record says of a paper; what is wrong with it stands in ``info["malformed"]``.

    Args:
        record: not a deleted one.
        subject: by which it was listed.
        address: of the sources.
    """
    name, malformed = _text(record, "id"), ""
    if not IDENTIFIER.fullmatch(name):
        name, malformed = _text(record, "identifier"), f"its identifier is {name[:100]!r}"
    said = _text(record, "updated") or _text(record, "created")
    try:
        day = date.fromisoformat(said if DAY.fullmatch(said) else "")
    except ValueError:
        day, malformed = date.min, malformed or f"its date is {said[:100]!r}"
    facts = ("title", "categories", "created", "updated", "datestamp")
    info = {fact: one_line(_text(record, fact), MAX_TITLE) for fact in facts}
    return SourceCandidate(
        name=one_line(name, MAX_TITLE),
        group=subject,
        owner="",
        day=day,
        url=f"{address}/{name}",
        license=one_line(_text(record, "license"), MAX_TITLE),
        info={**info, "malformed": malformed} if malformed else info,
    )


def download(candidate: SourceCandidate, tools: Tools) -> Download:
    """Asks for a paper's source.

    Raises:
        CandidateRefused: there is none, it is not TeX, or its archive is not one to be opened.
    """
    answer = tools.client.get(candidate.url, host="arxiv-eprint", max_bytes=MAX_EPRINT)
    return Download(candidate, files_of(answer.content))


KINDS: tuple[tuple[bytes, str, str], ...] = (
    (b"%PDF-", "pdf_only", "its source is a PDF file"),
    (b"%!", "no_tex", "its source is PostScript"),
    (b"PK\x03\x04", "no_tex", "its source is a ZIP archive or a document of Word"),
    (b"<", "no_tex", "its source is a page of HTML"),
)
"""How files begin that are no TeX: under which name they are refused, and why."""


def files_of(content: bytes) -> dict[str, bytes]:
    r"""Returns the files of a source: a tar archive or a single file, gzipped or not.

    Raises:
        CandidateRefused: ``pdf_only``, ``no_tex`` or ``unreadable_archive``.

    >>> list(files_of(b"\\documentstyle{article}"))
    ['main.tex']
    """
    try:
        if content.startswith(b"\x1f\x8b"):
            content = gunzip(content)
        for beginning, name, reason in KINDS:
            if content.lstrip().startswith(beginning):
                raise CandidateRefused(name, reason)
        files = unpack_tar(content) if is_tar(content) else {"main.tex": content}
    except ValueError as error:
        raise CandidateRefused("unreadable_archive", str(error)) from error
    endings = [name.lower().rpartition(".")[2] for name in files]
    if not any(f".{ending}" in SOURCES for ending in endings):
        if "pdf" in endings:
            raise CandidateRefused("pdf_only", "its source is a PDF file")
        raise CandidateRefused("no_tex", "its source has no TeX file")
    return files


def is_tar(content: bytes) -> bool:
    """Says whether bytes begin as a tar archive of POSIX or GNU does, or else are no text."""
    return content[257:262] == b"ustar" or b"\0" in content
