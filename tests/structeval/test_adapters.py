"""The thin layer between StructEval's functions and HELM."""

import hashlib
from pathlib import Path

import pytest
from helm.benchmark.adaptation.adapter_spec import AdapterSpec
from helm.benchmark.adaptation.request_state import RequestState
from helm.benchmark.scenarios.scenario import Input, Instance
from helm.common.request import GeneratedOutput, Request, RequestResult
from helm_structext.helm.adapters import RenderAnnotator
from helm_structext.structeval.adapters import StructEvalMetric
from PIL import Image

from helm_structext.formats import FORMATS, rendered_formats
from helm_structext.protocols import ProtocolName
from helm_structext.renderers import render_completion
from helm_structext.scoring.handling import INTERNAL_ERROR
from helm_structext.storage.cache import renderings_folder
from helm_structext.structeval.scores import METRICS
from helm_structext.structeval.tasks import TASKS, blank_answer

DRAWN = {"media_object": None, "text": "", "seconds": 0.1}
FAILED = {"error": "timeout: too slow", "kind": "timeout", "log": ""}
JUDGED = {
    "vqa_score": 0.5,
    "parsed": True,
    "requests": 1,
    "prompt_tokens": 900,
    "completion_tokens": None,
}


def answered(task: str, completion: str, keywords: list[str], **annotations) -> RequestState:
    instance = Instance(
        Input(text="Query"),
        [],
        id="000000",
        extra_data={
            "task": task,
            "task_id": "000000",
            "format": TASKS[task].format,
            "keywords": keywords,
            "vqa": [],
        },
    )
    result = RequestResult(True, [], [GeneratedOutput(completion, 0.0, [])], False)
    return RequestState(
        instance, None, None, 0, None, Request(), result, 0, False, annotations=annotations
    )


def values_of(state: RequestState, protocol: ProtocolName = "published") -> dict[str, float]:
    stats = StructEvalMetric(protocol).evaluate_generation(AdapterSpec(), state, None, "")
    assert {stat.name.name for stat in stats} == {*METRICS, INTERNAL_ERROR}
    return {stat.name.name: stat.mean for stat in stats if stat.count}


NO_ERRORS = {
    "internal_error": 0,
    **{f"render_error_{kind}": 0 for kind in ("syntax", "timeout", "resource", "empty")},
}


def test_text_has_syntax_paths_and_a_final_score():
    completion = "<|BEGIN_CODE|>\na: {b: 1}\n<|END_CODE|>"
    state = answered("text_to_yaml", completion, ["a.b", "a.c"], rendering=[{"text": ""}])
    assert values_of(state) == {
        "syntax_score": 1,
        "syntax_score_published": 1,
        "path_score": 0.5,
        "path_score_published": 0.5,
        "structeval_score": pytest.approx(0.6),
        "structeval_score_published": 0.6,
        **NO_ERRORS,
    }


def test_ragged_csv_has_another_score_as_published():
    failed = {"error": "syntax: …", "kind": "syntax", "log": ""}
    state = answered("text_to_csv", "a,b\n1", ["csv::a"], rendering=[failed])
    values = values_of(state)
    assert (values["syntax_score"], values["syntax_score_published"]) == (0, 1)
    assert values["structeval_score"] == pytest.approx(0.8)
    assert values["structeval_score_published"] == 1
    assert values["render_error_syntax"] == 1


def test_the_protocol_decides_what_code_is():
    completion = "<|BEGIN_CODE|>\na: 1\n|END_CODE|>"
    state = answered("text_to_yaml", completion, ["a"], rendering=[{"text": ""}])
    assert values_of(state, "published")["syntax_score"] == 0
    assert values_of(state, "corrected")["structeval_score"] == pytest.approx(1)


def test_pictures_have_syntax_keywords_and_the_judges_score():
    completion = "<think>planet</think><|BEGIN_CODE|><h1>MOONS</h1><|END_CODE|>"
    state = answered(
        "text_to_html", completion, ["Moons", "planet"], rendering=[DRAWN], judge=[JUDGED]
    )
    assert values_of(state)["keyword_score"] == 1  # as published, in the reasoning, too
    assert values_of(state, "corrected") == {
        "syntax_score": 1,
        "keyword_score": 0.5,
        "vqa_score": 0.5,
        "structeval_score": pytest.approx(0.6),
        "structeval_score_published": 0.6,
        "judge_unreadable": 0,
        "judge_requests": 1,
        "judge_prompt_tokens": 900,
        **NO_ERRORS,
    }


def test_what_does_not_render_keeps_its_keywords():
    unseen = {**JUDGED, "vqa_score": 0.0, "requests": 0, "prompt_tokens": 0}
    state = answered("text_to_html", "Moons", ["Moons"], rendering=[FAILED], judge=[unseen])
    values = values_of(state)
    assert (values["syntax_score"], values["vqa_score"]) == (0, 0)
    assert values["structeval_score"] == pytest.approx(0.1)
    assert values["render_error_timeout"] == 1


@pytest.mark.parametrize("annotations", [{}, {"judge": []}])
def test_without_a_judge_pictures_have_no_final_score(annotations):
    state = answered("text_to_html", "Moons", ["Moons"], rendering=[DRAWN], **annotations)
    assert values_of(state) == {"syntax_score": 1, "keyword_score": 1, **NO_ERRORS}


@pytest.fixture
def annotate(tmp_path):
    return RenderAnnotator(None, "published", str(tmp_path / "render")).annotate


def test_text_is_parsed_and_has_no_picture(annotate):
    assert annotate(answered("text_to_json", "[1]", [])) == [{"text": "parsed as json"}]
    for task, completion in (("text_to_json", "[]"), ("text_to_csv", "I'm sorry, I can't.")):
        (annotation,) = annotate(answered(task, completion, []))
        assert annotation["kind"] == "empty"
        assert "holds nothing" in annotation["error"]
    (annotation,) = annotate(answered("text_to_json", "[1", []))
    assert annotation == {
        "error": "syntax: line 1, column 3: Expecting ',' delimiter",
        "kind": "syntax",
        "log": "",
    }


def test_formats_come_from_the_instances(annotate, tmp_path):
    tikz = blank_answer("tikz").replace("rectangle", "-- (2, 2) rectangle")
    (drawn,) = annotate(answered("text_to_tikz", tikz, []))
    location = Path(drawn["media_object"].location)
    with Image.open(location) as picture:
        assert min(picture.size) > 10
    # HELM's viewer shows only what lies in HELM's folders; the rendering itself is everyone's.
    assert location.parent == tmp_path / "render"
    assert location.name == f"{hashlib.sha256(location.read_bytes()).hexdigest()}.png"
    (kept,) = (path for path in renderings_folder().glob("*/*.png") if path.samefile(location))
    assert kept.with_suffix(".json").exists()
    (failed,) = annotate(answered("text_to_latex", r"\undefined{x}\begin{tabular}", []))
    assert failed["kind"] in ("syntax", "empty")
    assert failed["error"].startswith(f"{failed['kind']}: ")


@pytest.mark.parametrize("format", rendered_formats())
def test_the_blank_model_draws_nothing(format):
    row = FORMATS[format]
    answer = blank_answer(format) if row.structeval else row.blank
    picture = render_completion(format, answer, protocol="corrected").image
    assert len(picture.getcolors()) == 1
