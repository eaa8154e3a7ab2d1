"""`helm-structext setup --typst`: packages from a server or a folder, whole or not at all."""

import base64
import functools
import http.server
import io
import json
import os
import tarfile
import threading

import pytest

from helm_structext.cli import main, setup, typst_setup
from helm_structext.cli.typst_setup import install_typst, read_specs
from helm_structext.data.archives import pack_repository
from helm_structext.errors import RenderError, SetupError
from helm_structext.renderers import render, typst
from helm_structext.renderers.needs import find_needs
from helm_structext.renderers.typst_packages import (
    RECORD,
    TypstPackage,
    installed_packages,
    listed_packages,
    packages_folder,
)

PAGE = "#set page(width: 40pt, height: 20pt, margin: 0pt)\n"
RED = '#import "@preview/paint:0.1.2": paint\n#paint'


def manifest(name, version, entrypoint="lib.typ"):
    return f'[package]\nname = "{name}"\nversion = "{version}"\nentrypoint = "{entrypoint}"\n'


def package(name, version, code, **more):
    files = {"typst.toml": manifest(name, version), "lib.typ": code, **more}
    return {path: text.encode() for path, text in files.items()}


PACKAGES = {
    ("paint", "0.1.2"): package(
        "paint",
        "0.1.2",
        '#import "src/deep.typ": paint',
        **{
            "src/deep.typ": '// #import "@preview/unused:1.0.0"\n#import "@preview/tint:1.0.0": tint\n'
            "#let paint = page(fill: tint)[]",
            "manual.typ": '#import "@preview/for-manuals:1.0.0"',
        },
    ),
    ("tint", "1.0.0"): package("tint", "1.0.0", "#let tint = rgb(255, 0, 0)"),
    ("paint", "0.1.10"): package("paint", "0.1.10", "#let paint = page(fill: blue)[]"),
    ("one", "1.0.0"): package("one", "1.0.0", '#import "@preview/other:1.0.0": *'),
    ("other", "1.0.0"): package("other", "1.0.0", '#import "@preview/one:1.0.0": *'),
    ("needy", "1.0.0"): package("needy", "1.0.0", '#import "@preview/gone:2.0.0": *'),
    ("liar", "1.0.0"): package("paint", "1.0.0", ""),
}


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("HELM_STRUCTEXT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def clone(tmp_path):
    """A folder like a clone of the collection."""
    folder = tmp_path / "clone"
    for (name, version), files in PACKAGES.items():
        for path, content in files.items():
            file = folder / "packages/preview" / name / version / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
    return folder


@pytest.fixture
def server(tmp_path):
    """An address like that of Typst's server."""
    folder = tmp_path / "served"
    (folder / "preview").mkdir(parents=True)
    for (name, version), files in PACKAGES.items():
        packed = base64.b64decode(pack_repository(files))
        (folder / f"preview/{name}-{version}.tar.gz").write_bytes(packed)
    index = [{"name": name, "version": version} for name, version in PACKAGES]
    (folder / "preview/index.json").write_text(json.dumps(index))
    handler = functools.partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as serving:
        threading.Thread(target=serving.serve_forever, daemon=True).start()
        yield folder, f"http://127.0.0.1:{serving.server_port}"
        serving.shutdown()


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def color(code, **options):
    return render("typst", PAGE + code, **options).image.getpixel((9, 9))


def there():
    return {f"{one.name}:{one.version}" for one in installed_packages()}


def test_package_is_installed_with_what_it_needs_and_drawn(clone):
    before = typst.version()
    with pytest.raises(
        RenderError, match=r"missing: the package @preview/paint:0\.1\.2 .*setup --typst"
    ):
        color(RED)
    assert install_typst(["paint:0.1.2"], str(clone)) == {}
    assert there() == {"paint:0.1.2", "tint:1.0.0"}
    assert color(RED) == (255, 0, 0)
    assert typst.version() != before, "or the cache would keep what was drawn without it"


def test_server_and_folder_give_the_same(clone, server, cache):
    _, address = server
    assert install_typst(["paint"], address) == {}
    record = (packages_folder() / RECORD).read_bytes()
    assert there() == {"paint:0.1.10"}, "the latest, by numbers"
    assert color('#import "@preview/paint:0.1.10": paint\n#paint') == (0, 116, 217)
    cache.rename(f"{cache}.old")
    assert install_typst(["paint"], str(clone)) == {}
    assert (packages_folder() / RECORD).read_bytes() == record


def test_later_version_that_fits_is_used_in_corrected_alone(clone):
    install_typst(["paint:0.1.2"], str(clone))
    older = RED.replace("0.1.2", "0.1.1")
    with pytest.raises(RenderError) as caught:
        color(older)
    assert [str(one) for one in caught.value.missing] == [
        "package @preview/paint:0.1.1 of packages.typst.org"
    ]
    rendering = render("typst", PAGE + older, protocol="corrected")
    assert rendering.image.getpixel((9, 9)) == (255, 0, 0)
    assert rendering.log.startswith("@preview/paint:0.1.1 is not installed: 0.1.2 is used")
    assert rendering.missing == ()
    needs = find_needs("typst", older + RED.replace("0.1.2", "0.1.3"))
    assert [(one.version, one.here) for one in needs] == [("0.1.1", True), ("0.1.3", False)]
    for version in ("0.1.3", "0.2.0"):
        with pytest.raises(RenderError, match=rf"paint:{version} is not installed"):
            color(RED.replace("0.1.2", version), protocol="corrected")


def test_circles_end_and_what_is_needed_in_vain_is_named(clone):
    assert install_typst(["one:1.0.0"], str(clone)) == {}
    assert there() == {"one:1.0.0", "other:1.0.0"}
    missing = install_typst(["needy:1.0.0"], str(clone))
    assert missing == {"gone:2.0.0 (for needy:1.0.0)": f"{clone} has no such package"}
    with pytest.raises(RenderError) as caught:
        color('#import "@preview/needy:1.0.0": *')
    assert [one.package for one in caught.value.missing] == ["@preview/gone:2.0.0"]


@pytest.mark.parametrize(
    ("break_it", "why"),
    [
        (lambda one: (one / "typst.toml").unlink(), "it calls itself None"),
        (lambda one: (one / "typst.toml").write_text("[" * 9999), "is not a package"),
        (lambda one: (one / "typst.toml").write_bytes(b"\xff"), "is not a package"),
        (lambda one: (one / "lib.typ").unlink(), "it has no file 'lib.typ'"),
        (
            lambda one: (one / "typst.toml").write_text(
                manifest("paint", "0.1.10").replace('"lib.typ"', "[[]]")
            ),
            "it has no file [[]]",
        ),
        (lambda one: (one / "passwd.typ").symlink_to("/etc/passwd"), "neither a file nor a folder"),
        (lambda one: (one / "all").symlink_to("/"), "neither a file nor a folder"),
        (lambda one: os.mkfifo(one / "pipe"), "neither a file nor a folder"),
        (lambda one: os.truncate(one / "lib.typ", 2**27), "too large"),
    ],
)
def test_what_is_no_package_stays_out(clone, break_it, why):
    install_typst(["tint:1.0.0"], str(clone))
    break_it(clone / "packages/preview/paint/0.1.10")
    assert why in install_typst(["paint:0.1.10"], str(clone))["paint:0.1.10"]
    assert there() == {"tint:1.0.0"}


def archive(*entries):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as file:
        for name, change in entries:
            info = tarfile.TarInfo(name)
            for key, value in change.items():
                setattr(info, key, value)
            file.addfile(info, io.BytesIO(b"x" * info.size))
    return buffer.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no archive",
        archive(("../../out.typ", {"size": 1})),
        archive(("/out.typ", {"size": 1})),
        archive(("lib.typ", {"type": tarfile.SYMTYPE, "linkname": "/etc/passwd"})),
        archive(("bomb", {"size": 2**27})),
    ],
    ids=["empty", "none", "path out", "absolute", "link", "bomb"],
)
def test_archive_of_a_stranger(server, cache, content):
    folder, address = server
    (folder / "preview/paint-0.1.10.tar.gz").write_bytes(content)
    missing = install_typst(["paint:0.1.10", "tint:1.0.0"], address)
    assert [*missing] == ["paint:0.1.10"]
    assert "is not a package" in missing["paint:0.1.10"]
    assert there() == {"tint:1.0.0"}
    assert not list(cache.rglob("out.typ"))


