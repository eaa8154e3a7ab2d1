"""verl's own reward workers ask for these rewards: what they get, and what verl makes of it."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from datasets import Dataset
from hydra import compose, initialize_config_dir
from omegaconf import DictConfig, OmegaConf
from verl import DataProto
from verl.experimental.reward_loop import RewardLoopManager
from verl.experimental.reward_loop.reward_manager.naive import NaiveRewardManager
from verl.trainer.ppo.metric_utils import process_validation_metrics
from verl.trainer.ppo.reward import load_reward_manager
from verl.utils.dataset.rl_dataset import RLHFDataset

from helm_structext.errors import SetupError
from helm_structext.integrations.trainers import KINDS
from helm_structext.integrations.training import training_set
from helm_structext.integrations.verl import rows
from helm_structext.rewards import NotScored, Reward, RewardResult
from ray_node import ray_node
from support import ROOT
from support.documents import blocks
from support.serving import served
from verl_rewards import PAD, answers, batch, byte_tokenizer, config

STRUCTEVAL = "structeval:subset=t_generation,source=sample"
MMR = "mmr:source=sample"
CODES = ["$x^2$", "$x^3$", r"\nothing", ""]
EMS = {"earth_mover_similarity": 1.0}


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("tokenizer")
    byte_tokenizer().save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    """One node of Ray's with two processors."""
    with ray_node(2):
        yield


def step(
    tokenizer: Path, asked: Sequence[dict], written: Sequence[str], **reward: Any
) -> DataProto:
    """What the reward workers make of a step's completions."""
    workers = RewardLoopManager(config(tokenizer, **reward))
    return workers.compute_rm_score(batch(asked, written, byte_tokenizer()))


def latex_rows(*references: str) -> list[dict[str, Any]]:
    return [
        {
            "data_source": "mine",
            "reward_model": {"style": "rule", "ground_truth": reference},
            "extra_info": {"index": number},
        }
        for number, reference in enumerate(references)
    ]


def facts(scored: DataProto) -> list[tuple]:
    """All but the times."""
    columns = scored.non_tensor_batch
    names = "score", "components/earth_mover_similarity", "error_kind", "message"
    return [*zip(*(columns[name] for name in names), strict=True)]


def told(results: Sequence[RewardResult]) -> list[tuple]:
    return [
        (one.score, one.components["earth_mover_similarity"], one.error_kind or "", one.message)
        for one in results
    ]


def test_scores_are_those_of_this_process_to_the_last_bit(cluster, tokenizer):
    asked = latex_rows(*["$x^2$"] * 4)
    scored = step(tokenizer, asked, CODES, item={"format": "latex"}, components=EMS)
    assert facts(scored) == told(Reward("latex", EMS)(CODES, ["$x^2$"] * 4))
    columns = scored.non_tensor_batch
    assert {name for name in columns if name.startswith("failures/")} == {
        f"failures/{kind}" for kind in KINDS
    }
    assert [*columns["failures/syntax"]] == [0, 0, 1, 0]
    assert all(columns["seconds/worked"] >= 0)
    rewards = scored.batch["rm_scores"]
    assert rewards.sum(dim=1).tolist() == pytest.approx([*columns["score"]], abs=1e-6)
    assert ((rewards != 0).sum(dim=1) <= 1).all()


def test_a_step_may_hold_questions_of_all_kinds(cluster, tokenizer, tmp_path):
    sets = [training_set(STRUCTEVAL), training_set(MMR)]
    asked, written, expected = [], [], []
    for found in sets:
        for row, question in zip(rows(found), found.questions, strict=True):
            for answer in answers(row):
                asked.append(row)
                written.append(answer)
                expected.append((found, question.id))
    scored = step(tokenizer, asked, written)
    for number, (found, id) in enumerate(expected):
        (ours,) = found.batch([written[number]], [id]).results()
        columns = {name: values[number] for name, values in scored.non_tensor_batch.items()}
        assert columns["score"] == ours.score
        assert columns["error_kind"] == (ours.error_kind or "")
        values = {n: v for n, v in columns.items() if n.startswith("components/") and v is not None}
        assert values == {f"components/{name}": value for name, value in ours.components.items()}

    columns = dict(scored.non_tensor_batch)
    sources = [row["data_source"] for row in asked]
    ids = [row["extra_info"]["id"] for row in asked]
    infos = {name: [*values] for name, values in columns.items()}
    metrics = process_validation_metrics(sources, ids, infos)
    assert metrics["structext/text_to_json"]["components/path_score"]["best@3/mean"] > 0.5
    assert "components/accuracy" not in metrics["structext/text_to_json"]
    assert metrics["structext/font_color"]["components/accuracy"]["mean@3"] == pytest.approx(1 / 3)


