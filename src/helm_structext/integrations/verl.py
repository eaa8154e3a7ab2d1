"""Rewards for verl: a reward function for its reward managers, and rows of training sets.

    reward.custom_reward_function.path=pkg://helm_structext.integrations.verl
    reward.custom_reward_function.name=compute_score
    +reward.custom_reward_function.reward_kwargs.item.format=latex

The reward manager awaits the function for each completion; the manager ``batch`` takes `compute_scores`, which scores
a batch at once. A completion without a score for no fault of its own raises `helm_structext.rewards.NotScored`, as
verl has no value for it: verl then trains without the completion.
"""

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from helm_structext.integrations.trainers import (
    DEFAULT_COMPONENTS,
    RewardClient,
    append_journal,
    batch_means,
    client_of,
    score_of,
)
from helm_structext.threads import in_thread

if TYPE_CHECKING:
    from helm_structext.integrations.training import TrainingSet
    from helm_structext.integrations.watcher import JournalWatcher

KEY = "structext"
"""What `extra_info` has under it: an item as a server takes it, as a mapping or in JSON."""
OF_COMPLETIONS = ("completion", "reference")
"""What each item has for itself; the rest says the reward."""


async def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: Any,
    extra_info: Mapping[str, Any] | None = None,
    *,
    reward_router_address: str | None = None,
    reward_model_tokenizer: Any = None,
    **told: Any,
) -> dict[str, Any]:
    """Scores a completion, as verl's reward managers ask for it.

    Args:
        data_source: of the row; not looked at.
        solution_str: the completion.
        ground_truth: the reference, unless the item has one.
        extra_info: of the row; under `KEY` it says what the completion is.
        reward_router_address: of a reward model of verl's; not asked.
        reward_model_tokenizer: of that model; not used.
        told: see `score_solutions`.

    Returns:
        See `score_solutions`.

    Raises:
        NotScored: the completion has no score, for no fault of its own.
        ValueError: an item or an option is not what it should be.
    """
    (found,) = await score_solutions([solution_str], [ground_truth], [extra_info], **told)
    return found


def compute_scores(
    data_sources: Sequence[str],
    solution_strs: Sequence[str],
    ground_truths: Sequence[Any],
    extra_infos: Sequence[Mapping[str, Any] | None] | None = None,
    *,
    reward_router_address: str | None = None,
    reward_model_tokenizer: Any = None,
    **told: Any,
) -> list[dict[str, Any]]:
    """Scores a batch, as verl's reward manager ``batch`` asks for it; completions that are the same are measured once.

    Args:
        data_sources: of the rows; not looked at.
        solution_strs: the completions.
        ground_truths: their references, as far as their items have none.
        extra_infos: of the rows; under `KEY` each says what its completion is.
        reward_router_address: of a reward model of verl's; not asked.
        reward_model_tokenizer: of that model; not used.
        told: see `score_solutions`.

    Returns:
        See `score_solutions`.

    Raises:
        NotScored: a completion has no score, for no fault of its own.
        ValueError: an item or an option is not what it should be.

    >>> found = compute_scores(["mine"] * 2, ["EMMA", "x"], ["Emma"] * 2, item={"kind": "text"})
    >>> [one["score"] for one in found]
    [1.0, 0.0]
    """
    rows_told = [None] * len(solution_strs) if extra_infos is None else extra_infos
    asked = score_solutions(solution_strs, ground_truths, rows_told, **told)
    # In a thread of its own: the caller's may have a loop that runs.
    return in_thread(lambda: asyncio.run(asked)).result()


