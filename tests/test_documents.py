"""Every command in the documents runs, or is at least a command that exists."""

import argparse
import importlib.metadata
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from copy import copy
from dataclasses import astuple
from itertools import pairwise
from pathlib import Path

import pytest
import yaml
from helm.benchmark import model_deployment_registry as deployments
from helm.benchmark import model_metadata_registry as models
from helm.benchmark.config_registry import register_builtin_configs_from_helm_package
from helm.benchmark.presentation.run_entry import RunEntry
from helm.benchmark.run import read_run_entries, run_entries_to_run_specs
from helm.benchmark.runner import Runner
from helm.common.object_spec import get_class_by_name
from packaging.requirements import Requirement
from reference import undocumented
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

import helm_structext.helm.plugin  # noqa: F401
from helm_structext import metrics
from helm_structext.benchmarks import run_of_entry
from helm_structext.data.packaged import lm_eval_tasks
from helm_structext.formats import FORMATS
from helm_structext.renderers import engine_of
from helm_structext.serving.token import TOKEN
from helm_structext.trial.candidate import NUMBER
from support import GOLDEN
from support.browser import chromium, patience
from support.commands import BIN, programs, run
from support.documents import DOCUMENTS, ROOT, Block, blocks, faults
from support.helm import write_stats
from support.openai_server import OpenAIServer, asks_for_number, openai_server

LINK = re.compile(r"\]\(([^)#\s]+)(#[^)]*)?\)")
INTEGRATIONS = ROOT / "requirements-integrations"
ADD_MODEL = "helm-structext add-model me/my-vlm --base-url http://localhost:8000/v1"
"""How the documents describe the model that they run."""


def names(found: list[Block]) -> dict:
    return {"argvalues": found, "ids": [block.place for block in found]}


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_block_is_of_a_kind_that_is_tested(path):
    assert not list(faults(path.read_text(encoding="utf-8"), path.name))


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("```bash\nls\n```\n", "the language 'bash'"),
        ("```\nls\n```\n", "the language ''"),
        ("<!-- test: parse (too dull) -->\n```sh\nls\n```\n", "is not a mark"),
        ("<!-- test: skip -->\n```sh\nls\n```\n", "is not a mark"),
        ("<!-- test: parse (needs a key) -->\n```python\n1\n```\n", "is not a mark"),
        ("- list\n\n  ```sh\n  ls\n  ```\n", "open or close a fence"),
        ("Do this:\n\n    ls\n", "'ls' is a block without a fence"),
    ],
)
def test_a_block_of_another_kind_is_a_fault(text, fault):
    (found,) = faults(text, "it.md")
    assert fault in found


def test_the_readme_takes_a_minute():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").split()) <= 900


def test_links_of_the_readme_lead_somewhere():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = [link for link, _ in LINK.findall(text) if "://" not in link]
    assert len(found) > 10
    assert [link for link in found if not (ROOT / link).exists()] == []


class Parsed(Exception):
    """A command's own parser has accepted its arguments."""


def parse_installed(words: list[str], monkeypatch: pytest.MonkeyPatch) -> argparse.Namespace:
    """Runs a command up to where its arguments are parsed."""
    (program,) = importlib.metadata.entry_points(group="console_scripts", name=words[0])
    parse = argparse.ArgumentParser.parse_args

    def parse_and_stop(*arguments, **options):
        raise Parsed(parse(*arguments, **options))

    with monkeypatch.context() as patch:
        patch.setattr(argparse.ArgumentParser, "parse_args", parse_and_stop)
        patch.setattr(sys, "argv", words)
        try:
            program.load()()
        except Parsed as parsed:
            return parsed.args[0]
    raise ValueError(f"{words} are refused")


