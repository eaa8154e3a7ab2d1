"""The client against hosts that fail in every way; none of them scores anything."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from helm_structext.rewards import RewardResult
from helm_structext.serving import client as module
from helm_structext.serving.client import Client, Result, WrongRequest, picture
from support import ROOT
from support.hosts import Host, Reply, Request, json_reply
from support.serving import text_item, until

NDJSON = "application/x-ndjson"
LINE = len('{"item": 0, "score": 0.0}\n')


def lines(results: Sequence[Any], **options: Any) -> Reply:
    text = "".join(json.dumps(result) + "\n" for result in results)
    return Reply(text, 200, {"content-type": NDJSON}, **options)


def scored(request: Request, **options: Any) -> Reply:
    """The completions are numbers; they are their scores. The last is answered first."""
    items = enumerate(request.json["items"])
    results = [{"item": place, "score": float(item["completion"])} for place, item in items]
    return lines(results[::-1], **options)


def numbered(count: int) -> list[dict]:
    return [text_item(str(number)) for number in range(count)]


def refused(status: int, *problems: dict, **headers: str) -> Reply:
    return json_reply({"message": "no", "problems": [*problems]}, status, **headers)


@pytest.fixture(autouse=True)
def hasty(monkeypatch):
    monkeypatch.setattr(module, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(module, "ITEMS", 10)


@pytest.mark.parametrize("version", ["HTTP/1.0", "HTTP/1.1"])
def test_results_have_the_order_of_the_items_however_they_are_divided(version, monkeypatch):
    monkeypatch.setattr("http.server.BaseHTTPRequestHandler.protocol_version", version)
    with Host(scored) as host, Client(host.url, connections=3) as client:
        results = client.score(numbered(95), failure=-1)
    assert [result.score for result in results] == [*range(95)]
    assert sorted(len(request.json["items"]) for request in host.requests) == [5, *[10] * 9]
    assert {request.json["failure"] for request in host.requests} == {-1}


def test_a_result_has_the_fields_of_a_reward_s():
    assert Result.__dataclass_fields__.keys() == RewardResult.__dataclass_fields__.keys()


def test_what_a_newer_server_says_more_is_passed_over():
    reply = lines([{"item": 0, "score": 1.0, "error_kind": None, "engine": "new"}])
    with Host(lambda request: reply) as host, Client(host.url) as client:
        assert client.score(numbered(1))[0] == Result(1.0)


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_after_a_fork_each_process_has_connections_of_its_own(monkeypatch):
    monkeypatch.setattr("http.server.BaseHTTPRequestHandler.protocol_version", "HTTP/1.1")
    with Host(scored) as host, Client(host.url) as client:
        assert client.score(numbered(1))[0].score == 0
        (kept,) = client._pool.idle
        child = os.fork()
        if not child:
            connection, used = client._connection()
            os._exit(used or connection is kept)
        assert os.waitpid(child, 0)[1] == 0
        assert client._connection() == (kept, True)


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_after_a_fork_each_process_has_places_of_its_own():
    """The one that forks has none left, and loses nothing when the other closes its client."""
    going_on = threading.Event()

    def answer(request: Request) -> Reply:
        if request.json["items"][0]["completion"] == "1":
            going_on.wait(60)
        return scored(request)

    with (
        Host(answer) as host,
        Client(host.url, connections=1) as client,
        ThreadPoolExecutor() as threads,
    ):
        running = threads.submit(client.score, [text_item("1")])
        until(lambda: len(host.requests) == 1)
        child = os.fork()
        if not child:
            signal.alarm(30)
            with client:
                (result,) = client.score([text_item("2")])
            os._exit(result.score != 2)
        assert os.waitpid(child, 0)[1] == 0
        going_on.set()
        assert running.result()[0].score == 1
    assert len(host.requests) == 2


def test_no_item_asks_nothing():
    assert Client("http://127.0.0.1:9").score([]) == []


def test_long_items_go_alone(monkeypatch):
    monkeypatch.setattr(module, "BYTES", 1000)
    with Host(scored) as host:
        Client(host.url).score([*numbered(3), text_item("1", "x" * 500), text_item("2", "x" * 500)])
    assert sorted(len(request.json["items"]) for request in host.requests) == [1, 4]


BUSY = refused(429, retry_after="0")
FAULTS = {
    "stopping": refused(503),
    "died": Reply("Internal Server Error", 500),
    "slow": Reply("Request timed out", 408),
    "gateway": Reply("<html>", 502, {"content-type": "text/html"}),
    "timeout": Reply("", 504),
    "cut": Reply('{"item": 0, "score": 0.5}\n', 200, {"content-type": NDJSON}, cut=LINE - 1),
    "ended": lines([]),
    "mute": Reply("", cut=0),
    "garbled": Reply('{"item": ', 200, {"content-type": NDJSON}),
    "a line of another": lines([{"item": 10, "score": 1}]),
    "a line before the first": lines([{"item": -1, "score": 1}]),
    "no score": lines([{"item": 0}]),
    "no object": lines([[0]]),
    "not in lines": json_reply({"results": [{"score": 1}] * 11}),
    "another": Reply("<html>It works!", 200, {"content-type": "text/html"}),
}


NOT_THERE = Reply("Path '/v1/score' not found", 404)


@pytest.mark.parametrize("fault", [BUSY, NOT_THERE, *FAULTS.values()])
def test_what_fails_for_a_moment_is_asked_again(fault):
    with Host(scored, faults=[fault, fault]) as host:
        results = Client(host.url).score(numbered(3))
    assert [result.score for result in results] == [0, 1, 2]
    assert len(host.requests) == 3


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_what_fails_for_longer_has_no_score(fault):
    with Host(lambda _: fault) as host:
        results = Client(host.url, patience=0.1).score(numbered(11))
    assert [(result.score, result.error_kind) for result in results] == [(None, "server")] * 11
    assert "given up after" in results[0].message


@pytest.mark.parametrize("faults", [[BUSY] * 30, [refused(503), BUSY] * 15], ids=["busy", "both"])
def test_a_server_that_has_too_much_to_do_is_waited_for_however_long(faults, monkeypatch):
    """What fails beside it is counted anew: the server has worked meanwhile."""
    monkeypatch.setattr(module, "LONGEST_PAUSE", 0.1)
    began = time.monotonic()
    with Host(scored, faults=faults) as host:
        results = Client(host.url, patience=1).score(numbered(3))
    assert [result.score for result in results] == [0, 1, 2]
    assert time.monotonic() - began > 1


def test_what_fails_when_the_time_is_over_is_said():
    with Host(lambda _: refused(503)) as host:
        (result,) = Client(host.url).score(numbered(1), seconds=0.2)
    assert result.error_kind == "unfinished"
    assert result.message == "the time of its batch was over: HTTP 503: no"


def test_what_another_attempt_would_not_mend_has_no_score():
    with Host(lambda _: refused(501)) as host:
        results = Client(host.url).score(numbered(3))
    assert [(result.score, result.error_kind) for result in results] == [(None, "server")] * 3
    assert len(host.requests) == 1


def test_where_no_server_is_nothing_has_a_score():
    results = Client("http://127.0.0.1:9", patience=0.05).score(numbered(2))
    assert [result.error_kind for result in results] == ["server"] * 2
    assert "ConnectionRefusedError" in results[0].message
    with pytest.raises(ConnectionError, match="refused"):
        Client("http://127.0.0.1:9", patience=0.05).formats()


def test_a_request_that_is_too_large_is_divided():
    def answer(request: Request) -> Reply:
        few = len(request.json["items"]) <= 3
        return scored(request) if few else refused(413)

    with Host(answer) as host:
        results = Client(host.url).score(numbered(10))
    assert [result.score for result in results] == [*range(10)]
    with Host(lambda _: refused(413)) as host:
        results = Client(host.url).score(numbered(2))
    assert [result.error_kind for result in results] == ["server"] * 2


LOST = FAULTS["cut"]


@pytest.mark.parametrize("count", [1, 9])
def test_results_that_came_are_kept_where_the_rest_is_lost(count):
    """Only the rest is asked for, as long as anything comes."""
    with Host(lambda request: scored(request, cut=count * LINE)) as host:
        results = Client(host.url).score(numbered(10))
    assert [result.score for result in results] == [*range(10)]
    assert [len(request.json["items"]) for request in host.requests] == [*range(10, 0, -count)]


def test_losses_are_counted_from_the_last_result_on():
    def answer(request: Request) -> Reply:
        count = len(request.json["items"])
        return scored(request, cut=LINE) if count == 5 else LOST if count > 2 else scored(request)

    with Host(answer) as host:
        assert [result.score for result in Client(host.url).score(numbered(5))] == [*range(5)]
    assert [len(request.json["items"]) for request in host.requests] == [5, 4, 4, 4, 2, 2]


def test_a_server_that_hangs_behind_the_last_result_keeps_nobody(monkeypatch):
    monkeypatch.setattr("http.server.BaseHTTPRequestHandler.protocol_version", "HTTP/1.1")
    monkeypatch.setattr(module, "_LEAST_SPARE", 0.1)

    def answer(request: Request) -> Reply:
        said = scored(request)
        return replace(said, headers={**said.headers, "content-length": "1000"})

    with Host(answer) as host, Client(host.url) as client:
        for _ in range(2):
            assert [result.score for result in client.score(numbered(3))] == [0, 1, 2]
    assert len(host.requests) == 2


@pytest.mark.parametrize("deadly", [{"6"}, {"0", "1"}, {"3", "4", "9"}])
def test_an_item_that_a_server_dies_of_spoils_no_other(deadly):
    def answer(request: Request) -> Reply:
        numbers = {item["completion"] for item in request.json["items"]}
        return LOST if deadly & numbers else scored(request)

    with Host(answer) as host:
        results = Client(host.url).score(numbered(10))
    for number, result in enumerate(results):
        if str(number) in deadly:
            assert (result.score, result.error_kind) == (None, "server")
            assert "given up" in result.message
        else:
            assert result.score == number


def test_what_was_lost_alone_is_asked_again_while_anything_else_is_answered():
    """A server that is killed now and then may have been killed for another's sake."""
    losses = iter([LOST] * 3 * module.LOSSES)

    def answer(request: Request) -> Reply:
        deadly = any(item["completion"] == "3" for item in request.json["items"])
        return next(losses, scored(request)) if deadly else scored(request)

    with Host(answer) as host:
        results = Client(host.url).score(numbered(4))
    assert [result.score for result in results] == [0, 1, 2, 3]


