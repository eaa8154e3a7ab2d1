"""StructEval's judge: what it is asked, how its reply is read, and who pays for it."""

import base64
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helm.benchmark import model_deployment_registry as deployments
from helm.benchmark.adaptation.request_state import RequestState
from helm.benchmark.annotation.annotator import AnnotatorSpec
from helm.benchmark.annotation.annotator_factory import AnnotatorFactory
from helm.benchmark.model_metadata_registry import ModelMetadata, register_model_metadata
from helm.benchmark.scenarios.scenario import Input, Instance
from helm.common.cache_backend_config import SqliteCacheBackendConfig
from helm.common.request import ErrorFlags, GeneratedOutput, Request, RequestResult
from PIL import Image, ImageChops, ImageDraw, ImageFont

import helm
from helm_structext.errors import RenderError, SetupError
from helm_structext.helm import judge as helms_judge
from helm_structext.helm.annotator import ScoreAnnotator
from helm_structext.helm.judge import deployment_of
from helm_structext.models.registry import register
from helm_structext.renderers import Rendering
from helm_structext.structeval import judge, ocr, scorer
from helm_structext.structeval.judge import judge_prompt
from helm_structext.structeval.tasks import TASKS
from support import door
from support.openai_server import openai_server

HELMS_OWN = Path(helm.__file__).parent / "config" / "model_deployments.yaml"
PAIRS = [
    {"question": "What is the title?", "answer": "Trip Summary"},
    {"question": "How many rows are there?", "answer": "3"},
]


# The prompt and the reply


def test_the_prompt_is_the_published_one():
    """Figure 5 and two more sentences; a space is missing in the published code."""
    assert judge_prompt(PAIRS) == (
        "You are given an image and a list of question-answer pairs. For each pair, verify if the "
        "image content supports the expected answer based on the corresponding question. If the "
        "image is fully white, then you should always output falseBase your judgment solely on "
        "the visual content of the provided image, and the question. Do not imagine anything. Do "
        "not use any external information or common-sense reasoning beyond what is visible. "
        "Respond with a JSON object mapping each question number to true or false (e.g., "
        '{"1": true, "2": false}). If the image is unclear or does not contain enough information '
        "to answer, use null for that question. Here are the question-answer pairs:\n"
        "1. Question: What is the title? Expected Answer: Trip Summary\n"
        "2. Question: How many rows are there? Expected Answer: 3\n"
    )


# The annotator


class Provider:
    """Stands where HELM's client of all models does."""

    def __init__(self, answer: Callable[[Request], RequestResult | Exception]) -> None:
        self.answer = answer
        self.requests: list[Request] = []

    def _get_client(self, deployment: str) -> "Provider":
        return self

    def make_request(self, request: Request) -> RequestResult:
        self.requests.append(request)
        answer = self.answer(request)
        if isinstance(answer, Exception):
            raise answer
        return answer


def replied(text: str, reason: str = "stop") -> RequestResult:
    output = GeneratedOutput(text=text, logprob=0, tokens=[], finish_reason={"reason": reason})
    return RequestResult(success=True, embedding=[], completions=[output], cached=False)


def says(text: str) -> Callable[[Request], RequestResult]:
    return lambda _: replied(text)


def fails(**flags: bool) -> Callable[[Request], RequestResult]:
    error_flags = ErrorFlags(**flags) if flags else None
    return lambda _: RequestResult(
        success=False,
        **{"embedding": [], "completions": [], "cached": False},
        **{"error": "no such luck", "error_flags": error_flags},
    )


def state(completion: str, format: str = "html", pairs: Any = PAIRS) -> RequestState:
    output = GeneratedOutput(text=completion, logprob=0, tokens=[])
    task = next(name for name, task in TASKS.items() if task.format == format)
    extra = {"task": task, "format": format, "keywords": ["a"], "vqa": pairs}
    return RequestState(
        instance=Instance(Input(text="?"), [], extra_data=extra),
        reference_index=None,
        request_mode=None,
        train_trial_index=0,
        output_mapping=None,
        request=Request(),
        result=RequestResult(success=True, embedding=[], completions=[output], cached=False),
        num_train_instances=0,
        prompt_truncated=False,
    )


