"""The two readings of every benchmark: as its code was published, and with its mistakes mended."""

from typing import Literal, get_args

ProtocolName = Literal["published", "corrected"]
PROTOCOLS: tuple[ProtocolName, ...] = get_args(ProtocolName)

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
