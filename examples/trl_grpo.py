"""Trains a tiny model with TRL's GRPOTrainer and a reward of this package, on a CPU in a minute or two.

    python examples/trl_grpo.py --output trained --plot curves.png

The task: `give title year =>` asks for a JSON object with these keys, which `StructEvalReward` scores
as StructEval's text_to_json: is it JSON, and are the keys there? The model is a Llama of two layers
with random weights, over words. Such a model can't learn to write JSON by chance; so it first imitates
objects, half of which lack a word and two thirds of which have other keys than the question. What it
learns from the reward is to close what it opens, and to look at the question.

The same lines train a real model on pictures: take `Reward("latex")` for the reward, and
`helm_structext.integrations.trl.rows` for the rows.
"""

import argparse
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from matplotlib.figure import Figure
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import (
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedTokenizerFast,
    PrinterCallback,
    set_seed,
)
from trl import GRPOConfig, GRPOTrainer

from helm_structext.integrations.trl import RewardFunction
from helm_structext.rewards import StructEvalReward

KEYS = ("title", "year", "author", "city", "price", "color")
VALUES = ('"Io"', '"Emma"', '"Rome"', '"red"', "7", "1610")
MARKS = ("{", "}", ":", ",")
PAD, END, UNKNOWN = "<pad>", "<end>", "<unknown>"

GENERATIONS = 16
"""Completions of a prompt, which GRPO compares with each other."""
LONGEST = 24
"""Words of a completion; three keys with their values take 14."""

CURVES = {
    "reward": "reward",
    "components/syntax_score": "syntax score: it is JSON (weight 0.2)",
    "components/path_score": "path score: the keys are there (weight 0.8)",
    "failures/syntax": "share of failures of kind syntax",
}
"""What is plotted of the trainer's log, and in which words."""


def tiny_tokenizer() -> PreTrainedTokenizerFast:
    """Words, split at spaces."""
    words = (PAD, END, UNKNOWN, "give", "=>", *KEYS, *(f'"{key}"' for key in KEYS), *VALUES, *MARKS)
    vocabulary = {word: number for number, word in enumerate(words)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token=UNKNOWN))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token=PAD,
        eos_token=END,
        unk_token=UNKNOWN,
        padding_side="left",
        clean_up_tokenization_spaces=False,
    )


def tiny_model(tokenizer: PreTrainedTokenizerFast) -> LlamaForCausalLM:
    """Two layers, 64 wide, with random weights."""
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=64,
            intermediate_size=128,
            num_hidden_layers=2,
            num_attention_heads=4,
            max_position_embeddings=64,
            bos_token_id=None,
            eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.pad_token_id,
        )
    )


def questions(count: int, chance: random.Random) -> Iterator[dict[str, Any]]:
    """Yields prompts, each with the paths that the answer should have."""
    for _ in range(count):
        keys = chance.sample(KEYS, chance.randint(2, 3))
        yield {"prompt": f"give {' '.join(keys)} =>", "reference": keys}


def careless_answer(asked: Sequence[str], chance: random.Random) -> str:
    """An object, mostly with any keys; every other one lacks a word."""
    keys = asked if chance.random() < 1 / 3 else chance.sample(KEYS, chance.randint(1, 3))
    pairs = " , ".join(f'"{key}" : {chance.choice(VALUES)}' for key in keys)
    words = f"{{ {pairs} }}".split()
    if chance.random() < 0.5:
        del words[chance.randrange(len(words))]
    return " ".join(words)


def imitate(
    model: LlamaForCausalLM,
    tokenizer: PreTrainedTokenizerFast,
    steps: int,
    chance: random.Random,
) -> None:
    """Lets the model learn to write what looks like JSON, whatever was asked."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for _ in range(steps):
        texts = [
            f"{question['prompt']} {careless_answer(question['reference'], chance)} {END}"
            for question in questions(32, chance)
        ]
        batch = tokenizer(texts, return_tensors="pt", padding=True, return_token_type_ids=False)
        labels = batch["input_ids"].masked_fill(batch["attention_mask"] == 0, -100)
        loss = model(**batch, labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def train(output: Path, steps: int, warm_up: int, seed: int) -> list[dict[str, Any]]:
    """Returns the trainer's log, a mapping for each step."""
    set_seed(seed)
    torch.set_num_threads(1)  # in so small a model, threads mostly wait for each other
    chance = random.Random(seed)
    tokenizer = tiny_tokenizer()
    model = tiny_model(tokenizer)
    imitate(model, tokenizer, warm_up, chance)
    trainer = GRPOTrainer(
        model=model,
        processing_class=tokenizer,
        reward_funcs=RewardFunction(StructEvalReward("text_to_json")),
        train_dataset=Dataset.from_list([*questions(512, chance)]),
        args=GRPOConfig(
            output_dir=str(output),
            max_steps=steps,
            per_device_train_batch_size=8 * GENERATIONS,
            num_generations=GENERATIONS,
            max_completion_length=LONGEST,
            learning_rate=2e-3,
            lr_scheduler_type="constant",
            logging_steps=1,
            seed=seed,
            use_cpu=True,
            bf16=False,
            report_to="none",
            save_strategy="no",
            disable_tqdm=True,
        ),
    )
    trainer.remove_callback(PrinterCallback)  # the log is written to a file
    trainer.train()
    return [entry for entry in trainer.state.log_history if "reward" in entry]


def curves(log: Sequence[dict[str, Any]]) -> Figure:
    """Plots `CURVES` step by step."""
    figure = Figure(figsize=(7.2, 3.6), dpi=144, layout="constrained")
    axes = figure.subplots()
    for name, label in CURVES.items():
        axes.plot([entry["step"] for entry in log], [entry[name] for entry in log], label=label)
    axes.set(xlabel="step", ylabel="mean of the step's completions", ylim=(-0.02, 1.02))
    axes.legend(frameon=False, fontsize="small")
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def main() -> None:
    """Trains, and writes ``log.jsonl`` and a plot."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--output", type=Path, default=Path("trained"), help="a folder")
    parser.add_argument("--plot", type=Path, help="a PNG file for the curves")
    parser.add_argument("--steps", type=int, default=100, help="of GRPO")
    parser.add_argument("--warm-up", type=int, default=400, help="steps of imitation before")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    log = train(options.output, options.steps, options.warm_up, options.seed)
    lines = "".join(f"{json.dumps(entry)}\n" for entry in log)
    (options.output / "log.jsonl").write_text(lines)
    if options.plot:
        curves(log).savefig(options.plot, metadata={"Software": None})
    for name in CURVES:
        first, last = (sum(one[name] for one in part) / 10 for part in (log[:10], log[-10:]))
        print(f"{name}: {first:.2f} in the first 10 steps, {last:.2f} in the last 10")


if __name__ == "__main__":
    main()
