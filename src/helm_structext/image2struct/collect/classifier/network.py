"""The classifier's network, what it sees of a page, and its file.

As in the published collector it is a ResNet-18 with two classes, and of a page whose shorter side
has 1,024 pixels it sees the 512 × 512 in the middle. Ours sees them black on white, whatever colors
paper and ink have, and its first layer takes squares of four pixels for one pixel of four channels,
which makes it four times as fast: so it can be trained from scratch on a CPU.
"""

import io
import json
import math
from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from helm_structext.errors import SetupError
from helm_structext.storage.cache import content_key, write_atomically

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from torch import Tensor
    from torch.nn import Module

SIDE = 512
"""Pixels of the side of the picture that the network sees."""
FOLD = 2
"""Side of the squares of pixels that the network takes for one pixel."""
SHARE = 0.5
"""The side of what it sees, as a share of a page's shorter side: 512 of 1,024."""
FAINT = 60
"""Contrast, of 255, from which on ink is shown as black."""
AROUND = 31
"""Side of the square whose median is the paper's gray, in pixels of half the resolution."""
MEAN, DEVIATION = 0.449, 0.226
"""Of ImageNet's pictures in gray, by which ResNet's weights expect theirs to be normalized."""

FORMAT = "helm-structext sheet classifier 2"


def middle(image: Image.Image, share: float = SHARE) -> NDArray[np.uint8]:
    """Returns what the network sees of a page.

    Args:
        image: any mode and size.
        share: the side of the square in its middle, as a share of its shorter side.

    Returns:
        Gray values (512, 512), 0 is black.

    >>> middle(Image.new("RGB", (2000, 3000), "white")).shape
    (512, 512)
    """
    side = min(image.size) * share
    left, top = (image.width - side) / 2, (image.height - side) / 2
    around = (int(left), int(top), math.ceil(left + side), math.ceil(top + side))
    square = image.crop(around).convert("RGB").convert("L")
    box = (left - around[0], top - around[1], left - around[0] + side, top - around[1] + side)
    return stretched(np.array(square.resize((SIDE, SIDE), Image.Resampling.BILINEAR, box)))


def stretched(values: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Returns gray values with white paper and black ink, whatever the paper and the ink are.

    Paper is the median around each pixel, so that stains and uneven light are gone; ink is what is
    farthest from it, apart from a hundredth; light ink on dark paper is turned over. Contrasts below
    `FAINT` are not stretched to the full, or dust would look like ink.

    >>> stretched(np.array([[90, 90, 90, 90, 90, 190]], np.uint8))
    array([[255, 255, 255, 255, 255,   0]], dtype=uint8)
    """
    from skimage.filters.rank import median

    picture = Image.fromarray(values)
    paper = median(np.array(picture.reduce(2)), np.ones((AROUND, AROUND), np.uint8))
    paper = np.asarray(Image.fromarray(paper).resize(picture.size, Image.Resampling.BILINEAR))
    darker = paper - values.astype(np.float32)
    light, dark = np.percentile(darker, (1, 99))
    contrast = max(dark, -light, FAINT)
    ink = (-darker if -light > dark else darker) / contrast
    return (255 * (1 - ink)).clip(0, 255).astype(np.uint8)


def untrained(weights: Mapping[str, "Tensor"] | None = None) -> "Module":
    """Returns the network before training.

    Args:
        weights: of ResNet-18 for ImageNet's 1,000 classes, of which the last layer is left out and
            the first one folded; or None, for weights by chance (`torch.manual_seed`).
    """
    import torch
    from torchvision.models import resnet18

    network = resnet18(num_classes=2)
    network.conv1 = torch.nn.Conv2d(FOLD**2, 64, 7, stride=2, padding=3, bias=False)
    torch.nn.init.kaiming_normal_(network.conv1.weight, mode="fan_out", nonlinearity="relu")
    if weights:
        inner = {name: tensor for name, tensor in weights.items() if not name.startswith("fc.")}
        # Of a square of pixels each has its share in what a gray pixel had.
        gray = inner["conv1.weight"].sum(1, keepdim=True) / FOLD**2
        inner["conv1.weight"] = gray.repeat(1, FOLD**2, 1, 1)
        network.load_state_dict(inner, strict=False)
    return network


def logits(network: "Module", pictures: "Tensor") -> "Tensor":
    """Returns the values of both classes, other and sheet.

    Args:
        network: of `untrained`.
        pictures: gray values (pictures, height, width), as `middle` returns them; sides are even.
    """
    import torch

    values = (pictures.unsqueeze(1).to(torch.float32) / 255 - MEAN) / DEVIATION
    result: Tensor = network(torch.nn.functional.pixel_unshuffle(values, FOLD))
    return result


def mixed_precision() -> "AbstractContextManager[None]":
    """Lets torch compute in bfloat16 where that is safe, if the processor does so itself.

    Training takes half the time then. Elsewhere nothing changes.
    """
    import torch

    # Older versions of torch don't say what the processor can do.
    capabilities: dict[str, object] = getattr(torch.cpu, "get_capabilities", dict)()
    return torch.autocast("cpu", torch.bfloat16, enabled=bool(capabilities.get("amx_bf16")))


def probabilities(network: "Module", pictures: Sequence[NDArray[np.uint8]]) -> list[float]:
    """Returns for each picture how probable it is that it shows sheet music."""
    import torch

    found: list[float] = []
    network.eval()
    with torch.inference_mode():
        for start in range(0, len(pictures), 16):
            batch = torch.from_numpy(np.stack(pictures[start : start + 16]))
            found += logits(network, batch).softmax(1)[:, 1].tolist()
    return found


@contextmanager
def reproducible() -> "Iterator[None]":
    """Lets torch compute so that the same comes out again: in one thread, on however many cores."""
    import torch

    before = torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    try:
        yield
    finally:
        torch.set_num_threads(before[0])
        torch.use_deterministic_algorithms(before[1])


def save(network: "Module", record: Mapping[str, Any], path: Path) -> None:
    """Writes weights, and what is to be known of them.

    Args:
        network: a trained one.
        record: JSON.
        path: of the file; it is written whole or not at all.
    """
    import torch

    state = {name: tensor.contiguous() for name, tensor in network.state_dict().items()}
    content = {
        "format": FORMAT,
        "record": json.dumps(record),
        "state": state,
        "sum": _sum(record, state),
    }
    file = io.BytesIO()
    torch.save(content, file)
    write_atomically(path, file.getvalue())


def read(path: Path) -> tuple["Module", dict[str, Any]]:
    """Returns what `save` wrote: the network and its record.

    Raises:
        SetupError: the file can't be read, is damaged or something else; with what to do.
    """
    import torch

    try:
        content = torch.load(path, map_location="cpu", weights_only=True)
        record = json.loads(content["record"])
        if content["format"] != FORMAT or content["sum"] != _sum(record, content["state"]):
            raise ValueError("it is not what training wrote")
        network = untrained()
        network.load_state_dict(content["state"])
        return network.eval(), record
    except OSError as error:
        raise SetupError(f"{path} can't be read: {error}") from error
    except Exception as error:  # whatever torch raises for other and damaged files
        raise SetupError(
            f"{path} has no weights of the sheet classifier, or is damaged: run `helm-structext "
            "collect train-classifier`"
        ) from error


def _sum(record: Mapping[str, Any], state: Mapping[str, "Tensor"]) -> str:
    # Torch doesn't compare the sums of its own files.
    tensors = (part for name in sorted(state) for part in (name, state[name].numpy().tobytes()))
    return content_key(FORMAT, json.dumps(record), *tensors)