def test_to_close_a_client_ends_all_rounds():
    def answer(request: Request) -> Reply:
        if len(request.json["items"]) == 2:
            return scored(request, cut=LINE)
        if len(host.requests) == 1 + module.LOSSES + 1:
            client.close()
        return LOST

    with Host(answer) as host, Client(host.url) as client:
        results = client.score(numbered(2))
    assert [result.error_kind for result in results] == ["unfinished", None]


def test_a_server_that_always_dies_is_left_soon():
    with Host(lambda _: LOST) as host:
        results = Client(host.url).score(numbered(8))
        with pytest.raises(ConnectionError):
            Client(host.url).formats()
    assert [result.error_kind for result in results] == ["server"] * 8
    assert len(host.requests) == module.LOSSES * (1 + 2 + 4 + 8 + 1)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 415, 422])
def test_a_wrong_request_is_an_error(status):
    with Host(lambda _: refused(status)) as host:
        with pytest.raises(WrongRequest, match=f"HTTP {status}: no") as raised:
            Client(host.url, connections=3, patience=0.1).score(numbered(100))
        with pytest.raises(WrongRequest):
            Client(host.url, patience=0.1).formats()
    assert raised.value.status == status


def test_a_wrong_item_is_named_by_its_number_in_the_batch():
    def answer(request: Request) -> Reply:
        numbers = [item["completion"] for item in request.json["items"]]
        if "37" not in numbers:
            return scored(request)
        problem = {"item": numbers.index("37"), "field": "components", "reason": "there is none"}
        return refused(422, problem)

    with Host(answer) as host, pytest.raises(WrongRequest) as raised:
        Client(host.url).score(numbered(60))
    assert str(raised.value) == "HTTP 422: item 37: components: there is none"
    assert [problem["item"] for problem in raised.value.problems] == [37]


