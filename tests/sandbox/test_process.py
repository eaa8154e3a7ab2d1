"""The sandbox: what is visible inside, what is counted from outside, and how it fails."""

import os
import time
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
    tree,
)
from helm_structext.sandbox.bubblewrap import Bubblewrap
from helm_structext.sandbox.job_time import PATIENCE
from support.processes import output_of, running

PROFILE = SandboxProfile(programs=("cat", "ls", "head", "rm", "sleep", "env"))


PYTHON = SandboxProfile((), ("/usr/bin/python3", *map(str, Path("/usr/lib").glob("python3*"))))


pytestmark = pytest.mark.usefixtures("isolation")


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
    assert seen.output.count("No such file") + seen.output.count("Permission denied") >= 6
    (tmp_path / "secret").write_text("5678")
    assert "5678" not in script(f"cat {tmp_path}/secret /proc/*/environ {__file__}").output


def test_nothing_but_the_scratch_folder_is_writable():
    for folder in ("/", "/usr", "/usr/bin", "/dev", "/etc", "/lib"):
        refused = script(f"echo x > {folder}/x").output
        assert "Read-only file system" in refused or "Permission denied" in refused
        assert not Path(folder, "x").exists()
    assert script("echo x > x").status == 0


def test_kernel_is_not_set_by_anyone():
    tries = "for name in sys/kernel/domainname sys/vm/swappiness self/oom_score_adj; do "
    tries += "(: >> /proc/$name) || echo $name refused; done; ls /proc/self/exe"
    seen = output_of(["sh", "-c", tries], SandboxProfile(programs=("ls",), proc=True))
    assert seen.count(" refused") == 3
    assert "/proc/self/exe\n" in seen


def test_program_sees_itself_in_proc_if_its_profile_says_so():
    profile = SandboxProfile(PYTHON.programs, PYTHON.paths, proc=True)
    code = (
        "print(*(bool(open(f'/proc/self/{name}').read()) for name in ('stat', 'maps', 'status')))"
    )
    assert output_of(["python3", "-c", code], profile) == "True True True\n"
    assert "Error: [Errno" in output_of(["python3", "-c", code], PYTHON)
    with pytest.raises(ValueError, match="which only a `Process` can have"):
        run(["python3", "-c", code], profile, Limits())


def test_system_calls_outside_of_every_namespace_are_refused(isolation):
    code = """
import ctypes, errno, os, resource, socket
libc = ctypes.CDLL(None, use_errno=True)
CALLS = ("ptrace", "memfd_create", "unshare", "shmget", "semget", "msgget", "mq_open", "keyctl")
for name in CALLS:
    ctypes.set_errno(0)
    arguments = (b"/a", 0o102, 0o600, None) if name == "mq_open" else (0, 0, 0)
    arguments = (250, 0, 0) if name == "keyctl" else arguments
    getattr(libc, name, libc.syscall)(*arguments)
    if ctypes.get_errno() != errno.EPERM:
        print(name, "is not refused")
for limits in ((0, 0), (os.getppid(), 1)):
    try:
        resource.prlimit(limits[0], resource.RLIMIT_NICE)
        print("limits read")
    except PermissionError:
        print("limits refused")
for family in (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, 40, 38):
    try:
        socket.socket(family, socket.SOCK_STREAM)
        print(family, "made")
    except PermissionError:
        print(family, "refused")
"""
    printed = script("python3 code.py", files={"code.py": code.encode()}, profile=PYTHON).output
    assert printed.splitlines() == [
        "limits read",
        "limits refused",
        *(f"{family} refused" for family in (1, 2, 10, 40, 38)),
    ]


def test_scratch_folder_has_a_size(isolation):
    limits = Limits(scratch=4)
    three = {name: bytes(2**20) for name in "abc"}
    for text in ("cat a b > d", "exec 3> d; rm d; cat a b >&3 && sleep 9"):
        if isolation.name == "bubblewrap":
            assert script(text, limits, files=three).status == 1
        else:
            with pytest.raises(RenderError, match="resource: files of more than 4 MiB"):
                script(text, limits, files=three)
    with pytest.raises(RenderError, match="resource: files of more than 4 MiB"):
        script("true", limits, files={"a": bytes(2**23)})
    with pytest.raises(RenderError, match=r"resource: (a file|files) of more than 4 MiB"):
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


def test_a_job_that_outlives_us_ends_by_itself():
    seconds = int(script("ulimit -t", Limits(seconds=3)).output)
    assert seconds == 3 * PATIENCE * len(os.sched_getaffinity(0))


def test_death_by_a_signal_is_no_result():
    with pytest.raises(ProcessDied, match="signal 9"):
        script("kill -9 $$")


def test_missing_program_stops_it():
    with pytest.raises(SetupError, match="'no-such-program' was not found"):
        run(["x"], SandboxProfile(("no-such-program",)), Limits())


def test_sandbox_that_can_not_be_built_is_the_machines_fault(tmp_path):
    with pytest.raises(SetupError, match=r"could not be built: .*missing"):
        script("true", shared={"x": tmp_path / "missing"})


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


def test_what_outlives_a_killed_bwrap_is_noticed_and_ended(isolation):
    if not isinstance(isolation, Bubblewrap):
        pytest.skip("bwrap alone builds a sandbox step by step")
    for _ in range(20):
        process = Process(["sleep", "1000"], PROFILE, Limits())
        while len(tree(process._process.pid)) < 2:
            pass
        outer, inner = tree(process._process.pid)[:2]
        os.kill(outer, 9)
        process._process.wait()
        time.sleep(0.1)
        if alive := Path(f"/proc/{inner}/fd/2").exists():
            with pytest.raises(ProcessDied):
                process.exchange(b"", lambda _: False, 60)
        process.close()
        assert not Path(f"/proc/{inner}/fd/2").exists()
        if alive:
            return
    pytest.skip("bwrap was never killed while it built a sandbox")
