"""What the browser says of a page, and what it is sent, is bounded; nothing is lost on the way."""

import base64
import json
import os
import threading
import time
from pathlib import Path

import pytest

from helm_structext.errors import RenderError
from helm_structext.renderers import render
from helm_structext.renderers.web import devtools
from helm_structext.renderers.web.devtools import Connection
from helm_structext.sandbox import MIB

PAGE_SIZE = 4096


class Process:
    """A browser that says what it is told to, in pieces of so many messages."""

    def __init__(self, *messages: dict, pieces: int = 1) -> None:
        self.messages = [json.dumps(message).encode() + b"\0" for message in messages]
        self.pieces = pieces
        self.heard = b""

    def watch(self, clock):
        clock.check([os.getpid()])

    def exchange(self, request, complete, seconds):
        self.heard += request
        said = bytearray()
        while self.messages and (not said or len(self.messages) % self.pieces):
            said += self.messages.pop(0)
        assert complete(said)
        return said


def test_messages_arrive_in_order_up_to_the_wanted_one():
    connection = Connection(Process(*({"id": n} for n in range(9)), pieces=4))
    heard = []
    connection.listen = lambda message: heard.append(message["id"]) or True
    assert connection.wait(lambda message: message["id"] == 6) == {"id": 6}
    assert heard == [0, 1, 2, 3, 4, 5, 6]
    connection.wait(lambda message: message["id"] == 7)


def test_messages_of_others_are_not_waited_for():
    connection = Connection(Process({"id": 1, "of": "another"}, {"id": 1}))
    connection.listen = lambda message: "of" not in message
    assert connection.wait(lambda message: message["id"] == 1) == {"id": 1}


def test_a_body_is_sent_in_base64_beside_the_other_parameters():
    process = Process({"id": 1, "result": {}})
    Connection(process).call("Fetch.fulfillRequest", "page", body=b"\0x", code=200)
    assert json.loads(process.heard.rstrip(b"\0")) == {
        "id": 1,
        "method": "Fetch.fulfillRequest",
        "sessionId": "page",
        "params": {"code": 200, "body": base64.b64encode(b"\0x").decode()},
    }


def test_large_replies_do_not_wait_for_each_other(monkeypatch):
    monkeypatch.setattr(devtools, "UNSENT", 1000)
    process = Process()
    connection = Connection(process)
    for number in range(1, 9):
        connection.send("Fetch.fulfillRequest", body=bytes(999), code=200)
        assert process.heard.count(b"\0") == number


@pytest.mark.parametrize("bound", ["MAX_MESSAGES", "MAX_RECEIVED", "MAX_SENT"])
def test_a_page_has_its_share_of_messages_and_bytes_and_the_next_has_it_again(bound, monkeypatch):
    monkeypatch.setattr(devtools, bound, 500)
    connection = Connection(Process(*({"text": "x" * 100} for n in range(10**4))))

    def exceed() -> None:
        for _ in range(10**4):
            connection.send("Page.enable")
            connection.wait(lambda message: True)

    for _ in range(2):
        with pytest.raises(RenderError, match="resource"):
            exceed()
        connection.begin(100)
        for _ in range(3):
            connection.send("Page.enable")
            connection.wait(lambda message: True)
        connection.begin(100)


def test_messages_that_never_end_run_out_of_time():
    connection = Connection(Process(*({"id": n} for n in range(9)), pieces=10))
    connection.begin(0)
    time.sleep(0.01)
    with pytest.raises(RenderError, match="timeout"):
        connection.wait(lambda message: message["id"] == 8)


class Memory:
    """The most memory that this process has while a test watches."""

    def __enter__(self) -> "Memory":
        self.before = self.most = self._now()
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._end.wait(0.01):
            self.most = max(self.most, self._now())

    def _now(self) -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE_SIZE

    @property
    def grown(self) -> int:
        return (self.most - self.before) // MIB


LARGE = "https://unpkg.com/typescript/lib/typescript.js"
SAYS = {
    "one large file, 150 times": f"for (let n = 0; n < 150; n++) fetch('{LARGE}?' + n)",
    "large messages": "for (;;) console.error('x'.repeat(1e7))",
    "large errors": "setInterval(() => { throw new Error('x'.repeat(3e7)) }, 1)",
    "rejected texts": "for (let n = 0; n < 99; n++) Promise.reject('x'.repeat(1e7))",
    "large addresses": "for (let n = 0; n < 999; n++) new Image().src = '/' + 'x'.repeat(1e6) + n",
    "large posts": "for (let n = 0; n < 99; n++) fetch('/' + n, {method: 'POST', body: 'x'.repeat(1e7)})",
    "many requests": "for (let n = 0; n < 1e5; n++) fetch('/' + n)",
    "many workers": "for (let n = 0; n < 1e4; n++) new Worker('data:text/javascript,' + n + 'x'.repeat(1e5))",
    "large text": "document.body.append('x '.repeat(1e7))",
    "tabs": "document.body.append(Object.assign(document.createElement('pre'), {textContent: '\\t'.repeat(3e5)}))",
    "a noisy picture": "document.body.innerHTML = '<canvas width=2560 height=9000>'; const c = document.querySelector('canvas'),"
    "g = c.getContext('2d'), d = g.createImageData(2560, 9000); let s = 1;"
    "for (let i = 0; i < d.data.length; i++) d.data[i] = s = s * 16807 % 2147483647; g.putImageData(d, 0, 0)",
}  # fmt: skip


@pytest.mark.parametrize("name", SAYS)
def test_a_page_neither_fills_our_memory_nor_outlasts_its_time(name):
    start = time.monotonic()
    with Memory() as memory:
        try:
            rendering = render("html", f"<body>before<script>{SAYS[name]}</script>", timeout=4)
            assert len(rendering.log) < MIB
            assert len(rendering.text) < 2 * MIB
        except RenderError as error:
            assert len(str(error)) < MIB  # noqa: PT017
    assert memory.grown < 500
    assert time.monotonic() - start < 60


def test_files_beyond_the_bound_are_too_much():
    with pytest.raises(RenderError, match="resource: the page loads more than 256 MiB"):
        render("html", f"<body><script>{SAYS['one large file, 150 times']}</script>")
