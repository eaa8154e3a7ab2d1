import pytest

from helm_structext.image2struct.picture_scores import read_pair, score_pictures
from helm_structext.image2struct.scores import PICTURE_METRICS
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


def test_an_error_is_said_for_each_metric(pair):
    scores = score_pictures(*pair, "error")
    assert scores.values == {}
    assert set(scores.errors) == set(PICTURE_METRICS)


def test_a_broken_picture_leaves_every_metric_without_a_value(pair):
    pair[0].write_bytes(b"no picture")
    scores = score_pictures(*pair, "padding")
    assert scores.values == {}
    assert set(scores.errors) == set(PICTURE_METRICS)
