"""Which container this process is in, for who asks why there is no other sandbox.

What each one allows is in its default filter of system calls and in how it mounts `/proc`. Sources: moby/profiles,
containers/container-libs, containerd's contrib/seccomp, gVisor's table of system calls.
"""

import os
import platform
from collections.abc import Callable, Mapping

NAMESPACES_REFUSED = "by default it refuses namespaces: Landlock works"
NEEDS = {
    "Docker": NAMESPACES_REFUSED,
    "Kubernetes": NAMESPACES_REFUSED,
    "Podman": "by default Landlock works; for bubblewrap it needs `--security-opt unmask=ALL`",
    "gVisor": "it has no Landlock: bubblewrap works",
}
"""Container → what its defaults leave of the two sandboxes."""
FILES = {
    "Docker": "/.dockerenv",
    "Kubernetes": "/var/run/secrets/kubernetes.io",
    "Podman": "/run/.containerenv",
}
VARIABLES = {"Kubernetes": "KUBERNETES_SERVICE_HOST"}
KERNELS = {"-gvisor": "gVisor", "4.4.0 #1 SMP Sun Jan 10 15:06:54 PST 2016": "gVisor"}
"""Parts of a kernel's release and version; the second is what older gVisors say."""


def describe_container(
    exists: Callable[[str], bool] = os.path.exists,
    environment: Mapping[str, str] = os.environ,
    kernel: str = f"{platform.release()} {platform.version()}",
) -> str:
    """Returns the containers whose signs are seen here, with what their defaults leave of the sandboxes.

    Args:
        exists: whether there is a file of a name.
        environment: the variables of this process.
        kernel: its release and version.

    >>> describe_container({"/.dockerenv"}.__contains__, {}, "6.12.0 #1 SMP")
    'Docker (by default it refuses namespaces: Landlock works)'
    >>> describe_container(lambda name: False, {}, "6.12.0 #1 SMP")
    'none seen'
    """
    seen = {
        *(name for name, file in FILES.items() if exists(file)),
        *(name for name, variable in VARIABLES.items() if variable in environment),
        *(name for sign, name in KERNELS.items() if sign in kernel),
    }
    return ", ".join(f"{name} ({NEEDS[name]})" for name in sorted(seen)) or "none seen"
