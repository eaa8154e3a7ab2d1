"""Training on few small pages: it learns, repeats itself, and starts from ImageNet's weights."""

import argparse
from collections import Counter
from collections.abc import Iterator
from functools import partial
from hashlib import sha256
from operator import length_hint
from random import Random

import numpy as np
import pytest
import torch
from PIL import Image

from helm_structext.cli import collect_classifier
from helm_structext.image2struct.collect import classifier
from helm_structext.image2struct.collect.classifier import network, training
from helm_structext.image2struct.collect.classifier.pages import KINDS
from helm_structext.image2struct.collect.classifier.training import Task, fitted, tasks
from helm_structext.metrics import weights
from helm_structext.metrics.weights import WeightFile

VERSIONS = 5
LABELED = [Task(("prose", "melody")[n % 2], str(n), VERSIONS) for n in range(8)]


def striped(sheet: bool, seed: int) -> np.ndarray:
    values = np.random.default_rng(seed).integers(180, 256, (128, 128), np.uint8)
    values[:: 8 if sheet else 300] = 0
    return values


def shown() -> Iterator[np.ndarray]:
    for n, task in enumerate(LABELED):
        yield np.stack([striped(task.sheet, 10 * n + version) for version in range(VERSIONS)])


@pytest.fixture(autouse=True)
def one_thread():
    with network.reproducible():
        yield


@pytest.fixture(autouse=True)
def no_weights(tmp_path, monkeypatch):
    monkeypatch.setenv("HELM_STRUCTEXT_WEIGHTS", str(tmp_path / "weights"))


def test_the_loss_falls():
    _, losses = fitted(1, LABELED, shown())
    assert losses[-1] < 0.8 * losses[0]


def test_all_versions_are_learned_from_once_and_few_are_in_memory(monkeypatch):
    monkeypatch.setattr(training, "POOL", 4)
    pages = iter(list(zip(LABELED, shown(), strict=True)))
    order = []
    for number, (version, label) in enumerate(training._shuffled(pages, Random(1))):
        taken = len(LABELED) - length_hint(pages)
        assert taken * VERSIONS - number <= 4 + VERSIONS
        order.append((version.tobytes(), label))
    made = list(shown())
    all_of_them = [
        (version.tobytes(), int(task.sheet))
        for task, versions in zip(LABELED, made, strict=True)
        for version in versions
    ]
    assert Counter(order) == Counter(all_of_them)
    assert order != all_of_them


def test_a_seed_gives_the_same_weights_and_another_one_others():
    states = [fitted(seed, LABELED, shown())[0].state_dict() for seed in (1, 1, 2)]
    assert all(torch.equal(states[0][name], states[1][name]) for name in states[0])
    assert not torch.equal(states[0]["fc.weight"], states[2]["fc.weight"])


def test_training_starts_from_the_weights_of_imagenet_where_they_are(tmp_path, monkeypatch):
    from torchvision.models import resnet18

    torch.manual_seed(9)
    published = resnet18().state_dict()
    torch.save(published, tmp_path / "source")
    name = f"resnet18-{sha256((tmp_path / 'source').read_bytes()).hexdigest()[:8]}.pth"
    file = WeightFile(f"https://example.org/{name}")
    file.path.parent.mkdir()
    (tmp_path / "source").rename(file.path)
    monkeypatch.setattr(training, "RESNET_18", file)
    monkeypatch.setattr(training, "LEARNING_RATE", 1e-9)
    state = fitted(1, LABELED, shown())[0].state_dict()
    assert torch.allclose(state["layer1.0.conv1.weight"], published["layer1.0.conv1.weight"])
    # What the first layer has for the colors of a pixel is shared out over a square of gray ones.
    gray = published["conv1.weight"].sum(1, keepdim=True)
    assert torch.allclose(state["conv1.weight"], (gray / 4).expand(-1, 4, -1, -1), atol=1e-6)
    assert state["fc.weight"].shape == (2, 512)


