"""The script that finds uv, or installs it."""

import os
import subprocess
from pathlib import Path

import pytest

from support import ROOT


@pytest.fixture
def checkout(tmp_path):
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "find-uv").write_bytes((ROOT / "scripts" / "find-uv").read_bytes())
    (tmp_path / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    return tmp_path


def program(path: Path, script: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def python(checkout: Path) -> Path:
    """A Python that is new enough, and whose pip installs a uv."""
    pip = "printf '#!/bin/sh\\necho uv 99.0.0\\n' >.uv/bin/uv; chmod +x .uv/bin/uv"
    program(checkout / "pip", pip)
    make = f"[ $1 = -c ] || {{ mkdir -p .uv/bin; cp {checkout}/pip .uv/bin/pip; }}"
    return program(checkout / "python", make)


def find_uv(checkout: Path, python: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "scripts/find-uv", python],
        cwd=checkout,
        env={"PATH": f"{checkout}/bin{os.pathsep}/usr/bin{os.pathsep}/bin"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_uv_that_is_new_enough_is_taken_from_the_path(checkout):
    uv = program(checkout / "bin" / "uv", "echo 'uv 0.13.9 (x86_64-unknown-linux-gnu)'")
    done = find_uv(checkout, python(checkout))
    assert (done.stdout, done.stderr) == (f"{uv}\n", "")
    assert not (checkout / ".uv").exists()


@pytest.mark.parametrize("said", ["uv 0.4.30", "uv 0.7.22 (build)", "", None])
def test_in_place_of_an_old_uv_or_none_a_new_one_is_installed_once(checkout, said):
    if said is not None:
        program(checkout / "bin" / "uv", f"echo '{said}'")
    own, new_enough = checkout / ".uv" / "bin" / "uv", python(checkout)
    for _ in range(2):
        done = find_uv(checkout, new_enough)
        assert (done.returncode, done.stdout) == (0, f"{own}\n"), done.stderr
        (checkout / "pip").unlink(
            missing_ok=True
        )  # The second time, nothing is left to install with.


def test_a_python_that_is_too_old_is_named_in_one_line(checkout):
    old = program(checkout / "old", "[ $1 = -c ] && exit 1; echo Python 3.10.13")
    done = find_uv(checkout, old)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"Python 3.11 or newer is needed, and {old} is Python 3.10.13: "
        "say make PYTHON=python3.13, for example.\n"
    )
