"""What a benchmark says of its requests before any is made."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

Arguments = Mapping[str, Any]
"""Those of a run's scenario."""

Job = Callable[[], object]
"""Does once what has to be done with each answer: it is rendered, and scored."""

BYTES_PER_TOKEN = 4
"""Of English prose, as OpenAI and Google say; of other text it is UTF-8 that counts."""
CODE_BYTES_PER_TOKEN = 3
"""Of code, in which signs and short names are tokens of their own."""
PATCH = 28
"""Side of the square of pixels that is a token to the Qwen-VL models, and others since."""


class Dataset(NamedTuple):
    """A part of a published dataset, as `helm_structext.data.load_rows` takes it."""

    name: str
    config: str
    splits: tuple[str, ...]
    revision: str


@dataclass(frozen=True)
class Expected:
    """What is expected of one request.

    Args:
        tokens_in: of its text and picture, without the run's instructions.
        tokens_out: of a right answer, or None where the data has none.
        pictures: how many are sent.
        format: in which the answer is rendered, or "" where it is not.
        judge_in: tokens of what a judge is asked about the answer's picture, 0 if nothing.
        judge_out: tokens of its verdict.
    """

    tokens_in: float
    tokens_out: float | None
    pictures: int = 0
    format: str = ""
    judge_in: float = 0
    judge_out: float = 0


@dataclass(frozen=True)
class Planning:
    """What a benchmark knows of its runs.

    Args:
        datasets: what of the published data a run reads.
        expected: reads a run's instances from where its arguments say. Nothing is decoded.
        published: returns how many instances of the published data a run has, and the arguments of
            a run of the embedded sample that is like it.
        jobs: yields a format's jobs on answers of the embedded sample.
    """

    datasets: Callable[[Arguments], Sequence[Dataset]]
    expected: Callable[[Arguments], Sequence[Expected]]
    published: Callable[[Arguments], tuple[int, Arguments]]
    jobs: Callable[[str], Iterator[Job]] = lambda format: iter(())


def text_tokens(text: str, *, code: bool = False) -> float:
    """Returns about how many tokens a text is.

    >>> text_tokens("Four" * 100), text_tokens("x^2" * 100, code=True), text_tokens("中文字符")
    (100.0, 100.0, 3.0)
    """
    size = len(text.encode("utf-8", "surrogatepass"))
    return size / (CODE_BYTES_PER_TOKEN if code else BYTES_PER_TOKEN)


def picture_tokens(size: tuple[int, int]) -> int:
    """Returns about how many tokens a picture is: one for each square of `PATCH` pixels.

    >>> picture_tokens((280, 560)), picture_tokens((1, 1))
    (200, 1)
    """
    width, height = size
    return max(1, round(width / PATCH) * round(height / PATCH))
