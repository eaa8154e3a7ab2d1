"""One page in a browser: its window, its clock, its files, what it says, and its picture.

The clock is virtual: it starts at the same moment for every page, stands still while files are
fetched, and moves on in frames that we ask for. So a page looks the same every time, and a second
of its scripts and animations takes a few milliseconds.
"""

import base64
import json
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from helm_structext.errors import RenderError
from helm_structext.layouts import (
    MAX_BOXES,
    MAX_LABEL,
    MAX_POINTS,
    ChartData,
    LayoutLost,
    PictureLayout,
    read_charts,
)
from helm_structext.renderers.engine import ReaderDied, read_engine_picture
from helm_structext.renderers.outcome import differ_visibly
from helm_structext.renderers.page_layout import tells_too_much
from helm_structext.renderers.web.box_styles import STYLES
from helm_structext.renderers.web.devtools import Connection, Message
from helm_structext.renderers.web.snapshot import (
    MAX_LINES,
    MAX_NODES,
    read_snapshot,
    unresolved_colors,
)
from helm_structext.sandbox import EPOCH, ProcessDied, advance_virtual, job_clock, uncounted

ORIGIN = "http://localhost/"
NOT_FOUND = 404
FRAMES, FRAME_MILLISECONDS = 10, 100
# A page that is waited for is quiet after so many frames without a change, or never.
QUIET_FRAMES, MAX_FRAMES = 5, 30
MAX_WIDTH, MAX_HEIGHT = 2560, 10_000
"""Pixels of a whole page; what lies beyond is cut off."""
# Frames come a little early, so that no timer falls due in the very moment of one.
EARLY_MILLISECONDS = 0.5

PRELUDE, WORKER_CLOCK, SETTLE, UNFIX, HIDE, READ_PAGE, READ_COLORS, READ_CHARTS = (
    (Path(__file__).with_name("scripts") / f"{name}.js").read_text("utf-8")
    for name in (
        *("prelude", "worker_clock", "settle", "unfix", "hide"),
        *("read_page", "read_colors", "read_charts"),
    )
)
CANVAS_CONTENTS, CANVAS_PATHS = (
    (Path(__file__).with_name("scripts") / f"canvas_{name}.js").read_text("utf-8")
    for name in ("contents", "paths")
)
PAGE_HEIGHT = "document.scrollingElement ? document.scrollingElement.scrollHeight : 0"
SCROLL = "document.scrollingElement.scrollTo({top: %d, behavior: 'instant'})"
MAX_PAGES = 5
"""To which a tab goes one after the other, as one that is sent to itself does; the last one stays."""
MAX_WORKER_TASKS = 10_000
"""Timers of a worker that run in one frame."""
BINDINGS = "workerAnnounced", "frameBegan", "gpuWorked"
# How often a frame is shown to a page that does not see it, and the pause.
FRAME_TRIES, FRAME_SECONDS = 100, 0.01
# How often to look, and after how many seconds, for a worker that a page has made.
WORKER_TRIES, WORKER_SECONDS = 100, 0.005
WITH_WORKERS: dict[str, Any] = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True}
PNG = {"format": "png", "optimizeForSpeed": True}
LAYOUT_SECONDS = 10
"""For what is on a page, which is no part of the time of its rendering."""
CHART_SECONDS = 2
"""Of these, for the data of its charts."""
MAX_CANVAS = 16_000_000
"""Pixels of a canvas on which it is looked whether a text is still there."""
MAX_UNSERVED = 10_000
"""Addresses that a page asks for in vain, which are remembered."""
MAX_ERRORS, MAX_ERROR, MAX_MESSAGE = 100, 20_000, 2000
"""How many errors and messages are kept, and how many characters of each."""


@dataclass(frozen=True)
class PageResponse:
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
    """Whether there is something to see; it is looked for where there is an error, or something is missing."""
    layout: PictureLayout | None = None
    """What is on the page, where it was wanted and can be had."""
    layout_reason: str = ""
    """Why it can't be had."""


@dataclass
class WebWorker:
    """A web worker of a page: the address of its script, and whether that runs."""

    url: str
    started: bool = False


