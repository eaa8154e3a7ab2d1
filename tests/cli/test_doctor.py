import sys
from importlib.metadata import EntryPoint, EntryPoints, PackageNotFoundError
from types import SimpleNamespace

import pytest

from helm_structext import extras
from helm_structext.cli import main
from helm_structext.errors import SetupError
from helm_structext.machine import packages as system
from helm_structext.machine.packages import TRIXIE, OperatingSystem
from helm_structext.metrics.weights import INCEPTION_V3, VGG_16
from helm_structext.sandbox.landlock import Landlock
from helm_structext.trial import doctor

REQUIRED = [
    "numpy>=1.26,<3",
    "pillow>=10",
    "absent-one>=2,<4",
    "tomli>=2; python_version < '3'",
    "crfm-helm>=0.5; extra == 'helm'",
    "pdf2image>=1.17; extra == 'collect'",
    "pdf2image>=1.17; extra == 'helm'",
    "mypy>=1; extra == 'dev'",
]
PROGRAMS = {
    "LaTeX": {"pdflatex": "texlive", "bwrap": "bubblewrap"},
    "music": {"bwrap": "bubblewrap"},
}


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine that has everything that is looked for; tests take things away."""
    made_up = SimpleNamespace(
        packages={
            "numpy": "2.1",
            "pillow": "11.0",
            "absent-one": "3.0",
            "pdf2image": "1.17",
            "crfm-helm": "0.5",
        },
        bin=tmp_path / "bin",
        weights=tmp_path / "weights",
        entry_points=EntryPoints([EntryPoint("structext", "helm_structext.helm.plugin", "helm")]),
        broken=set(),
        system=TRIXIE,
        families=[],
        lost=set(),
        tex=[],
        isolation=SimpleNamespace(name="bubblewrap", gaps={}),
        group=tmp_path / "group",
    )
    made_up.bin.mkdir()
    for name in ("pdflatex", "bwrap", "tesseract", "chromium", "chromedriver"):
        (made_up.bin / name).write_text(f"#!/bin/sh\necho {name} 1.2.3\necho more\n")
        (made_up.bin / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(made_up.bin))
    monkeypatch.setenv("HELM_STRUCTEXT_WEIGHTS", str(made_up.weights))
    made_up.weights.mkdir()
    for name in (INCEPTION_V3.name, VGG_16.name, "sheet-classifier.pt"):
        (made_up.weights / name).touch()

    def version(name: str) -> str:
        if name not in made_up.packages:
            raise PackageNotFoundError(name)
        return made_up.packages[name]

    def render(name: str, code: str) -> SimpleNamespace:
        if name in made_up.broken:
            raise SetupError(f"no {name} here")
        return SimpleNamespace(seconds=0.25)

    def current_isolation() -> SimpleNamespace:
        if "sandbox" in made_up.broken:
            raise SetupError("no sandbox here")
        return made_up.isolation

    monkeypatch.setattr(doctor, "current_isolation", current_isolation)
    monkeypatch.setattr(doctor, "parent_group", lambda: made_up.group)
    monkeypatch.setattr(doctor, "requires", lambda _: REQUIRED)
    monkeypatch.setattr(extras, "requires", lambda _: REQUIRED)
    monkeypatch.setattr(doctor, "version", version)
    monkeypatch.setattr(doctor, "programs", lambda: PROGRAMS)
    monkeypatch.setattr(doctor, "entry_points", lambda **_: made_up.entry_points)
    monkeypatch.setattr(doctor, "js_folder", lambda: tmp_path / "js")
    monkeypatch.setattr(doctor, "node", lambda: tmp_path / "node")
    monkeypatch.setattr(doctor, "render", render)
    monkeypatch.setattr(doctor, "missing_families", lambda: made_up.families)
    monkeypatch.setattr(doctor, "font_file", lambda name: name not in made_up.lost)
    monkeypatch.setattr(doctor, "missing_tex_files", lambda *more: [] if more else made_up.tex)
    for module in (doctor, system):
        monkeypatch.setattr(module, "current_system", lambda: made_up.system)
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    monkeypatch.setattr("os.geteuid", lambda: 0)
    return made_up


def said(capsys, expected: int) -> list[str]:
    assert main(["doctor"]) == expected
    return capsys.readouterr().out.splitlines()


def test_everything_is_found_with_its_version(machine, capsys):
    lines = said(capsys, 0)
    assert lines[0] == f"ok       python: {sys.version.split()[0]}"
    assert "ok       numpy: 2.1" in lines
    assert "ok       pdf2image: 1.17" in lines
    assert "ok       HELM plugin: helm_structext.helm.plugin" in lines
    assert f"ok       pdflatex: pdflatex 1.2.3 ({machine.bin}/pdflatex)" in lines
    assert "ok       system: Debian GNU/Linux 13 (trixie), x86_64" in lines
    assert "ok       fonts: 12 families, 24 files" in lines
    assert "ok       browser in the sandbox: a page in 0.25 s" in lines
    assert "ok       LaTeX in the sandbox: a formula in 0.25 s" in lines
    assert "ok       React in the sandbox: a component in 0.25 s" in lines
    assert all(line.startswith("ok ") for line in lines)


def test_packages_are_those_of_the_metadata_that_this_machine_needs(machine, capsys):
    text = "\n".join(said(capsys, 0))
    assert "absent-one: 3.0" in text
    assert "tomli" not in text
    assert "mypy" not in text


def test_missing_packages_and_programs_are_named_with_the_way_to_get_them(machine, capsys):
    del machine.packages["absent-one"]
    machine.packages["numpy"] = "1.20"
    for name in ("bwrap", "tesseract"):
        (machine.bin / name).unlink()
    machine.entry_points = EntryPoints()
    machine.broken = {"latex", "sandbox"}
    lines = said(capsys, 2)
    assert {line for line in lines if line.startswith("MISSING")} == {
        "MISSING  numpy: 1.20 does not fit: pip install 'numpy<3,>=1.26'",
        "MISSING  absent-one: pip install 'absent-one<4,>=2'",
        "MISSING  HELM plugin: helm-structext is not installed: pip install helm-structext",
        "MISSING  sandbox: no sandbox here",
        "MISSING  bwrap: apt install bubblewrap (for LaTeX, music)",
        "MISSING  tesseract: apt install tesseract-ocr (for the OCR model)",
        "MISSING  LaTeX in the sandbox: no latex here",
    }


def test_it_ends_with_one_line_that_installs_all_that_is_missing(machine, capsys):
    (machine.bin / "tesseract").unlink()
    (machine.bin / "chromedriver").unlink()
    del machine.packages["absent-one"]
    machine.families = ["Liberation Sans", "Liberation Serif"]
    machine.lost = {"Comfortaa-Bold.ttf"}
    machine.tex = ["tikz-cd.sty", "lmr10.pfb"]
    lines = said(capsys, 2)
    assert {line for line in lines if line.startswith("MISSING")} == {
        "MISSING  absent-one: pip install 'absent-one<4,>=2'",
        "MISSING  tesseract: apt install tesseract-ocr (for the OCR model)",
        "MISSING  font Liberation Sans: apt install fonts-liberation",
        "MISSING  font Liberation Serif: apt install fonts-liberation",
        "MISSING  font Comfortaa-Bold.ttf: apt install fonts-comfortaa",
        "MISSING  TeX's tikz-cd.sty: apt install texlive-pictures",
        "MISSING  TeX's lmr10.pfb: apt install lmodern",
    }
    assert lines[-1] == (
        "apt-get update && apt-get install -y --no-install-recommends fonts-comfortaa "
        "fonts-liberation lmodern tesseract-ocr texlive-pictures && pip install 'absent-one<4,>=2'"
    )


def test_without_tex_or_fontconfig_the_line_brings_all_of_their_packages(
    machine, monkeypatch, capsys
):
    def absent() -> list[str]:
        raise SetupError("no fc-list")

    machine.tex = None
    monkeypatch.setattr(doctor, "missing_families", absent)
    lines = said(capsys, 2)
    assert "MISSING  fonts: apt install fontconfig (to find them)" in lines
    assert "MISSING  TeX packages: pdflatex comes first" in lines
    packages = lines[-1].split()
    assert {"fontconfig", "fonts-bebas-neue", "fonts-dejavu-extra"} <= {*packages}
    assert {"cm-super", "texlive-science", "texlive-publishers"} <= {*packages}


def test_a_program_that_the_environment_names_is_said_so(machine, monkeypatch, capsys):
    named = machine.bin / "own" / "pdflatex"
    named.parent.mkdir()
    (machine.bin / "pdflatex").rename(named)
    monkeypatch.setenv("HELM_STRUCTEXT_PDFLATEX", str(named))
    line = f"ok       pdflatex: pdflatex 1.2.3 ({named}, by HELM_STRUCTEXT_PDFLATEX)"
    assert line in said(capsys, 0)
    monkeypatch.setenv("HELM_STRUCTEXT_PDFLATEX", "/absent/pdflatex")
    line = (
        "MISSING  pdflatex: HELM_STRUCTEXT_PDFLATEX is '/absent/pdflatex', which is not a program."
    )
    assert line in said(capsys, 2)


@pytest.mark.parametrize(
    ("tags", "machine_name"), [(("debian", "trixie"), "aarch64"), (("ubuntu", "debian"), "x86_64")]
)
def test_a_system_that_was_not_tried_is_said_so(tags, machine_name, machine, monkeypatch, capsys):
    machine.system = OperatingSystem("Some System 1", tags)
    monkeypatch.setattr("platform.machine", lambda: machine_name)
    assert said(capsys, 0)[1] == (
        f"optional system: Some System 1, {machine_name} "
        "(not tried: tests were run on Debian 12 and 13, x86_64)"
    )


def test_bubblewrap_is_optional_where_there_is_another_sandbox(machine, capsys):
    (machine.bin / "bwrap").unlink()
    machine.isolation = Landlock(7)
    lines = said(capsys, 0)
    (sandbox,) = [line for line in lines if line.startswith("ok       sandbox: landlock")]
    assert all(gap in sandbox for gap in Landlock.gaps.values())
    assert "optional bwrap: apt install bubblewrap (for LaTeX, music)" in lines


def test_control_group_is_named_or_how_to_have_one(machine, capsys):
    assert f"ok       control group: {machine.group}" in said(capsys, 0)
    machine.group = None
    (line,) = [line for line in said(capsys, 0) if line.startswith("optional ")]
    assert line.startswith("optional control group: none: start by `systemd-run --user --scope")


def test_what_is_optional_is_said_so_and_does_not_count_as_missing(machine, capsys):
    del machine.packages["pdf2image"]
    (machine.bin / "chromedriver").unlink()
    (machine.weights / INCEPTION_V3.name).unlink()
    (machine.weights / "sheet-classifier.pt").unlink()
    lines = [line for line in said(capsys, 0) if not line.startswith("ok ")]
    assert lines[0] == "optional pdf2image: pip install 'helm-structext[collect]'"
    assert lines[1] == (
        "optional chromedriver: apt install chromium-driver (for the viewer's tests)"
    )
    assert lines[2].startswith("optional weights of inception_similarity: ")
    assert "weights fetch" in lines[2]
    assert lines[-1] == (
        "optional weights of the classifier of sheet music: helm-structext collect train-classifier "
        "(a second opinion when music is collected)"
    )
    assert {line.split()[0] for line in lines} == {"optional"}


def test_a_package_of_two_extras_is_listed_once_with_the_smaller_one(machine, capsys):
    del machine.packages["pdf2image"]
    lines = [line for line in said(capsys, 0) if "pdf2image" in line]
    assert lines == ["optional pdf2image: pip install 'helm-structext[collect]'"]


def test_without_helm_there_is_no_plugin_to_look_for(machine, capsys):
    del machine.packages["crfm-helm"]
    lines = said(capsys, 0)
    assert "optional crfm-helm: pip install 'helm-structext[helm]'" in lines
    assert not [line for line in lines if "plugin" in line]


def test_without_node_nothing_that_it_compiles_is_missing(machine, monkeypatch, capsys):
    def missing() -> None:
        raise SetupError("no Node.js here")

    monkeypatch.setattr(doctor, "node", missing)
    machine.broken = {"react"}
    lines = [line for line in said(capsys, 0) if not line.startswith("ok ")]
    assert lines == [
        "optional Node.js: no Node.js here",
        "optional React in the sandbox: no react here",
    ]


def test_a_package_that_is_not_installed_says_so(machine, monkeypatch, capsys):
    def nothing(name: str) -> list[str]:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(doctor, "requires", nothing)
    assert "MISSING  helm-structext: pip install helm-structext" in said(capsys, 2)


def test_rare_packages_of_tex_are_optional(machine, capsys, monkeypatch):
    monkeypatch.setattr(doctor, "missing_tex_files", lambda *more: ["skak.sty"] if more else [])
    (line,) = [line for line in said(capsys, 0) if "skak.sty" in line]
    assert line.endswith("apt install texlive-games")
    assert not line.startswith("MISSING")
