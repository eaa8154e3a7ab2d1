"""What the JavaScript part of `helm-structext setup` costs: time, processor time, memory, files.

    python benchmarks/setup_costs.py [FOLDER]

Installs all of it anew into an empty cache folder below FOLDER, from npm's own cache as far as it goes. Memory is the
largest sum of what all processes hold at a time, looked at ten times a second, beside the largest of one process.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PAGE = os.sysconf("SC_PAGE_SIZE")
SECONDS = 0.1
INSTALL = "from helm_structext.cli.setup import install_javascript; install_javascript()"


def read_processes() -> dict[int, tuple[int, int]]:
    """Returns each process's parent, and the bytes of memory that it holds."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # It has ended.
            continue
        found[int(folder.name)] = int(fields[1]), int(fields[21]) * PAGE
    return found


def sum_memory(root: int) -> int:
    """Returns the bytes that a process holds with all that it has started."""
    processes = read_processes()
    inside, size = {root}, 0
    while size < len(inside):
        size = len(inside)
        inside |= {one for one, (parent, _) in processes.items() if parent in inside}
    return sum(processes[one][1] for one in inside if one in processes)


def main() -> None:
    """Installs, and prints what that took."""
    with tempfile.TemporaryDirectory(dir=next(iter(sys.argv[1:]), None)) as cache:
        start, peak = time.monotonic(), 0
        environment = {**os.environ, "HELM_STRUCTEXT_CACHE": cache}
        process = subprocess.Popen([sys.executable, "-c", INSTALL], env=environment)
        while process.poll() is None:
            peak = max(peak, sum_memory(process.pid))
            time.sleep(SECONDS)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        files = [path for path in Path(cache).rglob("*") if path.is_file()]
        print(
            f"{time.monotonic() - start:.0f} s, {used.ru_utime + used.ru_stime:.0f} processor seconds, "
            f"{peak / 1e9:.1f} GB of memory ({used.ru_maxrss / 1e6:.1f} GB of one process), "
            f"{len(files)} files, {sum(path.lstat().st_size for path in files) / 1e9:.2f} GB"
        )
        sys.exit(process.returncode)


if __name__ == "__main__":
    main()
