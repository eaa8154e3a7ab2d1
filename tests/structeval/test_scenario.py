"""StructEval's rows as instances, and its run entries."""

import json
from pathlib import Path

import pytest
import yaml
from helm.benchmark.presentation.run_entry import read_run_entries
from helm.benchmark.run_spec_factory import construct_run_specs
from helm.common.cache import BlackHoleCacheConfig
from helm.common.object_spec import parse_object_spec
from helm.common.request import Request
from helm.proxy.retry import NonRetriableException

from helm_structext.cli.init import sample_replays
from helm_structext.data import Row
from helm_structext.errors import SetupError
from helm_structext.extraction import extract
from helm_structext.formats import FORMATS
from helm_structext.helm import plugin  # noqa: F401  (registers the run entries)
from helm_structext.models import clients
from helm_structext.models.answer_index import read_answer, request_key
from helm_structext.protocols import PROTOCOLS
from helm_structext.structeval.rows import load_questions, read_question
from helm_structext.structeval.run_specs import structeval
from helm_structext.structeval.scores import METRICS
from helm_structext.structeval.tasks import SUBSETS, TASKS, blank_answer, prompt_of
from support import ROOT, door
from support.structeval_rows import structeval_row, write_rows

TABLE_4 = """\
Name Jupiter's moons.

IMPORTANT: Only output the required output format. You must start the format/code with \
<|BEGIN_CODE|> and end the format/code with <|END_CODE|>. No other text output (explanation, \
comments, etc.) are allowed.

Do not use markdown code fences"""


def instances(source: Path, folder: Path, task: str = "all", subset: str = "all"):
    return door.instances(folder, "structeval", task=task, subset=subset, source=str(source))


def test_an_instance_says_what_annotators_and_metrics_need(tmp_path):
    rows = [
        structeval_row("text_to_json", 7, query="Name Jupiter's moons."),
        structeval_row("text_to_tikz", 3, oracle_structure=r"\draw;"),
    ]
    source = write_rows(tmp_path / "data", rows)
    (json_instance,) = instances(source, tmp_path / "out", "text_to_json")
    assert json_instance.id == "000507"
    assert json_instance.input.text == "Name Jupiter's moons."
    assert json_instance.references == []
    assert (json_instance.split, json_instance.sub_split) == ("test", None)
    assert json_instance.extra_data == {
        "task": "text_to_json",
        "task_id": "000507",
        "format": "json",
        "keywords": ["planet.name"],
        "vqa": [],
    }
    (tikz_instance,) = instances(source, tmp_path / "out", "text_to_tikz")
    assert tikz_instance.references[0].output.text == r"\draw;"
    assert tikz_instance.extra_data["format"] == "tikz"
    assert tikz_instance.extra_data["keywords"] == ["Moons", "planet"]
    assert tikz_instance.extra_data["vqa"] == [{"question": "What is written?", "answer": "Moons"}]
    answer = read_answer(tmp_path / "out" / "answers", request_key(TABLE_4, []))
    assert (answer.instance, answer.format, answer.oracle) == ("000507", "json", None)
    assert (answer.blank, answer.reader) == ("<|BEGIN_CODE|>\n{}\n<|END_CODE|>", None)


def test_several_tasks_are_sub_splits(tmp_path):
    rows = [structeval_row(task, number) for number in (0, 1) for task in TASKS]
    source = write_rows(tmp_path / "data", rows)
    for subset in SUBSETS:
        tasks = [name for name, task in TASKS.items() if task.subset == subset]
        ours = instances(source, tmp_path / "out", subset=subset)
        assert [instance.sub_split for instance in ours] == tasks * 2
    assert len(instances(source, tmp_path / "out")) == 88


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"task_name": "Text to Cobol"}, "task_name 'Text to Cobol' is unknown; .* Text to JSON"),
        ({"task_name": ...}, "no column 'task_name'"),
        ({"query": ...}, "no column 'query'"),
        ({"query": None}, "no value in column 'query'"),
        ({"task_id": ...}, "no column 'task_id'"),
        ({"VQA": ...}, "no column 'VQA'"),
        ({"VQA": None}, "no value in column 'VQA'"),
        ({"VQA": "[]"}, "column 'VQA' should hold a list, not str"),
        ({"VQA": [{"question": "?", "answer": None}]}, "column 'VQA' should hold pairs"),
        ({"VQA": [{"question": "?"}]}, "column 'VQA' should hold pairs"),
        ({"VQA": [None]}, "column 'VQA' should hold pairs"),
        ({"raw_output_metric": None}, "no value in column 'raw_output_metric'"),
        ({"raw_output_metric": []}, "'raw_output_metric': there is no path"),
        ({"raw_output_metric": [None]}, "'raw_output_metric' should hold texts"),
        ({"raw_output_metric": ["a[0"]}, r"'raw_output_metric': path 'a\[0' has a \["),
    ],
)
def test_a_bad_row_is_named(changes, message):
    row = Row(structeval_row("text_to_json", 0, **changes), "row 5 of train.parquet")
    with pytest.raises(SetupError, match=f"row 5 of train.parquet.*{message}"):
        read_question(row)


