"""arXiv on this machine: its listing by OAI-PMH 2.0, and its e-prints.

Source: https://www.openarchives.org/OAI/openarchivesprotocol.html (arguments, errors, flow control),
https://info.arxiv.org/help/oa (sets, metadata) and https://info.arxiv.org/help/mimetypes.html.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from xml.sax.saxutils import escape, quoteattr

from support.hosts import Host, Reply, Request

CC_BY = "http://creativecommons.org/licenses/by/4.0/"
EXCLUSIVE = "http://arxiv.org/licenses/nonexclusive-distrib/1.0/"
TAR, GZIP = "application/x-eprint-tar", "application/x-eprint"
ARGUMENTS = {"verb", "metadataPrefix", "set", "from", "until", "resumptionToken"}


@dataclass(frozen=True)
class Record:
    """A paper on arXiv.

    Args:
        name: its identifier.
        sets: in which it is listed.
        created: when it was submitted; any text.
        source: bytes of its e-print, or what the host answers in its place.
        updated: when it was replaced, or "".
        datestamp: when the record changed last; by default one of the other dates.
        deleted: whether the record says just that.
    """

    name: str
    sets: tuple[str, ...]
    created: str
    source: bytes | Reply
    kind: str = TAR
    updated: str = ""
    datestamp: str = ""
    license: str = CC_BY
    deleted: bool = False

    @property
    def changed(self) -> str:
        return self.datestamp or self.updated or self.created


@dataclass
class Arxiv:
    """What the host has and does.

    Attributes:
        records: of all papers.
        page: records on a page.
        age: tokens of another age have expired.
        cut: bytes of each page of the listing that arrive, or None for all.
        circular: whether each page has a token for the first one.
        host: the server.
    """

    records: Sequence[Record]
    page: int = 3
    age: int = 0
    cut: int | None = None
    circular: bool = False
    host: Host = field(init=False)

    @property
    def url(self) -> str:
        return self.host.url

    @property
    def addresses(self) -> Mapping[str, str]:
        return {"arxiv-oai": f"{self.url}/oai", "arxiv-eprint": f"{self.url}/e-print"}

    @property
    def lists(self) -> list[Mapping[str, str]]:
        """The queries to the listing, in order."""
        return [request.query for request in self.host.requests if request.path == "/oai"]

    def answer(self, request: Request) -> Reply:
        if request.path == "/oai":
            body = _document(request.query, self._listed(request.query)).encode()
            return Reply(body[: self.cut], headers={"content-type": "text/xml"})
        name = request.path.removeprefix("/e-print/")
        record = next((one for one in self.records if one.name == name), None)
        if record is None or record.deleted:
            return Reply("No such paper", 404)
        if isinstance(record.source, Reply):
            return record.source
        return Reply(record.source, headers={"content-type": record.kind})

    def _listed(self, query: Mapping[str, str]) -> str:
        if query.get("verb") != "ListRecords":
            return _error("badVerb", "Illegal verb")
        if set(query) - ARGUMENTS:
            return _error("badArgument", "Illegal argument")
        if token := query.get("resumptionToken"):
            if set(query) != {"verb", "resumptionToken"}:
                return _error("badArgument", "resumptionToken is an exclusive argument")
            return self._resumed(token)
        if query.get("metadataPrefix") != "arXiv":
            return _error("cannotDisseminateFormat", "Only arXiv here")
        first, last = query.get("from", "0000-00-00"), query.get("until", "9999-99-99")
        try:
            days = [date.fromisoformat(query[name]) for name in ("from", "until") if name in query]
        except ValueError:
            return _error("badArgument", "Dates are like 2024-01-31")
        if days != sorted(days):
            return _error("badArgument", "from is after until")
        return self._listing(query.get("set", ""), first, last, 0)

    def _resumed(self, token: str) -> str:
        parts = token.split("|")
        if len(parts) != 5 or parts[0] != str(self.age):
            return _error("badResumptionToken", "The token has expired")
        return self._listing(parts[1], parts[2], parts[3], int(parts[4]))

    def _listing(self, wanted: str, first: str, last: str, cursor: int) -> str:
        found = [
            record
            for record in self.records
            if first <= record.changed <= last and (not wanted or wanted in record.sets)
        ]
        if not found:
            return _error("noRecordsMatch", "No records match")
        after = 0 if self.circular else cursor + self.page
        listed = "".join(map(_record, found[cursor : cursor + self.page]))
        if len(found) > self.page or self.circular:
            more = after < len(found)
            token = "|".join([str(self.age), wanted, first, last, str(after)]) if more else ""
            listed += (
                f'<resumptionToken cursor="{cursor}" completeListSize="{len(found)}"'
                f' expirationDate="2026-11-25T00:00:00Z">{token}</resumptionToken>'
            )
        return f"<ListRecords>{listed}</ListRecords>"


def _document(query: Mapping[str, str], content: str) -> str:
    asked = " ".join(f"{name}={quoteattr(value)}" for name, value in query.items())
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/">'
        "<responseDate>2026-11-24T08:00:00Z</responseDate>"
        f"<request {asked}>https://oaipmh.arxiv.org/oai</request>{content}</OAI-PMH>"
    )


def _error(code: str, message: str) -> str:
    return f'<error code="{code}">{message}</error>'


def _record(record: Record) -> str:
    status = ' status="deleted"' if record.deleted else ""
    header = (
        f"<header{status}><identifier>oai:arXiv.org:{escape(record.name)}</identifier>"
        f"<datestamp>{escape(record.changed)}</datestamp>"
        f"{''.join(f'<setSpec>{one}</setSpec>' for one in record.sets)}</header>"
    )
    if record.deleted:
        return f"<record>{header}</record>"
    updated = f"<updated>{escape(record.updated)}</updated>" if record.updated else ""
    return (
        f'<record>{header}<metadata><arXiv xmlns="http://arxiv.org/OAI/arXiv/">'
        f"<id>{escape(record.name)}</id><created>{escape(record.created)}</created>{updated}"
        "<authors><author><keyname>Müller</keyname><forenames>A.</forenames></author></authors>"
        f"<title>On {escape(record.name)} &amp; more</title>"
        f"<categories>{record.sets[0]}.XX</categories><license>{escape(record.license)}</license>"
        "<abstract>We show it.</abstract></arXiv></metadata></record>"
    )


@contextmanager
def arxiv_server(records: Sequence[Record], **options: int | bool) -> Iterator[Arxiv]:
    """Runs arXiv with some papers; the options are attributes of `Arxiv`."""
    arxiv = Arxiv(records, **options)  # type: ignore[arg-type]
    answer: Callable[[Request], Reply] = arxiv.answer
    with Host(answer) as arxiv.host:
        yield arxiv
