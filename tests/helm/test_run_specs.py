from dataclasses import asdict

import pytest
import yaml
from helm.benchmark.presentation.run_entry import read_run_entries
from helm.benchmark.run import run_entries_to_run_specs
from helm.benchmark.run_spec import get_run_spec_function
from helm.benchmark.run_spec_factory import construct_run_specs
from helm.common.object_spec import parse_object_spec

from helm_structext.benchmarks import BENCHMARKS, run_of_entry
from helm_structext.errors import SetupError
from helm_structext.helm import plugin  # noqa: F401  (registers the run entries)
from helm_structext.image2struct.run_specs import image2struct_latex
from helm_structext.image2struct.tasks import DIFFICULTIES, PUBLISHED_DOMAINS
from helm_structext.mmr.run_specs import mmr
from helm_structext.mmr.scores import LENIENT_METRICS, METRICS
from helm_structext.mmr.tasks import TASKS
from helm_structext.protocols import PROTOCOLS
from helm_structext.run_entries import parse_run_entry
from support import ROOT


def test_the_run_entries_are_those_of_the_table_of_benchmarks():
    """By these names finished runs are recognized."""
    for benchmark in BENCHMARKS:
        for name in benchmark.entries:
            function = get_run_spec_function(name)
            assert function is not None
            assert function.__module__ == f"helm_structext.{benchmark.name}.run_specs"
    folders = {file.parent.name for file in (ROOT / "src").glob("*/*/run_specs.py")}
    assert folders == {benchmark.name for benchmark in BENCHMARKS}


def specs_of(entry: str):
    return construct_run_specs(parse_object_spec(entry))


def test_the_name_says_everything_that_changes_the_numbers():
    (spec,) = specs_of(
        "image2struct_latex:subset=table,difficulty=hard,source=sample,protocol=corrected,"
        "model=structext/oracle"
    )
    assert spec.name == (
        "image2struct_latex:subset=table,difficulty=hard,source=sample,protocol=corrected,"
        "model=structext_oracle"
    )


def test_prompt_and_decoding_are_the_published_ones():
    adapter = image2struct_latex(subset="plot").adapter_spec
    assert adapter.instructions == (
        "Just give a short answer without answering in a complete sentence."
    )
    assert (adapter.max_tokens, adapter.temperature, adapter.num_outputs) == (2000, 0, 1)
    assert (adapter.stop_sequences, adapter.max_train_instances) == ([], 0)


def test_protocols_never_share_a_group():
    groups = {
        protocol: {
            group
            for subset in ("all", "equation", "wild")
            for group in image2struct_latex(subset=subset, protocol=protocol).groups
        }
        for protocol in ("published", "corrected")
    }
    assert not groups["published"] & groups["corrected"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"subset": "poem"}, ["subset=poem", "equation", "wild"]),
        ({"difficulty": "huge"}, ["difficulty=huge", "easy", "medium", "hard"]),
        ({"protocol": "mine"}, ["protocol=mine", "published", "corrected"]),
        ({"perturbation": "rain"}, ["perturbation=rain", "scan", "noise"]),
        ({"perturbation": "blur", "severity": 6}, ["severity=6", "1", "5"]),
        ({"wording": "absent.txt"}, ["wording=absent.txt", "default", "cot"]),
        ({"source": "a,b"}, ["comma"]),
        ({"source": 7}, ["./7"]),
    ],
)
def test_an_unknown_argument_names_the_allowed_ones(arguments, words):
    with pytest.raises(SetupError) as caught:
        image2struct_latex(**arguments)
    assert all(word in str(caught.value) for word in words)


@pytest.mark.parametrize(
    ("entry", "meant"),
    [
        ("image2struct_latex:sorce=sample", "source"),
        ("image2struct_webpage:dificulty=easy", "difficulty"),
        ("image2struct_music:name=x", "subset"),
        ("mmr:tasks=font_size", "task"),
        ("mmr:Task=font_size", "task"),
        ("structeval:judges=none", "judge"),
        ("structeval:difficulty=easy", "subset"),
    ],
)
def test_an_argument_that_no_entry_has_is_named_with_the_nearest_one(entry, meant):
    unknown = entry.partition(":")[2].partition("=")[0]
    with pytest.raises(SetupError, match=f"{unknown}= is unknown; did you mean ") as caught:
        specs_of(f"{entry},model=structext/blank")
    assert f" {meant}=? The arguments are " in str(caught.value)


