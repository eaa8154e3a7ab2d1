"""`add-model`: the files that it writes are HELM's, complete, and the user's own lines stay."""

import ast
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml
from helm.benchmark import model_deployment_registry, model_metadata_registry

from helm_structext.cli import main
from helm_structext.models.hosts import APIS
from helm_structext.models.served import list_models
from helm_structext.results.model_facts import ModelFacts, read_facts
from support.openai_server import openai_server

URL = "http://127.0.0.1:9/v1"


@pytest.fixture
def add(tmp_path, capsys, monkeypatch):
    """Adds a model in a folder of its own, and returns status, what was printed, and the entries."""

    monkeypatch.chdir(tmp_path)

    def call(*arguments: str):
        status = main(["add-model", *arguments, "--local-path", str(tmp_path)])
        said = capsys.readouterr()
        read = [
            yaml.safe_load((tmp_path / f"{name}.yaml").read_text())
            for name in ("model_metadata", "model_deployments")
            if (tmp_path / f"{name}.yaml").exists()
        ]
        return status, said.out + said.err, read

    return call


@pytest.fixture
def registries(monkeypatch):
    """HELM's, without what others have registered, and left as they were."""
    monkeypatch.setattr(model_metadata_registry, "ALL_MODELS_METADATA", [])
    monkeypatch.setattr(model_metadata_registry, "MODEL_NAME_TO_MODEL_METADATA", {})
    monkeypatch.setattr(model_deployment_registry, "ALL_MODEL_DEPLOYMENTS", [])
    monkeypatch.setattr(model_deployment_registry, "DEPLOYMENT_NAME_TO_MODEL_DEPLOYMENT", {})


def test_a_model_on_a_server_of_ones_own(add, tmp_path):
    status, said, (metadata, deployments) = add("me/my-vlm", "--base-url", URL)
    assert status == 0
    (model,) = metadata["models"]
    (deployment,) = deployments["model_deployments"]
    assert deployment["model_name"] == model["name"] == "me/my-vlm"
    assert "VISION_LANGUAGE_MODEL_TAG" in model["tags"]
    assert deployment["client_spec"]["args"] == {"vllm_model_name": "my-vlm", "base_url": URL}
    assert "--models-to-run me/my-vlm" in said
    assert "credentials" not in said

    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert {tmp_path / "run_specs/sample.conf", tmp_path / "schema.yaml"} < {*before}
    status, said, _ = add("me/my-vlm", "--base-url", URL)
    assert (status, said.count("is up to date"), said.count("wrote")) == (0, 2, 0)
    assert before == {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}


@pytest.mark.parametrize("api", sorted(APIS))
def test_helm_reads_what_is_written(add, registries, tmp_path, api):
    add("me/other", "--base-url", URL)
    url = ["--base-url", URL] if api == "server" else []
    _, said, (metadata, _) = add("me/big", "--api", api, "--model-name", "big-1", *url)
    assert [model["name"] for model in metadata["models"]] == ["me/big", "me/other"]
    model_metadata_registry.register_model_metadata_from_path(tmp_path / "model_metadata.yaml")
    model_deployment_registry.register_model_deployments_from_path(
        tmp_path / "model_deployments.yaml"
    )
    assert model_metadata_registry.get_model_metadata("me/big").access
    name = model_deployment_registry.get_default_model_deployment_for_model("me/big")
    read = model_deployment_registry.get_model_deployment(name)
    assert read.client_spec.args[APIS[api].model_argument] == "big-1"
    assert (f"{api}ApiKey" in said) is APIS[api].has_key

    (tmp_path / "credentials.conf").write_text(f'{api}ApiKey: "secret"\n')
    _, said, _ = add("me/big", "--api", api, "--model-name", "big-1", *url)
    assert "ApiKey" not in said
    assert "secret" not in said


@pytest.mark.parametrize("api", sorted(APIS))
def test_the_clients_are_helm_s_and_take_the_arguments(api):
    """Read from the source: what some clients import comes with extras."""
    module, _, name = APIS[api].client.rpartition(".")
    source = Path(find_spec(module).origin).read_text()
    (client,) = (
        node
        for node in ast.parse(source).body
        if isinstance(node, ast.ClassDef) and node.name == name
    )
    (made,) = (node for node in client.body if getattr(node, "name", "") == "__init__")
    taken = {argument.arg for argument in made.args.args}
    assert APIS[api].model_argument in taken
    assert not APIS[api].anywhere or "base_url" in taken


def test_a_key_of_one_server_is_not_sent_to_another(add):
    _, said, (_, deployments) = add("me/big", "--api", "openai", "--base-url", URL)
    assert deployments["model_deployments"][0]["name"] == "me/big"
    assert "meApiKey" in said
    assert "openaiApiKey" not in said


