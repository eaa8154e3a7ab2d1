"""Memory and other objects of the kernel that no process's memory shows: none grows without a bound.

The attacks are small: each shows that a call is refused, or that what is counted ends the job.
"""

import json
import os
import subprocess
from pathlib import Path

import pytest

from helm_structext.errors import RenderError
from helm_structext.sandbox import Limits, Process, SandboxProfile, limits, run, seccomp, usage
from support.processes import output_of

PATHS = ("/usr/bin/python3", *map(str, Path("/usr/lib").glob("python3*")))
# The two classes of profiles: engines whose processes talk to each other by sockets, and others.
PROFILES = {
    "sockets": SandboxProfile((), PATHS, proc=True, sockets=True),
    "no sockets": SandboxProfile((), PATHS),
}


@pytest.fixture(scope="module", params=PROFILES)
def profile(request):
    return PROFILES[request.param]


PRELUDE = """
import ctypes, errno, fcntl, json, mmap, os, resource, signal, socket, struct, sys, threading, time
libc = ctypes.CDLL(None, use_errno=True)
X86 = os.uname().machine == "x86_64"
def call(name, *arguments):
    ctypes.set_errno(0)
    number = NUMBERS[name][0 if X86 else 1]
    if number is None:
        return "EPERM"
    result = libc.syscall(number, *arguments)
    return errno.errorcode[ctypes.get_errno()] if result < 0 else result
"""

# Calls, with arguments that succeed, or fail for another reason, where nothing refuses them.
PATH, BUFFER = 'b"x"', "ctypes.create_string_buffer(4096)"
REFUSED = {
    "memfd_create": (PATH, 0),
    "memfd_secret": (0,),
    "shmget": (0, 4096, 0o1600),
    "shmat": (0, None, 0),
    "shmctl": (0, 0, None),
    "semget": (0, 1, 0o1600),
    "semctl": (0, 0, 0),
    "semop": (0, None, 0),
    "semtimedop": (0, None, 0, None),
    "msgget": (0, 0o1600),
    "msgsnd": (0, BUFFER, 1, 0),
    "msgrcv": (0, BUFFER, 1, 0, 0),
    "msgctl": (0, 0, None),
    "mq_open": (PATH, 0o102, 0o600, None),
    "mq_unlink": (PATH,),
    "add_key": ('b"user"', PATH, PATH, 1, -3),
    "request_key": ('b"user"', PATH, None, 0),
    "keyctl": (0, -3, 1),
    "io_setup": (1, "ctypes.byref(ctypes.c_ulong(0))"),
    "io_uring_setup": (1, BUFFER),
    "landlock_add_rule": (0, 1, None, 0),
    "timer_create": (1, None, BUFFER),
    "rt_sigqueueinfo": ("os.getpid()", 34, BUFFER),
    "rt_tgsigqueueinfo": ("os.getpid()", "os.getpid()", 34, BUFFER),
    "inotify_init": (),
    "inotify_init1": (0,),
    "fanotify_init": (0, 0),
    "mlock": (BUFFER, 4096),
    "mlock2": (BUFFER, 4096, 0),
    "mlockall": (1,),
    "socket": (1, 1, 0),
    "connect": (0, BUFFER, 2),
    "bind": (0, BUFFER, 2),
    "listen": (0, 1),
    "bpf": (0, BUFFER, 48),
    "perf_event_open": (BUFFER, 0, -1, -1, 0),
    "userfaultfd": (1,),
    "seccomp": (2, 0, None),
    "unshare": (0x400,),
    "statmount": (BUFFER, BUFFER, 4096, 0),
    "listmount": (BUFFER, BUFFER, 512, 0),
    "name_to_handle_at": (-100, 'b"/etc/hostname"', BUFFER, BUFFER, 0),
}
SOCKETS = {1: "AF_UNIX", 2: "AF_INET", 10: "AF_INET6", 16: "AF_NETLINK", 17: "AF_PACKET"}
SOCKETS |= {38: "AF_ALG", 40: "AF_VSOCK"}
MISSING = ("clone3", "vmsplice", "splice", "tee", "sendfile")


def outcomes(code: str, profile: SandboxProfile) -> dict[str, object]:
    """What the code says at its end in the variable `said`."""
    tables = seccomp.DENIED, seccomp.MISSING, seccomp.UNSUPPORTED, seccomp.PRETENDED
    numbers = {name: both for table in tables for name, both in table.items()}
    text = f"{PRELUDE}NUMBERS = {numbers!r}\nsaid = {{}}\n{code}\nprint(json.dumps(said))"
    return json.loads(output_of(["python3", "-c", text], profile))


