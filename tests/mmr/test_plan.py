"""What is expected of MMR's questions."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from helm_structext.errors import SetupError
from helm_structext.mmr import plan
from helm_structext.mmr.tasks import TASKS, prompt_of
from helm_structext.planning.records import Expected, picture_tokens, text_tokens
from support.rows import mmr_row

expected = plan.PLANNING.expected
BASE = {"task": "all", "limit": 50, "system": "scale", "source": "sample", "revision": "main"}


def folder(tmp_path: Path, *rows: dict) -> str:
    pq.write_table(pa.Table.from_pylist(list(rows)), tmp_path / "train-0.parquet")
    return str(tmp_path)


def test_questions_answers_and_pictures_are_measured(tmp_path):
    row = mmr_row("grounding_t", 1)
    source = folder(tmp_path, mmr_row("font_color"), row)
    prompt = prompt_of(row["Question"], "text_box", "scale")
    answer = '"The Stars Below", [0.25, 0.5, 0.75, 1.0]'
    (one,) = expected({**BASE, "source": source, "task": "grounding_t"})
    assert one == Expected(
        text_tokens(prompt) + picture_tokens((40, 20)), text_tokens(answer, code=True), pictures=1
    )
    assert len(expected({**BASE, "source": source})) == 2


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("Answer", "blue", "row 0 of .*'Answer'"),
        ("image", "!", "is not base64"),
        ("image", "AAAA", "no picture that can be read"),
    ],
)
def test_a_wrong_row_is_an_error_that_names_it(tmp_path, column, value, words):
    source = folder(tmp_path, mmr_row("font_color", **{column: value}))
    with pytest.raises(SetupError, match=words):
        expected({**BASE, "source": source})


@pytest.mark.parametrize(("task", "limit", "number"), [("all", 50, 550), ("grounding_t", 999, 993)])
def test_published_questions(task, limit, number):
    arguments = {**BASE, "task": task, "limit": limit}
    assert plan.PLANNING.published(arguments)[0] == number
    assert [one.name for one in plan.PLANNING.datasets(arguments)] == ["puar-playground/MMR"]


def test_the_sample_has_every_task():
    every = expected(plan.PLANNING.published(BASE)[1])
    parts = [expected(plan.PLANNING.published({**BASE, "task": task})[1]) for task in TASKS]
    assert all(parts)
    assert sum(map(len, parts)) == len(every)
    assert all(one.pictures and one.tokens_out and not one.format for one in every)
    assert plan.ROWS.keys() == TASKS.keys()
