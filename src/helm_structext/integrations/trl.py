"""Rewards for TRL's trainers, such as `GRPOTrainer`.

    reward = RewardFunction(Reward("latex", PRESETS["image"]))
    trainer = GRPOTrainer(model, reward_funcs=reward, train_dataset=dataset, …)

The dataset has a column of references. Beside the reward, the trainer logs the mean of each component
and the share of failures of each kind, and in its table of completions the kind of each failure. A
completion without a score for no fault of its own has None, which the trainer leaves out.
"""

import logging
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from helm_structext.errors import SetupError
from helm_structext.integrations.trainers import (
    CompletionScorer,
    append_journal,
    batch_means,
    find_passport,
    text_of,
)

if TYPE_CHECKING:
    from helm_structext.integrations.training import TrainingSet
    from helm_structext.rewards import BaseReward

_log = logging.getLogger("helm.structext")


@dataclass(frozen=True)
class RewardFunction:
    """A reward function of TRL.

    Args:
        scorer: a reward, in this process or remote, or a training set.
        references: the dataset's column with the references; for a training set, `rows` has their
            names in ``id``.
        name: under which the trainer logs the reward.
        journal: a file to which each completion is added with its reward, for `helm-structext reward watch`
            and `watch_callback`.
    """

    scorer: CompletionScorer
    references: str = "reference"
    name: str = "structext"
    journal: str | os.PathLike[str] | None = None

    @property
    def __name__(self) -> str:
        return self.name

    async def __call__(
        self,
        prompts: Sequence[Any],
        completions: Sequence[Any],
        completion_ids: Sequence[Any] | None = None,
        *,
        log_metric: Callable[[str, float], None] | None = None,
        log_extra: Callable[[str, list[Any]], None] | None = None,
        **columns: Any,
    ) -> list[float | None]:
        """Scores a batch, as the trainer asks for it.

        Raises:
            ValueError: the dataset has no column of references.
        """
        if self.references not in columns:
            raise ValueError(
                f"the dataset has no column {self.references!r}, in which this reward looks for "
                f"references; it has {', '.join(sorted(columns))}"
            )
        texts = [text_of(completion) for completion in completions]
        results = await self.scorer.score(texts, columns[self.references])
        if self.journal is not None:
            passport = find_passport(self.scorer)
            append_journal(self.journal, texts, columns[self.references], results, passport)
        if log_metric is not None:
            for name, value in batch_means(results, self.scorer.components).items():
                log_metric(name, value)
        if log_extra is not None:
            log_extra("error_kind", [result.error_kind or "" for result in results])
        return [result.score for result in results]


def watch_callback(reward: "BaseReward", journal: str | os.PathLike[str], every: int = 50) -> Any:
    """Returns a callback for the trainer that scores probes now and then, and logs them as ``watch/NAME``.

    They stand in the trainer's ``state.log_history`` and in what it prints; services that it reports to have had
    the step's log by then. What speaks for a policy that has found what its reward overlooks is logged as a
    warning; so is a journal that can't be read, which does not stop the training.

    Args:
        reward: of the training.
        journal: that its `RewardFunction` writes.
        every: steps between two looks, at least; it looks when the trainer logs.
    """
    from transformers import TrainerCallback

    from helm_structext.audit.probes import WATCH_PROBES
    from helm_structext.rewards.watch import look_at_journal

    class RewardWatchCallback(TrainerCallback):
        """Looks at a journal of rewards while a model is trained."""

        def __init__(self) -> None:
            self.looked_at = 0
            """The step of the last look."""

        def on_log(
            self, args: Any, state: Any, control: Any, logs: dict[str, Any] | None = None, **_: Any
        ) -> None:
            if not state.is_world_process_zero or state.global_step - self.looked_at < every:
                return
            self.looked_at = state.global_step
            try:
                means, warnings = look_at_journal(reward, Path(journal), WATCH_PROBES)
            except SetupError as error:
                means, warnings = {}, [str(error)]
            found = {f"watch/{name}": value for name, value in means.items()}
            # The trainer has kept a copy of the log before it calls back.
            for log in (logs, *state.log_history[-1:]):
                if log is not None:
                    log.update(found)
            for warning in warnings:
                _log.warning("Watching the reward: %s", warning)

    return RewardWatchCallback()


def rows(training_set: "TrainingSet") -> Iterator[dict[str, Any]]:
    """Yields the rows of a dataset for the trainer: ``id``, ``prompt`` and, where there is one, ``image``.

    >>> from helm_structext.integrations.training import training_set
    >>> row = next(rows(training_set("structeval:task=text_to_json,source=sample")))
    >>> [*row], row["prompt"][0]["role"]
    (['id', 'prompt'], 'user')
    """
    from helm_structext.pictures import read_picture

    for question in training_set.questions:
        prompt = [{"role": "user", "content": "".join(question.texts)}]
        row: dict[str, Any] = {"id": question.id, "prompt": prompt}
        if question.picture is not None:
            row["image"] = read_picture(question.picture)
        yield row
