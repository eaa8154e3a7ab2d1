"""Steps that several metrics of one pair begin with, taken once."""

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, TypeVar

from PIL import Image

Taken = TypeVar("Taken")

_taken: ContextVar[dict[Hashable, tuple[Image.Image, Any]] | None] = ContextVar(
    "taken", default=None
)


@contextmanager
def shared_steps() -> Iterator[None]:
    """Within it, what is derived from a picture object is derived once, by all metrics together.

    The pictures must not be changed meanwhile, which nothing else asks for: hence it is not always
    so. A block within another one shares what that has.

    >>> from helm_structext.metrics import block_emd, earth_mover_similarity
    >>> page = Image.new("RGB", (1920, 1080), "white")
    >>> with shared_steps():
    ...     [metric(page, page) for metric in (earth_mover_similarity, block_emd)]
    [1.0, 0.0]
    """
    known = _taken.get()
    token = _taken.set({} if known is None else known)
    try:
        yield
    finally:
        _taken.reset(token)


def share_result(step: Callable[..., Taken]) -> Callable[..., Taken]:
    """Decorates a function of a picture and hashable values, for `shared_steps`."""

    @wraps(step)
    def taken(picture: Image.Image, *rest: Hashable) -> Taken:
        known = _taken.get()
        if known is None:
            return step(picture, *rest)
        key = (step, id(picture), *rest)
        if key not in known:
            # The picture is kept, or another one could get its identity.
            known[key] = picture, step(picture, *rest)
        result: Taken = known[key][1]
        return result

    return taken
