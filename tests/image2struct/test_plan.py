"""What is expected of Image2Struct's instances, and on which answers a machine is tried."""

from itertools import chain

import pytest

from helm_structext.data import load_rows
from helm_structext.image2struct import plan
from helm_structext.image2struct.rows import read_problem
from helm_structext.image2struct.tasks import DOMAINS, PUBLISHED_DOMAINS
from helm_structext.pictures import size_of
from helm_structext.planning.records import Expected, picture_tokens, text_tokens
from support.rows import latex_row, png

BASE = {"difficulty": "all", "source": "sample", "revision": "main"}
expected = plan.PLANNING.expected


def like_published(arguments: dict) -> list[Expected]:
    return list(expected(plan.PLANNING.published({**arguments, "source": "hub"})[1]))


@pytest.mark.parametrize("name", PUBLISHED_DOMAINS)
def test_the_sample_is_measured_as_it_is_asked(name):
    domain = DOMAINS[name]
    subset = domain.subsets[0]
    rows = load_rows("sample", benchmark=name, dataset="", config=subset, splits=["validation"])
    problems = [read_problem(row, domain, subset) for row in rows]
    assert expected({**BASE, "domain": name, "subset": subset}) == [
        Expected(
            text_tokens(problem.prompt) + picture_tokens(size_of(problem.picture)),
            text_tokens(problem.oracle, code=True),
            pictures=1,
            format=domain.format,
        )
        for problem in problems
    ]


def test_a_difficulty_is_a_part_and_all_subsets_are_their_sum(dataset):
    folder = str(dataset([latex_row(number) for number in range(7)]))
    arguments = {**BASE, "domain": "image2struct_latex", "subset": "equation", "source": folder}
    numbers = [len(expected({**arguments, "difficulty": d})) for d in ("easy", "hard", "all")]
    assert numbers == [3, 2, 7]
    every = [
        like_published({**BASE, "domain": "image2struct_webpage", "subset": subset})
        for subset in ("css", "html", "javascript", "all")
    ]
    assert [*chain.from_iterable(every[:3])] == every[3]


def test_pictures_alone_have_no_right_answer(tmp_path):
    (tmp_path / "a.png").write_bytes(png(size=(30, 50)))
    arguments = {"domain": "image2struct_music", "subset": "music", "source": str(tmp_path)}
    (one,) = expected({**BASE, **arguments})
    assert (one.tokens_out, one.pictures) == (None, 1)
    assert one.tokens_in == text_tokens(DOMAINS["image2struct_music"].prompt) + 2


@pytest.mark.parametrize(
    ("subset", "difficulty", "number"),
    [
        ("equation", "all", 300),
        ("equation", "hard", 100),
        ("all", "all", 1200),
        ("wild", "all", 50),
    ],
)
def test_published_instances(subset, difficulty, number):
    arguments = {"domain": "image2struct_latex", "subset": subset, "difficulty": difficulty}
    arguments = {**BASE, **arguments, "source": "hub"}
    assert plan.PLANNING.published(arguments)[0] == number
    assert len(plan.PLANNING.datasets(arguments)) == (4 if subset == "all" else 1)


def test_wild_legacy_is_like_the_wild_sample():
    arguments = {**BASE, "domain": "image2struct_latex"}
    wild = like_published({**arguments, "subset": "wild"})
    assert like_published({**arguments, "subset": "wild_legacy"}) == wild != []


def test_an_answer_of_each_format_is_rendered_and_scored():
    jobs = list(plan.PLANNING.jobs("latex"))
    assert len(jobs) > 3
    assert {job.args[2] for job in jobs[:4]} == set(DOMAINS["image2struct_latex"].subsets)
    jobs[0]()
    assert {job.args[2] for job in plan.PLANNING.jobs("svg")} == {"chart", "diagram", "drawing"}
    assert list(plan.PLANNING.jobs("json")) == []


def test_a_machine_is_tried_on_answers_as_a_run_draws_them():
    """Chinese and Japanese are drawn in TeX by the protocol of our own formats alone."""
    (japanese,) = plan.PLANNING.jobs("latex_document")
    assert "CJK" in read_problem(japanese.args[1], japanese.args[0], japanese.args[2]).oracle
    assert {job.args[3] for job in plan.PLANNING.jobs("latex")} == {"published", "corrected"}
    japanese()