@pytest.fixture
def drawn(tmp_path, monkeypatch):
    """Rendering that costs nothing: every completion gives the picture of its text."""

    def render(format: str, source: str, *, cache: Path, **_: Any) -> Rendering:
        if source == "broken":
            raise RenderError("syntax", "it is broken")
        path = cache / f"{source}.png"
        path.parent.mkdir(exist_ok=True)
        image = Image.new("RGB", (300, 60), "white")
        ImageDraw.Draw(image).text((10, 10), source.split("|")[0], "black")
        image.save(path)
        return Rendering(image, source, "", "", 0.0, path)

    monkeypatch.setattr(scorer, "render_completion", render)
    monkeypatch.setattr(helms_judge, "deployment_of", lambda name: (f"at/{name}", name))


def annotator(provider: Provider, folder: Path, protocol: str = "published") -> ScoreAnnotator:
    arguments = {"judge": "me/judge", "protocol": protocol}
    return door.annotator(folder / "door", "structeval", provider, **arguments)


def verdict_of(annotator: ScoreAnnotator, state: RequestState) -> dict[str, Any]:
    """What follows the rendering."""
    _, verdict = annotator.annotate(state)
    return verdict


def test_a_judge_is_asked_about_the_picture(drawn, tmp_path):
    provider = Provider(says('{"1": true, "2": false}'))
    found = verdict_of(annotator(provider, tmp_path), state("A page"))
    assert found["answers"] == [True, False]
    assert (found["vqa_score"], found["parsed"], found["requests"]) == (0.5, True, 1)
    assert found["text"].splitlines() == [
        "me/judge: 1 of 2",
        "true: What is the title? Trip Summary",
        "false: How many rows are there? 3",
    ]
    (request,) = provider.requests
    assert (request.model, request.model_deployment) == ("me/judge", "at/me/judge")
    assert (request.temperature, request.num_completions) == (0, 1)
    prompt, picture = request.multimodal_prompt.media_objects
    assert prompt.text == judge_prompt(PAIRS)
    assert Image.open(picture.location).size == (300, 60)


def test_without_a_picture_nobody_is_asked_and_all_is_wrong(drawn, tmp_path):
    provider = Provider(says('{"1": true, "2": true}'))
    found = verdict_of(annotator(provider, tmp_path), state("broken"))
    assert provider.requests == []
    assert (found["vqa_score"], found["requests"], found["reply"]) == (0, 0, None)
    assert (found["parsed"], found["prompt_tokens"]) == (True, 0)


def test_nothing_to_ask_is_a_score_of_0_as_published(drawn, tmp_path):
    provider = Provider(says("{}"))
    found = verdict_of(annotator(provider, tmp_path), state("A page", pairs=[]))
    assert (found["vqa_score"], found["requests"], provider.requests) == (0, 0, [])


@pytest.mark.parametrize("format", ["json", "csv", "toml", "xml", "yaml"])
def test_text_is_not_judged(drawn, tmp_path, format):
    provider = Provider(says("{}"))
    assert annotator(provider, tmp_path).annotate(state("{}", format, pairs=[]))[1:] == []
    assert provider.requests == []


def test_a_reply_that_cannot_be_read_is_marked(drawn, tmp_path):
    found = verdict_of(annotator(Provider(says("Yes!")), tmp_path), state("x"))
    assert (found["parsed"], found["vqa_score"], found["reply"]) == (False, 0, "Yes!")
    assert found["answers"] == [None, None]
    assert found["text"].startswith("me/judge: unreadable")


def test_what_the_providers_filter_withholds_is_a_reply_without_a_word(drawn, tmp_path):
    provider = Provider(fails(is_retriable=False, is_fatal=False))
    found = verdict_of(annotator(provider, tmp_path), state("x"))
    assert (found["reply"], found["parsed"], found["requests"]) == ("", False, 1)


