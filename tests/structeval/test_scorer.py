"""StructEval's scorer, alone and behind HELM's door."""

import hashlib
from pathlib import Path
from typing import Any

import pytest
from helm.benchmark.adaptation.request_state import RequestState
from PIL import Image

from helm_structext.errors import ERROR_KINDS, RenderError
from helm_structext.formats import FORMATS, rendered_formats
from helm_structext.protocols import ProtocolName
from helm_structext.renderers import Parsed, render_completion
from helm_structext.scoring.handling import INTERNAL_ERROR
from helm_structext.scoring.scorer import Door
from helm_structext.storage.cache import renderings_folder
from helm_structext.structeval import scorer
from helm_structext.structeval.scores import METRICS, answer_scores
from helm_structext.structeval.tasks import TASKS, blank_answer
from support import door

FAILED = RenderError("timeout", "too slow")
JUDGED = {
    "vqa_score": 0.5,
    "parsed": True,
    "requests": 1,
    "prompt_tokens": 900,
    "completion_tokens": None,
}


def answered(task: str, completion: str, keywords: list[str]) -> RequestState:
    extra = {
        "task": task,
        "task_id": "000000",
        "format": TASKS[task].format,
        "keywords": keywords,
        "vqa": [],
    }
    return door.answered(completion, extra, text="Query")


class Judge:
    name = "me/judge"

    def __init__(self, verdict: dict[str, Any]) -> None:
        self.verdict = verdict

    def look(self, *_: Any) -> dict[str, Any]:
        return self.verdict


@pytest.fixture
def values_of(tmp_path, monkeypatch):
    """Scores a completion that renders, or does not; what needs no picture is parsed."""

    def values(
        task: str,
        completion: str,
        keywords: list[str],
        protocol: ProtocolName = "published",
        *,
        failed: RenderError | None = None,
        judged: dict[str, Any] | None = None,
    ) -> dict[str, float]:
        def render(*_: Any, **__: Any) -> Parsed:
            if failed:
                raise failed
            return Parsed({}, "", "")

        if TASKS[task].rendered:
            monkeypatch.setattr(scorer, "render_completion", render)
        arguments = {"protocol": protocol, **({"judge": "me/judge"} if judged else {})}
        ours = door.annotator(tmp_path / "door", "structeval", **arguments)
        if judged:
            known = Door(lambda name: Judge(judged))
            arguments = scorer.StructEvalArguments("all", "all", "sample", protocol, judge="j")
            ours._scorer = scorer.scorer(arguments, known)
        found = door.values_of(ours, answered(task, completion, keywords))
        assert found.keys() == {*METRICS, INTERNAL_ERROR}
        return {name: value for name, value in found.items() if value is not None}

    return values


NO_ERRORS = {
    "internal_error": 0,
    "malformed_end_tag": 0,
    **{f"render_error_{kind}": 0 for kind in ERROR_KINDS},
}


def test_text_has_syntax_paths_and_a_final_score(values_of):
    completion = "<|BEGIN_CODE|>\na: {b: 1}\n<|END_CODE|>"
    assert values_of("text_to_yaml", completion, ["a.b", "a.c"]) == {
        "syntax_score": 1,
        "syntax_score_published": 1,
        "path_score": 0.5,
        "path_score_published": 0.5,
        "structeval_score": pytest.approx(0.6),
        "structeval_score_published": 0.6,
        "lost_paths": 0,
        **NO_ERRORS,
    }


@pytest.mark.parametrize(
    ("completion", "malformed"),
    [
        ("<|BEGIN_CODE|>\na: 1\n<|END_CODE|>", 0),
        ("a: 1", 0),
        ("<|BEGIN_CODE|>\na: 1\n</|END_CODE|>", 1),
        ("<|BEGIN_CODE|>\na: 1\n|END_CODE|>", 1),
        ("<|BEGIN_CODE|>\na: 1\n[END_CODE]\n<|END_CODE|>", 0),
        ("<think>It ends in [END_CODE].</think><|BEGIN_CODE|>\na: 1\n<|END_CODE|>", 0),
    ],
)
def test_closing_tags_that_are_malformed_are_counted_by_both_protocols(
    values_of, completion, malformed
):
    for protocol in ("published", "corrected"):
        values = values_of("text_to_yaml", completion, ["a"], protocol)
        assert values["malformed_end_tag"] == malformed


