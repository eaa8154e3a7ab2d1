"""Jobs that change what they share with the next job: the server, its folder, its descriptors.

Each is Python for a server of Python or Scheme for LilyPond's, and goes on whatever is refused.
"""

PRELUDE = """
import contextlib, ctypes, fcntl, mmap, os, resource, signal, socket, struct, sys, threading, time
server = os.getppid()
libc = ctypes.CDLL(None, use_errno=True)
def each(*tries):
    for one in tries:
        with contextlib.suppress(Exception):
            one()
"""

PYTHON = {
    "limits": """
for kind in range(16):
    for low in ((0, 0), (1, 1), (4096, 4096)):
        each(lambda: resource.prlimit(server, kind, low), lambda: resource.setrlimit(kind, low))
""",
    "priority": """
each(lambda: os.setpriority(os.PRIO_PROCESS, server, 19), lambda: os.setpriority(os.PRIO_USER, 0, 19),
     lambda: os.setpriority(os.PRIO_PGRP, os.getpgid(server), 19),
     lambda: os.sched_setscheduler(server, os.SCHED_IDLE, os.sched_param(0)),
     lambda: libc.syscall(251, 1, server, 3 << 13), lambda: libc.syscall(314, server, bytes(56), 0))
""",
    "processors": """
each(lambda: os.sched_setaffinity(server, {max(os.sched_getaffinity(0))}),
     lambda: libc.syscall(256, server, 8, bytes(8), bytes(8)),
     lambda: libc.prctl(62, 1, server, 0, 0))
""",
    "timers": """
each(lambda: signal.setitimer(signal.ITIMER_REAL, 9), lambda: signal.setitimer(signal.ITIMER_PROF, 9),
     lambda: libc.prctl(29, 10**9, 0, 0, 0), lambda: libc.prctl(1, 9, 0, 0, 0))
""",
    "signals": """
for kind in (0, *(set(signal.valid_signals()) - {signal.SIGKILL, signal.SIGSTOP})):
    each(lambda: os.kill(server, kind), lambda: libc.syscall(234, server, server, kind),
         lambda: signal.pidfd_send_signal(os.pidfd_open(server), kind))
""",
    "stop of the server": "each(lambda: os.kill(server, signal.SIGSTOP))",
    "signal to all": "signal.signal(15, signal.SIG_IGN)\neach(lambda: os.kill(-1, 15), lambda: os.kill(0, 15))",
    "signal when a file is ready": """
one, other = os.pipe()
each(lambda: fcntl.fcntl(one, fcntl.F_SETOWN, server), lambda: fcntl.fcntl(one, 10, 9),
     lambda: fcntl.fcntl(one, fcntl.F_SETFL, os.O_ASYNC), lambda: os.write(other, b'x'))
""",
    "files of /proc": """
for name in ("oom_score_adj", "timerslack_ns", "coredump_filter", "mem", "comm", "autogroup", "clear_refs",
             "uid_map", "loginuid", "sched", "fd/0", "fd/1", "cwd/x", "attr/current"):
    each(lambda: open(f"/proc/{server}/{name}", "w").write("500"))
""",
    "memory of the server": """
each(lambda: libc.ptrace(16, server, 0, 0), lambda: libc.syscall(310, server, 0, 0, 0, 0, 0),
     lambda: libc.syscall(311, server, 0, 0, 0, 0, 0), lambda: libc.syscall(440, 3, 0, 0, 21, 0))
for line in open("/proc/self/maps") if os.path.exists("/proc/self/maps") else ():
    assert "rw-s" not in line
""",
    "its folder moved": "each(lambda: os.rename('../../job', '../../moved'))",
    "its folder moved down": "os.mkdir('../../a')\neach(lambda: os.rename('../../job', '../../a/job'))",
    "its folder replaced": """
each(lambda: os.rename('../../job', '../../old'), lambda: os.mkdir('../../job'),
     lambda: open('../../job/page', 'w').write('x'), lambda: os.symlink('/', '../../job/files'))
""",
    "files left": "open('../../left', 'w').write('x')\nos.mkdir('../../.hidden')",
    "source of the next": "os.mkdir('../../job2')\nopen('../source', 'w').write('1/0')",
    "folders without end": """
for n in range(1500):
    each(lambda: os.mkdir('a'), lambda: os.chdir('a'))
""",
    "names": """
for name in (b'\\xff\\xfe', b'-rf', b'*', b'a\\nb', b'x' * 255):
    each(lambda: os.mkdir(name), lambda: open(b'../../' + name, 'w').close())
""",
    "modes": """
for path in ('.', '..', '../..', '/', '../source'):
    each(lambda: os.chmod(path, 0), lambda: os.chown(path, 1, 1), lambda: os.utime(path, (0, 0)),
         lambda: os.setxattr(path, 'user.x', b'x'),
         lambda: os.setxattr(path, 'system.posix_acl_default', struct.pack(
             '<I' + 'HHI' * 3, 2, 1, 0, 2**32 - 1, 4, 0, 2**32 - 1, 32, 0, 2**32 - 1)))
os.umask(0o777)
open('x', 'w').close()
""",
    "environment": "os.environ.clear()\nos.environ.update(MPLBACKEND='x', HOME='/', TMPDIR='/')",
    "descriptors": """
for number in range(256):
    each(lambda: os.lseek(number, 999, 0), lambda: os.read(number, 9) if os.isatty(number) else 0,
         lambda: fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB),
         lambda: fcntl.fcntl(number, fcntl.F_SETFL, os.O_NONBLOCK | os.O_APPEND),
         lambda: fcntl.fcntl(number, 1031, 4096), lambda: os.ftruncate(number, 0))
for number in range(256):
    each(lambda: os.set_blocking(number, False), lambda: os.read(number, 1 << 20))
""",
    "a reply of its own": """
forged = b'{"status": 0, "left": 0, "files": {"log": 0, "page": 0, "failure": 0}}\\n'
for number in range(256):
    each(lambda: os.write(number, forged), lambda: os.write(number, b'1' * 999), lambda: os.close(number))
each(lambda: open(f'/proc/{server}/fd/1', 'wb').write(forged))
""",
    "shared memory": """
each(lambda: libc.syscall(29, 1, 4096, 0o1666), lambda: libc.syscall(64, 1, 9, 0o1666),
     lambda: libc.syscall(68, 1, 0o1666), lambda: libc.mq_open(b'/x', 0o102, 0o600, None),
     lambda: libc.shm_open(b'/x', 0o102, 0o600), lambda: libc.sem_open(b'/x', 0o102, 0o600, 1),
     lambda: mmap.mmap(-1, 1 << 20).write(b'x' * 1024), lambda: libc.syscall(248, b'user', b'x', b'x', 1, -3))
""",
    "process that stays": "if not os.fork():\n    os.setsid()\n    time.sleep(999)",
    "process of a process": "if not os.fork():\n    if not os.fork():\n        time.sleep(999)\n    os._exit(0)",
    "chain of processes": "if not os.fork():\n    os.setsid()\n    while True:\n        if os.fork():\n            os._exit(0)",
    "chain that shares its memory": """
import signal
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
if not os.fork():
    while True:
        if libc.vfork():
            libc._exit(0)
""",
    "process that waits for the next": """
if not os.fork():
    os.setsid()
    while True:
        each(lambda: os.kill(server, signal.SIGSTOP), lambda: open('../../job/source', 'w').write('1/0'))
        time.sleep(0.001)
""",
    "threads that stay": "for _ in range(4):\n    threading.Thread(target=time.sleep, args=(99,), daemon=True).start()",
    "memory": "x = b'x' * 500_000_000",
    "full folder": "each(lambda: open('../../fill', 'wb').write(bytes(200_000_000)))",
    "stop of itself": "os.kill(os.getpid(), signal.SIGSTOP)",
    "end of itself": "os.kill(os.getpid(), signal.SIGKILL)",
    "libraries": "import matplotlib.pyplot as plt\nplt.rcParams['figure.facecolor'] = 'red'\nimport numpy\nnumpy.array = None\nplt.figure = None",
}