FENCED = '```json\n{"1": "yes", "2": False}\n```'
JUDGED = ("vqa_score", "structeval_score", "structeval_score_published")


def scores_of(ours: ScoreAnnotator, completion: str) -> dict[str, float | None]:
    asked = state(completion)
    return door.measured(ours, ours.annotate(asked), asked)


def test_a_fence_counts_as_wrong_in_the_published_protocol_and_is_read_in_the_corrected_one(
    drawn, tmp_path
):
    published, corrected = (
        scores_of(annotator(Provider(says(FENCED)), tmp_path / name, name), "a page")
        for name in ("published", "corrected")
    )
    assert (published["vqa_score"], published["judge_unreadable"]) == (0, 1)
    assert (corrected["vqa_score"], corrected["judge_unreadable"]) == (0.5, 0)


def test_what_can_not_be_read_is_the_judges_failure_and_has_no_score(drawn, tmp_path):
    ours = annotator(Provider(says("[true, true, false]")), tmp_path, "corrected")
    rendering, verdict = ours.annotate(state("a page"))
    assert rendering["kind"] == "judge"
    assert rendering["error"] == "judge: the judge's reply has 3 verdicts in a list, of 2"
    assert (verdict["vqa_score"], verdict["answers"]) == (None, [None, None])
    scores = scores_of(ours, "a page")
    assert [scores[name] for name in JUDGED] == [None] * 3
    assert (scores["syntax_score"], scores["keyword_score"]) == (1, 1)
    assert (scores["judge_unreadable"], scores["internal_error"]) == (1, 0)
    assert scores["render_error_syntax"] == 0


@pytest.mark.parametrize(
    "first",
    [
        replied(""),
        replied("<think>It may"),
        replied('{"1": true, "2'),
        replied("1. true", "length"),
    ],
)
def test_an_empty_or_cut_reply_is_asked_for_again_with_more_room(drawn, tmp_path, first):
    def answer(request: Request) -> RequestResult:
        return replied(FENCED) if request.max_tokens > helms_judge.MAX_TOKENS else first

    provider = Provider(answer)
    found = verdict_of(annotator(provider, tmp_path, "corrected"), state("x"))
    assert (found["vqa_score"], found["requests"], found["reply"]) == (0.5, 2, FENCED)
    assert [request.max_tokens for request in provider.requests] == [4000, 16_000]
    once = Provider(answer)
    found = verdict_of(annotator(once, tmp_path / "published"), state("x"))
    assert (found["vqa_score"], len(once.requests)) == (0, 1), "the published protocol asks once"


def test_a_judge_that_stays_silent_is_asked_twice_and_no_more(drawn, tmp_path):
    provider = Provider(says(""))
    ours = annotator(provider, tmp_path, "corrected")
    rendering, verdict = ours.annotate(state("x"))
    assert (len(provider.requests), verdict["requests"]) == (2, 2)
    assert rendering["error"] == "judge: the judge's reply is empty"


@pytest.mark.parametrize(
    "said",
    [
        "Error code: 400 - max_tokens is too large: 16000. This model supports at most 8192",
        "max_tokens: 16000 > 8192, which is the maximum allowed number of output tokens",
        "This model's maximum context length is 8192 tokens",
        "Request.max_tokens must be <= 4000",
    ],
)
def test_a_judge_without_more_room_is_not_judged_and_stops_nothing(drawn, tmp_path, said):
    def answer(request: Request) -> RequestResult | Exception:
        if request.max_tokens == helms_judge.MAX_TOKENS:
            return replied('{"1": tr', "length")
        return ValueError(said)

    rendering, verdict = annotator(Provider(answer), tmp_path, "corrected").annotate(state("x"))
    assert (rendering["kind"], verdict["requests"]) == ("judge", 1)


