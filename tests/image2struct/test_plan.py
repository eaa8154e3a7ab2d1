"""What is expected of Image2Struct's instances, and on which answers a machine is tried."""

from itertools import chain

import pytest

from helm_structext.data import load_rows
from helm_structext.image2struct import plan
from helm_structext.image2struct.rows import read_problem
from helm_structext.image2struct.tasks import DOMAINS
from helm_structext.pictures import size_of
from helm_structext.planning.records import Expected, utf8_length
from support.rows import latex_row, png

BASE = {"difficulty": "all", "source": "sample"}


@pytest.mark.parametrize("name", DOMAINS)
def test_the_sample_is_measured_as_it_is_asked(name):
    domain = DOMAINS[name]
    subset = domain.subsets[0]
    rows = load_rows("sample", benchmark=name, dataset="", config=subset, splits=["validation"])
    problems = [read_problem(row, domain, subset) for row in rows]
    assert plan.expected({**BASE, "domain": name, "subset": subset}) == [
        Expected(
            utf8_length(problem.prompt),
            utf8_length(problem.oracle),
            (size_of(problem.picture),),
            domain.format,
        )
        for problem in problems
    ]


def test_a_difficulty_is_a_part_and_all_subsets_are_their_sum(dataset):
    folder = str(dataset([latex_row(number) for number in range(7)]))
    arguments = {**BASE, "domain": "image2struct_latex", "subset": "equation", "source": folder}
    numbers = [len(plan.expected({**arguments, "difficulty": d})) for d in ("easy", "hard", "all")]
    assert numbers == [3, 2, 7]
    every = [
        plan.sample({**BASE, "domain": "image2struct_webpage", "subset": subset})
        for subset in ("css", "html", "javascript", "all")
    ]
    assert [*chain.from_iterable(every[:3])] == every[3]


def test_pictures_alone_have_no_right_answer(tmp_path):
    (tmp_path / "a.png").write_bytes(png(size=(30, 50)))
    arguments = {"domain": "image2struct_music", "subset": "music", "source": str(tmp_path)}
    (one,) = plan.expected({**BASE, **arguments})
    assert (one.answer, one.pictures) == (None, ((30, 50),))


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
    assert plan.published(arguments) == number
    assert len(plan.datasets({**arguments, "source": "hub"})) == (4 if subset == "all" else 1)


def test_wild_legacy_is_like_the_wild_sample():
    arguments = {**BASE, "domain": "image2struct_latex"}
    wild = plan.sample({**arguments, "subset": "wild"})
    assert plan.sample({**arguments, "subset": "wild_legacy"}) == wild != []


def test_an_answer_of_each_format_is_rendered_and_scored():
    jobs = list(plan.jobs("latex"))
    assert len(jobs) > 3
    assert {job.args[2] for job in jobs[:4]} == set(DOMAINS["image2struct_latex"].subsets)
    jobs[0]()
    assert list(plan.jobs("svg")) == []
