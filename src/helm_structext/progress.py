"""How far work has come: in a terminal a bar, elsewhere a line now and then.

Both go to the error output, and neither is there for work of a few seconds.
"""

import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from typing import TypeVar

from tqdm import tqdm

from helm_structext.texts import one_line

BAR_SECONDS, LINE_SECONDS = 2.0, 10.0
"""After how long a bar appears, and how often a line."""

Item = TypeVar("Item")


def progress(
    items: Iterable[Item],
    what: str,
    total: int | None = None,
    note: Callable[[], str] | None = None,
) -> Iterator[Item]:
    """Yields items, and says how many there were.

    Args:
        items: the work, or its results.
        what: is done to them, such as ``reading runs``.
        total: how many there will be, if that is known and `items` doesn't say it.
        note: says more than how many items there were.

    >>> list(progress("abc", "reading letters"))
    ['a', 'b', 'c']
    """
    if total is None and isinstance(items, Sized):
        total = len(items)
    if sys.stderr.isatty():
        with tqdm(items, one_line(what), total, delay=BAR_SECONDS, leave=False) as bar:
            for item in bar:
                if note:
                    bar.set_postfix_str(one_line(note()), refresh=False)
                yield item
        return
    of = "" if total is None else f" of {total:,}"
    start = said = time.monotonic()
    for done, item in enumerate(items):
        now = time.monotonic()
        if now - said >= LINE_SECONDS:
            said = now
            more = f" ({60 * done / (now - start):.1f} a minute); {note()}" if note else ""
            _say(f"{what}: {done:,}{of}{more}", now - start)
        yield item


@contextmanager
def working(what: str) -> Iterator[None]:
    """Says now and then that something is still being done, of which nobody can see how far it is.

    >>> with working("nothing"):
    ...     pass
    """
    start = time.monotonic()
    ended = threading.Event()

    def repeat() -> None:
        while not ended.wait(LINE_SECONDS):
            _say(what, time.monotonic() - start)

    thread = threading.Thread(target=repeat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def announce(text: str) -> None:
    """Says something in a line of its own, beside bars."""
    tqdm.write(one_line(text), file=sys.stderr)


def _say(text: str, seconds: float) -> None:
    announce(f"{one_line(text)}, {seconds:.0f} s")
