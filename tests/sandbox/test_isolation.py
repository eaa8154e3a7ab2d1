"""The ways to isolate a process: which one is taken, what both hold, and what only namespaces do."""

import contextlib
import logging
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import helm_structext
from helm_structext.errors import RenderError, SetupError
from helm_structext.sandbox import (
    Limits,
    Process,
    ProcessDied,
    SandboxProfile,
    job_clock,
    launcher,
    run,
    tree,
)
from helm_structext.sandbox.isolation import STRONG, NoIsolation, current_isolation
from helm_structext.sandbox.landlock import Landlock
from helm_structext.sandbox.process import WATCH_SECONDS
from support.processes import output_of, running
from support.serving import until

PROGRAMS = SandboxProfile(("cat", "chmod", "ls", "rm", "setsid", "sleep", "stat", "uname"))
PYTHON = SandboxProfile((), ("/usr/bin/python3", *map(str, Path("/usr/lib").glob("python3*"))))
LANDLOCK = launcher.landlock_abi() >= launcher.OLDEST_ABI
needs_landlock = pytest.mark.skipif(not LANDLOCK, reason="the kernel has no Landlock")


def shell(text: str, limits: Limits | None = None) -> str:
    return run(["sh", "-c", text], PROGRAMS, limits or Limits()).output


def python(code: str, profile: SandboxProfile = PYTHON) -> str:
    finished = run(["python3", "-c", code], profile, Limits())
    return finished.output


# Which one.


def without(*programs: str):
    which = shutil.which
    return lambda name, *more: None if name in programs else which(name, *more)


@needs_landlock
def test_auto_takes_namespaces_and_else_landlock(setting, monkeypatch, caplog):
    for name in ("auto", "on"):
        setting(name)
        assert current_isolation().name == "bubblewrap"
    assert caplog.records == []
    monkeypatch.setattr(shutil, "which", without("bwrap"))
    setting("auto")
    assert current_isolation().name == "landlock"
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert all(gap in record.getMessage() for gap in Landlock.gaps.values())


def test_nothing_runs_where_no_way_works(setting, monkeypatch):
    setting("auto")
    monkeypatch.setattr(shutil, "which", without("bwrap"))
    monkeypatch.setattr(launcher, "landlock_abi", lambda: 3)
    message = (
        r"apt install bubblewrap.*Landlock has version 3; 4 or newer.*HELM_STRUCTEXT_SANDBOX=off"
    )
    with pytest.raises(SetupError, match=message):
        shell("true")


@pytest.mark.parametrize("broken", ["bubblewrap", "landlock"])
def test_way_that_does_not_work_is_not_taken(broken, setting, monkeypatch, tmp_path):
    if broken == "bubblewrap":
        program = tmp_path / "bwrap"
        program.write_text(
            "#!/bin/sh\n[ $1 = --version ] && echo 0.9.0 || { echo no >&2; exit 1; }\n"
        )
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    else:
        monkeypatch.setattr(launcher, "__file__", str(tmp_path / "missing.py"))
    setting(broken)
    with pytest.raises(SetupError, match=f"{broken} does not work here \\(.*no"):
        shell("true")


def test_only_off_turns_it_off_and_says_so(setting, caplog):
    setting("no")
    with pytest.raises(SetupError, match="is 'no'; expected auto, on, bubblewrap, landlock, off"):
        shell("true")
    setting("off")
    files = {"a": b"x"}
    finished = run(["sh", "-c", "cat a > b; echo $HOME"], PROGRAMS, Limits(), files=files,
                   outputs=["b"])  # fmt: skip
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert "WITHOUT A SANDBOX" in record.getMessage()
    assert finished.files == {"b": b"x"}
    assert not Path(finished.output.strip()).exists()
    with pytest.raises(RenderError, match="timeout"):
        shell("sleep 60 & sleep 60", Limits(seconds=0.5))
    assert running() == []


