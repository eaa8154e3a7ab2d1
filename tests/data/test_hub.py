"""The published data, from a Hub on this machine."""

import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator

import huggingface_hub
import pytest
from huggingface_hub import constants

from helm_structext.data import NEWEST, hub, load_rows
from helm_structext.errors import SetupError
from helm_structext.helm.scenario import BenchmarkScenario
from support.hub_server import (
    HubServer,
    another_process,
    ask,
    card,
    hub_of_this_process,
    parquet,
)
from support.rows import IMAGE2STRUCT_SCHEMA, latex_row, mmr_row
from support.structeval_rows import structeval_row

LATEX = "stanford-crfm/image2struct-latex-v1"
MMR = "puar-playground/MMR"
STRUCTEVAL = "TIGER-Lab/StructEval"
README = card(
    {
        config: {"validation": f"{config}/validation-*"}
        for config in ("algorithm", "equation", "plot", "table")
    }
)
SHARDS = [f"equation/validation-0000{number}-of-00002.parquet" for number in (0, 1)]


@pytest.fixture
def server(tmp_path) -> Iterator[HubServer]:
    """A Hub without datasets, of which this disk holds nothing."""
    with hub_of_this_process(tmp_path / "hub") as running:
        yield running


def latex_files(first: int = 0, **changes) -> dict[str, bytes]:
    """Two files of 15 rows each, as `datasets` writes and names them."""
    files = {"README.md": README}
    for number, name in enumerate(SHARDS):
        begin = first + 15 * number
        rows = [latex_row(row, **changes) for row in range(begin, begin + 15)]
        files[name] = parquet(rows, IMAGE2STRUCT_SCHEMA)
    return files


def latex_rows(config="equation", revision=NEWEST):
    arguments = {"benchmark": "b", "dataset": LATEX, "config": config, "revision": revision}
    return list(load_rows("hub", splits=["validation"], **arguments))


def refusal(**arguments) -> str:
    with pytest.raises(SetupError) as caught:
        latex_rows(**arguments)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_all_rows_come_in_order_and_say_where_from(server):
    commit = server.repository(LATEX).commit(latex_files())
    rows = latex_rows()
    assert [row.text("uuid") for row in rows] == [f"uuid-{number}" for number in range(30)]
    assert rows[0].verbatim("uuid") == '"uuid-0"'
    assert {row.dataset for row in rows} == {f"{LATEX}@{commit}"}
    assert rows[16].origin == f"row 1 of {SHARDS[1]} of {LATEX}@{commit}"
    assert server.fetched() == SHARDS


def test_nothing_is_fetched_twice(server):
    server.repository(LATEX).commit(latex_files())
    latex_rows()
    asked = len(server.asked)
    latex_rows()
    assert len(server.asked) == asked, "a process asks once"
    another_process()
    latex_rows()
    assert len(server.asked) == asked + 2, "another one asks for the newest commit and its card"
    assert server.fetched() == SHARDS


def test_a_new_commit_is_read_from_the_next_process_on_and_brings_only_what_changed(server):
    repository = server.repository(LATEX)
    old = repository.commit(latex_files())
    latex_rows()
    files = latex_files()
    changed = {SHARDS[1]: latex_files(first=100)[SHARDS[1]]}
    new = repository.commit(files | changed)
    assert latex_rows()[-1].dataset == f"{LATEX}@{old}", "all runs of a process read one commit"
    another_process()
    rows = latex_rows()
    assert (rows[-1].text("uuid"), rows[-1].dataset) == ("uuid-129", f"{LATEX}@{new}")
    assert server.fetched() == [*SHARDS, SHARDS[1]]


def test_a_revision_is_a_branch_a_tag_or_a_commit(server):
    repository = server.repository(LATEX)
    old = repository.commit(latex_files(), branch="v1")
    repository.commit(latex_files(first=50))
    for revision in ("v1", old):
        assert latex_rows(revision=revision)[0].text("uuid") == "uuid-0"
    assert latex_rows()[0].text("uuid") == "uuid-50"
    assert "no revision=v2; without revision= the newest" in refusal(revision="v2")


