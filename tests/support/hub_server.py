"""The Hugging Face Hub on this machine, as far as its client asks it for datasets, or makes them.

What the client asks for a dataset: `/api/datasets/NAME/revision/REVISION` (commit, files, sizes), with
`/tree/` in its place the files alone, and for each file a HEAD and a GET of
`/datasets/NAME/resolve/REVISION/PATH`, which for large files lead on to a storage that knows ranges.

What the client asks for to push one, with a token: `/api/repos/create`, `/api/validate-yaml`,
`/api/datasets/NAME/preupload/main` (which files are large), the batch endpoint of Git LFS and a PUT for
each of these, and `/api/datasets/NAME/commit/main` with a line of JSON for each file.
"""

import base64
import hashlib
import http.server
import io
import json
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from huggingface_hub import constants

from helm_structext.data import hub as client

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
        private: whether it is shown to those alone who have a token.
        messages: of commits that were pushed, in order.
    """

    files: dict[str, dict[str, bytes]] = field(default_factory=dict)
    branches: dict[str, str] = field(default_factory=dict)
    refusal: tuple[int, str] | None = None
    open_files: set[str] = field(default_factory=set)
    private: bool = False
    messages: list[str] = field(default_factory=list)

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
        statuses: HTTP statuses of the next answers, 0 for one as it should be; then all are.
        cuts: after how many bytes the next downloads of large files break off.
        ranges: the ranges of large files that were asked for.
        begun: set when the first bytes of a large file were sent.
        held: if there is one, downloads of large files go on past these bytes when it is set.
        url: what `HF_ENDPOINT` is to be.
        token: who has it may write.
        objects: content of large files that were uploaded, by its SHA-256.
    """

    repositories: dict[str, Repository] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    cuts: list[int] = field(default_factory=list)
    ranges: list[str] = field(default_factory=list)
    begun: threading.Event = field(default_factory=threading.Event)
    held: threading.Event | None = None
    url: str = ""
    token: str = "hf_writer"
    objects: dict[str, bytes] = field(default_factory=dict)

    def repository(self, name: str) -> Repository:
        return self.repositories.setdefault(name, Repository())

    def fetched(self) -> list[str]:
        """The paths of files whose content was asked for, without the README."""
        found = (
            re.fullmatch(r"GET .*(?:/resolve/[^/]*/|\?name=)(.*)", line) for line in self.asked
        )
        return [match[1] for match in found if match and match[1] != "README.md"]


