"""A browser that stays open and takes screenshots of pages which never leave memory.

Chromium's headless shell runs in the sandbox, where there is no network. It is driven over a pair
of pipes (Chrome DevTools Protocol), through which it also asks for each file of a page: there is
no server and no port. Each page has a profile of its own (`tab`). What all pages share, the browser's
own processes, proves after each page that it is as before, or the browser is replaced.
"""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import lru_cache

from helm_structext.errors import RenderError, SetupError
from helm_structext.machine.fonts import PAGE_FAMILIES
from helm_structext.machine.programs import BROWSER, VARIABLES, program
from helm_structext.renderers.engine import run_own
from helm_structext.renderers.web.devtools import Connection
from helm_structext.renderers.web.tab import PageResponse, Screenshot, Tab, refuse_address
from helm_structext.sandbox import (
    Limits,
    Process,
    ProcessDied,
    SandboxProfile,
    job_clock,
    shell,
    workers,
)
from helm_structext.texts import one_line

REVISION = "9"
STARTS = 3
NEEDED = "HeadlessExperimental.beginFrame"
"""By which a page's clock stands still between two frames. Only Chromium's headless shell has it."""
ADVICE = (
    "What is needed is the headless shell (Debian: chromium-headless-shell; elsewhere, that of "
    f"Chrome for Testing), in PATH or named by {VARIABLES[BROWSER]}."
)
# Now and then the browser returns from a frame without the picture that was asked for.
TRIES = 5
PROOF_SECONDS = 3
"""What a browser may take, after a page, to prove that it is as before."""
PROOF_PAUSE = 0.01
# A drawing of ours waits for all that pages have asked the GPU's process for.
START_DRAWING = "globalThis.gl = new OffscreenCanvas(1, 1).getContext('webgl')"
DRAW = """gl?.clear(gl.COLOR_BUFFER_BIT)
gl?.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4))
gl?.isContextLost() ?? false"""

PROFILE = SandboxProfile(
    programs=(BROWSER,),
    paths=("/usr/lib/chromium", "/var/cache/fontconfig"),
    etc=("passwd", "hosts", "nsswitch.conf"),
    fonts=PAGE_FAMILIES,
    environment={"DBUS_SESSION_BUS_ADDRESS": "disabled:", "DBUS_SYSTEM_BUS_ADDRESS": "disabled:"},
    proc=True,
    sockets=True,
)
PACKAGES = {BROWSER: "chromium-headless-shell"}
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


def start_browser(limits: Limits) -> "Browser":
    """Returns a browser that no page has seen, so that what ends it is the machine's fault.

    Raises:
        SetupError: it can't be started, or can't draw a frame when it is told to.
    """
    failure: Exception | None = None
    for _ in range(STARTS):
        try:
            return Browser(limits)
        except ProcessDied as error:
            failure = error
    raise SetupError(
        f"{program(BROWSER)} does not start as a headless browser ({one_line(str(failure))}). {ADVICE}"
    )


