"""Similarities as neural networks see them: Inception v3 and LPIPS with VGG-16.

Every metric turns a picture into one vector and compares two vectors. Networks and torch itself
are loaded when the first picture comes. What Inception sees in a reference is kept in the cache
folder for all models and runs. What LPIPS sees in it takes 33 MB, more than is worth keeping there.
"""

import threading
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from PIL import Image

from helm_structext import __version__
from helm_structext.errors import SetupError
from helm_structext.metrics.sizes import Canvas, SizeHandling, match_unpadded, pixels_key
from helm_structext.metrics.weights import (
    INCEPTION_V3,
    VGG_16,
    WeightFile,
    check_weights,
    lpips_layers,
)
from helm_structext.storage.cache import (
    cache_folder,
    content_key,
    prefix_folder,
    read_record,
    write_record,
)

if TYPE_CHECKING:
    import torch
    from torch import Tensor
    from torch.nn import Module

    Network = Callable[[Tensor], Tensor]

NeuralMetric = Literal["inception_similarity", "fid_similarity", "lpips_similarity"]
"""Names of the metrics that need weights."""


def inception_similarity(
    prediction: Image.Image,
    reference: Image.Image,
    size_handling: SizeHandling = "padding",
) -> float:
    r"""Returns the cosine of the pictures' Inception vectors (CIS), mapped to [0, 1].

    .. math::
        \frac{1}{2} \left[ 1 + \frac{A(\hat x) \cdot A(x)}{\|A(\hat x)\| \|A(x)\|} \right]

    where A are the 2,048 averages that enter the last layer of Inception v3, with torchvision's
    IMAGENET1K_V1 weights. The whole picture is scaled to 299 × 299, bilinearly, and its values to
    [-1, 1], as in the network's training.

    Args:
        prediction: the picture to judge.
        reference: the picture it should be. What the network sees in it is kept, by its content.
        size_handling: see `match_sizes`.

    Returns:
        A value in [0.5, 1], for the averages are not negative; higher is more similar.

    Raises:
        TypeError, ValueError: as `match_sizes`.
        WeightsMissing: the weights are not there; the message says how to get them.

    Source: Image2Struct, section 2.2, equation 1. The published values are `fid_similarity`.

    >>> inception_similarity(None, Image.new("RGB", (8, 8)))
    Traceback (most recent call last):
    TypeError: prediction: expected a PIL.Image.Image, got NoneType
    """
    return neural_similarities("inception_similarity", [prediction], [reference], size_handling)[0]


def fid_similarity(
    prediction: Image.Image,
    reference: Image.Image,
    size_handling: SizeHandling = "padding",
) -> float:
    """Returns the published "CIS": the cosine of two pictures' class logits, mapped to [0, 1].

    Kept to read the published tables. The shorter side is scaled to 299 and the middle square is
    cut out, so that most of a wide picture is not seen; of that, the 1,000 logits of Inception v3
    are compared instead of what enters its last layer, and colors are normalized to ImageNet's
    mean and deviation instead of the [-1, 1] that these weights were trained on.

    Args:
        prediction: the picture to judge.
        reference: the picture it should be.
        size_handling: see `match_sizes`.

    Returns:
        A value in [0, 1]; higher is more similar.

    Raises:
        TypeError, ValueError: as `match_sizes`.
        WeightsMissing: the weights are not there; the message says how to get them.

    Source: HELM 0.5.16, `fid_similarity` of its image metrics.

    >>> fid_similarity(Image.new("RGB", (8, 0)), Image.new("RGB", (8, 8)))
    Traceback (most recent call last):
    ValueError: prediction: expected a picture with an area, got 8×0 pixels
    """
    return neural_similarities("fid_similarity", [prediction], [reference], size_handling)[0]


