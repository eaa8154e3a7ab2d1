"""A browser that stays open and takes screenshots of pages which never leave memory.

Chromium's headless shell runs in the sandbox, where there is no network. It is driven over a pair
of pipes (Chrome DevTools Protocol), through which it also asks for each file of a page: there is
no server and no port. Its clock is virtual: it starts at the same moment for every page, stands
still while files are fetched, and moves on in frames that we ask for. So a page looks the same
every time, and a second of its scripts and animations takes a few milliseconds.

Protocol: https://chromedevtools.github.io/devtools-protocol/
"""

import base64
import json
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from helm_structext.errors import RenderError, SetupError
from helm_structext.sandbox import (
    EPOCH,
    START_SECONDS,
    Limits,
    Process,
    ProcessDied,
    SandboxProfile,
    program,
    run,
    shell,
    workers,
)

REVISION = "5"
ORIGIN = "http://localhost/"
FRAMES, FRAME_MILLISECONDS = 10, 100
# A page that is waited for is quiet after so many frames without a change, or never.
QUIET_FRAMES, MAX_FRAMES = 5, 30
MAX_WIDTH, MAX_HEIGHT = 2560, 10_000
"""Pixels of a whole page; what lies beyond is cut off."""
# Now and then the browser returns from a frame without the picture that was asked for.
TRIES = 5
# Frames come a little early, so that no timer falls due in the very moment of one.
EARLY_MILLISECONDS = 0.5

# The fonts that pictures depend on, with the Debian packages that have them.
FONTS = {
    "/usr/share/fonts/truetype/dejavu": "fonts-dejavu-core",
    "/usr/share/fonts/truetype/liberation2": "fonts-liberation2",
    "/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf": "fonts-noto-color-emoji",
    "/usr/share/fonts/truetype/wqy": "fonts-wqy-microhei",
}
PROFILE = SandboxProfile(
    programs=("chromium-headless-shell",),
    paths=("/usr/lib/chromium", "/var/cache/fontconfig", *FONTS),
    etc=("passwd", "hosts", "nsswitch.conf", "fonts/fonts.conf"),
    environment={"DBUS_SESSION_BUS_ADDRESS": "disabled:", "DBUS_SYSTEM_BUS_ADDRESS": "disabled:"},
    proc=True,
)
PACKAGES = {"chromium-headless-shell": "chromium-headless-shell"}
FLAGS = (
    "--remote-debugging-pipe",
    "--deterministic-mode",
    "--no-sandbox",  # It is in ours, and its own needs rights that ours does not give.
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--disable-breakpad",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-site-isolation-trials",
    "--no-first-run",
    "--hide-scrollbars",
    # Else nothing is painted beyond the window that the page knows of.
    "--blink-settings=mainFrameClipsContent=false",
    "--mute-audio",
    "--lang=en-US",
    "--user-data-dir=profile",
    "--js-flags=--random-seed=1 --max-old-space-size=512",
)

PRELUDE, WORKER_CLOCK, SETTLE, UNFIX, HAS_CONTENT = (
    (Path(__file__).with_name("scripts") / f"{name}.js").read_text("utf-8")
    for name in ("prelude", "worker_clock", "settle", "unfix", "has_content")
)
PAGE_HEIGHT = "document.scrollingElement ? document.scrollingElement.scrollHeight : 0"
SCROLL = "document.scrollingElement.scrollTo({top: %d, behavior: 'instant'})"
MAX_WORKER_TASKS = 10_000
"""Timers of a worker that run in one frame."""
# How often to look, and after how many seconds, for a worker that a page has made.
WORKER_TRIES, WORKER_SECONDS = 100, 0.005
WITH_WORKERS: dict[str, Any] = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True}
MAX_ERRORS, MAX_MESSAGE = 100, 2000


@dataclass(frozen=True)
class Reply:
    """What a page gets for a request."""

    body: bytes
    type: str
    status: int = 200