def test_a_model_of_the_hub_is_served_on_this_machine(add):
    _, said, (_, deployments) = add("me/llava", "--hf", "llava-hf/llava-1.5-7b-hf")
    arguments = deployments["model_deployments"][0]["client_spec"]["args"]
    assert arguments["vllm_model_name"] == "llava-hf/llava-1.5-7b-hf"
    assert "transformers serve" in said


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["me/my-vlm"], ["--base-url", "--hf", "--api"]),
        (["my-vlm", "--base-url", URL], ["me/my-vlm"]),
        (["org/family/size", "--base-url", URL], ["me/family-size"]),
        (["me/a,b", "--base-url", URL], ["me/a-b"]),
        (["me/", "--base-url", URL], ["me/me"]),
        (["me/a", "--hf", "x/y", "--model-name", "z"], ["--hf"]),
        (["me/a", "--api", "google", "--base-url", URL], ["google"]),
        (["me/a", "--base-url", "localhost:8000"], ["localhost:8000 is no URL", "http://"]),
    ],
)
def test_what_cannot_be_is_said_and_writes_nothing(add, tmp_path, arguments, words):
    status, said, read = add(*arguments)
    assert status == 2
    assert all(word in said for word in words)
    assert not read


FILE = """\
# Ours, by hand.
model_deployments:
    # The first one.
    - name: other/x   # not ours
      model_name: other/x
      client_spec: {class_name: "a.B", args: {url: 'http://x'}}
    - name: me/a
      model_name: me/a  # a good one
      max_sequence_length: 4096
      client_spec:
        class_name: "helm.clients.vllm_client.VLLMChatClient"
        args:
          vllm_model_name: a
          # It moves.
          base_url: http://127.0.0.1:9/v1
          timeout: 30
    # The last one.
    - {name: other/y, model_name: other/y, client_spec: {class_name: a.B}}
more: 1  # kept
"""


def test_what_it_is_told_changes_and_nothing_else(add, tmp_path):
    path = tmp_path / "model_deployments.yaml"
    path.write_text(FILE)
    status, said, _ = add("me/a", "--base-url", "http://127.0.0.1:8/v1", "--model-name", "b")
    assert status == 0
    place = "client_spec.args."
    assert f"{path}, me/a: changed {place}vllm_model_name: a → b" in said
    assert f"changed {place}base_url: {URL} → http://127.0.0.1:8/v1" in said
    assert path.read_text() == FILE.replace(URL, "http://127.0.0.1:8/v1").replace(
        "vllm_model_name: a", "vllm_model_name: b"
    )


def test_a_model_of_text_is_said_afterwards_and_taken_back(add, tmp_path):
    add("me/a", "--base-url", URL, "--model-name", "served")
    written = (tmp_path / "model_deployments.yaml").read_bytes()
    _, said, (metadata, _) = add("me/a", "--text-only")
    assert "changed tags: without VISION_LANGUAGE_MODEL_TAG, without FULL_FUNCTIONALITY" in said
    assert metadata["models"][0]["tags"] == ["TEXT_MODEL_TAG", "INSTRUCTION_FOLLOWING_MODEL_TAG"]
    assert "run_specs/text.conf" in said
    assert (tmp_path / "model_deployments.yaml").read_bytes() == written
    _, said, _ = add("me/a", "--base-url", URL)
    assert said.count("is up to date") == 2, "what it is not told again stays"
    _, said, (metadata, _) = add("me/a", "--no-text-only")
    assert "with VISION_LANGUAGE_MODEL_TAG" in said
    assert "run_specs/sample.conf" in said


def test_tags_and_words_of_the_user_stay(add, tmp_path):
    add("me/a", "--base-url", URL)
    path = tmp_path / "model_metadata.yaml"
    text = path.read_text().replace("Added by helm-structext; the server knows it as a.", "Mine.")
    path.write_text(text.replace("- TEXT_MODEL_TAG\n", "- MY_TAG\n      - TEXT_MODEL_TAG\n"))
    assert "MY_TAG" in path.read_text()
    _, _, (metadata, _) = add("me/a", "--text-only", "--model-name", "b")
    assert metadata["models"][0]["tags"][0] == "MY_TAG"
    assert metadata["models"][0]["description"] == "Mine."


def test_another_protocol_takes_the_place_of_the_first(add):
    add("me/a", "--base-url", URL)
    status, said, (_, deployments) = add("me/a", "--api", "openai", "--model-name", "big-1")
    assert status == 0
    (deployment,) = deployments["model_deployments"]
    assert deployment["client_spec"]["args"] == {"openai_model_name": "big-1"}
    assert deployment["name"] == "openai/a"
    assert f"base_url: {URL} → nothing" in said