def test_a_download_that_breaks_off_goes_on_where_it_was(server, monkeypatch):
    monkeypatch.setattr("huggingface_hub.file_download.time.sleep", lambda _: None)
    server.repository(LATEX).commit(latex_files())
    monkeypatch.setattr(constants, "DOWNLOAD_CHUNK_SIZE", 500)
    server.cuts += [1000, 3000]
    assert len(latex_rows()) == 30
    assert server.fetched() == [SHARDS[0]] * 3 + [SHARDS[1]]
    assert server.ranges == ["bytes=1000-", "bytes=4000-"]


def test_a_download_that_fails_leaves_no_half_data_and_is_tried_anew(server, monkeypatch):
    monkeypatch.setattr("huggingface_hub.file_download.time.sleep", lambda _: None)
    commit = server.repository(LATEX).commit(latex_files())
    whole = len(server.repositories[LATEX].files[commit][SHARDS[0]])
    server.cuts += [whole] + [0] * 20
    message = refusal()
    assert f"{SHARDS[1]} of {LATEX}@{commit} did not come" in message
    assert "Start once more: files that came are kept." in message
    server.cuts.clear()
    another_process()
    assert len(latex_rows()) == 30
    assert server.fetched().count(SHARDS[0]) == 1


READ = """
import sys
from helm_structext.data import load_rows
print(len(list(load_rows(
    "hub", benchmark="b", dataset=sys.argv[1], config="equation", splits=["validation"]
))))
"""


def test_a_process_that_is_killed_in_the_middle_leaves_no_half_data(server, monkeypatch):
    server.repository(LATEX).commit(latex_files())
    server.held = threading.Event()
    environment = {"HF_ENDPOINT": server.url, "HF_HUB_CACHE": constants.HF_HUB_CACHE}
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with subprocess.Popen([sys.executable, "-c", READ, LATEX]) as reader:
        assert server.begun.wait(60)
        reader.send_signal(signal.SIGKILL)
    server.held.set()
    assert len(latex_rows()) == 30


def test_files_that_a_card_does_not_name_are_found_by_their_usual_names(server):
    files = {name: data for name, data in latex_files().items() if name != "README.md"}
    server.repository(LATEX).commit(files)
    assert len(latex_rows()) == 30


def test_a_config_that_is_not_there_names_those_that_are(server):
    commit = server.repository(LATEX).commit(latex_files())
    expected = f"{LATEX}@{commit} has no config poem; it has algorithm, equation, plot, table"
    assert expected in refusal(config="poem")
    assert "has no files of table, validation" in refusal(config="table")


@pytest.mark.parametrize(
    ("status", "code", "words"),
    [
        (401, "GatedRepo", ["is gated: ask for access at", f"/datasets/{LATEX}", "HF_TOKEN"]),
        (403, "GatedRepo", ["is gated: ask for access at", f"/datasets/{LATEX}", "HF_TOKEN"]),
        (403, "", [f"refuses to show {LATEX} (403)", "HF_TOKEN"]),
        (401, "RepoNotFound", [f"the Hub has no dataset {LATEX}", "HF_TOKEN"]),
    ],
)
def test_a_repository_that_is_not_for_everybody_says_what_to_do(server, status, code, words):
    repository = server.repository(LATEX)
    repository.commit(latex_files())
    repository.refusal = status, code
    message = refusal()
    assert message.startswith("source=hub: ")
    for word in words:
        assert word in message


def test_a_gated_repository_shows_its_card_to_everybody_and_its_files_to_some(server):
    repository = server.repository(LATEX)
    repository.commit(latex_files())
    repository.refusal = 403, "GatedRepo"
    repository.open_files = {"README.md"}
    assert f"{LATEX} is gated" in refusal()


def test_a_dataset_that_the_hub_does_not_know_is_named(server):
    assert f"the Hub has no dataset {LATEX}" in refusal()


