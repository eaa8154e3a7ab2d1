"""What other harnesses send and score is what HELM's runs do."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml
from helm.benchmark.adaptation.adapters.adapter_factory import AdapterFactory
from helm.benchmark.presentation.run_entry import RunEntry
from helm.benchmark.run import run_entries_to_run_specs
from helm.benchmark.scenarios.scenario import create_scenario
from helm.benchmark.window_services.tokenizer_service import TokenizerService
from helm.common.local_context import LocalContext

import helm_structext.helm.plugin  # noqa: F401
from helm_structext.benchmarks import BENCHMARKS, entry_of_run, run_of_entry
from helm_structext.data.packaged import lm_eval_tasks
from helm_structext.errors import SetupError
from helm_structext.image2struct.scores import DISTANCES, LAYOUT_METRICS, NEURAL_METRICS
from helm_structext.integrations.evaluations import Question, entry_with, evaluation
from helm_structext.models.registry import register
from helm_structext.scoring.handling import INTERNAL_ERROR
from helm_structext.scoring.scorer import Door
from support.rows import latex_row

ENTRIES = [
    "image2struct_latex:subset=table,source=sample",
    "image2struct_latex:subset=wild,source=sample,wording=cot",
    "image2struct_latex:subset=equation,source=sample,perturbation=blur,severity=2",
    "image2struct_webpage:source=sample",
    "image2struct_music:source=sample,difficulty=easy",
    "mmr:source=sample",
    "mmr:task=grounding_o,source=sample,limit=2,system=none,lenient=pixel",
    "structeval:source=sample,judge=none",
    "structeval:subset=t_conversion,source=sample",
]

LM_EVAL = {
    path.stem: yaml.safe_load(path.read_text().replace("!function", ""))
    for path in sorted(lm_eval_tasks().glob("*.yaml"))
}
"""The tasks of lm-evaluation-harness by the names of their run entries."""
ALL_METRICS = {
    "image2struct": "image2struct:format=svg,source=sample",
    "image2struct_latex": "image2struct_latex:source=sample,protocol=corrected",
    "image2struct_webpage": "image2struct_webpage:source=sample,protocol=corrected",
    "image2struct_music": "image2struct_music:source=sample",
    "mmr": "mmr:source=sample,lenient=pixel",
    "structeval": "structeval:source=sample",
}
"""Run entry to one whose runs have all metrics of such runs."""


@pytest.fixture(scope="module")
def tokenizers(tmp_path_factory) -> TokenizerService:
    register()
    return TokenizerService(LocalContext(str(tmp_path_factory.mktemp("prod_env"))))


def helms(entry: str, folder: Path, tokenizers: TokenizerService) -> list[tuple]:
    """What HELM sends of a run, with the instances' ids, limits and references."""
    (spec,) = run_entries_to_run_specs([RunEntry(f"{entry},model=structext/blank", 1, None)])
    instances = create_scenario(spec.scenario_spec).get_instances(str(folder))
    states = AdapterFactory.get_adapter(spec.adapter_spec, tokenizers).adapt(instances, 1)
    found = []
    for state in states:
        request = state.request
        content = request.multimodal_prompt.media_objects if request.multimodal_prompt else []
        texts = [part.text for part in content if part.text is not None] or [request.prompt]
        pictures = [Path(part.location).read_bytes() for part in content if part.location]
        assert [part for part in content if part.location] == content[len(texts) :]
        target = state.instance.references[0].output.text if state.instance.references else ""
        limits = request.max_tokens, request.temperature
        found.append((state.instance.id, texts, pictures, target, *limits))
    return found


@pytest.mark.parametrize("entry", ENTRIES)
def test_models_get_what_helm_sends_in_the_same_order(entry, tokenizers, tmp_path):
    run = evaluation(entry)

    def ours(question: Question) -> tuple:
        pictures = [question.picture.read_bytes()] if question.picture else []
        texts = [*question.texts]
        limits = run.max_tokens, run.temperature
        return question.id, texts, pictures, question.target, *limits

    expected = helms(entry, tmp_path, tokenizers)
    assert [ours(question) for question in run.questions] == expected
    assert len(expected) > 0


@pytest.mark.parametrize("entry", ENTRIES)
def test_the_entry_of_a_question_is_one_of_score_file(entry):
    _, run = run_of_entry(entry)
    assert {question.entry for question in evaluation(entry).questions} == {entry_of_run(run)}


@pytest.mark.parametrize(
    ("entry", "first"),
    [
        ("mmr:task=font_color,source=sample", "correct"),
        ("mmr:task=grounding_t,source=sample,lenient=pixel", "correct"),
        ("structeval:task=text_to_json,source=sample", "structeval_score"),
    ],
)
def test_the_most_important_score_comes_first_and_every_score_is_named(entry, first):
    run = evaluation(entry)
    found = {name for one in run.questions for name in run.score(one.id, one.target).scores}
    assert run.metrics[0] == first
    assert INTERNAL_ERROR in found
    assert set(run.metrics) == found


def test_without_a_judge_pictures_have_no_score_of_one():
    metrics = evaluation("structeval:task=text_to_svg,source=sample,judge=none").metrics
    assert metrics[:3] == ["syntax_score", "syntax_score_published", "keyword_score"]
    assert not [name for name in metrics if name.startswith(("judge", "vqa", "structeval", "path"))]


def test_an_entry_is_written_as_in_a_conf_file():
    assert entry_with("mmr", {}) == "mmr"
    assert evaluation(entry_with("mmr", {"source": "sample", "limit": 1})).run.startswith("mmr:")


def test_wrong_arguments_and_data_are_errors_that_say_what_to_do(dataset):
    with pytest.raises(SetupError, match="did you mean source="):
        evaluation("mmr:sorce=sample")
    folder = dataset([latex_row(1), latex_row(1)])
    with pytest.raises(SetupError, match="uuid of an earlier row"):
        evaluation(f"image2struct_latex:subset=equation,source={folder}")
    path = next(folder.rglob("*.parquet"))
    pq.write_table(pq.read_table(path).slice(0, 0), path)
    with pytest.raises(SetupError, match="has no image2struct_latex instance"):
        evaluation(f"image2struct_latex:subset=equation,source={folder}")


def test_every_benchmark_is_a_task_of_lm_evaluation_harness():
    assert LM_EVAL.keys() == ALL_METRICS.keys()
    assert LM_EVAL.keys() >= {name for one in BENCHMARKS for name in one.entries}


@pytest.mark.parametrize("name", LM_EVAL)
def test_lm_evaluation_harness_takes_means_of_every_metric_and_of_no_other(name):
    listed = {item["metric"]: item for item in LM_EVAL[name]["metric_list"]}
    assert len(listed) == len(LM_EVAL[name]["metric_list"])
    benchmark, run = run_of_entry(ALL_METRICS[name])
    metrics = {*benchmark.scorer(run.arguments, Door(judge=lambda name: object())).metrics}
    missing_here = NEURAL_METRICS.keys() - metrics
    assert listed.keys() - missing_here == metrics
    assert {item["aggregation"] for item in listed.values()} == {"mean"}
    for metric in listed.keys() & {*DISTANCES, *LAYOUT_METRICS, *NEURAL_METRICS}:
        assert listed[metric]["higher_is_better"] is (metric not in DISTANCES)
