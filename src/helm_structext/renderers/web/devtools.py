"""What we and a browser say to each other, in the Chrome DevTools Protocol over a pair of pipes.

A page decides how much a browser tells of it: messages, errors, requests, its text. So both ways are
bounded here, for each page: what goes beyond is an error of kind ``resource``.

Protocol: https://chromedevtools.github.io/devtools-protocol/
"""

import base64
import json
from collections import deque
from collections.abc import Callable
from typing import Any

from helm_structext.errors import RenderError
from helm_structext.sandbox import MIB, START_SECONDS, Process, ProcessDied, job_clock

Message = dict[str, Any]

MAX_MESSAGES = 50_000
"""From the browser, for one page."""
MAX_RECEIVED = 128 * MIB
"""Bytes of them."""
MAX_SENT = 256 * MIB
"""Bytes to the browser for one page: mostly files, of which a page may ask for one many times."""
UNSENT = 4 * MIB
"""Bytes of replies that wait for others, so that they go out together."""
METHOD_NOT_FOUND = -32601
"""JSON-RPC 2.0, section 5.1."""
END = b"\0"


class Connection:
    """The protocol's end on our side.

    Args:
        process: a browser.

    Attributes:
        listen: is told of each message, in order, and says whether it is for whoever waits.
    """

    listen: Callable[[Message], bool]

    def __init__(self, process: Process) -> None:
        self._process = process
        self._unsent = bytearray()
        self._received: deque[bytearray] = deque()
        self._commands = 0
        self.begin(START_SECONDS)

    def begin(self, seconds: float) -> None:
        """Begins to count anew, for another page, which has so many seconds."""
        self.listen = lambda message: True
        self._seconds = seconds
        self._messages = self._bytes_received = self._bytes_sent = 0

    def send(
        self, method: str, session: str = "", *, body: bytes | None = None, **parameters: Any
    ) -> int:
        """Queues a command and returns its number; it goes out at the next reading.

        Args:
            method: as the protocol names it.
            session: of a page or worker; otherwise the browser itself is meant.
            body: a parameter that the protocol wants in Base64, beside others.
            parameters: the others.

        Raises:
            RenderError: kind ``resource``: the page has been sent too much.
        """
        self._commands += 1
        message: Message = {"id": self._commands, "method": method}
        if session:
            message["sessionId"] = session
        line = json.dumps({**message, "params": parameters}).encode()
        if body is not None:  # Many megabytes, perhaps: they are copied no more than they must.
            line = line[:-2] + b', "body": "' + base64.b64encode(body) + b'"}}'
        self._unsent += line + END
        self._bytes_sent += len(line)
        if self._bytes_sent > MAX_SENT:
            raise RenderError("resource", f"the page loads more than {MAX_SENT // MIB} MiB")
        if len(self._unsent) > UNSENT:
            self._exchange(lambda data: not data or data.endswith(END))
        return self._commands

    def call(self, method: str, session: str = "", **parameters: Any) -> Message:
        """Sends a command and returns its result.

        Raises:
            ProcessDied: the browser refuses it, or ended.
            RenderError: kind ``timeout`` or ``resource``.
        """
        number = self.send(method, session, **parameters)
        reply = self.wait(lambda message: message.get("id") == number)
        if "error" in reply:
            raise ProcessDied(f"{method}: {reply['error'].get('message')}")
        result: Message = reply["result"]
        return result

    def knows(self, method: str, session: str = "") -> bool:
        """Whether the browser has a method, whatever it says to a call without parameters.

        Raises:
            ProcessDied: the browser ended.
            RenderError: kind ``timeout`` or ``resource``.
        """
        number = self.send(method, session)
        reply = self.wait(lambda message: message.get("id") == number)
        return bool(reply.get("error", {}).get("code") != METHOD_NOT_FOUND)

    def wait(self, wanted: Callable[[Message], bool]) -> Message:
        """Reads messages up to the wanted one, which is returned.

        Raises:
            ProcessDied: the browser ended.
            RenderError: kind ``timeout`` or ``resource``.
        """
        with job_clock(self._seconds) as clock:
            while True:
                while self._received:
                    # Read one by one: objects take many times the memory of their text.
                    message: Message = json.loads(self._received.popleft())
                    if self.listen(message) and wanted(message):
                        return message
                    self._process.watch(clock)
                self._exchange(lambda data: data.endswith(END))

    def _exchange(self, complete: Callable[[bytearray], bool]) -> None:
        request, self._unsent = bytes(self._unsent), bytearray()
        reply = self._process.exchange(request, complete, self._seconds)
        parts = reply.split(END)[:-1]
        self._received += parts
        self._messages += len(parts)
        self._bytes_received += len(reply)
        if self._messages > MAX_MESSAGES or self._bytes_received > MAX_RECEIVED:
            raise RenderError("resource", "the page makes the browser say too much")