def test_a_hub_that_fails_is_tried_once_for_all_datasets(server):
    server.statuses += [503] * 100
    first = refusal()
    assert f"{server.url} can't be reached" in first
    for words in ("503", "HF_HUB_OFFLINE=1", "source=<folder>", "source=sample"):
        assert words in first
    asked = [line for line in server.asked if "/api/datasets" in line]
    with pytest.raises(SetupError, match="can't be reached"):
        BenchmarkScenario("mmr").get_instances("")
    assert refusal() == first
    assert [line for line in server.asked if "/api/datasets" in line] == asked
    assert len(asked) == 1


def test_a_hub_that_is_not_there_is_named_with_the_other_ways(server, monkeypatch):
    # Port 9 is for what is to be discarded, and nobody listens.
    ask("http://127.0.0.1:9", monkeypatch)
    message = refusal()
    assert message.startswith("source=hub: http://127.0.0.1:9 can't be reached (ConnectError")
    assert "HF_HUB_OFFLINE=1" in message
    assert "source=<folder>" in message


def test_a_hub_that_goes_away_in_the_middle_says_so(server, monkeypatch):
    server.repository(LATEX).commit(latex_files())
    found = hub.snapshot(LATEX)
    ask("http://127.0.0.1:9", monkeypatch)
    monkeypatch.setattr("huggingface_hub.utils._http.time.sleep", lambda _: None)
    monkeypatch.setattr(hub, "snapshot", lambda *_: found)
    assert "did not come (ConnectError" in refusal()


def test_offline_the_copy_of_this_disk_is_read_and_nobody_asked(server, monkeypatch):
    commit = server.repository(LATEX).commit(latex_files())
    latex_rows()
    asked = list(server.asked)
    another_process()
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    rows = latex_rows()
    assert len(rows) == 30
    assert rows[0].dataset == f"{LATEX}@{commit}"
    assert server.asked == asked


def test_offline_what_was_not_loaded_before_is_an_error(server, monkeypatch):
    server.repository(LATEX).commit(latex_files())
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert f"HF_HUB_OFFLINE=1 is set, and {LATEX} (revision=main) was not loaded" in refusal()


def test_offline_half_of_the_files_are_not_taken_for_all(server, monkeypatch):
    server.repository(LATEX).commit(latex_files())
    next(load_rows("hub", benchmark="b", dataset=LATEX, config="equation", splits=["validation"]))
    assert server.fetched() == SHARDS[:1]
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert f"1 of 2 files like {SHARDS[0]}" in refusal()
    assert "unset HF_HUB_OFFLINE" in refusal()


def test_offline_a_folder_of_the_hub_s_own_client_will_do(server, monkeypatch):
    server.repository(LATEX).commit(latex_files())
    huggingface_hub.snapshot_download(LATEX, repo_type="dataset", endpoint=server.url)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert len(latex_rows()) == 30


def latex_instances(folder, **arguments):
    given = {"difficulty": "all", "protocol": "published", **arguments}
    scenario = BenchmarkScenario(
        "image2struct", domain="image2struct_latex", subset="equation", source="hub", **given
    )
    return scenario.get_instances(str(folder))


def test_an_instance_says_the_commit_that_it_was_read_from(server, tmp_path):
    commits = {}
    for name, files in {
        LATEX: latex_files(),
        MMR: mmr_files("train"),
        STRUCTEVAL: structeval_files("train"),
    }.items():
        commits[name] = server.repository(name).commit(files)
    for name, instances in {
        LATEX: latex_instances(tmp_path),
        MMR: mmr_instances(tmp_path),
        STRUCTEVAL: structeval_instances(tmp_path),
    }.items():
        assert instances
        said = {instance.extra_data["dataset"] for instance in instances}
        assert said == {f"{name}@{commits[name]}"}


def test_a_column_more_changes_nothing_and_a_column_less_is_named(server, tmp_path):
    repository = server.repository(LATEX)
    rows = [latex_row(0) | {"license": "CC0"}]
    repository.commit({"README.md": README, SHARDS[0][:-21] + ".parquet": parquet(rows)})
    (instance,) = latex_instances(tmp_path)
    assert instance.id == "uuid-0"
    another_process()
    rows = [latex_row(0, difficulty=...)]
    repository.commit({"README.md": README, "equation/validation-0.parquet": parquet(rows)})
    with pytest.raises(SetupError, match=r"row 0 of equation/.* has no column 'difficulty' \(it"):
        latex_instances(tmp_path, difficulty="easy")


