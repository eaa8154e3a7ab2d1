"""`helm-structext setup`: packages by their lock file, once, whole or not at all."""

import json
import threading

import pytest

from helm_structext.cli import main, setup
from helm_structext.errors import SetupError
from helm_structext.renderers.web.javascript import JS, js_folder, js_target


@pytest.fixture
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("HELM_STRUCTEXT_CACHE", str(tmp_path))
    js_folder.cache_clear()
    yield tmp_path
    js_folder.cache_clear()


def test_every_package_has_a_hash():
    packages = json.loads((JS / "package-lock.json").read_bytes())["packages"]
    assert all("integrity" in about for name, about in packages.items() if name)
    assert not any("git" in about.get("resolved", "") for about in packages.values())


def test_every_listed_module_is_bundled():
    folder = js_folder()
    modules = json.loads((folder / "vendor/modules.json").read_bytes())
    assert {"react", "vue", "@angular/core", "mermaid"} <= modules.keys()
    assert all((folder / "vendor" / about["file"]).is_file() for about in modules.values())
    assert {"useState", "default"} <= set(modules["react"]["names"])


def test_missing_packages_are_named_with_the_command(empty_cache):
    with pytest.raises(SetupError, match=r"not installed.*helm-structext setup"):
        js_folder()


def test_what_is_there_is_not_installed_again(empty_cache, monkeypatch, capsys):
    js_target().mkdir(parents=True)
    monkeypatch.setattr(setup, "_run", lambda *_: pytest.fail("npm was called"))
    assert main(["setup"]) == 0
    assert str(js_target()) in capsys.readouterr().out
    assert js_folder() == js_target()


def test_several_at_a_time_install_once(empty_cache, monkeypatch):
    calls = []
    monkeypatch.setattr(setup, "_run", lambda arguments, folder: calls.append(folder))
    threads = [threading.Thread(target=setup.install_javascript) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(calls)) == 1
    assert (js_target() / "package-lock.json").is_file()


def test_failed_installation_leaves_nothing(empty_cache, monkeypatch, capsys):
    monkeypatch.setattr(setup, "NPM_INSTALL", ("no-such-command",))
    assert main(["setup"]) == 2
    assert "no-such-command" in capsys.readouterr().err
    assert [path.name for path in empty_cache.iterdir()] == [f"{js_target().name}.lock"]