def test_keywords_of_pictures_are_no_paths():
    row = Row(structeval_row("text_to_html", 0, raw_output_metric=["a[0", "<h1>"]), "row 0")
    assert read_question(row).keywords == ["a[0", "<h1>"]


def test_a_task_without_rows_and_a_task_id_twice_are_errors(tmp_path):
    source = write_rows(tmp_path / "a", [structeval_row("text_to_json")])
    with pytest.raises(SetupError, match=r"source=.*a has no row of task text_to_csv"):
        instances(source, tmp_path / "out", "text_to_csv")
    source = write_rows(tmp_path / "b", [structeval_row("text_to_json")] * 2)
    with pytest.raises(
        SetupError, match=r"row 1 of .* has the task_id of an earlier row, '000500'"
    ):
        instances(source, tmp_path / "out", "text_to_json")


def test_a_bad_row_of_another_task_does_no_harm(tmp_path):
    rows = [structeval_row("text_to_json"), structeval_row("text_to_csv", raw_output_metric=[])]
    source = write_rows(tmp_path / "data", rows)
    assert len(instances(source, tmp_path / "out", "text_to_json")) == 1
    with pytest.raises(SetupError, match="row 1 of"):
        instances(source, tmp_path / "out", "text_to_csv")


def test_the_embedded_replays_have_the_keys_of_the_prompts():
    questions = {question.id: question for question in load_questions("sample", TASKS)}
    assert {question.task for question in questions.values()} == set(TASKS)
    for name, replay in sample_replays().items():
        lines = [json.loads(line) for line in replay.decode().splitlines()]
        ours = {line["instance"]: line for line in lines if line["instance"] in questions}
        assert ours.keys() == questions.keys(), name
        for id, line in ours.items():
            prompt = TABLE_4.replace("Name Jupiter's moons.", questions[id].query)
            assert line["key"] == request_key(prompt, [])


def test_the_ocr_model_has_nothing_to_read(tmp_path, monkeypatch):
    monkeypatch.setattr(clients, "get_benchmark_output_path", lambda: str(tmp_path))
    source = write_rows(tmp_path / "data", [structeval_row("text_to_json")])
    (instance,) = instances(source, tmp_path / "scenarios" / "structeval", "text_to_json")
    request = Request(model="structext/ocr", prompt=prompt_of(instance.input.text))
    assert clients.BlankClient().make_request(request).completions[0].text == blank_answer("json")
    with pytest.raises(NonRetriableException, match="instance 000500 has none to read"):
        clients.OcrClient(BlackHoleCacheConfig()).make_request(request)


def spec_of(entry: str):
    (spec,) = construct_run_specs(parse_object_spec(f"{entry},model=structext/oracle"))
    return spec


def test_the_prompt_and_decoding_are_the_published_ones():
    adapter = structeval().adapter_spec
    assert adapter.method == "generation"
    assert adapter.input_prefix + "Name Jupiter's moons." + adapter.input_suffix == TABLE_4
    assert (adapter.instructions, adapter.output_prefix, adapter.stop_sequences) == ("", "", [])
    assert (adapter.temperature, adapter.num_outputs, adapter.max_train_instances) == (0, 1, 0)
    longer = spec_of("structeval:task=text_to_json,num_output_tokens=20000")
    assert longer.adapter_spec.max_tokens == 20000


