"""What is expected of StructEval's questions, and on which answers a machine is tried."""

import pytest

from helm_structext.formats import FORMATS
from helm_structext.planning.records import Expected, picture_tokens, text_tokens
from helm_structext.structeval import plan
from helm_structext.structeval.judge import judge_prompt
from helm_structext.structeval.tasks import SUBSETS, TASKS
from support.structeval_rows import structeval_row, write_rows

expected = plan.PLANNING.expected
BASE = {"task": "all", "subset": "all", "source": "sample", "revision": "main"}


def test_queries_and_questions_of_the_judge_are_measured(tmp_path):
    pairs = [{"question": "How many rows?", "answer": "3"}, {"question": "Red?", "answer": "yes"}]
    text = structeval_row("text_to_json", oracle_structure="[1, 2]")
    drawn = structeval_row("text_to_svg", VQA=pairs, oracle_structure=None)
    source = str(write_rows(tmp_path, [text, drawn]))
    assert expected({**BASE, "source": source}) == [
        Expected(text_tokens(text["query"]), 6 / 3),
        Expected(
            tokens_in=text_tokens(drawn["query"]),
            tokens_out=None,
            format="svg",
            judge_in=text_tokens(judge_prompt(pairs)) + picture_tokens(plan.SEEN_BY_JUDGE),
            judge_out=text_tokens(2 * plan.VERDICT, code=True),
        ),
    ]
    assert len(expected({**BASE, "source": source, "task": "text_to_svg"})) == 1


@pytest.mark.parametrize(
    ("task", "subset", "number"),
    [
        ("all", "all", 2035),
        *zip(["all"] * 4, SUBSETS, [250, 700, 650, 435], strict=True),
        ("react_to_angular", "all", 5),
        ("text_to_json", "all", 50),
    ],
)
def test_published_questions_are_as_many_as_in_table_7(task, subset, number):
    assert plan.PLANNING.published({**BASE, "task": task, "subset": subset})[0] == number


def test_the_sample_has_every_task_with_an_answer():
    for task in TASKS:
        every = expected(plan.PLANNING.published({**BASE, "task": task, "source": "hub"})[1])
        assert every, task
        assert all(one.tokens_out for one in every)


def test_each_format_that_is_rendered_can_be_tried():
    formats = {kind.format for kind in TASKS.values() if kind.rendered}
    assert all(next(plan.PLANNING.jobs(format), None) for format in formats)
    assert list(plan.PLANNING.jobs("latex")) == []
    assert {format for format in formats if not FORMATS[format].rendered} == set()
