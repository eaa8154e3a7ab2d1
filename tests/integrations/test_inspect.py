"""Inspect runs the benchmarks: what it sends, scores, shows and counts."""

import base64
import json
import os
import subprocess
import threading
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from math import isnan, nan
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog, EvalSample, read_eval_log
from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput, ModelUsage, get_model

from helm_structext.errors import SetupError
from helm_structext.findings import Findings
from helm_structext.formats import rendered_formats
from helm_structext.integrations import evaluations, inspect_ai
from helm_structext.models.answer_index import request_key
from helm_structext.scoring.handling import INTERNAL_ERROR
from helm_structext.scoring.scorer import Scored
from helm_structext.structeval import scores as structeval_scores
from support.commands import BIN, run
from support.completions import read_lines, write_lines
from support.documents import options_of
from support.replies import ENTRIES, oracles, replies

FONT_COLOR = {"task": "font_color", "source": "sample"}
DATA_URI = "data:image/png;base64,"


def png_of(uri: str) -> bytes:
    assert uri.startswith(DATA_URI)
    return base64.b64decode(uri.removeprefix(DATA_URI))


def mock(reply: Callable[[list[ChatMessage]], str]) -> Model:
    """Inspect's own mock of a model; it counts no tokens, which would need a network."""

    def output(messages: list[ChatMessage], tools: Any, choice: Any, config: GenerateConfig):
        made = ModelOutput.from_content("mockllm/model", reply(messages))
        made.usage = ModelUsage()
        return made

    return get_model("mockllm/model", custom_outputs=output, memoize=False)


def key_of(messages: list[ChatMessage]) -> str:
    """The key under which HELM's offline models know a request with this text and these pictures."""
    (message,) = messages
    texts = [part.text for part in message.content if part.type == "text"]
    pictures = [png_of(part.image) for part in message.content if part.type == "image"]
    assert [part.type for part in message.content] == ["text"] * len(texts) + ["image"] * len(
        pictures
    )
    return request_key("".join(texts), pictures)


def evaluate(name: str, model: Model, folder: Path, **options: Any) -> EvalLog:
    (log,) = inspect_eval(
        f"helm_structext/{name}", model=model, log_dir=str(folder), display="none", **options
    )
    return read_eval_log(log.location, resolve_attachments=True)


def scores_of(sample: EvalSample) -> dict[str, float]:
    """The values of a sample's metrics, without those that it has none of."""
    assert sample.scores is not None
    value = sample.scores["structext"].value
    assert isinstance(value, dict)
    return {name: score for name, score in value.items() if not isnan(score)}


def pictures_of(sample: EvalSample) -> list[bytes]:
    """What the transcript shows of what was rendered."""
    found = [e.data for e in sample.events if e.event == "info" and e.source == "rendering"]
    return [png_of(shown.removeprefix("![rendering](").removesuffix(")")) for shown in found]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("inspect")


@pytest.fixture(scope="module")
def logs(folder) -> dict[str, EvalLog]:
    """What a model that writes right, wrong and broken answers gets in all samples."""
    written = replies("careless")
    model = mock(lambda messages: written[key_of(messages)])
    return {
        entry: evaluate(
            entry.partition(":")[0],
            model,
            folder / "logs",
            task_args=dict(part.split("=") for part in entry.partition(":")[2].split(",")),
        )
        for entry in ENTRIES
    }


@pytest.fixture(scope="module")
def scored(folder, logs) -> dict[tuple[str, str], dict[str, Any]]:
    """What `score-file` says of the same answers: run and instance to the line."""
    lines = [
        {
            **{name: sample.metadata[name] for name in ("entry", "run")},
            "instance": sample.id,
            "completion": sample.output.completion,
        }
        for log in logs.values()
        for sample in log.samples
    ]
    write_lines(folder / "completions.jsonl", lines)
    command = "helm-structext score-file completions.jsonl -o scores.jsonl --pictures pictures"
    run(folder, *command.split())
    found = {(line["run"], line["instance"]): line for line in read_lines(folder / "scores.jsonl")}
    assert len(found) == len(lines) > 200
    return found


@pytest.mark.parametrize("entry", ENTRIES)
def test_scores_are_those_of_score_file_to_the_last_bit(entry, logs, scored):
    assert logs[entry].status == "success"
    for sample in logs[entry].samples:
        line = scored[sample.metadata["run"], sample.id]
        score = sample.scores["structext"]
        assert scores_of(sample) == line["scores"]
        assert score.metadata == {"error_kind": line["error_kind"], "error": line["error"]}
        assert score.reason == line["error_kind"]
        assert sample.metadata["part"] == line["part"]