@pytest.mark.parametrize("order", [1, -1])
def test_wrong_items_and_wrong_options_are_told_together(order):
    problems = [
        {"item": 1, "field": "timeout", "reason": "no"},
        {"item": None, "field": "x", "reason": "no"},
    ]
    with (
        Host(lambda _: refused(422, *problems[::order])) as host,
        pytest.raises(WrongRequest) as raised,
    ):
        Client(host.url, connections=1).score(numbered(20)[:3])
    assert [problem["item"] for problem in raised.value.problems] == [1, None][::order]


def test_seconds_are_those_of_all_requests_together():
    began = threading.Event()

    def answer(request: Request) -> Reply:
        if began.is_set():
            return refused(429, retry_after="100")
        began.set()
        return scored(request)

    with Host(answer) as host:
        results = Client(host.url, connections=1).score(numbered(20), seconds=0.5)
    assert [result.error_kind for result in results] == [None] * 10 + ["unfinished"] * 10
    sent = [request.json["seconds"] for request in host.requests]
    assert 0.5 >= sent[0] > sent[1] > 0


@pytest.mark.parametrize("seconds", [0, -1, float("nan")])
def test_seconds_are_positive(seconds):
    with pytest.raises(ValueError, match="above 0"):
        Client().score(numbered(1), seconds=seconds)


