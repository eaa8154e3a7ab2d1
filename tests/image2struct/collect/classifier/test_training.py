"""Training on few small pages: it learns, repeats itself, and starts from ImageNet's weights."""

import argparse
from functools import partial
from hashlib import sha256

import numpy as np
import pytest
import torch

from helm_structext.cli import collect_classifier
from helm_structext.image2struct.collect import classifier
from helm_structext.image2struct.collect.classifier import network, training
from helm_structext.image2struct.collect.classifier.pages import KINDS
from helm_structext.image2struct.collect.classifier.training import Task, fitted, tasks
from helm_structext.metrics import weights
from helm_structext.metrics.weights import WeightFile

LABELED = [Task("melody", str(n), 1) if n % 2 else Task("prose", str(n), 1) for n in range(8)]


def striped(sheet: bool, seed: int) -> np.ndarray:
    values = np.random.default_rng(seed).integers(180, 256, (256, 256), np.uint8)
    values[:: 8 if sheet else 300] = 0
    return values


def shown(epochs: int) -> list[np.ndarray]:
    return [
        np.stack([striped(task.sheet, 10 * n + epoch) for epoch in range(epochs)])
        for n, task in enumerate(LABELED)
    ]


@pytest.fixture(autouse=True)
def one_thread():
    with network.reproducible(1):
        yield


@pytest.fixture(autouse=True)
def no_weights(tmp_path, monkeypatch):
    monkeypatch.setenv("HELM_STRUCTEXT_WEIGHTS", str(tmp_path / "weights"))


def test_the_loss_falls():
    _, losses = fitted(1, LABELED, shown(epochs=5))
    assert losses[-1] < 0.8 * losses[0]


def test_a_seed_gives_the_same_weights_and_another_one_others():
    states = [fitted(seed, LABELED[:2], shown(epochs=1)[:2])[0].state_dict() for seed in (1, 1, 2)]
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
    state = fitted(1, LABELED[:2], shown(epochs=1)[:2])[0].state_dict()
    assert torch.allclose(state["conv1.weight"], published["conv1.weight"])
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
    assert made.shape == (max(versions, 1), 256, 256)
    assert (made == training.pictures(task)).all()
    assert len({version.tobytes() for version in made}) == len(made)


def test_the_command_trains_tests_and_writes_what_can_be_loaded(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(training, "train", partial(training.train, epochs=1, held_out=6))
    parser = argparse.ArgumentParser()
    collect_classifier.add_train_classifier(parser.add_subparsers())
    path = tmp_path / "new" / "weights.pt"
    options = parser.parse_args(
        ["train-classifier", "--pages", "4", "--seed", "2", "-o", str(path)]
    )
    assert options.command(options) == 0
    said = capsys.readouterr().out
    assert "ResNet-18 from scratch, 4 pages, 1 epochs, seed 2" in said
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
