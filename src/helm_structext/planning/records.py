"""What a benchmark says of its requests before any is made."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

Arguments = Mapping[str, Any]
"""Those of a run's scenario."""

Job = Callable[[], object]
"""Does once what has to be done with each answer: it is rendered, and scored."""


@dataclass(frozen=True)
class Expected:
    """What is expected of one request.

    Args:
        prompt: bytes of its text in UTF-8, without the run's instructions.
        answer: bytes of a right answer, or None where the data has none.
        pictures: width and height of each picture.
        format: in which the answer is rendered, or "" where it is not.
        questions: bytes of what a judge is asked about the answer's picture.
        pairs: how many questions these are.
    """

    prompt: int
    answer: int | None
    pictures: tuple[tuple[int, int], ...] = ()
    format: str = ""
    questions: int = 0
    pairs: int = 0


class Dataset(NamedTuple):
    """A part of a published dataset, as `helm_structext.data.load_rows` takes it."""

    name: str
    config: str
    splits: tuple[str, ...]
    revision: str


@dataclass(frozen=True)
class Planning:
    """What a benchmark knows of its runs.

    Args:
        datasets: what of the published data a run reads.
        expected: reads a run's instances from where its arguments say. Nothing is decoded.
        sample: the same of the embedded sample, for instances of the published data that are not on
            this disk.
        published: how many instances of the published data a run has.
        jobs: yields a format's jobs on answers of the embedded sample.
    """

    datasets: Callable[[Arguments], Sequence[Dataset]]
    expected: Callable[[Arguments], Sequence[Expected]]
    sample: Callable[[Arguments], Sequence[Expected]]
    published: Callable[[Arguments], int]
    jobs: Callable[[str], Iterator[Job]]


def utf8_length(text: str) -> int:
    """Returns the bytes of a text in UTF-8.

    >>> utf8_length("aé中")
    6
    """
    return len(text.encode("utf-8", "surrogatepass"))