def test_lost_paths_are_counted_in_texts_that_parse_and_nowhere_else(values_of):
    paths = ["planet.name", "planet.moons[0].name"]
    values = values_of("csv_to_json", '{"name": "Io", "planet": {}}', paths)
    assert (values["lost_paths"], values["path_score"]) == (2, 0)
    assert "lost_paths" not in values_of("csv_to_json", "{", paths)
    assert "lost_paths" not in values_of("text_to_html", "<h1>name</h1>", paths)


def test_ragged_csv_has_another_score_as_published(values_of):
    values = values_of("text_to_csv", "a,b\n1", ["csv::a"])
    assert (values["syntax_score"], values["syntax_score_published"]) == (0, 1)
    assert values["structeval_score"] == pytest.approx(0.8)
    assert values["structeval_score_published"] == 1
    assert values["render_error_syntax"] == 1


def test_the_protocol_decides_what_code_is(values_of):
    completion = "<|BEGIN_CODE|>\na: 1\n|END_CODE|>"
    asked = "text_to_yaml", completion, ["a"]
    assert values_of(*asked, "published")["syntax_score"] == 0
    assert values_of(*asked, "corrected")["structeval_score"] == pytest.approx(1)


def test_pictures_have_syntax_keywords_and_the_judges_score(values_of):
    completion = "<think>planet</think><|BEGIN_CODE|><h1>MOONS</h1><|END_CODE|>"
    asked = "text_to_html", completion, ["Moons", "planet"]
    # As published, in the reasoning, too.
    assert values_of(*asked, judged=JUDGED)["keyword_score"] == 1
    assert values_of(*asked, "corrected", judged=JUDGED) == {
        "syntax_score": 1,
        "syntax_score_published": 1,
        "keyword_score": 0.5,
        "vqa_score": 0.5,
        "structeval_score": pytest.approx(0.6),
        "structeval_score_published": 0.6,
        "judge_unreadable": 0,
        "judge_requests": 1,
        "judge_prompt_tokens": 900,
        "missing_resources": 0,
        **NO_ERRORS,
    }


def test_what_does_not_render_keeps_its_keywords(values_of):
    unseen = {**JUDGED, "vqa_score": 0.0, "requests": 0, "prompt_tokens": 0}
    values = values_of("text_to_html", "Moons", ["Moons"], failed=FAILED, judged=unseen)
    assert (values["syntax_score"], values["vqa_score"]) == (0, 0)
    assert values["structeval_score"] == pytest.approx(0.1)
    assert values["render_error_timeout"] == 1


@pytest.mark.parametrize(
    ("task", "kind", "syntax"),
    [
        ("text_to_react", "syntax", 1),
        ("text_to_react", "empty", 0),
        ("text_to_react", "timeout", 0),
        ("text_to_mermaid", "syntax", 0),
        ("text_to_tikz", "syntax", 0),
    ],
)
def test_a_page_that_threw_is_a_picture_by_the_published_rule(task, kind, syntax):
    unseen = {**JUDGED, "vqa_score": 0.0, "requests": 0, "prompt_tokens": 0}
    values = answer_scores(task, "Moons", ["Moons"], kind, unseen, "published")
    assert (values["syntax_score"], values["syntax_score_published"]) == (0, syntax)
    assert values["structeval_score"] == pytest.approx(0.1)
    assert values["structeval_score_published"] == pytest.approx(0.1 + 0.2 * syntax)


def test_without_a_judge_pictures_have_no_final_score(values_of):
    assert values_of("text_to_html", "Moons", ["Moons"]) == {
        "syntax_score": 1,
        "syntax_score_published": 1,
        "keyword_score": 1,
        "missing_resources": 0,
        **NO_ERRORS,
    }


@pytest.fixture
def annotate(tmp_path):
    return door.annotator(tmp_path, "structeval").annotate


def test_text_is_parsed_and_has_no_picture(annotate):
    (annotation,) = annotate(answered("text_to_json", "[1]", ["a"]))
    assert annotation.pop("scores")["syntax_score"] == 1
    assert annotation == {"text": "parsed as json"}
    for task, completion in (("text_to_json", "[]"), ("text_to_csv", "I'm sorry, I can't.")):
        (annotation,) = annotate(answered(task, completion, ["a"]))
        assert annotation["kind"] == "empty"
        assert "holds nothing" in annotation["error"]
    (annotation,) = annotate(answered("text_to_json", "[1", ["a"]))
    del annotation["scores"]
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
    assert location.parent == tmp_path / "score"
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
