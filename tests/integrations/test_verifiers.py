"""verifiers' environment asks and scores as `helm-run` does: by its command, and in this process."""

import asyncio
import base64
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import verifiers.v1 as vf

from helm_structext.errors import SetupError
from helm_structext.integrations import verifiers as adapter
from helm_structext.integrations.evaluations import evaluation
from helm_structext.integrations.trainers import KINDS
from helm_structext.integrations.training import training_set
from helm_structext.models.answer_index import request_key
from helm_structext.rewards import RewardResult
from support import ROOT
from support.commands import BIN
from support.openai_server import OpenAIServer, openai_server
from support.serving import served

TASKSET = "helm-structext-verifiers"
ENTRIES = (
    "mmr:source=sample",
    "structeval:subset=t_generation,source=sample",
    "image2struct_latex:subset=equation,source=sample",
)


def environment(entry: str, **options: Any) -> vf.Env:
    taskset = {"id": TASKSET, "entry": entry, **options}
    return vf.load_environment(vf.resolve_env_config({"taskset": taskset}))


def ask(entry: str, server: OpenAIServer, **options: Any) -> list[vf.Trace]:
    """A trace for each question."""

    async def run() -> list[vf.Trace]:
        found = environment(entry, **options)
        client = vf.EvalClientConfig(base_url=server.url, api_key_var="NOBODYS_KEY")
        context = vf.ModelContext(model="mine", client=client, sampling=vf.SamplingConfig())
        async with found.serving():
            episodes = await asyncio.gather(
                *(found.run_episode(task, context) for task in found.taskset)
            )
        return [trace for episode in episodes for trace in episode.traces]

    return asyncio.run(run())


def key_of(body: dict[str, Any]) -> str:
    """The key under which HELM's offline models know a request with this text and these pictures."""
    (message,) = body["messages"]
    texts = [part["text"] for part in message["content"] if part["type"] == "text"]
    uris = [part["image_url"]["url"] for part in message["content"] if part["type"] == "image_url"]
    pictures = [base64.b64decode(uri.removeprefix("data:image/png;base64,")) for uri in uris]
    return request_key("".join(texts), pictures)


def half_right(entry: str) -> tuple[dict[str, str], Callable[[dict[str, Any]], str]]:
    """Answers of which every other is right: by question, and by what is asked."""
    answers, by_key = {}, {}
    for number, question in enumerate(evaluation(entry).questions):
        answer = f"  {question.target}\n" if number % 2 else "I don't know."
        pictures = [question.picture.read_bytes()] if question.picture else []
        answers[question.id] = by_key[request_key("".join(question.texts), pictures)] = answer
    return answers, lambda body: by_key[key_of(body)]


@pytest.mark.parametrize("entry", ENTRIES)
def test_questions_and_scores_are_those_of_helm_run_to_the_last_bit(entry):
    answers, reply = half_right(entry)
    with openai_server(reply) as server:
        traces = ask(entry, server)
    assert [trace.task.data.id for trace in traces] == [*answers]
    ours = training_set(entry).batch([*answers.values()], [*answers]).results()
    for trace, result in zip(traces, ours, strict=True):
        assert trace.ok
        assert trace.reward == trace.rewards["structext"].score == result.score
        components = {n: v for n, v in trace.metrics.items() if n.startswith("components/")}
        assert components == {
            f"components/{name}": value
            for name, value in result.components.items()
            if value is not None
        }
        assert trace.info["structext"]["error_kind"] == result.error_kind
        assert {n for n, v in trace.metrics.items() if n.startswith("failures/") and v} == {
            f"failures/{kind}" for kind in KINDS if kind == result.error_kind
        }
    assert 0 < sum(trace.reward for trace in traces) < len(traces)


def test_a_server_scores_the_same():
    entry = "structeval:task=text_to_json,source=sample"
    _, reply = half_right(entry)
    with openai_server(reply) as server, served() as scorer:
        here = ask(entry, server)
        there = ask(entry, server, task={"url": scorer.url})
        assert scorer.metric("helm_structext_completions_total") > 0
    assert [trace.reward for trace in there] == [trace.reward for trace in here]


def test_what_the_machine_lacks_is_an_error_and_no_reward(monkeypatch):
    class Broken:
        async def score_async(self, items: Any, **options: Any) -> list[RewardResult]:
            return [RewardResult(None, error_kind="setup", message="the disk is full")]

    monkeypatch.setattr(adapter, "client_of", lambda url: Broken())
    with openai_server("2") as server:
        traces = ask("mmr:task=font_color,source=sample", server)
    for trace in traces:
        assert not trace.ok
        assert trace.rewards["structext"] is None
        assert trace.metrics["unscored"] == trace.metrics["failures/setup"] == 1
        assert trace.last_error.type == "TaskError"
        assert "no score (setup): the disk is full" in trace.last_error.message


def test_a_model_that_fails_is_an_error_and_no_reward():
    with openai_server(lambda body: 400) as server:
        traces = ask("mmr:task=font_color,source=sample", server)
    assert [trace.last_error.type for trace in traces] == ["ProviderError"] * 5
    assert all("structext" not in trace.rewards for trace in traces)


def test_a_system_prompt_comes_first(tmp_path):
    (tmp_path / "system.txt").write_text("Be brief.")
    with openai_server("2") as server:
        ask("mmr:task=font_color,source=sample", server, system_prompt=tmp_path / "system.txt")
    for body in server.requests:
        assert body["model"] == "mine"
        assert [message["role"] for message in body["messages"]] == ["system", "user"]
        assert body["messages"][0]["content"] == "Be brief."


def test_options_of_the_taskset_are_those_of_training_sets():
    found = environment(ENTRIES[1], components={"path_score": 1.0}, failure=-1.0)
    (item, *_) = (task.data.item for task in found.taskset)
    assert (item["components"], item["failure"]) == ({"path_score": 1.0}, -1)
    with pytest.raises(SetupError, match="published puar-playground/MMR"):
        list(environment("mmr:task=font_color").taskset)


def test_the_command_of_verifiers_finds_the_taskset_by_its_name(tmp_path):
    environment = {**os.environ, "NOBODYS_KEY": "x"}
    entry = "mmr:task=font_color,source=sample"
    with openai_server("2") as server:
        subprocess.run(
            [
                *(BIN / "vf-eval", TASKSET, "--env.taskset.entry", entry, "-n", "3", "-m", "mine"),
                *("--client.base-url", server.url, "--client.api-key-var", "NOBODYS_KEY"),
                *("--no-push", "--no-rich", "-o", "runs", "--run.name", "first"),
            ],
            check=True,
            cwd=tmp_path,
            env=environment,
        )
    lines = (tmp_path / "runs" / "first" / "traces.jsonl").read_text().splitlines()
    traces = [trace for line in lines for trace in json.loads(line)["traces"]]
    answers = [trace["task"]["data"]["item"]["reference"] for trace in traces]
    assert [trace["rewards"]["structext"]["score"] for trace in traces] == [
        float(answer == "2") for answer in answers
    ]
    assert all("components/accuracy" in trace["metrics"] for trace in traces)


def test_the_example_asks_new_questions(tmp_path):
    example = ROOT / "examples" / "verifiers_mmr.py"
    done = subprocess.run(
        [sys.executable, str(example), "--count", "22", "--seed", "3"],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    *tasks, last = done.stdout.splitlines()
    assert len(tasks) == 11
    assert all(line.endswith(" of 2") for line in tasks)
    assert last.endswith("without a reward: 0")
    assert [*Path(tmp_path).iterdir()] == []
