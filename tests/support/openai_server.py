"""An OpenAI-compatible server on this machine, and the files that make HELM ask it."""

import http.server
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

MODEL = "me/my-vlm"
DEPLOYMENTS = """\
model_deployments:
  - name: local/my-vlm
    model_name: me/my-vlm
    client_spec:
      class_name: helm.clients.vllm_client.VLLMChatClient
      args: {base_url: "%s", vllm_model_name: my-vlm}
"""
METADATA = """\
models:
  - name: me/my-vlm
    display_name: My VLM
    description: A model of mine.
    creator_organization_name: Me
    access: open
    release_date: 2026-11-21
    tags: [VISION_LANGUAGE_MODEL_TAG, FULL_FUNCTIONALITY_VLM_TAG]
"""
USAGE = {"prompt_tokens": 1234, "completion_tokens": 11, "total_tokens": 1245}
Reply = str | Callable[[dict[str, Any]], str | int]


def has_picture(body: dict[str, Any]) -> bool:
    """Says whether a request comes with a picture."""
    return '"image_url"' in json.dumps(body)


def asks_for_number(body: dict[str, Any]) -> bool:
    """Says whether a request is that of `helm-structext try` with a number in a picture."""
    return "Which number do you see?" in json.dumps(body)


@dataclass
class OpenAIServer:
    """A server that gives one reply to everything; the first answers may be errors.

    Attributes:
        reply: what it says, or what it says to the body of a request; a number is an HTTP status.
        statuses: HTTP statuses of the first answers; from then on it is 200.
        models: the names that its list has, or what it says instead; None is no list at all.
        lists_asked: how many times the list was asked for.
        requests: the bodies of the requests that were answered with 200, and their paths.
        url: what a client calls its base URL.
    """

    reply: Reply
    statuses: list[int] = field(default_factory=list)
    models: list[str] | str | None = None
    lists_asked: int = 0
    requests: list[dict[str, Any]] = field(default_factory=list)
    url: str = ""

    def list_models(self) -> tuple[int, bytes]:
        self.lists_asked += 1
        if self.models is None:
            return 404, b"{}"
        if isinstance(self.models, str):
            return 200, self.models.encode()
        listed = [{"id": name, "object": "model"} for name in self.models]
        return 200, json.dumps({"object": "list", "data": listed}).encode()

    def answer(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        if self.statuses:
            return self.statuses.pop(0), {"error": {"message": "later"}}
        said = self.reply(body) if callable(self.reply) else self.reply
        if isinstance(said, int):
            return said, {"error": {"message": "not for me"}}
        self.requests.append({"path": path, **body})
        message = {"role": "assistant", "content": said}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        reply = {"id": "1", "object": "chat.completion", "created": 1, "model": body["model"]}
        return 200, {**reply, "choices": [choice], "usage": USAGE}

    def configure(self, folder: Path) -> None:
        """Makes HELM, run in a folder, know the server as the model `MODEL`."""
        (folder / "prod_env").mkdir()
        (folder / "prod_env" / "model_deployments.yaml").write_text(DEPLOYMENTS % self.url)
        (folder / "prod_env" / "model_metadata.yaml").write_text(METADATA)


@contextmanager
def openai_server(reply: Reply, *statuses: int) -> Iterator[OpenAIServer]:
    """Runs a server that answers with these statuses first, then always with the reply."""
    server = OpenAIServer(reply, list(statuses))

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, content = server.answer(self.path, body)
            self.reply(status, json.dumps(content).encode())

        def do_GET(self) -> None:
            assert self.path == "/v1/models"
            self.reply(*server.list_models())

        def reply(self, status: int, data: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as httpd:
        server.url = f"http://127.0.0.1:{httpd.server_address[1]}/v1"
        thread = threading.Thread(target=httpd.serve_forever)
        thread.start()
        try:
            yield server
        finally:
            httpd.shutdown()
            thread.join()
