"""The embedded sample, and the whole way of MMR through HELM's own commands."""

import csv
import io
import json
from collections import Counter
from pathlib import Path

import pytest
from PIL import Image

from helm_structext.cli.init import sample_replays
from helm_structext.data.sources import SAMPLES
from helm_structext.mmr.generate.words import LANGUAGES
from helm_structext.mmr.rows import number_rows
from helm_structext.mmr.scores import score
from helm_structext.mmr.tasks import KINDS, TASKS, read_answer, read_reply
from support.completions import assert_scored_as_by_helm
from support.helm import helm_run, init, levels, run, suite, summarize

MODELS = ("oracle", "blank", "ocr", "replay-careful", "replay-careless")


@pytest.fixture(scope="module")
def rows():
    return list(number_rows("sample", tuple(TASKS), 50))


def test_there_are_five_questions_of_each_task(rows):
    assert Counter(task for _, task, _ in rows) == dict.fromkeys(TASKS, 5)
    assert len({name for _, _, name in rows}) == 55


def test_pictures_are_of_several_scripts_and_kinds():
    lines = (SAMPLES / "mmr" / "scenes.jsonl").read_text(encoding="utf-8").splitlines()
    scenes = [json.loads(line) for line in lines]
    assert {scene["language"] for scene in scenes} == set(LANGUAGES)
    assert len({scene["kind"] for scene in scenes}) >= 5


def test_every_picture_has_four_questions_and_can_be_shown(rows):
    pictures = Counter(row.verbatim("img_id") for row, _, _ in rows)
    assert min(pictures.values()) >= 4
    for row, _, _ in rows:
        with Image.open(io.BytesIO(row.base64_picture("image"))) as picture:
            assert min(picture.size) >= 600


def test_the_oracle_is_right_everywhere(rows):
    for row, task, _ in rows:
        kind = TASKS[task]
        truth = read_answer(kind, row.verbatim("Answer"))
        assert score(read_reply(kind, KINDS[kind].write(truth)), truth)["correct"] == 1


def test_the_replays_answer_every_question(rows):
    for name, lines in sample_replays().items():
        instances = [json.loads(line)["instance"] for line in lines.splitlines()]
        assert {row for _, _, row in rows} <= set(instances), name


# --- through HELM ---


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("mmr")
    init(folder)
    entries = [f"mmr:task=all,source=sample,model=structext/{model}" for model in MODELS]
    entries.append("mmr:task=grounding_o,source=sample,lenient=pixel,model=structext/ocr")
    helm_run(folder, "--max-eval-instances", "100", "-r", *entries)
    (folder / "summarize.log").write_text(summarize(folder))
    return folder


def values_of(folder: Path, model: str) -> dict[tuple[str, str], float]:
    (run_folder,) = suite(folder).glob(f"mmr:task=all,*model=structext_{model}")
    stats = json.loads((run_folder / "stats.json").read_text())
    return {
        (stat["name"]["name"], stat["name"]["sub_split"]): stat["mean"]
        for stat in stats
        if stat["count"] and stat["name"].get("sub_split") and "perturbation" not in stat["name"]
    }


def test_every_task_is_a_sub_split_with_its_own_score(finished):
    for model in MODELS:
        assert {task for name, task in values_of(finished, model) if name == "correct"} == set(
            TASKS
        )


def test_the_oracle_leads_and_the_floors_are_below(finished):
    def mean(model: str) -> float:
        values = values_of(finished, model)
        return sum(values["correct", task] for task in TASKS) / len(TASKS)

    assert mean("oracle") == 1
    assert mean("oracle") > mean("replay-careful") > mean("replay-careless") > mean("ocr")
    assert mean("ocr") > mean("blank")


def test_the_ocr_model_really_reads(finished):
    values = values_of(finished, "ocr")
    assert values["pnls", "recognition_label"] > 0.2
    assert values["iou_correct", "grounding_t"] > 0.3


def test_the_leaderboard_has_a_group_of_its_own(finished):
    (table, *_) = json.loads((suite(finished) / "groups" / "mmr.json").read_text())
    assert [cell["value"] for cell in table["header"]] == [
        "Model",
        "Mean win rate",
        "MMR - Correct",
    ]
    rates = {row[0]["value"]: row[1]["value"] for row in table["rows"]}
    assert rates["Oracle (ground truth)"] == 1
    (tasks, *_) = json.loads((suite(finished) / "groups" / "mmr_tasks.json").read_text())
    assert tasks["rows"][0][0]["value"] == "Tesseract OCR"


def test_helm_summarize_warns_of_nothing(finished):
    assert levels((finished / "summarize.log").read_text()) == {"INFO"}


def test_table_1_counts_right_answers_out_of_60(finished):
    said = run(
        finished, "helm-structext", "tables", "s", "--show", "leaderboard", "-o", "tables"
    ).stdout
    assert "**MMR (Table 1).** source=sample, limit=50, system=scale; 55 questions" in said
    # The run of one task with lenient scores is part of it: the same answers.
    with (finished / "tables" / "mmr-sample-leaderboard.csv").open() as file:
        rows = {row["Model"]: row for row in csv.DictReader(file)}
    assert set(rows) == {f"structext/{model}" for model in MODELS}
    assert set(list(rows["structext/oracle"].values())[1:-3]) == {"5"}
    assert rows["structext/oracle"]["Total /60"] == "60"
    assert rows["structext/blank"]["Total /60"] == "0"


def test_a_file_of_the_completions_scores_the_same_without_helm_run(finished):
    scored = assert_scored_as_by_helm(finished)
    assert {answer["part"] for answer in scored} == set(TASKS)
    assert any("iou_lenient" in answer["scores"] for answer in scored)
    unreadable = [answer for answer in scored if not answer["scores"]["valid_format"]]
    assert unreadable
    assert all((a["error_kind"], bool(a["error"])) == ("syntax", True) for a in unreadable)


def test_the_report_shows_all_answers(finished):
    said = run(finished, "helm-structext", "report", "s", "-o", "report.html").stdout
    assert f"report.html: {55 * len(MODELS)} answers" in said


def test_annotations_show_boxes_where_the_viewer_finds_them(finished):
    (run_folder,) = suite(finished).glob("mmr:task=all,*model=structext_oracle")
    states = json.loads((run_folder / "scenario_state.json").read_text())["request_states"]
    shown = 0
    for state in states:
        (annotation,) = state["annotations"]["reading"]
        assert annotation["text"].startswith("read as ")
        if "media_object" in annotation:
            location = annotation["media_object"]["location"]
            assert location.startswith(("prod_env/", "benchmark_output/"))
            assert Image.open(finished / location).width > 0
            shown += 1
    assert shown == 10
