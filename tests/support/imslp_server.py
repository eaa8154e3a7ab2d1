"""IMSLP on this machine: the parts of MediaWiki's API that the collector asks, and files.

What it answers is written after https://www.mediawiki.org/wiki/API:Allimages, API:Fileusage,
API:Revisions, API:Continue and API:Errors_and_warnings, in the first format version, which old wikis
have; the texts of its pages have the form of IMSLP's.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, unquote

from support.hosts import Host, Reply, Request, json_reply

DISCLAIMER = "<!DOCTYPE html><title>Disclaimer</title><p>I accept this disclaimer</p>"
BOT_CHECK = "<!DOCTYPE html><title>IMSLP - Bot Check</title>"
KNOWN = {
    *("action", "format", "maxlag", "continue", "titles", "list", "prop"),
    *("aisort", "aidir", "aistart", "aiend", "aiprop", "ailimit", "aicontinue"),
    *("fuprop", "funamespace", "fulimit", "fucontinue", "rvprop"),
}


@dataclass(frozen=True)
class Upload:
    """A file of the wiki, and what its work page says of it.

    Args:
        name: with underscores, as in addresses.
        content: of the file.
        time: of its upload, such as ``2026-10-02T10:00:00Z``.
        work: title of the page that shows it, or "".
        fields: of its block there, beside its name.
        mime: as the wiki tells it.
        other: fields of the listing that are not what they should be; None leaves one out.
    """

    name: str
    content: bytes
    time: str = "2026-10-02T10:00:00Z"
    work: str = "Studies (Structext, Henrietta)"
    fields: Mapping[str, str] = field(
        default_factory=lambda: {"Image Type": "Typeset", "Copyright": "Public Domain"}
    )
    mime: str = "application/pdf"
    other: Mapping[str, Any] = field(default_factory=dict)

    @property
    def title(self) -> str:
        return f"File:{self.name}".replace("_", " ")

    @property
    def path(self) -> str:
        folder = hashlib.md5(self.name.encode()).hexdigest()
        return f"/images/{folder[0]}/{folder[:2]}/{quote(self.name)}"

    @property
    def key(self) -> str:
        """Where a listing by time goes on."""
        return "".join(filter(str.isdigit, self.time)) + f"|{self.name}"


@dataclass
class Imslp(Host):
    """The server; a context manager that runs it.

    Attributes:
        uploads: what there is.
        limit: of items in an answer, which the wiki may set lower than it is asked to.
        human: whether files are sent; else visitors have to show that they are human.
    """

    answer: Any = None
    uploads: Sequence[Upload] = ()
    limit: int = 500
    human: bool = True

    def __post_init__(self) -> None:
        self.answer = self._answer

    @property
    def addresses(self) -> dict[str, str]:
        return addresses(self.url)

    @property
    def asked_files(self) -> list[str]:
        """Names of the files that were asked for."""
        paths = [path for path in self.paths if path.startswith("/images/")]
        return [unquote(path.rpartition("/")[2]) for path in paths]

    def _answer(self, request: Request) -> Reply:
        if request.path == "/api.php":
            return self._api(dict(request.query))
        if request.path == "/friendlytest.html":
            return Reply(BOT_CHECK, headers={"content-type": "text/html"})
        place = request.path.removeprefix("/files")
        found = [upload for upload in self.uploads if upload.path == place]
        if not found:
            return Reply("<h1>404 Not Found</h1>", 404)
        if not self.human:
            return Reply(status=302, headers={"location": "/friendlytest.html"})
        if "imslpdisclaimeraccepted=yes" not in request.headers.get("cookie", ""):
            return Reply(DISCLAIMER, headers={"content-type": "text/html"})
        if place == request.path:
            return Reply(status=302, headers={"location": f"/files{place}"})
        return Reply(found[0].content, headers={"content-type": "application/pdf"})

    def _api(self, query: dict[str, str]) -> Reply:
        if query.get("action") != "query" or query.get("format") != "json":
            return _error("badvalue", 'Unrecognized value for parameter "action"')
        if unknown := set(query) - KNOWN:
            message = f"Unrecognized parameter: {', '.join(sorted(unknown))}."
            return json_reply({"batchcomplete": "", "warnings": {"main": {"*": message}}})
        if query.get("list") == "allimages":
            return self._all_images(query)
        kinds = {"fileusage": self._file_usage, "revisions": self._revisions}
        return kinds[query["prop"]](query)

    def _all_images(self, query: dict[str, str]) -> Reply:
        if query.get("aisort") != "timestamp" and "aistart" in query:
            return _error("badparams", "aistart can only be used with aisort=timestamp")
        found = sorted(
            (one for one in self.uploads if query["aistart"] <= one.time <= query["aiend"]),
            key=lambda one: one.key,
        )
        found = [one for one in found if one.key >= query.get("aicontinue", "")]
        limit = min(int(query["ailimit"]), self.limit)
        items = [self._item(upload) for upload in found[:limit]]
        said: dict[str, Any] = {"batchcomplete": "", "query": {"allimages": items}}
        if len(found) > limit:
            said["continue"] = {"aicontinue": found[limit].key, "continue": "-||"}
        return json_reply(said)

    def _item(self, upload: Upload) -> dict[str, Any]:
        item = {
            "name": upload.name,
            "timestamp": upload.time,
            "url": f"//imslp.org{upload.path}",
            "descriptionurl": f"http://imslp.org/wiki/{upload.title}",
            "size": len(upload.content),
            "width": 10000,
            "height": 10000,
            "sha1": hashlib.sha1(upload.content).hexdigest(),
            "mime": upload.mime,
            "ns": 6,
            "title": upload.title,
            **upload.other,
        }
        return {key: value for key, value in item.items() if value is not None}

    def _file_usage(self, query: dict[str, str]) -> Reply:
        titles = query["titles"].split("|")
        assert len(titles) <= 50
        start = int(query.get("fucontinue", "0"))
        shown = [
            (upload, number)
            for number, upload in enumerate(self.uploads)
            if upload.title in titles and upload.work
        ]
        pages: dict[str, Any] = {
            f"{1000 + number}": {"pageid": 1000 + number, "ns": 6, "title": title}
            for number, title in enumerate(titles)
        }
        by_title = {page["title"]: page for page in pages.values()}
        for upload, _ in shown[start : start + self.limit]:
            usage = {"pageid": 7, "ns": 0, "title": upload.work}
            by_title[upload.title]["fileusage"] = [usage]
        said: dict[str, Any] = {"query": {"pages": pages}}
        if len(shown) > start + self.limit:
            said["continue"] = {"fucontinue": str(start + self.limit), "continue": "||"}
        else:
            said["batchcomplete"] = ""
        return json_reply(said)

    def _revisions(self, query: dict[str, str]) -> Reply:
        pages: dict[str, Any] = {}
        for number, title in enumerate(query["titles"].split("|"), 1):
            blocks = "\n".join(self._blocks(title))
            text = f"{{{{#fte:imslppage\n| *****FILES***** =\n{blocks}\n| *****WORK INFO*****\n}}}}"
            revision = {"contentformat": "text/x-wiki", "contentmodel": "wikitext", "*": text}
            page = {"pageid": number, "ns": 0, "title": title, "revisions": [revision]}
            pages[str(number)] = page if blocks else {"ns": 0, "title": title, "missing": ""}
        return json_reply({"batchcomplete": "", "query": {"pages": pages}})

    def _blocks(self, work: str) -> Iterator[str]:
        for upload in self.uploads:
            if upload.work == work:
                fields = {"File Name 1": upload.name, "File Description 1": "Complete Score"}
                lines = [f"|{key}={value}" for key, value in {**fields, **upload.fields}.items()]
                yield "\n".join(["{{#fte:imslpfile", *lines, "|Editor={{LinkEd|H.|S.}}", "}}"])


def addresses(url: str) -> dict[str, str]:
    """Those of the hosts, on a wiki that runs at an address."""
    return {"imslp-api": f"{url}/api.php", "imslp-files": url}


def _error(code: str, info: str) -> Reply:
    error = {"code": code, "info": info, "*": "See https://imslp.org/api.php for API usage"}
    return json_reply({"error": error}, mediawiki_api_error=code)
