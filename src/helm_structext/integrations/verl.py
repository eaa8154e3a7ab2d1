"""Rewards for verl: a reward function for its reward managers, and rows of training sets.

    reward.custom_reward_function.path=pkg://helm_structext.integrations.verl
    reward.custom_reward_function.name=compute_score
    +reward.custom_reward_function.reward_kwargs.item.format=latex

The reward manager awaits the function for each completion. A completion without a score for no fault
of its own raises `helm_structext.rewards.NotScored`, as verl has no value for it: verl
then trains without the completion.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from helm_structext.integrations.trainers import (
    DEFAULT_COMPONENTS,
    append_journal,
    batch_means,
    client_of,
    score_of,
)

if TYPE_CHECKING:
    from helm_structext.integrations.training import TrainingSet

KEY = "structext"
"""What `extra_info` has under it: an item as a server takes it, as a mapping or in JSON."""


async def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: Any,
    extra_info: Mapping[str, Any] | None = None,
    *,
    item: Mapping[str, Any] | None = None,
    url: str | None = None,
    token: str | None = None,
    reward_router_address: str | None = None,
    reward_model_tokenizer: Any = None,
    journal: str | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Scores a completion, as verl's reward managers ask for it.

    Args:
        data_source: of the row; not looked at.
        solution_str: the completion.
        ground_truth: the reference, unless the item has one.
        extra_info: of the row; under `KEY` it says what the completion is.
        item: what all completions are, as far as their rows don't say it:
            ``{"format": "latex"}``, ``{"task": "text_to_json"}`` or ``{"kind": "text"}``.
        url: of a server; see `helm_structext.integrations.trainers.client_of`, as for `token`.
        token: of the server.
        reward_router_address: of a reward model of verl's; not asked.
        reward_model_tokenizer: of that model; not used.
        journal: a file to which each completion is added with its reward, for `helm-structext reward watch`.
        options: as a server takes them, such as ``components`` and ``protocol``.

    Returns:
        ``score``, and what verl keeps beside it: what
        `helm_structext.integrations.trainers.batch_means` says of this completion, ``error_kind``
        and ``message``. As verl wants the same names of all completions, these are the components
        that `options` name, or rewards have by default, whatever a row names besides; without a
        value they are None, which verl leaves out of its means.

    Raises:
        NotScored: the completion has no score, for no fault of its own.
        ValueError: an item or an option is not what it should be.
    """
    asked = {
        "reference": _plain(ground_truth),
        **_plain(item or {}),
        **_read_told(extra_info or {}),
        "completion": solution_str,
    }
    options = _plain(options)
    (result,) = await client_of(url, token).score_async([asked], **options)
    if journal is not None:
        append_journal(journal, [solution_str], [asked["reference"]], [result])
    names = dict.fromkeys([*DEFAULT_COMPONENTS, *options.get("components", ())])
    return {
        "score": score_of(result),
        **{f"components/{name}": None for name in names},
        **batch_means([result], names.keys() & result.components.keys()),
        "error_kind": result.error_kind or "",
        "message": result.message,
    }


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
