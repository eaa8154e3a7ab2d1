r"""Scores of rendered and structured output as rewards for training.

A reward is called with one completion and its reference, or with lists; it can be awaited
(`score`), and gives results as they come (`as_completed`). What a completion does wrong scores
`failure` and has a kind; what the machine does wrong has no score.

>>> from helm_structext.rewards import Reward
>>> reward = Reward("latex", components={"earth_mover_similarity": 1.0})
>>> result = reward(r"\begin{tabular}{c} x \end{tabular}", r"\begin{tabular}{c} x \end{tabular}")
>>> result.score, result.error_kind
(1.0, None)
"""

from helm_structext.rewards.base import BaseReward
from helm_structext.rewards.batch import Batch
from helm_structext.rewards.guards import GUARDS
from helm_structext.rewards.instances import InstanceReward
from helm_structext.rewards.mmr import MMRReward
from helm_structext.rewards.pictures import COMPONENTS, PRESETS, Reward, preset_for
from helm_structext.rewards.references import Reference
from helm_structext.rewards.result import MACHINE_KINDS, RewardResult
from helm_structext.rewards.structeval import StructEvalReward
from helm_structext.scoring.handling import NotScored

__all__ = [
    "COMPONENTS",
    "GUARDS",
    "MACHINE_KINDS",
    "PRESETS",
    "BaseReward",
    "Batch",
    "InstanceReward",
    "MMRReward",
    "NotScored",
    "Reference",
    "Reward",
    "RewardResult",
    "StructEvalReward",
    "preset_for",
]