def in_another_process(code: str, *before: str, **options) -> str:
    """What Debian's Python prints with a copy of the package: every user can start and read them."""
    package = Path(helm_structext.__file__).parent
    line = [*before, "/usr/bin/python3", "-c", code]
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        left_out = shutil.ignore_patterns("node_modules", "__pycache__")
        shutil.copytree(package, Path(folder, package.name), ignore=left_out)
        environment = {"PATH": os.environ["PATH"], "PYTHONPATH": folder}
        ended = subprocess.run(
            line, env=environment, capture_output=True, text=True, cwd="/", **options
        )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


USE = """
from helm_structext.sandbox import Limits, SandboxProfile, run
from helm_structext.sandbox.isolation import current_isolation
finished = run(["sh", "-c", "cat /etc/hostname; cat a"], SandboxProfile(("cat",)), Limits(),
               files={"a": b"done"})
print(current_isolation().name, finished.output)
"""


@needs_landlock
def test_landlock_is_taken_where_namespaces_are_forbidden():
    forbid = 'echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"'
    said = in_another_process(USE, "unshare", "-U", "-r", "sh", "-c", forbid, "sh")
    assert said.startswith("landlock ")
    assert "hostname: Permission denied" in said
    assert said.endswith("done\n")


@needs_landlock
@pytest.mark.skipif(os.getuid() != 0, reason="this is an ordinary user already")
def test_landlock_serves_ordinary_users():
    code = f"import os; os.environ['HELM_STRUCTEXT_SANDBOX'] = 'landlock'{USE}"
    said = in_another_process(code, user=65534, group=65534, extra_groups=[])
    assert said.startswith("landlock ")
    assert "hostname: Permission denied" in said
    assert said.endswith("done\n")


# What both hold.


def test_no_descriptor_but_the_three_is_open(isolation):
    code = """
import os
for number in range(3, 1024):
    try:
        os.fstat(number)
        print(number)
    except OSError:
        pass
"""
    with Path(__file__).open(), socket.socket() as other:
        other.set_inheritable(True)
        assert python(code) == ""


def test_no_program_gives_rights(isolation):
    code = """
import ctypes, os, struct
libc, sets = ctypes.CDLL(None), ctypes.create_string_buffer(24)
libc.capget(struct.pack("Ii", 0x20080522, 0), sets)
print(libc.prctl(39, 0, 0, 0, 0), any(sets.raw), len(set(os.getresuid())))
"""
    assert python(code) == "1 False 1\n"


def test_nothing_is_read_or_started_but_what_is_listed(isolation):
    code = """
import glob, os
for path in ("/usr/bin/id", "/usr/lib/os-release", "/etc/hostname", "/bin/id", "/proc/version"):
    try:
        open(path).close()
        print("read", path)
    except OSError:
        pass
    try:
        os.execv(path, [path])
    except OSError:
        pass
for pattern in ("/usr/bin", "/bin", "/home", "/root", "/tmp", "/dev", "/proc"):
    try:
        print("listed", pattern, len(set(os.listdir(pattern)) - {"python3", "bash", "sh", "tar", "null", "urandom"}))
    except OSError:
        pass
"""
    said = python(code).splitlines()
    # With namespaces the folders are there, with what is allowed in them.
    assert [line for line in said if not line.endswith(" 0")] == []


def test_no_other_process_is_reached(isolation):
    code = f"""
import ctypes, os, resource, signal
libc = ctypes.CDLL(None, use_errno=True)
host = {os.getpid()}
tries = [
    lambda: os.kill(host, signal.SIGWINCH),
    lambda: os.kill(os.getppid(), signal.SIGWINCH) if os.getppid() < 3 else os.kill(host, 1),
    lambda: os.kill(-1, signal.SIGWINCH) if os.fork() else os._exit(0),
    lambda: resource.prlimit(host, resource.RLIMIT_CPU, (1, 1)),
    lambda: open(f"/proc/{{host}}/environ").read(),
    lambda: open(f"/proc/{{host}}/cmdline").read(),
    lambda: open(f"/proc/{{host}}/mem"),
    lambda: os.readlink(f"/proc/{{host}}/fd/0"),
    lambda: os.readlink(f"/proc/{{host}}/cwd"),
]
for number, one in enumerate(tries):
    try:
        one()
        if number not in (1, 2):
            print(number)
    except OSError:
        pass
"""
    told = []
    before = signal.signal(signal.SIGWINCH, lambda *_: told.append(1))
    try:
        profile = SandboxProfile((), PYTHON.paths, proc=True)
        assert output_of(["python3", "-c", code], profile) == ""
        assert told == []
    finally:
        signal.signal(signal.SIGWINCH, before)


