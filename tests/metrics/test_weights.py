"""Files of weights: the right ones, or an error that says what to do; never a score."""

import hashlib
import os

import pytest

from helm_structext.errors import SetupError
from helm_structext.image2struct.picture_scores import attempt
from helm_structext.metrics import weights
from helm_structext.metrics.weights import WeightFile, WeightsMissing, check_weights, fetch_weights
from support.damage import ANY_FILE

CONTENT = b"what a network has learned" * 99


@pytest.fixture
def file(tmp_path, monkeypatch) -> WeightFile:
    (tmp_path / "source").write_bytes(CONTENT)
    name = f"net-{hashlib.sha256(CONTENT).hexdigest()[:8]}.pth"
    (tmp_path / "source").rename(tmp_path / name)
    file = WeightFile((tmp_path / name).as_uri())
    monkeypatch.setattr(weights, "WEIGHT_FILES", (file,))
    monkeypatch.setenv("HELM_STRUCTEXT_WEIGHTS", str(tmp_path / "weights"))
    fetch_weights()
    return file


def test_whole_weights_are_right(file):
    check_weights(file)
    assert file.path.read_bytes() == CONTENT


@pytest.mark.parametrize("damage", [name for name in ANY_FILE if name != "not to be read"])
def test_damaged_weights_are_an_error_that_says_what_to_do(file, damage):
    ANY_FILE[damage](file.path)
    with pytest.raises(SetupError, match=r"net-.*helm-structext weights fetch"):
        check_weights(file)
    if "folder" in damage:  # The user's, maybe: it is named, and stays.
        with pytest.raises(SetupError, match=r"net-.* could not be fetched"):
            fetch_weights()
        return
    fetch_weights()
    check_weights(file)


def test_weights_that_can_not_be_read_are_named(file, monkeypatch):
    if os.geteuid() == 0:
        pytest.skip("rights say nothing to root")
    file.path.chmod(0)
    with pytest.raises(SetupError, match="can't be read"):
        check_weights(file)


def test_the_machines_mistake_is_no_missing_value(file):
    def metric(*_):
        raise WeightsMissing(file)

    with pytest.raises(SetupError):
        attempt({"metric": metric}, (1, 2))
