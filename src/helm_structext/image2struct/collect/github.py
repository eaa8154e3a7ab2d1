"""GitHub: repositories of webpages by its search, and each as the archive of one commit.

A search has at most 1,000 results, so each asks for the repositories of one day, and of a part of it
where a day has more, or where the search says that it ran out of time. Listed are repositories whose
name has "github.io", of at most 100 kB, sorted by their last change.

Source: Image2Struct, section 2.1.1; GitHub's documentation of its REST API (version 2022-11-28):
search, pagination, repository contents.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from functools import partial
from typing import Any
from urllib.parse import quote

from helm_structext.data.archives import unpack_archive
from helm_structext.errors import SetupError
from helm_structext.image2struct.collect.filters import malformed
from helm_structext.image2struct.collect.records import (
    CandidateRefused,
    Download,
    Filter,
    Listing,
    SourceCandidate,
    Tools,
)
from helm_structext.patterns import Pattern
from helm_structext.storage.file_names import explain_conflict
from helm_structext.texts import describe_error, one_line, quote_value

SEARCH, API = "github-search", "github-api"
"""Names of the host: it counts searches apart from all other requests."""
ADDRESSES = dict.fromkeys((SEARCH, API), "https://api.github.com")
VERSION = {"x-github-api-version": "2022-11-28"}
JSON = {"accept": "application/vnd.github+json", **VERSION}
COMMIT_ID = {"accept": "application/vnd.github.sha", **VERSION}

MAX_KB = 100
"""Of a repository, as GitHub measures it: packed, with its history."""
MAX_RESULTS, PER_PAGE = 1000, 100
"""Of a search, whatever it found, and of one of its pages."""
MIN_SPAN = timedelta(hours=1)
"""A search that ran out of time is not split further than this."""
MAX_ARCHIVE = 4 * 2**20
"""Bytes of an archive: that of one commit is little larger than the packed repository."""

MAX_UNPACKED = 4 * 2**20
"""Bytes of its files: what is packed to 100 kB can be far larger."""

MAX_TEXT = 500
"""Bytes of the names that GitHub gives to a branch and a license."""
TIME = "%Y-%m-%dT%H:%M:%SZ"
NAME = Pattern(r"([\w-]{1,100})/([\w.-]{1,100})", ascii=True)
SHA = Pattern("[0-9a-f]{40}")


@dataclass(frozen=True)
class Span:
    """A time in which repositories were created: UTC, whole seconds, both ends included.

    >>> day = Span.of(date(2024, 1, 31))
    >>> str(day), [str(half) for half in day.halves()]  # doctest: +NORMALIZE_WHITESPACE
    ('2024-01-31..2024-01-31',
     ['2024-01-31T00:00:00Z..2024-01-31T11:59:59Z', '2024-01-31T12:00:00Z..2024-01-31T23:59:59Z'])
    """

    first: datetime
    last: datetime

    @classmethod
    def of(cls, day: date) -> "Span":
        """Returns a whole day."""
        first = datetime(day.year, day.month, day.day, tzinfo=UTC)
        return cls(first, first + timedelta(days=1, seconds=-1))

    @property
    def length(self) -> timedelta:
        """The time from its begin to its end."""
        return self.last - self.first + timedelta(seconds=1)

    def halves(self) -> tuple["Span", "Span"]:
        """Returns its two parts; it must be longer than a second."""
        middle = self.first + timedelta(seconds=self.length // timedelta(seconds=2))
        return Span(self.first, middle - timedelta(seconds=1)), Span(middle, self.last)

    def __str__(self) -> str:
        if self.length == timedelta(days=1):
            return f"{self.first:%Y-%m-%d}..{self.last:%Y-%m-%d}"
        return f"{self.first:{TIME}}..{self.last:{TIME}}"


@dataclass(frozen=True)
class SearchPage:
    """One answer to a search.

    Args:
        total: the results that the search found, which may be more than it gives.
        incomplete: whether it ran out of time.
        items: as they came.
        following: address of the next page, or "".
    """

    total: int
    incomplete: bool
    items: tuple[Any, ...]
    following: str


def make_listing(language: str) -> Listing:
    """Returns the stream of repositories whose main language is this one, by day of creation."""
    return Listing(language, partial(candidates, language))


def candidates(language: str, tools: Tools) -> Iterator[SourceCandidate]:
    """Yields what the search finds for each day of the window, the first day first.

    Raises:
        SetupError: the search answers something else than its documentation says.
    """
    for day in tools.settings.window:
        for span, page in _pages(language, Span.of(day), tools):
            for number, item in enumerate(page.items, 1):
                yield _candidate(item, language, page, f"{language} {span} {number}", day)


def _pages(language: str, span: Span, tools: Tools) -> Iterator[tuple[str, SearchPage]]:
    """Yields the pages of a search, or of those of its parts; with the search and its page."""
    search = {
        "q": f"github.io in:name size:<={MAX_KB} created:{span} language:{language}",
        "sort": "updated",
        "per_page": str(PER_PAGE),
    }
    base = tools.settings.addresses[SEARCH]
    page = _page(f"{base}/search/repositories", search, tools)
    if _to_be_split(page, span):
        for half in span.halves():
            yield from _pages(language, half, tools)
        return
    yield f"{span} page 1", page
    for number in range(2, MAX_RESULTS // PER_PAGE + 1):
        if not page.following:
            return
        if not page.following.startswith(f"{base}/"):
            raise SetupError(
                f"the search at {base} continues at {quote_value(page.following)}, another host; "
                f"check --address {SEARCH}"
            )
        page = _page(page.following, None, tools)
        yield f"{span} page {number}", page


def _to_be_split(page: SearchPage, span: Span) -> bool:
    if page.incomplete and span.length > MIN_SPAN:
        return True
    return page.total > MAX_RESULTS and span.length > timedelta(seconds=1)


def _page(url: str, search: Mapping[str, str] | None, tools: Tools) -> SearchPage:
    """One page of a search.

    Raises:
        SetupError: it is not what the documentation says.
        CandidateRefused: see `HostClient.get`.
    """
    answer = tools.client.get(url, search, host=SEARCH, headers=JSON)
    try:
        match json.loads(answer.content):
            case {
                "total_count": int(total),
                "incomplete_results": bool(incomplete),
                "items": list(items),
            }:
                return SearchPage(total, incomplete, tuple(items), _next_page(answer.headers))
        problem = "total_count, incomplete_results or items are missing"
    except (ValueError, RecursionError) as error:
        problem = describe_error(error)
    tools.client.forget(answer)
    raise SetupError(
        f"the search at {tools.settings.addresses[SEARCH]} gives no page of results ({problem}); check "
        f"--address {SEARCH}, or give the same command again later"
    )


def _next_page(headers: Mapping[str, str]) -> str:
    """The address of the next page, from the header of links (RFC 8288), or ""."""
    import httpx  # which is needed by those alone who collect

    links = httpx.Response(200, headers={"link": headers.get("link", "")}).links
    return links.get("next", {}).get("url", "")


def _candidate(
    item: Any, language: str, page: SearchPage, place: str, day: date
) -> SourceCandidate:
    """A result of a search; one that makes no sense is named after its place, and refused later."""
    try:
        return _read(item, language, page)
    except ValueError as error:
        return SourceCandidate(
            place, language, "", day, "", "", {"malformed": one_line(str(error), 250)}
        )


def _read(item: Any, language: str, page: SearchPage) -> SourceCandidate:
    match item:
        case {
            "full_name": str(name),
            "created_at": str(created),
            "default_branch": str(branch),
            "size": int(size),
            "fork": bool(fork),
        } if (found := NAME.fullmatch(name)) and found[2].strip(".") and ".." not in branch:
            pass
        case _:
            raise ValueError(f"it is not what a search yields: {quote_value(item, 200)}")
    license = _license(item.get("license"))
    if len((branch + license).encode()) > MAX_TEXT:  # a ValueError, too, if it is no text
        raise ValueError(f"its branch or license has more than {MAX_TEXT} bytes")
    return SourceCandidate(
        name=name,
        group=language,
        owner=str(found[1]).lower(),
        day=datetime.strptime(created, TIME).date(),
        url=f"https://github.com/{name}",
        license=license,
        info={
            "branch": branch,
            "created_at": created,
            "size": size,
            "fork": fork,
            "archived": item.get("archived") is True,
            "disabled": item.get("disabled") is True,
            "incomplete_results": page.incomplete,
        },
    )


def _license(said: Any) -> str:
    """The SPDX identifier of a license; "" where there is none."""
    match said:
        case {"spdx_id": str(identifier)}:
            return identifier
    return ""


def fork(candidate: SourceCandidate, tools: Tools) -> str | None:
    """Refuses copies of other repositories, which a search leaves out by itself."""
    return "it is a fork" if candidate.info["fork"] else None


def disabled(candidate: SourceCandidate, tools: Tools) -> str | None:
    """Refuses repositories to which GitHub has shut off access."""
    return "GitHub has disabled it" if candidate.info["disabled"] else None


def too_large(candidate: SourceCandidate, tools: Tools) -> str | None:
    """Refuses repositories of more than `MAX_KB`."""
    size = candidate.info["size"]
    return f"it has {size} kB; at most {MAX_KB} are taken" if size > MAX_KB else None


FETCH_FILTERS: tuple[Filter[SourceCandidate], ...] = (malformed, fork, disabled, too_large)


def download(candidate: SourceCandidate, tools: Tools) -> Download:
    """Downloads the newest commit of a repository's main branch.

    The commit is asked for first and then kept with the candidate: an archive of a commit always
    has the same files.

    Raises:
        CandidateRefused: there is no commit, or its archive is none of plain files in one folder; or see
            `HostClient.get`.
    """
    repository = f"{tools.settings.addresses[API]}/repos/{candidate.name}"
    commit = _newest_commit(candidate, repository, tools)
    url = f"{repository}/tarball/{commit}"
    answer = tools.client.get(url, host=API, headers=JSON, max_bytes=MAX_ARCHIVE)
    try:
        files = _without_top_folder(unpack_archive(answer.content))
    except ValueError as error:
        raise CandidateRefused("unreadable_archive", str(error)) from error
    if (size := sum(map(len, files.values()))) > MAX_UNPACKED:
        raise CandidateRefused("too_large", f"its files have {size:,} bytes")
    if wrong := explain_conflict(files):
        raise CandidateRefused("unreadable_archive", wrong)
    info = {**candidate.info, "commit": commit}
    return Download(replace(candidate, url=url, info=info), files)


def _newest_commit(candidate: SourceCandidate, repository: str, tools: Tools) -> str:
    branch = quote(f"heads/{candidate.info['branch']}")
    answer = tools.client.get(
        f"{repository}/commits/{branch}",
        host=API,
        headers=COMMIT_ID,
        accept=frozenset({200, 409, 422}),
    )
    commit = answer.content.decode("ascii", "replace").strip()
    if answer.status != 200 or not SHA.fullmatch(commit):
        raise CandidateRefused(
            "no_commit", f"its branch {quote_value(candidate.info['branch'])} has no commit"
        )
    return commit


def _without_top_folder(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """An archive's files; GitHub puts all into a folder of the repository's and the commit's name."""
    if len({name.partition("/")[0] for name in files}) > 1:
        raise ValueError("it has more than one folder at its top")
    return {name.partition("/")[2] or name: content for name, content in files.items()}
