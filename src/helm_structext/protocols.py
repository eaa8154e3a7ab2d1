"""The two readings of every benchmark: as its code was published, and with its mistakes mended.

One rule says which of them counts where nobody says it: rewards, which a model learns from, take
``corrected``, and so does what is in no paper; all else, which is compared with published numbers, takes
``published``.
"""

from typing import Literal, get_args

ProtocolName = Literal["published", "corrected"]
PROTOCOLS: tuple[ProtocolName, ...] = get_args(ProtocolName)

DEFAULT_PROTOCOL: ProtocolName = "published"
"""Of runs, files of completions, other harnesses, rescoring, `render` and `extract`."""
REWARD_PROTOCOL: ProtocolName = "corrected"
"""Of rewards, here and over HTTP: a model should not learn the mistakes of a benchmark's code. (Fresh
rounds are collected by it, too: there is nothing published to compare them with.)"""

OWN_PROTOCOL: ProtocolName = "corrected"
"""Of what is ours and in no paper: domains for any format, generated pictures, and comparing two codes."""

MissingRule = Literal["zero", "unscored"]
MISSING_RULES: tuple[MissingRule, ...] = get_args(MissingRule)
"""What comes of an answer that can't be drawn for what is missing here: 0, or in ``corrected`` no score."""

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


def check_missing_rule(rule: str, protocol: str = REWARD_PROTOCOL) -> MissingRule:
    """Returns a rule.

    Raises:
        ValueError: there is no such rule, or the protocol has another one.

    >>> check_missing_rule("unscored", "published")
    Traceback (most recent call last):
    ValueError: missing is unscored, but in protocol published what can't be drawn has its published score
    """
    for known in MISSING_RULES:
        if rule == known:
            if rule == "unscored" and protocol == "published":
                raise ValueError(
                    "missing is unscored, but in protocol published what can't be drawn has its published score"
                )
            return known
    raise ValueError(f"missing is {rule!r}; expected one of {', '.join(MISSING_RULES)}")