def test_no_socket_outside_is_reached(isolation, tmp_path):
    code = f"""
import socket
def reach(family, kind, address):
    try:
        with socket.socket(family, kind) as own:
            own.connect(address)
            print("reached", address)
    except OSError:
        pass
    try:
        one, other = socket.socketpair(socket.AF_UNIX, kind)
        one.sendto(b"x", address)
        print("sent", address)
    except (OSError, TypeError):
        pass
for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
    reach(socket.AF_UNIX, kind, "{tmp_path}/" + str(int(kind)))
    reach(socket.AF_UNIX, kind, "\\0helm-structext-" + str(int(kind)))
    reach(socket.AF_INET, kind, ("127.0.0.1", PORT))
one, other = socket.socketpair()
one.send(b"a pair works")
print(other.recv(99).decode())
"""
    with contextlib.ExitStack() as stack:
        heard = []
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
            for address in (f"{tmp_path}/{int(kind)}", f"\0helm-structext-{int(kind)}"):
                listener = stack.enter_context(socket.socket(socket.AF_UNIX, kind))
                listener.bind(address)
                heard.append(listener)
        server = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        for listener in (heard[0], heard[1], server):
            listener.listen()
        profile = SandboxProfile((), PYTHON.paths, sockets=True)
        assert (
            python(code.replace("PORT", str(server.getsockname()[1])), profile) == "a pair works\n"
        )
        for listener in (*heard, server):
            listener.setblocking(False)
            with pytest.raises(BlockingIOError):
                listener.recv(1) if listener in heard[2:] else listener.accept()


def test_nothing_outside_is_changed(isolation, tmp_path):
    canary = tmp_path / "canary"
    canary.write_text("here")
    canary.chmod(0o640)
    before = canary.stat()
    shell(f"chmod 777 {canary}; rm -f {canary}; echo x >> {canary}; : > {tmp_path}/new")
    code = f"import os; [f() for f in (lambda: os.utime({str(canary)!r}, (0, 0)),)]"
    with contextlib.suppress(ProcessDied):
        python(code)
    assert canary.stat() == before
    assert canary.read_text() == "here"
    assert [path.name for path in tmp_path.iterdir()] == ["canary"]


def test_no_new_namespace_is_made(isolation):
    code = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
NEWUSER, NEWNS, SIGCHLD = 0x10000000, 0x20000, 17
clone = {"x86_64": 56, "aarch64": 220}[os.uname().machine]
for flags in (NEWUSER, NEWUSER | NEWNS):
    pid = libc.syscall(clone, flags | SIGCHLD, 0, 0, 0, 0)
    if pid == 0:
        os._exit(0)
    print(pid)
"""
    assert python(code) == "-1\n-1\n"


DAEMON = "setsid sh -c 'setsid sleep 77 & exit' & sleep 0.3; "


@pytest.mark.parametrize("end", ["exit 0", "sleep 60", "kill -9 $$"])
def test_nothing_that_was_started_stays(end, isolation):
    with contextlib.suppress(RenderError, ProcessDied):
        shell(f"exec >/dev/null 2>&1; {DAEMON}{end}", Limits(seconds=1))
    assert_gone("77")


def sleepers(seconds: str) -> list[int]:
    """Processes anywhere on the machine, orphans among them, that sleep for so long."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (folder / "cmdline").read_bytes().split(b"\0")[:2] == [b"sleep", seconds.encode()]:
                found.append(int(folder.name))
    return found


