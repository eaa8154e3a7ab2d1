"""The run entry of our own domains: pictures of any rendered format, from generated rows and from files of code."""

import logging
import os

import pytest

from helm_structext.benchmarks import entry_of_run, run_of_entry
from helm_structext.data.sources import SAMPLES
from helm_structext.errors import SetupError
from helm_structext.formats import rendered_formats
from helm_structext.image2struct.format_rows import format_rows, formats_of, rendered_rows
from helm_structext.image2struct.results import conditions_of
from helm_structext.image2struct.tasks import DOMAINS, ENVIRONMENTS, format_domain
from helm_structext.scoring.scorer import Door

DRAWING = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="60"><text y="40">{}</text></svg>'
)


@pytest.fixture
def folder(tmp_path):
    for name in ("one", "four", "three"):
        (tmp_path / f"{name}.svg").write_text(DRAWING.format(name * len(name)))
    return tmp_path


def run(folder, more=""):
    return run_of_entry(f"image2struct:format=svg,source={folder}{more}")


def test_every_rendered_format_has_a_domain_of_ours():
    assert list(ENVIRONMENTS.keys() ^ {*rendered_formats()}) == []
    for format in rendered_formats():
        _, described = run_of_entry(f"image2struct:format={format}")
        domain = DOMAINS[described.arguments.domain]
        assert (domain.format, domain.dataset) == (format, "")
        assert described.adapter_spec.instructions == ""
        assert described.groups == [format_domain(format)]


def test_files_of_code_are_asked_and_scored(folder):
    benchmark, described = run(folder)
    scorer = benchmark.scorer(described.arguments, Door())
    inputs = {one.key.id: one for one in scorer.inputs()}
    assert sorted(inputs) == ["four.svg", "one.svg", "three.svg"]
    assert {one.details["difficulty"] for one in inputs.values()} == {"easy", "medium", "hard"}
    assert inputs["four.svg"].oracle == DRAWING.format("fourfourfourfour")
    for key, target in scorer.find({"four.svg"}):
        right = scorer.score(target, f"```svg\n{inputs[key.id].oracle}\n```").scores
        wrong = scorer.score(target, f"```svg\n{DRAWING.format('')}\n```").scores
        assert right["earth_mover_similarity"] == right["edit_similarity"] == 1
        assert wrong["earth_mover_similarity"] < 1


def test_what_does_not_render_is_skipped_and_named(folder, caplog):
    (folder / "broken.svg").write_text("<svg")
    (folder / "latin.svg").write_bytes(b"\xff\xfe<svg/>\xe4")
    rendered_rows.cache_clear()
    with caplog.at_level(logging.WARNING, "helm.structext"):
        rows = list(format_rows("svg", "files", str(folder)))
    assert len(rows) == 3
    assert "2 of 5 files" in caplog.text
    assert "broken.svg (syntax" in caplog.text
    assert "latin.svg" in caplog.text


def test_a_folder_of_which_more_than_half_is_broken_is_an_error(folder):
    for number in range(4):
        (folder / f"broken{number}.svg").write_text("<svg")
    with pytest.raises(SetupError, match=r"4 of 7 files .*Is this a folder of svg"):
        list(format_rows("svg", "files", str(folder)))


def test_a_folder_without_code_of_the_format_is_an_error(folder):
    with pytest.raises(SetupError, match=r"neither generated scenes of mermaid nor .*\.mmd"):
        list(format_rows("mermaid", "files", str(folder)))
    with pytest.raises(SetupError, match="no such folder"):
        list(format_rows("svg", "files", str(folder / "none")))
    assert formats_of(str(folder)) == ["svg"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("", "format= is one of latex, "),
        (":format=pdf", "format=pdf is unknown; it is one of latex"),
        (":format=svg,source=hub", "no dataset is published"),
        (":format=svg,protocol=published", "protocol=published is unknown; it is one of corrected"),
        (":format=svg,subset=equation", "it is one of all, chart, "),
        (":format=svg,severity=9", "severity=9 is unknown"),
        (":formt=svg", "formt= is unknown; did you mean format=?"),
    ],
)
def test_wrong_arguments_say_what_is_allowed(arguments, message):
    with pytest.raises(SetupError, match=message):
        run_of_entry(f"image2struct{arguments}")


def test_experiments_are_those_of_the_papers_domains(folder):
    _, described = run(folder, ",perturbation=jpeg,severity=2,wording=cot")
    assert described.groups == ["image2struct_format_svg_perturbed_reworded"]
    assert conditions_of(described.all_arguments) == {
        "protocol": "corrected",
        "formats": "ours",
        "perturbation": "jpeg",
        "severity": "2",
        "wording": "cot",
    }


def test_a_run_tells_its_entry(folder):
    _, described = run(folder)
    again = run_of_entry(entry_of_run(described))[1]
    assert again == described


def generated(folder, format, kind="chart"):
    place = folder / format / kind
    place.mkdir(parents=True)
    source = SAMPLES / "image2struct_formats" / format / kind / "validation-00000.parquet"
    (place / source.name).write_bytes(source.read_bytes())


def test_a_generated_folder_is_no_source_of_another_format(tmp_path):
    generated(tmp_path, "svg")
    (tmp_path / "set.json").write_text("{}")
    assert len(list(format_rows("svg", "chart", str(tmp_path)))) == 1
    assert len(list(format_rows("svg", "chart", str(tmp_path / "svg")))) == 1
    assert list(format_rows("svg", "score", str(tmp_path))) == []
    for folder in (tmp_path, tmp_path / "svg"):
        with pytest.raises(SetupError, match="has scenes in svg, and none in vega"):
            list(format_rows("vega", "chart", str(folder)))
    assert formats_of(str(tmp_path)) == formats_of(str(tmp_path / "svg")) == ["svg"]


def test_a_folder_that_is_named_as_a_format_hides_nothing(folder):
    (folder / "svg").mkdir()
    (folder / "one.svg").rename(folder / "svg" / "one.svg")
    rendered_rows.cache_clear()
    names = [row.text("uuid") for row in format_rows("svg", "files", str(folder))]
    assert names == ["four.svg", "svg/one.svg", "three.svg"]


def test_files_of_tools_are_no_code_and_odd_names_are_named(folder):
    for name in (".git", "node_modules"):
        (folder / name).mkdir()
        (folder / name / "a.svg").write_text(DRAWING.format("a"))
    (folder / "three.svg").rename(folder / os.fsdecode(b"thr\xe9e.svg"))
    rendered_rows.cache_clear()
    names = [row.text("uuid") for row in format_rows("svg", "files", str(folder))]
    assert names == ["four.svg", "one.svg", "thr\\xe9e.svg"]


def test_files_of_an_ending_that_several_formats_have_count_once(tmp_path):
    (tmp_path / "page.html").write_text("<p>a</p>")
    (tmp_path / "paper.tex").write_text("a")
    assert formats_of(str(tmp_path)) == ["html", "latex_document"]