def lpips_similarity(
    prediction: Image.Image,
    reference: Image.Image,
    size_handling: SizeHandling = "padding",
) -> float:
    r"""Returns one minus the learned perceptual distance (LPIPS) between two pictures.

    .. math::
        1 - \sum_l \frac{1}{H_l W_l} \sum_{h,w} \| \sqrt{w_l} \odot (\hat y^l_{hw} - y^l_{hw}) \|^2

    where y are the activations of VGG-16 after the last layer of each of its five scales, each
    pixel's divided by their norm, and w the linear layers of the `lpips` package, version 0.1.
    Pictures are scaled to 256 × 256, bilinearly, and their values to [-1, 1].

    Args:
        prediction: the picture to judge.
        reference: the picture it should be.
        size_handling: see `match_sizes`.

    Returns:
        A value of at most 1, and rarely below 0; higher is more similar, 1 for equal pictures.

    Raises:
        TypeError, ValueError: as `match_sizes`.
        WeightsMissing: the weights are not there; the message says how to get them.

    Source: Image2Struct, Appendix A; Zhang et al., "The Unreasonable Effectiveness of Deep
    Features as a Perceptual Metric" (2018), equation 1. HELM 0.5.16 passes values in [-1, 1] where
    [0, 1] is expected, which raises on most pictures and becomes 0; that is not reproduced.

    >>> lpips_similarity(Image.new("F", (8, 8)), Image.new("RGB", (8, 8)))
    Traceback (most recent call last):
    ValueError: prediction: expected one of the modes ..., got F
    """
    return neural_similarities("lpips_similarity", [prediction], [reference], size_handling)[0]


def neural_similarities(
    metric: NeuralMetric,
    predictions: Sequence[Image.Image],
    references: Sequence[Image.Image],
    size_handling: SizeHandling = "padding",
    *,
    batch_size: int = 8,
) -> list[float]:
    """Returns one of the metrics above for many pairs, on the GPU where there is one.

    Args:
        metric: the name of the metric.
        predictions: the pictures to judge.
        references: the picture that each of them should be.
        size_handling: see `match_sizes`.
        batch_size: how many pictures the network sees at once; but for rounding, values do not
            depend on it.

    Returns:
        A similarity for each pair, in their order.

    Raises:
        TypeError, ValueError: as `match_sizes`, or `metric` is unknown, or there are not as many
            predictions as references.
        WeightsMissing: the weights are not there.
        SetupError: what is kept of references can't be written.

    >>> neural_similarities("lpips_similarity", [], [])
    []
    """
    if metric not in _METHODS:
        raise ValueError(f"metric: expected one of {', '.join(_METHODS)}, got {metric!r}")
    if len(predictions) != len(references):
        raise ValueError(
            f"predictions: expected as many as references, {len(references)}, "
            f"got {len(predictions)}"
        )
    pairs = [
        match_unpadded(prediction, reference, size_handling)
        for prediction, reference in zip(predictions, references, strict=True)
    ]
    values: list[float] = []
    for start in range(0, len(pairs), batch_size):
        values += _similarities(metric, pairs[start : start + batch_size], batch_size)
    return values


class _Method(NamedTuple):
    """How a metric sees a picture, and how it compares what it saw."""

    weights: WeightFile
    prepare: Callable[[Canvas], "Tensor"]  # → (3, height, width)
    vectors: Callable[["Tensor"], "Tensor"]  # (pictures, 3, height, width) → (pictures, length)
    similarity: Callable[["Tensor", "Tensor"], "Tensor"]  # of two vectors
    references_in_memory: int
    references_on_disk: bool


_lock = threading.Lock()
_kept: dict[str, dict[str, "Tensor"]] = {}


