"""lm-evaluation-harness runs the benchmarks: what it sends, scores and logs."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from lm_eval import simple_evaluate
from lm_eval.api.instance import Instance
from lm_eval.api.model import LM
from lm_eval.tasks import TaskManager

from helm_structext.data.packaged import lm_eval_tasks
from helm_structext.errors import SetupError
from helm_structext.formats import rendered_formats
from helm_structext.integrations.evaluations import evaluation
from helm_structext.models.answer_index import request_key
from helm_structext.pictures import read_picture
from support.commands import run
from support.completions import read_lines, write_lines
from support.documents import options_of
from support.replies import ENTRIES, oracles, replies

TASKS = lm_eval_tasks()
LIMITS = {"do_sample": False, "temperature": 0.0, "until": []}


class Replies(LM):
    """Answers from a list, after a look at what it gets."""

    MULTIMODAL = True

    def __init__(self, written: Mapping[str, str]) -> None:
        super().__init__()
        self._written = written

    def generate_until(self, requests: list[Instance]) -> list[str]:
        return [self._answer(*request.args, doc=request.doc) for request in requests]

    def _answer(
        self,
        context: str,
        limits: dict[str, Any],
        media: dict[str, Sequence[Any]] | None = None,
        *,
        doc: dict[str, Any],
    ) -> str:
        found = evaluation(doc["asked"])
        (question,) = (one for one in found.questions if one.id == doc["instance"])
        assert context == "".join(question.texts) + ("<image>" if media else "")
        assert limits == {**LIMITS, "max_gen_toks": found.max_tokens}
        seen = list(media["visual"]) if media else []
        sent = [question.picture] if question.picture else []
        for picture, file in zip(seen, sent, strict=True):
            assert np.array_equal(np.asarray(picture), np.asarray(read_picture(file)))
        text = context.removesuffix("<image>")
        return self._written[request_key(text, [file.read_bytes() for file in sent])]

    def loglikelihood(self, requests: list[Instance]) -> list[tuple[float, bool]]:
        raise NotImplementedError

    def loglikelihood_rolling(self, requests: list[Instance]) -> list[float]:
        raise NotImplementedError


def evaluate(entries: Sequence[str], model: LM, limit: int | None = None) -> dict[str, Any]:
    arguments = dict(entry.split(":") for entry in entries)
    manager = TaskManager(include_path=str(TASKS), include_defaults=False, metadata=arguments)
    found = simple_evaluate(
        model=model,
        tasks=[f"helm_structext_{name}" for name in arguments],
        task_manager=manager,
        log_samples=True,
        limit=limit,
        bootstrap_iters=0,
    )
    assert found is not None
    return found


@pytest.fixture(scope="module")
def evaluated() -> dict[str, Any]:
    return evaluate(ENTRIES, Replies(replies("careless")))


@pytest.fixture(scope="module")
def scored(evaluated, tmp_path_factory) -> dict[tuple[str, str], dict[str, Any]]:
    """What `score-file` says of the same answers: run and instance to the line."""
    folder = tmp_path_factory.mktemp("lm_eval")
    lines = [
        {
            **{name: sample["doc"][name] for name in ("run", "entry", "instance")},
            "completion": sample["resps"][0][0],
        }
        for samples in evaluated["samples"].values()
        for sample in samples
    ]
    write_lines(folder / "completions.jsonl", lines)
    run(folder, "helm-structext", "score-file", "completions.jsonl", "-o", "scores.jsonl")
    found = {(line["run"], line["instance"]): line for line in read_lines(folder / "scores.jsonl")}
    assert len(found) == len(lines) > 150
    return found


def line_of(sample: dict[str, Any], scored: dict[tuple[str, str], dict[str, Any]]):
    return scored[sample["doc"]["run"], sample["doc"]["instance"]]


@pytest.mark.parametrize("entry", ENTRIES)
def test_scores_are_those_of_score_file_to_the_last_bit(entry, evaluated, scored):
    for sample in evaluated["samples"][f"helm_structext_{entry.partition(':')[0]}"]:
        line = line_of(sample, scored)
        assert {name: sample[name] for name in sample["metrics"]} == line["scores"]
        assert sample["doc"]["part"] == line["part"]


@pytest.mark.parametrize("entry", ENTRIES)
def test_results_are_means_over_the_answers_that_have_a_value(entry, evaluated, scored):
    task = f"helm_structext_{entry.partition(':')[0]}"
    values = defaultdict(list)
    for sample in evaluated["samples"][task]:
        for name, value in line_of(sample, scored)["scores"].items():
            values[name].append(value)
    results = evaluated["results"][task]
    found = {name.removesuffix(",none"): value for name, value in results.items()}
    for name, all_ in values.items():
        assert found[name] == pytest.approx(fmean(all_), rel=1e-12)
    assert not {name for name in evaluation(entry).metrics if name in found} - set(values)


@pytest.mark.parametrize("format", rendered_formats())
def test_the_oracle_is_right_in_every_format(format):
    entry = f"image2struct:format={format},source=sample"
    found = evaluate([entry], Replies(oracles(entry)), limit=1)
    means = found["results"]["helm_structext_image2struct"]
    assert means["earth_mover_similarity,none"] >= 0.99


def test_right_wrong_and_broken_answers_are_among_them(scored):
    assert {None, "syntax"} <= {line["error_kind"] for line in scored.values()}


class Unscored(Replies):
    def generate_until(self, requests: list[Instance]) -> list[str]:
        return ["$x$" for _ in requests]


def test_a_failure_of_the_machine_ends_the_evaluation(tmp_path, monkeypatch):
    monkeypatch.setenv("HELM_STRUCTEXT_WORKERS", "none")
    with pytest.raises(SetupError, match="HELM_STRUCTEXT_WORKERS is 'none'"):
        evaluate(["structeval:task=text_to_json,source=sample"], Unscored({}))


def test_wrong_arguments_are_said():
    with pytest.raises(SetupError, match="did you mean source="):
        evaluate(["mmr:sorce=sample"], Replies({}))


def test_the_command_finds_the_tasks_and_logs_what_score_file_needs(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")  # it would ask about the model
    arguments = json.dumps({"structeval": "task=text_to_json,source=sample"})
    run(
        tmp_path,
        *("lm-eval", "run", "--model", "dummy", "--tasks", "helm_structext_structeval"),
        *("--include_path", str(TASKS), "--metadata", arguments),
        *("--output_path", "results", "--log_samples"),
    )
    (path,) = Path(tmp_path).rglob("samples_*.jsonl")
    samples = read_lines(path)
    assert len(samples) > 0
    for sample in samples:
        assert sample["doc"]["entry"].startswith("structeval:task=text_to_json,")
        assert sample["resps"] == [["lol"]]
        assert sample["render_error_syntax"] == 1
    run(tmp_path, "helm-structext", "score-file", str(path), "-o", "scores.jsonl")
    lines = read_lines(tmp_path / "scores.jsonl")
    for sample, line in zip(samples, lines, strict=True):
        assert line["scores"] == {name: sample[name] for name in sample["metrics"]}


def test_options_in_the_documents_are_those_of_the_command():
    said = options_of("lm-eval")
    assert len(said) >= 2
    for command, options in said:
        shown = run(Path(), "lm-eval", command, "--help").stdout.replace(",", " ").split()
        assert options <= set(shown)