def commands_with(text: bytes) -> list[int]:
    """Processes anywhere on the machine with a text in their command lines."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if text in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
    return found


def assert_gone(seconds: str) -> None:
    """The kernel may take a moment."""
    until = time.monotonic() + 5
    while sleepers(seconds) and time.monotonic() < until:
        time.sleep(0.05)
    assert sleepers(seconds) == []


def test_fork_bomb_is_killed_as_a_whole(isolation):
    # It ends at 511 processes: a test that fails must not take the machine along.
    bomb = "b() { [ $1 = 0 ] || { b $(($1 - 1)) & b $(($1 - 1)) & }; sleep 76; }; b 8"
    with pytest.raises(RenderError, match="resource: more than 16 processes"):
        shell(bomb, Limits(seconds=2, processes=16))
    assert_gone("76")


def test_of_a_fork_bomb_no_more_is_looked_at_than_may_run(isolation, monkeypatch):
    """Else it grows while its watch looks, which takes the longer the later it comes."""
    many = "n=60; while [ $n -gt 0 ]; do sleep 74 & n=$((n - 1)); done; echo ready; wait"
    process = Process(["sh", "-c", many], PROGRAMS, Limits(processes=99))
    process.wait_until_ready()
    process.limits = Limits(processes=8)
    looked = []
    for name in ("open", "scandir", "stat"):
        monkeypatch.setattr(os, name, noting(getattr(os, name), looked))
    with job_clock(9) as clock:
        time.sleep(WATCH_SECONDS)
        with pytest.raises(RenderError, match="resource: more than 8 processes"):
            process.watch(clock)
    assert 0 < len(looked) <= 16
    process.close()
    assert_gone("74")


def noting(call: Callable[..., Any], looked: list[str]) -> Callable[..., Any]:
    """A call of the system that notes what is looked at in /proc."""

    def noted(path, *arguments, **options):
        looked.extend([str(path)] * str(path).startswith("/proc/"))
        return call(path, *arguments, **options)

    return noted


FORKS = """
from helm_structext.sandbox import Limits, SandboxProfile, run
many = "n=0; while [ $n -lt 1100 ]; do n=$((n + 1)); echo $n; sleep 9 <&- >&- 2>&- & done; echo all"
limits = Limits(seconds=20, processes=2000, memory=8000)
print(run(["sh", "-c", many], SandboxProfile(("sleep",)), limits).output)
"""


@pytest.mark.skipif(os.getuid() != 0, reason="only root may become others")
def test_in_a_namespace_the_kernel_bounds_the_processes_of_ordinary_users():
    code = f"import os; os.environ['HELM_STRUCTEXT_SANDBOX'] = 'bubblewrap'{FORKS}"
    said = in_another_process(code, user=65534, group=65534, extra_groups=[])
    assert "fork" in said
    assert 900 < int(re.findall(r"(?m)^[0-9]+$", said)[-1]) <= 1024


def may_go_first() -> bool:
    try:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    except PermissionError:
        return False
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    return True


@needs_landlock
def test_the_launcher_goes_first_and_not_what_it_started(setting):
    """Else a fork bomb could take all turns that it needs to kill."""
    setting("landlock")
    process = Process(["sh", "-c", "sleep 75 & echo ready; sleep 75"], PROGRAMS, Limits())
    try:
        process.wait_until_ready()
        launched, *others = sorted(process.state)
        expected = os.SCHED_RR if may_go_first() else os.SCHED_OTHER
        assert os.sched_getscheduler(launched) == expected
        assert {os.sched_getscheduler(pid) for pid in others} == {os.SCHED_OTHER}
    finally:
        process.close()


def test_all_ends_when_we_are_killed(isolation):
    code = f"""
import os, time
os.environ["HELM_STRUCTEXT_SANDBOX"] = {isolation.name!r}
from helm_structext.sandbox import Limits, Process, SandboxProfile
Process(["sh", "-c", "setsid sleep 78 & sleep 78"], SandboxProfile(("setsid", "sleep")), Limits())
time.sleep(1)
print("started", flush=True)
os.kill(os.getpid(), 9)
"""
    line = [sys.executable, "-c", code]
    environment = {**os.environ, "PYTHONPATH": ":".join(sys.path)}
    said = subprocess.run(line, env=environment, capture_output=True, text=True)
    assert said.stdout == "started\n"
    assert_gone("78")


@pytest.mark.parametrize("when", ["before it starts", "while it works"])
def test_under_landlock_nothing_is_left_of_who_is_killed(when, tmp_path):
    """Neither a process nor a folder, though it is killed before its launcher knows that it has a parent."""
    wait = "time.sleep(2)" if when == "while it works" else "pass"
    code = f"""