def test_experiments_are_named_and_stay_out_of_the_tables(tmp_path):
    (tmp_path / "polite.txt").write_text("Would you kindly answer?\n")
    plain = image2struct_latex(subset="table")
    blurred = image2struct_latex(subset="table", perturbation="blur", severity=4)
    polite = image2struct_latex(subset="table", wording=str(tmp_path / "polite.txt"))
    cot = image2struct_latex(subset="table", wording="cot")
    assert blurred.name == f"{plain.name},perturbation=blur,severity=4"
    assert polite.name.startswith(f"{plain.name},wording=polite-")
    assert polite.adapter_spec.instructions == "Would you kindly answer?"
    assert "step by step" in cot.adapter_spec.instructions
    for spec in (blurred, polite, cot):
        assert not set(spec.groups) & set(plain.groups)


def test_a_folder_becomes_a_short_label(tmp_path):
    spec = image2struct_latex(subset="equation", source=str(tmp_path))
    assert f"source={tmp_path.name}-" in spec.name
    assert str(tmp_path) not in spec.name
    assert spec.arguments.source == str(tmp_path)


@pytest.mark.parametrize("conf", sorted((ROOT / "run_specs").glob("*.conf")), ids=lambda p: p.name)
def test_every_entry_of_the_conf_files_is_valid_and_in_the_schema(conf):
    schema = yaml.safe_load((ROOT / "schema.yaml").read_text())
    known = {group["name"] for group in schema["run_groups"]}
    entries = read_run_entries([str(conf)]).entries
    for entry in entries:
        model = "" if "structext/" in entry.description else "structext/blank"
        spec = parse_object_spec(entry.description)
        if model:
            spec.args["model"] = model
        for run_spec in construct_run_specs(spec):
            assert set(run_spec.groups) <= known, entry.description
    assert entries


def test_the_schema_has_every_group_of_every_run():
    schema = yaml.safe_load((ROOT / "schema.yaml").read_text())
    known = {group["name"] for group in schema["run_groups"]}
    for name, domain in PUBLISHED_DOMAINS.items():
        for subset in ("all", *domain.subsets, *domain.wild_subsets):
            for difficulty in DIFFICULTIES:
                for protocol in PROTOCOLS:
                    entry = get_run_spec_function(name)
                    for more in ({}, {"perturbation": "blur"}, {"wording": "cot"}):
                        spec = entry(
                            subset=subset, difficulty=difficulty, protocol=protocol, **more
                        )
                        assert set(spec.groups) <= known


def test_the_conf_file_covers_every_published_subset_and_difficulty():
    entries = read_run_entries([str(ROOT / "run_specs" / "image2struct.conf")]).entries
    covered = {
        (spec.class_name, spec.args["subset"], spec.args.get("difficulty", "all"))
        for spec in (parse_object_spec(entry.description) for entry in entries)
    }
    for name, domain in PUBLISHED_DOMAINS.items():
        for subset in domain.subsets:
            assert {(name, subset, d) for d in ("easy", "medium", "hard")} <= covered


def test_mmr_has_a_group_for_each_task_and_never_mixes_prompts():
    assert mmr(task="font_size").groups == ["mmr_font_size"]
    assert mmr().groups == ["mmr_all"]
    assert mmr(system="none").groups == ["mmr_system_none"]


def test_the_name_of_an_mmr_run_says_everything_that_changes_the_numbers():
    (spec,) = specs_of(
        "mmr:task=grounding_o,source=sample,limit=5,system=none,lenient=pixel,model=structext/ocr"
    )
    assert spec.name == (
        "mmr:task=grounding_o,source=sample,limit=5,system=none,lenient=pixel,model=structext_ocr"
    )
    (adapter, scenario) = (spec.adapter_spec, spec.scenario_spec.args)
    assert (adapter.instructions, adapter.temperature, adapter.max_tokens) == ("", 0, 800)
    assert scenario["limit"] == 5
    assert scenario["lenient"] == spec.annotators[0].args["lenient"] == "pixel"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"task": "counting"}, ["task=counting", "font_color", "all"]),
        ({"system": "mine"}, ["system=mine", "scale", "none"]),
        ({"lenient": "guess"}, ["lenient=guess", "fraction", "thousand", "pixel"]),
        ({"limit": 0}, ["limit=0", "whole number"]),
        ({"limit": 2.5}, ["limit=2.5", "whole number"]),
        ({"limit": "many"}, ["limit=many", "whole number"]),
        ({"source": 7}, ["source=7", "./7"]),
    ],
)
def test_unknown_values_of_an_mmr_entry_are_named(arguments, words):
    with pytest.raises(SetupError) as raised:
        mmr(**arguments)
    assert all(word in str(raised.value) for word in words)


