"""What `helm-structext summarize` gives helm-server to show."""

import json
import re
import shutil
from pathlib import Path
from urllib.parse import quote

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

from helm_structext.cli import main
from support import GOLDEN
from support.browser import chromium, patience
from support.helm import helm_run, helm_server, init, levels, run, suite, write_stats

NAMES = ["Oracle (ground truth)", "Replay: careless"]
ENTRIES = [
    f"{entry},source=sample,model=structext/{model}"
    for entry in ("mmr:task=all", "mmr:task=font_color", "structeval:task=text_to_json")
    for model in ("oracle", "replay-careless")
]


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> Path:
    """A suite of two benchmarks, without Image2Struct, under which helm-server looks first."""
    folder = tmp_path_factory.mktemp("finished")
    init(folder)
    helm_run(folder, "--max-eval-instances", "2", "-r", *ENTRIES)
    # What summarize has to know by itself.
    shutil.rmtree(folder / "prod_env")
    (folder / "schema.yaml").unlink()
    done = run(folder, "helm-structext", "summarize", "s")
    assert "tables s --all" in done.stdout
    assert re.search(r"helm-server --suite s +8 groups", done.stdout)
    assert not {"WARNING", "ERROR"} & levels(done.stdout + done.stderr)
    return folder


def groups(folder: Path) -> dict[str, str]:
    """Name to title of what helm-server lists, in its order."""
    return {
        row[0]["href"].removeprefix("?group="): row[0]["value"]
        for table in json.loads((suite(folder) / "groups.json").read_text())
        for row in table["rows"]
    }


def tables(folder: Path, group: str) -> list[dict]:
    return json.loads((suite(folder) / "groups" / f"{group}.json").read_text())


def test_only_what_ran_is_listed_and_each_name_once(finished):
    found = groups(finished)
    assert next(iter(found)) == "mmr"
    assert {*found} == {
        *("mmr", "mmr_tasks", "mmr_all", "mmr_font_color"),
        *("structeval", "structeval_t_generation_tasks"),
        *("structeval_t_generation", "structeval_text_to_json"),
    }
    assert len({*found.values()}) == len(found)
    assert all(tables(finished, group) for group in found)


def test_every_column_has_a_value(finished):
    for group in groups(finished):
        for table in tables(finished, group):
            for place, column in enumerate(table["header"]):
                values = [row[place].get("value") for row in table["rows"]]
                assert any(value is not None for value in values), (group, column["value"])


def test_the_schema_holds_no_metric_that_no_run_has(finished):
    schema = json.loads((suite(finished) / "schema.json").read_text())
    metrics = {metric["name"] for metric in schema["metrics"]}
    assert {"correct", "structeval_score"} <= metrics
    assert not {"earth_mover_similarity", "compilation_success"} & metrics


def test_offline_models_have_their_names_and_no_tokens(finished):
    (table, *_) = tables(finished, "mmr")
    assert sorted(row[0]["value"] for row in table["rows"]) == NAMES
    (index, *_) = json.loads((suite(finished) / "groups.json").read_text())
    header = [cell["value"] for cell in index["header"]]
    for row in index["rows"]:
        assert "value" not in row[header.index("# prompt tokens")]
        assert "value" not in row[header.index("# completion tokens")]
    assert "output tokens" not in (suite(finished) / "groups" / "mmr_all.json").read_text()


@pytest.fixture(scope="module")
def demo(tmp_path_factory) -> Path:
    """Runs of `make demo`, of all three benchmarks; as HELM wrote them, under the name of a test's suite."""
    folder = tmp_path_factory.mktemp("demo")
    shutil.copytree(GOLDEN / "suite", folder, dirs_exist_ok=True)
    suite(folder).with_name("demo").rename(suite(folder))
    write_stats(suite(folder))
    run(folder, "helm-structext", "summarize", "s")
    return folder


@pytest.mark.parametrize(
    ("made", "names"),
    [("finished", NAMES), ("demo", ["Replay: careful", "Replay: careless"])],
)
def test_every_group_of_the_list_opens(made, names, request):
    finished = request.getfixturevalue(made)
    shown = groups(finished)
    assert len(shown) == {"finished": 8, "demo": 13}[made]
    with (
        helm_server(finished) as base,
        webdriver.Chrome(chromium(), Service("/usr/bin/chromedriver")) as browser,
    ):
        patient = patience(browser, 60)

        def models(_: webdriver.Chrome) -> bool:
            text = browser.find_element(By.TAG_NAME, "body").text
            return all(name in text for name in names)

        browser.get(f"{base}#/leaderboard")  # the first group, without being asked for it
        patient.until(models)
        for page in ("leaderboard", "groups"):
            for name in shown:
                browser.get("about:blank")
                browser.get(f"{base}#/{page}/{quote(name)}")
                patient.until(models)
    asked = [line for line in (finished / "server.log").read_text().splitlines() if "GET " in line]
    assert sum("/groups/" in line for line in asked) > len(shown)
    assert [line for line in asked if " 404 " in line and "favicon" not in line] == []


def test_a_suite_without_finished_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("benchmark_output/runs/empty").mkdir(parents=True)
    assert main(["summarize", "empty"]) == 2
    assert "holds no finished runs" in capsys.readouterr().err
    assert main(["summarize", "absent"]) == 2
    assert "no suite absent" in capsys.readouterr().err


def test_a_schema_that_is_not_there(finished, monkeypatch, capsys):
    monkeypatch.chdir(finished)
    assert main(["summarize", "s", "--schema-path", "absent.yaml"]) == 2
    assert "there is no schema absent.yaml" in capsys.readouterr().err
