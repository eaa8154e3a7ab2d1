"""The classifier by the paper's recipe, from weights by chance: ImageNet's can't be had in tests."""

import argparse
import hashlib
import io
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw

from helm_structext.cli import collect_classifier
from helm_structext.errors import SetupError
from helm_structext.metrics.weights import WeightFile, sheet_classifier_path
from support.damage import ANY_FILE
from support.lazy import Lazy

CLASSIFIER = "helm_structext.image2struct.collect.classifier"
classifier, torch, models = map(Lazy, (CLASSIFIER, "torch", "torchvision.models"))

COUNTS = {"train/other": 2, "train/sheet": 2, "test/other": 1, "test/sheet": 2}


def page(sheet: bool, number: int) -> Image.Image:
    """Staves with notes, or lines of dashes."""
    picture = Image.new("L", (300, 420), 255)
    draw = ImageDraw.Draw(picture)
    for top in range(20 + number, 400, 50):
        for line in range(5 if sheet else 2):
            y = top + 5 * line
            for x in range(20, 280, 260 if sheet else 20):
                draw.line((x, y, x + (260 if sheet else 12), y), fill=0)
        for x in range(40, 280, 30) if sheet else ():
            draw.ellipse((x, top + 8, x + 7, top + 13), fill=0)
    return picture


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    for name, count in COUNTS.items():
        (folder / name).mkdir(parents=True)
        for number in range(count):
            page(name.endswith("sheet"), number).save(folder / name / f"{number}.png")
    return folder


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module", autouse=True)
def imagenet(tmp_path_factory):
    """A file in the folder of weights in the place of ImageNet's."""
    folder = tmp_path_factory.mktemp("weights")
    file = io.BytesIO()
    torch.manual_seed(1)
    torch.save(models.resnet18().state_dict(), file)
    name = f"resnet18-{hashlib.sha256(file.getvalue()).hexdigest()[:8]}.pth"
    (folder / name).write_bytes(file.getvalue())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HELM_STRUCTEXT_WEIGHTS", str(folder))
        patch.setattr(f"{CLASSIFIER}.RESNET_18", WeightFile(f"http://127.0.0.1:9/{name}"))
        yield folder


@pytest.fixture(scope="module")
def trained(pages):
    return classifier.train(pages, 3)


def weights_of(trained) -> bytes:
    return b"".join(
        part.numpy().tobytes() for part in trained.classifier.network.state_dict().values()
    )


def test_two_epochs_of_all_pages_teach_something(trained, imagenet):
    first, second = trained.losses
    assert second < first
    (file,) = imagenet.glob("resnet18-*")
    before = torch.load(file, weights_only=True)["conv1.weight"]
    after = trained.classifier.network.conv1.weight
    assert not torch.equal(before, after)
    assert torch.allclose(before, after, atol=0.05)  # it begins with these


def test_what_is_wrong_of_the_test_is_named_and_counted(trained, pages):
    judge = trained.classifier.is_sheet
    wrong = {
        file
        for name in ("other", "sheet")
        for file in (pages / "test" / name).iterdir()
        if (judge(Image.open(file)) >= 0.5) != (name == "sheet")
    }
    assert set(trained.wrong) == wrong
    record = trained.classifier.record
    assert (record["trained"], record["tested"], record["right"]) == (4, 3, 3 - len(wrong))


def test_the_same_seed_gives_the_same_weights_and_another_one_others(trained, pages):
    assert weights_of(classifier.train(pages, 3)) == weights_of(trained)
    assert weights_of(classifier.train(pages, 4)) != weights_of(trained)


def test_it_sees_the_middle_of_a_page_alone(trained):
    judge = trained.classifier.is_sheet
    white = Image.new("RGB", (1024, 1448), "white")
    around = Image.new("RGB", (1024, 1448), "black")
    around.paste("white", (256, 468, 768, 980))
    inside = white.copy()
    inside.paste("black", (300, 500, 500, 700))
    assert judge(around) == judge(white) != judge(inside)
    assert judge(white.convert("1")) == judge(white.resize((2048, 2896))) == judge(white)


def test_a_file_gives_the_same_classifier_back(trained, tmp_path):
    trained.classifier.save(tmp_path / "weights.pt")
    loaded = classifier.load(tmp_path / "weights.pt")
    noise = Image.fromarray(np.random.default_rng(1).integers(0, 255, (600, 500), np.uint8))
    assert loaded.is_sheet(noise) == trained.classifier.is_sheet(noise)
    assert loaded.record == trained.classifier.record


@pytest.mark.parametrize("damage", ANY_FILE.values(), ids=ANY_FILE)
def test_a_damaged_file_says_what_to_do_or_does_no_harm(trained, tmp_path, damage):
    path = tmp_path / "weights.pt"
    trained.classifier.save(path)
    damage(path)
    with suppress(SetupError):
        found = classifier.load(path)  # what was added behind it does no harm, for example
        state, before = found.network.state_dict(), trained.classifier.network.state_dict()
        assert all(torch.equal(state[name], part) for name, part in before.items())
        assert found.record == trained.classifier.record
        return
    with pytest.raises(SetupError, match="train-classifier"):
        classifier.load(path)


def test_one_bit_that_differs_is_noticed(trained, tmp_path):
    path = tmp_path / "weights.pt"
    trained.classifier.save(path)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(SetupError, match="is damaged"):
        classifier.load(path)


def test_a_file_that_is_not_there_says_what_to_do():
    with pytest.raises(SetupError, match=r"^/nowhere/weights\.pt is not there: run "):
        classifier.load(Path("/nowhere/weights.pt"))


def test_the_weights_of_another_network_are_refused(imagenet):
    (file,) = imagenet.glob("resnet18-*")
    with pytest.raises(SetupError, match="holds no classifier"):
        classifier.load(file)


@pytest.mark.parametrize("names", [(), ("other",), ("sheet", "else"), ("other", "sheet", "third")])
def test_folders_that_are_none_of_pages_are_named(names, tmp_path):
    for name in names:
        (tmp_path / "train" / name).mkdir(parents=True)
        page(True, 1).save(tmp_path / "train" / name / "1.png")
    with pytest.raises(SetupError, match=r"train does not hold pages to learn from.*train/sheet"):
        classifier.train(tmp_path)


def test_a_picture_that_can_not_be_read_is_named(pages, tmp_path):
    for name in COUNTS:
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "broken.png").write_bytes(b"no picture")
    with pytest.raises(SetupError, match=r"broken\.png can't be read"):
        classifier.train(tmp_path)


def test_without_imagenet_s_weights_it_says_where_they_belong(pages, monkeypatch, tmp_path):
    monkeypatch.setenv("HELM_STRUCTEXT_WEIGHTS", str(tmp_path))
    with pytest.raises(SetupError, match=r"download http.* elsewhere and put it into"):
        classifier.train(pages)


def test_the_command_trains_tests_and_writes(pages, monkeypatch, capsys):
    parser = argparse.ArgumentParser()
    collect_classifier.add_train_classifier(parser.add_subparsers())
    options = parser.parse_args(["train-classifier", str(pages), "--seed", "2"])
    assert options.command(options) == 0
    said = capsys.readouterr().out
    assert "4 pages, 2 epochs, mean losses " in said
    assert " of 3 pages of the test right, " in said
    assert f"weights in {sheet_classifier_path()}" in said
    assert classifier.load().record["seed"] == 2
