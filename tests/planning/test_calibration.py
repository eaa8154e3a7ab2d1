"""How long an answer takes: measured with started engines, as many at a time as there are cores."""

import threading
from itertools import count

import pytest

from helm_structext.errors import RenderError, SetupError
from helm_structext.planning.estimate import TRIED, calibrate


@pytest.fixture(autouse=True)
def cores(monkeypatch):
    monkeypatch.setenv("HELM_STRUCTEXT_WORKERS", "2")


def test_the_first_answers_do_not_count():
    done = []

    def job():
        done.append(threading.get_ident())

    ticks = []

    def clock():
        ticks.append(len(done))
        return 3.0 * len(ticks)

    seconds, failures = calibrate(["latex"], lambda _: [job] * 9, clock)
    assert ticks == [2, 2 + TRIED], "engines of two workers are started before"
    assert seconds == {"latex": 3.0 / TRIED}
    assert not failures


def test_with_more_cores_than_answers_more_are_done_at_a_time(monkeypatch):
    monkeypatch.setenv("HELM_STRUCTEXT_WORKERS", "64")
    ticks = count()
    seconds, _ = calibrate(["latex"], lambda _: [int] * 9, lambda: next(ticks))
    assert seconds == {"latex": 1 / 64}


@pytest.mark.parametrize("error", [SetupError("no compiler"), RenderError("timeout", "too long")])
def test_what_can_not_be_measured_says_why(error):
    def fail():
        raise error

    jobs = {"vue": [fail], "svg": [int], "tikz": []}
    seconds, failures = calibrate(list(jobs), jobs.__getitem__)
    assert list(seconds) == ["svg"]
    assert failures == {"vue": str(error), "tikz": "the sample has no answer of it"}
