"""Which runs are planned: those that helm-run would make, and errors that say what to do."""

from pathlib import Path

import pytest

from helm_structext.benchmarks import BENCHMARKS
from helm_structext.errors import SetupError
from helm_structext.helm.planned_runs import RunOptions, planned_runs
from support import ROOT

KNOWN = [entry for benchmark in BENCHMARKS for entry in benchmark.entries]
SAMPLE = str(ROOT / "run_specs" / "sample.conf")
MODEL = "openai/gpt-4o-2024-11-20"
EQUATION = f"image2struct_latex:subset=equation,source=sample,model={MODEL}"


def planned(tmp_path: Path, *entries: str, conf: tuple[str, ...] = (), **options):
    call = RunOptions(
        tmp_path / "runs" / "s",
        tmp_path / "prod_env",
        conf_paths=conf,
        run_entries=entries,
        **options,
    )
    return planned_runs(call, KNOWN)


def test_a_conf_file_gives_the_runs_of_helm_run(tmp_path):
    runs, others = planned(tmp_path, conf=(SAMPLE,), models_to_run=[MODEL])
    assert {run.entry for run in runs} == set(KNOWN) - {"image2struct"}
    assert {run.model for run in runs} == {MODEL}
    assert {run.arguments["source"] for run in runs} == {"sample"}
    assert others == 0
    latex = next(run for run in runs if run.entry == "image2struct_latex")
    assert latex.instructions > 10
    assert latex.max_tokens == 2000
    assert latex.max_instances is None


def test_a_run_entry_and_the_number_of_instances(tmp_path):
    ((run,), _) = planned(tmp_path, EQUATION, max_eval_instances=7)
    assert run.max_instances == 7
    assert run.judge == ""
    entry = f"structeval:task=text_to_svg,source=sample,model={MODEL}"
    ((run,), _) = planned(tmp_path, entry)
    assert run.judge == "openai/gpt-4.1-mini"


def test_finished_runs_of_the_suite_are_known(tmp_path):
    ((run,), _) = planned(tmp_path, EQUATION)
    assert not run.finished
    folder = tmp_path / "runs" / "s" / run.name
    folder.mkdir(parents=True)
    assert not planned(tmp_path, EQUATION)[0][0].finished
    (folder / "per_instance_stats.json").write_text("[]")
    assert planned(tmp_path, EQUATION)[0][0].finished


def test_entries_of_other_benchmarks_are_counted(tmp_path):
    runs, others = planned(tmp_path, EQUATION, f"mmlu:subject=anatomy,model={MODEL}")
    assert (len(runs), others) == (1, 1)


@pytest.mark.parametrize(
    ("entries", "options", "words"),
    [
        ([EQUATION], {"models_to_run": ["me/unknown"]}, "HELM knows no such model.*add-model"),
        (["mmr:task=font_color,source=sample"], {}, "names no model.*--models-to-run"),
        (["mmr:task=smell,model=structext/blank"], {}, "task=smell is unknown"),
        (["mmr:tusk=font_color,model=structext/blank"], {}, "did you mean task="),
        ([EQUATION], {"groups_to_run": ["absent"]}, "--groups-to-run absent leaves none"),
        ([EQUATION.replace(MODEL, "me/unknown")], {}, "HELM makes no runs of these entries"),
        ([], {"conf": ("absent.conf",)}, "absent.conf can't be read"),
    ],
)
def test_a_fault_says_what_to_do(tmp_path, entries, options, words):
    with pytest.raises(SetupError, match=words):
        planned(tmp_path, *entries, **options)
