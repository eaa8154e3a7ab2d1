"""`helm-structext setup`: packages by their lock file, once, whole or not at all."""

import base64
import fcntl
import hashlib
import json
import os
import shutil
import tarfile
import threading
from contextlib import contextmanager
from io import BytesIO
from itertools import pairwise

import pytest

from helm_structext.cli import main, setup, typst_setup
from helm_structext.errors import SetupError
from helm_structext.renderers.web.javascript import JS, js_folder, js_target
from support.damage import ANY_FILE, JSON_FILE


@pytest.fixture(autouse=True)
def no_other_packages(monkeypatch):
    monkeypatch.setattr(typst_setup, "install_typst", lambda *_: {})
    monkeypatch.setattr(setup, "compile_libraries", lambda: None)


@pytest.fixture
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("HELM_STRUCTEXT_CACHE", str(tmp_path))
    js_folder.cache_clear()
    yield tmp_path
    js_folder.cache_clear()


def test_every_package_has_a_hash_and_an_address():
    """Without addresses npm asks for the list of all releases of each package first."""
    packages = json.loads((JS / "package-lock.json").read_bytes())["packages"]
    assert len(packages) > 2000
    for name, about in packages.items():
        if name:
            assert about["integrity"]
            # Only this host is replaced by the registry that a user has set.
            assert about["resolved"].startswith("https://registry.npmjs.org/")


def test_every_listed_module_is_bundled():
    folder = js_folder()
    modules = json.loads((folder / "vendor/modules.json").read_bytes())
    assert {"react", "vue", "@angular/core", "mermaid"} <= modules.keys()
    assert all((folder / "vendor" / about["file"]).is_file() for about in modules.values())
    assert {"useState", "default"} <= set(modules["react"]["names"])


def pack(path, names):
    """Writes a package with files of these names, and returns its entry of a lock file."""
    with tarfile.open(path, "w:gz") as archive:
        for name in ("package.json", *names):
            about = tarfile.TarInfo(f"package/{name}")
            data = json.dumps({"name": path.stem, "version": "1.0.0"}).encode()
            about.size = len(data)
            archive.addfile(about, BytesIO(data))
    digest = base64.b64encode(hashlib.sha512(path.read_bytes()).digest()).decode()
    return {"version": "1.0.0", "resolved": f"file:{path.name}", "integrity": f"sha512-{digest}"}


def test_of_packages_only_what_pages_or_bundles_ask_for_is_unpacked(tmp_path):
    """More packages than are unpacked at a time, so that some wait for their turn."""
    names = [f"p{number}" for number in range(20)]
    unread = ["index.d.ts", "README.md", "index.js.map", "docs/index.html", "src/index.ts"]
    locked = {
        f"node_modules/{name}": pack(tmp_path / f"{name}.tgz", ["index.js", "a/b.css", *unread])
        for name in names
    }
    about = {"name": "all", "dependencies": {name: f"file:{name}.tgz" for name in names}}
    (tmp_path / "package.json").write_text(json.dumps(about))
    lock = {"name": "all", "lockfileVersion": 3, "packages": {"": about, **locked}}
    (tmp_path / "package-lock.json").write_text(json.dumps(lock))
    for script in ("install.mjs", "unused.mjs"):
        shutil.copy(JS / script, tmp_path / script)
    setup._run(["install.mjs", setup.npm(), *setup.NPM_INSTALL, "--offline"], tmp_path)
    for name in names:
        folder = tmp_path / "node_modules" / name
        files = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
        assert files == {"package.json", "index.js", "a/b.css"}


def split_names(listed, part):
    """The names of a list of imports or exports, before (0) or after (-1) an `as`."""
    return {one.split(" as ")[part].strip() for one in listed.split(",") if one.strip()}


def read_links(code):
    """What a module exports, and of which files it imports what."""
    exported = {
        name for one in code.split("export{")[1:] for name in split_names(one.partition("}")[0], -1)
    }
    exported |= {one.partition(" (")[0] for one in code.split("\nexport function ")[1:]}
    parts = code.split('from"./')
    imported = [
        (after.partition('"')[0], split_names(before[before.rindex("{") + 1 : -1], 0))
        for before, after in pairwise(parts)
        if before.endswith("}")
    ]
    return exported, imported


def test_what_modules_import_of_each_other_is_there():
    """They are bundled in several pieces, of which the later ones import from the first."""
    files = {
        path.name: read_links(path.read_text()) for path in (js_folder() / "vendor").glob("*.js")
    }
    assert len(files) > 1000
    for _, imported in files.values():
        for file, names in imported:
            assert names <= files[file][0]


def test_missing_packages_are_named_with_the_command(empty_cache):
    with pytest.raises(SetupError, match=r"not installed.*helm-structext setup"):
        js_folder()


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


