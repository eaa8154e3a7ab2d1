"""What is known of runs by the questions that a benchmark asks."""

from helm_structext.planning.inputs import expect, plan_inputs
from helm_structext.planning.records import Dataset, Expected
from helm_structext.scoring.scorer import Input, InstanceKey
from support.rows import png

KEY = InstanceKey("", "1")
DATASET = Dataset("me/dates", "default", ("train",), "main")


def test_pictures_and_formats_that_are_rendered_count():
    asked = Input(KEY, "Draw it" + "!" * 33, "latex", picture=png(size=(280, 560)), oracle="x" * 30)
    assert expect(asked) == Expected(10 + 200, 10, pictures=1, format="latex")
    assert expect(Input(KEY, "Four", "json")) == Expected(1, None)
    assert expect(Input(KEY, "Four", "a format of its own")) == Expected(1, None)


def test_a_source_is_read_once_for_all_models():
    asked = []

    def inputs(arguments):
        asked.append(arguments)
        return [Input(KEY, "Four", "date")] * 3

    planning = plan_inputs(inputs, None, 0)
    for _ in range(2):
        assert len(planning.expected({"source": "sample"})) == 3
    assert asked == [{"source": "sample"}]
    assert planning.datasets({"source": "hub"}) == []
    assert planning.published({"source": "folder"}) == (0, {"source": "folder"})


def test_published_data_is_like_the_sample_until_it_is_here():
    planning = plan_inputs(lambda arguments: [], DATASET, 1000)
    arguments = {"source": "hub", "revision": "v2", "style": "all"}
    assert planning.datasets(arguments) == [DATASET._replace(revision="v2")]
    assert planning.published(arguments) == (1000, {"source": "sample", "style": "all"})