def test_the_schema_has_every_group_of_every_mmr_run():
    schema = yaml.safe_load((ROOT / "schema.yaml").read_text())
    known = {group["name"] for group in schema["run_groups"]}
    for task in ("all", *TASKS):
        for system in ("scale", "none"):
            assert set(mmr(task=task, system=system).groups) <= known


def test_the_schema_has_every_mmr_metric_on_the_split_of_the_instances():
    schema = yaml.safe_load((ROOT / "schema.yaml").read_text())
    known = {metric["name"] for metric in schema["metrics"]}
    shown = {
        (metric["name"], metric["split"])
        for group in schema["metric_groups"]
        if group["name"].startswith("mmr_")
        for metric in group["metrics"]
    }
    for metric in (*METRICS, *LENIENT_METRICS):
        assert metric in known
        assert (metric, "test") in shown


def test_the_mmr_conf_file_lists_every_task():
    entries = read_run_entries([str(ROOT / "run_specs" / "mmr.conf")]).entries
    assert [parse_object_spec(entry.description).args["task"] for entry in entries] == list(TASKS)


def entries_of(*names: str):
    return read_run_entries([str(ROOT / "run_specs" / f"{name}.conf") for name in names]).entries


def test_all_that_is_published_is_what_the_benchmarks_say():
    assert entries_of("all") == entries_of(*(benchmark.name for benchmark in BENCHMARKS))


def test_the_samples_run_with_any_model_and_name_every_benchmark():
    specs = run_entries_to_run_specs(entries_of("sample"), models_to_run=["structext/blank"])
    assert {spec.name.partition(":")[0] for spec in specs} == {
        name for benchmark in BENCHMARKS for name in benchmark.entries
    } - {"image2struct"}  # formats have a conf file of their own
    assert all(spec.adapter_spec.model == "structext/blank" for spec in specs)
    assert all("source=sample" in spec.name for spec in specs)


@pytest.mark.parametrize(
    "entry",
    [
        "mmr",
        "mmr:task=font_color,limit=5",
        "mmr:limit=-3,task=",
        "mmr:limit=1_000,limit=2.5",
        "mmr:source=1e3,revision=0x1f,lenient= 7 ",
        "mmr:source=./a=b:c,task=inf",
        "mmr:task=nan-é,system=٣",
    ],
)
def test_run_entries_are_parsed_as_helm_does(entry):
    spec = parse_object_spec(entry)
    assert parse_run_entry(entry) == (spec.class_name, spec.args)


@pytest.mark.parametrize("entry", ["mmr:", "mmr:task", "mmr:task=all,", "mmr:task=all,,limit=3"])
def test_what_helm_cannot_parse_is_no_run_entry(entry):
    with pytest.raises(ValueError, match="Expected"):
        parse_object_spec(entry)
    with pytest.raises(SetupError, match=r"is no run entry: .*expected NAME=VALUE"):
        run_of_entry(entry)


@pytest.mark.parametrize(
    "entry",
    [
        "image2struct_latex:subset=wild,source=sample,perturbation=blur",
        "image2struct_webpage:difficulty=hard,protocol=corrected",
        "mmr:task=font_color,lenient=pixel,limit=3",
        "structeval:subset=v_generation,judge=none",
        "structeval:task=text_to_json,source=sample",
    ],
)
def test_what_a_run_is_without_helm_is_what_helm_makes_of_it(entry):
    """All but what HELM itself adds: the model, what it has for all runs, and defaults."""
    (made,) = specs_of(f"{entry},model=structext/blank")
    spec = asdict(made)
    described = run_of_entry(entry)[1]
    assert spec["name"] == f"{described.name},model=structext_blank"
    assert asdict(described.adapter_spec).items() <= spec["adapter_spec"].items()
    arguments = {"benchmark": described.benchmark, **described.all_arguments}
    assert spec["scenario_spec"]["args"] == arguments
    assert [one["args"] for one in spec["annotators"]] == [arguments]
    assert set(described.groups) <= set(spec["groups"])
