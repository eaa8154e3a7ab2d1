"""Which container is seen, and what is said of it."""

import pytest

from helm_structext.sandbox.container import NEEDS, describe_container

LINUX = "6.12.48+deb13-amd64 #1 SMP PREEMPT_DYNAMIC Debian 6.12.48-1"


@pytest.mark.parametrize(
    ("files", "environment", "kernel", "found"),
    [
        ((), {}, LINUX, ()),
        (("/.dockerenv",), {}, LINUX, ("Docker",)),
        (("/run/.containerenv",), {}, LINUX, ("Podman",)),
        ((), {"KUBERNETES_SERVICE_HOST": "10.0.0.1"}, LINUX, ("Kubernetes",)),
        (("/var/run/secrets/kubernetes.io",), {}, LINUX, ("Kubernetes",)),
        ((), {}, "4.19.0-gvisor #1 SMP Sun Jan 10 15:06:54 PST 2016", ("gVisor",)),
        ((), {}, "4.4.0 #1 SMP Sun Jan 10 15:06:54 PST 2016", ("gVisor",)),
        (("/.dockerenv",), {}, "4.19.0-gvisor #1 SMP", ("Docker", "gVisor")),
    ],
)
def test_each_container_is_seen_by_its_signs(files, environment, kernel, found):
    said = describe_container(files.__contains__, environment, kernel)
    assert said == (", ".join(f"{name} ({NEEDS[name]})" for name in found) or "none seen")


def test_it_says_of_this_machine_what_is_so():
    said = describe_container()
    assert said == "none seen" or any(name in said for name in NEEDS)
