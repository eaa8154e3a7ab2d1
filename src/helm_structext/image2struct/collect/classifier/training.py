"""Pages → a trained classifier, and how often it is right on pages that it never saw.

Everything depends on the seed: on one machine, with the same number of threads, the same weights
come out.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from helm_structext import __version__
from helm_structext.image2struct.collect.classifier.degrade import degraded
from helm_structext.image2struct.collect.classifier.network import (
    SHARE,
    logits,
    middle,
    probabilities,
    reproducible,
    untrained,
)
from helm_structext.image2struct.collect.classifier.pages import KINDS, names
from helm_structext.metrics.weights import RESNET_18, check_weights
from helm_structext.processes import map_in_processes
from helm_structext.progress import progress
from helm_structext.sandbox import worker_count

if TYPE_CHECKING:
    from torch import Tensor
    from torch.nn import Module

PAGES, EPOCHS, HELD_OUT = 1000, 7, 520
"""By default: pages to train on, how often each is seen, and pages of kinds that are never seen."""
BATCH = 8
WINDOW = 160
"""Of the 256 × 256 that the network sees in the end, it learns from windows of this side, but for
the last epoch, when it learns from all of them."""
LEARNING_RATE, WEIGHT_DECAY = 1e-3, 1e-2
REGION = 0.76
"""The side of what is degraded for training, as a share of a page's shorter side: enough around
the middle for it to be turned and moved."""


@dataclass(frozen=True)
class Task:
    """One page to be made.

    Args:
        kind: one of `KINDS`.
        seed: of its content and of what happens to it.
        versions: for training, how many differently degraded ones of it there are; 0 for a page
            that is degraded as a whole, as a test.
    """

    kind: str
    seed: str
    versions: int

    @property
    def sheet(self) -> bool:
        return KINDS[self.kind].sheet


@dataclass(frozen=True)
class Accuracy:
    """How often the classifier was right.

    Args:
        right: pages.
        pages: all of them.
        kinds: right and all, by kind.
    """

    right: int
    pages: int
    kinds: Mapping[str, tuple[int, int]]

    @property
    def share(self) -> float:
        return self.right / self.pages


@dataclass(frozen=True)
class Trained:
    """A trained classifier.

    Args:
        network: its network.
        losses: means of all epochs.
        seen: on other pages of the kinds that it was trained with.
        unseen: on pages of kinds that it was not trained with.
        record: what its file says of it; JSON.
    """

    network: "Module"
    losses: tuple[float, ...]
    seen: Accuracy
    unseen: Accuracy
    record: Mapping[str, Any]


def tasks(seed: int, use: str, count: int, *, seen: bool, versions: int) -> list[Task]:
    """Returns pages to be made, half of them sheets, and of each kind as many as of others.

    Args:
        seed: of all.
        use: tells pages of one use from those of another.
        count: of pages; an even number.
        seen: whether they are of kinds that training sees.
        versions: see `Task`.

    >>> [task.kind for task in tasks(1, "training", 4, seen=True, versions=2)]
    ['melody', 'prose', 'verses', 'columns']
    """
    made = []
    for number in range(count):
        kinds = names(sheet=number % 2 == 0, seen=seen)
        kind = kinds[number // 2 % len(kinds)]
        made.append(Task(kind, f"{seed}\0{use}\0{number}", versions))
    return made


def pictures(task: Task) -> NDArray[np.uint8]:
    """Returns what the classifier sees of a page: (versions, 256, 256), or of a test (1, 256, 256)."""
    random = Random(task.seed)
    page = KINDS[task.kind].draw(random)
    if not task.versions:
        return middle(degraded(page, random))[np.newaxis]
    side = round(min(page.size) * REGION)
    left, top = (page.width - side) // 2, (page.height - side) // 2
    region = page.crop((left, top, left + side, top + side))
    return np.stack([_version(region, random) for _ in range(task.versions)])


def _version(region: Image.Image, random: Random) -> NDArray[np.uint8]:
    return middle(degraded(region, random), SHARE / REGION)


def made(tasks: Sequence[Task], what: str) -> list[NDArray[np.uint8]]:
    """Returns what `pictures` returns of each, made by all worker processes."""
    return list(progress(map_in_processes(pictures, tasks), what, len(tasks)))


def train(
    seed: int, pages: int = PAGES, *, epochs: int = EPOCHS, held_out: int = HELD_OUT
) -> Trained:
    """Makes pages, trains a classifier and tests it.

    Args:
        seed: another one gives other pages and weights.
        pages: to train on; even.
        epochs: how often each is seen, each time degraded differently.
        held_out: pages of kinds that training never saw; of seen kinds there are half as many.

    Raises:
        SetupError: a renderer or a package is missing, or the file of ImageNet's weights is
            damaged.
    """
    training = tasks(seed, "training", pages, seen=True, versions=epochs)
    with reproducible(worker_count()):
        network, losses = fitted(seed, training, made(training, "making pages to train on"))
        seen = tested(network, tasks(seed, "seen", held_out // 2, seen=True, versions=0))
        unseen = tested(network, tasks(seed, "unseen", held_out, seen=False, versions=0))
    record = {
        "version": __version__,
        "seed": seed,
        "pages": pages,
        "epochs": epochs,
        "from": "ImageNet" if RESNET_18.path.is_file() else "scratch",
        "seen": asdict(seen),
        "unseen": asdict(unseen),
    }
    return Trained(network, losses, seen, unseen, record)


def fitted(
    seed: int, tasks: Sequence[Task], versions: Sequence[NDArray[np.uint8]]
) -> tuple["Module", tuple[float, ...]]:
    """Returns a network that has learned from pages, and its mean loss in each epoch.

    It begins with ImageNet's weights if torchvision's file of them is in the folder of weights,
    else from scratch.

    Args:
        seed: of weights, order and windows.
        tasks: for the labels.
        versions: of each page (epochs, 256, 256); the first epoch sees the first ones.
    """
    import torch

    torch.manual_seed(seed)
    # With channels last, training takes a sixth less time.
    network = untrained(_imagenet()).to(memory_format=torch.channels_last)
    labels = torch.tensor([int(task.sheet) for task in tasks])
    epochs, steps = len(versions[0]), -(-len(tasks) // BATCH)
    optimizer = torch.optim.AdamW(network.parameters(), LEARNING_RATE, weight_decay=WEIGHT_DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, LEARNING_RATE, epochs * steps)
    loss_of = torch.nn.CrossEntropyLoss(label_smoothing=0.05)
    network.train()
    losses = [0.0] * epochs
    batches = _batches(epochs, len(tasks))
    for epoch, batch in progress(batches, "training, in batches", epochs * steps):
        shown = torch.from_numpy(np.stack([versions[page][epoch] for page in batch]))
        window = shown if epoch == epochs - 1 else _window(shown)
        loss = loss_of(logits(network, window), labels[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        losses[epoch] += loss.item() * len(batch) / len(tasks)
    return network, tuple(losses)


def _imagenet() -> "Mapping[str, Tensor] | None":
    import torch

    if not RESNET_18.path.is_file():
        return None
    check_weights(RESNET_18)
    weights: Mapping[str, Tensor] = torch.load(RESNET_18.path, weights_only=True)
    return weights


def _batches(epochs: int, pages: int) -> Iterator[tuple[int, list[int]]]:
    import torch

    for epoch in range(epochs):
        order = torch.randperm(pages).tolist()
        for start in range(0, pages, BATCH):
            yield epoch, order[start : start + BATCH]


def _window(shown: "Tensor") -> "Tensor":
    import torch

    top, left = torch.randint(0, shown.shape[-1] - WINDOW + 1, (2,)).tolist()
    return shown[:, top : top + WINDOW, left : left + WINDOW]


def tested(network: "Module", tasks: Sequence[Task]) -> Accuracy:
    """Returns how often a classifier is right about pages."""
    shown = [versions[0] for versions in made(tasks, "making pages to test with")]
    kinds: dict[str, tuple[int, int]] = {}
    for task, probability in zip(tasks, probabilities(network, shown), strict=True):
        right, pages = kinds.get(task.kind, (0, 0))
        kinds[task.kind] = (right + ((probability >= 0.5) == task.sheet), pages + 1)
    return Accuracy(sum(right for right, _ in kinds.values()), len(tasks), kinds)
