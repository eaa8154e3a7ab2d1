"""The scripts that install system packages, and try this commit on a fresh system."""

import os
import subprocess
from pathlib import Path

import pytest

from support import ROOT

TOOLS = (
    "awk",
    "cat",
    "dirname",
    "env",
    "grep",
    "id",
    "printf",
    "sed",
    "sh",
    "sort",
    "tail",
    "uniq",
)


@pytest.fixture
def machine(tmp_path):
    """A machine that is a folder of programs; apt knows all packages but one, and notes what it installs."""
    for tool in TOOLS:
        found = next(path for path in (Path("/usr/bin", tool), Path("/bin", tool)) if path.exists())
        (tmp_path / tool).symlink_to(found)
    programs = {
        "apt-get": f'echo "$@" >>{tmp_path}/asked',
        "apt-cache": "shift 2; for name; do [ $name = unknown ] || echo Package: $name; done",
        "dpkg-query": "echo installed there; exit 1",
        "sudo": f'echo sudo >>{tmp_path}/asked; "$@"',
        "id": "echo ${USER_NUMBER:-0}",
    }
    for name, script in programs.items():
        (tmp_path / name).unlink(missing_ok=True)
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
    return tmp_path


def install(machine: Path, packages: str, **environment: str) -> subprocess.CompletedProcess[str]:
    (machine / "list").write_text(f"# names\n{packages}")
    (machine / "os-release").write_text("ID=debian\nVERSION_CODENAME=trixie\n")
    return subprocess.run(
        [ROOT / "scripts" / "install-system-packages", machine / "list"],
        env={"PATH": str(machine), "OS_RELEASE": str(machine / "os-release"), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_only_what_is_missing_is_installed_by_its_name_here(machine):
    done = install(machine, "there\nold [bookworm] | new\n")
    assert (done.returncode, done.stdout) == (0, "Installing new\n")
    assert (machine / "asked").read_text().splitlines()[-1].endswith("--no-install-recommends new")


def test_where_all_is_there_nothing_is_asked(machine):
    assert install(machine, "there\n").stdout == ""
    assert not (machine / "asked").exists()


def test_what_apt_does_not_know_is_named_and_left_out(machine):
    done = install(machine, "unknown\nknown\n")
    assert done.returncode == 0
    assert "No packages of this system, see 'helm-structext doctor': unknown" in done.stdout
    assert (machine / "asked").read_text().endswith("--no-install-recommends known\n")


def test_a_user_installs_by_sudo_or_is_told_whom_to_ask(machine):
    assert install(machine, "new\n", USER_NUMBER="1000").returncode == 0
    assert (machine / "asked").read_text().startswith("sudo\n")
    (machine / "sudo").unlink()
    done = install(machine, "new\n", USER_NUMBER="1000")
    assert done.returncode == 1
    assert "Ask an administrator to run:" in done.stderr
    assert "apt-get install -y --no-install-recommends new" in done.stderr


@pytest.mark.parametrize(
    "arguments", [[], ["--only", "lint", "trixie"], ["--cache", "/absent", "trixie"], ["--x"]]
)
def test_a_try_of_nothing_or_with_wrong_options_says_how_to_call_it(arguments):
    done = subprocess.run(
        [ROOT / "scripts" / "try-system", *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr.startswith("scripts/try-system [--only demo|test]")


@pytest.fixture
def checkout(machine, monkeypatch):
    """A commit with `try-system`, whose other programs are made up."""
    folder = machine / "checkout"
    (folder / "scripts").mkdir(parents=True)
    (folder / "scripts" / "try-system").write_bytes((ROOT / "scripts" / "try-system").read_bytes())
    (folder / "scripts" / "in-root").write_text(
        "#!/bin/bash\n"
        'root=$1; shift\ncase "$*" in\n*version) echo Python 3.13.5 ;;\n'
        '*demo) mkdir -p "$root/root/project/demo/benchmark_output/runs/demo/a" ;;\n'
        '*test) echo "FAILED tests/test_a.py::test_b"; exit 2 ;;\nesac\n'
    )
    (machine / "mmdebstrap").write_text("#!/bin/sh\n")
    for path in (*folder.glob("scripts/*"), machine / "mmdebstrap"):
        path.chmod(0o755)
    commands = (["init", "--quiet"], ["add", "."],
                ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "a"])  # fmt: skip
    for command in commands:
        subprocess.run(["git", *command], cwd=folder, check=True)
    # Before a real mmdebstrap, which would make a whole system.
    monkeypatch.setenv("PATH", f"{machine}:/usr/bin:/bin")
    return folder


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may make a root file system")
def test_a_try_prints_times_and_failed_tests_and_keeps_the_statistics(checkout):
    done = subprocess.run(
        ["scripts/try-system", "trixie"], cwd=checkout, capture_output=True, text=True, check=False
    )
    lines = done.stdout.splitlines()
    assert done.returncode == 1, done.stderr
    assert lines[0].startswith("trixie: Python 3.13.5, commit ")
    assert lines[1].startswith("trixie: make demo ended with status 0 after ")
    assert lines[2].startswith("trixie: make test ended with status 2 after ")
    assert lines[3:] == ["FAILED tests/test_a.py::test_b"]
    assert (checkout / ".systems" / "trixie" / "demo" / "a").is_dir()
