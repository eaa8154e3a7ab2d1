"""StructEval through HELM's own commands, on a folder of rows of our own."""

import json
from pathlib import Path

import pytest

from support.completions import assert_scored_as_by_helm
from support.helm import (
    dry_requests,
    helm_run,
    init,
    levels,
    stats_of,
    suite,
    summarize,
    write_replay,
)
from support.structeval_rows import structeval_row, write_rows

TEXTS = {
    "text_to_json": '{"planet": {"name": "Jupiter"}}',
    "text_to_csv": "planet.name,moons\nJupiter,97",
    "text_to_toml": '[planet]\nname = "Jupiter"',
    "text_to_xml": "<planet><name>Jupiter</name></planet>",
    "text_to_yaml": "planet:\n  name: Größe",
    "csv_to_yaml": "planet: {name: Jupiter}",
    "text_to_tikz": r"\begin{tikzpicture}\node[draw] {Moons of a planet};\end{tikzpicture}",
    "matplotlib_to_tikz": r"\tikz \node[draw] {Moons of a planet};",
    "text_to_typst": "= Moons of a planet",
}

ROWS = [
    structeval_row(
        task,
        number,
        oracle_structure=f"<|BEGIN_CODE|>\n{text}\n<|END_CODE|>",
        **({"raw_output_metric": ["csv::planet.name"]} if task == "text_to_csv" else {}),
    )
    for task, text in TEXTS.items()
    for number in range(2 if task in ("text_to_json", "text_to_csv", "text_to_tikz") else 1)
]

ENTRIES = [
    f"structeval:{what},source=rows,judge=none"
    for what in (
        "subset=t_generation",
        *(f"task={task}" for task in list(TEXTS)[5:]),
    )
]

REPLAY = {
    # As published, a fence wins over the tags, and reasoning is part of the answer.
    "000500": '<|BEGIN_CODE|>[]<|END_CODE|>\n```json\n{"planet": {"name": 1}}\n```',
    "000501": '<think>{"planet": {"name": 1}}</think>{"planet": {}}',
    "000200": "planet.name\n1,2",
    "000201": "planet\n1",
    "001000": "planet.name = ",
    "001700": '<!DOCTYPE a [<!ENTITY b "c">]><planet><name>&b;</name></planet>',
    "001800": "[" * 100_000,
    "021800": "<|BEGIN_CODE|>\nplanet: {name: 1}\n|END_CODE|>",
    "001300": r"\begin{tikzpicture}\node {Moons of a planet};\end{tikzpicture}",
    "001301": "\\begin{tikzpicture}\n\\node {Moons",
    "081300": "<think>It never ends",
    "001400": "#let x = (\n= Moons",
}


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("structeval")
    init(folder)
    write_rows(folder / "rows", ROWS)
    limit = ("--max-eval-instances", "10")
    blank = (f"{entry},model=structext/blank" for entry in ENTRIES)
    requests = dry_requests(folder, *limit, "-r", *blank)
    write_replay(folder, ({**r, "completion": REPLAY[r["instance"]]} for r in requests))
    models = ("oracle", "blank", "replay-mine")
    entries = [f"{entry},model=structext/{model}" for entry in ENTRIES for model in models]
    helm_run(folder, *limit, "-r", *entries)
    (folder / "summarize.log").write_text(summarize(folder))
    return folder


def run_of(folder: Path, what: str, model: str) -> Path:
    (found,) = suite(folder).glob(f"structeval:{what},*model=structext_{model}")
    return found


def instance_stats(folder: Path, what: str, model: str) -> dict[str, dict[str, float]]:
    entries = json.loads((run_of(folder, what, model) / "per_instance_stats.json").read_text())
    stats: dict[str, dict[str, float]] = {}
    for entry in entries:
        values = {s["name"]["name"]: s["mean"] for s in entry["stats"] if s["count"]}
        stats.setdefault(entry["instance_id"], {}).update(values)
    return stats


def test_the_exported_prompts_are_those_of_table_4(finished):
    requests = [json.loads(line) for line in (finished / "requests.jsonl").read_text().splitlines()]
    assert {request["instance"] for request in requests} == set(REPLAY)
    for request in requests:
        assert request["images"] == request["stop"] == []
        assert request["temperature"] == 0
        assert request["prompt"].startswith("Please output ")
        assert request["prompt"].endswith("are allowed.\n\nDo not use markdown code fences")


def test_the_oracle_is_right_everywhere(finished):
    text = instance_stats(finished, "subset=t_generation", "oracle")
    assert len(text) == 7
    for stats in (*text.values(), *instance_stats(finished, "task=csv_to_yaml", "oracle").values()):
        assert stats["syntax_score"] == stats["path_score"] == 1
        assert stats["structeval_score"] == pytest.approx(1)
        assert "keyword_score" not in stats
    for task in ("text_to_tikz", "matplotlib_to_tikz", "text_to_typst"):
        stats = stats_of(run_of(finished, f"task={task}", "oracle"))
        assert stats["syntax_score"] == stats["keyword_score"] == 1
        assert not {"path_score", "vqa_score", "structeval_score"} & set(stats)