def _similarities(
    metric: str, pairs: Sequence[tuple[Canvas, Canvas]], batch_size: int
) -> list[float]:
    import torch

    method = _METHODS[metric]
    keys = [(_key(metric, prediction), _key(metric, reference)) for prediction, reference in pairs]
    pictures = {
        key: canvas
        for key_pair, pair in zip(keys, pairs, strict=True)
        for key, canvas in zip(key_pair, pair, strict=True)
    }
    references = dict.fromkeys(reference for _, reference in keys)
    # One batch at a time, however many threads ask: torch spreads each over the cores, and its
    # switch for exact convolutions on GPUs is one for all threads.
    with _lock, torch.inference_mode(), torch.backends.cudnn.flags(enabled=True, allow_tf32=False):
        kept = _kept.setdefault(metric, {})
        if method.references_on_disk:
            kept.update(_read({key for key in references if key not in kept}))
        seen = {key: kept[key] for key in pictures if key in kept}
        new = [key for key in pictures if key not in seen]
        for start in range(0, len(new), batch_size):
            batch = new[start : start + batch_size]
            prepared = torch.stack([method.prepare(pictures[key]) for key in batch])
            # The order of values in memory in which convolutions on a processor are fastest.
            prepared = prepared.to(_device(), memory_format=torch.channels_last)
            seen.update(zip(batch, method.vectors(prepared), strict=True))
        if method.references_on_disk:
            _write({key: seen[key] for key in references if key not in kept})
        kept.update((key, seen[key]) for key in references)
        while len(kept) > method.references_in_memory:
            del kept[next(iter(kept))]
        return [float(method.similarity(seen[a], seen[b])) for a, b in keys]


def _key(metric: str, canvas: Canvas) -> str:
    """Names all that the vector of a picture depends on."""
    weights, sizes = _METHODS[metric].weights.name, repr((canvas.size, canvas.picture.size))
    return content_key(
        metric, __version__, weights, _device().type, sizes, pixels_key(canvas.picture)
    )


def _record(key: str) -> Path:
    return prefix_folder(cache_folder() / "networks", key) / f"{key}.json"


def _read(keys: Iterable[str]) -> dict[str, "Tensor"]:
    """Returns the vectors that the cache folder has."""
    import torch

    records = {key: read_record(_record(key)) for key in keys}
    return {
        key: torch.frombuffer(bytearray(b64decode(record["float32"])), dtype=torch.float32).to(
            _device()
        )
        for key, record in records.items()
        if record
    }


def _write(vectors: Mapping[str, "Tensor"]) -> None:
    for key, vector in vectors.items():
        values = b64encode(vector.cpu().numpy().tobytes()).decode()
        write_record(_record(key), {"float32": values})


def _tensor(picture: Image.Image) -> "Tensor":
    """Returns a picture's values in [0, 1], shape (3, height, width)."""
    import torch

    return torch.from_numpy(np.array(picture)).permute(2, 0, 1).float() / 255


def _make_squeeze(edge: int) -> Callable[[Canvas], "Tensor"]:
    """Returns a function that scales whole pictures to a square, and their values to [-1, 1]."""
    return lambda picture: 2 * _tensor(picture.resized((edge, edge), _BILINEAR)) - 1


