"""The system calls that no sandbox gets, as a filter in the kernel's own small language.

Both ways of isolation leave doors open: calls that reach into other processes, memory and other objects
of the kernel that belong to no process or that nobody counts, sockets that no namespace holds (a
virtual machine's channel to its host), and rarely used parts of the kernel with a history of mistakes.
Landlock, moreover, decides which files may be opened, but not who may change the owner or mode of a
file or connect to a socket in a folder. One filter closes all of these, so that an engine meets the
same refusals either way.

Sources: linux/arch/x86/entry/syscalls/syscall_64.tbl, linux/include/uapi/asm-generic/unistd.h, and
the limitations listed in linux/Documentation/userspace-api/landlock.rst.
"""

import errno
import platform
import struct
from dataclasses import dataclass
from functools import cache

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
    "pidfd_send_signal": (424, 424),
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
    # Objects of the kernel that nobody counts, or that all processes of a user have to share.
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "io_setup": (206, 0),
    "landlock_add_rule": (445, 445),
    "timer_create": (222, 107),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "fanotify_init": (300, 262),
    "mlock": (149, 228),
    "mlock2": (325, 284),
    "mlockall": (151, 230),
    # Sockets: those that are connected from the start (`socketpair`) need none of these.
    "socket": (41, 198),
    "connect": (42, 203),
    "bind": (49, 200),
    "listen": (50, 201),
    # Parts of the kernel.
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "seccomp": (317, 277),
    "syslog": (103, 116),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "open_by_handle_at": (304, 265),
    "name_to_handle_at": (303, 264),
    "unshare": (272, 97),
    "setns": (308, 268),
    "chroot": (161, 51),
    "pivot_root": (155, 41),
    "mount": (165, 40),
    "move_mount": (429, 429),
    "mount_setattr": (442, 442),
    "open_tree": (428, 428),
    "fsopen": (430, 430),
    "fspick": (433, 433),
    "statmount": (457, 457),
    "listmount": (458, 458),
    "modify_ldt": (154, None),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
}
# Who is told that there is no such call does the same by others.
MISSING: dict[str, Numbers] = {
    # Its flags lie in memory, where no filter sees them.
    "clone3": (435, 435),
    # Pipes and sockets that hold pages of files and of other processes: a few bytes of 2 MiB each.
    "vmsplice": (278, 75),
    "splice": (275, 76),
    "tee": (276, 77),
    "sendfile": (40, 71),
}
# Who is told that a file system has no such thing does without.
UNSUPPORTED: dict[str, Numbers] = {
    # Attributes of any file, on which Landlock does not decide.
    "getxattr": (191, 8),
    "lgetxattr": (192, 9),
    "fgetxattr": (193, 10),
    "getxattrat": (464, 464),
    "listxattr": (194, 11),
    "llistxattr": (195, 12),
    "flistxattr": (196, 13),
    "listxattrat": (465, 465),
    "file_getattr": (468, 468),
    # Space of the disk is taken as fast as it is written, not all of it at once.
    "fallocate": (285, 47),
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
    # Locks, of which a file may have any number: nobody else opens these files.
    "flock": (73, 32),
}

# Classic BPF, as far as it is needed (linux/bpf_common.h, linux/seccomp.h). The data under
# examination: number of the call, machine, …, arguments of 8 bytes each from byte 16 on.
LOAD, AND, EQUAL, AT_LEAST, RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
NUMBER, MACHINE, FIRST_ARGUMENT = 0, 4, 16
ALLOW, ERROR = 0x7FFF0000, 0x00050000
REFUSE, PRETEND, ABSENT = ERROR | errno.EPERM, ERROR, ERROR | errno.ENOSYS
UNKNOWN = ERROR | errno.EOPNOTSUPP
X32_NUMBERS = 0x40000000


@dataclass(frozen=True)
class Rule:
    """What one argument of a call has to be.

    Args:
        call: its numbers.
        argument: counted from 0; its lower 32 bits are compared.
        values: of which it has to be one, or, if `refused`, none.
        mask: the bits that count.
        refused: whether the values are those that are refused.
        result: what becomes of the call otherwise.
    """

    call: Numbers
    argument: int
    values: tuple[int, ...]
    mask: int = 0xFFFFFFFF
    refused: bool = False
    result: int = REFUSE


