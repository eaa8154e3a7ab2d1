"""The sandbox: what is visible inside, what is counted from outside, and how it fails."""

import logging
import shutil
from pathlib import Path

import pytest

from helm_structext.errors import RenderError, SetupError
from helm_structext.sandbox import (
    Limits,
    Process,
    ProcessDied,
    SandboxProfile,
    limits_for,
    pool,
    run,
)
from helm_structext.sandbox.isolation import current_isolation
from support.processes import running

PROFILE = SandboxProfile(programs=("cat", "ls", "head", "sleep", "env"))


PYTHON = SandboxProfile((), ("/usr/bin/python3", *map(str, Path("/usr/lib").glob("python3*"))))


@pytest.fixture(autouse=True)
def _no_engines():
    pool.workers.close()


def script(text: str, limits: Limits | None = None, **options):
    return run(["sh", "-c", text], options.pop("profile", PROFILE), limits or Limits(), **options)


def test_files_go_in_and_come_out():
    finished = script(
        "cat a/b c > d; mkdir e; echo x > e/f; ln -s /etc/ld.so.cache g; ls; exit 3",
        profile=SandboxProfile(programs=("cat", "ls", "mkdir", "ln")),
        files={"a/b": b"one ", "c": b"two"},
        outputs=["d", "e", "g", "missing"],
    )
    assert finished.status == 3
    assert finished.files == {"d": b"one two", "e/f": b"x\n"}
    assert finished.output == "a\nc\nd\ne\ng\n"


def test_nothing_of_the_host_is_visible(monkeypatch, tmp_path):
    monkeypatch.setenv("SECRET_TOKEN", "1234")
    seen = script(f"env; ls / /etc /dev; ls {tmp_path} {Path.cwd()} /home /root /tmp /proc")
    assert "1234" not in seen.output
    folders = seen.output.partition("/:\n")[2].partition("\n\n")[0].split()
    assert set(folders) <= {"bin", "dev", "etc", "job", "lib", "lib64", "usr"}
    assert "passwd" not in seen.output
    assert seen.output.count("No such file") == 6


def test_nothing_but_the_scratch_folder_is_writable():
    for folder in ("/", "/usr", "/usr/bin", "/dev", "/etc", "/lib"):
        assert "Read-only file system" in script(f"echo x > {folder}/x").output
    assert script("echo x > x").status == 0


def test_kernel_is_not_set_by_anyone():
    tries = "for name in sys/kernel/domainname sys/vm/swappiness self/oom_score_adj; do "
    tries += "(: >> /proc/$name) || echo $name refused; done; ls /proc/self/exe"
    seen = script(tries, profile=SandboxProfile(programs=("ls",), proc=True))
    assert seen.output.count(" refused") == 3
    assert seen.output.endswith("/proc/self/exe\n")


def test_system_calls_outside_of_every_namespace_are_refused():
    code = """
import ctypes, errno, socket
libc = ctypes.CDLL(None, use_errno=True)
for name in ("ptrace", "memfd_create", "unshare", "shmget", "keyctl"):
    getattr(libc, name, libc.syscall)(*(0, 0, 0) if name != "keyctl" else (250, 0, 0))
    print(name, ctypes.get_errno() == errno.EPERM)
for family in (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, 40, 38):
    try:
        socket.socket(family, socket.SOCK_STREAM)
        print(family, "made")
    except PermissionError:
        print(family, "refused")
"""
    printed = script("python3 code.py", files={"code.py": code.encode()}, profile=PYTHON).output
    assert printed.split("\n")[:5] == [
        "ptrace True",
        "memfd_create True",
        "unshare True",
        "shmget True",
        "keyctl True",
    ]
    assert printed.split("\n")[5:-1] == ["1 made", "2 made", "10 made", "40 refused", "38 refused"]


def test_scratch_folder_has_a_size():
    limits = Limits(scratch=4)
    three = {name: bytes(2**20) for name in "abc"}
    assert script("cat a b > d", limits, files=three).status == 1
    with pytest.raises(RenderError, match="resource: files of more than 4 MiB"):
        script("true", limits, files={"a": bytes(2**23)})
    with pytest.raises(RenderError, match="resource: a file of more than 4 MiB"):
        script("exec cat /dev/urandom > x", limits)


