"""requirements.lock is of what pyproject.toml requires, on every system that is promised."""

import os
import re
import subprocess
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from support import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
EXTRAS = PROJECT["project"]["optional-dependencies"]
GROUPS = PROJECT["dependency-groups"]
ELSEWHERE = {"all", "ray"}
"""Extras whose requirements are not all in the main environment: Ray has one of its own."""
OVERRIDES = {
    one.name: one for one in map(Requirement, PROJECT["tool"]["uv"]["override-dependencies"])
}
LOCK = (ROOT / "requirements.lock").read_text("utf-8")
ENTRIES = [Requirement(line.split(" \\")[0]) for line in re.findall(r"^\w.*$", LOCK, re.MULTILINE)]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")


def required() -> Iterator[Requirement]:
    """What the core, its extras and the group `dev` name."""
    texts = [*PROJECT["project"]["dependencies"], *group("dev")]
    texts += [text for extra, named in EXTRAS.items() if extra not in ELSEWHERE for text in named]
    return map(Requirement, texts)


def group(name: str) -> Iterator[str]:
    for one in GROUPS[name]:
        yield from group(one["include-group"]) if isinstance(one, dict) else [one]


def environment(python: str, machine: str) -> dict[str, Any]:
    return {
        "python_version": python,
        "python_full_version": f"{python}.0",
        "platform_machine": machine,
        "sys_platform": "linux",
        "os_name": "posix",
        "platform_system": "Linux",
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
    }


def holds(requirement: Requirement, where: dict[str, Any]) -> bool:
    return requirement.marker is None or requirement.marker.evaluate(where)


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
@pytest.mark.parametrize("python", PYTHONS)
def test_what_is_required_is_locked_in_a_version_that_fits(python, machine):
    where = environment(python, machine)
    locked: dict[str, list[str]] = {}
    for entry in ENTRIES:
        if holds(entry, where):
            (pin,) = entry.specifier
            assert pin.operator == "=="
            locked.setdefault(canonicalize_name(entry.name), []).append(pin.version)
    assert {name: versions for name, versions in locked.items() if len(versions) > 1} == {}
    wanted = [one for one in required() if holds(one, where) and one.name != "helm-structext"]
    assert len(wanted) > 50
    for requirement in (*wanted, *OVERRIDES.values()):
        (version,) = locked[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(version), f"{requirement} is not {version}"


def test_every_locked_package_has_the_hashes_of_its_files():
    assert re.findall(r"^\w.*[^\\]$", LOCK, re.MULTILINE) == []
    assert LOCK.count("--hash=sha256:") > len(ENTRIES) > 100


def test_the_lock_names_no_host():
    assert re.findall(r"https?:|--(?:extra-)?index|--find-links| @ ", LOCK) == []


def test_a_change_of_pyproject_makes_no_environment_of_integrations_anew(tmp_path):
    (tmp_path / "Makefile").write_bytes((ROOT / "Makefile").read_bytes())
    files = ("requirements-integrations/trl.in", ".venv-integrations/trl/made")
    files += (".venv-integrations/trl/installed", "pyproject.toml")
    for at, file in enumerate(files):
        path = tmp_path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        os.utime(path, (at, at))

    def planned() -> str:
        command = ["make", "-n", "UV=uv", ".venv-integrations/trl/installed"]
        return subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, check=True
        ).stdout

    assert "uv pip install" in planned()
    assert "uv venv" not in planned()
    os.utime(tmp_path / files[0])
    assert "uv venv" in planned()


def test_the_lock_is_made_of_these_extras():
    recipe = (ROOT / "Makefile").read_text("utf-8").partition("\nlock:\n")[2].partition("\n\n")[0]
    named = set(re.findall(r"--extra (\w+)", recipe))
    brought = {
        extra
        for text in (t for e in named for t in EXTRAS[e])
        for extra in Requirement(text).extras
    }
    assert named | brought >= EXTRAS.keys() - ELSEWHERE
