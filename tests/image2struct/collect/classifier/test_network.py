"""What the network sees, and its file: whole, or an error that says what to do."""

import numpy as np
import pytest
import torch
from PIL import Image, ImageDraw

from helm_structext.errors import SetupError
from helm_structext.image2struct.collect import classifier
from helm_structext.image2struct.collect.classifier import network
from helm_structext.image2struct.collect.classifier.network import SHARE, SIDE, middle
from support.damage import ANY_FILE

RECORD = {"seed": 3, "seen": {"right": 9, "pages": 10}}


@pytest.fixture(scope="module")
def untrained() -> torch.nn.Module:
    torch.manual_seed(3)
    return network.untrained().eval()


@pytest.fixture(scope="module")
def saved(tmp_path_factory, untrained) -> bytes:
    path = tmp_path_factory.mktemp("saved") / "weights.pt"
    network.save(untrained, RECORD, path)
    return path.read_bytes()


@pytest.fixture
def file(tmp_path, saved):
    path = tmp_path / "weights.pt"
    path.write_bytes(saved)
    return path


def test_the_middle_is_that_of_a_page_of_1024_pixels():
    page = Image.new("L", (1024, 1448), 0)
    page.paste(255, (256, 468, 768, 980))
    assert (middle(page) == 255).all()
    page.paste(0, (256, 468, 768, 472))
    page.paste(0, (764, 468, 768, 980))
    seen = middle(page)
    assert (seen[0] == 0).all()
    assert (seen[:, -1] == 0).all()
    assert (seen[4:, :-4] == 255).all()


@pytest.mark.parametrize("ink", [0, 120, 255])
@pytest.mark.parametrize("paper", [60, 190, 255])
def test_paper_is_white_and_ink_black_whatever_they_are(ink, paper):
    shape = np.zeros((40, 40), bool)
    shape[::8] = True
    seen = network.stretched(np.where(shape, ink, paper).astype(np.uint8))
    assert (seen == np.where(shape & (ink != paper), 0, 255)).all()


@pytest.mark.parametrize("turned", [False, True])
def test_uneven_light_and_stains_are_gone(turned):
    light = np.tile(np.linspace(120, 250, 256), (256, 1))
    light[60:200, 60:200] -= 50
    light[::8] *= 0.6
    light = light.repeat(2, axis=0).repeat(2, axis=1)
    seen = network.stretched((255 - light if turned else light).astype(np.uint8))[::2, ::2]
    assert np.median(seen[::8]) < 140
    assert seen[::8][10:22, 80:180].max() < 200
    assert np.delete(seen, np.s_[::8], axis=0)[70:150, 80:180].min() > 240


def test_dust_stays_pale():
    seen = network.stretched(np.random.default_rng(1).integers(235, 255, (40, 40), np.uint8))
    assert seen.min() > 180


@pytest.mark.parametrize("size", [(1024, 1448), (300, 200), (5000, 1100), (1, 1), (1, 20_000)])
@pytest.mark.parametrize("mode", ["L", "RGB", "1", "P", "RGBA"])
def test_every_size_and_mode_is_seen(size, mode):
    seen = middle(Image.new(mode, size))
    assert (seen.shape, seen.dtype) == ((SIDE, SIDE), np.uint8)


def test_the_size_of_a_page_does_not_matter():
    large = Image.new("L", (2048, 2896), 255)
    ImageDraw.Draw(large).ellipse((700, 1000, 1500, 1800), fill=0)
    small = large.resize((1024, 1448), Image.Resampling.BOX)
    assert np.abs(middle(large).astype(int) - middle(small)).mean() < 1


def test_a_region_around_the_middle_is_seen_as_the_page_is():
    page = Image.effect_noise((1600, 2400), 90)
    region = page.crop((200, 600, 1400, 1800))
    assert (middle(region, SHARE * 1600 / 1200) == middle(page)).all()


def test_weights_and_record_come_back(file, untrained):
    again, record = network.read(file)
    assert record == RECORD
    seen = [middle(Image.effect_noise((600, 800), 60))]
    assert network.probabilities(again, seen) == network.probabilities(untrained, seen)
    sheets = classifier.load(file)
    assert sheets.record == RECORD
    assert 0 <= sheets.is_sheet(Image.new("RGB", (600, 800), "white")) <= 1


def test_the_same_weights_are_the_same_file(file, untrained):
    again = file.with_name("again.pt")
    network.save(untrained, RECORD, again)
    assert again.read_bytes() == file.read_bytes()


# Behind its end a file may have anything; the weights are as they were.
@pytest.mark.parametrize("damage", sorted(ANY_FILE.keys() - {"longer", "twice", "not to be read"}))
def test_damaged_weights_are_an_error_that_says_what_to_do(file, damage):
    ANY_FILE[damage](file)
    with pytest.raises(SetupError, match=r"weights\.pt"):
        classifier.load(file)


@pytest.mark.parametrize("place", ["weights", "record"])
def test_one_changed_byte_is_noticed(file, place):
    content = bytearray(file.read_bytes())
    content[len(content) // 2 if place == "weights" else content.index(b'"seed": 3') + 8] ^= 1
    file.write_bytes(content)
    with pytest.raises(SetupError, match="train-classifier"):
        classifier.load(file)


@pytest.mark.parametrize(
    "content", [{"format": "another"}, [1, 2], {"format": network.FORMAT, "state": {}, "sum": ""}]
)
def test_other_files_of_torch_are_refused(tmp_path, content):
    path = tmp_path / "other.pt"
    torch.save(content, path)
    with pytest.raises(SetupError, match="train-classifier"):
        classifier.load(path)


def test_without_weights_collecting_says_what_to_run(tmp_path, monkeypatch):
    monkeypatch.setenv("HELM_STRUCTEXT_WEIGHTS", str(tmp_path))
    with pytest.raises(SetupError, match="helm-structext collect train-classifier"):
        classifier.load()
