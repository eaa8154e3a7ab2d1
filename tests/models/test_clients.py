import json
import shutil
from pathlib import Path

import pytest
from helm.benchmark import model_deployment_registry as deployments
from helm.benchmark import model_metadata_registry as models
from helm.common.cache import BlackHoleCacheConfig
from helm.common.media_object import MediaObject, MultimediaObject
from helm.common.request import Request
from helm.proxy.retry import NonRetriableException
from PIL import Image, ImageDraw, ImageFont

from helm_structext.models import clients
from helm_structext.models.answer_index import KnownAnswer, request_key, write_answer
from helm_structext.models.registry import OFFLINE_MODELS, deployment, register
from support.rows import png

PROMPT = "Write the code."


@pytest.fixture
def request_for(tmp_path, monkeypatch):
    """Writes a picture and what the index says of it; returns the request for a model."""
    monkeypatch.setattr(clients, "get_benchmark_output_path", lambda: str(tmp_path))

    def make(
        model: str,
        *,
        oracle: str | None = "x^2",
        picture: bytes | None = None,
    ) -> Request:
        picture = picture or png()
        path = tmp_path / "picture.png"
        path.write_bytes(picture)
        write_answer(
            tmp_path / "scenarios" / "image2struct_latex" / "answers",
            request_key(PROMPT, [picture]),
            KnownAnswer("uuid-1", "latex", oracle, r"\mbox{}", "image2struct"),
        )
        prompt = MultimediaObject(
            [
                MediaObject(text="Short, please.", content_type="text/plain"),
                MediaObject(text="\n" + PROMPT, content_type="text/plain"),
                MediaObject(location=str(path), content_type="image/png"),
            ]
        )
        return Request(model=model, model_deployment=model, multimodal_prompt=prompt)

    return make


def replay_client(tmp_path: Path, *lines: dict | str) -> clients.ReplayClient:
    (tmp_path / "replay").mkdir()
    text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
    (tmp_path / "replay" / "mine.jsonl").write_text(text)
    return clients.ReplayClient(str(tmp_path / "cache" / "structext.lock"))


KEY = request_key(f"Short, please.\n{PROMPT}", [png()])


def test_the_oracle_answers_from_the_dataset(request_for):
    result = clients.OracleClient().make_request(request_for("structext/oracle"))
    assert result.completions[0].text == "x^2"


def test_the_oracle_says_which_instance_has_no_answer(request_for):
    with pytest.raises(NonRetriableException, match=r"no answer for instance uuid-1: .* leave"):
        clients.OracleClient().make_request(request_for("structext/oracle", oracle=None))


def test_a_request_of_another_benchmark_is_refused(request_for):
    request = Request(model="structext/oracle", prompt="What is the capital of France?")
    with pytest.raises(NonRetriableException, match="only requests of this package's scenarios"):
        clients.OracleClient().make_request(request)


def test_the_blank_model_needs_no_answer(request_for):
    result = clients.BlankClient().make_request(request_for("structext/blank", oracle=None))
    assert result.completions[0].text == r"\mbox{}"


def test_the_ocr_model_reads_the_picture(request_for, tmp_path):
    image = Image.new("RGB", (700, 120), "white")
    font = ImageFont.truetype("DejaVuSans.ttf", 48)
    ImageDraw.Draw(image).text((20, 20), "Hello & goodbye", "black", font)
    image.save(tmp_path / "text.png")
    request = request_for("structext/ocr", picture=(tmp_path / "text.png").read_bytes())
    result = clients.OcrClient(BlackHoleCacheConfig()).make_request(request)
    assert result.completions[0].text == r"\noindent Hello \& goodbye"


def test_ocr_without_tesseract_says_what_to_do_and_is_not_retried(request_for, monkeypatch):
    which = shutil.which
    monkeypatch.setattr(shutil, "which", lambda name: None if name == "tesseract" else which(name))
    with pytest.raises(NonRetriableException, match="doctor"):
        clients.OcrClient(BlackHoleCacheConfig()).make_request(request_for("structext/ocr"))


def test_a_replay_answers_with_the_completion_of_the_request(request_for, tmp_path):
    client = replay_client(
        tmp_path,
        {"key": KEY, "completion": "y", "finish_reason": "length"},
        "",
        {"key": "0", "completion": None},
    )
    (completion,) = client.make_request(request_for("structext/replay-mine")).completions
    assert completion.text == "y"
    assert completion.finish_reason == {"reason": "length"}


@pytest.mark.parametrize(
    "line", [{"key": KEY, "completion": None}, {"key": "0", "completion": "y"}]
)
def test_a_request_without_a_completion_is_named(request_for, tmp_path, line):
    with pytest.raises(NonRetriableException, match=f"mine.jsonl has no completion .* {KEY}"):
        replay_client(tmp_path, line).make_request(request_for("structext/replay-mine"))


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (["{"], "line 1: expected an object"),
        (["[]"], "line 1: expected an object"),
        ([{"key": KEY}], "line 1: expected an object with 'key' and 'completion'"),
        ([{"key": KEY, "completion": 3}], "line 1: 'completion' is not a string"),
        ([{"key": KEY, "completion": "a"}, {"key": KEY, "completion": "b"}], "line 2: another"),
    ],
)
def test_a_faulty_replay_file_names_the_line(request_for, tmp_path, lines, reason):
    with pytest.raises(NonRetriableException, match=reason):
        replay_client(tmp_path, *lines).make_request(request_for("structext/replay-mine"))


def test_an_unknown_replay_names_its_file(request_for, tmp_path):
    client = clients.ReplayClient(str(tmp_path / "cache" / "structext.lock"))
    with pytest.raises(NonRetriableException, match=r"replay/mine\.jsonl"):
        client.make_request(request_for("structext/replay-mine"))


def test_any_replay_is_known_by_its_name(empty_registries):
    register()
    register()  # as a notebook does that loads the plugin and then asks a judge
    assert deployments.get_model_deployment("structext/replay-new").client_spec.class_name
    assert models.get_model_metadata("structext/replay-new").display_name == "Replay: new"
    with pytest.raises(deployments.ModelDeploymentNotFoundError, match="structext/oracle"):
        deployments.get_model_deployment("structext/orakel")


def test_what_the_user_registered_is_not_registered_again(empty_registries):
    spec = deployments.ClientSpec("somewhere.Client")
    own = deployments.ModelDeployment("structext/oracle", client_spec=spec)
    deployments.register_model_deployment(own)
    register()
    assert deployments.get_model_deployment("structext/oracle") is own
    names = [deployment.name for deployment in deployments.ALL_MODEL_DEPLOYMENTS]
    assert sorted(names) == sorted(OFFLINE_MODELS)


def test_offline_models_do_not_join_the_vision_language_models(empty_registries):
    register()
    assert models.get_model_names_with_tag(models.VISION_LANGUAGE_MODEL_TAG) == []


@pytest.mark.parametrize("name", [*OFFLINE_MODELS, "structext/replay-mine"])
def test_each_client_class_exists(name):
    class_name = deployment(name)["client_spec"]["class_name"]
    assert hasattr(clients, class_name.rsplit(".", 1)[1])
