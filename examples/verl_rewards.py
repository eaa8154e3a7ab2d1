"""Asks verl's own reward workers for rewards, without a model, on a CPU in half a minute.

    python examples/verl_rewards.py

Rows of a training set are written as a Parquet file, as verl's trainer reads it. Instead of a model,
this script answers: rightly, in half of the words, and with something else. Two of verl's reward
workers, which are actors of Ray's, then score the answers with its naive reward manager, as in a step
of training. With `--url` a server (`helm-structext serve`) scores instead of the workers.
"""

import argparse
import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import ray
import torch
from datasets import Dataset
from hydra import compose, initialize_config_module
from omegaconf import DictConfig
from tensordict import TensorDict
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast
from verl import DataProto
from verl.experimental.reward_loop import RewardLoopManager

from helm_structext.integrations.training import training_set
from helm_structext.integrations.verl import rows

PAD = "<pad>"


def byte_tokenizer() -> PreTrainedTokenizerFast:
    """A token for each byte, so that any text can be written."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {PAD: 0, **{letter: number for number, letter in enumerate(alphabet, 1)}}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token=PAD,
        eos_token=PAD,
        clean_up_tokenization_spaces=False,
    )


def config(tokenizer: Path, url: str | None = None, **reward: Any) -> DictConfig:
    """Verl's configuration for training, with our rewards.

    Args:
        tokenizer: a folder.
        url: of a server that scores.
        reward: further arguments of the reward function.
    """
    function = "reward.custom_reward_function"
    with initialize_config_module("verl.trainer.config", version_base=None):
        found = compose(
            "ppo_trainer",
            overrides=[
                f"actor_rollout_ref.model.path={tokenizer}",
                "reward.num_workers=2",
                f"{function}.path=pkg://helm_structext.integrations.verl",
                f"+{function}.reward_kwargs={{}}",
            ],
        )
    given = {name: value for name, value in {"url": url, **reward}.items() if value is not None}
    found.reward.custom_reward_function.reward_kwargs = given
    return found


def answers(row: dict[str, Any]) -> Iterator[str]:
    """Yields a right answer, half of it, and another."""
    right = row["reward_model"]["ground_truth"]
    yield from (right, right[: len(right) // 2], "I don't know.")


def batch(
    rows: Sequence[dict[str, Any]], written: Sequence[str], tokenizer: PreTrainedTokenizerFast
) -> DataProto:
    """What a step of training gives the reward workers: as many rows as completions."""
    given = tokenizer(list(written), padding=True, padding_side="right", return_tensors="pt")
    prompts = torch.zeros(len(rows), 1, dtype=torch.int64)
    mask = torch.cat([torch.ones_like(prompts), given["attention_mask"]], dim=1)
    tensors = {"prompts": prompts, "responses": given["input_ids"], "attention_mask": mask}
    columns = {}
    for name in ("data_source", "reward_model", "extra_info"):
        columns[name] = np.empty(len(rows), dtype=object)
        columns[name][:] = [row[name] for row in rows]
    return DataProto(TensorDict(tensors, batch_size=len(rows)), columns)


def main() -> None:
    """Scores, and prints the mean of each component."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--entry", default="structeval:subset=t_generation,source=sample", help="a run entry"
    )
    parser.add_argument("--url", help="of a server that scores")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "train.parquet"
        Dataset.from_list([*rows(training_set(options.entry))]).to_parquet(file)
        asked = [row for row in Dataset.from_parquet(str(file)) for _ in answers(row)]
        written = [answer for row in asked[::3] for answer in answers(row)]
        tokenizer = byte_tokenizer()
        tokenizer.save_pretrained(folder)
        ray.init(num_cpus=os.cpu_count(), include_dashboard=False)
        workers = RewardLoopManager(config(Path(folder), options.url))
        scored = workers.compute_rm_score(batch(asked, written, tokenizer))
        ray.shutdown()
    rewards = scored.batch["rm_scores"].sum(dim=1)
    for number, kind in enumerate(("right", "half", "other")):
        print(f"{kind}: reward {rewards[number::3].mean():.3f}")
        for name in scored.meta_info["reward_extra_keys"]:
            values = [one for one in scored.non_tensor_batch[name][number::3] if one is not None]
            if name.startswith(("components/", "failures/")) and any(values):
                print(f"  {name}: {sum(values) / len(values):.3f}")


if __name__ == "__main__":
    main()
