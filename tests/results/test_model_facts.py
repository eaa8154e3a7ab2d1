"""The file that says which models are open, and how large: what is read of it, and what is refused."""

from time import perf_counter

import pytest

from helm_structext.errors import SetupError
from helm_structext.results.model_facts import FILE, ModelFacts, add_facts, read_facts
from helm_structext.results.tabular import Column, Table


@pytest.fixture
def read(tmp_path):
    def call(text: str | bytes) -> dict[str, ModelFacts]:
        (tmp_path / FILE).write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_facts(tmp_path)

    return call


def test_what_a_file_says(read, tmp_path):
    assert read_facts(tmp_path) == {}
    for nothing in ("", "# nothing yet\n", "models:\n"):
        assert read(nothing) == {}
    text = """
models:  # ours
  - {name: me/open, access: open, parameters: 0.5}
  - name: me/closed
    access: closed
  - name: structext/replay-mine
    parameters: 70
"""
    assert read(text) == {
        "me/open": ModelFacts("open", 0.5),
        "me/closed": ModelFacts("closed"),
        "structext/replay-mine": ModelFacts(parameters=70),
    }


ONE = "models: [{name: me/a, access: open}, %s]"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            ONE % "{name: me/b, access: free}",
            "entry 2: access: expected open or closed, got 'free'",
        ),
        (ONE % "{name: me/b, access: [open]}", "entry 2: access: expected open or closed"),
        (ONE % "{name: me/b, parameters: -7}", "entry 2: parameters: expected billions.*got -7"),
        (ONE % "{name: me/b, parameters: 0}", "above 0"),
        (ONE % "{name: me/b, parameters: .nan}", "got nan"),
        (ONE % "{name: me/b, parameters: .inf}", "got inf"),
        (ONE % "{name: me/b, parameters: 7000000000}", "up to 100,000, got 7000000000"),
        (ONE % ("{name: me/b, parameters: " + "9" * 4000 + "}"), "up to 100,000"),
        (ONE % "{name: me/b, parameters: yes}", "expected billions"),
        (ONE % "{name: me/b, parameters: 7B}", "got '7B'"),
        (ONE % "{name: me/b, acess: open}", "entry 2: expected name, access, parameters, got"),
        (ONE % "{access: open}", "entry 2: expected name"),
        (ONE % "me/b", "entry 2: expected name"),
        (ONE % "{name: me/a, parameters: 7}", "entry 2: me/a is there twice"),
        (ONE % "{name: me/b, name: me/c}", "duplicate key"),
        (ONE % "{name: b}", "entry 2: 'b' is no model name for HELM; write it as me/b"),
        (ONE % "{name: 'me/b,c'}", "no model name"),
        (ONE % "{name: 7}", "7 is no model name"),
        ("models: {me/a: open}", "holds no list models"),
        ("- {name: me/a, access: open}", "holds no list models"),
        ("me/a: open", "holds no list models"),
        ("models: [", "can't be read"),
        ("\tmodels:", "can't be read"),
        (b"models: \xff\xfe", "can't be read"),
        ("models: &a [*a]", "entry 1: expected name"),
        ("models: " + "[" * 50_000, "can't be read"),
        ("models: !!python/object/apply:os.system ['true']", "can't be read"),
        ("#" * 300_000, "more than 262,144 bytes"),
    ],
)
def test_what_can_not_be_true_is_refused_with_its_place(read, text, words):
    with pytest.raises(SetupError, match=words) as error:
        read(text)
    assert FILE in str(error.value)
    assert len(str(error.value)) < 1500


def test_a_folder_or_a_pipe_is_no_file(tmp_path):
    (tmp_path / FILE).mkdir()
    with pytest.raises(SetupError, match="not a file"):
        read_facts(tmp_path)


def test_a_file_as_large_as_may_be_is_read_in_seconds(read):
    lines = [f"  - {{name: me/model-{n}, access: open, parameters: {n}}}\n" for n in range(1, 3000)]
    begin = perf_counter()
    assert len(read("models:\n" + "".join(lines))) == len(lines)
    assert perf_counter() - begin < 30


def test_columns_stand_behind_the_models_and_only_where_something_is_known():
    table = Table("t", "T", "Note.", [Column("Model"), Column("EMS")], [["a", 0.5], ["b", 0.4]])
    assert add_facts(table, {}) is add_facts(table, {"c": ModelFacts("open", 7)}) is table
    other = Table("t", "T", "", [Column("Task")], [["a"]])
    assert add_facts(other, {"a": ModelFacts("open")}) is other
    both = add_facts(table, {"a": ModelFacts("open", 0.5), "b": ModelFacts("closed")})
    assert both.markdown().splitlines()[-2:] == [
        "| a     |   open |      0.5 | 0.500 |",
        "| b     | closed |        – | 0.400 |",
    ]
    assert both.note == "Note. Size: parameters in billions."
    assert both.csv().splitlines()[1] == "a,open,0.5,0.5"