def test_a_client_without_connections_can_t_be():
    with pytest.raises(ValueError, match="connections is 0"):
        Client(connections=0)


@pytest.mark.parametrize("url", ["127.0.0.1:8320", "", "ftp://localhost", "http://", "http://a:b"])
def test_an_address_that_is_none_is_an_error(url):
    with pytest.raises(ValueError):  # noqa: PT011
        Client(url)


def test_token_and_path_go_with_every_request():
    def answer(request: Request) -> Reply:
        return scored(request) if request.method == "POST" else json_reply({"kinds": []})

    with Host(answer) as host:
        client = Client(f"{host.url}/behind/", token="0123456789abcdef")
        client.score(numbered(1))
        assert client.formats() == {"kinds": []}
    assert host.paths == ["/behind/v1/score", "/behind/v1/formats"]
    assert {one.headers["authorization"] for one in host.requests} == {"Bearer 0123456789abcdef"}


def test_a_kept_connection_that_was_closed_is_replaced_at_once(monkeypatch):
    monkeypatch.setattr("http.server.BaseHTTPRequestHandler.protocol_version", "HTTP/1.1")
    monkeypatch.setattr("http.server.BaseHTTPRequestHandler.timeout", 0.05, raising=False)
    monkeypatch.setattr(module, "FIRST_PAUSE", 1000)
    with Host(scored) as host, Client(host.url, patience=0) as client:
        for _ in range(3):
            assert client.score(numbered(1))[0].score == 0
            threading.Event().wait(0.2)  # the host closes it meanwhile


def test_to_cancel_is_to_let_the_server_go():
    gone = threading.Event()

    async def main(host: Host) -> None:
        client = Client(host.url, connections=2)
        asking = asyncio.create_task(client.score_async(numbered(40)))
        while len(host.requests) < 2:
            await asyncio.sleep(0.01)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        gone.set()

    with Host(lambda _: Reply("", silence=60)) as host:
        asyncio.run(main(host))
    assert gone.is_set()
    assert len(host.requests) == 2


class Holding:
    """A host that scores when it is told to, and a client whose only place is taken meanwhile."""

    def __init__(self) -> None:
        self.going_on = threading.Event()
        self.threads = ThreadPoolExecutor()

    def answer(self, request: Request) -> Reply:
        assert self.going_on.wait(60)
        return scored(request)

    def __enter__(self) -> "Holding":
        self.host = Host(self.answer).__enter__()
        self.client = Client(self.host.url, connections=1, patience=0)
        self.first = self.threads.submit(self.client.score, numbered(50))
        until(lambda: len(self.host.requests) == 1)
        return self

    def __exit__(self, *_: object) -> None:
        self.going_on.set()
        self.threads.shutdown()
        self.host.__exit__()

    @property
    def waiting(self) -> int:
        """How many requests wait for the place."""
        return self.client._pool.threads._work_queue.qsize()

    def others(self, count: int = 1) -> list[Future[list[Result]]]:
        """Returns calls that wait."""
        asked = [self.threads.submit(self.client.score, [text_item("7")]) for _ in range(count)]
        until(lambda: self.waiting == count)
        return asked


@pytest.fixture
def holding():
    with Holding() as made:
        yield made


def test_calls_take_turns(holding):
    """A long one does not hold up the others; to wait for it uses up nobody's patience."""
    (other,) = holding.others()
    holding.going_on.set()
    assert other.result()[0].score == 7
    assert [one.score for one in holding.first.result()] == [*range(50)]
    sizes = [len(request.json["items"]) for request in holding.host.requests]
    assert sizes == [10, 1, 10, 10, 10, 10]


def test_who_waits_for_a_place_waits_no_longer_than_its_seconds(holding):
    (result,) = holding.client.score(numbered(1), seconds=0.2)
    assert (result.error_kind, result.message) == ("unfinished", "the time of its batch was over")
    assert len(holding.host.requests) == 1