@dataclass(frozen=True)
class Screenshot:
    """A page as it looks, and what can be read on it."""

    png: bytes
    """Nothing where the page closed itself."""
    text: str
    errors: list[str] = field(default_factory=list)
    """What was thrown and not caught, or caught by a framework and printed, with its places."""
    messages: list[str] = field(default_factory=list)
    """What the page printed as a warning or an error."""
    visible: bool = True
    """Whether there is something to see; it is looked for where there is an error."""


@dataclass
class Worker:
    """A web worker of a page: the address of its script, and whether that runs."""

    url: str
    started: bool = False


class _PageClosed(Exception):
    """A page closed itself."""


class Browser:
    """One browser in one sandbox.

    Args:
        limits: what it may use; the time is that of each page.

    Raises:
        SetupError: it can't be started.
    """

    def __init__(self, limits: Limits) -> None:
        for path, package in FONTS.items():
            if not Path(path).exists():
                raise SetupError(f"{path} is missing. Install it: apt install {package}")
        command = [str(program("chromium-headless-shell")), *FLAGS, "about:blank"]
        # The protocol's pipes are the descriptors 3 and 4.
        line = shell('exec "$@" 3<&0 4>&1 >/dev/null', command, limits, virtual=False)
        self._process = Process(line, PROFILE, limits)
        self._unsent = bytearray()
        self._received: deque[dict[str, Any]] = deque()
        self._commands = 0
        self._page = ""
        self._workers: dict[str, Worker] = {}
        self._announced: list[str] = []
        self._serve: Callable[[str], Reply] = nothing
        self._elsewhere: Callable[[str], Reply | None] = refused
        self._errors: list[str] = []
        self._messages: list[str] = []
        self._deadline = time.monotonic() + START_SECONDS
        self.version = str(self._call("Browser.getVersion")["product"])

    def reusable(self) -> bool:
        """Whether it can take another page: each has a profile of its own, which is gone."""
        return not self._page

    def close(self) -> None:
        """Ends the browser."""
        self._process.close()

    def screenshot(
        self,
        serve: Callable[[str], Reply],
        *,
        width: int,
        height: int,
        seconds: float,
        elsewhere: Callable[[str], Reply | None],
        whole: bool,
    ) -> Screenshot:
        """Opens `ORIGIN` in a profile of its own and takes a screenshot of it.

        Args:
            serve: what the page gets for a path below `ORIGIN`, such as ``css/main.css?v=2``.
            width: of the window, in pixels.
            height: of the window, in pixels.
            seconds: wall time for it all.
            elsewhere: what the page gets for any other address, or None: it can't be reached.
            whole: waits until the page no longer changes (from 1 to 3 seconds of its clock, which
                stands still while files are fetched) and takes all of it, as far as `MAX_WIDTH`
                and `MAX_HEIGHT`, not only the window.

        Raises:
            RenderError: kind ``timeout``, or ``resource`` if the page takes too much memory.
            ProcessDied: the browser ended, or takes no picture.
        """
        self._serve, self._elsewhere = serve, elsewhere
        self._deadline = time.monotonic() + seconds
        for _ in range(TRIES):
            try:
                if screenshot := self._try(width, height, whole):
                    return screenshot
            except _PageClosed:
                return Screenshot(b"", "", self._errors, self._messages, visible=False)
        raise ProcessDied(f"no picture of a page that was opened {TRIES} times")

    def _try(self, width: int, height: int, whole: bool) -> Screenshot | None:
        """Takes a screenshot of the page, unless the browser did not get round to it."""
        self._errors, self._messages, self._first_frame = [], [], True
        self._workers, self._announced = {}, []
        self._whole = whole
        profile = self._call("Target.createBrowserContext")["browserContextId"]
        self._send("Browser.setDownloadBehavior", behavior="deny", browserContextId=profile)
        target = self._call(
            "Target.createTarget",
            url="about:blank",
            browserContextId=profile,
            width=width,
            height=height,
            enableBeginFrameControl=True,
        )["targetId"]
        attached = self._call("Target.attachToTarget", targetId=target, flatten=True)
        self._page = attached["sessionId"]
        for domain in ("Page", "Runtime", "Inspector"):
            self._send(f"{domain}.enable")
        self._send("Fetch.enable", patterns=[{"urlPattern": "*"}])
        self._send("Runtime.addBinding", name="workerAnnounced")
        self._send("Target.setAutoAttach", **WITH_WORKERS)
        self._send("Page.addScriptToEvaluateOnNewDocument", source=PRELUDE)
        clock = self._call(
            "Emulation.setVirtualTimePolicy", policy="pause", initialVirtualTime=EPOCH
        )
        ticks = clock["virtualTimeTicksBase"]
        # Else what lies in the upper left corner looks as if the mouse were over it.
        self._send("Input.setIgnoreInputEvents", ignore=True)
        # The page keeps this window, however large the picture gets.
        self._send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        self._call("Page.navigate", url=ORIGIN)  # Returns when the page has begun to arrive.
        ticks = self._rest(ticks, FRAMES, MAX_FRAMES if whole else FRAMES)
        # A world that has the page's document but none of its scripts.
        world = self._call("Page.createIsolatedWorld", frameId=target)["executionContextId"]
        if whole:
            ticks = self._scroll_through(ticks, world, height)
        text = str(self._evaluate(SETTLE, world))
        visible = not self._errors or bool(self._evaluate(HAS_CONTENT, world))
        size = self._call("Page.getLayoutMetrics")["cssContentSize"] if whole else {}
        page_width = min(max(size.get("width", 0), width), MAX_WIDTH)
        page_height = min(max(size.get("height", 0), height), MAX_HEIGHT)
        ticks += FRAME_MILLISECONDS
        if (page_width, page_height) != (width, height):
            self._evaluate(UNFIX, world)
            self._resize_window(target, page_width, page_height)
        shot = {"format": "png", "optimizeForSpeed": True}
        png = self._frame(ticks, screenshot=shot).get("screenshotData")
        self._page = ""
        self._call("Target.disposeBrowserContext", browserContextId=profile)
        if png is None:
            return None
        return Screenshot(base64.b64decode(png), text, self._errors, self._messages, visible)

    def _evaluate(self, expression: str, world: int) -> Any:
        reply = self._call(
            "Runtime.evaluate", expression=expression, contextId=world, returnByValue=True
        )
        return reply["result"].get("value")

    def _rest(self, ticks: float, least: int, most: int) -> float:
        """Lets time pass frame by frame until the page is quiet, and returns the time of the last.

        Args:
            ticks: time of the last frame.
            least: number of frames.
            most: the same for a page that never rests.
        """
        frames = still = 0
        while frames < least or (still < QUIET_FRAMES and frames < most):
            self._advance_workers()
            self._send(
                "Emulation.setVirtualTimePolicy",
                policy="pauseIfNetworkFetchesPending",
                budget=FRAME_MILLISECONDS - (EARLY_MILLISECONDS if self._first_frame else 0),
                maxVirtualTimeTaskStarvationCount=1000,
            )
            self._first_frame = False
            self._wait(lambda it: it.get("method") == "Emulation.virtualTimeBudgetExpired")
            ticks += FRAME_MILLISECONDS
            changed = self._frame(ticks, noDisplayUpdates=not self._whole)["hasDamage"]
            still = 0 if changed else still + 1
            frames += 1
        return ticks

    def _advance_workers(self) -> None:
        """Lets workers do all that is due at the page's time; new ones begin."""
        for _ in range(WORKER_TRIES):
            here = self._workers.values()
            if len(here) >= len(self._announced) and all(worker.started for worker in here):
                break
            time.sleep(WORKER_SECONDS)
            self._call("Runtime.evaluate", expression="0")
        else:  # One has no script, and never begins.
            self._workers = {name: one for name, one in self._workers.items() if one.started}
            self._announced = [worker.url for worker in self._workers.values()]
        # In the order in which the page has made them; they appear in any.
        for session in sorted(self._workers, key=lambda one: self._place(self._workers[one].url)):
            script = f"__advance({MAX_WORKER_TASKS})"
            number = self._send("Runtime.evaluate", session, expression=script)
            self._wait_for_worker(session, number)

    def _place(self, url: str) -> int:
        return self._announced.index(url) if url in self._announced else len(self._announced)

    def _wait_for_worker(self, worker: str, number: int) -> None:
        """Waits for the reply to a command, or for the worker's end."""
        self._wait(lambda message: message.get("id") == number or worker not in self._workers)

    def _scroll_through(self, ticks: float, world: int, height: int) -> float:
        """Shows the page all of itself, as to someone who scrolls down and up again.

        What appears when it comes into view, and what is loaded only then, is there afterwards.
        """
        top = 0
        while (top := top + height) < min(int(self._evaluate(PAGE_HEIGHT, world)), MAX_HEIGHT):
            self._evaluate(SCROLL % top, world)
            ticks = self._rest(ticks, 1, 1)
        if top > height:
            self._evaluate(SCROLL % 0, world)
            ticks = self._rest(ticks, 1, MAX_FRAMES)
        return ticks

    def _resize_window(self, target: str, width: float, height: float) -> None:
        """Gives the picture another size, which the page does not notice.

        (`Page.captureScreenshot` beyond the window lets the page see a window of one pixel.)
        """
        window = self._call("Browser.getWindowForTarget", targetId=target)["windowId"]
        bounds = {"width": round(width), "height": round(height)}
        self._call("Browser.setWindowBounds", windowId=window, bounds=bounds)

    def _frame(self, ticks: float, **parameters: Any) -> dict[str, Any]:
        return self._call(
            "HeadlessExperimental.beginFrame",
            frameTimeTicks=ticks,
            interval=FRAME_MILLISECONDS,
            **parameters,
        )

    def _send(self, method: str, session: str = "", **parameters: Any) -> int:
        """Queues a command to a worker, or the page if there is one, and returns its number.

        It goes out at the next reading.
        """
        self._commands += 1
        message = {"id": self._commands, "method": method, "params": parameters}
        if session or self._page:
            message["sessionId"] = session or self._page
        self._unsent += json.dumps(message).encode() + b"\0"
        return self._commands

    def _call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Sends a command and returns its result."""
        number = self._send(method, **parameters)
        reply = self._wait(lambda message: message.get("id") == number)
        if "error" in reply:
            raise ProcessDied(f"{method}: {reply['error'].get('message')}")
        result: dict[str, Any] = reply["result"]
        return result

    def _wait(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Reads messages up to the wanted one, and does what the page's others ask for."""
        while True:
            while self._received:
                message = self._received.popleft()
                if message.get("sessionId", "") not in (self._page, *self._workers):
                    continue
                if handle := EVENTS.get(message.get("method", "")):
                    handle(self, message["params"], message.get("sessionId", ""))
                if wanted(message):
                    return message
            request, self._unsent = bytes(self._unsent), bytearray()
            seconds = self._deadline - time.monotonic()
            reply = self._process.exchange(request, lambda data: data.endswith(b"\0"), seconds)
            self._received.extend(json.loads(part) for part in reply.split(b"\0")[:-1])

    def _on_request(self, event: dict[str, Any], session: str) -> None:
        number, url = event["requestId"], event["request"]["url"]
        here = url.startswith(ORIGIN)
        reply = self._serve(url.removeprefix(ORIGIN)) if here else self._elsewhere(url)
        if reply is not None:
            headers = {"Content-Type": reply.type, "Access-Control-Allow-Origin": "*"}
            self._send(
                "Fetch.fulfillRequest",
                requestId=number,
                responseCode=reply.status,
                responseHeaders=[{"name": n, "value": v} for n, v in headers.items()],
                body=base64.b64encode(reply.body).decode(),
            )
        elif event["resourceType"] == "Document":
            # "No content" leaves the page, or the empty frame, as it is.
            self._send("Fetch.fulfillRequest", requestId=number, responseCode=204)
        else:
            self._send("Fetch.failRequest", requestId=number, errorReason="AddressUnreachable")

    def _on_announcement(self, event: dict[str, Any], session: str) -> None:
        self._announced.append(event["payload"])

    def _on_worker(self, event: dict[str, Any], session: str) -> None:
        worker = event["sessionId"]
        if event["targetInfo"]["type"] == "worker":
            self._workers[worker] = Worker(event["targetInfo"]["url"])
            self._send("Debugger.enable", worker)
            self._send("Target.setAutoAttach", worker, **WITH_WORKERS)
            self._send("Runtime.evaluate", worker, expression=WORKER_CLOCK)
        self._send("Runtime.runIfWaitingForDebugger", worker)

    def _on_script(self, event: dict[str, Any], session: str) -> None:
        # The first script with an address is the worker's own, and runs at once.
        self._workers[session].started |= bool(event["url"])

    def _on_worker_end(self, event: dict[str, Any], session: str) -> None:
        if ended := self._workers.pop(event["sessionId"], None):
            self._announced = [url for url in self._announced if url != ended.url]

    def _on_dialog(self, event: dict[str, Any], session: str) -> None:
        self._send("Page.handleJavaScriptDialog", accept=False)

    def _on_exception(self, event: dict[str, Any], session: str) -> None:
        details = event["exceptionDetails"]
        thrown = details.get("exception", {})
        said = str(thrown.get("description") or thrown.get("value") or details["text"])
        if ORIGIN not in said and details.get("url"):
            line, column = details["lineNumber"] + 1, details["columnNumber"] + 1
            said += f"\n    at {details['url']}:{line}:{column}"
        if len(self._errors) < MAX_ERRORS:
            self._errors.append(said)

    def _on_message(self, event: dict[str, Any], session: str) -> None:
        if event["type"] not in ("error", "warning", "assert"):
            return
        said = [str(it.get("description", it.get("value", ""))) for it in event["args"]]
        if len(self._messages) < MAX_ERRORS:
            self._messages.append(" ".join(said)[:MAX_MESSAGE])
        thrown = [it["description"] for it in event["args"] if it.get("subtype") == "error"]
        if event["type"] == "error" and thrown and len(self._errors) < MAX_ERRORS:
            self._errors.append(thrown[0])

    def _on_crash(self, event: dict[str, Any], session: str) -> None:
        raise RenderError("resource", "the page crashed, as it does when it runs out of memory")

    def _on_end(self, event: dict[str, Any], session: str) -> None:
        raise _PageClosed