def test_without_network_the_old_ones_work_and_the_new_ones_are_named(clone, capsys, monkeypatch):
    install_typst(["paint:0.1.2"], str(clone))
    nobody = "http://127.0.0.1:9"
    tries = []
    ask = typst_setup.urlopen
    monkeypatch.setattr(typst_setup, "urlopen", lambda *a, **o: tries.append(a) or ask(*a, **o))
    assert (
        main(["setup", "--typst", "one:1.0.0", "other", "paint:0.1.2", "--typst-from", nobody]) == 2
    )
    said = capsys.readouterr().err
    assert said.count("can't be reached") == 1
    assert "missing (2): other, one:1.0.0" in said
    assert "paint" not in said
    assert len(tries) == 1, "it is asked once"
    assert color(RED) == (255, 0, 0)


def test_plain_setup_names_what_it_could_not_get_and_goes_on(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(setup, "compile_libraries", lambda: None)
    monkeypatch.setattr(setup, "install_javascript", lambda: tmp_path)
    assert main(["setup", "--typst-from", "http://127.0.0.1:9"]) == 0
    printed = capsys.readouterr()
    assert f"missing ({len(listed_packages())}): {listed_packages()[0]}, " in printed.err
    assert "MB)" in printed.out


@pytest.mark.parametrize("damage", ["changed", "more", "gone", "half"])
def test_damaged_package_is_installed_again(clone, damage):
    install_typst(["paint:0.1.2"], str(clone))
    target = packages_folder() / "preview/paint/0.1.2"
    if damage == "changed":
        (target / "src/deep.typ").write_text("#let paint = page(fill: green)[]")
    elif damage == "more":
        (target / "more.typ").write_text("")
    elif damage == "gone":
        target.rename(f"{target}.gone")
    else:
        (target / "lib.typ").unlink()
    assert install_typst(["paint:0.1.2"], str(clone)) == {}
    assert color(RED) == (255, 0, 0)


def test_interrupted_installation_lists_what_is_whole(clone, monkeypatch, cache):
    def interrupt(place, package):
        if package.name == "tint":
            raise KeyboardInterrupt
        return read(place, package)

    read = typst_setup.PackageSource.read
    monkeypatch.setattr(typst_setup.PackageSource, "read", interrupt)
    with pytest.raises(KeyboardInterrupt):
        install_typst(["paint:0.1.2"], str(clone))
    assert there() == {"paint:0.1.2"}
    assert not [path for path in cache.iterdir() if path.name.startswith(".")]
    monkeypatch.setattr(typst_setup.PackageSource, "read", read)
    assert install_typst(["paint:0.1.2"], str(clone)) == {}
    assert there() == {"paint:0.1.2", "tint:1.0.0"}


def test_full_disk_is_told_and_leaves_nothing_half(clone, monkeypatch, cache):
    install_typst(["tint:1.0.0"], str(clone))

    def refuse(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(typst_setup.Path, "write_bytes", refuse)
    with pytest.raises(SetupError, match="No space left"):
        install_typst(["paint:0.1.10"], str(clone))
    assert there() == {"tint:1.0.0"}
    assert not [*cache.glob(".typst*")]
    assert not (packages_folder() / "preview/paint").exists()


def test_file_in_the_place_of_the_folder_is_told(cache, clone):
    cache.mkdir()
    (cache / "typst").write_text("")
    with pytest.raises(SetupError, match="can't be written"):
        install_typst(["tint:1.0.0"], str(clone))


def test_packages_are_named_by_lists_and_documents(tmp_path):
    (tmp_path / "list").write_text("# mine\n\ncetz:0.3.4\n@preview/tint\n")
    (tmp_path / "a.typ").write_text('#import "@preview/cetz:0.4.2": canvas\n= Title')
    (tmp_path / "b.typ").write_text("= Title")
    assert read_specs([str(tmp_path / "list"), "a"]) == ["cetz:0.3.4", "tint", "a"]
    assert read_specs([str(tmp_path / "a.typ")]) == ["cetz:0.4.2"]
    for wrong in ("b.typ", "absent", "../x", "Cetz:1.0"):
        with pytest.raises(SetupError, match=r"no package"):
            read_specs([str(tmp_path / wrong)])


def test_index_of_a_stranger(server):
    folder, address = server
    for index in ("{}", "[1]", "[" * 99999, '[{"name": "paint", "version": "../../x"}]'):
        (folder / "preview/index.json").write_text(index)
        assert "paint" in install_typst(["paint"], address)


def test_listed_packages_are_packages_once_each_and_sorted():
    packages = [TypstPackage(*spec.split(":")) for spec in listed_packages()]
    assert packages == sorted(set(packages), key=lambda one: (one.name, one.order))
    assert {"cetz", "fletcher", "codly", "tablex", "showybox"} <= {one.name for one in packages}


def test_packages_can_not_be_written_by_a_document(clone):
    install_typst(["paint:0.1.2"], str(clone))
    mode = '#read("/preview/paint/0.1.2/lib.typ")'
    with pytest.raises(RenderError, match="file not found"):
        color(mode)


@pytest.mark.parametrize("value", ["", "-", "/", "file/in/it", "x" * 5000, "a\0b", "\udcff", "-1"])
def test_wrong_words_have_a_message(value, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for words in (["--typst", value], ["--typst", "a", "--typst-from", value or "absent"]):
        assert main(["setup", *words]) in (1, 2)
        said = capsys.readouterr().err
        assert said.strip()
        assert "Traceback" not in said