@pytest.mark.parametrize("format", rendered_formats())
def test_the_oracle_is_right_in_every_format(format, tmp_path):
    arguments = {"format": format, "source": "sample"}
    right = oracles(evaluations.entry_with("image2struct", arguments))
    model = mock(lambda messages: right[key_of(messages)])
    log = evaluate("image2struct", model, tmp_path, task_args=arguments, limit=1)
    (sample,) = log.samples
    assert scores_of(sample)["earth_mover_similarity"] >= 0.99


def test_right_wrong_and_broken_answers_are_among_them(scored):
    kinds = {line["error_kind"] for line in scored.values()}
    assert {None, "syntax"} <= kinds
    similar = {line["scores"].get("earth_mover_similarity") for line in scored.values()}
    assert 0.0 in similar
    assert len(similar) > 20


@pytest.mark.parametrize("entry", ENTRIES)
def test_metrics_are_means_over_the_samples_that_have_a_value(entry, logs, scored):
    values = defaultdict(list)
    for sample in logs[entry].samples:
        for name, value in scored[sample.metadata["run"], sample.id]["scores"].items():
            values[name].append(value)
    found = {score.name: score for score in logs[entry].results.scores}
    assert set(values) <= set(found)
    for name, score in found.items():
        assert score.scored_samples == len(values[name])
        assert score.unscored_samples == len(logs[entry].samples) - len(values[name])
        # Inspect adds them up in the order in which samples end, so that the last bit may differ.
        expected = fmean(values[name]) if values[name] else nan
        assert score.metrics["mean"].value == pytest.approx(expected, rel=1e-12, nan_ok=True)


@pytest.mark.parametrize("entry", ENTRIES)
def test_what_was_rendered_is_in_the_log(entry, folder, logs, scored):
    shown = 0
    for sample in logs[entry].samples:
        name = scored[sample.metadata["run"], sample.id]["picture"]
        expected = [(folder / "pictures" / name).read_bytes()] if name else []
        assert pictures_of(sample) == expected
        shown += len(expected)
    assert shown > 0 or entry.startswith("mmr")


def test_limits_are_those_of_the_run(logs):
    for entry, log in logs.items():
        found = evaluations.evaluation(entry)
        limits = log.plan.config.max_tokens, log.plan.config.temperature
        assert limits == (found.max_tokens, found.temperature)


@pytest.fixture
def model() -> Model:
    return mock(lambda messages: "2")


def test_arguments_are_those_of_the_run_entry(model, tmp_path):
    log = evaluate("mmr", model, tmp_path, task_args={**FONT_COLOR, "limit": 2})
    assert [sample.id for sample in log.samples] == ["font_color-0", "font_color-1"]
    assert log.samples[0].metadata["run"].startswith("mmr:task=font_color,source=sample,limit=2")


def test_score_file_reads_the_log(model, tmp_path):
    log = evaluate("mmr", model, tmp_path, task_args=FONT_COLOR)
    run(tmp_path, "helm-structext", "score-file", log.location, "-o", "scores.jsonl")
    lines = read_lines(tmp_path / "scores.jsonl")  # in the order in which samples were done
    scored = {line["instance"]: line["scores"] for line in lines}
    assert scored == {sample.id: scores_of(sample) for sample in log.samples}
    assert len(scored) == len(lines) == 5


def test_epochs_are_averaged_by_metric(tmp_path):
    written = iter(["2", "none", "3", ""])
    log = evaluate(
        "mmr",
        mock(lambda messages: next(written)),
        tmp_path,
        task_args={**FONT_COLOR, "limit": 1},
        epochs=4,
    )
    means = {score.name: score.metrics["mean"].value for score in log.results.scores}
    assert (means["correct"], means["valid_format"]) == (0.25, 0.5)


@pytest.fixture
def scoring(monkeypatch) -> Callable[[Callable[..., Scored]], None]:
    """Lets a function score, which gets the run beside instance and completion."""

    def patch(score: Callable[..., Scored]) -> None:
        def evaluation(entry: str) -> evaluations.Evaluation:
            found = evaluations.evaluation(entry)
            return replace(found, score=lambda *answer: score(found, *answer))

        monkeypatch.setattr(inspect_ai, "evaluation", evaluation)

    return patch


def test_a_failure_of_the_machine_is_an_error_of_the_sample_and_no_score(model, tmp_path, scoring):
    def fails(found: evaluations.Evaluation, instance: str, completion: str) -> Scored:
        if instance == "font_color-1":
            raise SetupError("there is no space left; free some space on the disk")
        return found.score(instance, completion)

    scoring(fails)
    log = evaluate("mmr", model, tmp_path, task_args=FONT_COLOR, fail_on_error=False)
    (broken,) = (sample for sample in log.samples if sample.error)
    assert broken.id == "font_color-1"
    assert "free some space on the disk" in broken.error.message
    assert not broken.scores
    assert {score.scored_samples for score in log.results.scores} == {4}
    assert evaluate("mmr", model, tmp_path, task_args=FONT_COLOR).status == "error"


