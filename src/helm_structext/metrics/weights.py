"""The files with what networks have learned: where they are, and how to get them."""

import os
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from helm_structext.errors import SetupError
from helm_structext.extras import how_to_install
from helm_structext.progress import working
from helm_structext.storage.cache import cache_folder, hash_file


class WeightFile(NamedTuple):
    """A file of weights under its public name, which ends in the first digits of its SHA-256."""

    url: str

    @property
    def name(self) -> str:
        return self.url.rpartition("/")[2]

    @property
    def sha256_prefix(self) -> str:
        return self.name.rpartition("-")[2].partition(".")[0]

    @property
    def path(self) -> Path:
        return weights_folder() / self.name

    @property
    def usable(self) -> bool:
        """Whether it is there, and what computes with it."""
        return self.path.is_file() and _has_torch()


# Torchvision's IMAGENET1K_V1 weights of both networks.
INCEPTION_V3 = WeightFile("https://download.pytorch.org/models/inception_v3_google-0cc3c7bd.pth")
VGG_16 = WeightFile("https://download.pytorch.org/models/vgg16-397923af.pth")
WEIGHT_FILES = (INCEPTION_V3, VGG_16)
"""What metrics need, and `helm-structext weights fetch` gets."""

RESNET_18 = WeightFile("https://download.pytorch.org/models/resnet18-f37072fd.pth")
"""Also ImageNet's; training the classifier of sheet music begins with it."""


class WeightsMissing(SetupError):
    """A metric cannot be computed because a file of weights, or PyTorch, is not there."""

    def __init__(self, file: WeightFile) -> None:
        super().__init__(
            f"{file.name} is not in {weights_folder()}: run `helm-structext weights fetch`, or let "
            "HELM_STRUCTEXT_WEIGHTS name a folder that has it"
            if _has_torch()
            else f"PyTorch is not installed: {how_to_install('torch')}"
        )


def _has_torch() -> bool:
    return find_spec("torch") is not None


def weights_folder() -> Path:
    """Returns the folder of weights: `HELM_STRUCTEXT_WEIGHTS`, or one in the user's cache.

    File names are those of torchvision, so that its own folder will do, too
    (``~/.cache/torch/hub/checkpoints``).
    """
    named = os.environ.get("HELM_STRUCTEXT_WEIGHTS")
    return Path(named) if named else cache_folder() / "weights"


def sheet_classifier_path() -> Path:
    """Returns where the trained classifier of sheet music lies, if another place is not named."""
    return weights_folder() / "sheet-classifier.pt"


def missing_weights() -> list[WeightFile]:
    """Returns the files that are not in `weights_folder`."""
    return [file for file in WEIGHT_FILES if not file.path.is_file()]


def check_weights(file: WeightFile) -> None:
    """Compares a file with its sum, which takes about three seconds for each GB.

    Raises:
        WeightsMissing: it is not there.
        SetupError: it is another, or damaged.
    """
    if not file.path.is_file():
        raise WeightsMissing(file)
    try:
        whole = _is_whole(file)
    except OSError as error:
        raise SetupError(f"{file.path} can't be read: {error}") from error
    if not whole:
        raise SetupError(f"{file.path} is damaged: run `helm-structext weights fetch`")


def _is_whole(file: WeightFile) -> bool:
    return hash_file(file.path).startswith(file.sha256_prefix)


def fetch_weights(files: Sequence[WeightFile] | None = None) -> list[Path]:
    """Downloads files that are missing or damaged, and checks their sums.

    Args:
        files: by default what metrics need, about 630 MB.

    Returns:
        The paths of the files, those that were there before included.

    Raises:
        SetupError: a file could not be had, or is not the one it should be; nothing of it is kept.
    """
    from torch.hub import download_url_to_file

    files = WEIGHT_FILES if files is None else files
    for file in files:
        try:
            if file.path.is_file() and _is_whole(file):
                continue
            if file.path.is_dir():
                raise IsADirectoryError(f"{file.path} is a folder")
            file.path.parent.mkdir(parents=True, exist_ok=True)
            with working(f"downloading {file.name}"):
                download_url_to_file(
                    file.url, str(file.path), hash_prefix=file.sha256_prefix, progress=False
                )
        except (OSError, RuntimeError) as error:
            raise SetupError(
                f"{file.name} could not be fetched ({error}): download {file.url} elsewhere and "
                f"put it into {weights_folder()}"
            ) from error
    return [file.path for file in files]


def lpips_layers() -> Path:
    """Returns the linear layers for VGG that the `lpips` package brings along."""
    spec = find_spec("lpips")
    if spec is None or not spec.submodule_search_locations:
        raise SetupError(f"the package lpips is not installed: {how_to_install('lpips')}")
    return Path(spec.submodule_search_locations[0]) / "weights" / "v0.1" / "vgg.pth"
