"""HELM's own `helm-summarize` and `helm-server` on a suite of all three benchmarks, without commands of ours."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote
from urllib.request import urlopen

import pytest

from support import GOLDEN
from support.helm import helm_server, init, levels, suite, summarize, write_stats

MODELS = {"Replay: careful", "Replay: careless"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A suite as `helm-run` leaves it, in a folder that `init` has prepared."""
    folder = tmp_path_factory.mktemp("plain")
    init(folder)
    shutil.copytree(GOLDEN / "suite", folder, dirs_exist_ok=True)
    suite(folder).with_name("demo").rename(suite(folder))
    write_stats(suite(folder))
    (folder / "summarize.log").write_text(summarize(folder))
    return folder


@pytest.fixture(scope="module")
def address(folder) -> Iterator[str]:
    with helm_server(folder) as address:
        yield address


def read(address: str, path: str) -> str:
    with urlopen(f"{address}{quote(path)}", timeout=30) as answer:
        assert answer.status == 200
        return answer.read().decode()


def test_helm_summarize_reads_every_run_and_warns_of_metrics_alone_that_older_runs_lack(folder):
    log = (folder / "summarize.log").read_text()
    assert levels(log) == {"INFO", "WARNING"}
    warnings = [line for line in log.splitlines() if " WARNING " in line]
    assert all("does not have any stat matched by" in line for line in warnings)
    specs = json.loads((suite(folder) / "run_specs.json").read_text())
    assert {spec["name"] for spec in specs} == {
        path.parent.name for path in suite(folder).glob("*/run_spec.json")
    }


def test_helm_server_serves_its_page_and_the_suite(address):
    assert '<div id="root">' in read(address, "")
    config = read(address, "config.js")
    assert '"s"' in config


@pytest.mark.parametrize("group", ["image2struct_latex", "mmr_all", "structeval_t_generation"])
def test_helm_server_serves_the_leaderboard_of(address, group):
    (table, *_) = json.loads(read(address, f"benchmark_output/runs/s/groups/{group}.json"))
    assert {row[0]["value"] for row in table["rows"]} >= MODELS
    values = [cell["value"] for row in table["rows"] for cell in row[1:] if "value" in cell]
    assert values
    assert all(isinstance(value, int | float) for value in values)


def test_helm_server_serves_answers_and_pictures(address, folder):
    (run,) = suite(folder).glob("mmr:*replay-careful")
    path = f"benchmark_output/runs/s/{run.name}/scenario_state.json"
    assert json.loads(read(address, path)) == json.loads((run / "scenario_state.json").read_text())
