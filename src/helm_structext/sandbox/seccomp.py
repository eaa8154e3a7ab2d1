"""The system calls that no sandbox gets, as a filter for bubblewrap (`--seccomp`).

Namespaces leave a few doors: calls that reach into other processes, memory that belongs to no
process and that nobody could count, sockets that no namespace holds (a virtual machine's channel
to its host), and rarely used parts of the kernel with a history of mistakes.
"""

import errno
import platform
import struct
from functools import lru_cache

from helm_structext.errors import SetupError

# name → number on x86_64, on aarch64. (linux/arch/x86/entry/syscalls/syscall_64.tbl and
# include/uapi/asm-generic/unistd.h; None where there is no such call.)
DENIED: dict[str, tuple[int, int | None]] = {
    # Other processes.
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    # Memory of no process.
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "mq_open": (240, 180),
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
SOCKET = (41, 198)
SOCKET_FAMILIES = {"AF_UNIX": 1, "AF_INET": 2, "AF_INET6": 10, "AF_NETLINK": 16}

# machine → its column above, its number for the kernel's auditing (linux/audit.h).
MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}

# Classic BPF, as far as it is needed (linux/bpf_common.h, linux/seccomp.h). The data under
# examination: number of the call, machine, …, arguments of 8 bytes each from byte 16 on.
LOAD, EQUAL, AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06
NUMBER, MACHINE, FIRST_ARGUMENT = 0, 4, 16
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | errno.EPERM
X32_NUMBERS = 0x40000000


@lru_cache(maxsize=1)
def seccomp_filter() -> bytes:
    """Returns the filter for this machine: a call on the list fails with EPERM.

    Raises:
        SetupError: the machine is neither x86_64 nor aarch64.

    >>> len(seccomp_filter()) % 8  # bytes of an instruction
    0
    """
    machine = platform.machine()
    if machine not in MACHINES:
        raise SetupError(
            f"The sandbox knows the system calls of {' and '.join(MACHINES)}, not of {machine}. "
            "Set HELM_STRUCTEXT_SANDBOX=off on a machine that you can lose."
        )
    column, number = MACHINES[machine]
    calls = [call for row in DENIED.values() if (call := row[column]) is not None]
    families = SOCKET_FAMILIES.values()
    # (operation, value, what to skip if it holds, what to skip if not)
    program = [
        (LOAD, MACHINE, 0, 0),
        (EQUAL, number, 1, 0),
        (RETURN, REFUSE, 0, 0),  # Calls by another machine's numbers, such as 32-bit ones.
        (LOAD, NUMBER, 0, 0),
        (AT_LEAST, X32_NUMBERS, 0, 1),
        (RETURN, REFUSE, 0, 0),
    ]
    for call in calls:
        program += [(EQUAL, call, 0, 1), (RETURN, REFUSE, 0, 0)]
    program += [(EQUAL, SOCKET[column], 1, 0), (RETURN, ALLOW, 0, 0), (LOAD, FIRST_ARGUMENT, 0, 0)]
    for family in families:
        program += [(EQUAL, family, 0, 1), (RETURN, ALLOW, 0, 0)]
    program += [(RETURN, REFUSE, 0, 0)]
    return b"".join(
        struct.pack("=HBBI", operation, yes, no, value) for operation, value, yes, no in program
    )
