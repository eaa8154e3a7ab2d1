"""A published evaluation of StructEval, scored again."""

import json
from typing import Any

import pytest

from helm_structext.cli import main
from helm_structext.errors import SetupError
from helm_structext.structeval.rescore import rescore_structeval, summary

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


def test_text_and_pictures_are_scored_again(evaluation, tmp_path):
    broken = {**LATEX_ROW, "task_id": "000601", "generation": r"\begin{nothing}"}
    file = evaluation(JSON_ROW, LATEX_ROW, broken)
    text, drawn, failed = rescore_structeval(file, tmp_path / "renderings")
    assert (text.file, text.task, text.instance) == ("gpt", "text_to_json", "000500")
    assert text.old == {"syntax_score": 1, "path_score": 0.5, "structeval_score": 0.6}
    assert text.new["path_score"] == text.new["structeval_score"] == 1
    assert drawn.old["vqa_score"] == 1
    assert drawn.new == {"syntax_score": 1, "keyword_score": 0.5}
    assert failed.new == {"syntax_score": 0, "keyword_score": 0}
    assert (
        failed.error
        == "syntax: line 1: LaTeX Error: Environment nothing undefined: \\begin{nothing}"
    )
    shown = summary([text, drawn, failed], "none")
    assert "gpt: 3 answers, 1 did not parse or render; judge=none\n" in shown
    (row,) = (line for line in shown.splitlines() if line.startswith("| T generation"))
    # n; syntax, paths, keywords, VQA and score, old and new.
    cells = [cell.strip() for cell in row.strip("|").split("|")][1:]
    assert cells == ["1", "100.00", "100.00", "50.00", "100.00", *"––––", "60.00", "100.00"]


def test_pictures_are_judged_where_a_judge_is_named(evaluation, tmp_path, capsys):
    file = evaluation(LATEX_ROW, {**LATEX_ROW, "task_id": "000601", "generation": "\\undefined"})
    arguments = ["--judge", "structext/ocr-judge", "--local-path", str(tmp_path / "prod_env")]
    assert main(["rescore", str(file), *arguments, "-o", str(tmp_path / "out.jsonl")]) == 0
    assert "judge=structext/ocr-judge (NOT COMPARABLE)" in capsys.readouterr().out
    first, second = map(json.loads, (tmp_path / "out.jsonl").read_text().splitlines())
    assert first["judged"]["answers"] == [True, False]
    assert first["new"]["vqa_score"] == 0.5
    assert first["new"]["structeval_score"] == pytest.approx(0.2 + 0.05 + 0.35)
    assert (second["judged"]["requests"], second["new"]["structeval_score"]) == (0, 0)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", r"can't be read \(JSONDecodeError"),
        ("{}", "no evaluation of StructEval"),
        ("[]", "no evaluation of StructEval"),
        ("[1]", "item 0: expected an object, got 1"),
        (json.dumps([{**JSON_ROW, "generation": None}]), "item 0 has no value in column 'gener"),
        (json.dumps([{**JSON_ROW, "task_name": "Text to Prose"}]), "task_name 'Text to Prose'"),
    ],
)
def test_a_file_that_is_no_evaluation_says_why(tmp_path, text, reason):
    path = tmp_path / "gpt.json"
    path.write_text(text)
    with pytest.raises(SetupError, match=reason):
        list(rescore_structeval(path, tmp_path))