def test_without_locks_the_first_that_is_ready_is_kept(empty_cache, monkeypatch):
    """As on network file systems that have none: each installs, and all find the same."""

    def refused(*_):
        raise OSError(37, "No locks available")

    installing = threading.Barrier(3)
    monkeypatch.setattr(fcntl, "flock", refused)
    monkeypatch.setattr(setup, "_run", lambda *_: installing.wait(60))
    found: list[object] = []
    threads = [
        threading.Thread(target=lambda: found.append(setup.install_javascript())) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [js_target()] * 3
    assert js_folder() == js_target()
    names = {path.name.removeprefix(js_target().name) for path in empty_cache.iterdir()}
    assert names == {"", ".lock", ".checked.json"}


def test_the_time_of_the_whole_installation_is_counted_once(empty_cache, monkeypatch):
    counted = []

    @contextmanager
    def working(what):
        counted.append(what)
        yield

    monkeypatch.setattr(setup, "working", working)
    monkeypatch.setattr(setup, "_run", lambda arguments, folder: counted.append(arguments[0]))
    setup.install_javascript()
    assert len(counted) == 3
    assert counted[0] == "installing the JavaScript packages"


def test_failed_installation_leaves_nothing(empty_cache, monkeypatch, capsys):
    monkeypatch.setattr(setup, "NPM_INSTALL", ("no-such-command",))
    assert main(["setup"]) == 2
    assert "no-such-command" in capsys.readouterr().err
    assert [path.name for path in empty_cache.iterdir()] == [f"{js_target().name}.lock"]


def test_without_a_network_packages_that_were_never_here_are_named(
    empty_cache, monkeypatch, capsys
):
    """Those of an earlier version stay as they are."""
    earlier = empty_cache / "js-0123456789abcdef/node_modules/react/index.js"
    earlier.parent.mkdir(parents=True)
    earlier.write_text("module.exports = 1")
    monkeypatch.setattr(setup, "npm", lambda: JS / "no-such-npm.js")
    assert main(["setup"]) == 2
    said = capsys.readouterr().err
    assert "packages have never been here: " in said
    assert "@angular/animations, " in said
    assert ", react," not in said
    assert "With a network, helm-structext setup installs them" in said
    assert earlier.is_file()


@pytest.fixture
def installed(empty_cache, monkeypatch):
    """A few packages, as npm leaves them."""

    def npm(arguments, folder):
        if arguments[0] == "bundle.mjs":
            (folder / "vendor").mkdir()
            (folder / "vendor" / "react.js").write_text("export default 1")
            return
        package = folder / "node_modules" / "react"
        package.mkdir(parents=True)
        (package / "index.js").write_text("module.exports = 1")
        (folder / "node_modules" / ".bin").mkdir()
        (folder / "node_modules" / ".bin" / "react").symlink_to("../react/index.js")

    monkeypatch.setattr(setup, "_run", npm)
    setup.install_javascript()
    js_folder()
    js_folder.cache_clear()
    return js_target()


def test_what_is_there_is_not_installed_again(installed, monkeypatch, capsys):
    monkeypatch.setattr(setup, "_run", lambda *_: pytest.fail("npm was called"))
    assert main(["setup"]) == 0
    assert str(js_target()) in capsys.readouterr().out
    assert js_folder() == js_target()


def remedied(folder):
    """What a user sees of a damage: an error that says what to do, which then helps."""
    js_folder.cache_clear()
    with pytest.raises(SetupError, match=r"damaged.*helm-structext setup") as caught:
        js_folder()
    setup.install_javascript()
    assert (js_folder() / "node_modules/react/index.js").read_text() == "module.exports = 1"
    js_folder.cache_clear()
    return str(caught.value)


@pytest.mark.parametrize("damage", [name for name in ANY_FILE if name != "not to be read"])
@pytest.mark.parametrize("file", ["node_modules/react/index.js", "vendor/react.js", "package.json"])
def test_every_damaged_file_is_named_with_the_command(installed, file, damage):
    ANY_FILE[damage](installed / file)
    assert file in remedied(installed)


@pytest.mark.parametrize(
    "damage",
    [name for name in JSON_FILE if name != "not to be read"],
)
def test_a_damaged_record_is_no_proof(installed, damage):
    JSON_FILE[damage](installed / "installed.json")
    (installed.parent / f"{installed.name}.checked.json").unlink()
    assert "installed.json" in remedied(installed)


@pytest.mark.parametrize("damage", JSON_FILE)
def test_without_the_record_of_the_last_check_contents_are_read(installed, damage):
    checked = installed.parent / f"{installed.name}.checked.json"
    JSON_FILE[damage](checked)
    assert js_folder() == installed
    assert checked.is_file()
    js_folder.cache_clear()
    (installed / "package.json").write_text("{}")
    remedied(installed)


def test_files_too_many_or_too_few_and_other_links_are_damage(installed):
    (installed / "node_modules" / "more.js").write_text("")
    assert "node_modules/more.js" in remedied(installed)
    shutil.rmtree(installed / "node_modules" / "react")
    assert "node_modules/react/index.js" in remedied(installed)
    (installed / "node_modules" / ".bin" / "react").unlink()
    (installed / "node_modules" / ".bin" / "react").symlink_to("/bin/sh")
    assert "node_modules/.bin/react" in remedied(installed)


def test_a_file_that_only_looks_the_same_is_noticed(installed):
    """Same size, same date: only the time of the change, which nobody can set, tells."""
    path = installed / "vendor" / "react.js"
    about = path.stat()
    path.write_text("export default 2")
    os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))
    assert "vendor/react.js" in remedied(installed)


def test_contents_are_not_read_again_as_long_as_nothing_changes(installed, monkeypatch):
    monkeypatch.setattr("helm_structext.storage.cache._hash", lambda _: pytest.fail("it was read"))
    assert js_folder() == installed


def test_a_copy_of_the_folder_is_read_again_and_good(installed, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(installed, copy, symlinks=True)
    shutil.rmtree(installed)
    copy.rename(installed)
    assert js_folder() == installed


def test_a_folder_of_another_is_read_every_time(installed, monkeypatch):
    (installed.parent / f"{installed.name}.checked.json").unlink()

    def refused(*_):
        raise SetupError("the cache can't be written")

    monkeypatch.setattr("helm_structext.storage.cache.write_record", refused)
    assert js_folder() == installed
