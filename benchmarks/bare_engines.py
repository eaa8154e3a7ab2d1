"""The engines of our renderers, warm and bare: no sandbox, no pool, nothing decoded.

An engine gets what it got when ours rendered the same code (`recorded`): the finished TeX document,
the files of a page, the request to a compiler. It gets it in the plainest way that someone would
write, and what comes back is the bytes of a picture. None of this is safe.
"""

import base64
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cached_property
from inspect import signature
from pathlib import Path
from typing import IO, Any, NamedTuple
from unittest.mock import patch

from markdown_it import MarkdownIt

from helm_structext.renderers import latex, lilypond
from helm_structext.renderers.web import javascript, webpage
from helm_structext.renderers.web.browser import Browser
from helm_structext.renderers.web.javascript import COMPILER, Compiler, js_folder
from helm_structext.renderers.web.tab import MAX_HEIGHT, MAX_WIDTH, ORIGIN, PNG, PageResponse
from helm_structext.sandbox import EPOCH, ForkServer, program
from helm_structext.sandbox.profile import ETC

FLAGS = (
    "--remote-debugging-pipe",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--hide-scrollbars",
    "--mute-audio",
    "--no-first-run",
)
END = b"\0"
# Modules of a page may go on after it has loaded.
DRAWN = """
Promise.all([...document.querySelectorAll('script[type=module][src]')].map(
  script => import(script.src).catch(() => {})
)).then(() => new Promise(done => requestIdleCallback(() => done(true), {timeout: 1000})))
"""

# Reads code, draws it in a fork, and writes the picture.
FORKING = """
import os, sys
while size := sys.stdin.buffer.readline():
    source = sys.stdin.buffer.read(int(size))
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.dup2(2, 1)
        with os.fdopen(writer, "wb") as file:
            file.write(draw(source))
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as file:
        picture = file.read()
    os.wait()
    sys.stdout.buffer.write(b"%d\\n" % len(picture) + picture)
    sys.stdout.buffer.flush()
"""
MATPLOTLIB = """
import io
import matplotlib.pyplot as plt, numpy, pandas

def draw(source):
    exec(compile(source, "plot.py", "exec"), {"__name__": "__main__", "plt": plt})
    picture = io.BytesIO()
    plt.savefig(picture, format="png", bbox_inches="tight")
    return picture.getvalue()

draw("plt.title('Warm $x^2$')")
plt.close()
"""
# It remembers what it has compiled: without a fork, the second time would cost nothing.
TYPST = """
import typst

fonts = typst.Fonts(include_system_fonts=False, font_paths=["/usr/share/fonts"])

def draw(source):
    compiler = typst.Compiler(font_paths=fonts, ignore_system_fonts=True)
    pages = compiler.compile(source, format="png", ppi=300)
    return pages[0] if isinstance(pages, list) else pages
"""
PYTHON = {"matplotlib": MATPLOTLIB, "typst": TYPST}


class Step(NamedTuple):
    """What ours asked of an engine: the method of `Bare` for it, and with what arguments."""

    engine: str
    arguments: Mapping[str, Any]


BOUNDARIES: list[tuple[Any, str, str]] = [
    (latex, "run", "tex"),
    (webpage, "run", "jekyll"),
    (ForkServer, "process", "fork"),
    (Compiler, "ask", "compile"),
    (Browser, "screenshot", "page"),
]
"""Where our renderers hand something to an engine: owner, name of the function, engine."""


