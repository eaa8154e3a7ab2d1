"""GitHub on this machine, as far as its documentation says how it answers a collector.

Search of repositories (`GET /search/repositories`), commits (`/repos/O/R/commits/REF`) and archives
(`/repos/O/R/tarball/REF`, which leads on to a second host), pages and their links, the limit of 1,000
results, and both kinds of limits on requests.
"""

import time
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from urllib.parse import unquote, urlencode

from support.archives import tar_gz
from support.hosts import Host, Reply, Request, json_reply
from support.repositories import Repository

MAX_RESULTS = 1000
DOCUMENTATION = "https://docs.github.com/rest"


@dataclass
class GitHub:
    """What the two hosts know.

    Attributes:
        repositories: that exist.
        token: that requests must carry, or "" if none need one.
        quotas: requests that are left of each kind, ``search`` and ``core``, until the next `reset`;
            a kind that is not there has no limit.
        reset: seconds after which quotas are filled up again.
        slow: searches over more than this time say that they are incomplete.
        api: the host that answers questions.
        codeload: the host that sends archives.
    """

    repositories: Sequence[Repository]
    token: str = ""
    quotas: dict[str, int] = field(default_factory=dict)
    reset: int = 1
    slow: timedelta | None = None
    api: Host = field(init=False)
    codeload: Host = field(init=False)

    def __post_init__(self) -> None:
        self.api, self.codeload = Host(self._answer), Host(self._archive)
        self._used: Counter[str] = Counter()
        self._resets: dict[str, int] = {}
        self._named = {one.full_name.lower(): one for one in self.repositories}

    @property
    def addresses(self) -> dict[str, str]:
        """What `Tools.addresses` is to be."""
        return dict.fromkeys(("github-search", "github-api"), self.api.url)

    @property
    def searches(self) -> list[str]:
        """The searches, each with its page."""
        asked = [one.query for one in self.api.requests if one.path == "/search/repositories"]
        return [f"{query['q']} page {query.get('page', '1')}" for query in asked]

    def _answer(self, request: Request) -> Reply:
        if self.token and request.headers.get("authorization") != f"Bearer {self.token}":
            return _error(401, "Bad credentials")
        if not request.headers.get("user-agent"):
            return _error(403, "Request forbidden by administrative rules.")
        kind = "search" if request.path.startswith("/search/") else "core"
        limits = self._count(kind)
        if limits.get("x-ratelimit-remaining") == "-1":
            reply = _error(403, "API rate limit exceeded for user ID 1.")
            limits["x-ratelimit-remaining"] = "0"
        else:
            reply = self._search(request) if kind == "search" else self._repository(request)
        return Reply(reply.body, reply.status, {**reply.headers, **limits})

    def _count(self, kind: str) -> dict[str, str]:
        if kind not in self.quotas:
            return {}
        now = time.time()
        if now >= self._resets.get(kind, 0):
            self._resets[kind], self._used[kind] = int(now) + self.reset, 0
        self._used[kind] += 1
        return {
            "x-ratelimit-limit": str(self.quotas[kind]),
            "x-ratelimit-remaining": str(max(self.quotas[kind] - self._used[kind], -1)),
            "x-ratelimit-reset": str(self._resets[kind]),
            "x-ratelimit-resource": kind,
        }

    def _search(self, request: Request) -> Reply:
        per_page = int(request.query.get("per_page", "30"))
        page = int(request.query.get("page", "1"))
        if page * per_page > MAX_RESULTS:
            return _error(422, "Only the first 1000 search results are available")
        try:
            search = _Search(request.query["q"])
        except (KeyError, ValueError) as error:
            return _error(422, f"Validation Failed: {error}")
        found = sorted(
            filter(search.finds, self.repositories),
            key=lambda one: (one.updated, one.full_name),
            reverse=True,
        )
        incomplete = self.slow is not None and search.length > self.slow
        if incomplete:
            found = found[::2]
        shown = found[(page - 1) * per_page : page * per_page]
        last = -(-min(len(found), MAX_RESULTS) // per_page)
        body = {
            "total_count": len(found),
            "incomplete_results": incomplete,
            "items": [_described(one) for one in shown],
        }
        places = {"prev": page - 1, "next": page + 1, "last": last, "first": 1}
        links = [
            f'<{self.api.url}{request.path}?{urlencode({**request.query, "page": place})}>; rel="{rel}"'
            for rel, place in places.items()
            if 1 <= place <= last and place != page
        ]
        reply = json_reply(body)
        return Reply(reply.body, 200, {**reply.headers, "link": ", ".join(links)})

    def _repository(self, request: Request) -> Reply:
        _, repos, owner, name, what, *rest = [*request.path.split("/"), "", "", "", ""]
        repository = self._named.get(f"{owner}/{name}".lower())
        reference = unquote("/".join(rest).rstrip("/"))
        if repos != "repos" or repository is None or what not in ("commits", "tarball"):
            return _error(404, "Not Found")
        if repository.status != 200:
            return _error(repository.status, "Repository access blocked")
        if repository.moved_to:
            place = f"{self.api.url}/repos/{repository.moved_to}/{what}/{reference}"
            return Reply("", 301, {"location": place})
        if not repository.files and repository.archive is None:
            return _error(409, "Git Repository is empty.")
        if reference not in (f"heads/{repository.branch}", repository.commit):
            return _error(422, f"No commit found for SHA: {reference}")
        if what == "tarball":
            place = f"{self.codeload.url}/{repository.full_name}/legacy.tar.gz/{repository.commit}"
            return Reply("", 302, {"location": place})
        if request.headers.get("accept") == "application/vnd.github.sha":
            kind = "application/vnd.github.sha; charset=utf-8"
            return Reply(repository.commit, 200, {"content-type": kind})
        return json_reply({"sha": repository.commit, "commit": {"message": "First"}})

    def _archive(self, request: Request) -> Reply:
        _, owner, name, form, *reference = request.path.split("/")
        repository = self._named.get(f"{owner}/{name}".lower())
        if repository is None or form != "legacy.tar.gz" or reference != [repository.commit]:
            return Reply("404: Not Found", 404, {"content-type": "text/plain"})
        body = repository.archive
        if body is None:
            body = git_archive(repository)
        return Reply(
            body() if callable(body) else body, 200, {"content-type": "application/x-gzip"}
        )


@contextmanager
def github(repositories: Sequence[Repository], **options: object) -> Iterator[GitHub]:
    """Yields a GitHub that has these repositories.

    Args:
        repositories: that exist.
        options: of `GitHub`.
    """
    hub = GitHub(repositories, **options)  # type: ignore[arg-type]
    with hub.api, hub.codeload:
        yield hub


class _Search:
    """A query, by the qualifiers that the documentation lists.

    Args:
        query: words and qualifiers, parted by blanks.
    """

    def __init__(self, query: str) -> None:
        self.words: list[str] = []
        self._created = (datetime.min.replace(tzinfo=UTC),) * 2
        self._size, self._language = 0, ""
        for part in query.split():
            qualifier, colon, value = part.partition(":")
            if not colon:
                self.words.append(part.lower())
            elif qualifier == "created":
                self._created = _span(value)
            elif qualifier == "size" and value.startswith("<="):
                self._size = int(value[2:])
            elif qualifier == "language":
                self._language = value.lower()
            elif (qualifier, value) != ("in", "name"):
                raise ValueError(f"{part} is not known")
        if not self.words:
            raise ValueError("no words")

    @property
    def length(self) -> timedelta:
        """Of the time in which repositories were created."""
        return self._created[1] - self._created[0]

    def finds(self, one: Repository) -> bool:
        """Whether a repository is a result; forks are none."""
        return (
            all(word in one.name.lower() for word in self.words)
            and not one.fork
            and one.size <= self._size
            and one.language.lower() == self._language
            and self._created[0] <= one.created <= self._created[1]
        )


def _span(value: str) -> tuple[datetime, datetime]:
    first, _, last = value.partition("..")
    days = timedelta() if "T" in last else timedelta(days=1, seconds=-1)
    return _moment(first), _moment(last) + days


def _moment(text: str) -> datetime:
    found = datetime.fromisoformat(text.replace("Z", "+00:00"))
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _error(status: int, message: str) -> Reply:
    return json_reply({"message": message, "documentation_url": DOCUMENTATION}, status)


def _described(one: Repository) -> dict[str, object]:
    """What a search says of a repository; a part of it."""
    times = {"created_at": one.created, "updated_at": one.updated, "pushed_at": one.updated}
    return {
        "id": zlib.crc32(one.full_name.encode()),
        "name": one.name,
        "full_name": one.full_name,
        "private": False,
        "owner": {"login": one.owner, "type": "User"},
        "html_url": f"https://github.com/{one.full_name}",
        "description": None,
        **{name: f"{moment:%Y-%m-%dT%H:%M:%SZ}" for name, moment in times.items()},
        "homepage": None,
        "size": one.size,
        "language": one.language,
        "license": one.license and {"key": one.license.lower(), "spdx_id": one.license},
        "fork": one.fork,
        "archived": one.archived,
        "disabled": False,
        "default_branch": one.branch,
        **one.said,
    }


def git_archive(repository: Repository) -> bytes:
    """Returns what GitHub sends: Git's tar with the commit in its header, in one folder."""
    top = f"{repository.owner}-{repository.name}-{repository.commit[:7]}"
    files = {f"{top}/{name}": content for name, content in repository.files.items()}
    links = {f"{top}/{name}": target for name, target in repository.links.items()}
    return tar_gz(files, links, comment=repository.commit)
