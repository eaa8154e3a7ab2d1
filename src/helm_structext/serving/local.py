"""What a server answers, without one: the same items and options, scored in this process."""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from helm_structext.errors import SetupError
from helm_structext.rewards import Batch, RewardResult
from helm_structext.rewards.files import make_asked_reward
from helm_structext.serving.items import tasks
from helm_structext.serving.messages import ScoreRequest
from helm_structext.serving.refusals import RequestRefused


class Local:
    """Scores items as `helm_structext.serving.client.Client` does, in this process.

    Paths of pictures may lead anywhere; relative ones begin in the folder that one works in.

    >>> import asyncio
    >>> item = {"kind": "text", "completion": "EMMA", "reference": "Emma"}
    >>> [result.score for result in asyncio.run(Local().score_async([item]))]
    [1.0]
    """

    def find_passport(self, asked: Mapping[str, Any]) -> str | None:
        """Returns the hash of the passport by which an item is scored here; None of what is no item.

        Args:
            asked: the item, with the batch's options.
        """
        return _find_passport(json.dumps(asked, sort_keys=True, default=repr))

    async def score_async(
        self, items: Sequence[Mapping[str, Any]], **options: Any
    ) -> list[RewardResult]:
        """Returns a result for each item, in their order; to cancel it is to cancel the batch.

        Args:
            items: as `helm-structext serve` takes them.
            options: for items that don't say otherwise, and ``seconds`` for all of them.

        Raises:
            ValueError: an item or an option is not what it should be.
        """
        asked = {"items": [dict(item) for item in items], **options}
        request = ScoreRequest.model_validate(asked)
        try:
            found = tasks(request, [Path.cwd(), Path("/")])
        except RequestRefused as error:
            first = error.problems[0]
            raise ValueError(f"item {first.item}: {first.reason}") from error
        return await Batch(found, request.seconds).results_async()


@lru_cache(maxsize=64)
def _find_passport(asked: str) -> str | None:
    try:
        return make_asked_reward(json.loads(asked)).passport.hash
    except (ValueError, SetupError):
        return None
