"""StructEval with judges, through HELM's own commands and ours."""

import csv
import json
from pathlib import Path

import pytest

from support.completions import assert_scored_as_by_helm
from support.helm import helm_run, run, stats_of, suite
from support.openai_server import openai_server
from support.structeval_rows import structeval_row, write_rows

DOCUMENT = r"\documentclass{article}\begin{document}%s\end{document}"
PAIRS = [
    {"question": "What is the title?", "answer": "Trip Summary"},
    {"question": "How many days?", "answer": "7"},
]
ROWS = [
    structeval_row("text_to_json", oracle_structure='{"planet": {"name": "Jupiter"}}'),
    *(
        structeval_row("text_to_latex", number, VQA=PAIRS, oracle_structure=code)
        for number, code in enumerate(
            [
                DOCUMENT % "Trip Summary of Moons: planet days, 7 of them",
                DOCUMENT % "Another planet without moons",
                DOCUMENT % r"\undefined",
            ]
        )
    ),
]
LIMIT = ("--max-eval-instances", "10")


def entries(judge: str) -> list[str]:
    tasks = ("text_to_latex", "text_to_json")
    return [
        f"structeval:task={task},source=rows,judge={judge},model=structext/oracle" for task in tasks
    ]


def judged(folder: Path, judge: str) -> dict[str, float]:
    (found,) = suite(folder).glob(f"structeval:task=text_to_latex,*judge={judge},*")
    return {name: v for name, v in stats_of(found).items() if "runtime" not in name}


@pytest.fixture
def server():
    """It finds every first answer in the picture, and no second one."""
    with openai_server('{"1": true, "2": false}') as running:
        yield running


@pytest.fixture
def folder(server, tmp_path) -> Path:
    server.configure(tmp_path)
    run(tmp_path, "helm-structext", "init")
    write_rows(tmp_path / "rows", ROWS)
    return tmp_path


def test_two_judges_from_the_run_to_the_tables(folder, server):
    unknown = helm_run(folder, *LIMIT, "-r", *entries("me/nobody"), check=False)
    assert unknown.returncode
    assert "HELM knows no model me/nobody to judge pictures" in unknown.stdout + unknown.stderr
    assert not list(suite(folder).glob("*text_to_latex*nobody*/stats.json"))

    arguments = (*LIMIT, "-r", *entries("me/my-vlm"), *entries("structext/ocr-judge"))
    helm_run(folder, *arguments)
    assert len(server.requests) == 2, (
        "two pictures; the third document gives none, and JSON has none"
    )
    stats = judged(folder, "me_my-vlm")
    assert stats["syntax_score"] == pytest.approx(2 / 3)
    assert stats["vqa_score"] == pytest.approx((0.5 + 0.5 + 0) / 3)
    assert stats["judge_requests"] == pytest.approx(2 / 3)
    assert stats["judge_prompt_tokens"] == pytest.approx(2 * 1234 / 3)
    assert stats["judge_unreadable"] == 0
    assert judged(folder, "structext_ocr-judge")["vqa_score"] == pytest.approx((1 + 0 + 0) / 3)

    helm_run(folder, *arguments)
    assert len(server.requests) == 2, "the second run is answered from HELM's cache"
    assert judged(folder, "me_my-vlm") == stats

    scored = assert_scored_as_by_helm(folder, "--judge", "me/my-vlm")
    assert sum(answer["scores"].get("vqa_score", 0) > 0 for answer in scored) == 3

    printed = run(folder, "helm-structext", "tables", "s", "--all").stdout
    assert (
        "**StructEval (judge: me/my-vlm) (Table 6).** protocol=published, judge=me/my-vlm"
        in printed
    )
    assert "| V VQA (judge: me/my-vlm) |" in printed
    assert "**StructEval, NOT COMPARABLE (Table 6).**" in printed

    said = run(folder, "helm-structext", "judge-agreement", "s", "-o", "tables").stdout
    assert "me/my-vlm against structext/ocr-judge" in said
    assert "NOT COMPARABLE" in said
    (path,) = (folder / "tables").glob("*.csv")
    with path.open(newline="") as file:
        everything, latex = csv.DictReader(file)
    # Both pairs of the first picture agree but for the days; of the second but for the title.
    assert (everything["Pairs"], everything["Accuracy"]) == ("4", "0.5")
    assert latex["Format"] == "LaTeX"

    run(folder, "helm-structext", "judge-agreement", "s", "--export", "labels.csv")
    with (folder / "labels.csv").open(newline="") as file:
        rows = [{**row, "label": "true"} for row in csv.DictReader(file)]
    assert all(Path(row["picture"]).is_file() for row in rows)
    rows[3]["fair"] = "false"
    with (folder / "labels.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    labels = ("--labels", "labels.csv", "--judges", "me/my-vlm")
    said = run(folder, "helm-structext", "judge-agreement", "s", *labels).stdout
    (row,) = (line for line in said.splitlines() if line.startswith("| all "))
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells == ["all", "3", "1", "0.667", "1.000", "0.667", "0.000"]
    assert "Unfair pairs (Table 3)" in said

    said = run(folder, "helm-structext", "report", "s", "-o", "report.html").stdout
    # Three of each judge, and the JSON, which both boards share.
    assert "7 answers" in said


def test_the_viewer_finds_what_the_judge_said(folder):
    helm_run(folder, *LIMIT, "-r", *entries("structext/ocr-judge"))
    (path,) = suite(folder).glob("*text_to_latex*/scenario_state.json")
    said = {}
    for state in json.loads(path.read_text())["request_states"]:
        _, judged = state["annotations"]["rendering"]
        said[state["instance"]["id"]] = judged
    assert said["000600"]["text"].splitlines() == [
        "structext/ocr-judge: 2 of 2",
        "true: What is the title? Trip Summary",
        "true: How many days? 7",
    ]
    assert said["000602"]["text"].startswith("structext/ocr-judge: 0 of 2 (no picture)")
    (path,) = suite(folder).glob("*text_to_json*/scenario_state.json")
    (state,) = json.loads(path.read_text())["request_states"]
    assert len(state["annotations"]["rendering"]) == 1


def test_what_the_judge_wrote_is_read_and_what_it_failed_to_judge_is_counted(tmp_path):
    replies = iter(["Sure:\n```json\n[true, false]\n```", "", "I can't tell."])
    with openai_server(lambda _: next(replies)) as server:
        server.configure(tmp_path)
        run(tmp_path, "helm-structext", "init")
        write_rows(tmp_path / "rows", ROWS)
        (entry, _) = entries("me/my-vlm")
        for _ in range(2):  # the second time from HELM's cache: there are no more replies
            helm_run(tmp_path, *LIMIT, "-r", entry.replace("source", "protocol=corrected,source"))
        assert [request["max_tokens"] for request in server.requests] == [4000, 4000, 16_000]
    stats = judged(tmp_path, "me_my-vlm")
    # The first is half right, the second has no score, the third did not render.
    assert stats["vqa_score"] == pytest.approx((0.5 + 0) / 2)
    assert stats["syntax_score"] == pytest.approx(2 / 3)
    assert stats["judge_unreadable"] == pytest.approx(1 / 3)
    assert stats["judge_requests"] == 1
    said = " ".join(run(tmp_path, "helm-structext", "tables", "s", "--all").stdout.split())
    assert said.count("1 answer without a verdict, as the judge's reply can't be read") >= 5
    assert "| Not judged |" in said