import os, time
os.environ["HELM_STRUCTEXT_SANDBOX"] = "landlock"
from helm_structext.sandbox import Limits, Process, SandboxProfile
from helm_structext.sandbox.isolation import current_isolation
current_isolation()
tree = "mkdir -p a/b; mkdir -m 0 a/c; setsid sleep 79 & sleep 79"
Process(["sh", "-c", tree], SandboxProfile(("setsid", "sleep", "mkdir")), Limits())
{wait}
os.kill(os.getpid(), 9)
"""
    environment = {**os.environ, "PYTHONPATH": ":".join(sys.path), "TMPDIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", code], env=environment, check=False)
    until(lambda: not [*tmp_path.iterdir()])
    assert_gone("79")


def test_under_bubblewrap_no_job_outlives_who_is_killed_and_the_next_one_tidies_up(tmp_path):
    code = """
import os, sys, time
os.environ["HELM_STRUCTEXT_SANDBOX"] = "bubblewrap"
from helm_structext.sandbox import Limits, Process, SandboxProfile
from helm_structext.sandbox.isolation import current_isolation
current_isolation()
if len(sys.argv) > 1:
    job = "setsid sleep 80 & sleep 80"
    Process(["sh", "-c", job], SandboxProfile(("setsid", "sleep")), Limits())
    time.sleep(float(sys.argv[1]))
    os.kill(os.getpid(), 9)
"""
    environment = {**os.environ, "PYTHONPATH": ":".join(sys.path)}
    for milliseconds in (0, 1, 2, 4, 8, 16, 32):
        line = [sys.executable, "-c", code, str(milliseconds / 1000)]
        subprocess.run(line, env=environment, check=False)
    assert_gone("80")
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)
    until(lambda: not commands_with(b"setsid sleep 80"))


@pytest.mark.parametrize("end", ["exit 0", "sleep 60", "kill -9 $$", "kill -STOP $$"])
def test_nothing_is_left_to_be_reaped_by_others(end, isolation):
    """In a container the first process is often a server, which reaps nothing but its own."""
    code = f"""
import contextlib, os, sys
os.environ["HELM_STRUCTEXT_SANDBOX"] = {isolation.name!r}
from helm_structext.errors import RenderError
from helm_structext.sandbox import Limits, ProcessDied, SandboxProfile, run
from helm_structext.sandbox.launcher import PR_SET_CHILD_SUBREAPER, prctl
prctl(PR_SET_CHILD_SUBREAPER, 1)
with contextlib.suppress(RenderError, ProcessDied):
    run(["sh", "-c", "{DAEMON}{end}"], SandboxProfile(("setsid", "sleep")), Limits(seconds=1))
try:
    print(os.waitpid(-1, os.WNOHANG))
except ChildProcessError:
    print("none")
"""
    assert in_another_process(code) == "none\n"


def test_scratch_folder_is_removed_whatever_is_in_it(isolation, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    code = """
import os
for depth in range(1200):
    name = "x" * (200 if depth < 10 else 1)
    os.mkdir(name)
    os.chdir(name)
    os.mkdir("closed", 0)
    os.symlink("/etc", "link")
    open("a\\nb", "w").close()