def mmr_files(split: str) -> dict[str, bytes]:
    parts = [[mmr_row("font_color", n) for n in range(start, start + 30)] for start in (0, 30)]
    files = {"README.md": card({"default": {split: f"data/{split}-*"}})}
    for number, rows in enumerate(parts):
        files[f"data/{split}-0000{number}-of-00002.parquet"] = parquet(rows)
    return files


def mmr_instances(folder, limit=50):
    scenario = BenchmarkScenario("mmr", task="font_color", limit=limit)
    return scenario.get_instances(str(folder))


def structeval_files(split: str) -> dict[str, bytes]:
    rows = [structeval_row("text_to_json", n, oracle_structure=...) for n in range(20)]
    # So is the published card's newest version: another split, the same files.
    readme = card({"default": {split: "data/train-*"}})
    return {"README.md": readme, "data/train-00000-of-00001.parquet": parquet(rows)}


def structeval_instances(folder):
    scenario = BenchmarkScenario(
        "structeval", task="text_to_json", subset="all", source="hub", protocol="published"
    )
    return scenario.get_instances(str(folder))


@pytest.mark.parametrize("split", ["train", "test"])
def test_a_split_is_found_under_each_name_that_it_has_had(server, tmp_path, split):
    server.repository(MMR).commit(mmr_files(split))
    server.repository(STRUCTEVAL).commit(structeval_files(split))
    assert len(mmr_instances(tmp_path)) == 50
    assert len(structeval_instances(tmp_path)) == 20


def test_another_split_is_not_taken_for_it(server, tmp_path):
    server.repository(MMR).commit(mmr_files("dev"))
    with pytest.raises(SetupError, match=r"\(default\) has no split train or test; it has dev"):
        mmr_instances(tmp_path)


def test_no_more_files_come_than_a_limit_needs(server, tmp_path):
    server.repository(MMR).commit(mmr_files("train"))
    assert len(mmr_instances(tmp_path, limit=20)) == 20
    assert server.fetched() == ["data/train-00000-of-00002.parquet"]


def test_what_is_not_parquet_is_read_as_the_hub_converted_it(server, tmp_path):
    repository = server.repository(MMR)
    files = mmr_files("train")
    newest = repository.commit({"README.md": card({"default": {"train": "a.json"}}), "a.json": b""})
    contents = [data for name, data in files.items() if name != "README.md"]
    converted = {f"default/train/000{n}.parquet": data for n, data in enumerate(contents)}
    commit = repository.commit(converted, branch="refs/convert/parquet")
    instances = mmr_instances(tmp_path)
    assert len(instances) == 50
    assert instances[0].extra_data["dataset"] == f"{MMR}@{commit}"
    with pytest.raises(
        SetupError, match=r"has a\.json for default, which is not Parquet; revision="
    ):
        BenchmarkScenario("mmr", limit=1, revision=newest).get_instances("")


def test_the_log_tells_how_much_has_come(server, monkeypatch, caplog):
    """Half of a file comes, and the other half when the log has told of it."""
    monkeypatch.setattr(hub, "PROGRESS_SECONDS", 0.01)
    monkeypatch.setattr("sys.stderr.isatty", lambda: False, raising=False)
    server.repository(LATEX).commit(latex_files())
    server.held = threading.Event()

    class Told:
        def filter(self, record) -> bool:
            if re.search(r"^0\.0 of ", record.getMessage()):
                server.held.set()
            return True

    logger = hub._log
    told = Told()
    logger.addFilter(told)
    try:
        with caplog.at_level("INFO", logger="helm"):
            assert len(latex_rows()) == 30
    finally:
        logger.removeFilter(told)
    assert f"Fetching {SHARDS[0]} (0.0 MB) of {LATEX}@" in caplog.text
    assert f"0.0 of 0.0 MB of {SHARDS[0]} have come" in caplog.text