def test_the_weights_of_imagenet_are_fetched_for_nobody_else():
    assert weights.RESNET_18 not in weights.WEIGHT_FILES
    assert weights.RESNET_18.sha256_prefix == "f37072fd"


def test_pages_of_tests_are_others_than_those_of_training_and_half_of_them_sheets():
    training_tasks = tasks(3, "training", 60, seen=True, versions=2)
    seen = tasks(3, "seen", 60, seen=True, versions=0)
    unseen = tasks(3, "unseen", 60, seen=False, versions=0)
    assert not {task.seed for task in training_tasks} & {task.seed for task in seen}
    assert not {task.kind for task in training_tasks} & {task.kind for task in unseen}
    for made in (training_tasks, seen, unseen):
        assert sum(task.sheet for task in made) == 30
        assert all(task.sheet == KINDS[task.kind].sheet for task in made)


@pytest.mark.parametrize("versions", [0, 2])
def test_versions_of_a_page_differ_and_come_again(versions):
    task = Task("diagram", "5", versions)
    made = training.pictures(task)
    assert made.shape == (max(versions, 1), 512, 512)
    assert (made == training.pictures(task)).all()
    assert len({version.tobytes() for version in made}) == len(made)


def test_a_page_that_ends_in_the_middle_keeps_a_third_of_what_is_seen_and_no_half_of_a_line():
    page = Image.new("L", (600, 600), 255)
    for y in range(0, 600, 40):
        page.paste(0, (0, y, 600, y + 20))
    before = np.asarray(page)
    ends = set()
    for seed in range(20):
        after = np.asarray(training.ended(page, Random(seed)))
        kept = (after == before).all(axis=1)
        assert (after[~kept] == 255).all()
        assert kept[103:497].mean() > 0.4  # 0.76 of the page is given, and 0.5 of it is seen.
        lines = (after == 0).all(axis=1)[:600].reshape(15, 40).sum(axis=1)
        assert set(lines.tolist()) == {0, 20}
        ends.add(bool(lines[0]))
    assert ends == {True, False}
    assert (np.asarray(page) == before).all()


def test_a_page_without_a_free_row_ends_anywhere_and_one_without_ink_stays_as_it_is():
    for seed in range(20):
        black = np.asarray(training.ended(Image.new("L", (600, 600), 0), Random(seed)))
        assert 0.3 < (black[103:497] == 0).mean() < 1
        assert (
            np.asarray(training.ended(Image.new("L", (600, 600), 255), Random(seed))) == 255
        ).all()


def test_the_command_trains_tests_and_writes_what_can_be_loaded(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(training, "train", partial(training.train, versions=1, held_out=6))
    parser = argparse.ArgumentParser()
    collect_classifier.add_train_classifier(parser.add_subparsers())
    path = tmp_path / "new" / "weights.pt"
    options = parser.parse_args(
        ["train-classifier", "--pages", "4", "--seed", "2", "-o", str(path)]
    )
    assert options.command(options) == 0
    said = capsys.readouterr().out
    assert "ResNet-18 from scratch, 4 pages, each in 1 versions, seed 2" in said
    assert "of 3 right" in said
    assert "of 6 right" in said
    assert "    hymn, other fonts: " in said
    record = classifier.load(path).record
    assert (record["seed"], record["pages"], record["unseen"]["pages"]) == (2, 4, 6)


@pytest.mark.parametrize("pages", ["3", "0", "-2", "x", "1.5"])
def test_an_odd_number_of_pages_is_refused(pages, capsys):
    parser = argparse.ArgumentParser()
    collect_classifier.add_train_classifier(parser.add_subparsers())
    with pytest.raises(SystemExit):
        parser.parse_args(["train-classifier", "--pages", pages])
    assert "not an even number" in capsys.readouterr().err


def test_the_command_s_default_is_that_of_the_function():
    assert collect_classifier.PAGES == training.PAGES
