"""A published evaluation of StructEval, scored again."""

import json
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from helm_structext.cli import main
from helm_structext.errors import CTAN, SetupError
from helm_structext.metrics.structures import MAX_LENGTH
from helm_structext.protocols import PROTOCOLS, ProtocolName
from helm_structext.results.defects import find_defects
from helm_structext.structeval import rescore
from helm_structext.structeval.evaluations import (
    DATASET_SIZE,
    SUBSET_SIZES,
    TASK_OF_CODES,
    ItemScore,
    PublishedEvaluation,
    example_means,
    overall_of_subsets,
    read_evaluation,
    read_file,
    read_scores,
)
from helm_structext.structeval.rescore import (
    AnswerScorer,
    RescoredStructure,
    checked_answers,
    summary,
)
from helm_structext.structeval.tasks import CODES, SUBSETS, TASKS
from support import GOLDEN
from support.caches import kept_kinds
from support.completions import read_lines

JSON_ROW = {
    "task_id": "000500",
    "task_name": "Text to JSON",
    "query": "Please output JSON code.",
    "feature_requirements": "",
    "query_example": "",
    "input_type": "Text",
    "output_type": "JSON",
    "VQA": [],
    "raw_output_metric": ["title", "authors[0].name"],
    "rendering": False,
    "render_score": 1,
    "key_validation_score": 0.5,
    "VQA_score": None,
    "final_eval_score": 0.6,
    "generation": '<|BEGIN_CODE|>{"title": "A", "authors": [{"name": "B"}]}<|END_CODE|>',
}
DOCUMENT = r"\documentclass{article}\begin{document}Trip Summary of\ldots\end{document}"
LATEX_ROW = {
    **JSON_ROW,
    "task_id": "000600",
    "task_name": "Text to LaTeX",
    "output_type": "LaTeX",
    "VQA": [
        {"question": "What is the title?", "answer": "Trip Summary"},
        {"question": "Which place?", "answer": "Bern"},
    ],
    "raw_output_metric": ["documentclass", "section"],
    "rendering": True,
    "raw_output_score": 1.0,
    "VQA_score": 1.0,
    "VQAeval": [True, True],
    "final_eval_score": 1.0,
    "generation": f"<|BEGIN_CODE|>{DOCUMENT}<|END_CODE|>",
}


@pytest.fixture
def evaluation(tmp_path, monkeypatch):
    monkeypatch.setenv("HELM_STRUCTEXT_CACHE", str(tmp_path / "cache"))

    def write(*rows: Any) -> Any:
        path = tmp_path / "gpt.json"
        path.write_text(json.dumps(rows))
        return path

    return write


def rescored(found: PublishedEvaluation, protocol: ProtocolName = "published"):
    return map(AnswerScorer(found.name, protocol, None).score, found.answers)


def test_text_and_pictures_are_scored_again(evaluation, tmp_path, capsys):
    broken = {**LATEX_ROW, "task_id": "000601", "generation": r"\begin{nothing}"}
    found = read_evaluation(evaluation(JSON_ROW, LATEX_ROW, broken))
    text, drawn, failed = rescored(found)
    assert (text.file, text.task, text.instance) == ("gpt", "text_to_json", "000500")
    assert text.old == {"syntax_score": 1, "path_score": 0.5, "structeval_score": 0.6}
    assert text.new["path_score"] == text.new["structeval_score"] == 1
    assert drawn.old["vqa_score"] == 1
    assert drawn.new == {"syntax_score": 1, "syntax_score_published": 1, "keyword_score": 0.5}
    assert failed.new == {"syntax_score": 0, "syntax_score_published": 0, "keyword_score": 0}
    assert (
        failed.error
        == "syntax: line 1: LaTeX Error: Environment nothing undefined: \\begin{nothing}"
    )
    shown = summary([text, drawn, failed], "none")
    assert "gpt: 3 answers, 1 did not parse or render; protocol=published, judge=none\n" in shown
    (row,) = (line for line in shown.splitlines() if line.startswith("| T generation"))
    # n; syntax, paths, keywords, VQA and score, old and new.
    cells = [cell.strip() for cell in row.strip("|").split("|")][1:]
    assert cells == ["1", "100.00", "100.00", "50.00", "100.00", *"––––", "60.00", "100.00"]
    assert main(["rescore", str(tmp_path / "gpt.json")]) == 0
    assert "What looks wrong" not in capsys.readouterr().out