def test_calls_that_make_objects_of_the_kernel_are_refused(isolation, profile):
    lines = [
        f"said[{name!r}] = call({', '.join(map(str, (repr(name), *arguments)))})"
        for name, arguments in REFUSED.items()
    ]
    lines += [f"said['family {n}'] = call('socket', {n}, 3, 0)" for n in SOCKETS]
    said = outcomes("\n".join(lines), profile)
    assert {name: result for name, result in said.items() if result != "EPERM"} == {}
    assert len(said) == len(REFUSED) + len(SOCKETS)


def test_calls_that_pin_pages_do_not_exist(isolation, profile):
    said = outcomes(f"for name in {MISSING}: said[name] = call(name, 0, 0, 0, 0, 0, 0)", profile)
    assert said == dict.fromkeys(MISSING, "ENOSYS")


TRIES = """
def attempt(name, action):
    try:
        said[name] = action()
    except OSError as error:
        said[name] = errno.errorcode[error.errno]
reading, writing = os.pipe()
file = os.open("file", os.O_CREAT | os.O_RDWR)
other = os.open("file", os.O_RDWR)
lock = struct.pack("hhqqi", fcntl.F_WRLCK, 0, 0, 1, 0)
attempt("larger pipe", lambda: fcntl.fcntl(writing, 1031, 2**20))
attempt("lease", lambda: fcntl.fcntl(file, 1024, 0))
attempt("notify", lambda: fcntl.fcntl(os.open(".", 0), 1026, 4))
for name, flock in (("lock", lambda one: fcntl.flock(one, fcntl.LOCK_EX | fcntl.LOCK_NB)),
                    ("locked range", lambda one: fcntl.fcntl(one, 37, lock) and None)):
    attempt(name, lambda: flock(file))
    attempt(f"{name} twice", lambda: flock(other))
attempt("attribute", lambda: os.setxattr("file", "user.a", b"x" * 1000))
for path in ("file", "/etc/hostname"):
    attempt(f"attributes of {path}", lambda: os.listxattr(path))
    attempt(f"attribute of {path}", lambda: os.getxattr(path, "user.a"))
attempt("attribute of a descriptor", lambda: os.getxattr(file, "user.a"))
attempt("reserved", lambda: call("fallocate", file, 0, ctypes.c_long(0), ctypes.c_long(4096)))
attempt("reserved by ioctl", lambda: fcntl.ioctl(file, 0x4030582A, struct.pack("hhiqqiiqqqq", 0, 0, 0, 0, 4096, 0, 0, 0, 0, 0, 0)[:48]))
attempt("size", lambda: os.fstat(file).st_blocks)
attempt("table of futexes", lambda: (libc.prctl(78, 1, 4096, 0, 0), errno.errorcode[ctypes.get_errno()]))
attempt("filter", lambda: libc.prctl(22, 2, 0))
attempt("hidden", lambda: (libc.prctl(4, 0, 0, 0, 0), libc.prctl(3, 0, 0, 0, 0)))
attempt("own table", lambda: libc.syscall(436, 3, 3, 2))
attempt("soft", lambda: resource.getrlimit(resource.RLIMIT_NOFILE))
attempt("locked", lambda: resource.getrlimit(resource.RLIMIT_MEMLOCK))
clone = 56 if X86 else 220
attempt("thread with a table of its own", lambda: libc.syscall(clone, 0x10900, 0, 0, 0, 0))
"""


def test_what_grows_in_the_kernel_is_refused_or_does_nothing(isolation, profile):
    nothing = {"lock": None, "lock twice": None, "locked range": None, "locked range twice": None}
    assert outcomes(TRIES, profile) == {
        "larger pipe": "EPERM",
        "lease": "EPERM",
        "notify": "EPERM",
        **nothing,
        "attribute": None,
        **dict.fromkeys(("attributes of file", "attributes of /etc/hostname"), "ENOTSUP"),
        **dict.fromkeys(("attribute of file", "attribute of /etc/hostname"), "ENOTSUP"),
        "attribute of a descriptor": "ENOTSUP",
        "reserved": "ENOTSUP",
        "reserved by ioctl": "ENOTSUP",
        "size": 0,
        "table of futexes": [-1, "EPERM"],
        "filter": -1,
        "hidden": [0, 1],
        "own table": -1,
        "soft": [limits.DESCRIPTORS] * 2,
        "locked": [0, 0],
        "thread with a table of its own": -1,
    }