class Browser:
    """One browser in one sandbox.

    Args:
        limits: what it may use; the time is that of each page.

    Raises:
        SetupError: it can't be started, or can't draw a frame when it is told to.
        ProcessDied: it ended.
    """

    def __init__(self, limits: Limits) -> None:
        command = [str(program(BROWSER)), *FLAGS, "about:blank"]
        # The protocol's pipes are the descriptors 3 and 4.
        line = shell('exec "$@" 3<&0 4>&1 >/dev/null', command, limits, virtual=False)
        self._process = Process(line, PROFILE, limits)
        self._connection = Connection(self._process)
        self.version = str(self._connection.call("Browser.getVersion")["product"])
        (page,) = self._connection.call("Target.getTargets")["targetInfos"]
        attached = self._connection.call(
            "Target.attachToTarget", targetId=page["targetId"], flatten=True
        )
        self._own_page = attached["sessionId"]
        if not self._connection.knows(NEEDED, self._own_page):
            self.close()
            raise SetupError(f"{program(BROWSER)} is {self.version}, without {NEEDED}. {ADVICE}")
        # Only so it says how a page's process has ended.
        self._connection.call("Target.setDiscoverTargets", discover=True)
        self._evaluate(START_DRAWING)
        self._processes = self._present()

    def reusable(self) -> bool:
        """Whether nothing is left of the last page: no process, no memory, no work for the GPU."""
        self._connection.begin(PROOF_SECONDS)
        try:
            with job_clock(PROOF_SECONDS):
                while self._present() != self._processes:
                    time.sleep(PROOF_PAUSE)
                return not self._process.holds_much and self._evaluate(DRAW) is False
        except (RenderError, ProcessDied):
            return False

    def _present(self) -> set[tuple[str, int]]:
        """The kinds and numbers of its processes."""
        listed = self._connection.call("SystemInfo.getProcessInfo")["processInfo"]
        return {(process["type"], process["id"]) for process in listed}

    def _evaluate(self, expression: str) -> object:
        """Returns the value of JavaScript on our own page."""
        reply = self._connection.call(
            "Runtime.evaluate", self._own_page, expression=expression, returnByValue=True
        )
        return reply["result"].get("value")

    def close(self) -> None:
        """Ends the browser."""
        self._process.close()

    def screenshot(
        self,
        serve: Callable[[str], PageResponse],
        size: tuple[int, int],
        *,
        seconds: float,
        elsewhere: Callable[[str, str], PageResponse | None] = refuse_address,
        whole: bool = False,
        layout: bool = False,
    ) -> Screenshot:
        """Opens `tab.ORIGIN` in a profile of its own and takes a screenshot of it.

        Args:
            serve: what the page gets for a path below `ORIGIN`, such as ``css/main.css?v=2``.
            size: width and height of the window, in pixels.
            seconds: for it all, unless a job runs, whose time it takes.
            elsewhere: what the page gets for any other address, or None: it can't be reached; see `Tab`.
            whole: waits until the page no longer changes (from 1 to 3 seconds of its clock, which
                stands still while files are fetched) and takes all of it, as far as `MAX_WIDTH`
                and `MAX_HEIGHT`, not only the window.
            layout: tells what is on it, too (`Screenshot.layout`).

        Raises:
            RenderError: kind ``timeout``, or ``resource`` if the page takes or loads too much.
            LayoutLost: telling what is on the page took too much: this browser is not to be used any more.
            ProcessDied: the browser ended, or one of its own processes, or takes no picture.
        """
        self._connection.begin(seconds)
        with job_clock(seconds):
            for _ in range(TRIES):
                tab = Tab(self._connection, serve, elsewhere, size, whole, layout)
                if screenshot := tab.screenshot():
                    # A page goes on without what such a process should have done for it.
                    if not self._processes <= self._present():
                        raise ProcessDied("a process that the browser's pages share was killed")
                    return screenshot
        raise ProcessDied(f"no picture of a page that was opened {TRIES} times")


@lru_cache(maxsize=1)
def version() -> str:
    """Returns our own revision and what the browser calls itself."""
    # It reserves far more addresses than memory, and stops where it can't.
    limits = Limits(memory=2**30)
    profile = replace(PROFILE, proc=False)
    said = run_own([str(program(BROWSER)), "--version"], profile, limits).output.strip()
    return f"browser {REVISION}: {said}"


def open_browser(limits: Limits) -> AbstractContextManager[Browser]:
    """Lends a browser that is already open, if there is one.

    >>> page = PageResponse(b"<p>Hello <script>document.write('World')</script>", "text/html")
    >>> with open_browser(Limits(memory=2048, processes=64, scratch=256)) as browser:
    ...     browser.screenshot(lambda path: page, (1920, 1080), seconds=30).text
    'Hello World'
    """
    return workers.checkout(("browser", replace(limits, seconds=0)), lambda: start_browser(limits))
