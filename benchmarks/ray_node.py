"""One node of Ray's on this machine, for benchmarks and tests."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from helm_structext.sandbox import MIB

ENVIRONMENT = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_TOKEN": "0123456789abcdef" * 4}


@contextmanager
def ray_node(processors: int) -> Iterator[None]:
    """Starts a node with so many processors, and ends it."""
    import ray

    with (
        patch.dict(os.environ, ENVIRONMENT),
        # Its sockets have paths of a hundred bytes at most.
        tempfile.TemporaryDirectory(dir="/tmp", ignore_cleanup_errors=True) as session,
    ):
        ray.init(
            num_cpus=processors,
            include_dashboard=False,
            object_store_memory=200 * MIB,
            log_to_driver=False,
            _node_ip_address="127.0.0.1",
            _temp_dir=session,
        )
        try:
            yield
        finally:
            ray.shutdown()
