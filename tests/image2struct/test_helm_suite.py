"""A suite that HELM itself makes, by its own run entry, scenario, annotator, metrics and writer, scored again.

Three things of HELM's are replaced: where it would fetch the dataset, ask a model, and start pdflatex.
"""

import sys
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from helm.benchmark.config_registry import register_builtin_configs_from_helm_package
from helm.benchmark.executor import ExecutionSpec
from helm.benchmark.runner import Runner
from helm.common.authentication import Authentication
from helm.common.request import GeneratedOutput, RequestResult

from helm_structext.cli import main
from helm_structext.errors import RenderError
from helm_structext.image2struct.rescore import prepare_rescoring
from helm_structext.renderers import render
from helm_structext.scoring.rescoring import RescoringOptions
from support.lazy import Lazy

vlm_run_specs = Lazy("helm.benchmark.run_specs.vlm_run_specs")
SCENARIO = "helm.benchmark.scenarios.vision_language.image2struct.image2struct_scenario"
ANNOTATOR = "helm.benchmark.annotation.image2struct.latex_compiler_annotator"
EMD = "helm.benchmark.metrics.vision_language.emd_utils"
emd_utils = Lazy(EMD)

# Small pictures: HELM takes seconds for larger ones.
TRUTH = {"one": "$a+b$", "two": "$mc^2$", "three": "$x_1$"}
ANSWERS = {
    TRUTH["one"]: "```latex\n$a=c$\n```",
    TRUTH["two"]: "$mc^2$",
    TRUTH["three"]: r"\nonsense",
}
MODEL = "simple/model1"
METRICS = ["earth_mover_similarity", "pixel_similarity", "ssim_similarity"]


def latex_to_image(code: str, *_: Any, **__: Any) -> tuple[Any, dict[str, Any]]:
    """In place of HELM's, which needs pdflatex and pdf2image outside of any sandbox."""
    try:
        return render("latex", code).image, {"latex_code": code}
    except RenderError as error:
        raise RuntimeError(str(error)) from error


def answered(state: Any) -> Any:
    """In place of HELM's executor: answers the requests of a state."""

    def answer(request: Any) -> Any:
        text = ANSWERS[request.instance.references[0].output.text]
        completion = GeneratedOutput(text=text, logprob=0, tokens=[])
        result = RequestResult(True, [], [completion], False, 0.5, 0)
        return replace(request, result=result)

    return replace(state, request_states=[answer(request) for request in state.request_states])


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    folder = tmp_path_factory.mktemp("helm")
    rows = [
        {
            "uuid": f'"{uuid}"',
            "category": '"equation"',
            "difficulty": "easy",
            "image": render("latex", code).image,
            "structure": code,
            "text": code,
            "assets": [],
        }
        for uuid, code in TRUTH.items()
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for package, function in (("latex", "build_pdf"), ("pdf2image", "convert_from_bytes")):
            patch.setitem(sys.modules, package, SimpleNamespace(**{function: None}))
        patch.setattr(f"{SCENARIO}.load_dataset", lambda *_, **__: rows)
        patch.setattr(f"{ANNOTATOR}.latex_to_image", latex_to_image)
        gray = emd_utils.to_gray  # as in tests/metrics/test_ems_live.py
        patch.setattr(f"{EMD}.to_gray", lambda image: np.round(gray(image), 13))
        spec = vlm_run_specs.get_image2latex_spec(
            "equation", difficulty="easy", args={"metric_names": METRICS}
        )
        spec = replace(
            spec,
            name=f"{spec.name},model={MODEL.replace('/', '_')}",
            adapter_spec=replace(spec.adapter_spec, model=MODEL, model_deployment=MODEL),
            metric_specs=spec.metric_specs[:1],  # the others count tokens
        )
        register_builtin_configs_from_helm_package()
        how = ExecutionSpec(None, Authentication(""), str(folder / "prod_env"), parallelism=1)
        runner = Runner(how, "benchmark_output", "v1", False, False, False, False, True)
        patch.setattr(runner.executor, "execute", answered)
        runner.run_one(spec)
    return folder


def test_helms_own_files_are_read_and_its_scores_found_again(suite):
    options = RescoringOptions(suite, "published", "none")
    results = list(prepare_rescoring(suite / "benchmark_output/runs/v1", options).results())
    assert [(r.model, r.domain, r.subset) for r in results] == [
        (MODEL, "image2struct_latex", "equation")
    ] * len(TRUTH)
    other, same, failed = results
    assert 0 < other.old["earth_mover_similarity"] < 1 == same.old["earth_mover_similarity"]
    assert failed.old["compilation_success"] == failed.new["compilation_success"] == 0
    for result in results:
        names = result.old.keys() & result.new.keys()
        assert len(names) >= 4
        for name in names:
            assert result.new[name] == pytest.approx(result.old[name], abs=1e-4), name


def test_it_is_one_command(suite, monkeypatch, capsys):
    monkeypatch.chdir(suite)
    assert main(["rescore", "benchmark_output/runs/v1"]) == 0
    said = capsys.readouterr().out
    (row,) = (line for line in said.splitlines() if line.startswith(f"| {MODEL}"))
    rendered, again, ems, ems_again, rank = [c.strip() for c in row.strip("|").split("|")][1:]
    assert rendered == again == "0.667"
    assert float(ems) == pytest.approx(float(ems_again), abs=0.001)
    assert rank == "1 → 1"
    assert "What looks wrong" not in said