def test_the_blank_model_is_the_floor(finished):
    for stats in instance_stats(finished, "subset=t_generation", "blank").values():
        assert stats["path_score"] == 0
        assert stats["structeval_score"] <= 0.2
    stats = stats_of(run_of(finished, "task=text_to_tikz", "blank"))
    assert (stats["syntax_score"], stats["keyword_score"]) == (1, 0)


def test_replayed_completions_score_what_they_deserve(finished):
    text = instance_stats(finished, "subset=t_generation", "replay-mine")
    scores = {name: round(stats["structeval_score"], 6) for name, stats in text.items()}
    assert scores == {
        "000500": 1,
        "000501": 0,
        "000200": 0.8,
        "000201": 0.2,
        "001000": 0,
        "001700": 0,
        "001800": 0,
    }
    assert text["000200"]["structeval_score_published"] == 1
    assert text["000200"]["render_error_syntax"] == text["001700"]["render_error_syntax"] == 1
    (stats,) = instance_stats(finished, "task=csv_to_yaml", "replay-mine").values()
    assert stats["structeval_score"] == 0
    tikz = instance_stats(finished, "task=text_to_tikz", "replay-mine")
    assert (tikz["001300"]["syntax_score"], tikz["001300"]["keyword_score"]) == (1, 1)
    assert (tikz["001301"]["syntax_score"], tikz["001301"]["keyword_score"]) == (0, 0.5)
    (stats,) = instance_stats(finished, "task=matplotlib_to_tikz", "replay-mine").values()
    # As published, reasoning is part of the answer, and LaTeX sets it.
    assert (stats["syntax_score"], stats["keyword_score"]) == (1, 0)
    (stats,) = instance_stats(finished, "task=text_to_typst", "replay-mine").values()
    assert (stats["syntax_score"], stats["render_error_syntax"]) == (0, 1)


def test_annotations_say_what_was_wrong_or_show_the_picture(finished):
    path = run_of(finished, "task=text_to_tikz", "oracle") / "scenario_state.json"
    for state in json.loads(path.read_text())["request_states"]:
        (rendering,) = state["annotations"]["rendering"]
        assert (finished / rendering["media_object"]["location"]).exists()
    path = run_of(finished, "subset=t_generation", "replay-mine") / "scenario_state.json"
    said = {
        state["instance"]["id"]: state["annotations"]["rendering"][0]
        for state in json.loads(path.read_text())["request_states"]
    }
    assert said["000200"]["error"].startswith("syntax: line 2: row 1 has 2 cells, the header has 1")
    assert said["001700"]["error"] == "syntax: it declares entities"
    assert said["001800"]["error"] == "syntax: it has more than 100 levels"
    assert said["000501"]["error"].startswith("syntax: line 1, column 1: ")
    assert said["000500"]["text"] == "parsed as json"
    assert "error" not in said["000500"]


def test_a_file_of_the_completions_scores_the_same_without_helm_run(finished):
    scored = assert_scored_as_by_helm(finished)
    said = {
        answer["instance"]: (answer["error_kind"], answer["error"])
        for answer in scored
        if answer["model"] == "structext/replay-mine"
    }
    assert said["001700"] == ("syntax", "it declares entities")
    assert said["000500"] == (None, "")
    assert {kind for kind, _ in said.values()} == {None, "syntax"}


def test_tasks_are_sub_splits(finished):
    stats = json.loads(
        (run_of(finished, "subset=t_generation", "oracle") / "stats.json").read_text()
    )
    splits = {s["name"].get("sub_split") for s in stats if s["name"]["name"] == "path_score"}
    assert splits >= {"text_to_json", "text_to_csv", "text_to_toml", "text_to_xml", "text_to_yaml"}


def test_helm_summarize_warns_of_nothing(finished):
    assert levels((finished / "summarize.log").read_text()) == {"INFO"}


def test_the_leaderboard_has_the_subsets(finished):
    (table, *_) = json.loads((suite(finished) / "groups" / "structeval_no_judge.json").read_text())
    header = [cell["value"] for cell in table["header"]]
    column = header.index("T generation - Score")
    scores = {row[0]["value"]: row[column]["value"] for row in table["rows"]}
    assert scores["Oracle (ground truth)"] == pytest.approx(1)
    assert scores["Blank page"] < scores["structext/replay-mine"] < 1


def test_a_bad_row_stops_the_run_and_is_named(finished):
    write_rows(finished / "bad", [*ROWS[:2], structeval_row("text_to_json", 9, VQA=None)])
    entry = "structeval:task=text_to_json,source=bad,judge=none,model=structext/blank"
    failed = helm_run(finished, "--max-eval-instances", "1", "-r", entry, check=False)
    assert failed.returncode
    said = failed.stdout + failed.stderr
    assert "row 2 of bad/train-0.parquet has no value in column 'VQA'" in said