@pytest.mark.parametrize(
    ("entry", "name", "judge"),
    [
        ("task=text_to_json", "task=text_to_json,source=hub,protocol=published", None),
        ("subset=t_conversion", "subset=t_conversion,source=hub,protocol=published", None),
        (
            "task=text_to_html",
            "task=text_to_html,source=hub,protocol=published,judge=openai_gpt-4.1-mini",
            "openai/gpt-4.1-mini",
        ),
        (
            "task=text_to_html,subset=v_generation,judge=none",
            "task=text_to_html,source=hub,protocol=published,judge=none",
            None,
        ),
        (
            "source=sample,protocol=corrected,judge=structext/ocr-judge",
            "task=all,source=sample,protocol=corrected,judge=structext_ocr-judge",
            "structext/ocr-judge",
        ),
    ],
)
def test_the_name_says_everything_and_only_pictures_have_a_judge(entry, name, judge):
    spec = spec_of(f"structeval:{entry}")
    assert spec.name == f"structeval:{name},model=structext_oracle"
    protocol = "corrected" if "corrected" in entry else "published"
    (annotator,) = spec.annotators
    assert (annotator.args["protocol"], annotator.args.get("judge")) == (protocol, judge)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"task": "text_to_cobol"}, ["task=text_to_cobol", "text_to_json", "react_to_angular"]),
        ({"subset": "generation"}, ["subset=generation", "t_generation", "v_conversion"]),
        ({"protocol": "mine"}, ["protocol=mine", "published", "corrected"]),
        ({"task": "text_to_json", "subset": "v_generation"}, ["subset=t_generation"]),
        ({"source": "a,b"}, ["comma"]),
    ],
)
def test_an_unknown_argument_names_the_allowed_ones(arguments, words):
    with pytest.raises(SetupError) as caught:
        structeval(**arguments)
    assert all(word in str(caught.value) for word in words)


JUDGES = ("default", "none", "structext/ocr-judge", "me/judge")
ENTRIES = [{"task": task} for task in (*TASKS, "all")] + [{"subset": name} for name in SUBSETS]


def test_groups_never_mix_protocols_nor_judges_of_pictures():
    conditions: dict[str, set] = {}
    for protocol in PROTOCOLS:
        for judge in JUDGES:
            for entry in ENTRIES:
                spec = structeval(**entry, protocol=protocol, judge=judge)
                judged = spec.arguments.judge
                text = "judge=" not in spec.name
                for group in spec.groups:
                    conditions.setdefault(group, set()).add((protocol, text, judged))
    assert all(len(found) == 1 for found in conditions.values()), conditions
    schema = yaml.safe_load((ROOT / "schema.yaml").read_text())
    known = {group["name"] for group in schema["run_groups"]}
    assert conditions.keys() <= known
    shown = {name for group in schema["run_groups"] for name in group.get("subgroups", ())}
    assert conditions.keys() <= shown <= known


def test_the_schema_has_every_metric_on_the_split_of_the_instances():
    schema = yaml.safe_load((ROOT / "schema.yaml").read_text())
    assert set(METRICS) <= {metric["name"] for metric in schema["metrics"]}
    shown = {
        (metric["name"], metric["split"])
        for group in schema["metric_groups"]
        if group["name"].startswith("structeval_")
        for metric in group["metrics"]
    }
    assert {(name, "test") for name in METRICS} <= shown
    assert {split for _, split in shown} == {"test"}
    splits = [g["sub_splits"] for g in schema["run_groups"] if g["name"] == "structeval_all"]
    assert splits == [list(TASKS)]


def test_the_conf_file_lists_all_tasks():
    entries = read_run_entries([str(ROOT / "run_specs" / "structeval.conf")]).entries
    tasks = [parse_object_spec(entry.description).args["task"] for entry in entries]
    assert tasks == list(TASKS)
    assert {entry.priority for entry in entries} == {1, 2, 3}


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("format", sorted({task.format for task in TASKS.values()}))
def test_the_code_of_a_blank_answer_is_the_formats_own(format, protocol):
    assert extract(blank_answer(format), format, protocol) == FORMATS[format].blank.strip()