def test_a_judge_that_is_lost_before_it_is_asked_again_stops_the_run(drawn, tmp_path):
    answers = iter([replied(""), ConnectionError("no such luck")])
    with pytest.raises(SetupError, match="no such luck"):
        annotator(Provider(lambda _: next(answers)), tmp_path, "corrected").annotate(state("x"))


@pytest.mark.parametrize(
    "answer",
    [
        fails(),
        fails(is_retriable=False, is_fatal=True),
        fails(is_retriable=True, is_fatal=False),
        lambda _: ConnectionError("no such luck"),
    ],
)
def test_a_judge_that_cannot_be_reached_stops_the_run(drawn, tmp_path, answer):
    with pytest.raises(SetupError, match=r"me/judge can't be asked \(no such luck\).*judge=none"):
        annotator(Provider(answer), tmp_path).annotate(state("x"))


def test_the_same_picture_has_the_same_name_whatever_code_it_came_from(drawn, tmp_path):
    """HELM's cache of replies knows pictures by their names."""
    provider = Provider(says("{}"))
    ours = annotator(provider, tmp_path)
    for completion in ("same|one", "same|other", "another"):
        ours.annotate(state(completion))
    first, second, third = (
        r.multimodal_prompt.media_objects[1].location for r in provider.requests
    )
    assert first == second != third


# Which model that is


def test_the_default_judge_is_known_to_helm_by_its_date(empty_registries):
    deployments.register_model_deployments_from_path(str(HELMS_OWN))
    name = "openai/gpt-4.1-mini-2025-04-14"
    assert deployment_of(judge.DEFAULT_JUDGE) == (name, name)


def test_a_judge_may_be_named_by_its_model_and_the_users_own_name_comes_first(empty_registries):
    deployments.register_model_deployments_from_path(str(HELMS_OWN))
    for name, model in (("my/server", "me/vlm"), ("my/mini", judge.DEFAULT_JUDGE)):
        spec = deployments.ClientSpec("somewhere.Client")
        deployments.register_model_deployment(
            deployments.ModelDeployment(name, client_spec=spec, model_name=model)
        )
    assert deployment_of("me/vlm") == ("my/server", "me/vlm")
    assert deployment_of("my/server") == ("my/server", "me/vlm")
    assert deployment_of(judge.DEFAULT_JUDGE) == ("my/mini", judge.DEFAULT_JUDGE)


def test_an_unknown_judge_is_named(empty_registries):
    with pytest.raises(SetupError, match=r"no model me/nobody.*model_deployments.yaml"):
        deployment_of("me/nobody")


# A server on this machine, asked by HELM's own client


def helms(judge: str, folder: Path) -> ScoreAnnotator:
    """The annotator as HELM makes it for a run."""
    (folder / "cache").mkdir(exist_ok=True)
    factory = AnnotatorFactory({}, str(folder), SqliteCacheBackendConfig(str(folder / "cache")))
    arguments = {"benchmark": "structeval", **door.ARGUMENTS["structeval"], "judge": judge}
    spec = AnnotatorSpec("helm_structext.helm.annotator.ScoreAnnotator", arguments)
    made = factory.get_annotator(spec)
    assert isinstance(made, ScoreAnnotator)
    return made


@pytest.fixture
def server():
    with openai_server('{"1": true, "2": false}') as running:
        yield running


