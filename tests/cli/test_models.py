"""`add-model`: the files that it writes are HELM's, complete, and the user's own lines stay."""

import ast
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml
from helm.benchmark import model_deployment_registry, model_metadata_registry

from helm_structext.cli import main
from helm_structext.models.hosts import APIS

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


def test_another_address_of_a_model_that_is_there_is_not_dropped_in_silence(add, tmp_path):
    add("me/a", "--base-url", URL)
    add("me/b", "--base-url", URL)
    before = (tmp_path / "model_deployments.yaml").read_bytes()
    status, said, _ = add("me/a", "--base-url", "http://127.0.0.1:8000/v1")
    assert status == 2
    line = before.decode().splitlines().index("  - name: me/a") + 1
    assert f"model_deployments.yaml, line {line}: me/a is there already" in said
    assert "base_url: http://127.0.0.1:8000/v1" in said
    assert (tmp_path / "model_deployments.yaml").read_bytes() == before


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
