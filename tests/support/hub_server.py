"""The Hugging Face Hub on this machine, as far as its client asks it for datasets.

What the client asks for a dataset: `/api/datasets/NAME/revision/REVISION` (commit, files, sizes), with
`/tree/` in its place the files alone, and for each file a HEAD and a GET of
`/datasets/NAME/resolve/REVISION/PATH`, which for large files lead on to a storage that knows ranges.
"""

import hashlib
import http.server
import io
import json
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urlsplit

import pyarrow as pa
import pyarrow.parquet as pq
import yaml

LARGE = 5_000
"""Bytes from which a file lies in the storage, as those of Git LFS do."""


@dataclass
class Repository:
    """A dataset.

    Attributes:
        files: path to content, at each commit.
        branches: name to commit.
        refusal: status and `X-Error-Code` of the answer to whoever wants a file, such as 403 and
            ``GatedRepo``.
        open_files: the paths to which that does not apply.
    """

    files: dict[str, dict[str, bytes]] = field(default_factory=dict)
    branches: dict[str, str] = field(default_factory=dict)
    refusal: tuple[int, str] | None = None
    open_files: set[str] = field(default_factory=set)

    def commit(self, files: dict[str, bytes], branch: str = "main") -> str:
        """Makes these files the branch's newest commit, and returns its name."""
        digest = hashlib.sha1(repr((sorted(files.items()), len(self.files))).encode()).hexdigest()
        self.files[digest] = files
        self.branches[branch] = digest
        return digest


@dataclass
class HubServer:
    """A Hub.

    Attributes:
        repositories: name to dataset.
        asked: method and path of each request, in order.
        statuses: HTTP statuses of the next answers; from then on it answers as it should.
        cuts: after how many bytes the next downloads of large files break off.
        ranges: the ranges of large files that were asked for.
        begun: set when the first bytes of a large file were sent.
        held: if there is one, downloads of large files go on past these bytes when it is set.
        url: what `HF_ENDPOINT` is to be.
    """

    repositories: dict[str, Repository] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    cuts: list[int] = field(default_factory=list)
    ranges: list[str] = field(default_factory=list)
    begun: threading.Event = field(default_factory=threading.Event)
    held: threading.Event | None = None
    url: str = ""

    def repository(self, name: str) -> Repository:
        return self.repositories.setdefault(name, Repository())

    def fetched(self) -> list[str]:
        """The paths of files whose content was asked for, without the README."""
        found = (
            re.fullmatch(r"GET .*(?:/resolve/[^/]*/|\?name=)(.*)", line) for line in self.asked
        )
        return [match[1] for match in found if match and match[1] != "README.md"]


def parquet(rows: Sequence[dict[str, Any]], schema: pa.Schema | None = None) -> bytes:
    """Returns rows as a Parquet file, as `datasets` writes it: in small groups."""
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(list(rows), schema=schema), buffer, row_group_size=100)
    return buffer.getvalue()


def card(configs: dict[str, dict[str, str]], **more: Any) -> bytes:
    """Returns a README whose metadata says config to split to pattern of paths."""
    entries = [
        {
            "config_name": config,
            "data_files": [{"split": split, "path": path} for split, path in splits.items()],
        }
        for config, splits in configs.items()
    ]
    metadata = yaml.safe_dump({"license": "mit", **more, "configs": entries}, sort_keys=False)
    return f"---\n{metadata}---\n# A dataset\n".encode()


