"""The annotator of all runs: what a scorer says of a completion, as HELM keeps and shows it."""

from dataclasses import replace
from pathlib import Path

import pytest
from helm.common.cache import SqliteCacheConfig

from helm_structext.errors import SetupError
from helm_structext.helm import annotator as module
from helm_structext.helm.annotator import MAX_LOG, ScoreAnnotator
from helm_structext.pictures import read_picture
from support.door import answered
from support.rows import png

pytestmark = pytest.mark.usefixtures("tiny_row")


@pytest.fixture
def annotator(tmp_path) -> ScoreAnnotator:
    return make(tmp_path)


def make(folder: Path, **arguments) -> ScoreAnnotator:
    cache = SqliteCacheConfig(str(folder / "cache.sqlite"))
    return ScoreAnnotator("tiny", str(folder / "shown"), cache, None, **arguments)


def test_it_says_what_was_read_and_all_scores_there_are_places_for(annotator):
    assert annotator.name == "reading"
    (found,) = annotator.annotate(answered("2", {}, target="2"))
    scores = {"right": 1.0, "speed": None, "internal_error": None}
    assert found == {"text": "read as 2", "scores": scores}


def test_the_rendering_is_copied_beside_helms_files_and_the_reference_follows(annotator, tmp_path):
    drawn, target = tmp_path / "drawn.png", tmp_path / "target.png"
    drawn.write_bytes(png((255, 255, 255)))
    target.write_bytes(png((0, 0, 0)))
    state = answered(f"drawn {drawn}", {}, target="2", target_picture=target)
    first, reference = annotator.annotate(state)
    assert first["seconds"] == 0.5
    shown = Path(first["media_object"].location)
    assert shown.parent == tmp_path / "shown"
    assert shown.read_bytes() == drawn.read_bytes()
    assert reference["text"] == "(reference)"
    assert reference["media_object"].location == str(target)


def test_boxes_are_drawn_on_the_picture_that_was_asked_about(annotator, tmp_path):
    asked = tmp_path / "asked.png"
    asked.write_bytes(png((255, 255, 255), (40, 40)))
    (found,) = annotator.annotate(answered("boxes", {}, picture=asked, target="2"))
    drawn = read_picture(Path(found["media_object"].location))
    assert drawn.size == (40, 40)
    assert drawn.getpixel((0, 10)) != (255, 255, 255)
    assert drawn.getpixel((30, 30)) == (255, 255, 255)
    (found,) = annotator.annotate(answered("boxes", {}, target="2"))  # about no picture
    assert "media_object" not in found


def test_the_model_s_failure_keeps_its_scores_its_kind_and_the_end_of_its_log(annotator):
    (found,) = annotator.annotate(answered("unreadable", {}, target="2"))
    assert (found["error"], found["kind"]) == ("syntax: what?", "syntax")
    assert len(found["log"]) == MAX_LOG
    assert found["log"].endswith("the end")
    assert found["scores"]["right"] == 0.0


def test_our_failure_costs_one_answer_its_scores_and_no_other(annotator, tmp_path, caplog):
    target = tmp_path / "target.png"
    target.write_bytes(png())
    state = answered("bug", {}, target="2", target_picture=target)
    found, reference = annotator.annotate(state)
    assert (found["error"], found["kind"]) == (
        *("internal: ZeroDivisionError: of ours", "internal"),
    )
    assert "in score" in found["log"]
    assert found["scores"] == {"right": None, "speed": None, "internal_error": 1.0}
    assert reference["text"] == "(reference)"
    assert "reading of instance id7 (me/model) could not be handled" in caplog.text
    (found,) = annotator.annotate(answered("2", {}, target="2"))
    assert found["scores"]["right"] == 1.0


def test_the_machine_s_failure_stops_the_run(annotator):
    with pytest.raises(SetupError, match="the disk is full"):
        annotator.annotate(answered("full", {}, target="2"))


def test_an_answer_that_is_not_there_is_scored_as_it_is(annotator):
    """So HELM has what a filter of a provider's withheld, or an instance without a reference."""
    (found,) = annotator.annotate(answered("", {}, target="2"))
    assert found["scores"]["right"] == 0.0
    (found,) = annotator.annotate(answered("2", {}))
    assert found["scores"]["right"] == 0.0


def test_what_takes_long_is_remembered_for_the_next_time(annotator, tmp_path, monkeypatch):
    state = answered("slow", {}, target="2")
    first = annotator.annotate(state)
    computed = []
    get = module.Cache.get

    def counted(cache, key, compute):
        return get(cache, key, lambda: computed.append(key) or compute())

    monkeypatch.setattr(module.Cache, "get", counted)
    assert annotator.annotate(state) == first
    assert make(tmp_path).annotate(state) == first
    assert computed == []
    (tmp_path / "elsewhere").mkdir()
    assert make(tmp_path / "elsewhere").annotate(state) == first
    assert computed == [{"what": "slow"}]


def test_a_judge_is_looked_for_before_a_model_is_asked(tmp_path, monkeypatch):
    class Judge:
        def __init__(self, name, client, pictures):
            self.name = name

        def prepare(self):
            raise SetupError(f"{self.name} has no key")

    monkeypatch.setattr(module, "ModelJudge", Judge)
    annotator = make(tmp_path, judge="me/judge")
    with pytest.raises(SetupError, match="me/judge has no key"):
        annotator.prepare()
    found, verdict = annotator.annotate(answered("judged", {}, target="2"))
    assert verdict == {"judge": "me/judge", "answers": [True]}
    assert found["scores"]["right"] == 0.0
    make(tmp_path).prepare()  # which has none


def test_what_was_asked_reaches_the_scorer(annotator, monkeypatch):
    got = []
    recall = annotator._scorer.recall
    annotator._scorer = replace(
        annotator._scorer, recall=lambda kept: got.append(kept) or recall(kept)
    )
    annotator.annotate(answered("2", {"hint": "even", "assets": {"a": "/b/c"}}, target="2"))
    (kept,) = got
    assert (kept.id, kept.target, kept.assets) == ("id7 (me/model)", "2", {"a": Path("/b/c")})
    assert kept.details["hint"] == "even"