def test_a_mistake_of_ours_costs_one_sample_its_scores_and_is_counted(tmp_path, monkeypatch):
    def planted(*_: Any) -> dict[str, float | None]:
        raise ArithmeticError("a bug of ours")

    written = replies("careful")
    monkeypatch.setattr(structeval_scores, "text_scores", planted)
    task = {"task": "text_to_json", "source": "sample"}
    log = evaluate(
        "structeval", mock(lambda asked: written[key_of(asked)]), tmp_path, task_args=task
    )
    assert log.status == "success"
    for sample in log.samples:
        assert scores_of(sample) == {INTERNAL_ERROR: 1.0}
        assert sample.scores["structext"].reason == "internal"
        assert "a bug of ours" in sample.scores["structext"].explanation
    counts = {score.name: score.scored_samples for score in log.results.scores}
    assert counts.pop(INTERNAL_ERROR) == len(log.samples) > 0
    assert set(counts.values()) == {0}


def test_as_many_answers_are_scored_at_a_time_as_there_are_workers(
    model, tmp_path, scoring, monkeypatch
):
    monkeypatch.setenv("HELM_STRUCTEXT_WORKERS", "2")
    meeting = threading.Barrier(2, timeout=60)
    scored_now: list[int] = []
    most = []

    def meets(found: evaluations.Evaluation, *answer: str) -> Scored:
        scored_now.append(1)
        most.append(len(scored_now))
        meeting.wait()  # each of two waits for the other: neither holds up the event loop
        scored_now.pop()
        return found.score(*answer)

    scoring(meets)
    log = evaluate("mmr", model, tmp_path, task_args={**FONT_COLOR, "limit": 4})
    assert log.status == "success"
    assert max(most) == 2


# The command


def inspect(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    # What was set by one who works here does not count.
    clean = {name: value for name, value in os.environ.items() if "INSPECT" not in name}
    command = [str(BIN / "inspect"), *arguments]
    return subprocess.run(command, cwd=folder, env=clean, capture_output=True, text=True)


SOLVER = """
from inspect_ai.model import ModelOutput
from inspect_ai.solver import Generate, TaskState, solver

@solver
def says(text: str):
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.output = ModelOutput.from_content("mockllm/model", str(text))
        return state

    return solve
"""
"""Writes an answer itself: `mockllm/model` counts tokens, for which it fetches a table."""


def test_the_command_finds_the_tasks(tmp_path):
    (tmp_path / "says.py").write_text(SOLVER)
    done = inspect(
        tmp_path,
        *("eval", "helm_structext/mmr", "--model", "mockllm/model", "--display", "plain"),
        *("-T", "task=font_color", "-T", "source=sample", "-T", "limit=3", "--limit", "2"),
        *("--solver", "says.py", "-S", "text=2", "--log-format", "json", "--log-dir", "logs"),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = (tmp_path / "logs").glob("*.json")
    log = json.loads(path.read_text())
    assert log["eval"]["task"] == "helm_structext/mmr"
    assert log["eval"]["task_args"] == {"task": "font_color", "source": "sample", "limit": 3}
    assert next(score["name"] for score in log["results"]["scores"]) == "correct"
    assert log["results"]["completed_samples"] == 2


def test_a_wrong_argument_is_said(tmp_path):
    done = inspect(
        tmp_path, "eval", "helm_structext/mmr", "--model", "mockllm/model", "-T", "sorce=sample"
    )
    assert done.returncode != 0
    said = " ".join((done.stdout + done.stderr).replace("│", " ").split())
    assert "sorce= is unknown; did you mean source=?" in said


def test_options_in_the_documents_are_those_of_the_command():
    said = options_of("inspect")
    assert len(said) >= 3
    for command, options in said:
        shown = run(Path(), "inspect", command, "--help").stdout.replace(",", " ").split()
        assert options <= set(shown)


def test_the_explanation_says_what_is_wrong_with_the_picture():
    wrong = Scored({}, findings=Findings({}, (), "1 of 2 texts missing."))
    assert inspect_ai._score([], wrong).explanation == "1 of 2 texts missing."
    unknown = Scored({}, findings=Findings({}, (), "", "too many boxes"))
    assert inspect_ai._score([], unknown).explanation is None
    assert inspect_ai._score([], Scored({})).explanation is None
