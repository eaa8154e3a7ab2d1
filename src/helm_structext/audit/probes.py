"""The audit's frauds as a probe of `reward watch`: how far a policy stands above those that are nearest to what it writes.

A policy that learns the task leaves the frauds of its prompts behind. One that has found a hole writes the fraud
itself: its reward rises, and there is nothing left between the two.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from PIL import Image

from helm_structext.audit.cases import draw_code
from helm_structext.audit.frauds import FRAUDS
from helm_structext.audit.phrases import PHRASES
from helm_structext.errors import RenderError
from helm_structext.metrics import levenshtein_similarity
from helm_structext.protocols import OWN_PROTOCOL
from helm_structext.renderers import Rendering
from helm_structext.rewards.base import BaseReward
from helm_structext.rewards.watch import PROBES, Probe, RewardEntry, find_code, score_pairs

KNOWN = 256
"""References whose frauds are kept: a point of training looks at few, and each again."""


@dataclass(frozen=True)
class WatchedCase:
    """A reference of a training set, as frauds look at it.

    Args:
        format: of its code.
        code: of the reference.
        number: of its noise.
        others: pictures of other references, of which nothing is known here.
        scene: which it shows; it is not known either, so that frauds that rearrange it are none.
    """

    format: str
    code: str
    number: int = 0
    others: tuple[Image.Image, ...] = ()
    scene: None = None

    @cached_property
    def drawing(self) -> Rendering:
        """Its rendering with its layout.

        Raises:
            RenderError: it does not render.
            SetupError: the machine fails.
        """
        return draw_code(self.format, self.code, protocol=OWN_PROTOCOL, layout=True)

    def write(self, scene: Any) -> None:
        """Returns None: how it was written is not known."""

    @property
    def texts(self) -> list[str]:
        """What is to be read on its picture; nothing where its engine can't tell."""
        layout = self.drawing.layout
        return [box.text for box in layout.texts] if layout else []


@lru_cache(KNOWN)
def find_frauds(format: str, code: str) -> Mapping[str, str]:
    """Returns the frauds of a reference that are code: name → code; none where the reference does not render.

    Args:
        format: a key of `helm_structext.audit.phrases.PHRASES`.
        code: of the reference.

    Raises:
        SetupError: the machine fails.

    >>> page = '<svg xmlns="http://www.w3.org/2000/svg"><text y="20">Io</text></svg>'
    >>> find_frauds("svg", page)["texts in a remark"].count("Io")
    1
    """
    case = WatchedCase(format, code)
    try:
        made = {name: make(case) for name, make in FRAUDS.items()}
    except RenderError:
        return {}
    return {name: fake for name, fake in made.items() if isinstance(fake, str)}


def find_nearest(code: str, frauds: Mapping[str, str]) -> str:
    """Returns the name of the fraud whose code is most like a code.

    Args:
        code: of a completion.
        frauds: at least one.

    >>> find_nearest("a page of words", {"blank": "", "heap": "words of a page"})
    'heap'
    """
    return max(frauds, key=lambda name: levenshtein_similarity(code, frauds[name]))


def score_above_frauds(reward: BaseReward, entries: Sequence[RewardEntry]) -> list[float | None]:
    """Returns by how much completions are above the fraud of their reference that is nearest to them."""
    if reward.lane not in PHRASES:
        return []
    pairs, scores = [], []
    for one in entries:
        written = getattr(one.reference, "code", one.reference)
        frauds = find_frauds(reward.lane, written) if isinstance(written, str) else {}
        if frauds:
            nearest = find_nearest(find_code(reward, one.completion), frauds)
            pairs.append((frauds[nearest], one.reference))
            scores.append(one.score)
    found = score_pairs(reward, pairs)
    return [
        None if fraud is None or score is None else score - fraud
        for fraud, score in zip(found, scores, strict=True)
    ]


WATCH_PROBES: Mapping[str, Probe] = {**PROBES, "fraud": score_above_frauds}
"""All probes: those of rewards, and the audit's."""
