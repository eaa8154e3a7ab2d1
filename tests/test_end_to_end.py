"""The whole way, through HELM's own commands, as a user would type them."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

from helm_structext.sandbox import launcher
from support.browser import chromium, patience
from support.caches import without_renderings
from support.completions import assert_scored_as_by_helm
from support.helm import (
    BIN,
    dry_requests,
    helm_run,
    helm_server,
    init,
    levels,
    run,
    stats_of,
    suite,
    summarize,
    without_run_times,
    write_replay,
)
from support.rows import latex_row, png

MODELS = ("oracle", "blank", "ocr", "replay-careless")
DISPLAY_NAMES = ("Oracle (ground truth)", "Blank page", "Tesseract OCR", "Replay: careless")


def entries(subset: str) -> list[str]:
    return [f"image2struct_latex:subset={subset},source=sample,model=structext/{m}" for m in MODELS]


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("finished")
    init(folder)
    helm_run(folder, "--max-eval-instances", "3", "-r", *entries("equation"), *entries("wild"))
    (folder / "summarize.log").write_text(summarize(folder))
    return folder


def run_of(folder: Path, model: str, subset: str = "equation") -> Path:
    (found,) = suite(folder).glob(f"image2struct_latex:subset={subset},*model=structext_{model}")
    return found


def test_the_oracle_is_right_everywhere_and_the_floors_are_below(finished):
    oracle, blank, ocr = (stats_of(run_of(finished, m)) for m in ("oracle", "blank", "ocr"))
    assert oracle["compilation_success"] == 1
    assert oracle["earth_mover_similarity"] >= 0.99
    assert oracle["levenshtein_similarity"] == 1
    for floor in (blank, ocr):
        assert floor["compilation_success"] == 1
        assert 0.2 < floor["earth_mover_similarity"] < 0.9
    for model in MODELS:
        for subset in ("equation", "wild"):
            assert stats_of(run_of(finished, model, subset))["metric_errors"] == 0


def test_wild_pictures_have_no_text_metrics(finished):
    assert "levenshtein_similarity" not in stats_of(run_of(finished, "oracle", "wild"))


def test_helm_summarize_warns_of_nothing(finished):
    assert levels((finished / "summarize.log").read_text()) == {"INFO"}


def test_the_leaderboard_ranks_by_win_rate_under_display_names(finished):
    (table, *_) = json.loads((suite(finished) / "groups" / "image2struct.json").read_text())
    names = [row[0]["value"] for row in table["rows"]]
    assert sorted(names) == sorted(DISPLAY_NAMES)
    assert [cell["value"] for cell in table["header"]][:2] == ["Model", "Mean win rate"]
    rates = {row[0]["value"]: row[1]["value"] for row in table["rows"]}
    assert max(rates, key=rates.__getitem__) == "Oracle (ground truth)"


def test_tables_prints_the_leaderboard(finished):
    printed = run(finished, "helm-structext", "tables", "s").stdout
    assert all(f"structext/{model}" in printed for model in MODELS)
    assert "protocol=published" in printed


def test_the_viewer_shows_models_and_pictures(finished):
    options = chromium()
    with (
        helm_server(finished) as base,
        webdriver.Chrome(options, Service("/usr/bin/chromedriver")) as browser,
    ):
        patient = patience(browser, 30)
        browser.get(f"{base}#/leaderboard")
        patient.until(
            lambda b: all(
                name in b.find_element(By.TAG_NAME, "body").text for name in DISPLAY_NAMES
            )
        )

        browser.get(f"{base}#/runs/{run_of(finished, 'ocr').name}")
        request = json.loads((run_of(finished, "ocr") / "scenario_state.json").read_text())
        state = request["request_states"][0]
        rendering, reference = state["annotations"]["rendering"]
        wanted = {
            "input": state["instance"]["input"]["multimedia_content"]["media_objects"][1],
            "rendering": rendering["media_object"],
            "reference": reference["media_object"],
        }
        patient.until(lambda b: len(b.find_elements(By.CSS_SELECTOR, "img[src$='.png']")) > 4)
        for name, media in wanted.items():
            file = Path(media["location"]).name
            pictures = patient.until(
                lambda b, file=file: b.find_elements(By.CSS_SELECTOR, f"img[src$='{file}']")
            )
            patient.until(lambda b, p=pictures: all(width(b, picture) > 0 for picture in p))
            # The reference is the input's file, so it is shown once more than the input alone.
            assert len(pictures) >= (1 if name == "rendering" else 2), name


def test_a_file_of_the_completions_scores_the_same_without_helm_run(finished):
    scored = assert_scored_as_by_helm(finished)
    assert {answer["part"] for answer in scored} == {"equation", "wild"}
    assert {answer["model"] for answer in scored} == {f"structext/{model}" for model in MODELS}
    assert len({answer["scores"]["earth_mover_similarity"] for answer in scored}) > len(MODELS)


def width(browser: webdriver.Chrome, picture) -> int:
    return browser.execute_script("return arguments[0].naturalWidth", picture)


def test_requests_of_a_dry_run_are_filled_in_and_replayed(finished, tmp_path):
    folder = tmp_path
    init(folder)
    entry = "image2struct_latex:subset=equation,source=sample"
    limit = ("--max-eval-instances", "3")
    requests = dry_requests(folder, *limit, "-r", f"{entry},model=structext/blank")
    assert len(requests) == 3
    assert all(Path(folder, request["images"][0]).exists() for request in requests)
    assert all("Please provide the LaTeX code" in request["prompt"] for request in requests)

    def replay(lines: list[dict], **options):
        write_replay(folder, lines)
        return helm_run(folder, *limit, "-r", f"{entry},model=structext/replay-mine", **options)

    filled = [{**request, "completion": "$x^2$"} for request in requests]
    failed = replay([*filled[:2], requests[2]], check=False)
    assert failed.returncode != 0
    assert requests[2]["key"] in failed.stdout + failed.stderr

    replay(filled)
    assert stats_of(run_of(folder, "replay-mine"))["compilation_success"] == 1


def test_a_killed_run_continues_where_it_was(tmp_path, monkeypatch):
    cache = without_renderings(tmp_path / "cache")
    monkeypatch.setenv("HELM_STRUCTEXT_CACHE", str(cache))
    init(tmp_path)
    entry = "image2struct_latex:subset=equation,source=sample,model=structext/oracle"
    command = [
        BIN / "helm-run",
        "--suite",
        "s",
        "--num-threads",
        "1",
        "--max-eval-instances",
        "9",
        "--exit-on-error",
        "-r",
        entry,
    ]
    renderings = cache / "renderings"
    first = subprocess.Popen(
        command,
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    while len(list(renderings.glob("*/*.json"))) < 2 and first.poll() is None:
        time.sleep(0.02)
    os.killpg(first.pid, signal.SIGKILL)
    first.wait()
    before = {path: path.stat().st_mtime_ns for path in renderings.glob("*/*.json")}
    assert before

    helm_run(tmp_path, "--max-eval-instances", "9", "-r", entry)
    after = {path: path.stat().st_mtime_ns for path in renderings.glob("*/*.json")}
    assert before.items() <= after.items()
    assert len(after) > len(before) or first.returncode == 0
    assert stats_of(run_of(tmp_path, "oracle"))["earth_mover_similarity"] >= 0.99

    # What the two attempts left behind is what one alone gives, run times aside.
    other = tmp_path / "other"
    monkeypatch.setenv("HELM_STRUCTEXT_CACHE", str(without_renderings(other / "cache")))
    init(other)
    helm_run(other, "--max-eval-instances", "9", "-r", entry)
    for name in ("stats.json", "per_instance_stats.json"):
        ended, alone = (
            without_run_times(run_of(folder, "oracle") / name) for folder in (tmp_path, other)
        )
        assert ended == alone


def features() -> Any:
    """The published schema, as `datasets` says it."""
    import datasets

    texts = (
        *("structure", "text", "download_url", "instance_name", "date", "additional_info"),
        *("date_scrapped", "file_filters", "compilation_info", "rendering_filters", "category"),
        *("uuid", "length", "difficulty"),
    )
    text = datasets.Value("string")
    return datasets.Features(
        dict.fromkeys(texts, text) | {"image": datasets.Image(), "assets": datasets.Sequence(text)}
    )


def test_a_folder_written_by_datasets_runs_like_the_hub(tmp_path):
    from datasets import Dataset

    rows = [latex_row(n, structure=f"$x_{{{n}}}$", text=f"$x_{{{n}}}$") for n in range(300)]
    for number, row in enumerate(rows):
        color = (number % 256, number // 256, 0)
        row["image"] = {"bytes": png(color), "path": None}
    table = Dataset.from_list(rows, features=features())  # in several groups of rows
    (tmp_path / "data" / "equation").mkdir(parents=True)
    table.to_parquet(str(tmp_path / "data" / "equation" / "validation-00000-of-00001.parquet"))

    init(tmp_path)
    entry = f"image2struct_latex:subset=equation,source={tmp_path / 'data'},model=structext/oracle"
    helm_run(tmp_path, "--max-eval-instances", "50", "-r", entry)
    (folder,) = suite(tmp_path).glob("image2struct_latex:*source=data-*")
    stats = stats_of(folder)
    assert stats["num_instances"] == 50
    assert stats["compilation_success"] == 1
    assert stats["metric_errors"] == 0


WITHOUT = {
    "pdflatex": ({}, "'pdflatex' was not found"),
    "bwrap": ({"HELM_STRUCTEXT_SANDBOX": "bubblewrap"}, "bubblewrap is missing"),
}


def run_without(missing: str, tmp_path: Path, monkeypatch):
    """A run on a machine that lacks one program."""
    init(tmp_path)
    programs = tmp_path / "programs"
    programs.mkdir()
    for program in Path("/usr/bin").iterdir():
        if program.name != missing:
            (programs / program.name).symlink_to(program)
    monkeypatch.setenv("PATH", str(programs))
    monkeypatch.setenv("HELM_STRUCTEXT_CACHE", str(tmp_path / "cache"))
    entry = "image2struct_latex:subset=equation,source=sample,model=structext/oracle"
    return helm_run(tmp_path, "--max-eval-instances", "1", "-r", entry, check=False)


@pytest.mark.parametrize("missing", WITHOUT)
def test_without_a_program_the_run_stops_and_says_what_to_install(tmp_path, monkeypatch, missing):
    settings, advice = WITHOUT[missing]
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    failed = run_without(missing, tmp_path, monkeypatch)
    assert failed.returncode != 0
    assert advice in failed.stdout + failed.stderr
    assert not list(suite(tmp_path).glob("*/stats.json"))


@pytest.mark.skipif(launcher.landlock_abi() < launcher.OLDEST_ABI, reason="no Landlock here")
def test_without_bubblewrap_the_run_goes_on_by_landlock_and_says_so(tmp_path, monkeypatch):
    done = run_without("bwrap", tmp_path, monkeypatch)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "Code written by models runs by landlock" in done.stdout + done.stderr
    (folder,) = suite(tmp_path).glob("image2struct_latex:*")
    assert stats_of(folder)["compilation_success"] == 1
