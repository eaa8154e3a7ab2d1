"""Samples of lm-evaluation-harness and lmms-eval: which instance they answer, and what is no completion."""

import json
from pathlib import Path
from typing import Any

import pytest

from helm_structext.completions.logs import log_format
from helm_structext.completions.predictions import Prediction
from helm_structext.errors import SetupError
from support.completions import write_lines
from support.harness_logs import ENTRY, document

NAME = "samples_mmr_font_color_2026-11-24T10-00-00.000001.jsonl"


def read(path: Path, entry: str | None = None, epoch: int | None = None) -> list[Prediction]:
    return list(log_format(path).read(path, entry, epoch))


@pytest.fixture
def write(tmp_path):
    """Writes lines as samples in a folder that is named as one of lm-evaluation-harness."""
    folder = tmp_path / "me__model"
    folder.mkdir()
    return lambda *lines, name=NAME: write_lines(folder / name, list(lines))


def of(**doc: Any) -> dict[str, Any]:
    return document(0, doc=doc)


@pytest.mark.parametrize(
    ("doc", "instance"),
    [
        ({"uuid": '"0a1b"', "structure": "…"}, "0a1b"),
        ({"uuid": "0a1b"}, "0a1b"),
        ({"task_id": "000500", "task_name": "Text to JSON"}, "000500"),
        ({"instance": "mine", "uuid": "0a1b", "task": "font_color"}, "mine"),
        ({"task": "font_color", "Question": "…"}, "font_color-0"),
    ],
)
def test_a_document_names_its_instance_as_its_dataset_does(write, doc, instance):
    (one,) = read(write(of(**doc)), ENTRY)
    assert one.places[0].instance == instance


def test_questions_of_mmr_are_counted_by_task_in_the_order_of_the_dataset(write):
    tasks = ["font_color", "font_size", "font_color", "font_size"]
    lines = [document(n, doc={"task": task}) for n, task in enumerate(tasks)]
    path = write(lines[0], lines[2], lines[1], lines[3])  # two processes wrote every other one
    found = [one.places[0].instance for one in read(path, ENTRY)]
    assert found == ["font_color-0", "font_color-1", "font_size-0", "font_size-1"]


@pytest.mark.parametrize("number", [2, None, "1", [1], 1.5])
def test_questions_of_mmr_that_can_not_be_counted_are_refused(write, number):
    path = write(document(0), document(number))
    with pytest.raises(SetupError, match=r"line 1: .* not numbered from 0 to 1; add a column"):
        read(path)


def test_the_first_of_several_filters_counts(write):
    lines = [document(n, f"{n}", filter=name) for name in ("strict", "flexible") for n in (0, 1)]
    assert [(one.line, one.completion) for one in read(write(*lines))] == [(1, "0"), (2, "1")]


def test_what_the_model_wrote_is_scored_and_not_what_a_filter_made_of_it(write):
    assert read(write(document(0, "It is 2.", filtered_resps=["2"])))[0].completion == "It is 2."


def test_several_answers_are_refused_until_one_is_named(write):
    path = write(document(0, resps=[["a", "b"]]))
    for epoch in (None, 3):
        with pytest.raises(SetupError, match=r"line 1: it has 2 answers .* by --epoch"):
            read(path, epoch=epoch)
    assert [read(path, epoch=n)[0].completion for n in (1, 2)] == ["a", "b"]


def test_no_answer_is_missing(write):
    assert [one.completion for one in read(write(document(0, resps=[[]]), document(1, "")))] == [
        None,
        "",
    ]


@pytest.mark.parametrize("resps", [["2"], "2"])
def test_the_shorter_form_of_lmms_eval_is_read(write, resps):
    line = document(0)
    del line["resps"], line["filter"]
    line["filtered_resps"] = resps
    path = write(line, name="20261124_100000_samples_mmr.jsonl")
    (path.parent / "20261124_100000_results.json").write_text('{"model_name": "me/vlm"}')
    assert (read(path)[0].completion, read(path)[0].model) == ("2", "me/vlm")


LIKELIHOODS = [[["-1.5", "False"]], [["-0.5", "True"]]]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (document(0, resps=LIKELIHOODS, filtered_resps=LIKELIHOODS), "but likelihoods or nothing"),
        (document(0, resps=[[["-1.5", "False"]]]), "but likelihoods or nothing"),
        (document(0, resps=None), "but likelihoods or nothing"),
        (document(0, resps=[7]), "but likelihoods or nothing"),
        (document(0, doc=None), "it has no 'doc'"),
        (document(0, doc={"question": "?"}), "its document names no instance"),
        (document(0, doc={"uuid": ""}), "its document names no instance"),
        (document(0, doc={"uuid": "a"}), "it names no run entry"),
    ],
)
def test_a_line_that_is_wrong_is_named(write, line, said):
    path = write(document(0, doc={"uuid": "b", "entry": ENTRY}), line)
    with pytest.raises(SetupError, match=rf"{NAME}, line 2: .*{said}"):
        read(path)


def test_a_file_that_was_cut_off_is_refused(write):
    path = write(document(0), document(1))
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(SetupError, match="line 2: it is not JSON"):
        read(path)


def test_the_model_is_named_by_the_results_beside_the_samples_or_by_their_folder(write):
    path = write(document(0))
    results = path.parent / "results_2026-11-24T10-00-00.000001.json"
    assert read(path)[0].model == "me__model"
    (path.parent / "results_2026-11-24T11-00-00.000001.json").write_text(
        '{"model_name": "another"}'
    )
    assert read(path)[0].model == "me__model"
    for content, name in (("[]", "me__model"), ('{"model_name": 7}', "me__model")):
        results.write_text(content)
        assert read(path)[0].model == name
    results.write_text(json.dumps({"results": {}, "model_name": "me/model"}))
    assert read(path)[0].model == "me/model"
    results.write_text("{")
    with pytest.raises(SetupError, match="it should be of the same evaluation"):
        read(path)
