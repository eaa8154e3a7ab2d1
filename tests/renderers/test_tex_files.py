"""What TeX is asked for is what the preambles load."""

import re

from helm_structext.data.packaged import debian_packages
from helm_structext.renderers import latex
from helm_structext.renderers.tex_files import TEX_FILES, missing_tex_files

NAMES = re.compile(r"\\usepackage(?:\[.*?\])?\{(.*?)\}")


def test_each_package_of_the_preamble_is_asked_for():
    loaded = {name for names in NAMES.findall(latex.PREAMBLE) for name in names.split(",")}
    assert len(loaded) > 15
    assert {f"{name}.sty" for name in loaded} - {"amsfonts.sty"} <= TEX_FILES.keys()


def test_each_package_of_debian_is_asked_for_by_a_file():
    listed = {
        name
        for name in debian_packages()
        if re.match("texlive|latex-cjk|lmodern|tex-gyre|cm-", name)
    }
    assert set(TEX_FILES.values()) == listed


def test_without_tex_nothing_is_asked(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert missing_tex_files() is None


def test_what_tex_does_not_find_is_named(monkeypatch, tmp_path):
    program = tmp_path / "kpsewhich"
    program.write_text('#!/bin/sh\nshift\nfor name; do echo "/texmf/$name"; done\nexit 1\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert missing_tex_files() == [next(iter(TEX_FILES))]
