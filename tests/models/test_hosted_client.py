"""HELM's own OpenAI client against a server on this machine, as a user would configure it."""

import base64
import http.server
import io
import json
import threading
from pathlib import Path

import pytest
from PIL import Image, ImageChops, ImageStat
from tests.test_end_to_end import helm_run, run, stats_of

DEPLOYMENTS = """\
model_deployments:
  - name: local/my-vlm
    model_name: me/my-vlm
    client_spec:
      class_name: helm.clients.vllm_client.VLLMChatClient
      args: {base_url: "http://127.0.0.1:%d/v1", vllm_model_name: my-vlm}
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


@pytest.fixture
def server():
    """An OpenAI-compatible server that is busy at first, then broken, then answers."""
    statuses = [429, 500]
    requests: list[dict] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status = statuses.pop(0) if statuses else 200
            if status == 200:
                requests.append({"path": self.path, **body})
            message = {"role": "assistant", "content": "$x^2$"}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            reply = json.dumps(
                {"error": {"message": "later"}}
                if status != 200
                else {"id": "1", "object": "chat.completion", "created": 1, "model": "my-vlm"}
                | {"choices": [choice]}
            ).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as httpd:
        threading.Thread(target=httpd.serve_forever, daemon=True).start()
        yield httpd.server_address[1], requests
        httpd.shutdown()


def test_a_server_gets_prompt_and_picture_and_is_asked_once(server, tmp_path):
    port, requests = server
    (tmp_path / "prod_env").mkdir()
    (tmp_path / "prod_env" / "model_deployments.yaml").write_text(DEPLOYMENTS % port)
    (tmp_path / "prod_env" / "model_metadata.yaml").write_text(METADATA)
    run(tmp_path, "helm-structext", "init")
    entry = "image2struct_latex:subset=equation,source=sample,model=me/my-vlm"
    arguments = ("--max-eval-instances", "2", "-r", entry)

    helm_run(tmp_path, *arguments)
    assert len(requests) == 2
    scenarios = tmp_path / "benchmark_output" / "scenarios"
    pictures = [Image.open(path).convert("RGB") for path in scenarios.glob("*/images/*.png")]
    for request in requests:
        assert request["path"] == "/v1/chat/completions"
        assert (request["model"], request["temperature"]) == ("my-vlm", 0)
        assert 2000 in (request.get("max_tokens"), request.get("max_completion_tokens"))
        parts = request["messages"][-1]["content"]
        text = "".join(part.get("text", "") for part in parts)
        assert text.startswith("Just give a short answer without answering in a complete sentence.")
        assert "Please provide the LaTeX code used to generate this image." in text
        (url,) = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
        sent = Image.open(io.BytesIO(base64.b64decode(url.partition("base64,")[2]))).convert("RGB")
        # HELM sends JPEG, so the pixels are nearly the picture's.
        assert any(sent.size == p.size and difference(sent, p) < 3 for p in pictures)
    stats = run_folder_stats(tmp_path)
    assert stats["compilation_success"] == 1

    helm_run(tmp_path, *arguments)
    assert len(requests) == 2, "the second run is answered from HELM's cache"
    again = run_folder_stats(tmp_path)
    assert {k: v for k, v in again.items() if "runtime" not in k} == {
        k: v for k, v in stats.items() if "runtime" not in k
    }


def difference(one: Image.Image, other: Image.Image) -> float:
    return max(ImageStat.Stat(ImageChops.difference(one, other)).mean)


def run_folder_stats(folder: Path) -> dict[str, float]:
    (found,) = (folder / "benchmark_output" / "runs" / "s").glob("image2struct_latex*me_my-vlm")
    return stats_of(found)