CLONE: Numbers = (56, 220)
CLONE_FILES, CLONE_THREAD, NEW_NAMESPACES = 0x400, 0x10000, 0x7E020000
FCNTL: Numbers = (72, 25)
SOCKETPAIR: Numbers = (53, 199)
RULES = (
    # Only one's own limits: not those of a server that other jobs share.
    Rule((302, 261), 0, (0,)),
    # Which processes may share a core (PR_SCHED_CORE), who may be looked into (PR_SET_DUMPABLE), another
    # filter (PR_SET_SECCOMP), and tables for futexes, which nobody counts (PR_FUTEX_HASH).
    Rule((157, 167), 0, (62, 22, 78), refused=True),
    Rule((157, 167), 0, (4,), refused=True, result=PRETEND),
    Rule(CLONE, 0, (0,), mask=NEW_NAMESPACES),
    # Every process has one table of descriptors, which we count: CLOSE_RANGE_UNSHARE would give a
    # thread another.
    Rule(CLONE, 0, (CLONE_THREAD,), mask=CLONE_THREAD | CLONE_FILES, refused=True),
    Rule((436, 436), 2, (0,), mask=2),
    # Owners of files are sent signals: F_SETOWN, F_SETOWN_EX, FIOSETOWN, SIOCSPGRP. Pipes grow by
    # F_SETPIPE_SZ; F_SETLEASE and F_NOTIFY watch files. Terminals are typed into: TIOCSTI,
    # TIOCLINUX. Attributes of files: FS_IOC_SETFLAGS, FS_IOC_FSSETXATTR. Space for files: FS_IOC_RESVSP,
    # FS_IOC_RESVSP64, FS_IOC_ZERO_RANGE.
    Rule(FCNTL, 1, (8, 15, 1024, 1026, 1031), refused=True),
    Rule((16, 29), 1, (0x8901, 0x8902, 0x5412, 0x541C, 0x40086602, 0x401C5820), refused=True),
    Rule((16, 29), 1, (0x40305828, 0x4030582A, 0x40305839), refused=True, result=UNKNOWN),
    # Locks, as above: F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW.
    Rule(FCNTL, 1, (6, 7, 37, 38), refused=True, result=PRETEND),
)
NO_SOCKETS = (Rule(SOCKETPAIR, 0, ()),)
SOCKETS = (
    # Pairs of AF_UNIX, and no datagrams, which could still go to any other socket.
    Rule(SOCKETPAIR, 0, (1,)),
    Rule(SOCKETPAIR, 1, (1, 5), mask=0xF),
    # No option but SO_PASSCRED: buffers keep the size that we count on.
    Rule((54, 208), 2, (16,), result=PRETEND),
)
"""For engines whose processes talk to each other."""
# Where nothing else holds signals back: to a process's own group, or none.
SIGNALS = tuple(Rule(call, 0, (0,)) for call in ((62, 129), (200, 130), (234, 131)))

# machine → its column above, its number for the kernel's auditing (linux/audit.h).
MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}


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


def _check_argument(number: int, rule: Rule) -> list[Instruction]:
    """What a call comes to by one of its arguments, if the argument is wrong."""
    check = [(LOAD, FIRST_ARGUMENT + 8 * rule.argument, 0, 0), (AND, rule.mask, 0, 0)]
    wrong = (RETURN, rule.result, 0, 0)
    if rule.refused:
        for value in rule.values:
            check += [(EQUAL, value, 0, 1), wrong]
    else:
        count = len(rule.values)
        check += [(EQUAL, value, count - n, 0) for n, value in enumerate(rule.values)]
        check += [wrong]
    check += [(LOAD, NUMBER, 0, 0)]
    return [(EQUAL, number, 0, len(check)), *check]


@cache
def seccomp_filter(sockets: bool = False, signals: bool = False) -> bytes:
    """Returns the filter.

    Args:
        sockets: whether processes inside talk to each other by pairs of sockets.
        signals: whether it has to hold back signals to other processes, since nothing else does.

    Raises:
        SetupError: the machine is neither x86_64 nor aarch64.

    >>> len(seccomp_filter()) % 8  # bytes of an instruction
    0
    """
    column, machine = _machine()
    program: list[Instruction] = [
        (LOAD, MACHINE, 0, 0),
        (EQUAL, machine, 1, 0),
        (RETURN, REFUSE, 0, 0),  # Calls by another machine's numbers, such as 32-bit ones.
        (LOAD, NUMBER, 0, 0),
        (AT_LEAST, X32_NUMBERS, 0, 1),
        (RETURN, REFUSE, 0, 0),
    ]
    tables = (DENIED, REFUSE), (MISSING, ABSENT), (UNSUPPORTED, UNKNOWN), (PRETENDED, PRETEND)
    for table, result in tables:
        for numbers in table.values():
            if (number := numbers[column]) is not None:
                program += _result(number, result)
    for rule in (*RULES, *(SOCKETS if sockets else NO_SOCKETS), *(SIGNALS if signals else ())):
        if (number := rule.call[column]) is not None:
            program += _check_argument(number, rule)
    program += [(RETURN, ALLOW, 0, 0)]
    return b"".join(
        struct.pack("=HBBI", operation, yes, no, value) for operation, value, yes, no in program
    )