OF_THE_MACHINE = """
for name in ("mountinfo", "mounts", "mountstats", "net/tcp", "net/dev", "task/self/mountinfo"):
    try:
        said[name] = len(open(f"/proc/self/{name.replace('self', str(os.getpid()))}").read())
    except OSError as error:
        said[name] = errno.errorcode[error.errno]
said["own"] = len(open("/proc/self/maps").read()) > 0
"""


def test_mounts_and_connections_of_the_machine_are_not_told(isolation):
    said = outcomes(OF_THE_MACHINE, PROFILES["sockets"])
    assert said.pop("own")
    if isolation.name == "landlock":  # Namespaces have mounts and connections of their own.
        assert set(said.values()) == {"EACCES"}
    else:
        assert "/home" not in output_of(["cat", "/proc/self/mountinfo"], PROFILES["sockets"])


PAIRS = """
def pair(family, kind):
    try:
        socket.socketpair(family, kind)
        return "made"
    except OSError as error:
        return errno.errorcode[error.errno]
for kind in (1, 2, 3, 5, 2 | socket.SOCK_CLOEXEC, 5 | socket.SOCK_NONBLOCK):
    said[f"{kind & 15}, {kind > 15}"] = pair(socket.AF_UNIX, kind)
said["TIPC"] = pair(socket.AF_TIPC, 5)
"""


def test_pairs_of_sockets_are_for_engines_that_need_them(isolation):
    said = outcomes(PAIRS, PROFILES["no sockets"])
    assert set(said.values()) == {"EPERM"}
    said = outcomes(PAIRS, PROFILES["sockets"])
    made = {name for name, outcome in said.items() if outcome == "made"}
    assert made == {"1, False", "5, False", "5, True"}
    assert said["TIPC"] == "EPERM"


FILLED = """
most, names = 0, ("SO_SNDBUF", "SO_RCVBUF", "SO_SNDBUFFORCE", "SO_RCVBUFFORCE")
numbers = (socket.SO_SNDBUF, socket.SO_RCVBUF, 32, 33)
for kind in (socket.SOCK_STREAM, socket.SOCK_SEQPACKET):
    for size in (1, 100, 4000, 4200, 32000, 100_000, 106_000, 212_000):
        one, other = socket.socketpair(socket.AF_UNIX, kind)
        before = [one.getsockopt(socket.SOL_SOCKET, number) for number in numbers[:2]]
        for number in numbers:
            one.setsockopt(socket.SOL_SOCKET, number, 2**26)
        said["changed"] = before != [one.getsockopt(socket.SOL_SOCKET, n) for n in numbers[:2]]
        one.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        said["credentials"] = one.getsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED)
        one.setblocking(False)
        sent = 0
        try:
            while True:
                sent += one.send(bytes(size))
        except BlockingIOError:
            most = max(most, sent)
        one.close(); other.close()
said["most"] = most
"""


def test_socket_holds_no_more_than_we_count_on(isolation):
    said = outcomes(FILLED, PROFILES["sockets"])
    assert said["changed"] is False
    assert said["credentials"] == 1
    assert 100_000 < said["most"] <= limits.SOCKET_BYTES


