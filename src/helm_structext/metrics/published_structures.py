"""StructEval's scores of text by the parsers of its published code, where these are not ours.

They differ in TOML, where it takes the package ``toml`` 0.10.2 (which refuses arrays of several types, and
lets tables be opened again), and in YAML, where it takes PyYAML's loader in Python (which refuses a tab
after a colon). Some texts take them quadratic time, so that they run in a process of their own, for
`MAX_SECONDS` of its time.

Source: StructEval's published code.
"""

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

import toml
import yaml

from helm_structext.errors import RenderError, check_strings, check_types
from helm_structext.formats import check_format, text_formats
from helm_structext.metrics.structures import (
    MAX_LENGTH,
    check_yaml,
    parse_structure,
    path_exists,
)
from helm_structext.processes import run_in_process

MAX_SECONDS = 2
"""Of processor time, for one text; that of a usual answer is a hundredth of a second."""


def syntax_score_published(prediction: str, format: str) -> float:
    """Returns `syntax_score` as published: by the published parsers, and anything is CSV.

    Args:
        prediction: code without tags and fences.
        format: ``json``, ``yaml``, ``toml``, ``xml`` or ``csv``.

    Raises:
        TypeError: the prediction is not a string.
        ValueError: unknown format.

    >>> syntax_score_published("no table\\n1,2", "csv"), syntax_score_published("a = [1, 'b']", "toml")
    (1.0, 0.0)
    """
    return text_scores_published(prediction, [], format)[0]


def path_score_published(prediction: str, reference: Sequence[str], format: str) -> float:
    """Returns `path_score` as published: by the published parsers.

    Args:
        prediction: code without tags and fences.
        reference: paths as `path_exists` reads them, at least one.
        format: ``json``, ``yaml``, ``toml``, ``xml`` or ``csv``.

    Raises:
        TypeError: the prediction is not a string, or the reference not a list of them.
        ValueError: there is no path, or one can't be read; unknown format.

    >>> path_score_published("a = {x = 1}\\n[a.b]\\ny = 2", ["a.x", "a.b.y"], "toml")
    1.0
    """
    if not reference:
        raise ValueError("reference: expected at least one path, got none")
    return text_scores_published(prediction, reference, format)[1]


def text_scores_published(
    prediction: str, reference: Sequence[str], format: str
) -> tuple[float, float]:
    """Returns `syntax_score_published` and `path_score_published`, for which it parses once.

    Without paths the second is 0.

    Args:
        prediction: code as `extract` finds it by the published rule.
        reference: paths as `helm_structext.metrics.path_exists` reads them; without any the second score is 0.
        format: ``json``, ``yaml``, ``toml``, ``xml`` or ``csv``.

    Returns:
        Two values in [0, 1]; higher is better.

    Raises:
        TypeError: the prediction is not a string, or the reference not a list of them.
        ValueError: a path can't be read; unknown format.

    >>> text_scores_published("a:\\t1", ["a"], "yaml"), text_scores_published("a: 1", ["a", "b"], "yaml")
    ((0.0, 0.0), (1.0, 0.5))
    """
    check_types(str, prediction=prediction)
    check_strings(reference=reference)
    check_format(format, text_formats())
    score = _scores if format not in PARSERS else _scores_of_worker
    return score(prediction, list(reference), format)


def _scores_of_worker(text: str, paths: list[str], format: str) -> tuple[float, float]:
    return run_in_process(_scores, text, paths, format)


def _scores(text: str, paths: list[str], format: str) -> tuple[float, float]:
    structure = _parse(text, format)
    # A reader of CSV is something, whatever it reads.
    syntax = float(format == "csv" or bool(structure))
    found = [bool(structure) and path_exists(structure, path) for path in paths]
    return syntax, sum(found) / len(found) if found else 0.0


def _parse(text: str, format: str) -> Any:
    """What the published parser makes of a text, or None."""
    if format not in PARSERS:
        try:
            return parse_structure(text, format, strict=False)
        except RenderError:
            return None
    if len(text) > MAX_LENGTH:
        return None
    try:
        with _time_limit():
            # Line ends become \n, as when a file is read.
            return PARSERS[format](text.replace("\r\n", "\n").replace("\r", "\n"))
    except Exception:  # as the published code does; these parsers raise almost anything
        return None


def _yaml(text: str) -> Any:
    check_yaml(text, yaml.SafeLoader)
    return yaml.safe_load(text)


PARSERS: dict[str, Callable[[str], Any]] = {"yaml": _yaml, "toml": toml.loads}
"""Format to the published parser, of the formats that ours reads otherwise."""


@contextmanager
def _time_limit() -> Iterator[None]:
    """Raises TimeoutError in this process's main thread after `MAX_SECONDS` of processor time."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGPROF, stop)
    # Again each second, as a parser may catch it.
    signal.setitimer(signal.ITIMER_PROF, MAX_SECONDS, 1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