def check_helm_run(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The models are known, and every run entry is one of HELM's run specs, or of ours."""
    options = parse_installed(words, monkeypatch)
    if options.runner_class_name:
        assert issubclass(get_class_by_name(options.runner_class_name), Runner)
    entries = [RunEntry(entry, 1, None) for entry in options.run_entries]
    for conf in options.conf_paths:
        entries += read_run_entries([str(ROOT / conf)]).entries
    assert entries
    assert options.max_eval_instances
    for model in options.models_to_run or []:
        models.get_model_metadata(model)
    specs = run_entries_to_run_specs(entries, models_to_run=options.models_to_run)
    assert len(specs) >= len(entries)


def check_pip(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The packages exist here, and have the extras; harnesses have environments of their own."""
    assert words[1] == "install"
    harnesses = {line for file in INTEGRATIONS.glob("*.in") for line in file.read_text().split()}
    client = tomllib.loads((ROOT / "client" / "pyproject.toml").read_text())["project"]["name"]
    for requirement in map(Requirement, words[2:]):
        if requirement.name in {*harnesses, client}:
            continue
        about = importlib.metadata.metadata(requirement.name)
        assert requirement.extras <= set(about.get_all("Provides-Extra") or [])


def check_uv(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """What is installed is as for pip; an override stands in pyproject.toml, too."""
    ends = words.index("--override") if "--override" in words else len(words)
    check_pip(words[1:ends], monkeypatch)
    overrides = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["uv"]
    if ends < len(words):
        assert words[ends + 1] == "<(echo"
        assert words[ends + 2].removesuffix(")") in overrides["override-dependencies"]


def check_podman(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The container file has the arguments of the build, and the code what the server is told."""
    text = (ROOT / "Containerfile").read_text(encoding="utf-8")
    assert words[1] in ("build", "run")
    for option, value in pairwise(words):
        if option == "--build-arg":
            assert f"\nARG {value.partition('=')[0]}=" in text
        if option == "-e":
            assert value.partition("=")[0] == TOKEN
        if option == "-p":
            assert f"\nEXPOSE {value.rpartition(':')[2]}\n" in text


def check_make(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert set(words[1:]) <= set(targets)


def check_sbatch(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The documents say what the files hold."""
    said = "".join(path.read_text(encoding="utf-8") for path in DOCUMENTS)
    assert all(f"`{name}`" in said for name in words[1:])


def check_transformers(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    help_ = run(ROOT, "transformers", words[1], "--help").stdout
    assert all(word in help_ for word in words if word.startswith("--"))


def check_inspect(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The tasks and their arguments are those of run entries; the options are tried with Inspect."""
    if words[1] == "eval":
        package, name = words[2].split("/")
        arguments = [word for flag, word in pairwise(words) if flag == "-T"]
        assert package == "helm_structext"
        run_of_entry(f"{name}:{','.join(arguments)}")


def check_lm_eval(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The tasks are there, and their arguments are those of run entries."""
    options = dict(pairwise(words))
    name = options["--tasks"].removeprefix("helm_structext_")
    assert (lm_eval_tasks() / f"{name}.yaml").exists()
    ((entry, arguments),) = json.loads(options["--metadata"]).items()
    assert entry == name
    run_of_entry(f"{entry}:{arguments}")


def check_serve(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The app of Ray Serve is there and knows the options; Ray has an environment of its own."""
    module, _, app = words[2].partition(":")
    source = (ROOT / "src" / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8")
    assert words[1] == "run"
    assert f"\ndef {app}(" in source
    for option in words[3:]:
        assert f"\n    {option.partition('=')[0]}: " in source


def check_vf_eval(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The taskset and its options are there; verifiers has an environment of its own."""
    source = (ROOT / "src" / f"{words[1].replace('-', '_')}.py").read_text(encoding="utf-8")
    assert "Taskset" in source
    adapter = ROOT / "src" / "helm_structext" / "integrations" / "verifiers.py"
    for option, value in pairwise(words[2:]):
        if option.startswith("--env.taskset."):
            name = option.rpartition(".")[2].replace("-", "_")
            assert f"\n    {name}: " in adapter.read_text(encoding="utf-8")
        if option == "--env.taskset.entry":
            run_of_entry(value)


def check_python(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The script is there and knows the options; what it imports may be elsewhere."""
    source = (ROOT / words[1]).read_text(encoding="utf-8")
    assert all(f'"{word}"' in source for word in words[2:] if word.startswith("--"))


CHECKS = {
    "helm-run": check_helm_run,
    "helm-server": parse_installed,
    "helm-structext": parse_installed,
    "helm-summarize": parse_installed,
    "inspect": check_inspect,
    "lm-eval": check_lm_eval,
    "make": check_make,
    "pip": check_pip,
    "podman": check_podman,
    "python": check_python,
    "sbatch": check_sbatch,
    "serve": check_serve,
    "transformers": check_transformers,
    "uv": check_uv,
    "vf-eval": check_vf_eval,
}
SHELL = {"cp", "export", "mkdir", "printf", "sed"}
"""What blocks that are run may use beside these."""


@pytest.fixture(scope="module")
def model_files(tmp_path_factory) -> Iterator[Path]:
    """The files that describe the documents' model, which HELM knows with its own."""
    folder = tmp_path_factory.mktemp("prod_env")
    commands = {" ".join(words) for block in blocks("sh") for words in block.commands}
    assert [
        command for command in commands if "add-model" in command and "--access" not in command
    ] == [ADD_MODEL]
    run(folder, *ADD_MODEL.split(), "--local-path", str(folder))
    with pytest.MonkeyPatch.context() as patch:
        for module, registries in (
            (models, ("ALL_MODELS_METADATA", "MODEL_NAME_TO_MODEL_METADATA")),
            (deployments, ("ALL_MODEL_DEPLOYMENTS", "DEPLOYMENT_NAME_TO_MODEL_DEPLOYMENT")),
        ):
            for name in registries:
                patch.setattr(module, name, copy(getattr(module, name)))
        register_builtin_configs_from_helm_package()
        deployments.register_model_deployments_from_path(str(folder / "model_deployments.yaml"))
        models.register_model_metadata_from_path(str(folder / "model_metadata.yaml"))
        yield folder


@pytest.mark.parametrize("block", **names(blocks("sh")))
def test_commands_have_arguments_that_their_parsers_know(block, model_files, monkeypatch):
    assert block.commands
    monkeypatch.setenv("SLURM_ARRAY_TASK_ID", "1")
    monkeypatch.setenv("SLURM_ARRAY_TASK_COUNT", "3")
    for words in (list(map(os.path.expandvars, words)) for words in block.commands):
        if words[0] in CHECKS:
            ends = [number for number, word in enumerate(words) if word in ("||", "|", ">")]
            CHECKS[words[0]](words[: ends[0] if ends else None], monkeypatch)
        else:
            assert words[0] in SHELL
            assert not block.reason or words[0] == "export", f"{words} are neither run nor parsed"


def test_run_entries_in_texts_are_run_specs(model_files):
    chapters = [block for block in blocks("text") if block.document != "docs/architecture.md"]
    entries = [line for block in chapters for line in block.code.splitlines()]
    assert len(entries) >= 3
    specs = run_entries_to_run_specs([RunEntry(entry, 1, None) for entry in entries])
    assert len(specs) == len(entries)


def test_the_files_that_describe_a_judge_are_those_that_add_model_writes(model_files):
    (block,) = [b for b in blocks("yaml") if b.document == "docs/benchmarks/structeval.md"]
    written = {}
    for path in model_files.glob("model_*.yaml"):
        written |= yaml.safe_load(path.read_text())
    shown = yaml.safe_load(block.code)
    for one in (written, shown):
        assert one["models"][0].pop("release_date")
    assert shown == written


@pytest.mark.parametrize(
    "command",
    [
        "helm-structext tables s --show",
        "helm-structext tabels s",
        "helm-run --suite s --max-eval-instances 1 --dry",
        "helm-run --suite s --max-eval-instances 1 -r mmr:task=smell,model=structext/blank",
        "helm-run --suite s --max-eval-instances 1 -r mmr:task=all,model=me/unknown",
        "pip install crfm-helm[nothing]",
        "make coffee",
        "podman build --build-arg COFFEE=1 .",
        "uv pip install crfm-helm[nothing]",
        "python examples/trl_grpo.py --coffee",
        "serve run helm_structext.serving.ray:app coffee=1",
        "vf-eval helm-structext-verifiers --env.taskset.coffee mmr:source=sample",
        "vf-eval helm-structext-verifiers --env.taskset.entry mmr:task=smell,source=sample",
        "inspect eval helm_structext/mmr -T task=smell",
        """lm-eval run --tasks helm_structext_mmr --metadata '{"mmr": "task=smell"}'""",
    ],
)
def test_a_wrong_command_is_noticed(command, model_files, monkeypatch):
    words = shlex.split(command)
    with pytest.raises((Exception, SystemExit)):
        CHECKS[words[0]](words, monkeypatch)


@pytest.fixture(scope="module")
def server() -> Iterator[OpenAIServer]:
    def answer(body: dict) -> str:
        return f"It is {NUMBER}." if asks_for_number(body) else "$x^2$"

    with openai_server(answer) as server:
        yield server


@pytest.fixture(scope="module")
def after_demo(tmp_path_factory, model_files, server) -> Path:
    """A folder as it is after `make demo`, with the documents' model, which our server has."""
    folder = tmp_path_factory.mktemp("documents") / "demo"
    shutil.copytree(GOLDEN / "suite", folder)
    write_stats(folder / "benchmark_output" / "runs" / "demo")
    for path in model_files.glob("model_*.yaml"):
        text = path.read_text().replace("http://localhost:8000/v1", server.url)
        (folder / "prod_env" / path.name).write_text(text)
    assert server.url in (folder / "prod_env" / "model_deployments.yaml").read_text()
    run(folder, "helm-structext", "init")
    return folder


RUN = [block for block in blocks("sh") if not block.reason]
ALONE = {"README.md"}
"""Its commands load all that they need; those of others are forked (`support.commands`)."""


@pytest.mark.parametrize("document", sorted({block.document for block in RUN}))
def test_commands_run(document, after_demo, server, tmp_path):
    folder = tmp_path / "folder"
    shutil.copytree(after_demo, folder)
    own = [] if document in ALONE else [programs()]
    path = ":".join(map(str, [*own, BIN, os.environ["PATH"]]))
    for block in RUN:
        if block.document == document:
            # As they stand there, but for fewer instances of each run and the address of our server.
            code = re.sub(r"(?<=--max-eval-instances )\d+", "1", block.code)
            code = code.replace("http://localhost:8000/v1", server.url)
            finished = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", code],
                cwd=folder,
                env={**os.environ, "PATH": path},
                capture_output=True,
                text=True,
            )
            assert finished.returncode == 0, f"{block.place}\n{finished.stderr[-3000:]}"


@pytest.mark.parametrize("block", **names(blocks("python")))
def test_programs_run(block, tmp_path):
    finished = subprocess.run(
        [sys.executable, "-c", block.code], cwd=tmp_path, capture_output=True, text=True
    )
    assert finished.returncode == 0, finished.stderr


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    run(ROOT, "mkdocs", "build", "--strict", "--site-dir", str(folder))
    return folder


def test_the_site_is_built_strictly_and_has_every_page(site):
    pages = {path.relative_to(site).with_suffix("") for path in site.rglob("*.html")}
    assert {path.relative_to(ROOT / "docs").with_suffix("") for path in DOCUMENTS[3:]} <= pages


def test_the_site_loads_nothing_from_elsewhere(site):
    for path in site.rglob("*.html"):
        for tag in re.findall(r"<(?:script|img|link|iframe|source)\b[^>]*>", path.read_text()):
            if 'rel="canonical"' not in tag:
                assert not re.search(r"""(?:src|href)=["']?(?:https?:)?//""", tag), path
    for path in site.rglob("*.css"):
        assert not re.search(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//", path.read_text()), path


def test_the_reference_shows_every_metric_and_its_examples(site):
    page = (site / "api" / "metrics.html").read_text()
    for name in metrics.__all__:
        assert re.search(rf'id="helm_structext\.metrics\.(\w+\.)?{name}"', page), name
    assert "&gt;&gt;&gt; " in page
    assert "<blockquote>" not in page


def test_a_public_name_without_a_docstring_is_noticed(tmp_path):
    package = tmp_path / "some"
    package.mkdir()
    (package / "__init__.py").write_text(
        '"""A package."""\nfrom some.inner import Shown, shown\n__all__ = ["Shown", "shown"]\n'
    )
    (package / "inner.py").write_text(
        "def shown(): ...\n"
        'class Shown:\n    """A class."""\n    def method(self): ...\n    def _own(self): ...\n'
    )
    assert set(undocumented("some", tmp_path)) == {"some.shown", "some.Shown.method"}
    assert "some.inner" in set(undocumented("some.inner", tmp_path))


def test_the_formats_are_all_in_their_table_with_their_limits():
    text = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    _, *sections = re.split(r"^## ", text, flags=re.MULTILINE)
    rows = {section.partition("\n")[0]: section for section in sections}
    for name, format_ in FORMATS.items():
        kind = "Rendered formats" if format_.rendered else "Parsed formats"
        assert re.search(rf"^\|[^|]*`{name}`", rows[kind], re.MULTILINE), name
        if format_.rendered:
            limits = astuple(engine_of(name).limits)
            row = re.search(rf"^\|[^|]*`{name}`.*$", rows["Limits"], re.MULTILINE)
            assert row, name
            assert [float(cell) for cell in row[0].split("|")[2:-1]] == list(map(float, limits))


@pytest.fixture(scope="module")
def phone() -> Iterator[webdriver.Chrome]:
    """A browser with a window as wide as a phone's."""
    options = chromium("--window-size=500,900", "--hide-scrollbars")
    with webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver")) as browser:
        metrics_ = {"width": 400, "height": 900, "deviceScaleFactor": 1, "mobile": True}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics_)
        yield browser


def test_no_page_scrolls_sideways_on_a_phone(site, phone):
    wide = {}
    for path in sorted(site.rglob("*.html")):
        phone.get(path.as_uri())
        assert phone.execute_script("return innerWidth") == 400
        width = phone.execute_script("return document.documentElement.scrollWidth")
        if width > 400:
            wide[path.name] = width
    assert wide == {}


def test_a_command_is_read_without_scrolling(site, phone):
    phone.get((site / "getting-started.html").as_uri())
    wide = phone.execute_script(
        """return [...document.querySelectorAll(".language-sh code")].filter(
            one => one.scrollWidth > one.clientWidth).map(one => one.textContent)"""
    )
    assert wide == []


def test_search_works_from_disk(site, phone):
    phone.get((site / "index.html").as_uri())
    phone.execute_script("document.querySelector('#__search').click()")
    patience(phone, 20).until(
        lambda browser: (
            "Type to start" in browser.find_element(By.CSS_SELECTOR, ".md-search-result__meta").text
        )
    )
    phone.find_element(By.CSS_SELECTOR, ".md-search__input").send_keys("bubblewrap")
    found = patience(phone, 20).until(
        lambda browser: browser.find_elements(By.CSS_SELECTOR, ".md-search-result__link")
    )
    assert any("safety.html" in link.get_attribute("href") for link in found)