async def score_solutions(
    solutions: Sequence[str],
    references: Sequence[Any],
    rows_told: Sequence[Mapping[str, Any] | None],
    *,
    item: Mapping[str, Any] | None = None,
    url: str | None = None,
    token: str | None = None,
    journal: str | None = None,
    watch_every: int | None = None,
    gauges: str | None = None,
    **options: Any,
) -> list[dict[str, Any]]:
    """Scores completions.

    Args:
        solutions: the completions.
        references: of them, as far as their items have none.
        rows_told: the rows' ``extra_info``.
        item: what all completions are, as far as their rows don't say it:
            ``{"format": "latex"}``, ``{"task": "text_to_json"}`` or ``{"kind": "text"}``.
        url: of a server; see `helm_structext.integrations.trainers.client_of`, as for `token`.
        token: of the server.
        journal: a file to which each completion is added with its reward, for `helm-structext reward watch`.
        watch_every: completions of this process after which it looks at the journal itself, in the background, and
            logs what speaks against the training; by default it does not.
        gauges: a file that it writes then, for Prometheus.
        options: as a server takes them, such as ``components`` and ``protocol``.

    Returns:
        Of each, ``score``, and what verl keeps beside it: what
        `helm_structext.integrations.trainers.batch_means` says of this completion, ``error_kind``
        and ``message``. As verl wants the same names of all completions, these are the components
        that `options` name, or rewards have by default, whatever a row names besides; without a
        value they are None, which verl leaves out of its means.

    Raises:
        NotScored: a completion has no score, for no fault of its own.
        ValueError: an item or an option is not what it should be.
    """
    options = _plain(options)
    item = _plain(item or {})
    asked = [
        {"reference": _plain(reference), **item, **_read_told(told or {}), "completion": solution}
        for solution, reference, told in zip(solutions, references, rows_told, strict=True)
    ]
    client = client_of(url, token)
    results = await client.score_async(asked, **options)
    if journal is not None:
        for one, result in zip(asked, results, strict=True):
            said = {name: value for name, value in one.items() if name not in OF_COMPLETIONS}
            passport = _find_passport(client, {**options, **said})
            append_journal(journal, [one["completion"]], [one["reference"]], [result], passport)
        if watch_every is not None:
            told = json.dumps({**options, **item})
            _find_watcher(journal, watch_every, gauges, told).note(len(asked))
    names = dict.fromkeys([*DEFAULT_COMPONENTS, *options.get("components", ())])
    return [
        {
            "score": score_of(result),
            **{f"components/{name}": None for name in names},
            **batch_means([result], names.keys() & result.components.keys()),
            "error_kind": result.error_kind or "",
            "message": result.message,
        }
        for result in results
    ]


def _find_passport(client: RewardClient, asked: Mapping[str, Any]) -> str | None:
    """Of what scores in this process; a server tells its own by ``GET /v1/passport``."""
    tell = getattr(client, "find_passport", None)
    return tell(asked) if tell else None


@lru_cache(maxsize=8)
def _find_watcher(journal: str, every: int, gauges: str | None, told: str) -> "JournalWatcher":
    """One for all completions of a process. It scores probes, so that it needs all that this package does."""
    from helm_structext.integrations.watcher import JournalWatcher
    from helm_structext.rewards.files import make_asked_reward

    reward = make_asked_reward(json.loads(told))
    return JournalWatcher(reward, Path(journal), every, Path(gauges) if gauges else None)


def _read_told(extra_info: Mapping[str, Any]) -> dict[str, Any]:
    told = extra_info.get(KEY) or {}
    found: dict[str, Any] = _plain(json.loads(told) if isinstance(told, str) else told)
    return found


def _plain(value: Any) -> Any:
    """Returns what JSON can say of configurations, arrays and rows of Parquet files.

    A column of mappings has a None for each name that other rows have.

    >>> _plain({"format": "latex", "task": None, "guards": ("blank",)})
    {'format': 'latex', 'guards': ['blank']}
    """
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {name: _plain(one) for name, one in value.items() if one is not None}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [_plain(one) for one in value]
    return value


def rows(training_set: "TrainingSet", split: str = "train") -> Iterator[dict[str, Any]]:
    """Yields the rows of a dataset for verl, which reads them from a Parquet file.

    Args:
        training_set: whose questions they are.
        split: what ``extra_info`` calls it.

    >>> from helm_structext.integrations.training import training_set
    >>> row = next(rows(training_set("structeval:task=text_to_json,source=sample")))
    >>> [*row], row["data_source"], [*row["extra_info"]]
    (['data_source', 'prompt', 'reward_model', 'extra_info'], 'structext/text_to_json',
     ['index', 'split', 'id', 'structext'])
    """
    from helm_structext.integrations.training import items

    asked = items(training_set)
    for number, question in enumerate(training_set.questions):
        text = "".join(question.texts)
        row: dict[str, Any] = {
            "data_source": f"structext/{question.part}",
            "prompt": [{"role": "user", "content": text}],
            "reward_model": {"style": "rule", "ground_truth": question.target},
            "extra_info": {
                "index": number,
                "split": split,
                "id": question.id,
                KEY: json.dumps(asked[question.id]),
            },
        }
        if question.picture is not None:
            row["prompt"] = [{"role": "user", "content": f"{text}<image>"}]
            row["images"] = [{"bytes": question.picture.read_bytes()}]
        yield row