@contextmanager
def recorded() -> Iterator[list[Step]]:
    """Gives a list that grows by each step that our renderers take."""
    steps: list[Step] = []

    def recording(engine: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def record(*arguments: Any, **options: Any) -> Any:
            bound = signature(function).bind(*arguments, **options).arguments
            steps.append(Step(engine, {name: bound[name] for name in bound if name != "self"}))
            return function(*arguments, **options)

        return record

    with ExitStack() as patches:
        for owner, name, engine in BOUNDARIES:
            wrapped = recording(engine, getattr(owner, name))
            patches.enter_context(patch.object(owner, name, wrapped))
        yield steps


class Bare:
    """The engines of one format, each started when it is first needed.

    Args:
        format: one of `helm_structext.formats.rendered_formats`.
    """

    def __init__(self, format: str) -> None:
        self._format = format
        self._started = ExitStack()

    def close(self) -> None:
        """Ends them."""
        self._started.close()

    def draw(self, steps: Sequence[Step]) -> bytes:
        """Takes the steps of a rendering, and returns what the last of them made."""
        made = b""
        for step in steps:
            made = getattr(self, step.engine)(**step.arguments)
        return made

    def tex(
        self,
        command: Sequence[str],
        files: Mapping[str, bytes],
        shared: Mapping[str, Path],
        **_: Any,
    ) -> bytes:
        """Runs TeX once, and pdftoppm on the first page."""
        program, dpi, _worst, *options = command[4:]
        with tempfile.TemporaryDirectory() as folder:
            _write(Path(folder), files)
            for link, path in shared.items():
                Path(folder, link).symlink_to(path)
            _run([program, *options, "-interaction=batchmode", "job.tex"], folder)
            return _run(["pdftoppm", "-r", dpi, "-f", "1", "-l", "1", "job.pdf"], folder)

    def jekyll(self, command: Sequence[str], files: Mapping[str, bytes], **_: Any) -> bytes:
        """Builds a site, which nobody looks at."""
        with tempfile.TemporaryDirectory() as folder:
            _write(Path(folder), files)
            return _run(command, folder)

    def fork(self, files: Mapping[str, bytes], **_: Any) -> bytes:
        """Gives code to a Python or a LilyPond that has loaded what it needs."""
        match self._format:
            case "markdown":
                body: str = self._markdown.render(files["source"].decode())
                return body.encode()
            case "matplotlib" | "typst":
                source = files["source"]
                _send(self._python, b"%d\n" % len(source), source)
                return _read(self._python, int(_line(self._python)))
            case _:
                head = " ".join(f"{name} {len(content)}" for name, content in files.items())
                _send(self._lilypond, head.encode(), b"\n", *files.values())
                sizes = json.loads(_line(self._lilypond))["files"]
                made = {name: _read(self._lilypond, size) for name, size in sizes.items()}
                return made["score.png"] or made["score-page1.png"]

    def compile(self, request: Mapping[str, Any], **_: Any) -> bytes:
        """Compiles the files of an answer, and does not look at what comes of it."""
        _send(self._compiler, json.dumps(request).encode(), b"\n")
        return _line(self._compiler)

    def page(
        self,
        serve: Callable[[str], PageResponse],
        elsewhere: Callable[[str], PageResponse | None],
        size: tuple[int, int],
        whole: bool,
        **_: Any,
    ) -> bytes:
        """Takes a screenshot of a page, all of it or the window."""
        return self._chromium.screenshot(serve, elsewhere, size, whole)

    @cached_property
    def _markdown(self) -> MarkdownIt:
        return MarkdownIt("commonmark").enable(["table", "strikethrough"])

    @cached_property
    def _python(self) -> subprocess.Popen[bytes]:
        script = PYTHON[self._format] + FORKING
        return self._start([sys.executable, "-c", script], {"MPLBACKEND": "Agg"})

    @cached_property
    def _lilypond(self) -> subprocess.Popen[bytes]:
        # It empties the folder in which it starts.
        environment = {"ETC": str(ETC), "SOURCE_DATE_EPOCH": str(EPOCH), "GC_MARKERS": "1"}
        server = self._start(lilypond.LINE, environment)
        assert _line(server) == b"ready\n"
        return server

    @cached_property
    def _compiler(self) -> subprocess.Popen[bytes]:
        kind = javascript.WORKERS.get(self._format, self._format)
        links = {name: js_folder() / name for name in ("node_modules", "package.json", "vendor")}
        flags = ["--preserve-symlinks", "--preserve-symlinks-main"]
        compiler = self._start(
            [str(javascript.node()), *flags, "compiler/main.mjs", kind],
            {"GOMAXPROCS": "1"},
            {**links, "compiler": COMPILER},
        )
        assert _line(compiler) == b"ready\n"
        return compiler

    @cached_property
    def _chromium(self) -> "Chromium":
        folder = self._folder()
        command = [str(program("chromium-headless-shell")), *FLAGS, f"--user-data-dir={folder}"]
        line = ["sh", "-c", 'exec "$@" 3<&0 4>&1 >/dev/null', "sh", *command, "about:blank"]
        return Chromium(self._start(line))

    def _folder(self) -> Path:
        return Path(
            self._started.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        )

    def _start(
        self,
        command: Sequence[str],
        environment: Mapping[str, str] | None = None,
        links: Mapping[str, Path] | None = None,
    ) -> subprocess.Popen[bytes]:
        """Starts an engine in an empty folder of its own."""
        folder = self._folder()
        for name, path in (links or {}).items():
            (folder / name).symlink_to(path)
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._started.enter_context(process)
        self._started.callback(process.kill)
        return process


class Chromium:
    """A headless Chromium with one page, driven over a pair of pipes.

    Args:
        process: it.
    """

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._unread = bytearray()
        self._events: set[str] = set()
        self._session = ""
        self._commands = 0
        self._size = 0, 0
        (page,) = self._call("Target.getTargets")["targetInfos"]
        attached = self._call("Target.attachToTarget", targetId=page["targetId"], flatten=True)
        self._session = attached["sessionId"]
        self._call("Page.enable")
        self._call("Fetch.enable", patterns=[{"urlPattern": "*"}])

    def screenshot(
        self,
        serve: Callable[[str], PageResponse],
        elsewhere: Callable[[str], PageResponse | None],
        size: tuple[int, int],
        whole: bool,
    ) -> bytes:
        """Goes to a page, waits until it has loaded, and takes a screenshot of it."""
        self._serve, self._elsewhere = serve, elsewhere
        if size != self._size:
            metrics = {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False}
            self._call("Emulation.setDeviceMetricsOverride", **metrics)
            self._size = size
        self._events.clear()
        self._call("Page.navigate", url=ORIGIN)
        self._wait("Page.loadEventFired")
        self._call("Runtime.evaluate", expression=DRAWN, awaitPromise=True)
        options: dict[str, Any] = PNG
        if whole:
            content = self._call("Page.getLayoutMetrics")["cssContentSize"]
            area = {
                "x": 0,
                "y": 0,
                "width": min(max(content["width"], size[0]), MAX_WIDTH),
                "height": min(max(content["height"], size[1]), MAX_HEIGHT),
                "scale": 1,
            }
            options = {**PNG, "captureBeyondViewport": True, "clip": area}
        return base64.b64decode(self._call("Page.captureScreenshot", **options)["data"])

    def _call(self, method: str, **parameters: Any) -> dict[str, Any]:
        number = self._send(method, **parameters)
        while (message := self._next()).get("id") != number:
            pass
        result: dict[str, Any] = message["result"]
        return result

    def _wait(self, event: str) -> None:
        while event not in self._events:
            self._next()

    def _send(self, method: str, **parameters: Any) -> int:
        self._commands += 1
        message = {"id": self._commands, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        _send(self._process, json.dumps(message).encode(), END)
        return self._commands

    def _next(self) -> dict[str, Any]:
        """Reads a message; requests of the page are answered."""
        while (end := self._unread.find(END)) < 0:
            data = os.read(_output(self._process).fileno(), 2**20)
            if not data:
                raise RuntimeError("the browser ended")
            self._unread += data
        message: dict[str, Any] = json.loads(self._unread[:end])
        del self._unread[: end + 1]
        match message.get("method"):
            case "Fetch.requestPaused":
                self._answer(message["params"])
            case "Page.javascriptDialogOpening":
                self._send("Page.handleJavaScriptDialog", accept=False)
            case str(event):
                self._events.add(event)
        return message

    def _answer(self, request: Mapping[str, Any]) -> None:
        number, url = request["requestId"], request["request"]["url"]
        own = url.startswith(ORIGIN)
        reply = self._serve(url.removeprefix(ORIGIN)) if own else self._elsewhere(url)
        if reply is None:
            self._send("Fetch.failRequest", requestId=number, errorReason="AddressUnreachable")
            return
        headers = {"Content-Type": reply.type, "Access-Control-Allow-Origin": "*"}
        self._send(
            "Fetch.fulfillRequest",
            requestId=number,
            responseCode=reply.status,
            responseHeaders=[{"name": name, "value": value} for name, value in headers.items()],
            body=base64.b64encode(reply.body).decode(),
        )


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def _run(command: Sequence[str], folder: str) -> bytes:
    return subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True).stdout


def _output(process: subprocess.Popen[bytes]) -> IO[bytes]:
    assert process.stdout is not None
    return process.stdout


def _send(process: subprocess.Popen[bytes], *parts: bytes) -> None:
    assert process.stdin is not None
    process.stdin.write(b"".join(parts))
    process.stdin.flush()


def _line(process: subprocess.Popen[bytes]) -> bytes:
    return _output(process).readline()


def _read(process: subprocess.Popen[bytes], size: int) -> bytes:
    return _output(process).read(size)
