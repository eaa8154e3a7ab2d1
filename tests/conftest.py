"""Fixtures that many tests share; what they are built with lies in `support`.

Other harnesses' environments have neither HELM nor pyarrow, so the fixtures that need them import them.
"""

import gc
import math
from collections.abc import Callable, Generator, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

import support.tested_lines  # before what imports the package
from support.browser import chromium
from support.caches import without_renderings
from support.commands import read_lists_by_libyaml
from support.engines import LONG, LONG_TESTS, UNSEEN, name_test, skip_engines
from support.image2struct_answers import dated, write_suite
from support.report_page import Page

QUICK_CASES = 5
"""Of each test, in a quick run."""
LONGEST_FILES = (
    "tests/sandbox/test_hostile.py",
    "tests/structeval/test_sample.py",
    "tests/test_documents.py",
    "tests/test_end_to_end.py",
    "tests/test_light_core.py",
    "tests/report/test_report.py",
    "tests/sandbox/test_shared_servers.py",
    "tests/mmr/test_sample.py",
    "tests/structeval/test_judged.py",
    "tests/test_texts.py",
    "tests/report/test_navigation.py",
    "tests/renderers/test_snippets.py",
    "tests/cli/test_run.py",
    "tests/structeval/test_end_to_end.py",
    "tests/report/test_accessibility.py",
    "tests/renderers/web/test_compilers.py",
    "tests/image2struct/collect/test_latex.py",
    "tests/scoring/test_handling.py",
    "tests/helm/test_summaries.py",
    "tests/helm/test_watch.py",
)
"""Those that take longest, in this order: they come first, so that all processes end together."""
LONGEST = {file: place for place, file in enumerate(LONGEST_FILES)}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--quick", action="store_true", help="without engines, and with few cases of each test"
    )
    parser.addoption("--slurm", action="store_true", help="with the tests on a cluster of Slurm's")
    parser.addoption(
        "--integrations", action="store_true", help="with the tests of other harnesses"
    )


def allow_slow_examples() -> None:
    """Lets Hypothesis take its time: on a busy machine it is no failure to be slow."""
    if find_spec("hypothesis"):  # which other harnesses' environments lack
        from hypothesis import HealthCheck, settings

        settings.register_profile(
            "ours", deadline=None, suppress_health_check=[HealthCheck.too_slow]
        )
        settings.load_profile("ours")


def pytest_configure(config: pytest.Config) -> None:
    for plugin in support.tested_lines.PLUGINS:
        config.pluginmanager.register(plugin)
    read_lists_by_libyaml()
    allow_slow_examples()
    if config.getoption("--quick"):
        skip_engines()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is collected and imported stays until the end: the search for garbage leaves it out."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Leaves out the examples of modules of tests that have none: pytest would look at all that is in them."""
    return [
        found
        for found in (yield)
        if type(found) is pytest.Module or ">>>" in found.path.read_text("utf-8")
    ]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: LONGEST.get(item.nodeid.partition("::")[0], len(LONGEST)))
    if not config.getoption("--quick"):
        return
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
        named = {item.name, getattr(item, "originalname", ""), *getattr(item, "fixturenames", ())}
        for reason, names in (("starts an engine", UNSEEN), ("takes seconds", LONG)):
            if named & names:
                item.add_marker(pytest.mark.skip(reason))
        if name_test(item.nodeid) in LONG_TESTS:
            item.add_marker(pytest.mark.skip("takes long"))
    kept = {
        item.nodeid
        for listed in cases.values()
        for item in listed[:: math.ceil(len(listed) / QUICK_CASES)]
    }
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in kept])
    items[:] = [item for item in items if item.nodeid in kept]


@pytest.fixture(scope="session", autouse=True)
def cache_of_this_session(tmp_path_factory):
    """Nothing is taken from the renderings of an earlier session."""
    with pytest.MonkeyPatch.context() as patch:
        folder = without_renderings(tmp_path_factory.mktemp("cache") / "helm-structext")
        patch.setenv("HELM_STRUCTEXT_CACHE", str(folder))
        yield


@pytest.fixture(scope="module")
def cache_of_this_module(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A cache folder in which nothing is at first."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HELM_STRUCTEXT_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture
def dataset(tmp_path: Path) -> Callable[..., Path]:
    """Writes rows as <folder>/equation/validation.parquet and returns the folder."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    def write(rows: list[dict[str, Any]], config: str = "equation") -> Path:
        folder = tmp_path / "dataset"
        (folder / config).mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.Table.from_pylist(rows), folder / config / "validation-0.parquet")
        return folder

    return write


@pytest.fixture
def dated_suite(tmp_path, monkeypatch) -> Path:
    """A folder, made the current one, with a suite of two models and three dates."""
    days = "2024-01-01", "2024-02-01", "2024-02-02"
    folder = write_suite(
        tmp_path / "finished",
        [
            *dated(*zip(days, (0.8, 0.6, 0.9), strict=True), model="x/good"),
            *dated(*zip(days, (0.4, 0.2, 0.3), strict=True), model="x/bad"),
        ],
    )
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def empty_registries(monkeypatch):
    """HELM as if it knew no model."""
    from helm.benchmark import model_deployment_registry as deployments
    from helm.benchmark import model_metadata_registry as models

    for module, name, value in (
        (models, "ALL_MODELS_METADATA", []),
        (models, "MODEL_NAME_TO_MODEL_METADATA", {}),
        (deployments, "ALL_MODEL_DEPLOYMENTS", []),
        (deployments, "DEPLOYMENT_NAME_TO_MODEL_DEPLOYMENT", {}),
        (deployments, "_REGISTERED_MODEL_DEPLOYMENT_GENERATORS", {}),
    ):
        monkeypatch.setattr(module, name, value)


@pytest.fixture(scope="module")
def one_thread() -> Iterator[None]:
    """Threads of small networks mostly wait for one another, most of all on a busy machine."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def browser() -> Iterator[webdriver.Chrome]:
    """A browser for pages that may not have loaded yet."""
    options = chromium("--window-size=1400,900")
    options.page_load_strategy = "none"  # some pages are looked at while they load
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    with webdriver.Chrome(options, Service("/usr/bin/chromedriver")) as driver:
        yield driver


@pytest.fixture
def opened(browser: webdriver.Chrome) -> Iterator[Callable[..., Page]]:
    """Opens reports from disk; in the end none may have complained."""
    pages = []

    def open_report(file: Path, hash: str = "") -> Page:
        pages.append(Page(browser, f"{file.as_uri()}{hash}"))
        return pages[-1]

    yield open_report
    for page_ in pages:
        assert page_.stderr() == []
