"""Tells pages of digital sheet music from other pages.

`pages` says what counts as sheet music, `training` how the classifier is trained and tested, and
`network` what it sees of a page.
"""

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PIL import Image

from helm_structext.errors import SetupError
from helm_structext.image2struct.collect.classifier.network import middle, probabilities, read
from helm_structext.metrics.weights import weights_folder

if TYPE_CHECKING:
    from torch.nn import Module

__all__ = ["SheetClassifier", "default_path", "load"]


class SheetClassifier:
    """A trained classifier; safe to call from many threads.

    Args:
        network: see `network.untrained`.
        record: what is known of it: seed, versions, accuracies.
    """

    def __init__(self, network: "Module", record: dict[str, Any]) -> None:
        self.record = record
        self._network = network
        self._lock = threading.Lock()

    def is_sheet(self, image: Image.Image) -> float:
        """Returns how probable it is that a page is digital sheet music.

        Args:
            image: a whole page, of any size and mode.

        Returns:
            A value in [0, 1]; from 0.5 on it is called sheet music.
        """
        seen = middle(image)
        with self._lock:
            return probabilities(self._network, [seen])[0]


def default_path() -> Path:
    """Returns where the weights lie unless a path is given: in the folder of weights."""
    return weights_folder() / "sheet-classifier.pt"


def load(path: Path | None = None) -> SheetClassifier:
    """Returns the trained classifier of a file.

    Args:
        path: what `helm-structext collect train-classifier` wrote; by default `default_path`.

    Raises:
        SetupError: there is no such file, or it is damaged or something else.

    >>> load(Path("/nowhere/weights.pt"))
    Traceback (most recent call last):
    helm_structext.errors.SetupError: /nowhere/weights.pt is not there: run `helm-structext collect train-classifier`, which takes a quarter of an hour
    """
    path = path or default_path()
    if not path.is_file():
        raise SetupError(
            f"{path} is not there: run `helm-structext collect train-classifier`, which takes a "
            "quarter of an hour"
        )
    return SheetClassifier(*read(path))
