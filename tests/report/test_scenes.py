"""One scene beside itself in all languages: found by what it is, not by its name alone."""

from dataclasses import replace
from pathlib import Path

import pytest

from helm_structext.image2struct.tasks import format_domain
from helm_structext.report.writing import write_report
from support.report_page import HOSTILE, Folder, parts

PIE, BARS, FLOW = (f"{letter}1b2c3d4e5f6" * 2 for letter in "fab")
CHOICES = """[...document.querySelectorAll("[name=scene] optgroup")].map(group =>
    [group.label, ...[...group.children].map(one => one.label)])"""


@pytest.fixture(scope="module")
def file(tmp_path_factory) -> Path:
    folder = Folder(tmp_path_factory.mktemp("suite"))

    def drawn(scene: str, kind: str, format: str, type: str = "", language: str = ""):
        arguments = {"protocol": "corrected", "format": format}
        answer = folder.answer("x/m", f"{len(scene)}-{scene[:4]}-{format}", arguments=arguments)
        about = {"scene": scene, "scene_type": type, "scene_language": language}
        return replace(answer, domain=format_domain(format), subset=kind, **about)

    answers = [
        *(drawn(PIE, "chart", format, "pie", "ja") for format in ("svg", "vega", "tikz")),
        *(drawn(BARS, "chart", format, "grouped bars", "de") for format in ("svg", "vega")),
        *(drawn(FLOW, "diagram", format, "flow", "en") for format in ("svg", "mermaid")),
        *(drawn(HOSTILE[::-1], "chart", format) for format in ("svg", "vega")),
        drawn("alone", "chart", "svg", "pie", "ja"),
    ]
    path = folder.path / "report.html"
    write_report(parts(image2struct=answers), path, title="s", plans=False)
    return path


def test_scenes_are_chosen_by_kind_type_language_and_level(opened, file):
    assert opened(file).until(CHOICES) == [
        [
            "chart",
            HOSTILE[::-1],
            "grouped bars · de · easy · a1b2c3",
            "pie · ja · easy · f1b2c3",
        ],
        ["diagram", "flow · en · easy · b1b2c3"],
    ]


def test_a_scene_is_shown_beside_itself_in_all_its_formats(opened, file):
    report = opened(file)
    assert report.choose(scene=PIE) == "3 of 10"
    assert report.choose(scene=FLOW) == "2 of 10"
    assert report.run("return window.hacked") is None