def test_a_server_gets_prompt_and_picture_and_is_asked_once(empty_registries, server, tmp_path):
    arguments = {"base_url": server.url, "vllm_model_name": "vlm"}
    spec = deployments.ClientSpec("helm.clients.vllm_client.VLLMChatClient", arguments)
    deployments.register_model_deployment(
        deployments.ModelDeployment("local/vlm", client_spec=spec, model_name="me/vlm")
    )
    register_model_metadata(
        ModelMetadata("me/vlm", "VLM", "", "Me", "open", None, ["VISION_LANGUAGE_MODEL_TAG"])
    )
    completion = r"<|BEGIN_CODE|>\Huge\textbf{Trip Summary}<|END_CODE|>"
    found = verdict_of(helms("me/vlm", tmp_path), state(completion, "latex_document"))
    assert (found["vqa_score"], found["requests"]) == (0.5, 1)
    assert (found["prompt_tokens"], found["completion_tokens"]) == (1234, 11)

    (request,) = server.requests
    assert (request["model"], request["temperature"]) == ("vlm", 0)
    assert helms_judge.MAX_TOKENS in (
        request.get("max_tokens"),
        request.get("max_completion_tokens"),
    )
    text, image = request["messages"][-1]["content"]
    assert text["text"] == judge_prompt(PAIRS)
    encoded = image["image_url"]["url"].partition("base64,")[2]
    sent = Image.open(io.BytesIO(base64.b64decode(encoded))).convert("L")
    (path,) = (tmp_path / "output" / "score").glob("*.png")
    ours = Image.open(path).convert("L")
    assert sent.size == ours.size
    # HELM sends JPEG, so the pixels are nearly the picture's.
    assert max(ImageChops.difference(sent, ours).getdata()) < 100
    assert min(sent.getdata()) < 50

    assert helms("me/vlm", tmp_path).annotate(state(completion, "latex_document"))[1:] == [found]
    assert len(server.requests) == 1, "the second time it is answered from HELM's cache"


# The judge without a model


def test_the_ocr_judge_finds_what_stands_in_the_picture(empty_registries, tmp_path):
    register()
    text = "Trip Summary of Day 3: Zurich, 12.50"
    completion = rf"\documentclass{{article}}\begin{{document}}{text}\end{{document}}"
    pairs = [
        {"question": "What is the title?", "answer": "TRIP summary"},
        {"question": "Which day?", "answer": "3"},
        {"question": "How much?", "answer": "$12.50"},
        {"question": "Which place?", "answer": "Zürich"},
        {"question": "Which other place?", "answer": "Bern"},
        {"question": "How many days?", "answer": "7"},
        {"question": "Which sign?", "answer": "!"},
    ]
    ours = helms("structext/ocr-judge", tmp_path)
    found = verdict_of(ours, state(completion, "latex_document", pairs))
    assert found["answers"] == [True, True, True, True, False, False, None]
    assert found["prompt_tokens"] is None


def test_the_ocr_judge_takes_questions_of_several_lines_apart():
    pairs = [
        {"question": "Which word\nis there?", "answer": "Tram\nDepot"},
        {"question": "Is 2. Question: a word?", "answer": "Bus"},
    ]
    assert ocr.judge(["tram depot"], judge_prompt(pairs)) == '{"1": true, "2": false}'


def test_the_ocr_judge_finds_nothing_on_a_white_page(tmp_path):
    image = Image.new("RGB", (400, 300), "white")
    image.save(tmp_path / "white.png")
    texts = ocr.read_texts((tmp_path / "white.png").read_bytes())
    assert ocr.judge(texts, judge_prompt(PAIRS)) == '{"1": false, "2": false}'


@pytest.mark.parametrize("size", [(1, 1), (40_000, 20)])
def test_the_ocr_judge_goes_on_where_tesseract_gives_up(tmp_path, size):
    Image.new("RGB", size, "white").save(tmp_path / "odd.png")
    texts = ocr.read_texts((tmp_path / "odd.png").read_bytes())
    assert "".join(texts).strip() == ""


def test_the_ocr_judge_reads_texts_beside_each_other(tmp_path):
    image = Image.new("RGB", (900, 300), "white")
    font = ImageFont.truetype("DejaVuSans.ttf", 30)
    for x, lines in ((30, "Export\nreport"), (500, "Other\ncolumn")):
        ImageDraw.Draw(image).multiline_text((x, 40), lines, "black", font, spacing=60)
    image.save(tmp_path / "columns.png")
    texts = ocr.read_texts((tmp_path / "columns.png").read_bytes())
    pairs = [{"question": "?", "answer": answer} for answer in ("Export", "report", "column")]
    assert json.loads(ocr.judge(texts, judge_prompt(pairs))) == dict.fromkeys("123", True)