def test_what_a_picture_asked_for_and_did_not_get_is_counted(evaluation, tmp_path, capsys):
    code = r"\documentclass{article}\usepackage{nosuchpackage}\begin{document}x\end{document}"
    asking = {**LATEX_ROW, "task_id": "000601", "generation": code}
    path = evaluation(JSON_ROW, LATEX_ROW, asking)
    for _ in range(2):  # scored, and read from the file
        assert main(["rescore", str(path), "-o", str(tmp_path / "out.jsonl")]) == 0
        said = capsys.readouterr().out
        assert "What was asked for and is not here: by 1 of 2 rendered answers, 1 of which" in said
        (row,) = (line for line in said.splitlines() if line.startswith(f"| {CTAN}"))
        assert [cell.strip() for cell in row.split("|")[2:5]] == ["nosuchpackage", "1", "1"]
    text, drawn, lacking = read_lines(tmp_path / "out.jsonl")
    assert (text["missing"], drawn["missing"]) == (None, [])
    assert [one["package"] for one in lacking["missing"]] == ["nosuchpackage"]


def test_pictures_are_judged_where_a_judge_is_named(evaluation, tmp_path, capsys):
    file = evaluation(LATEX_ROW, {**LATEX_ROW, "task_id": "000601", "generation": "\\undefined"})
    arguments = ["--judge", "structext/ocr-judge", "--local-path", str(tmp_path / "prod_env")]
    assert main(["rescore", str(file), *arguments, "-o", str(tmp_path / "out.jsonl")]) == 0
    assert (
        "protocol=published, judge=structext/ocr-judge (NOT COMPARABLE)" in capsys.readouterr().out
    )
    first, second = map(json.loads, (tmp_path / "out.jsonl").read_text().splitlines())
    assert first["judged"]["answers"] == [True, False]
    assert first["new"]["vqa_score"] == 0.5
    assert first["new"]["structeval_score"] == pytest.approx(0.2 + 0.05 + 0.35)
    assert (second["judged"]["requests"], second["new"]["structeval_score"]) == (0, 0)
    assert kept_kinds()["judge"] == 1


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", r"can't be read \(JSONDecodeError"),
        ("{}", "no file of StructEval"),
        ("[]", "it has no rows"),
        ("[1]", "1 row left out: it is 1, not an object: 1"),
        (json.dumps([{**JSON_ROW, "generation": None}]), "no generation: 1"),
        (json.dumps([{**JSON_ROW, "task_name": "Text to Prose"}]), "task_name 'Text to Prose'"),
        (
            json.dumps([{**JSON_ROW, "final_eval_score": 60}]),
            "final_eval_score is 60, not a number",
        ),
        (json.dumps([{**JSON_ROW, "VQA_score": float("nan")}]), "VQA_score is nan, not a number"),
        (json.dumps([{**JSON_ROW, "render_score": 10**400}]), "render_score is 1000"),
        (
            '{"task_scores": [{"task_id": "000500", "subset": "v_generation"}]}',
            "no task of that subset",
        ),
    ],
)
def test_a_file_without_an_answer_says_why(tmp_path, text, reason):
    path = tmp_path / "gpt.json"
    path.write_text(text)
    with pytest.raises(SetupError, match=reason):
        read_file(path)


@pytest.mark.parametrize(
    ("text", "reason"),
    [("[" + "[]," * 700_000 + "[]]", "it holds more than"), ("[" * 1_000_000, "recursion")],
)
def test_a_file_of_brackets_is_refused_before_lists_are_made_of_it(tmp_path, text, reason):
    path = tmp_path / "evaluation.json"
    path.write_text(text)
    with pytest.raises(SetupError, match=reason):
        read_evaluation(path)


def test_rows_that_cant_be_used_are_named_and_the_others_scored(evaluation, capsys):
    text = json.dumps(
        [
            JSON_ROW,
            {**JSON_ROW, "task_id": "000501", "generation": None},
            {name: value for name, value in JSON_ROW.items() if name != "generation"},
            JSON_ROW,
            {**JSON_ROW, "task_id": "000502"},
        ]
    )
    path = evaluation()
    path.write_text(text[:-40])
    assert main(["rescore", str(path)]) == 0
    said = capsys.readouterr().out
    assert "gpt: 1 answers, 0 did not parse or render" in said
    assert (
        "4 rows left out: no generation: 2, 3; its task_id is that of an earlier row: 4; " in said
    )
    assert "the file is not whole (" in said