def _middle_square(canvas: Canvas) -> "Tensor":
    """Scales the shorter side to 299 and cuts the middle out.

    Of what is very long, where all of it would take gigabytes, only the middle is scaled.
    """
    import torch

    width, height = canvas.size
    longest = _LONGEST * min(canvas.size)
    if max(canvas.size) > longest:
        left, top = max(0, width - longest) // 2, max(0, height - longest) // 2
        middle = canvas.band(0, height).crop((left, top, width - left, height - top))
        canvas = Canvas(middle, middle.size)
        width, height = canvas.size
    size = (299 * width // min(canvas.size), 299 * height // min(canvas.size))
    left, top = (round((length - 299) / 2) for length in size)
    scaled = canvas.resized(size, _BILINEAR)
    values = _tensor(scaled.crop((left, top, left + 299, top + 299)))
    mean, deviation = torch.tensor([[0.485, 0.456, 0.406], [0.229, 0.224, 0.225]])[..., None, None]
    standardized: Tensor = (values - mean) / deviation
    return standardized


def _cosine(a: "Tensor", b: "Tensor") -> "Tensor":
    cosine: Tensor = a @ b / (a.norm() * b.norm())
    return (1 + cosine) / 2


def _inception_averages(pictures: "Tensor") -> "Tensor":
    return _inception()[0](pictures)


def _inception_logits(pictures: "Tensor") -> "Tensor":
    averages, last_layer = _inception()
    return last_layer(averages(pictures))


def _lpips_vectors(pictures: "Tensor") -> "Tensor":
    """Returns what enters the sum of LPIPS, so that the distance is that of two vectors, squared."""
    import torch

    scales, layers = _lpips()
    mean, deviation = torch.tensor(_LPIPS_COLORS, device=pictures.device)[..., None, None]
    found, parts = (pictures - mean) / deviation, []
    for scale, layer in zip(scales, layers, strict=True):
        found = scale(found)
        unit = found / (found.norm(dim=1, keepdim=True) + 1e-10)
        unit *= (layer / (found.shape[2] * found.shape[3])).sqrt()
        # Pixel by pixel, as they lie in memory.
        parts.append(unit.permute(0, 2, 3, 1).flatten(start_dim=1))
    return torch.cat(parts, dim=1)


_BILINEAR = Image.Resampling.BILINEAR
_LONGEST = 400
"""Times as long as wide: scaled whole, that takes 150 MB."""
_LPIPS_COLORS = ((-0.030, -0.088, -0.188), (0.458, 0.448, 0.450))
_VGG_SCALES = ((0, 4), (4, 9), (9, 16), (16, 23), (23, 30))
_METHODS = {
    "inception_similarity": _Method(
        INCEPTION_V3, _make_squeeze(299), _inception_averages, _cosine, 4096, True
    ),
    "fid_similarity": _Method(INCEPTION_V3, _middle_square, _inception_logits, _cosine, 4096, True),
    # 33 MB a picture.
    "lpips_similarity": _Method(
        VGG_16,
        _make_squeeze(256),
        _lpips_vectors,
        lambda a, b: 1 - (a - b).square().sum(),
        16,
        False,
    ),
}


@cache
def _device() -> "torch.device":
    import torch

    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def _state(file: WeightFile) -> dict[str, "Tensor"]:
    import torch

    check_weights(file)
    state: dict[str, Tensor] = torch.load(file.path, map_location=_device(), weights_only=True)
    return state


@cache
def _inception() -> tuple["Network", "Network"]:
    """Returns Inception v3 up to the averages, and its last layer."""
    import torch
    from torch.nn.utils.fusion import fuse_conv_bn_eval
    from torchvision.models import Inception3
    from torchvision.models.inception import BasicConv2d

    state = _state(INCEPTION_V3)
    with torch.device("meta"):
        model = Inception3(init_weights=False)
    model.load_state_dict(state, assign=True)
    model.eval()
    last_layer, model.fc = model.fc, torch.nn.Identity()
    for layer in model.modules():
        if isinstance(layer, BasicConv2d):
            layer.conv, layer.bn = fuse_conv_bn_eval(layer.conv, layer.bn), torch.nn.Identity()
    return model.to(memory_format=torch.channels_last), last_layer


@cache
def _lpips() -> tuple[list["Module"], list["Tensor"]]:
    """Returns VGG-16 in five pieces, each ending where LPIPS looks, and the weights there."""
    import torch
    from torchvision.models import vgg16

    state = _state(VGG_16)
    with torch.device("meta"):
        features = vgg16(init_weights=False).features
    prefix = "features."
    features.load_state_dict(
        {key.removeprefix(prefix): x for key, x in state.items() if key.startswith(prefix)},
        assign=True,
    )
    features = features.eval().to(memory_format=torch.channels_last)
    try:
        layers = torch.load(lpips_layers(), map_location=_device(), weights_only=True)
    except Exception as error:  # whatever torch raises for a damaged file
        raise SetupError(f"{lpips_layers()} can't be read: install lpips again") from error
    return (
        [features[start:end] for start, end in _VGG_SCALES],
        [layers[f"lin{n}.model.1.weight"] for n in range(len(_VGG_SCALES))],
    )
