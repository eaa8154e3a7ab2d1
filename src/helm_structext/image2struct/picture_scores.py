"""The scores of a pair of pictures: every metric, and what went wrong with it."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image

from helm_structext.image2struct.scores import LAYOUT_METRICS, PICTURE_METRICS
from helm_structext.layouts import PictureLayout
from helm_structext.metrics import SizeHandling
from helm_structext.metrics.sharing import shared_steps
from helm_structext.pictures import read_picture, size_of
from helm_structext.processes import run_in_process
from helm_structext.scoring.handling import Failure, handle

Pair = tuple[Image.Image, Image.Image, SizeHandling]


class Scores(NamedTuple):
    """A pair's scores: metric to value, and what went wrong: metric to message."""

    values: dict[str, float]
    errors: dict[str, str]


def score_pictures(prediction: Path, reference: Path, size_handling: SizeHandling) -> Scores:
    """Computes every picture metric of a pair, in a process of `run_in_process`.

    Args:
        prediction: the rendering.
        reference: the picture it should be.
        size_handling: see `helm_structext.metrics.match_sizes`.

    Raises:
        RuntimeError: all processes died of this pair.
    """
    return run_in_process(_score, prediction, reference, size_handling)


def attempt(metrics: Mapping[str, Callable[..., float]], pair: Sequence[Any]) -> Scores:
    """Computes metrics of a pair; one that fails does not take the others along.

    Args:
        metrics: name to function.
        pair: what each of them is called with.

    Raises:
        SetupError: the machine's mistake, such as a damaged file of weights.

    >>> attempt({"same": lambda a, b: float(a == b), "ratio": lambda a, b: a / b}, (1, 0))
    Scores(values={'same': 0.0}, errors={'ratio': 'internal: ZeroDivisionError: division by zero'})
    """
    values: dict[str, float] = {}
    errors: dict[str, str] = {}
    with shared_steps():
        for name, metric in metrics.items():
            value = handle(name, partial(metric, *pair))
            if isinstance(value, Failure):
                errors[name] = str(value)
            else:
                values[name] = value
    return Scores(values, errors)


def score_layouts(
    prediction: PictureLayout,
    reference: PictureLayout,
    names: Collection[str] = tuple(LAYOUT_METRICS),
) -> Scores:
    """Computes metrics of what lies on two pictures; one that the reference has nothing of has neither value nor error.

    Args:
        prediction: what is on the picture to judge.
        reference: what should be there.
        names: of `LAYOUT_METRICS`.

    >>> page = PictureLayout((9, 9), ())
    >>> score_layouts(page, page, ["layout_similarity"])
    Scores(values={'layout_similarity': 1.0}, errors={})
    """
    metrics: dict[str, Callable[..., Any]] = {name: LAYOUT_METRICS[name] for name in names}
    values, errors = attempt(metrics, (prediction, reference))
    return Scores({name: one for name, one in values.items() if one is not None}, errors)


def measurable(reference: PictureLayout | None) -> frozenset[str]:
    """Returns the names of `LAYOUT_METRICS` that have a value for a reference; none where its layout is not known."""
    if reference is None:
        return frozenset()
    values, errors = score_layouts(reference, reference)
    return frozenset({*values, *errors})


def read_pair(prediction: Path, reference: Path, size_handling: SizeHandling) -> Pair:
    """Reads the arguments of a metric.

    Args:
        prediction: the rendering.
        reference: the picture it should be.
        size_handling: with ``resize`` the prediction comes in the reference's size.

    Raises:
        PictureError: one of both is no picture, or too large.
    """
    picture = read_picture(prediction)
    if size_handling == "resize" and picture.size != (size := size_of(reference.read_bytes())):
        picture = picture.resize(size)  # Before the reference takes its memory, too.
    return picture, read_picture(reference), size_handling


def _score(prediction: Path, reference: Path, size_handling: SizeHandling) -> Scores:
    pair = handle("a pair of pictures", partial(read_pair, prediction, reference, size_handling))
    if isinstance(pair, Failure):
        return Scores({}, dict.fromkeys(PICTURE_METRICS, str(pair)))
    return attempt(PICTURE_METRICS, pair)