def _oid(content: bytes, large: bool) -> str:
    """By what the client knows that a file has not changed."""
    if large:
        return hashlib.sha256(content).hexdigest()
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


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

    def do_POST(self) -> None:
        self._write()

    def do_PUT(self) -> None:
        self._write()

    def log_message(self, *_: object) -> None:
        pass

    def _handle(self) -> None:
        hub = self.server.hub
        hub.asked.append(f"{self.command} {self.path}")
        if hub.statuses and (status := hub.statuses.pop(0)):
            self._answer(status, b"later")
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

    def _write(self) -> None:
        hub = self.server.hub
        hub.asked.append(f"{self.command} {self.path}")
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if hub.statuses and (status := hub.statuses.pop(0)):
            self._answer(status, b"later")
            return
        path = urlsplit(self.path).path
        # The storage's addresses are their own permission.
        if match := re.fullmatch(r"/upload/(.+)", path):
            hub.objects[match[1]] = body
            self._answer(200, b"")
            return
        if self.headers.get("Authorization") != f"Bearer {hub.token}":
            self._refuse(401, "", {})
            return
        for pattern, method in (
            (r"/api/repos/create", self._create),
            (r"/api/validate-yaml", self._validate),
            (r"/api/datasets/([^/]+/[^/]+)/preupload/main", self._preupload),
            (r"/datasets/([^/]+/[^/]+)\.git/info/lfs/objects/batch", self._batch),
            (r"/api/datasets/([^/]+/[^/]+)/commit/main", self._commit),
        ):
            if match := re.fullmatch(pattern, path):
                method(body, *match.groups())
                return
        self._refuse(404, "EntryNotFound")

    def _create(self, body: bytes) -> None:
        asked = json.loads(body)
        assert asked["type"] == "dataset"
        hub, name = self.server.hub, f"{asked['organization'] or 'me'}/{asked['name']}"
        url = {"url": f"{hub.url}/datasets/{name}"}
        if name in hub.repositories:
            self._answer(409, json.dumps({"error": "You already created it", **url}).encode())
            return
        repository = hub.repository(name)
        repository.private = asked.get("visibility") == "private"
        repository.commit({".gitattributes": b"*.parquet filter=lfs\n"})
        self._answer(200, json.dumps(url).encode())

    def _validate(self, body: bytes) -> None:
        asked = json.loads(body)
        metadata = yaml.safe_load(asked["content"].split("---\n")[1])
        errors = [] if "license" in metadata else [{"message": '"license" is required'}]
        self._answer(
            400 if errors else 200, json.dumps({"errors": errors, "warnings": []}).encode()
        )

    def _preupload(self, body: bytes, name: str) -> None:
        there = self.server.hub.repositories[name]
        contents = there.files[there.branches["main"]]
        files = []
        for file in json.loads(body)["files"]:
            large = file["path"].endswith(".parquet")
            oid = _oid(contents[file["path"]], large) if file["path"] in contents else None
            mode = "lfs" if large else "regular"
            files.append({**file, "uploadMode": mode, "shouldIgnore": False, "oid": oid})
        self._answer(200, json.dumps({"files": files}).encode())

    def _batch(self, body: bytes, name: str) -> None:
        hub = self.server.hub
        objects = []
        for wanted in json.loads(body)["objects"]:
            known = wanted["oid"] in hub.objects
            upload = {"upload": {"href": f"{hub.url}/upload/{wanted['oid']}", "header": {}}}
            objects.append({**wanted, **({} if known else {"actions": upload})})
        self._answer(200, json.dumps({"transfer": "basic", "objects": objects}).encode())

    def _commit(self, body: bytes, name: str) -> None:
        hub = self.server.hub
        repository = hub.repositories[name]
        files = dict(repository.files[repository.branches["main"]])
        for line in body.splitlines():
            match json.loads(line):
                case {"key": "header", "value": {"summary": summary}}:
                    repository.messages.append(summary)
                case {"key": "file", "value": {"path": path, "content": content}}:
                    files[path] = base64.b64decode(content)
                case {"key": "lfsFile", "value": {"path": path, "oid": oid}}:
                    files[path] = hub.objects[oid]
                case {"key": "deletedFile", "value": {"path": path}}:
                    del files[path]
        digest = repository.commit(files)
        url = f"{hub.url}/datasets/{name}/commit/{digest}"
        self._answer(200, json.dumps({"commitUrl": url, "commitOid": digest}).encode())

    def _info(self, name: str, revision: str) -> None:
        if (files := self._at(name, revision)) is not None:
            commit, contents = files
            siblings = [{"rfilename": path, "size": len(data)} for path, data in contents.items()]
            info = {"_id": "1", "id": name, "sha": commit, "siblings": siblings}
            info["private"] = self.server.hub.repositories[name].private
            if (readme := contents.get("README.md", b"")).startswith(b"---\n"):
                info["cardData"] = yaml.safe_load(readme.split(b"---\n")[1])
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
        if self.command != "HEAD":
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


@contextmanager
def hub_of_this_process(cache: Path) -> Iterator[HubServer]:
    """Runs a Hub without datasets, which this process asks.

    Args:
        cache: what this disk holds of it.
    """
    with hub_server() as running, pytest.MonkeyPatch.context() as patch:
        ask(running.url, patch)
        patch.setattr(constants, "HF_HUB_CACHE", str(cache))
        patch.setattr(constants, "HF_HUB_OFFLINE", False)
        another_process()
        yield running
        another_process()


def ask(endpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What `HF_ENDPOINT` does before the Hub's client is imported."""
    path = constants.HUGGINGFACE_CO_URL_TEMPLATE.removeprefix(constants.ENDPOINT)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", f"{endpoint}{path}")
    monkeypatch.setattr(constants, "ENDPOINT", endpoint)


def another_process() -> None:
    """Forgets what a process keeps of the Hub."""
    client._ask_hub.cache_clear()
    client._lost.clear()