class _Handler(http.server.BaseHTTPRequestHandler):
    server: "_Server"

    def do_GET(self) -> None:
        self._handle()

    def do_HEAD(self) -> None:
        self._handle()

    def log_message(self, *_: object) -> None:
        pass

    def _handle(self) -> None:
        hub = self.server.hub
        hub.asked.append(f"{self.command} {self.path}")
        if hub.statuses:
            self._answer(hub.statuses.pop(0), b"later")
            return
        parts = urlsplit(self.path)
        for pattern, method in (
            (r"/api/datasets/([^/]+/[^/]+?)(?:/revision/(.+))?", self._info),
            (r"/api/datasets/([^/]+/[^/]+)/tree/([^/]+)", self._tree),
            (r"/datasets/([^/]+/[^/]+)/resolve/([^/]+)/(.+)", self._file),
            (r"/storage/([^/]+/[^/]+)/([^/]+)/(.+)", self._storage),
        ):
            if match := re.fullmatch(pattern, parts.path):
                method(*(unquote(group or "") for group in match.groups()))
                return
        self._refuse(404, "EntryNotFound")

    def _info(self, name: str, revision: str) -> None:
        if (files := self._at(name, revision)) is not None:
            commit, contents = files
            siblings = [{"rfilename": path, "size": len(data)} for path, data in contents.items()]
            info = {"_id": "1", "id": name, "sha": commit, "siblings": siblings}
            self._answer(200, json.dumps(info).encode())

    def _tree(self, name: str, revision: str) -> None:
        if (files := self._at(name, revision)) is not None:
            entries = [
                {
                    "type": "file",
                    "path": path,
                    "size": len(data),
                    "oid": hashlib.sha1(data).hexdigest(),
                }
                for path, data in files[1].items()
            ]
            self._answer(200, json.dumps(entries).encode())

    def _file(self, name: str, revision: str, path: str) -> None:
        repository = self.server.hub.repositories.get(name)
        refused = repository is not None and path not in repository.open_files
        if refused and repository.refusal is not None:
            self._refuse(*repository.refusal)
            return
        if (files := self._at(name, revision)) is None:
            return
        commit, contents = files
        headers = {"X-Repo-Commit": commit}
        if path not in contents:
            self._refuse(404, "EntryNotFound", headers)
            return
        data = contents[path]
        digest = f'"{hashlib.sha256(data).hexdigest()}"'
        if len(data) < LARGE:
            self._answer(200, data, {**headers, "ETag": digest})
            return
        # By another name: of its own name the client expects no redirects but those of a renaming.
        storage = self.server.hub.url.replace("127.0.0.1", "localhost")
        location = f"{storage}/storage/{name}/{commit}/{path}?name={path}"
        linked = {"X-Linked-Etag": digest, "X-Linked-Size": str(len(data))}
        self._answer(302, b"", {**headers, **linked, "Location": location})

    def _storage(self, name: str, commit: str, path: str) -> None:
        hub = self.server.hub
        data = hub.repositories[name].files[commit][path]
        begin = 0
        headers = {}
        if wanted := re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range") or ""):
            begin = int(wanted[1])
            hub.ranges.append(wanted[0])
            headers = {"Content-Range": f"bytes {begin}-{len(data) - 1}/{len(data)}"}
        self._head(206 if headers else 200, len(data) - begin, headers)
        if hub.cuts:
            self.wfile.write(data[begin : begin + hub.cuts.pop(0)])
            self.close_connection = True
            return
        self.wfile.write(data[begin : begin + LARGE])
        hub.begun.set()
        if hub.held is not None:
            assert hub.held.wait(60)
        self.wfile.write(data[begin + LARGE :])

    def _at(self, name: str, revision: str) -> tuple[str, dict[str, bytes]] | None:
        repository = self.server.hub.repositories.get(name)
        if repository is None:
            self._refuse(404, "RepoNotFound")
            return None
        commit = repository.branches.get(revision or "main", revision)
        if commit not in repository.files:
            self._refuse(404, "RevisionNotFound")
            return None
        return commit, repository.files[commit]

    def _refuse(self, status: int, code: str, headers: dict[str, str] | None = None) -> None:
        self._answer(status, b"no", {"X-Error-Code": code, **(headers or {})})

    def _answer(self, status: int, data: bytes, headers: dict[str, str] | None = None) -> None:
        self._head(status, len(data), headers or {})
        if self.command == "GET":
            self.wfile.write(data)

    def _head(self, status: int, length: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(length)}.items():
            self.send_header(name, value)
        self.end_headers()


class _Server(http.server.ThreadingHTTPServer):
    hub: HubServer
    daemon_threads = True


@contextmanager
def hub_server() -> Iterator[HubServer]:
    """Runs a Hub without datasets."""
    hub = HubServer()
    with _Server(("127.0.0.1", 0), _Handler) as httpd:
        httpd.hub = hub
        hub.url = f"http://127.0.0.1:{httpd.server_address[1]}"
        thread = threading.Thread(target=httpd.serve_forever, args=[0.01])
        thread.start()
        try:
            yield hub
        finally:
            httpd.shutdown()
            thread.join()
