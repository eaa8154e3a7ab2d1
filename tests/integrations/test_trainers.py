"""What adapters for trainers share, and what may be trained on."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from helm_structext.errors import ERROR_KINDS, SetupError
from helm_structext.formats import rendered_formats
from helm_structext.integrations.evaluations import evaluation
from helm_structext.integrations.trainers import (
    DEFAULT_COMPONENTS,
    KINDS,
    URL,
    RemoteReward,
    batch_means,
    client_of,
    score_of,
    text_of,
)
from helm_structext.integrations.training import find_published, items, training_set
from helm_structext.integrations.trl import RewardFunction, rows, watch_callback
from helm_structext.integrations.verl import compute_score
from helm_structext.integrations.verl import rows as verl_rows
from helm_structext.mmr.scorer import Truth
from helm_structext.mmr.tasks import KINDS as QUESTIONS
from helm_structext.pictures import read_picture
from helm_structext.rewards import (
    GUARDS,
    MACHINE_KINDS,
    MMRReward,
    Reward,
    RewardResult,
    StructEvalReward,
)
from helm_structext.scoring.handling import NotScored
from helm_structext.serving.client import Client
from helm_structext.serving.local import Local
from helm_structext.serving.token import TOKEN
from helm_structext.structeval.tasks import TASKS
from support.structeval_rows import structeval_row, write_rows

ENTRIES = (
    "image2struct_latex:subset=equation,source=sample",
    "mmr:source=sample",
    "structeval:subset=t_generation,source=sample",
)
JSON = StructEvalReward("text_to_json")


def test_all_kinds_of_failures_are_logged():
    assert set(KINDS) == {*ERROR_KINDS, *GUARDS, *MACHINE_KINDS, "server"}
    assert len(KINDS) == len(set(KINDS))


def test_the_default_components_are_those_of_all_rewards():
    rewards = [
        *map(Reward, rendered_formats()),
        *(StructEvalReward(task, judge=judge) for task in TASKS for judge in (None, object())),
        *(MMRReward(kind) for kind in QUESTIONS),
    ]
    assert {name for one in rewards for name in one.components} == set(DEFAULT_COMPONENTS)


@pytest.mark.parametrize(
    ("entry", "coded"),
    [
        ("image2struct:format=svg,source=sample", True),
        ("image2struct_latex:subset=equation,source=sample,protocol=corrected", True),
        ("image2struct_latex:subset=equation,source=sample", False),
    ],
)
def test_a_reference_has_its_code_where_runs_compare_what_lies_on_pictures(entry, coded):
    found = items(training_set(entry))
    assert found
    assert {"code" in item["reference"] for item in found.values()} == {coded}
    if coded:
        first = next(iter(found.values()))
        asked = {**first, "completion": first["reference"]["code"], "guards": []}
        asked["components"] = {"layout_similarity": 1.0}
        (result,) = asyncio.run(Local().score_async([asked]))
        assert (result.score, result.message) == (1.0, "")


def test_the_adapters_need_nothing_but_python():
    """As in a trainer's environment, where this package is installed without what it needs."""
    package = Path(__file__).parents[2] / "src"
    names = "integrations.trainers", "integrations.trl", "integrations.verl", "serving.client"
    modules = ", ".join(f"helm_structext.{name}" for name in names)
    code = f"import sys; sys.path.insert(0, {str(package)!r}); import {modules}; print('fine')"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == "fine\n"


@pytest.mark.parametrize(
    ("completion", "text"),
    [
        ("{}", "{}"),
        ([{"role": "assistant", "content": "{}"}], "{}"),
        (
            [
                {"role": "assistant", "content": "calls a tool"},
                {"role": "assistant", "content": "{}"},
            ],
            "{}",
        ),
        (
            [
                {
                    "role": "assistant",
                    "content": [{"type": "text", "text": "{"}, {"type": "text", "text": "}"}],
                }
            ],
            "{}",
        ),
        ([{"role": "assistant", "content": None}], ""),
        ([{"role": "assistant"}], ""),
        ([], ""),
    ],
)
def test_the_text_of_a_completion(completion, text):
    assert text_of(completion) == text