def test_a_file_that_ends_anywhere_keeps_its_whole_rows(tmp_path):
    """Within a letter of several bytes, too."""
    path = tmp_path / "gpt.json"
    later = {**JSON_ROW, "task_id": "000501", "generation": "é€😀"}
    data = json.dumps([JSON_ROW, later], ensure_ascii=False).encode()
    for end in range(data.index(b"}, {") + 2, len(data) - 2):
        path.write_bytes(data[:end])
        found = read_evaluation(path)
        assert [answer.question.id for answer in found.answers] == ["000500"]
        assert "the file is not whole" in found.note


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    ("format", "unit"),
    [
        *(("json", "["), ("json", "<code>"), ("toml", "a."), ("csv", "a,")),
        *(("xml", "<a>"), ("yaml", "- ")),
    ],
)
def test_answers_of_a_megabyte_are_scored_or_refused(evaluation, format, unit, protocol):
    task = TASKS[f"text_to_{format}"]
    row = {**JSON_ROW, "task_name": task.name}
    answers = [unit * (MAX_LENGTH // len(unit)), "{" * 2**20]
    whole = {"title": "a" * (MAX_LENGTH - 100), "authors": [{"name": "B"}]}
    if format == "json":
        answers.append(f"<|BEGIN_CODE|>{json.dumps(whole)}<|END_CODE|>")
    rows = [{**row, "task_id": f"00{n}", "generation": text} for n, text in enumerate(answers)]
    found = read_evaluation(evaluation(*rows))
    results = list(rescored(found, protocol))
    assert [r.new["syntax_score"] for r in results] == [0, 0, 1][: len(answers)]
    assert all(r.error and len(r.error) < 1000 for r in results[:2])


FIRST_PICTURE = {
    "task_id": "000601",
    "query": "Write LaTeX.",
    "raw_output_metric": ["documentclass"],
    "useVisualRendering": True,
    "VQAmetric": LATEX_ROW["VQA"],
    "generation": f"<code>{DOCUMENT}</code>",
    "render_score": 1,
    "raw_output_eval": ["True"],
    "raw_output_score": 1.0,
    "VQA_score": 0.5,
    "VQAeval": ["True", "false"],
    "final_eval_score": 0.65,
}


def test_answers_to_the_first_prompt_are_read(evaluation):
    """Between tags of their own, in one file with later ones, of text and of pictures."""
    text = {**JSON_ROW, "generation": '\n<code>{"title": 1}</code>', "task_id": "000511"}
    found = read_evaluation(evaluation(FIRST_PICTURE, text, JSON_ROW))
    picture, first, later = found.answers
    assert (picture.question.task, picture.verdicts) == ("text_to_latex", [True, False])
    assert picture.completion == f"<|BEGIN_CODE|>{DOCUMENT}<|END_CODE|>"
    assert first.completion == '<|BEGIN_CODE|>{"title": 1}<|END_CODE|>'
    assert later.completion == later.written == JSON_ROW["generation"]
    for protocol in PROTOCOLS:
        scored = list(rescored(found, protocol))
        assert [result.new["syntax_score"] for result in scored] == [1, 1, 1]


def test_an_error_says_where_the_text_is_wrong_and_what_is_not_read(evaluation):
    rows = [
        {**JSON_ROW, "generation": '{"title": 1]'},
        {**JSON_ROW, "task_id": "000501", "generation": "Here you are:\n<code>{}</code>"},
        {**JSON_ROW, "task_id": "000502", "generation": "[BEGIN_CODE]{}[END_CODE]"},
        {**JSON_ROW, "task_id": "000503", "generation": "<think>2</think>[1]"},
        {**JSON_ROW, "task_id": "000504", "generation": "[]"},
    ]
    found = read_evaluation(evaluation(*rows))
    place, wrapped, tags, reasoning, nothing = (result.error for result in rescored(found))
    assert place.startswith("syntax: line 1, column 12: ")
    assert (
        "the code is between <code> and </code>, which protocol=published does not read" in wrapped
    )
    assert "its tags or fences are written in a way which protocol=published does not read" in tags
    assert "there is reasoning around the code, which protocol=published does not read" in reasoning
    assert nothing == "empty: it holds nothing"


def test_a_stopped_call_goes_on_where_it_was(evaluation, tmp_path, capsys, monkeypatch):
    rows = [{**JSON_ROW, "task_id": f"0005{n:02}"} for n in range(6)]
    path, output = evaluation(*rows), tmp_path / "out.jsonl"
    assert main(["rescore", str(path), "-o", str(output)]) == 0
    whole = output.read_bytes()
    lines = whole.splitlines(keepends=True)
    assert len(lines) == 6
    asked = []
    monkeypatch.setattr(
        "helm_structext.structeval.rescore._score",
        lambda scoring, answer, score=rescore._score: (
            asked.append(answer.question.id),
            score(scoring, answer),
        )[1],
    )
    for rest in (b"", lines[2][:-20], b"\0" * 30):
        asked.clear()
        output.write_bytes(b"".join(lines[:2]) + rest)
        assert main(["rescore", str(path), "-o", str(output)]) == 0
        assert output.read_bytes() == whole
        assert sorted(asked) == ["000502", "000503", "000504", "000505"]
    assert capsys.readouterr().out.endswith("\n\n2 answers were there.\n")
    arguments = ["rescore", str(path), "-o", str(output), "--protocol", "corrected"]
    assert main(arguments) == 2
    assert "were scored with other arguments" in capsys.readouterr().err
    monkeypatch.setattr(rescore, "SCORES_VERSION", "99")
    assert main(arguments[:-2]) == 2
    assert "or by another release" in capsys.readouterr().err
    assert output.read_bytes() == whole


def test_a_file_that_is_not_there_is_named(tmp_path, capsys):
    assert main(["rescore", str(tmp_path / "absent.json")]) == 2
    assert "absent.json; name a suite's folder, or a file" in capsys.readouterr().err


# Scores alone, and averages


LEADERBOARD = json.loads((GOLDEN / "structeval_leaderboard.json").read_text())


def test_todays_overall_comes_from_the_published_means_of_subsets():
    assert LEADERBOARD["subset_counts"] == SUBSET_SIZES
    assert len(LEADERBOARD["rows"]) == 4
    for row in LEADERBOARD["rows"]:
        means = {subset: row[subset] for subset in SUBSETS}
        assert overall_of_subsets(means, SUBSET_SIZES) == pytest.approx(row["overall"], abs=0.01)
        for kind, name in (("v", "renderable"), ("t", "non_renderable")):
            part = {s: mean for s, mean in means.items() if s.startswith(kind)}
            assert overall_of_subsets(part, SUBSET_SIZES) == pytest.approx(row[name], abs=0.01)


def test_the_leaderboard_is_shown_with_both_averages(tmp_path, capsys):
    rows = [
        {"name": row["name"], "metrics": {k: v for k, v in row.items() if k != "name"}}
        for row in LEADERBOARD["rows"]
    ]
    path = tmp_path / "leaderboard.json"
    path.write_text(json.dumps({"schema_version": 3, "results": rows}))
    assert main(["rescore", str(path)]) == 0
    found = {
        cells[0]: cells[-3:]
        for line in capsys.readouterr().out.splitlines()
        if (cells := [cell.strip() for cell in line.strip("|").split("|")])[0]
    }
    for name, today, unweighted in (
        ("DeepSeek V4 Flash", "78.30", "80.11"),
        ("Qwen3.7 Plus", "76.80", "78.95"),
        ("GPT-4.1 mini", "76.06", "78.70"),
        ("GPT-5.4 nano", "69.75", "71.08"),
    ):
        assert found[name][0] == today
        assert [float(cell) for cell in found[name][1:]] == pytest.approx(
            [float(today), float(unweighted)], abs=0.0101
        )


RUN = json.loads((GOLDEN / "structeval_run.json").read_text())
"""The scores of a published run of October 2026."""


def test_a_published_run_gives_its_stated_means_and_what_is_wrong_in_it_is_printed(
    tmp_path, capsys
):
    rows = [
        {
            "task_id": id,
            "subset": TASKS[TASK_OF_CODES[id[:4]]].subset,
            "score": score,
            "render_score": rendered,
        }
        for id, (rendered, score) in RUN["scores"].items()
    ]
    path = tmp_path / "run.json"
    run = {"name": RUN["name"], "metrics": RUN["metrics"]}
    path.write_text(json.dumps({"run": run, "task_scores": rows}))
    found = read_scores(path)
    assert (len(found.scores), found.unused) == (912, [])
    means = example_means(found.scores.values())
    assert {name: round(100 * mean, 2) for name, mean in means.items()} == found.stated
    assert main(["rescore", str(path)]) == 0
    _, table = capsys.readouterr().out.split("What looks wrong in these files")
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    assert [row[:3] for row in cells[4:]] == [
        ["Text to Matplotlib", "no answer has a picture", "50 of 50"],
        ["Text to Typst", "no answer has a picture", "50 of 50"],
        ["Text to Canvas", "pictures on which next to nothing is seen: blank?", "25 of 26"],
        [
            "Convert Markdown to Vue",
            "pictures on which next to nothing is seen: blank?",
            "11 of 12",
        ],
        ["Text to Mermaid", "credit without a picture", "4 of 50"],
    ]
    assert cells[-1][3] == "000908 (0.65), 000909 (0.61), 000911 (0.61) and 1 more"


def test_verdicts_and_pictures_here_are_held_against_published_scores(evaluation):
    rows = [
        {
            **LATEX_ROW,
            "task_id": f"0006{n:02}",
            "VQAeval": [False, False],
            "final_eval_score": 0.5 + n / 100,
        }
        for n in range(10)
    ]
    found = read_evaluation(evaluation(*rows))

    def rules(rendered: float) -> list[str]:
        results = [
            RescoredStructure("", "gpt", "text_to_latex", f"0006{n:02}", {}, new, "", None)
            for n, new in enumerate([{"syntax_score": rendered}] * 10)
        ]
        return [defect.rule for defect in find_defects(checked_answers(found, results))]

    assert rules(1.0) == ["every verdict of the judge is false"]
    assert rules(0.0) == ["scored as rendered, and nothing here renders", *rules(1.0)]


def score_rows() -> list[dict[str, Any]]:
    """2,035 scores, as many of each subset as there are examples."""
    rows = []
    for subset, size in SUBSET_SIZES.items():
        tasks = [task for task in TASKS.values() if task.subset == subset]
        for number in range(size):
            task = tasks[number % len(tasks)]
            rows.append(
                {
                    "task_id": f"{CODES[task.input]}{CODES[task.output]}{number // len(tasks):02}",
                    "subset": subset,
                    "score": (number * 37 % 101) / 100,
                    "render_score": int(number % 9 > 0),
                }
            )
    return rows


def test_each_mean_comes_from_the_scores_of_examples(tmp_path, capsys):
    rows = score_rows()
    assert len({row["task_id"] for row in rows}) == DATASET_SIZE == 2035
    means = example_means(read_scores(written(tmp_path, rows)).scores.values())

    def mean(prefix: str, field: str = "score") -> Any:
        return pytest.approx(fmean(row[field] for row in rows if row["subset"].startswith(prefix)))

    assert means == {
        "overall": mean(""),
        "renderable": mean("v"),
        "non_renderable": mean("t"),
        "render_rate": mean("", "render_score"),
        **{subset: mean(subset) for subset in SUBSETS},
    }
    assert main(["rescore", str(tmp_path / "artifacts/x.json")]) == 0
    said = capsys.readouterr().out
    stated, ours = (
        [cell.strip() for cell in line.strip("|").split("|")][1:]
        for line in said.splitlines()
        if line.startswith(("| stated", "| from the scores"))
    )
    assert stated[:-1] == ours[:-1]
    assert ours[-1] == "2035"


def written(folder: Path, rows: list[dict[str, Any]]) -> Path:
    """A file of scores alone, in the form of `artifacts/`."""
    metrics = {
        name: round(100 * value, 2)
        for name, value in example_means(
            ItemScore(TASK_OF_CODES[row["task_id"][:4]], row["render_score"], row["score"])
            for row in rows
        ).items()
    }
    path = folder / "artifacts/x.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"run": {"name": "X 1", "metrics": metrics}, "task_scores": rows}))
    return path


def test_scores_that_cant_be_used_are_named(tmp_path):
    good = {"task_id": "000500", "subset": "t_generation", "score": 0.5, "render_score": 1}
    bad = [
        1,
        good,
        {**good, "task_id": "999900"},
        {**good, "task_id": "000501", "score": 2},
        {**good, "task_id": "000502", "subset": "v_generation"},
    ]
    path = tmp_path / "x.json"
    path.write_text(json.dumps({"task_scores": [good, *bad]}))
    found = read_scores(path)
    assert found.scores == {"000500": ItemScore("text_to_json", 1, 0.5)}
    assert [row.place for row in found.unused] == [2, 3, 4, 5, 6]
