"""`run`: one command from a model to its first result, and on from where it stopped."""

import json
from pathlib import Path

import pytest

from support.commands import run
from support.openai_server import has_picture, openai_server


def helm_structext(folder: Path, *arguments: str):
    return run(folder, "helm-structext", *arguments, check=False)


def runs_of(folder: Path, suite: str) -> list[str]:
    found = folder.glob(f"benchmark_output/runs/{suite}/*/stats.json")
    return sorted(path.parent.name.partition(":")[0] for path in found)


def test_an_empty_folder_becomes_a_result_of_all_samples_and_the_second_call_asks_nothing(tmp_path):
    arguments = ("run", "structext/oracle", "-m", "1")
    done = helm_structext(tmp_path, *arguments)
    assert done.returncode == 0, done.stderr
    names = [
        "image2struct_latex",
        "image2struct_music",
        "image2struct_webpage",
        "mmr",
        "structeval",
    ]
    assert runs_of(tmp_path, "first") == names
    plan, _, result = done.stdout.partition("\nRunning;")
    assert "run_specs/sample.conf" in plan
    assert "5 runs of 1 model" in plan
    assert "| structext/oracle |" in result
    assert "helm-server --suite first" in result
    assert "INFO" not in done.stdout + done.stderr, "HELM's log is in a file"
    assert "Running mmr:" in (tmp_path / "benchmark_output/first.log").read_text()
    report = tmp_path / "report-first.html"
    assert "report-first.html: 5 answers" in result
    assert report.read_text().startswith("<!doctype html>")

    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("scenario_state.json")}
    again = helm_structext(tmp_path, *arguments)
    assert again.returncode == 0, again.stderr
    assert "5 of them finished in suite first" in again.stdout
    assert before == {p: p.stat().st_mtime_ns for p in tmp_path.rglob("scenario_state.json")}

    other = helm_structext(tmp_path, "run", "structext/oracle", "-m", "2")
    assert other.returncode == 2
    assert "with 1 instances at most, not 2; name another --suite" in other.stderr


def test_a_model_of_text_gets_text_alone_and_as_few_tokens_as_are_said(tmp_path):
    with openai_server('<|BEGIN_CODE|>{"a": 1}<|END_CODE|>') as server:
        helm_structext(tmp_path, "add-model", "me/llm", "--base-url", server.url, "--text-only")
        done = helm_structext(
            tmp_path, "run", "me/llm", "-m", "1", "--max-tokens", "50", "--suite", "t"
        )
        assert done.returncode == 0, done.stderr
        assert len(server.requests) == 4
        assert not any(map(has_picture, server.requests))
        assert {request["max_tokens"] for request in server.requests} == {50}
    assert runs_of(tmp_path, "t") == ["structeval"] * 4
    assert "run_specs/text.conf" in done.stdout


def test_why_all_runs_failed_is_one_line(tmp_path):
    done = helm_structext(tmp_path, "run", "structext/replay-none", "-m", "1")
    assert done.returncode == 2
    (line,) = [line for line in done.stderr.splitlines() if "failed: " in line]
    assert line.startswith("5 runs failed: there is no file prod_env/replay/none.jsonl")
    assert "no run of suite first is finished; the log is benchmark_output/first.log" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "me/absent"], "HELM knows no such model"),
        (
            ["run", "structext/oracle", "-m", "0"],
            "--max-eval-instances: it is '0'; expected a whole number from 1 on",
        ),
        (["run", "structext/oracle", "--max-tokens", "0"], "--max-tokens: it is '0'; expected"),
        (["run"], "the following arguments are required: MODEL"),
    ],
)
def test_a_fault_says_what_to_do(tmp_path, arguments, words):
    done = helm_structext(tmp_path, *arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_a_run_that_can_not_be_read_is_named(tmp_path):
    spec = tmp_path / "benchmark_output/runs/first/mmr:x/run_spec.json"
    spec.parent.mkdir(parents=True)
    spec.write_text(json.dumps([]))
    done = helm_structext(tmp_path, "run", "structext/oracle", "-m", "1")
    assert done.returncode == 2
    assert "mmr:x/run_spec.json can't be read" in done.stderr
