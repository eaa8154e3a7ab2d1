"""The page of the report: its bundle, its checks, and a server that shows it anew after each change.

    python scripts/page.py bundle      # bundle.js of the modules, by the renderers' esbuild (`make page`)
    python scripts/page.py lint        # Biome's rules and TypeScript's types (part of `make lint`)
    python scripts/page.py dev         # a small suite's report, which reloads itself (`make report-dev`)

`dev` writes the report of `tests/golden/suite`. After a change of a module, of the style or of the frame
it makes the bundle and puts page and data together again, within a second; after a change of Python it
writes the report again.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Condition, Thread
from typing import Any

from helm_structext.cli.setup import NPM_INSTALL, npm
from helm_structext.renderers.web.javascript import node, packages
from helm_structext.report import writing

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src/helm_structext"
PAGE = PACKAGE / "report/page"
TOOLS = ROOT / ".venv/page"
SUITE = ROOT / "tests/golden/suite"
POLL = 0.3
"""Seconds between two looks at the files."""

FRAME = """<!doctype html><title>report-dev</title><style>body, iframe { margin: 0; border: 0; width: 100vw; height: 100vh }</style>
<iframe src="/report.html"></iframe><script>
const frame = document.querySelector("iframe")
new EventSource("/changes").onmessage = () => frame.contentWindow.location.reload()
</script>"""
"""The report's own policy allows no script but its own, so it stands in a frame."""


def bundle(*options: str) -> None:
    """Makes the bundle.

    Args:
        options: ``--check`` to fail instead where it is another.
    """
    _call(node(), PAGE / "bundle.mjs", packages(), *options)


def lint() -> None:
    """Checks the modules; the tools are installed where they are not there yet."""
    lock, done = PAGE / "package-lock.json", TOOLS / "package-lock.json.installed"
    if not done.is_file() or done.read_bytes() != lock.read_bytes():
        TOOLS.mkdir(parents=True, exist_ok=True)
        for file in (PAGE / "package.json", lock):
            shutil.copy(file, TOOLS)
        _call(node(), npm(), *NPM_INSTALL, cwd=TOOLS)
        shutil.copy(lock, done)
    modules = TOOLS / "node_modules"
    _call(node(), modules / "@biomejs/biome/bin/biome", "lint", "--error-on-warnings", cwd=PAGE)
    _call(node(), modules / "typescript/bin/tsc", "--project", PAGE)


def renew(file: Path) -> None:
    """Puts a report's data into the page as it is now.

    Args:
        file: a report that is one file.
    """
    text = file.read_text("utf-8")
    mark, end = '<script type="text/plain" id="index">', "</script>\n"
    index, rest = text.partition(mark)[2].split(end, 1)
    blocks = rest[rest.index("</script>") + len("</script>") :].lstrip("\n")
    file.write_text(writing._page(SUITE_TITLE, index) + blocks, encoding="utf-8", newline="\n")


SUITE_TITLE = "demo"


def write(file: Path) -> None:
    """Writes the report of the small suite.

    Args:
        file: where it goes.
    """
    _call(
        Path(sys.executable).with_name("helm-structext"),
        "report",
        SUITE_TITLE,
        "-o",
        file,
        cwd=SUITE,
    )


def watched() -> dict[Path, int]:
    """Returns the sources of the report, with the times of their last changes."""
    sources = [*PACKAGE.glob("*/report.py"), *(PACKAGE / "report").glob("*.py"), *PAGE.iterdir()]
    return {path: path.stat().st_mtime_ns for path in sources if path.name != "bundle.js"}


def changes() -> Iterator[set[Path]]:
    """Yields what has changed whenever something has."""
    before = watched()
    while True:
        time.sleep(POLL)
        if (now := watched()) != before:
            yield {path for path in {*now, *before} if now.get(path) != before.get(path)}
            before = now


def dev(port: int) -> None:
    """Serves the report, and has browsers load it again after each change.

    Args:
        port: on this machine.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "report.html"
        bundle()
        write(file)
        changed = Condition()
        with ThreadingHTTPServer(("127.0.0.1", port), _handler(file, changed)) as server:
            Thread(target=server.serve_forever, daemon=True).start()
            print(f"http://127.0.0.1:{server.server_port}/ shows the report", flush=True)
            for paths in changes():
                begun = time.perf_counter()
                in_python = any(path.suffix == ".py" for path in paths)
                try:
                    bundle()
                    (write if in_python else renew)(file)
                except subprocess.CalledProcessError:
                    continue  # it has said what is wrong
                with changed:
                    changed.notify_all()
                names = ", ".join(sorted(path.name for path in paths))
                print(f"{names}: {time.perf_counter() - begun:.1f} s", flush=True)


def _handler(file: Path, changed: Condition) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/changes":
                self._answer("text/event-stream", b"")
                with suppress(ConnectionError):  # a browser that left
                    while True:
                        with changed:
                            changed.wait()
                        self.wfile.write(b"data: changed\n\n")
                return
            page = file.read_bytes() if self.path == "/report.html" else FRAME.encode()
            self._answer("text/html; charset=utf-8", page)

        def _answer(self, type: str, content: bytes) -> None:
            self.send_response(200)
            self.send_header("Content-Type", type)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *arguments: Any) -> None:
            pass

    return Handler


def _call(*command: str | Path, cwd: Path = ROOT) -> None:
    subprocess.run([str(part) for part in command], cwd=cwd, check=True)


COMMANDS: dict[str, Callable[[argparse.Namespace], None]] = {
    "bundle": lambda _: bundle(),
    "lint": lambda _: lint(),
    "dev": lambda options: dev(options.port),
}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("--port", type=int, default=8001, help="of dev")
    options = parser.parse_args()
    try:
        COMMANDS[options.command](options)
    except subprocess.CalledProcessError as error:
        sys.exit(error.returncode)
    except KeyboardInterrupt:
        pass
