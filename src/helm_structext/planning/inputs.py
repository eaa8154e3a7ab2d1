"""What a run will take, as far as the questions that a benchmark asks say it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from helm_structext.data import NEWEST
from helm_structext.formats import FORMATS
from helm_structext.pictures import size_of
from helm_structext.planning.records import (
    Arguments,
    Dataset,
    Expected,
    Planning,
    picture_tokens,
    text_tokens,
)
from helm_structext.scoring.scorer import Input


def plan_inputs(
    inputs: Callable[[Mapping[str, Any]], Iterable[Input]], dataset: Dataset | None, rows: int
) -> Planning:
    """Returns what is known of a benchmark's runs by what it asks.

    Args:
        inputs: returns what a run asks, by the arguments of the run.
        dataset: that is published, or None where the data only comes from elsewhere.
        rows: of the published dataset.
    """

    @lru_cache(maxsize=8)
    def read(arguments: tuple[tuple[str, Any], ...]) -> Sequence[Expected]:
        return [expect(asked) for asked in inputs(dict(arguments))]

    def datasets(arguments: Arguments) -> list[Dataset]:
        return [dataset._replace(revision=arguments.get("revision", NEWEST))] if dataset else []

    def published(arguments: Arguments) -> tuple[int, Arguments]:
        like = {name: value for name, value in arguments.items() if name != "revision"}
        return rows, {**like, "source": "sample"} if dataset else arguments

    return Planning(datasets, lambda arguments: read(tuple(arguments.items())), published)


def expect(asked: Input) -> Expected:
    """Returns what is expected of a request.

    >>> from helm_structext.scoring.scorer import InstanceKey
    >>> expect(Input(InstanceKey("", "1"), "Which day?", "date", oracle="2026-11-26"))
    Expected(tokens_in=2.5, tokens_out=3.3333333333333335, pictures=0, format='', judge_in=0, judge_out=0)
    """
    pictures = [] if asked.picture is None else [asked.picture]
    rendered = asked.format in FORMATS and FORMATS[asked.format].engine
    return Expected(
        text_tokens(asked.text) + sum(picture_tokens(size_of(picture)) for picture in pictures),
        None if asked.oracle is None else text_tokens(asked.oracle, code=True),
        len(pictures),
        asked.format if rendered else "",
    )
