"""The distributions: they build, an index takes them, and they say where the project lives."""

import doctest
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from email import message_from_bytes
from email.message import Message
from pathlib import Path

import pytest
import yaml
from packaging.version import Version

import helm_structext
import package_metadata
from helm_structext.data.packaged import lm_eval_tasks
from support import ROOT

ADDRESS = "https://example.org/us/it"
KEPT = ("src", "client", "integrations", "run_specs", "scripts", "docs", "tests")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory) -> Path:
    """A checkout that was cloned from `ADDRESS`."""
    folder = tmp_path_factory.mktemp("checkout")
    for path in ROOT.iterdir():
        if path.name in KEPT:
            shutil.copytree(
                path, folder / path.name, ignore=shutil.ignore_patterns("__pycache__", "api")
            )
        elif path.is_file() and path.name != ".git":
            shutil.copy(path, folder)
    for arguments in ("init -q", "remote add origin git@example.org:us/it.git"):
        subprocess.run(["git", "-C", str(folder), *arguments.split()], check=True)
    return folder


@pytest.fixture(scope="module")
def distributions(checkout) -> list[Path]:
    """The source distribution, and the wheel that is built from it."""
    python_m("build", "--no-isolation", str(checkout))
    return sorted((checkout / "dist").iterdir())


@pytest.fixture(scope="module")
def clients(checkout, tmp_path_factory) -> list[Path]:
    """Those of the client: its source distribution, the wheel from it, and the wheel from the checkout."""
    straight = tmp_path_factory.mktemp("straight")
    python_m("build", "--no-isolation", str(checkout / "client"))
    python_m(
        "build", "--no-isolation", "--wheel", "--outdir", str(straight), str(checkout / "client")
    )
    wheel, source = sorted((checkout / "client" / "dist").iterdir())
    return [source, wheel, *straight.iterdir()]


def python_m(*words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return message_from_bytes(archive.read(name))


def test_an_index_takes_the_distributions(distributions, clients):
    said = python_m("twine", "check", "--strict", *map(str, [*distributions, *clients]))
    assert said.count("PASSED") == 5


def test_the_wheel_says_where_the_project_lives(distributions):
    wheel = metadata(distributions[0])
    assert wheel["Version"] == helm_structext.__version__
    assert wheel.get_all("Project-URL") == [
        f"Repository, {ADDRESS}",
        f"Documentation, {ADDRESS}/blob/HEAD/docs/index.md",
        f"Changelog, {ADDRESS}/blob/HEAD/CHANGELOG.md",
        f"Issues, {ADDRESS}/issues",
    ]
    readme = wheel.get_payload()
    links = re.findall(r"\]\(([^)\s]+)\)", readme)
    assert f"{ADDRESS}/raw/HEAD/docs/images/leaderboard.png" in links
    assert f"{ADDRESS}/blob/HEAD/docs/getting-started.md" in links
    assert [link for link in links if "://" not in link] == []


def test_the_wheel_has_what_runs_and_nothing_else(distributions):
    with zipfile.ZipFile(distributions[0]) as archive:
        names = set(archive.namelist())
    for path in (ROOT / "src" / "helm_structext").rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            assert str(path.relative_to(ROOT / "src")) in names
    assert "helm_structext/data/packaged/schema.yaml" in names
    for path in lm_eval_tasks().iterdir():
        if path.is_file():
            assert f"helm_structext/data/packaged/integrations/lm_eval/{path.name}" in names
    assert not [name for name in names if "__pycache__" in name]
    tops = {name.partition("/")[0] for name in names}
    version = helm_structext.__version__
    # The module is what verifiers finds by its name.
    modules = {"helm_structext", "helm_structext_verifiers.py"}
    assert tops == {*modules, f"helm_structext-{version}.dist-info"}


def test_the_client_alone_is_one_file_of_the_package(clients):
    _, *wheels = clients
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            names = archive.namelist()
            code = archive.read("helm_structext_client/__init__.py")
        assert code == (ROOT / "src/helm_structext/serving/client.py").read_bytes()
        assert "helm_structext_client/py.typed" in names
        # Nothing of it is a file of the main distribution.
        assert {name.partition("/")[0].partition("-")[0] for name in names} == {
            "helm_structext_client"
        }
        about = metadata(wheel)
        assert about["Version"] == helm_structext.__version__
        assert about.get_all("Requires-Dist") is None


def test_the_client_runs_where_nothing_else_is(clients, tmp_path):
    with zipfile.ZipFile(clients[1]) as archive:
        archive.extractall(tmp_path)
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "from helm_structext_client import Client, picture\n"
        "with Client('http://127.0.0.1:9', patience=0) as client:\n"
        "    (result,) = client.score([{'format': 'latex', 'completion': '', 'reference': ''}])\n"
        "print(result.error_kind, picture(b'x'))"
    )
    isolated = [sys.executable, "-I", "-S", "-c", code]
    done = subprocess.run(isolated, capture_output=True, text=True, check=True)
    assert done.stdout == "server {'base64': 'eA=='}\n"


def test_every_installer_takes_the_names_of_the_source(distributions, clients):
    """uv refuses a whole archive for a colon in one name."""
    for source in (distributions[1], clients[0]):
        with tarfile.open(source) as archive:
            names = archive.getnames()
        assert len(names) > 5
        assert [name for name in names if re.search(r'[:*?"<>|\\\s]', name)] == []


def test_examples_of_the_metadata():
    found = doctest.testmod(package_metadata)
    assert (found.failed, found.attempted) == (0, 3)


def test_without_an_address_there_are_no_links(tmp_path, monkeypatch):
    assert package_metadata.repository(tmp_path) == ""
    monkeypatch.setenv(package_metadata.SETTING, "https://key@example.org/us/it.git")
    assert package_metadata.repository(tmp_path) == ADDRESS


def test_all_files_of_a_release_are_of_one_version():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    latest = re.search(r"^## \[(.+)\] - (.+)$", changes, re.MULTILINE)
    assert latest is not None
    assert latest.groups() == (cited["version"], str(cited["date-released"]))
    version = Version(helm_structext.__version__)
    # Caches, cards and logs hold the version: what has changed since a release is not of that release.
    if "### " in changes[: latest.start()]:
        assert version.is_devrelease
        assert version > Version(cited["version"])
    else:
        assert str(version) == cited["version"]
    for name in ("pyproject.toml", "client/pyproject.toml", "mkdocs.yml", "README.md"):
        assert not re.search(
            rf"\bversion\b.*{re.escape(str(version))}", (ROOT / name).read_text("utf-8")
        )


def test_the_citation_names_the_papers_that_the_readme_links():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= cited.keys()
    readme = (ROOT / "README.md").read_text("utf-8")
    papers = re.findall(r"https://arxiv\.org/abs/[\d.]+", readme)
    assert [paper["url"] for paper in cited["references"]] == papers
    assert all(paper["authors"] for paper in cited["references"])
