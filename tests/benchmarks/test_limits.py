"""The bare engines that ours are measured against draw what ours draw."""

import time

import pytest

from limits import Stages, bare_engines, jobs_of, same


@pytest.mark.parametrize("format", ["typst", "markdown", "latex"])
def test_a_bare_engine_makes_the_same_pictures(format):
    jobs = jobs_of(format, 2)
    assert same(format, jobs) == len(jobs) == 2
    with bare_engines(format, 1) as draw:
        first = draw(jobs[0])
    assert first[:4] == b"\x89PNG" or first[:2] == b"P6"


def test_a_stage_does_not_count_the_time_of_those_within_it():
    stages = Stages()
    with stages.stage("outer"):
        stages.watching(time.sleep, "inner")(0.1)
        with stages.stage("inner"):
            time.sleep(0.1)
    assert stages.seconds["inner"] >= 0.2
    assert stages.seconds["outer"] < 0.1


def test_a_stage_without_a_name_is_called_by_what_is_asked_for():
    stages = Stages()
    ask = stages.watching(lambda engine, question: question, "")
    assert ask(None, "Page.navigate") == "Page.navigate"
    assert list(stages.seconds) == ["Page.navigate"]