# What ends a job, by what it holds: each of these stays small until it is noticed.
HOLDERS = {
    "open files": (
        "resource: more than 1024 open files",
        """
import os, time
for _ in range(5):
    if not os.fork():
        break
for _ in range(240):
    os.dup(0)
time.sleep(30)""",
    ),
    "sockets in many processes": (
        "resource: more than 1024 open files",
        """
import os, socket, time
for _ in range(6):
    if not os.fork():
        break
kept = [socket.socketpair() for _ in range(120)]
time.sleep(30)""",
    ),
    "threads": (
        "resource: more than 1024 threads",
        """
import threading, time
threading.stack_size(32768)
for _ in range(1100):
    threading.Thread(target=time.sleep, args=(30,), daemon=True).start()
time.sleep(30)""",
    ),
    "page tables": (
        "resource: more than 96 MiB of memory",
        """
import ctypes, time
size = 2**37
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
start = libc.mmap(None, ctypes.c_size_t(size), 1, 0x4022, -1, ctypes.c_long(0))
# One page of zeros, shared with all, in each table: nothing but tables grows.
libc.madvise(ctypes.c_void_p(start), ctypes.c_size_t(size), 15)
for offset in range(0, size, 2**21):
    ctypes.c_char.from_address(start + offset).value
time.sleep(30)""",
    ),
    "memory of a process whose first thread has ended": (
        "resource: more than 96 MiB of memory",
        """
import ctypes, os, threading, time
def work():
    time.sleep(0.2)
    kept = b"x" * 150_000_000
    time.sleep(30)
threading.Thread(target=work).start()
ctypes.CDLL(None).syscall({"x86_64": 60, "aarch64": 93}[os.uname().machine], 0)""",
    ),
    "open files of a process whose first thread has ended": (
        "resource: more than 1024 open files",
        """
import ctypes, os, threading, time
def work():
    time.sleep(0.2)
    for _ in range(240):
        os.dup(0)
    time.sleep(30)
for _ in range(5):
    if not os.fork():
        break
threading.Thread(target=work).start()
ctypes.CDLL(None).syscall({"x86_64": 60, "aarch64": 93}[os.uname().machine], 0)""",
    ),
    "a tree with long names": (
        "resource: files of more than 8 MiB",
        """
import os, time
for number in range(30):
    os.mkdir("x" * 200)
    os.chdir("x" * 200)
for number in range(2100):
    os.mkdir(str(number))
time.sleep(30)""",
    ),
    "empty folders": (
        "resource: files of more than 8 MiB",
        """
import os, time
for number in range(2100):
    os.mkdir(str(number))
time.sleep(30)""",
    ),
    "empty files": (
        "resource: files of more than 8 MiB",
        """
import os, time
for number in range(2100):
    os.close(os.open(str(number), os.O_CREAT))
time.sleep(30)""",
    ),
    "links": (
        "resource: files of more than 8 MiB",
        """
import os, time
for number in range(2100):
    os.symlink("x" * 100, str(number))
time.sleep(30)""",
    ),
    "names of one file": (
        "resource: files of more than 8 MiB",
        """
import os, time
os.close(os.open("file", os.O_CREAT))
for number in range(2100):
    os.link("file", str(number))
time.sleep(30)""",
    ),
    "pipes": (
        "resource: files of more than 8 MiB",
        """
import os, time
for number in range(2100):
    os.mkfifo(str(number))
time.sleep(30)""",
    ),
    "a deep tree": (
        "resource: files of more than 8 MiB",
        """
import os, time
for number in range(2100):
    os.mkdir("x")
    os.chdir("x")
time.sleep(30)""",
    ),
}
SMALL = Limits(seconds=25, memory=96, processes=16, scratch=8)


@pytest.mark.parametrize("attack", HOLDERS)
def test_what_a_job_holds_of_the_kernel_ends_it(attack, isolation):
    ends, code = HOLDERS[attack]
    profile = PROFILES["sockets" if "sockets" in attack else "no sockets"]
    process = Process(
        limits.shell('exec "$@"', ["python3", "-c", code], SMALL, virtual=False), profile, SMALL
    )
    with pytest.raises(RenderError, match=ends):
        process.exchange(b"", lambda _: False, SMALL.seconds)


DELETED = """
import mmap, os, time
file = os.open("file", os.O_CREAT | os.O_RDWR)
os.write(file, bytes(2**20))
kept = mmap.mmap(file, 4096)
os.unlink("file")
os.close(file)
time.sleep(30)"""


def test_deleted_file_that_is_only_mapped_is_found(isolation):
    # In memory, the folder's own size holds it back.
    ends = {"bubblewrap": "timeout", "landlock": "resource: files of more"}[isolation.name]
    with pytest.raises(RenderError, match=ends):
        run(["python3", "-c", DELETED], PROFILES["no sockets"], Limits(seconds=2))


def test_count_of_files_ends_when_there_are_too_many(tmp_path, monkeypatch):
    for number in range(300):
        (tmp_path / str(number)).touch()
    looked = []
    scandir = os.scandir

    class Counted:
        def __init__(self, path):
            self._entries = scandir(path)

        def __enter__(self):
            return self

        def __exit__(self, *_):
            self._entries.close()

        def __iter__(self):
            for entry in self._entries:
                looked.append(entry.path)
                yield entry

    monkeypatch.setattr(os, "scandir", Counted)
    # This process may itself have deleted files open.
    with subprocess.Popen(["sleep", "9"]) as other:
        size = limits.scratch_size(tmp_path, limits.Limits(scratch=1), True, other.pid)
        other.kill()
    assert size == 257 * limits.FILE_BYTES
    assert len([path for path in looked if path.startswith(str(tmp_path))]) == 257


def test_usage_counts_this_process():
    used = usage([os.getpid()])
    assert used.processes >= 1
    assert used.threads >= used.processes
    assert used.descriptors >= 3
    assert used.memory > 2**20


def test_engine_that_ends_is_not_counted():
    assert usage([2**22 + 1]) == (1, 0, 0, 0)
    assert limits.scratch_inodes("/tmp", 1, os.getpid()) == 0
