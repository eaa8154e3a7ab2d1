"""The page of evidence: what it says is what its script computes."""

import json

import pytest

import evidence
from evidence import PAGE, SECTIONS, agreement, compared, section
from helm_structext.structeval.evaluations import evaluation_row
from helm_structext.structeval.rows import StructEvalQuestion
from support.documents import ROOT


def pages() -> dict[str, str]:
    """Title to section of the page."""
    _, *parts = PAGE.read_text(encoding="utf-8").split("\n## ")
    return {part.partition("\n")[0]: f"## {part.strip()}" for part in parts}


def test_the_page_has_the_sections_of_the_script():
    assert list(pages()) == list(SECTIONS)


@pytest.mark.parametrize("title", SECTIONS)
def test_the_page_says_what_the_script_computes(title):
    assert pages()[title] == section(title, SECTIONS[title])


def test_numbers_are_compared_with_the_largest_difference_and_correlation():
    numbers = [("a", 0.5, 0.5), ("b", 0.7, 0.4), ("c", 0.9, 0.9001)]
    said = compared([evidence.Compared(*one) for one in numbers], 2)
    assert said.startswith("Largest difference: 0.30 (b). Correlation: 0.75")
    assert "| b     |      0.70 | 0.40 |      -0.30 |" in said
    assert "| c     |      0.90 | 0.90 |       0.00 |" in said


def test_scores_are_compared_part_by_part():
    olds, news = [0.0, 0.5, 1.0], [0.0, 0.5, 0.8]
    said = agreement(
        ("gpt", str(n), {"score": old, "absent": 1.0}, {"score": new})
        for n, (old, new) in enumerate(zip(olds, news, strict=True))
    )
    (row,) = said.splitlines()[2:]
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells == ["gpt", "score", "3", "2", "0.500", "0.433", "0.990", "0.200 (2)"]


def test_evaluations_of_a_folder_are_scored_again(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("HELM_STRUCTEXT_CACHE", str(tmp_path / "cache"))
    question = StructEvalQuestion(
        "000500", "text_to_json", "Write JSON.", ["a", "b"], [], oracle=None
    )
    scores = {"syntax_score": 1.0, "path_score": 0.5, "structeval_score": 0.6}
    folder = tmp_path / "evaluations"
    folder.mkdir()
    (folder / "gpt.json").write_text(json.dumps([evaluation_row(question, '{"a": 1}', scores, [])]))
    monkeypatch.setattr("sys.argv", ["evidence.py", "--evaluations", str(folder)])
    monkeypatch.setattr(
        evidence, "SECTIONS", {name: lambda: "…" for name in SECTIONS if "evaluations" in name}
    )
    assert evidence.main() == 0
    said = capsys.readouterr().out
    (row,) = (line.split() for line in said.splitlines() if "path_score" in line)
    assert row[:14:2] == ["|"] * 7
    assert row[1:14:2] == ["gpt", "path_score", "1", "1", "0.500", "0.500", "–"]
    assert "gpt: 1 answers, 0 did not parse" in said
    assert "Not computed" not in said


def test_it_is_in_the_navigation():
    assert "evidence.md" in (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