def test_a_server_scores_the_same(cluster, tokenizer):
    asked = latex_rows(*["$x^2$"] * 4)
    given = {"item": {"format": "latex"}, "components": EMS}
    with served() as server:
        scored = step(tokenizer, asked, CODES, url=server.url, **given)
        assert server.metric("helm_structext_completions_total") > 0
    assert facts(scored) == told(Reward("latex", EMS)(CODES, ["$x^2$"] * 4))


def ask(tokenizer: Path, row: dict[str, Any], written: str, **reward: Any) -> dict[str, Any]:
    """What the naive reward manager says of one completion, in this process."""
    return ask_as(config(tokenizer, **reward), row, written)


def ask_as(configured: DictConfig, row: dict[str, Any], written: str) -> dict[str, Any]:
    async def run() -> dict[str, Any]:
        manager = load_reward_manager(configured, byte_tokenizer())
        assert isinstance(manager, NaiveRewardManager)
        assert manager.is_async_reward_score
        return await manager.run_single(batch([row], [written], byte_tokenizer()))

    return asyncio.run(run())


def test_what_the_machine_lacks_is_no_score(tokenizer, monkeypatch):
    (right, wrong) = latex_rows("$x^2$", r"\nothing")
    item = {"format": "latex"}
    found = ask(tokenizer, right, "$x^2$", item=item, components=EMS)
    assert found["reward_score"] == found["reward_extra_info"]["score"] == 1
    with pytest.raises(NotScored, match=r"no score \(reference\).*does not render"):
        ask(tokenizer, wrong, "$x^2$", item=item, components=EMS)

    def fail(*_: object, **__: object) -> None:
        raise SetupError("the disk is full")

    monkeypatch.setattr("helm_structext.rewards.pictures.render_completion", fail)
    with pytest.raises(NotScored, match=r"no score \(setup\): the disk is full"):
        ask(tokenizer, right, "$x^2$", item=item, components=EMS)


@pytest.mark.parametrize(
    ("reward", "message"),
    [
        ({}, "one of the fields format, task, kind and entry"),
        ({"item": {"format": "latex"}, "components": {"ems": 1.0}}, "no component 'ems'"),
        ({"item": {"format": "word"}}, "'word'"),
        ({"item": {"format": "latex"}, "protocl": "published"}, "protocl"),
    ],
)
def test_what_the_configuration_has_wrong_is_said(tokenizer, reward, message):
    with pytest.raises(ValueError, match=message):
        ask(tokenizer, *latex_rows("$x^2$"), "$x^2$", **reward)


def test_the_configuration_of_the_documents_is_verls(tokenizer, tmp_path):
    (block,) = (one for one in blocks("yaml") if one.document == "docs/training.md")
    (tmp_path / "mine.yaml").write_text(block.code)
    with initialize_config_dir(str(tmp_path), version_base=None):
        found = compose("mine", [f"actor_rollout_ref.model.path={tokenizer}"])
    assert found.reward.num_workers == 8
    (row,) = latex_rows("$x^2$")
    scored = ask_as(found, row, "$x^2$")
    assert scored["reward_score"] == 1
    assert scored["reward_extra_info"]["components/earth_mover_similarity"] == 1


def test_rows_are_read_by_verls_dataset(tmp_path, tokenizer):
    found = training_set(STRUCTEVAL)
    file = tmp_path / "train.parquet"
    Dataset.from_list([*rows(found)]).to_parquet(file)
    options = OmegaConf.create(
        {"cache_dir": str(tmp_path), "filter_overlong_prompts": False, "max_prompt_length": 9999}
    )
    read = RLHFDataset(str(file), byte_tokenizer(), options)
    assert len(read) == len(found.questions)
    for number, (row, question) in enumerate(zip(rows(found), found.questions, strict=True)):
        assert read[number]["raw_prompt"] == [{"role": "user", "content": "".join(question.texts)}]
        assert {name: read[number][name] for name in ("data_source", "reward_model")} == {
            name: row[name] for name in ("data_source", "reward_model")
        }
        assert read[number]["extra_info"] == row["extra_info"]


def test_the_example_prints_means_by_component(tmp_path):
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "verl_rewards.py")],
        env={**os.environ, "RAY_USAGE_STATS_ENABLED": "0"},
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    lines = done.stdout.splitlines()
    assert lines[:3] == [
        "right: reward 1.000",
        "  components/syntax_score: 1.000",
        "  components/path_score: 1.000",
    ]
    assert any(line.startswith("half: reward 0.") for line in lines)
    assert "  failures/empty: 0.200" in lines


def test_the_tokens_of_the_example_are_any_text():
    tokenizer = byte_tokenizer()
    for text in ("Zoë\n\t{1}", "<|BEGIN_CODE|>", "新花园"):
        assert tokenizer.decode(tokenizer(text)["input_ids"]) == text
    assert tokenizer.pad_token == PAD
