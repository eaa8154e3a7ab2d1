"""Why a request is not answered."""

from collections.abc import Sequence

from helm_structext.serving.messages import Problem
from helm_structext.texts import one_line

MAX_PROBLEMS = 20
"""Problems of a request that are answered."""


class RequestRefused(Exception):
    """A request is not answered, and why.

    Args:
        status: of HTTP.
        message: one line.
        problems: of its items.
        retry_after: seconds after which it may be asked again, or None.
    """

    def __init__(
        self,
        status: int,
        message: str,
        problems: tuple[Problem, ...] = (),
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.problems = problems[:MAX_PROBLEMS]
        self.retry_after = retry_after


def wrong(problems: Sequence[Problem]) -> RequestRefused:
    """Returns the refusal of a request for what is wrong in it."""
    first = problems[0]
    place = "" if first.item is None else f"item {first.item}: "
    named = f"{first.field}: " if first.field else ""
    return RequestRefused(422, one_line(f"{place}{named}{first.reason}"), tuple(problems))
