"""The two readings of every benchmark: as its code was published, and with its mistakes mended.

One rule says which of them counts where nobody says it: rewards, which a model learns from, take
``corrected``; all else, which is compared with published numbers, takes ``published``.
"""

from typing import Literal, get_args

ProtocolName = Literal["published", "corrected"]
PROTOCOLS: tuple[ProtocolName, ...] = get_args(ProtocolName)

DEFAULT_PROTOCOL: ProtocolName = "published"
"""Of runs, files of completions, other harnesses, rescoring, `render` and `extract`."""
REWARD_PROTOCOL: ProtocolName = "corrected"
"""Of rewards, here and over HTTP: a model should not learn the mistakes of a benchmark's code. (Fresh
rounds are collected by it, too: there is nothing published to compare them with.)"""

Average = Literal["tasks", "examples"]
AVERAGES: tuple[Average, ...] = get_args(Average)
"""StructEval's: the paper's unweighted mean of subsets and tasks, and its leaderboard's over examples."""


def check_protocol(protocol: str) -> ProtocolName:
    """Returns a protocol.

    Raises:
        ValueError: there is no such protocol.

    >>> check_protocol("strict")
    Traceback (most recent call last):
    ValueError: protocol is 'strict'; expected one of published, corrected
    """
    for known in PROTOCOLS:
        if protocol == known:
            return known
    raise ValueError(f"protocol is {protocol!r}; expected one of {', '.join(PROTOCOLS)}")
