"""Picture metrics in processes of their own: HELM calls from threads, which share one core.

    python -m helm_structext.image2struct.scoring

answers, line by line, requests in JSON: two paths and the size handling.
"""

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image

from helm_structext.image2struct.scores import PICTURE_METRICS
from helm_structext.metrics import SizeHandling, match_sizes
from helm_structext.metrics.sharing import shared_steps
from helm_structext.sandbox import worker_count

Pair = tuple[Image.Image, Image.Image]


class Scores(NamedTuple):
    """A pair's scores: metric to value, and what went wrong: metric to message."""

    values: dict[str, float]
    errors: dict[str, str]


def score_pictures(prediction: Path, reference: Path, size_handling: SizeHandling) -> Scores:
    """Computes every picture metric of a pair in one of the worker processes.

    As many pairs are scored at a time as there are workers (`HELM_STRUCTEXT_WORKERS`); a worker
    that dies is replaced and the pair tried once more.

    Raises:
        RuntimeError: two workers died of this pair.
    """
    request = json.dumps([str(prediction), str(reference), size_handling]) + "\n"
    for _ in range(2):
        worker = _idle_workers().get() or _start()
        try:
            assert worker.stdin is not None
            assert worker.stdout is not None
            worker.stdin.write(request)
            worker.stdin.flush()
            reply = worker.stdout.readline()
        except BrokenPipeError:
            reply = ""
        if reply:
            _idle_workers().put(worker)
            return Scores(*json.loads(reply))
        worker.kill()
        worker.wait()
        _idle_workers().put(None)
    raise RuntimeError(f"scoring {prediction} ended two processes")


Worker = subprocess.Popen[str]
_lock = threading.Lock()
_workers: queue.LifoQueue[Worker | None] | None = None


def _idle_workers() -> queue.LifoQueue[Worker | None]:
    """The workers that wait, and a None for each that has not been started yet."""
    global _workers
    with _lock:
        if _workers is None:
            _workers = queue.LifoQueue()
            for _ in range(worker_count()):
                _workers.put(None)
        return _workers


def _start() -> Worker:
    # The input's end, also when this process is killed, ends the worker.
    return subprocess.Popen(
        [sys.executable, "-m", "helm_structext.image2struct.scoring"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
    )


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


def read_pair(prediction: str | Path, reference: str | Path, size_handling: SizeHandling) -> Pair:
    """Reads two pictures and makes their sizes equal."""
    pictures = [Image.open(path).convert("RGB") for path in (prediction, reference)]
    return match_sizes(pictures[0], pictures[1], size_handling)


def _answer(prediction: str, reference: str, size_handling: SizeHandling) -> Scores:
    try:
        pair = read_pair(prediction, reference, size_handling)
    except Exception as error:  # a broken picture leaves every metric without a value
        return Scores({}, dict.fromkeys(PICTURE_METRICS, repr(error)))
    with shared_steps():
        return attempt(PICTURE_METRICS, pair)


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(_answer(*json.loads(line))), flush=True)
