"""The system calls that no sandbox gets, as a filter in the kernel's own small language.

Namespaces leave a few doors: calls that reach into other processes, memory that belongs to no
process and that nobody could count, sockets that no namespace holds (a virtual machine's channel
to its host), and rarely used parts of the kernel with a history of mistakes. `DENIED` closes them.

Landlock has no namespaces. It decides which files may be opened, but not who may change the owner or
mode of a file or connect to a socket in a folder. `DENIED_ALONE` and `RULES_ALONE` close these doors,
too.

Sources: linux/arch/x86/entry/syscalls/syscall_64.tbl, linux/include/uapi/asm-generic/unistd.h, and
the limitations listed in linux/Documentation/userspace-api/landlock.rst.
"""

import errno
import platform
import struct
from dataclasses import dataclass
from functools import lru_cache

from helm_structext.errors import SetupError

Numbers = tuple[int | None, int | None]
"""Of a call on x86_64 and on aarch64; None where there is no such call."""
Instruction = tuple[int, int, int, int]
"""Operation, value, and how many instructions to skip if it holds, and if not."""

# name → numbers.
DENIED: dict[str, Numbers] = {
    # Other processes.
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    # Memory of no process.
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "semget": (64, 190),
    "semctl": (66, 191),
    "semop": (65, 193),
    "semtimedop": (220, 192),
    "msgget": (68, 186),
    "msgctl": (71, 187),
    "msgsnd": (69, 189),
    "msgrcv": (70, 188),
    "mq_open": (240, 180),
    "mq_unlink": (241, 181),
    # Keys, which are shared by all processes of a user.
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    # Parts of the kernel.
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "open_by_handle_at": (304, 265),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "open_tree": (428, 428),
    "fsopen": (430, 430),
    "modify_ldt": (154, None),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
}

# These succeed and do nothing: engines call them on themselves and their own files, and don't depend
# on them; to others they are a way to spoil what the next job finds.
PRETENDED: dict[str, Numbers] = {
    # Modes, owners, times and attributes of files, on which Landlock does not decide.
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, None),
    "fchown": (93, 55),
    "lchown": (94, None),
    "fchownat": (260, 54),
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "utimensat": (280, 88),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "setxattrat": (463, 463),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "removexattrat": (466, 466),
    "file_setattr": (469, 469),
    # How fast a process runs, which may be another one.
    "setpriority": (141, 140),
    "ioprio_set": (251, 30),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "sched_setaffinity": (203, 122),
    "sched_setattr": (314, 274),
}

DENIED_ALONE: dict[str, Numbers] = {
    # Sockets: those that are connected from the start (`socketpair`) need none of these.
    "connect": (42, 203),
    "bind": (49, 200),
    "listen": (50, 201),
    # Watching what happens to files that can't be read.
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "fanotify_init": (300, 262),
    # Other processes, which a namespace would hide.
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "pidfd_send_signal": (424, 424),
    # What only root may do, and what begins it.
    "chroot": (161, 51),
    "pivot_root": (155, 41),
    "move_mount": (429, 429),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
}


@dataclass(frozen=True)
class Rule:
    """What one argument of a call has to be.

    Args:
        call: its numbers.
        argument: counted from 0; its lower 32 bits are compared.
        values: of which it has to be one, or, if `refused`, none.
        mask: the bits that count.
        refused: whether the values are those that are refused.
    """

    call: Numbers
    argument: int
    values: tuple[int, ...]
    mask: int = 0xFFFFFFFF
    refused: bool = False


SOCKET: Numbers = (41, 198)
SOCKET_FAMILIES = {"AF_UNIX": 1, "AF_INET": 2, "AF_INET6": 10, "AF_NETLINK": 16}
RULES = {
    "socket": Rule(SOCKET, 0, tuple(SOCKET_FAMILIES.values())),
    # Only one's own limits: not those of a server that other jobs share.
    "prlimit64": Rule((302, 261), 0, (0,)),
    # Which processes may share a core: PR_SCHED_CORE.
    "prctl": Rule((157, 167), 0, (62,), refused=True),
}
NEW_NAMESPACES = 0x7E020000
RULES_ALONE = {
    **RULES,
    "socket": Rule(SOCKET, 0, ()),
    # A pair of datagram sockets could still send to any other.
    "socketpair": Rule((53, 199), 1, (1, 5), mask=0xF),
    "clone": Rule((56, 220), 0, (0,), mask=NEW_NAMESPACES),
    # Owners of files are sent signals: F_SETOWN, F_SETOWN_EX, FIOSETOWN, SIOCSPGRP. Terminals are
    # typed into: TIOCSTI, TIOCLINUX. Attributes of files: FS_IOC_SETFLAGS, FS_IOC_FSSETXATTR.
    "fcntl": Rule((72, 25), 1, (8, 15), refused=True),
    "ioctl": Rule(
        (16, 29),
        1,
        (0x8901, 0x8902, 0x5412, 0x541C, 0x40086602, 0x401C5820),
        refused=True,
    ),
}
# Its flags lie in memory, where no filter sees them; who is told that there is none, uses `clone`.
CLONE3: Numbers = (435, 435)
# Where Landlock does not yet hold signals back: to a process's own group, or none.
SIGNALS = {"kill": (62, 129), "tkill": (200, 130), "tgkill": (234, 131)}