def test_means_are_of_what_has_a_value_and_shares_of_all():
    results = [
        RewardResult(1.0, {"a": 1.0, "b": None}, waited=1.0, worked=2.0),
        RewardResult(0.0, {"a": 0.0, "b": None}, "syntax", waited=3.0, worked=0.0),
        RewardResult(None, {"a": None, "b": None}, "setup"),
        RewardResult(None, {}, "unfinished"),
    ]
    means = batch_means(results, ["a", "b"])
    assert means["components/a"] == 0.5
    assert "components/b" not in means
    assert {
        name: value for name, value in means.items() if name.startswith("failures/") and value
    } == {
        "failures/syntax": 0.25,
        "failures/setup": 0.25,
        "failures/unfinished": 0.25,
    }
    assert (means["unscored"], means["seconds/waited"], means["seconds/worked"]) == (0.5, 1.0, 0.5)
    assert batch_means([], ["a"]) == {}


# TRL


def called(function: RewardFunction, completions: Sequence[Any], **columns: Any) -> Any:
    logged: dict[str, Any] = {}
    scores = asyncio.run(
        function(
            prompts=["?"] * len(completions),
            completions=completions,
            completion_ids=[[1]] * len(completions),
            trainer_state=None,
            log_metric=logged.__setitem__,
            log_extra=logged.__setitem__,
            **columns,
        )
    )
    return scores, logged


def test_a_reward_function_scores_and_logs_by_component():
    right, wrong = '{"title": 1}', [{"role": "assistant", "content": "no JSON"}]
    scores, logged = called(
        RewardFunction(JSON), [right, wrong, right], reference=[["title"], ["title"], 7]
    )
    assert scores == [pytest.approx(1.0), 0.0, None]
    assert logged["components/path_score"] == 0.5
    assert logged["failures/syntax"] == logged["failures/reference"] == pytest.approx(1 / 3)
    assert logged["unscored"] == pytest.approx(1 / 3)
    assert logged["error_kind"] == ["", "syntax", "reference"]


def test_a_missing_column_is_said():
    with pytest.raises(ValueError, match=r"no column 'paths'.*it has reference, trainer_state"):
        called(RewardFunction(JSON, references="paths"), ["{}"], reference=[["a"]])


def test_rows_for_trl_are_what_helm_sends():
    entry = "mmr:task=font_color,source=sample"
    found = [*rows(training_set(entry))]
    for row, question in zip(found, evaluation(entry).questions, strict=True):
        assert row["id"] == question.id
        assert row["prompt"] == [{"role": "user", "content": "".join(question.texts)}]
        assert row["image"].tobytes() == read_picture(question.picture).tobytes()


# Rewards of a server


class Answers:
    """Remembers what it was asked, and scores as this process does."""

    def __init__(self) -> None:
        self.asked: list[tuple[Sequence[Any], dict[str, Any]]] = []

    async def score_async(self, items: Sequence[Any], **options: Any) -> Sequence[RewardResult]:
        self.asked.append((items, options))
        return await JSON.score(
            [item["completion"] for item in items], [item["reference"] for item in items]
        )


def test_a_remote_reward_asks_for_what_a_server_takes():
    client = Answers()
    remote = RemoteReward(
        client, {"task": "text_to_json"}, {"path_score": 1.0}, {"protocol": "published"}
    )
    scores, logged = called(RewardFunction(remote), ['{"a": 1}'], reference=[["a"]])
    assert scores == [pytest.approx(1.0)]
    assert logged["components/path_score"] == 1.0
    (asked,) = client.asked
    assert asked == (
        [{"task": "text_to_json", "completion": '{"a": 1}', "reference": ["a"]}],
        {"components": {"path_score": 1.0}, "protocol": "published"},
    )


def test_a_server_is_named_by_the_environment(monkeypatch):
    monkeypatch.delenv(URL, raising=False)
    assert isinstance(client_of(), Local)
    monkeypatch.setenv(URL, "http://127.0.0.1:9")
    found = client_of()
    assert isinstance(found, Client)
    assert client_of() is found is not client_of("http://127.0.0.1:8")
    assert found._headers.get("Authorization") is None
    monkeypatch.setenv(TOKEN, "0123456789abcdef")
    assert client_of()._headers["Authorization"] == "Bearer 0123456789abcdef"
    assert client_of(token="another")._headers["Authorization"] == "Bearer another"


