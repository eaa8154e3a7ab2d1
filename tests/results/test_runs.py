"""A finished suite, read back; answers that are refusals."""

from pathlib import Path

import pytest

from helm_structext.errors import SetupError
from helm_structext.image2struct.results import Image2StructResult, read_run
from helm_structext.results.runs import finished_runs, is_refusal
from support.image2struct_answers import EMS, result, write_suite


def read_suite(suite: Path) -> list[Image2StructResult]:
    runs = finished_runs(suite, {"image2struct_latex"})
    return [answer for run in runs for answer in read_run(run)]


@pytest.mark.parametrize(
    ("completion", "refused"),
    [
        ("I'm sorry, but I can't assist with that.", True),
        ("Sorry, I can’t help with that request.", True),
        ("I am unable to view images.", True),
        ("As an AI language model, I do not have the ability to see pictures.", True),
        ("Unfortunately, I cannot transcribe copyrighted sheet music.", True),
        ("I apologize, but I won't reproduce this page.", True),
        ("I must decline this request.", True),
        ("", False),
        ("x", False),
        ("I cannot read it all, but here is a start:\n```latex\n$x$\n```", False),
        (r"I can't see the third line. \begin{align*} x \end{align*}", False),
        ('[{"filename": "index.html", "content": "I cannot help"}]', False),
        ("Dear Ada, I am sorry that I cannot come on Sunday.", False),
        ("node i cannot access the channel", False),
        ("Es tut mir leid, dabei kann ich nicht helfen.", False),
        ("A long page of text. " * 20 + "I cannot assist with that.", False),
    ],
)
def test_only_a_plain_refusal_is_one(completion, refused):
    assert is_refusal(completion) is refused


def test_a_suite_is_read_back_as_it_was_written(dated_suite):
    results = read_suite(Path("benchmark_output/runs/s"))
    assert {(r.model, r.date, r.scores[EMS]) for r in results} >= {("x/good", "2024-02-01", 0.6)}
    assert not any(r.blocked or r.truncated or r.refused for r in results)


def test_what_the_model_saw_is_kept_where_it_was_another_picture(tmp_path):
    plain = result("x/good", "0", 0.5)
    worse = result("x/good", "1", 0.5, seen="pictures/1-blurred.png")
    folder = write_suite(tmp_path, [plain, worse])
    first, second = read_suite(folder / "benchmark_output" / "runs" / "s")
    assert first.seen is None
    assert (second.seen, second.picture) == (
        folder / "pictures" / "1-blurred.png",
        folder / "pictures" / "1.png",
    )


def test_a_run_that_is_half_written_is_named(dated_suite):
    (run, *_) = Path("benchmark_output/runs/s").iterdir()
    (run / "scenario_state.json").write_text('{"request_states": [')
    with pytest.raises(SetupError, match=r"scenario_state.json can't be read.*helm-run"):
        read_suite(Path("benchmark_output/runs/s"))
