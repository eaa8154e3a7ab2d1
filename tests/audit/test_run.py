"""A small audit from the command to its page; it goes on where it was stopped."""

import json

import pytest

from helm_structext.audit import measure
from helm_structext.audit.frauds import COPIES
from helm_structext.audit.measure import JOURNAL, read_journal
from helm_structext.audit.run import PAGE, SETTINGS, TABLES
from helm_structext.audit.tables import score_of
from helm_structext.cli import main
from helm_structext.passport import Passport
from helm_structext.results.passports import beside_line, keep_beside, read_beside
from helm_structext.rewards import PRESETS

OPTIONS = [
    *("audit", "metrics", "--kinds", "diagram", "--formats", "svg"),
    *("--count", "1", "--mistakes", "1", "--seed", "7"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("audit") / "out"
    assert main([*OPTIONS, "-o", str(folder)]) == 0
    return folder


def test_the_page_says_what_follows_and_how_it_was_measured(folder):
    page = (folder / PAGE).read_text(encoding="utf-8")
    command = page.split("`")[1]
    assert command.startswith("helm-structext audit metrics ")
    assert {*OPTIONS} <= {*command.split()}
    assert "`svg`: " in page
    assert (folder / TABLES / "order.csv").is_file()
    assert (folder / TABLES / "margins.png").read_bytes()[1:4] == b"PNG"


def test_the_page_has_the_passport_of_each_place_where_it_was_measured(folder, tmp_path):
    page = folder / PAGE
    (here,) = read_beside(page)
    assert f"\n\nPassport {here}.\n\n" in page.read_text(encoding="utf-8")
    copy = tmp_path / PAGE
    keep_beside(copy, read_beside(page).values())
    keep_beside(copy, [Passport({**read_beside(page)[here].parts, "numpy": "1.0"})])
    assert "differ in: numpy. What is ranked here may differ" in beside_line(copy)


def test_metrics_agree_that_right_is_right_and_nothing_failed(folder):
    found = [*read_journal(folder)]
    (right,) = [one for one in found if one.role == "right"]
    low = {name for name, value in right.values.items() if value < 0.999}
    # A distance, a score of words that the code may have in pieces, and one that is not 1 of equal pictures.
    assert low == {"block_emd", "keyword_score", "pixel_similarity_published"}
    assert [one.failures for one in found if one.failures] == []


def test_known_holes_are_found(folder):
    """They are what the page is for: each was told of in an issue before it was measured."""
    frauds = {one.name: one for one in read_journal(folder) if one.role == "fraud"}
    assert frauds["texts in a remark"].values["keyword_score"] > 0.9
    assert frauds["blank page"].values["structural_similarity"] > 0.8
    assert frauds["under a sheet"].values["levenshtein_similarity"] == 1
    assert "blank" in frauds["under a sheet"].guards
    assert "embedded" in frauds["embedded: data URI"].guards


def test_the_second_call_measures_nothing_and_writes_the_same_page(folder, monkeypatch):
    def refuse(*_):
        raise AssertionError("it was measured before")

    before = (folder / PAGE).read_bytes()
    monkeypatch.setattr(measure, "run_in_process", refuse)
    assert main([*OPTIONS, "-o", str(folder)]) == 0
    assert (folder / PAGE).read_bytes() == before


def test_what_is_missing_is_measured_again(folder):
    before = (folder / PAGE).read_bytes()
    lost = sorted((folder / JOURNAL).glob("*/*.json"))[:2]
    for file in lost:
        file.unlink()
    (folder / PAGE).unlink()
    assert main([*OPTIONS, "-o", str(folder)]) == 0
    assert all(file.is_file() for file in lost)
    without_costs = [
        part.partition(b"**Cost and")[0] for part in (before, (folder / PAGE).read_bytes())
    ]
    assert without_costs[0] == without_costs[1]


def test_a_short_audit_has_what_presets_are_chosen_by_and_no_more(tmp_path):
    assert main([*OPTIONS, "--short", "-o", str(tmp_path / "out")]) == 0
    found = [*read_journal(tmp_path / "out")]
    assert {one.role for one in found} == {"right", "mistake", "half right", "fraud"}
    assert {one.name for one in found} > COPIES
    (right,) = [one for one in found if one.role == "right"]
    assert score_of(right, "preset whole") == pytest.approx(1)
    assert right.values.keys() < {name for weights in PRESETS.values() for name in weights}
    page = (tmp_path / "out" / PAGE).read_text(encoding="utf-8")
    assert "--short" in page.split("`")[1]


def test_no_scene_is_begun_after_the_minutes(tmp_path, capsys):
    assert main([*OPTIONS, "--minutes", "0", "-o", str(tmp_path / "out")]) == 2
    assert "no scene was measured" in capsys.readouterr().err


def test_a_folder_of_other_settings_is_left_alone(folder, capsys):
    before = json.loads((folder / SETTINGS).read_text())
    assert main([*OPTIONS[:-1], "8", "-o", str(folder)]) == 2
    assert "name a new folder" in capsys.readouterr().err
    assert json.loads((folder / SETTINGS).read_text()) == before


def test_a_folder_of_something_else_is_left_alone(tmp_path, capsys):
    (tmp_path / "thesis.tex").write_text("x")
    assert main([*OPTIONS, "-o", str(tmp_path)]) == 2
    assert "holds something else (thesis.tex)" in capsys.readouterr().err
    assert not (tmp_path / SETTINGS).exists()


def test_kinds_and_formats_have_to_go_together(tmp_path, capsys):
    wrong = [*OPTIONS, "-o", str(tmp_path / "new")]
    wrong[3] = "score"
    assert main(wrong) == 2
    assert "nothing goes together" in capsys.readouterr().err