def test_who_waits_for_a_place_can_be_cancelled(holding):
    async def main() -> None:
        asking = asyncio.create_task(holding.client.score_async(numbered(1)))
        while not holding.waiting:
            await asyncio.sleep(0.01)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking

    asyncio.run(main())  # ends when its threads have
    assert not holding.first.done()
    assert len(holding.client._pool.exchanges) == 1
    holding.going_on.set()
    assert [one.score for one in holding.first.result()] == [*range(50)]
    assert len(holding.host.requests) == 5


def test_to_close_a_client_ends_what_is_asked(holding):
    """Waiting or begun; then it can be used again."""
    others = holding.others(2)
    holding.client.patience = 300
    holding.client.close()
    for asked in (holding.first, *others):
        results = asked.result(30)
        assert {result.error_kind for result in results} == {"unfinished"}
        assert results[-1].message.startswith("the client was closed")
    assert len(holding.host.requests) == 1
    holding.going_on.set()
    assert holding.client.score(numbered(1))[0].score == 0


def test_the_time_in_which_others_are_asked_uses_up_no_patience():
    """A request fails, and waits for its place again for longer than the patience."""
    long = threading.Event()

    def answer(request: Request) -> Reply:
        numbers = [item["completion"] for item in request.json["items"]]
        if numbers == ["1"]:
            return refused(503, retry_after="1") if len(host.requests) < 4 else scored(request)
        long.wait(2)
        return scored(request)

    with Host(answer) as host, ThreadPoolExecutor() as threads:
        client = Client(host.url, connections=1, patience=2)
        failing = threads.submit(client.score, [text_item("1")])
        until(lambda: len(host.requests) == 1)
        assert client.score([text_item("2")])[0].score == 2
        assert failing.result()[0].score == 1
    assert [len(request.json["items"]) for request in host.requests] == [1] * 4


def test_awaited_it_gives_the_same():
    with Host(scored) as host:
        results = asyncio.run(Client(host.url).score_async(numbered(12)))
    assert [result.score for result in results] == [*range(12)]


def test_many_threads_may_share_a_client():
    found: list[list[Result]] = []
    with Host(scored) as host:
        client = Client(host.url)
        threads = [
            threading.Thread(target=lambda: found.append(client.score(numbered(25))))
            for _ in range(6)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert [[one.score for one in results] for results in found] == [[*range(25)]] * 6


def test_connections_are_those_of_all_calls_together():
    at_a_time, most, lock = 0, 0, threading.Lock()

    def answer(request: Request) -> Reply:
        nonlocal at_a_time, most
        with lock:
            at_a_time += 1
            most = max(most, at_a_time)
        time.sleep(0.02)
        with lock:
            at_a_time -= 1
        return scored(request)

    async def main() -> list[list[Result]]:
        calls = [client.score_async([text_item(str(number))]) for number in range(20)]
        return await asyncio.gather(*calls)

    with Host(answer) as host, Client(host.url, connections=2) as client:
        results = asyncio.run(main())
        with ThreadPoolExecutor(20) as threads:
            again = [*threads.map(lambda _: client.score(numbered(25)), range(20))]
    assert [result.score for (result,) in results] == [*range(20)]
    assert [[one.score for one in results] for results in again] == [[*range(25)]] * 20
    assert most == 2


@pytest.mark.parametrize("given", [bytes, str, Path])
def test_a_picture_is_its_bytes_or_a_file(given: Callable, tmp_path):
    (tmp_path / "a.png").write_bytes(b"GIF89a")
    made = picture(b"GIF89a" if given is bytes else given(tmp_path / "a.png"))
    assert made == {"base64": "R0lGODlh"}


@pytest.mark.parametrize("copied", [False, True])
def test_it_needs_nothing_but_the_standard_library(copied, tmp_path):
    """Without site-packages; imported from the package, or copied as one file."""
    folder, name = ROOT / "src", "helm_structext.serving.client"
    if copied:
        text = Path(module.__file__).read_text(encoding="utf-8")
        (tmp_path / "scores.py").write_text(text, encoding="utf-8")
        folder, name = tmp_path, "scores"
    code = (
        f"import sys; sys.path.insert(0, {str(folder)!r}); import {name} as client;"
        "import json; names = {name.partition('.')[0] for name in sys.modules};"
        "print(json.dumps(sorted(names - sys.stdlib_module_names)))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True
    )
    assert set(json.loads(done.stdout)) <= {"__main__", name.partition(".")[0]}