SCHEME = {
    "signals": "(for-each (lambda (n) (kill (getppid) n)) '(1 2 3 10 12 13 14 15 18 19))",
    "descriptors": '(for-each (lambda (n) (catch #t (lambda () (let ((p (fdopen n "w"))) (display (string #\\x '
    "#\\x01 #\\x00) p) (force-output p))) (const #f))) (iota 64))",
    "a reply of its own": '(for-each (lambda (n) (catch #t (lambda () (let ((p (fdopen n "w"))) (display '
    '"{\\"status\\": 0, \\"left\\": 0, \\"files\\": {}}\\n" p) (force-output p))) (const #f))) (iota 64))',
    "its folder moved": '(begin (mkdir "../a") (rename-file "../job" "../a/job"))',
    "files left": '(begin (mkdir "../left") (mkdir "../.hidden"))',
    "environment and folder": '(begin (setenv "ETC" "/x") (setenv "PATH" "") (umask #o777) (chdir "/"))',
    "process that stays": "(if (zero? (primitive-fork)) (begin (setsid) (sleep 999)))",
    "chain of processes": "(if (zero? (primitive-fork)) (let loop () (if (zero? (primitive-fork)) (loop) (primitive-_exit 0))))",
    "priority": "(begin (setpriority PRIO_PROCESS (getppid) 19) (nice 9))",
    "limits": "(begin (setrlimit 'nofile 4 4) (setrlimit 'fsize 9 9))",
    "stop of itself": "(kill (getpid) SIGSTOP)",
    "end of itself": "(kill (getpid) SIGKILL)",
}
