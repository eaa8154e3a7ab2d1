import json
import re
from functools import cache

import pytest
import yaml

from helm_structext.cli.init import init, sample_replays
from helm_structext.errors import SetupError
from helm_structext.models.registry import OFFLINE_MODELS

USERS = """\
# My models, please keep.
models:
    # the big one
    - name: me/big   # mine
      display_name: "Big"
      tags: [A]

other: 1
"""


@pytest.fixture(scope="module", autouse=True)
def _samples_once():
    """To make the completions' keys takes seconds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("helm_structext.cli.init.sample_replays", cache(sample_replays))
        yield


@pytest.fixture
def no_samples(monkeypatch):
    """Spares making the completions' keys where only the model files count."""
    monkeypatch.setattr("helm_structext.cli.init.sample_replays", dict)


def test_a_new_folder_gets_everything(tmp_path):
    list(init(tmp_path, tmp_path / "prod_env"))
    assert (tmp_path / "schema.yaml").exists()
    assert (tmp_path / "run_specs" / "demo.conf").exists()
    models = yaml.safe_load((tmp_path / "prod_env" / "model_metadata.yaml").read_text())["models"]
    assert {model["name"] for model in models} >= {*OFFLINE_MODELS, "structext/replay-careless"}


def test_a_second_call_changes_nothing(tmp_path):
    list(init(tmp_path, tmp_path / "prod_env"))
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert all("up to date" in line for line in init(tmp_path, tmp_path / "prod_env"))
    assert before == {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}


def test_no_line_of_the_users_is_lost(no_samples, tmp_path):
    path = tmp_path / "model_metadata.yaml"
    path.write_text(USERS)
    list(init(tmp_path, tmp_path))
    text = path.read_text()
    assert [line for line in text.splitlines() if line in USERS.splitlines()] == USERS.splitlines()
    assert {model["name"] for model in yaml.safe_load(text)["models"]} >= {
        "me/big",
        *OFFLINE_MODELS,
    }
    assert yaml.safe_load(text)["other"] == 1


@pytest.mark.parametrize(
    "text",
    ["", "models:\n", "models: []\n", "# nothing yet\n", "other: 1\n", "models:\n- name: x\n"],
)
def test_other_shapes_of_the_users_file(no_samples, tmp_path, text):
    path = tmp_path / "model_metadata.yaml"
    path.write_text(text)
    list(init(tmp_path, tmp_path))
    merged = yaml.safe_load(path.read_text())
    assert {model["name"] for model in merged["models"]} >= set(OFFLINE_MODELS)
    assert {name for name in merged if name != "models"} == {"other"} & set(merged)


@pytest.mark.parametrize(
    "text",
    [
        USERS,
        "---\n# top\nmodels:   # mine\n\n      # first\n      - {name: 'x', \"a\" : yes}\n\n# last\n",
        "models:\r\n- name: x\r\n",
        "other: |\n  models:\n    - name: y\n\n'models':\n  -   name: x\n\n# end",
        "models: &all\n- name: >-\n    x\n  tags: [ a,b ]\n",
    ],
)
def test_every_line_of_the_users_stays_where_it_was(no_samples, tmp_path, text):
    path = tmp_path / "model_metadata.yaml"
    path.write_bytes(text.encode())
    list(init(tmp_path, tmp_path))
    merged = path.read_bytes().decode()
    heading = re.search(r"^'?models.*\n", text, re.MULTILINE)
    assert merged.startswith(text[: heading.end()])
    assert merged.removesuffix("\n").endswith(text[heading.end() :].removesuffix("\n"))
    assert {model["name"] for model in yaml.safe_load(merged)["models"]} > set(OFFLINE_MODELS)
    list(init(tmp_path, tmp_path))
    assert path.read_bytes().decode() == merged


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: 1\nmodels:\n- name: x\nmodels:\n- name: y\n", 'line 4: .*"models".*in line 1'),
        ("models:\n- name: x\n  tags: []\n  tags: [a]\n", 'line 4: .*"tags".*in line 2'),
        ("models: {}}\n", "line 1: "),
    ],
)
def test_a_key_that_is_there_twice_is_said_with_its_line(no_samples, tmp_path, text, said):
    path = tmp_path / "model_metadata.yaml"
    path.write_text(text)
    with pytest.raises(SetupError, match=rf"model_metadata\.yaml: {said}"):
        list(init(tmp_path, tmp_path))
    assert path.read_text() == text


@pytest.mark.parametrize("text", ["models: [{name: x}]\n", "models: {}}\n", "models:\n  - 3\n"])
def test_a_file_that_cannot_be_merged_is_left_alone_and_said_so(no_samples, tmp_path, text):
    path = tmp_path / "model_metadata.yaml"
    path.write_text(text)
    with pytest.raises(SetupError, match=r"model_metadata\.yaml"):
        list(init(tmp_path, tmp_path))
    assert path.read_text() == text


def test_a_changed_conf_file_is_kept(tmp_path):
    (tmp_path / "schema.yaml").write_text("mine")
    lines = list(init(tmp_path, tmp_path / "prod_env"))
    assert (tmp_path / "schema.yaml").read_text() == "mine"
    assert any("kept" in line and "schema.yaml" in line for line in lines)


def test_replays_of_the_user_become_models(no_samples, tmp_path):
    (tmp_path / "replay").mkdir()
    (tmp_path / "replay" / "mine.jsonl").write_text("")
    list(init(tmp_path, tmp_path))
    entries = yaml.safe_load((tmp_path / "model_deployments.yaml").read_text())
    assert "structext/replay-mine" in {entry["name"] for entry in entries["model_deployments"]}


def test_the_sample_replay_has_a_completion_for_every_sample_instance(tmp_path):
    list(init(tmp_path, tmp_path))
    lines = (tmp_path / "replay" / "careless.jsonl").read_text().splitlines()
    records = [json.loads(line) for line in lines]
    assert len({record["key"] for record in records}) == len(records) >= 26