@pytest.mark.parametrize(
    ("text", "limits", "kind"),
    [
        ("sleep 60", Limits(seconds=0.5), "timeout"),
        ("sleep 60 >/dev/null & exec >&- 2>&-; sleep 60", Limits(seconds=0.5), "timeout"),
        ("for n in 1 2 3 4 5 6 7 8; do sleep 60 & done; wait", Limits(processes=8), "resource"),
        ("head -c 99999999 /dev/urandom", Limits(output=1), "resource"),
    ],
)
def test_limits_end_a_job_and_all_it_has_started(text, limits, kind):
    with pytest.raises(RenderError) as caught:
        script(text, limits)
    assert caught.value.kind == kind
    assert running() == []


def test_memory_is_the_sum_over_all_processes():
    files = {"code.py": b"import time\nx = b'x' * 40_000_000\ntime.sleep(0.5)"}
    one, many = "python3 code.py", "for n in 1 2 3 4 5 6; do python3 code.py & done; wait"
    limits = Limits(memory=150)
    assert script(one, limits, files=files, profile=PYTHON).status == 0
    with pytest.raises(RenderError, match="resource: more than 150 MiB of memory"):
        script(many, limits, files=files, profile=PYTHON)


def test_death_by_a_signal_is_no_result():
    with pytest.raises(ProcessDied, match="signal 9"):
        script("kill -9 $$")


def test_missing_program_and_missing_bubblewrap_stop_it(monkeypatch):
    with pytest.raises(SetupError, match="'no-such-program' was not found"):
        run(["x"], SandboxProfile(("no-such-program",)), Limits())
    current_isolation.cache_clear()
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(SetupError, match="apt install bubblewrap"):
        script("true")
    monkeypatch.undo()
    assert script("true").status == 0


def test_sandbox_that_can_not_be_built_is_the_machines_fault(tmp_path):
    with pytest.raises(SetupError, match=r"could not be built: bwrap: .*missing"):
        script("true", shared={"x": tmp_path / "missing"})


@pytest.fixture
def setting(monkeypatch):
    def set_to(value: str) -> None:
        monkeypatch.setenv("HELM_STRUCTEXT_SANDBOX", value)
        current_isolation.cache_clear()

    yield set_to
    monkeypatch.undo()
    current_isolation.cache_clear()


def test_only_off_turns_it_off_and_says_so(setting, caplog):
    setting("no")
    with pytest.raises(SetupError, match="'no'; expected 'on' or 'off'"):
        script("true")
    setting("off")
    with caplog.at_level(logging.WARNING):
        finished = script("cat a > b; echo $HOME", files={"a": b"x"}, outputs=["b"])
    (warning,) = (record for record in caplog.records if record.levelno == logging.WARNING)
    assert "WITHOUT A SANDBOX" in warning.getMessage()
    assert finished.files == {"b": b"x"}
    assert not Path(finished.output.strip()).exists()
    with pytest.raises(RenderError, match="timeout"):
        script("sleep 60 & sleep 60", Limits(seconds=0.5))
    assert running() == []


def test_limits_can_be_set(monkeypatch):
    monkeypatch.setenv("HELM_STRUCTEXT_LATEX_SECONDS", "2.5")
    monkeypatch.setenv("HELM_STRUCTEXT_LATEX_MEMORY", "64")
    assert limits_for("latex", Limits(output=7)) == Limits(seconds=2.5, memory=64, output=7)
    assert limits_for("webpage", Limits()) == Limits()
    monkeypatch.setenv("HELM_STRUCTEXT_LATEX_MEMORY", "lots")
    with pytest.raises(SetupError, match="HELM_STRUCTEXT_LATEX_MEMORY is 'lots'"):
        limits_for("latex", Limits())


def test_all_of_a_request_is_sent_even_if_the_reply_comes_first():
    line = ["sh", "-c", "echo early; sleep 0.2; head -c 5000000 | wc -c; cat"]
    process = Process(line, SandboxProfile(("head", "wc", "cat", "sleep")), Limits())
    try:
        request, said = bytes(5_000_000), b""
        while b"5000000" not in said:
            said += process.exchange(request, lambda data: data.endswith(b"\n"), 10)
            request = b""
    finally:
        process.close()
    assert said.split() == [b"early", b"5000000"]
