"""TRL's GRPOTrainer trains with these rewards: what it is given, what it logs, and what a model learns."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from datasets import Dataset
from PIL import Image
from trl import GRPOConfig, GRPOTrainer

from helm_structext.integrations.trainers import KINDS
from helm_structext.integrations.training import training_set
from helm_structext.integrations.trl import RewardFunction, rows, watch_callback
from helm_structext.rewards import StructEvalReward
from support import ROOT
from trl_grpo import tiny_model, tiny_tokenizer

CHAT = "{% for message in messages %}{{ message['content'] }} {% endfor %}=>"


@pytest.fixture(scope="module")
def trained(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("trained")
    example = ROOT / "examples" / "trl_grpo.py"
    options = ["--output", str(folder), "--plot", str(folder / "curves.png"), "--steps", "30"]
    subprocess.run([sys.executable, str(example), *options], check=True, cwd=folder)
    return folder


@pytest.fixture(scope="module")
def log(trained) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (trained / "log.jsonl").read_text().splitlines()]


def test_the_example_logs_each_step_by_component(log):
    assert [entry["step"] for entry in log] == [*range(1, 31)]
    for entry in log:
        parts = entry["components/syntax_score"], entry["components/path_score"]
        assert entry["reward"] == pytest.approx(0.2 * parts[0] + 0.8 * parts[1], abs=1e-4)
        assert entry["rewards/structext/mean"] == entry["reward"]
        assert {name for name in entry if name.startswith("failures/")} == {
            f"failures/{kind}" for kind in KINDS
        }
        assert entry["unscored"] == 0


def test_the_tiny_model_learns(log):
    def mean(name: str, entries: list[dict[str, Any]]) -> float:
        return sum(entry[name] for entry in entries) / len(entries)

    assert mean("components/path_score", log[-5:]) > mean("components/path_score", log[:5]) + 0.1
    assert mean("failures/syntax", log[-5:]) < mean("failures/syntax", log[:5])


def test_the_example_plots_its_log(trained):
    with Image.open(trained / "curves.png") as picture:
        assert picture.format == "PNG"
        assert len(picture.convert("RGB").getcolors(2**24)) > 50


def train(
    folder: Path, reward: RewardFunction, dataset: Dataset, callbacks: Sequence[Any] = ()
) -> GRPOTrainer:
    """Trains for two steps of two prompts and four completions of each."""
    tokenizer = tiny_tokenizer()
    tokenizer.chat_template = CHAT
    trainer = GRPOTrainer(
        model=tiny_model(tokenizer),
        processing_class=tokenizer,
        reward_funcs=reward,
        train_dataset=dataset,
        callbacks=list(callbacks),
        args=GRPOConfig(
            output_dir=str(folder),
            max_steps=2,
            per_device_train_batch_size=8,
            num_generations=4,
            max_completion_length=6,
            logging_steps=1,
            use_cpu=True,
            bf16=False,
            report_to="none",
            save_strategy="no",
            shuffle_dataset=False,
        ),
    )
    trainer.train()
    return trainer


def test_what_could_not_be_scored_does_not_count(tmp_path):
    dataset = Dataset.from_list(
        [
            {"prompt": "give title =>", "reference": reference}
            for reference in (["title"], None, ["title"], None)
        ]
    )
    reward = RewardFunction(StructEvalReward("text_to_json", failure=-1.0))
    trainer = train(tmp_path, reward, dataset)
    log = [entry for entry in trainer.state.log_history if "reward" in entry]
    assert len(log) == 2
    for entry in log:
        assert entry["unscored"] == entry["failures/reference"] == 0.5
        # A model with random weights writes no JSON; what has no score does not raise its mean.
        assert entry["failures/syntax"] + entry["failures/empty"] == 0.5
        assert entry["reward"] == -1.0


def test_a_training_set_is_trained_on_as_a_conversation(tmp_path):
    found = training_set("structeval:subset=t_generation,source=sample", failure=-1.0)
    dataset = Dataset.from_list([*rows(found)])
    trainer = train(tmp_path, RewardFunction(found, references="id", name="text"), dataset)
    log = [entry for entry in trainer.state.log_history if "reward" in entry]
    assert [entry["unscored"] for entry in log] == [0, 0]
    assert all("rewards/text/mean" in entry and "components/path_score" in entry for entry in log)
    assert set(trainer._logs["extra"]["error_kind"]) <= {"", *KINDS}


def test_probes_stand_in_the_trainer_s_log_while_it_trains(tmp_path):
    dataset = Dataset.from_list(
        [{"prompt": f"give {word} =>", "reference": [word]} for word in ("title", "year")]
    )
    reward, journal = StructEvalReward("text_to_json"), tmp_path / "rewards.jsonl"
    watch = watch_callback(reward, journal, every=1)
    function = RewardFunction(reward, journal=journal)
    trainer = train(tmp_path, function, dataset, [watch])
    log = [entry for entry in trainer.state.log_history if "reward" in entry]
    assert len(log) == 2
    for entry in log:
        assert 0 <= entry["watch/reward"] <= 1
        assert {"watch/elsewhere", "watch/rewritten", "watch/advantage"} & entry.keys()
    # The last one is of all completions so far: two steps of eight.
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    assert len(lines) == 16
    assert {line["passport"] for line in lines} == {reward.passport.hash}
