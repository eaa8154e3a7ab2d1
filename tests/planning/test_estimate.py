"""What runs take, as sums of what is expected of their instances."""

from dataclasses import replace

import pytest

from helm_structext.data.sources import PUBLISHED_SIZES
from helm_structext.errors import SetupError
from helm_structext.planning import estimate
from helm_structext.planning.estimate import Data, Load, PlannedRun, hours, plan_load
from helm_structext.planning.records import Dataset, Expected, Planning

CSS = Dataset("stanford-crfm/image2struct-webpage-v1", "css", ("validation",), "main")
OTHER = Dataset("me/other", "default", ("train",), "main")
INSTANCES = [
    Expected(tokens_in=200, tokens_out=100, pictures=1, format="latex"),
    Expected(tokens_in=400, tokens_out=300, pictures=1, format="latex"),
]
SAMPLE = [Expected(tokens_in=11, tokens_out=10, pictures=1, format="latex")]
RUN = PlannedRun("a:b=c", "a", "me/my-vlm", {"source": "folder"})


def planning(expected=INSTANCES, datasets=(CSS,), published=300) -> Planning:
    return Planning(
        datasets=lambda _: datasets,
        expected=lambda arguments: SAMPLE if arguments["source"] == "sample" else expected,
        published=lambda _: (published, {"source": "sample"}),
    )


def load_of(run=RUN, data=None, **changes) -> Load:
    return plan_load(run, planning(**changes), data or Data())


def test_everything_is_summed():
    assert load_of() == Load(
        runs=1,
        instances=2,
        pictures=2,
        tokens_in=200 + 400,
        tokens_out=100 + 300,
        renderings={"latex": 2},
    )


def test_instructions_count_for_each_request():
    assert load_of(replace(RUN, instructions=10)).tokens_in == load_of().tokens_in + 2 * 10


def test_of_fewer_instances_an_even_share_counts():
    half, whole = load_of(replace(RUN, max_instances=1)), load_of()
    assert (half.instances, half.tokens_in) == (1, whole.tokens_in / 2)
    assert half.renderings == {"latex": 1}
    assert load_of(replace(RUN, max_instances=99)) == whole


def test_no_answer_is_longer_than_the_limit():
    assert load_of(replace(RUN, max_tokens=150)).tokens_out == 100 + 150


def test_answers_that_the_data_lacks_are_as_long_as_others_or_those_of_the_sample():
    unknown = replace(INSTANCES[0], tokens_out=None)
    assert load_of(expected=[unknown, INSTANCES[1]]).tokens_out == 2 * 300
    assert load_of(expected=[unknown, unknown]).tokens_out == 2 * 10


def test_models_on_this_machine_take_no_tokens():
    load = load_of(replace(RUN, model="structext/oracle"))
    assert (load.instances, load.pictures, load.tokens_in, load.tokens_out) == (2, 2, 0, 0)
    assert load.renderings == {"latex": 2}


def test_a_judge_is_asked_about_pictures_with_questions():
    asked = Expected(tokens_in=4, tokens_out=3, format="svg", judge_in=400, judge_out=11)
    text = Expected(tokens_in=4, tokens_out=3)
    run = replace(RUN, judge="openai/gpt-4.1-mini")
    assert load_of(run, expected=[asked, text, asked]).judged == {
        "openai/gpt-4.1-mini": [2, 2 * 400, 2 * 11]
    }
    assert load_of(run, expected=[text]).judged == {}
    offline = load_of(replace(run, judge="structext/ocr-judge"), expected=[asked])
    assert offline.judged == {"structext/ocr-judge": [1, 0, 0]}


def test_a_folder_without_instances_is_an_error_that_names_the_run():
    with pytest.raises(SetupError, match="a:b=c"):
        load_of(expected=[])


def hub(monkeypatch, answers) -> list[Dataset]:
    """Lets the Hub answer for each dataset: files that are missing, or why it can't be asked."""
    asked = []

    def missing_files(*dataset):
        asked.append(Dataset(*dataset))
        answer = answers[asked[-1]]
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(estimate, "missing_files", missing_files)
    return asked


HUB = replace(RUN, arguments={"source": "hub"})


def test_data_on_this_disk_is_read(monkeypatch):
    hub(monkeypatch, {CSS: {}})
    data = Data()
    assert load_of(HUB, data) == load_of()
    assert (data.downloads, data.here, data.guessed) == ({}, {CSS}, 0)


def test_missing_data_is_taken_to_be_as_many_instances_as_published_like_the_sample(monkeypatch):
    asked = hub(monkeypatch, {CSS: {"a": 100, "b": 50}, OTHER: {"c": None}})
    data = Data()
    load = load_of(HUB, data, datasets=(CSS, OTHER))
    load_of(HUB, data, datasets=(CSS, OTHER))
    assert (load.instances, load.pictures) == (300, 300)
    assert load.tokens_in == pytest.approx(300 * 11)
    assert data.downloads == {CSS: 150, OTHER: None}
    assert data.guessed == 2
    assert asked == [CSS, OTHER], "each is asked for once"


def test_without_the_hub_sizes_are_those_of_a_table(monkeypatch):
    gone = SetupError("source=hub: it can't be reached")
    hub(monkeypatch, {CSS: gone, OTHER: gone})
    data = Data()
    load_of(HUB, data, datasets=(CSS, OTHER))
    assert data.downloads == {CSS: PUBLISHED_SIZES[CSS.name, "css"], OTHER: None}
    assert data.reasons == [str(gone)]


def test_sums_of_loads():
    load = replace(load_of(), judged={"j": [1, 2, 3]})
    total = Load.total([load, load, Load(renderings={"svg": 1}, judged={"k": [1, 1, 1]})])
    assert total.tokens_in == 2 * load.tokens_in
    assert total.renderings == {"latex": 4, "svg": 1}
    assert total.judged == {"j": [2, 4, 6], "k": [1, 1, 1]}


def test_hours_are_unknown_where_a_format_is():
    assert hours({"latex": 3600, "svg": 1800}, {"latex": 1, "svg": 2, "vue": 9}) == 2
    assert hours({"latex": 1, "svg": 1}, {"latex": 1}) is None
    assert hours({}, {}) == 0