def test_what_another_model_has_is_not_taken(add):
    add("you/a", "--api", "openai")
    status, said, (_, deployments) = add("me/a", "--api", "openai")
    assert status == 2
    assert "openai/a already is where you/a answers" in said
    assert len(deployments["model_deployments"]) == 1


@pytest.mark.parametrize(
    ("listed", "asked", "words"),
    [
        (["Org/Name", "Name"], "Org/Name", "lists Org/Name, which will be asked"),
        (["other", "Name"], "Name", "lists Name"),
        (["models/x.gguf"], "models/x.gguf", "lists models/x.gguf"),
        (["a", "b"], "Name", "lists no Name, but a, b; name one of these with --model-name"),
        ([], "Name", "lists no Name, but nothing"),
        (None, "Name", "lists no models now; it will be asked for Name"),
    ],
)
def test_the_server_says_by_which_name_it_knows_the_model(add, listed, asked, words):
    with openai_server("x") as server:
        server.models = listed
        status, said, (_, deployments) = add("Org/Name", "--base-url", server.url)
        assert status == 0
        assert words in said
        arguments = deployments["model_deployments"][0]["client_spec"]["args"]
        assert arguments["vllm_model_name"] == asked
        server.models = ["Org/Name"]
        add("me/told", "--base-url", server.url, "--model-name", "mine")
    assert server.lists_asked == 1


@pytest.mark.parametrize("reply", ["no list", '{"data": 1}', '{"data": [{"name": 1}]}', "[]", ""])
def test_what_is_no_list_is_none(reply):
    with openai_server("x") as server:
        server.models = reply
        assert list_models(server.url) is None


def test_facts_of_a_model_are_written_and_changed(add, tmp_path):
    path = tmp_path / "model_facts.yaml"
    status, _, read = add("me/a", "--base-url", URL, "--access", "open", "--parameters", "7")
    assert (status, len(read)) == (0, 2)
    assert read_facts(tmp_path) == {"me/a": ModelFacts("open", 7)}
    path.write_text(path.read_text().replace("parameters: 7", "parameters: 7  # billions"))
    metadata = (tmp_path / "model_metadata.yaml").read_bytes()
    _, said, _ = add("me/a", "--parameters", "7.5")
    assert said == f"{path}, me/a: changed parameters: 7 → 7.5\n"
    assert "7.5 # billions" in path.read_text()
    assert (tmp_path / "model_metadata.yaml").read_bytes() == metadata
    before = path.read_bytes()
    assert add("me/a", "--base-url", URL)[0] == 0
    assert path.read_bytes() == before, "what it is not told stays"


def test_of_a_model_that_helm_describes_facts_alone_are_written(add, tmp_path):
    status, said, read = add("openai/gpt-4o-2024-05-13", "--access", "closed")
    assert (status, read) == (0, [])
    assert said == f"added 1 entry to {tmp_path / 'model_facts.yaml'}\n"
    assert [path.name for path in tmp_path.iterdir()] == ["model_facts.yaml"]
    assert read_facts(tmp_path) == {"openai/gpt-4o-2024-05-13": ModelFacts("closed")}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["me/a", "--access", "free"], ["--access", "open", "closed"]),
        (["me/a", "--parameters", "-7"], ["--parameters", "billions above 0"]),
        (["me/a", "--parameters", "7e9"], ["expected billions", "up to 100,000"]),
        (["gpt", "--access", "closed"], ["me/gpt"]),
    ],
)
def test_facts_that_can_not_be_are_refused(add, tmp_path, arguments, words):
    status, said, _ = add(*arguments)
    assert status == 2
    assert all(word in said for word in words)
    assert not [*tmp_path.iterdir()]


def test_a_file_of_facts_that_says_something_else_is_left_alone(add, tmp_path):
    path = tmp_path / "model_facts.yaml"
    path.write_text("models:\n  - {name: me/b, access: free}\n")
    status, said, _ = add("me/a", "--access", "open")
    assert status == 2
    assert f"{path}, entry 1: access: expected open or closed, got 'free'" in said
    assert "me/a" not in path.read_text()


def test_a_key_that_is_there_twice_is_named_with_its_line(add, tmp_path):
    (tmp_path / "model_metadata.yaml").write_text("models: []\nother: 1\nmodels: []\n")
    status, said, _ = add("me/a", "--base-url", URL)
    assert status == 2
    assert "line 3" in said
    assert "models" in said


def test_a_file_that_is_no_text_is_named(tmp_path, capsys):
    (tmp_path / "model_metadata.yaml").write_bytes(b"models: \xff\xfe")
    assert main(["add-model", "me/a", "--base-url", URL, "--local-path", str(tmp_path)]) == 2
    assert "model_metadata.yaml" in capsys.readouterr().err
