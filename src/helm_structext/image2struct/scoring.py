"""The scores of a pair of pictures: every metric, and what went wrong with it."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image

from helm_structext.image2struct.scores import PICTURE_METRICS
from helm_structext.metrics import SizeHandling, match_sizes
from helm_structext.metrics.sharing import shared_steps
from helm_structext.pictures import read_picture
from helm_structext.processes import run_in_process

Pair = tuple[Image.Image, Image.Image]


class Scores(NamedTuple):
    """A pair's scores: metric to value, and what went wrong: metric to message."""

    values: dict[str, float]
    errors: dict[str, str]


def score_pictures(prediction: Path, reference: Path, size_handling: SizeHandling) -> Scores:
    """Computes every picture metric of a pair, in a process of `run_in_process`.

    Raises:
        RuntimeError: two processes died of this pair.
    """
    return run_in_process(_score, prediction, reference, size_handling)


def attempt(metrics: Mapping[str, Callable[..., float]], pair: Sequence[Any]) -> Scores:
    """Computes metrics of a pair; one that fails does not take the others along.

    >>> attempt({"same": lambda a, b: float(a == b), "ratio": lambda a, b: a / b}, (1, 0))
    Scores(values={'same': 0.0}, errors={'ratio': "ZeroDivisionError('division by zero')"})
    """
    values, errors = {}, {}
    for name, metric in metrics.items():
        try:
            values[name] = metric(*pair)
        except Exception as error:  # whatever it is, it must be neither lost nor a score
            errors[name] = repr(error)
    return Scores(values, errors)


def read_pair(prediction: Path, reference: Path, size_handling: SizeHandling) -> Pair:
    """Reads two pictures and makes their sizes equal."""
    return match_sizes(read_picture(prediction), read_picture(reference), size_handling)


def _score(prediction: Path, reference: Path, size_handling: SizeHandling) -> Scores:
    try:
        pair = read_pair(prediction, reference, size_handling)
    except Exception as error:  # a broken picture leaves every metric without a value
        return Scores({}, dict.fromkeys(PICTURE_METRICS, repr(error)))
    with shared_steps():
        return attempt(PICTURE_METRICS, pair)
