"""Pages → a trained classifier, and how often it is right on pages that it never saw.

Everything depends on the seed: on one machine the same weights come out. A single thread learns,
while other cores make the next pages.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps

from helm_structext import __version__
from helm_structext.image2struct.collect.classifier.degrade import degraded
from helm_structext.image2struct.collect.classifier.network import (
    SHARE,
    logits,
    middle,
    mixed_precision,
    probabilities,
    reproducible,
    untrained,
)
from helm_structext.image2struct.collect.classifier.pages import KINDS, names
from helm_structext.metrics.weights import RESNET_18, check_weights
from helm_structext.processes import map_in_processes
from helm_structext.progress import progress

if TYPE_CHECKING:
    from torch import Tensor
    from torch.nn import Module

PAGES, VERSIONS, HELD_OUT = 1400, 4, 520
"""By default: pages to train on, how often each is seen, and pages of kinds that are never seen."""
POOL = 600
"""Versions of pages that are in memory, to be shuffled: 150 MiB."""
BATCH = 8
LEARNING_RATE, WEIGHT_DECAY = 1e-3, 1e-2
REGION = 0.76
"""The side of what is degraded for training, as a share of a page's shorter side: enough around
the middle for it to be turned and moved."""
ENDED = 0.25
"""The share of what is seen in training that ends, or begins, in the middle of the page."""


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
        losses: means of each tenth of training.
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
    """Returns what the classifier sees of a page: (versions, 512, 512), or of a test (1, 512, 512)."""
    random = Random(task.seed)
    page = KINDS[task.kind].draw(random)
    if not task.versions:
        return middle(degraded(page, random))[np.newaxis]
    side = round(min(page.size) * REGION)
    left, top = (page.width - side) // 2, (page.height - side) // 2
    region = page.crop((left, top, left + side, top + side))
    return np.stack([_version(region, random) for _ in range(task.versions)])


def _version(region: Image.Image, random: Random) -> NDArray[np.uint8]:
    if random.random() < ENDED:
        region = ended(region, random)
    return middle(degraded(region, random), SHARE / REGION)


def ended(region: Image.Image, random: Random) -> Image.Image:
    """Returns the middle of a page that ends there, or begins there.

    It is cut where a row is without ink, if one is, so that a third of what is seen stays at least.

    Args:
        region: in grayscale, `REGION` of a page.
        random: where, and which side is left.
    """
    upside_down = random.random() < 0.5
    page = ImageOps.flip(region) if upside_down else region.copy()
    top, bottom = (round(page.height * (1 + side * SHARE / REGION) / 2) for side in (-1, 1))
    inked: NDArray[np.bool_] = np.any(np.asarray(page) < 200, axis=1)
    left = inked[top:bottom].cumsum()
    rows = [row for row in range(page.height // 2, bottom) if left[row - top] >= left[-1] / 3]
    row = random.choice([row for row in rows if not inked[row]] or rows)
    page.paste(255, (0, row, *page.size))
    return ImageOps.flip(page) if upside_down else page


def train(
    seed: int, pages: int = PAGES, *, versions: int = VERSIONS, held_out: int = HELD_OUT
) -> Trained:
    """Makes pages, trains a classifier and tests it.

    Args:
        seed: another one gives other pages and weights.
        pages: to train on; even.
        versions: how often each is seen, each time degraded differently.
        held_out: pages of kinds that training never saw; of seen kinds there are half as many.

    Raises:
        SetupError: a renderer or a package is missing, or the file of ImageNet's weights is
            damaged.
    """
    training = tasks(seed, "training", pages, seen=True, versions=versions)
    with reproducible():
        network, losses = fitted(seed, training, map_in_processes(pictures, training))
        seen = tested(network, tasks(seed, "seen", held_out // 2, seen=True, versions=0))
        unseen = tested(network, tasks(seed, "unseen", held_out, seen=False, versions=0))
    record = {
        "version": __version__,
        "seed": seed,
        "pages": pages,
        "versions": versions,
        "from": "ImageNet" if RESNET_18.path.is_file() else "scratch",
        "seen": asdict(seen),
        "unseen": asdict(unseen),
    }
    return Trained(network, losses, seen, unseen, record)


def fitted(
    seed: int, tasks: Sequence[Task], versions: Iterable[NDArray[np.uint8]]
) -> tuple["Module", tuple[float, ...]]:
    """Returns a network that has learned from pages, and its mean loss in each tenth of the time.

    It begins with ImageNet's weights if torchvision's file of them is in the folder of weights,
    else from scratch.

    Args:
        seed: of weights and order.
        tasks: of all pages.
        versions: of each page (versions, 512, 512). They are taken as they are needed, so that
            the next ones can be made meanwhile.
    """
    import torch

    torch.manual_seed(seed)
    # With channels last, training takes a sixth less time.
    network = untrained(_imagenet()).to(memory_format=torch.channels_last)
    steps = -(-sum(task.versions for task in tasks) // BATCH)
    optimizer = torch.optim.AdamW(network.parameters(), LEARNING_RATE, weight_decay=WEIGHT_DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, LEARNING_RATE, steps)
    loss_of = torch.nn.CrossEntropyLoss(label_smoothing=0.05)
    network.train()
    losses = []
    batches = _batches(_shuffled(zip(tasks, versions, strict=True), Random(seed)))
    for shown, labels in progress(batches, "training, in batches", steps):
        with mixed_precision():
            loss = loss_of(logits(network, torch.from_numpy(shown)), torch.tensor(labels))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
    tenths = np.array_split(losses, min(10, steps))
    return network, tuple(float(tenth.mean()) for tenth in tenths)


def _shuffled(
    pages: Iterable[tuple[Task, NDArray[np.uint8]]], random: Random
) -> Iterator[tuple[NDArray[np.uint8], int]]:
    """Yields all versions of pages with their labels, by chance out of the `POOL` that came last."""
    pool: list[tuple[NDArray[np.uint8], int]] = []
    for task, versions in pages:
        pool += [(version, int(task.sheet)) for version in versions]
        while len(pool) > POOL:
            yield pool.pop(random.randrange(len(pool)))
    random.shuffle(pool)
    yield from pool


def _batches(
    shown: Iterator[tuple[NDArray[np.uint8], int]],
) -> Iterator[tuple[NDArray[np.uint8], tuple[int, ...]]]:
    while batch := list(islice(shown, BATCH)):
        pictures, labels = zip(*batch, strict=True)
        yield np.stack(pictures), labels


def _imagenet() -> "Mapping[str, Tensor] | None":
    import torch

    if not RESNET_18.path.is_file():
        return None
    check_weights(RESNET_18)
    weights: Mapping[str, Tensor] = torch.load(RESNET_18.path, weights_only=True)
    return weights


def tested(network: "Module", tasks: Sequence[Task]) -> Accuracy:
    """Returns how often a classifier is right about pages."""
    made = progress(map_in_processes(pictures, tasks), "making pages to test with", len(tasks))
    shown = [versions[0] for versions in made]
    kinds: dict[str, tuple[int, int]] = {}
    for task, probability in zip(tasks, probabilities(network, shown), strict=True):
        right, pages = kinds.get(task.kind, (0, 0))
        kinds[task.kind] = (right + ((probability >= 0.5) == task.sheet), pages + 1)
    return Accuracy(sum(right for right, _ in kinds.values()), len(tasks), kinds)
