"""How far work has come: in a terminal a bar, elsewhere a line now and then.

Both go to the error output, and neither is there for work of a few seconds.
"""

import math
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from typing import TypeVar

from tqdm import tqdm

from helm_structext.texts import one_line
from helm_structext.threads import beside

BAR_SECONDS, LINE_SECONDS = 2.0, 10.0
"""After how long a bar appears, and how often a line."""

ANSWER_SECONDS = 60.0
"""After how long an answer is called slow, and how often a line comes at least in the end."""

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
def answering(total: int, what: str = "", advice: str = "") -> Iterator[Callable[[], None]]:
    """Says now and then how many requests were answered, and how long the others will take.

    Also where none was answered yet, however long that takes.

    Args:
        total: of requests.
        what: each line begins with.
        advice: once, where an answer takes more than a minute.

    Yields:
        What is to be called after each answer, in any thread.

    >>> with answering(2) as answered:
    ...     answered()
    """
    done, start, guard = 0, time.monotonic(), threading.Lock()

    def answered() -> None:
        nonlocal done
        with guard:
            done += 1

    def repeat(ended: threading.Event) -> None:
        wait, said, unadvised = LINE_SECONDS, 0, bool(advice)
        while not ended.wait(wait):
            seconds = time.monotonic() - start
            if done < total and (done != said or not done):
                announce(f"{what}{answers_text(done, total, seconds)}")
            if unadvised and seconds / max(done, 1) > ANSWER_SECONDS:
                announce(advice)
                unadvised = False
            said, wait = done, min(2 * wait, ANSWER_SECONDS)

    with beside(repeat):
        yield answered


def answers_text(done: int, total: int, seconds: float) -> str:
    """Returns how far requests are.

    >>> answers_text(3, 10, 120.0)
    '3 of 10 answered, 40 s each, about 5 minutes left'
    >>> answers_text(0, 10, 95.0)
    '0 of 10 answered, 95 s so far'
    """
    if not done:
        return f"0 of {total:,} answered, {seconds:.0f} s so far"
    each = seconds / done
    left = math.ceil((total - done) * each / 60)
    about = f"{each:.0f} s" if each >= 10 else f"{each:.1f} s"
    return f"{done:,} of {total:,} answered, {about} each, about {left} minute{'' if left == 1 else 's'} left"


@contextmanager
def working(what: str) -> Iterator[None]:
    """Says now and then that something is still being done, of which nobody can see how far it is.

    >>> with working("nothing"):
    ...     pass
    """
    start = time.monotonic()

    def repeat(ended: threading.Event) -> None:
        while not ended.wait(LINE_SECONDS):
            _say(what, time.monotonic() - start)

    with beside(repeat):
        yield


def announce(text: str) -> None:
    """Says something in a line of its own, beside bars."""
    tqdm.write(one_line(text), file=sys.stderr)


def _say(text: str, seconds: float) -> None:
    announce(f"{one_line(text)}, {seconds:.0f} s")