def test_what_has_no_score_is_no_number():
    assert score_of(RewardResult(-1.0, error_kind="syntax")) == -1
    for kind in (*MACHINE_KINDS, "server"):
        with pytest.raises(NotScored, match=rf"no score \({kind}\): because"):
            score_of(RewardResult(None, error_kind=kind, message="because"))


# verl


def verl_score(written: str, truth: Any, extra_info: Any = None, **options: Any) -> dict[str, Any]:
    return asyncio.run(compute_score("mine", written, truth, extra_info, **options))


def test_verl_gets_a_score_and_what_it_is_made_of():
    item = {"task": "text_to_json"}
    found = verl_score('{"a": 1}', ["a", "b"], item=item)
    assert (found["score"], found["error_kind"]) == (pytest.approx(0.6), "")
    assert (found["components/path_score"], found["components/syntax_score"]) == (0.5, 1.0)
    wrong = verl_score("no JSON", ["a"], item=item, failure=-1.0)
    assert (wrong["score"], wrong["error_kind"], wrong["failures/syntax"]) == (-1, "syntax", 1)
    weighted = verl_score('{"a": 1}', ["a", "b"], item=item, components={"path_score": 1.0})
    assert weighted["score"] == 0.5
    assert found.keys() == wrong.keys() == weighted.keys()
    with pytest.raises(NotScored, match=r"no score \(reference\)"):
        verl_score("1", "not a box", item={"kind": "box"})


@pytest.mark.parametrize(
    "told",
    [
        {"task": "text_to_json", "format": None, "components": {"path_score": 1.0, "iou": None}},
        '{"task": "text_to_json", "components": {"path_score": 1.0}, "reference": ["a", "b"]}',
    ],
)
def test_rows_say_what_they_are_in_place_of_the_configuration(told):
    truth = ["a", "b"] if isinstance(told, dict) else "for people"
    found = verl_score(
        '{"a": 1}', truth, {"structext": told, "index": 1}, components={"syntax_score": 1.0}
    )
    assert found["score"] == 0.5
    plain = verl_score('{"a": 1}', ["a", "b"], item={"task": "text_to_json"})
    own = {**told, "components": {"path_score_published": 1.0}} if isinstance(told, dict) else told
    assert plain.keys() == verl_score('{"a": 1}', truth, {"structext": own}).keys()


@pytest.mark.parametrize(
    ("truth", "options", "message"),
    [
        (["a"], {}, "one of the fields format, task, kind and entry"),
        (["a"], {"item": {"task": "text_to_jsn"}}, "'text_to_jsn'"),
        ("a", {"item": {"task": "text_to_json"}}, "reference"),
        (["a"], {"item": {"task": "text_to_json"}, "coffee": 1}, "coffee"),
        (["a"], {"item": {"task": "text_to_json", "coffee": 1}}, "coffee"),
    ],
)
def test_what_is_wrong_with_an_item_is_said(truth, options, message):
    with pytest.raises(ValueError, match=message):
        verl_score("{}", truth, **options)


def test_rows_for_verl_are_what_helm_sends():
    entry = "mmr:task=font_color,source=sample"
    found = [*verl_rows(training_set(entry), split="test")]
    for number, (row, question) in enumerate(zip(found, evaluation(entry).questions, strict=True)):
        (message,) = row["prompt"]
        assert message == {"role": "user", "content": f"{''.join(question.texts)}<image>"}
        assert row["images"] == [{"bytes": question.picture.read_bytes()}]
        info = row["extra_info"]
        assert (info["index"], info["split"], info["id"]) == (number, "test", question.id)
        scored = verl_score(question.target, row["reward_model"]["ground_truth"], info)
        assert scored["score"] == 1


# Training sets


