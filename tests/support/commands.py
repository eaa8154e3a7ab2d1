"""HELM's commands and ours, forked from a process in which HELM is loaded, which takes it seconds.

Each has an interpreter of its own, which runs the installed script to its end. What only commands can
show that load everything themselves is held by those of some documents (`test_documents.py`), and by
a run that is killed (`test_end_to_end.py`).
"""

import atexit
import gc
import json
import os
import runpy
import select
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any, NoReturn

import yaml

BIN = Path(sys.executable).parent
FORKED = ("helm-run", "helm-structext", "helm-summarize")
LOADED = (
    "helm.benchmark.run",
    "helm.benchmark.presentation.summarize",
    "datasets",
    "helm_structext.cli",
)
LISTS = ("model_metadata_registry", "model_deployment_registry", "tokenizer_config_registry")
"""HELM's modules that read what models there are."""
READ_LATE = {
    *("HELM_STRUCTEXT_CACHE", "HELM_STRUCTEXT_SANDBOX", "HELM_STRUCTEXT_WORKERS"),
    *("PATH", "PWD", "OLDPWD", "SHLVL", "_", "COLUMNS", "LINES", "PYTEST_CURRENT_TEST"),
}
"""Variables that no module reads when it is loaded."""
ORDER_BYTES = 2**17
PROGRAM = """#!{python} -IS
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as server:
    server.connect({address!r})
    order = json.dumps([[{script!r}, *sys.argv[1:]], os.getcwd(), dict(os.environ)]).encode()
    assert len(order) < {most}
    socket.send_fds(server, [order], [0, 1, 2])
    said = server.recv(9)
if said == b"alone":
    os.execv({script!r}, [{script!r}, *sys.argv[1:]])
sys.exit(int(said))
"""


def read_early(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name not in READ_LATE}


def is_installed(module: str) -> bool:
    """Whether the package of a module is there, which other harnesses' environments may lack."""
    found = find_spec(module.partition(".")[0])
    # A folder of tests that is named like a package is none.
    return found is not None and found.origin is not None


def read_lists_by_libyaml() -> None:
    """From now on, HELM, where there is one, reads its lists of models in a tenth of a second, not in one."""
    if not is_installed("helm"):
        return
    reader = SimpleNamespace(safe_load=lambda file: yaml.load(file, yaml.CSafeLoader))
    for name in LISTS:
        import_module(f"helm.benchmark.{name}").yaml = reader


@cache
def _started() -> tuple[TemporaryDirectory[str], subprocess.Popen[bytes]]:
    """Makes a folder of programs, and starts what they ask; it ends with us."""
    folder = TemporaryDirectory(prefix="helm-structext-")
    address = f"{folder.name}/socket"
    for name in FORKED:
        program = Path(folder.name, name)
        program.write_text(
            PROGRAM.format(
                python=sys.executable, address=address, script=str(BIN / name), most=ORDER_BYTES
            )
        )
        program.chmod(0o755)
    server = subprocess.Popen(
        [sys.executable, "-m", __name__, address],
        cwd=Path(__file__).parents[1],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert server.stdout
    assert server.stdout.readline() == b"ready\n"
    return folder, server


def programs() -> Path:
    """Returns a folder of the commands that are forked; the others are in `BIN`."""
    return Path(_started()[0].name)


def run(folder: Path, *command: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    """Runs a command as a user would type it."""
    program = (programs() if command[0] in FORKED else BIN) / command[0]
    result = subprocess.run(
        [str(program), *command[1:]], cwd=folder, capture_output=True, text=True
    )
    if check and result.returncode:
        raise AssertionError(
            f"{' '.join(command)}\n{result.stdout[-3000:]}\n{result.stderr[-3000:]}"
        )
    return result


def run_script(words: list[str], client: socket.socket) -> NoReturn:
    """Does what the interpreter does with a script, but frees nothing: that takes longest."""
    sys.argv = words
    code: Any = None
    try:
        runpy.run_path(words[0], run_name="__main__")
    except SystemExit as end:
        code = end.code
    except BaseException as error:
        sys.excepthook(type(error), error, error.__traceback__)
        code = 1
    if not isinstance(code, int | None):
        print(code, file=sys.stderr)
        code = 1
    threading._shutdown()
    atexit._run_exitfuncs()
    with suppress(BrokenPipeError):
        sys.stdout.flush()
    client.send(str(code or 0).encode())
    os._exit(code or 0)


def answer(client: socket.socket, environment: Mapping[str, str]) -> None:
    """Runs an order in a process of its own, which becomes the one that asked."""
    order, descriptors, _, _ = socket.recv_fds(client, ORDER_BYTES, 3)
    words, folder, variables = json.loads(order)
    if read_early(variables) != environment:
        client.send(b"alone")
    elif not os.fork():
        os.chdir(folder)
        for name in READ_LATE - {*variables}:
            os.environ.pop(name, None)
        os.environ.update(variables)
        for number, descriptor in enumerate(descriptors):
            os.dup2(descriptor, number)
        os.closerange(client.fileno() + 1, max(descriptors) + 1)
        run_script(words, client)
    for descriptor in descriptors:
        os.close(descriptor)


def serve(address: str, environment: Mapping[str, str]) -> None:
    """Answers until we, who started it, end."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        print("ready", flush=True)
        while True:
            ready, _, _ = select.select([listener, sys.stdin], [], [])
            if sys.stdin in ready:
                return
            with listener.accept()[0] as client:
                answer(client, environment)
            with suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass


if __name__ == "__main__":
    sys.path[0] = str(BIN)  # as for the scripts there
    environment = read_early(os.environ)  # before HELM adds to it
    for name in filter(is_installed, LOADED):
        import_module(name)
    read_lists_by_libyaml()
    if is_installed("helm"):
        import_module("helm.benchmark.run_spec").discover_run_spec_functions()
    gc.freeze()
    serve(sys.argv[1], environment)
    os._exit(0)
