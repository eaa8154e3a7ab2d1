import json

import pytest
from PIL import Image

from helm_structext.cli import main
from helm_structext.errors import SetupError
from helm_structext.image2struct import rescore
from helm_structext.image2struct.rescore import prepare_rescoring
from helm_structext.renderers import render
from helm_structext.results.passports import read_beside
from helm_structext.scoring.rescoring import RescoringOptions

RUN = "image2latex:subset=equation:difficulty=easy,model={}"


@pytest.fixture
def suite(tmp_path):
    """A suite as HELM's own image2latex writes it: two models, two instances."""
    truth = ["$a^2 + b^2 = c^2$", "$e = mc^2$"]
    for number, code in enumerate(truth):
        render("latex", code).image.save(tmp_path / f"{number}.png")
    answers = {"good": truth, "bad": [r"\nonsense", "no idea"]}
    old = {"good": [0.5, 0.5], "bad": [0.6, 0.9]}
    for model, completions in answers.items():
        folder = tmp_path / "runs" / "v1" / RUN.format(model)
        folder.mkdir(parents=True)
        states = [
            {
                "instance": {
                    "id": f"id{number}",
                    "references": [
                        {
                            "output": {
                                "text": truth[number],
                                "multimedia_content": {
                                    "media_objects": [
                                        {"content_type": "image/png", "location": f"{number}.png"}
                                    ]
                                },
                            },
                            "tags": ["correct"],
                        }
                    ],
                },
                "result": {"completions": [{"text": completion}]},
            }
            for number, completion in enumerate(completions)
        ]
        stats = [
            {
                "instance_id": f"id{number}",
                "stats": [
                    {"name": {"name": "earth_mover_similarity"}, "count": 1, "mean": value},
                    {"name": {"name": "ssim_similarity"}, "count": 1, "mean": 0.25},
                ],
            }
            for number, value in enumerate(old[model])
        ]
        spec = {
            "adapter_spec": {"model": f"me/{model}"},
            "scenario_spec": {"args": {"subset": "equation"}},
        }
        for name, content in (
            ("run_spec", spec),
            ("scenario_state", {"request_states": states}),
            ("per_instance_stats", stats),
        ):
            (folder / f"{name}.json").write_text(json.dumps(content))
    return tmp_path


def rescored(folder, root):
    return prepare_rescoring(folder, RescoringOptions(root, "published", "none")).results()


def test_old_and_new_scores_stand_side_by_side(suite):
    results = {
        (result.model, result.instance): result for result in rescored(suite / "runs" / "v1", suite)
    }
    good = results["me/good", "id1"]
    assert good.old == {"earth_mover_similarity": 0.5, "structural_similarity": 0.25}
    assert good.new["earth_mover_similarity"] == 1
    assert good.new["levenshtein_similarity"] == 1
    failed = results["me/bad", "id0"]
    assert failed.new["compilation_success"] == failed.new["earth_mover_similarity"] == 0
    assert failed.error.startswith("syntax")
    assert "block_emd" not in failed.new


def test_the_command_prints_the_change_of_rank(suite, capsys, monkeypatch):
    monkeypatch.setenv("HELM_STRUCTEXT_CACHE", str(suite / "cache"))
    folder = suite / "runs" / "v1"
    output = suite / "scores.jsonl"
    assert main(["rescore", str(folder), "--root", str(suite), "-o", str(output)]) == 0
    said = capsys.readouterr().out
    (passport,) = read_beside(output)
    assert f"Passport {passport}." in said
    rows = [line for line in said.splitlines() if "me/" in line]
    assert "me/good" in rows[0]
    assert "2 → 1" in rows[0]
    assert "1 → 2" in rows[1]
    assert len(output.read_text().splitlines()) == 4


def test_a_missing_picture_says_how_to_find_it(suite):
    Image.new("RGB", (1, 1)).save(suite / "0.png")
    (suite / "1.png").unlink()
    with pytest.raises(SetupError, match=r"1\.png .* --root"):
        list(rescored(suite / "runs" / "v1", suite))


def test_a_folder_without_such_runs_says_which_were_looked_for(tmp_path):
    with pytest.raises(SetupError, match="image2latex"):
        list(rescored(tmp_path, tmp_path))


def test_a_stopped_rescoring_goes_on_and_a_foreign_file_stays(suite, capsys, monkeypatch):
    monkeypatch.setenv("HELM_STRUCTEXT_CACHE", str(suite / "cache"))
    output = suite / "scores.jsonl"
    arguments = ["rescore", str(suite / "runs" / "v1"), "--root", str(suite), "-o"]
    assert main([*arguments, str(output)]) == 0
    whole = output.read_bytes()
    said = capsys.readouterr().out
    ends = [place + 1 for place, byte in enumerate(whole) if byte == ord("\n")]
    for there, cut in ((1, ends[0]), (2, ends[1] + 20), (4, len(whole))):  # within a run, and later
        output.write_bytes(whole[:cut] + bytes(100))
        assert main([*arguments, str(output)]) == 0
        assert output.read_bytes() == whole
        count = "1 answer was" if there == 1 else f"{there} answers were"
        assert capsys.readouterr().out.split() == f"{said} {count} there.".split()
    notes = suite / "notes.txt"
    notes.write_text("dear diary\n")
    assert main([*arguments, str(notes)]) == 2
    assert "notes.txt, line 1: what the file to continue has is not of these answers" in (
        capsys.readouterr().err
    )
    assert notes.read_text() == "dear diary\n"


def test_an_output_of_other_references_is_not_continued(suite, monkeypatch):
    monkeypatch.setenv("HELM_STRUCTEXT_CACHE", str(suite / "cache"))
    arguments = ["rescore", str(suite / "runs" / "v1"), "--root", str(suite), "-o", "s.jsonl"]
    monkeypatch.chdir(suite)
    assert main(arguments) == 0
    for state in suite.glob("runs/v1/*/scenario_state.json"):
        state.write_text(state.read_text().replace("e = mc^2", "e = mc^3"))
    assert main(arguments) == 2


def test_an_output_of_another_version_of_scores_is_not_continued(suite, monkeypatch, capsys):
    monkeypatch.setenv("HELM_STRUCTEXT_CACHE", str(suite / "cache"))
    monkeypatch.chdir(suite)
    arguments = ["rescore", str(suite / "runs" / "v1"), "--root", str(suite), "-o"]
    assert main([*arguments, "s.jsonl"]) == 0
    monkeypatch.setattr(rescore, "SCORES_VERSION", "99")
    assert main([*arguments, "s.jsonl"]) == 2
    assert "or by another release" in capsys.readouterr().err
    assert main([*arguments, "new.jsonl"]) == 0


def test_what_helm_scored_is_looked_at(suite, capsys):
    """Where its renderer drew nothing for a model, or gave credit for that."""
    results = [
        rescore.Rescored(
            key="", run="", model="me/bad", domain="image2struct_latex", subset="equation",
            instance=f"id{number}", new={}, error="",
            old={"compilation_success": 0.0, "earth_mover_similarity": 0.1 * (number == 3)},
        )
        for number in range(10)
    ]  # fmt: skip
    said = rescore.summary(results)
    assert "| me/bad, image2struct_latex, equation |  no answer has a picture | 10 of 10 |" in said
    assert "credit without a picture |  1 of 10 |" in said
    assert "id3 (0.10)" in said
