"""All that is published, run with the conf files as they are, from a Hub on this machine."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from helm.benchmark.presentation.run_entry import read_run_entries

from helm_structext.benchmarks import BENCHMARKS
from helm_structext.data.sources import SAMPLES
from helm_structext.image2struct.tasks import PUBLISHED_DOMAINS
from support import ROOT
from support.helm import helm_run, init, run, suite
from support.hub_server import HubServer, card, hub_server


def publish(hub: HubServer) -> dict[str, str]:
    """Publishes the samples under the names of the published datasets; returns their commits."""
    commits = {}
    for name, domain in PUBLISHED_DOMAINS.items():
        parts = {file.parent.name: file for file in SAMPLES.glob(f"{name}/*/validation.parquet")}
        files = {f"{part}/validation-00000-of-00001.parquet": f for part, f in parts.items()}
        readme = card({part: {"validation": f"{part}/validation-*"} for part in parts})
        commits[domain.dataset] = _commit(hub, domain.dataset, readme, files)
    for dataset, benchmark, split in (
        ("puar-playground/MMR", "mmr", "train"),
        ("TIGER-Lab/StructEval", "structeval", "test"),
    ):
        files = {"data/train-00000-of-00001.parquet": SAMPLES / benchmark / "train.parquet"}
        readme = card({"default": {split: "data/train-*"}})
        commits[dataset] = _commit(hub, dataset, readme, files)
    return commits


def _commit(hub: HubServer, dataset: str, readme: bytes, files: dict[str, Path]) -> str:
    contents = {path: file.read_bytes() for path, file in files.items()}
    return hub.repository(dataset).commit({"README.md": readme, **contents})


@pytest.fixture
def hub(tmp_path, monkeypatch) -> Iterator[HubServer]:
    """A Hub that commands started here ask."""
    with hub_server() as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
        monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
        yield server


CONFS = [str(ROOT / "run_specs" / f"{benchmark.name}.conf") for benchmark in BENCHMARKS]

READ_ALL = """
import json, sys
from helm.benchmark.presentation.run_entry import read_run_entries
from helm.benchmark.run import run_entries_to_run_specs
from helm.benchmark.scenarios.scenario import create_scenario
from helm_structext.helm import plugin

folder, *confs = sys.argv[1:]
specs = run_entries_to_run_specs(
    read_run_entries(confs).entries, models_to_run=["structext/blank"], max_eval_instances=1
)
read = {}
for spec in specs:
    instances = create_scenario(spec.scenario_spec).get_instances(folder)
    read[spec.name] = sorted({instance.extra_data["dataset"] for instance in instances})
print(json.dumps(read))
"""


def read(folder: Path, confs: list[str]) -> dict[str, list[str]]:
    """What the runs of conf files read, in a process of its own: run to datasets."""
    done = run(folder, "python", "-c", READ_ALL, str(folder / "scenarios"), *confs)
    found: dict[str, list[str]] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_the_runs_of_all_conf_files_read_the_published_data_and_fetch_it_once(hub, tmp_path):
    commits = publish(hub)
    found = read(tmp_path, CONFS)
    said = {name for names in found.values() for name in names}
    assert said == {f"{dataset}@{commit}" for dataset, commit in commits.items()}
    assert all(len(names) == 1 for names in found.values())
    assert len(found) == len(read_run_entries(CONFS).entries)
    files = [name for name in hub.asked if name.startswith("GET /storage/")]
    assert len(files) == len(set(files)) == 12
    hub.asked.clear()
    assert read(tmp_path, CONFS[:1]).items() <= found.items()
    assert hub.fetched() == []


def test_a_hub_that_fails_is_tried_once_for_all_runs_and_named_at_the_end(hub, tmp_path):
    hub.statuses += [503] * 1000
    selected = ("--models-to-run", "structext/blank", "--max-eval-instances", "1", "--suite", "s")
    confs = CONFS[1:]  # of two datasets
    failed = run(tmp_path, "helm-run", "--conf-paths", *confs, *selected, check=False)
    assert failed.returncode
    assert len([line for line in hub.asked if "/api/datasets/" in line]) == 1
    # Runs with a judge may have stopped before, for the judge's key.
    reason = rf"\d+ runs failed: source=hub: {hub.url} can't be reached \(it answers 503\)"
    assert re.search(reason, failed.stderr)


def test_a_run_of_a_pinned_revision_says_so_in_its_name_its_tables_and_the_report(hub, tmp_path):
    first = publish(hub)["TIGER-Lab/StructEval"]
    hub.repositories["TIGER-Lab/StructEval"].commit({"README.md": b"Nothing is left."})
    entry = f"structeval:task=csv_to_json,revision={first},model=structext/oracle"
    init(tmp_path)
    helm_run(tmp_path, "--max-eval-instances", "2", "-r", entry)
    (folder,) = suite(tmp_path).glob("structeval:*")
    assert f",source=hub,revision={first},protocol=published" in folder.name
    tables = run(tmp_path, "helm-structext", "tables", "s", "-o", "tables").stdout
    assert f"Data: TIGER-Lab/StructEval@{first[:10]}." in " ".join(tables.split())
    run(tmp_path, "helm-structext", "report", "s", "-o", "report.html")
    index = (tmp_path / "report.html").read_text()
    assert f'"datasets":["TIGER-Lab/StructEval@{first}"]' in index
