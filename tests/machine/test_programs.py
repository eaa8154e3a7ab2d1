"""Programs are found on the PATH, or where the environment says."""

import pytest

from helm_structext.errors import SetupError
from helm_structext.machine.programs import (
    BROWSER,
    VARIABLES,
    find_overridden,
    find_program,
    own_folder,
    program,
)
from helm_structext.sandbox import Limits, SandboxProfile, run


@pytest.fixture
def make(tmp_path, monkeypatch):
    """Makes programs below a folder that is no home."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))

    def make_program(path: str, script: str = "#!/bin/sh\necho $0\n") -> str:
        made = tmp_path / path
        made.parent.mkdir(parents=True, exist_ok=True)
        made.write_text(script)
        made.chmod(0o755)
        return str(made)

    return make_program


def test_the_variable_comes_before_the_path(make, monkeypatch):
    monkeypatch.setenv("PATH", make("bin/gs").rpartition("/")[0])
    assert str(find_program("gs")).endswith("/bin/gs")
    named = make("opt/bin/gs")
    monkeypatch.setenv("HELM_STRUCTEXT_GS", named)
    assert str(find_program("gs")) == named
    assert find_overridden() == {"gs"}


@pytest.mark.parametrize(
    "name", ["chromium-headless-shell", "chrome-headless-shell", "headless_shell"]
)
def test_the_browser_is_found_by_each_of_its_names(name, make, monkeypatch):
    monkeypatch.delenv(VARIABLES[BROWSER], raising=False)
    made = make(f"bin/{name}")
    monkeypatch.setenv("PATH", made.rpartition("/")[0])
    assert str(find_program(BROWSER)) == made


def test_what_belongs_to_a_named_program_is_taken_from_beside_it(make, monkeypatch):
    monkeypatch.setenv("PATH", make("bin/convert-ly").rpartition("/")[0])
    monkeypatch.setenv("HELM_STRUCTEXT_LILYPOND", make("opt/bin/lilypond"))
    assert str(find_program("convert-ly")).endswith("/bin/convert-ly")
    beside = make("opt/bin/convert-ly")
    assert str(find_program("convert-ly")) == beside


@pytest.mark.parametrize(
    ("path", "said"), [("absent/gs", "is not a program"), ("opt/ghostscript", "ends in /gs")]
)
def test_a_variable_that_names_something_else_is_an_error(path, said, make, tmp_path, monkeypatch):
    make("opt/ghostscript")
    monkeypatch.setenv("HELM_STRUCTEXT_GS", str(tmp_path / path))
    with pytest.raises(SetupError, match=said):
        find_program("gs")


def test_a_missing_program_is_an_error_that_names_its_variable(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SetupError, match=r"doctor.*HELM_STRUCTEXT_LILYPOND"):
        program("lilypond")


@pytest.mark.parametrize(
    ("path", "folder"),
    [
        ("opt/lilypond-2/bin/lilypond", "opt/lilypond-2"),
        ("opt/texlive/bin/x86_64-linux/lilypond", "opt/texlive"),
        ("opt/own/lilypond", "opt/own"),
    ],
)
def test_a_program_brings_its_folder(path, folder, make, tmp_path, monkeypatch):
    monkeypatch.setenv("HELM_STRUCTEXT_LILYPOND", make(path))
    assert own_folder("lilypond") == tmp_path / folder


@pytest.mark.parametrize("path", ["home/lilypond", "home/bin/lilypond", "lilypond"])
def test_a_folder_that_would_show_a_home_is_refused(path, make, monkeypatch):
    monkeypatch.setenv("HELM_STRUCTEXT_LILYPOND", make(path))
    with pytest.raises(SetupError, match="to a folder of its own"):
        own_folder("lilypond")


@pytest.mark.parametrize("isolation", ["bubblewrap", "landlock"])
def test_a_named_program_runs_in_the_sandbox_with_what_lies_beside_it(isolation, make, monkeypatch):
    from helm_structext.sandbox import isolation as isolations

    monkeypatch.setenv("HELM_STRUCTEXT_SANDBOX", isolation)
    script = '#!/bin/sh\nread word <"${0%/*}/../share/word"\necho "$word"\n'
    monkeypatch.setenv("HELM_STRUCTEXT_TESSERACT", make("opt/own/bin/tesseract", script))
    make("opt/own/share/word", "beside\n")
    make("opt/other/word", "elsewhere\n")
    isolations.current_isolation.cache_clear()
    try:
        finished = run(["tesseract"], SandboxProfile(("tesseract",)), Limits())
        hidden = run(
            ["sh", "-c", f"cat {make('opt/other/word')}"],
            SandboxProfile(("tesseract", "cat")),
            Limits(),
        )
    finally:
        isolations.current_isolation.cache_clear()
    assert finished.output == "beside\n"
    assert hidden.status != 0