class _PageClosed(Exception):
    """A page closed itself."""

    def __str__(self) -> str:
        return "the page closed itself"


class Tab:
    """A page in a profile of its own, which goes with it.

    Args:
        connection: to its browser.
        serve: what the page gets for a path below `ORIGIN`.
        elsewhere: what it gets for any other address, or None, by that and by what it is to be: a
            resource type of the DevTools protocol, such as ``Script``.
        size: width and height of the window, in pixels.
        whole: see `browser.Browser.screenshot`; so is `layout`.
    """

    def __init__(
        self,
        connection: Connection,
        serve: Callable[[str], PageResponse],
        elsewhere: Callable[[str, str], PageResponse | None],
        size: tuple[int, int],
        whole: bool,
        layout: bool,
    ) -> None:
        connection.listen = self._listen
        self._connection = connection
        self._serve, self._elsewhere = serve, elsewhere
        self._width, self._height = size
        self._whole = whole
        self._token = secrets.token_hex(16) if layout else ""
        self._layout: PictureLayout | None = None
        self._layout_reason = "the page closed itself" if layout else ""
        self._session = self._target = ""
        self._workers: dict[str, WebWorker] = {}
        self._announced: list[str] = []
        self._errors: list[str] = []
        self._messages: list[str] = []
        self._lacks = False
        self._unserved: set[str] = set()
        self._pages = 0
        self._first_frame = True
        self._framed = False
        self._gpu_frames = 0  # that what was drawn by WebGL takes, by the count of `prelude.js`

    def screenshot(self) -> Screenshot | None:
        """Takes a screenshot of `ORIGIN`, unless the browser does not get round to it.

        Raises:
            RenderError: kind ``timeout`` or ``resource``.
            LayoutLost: the browser is not to be used any more.
            ProcessDied: the browser ended.
        """
        profile = self._call("Target.createBrowserContext")["browserContextId"]
        try:
            png, text, visible = self._visited(*self._opened(profile))
        except _PageClosed:
            png, text, visible = b"", "", False
        self._session = ""
        self._call("Target.disposeBrowserContext", browserContextId=profile)
        if png is None:
            return None
        told = self._layout, self._layout_reason
        return Screenshot(png, text, self._errors, self._messages, visible, *told)

    def _opened(self, profile: str) -> tuple[str, float]:
        """Opens a window that shows nothing yet; returns its target and the time of its clock."""
        self._send("Browser.setDownloadBehavior", behavior="deny", browserContextId=profile)
        target = self._call(
            "Target.createTarget",
            url="about:blank",
            browserContextId=profile,
            width=self._width,
            height=self._height,
            enableBeginFrameControl=True,
        )["targetId"]
        self._target = target
        attached = self._call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Inspector"):
            self._send(f"{domain}.enable")
        self._send("Fetch.enable", patterns=[{"urlPattern": "*"}])
        for name in BINDINGS:
            self._send("Runtime.addBinding", name=name)
        self._send("Target.setAutoAttach", **WITH_WORKERS)
        self._send("Page.addScriptToEvaluateOnNewDocument", source=PRELUDE)
        if self._token:
            told = f"{json.dumps(self._token)}, {CANVAS_PATHS}"
            script = CANVAS_CONTENTS.replace("'TOKEN', PATHS", told)
            self._send("Page.addScriptToEvaluateOnNewDocument", source=script)
        clock = self._call(
            "Emulation.setVirtualTimePolicy", policy="pause", initialVirtualTime=EPOCH
        )
        # Else what lies in the upper left corner looks as if the mouse were over it.
        self._send("Input.setIgnoreInputEvents", ignore=True)
        # The page keeps this window, however large the picture gets.
        self._send(
            "Emulation.setDeviceMetricsOverride",
            width=self._width,
            height=self._height,
            deviceScaleFactor=1,
            mobile=False,
        )
        return target, clock["virtualTimeTicksBase"]

    def _visited(self, target: str, ticks: float) -> tuple[bytes | None, str, bool]:
        """Goes to the page; returns its picture, if there is one, its text, and `visible`."""
        self._call("Page.navigate", url=ORIGIN)  # Returns when the page has begun to arrive.
        ticks = self._rest(ticks, FRAMES, MAX_FRAMES if self._whole else FRAMES)
        # A world that has the page's document but none of its scripts.
        world = self._call("Page.createIsolatedWorld", frameId=target)["executionContextId"]
        if self._whole:
            ticks = self._scroll_through(ticks, world)
        text = str(self._evaluate(SETTLE, world))
        size = self._call("Page.getLayoutMetrics")["cssContentSize"] if self._whole else {}
        page_width = min(max(size.get("width", 0), self._width), MAX_WIDTH)
        page_height = min(max(size.get("height", 0), self._height), MAX_HEIGHT)
        ticks += FRAME_MILLISECONDS
        if (page_width, page_height) != (self._width, self._height):
            self._evaluate(UNFIX, world)
            self._resize_window(target, page_width, page_height)
        data = self._frame(ticks, screenshot=PNG).get("screenshotData")
        if data is not None and self._token:
            self._read_layout((round(page_width), round(page_height)), world)
        visible = True
        if data is not None and (self._errors or self._lacks):
            self._evaluate(HIDE, world)
            hidden = self._frame(ticks + FRAME_MILLISECONDS, screenshot=PNG)
            background = hidden.get("screenshotData")
            visible = data != background and background is not None and _differ(data, background)
            data = None if background is None else data
        return None if data is None else base64.b64decode(data), text, visible

    def _read_layout(self, size: tuple[int, int], world: int) -> None:
        """Reads what is on the page as it stands on its picture.

        Raises:
            LayoutLost: it takes too much, or the page closed itself.
            ReaderDied: the browser or the page's process ended.
        """
        try:
            with uncounted(), job_clock(LAYOUT_SECONDS):
                self._layout = self._snapshot(size, world)
                self._layout_reason = ""
        except (LookupError, TypeError, json.JSONDecodeError):
            self._layout_reason = "the page can't be read"
        except ValueError as error:
            self._layout_reason = str(error)
        except (RenderError, _PageClosed) as error:
            raise LayoutLost("resource", f"reading what is on the page: {error}") from error
        except ProcessDied as error:
            raise ReaderDied(str(error)) from error

    def _snapshot(self, size: tuple[int, int], world: int) -> PictureLayout:
        script = f"{READ_PAGE}({json.dumps(self._token)}, {MAX_CANVAS}, {MAX_BOXES}, {MAX_LINES})"
        page = json.loads(str(self._evaluate(script, world)))
        if not page["nodes"] <= MAX_NODES:
            raise ValueError(f"the page has more than {MAX_NODES:,} nodes")
        snapshot = self._call(
            "DOMSnapshot.captureSnapshot", computedStyles=STYLES, includePaintOrder=True
        )
        resolved = {}
        if colors := unresolved_colors(snapshot, page):
            drawn = self._evaluate(f"{READ_COLORS}({json.dumps(colors)})", world)
            resolved = dict(zip(colors, drawn or (), strict=False))
        layout = read_snapshot(snapshot, page, size, resolved, self._unserved)
        return layout.with_charts(self._read_charts())

    def _read_charts(self) -> tuple[ChartData, ...] | None:
        """Reads the data of the page's charts from the libraries that drew them, among the page's own scripts."""
        reply = self._call(
            "Runtime.evaluate",
            expression=f"{READ_CHARTS}({MAX_POINTS}, {MAX_LABEL})",
            returnByValue=True,
            timeout=1000 * CHART_SECONDS,
        )
        told = reply["result"].get("value")
        if not isinstance(told, str) or tells_too_much(told.encode("utf-8", "replace")):
            return None
        try:
            record = json.loads(told)
            return None if record is None else read_charts(record)
        except (AttributeError, KeyError, OverflowError, RecursionError, TypeError, ValueError):
            return None

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
            self._connection.wait(
                lambda it: it.get("method") == "Emulation.virtualTimeBudgetExpired"
            )
            ticks += FRAME_MILLISECONDS
            advance_virtual(FRAME_MILLISECONDS / 1000)
            changed = True
            if self._gpu_frames > 1:  # A GPU that still draws leaves this frame out.
                self._gpu_frames -= 1
            else:
                self._gpu_frames = 0
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
            if session not in self._workers:  # It ended while an earlier one was waited for.
                continue
            script = f"__advance({MAX_WORKER_TASKS})"
            number = self._send("Runtime.evaluate", session, expression=script)
            reply = self._wait_for_worker(session, number)
            # One that has ended itself would never answer again.
            if reply.get("result", {}).get("result", {}).get("value"):
                self._forget(session)

    def _place(self, url: str) -> int:
        return self._announced.index(url) if url in self._announced else len(self._announced)

    def _wait_for_worker(self, worker: str, number: int) -> Message:
        """Waits for the reply to a command, or for the worker's end."""
        return self._connection.wait(
            lambda message: message.get("id") == number or worker not in self._workers
        )

    def _scroll_through(self, ticks: float, world: int) -> float:
        """Shows the page all of itself, as to someone who scrolls down and up again.

        What appears when it comes into view, and what is loaded only then, is there afterwards.
        """
        top = 0
        while (top := top + self._height) < min(
            int(self._evaluate(PAGE_HEIGHT, world)), MAX_HEIGHT
        ):
            self._evaluate(SCROLL % top, world)
            ticks = self._rest(ticks, 1, 1)
        if top > self._height:
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

    def _frame(self, ticks: float, **parameters: Any) -> Message:
        """Shows the page a frame; its first one again and again until it says that it has come.

        A page that has only just begun may not listen yet; it takes none twice. One that never says
        so, as it has stopped all that waits for frames, is asked no more.
        """
        for _ in range(FRAME_TRIES):
            frame = self._call(
                "HeadlessExperimental.beginFrame",
                frameTimeTicks=ticks,
                interval=FRAME_MILLISECONDS,
                **parameters,
            )
            if not self._framed:  # What the page says may come a little after.
                self._call("Runtime.evaluate", expression="0")
            if self._framed:
                break
            time.sleep(FRAME_SECONDS)
        self._framed = True
        return frame

    def _send(self, method: str, session: str = "", **parameters: Any) -> int:
        """Queues a command to a worker, or the page if there is one, and returns its number."""
        return self._connection.send(method, session or self._session, **parameters)

    def _call(self, method: str, **parameters: Any) -> Message:
        """Sends a command to the page if there is one, and returns its result."""
        return self._connection.call(method, self._session, **parameters)

    def _listen(self, message: Message) -> bool:
        """Does what the page or one of its workers asks for; says whether it is one of these."""
        session = message.get("sessionId", "")
        if message.get("method") == "Target.targetCrashed":
            self._on_crash(message["params"])
        if session not in (self._session, *self._workers):
            return False
        if handle := EVENTS.get(message.get("method", "")):
            handle(self, message["params"], session)
        return True

    def _on_request(self, event: Message, session: str) -> None:
        number, url = event["requestId"], event["request"]["url"]
        here = url.startswith(ORIGIN)
        what = event["resourceType"]
        reply = self._serve(url.removeprefix(ORIGIN)) if here else self._elsewhere(url, what)
        if what == "Document" and event["frameId"] == self._target:
            self._pages += 1
            reply = reply if self._pages <= MAX_PAGES else None
        if reply is None or reply.status == NOT_FOUND:
            self._lacks = True
            if len(self._unserved) < MAX_UNSERVED:
                self._unserved.add(url)
        if reply is not None:
            headers = {"Content-Type": reply.type, "Access-Control-Allow-Origin": "*"}
            self._send(
                "Fetch.fulfillRequest",
                requestId=number,
                responseCode=reply.status,
                responseHeaders=[{"name": n, "value": v} for n, v in headers.items()],
                body=reply.body,
            )
        elif what == "Document":
            # "No content" leaves the page, or the empty frame, as it is.
            self._send("Fetch.fulfillRequest", requestId=number, responseCode=204)
        else:
            self._send("Fetch.failRequest", requestId=number, errorReason="AddressUnreachable")

    def _on_binding(self, event: Message, session: str) -> None:
        if event["name"] == "workerAnnounced":
            self._announced.append(event["payload"])
        elif event["name"] == "gpuWorked":
            self._gpu_frames += 1
        else:
            self._framed = True

    def _on_worker(self, event: Message, session: str) -> None:
        worker = event["sessionId"]
        if event["targetInfo"]["type"] == "worker":
            self._workers[worker] = WebWorker(event["targetInfo"]["url"])
            self._send("Debugger.enable", worker)
            self._send("Target.setAutoAttach", worker, **WITH_WORKERS)
            self._send("Runtime.evaluate", worker, expression=WORKER_CLOCK)
        self._send("Runtime.runIfWaitingForDebugger", worker)

    def _on_script(self, event: Message, session: str) -> None:
        # The first script with an address is the worker's own, and runs at once.
        self._workers[session].started |= bool(event["url"])

    def _on_worker_end(self, event: Message, session: str) -> None:
        self._forget(event["sessionId"])

    def _forget(self, worker: str) -> None:
        if ended := self._workers.pop(worker, None):
            self._announced = [url for url in self._announced if url != ended.url]

    def _on_navigation(self, event: Message, session: str) -> None:
        self._framed &= "parentId" in event["frame"]

    def _on_dialog(self, event: Message, session: str) -> None:
        self._send("Page.handleJavaScriptDialog", accept=False)

    def _on_exception(self, event: Message, session: str) -> None:
        details = event["exceptionDetails"]
        thrown = details.get("exception", {})
        said = str(thrown.get("description") or thrown.get("value") or details["text"])[:MAX_ERROR]
        if ORIGIN not in said and details.get("url"):
            line, column = details["lineNumber"] + 1, details["columnNumber"] + 1
            said += f"\n    at {details['url']}:{line}:{column}"
        if len(self._errors) < MAX_ERRORS:
            self._errors.append(said)

    def _on_message(self, event: Message, session: str) -> None:
        if event["type"] not in ("error", "warning", "assert"):
            return
        said = [str(it.get("description", it.get("value", ""))) for it in event["args"]]
        if len(self._messages) < MAX_ERRORS:
            self._messages.append(" ".join(said)[:MAX_MESSAGE])
        thrown = [it["description"] for it in event["args"] if it.get("subtype") == "error"]
        if event["type"] == "error" and thrown and len(self._errors) < MAX_ERRORS:
            self._errors.append(thrown[0][:MAX_ERROR])

    def _on_crash(self, event: Message) -> None:
        if event["targetId"] != self._target:
            return
        # Where another process of the browser was killed, it says no more than that the page crashed.
        killed = event["status"] == "killed"
        what = "the page's process was killed" if killed else "the page crashed, as without memory"
        raise ProcessDied(what)

    def _on_end(self, event: Message, session: str) -> None:
        raise _PageClosed


def _differ(first: str, second: str) -> bool:
    """Whether two pictures differ in a way that a person sees."""
    one, other = (read_engine_picture(base64.b64decode(data)) for data in (first, second))
    return differ_visibly(one, other)


EVENTS = {
    "Fetch.requestPaused": Tab._on_request,
    "Runtime.bindingCalled": Tab._on_binding,
    "Target.attachedToTarget": Tab._on_worker,
    "Debugger.scriptParsed": Tab._on_script,
    "Target.detachedFromTarget": Tab._on_worker_end,
    "Page.frameNavigated": Tab._on_navigation,
    "Page.javascriptDialogOpening": Tab._on_dialog,
    "Runtime.exceptionThrown": Tab._on_exception,
    "Runtime.consoleAPICalled": Tab._on_message,
    "Inspector.detached": Tab._on_end,
}


def serve_nothing(path: str) -> PageResponse:
    """Serves no file at all."""
    return PageResponse(b"", "text/plain", NOT_FOUND)


def refuse_address(url: str, what: str = "") -> PageResponse | None:
    """Reaches no other address."""
    return None