EVENTS = {
    "Fetch.requestPaused": Browser._on_request,
    "Runtime.bindingCalled": Browser._on_announcement,
    "Target.attachedToTarget": Browser._on_worker,
    "Debugger.scriptParsed": Browser._on_script,
    "Target.detachedFromTarget": Browser._on_worker_end,
    "Page.javascriptDialogOpening": Browser._on_dialog,
    "Runtime.exceptionThrown": Browser._on_exception,
    "Runtime.consoleAPICalled": Browser._on_message,
    "Inspector.targetCrashed": Browser._on_crash,
    "Inspector.detached": Browser._on_end,
}


def nothing(path: str) -> Reply:
    """Serves no file at all."""
    return Reply(b"", "text/plain", 404)


def refused(url: str) -> Reply | None:
    """Reaches no other address."""
    return None


@lru_cache(maxsize=1)
def version() -> str:
    """Returns our own revision and what the browser calls itself."""
    # It reserves far more addresses than memory, and stops where it can't.
    limits = Limits(memory=2**30)
    said = run(["chromium-headless-shell", "--version"], PROFILE, limits).output.strip()
    return f"browser {REVISION}: {said}"


def screenshot(
    serve: Callable[[str], Reply],
    limits: Limits,
    *,
    width: int = 1920,
    height: int = 1080,
    elsewhere: Callable[[str], Reply | None] = refused,
    whole: bool = False,
) -> Screenshot:
    """Takes a screenshot of a page with a browser that is already open, if there is one.

    See `Browser.screenshot`.

    >>> page = Reply(b"<p>Hello <script>document.write('World')</script>", "text/html")
    >>> screenshot(lambda path: page, Limits(memory=2048, processes=64, scratch=256)).text
    'Hello World'
    """
    with workers.checkout(
        ("browser", replace(limits, seconds=0)), lambda: Browser(limits)
    ) as browser:
        return browser.screenshot(
            serve,
            width=width,
            height=height,
            seconds=limits.seconds,
            elsewhere=elsewhere,
            whole=whole,
        )
