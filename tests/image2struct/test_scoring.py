import os
import signal
from concurrent.futures import ThreadPoolExecutor

import pytest

from helm_structext.image2struct import scoring
from helm_structext.image2struct.scores import PICTURE_METRICS
from helm_structext.image2struct.scoring import read_pair, score_pictures
from support.rows import png


@pytest.fixture
def pair(tmp_path):
    (tmp_path / "one.png").write_bytes(png(size=(40, 30)))
    (tmp_path / "two.png").write_bytes(png((0, 200, 0), size=(30, 40)))
    return tmp_path / "one.png", tmp_path / "two.png"


def test_workers_compute_what_the_functions_do(pair):
    scores = score_pictures(*pair, "padding")
    assert scores.errors == {}
    assert scores.values == {
        name: metric(*read_pair(*pair, "padding")) for name, metric in PICTURE_METRICS.items()
    }


def test_many_threads_get_their_own_answers(pair):
    both = [pair, pair[::-1]] * 10
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda p: score_pictures(*p, "padding").values, both))
    assert answers[::2] == [answers[0]] * 10
    assert answers[1::2] == [answers[1]] * 10
    assert answers[0] != answers[1]


def test_an_error_is_said_for_each_metric(pair):
    scores = score_pictures(*pair, "error")
    assert scores.values == {}
    assert set(scores.errors) == set(PICTURE_METRICS)


def test_a_killed_worker_is_replaced(pair):
    expected = score_pictures(*pair, "resize")
    waiting = list(scoring._idle_workers().queue)
    for worker in waiting:
        if worker is not None:
            os.kill(worker.pid, signal.SIGKILL)
            worker.wait()
    assert score_pictures(*pair, "resize") == expected


def test_a_pair_that_ends_every_worker_is_an_error(pair, monkeypatch):
    monkeypatch.setattr(scoring.sys, "executable", "/bin/true")
    while not scoring._idle_workers().empty():
        worker = scoring._idle_workers().get()
        if worker is not None:
            worker.kill()
    for _ in range(2):
        scoring._idle_workers().put(None)
    with pytest.raises(RuntimeError, match="ended two processes"):
        score_pictures(*pair, "padding")