# machine → its column above, its number for the kernel's auditing (linux/audit.h).
MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}

# Classic BPF, as far as it is needed (linux/bpf_common.h, linux/seccomp.h). The data under
# examination: number of the call, machine, …, arguments of 8 bytes each from byte 16 on.
LOAD, AND, EQUAL, AT_LEAST, RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
NUMBER, MACHINE, FIRST_ARGUMENT = 0, 4, 16
ALLOW, ERROR = 0x7FFF0000, 0x00050000
REFUSE, PRETEND, MISSING = ERROR | errno.EPERM, ERROR, ERROR | errno.ENOSYS
X32_NUMBERS = 0x40000000


def _machine() -> tuple[int, int]:
    machine = platform.machine()
    if machine not in MACHINES:
        raise SetupError(
            f"The sandbox knows the system calls of {' and '.join(MACHINES)}, not of {machine}. "
            "Set HELM_STRUCTEXT_SANDBOX=off on a machine that you can lose."
        )
    return MACHINES[machine]


def _result(number: int, result: int) -> list[Instruction]:
    """What a call comes to, whatever its arguments."""
    return [(EQUAL, number, 0, 1), (RETURN, result, 0, 0)]


def _checked(number: int, rule: Rule) -> list[Instruction]:
    """What a call comes to by one of its arguments."""
    found, other = (REFUSE, ALLOW) if rule.refused else (ALLOW, REFUSE)
    check = [(LOAD, FIRST_ARGUMENT + 8 * rule.argument, 0, 0), (AND, rule.mask, 0, 0)]
    for value in rule.values:
        check += [(EQUAL, value, 0, 1), (RETURN, found, 0, 0)]
    check += [(RETURN, other, 0, 0)]
    return [(EQUAL, number, 0, len(check)), *check]


def _filter(
    denied: dict[str, Numbers], rules: list[Rule], missing: tuple[Numbers, ...] = ()
) -> bytes:
    column, machine = _machine()
    results = [(numbers, REFUSE) for numbers in denied.values()]
    results += [(numbers, PRETEND) for numbers in PRETENDED.values()]
    results += [(numbers, MISSING) for numbers in missing]
    program: list[Instruction] = [
        (LOAD, MACHINE, 0, 0),
        (EQUAL, machine, 1, 0),
        (RETURN, REFUSE, 0, 0),  # Calls by another machine's numbers, such as 32-bit ones.
        (LOAD, NUMBER, 0, 0),
        (AT_LEAST, X32_NUMBERS, 0, 1),
        (RETURN, REFUSE, 0, 0),
    ]
    for numbers, result in results:
        number = numbers[column]
        if number is not None:
            program += _result(number, result)
    for rule in rules:
        number = rule.call[column]
        if number is not None:
            program += _checked(number, rule)
    program += [(RETURN, ALLOW, 0, 0)]
    return b"".join(
        struct.pack("=HBBI", operation, yes, no, value) for operation, value, yes, no in program
    )


@lru_cache(maxsize=1)
def seccomp_filter() -> bytes:
    """Returns the filter that goes with namespaces: a call that is denied fails with EPERM.

    Raises:
        SetupError: the machine is neither x86_64 nor aarch64.

    >>> len(seccomp_filter()) % 8  # bytes of an instruction
    0
    """
    return _filter(DENIED, list(RULES.values()))


@lru_cache(maxsize=1)
def seccomp_filter_alone(signals: bool) -> bytes:
    """Returns the filter for a process that has no namespaces of its own.

    Args:
        signals: whether something else holds back signals to other processes.

    Raises:
        SetupError: the machine is neither x86_64 nor aarch64.

    >>> len(seccomp_filter_alone(False)) > len(seccomp_filter_alone(True)) > len(seccomp_filter())
    True
    """
    own = [] if signals else [Rule(numbers, 0, (0,)) for numbers in SIGNALS.values()]
    return _filter({**DENIED, **DENIED_ALONE}, [*RULES_ALONE.values(), *own], missing=(CLONE3,))