def test_guards_and_seconds_are_those_that_one_names():
    thoughts = f"<think>{'Which one is it? ' * 40}</think>"
    entry = "mmr:task=recognition_label,source=sample"
    (id, *_) = [question.id for question in training_set(entry).questions]
    for options, kind in (({}, "text"), ({"guards": ()}, None)):
        found = training_set(entry, **options)
        truth = next(question.target for question in found.questions if question.id == id)
        (result,) = found.batch([f"{thoughts}{truth}"], [id]).results()
        assert result.error_kind == kind
        assert items(found)[id]["guards"] == [*options.get("guards", GUARDS)]
    for entry in ("structeval:task=text_to_svg,source=sample,judge=none", ENTRIES[0]):
        found = training_set(entry, timeout=3.0)
        assert {reward.timeout for reward in found.rewards.values()} == {3.0}
        assert {item["timeout"] for item in items(found).values()} == {3.0}


@pytest.mark.parametrize("entry", ENTRIES[1:])
def test_right_answers_have_the_best_reward_and_others_less(entry):
    found = training_set(entry)
    run = evaluation(entry)
    assert [question.id for question in found.questions] == [one.id for one in run.questions]
    ids = [question.id for question in found.questions if question.target]
    assert len(ids) > 4
    right = asyncio.run(found.score([_written(run, id) for id in ids], ids))
    assert [result.score for result in right] == [pytest.approx(1.0)] * len(ids)
    wrong = asyncio.run(found.score(["anything else"] * len(ids), ids))
    assert all(result.score < 0.6 for result in wrong)
    assert {name for result in right for name in result.components} == set(found.components)


def _written(run: Any, id: str) -> str:
    """A right answer as a model writes it."""
    item = run.items[id]
    if isinstance(item, Truth):
        return QUESTIONS[item.kind].write(item.answer)
    return item.oracle


@pytest.mark.parametrize(
    "entry", [*ENTRIES[1:], "mmr:source=sample,lenient=pixel", "image2struct_webpage:source=sample"]
)
def test_items_score_as_their_set_does(entry):
    found = training_set(entry)
    ids = [question.id for question in found.questions[:9]]
    written = [question.target for question in found.questions[:9]]
    asked = items(found)
    sent = json.loads(json.dumps([asked[id] for id in ids]))
    here = asyncio.run(found.score(written, ids))
    there = asyncio.run(
        Local().score_async(
            [{**one, "completion": text} for one, text in zip(sent, written, strict=True)]
        )
    )
    for one, other in zip(here, there, strict=True):
        assert (one.score, one.components) == (other.score, other.components)
        assert (one.error_kind, one.message) == (other.error_kind, other.message)


def test_components_are_those_that_are_asked_for():
    entry = "structeval:task=text_to_json,source=sample"
    found = training_set(entry, {"path_score": 1.0}, failure=-1.0)
    assert found.components == ("path_score",)
    (result,) = asyncio.run(found.score(["no JSON"], [found.questions[0].id]))
    assert result.score == -1.0
    with pytest.raises(ValueError, match="no component"):
        training_set(entry, {"iou": 1.0})


def test_an_id_of_no_question_is_said():
    found = training_set("mmr:task=font_color,source=sample")
    with pytest.raises(ValueError, match="no question 'font_color-99'"):
        found.batch(["2"], ["font_color-99"])


def test_a_judge_is_refused():
    with pytest.raises(SetupError, match="add judge=none"):
        training_set("structeval:task=text_to_html,source=sample")


# What is published


@pytest.mark.parametrize(
    ("entry", "dataset"),
    [
        ("image2struct_latex:subset=equation", "stanford-crfm/image2struct-latex-v1"),
        ("image2struct_webpage:subset=css", "stanford-crfm/image2struct-webpage-v1"),
        ("image2struct_music:subset=music", "stanford-crfm/image2struct-musicsheet-v1"),
        ("mmr:task=font_color", "puar-playground/MMR"),
        ("structeval:task=text_to_json", "TIGER-Lab/StructEval"),
    ],
)
def test_the_published_datasets_are_refused_before_anything_is_fetched(entry, dataset, monkeypatch):
    monkeypatch.setattr("helm_structext.data.sources.published_split", None)
    with pytest.raises(SetupError, match=f"published {dataset}.*train_on_published_benchmark=True"):
        training_set(entry)


FOLDERS = (
    "datasets--TIGER-Lab--StructEval/snapshots/0123",
    "TIGER-Lab___struct_eval/../TIGER-Lab___StructEval/default",
    "clones/StructEval",
    "TIGER-Lab/StructEval/data",
)