"""
    with contextlib.suppress(RenderError):
        python(code)
    assert list(tmp_path.iterdir()) == []


ABIS = [
    (0, "none"),
    (1, "files"),
    (2, "moved files"),
    (3, "truncated files"),
    (4, "network"),
    (5, "devices"),
    (6, "signals and abstract sockets"),
]


@needs_landlock
@pytest.mark.parametrize(("abi", "newest"), ABIS)
def test_each_version_of_landlock_is_refused_or_no_way_out(
    abi, newest, monkeypatch, setting, tmp_path
):
    monkeypatch.setattr(launcher, "landlock_abi", lambda: abi)
    setting("landlock")
    if abi < launcher.OLDEST_ABI:
        with pytest.raises(SetupError, match=rf"has version {abi}; 4 or newer .*\(Linux 6.7\)"):
            shell("true")
        return
    assert current_isolation() == Landlock(abi)
    canary = tmp_path / "canary"
    canary.write_text("here")
    told = []
    before = signal.signal(signal.SIGWINCH, lambda *_: told.append(1))
    try:
        said = shell(f"kill -28 {os.getpid()}; kill -28 -1; cat {canary}; : > {canary}; echo > new")
        assert told == []
        assert "here" not in said
        assert canary.read_text() == "here"
        with pytest.raises(RenderError, match="timeout"):
            shell(f"exec >/dev/null 2>&1; {DAEMON}sleep 60", Limits(seconds=1))
        assert_gone("77")
    finally:
        signal.signal(signal.SIGWINCH, before)


# The same, by others than root and where namespaces are forbidden.

CORE = (
    "descriptor",
    "listed",
    "no_other_process",
    "no_socket_outside",
    "nothing_outside",
    "new_namespace",
    "gives_rights",
    "removed",
    "gap",
    "refused",
    "do_not_exist",
    "grows",
    "mapped",
    "folders",
)
NO_NAMESPACES = ("bwrap", "--unshare-user", "--disable-userns", "--dev-bind", "/", "/", "--")
OTHERS = {
    "ordinary user": ((), 65534, ("bubblewrap", "landlock")),
    "without namespaces": (NO_NAMESPACES, 0, ("landlock",)),
    "ordinary user without namespaces": (NO_NAMESPACES, 65534, ("landlock",)),
}


@needs_landlock
@pytest.mark.skipif(os.getuid() != 0, reason="only root may become others")
@pytest.mark.parametrize("other", OTHERS)
def test_attacks_have_no_effect_whoever_runs_us(other):
    before, user, ways = OTHERS[other]
    here = Path(__file__).parent
    packages = [Path(helm_structext.__file__).parent.parent, Path(pytest.__file__).parent.parent]
    python = "/usr/bin/python3" if user else sys.executable
    line = [*before, python, "-m", "pytest", "--noconftest", "-p", "sandbox.conftest", "-v"]
    line += ["-p", "no:cacheprovider", "-o", "addopts=", "-k", " or ".join(CORE)]
    line += [str(here / "test_isolation.py"), str(here / "test_kernel_memory.py")]
    path = ":".join(map(str, [*packages, here.parent]))
    ended = subprocess.run(
        line,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": path},
        user=user,
        group=user,
        extra_groups=[],
        cwd="/",
        capture_output=True,
        text=True,
    )
    said = ended.stdout + ended.stderr
    if "No module named pytest" in said:
        pytest.skip("another user can't read the packages")
    assert ended.returncode == 0, said
    passed = {way: len(re.findall(rf"\[{way}.*PASSED", said)) for way in STRONG}
    assert [way for way in STRONG if passed[way] >= len(CORE)] == list(ways), passed


# What only namespaces hold: a table, of which each row is shown to be so.


def killed_launcher() -> bool:
    process = Process(["sh", "-c", "sleep 79 & echo ready; sleep 79"], PROGRAMS, Limits())
    process.wait_until_ready()
    launched = min(process.state)
    os.kill(launched, signal.SIGKILL)
    time.sleep(0.3)
    left = sleepers("79")
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    process.close()
    return bool(left)


def full_scratch_folder() -> bool:
    many = "for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do cat /bin/sh > $n; done"
    try:
        return run(["sh", "-c", many], PROGRAMS, Limits(scratch=1)).status == 0
    except RenderError:
        return True


GAPS = {
    "names": lambda: "exists" in shell("[ -e /etc/hostname ] && echo exists"),
    "processes": lambda: "not permitted" in shell(f"kill -0 {os.getpid()}"),
    "machine": lambda: os.uname().nodename in shell("uname -n"),
    "scratch": full_scratch_folder,
    "killed launcher": killed_launcher,
}


@pytest.mark.parametrize("gap", GAPS)
def test_gap_is_one_of_landlock_alone(gap, isolation):
    assert GAPS[gap]() == (gap in isolation.gaps)


def test_every_gap_is_shown():
    assert set(Landlock.gaps) == set(GAPS)
    assert NoIsolation.gaps.keys().isdisjoint(GAPS)
    assert tree(os.getpid())
