"""Tells pages of sheet music from other pages, by the paper's recipe.

A ResNet-18 that has learned ImageNet gets two classes and sees the middle of a page: of one whose
shorter side has 1,024 pixels, 512 × 512. It learns for two epochs from pages that people have told
apart, by stochastic gradient descent with a rate of 0.001 and a momentum of 0.9. The paper does not
say how many pages a step takes.

Source: Image2Struct, Section 2.1.3; 200 pages of each class, and 99.2% of 500 others right.
"""

import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from PIL import Image
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader
from torchvision.datasets import ImageFolder
from torchvision.models import ResNet, resnet18
from torchvision.transforms import CenterCrop, Compose, Normalize, Resize, ToTensor

from helm_structext import __version__
from helm_structext.errors import SetupError
from helm_structext.metrics.weights import (
    RESNET_18,
    check_weights,
    fetch_weights,
    sheet_classifier_path,
)
from helm_structext.pictures import MADE, STORED, PictureError, decode
from helm_structext.progress import progress
from helm_structext.storage.cache import write_atomically
from helm_structext.texts import one_line

CLASSES = ["other", "sheet"]
"""The folders of pages that are none, and of pages of sheet music."""
EPOCHS, BATCH, LEARNING_RATE, MOMENTUM = 2, 4, 1e-3, 0.9

_MEAN, _DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)  # of ImageNet's pictures
_LOOK = Compose([Resize(1024), CenterCrop(512), ToTensor(), Normalize(_MEAN, _DEVIATION)])
_TRAIN = "run `helm-structext collect train-classifier` on pages that you have told apart"


class SheetClassifier:
    """A trained classifier; safe to call from many threads.

    Args:
        network: of two classes.
        record: what is known of it: seed, version, pages and how many it got right.
    """

    def __init__(self, network: ResNet, record: Mapping[str, Any]) -> None:
        self.network, self.record = network.eval(), record

    def is_sheet(self, page: Image.Image) -> float:
        """Returns how probable it is that a page is sheet music, from 0 to 1.

        Args:
            page: of any size and mode.
        """
        with torch.inference_mode():
            seen: torch.Tensor = _LOOK(page.convert("RGB"))
            return float(self.network(seen[None]).softmax(1)[0, 1])

    def save(self, path: Path) -> None:
        """Writes the file that `load` reads.

        Raises:
            OSError: it can't be written.
        """
        file = io.BytesIO()
        torch.save({"record": json.dumps(self.record), "state": self.network.state_dict()}, file)
        write_atomically(path, file.getvalue())


@dataclass(frozen=True)
class Trained:
    """A trained classifier, and what came of its training.

    Args:
        classifier: the classifier.
        losses: mean loss of each epoch.
        wrong: pages of the test that it gets wrong.
    """

    classifier: SheetClassifier
    losses: tuple[float, ...]
    wrong: tuple[Path, ...]


def train(folder: Path, seed: int = 0) -> Trained:
    """Trains a classifier and tests it; the same seed gives the same weights on one machine.

    Args:
        folder: with ``train/sheet``, ``train/other``, ``test/sheet`` and ``test/other``, each with
            pictures of whole pages.
        seed: of the last layer's first weights, and of the order of pages.

    Raises:
        SetupError: pages are missing or can't be read, or ImageNet's weights can't be had.
    """
    training, test = _pages(folder / "train"), _pages(folder / "test")
    fetch_weights([RESNET_18])
    check_weights(RESNET_18)
    torch.manual_seed(seed)
    network = resnet18()
    network.load_state_dict(torch.load(RESNET_18.path, weights_only=True))
    network.fc = torch.nn.Linear(network.fc.in_features, len(CLASSES))
    optimizer = torch.optim.SGD(network.parameters(), LEARNING_RATE, MOMENTUM)
    batches = DataLoader(training, BATCH, shuffle=True)
    losses = []
    for number in range(1, EPOCHS + 1):
        steps = progress(batches, f"training, epoch {number} of {EPOCHS}", len(batches))
        epoch = [_step(network, optimizer, *step) for step in steps]
        losses.append(sum(epoch) / len(epoch))
    record = {"version": __version__, "seed": seed, "trained": len(training), "tested": len(test)}
    classifier = SheetClassifier(network, record)
    wrong = tuple(
        Path(path)
        for path, label in progress(test.samples, "testing on pages")
        if (classifier.is_sheet(_picture(path)) >= 0.5) != label
    )
    classifier.record = {**record, "right": len(test) - len(wrong)}
    return Trained(classifier, tuple(losses), wrong)


def _step(
    network: ResNet, optimizer: torch.optim.Optimizer, pages: torch.Tensor, labels: torch.Tensor
) -> float:
    """Lets the network learn from a few pages; returns the loss."""
    loss = cross_entropy(network.train()(pages), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


def _pages(folder: Path) -> ImageFolder:
    try:
        pages = ImageFolder(str(folder), _LOOK, loader=_picture)
        if pages.classes != CLASSES:
            raise FileNotFoundError(f"the folders in it are {pages.classes}")
    except OSError as error:
        raise SetupError(
            f"{folder} does not hold pages to learn from: put pictures of whole pages into "
            f"{folder / 'sheet'} and {folder / 'other'} ({one_line(str(error))})"
        ) from error
    return pages


def _picture(path: str) -> Image.Image:
    try:
        return decode(Path(path).read_bytes(), (*STORED, *MADE))
    except (OSError, PictureError) as error:
        raise SetupError(f"{path} can't be read ({error}): replace it or remove it") from error


def load(path: Path | None = None) -> SheetClassifier:
    """Returns the trained classifier of a file.

    Args:
        path: what `helm-structext collect train-classifier` wrote; by default
            `sheet_classifier_path`.

    Raises:
        SetupError: there is no such file, or it is damaged or something else.

    >>> load(Path("/nowhere/weights.pt"))
    Traceback (most recent call last):
    helm_structext.errors.SetupError: /nowhere/weights.pt is not there: run ...
    """
    path = path or sheet_classifier_path()
    if not path.is_file():
        raise SetupError(f"{path} is not there: {_TRAIN}")
    try:
        with zipfile.ZipFile(path) as file:  # whose sums torch does not compare
            if damaged := file.testzip():
                raise ValueError(f"{damaged} is damaged")
        content = torch.load(path, map_location="cpu", weights_only=True)
        network = resnet18(num_classes=len(CLASSES))
        network.load_state_dict(content["state"])
        return SheetClassifier(network, json.loads(content["record"]))
    except Exception as error:  # whatever torch raises for other and damaged files
        raise SetupError(
            f"{path} holds no classifier of sheet music ({error}): {_TRAIN}"
        ) from error
