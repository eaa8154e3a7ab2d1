"""HELM's own OpenAI client against a server on this machine, as a user would configure it."""

import base64
import io
from pathlib import Path

import pytest
from PIL import Image, ImageChops, ImageStat

from support.helm import helm_run, init, run, stats_of, suite
from support.openai_server import openai_server


@pytest.fixture
def server():
    """It is busy at first, then broken, then answers."""
    with openai_server("$x^2$", 429, 500) as running:
        yield running


def test_a_server_gets_prompt_and_picture_and_is_asked_once(server, tmp_path):
    init(tmp_path)
    run(tmp_path, "helm-structext", "add-model", "me/my-vlm", "--base-url", server.url)
    entry = "image2struct_latex:subset=equation,source=sample,model=me/my-vlm"
    arguments = ("--max-eval-instances", "2", "-r", entry)

    helm_run(tmp_path, *arguments)
    assert len(server.requests) == 2
    scenarios = tmp_path / "benchmark_output" / "scenarios"
    pictures = [Image.open(path).convert("RGB") for path in scenarios.glob("*/images/*.png")]
    for request in server.requests:
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
    assert len(server.requests) == 2, "the second run is answered from HELM's cache"
    again = run_folder_stats(tmp_path)
    assert {k: v for k, v in again.items() if "runtime" not in k} == {
        k: v for k, v in stats.items() if "runtime" not in k
    }


def difference(one: Image.Image, other: Image.Image) -> float:
    return max(ImageStat.Stat(ImageChops.difference(one, other)).mean)


def run_folder_stats(folder: Path) -> dict[str, float]:
    (found,) = suite(folder).glob("image2struct_latex*me_my-vlm")
    return stats_of(found)