@pytest.mark.parametrize("name", FOLDERS)
def test_folders_named_as_the_published_datasets_are_refused(name, tmp_path):
    folder = write_rows(tmp_path / Path(name), [structeval_row()])
    entry = f"structeval:task=text_to_json,source={folder.resolve()}"
    with pytest.raises(SetupError, match="is the published TIGER-Lab/StructEval"):
        training_set(entry)
    assert len(training_set(entry, train_on_published_benchmark=True).questions) == 1


CARD_FILES = {
    "README.md": "---\nlicense: mit\n---\n# StructEval\nload_dataset('TIGER-Lab/StructEval')\n",
    "dataset_info.json": json.dumps(
        {"download_checksums": {"hf://datasets/TIGER-Lab/StructEval@0123/train.parquet": {}}}
    ),
    ".git/config": "[remote]\nurl = https://huggingface.co/datasets/TIGER-Lab/StructEval\n",
}


@pytest.mark.parametrize("place", ["folder", "above", "config"])
@pytest.mark.parametrize("name", CARD_FILES)
def test_folders_whose_files_name_the_published_datasets_are_refused(place, name, tmp_path):
    folder = write_rows(tmp_path / "mine" / "rows", [structeval_row()])
    where = {"folder": folder, "above": folder.parent, "config": folder / "train"}[place]
    (where / name).parent.mkdir(parents=True, exist_ok=True)
    (where / name).write_text(CARD_FILES[name])
    assert find_published(str(folder), "structeval") == "TIGER-Lab/StructEval"


def test_ones_own_folders_are_not_refused(tmp_path):
    folder = write_rows(tmp_path / "MMR" / "structeval-like", [structeval_row()])
    (folder / "README.md").write_text("Rows in the schema of TIGER-Lab/StructEval.\n")
    assert find_published(str(folder), "structeval") is None
    assert len(training_set(f"structeval:task=text_to_json,source={folder}").questions) == 1
    assert find_published(str(tmp_path / "nowhere"), "mmr") is None


def test_adapters_add_what_they_score_to_a_journal(tmp_path):
    from helm_structext.rewards.watch import read_journal

    journal = tmp_path / "rewards.jsonl"
    function = RewardFunction(MMRReward("text"), references="name", journal=journal)
    asyncio.run(function(["?"] * 2, ["EMMA", "x"], name=["Emma", "Emma"]))
    asked = compute_score("", "EMMA", "Emma", item={"kind": "text"}, journal=str(journal))
    asyncio.run(asked)
    found = read_journal(journal)
    assert [(one.completion, one.reference) for one in found] == [
        ("EMMA", "Emma"),
        ("x", "Emma"),
        ("EMMA", "Emma"),
    ]
    assert [one.score for one in found][::2] == [1.0, 1.0]


def test_transformers_own_handler_calls_the_watch_and_its_log_keeps_the_probes(tmp_path, caplog):
    """As `Trainer.log` does, of which TRL's trainers are: it keeps a copy, and calls back with the log itself."""
    callbacks = pytest.importorskip("transformers.trainer_callback")
    journal = tmp_path / "rewards.jsonl"
    watch = watch_callback(MMRReward("text"), journal, every=10)
    handler = callbacks.CallbackHandler([watch], None, None, None, None)
    state, control = callbacks.TrainerState(), callbacks.TrainerControl()

    def log_at(step: int, zero: bool = True) -> dict[str, Any]:
        logs: dict[str, Any] = {"loss": 1.0}
        state.global_step, state.is_world_process_zero = step, zero
        state.log_history.append({**logs, "step": step})
        handler.on_log(None, state, control, logs)
        kept = state.log_history[-1]
        assert {name: one for name, one in kept.items() if name != "step"} == logs
        return kept

    assert "watch/reward" not in log_at(10)
    assert "Watching the reward" in caplog.text, "there is no journal yet, and training goes on"
    function = RewardFunction(MMRReward("text"), references="name", journal=journal)
    asyncio.run(function(["?"] * 2, ["x", "EMMA"], name=["Emma", "Emma"]))
    assert "watch/reward" not in log_at(15), "it looks each ten steps"
    assert "watch/reward" not in log_at(25, zero=False), "one of several processes looks"
    assert log_at(25)["watch/reward"] == 1, "that of the last piece of training"
