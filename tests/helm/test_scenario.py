"""The scenario of all runs: what a scorer asks becomes HELM's instances, and nothing is lost on the way."""

from pathlib import Path

import pytest
from helm.benchmark.scenarios.scenario import CORRECT_TAG

from helm_structext.errors import SetupError
from helm_structext.helm.annotator import kept_of
from helm_structext.helm.scenario import BenchmarkScenario
from helm_structext.models.answer_index import KnownAnswer, read_answer, request_key
from support.tiny import PICTURE, QUESTIONS, TARGET

pytestmark = pytest.mark.usefixtures("tiny_row")


@pytest.fixture
def instances(tmp_path):
    return BenchmarkScenario("tiny").get_instances(str(tmp_path))


def test_an_instance_for_each_question_in_their_order(instances):
    assert [instance.id for instance in instances] == ["s1", "p1", "p2"]
    assert {instance.split for instance in instances} == {"valid"}


def test_parts_are_sub_splits_where_a_run_has_several(instances, tmp_path):
    assert [instance.sub_split for instance in instances] == ["sums", "pictures", "pictures"]
    whole = BenchmarkScenario("tiny", parted=False).get_instances(str(tmp_path))
    assert {instance.sub_split for instance in whole} == {None}


def test_words_alone_are_text_and_with_a_picture_they_stand_before_it(instances, tmp_path):
    words, pictured, _ = (instance.input for instance in instances)
    assert (words.text, words.multimedia_content) == ("1 + 1?", None)
    said, shown = pictured.multimedia_content.media_objects
    assert (said.text, said.content_type) == ("How many?", "text/plain")
    assert shown.content_type == "image/png"
    assert Path(shown.location).read_bytes() == PICTURE
    assert Path(shown.location).parent == tmp_path / "images"


def test_the_reference_is_text_with_its_picture_and_none_where_nothing_is_known(instances):
    of_words, of_picture, none = (instance.references for instance in instances)
    assert none == []
    assert [(one.output.text, one.tags) for one in (*of_words, *of_picture)] == [
        *(("2", [CORRECT_TAG]), ("3", [CORRECT_TAG]))
    ]
    assert of_words[0].output.multimedia_content is None
    (shown,) = of_picture[0].output.multimedia_content.media_objects
    assert Path(shown.location).read_bytes() == TARGET


def test_details_assets_and_data_lie_beside_the_instance(instances, tmp_path):
    words, pictured, bare = (instance.extra_data for instance in instances)
    assert (words, bare) == ({"hint": "even"}, {})
    assets = pictured.pop("assets")
    assert pictured == {"dataset": "me/tiny@0123"}
    assert {name: Path(path).read_bytes() for name, path in assets.items()} == {"in/a.txt": b"one"}
    assert Path(assets["in/a.txt"]).parent == tmp_path / "assets"  # whatever its name says


def test_offline_models_find_their_answers_by_what_is_asked(instances, tmp_path):
    key = request_key("1 + 1? Only a number.", [])
    assert read_answer(tmp_path / "answers", key) == KnownAnswer("s1", "number", "two", "none")
    key = request_key("How many? Only a number.", [PICTURE])
    assert read_answer(tmp_path / "answers", key) == KnownAnswer("p1", "number", None, "")
    assert read_answer(tmp_path / "answers", request_key("How many? Only a number.", [])) is None


def test_scorers_get_back_what_they_asked(instances):
    for asked, instance in zip(QUESTIONS, instances, strict=True):
        kept = kept_of(instance, "a name")
        assert (kept.id, kept.target) == ("a name", asked.target or "")
        assert (kept.picture and kept.picture.read_bytes()) == asked.picture
        assert (kept.target_picture and kept.target_picture.read_bytes()) == asked.target_picture
        assert {name: path.read_bytes() for name, path in kept.assets.items()} == asked.assets
        assert asked.details.items() <= kept.details.items()


def test_data_that_can_t_be_read_stops_the_run(tmp_path, monkeypatch):
    def fail():
        raise SetupError("there is no such folder")

    scenario = BenchmarkScenario("tiny")
    object.__setattr__(scenario._scorer, "inputs", fail)
    with pytest.raises(SetupError, match="no such folder"):
        scenario.get_instances(str(tmp_path))


def test_a_run_of_no_benchmark_or_with_unknown_arguments_is_a_mistake():
    with pytest.raises(StopIteration):
        BenchmarkScenario("huge")
    with pytest.raises(TypeError, match="size"):
        BenchmarkScenario("tiny", size=3)
