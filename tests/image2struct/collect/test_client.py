import gzip
import logging
import socket
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from email.utils import formatdate
from itertools import pairwise

import httpx
import pytest

from helm_structext.errors import SetupError
from helm_structext.image2struct.collect import transfer
from helm_structext.image2struct.collect.answers import Answers, HostRequest, drop
from helm_structext.image2struct.collect.client import (
    LOST,
    MAX_TRIES,
    check_contact,
    check_credentials,
    downloading,
)
from helm_structext.image2struct.collect.database import Database
from helm_structext.image2struct.collect.refusals import CandidateRefused
from support.hosts import CONTACT, Host, Reply, Request, client, json_reply, zipped

SECRET = "ghp_0123456789abcdefSECRET"


@pytest.fixture(name="host")
def running_host():
    with Host(lambda request: Reply(f"{request.method} {request.path}")) as host:
        yield host


@pytest.fixture(name="asking")
def asking_client(host, tmp_path):
    with client(tmp_path, {"github-api": host.url}) as asking:
        yield asking


def refusal(asking, url, **options) -> str:
    with pytest.raises(CandidateRefused) as raised:
        asking.get(url, host="github-api", **options)
    assert raised.value.reason
    return raised.value.filter


# What is asked


def test_an_answer_comes_whole_and_says_from_where(host, asking):
    answer = asking.get(f"{host.url}/a", {"q": "x y&z"}, host="github-api", headers={"X-A": "1"})
    assert (answer.status, answer.content) == (200, b"GET /a")
    assert answer.url == f"{host.url}/a?q=x+y%26z"
    assert "content-length" in answer.headers
    (request,) = host.requests
    assert request.query == {"q": "x y&z"}
    assert request.headers["x-a"] == "1"
    assert request.headers["user-agent"].startswith("helm-structext/")
    assert CONTACT in request.headers["user-agent"]


def test_a_body_comes_byte_for_byte(host, asking, monkeypatch):
    monkeypatch.delenv("GITHUB_TOKEN", raising=False)
    every = bytes(range(256))
    members = gzip.compress(every) + gzip.compress(every)
    host.faults += [Reply(every), Reply(members, headers={"content-encoding": "x-gzip"})]
    assert asking.get(f"{host.url}/a", host="github-api").content == every
    assert asking.get(f"{host.url}/b", host="github-api").content == every + every


def test_nothing_is_asked_twice_in_a_round(host, tmp_path):
    for _ in range(2):
        with client(tmp_path, {"github-api": host.url}) as asking:
            for _ in range(2):
                asking.get(f"{host.url}/a", host="github-api")
                asking.get(f"{host.url}/a", {"page": "2"}, host="github-api")
                asking.get(f"{host.url}/a", host="github-api", headers={"accept": "text/plain"})
                answer = asking.post(f"{host.url}/b", {"y": 1, "x": 2}, host="github-api")
                assert answer.content == b"POST /b"
                assert asking.post(f"{host.url}/b", {"x": 2, "y": 1}, host="github-api") == answer
                asking.post(f"{host.url}/b", {"x": 3}, host="github-api")
    assert len(host.requests) == 5
    assert host.requests[3].json == {"x": 2, "y": 1}


def test_what_can_not_be_had_is_asked_for_once_too(host, tmp_path):
    host.faults.append(Reply("gone", 410))
    for _ in range(2):
        with client(tmp_path, {"github-api": host.url}) as asking:
            assert refusal(asking, f"{host.url}/a") == "not_found"
    assert len(host.requests) == 1


def test_what_expires_is_asked_anew(host, asking):
    for _ in range(2):
        asking.get(f"{host.url}/a", host="github-api", expires=True)
    assert len(host.requests) == 2


def test_an_answer_that_is_none_can_be_forgotten(host, asking):
    asking.forget(asking.get(f"{host.url}/a", host="github-api"))
    asking.get(f"{host.url}/a", host="github-api")
    assert len(host.requests) == 2


def test_another_round_asks_whether_it_is_still_the_same(host, tmp_path):
    replies = {"/same": Reply("one", headers={"etag": '"1"', "last-modified": "then"})}
    host.answer = lambda request: (
        Reply(status=304) if "if-none-match" in request.headers else replies[request.path]
    )
    for number in (1, 2, 3):
        with client(tmp_path, {"github-api": host.url}, round=number) as asking:
            for _ in range(2):
                assert asking.get(f"{host.url}/same", host="github-api").content == b"one"
    asked = [request.headers for request in host.requests]
    assert [headers.get("if-none-match") for headers in asked] == [None, '"1"', '"1"']
    assert asked[1]["if-modified-since"] == "then"
    host.answer = lambda request: Reply("two")
    with client(tmp_path, {"github-api": host.url}, round=4) as asking:
        assert asking.get(f"{host.url}/same", host="github-api").content == b"two"


def test_downloads_are_dropped_and_what_is_said_about_them_stays(tmp_path):
    kinds = {"/json": "application/json; charset=utf-8", "/tar": "application/gzip", "/none": ""}
    answer = lambda request: Reply("x" * 100, headers={"content-type": kinds[request.path]})  # noqa: E731
    with Host(answer) as host:
        for _ in range(2):
            with client(tmp_path, {"github-api": host.url}) as asking, downloading("a"):
                for path in kinds:
                    asking.get(f"{host.url}{path}", host="github-api")
                asking.get(f"{host.url}/tar", {"other": "1"}, host="github-api")
            with Database(tmp_path / "journal.sqlite") as database:
                with database.transaction() as connection:
                    drop(connection, 1, "b")
                assert not database.rows("SELECT * FROM answers WHERE body IS NULL")
        with Database(tmp_path / "journal.sqlite") as database:
            with database.transaction() as connection:
                drop(connection, 1, "a")
            kept = database.rows("SELECT url FROM answers WHERE body IS NOT NULL")
        assert kept == [(f"{host.url}/json",)]
        assert len(host.requests) == 4


def test_a_damaged_answer_is_asked_for_again(host, tmp_path):
    with client(tmp_path, {"github-api": host.url}) as asking:
        asking.get(f"{host.url}/a", host="github-api")
    with Database(tmp_path / "journal.sqlite") as database:
        database.write("UPDATE answers SET body = ?", b"GET /b")
    with client(tmp_path, {"github-api": host.url}) as asking:
        assert asking.get(f"{host.url}/a", host="github-api").content == b"GET /a"


# What hosts refuse


@pytest.mark.parametrize(
    ("status", "name"),
    [
        (403, "forbidden"),
        (404, "not_found"),
        (410, "not_found"),
        (451, "forbidden"),
        (400, "not_served"),
        (204, "not_served"),
        (206, "not_served"),
        (304, "not_served"),
        (405, "not_served"),
        (422, "not_served"),
    ],
)
def test_a_state_that_is_no_answer_refuses_one_thing(host, asking, status, name):
    host.faults.append(Reply("" if status in (204, 304) else "because", status))
    assert refusal(asking, f"{host.url}/a") == name
    asking.get(f"{host.url}/b", host="github-api")
    assert len(host.requests) == 2


def test_states_can_be_answers(host, asking):
    host.faults.append(Reply("empty", 409))
    answer = asking.get(f"{host.url}/a", host="github-api", accept=frozenset({200, 409}))
    assert (answer.status, answer.content) == (409, b"empty")


@pytest.mark.parametrize(
    "fault",
    [
        Reply("later", 500),
        Reply("later", 503, {"retry-after": "1"}),
        Reply("later", 429),
        Reply("later", 429, {"retry-after": formatdate(time.time() + 3000, usegmt=True)}),
        Reply("later", 403, {"retry-after": "60"}),
        Reply("later", 403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1"}),
        Reply("You have exceeded a secondary rate limit.", 403),
        Reply("{}", 200, {"mediawiki-api-error": "maxlag", "retry-after": "5"}),
        Reply("x" * 1000, cut=10),
        Reply(b"\x1f\x8b garbage", headers={"content-encoding": "gzip"}),
        Reply(gzip.compress(b"x" * 1000, mtime=0)[:-9], headers={"content-encoding": "x-gzip"}),
    ],
    ids=lambda fault: f"{fault.status}-{'-'.join(fault.headers)}",
)
def test_what_passes_is_asked_again(host, asking, fault):
    host.faults += [fault, fault]
    assert asking.get(f"{host.url}/a", host="github-api").content == b"GET /a"
    assert len(host.requests) == 3


@pytest.mark.parametrize(
    ("fault", "name"),
    [(Reply("", 500), "unavailable"), (Reply("x" * 1000, cut=10), "incomplete")],
)
def test_errors_time_after_time_refuse_one_thing_and_then_stop(host, asking, fault, name):
    host.answer = lambda request: Reply("fine") if request.path == "/fine" else fault
    for path in ("/a", "/b"):
        assert refusal(asking, f"{host.url}{path}") == name
    assert len(host.requests) == 2 * MAX_TRIES
    asking.get(f"{host.url}/fine", host="github-api")  # it is not out of order
    for path in range(LOST - 1):
        assert refusal(asking, f"{host.url}/{path}") == name
    with pytest.raises(SetupError, match="give the same command again"):
        asking.get(f"{host.url}/c", host="github-api")
    host.answer = lambda request: Reply("fine")
    assert asking.get(f"{host.url}/c", host="github-api").content == b"fine"


def test_nobody_there_is_the_machine_s(asking):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/"
        with pytest.raises(SetupError, match=r"github-api \(127.0.0.1:.* can't be asked"):
            asking.get(url, host="github-api")


def test_refused_credentials_are_the_user_s(host, asking):
    host.faults.append(Reply("", 401))
    with pytest.raises(SetupError, match="set GITHUB_TOKEN"):
        asking.get(f"{host.url}/a", host="github-api")


@pytest.mark.parametrize("header", [{"retry-after": "100000"}, {}])
def test_a_limit_that_lasts_too_long_says_for_how_long(host, asking, header):
    host.answer = lambda request: Reply("", 429, header)
    with pytest.raises(SetupError, match=r"for the next [\d,]+ seconds"):
        asking.get(f"{host.url}/a", host="github-api")


def test_it_waits_as_long_as_it_is_told_and_says_so(host, tmp_path):
    """Lower bounds alone: what a busy machine adds does not matter."""
    told: list[str] = []
    now = formatdate(1_000_000_000, usegmt=True)
    rest = {"date": now, "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1000000001"}
    host.faults += [Reply("", 429, {"retry-after": "1"}), Reply("", 200, rest)]
    with client(tmp_path, {"github-api": host.url}, pace=1.0, told=told.append) as asking:
        asking.get(f"{host.url}/a", host="github-api")
        asking.get(f"{host.url}/b", host="github-api")
    begins = [begin for begin, _ in host.times]
    assert all(later - sooner > 0.99 for sooner, later in pairwise(begins))
    assert told == []  # of seconds


def test_hosts_of_one_turn_are_left_alone_between_requests(tmp_path):
    with Host(lambda request: Reply("x")) as host:
        # By a name, for what is on this machine needs no pause.
        addresses = {"arxiv-oai": "https://oai.example.org", "arxiv-eprint": host.url}
        asks = [("arxiv-oai", "/a"), ("arxiv-eprint", "/b"), ("arxiv-oai", "/c")]
        with client(tmp_path, addresses, pace=0.2) as asking, ThreadPoolExecutor(4) as threads:
            [*threads.map(lambda ask: asking.get(host.url + ask[1], host=ask[0]), asks)]
    begins = sorted(begin for begin, _ in host.times)
    assert all(later - sooner > 0.59 for sooner, later in pairwise(begins))


def test_threads_ask_one_at_a_time_and_each_thing_once(tmp_path):
    answering: set[int] = set()
    most = []

    def answer(request: Request) -> Reply:
        answering.add(threading.get_ident())
        time.sleep(0.01)
        most.append(len(answering))
        answering.remove(threading.get_ident())
        return Reply(request.path)

    with (
        Host(answer) as host,
        client(tmp_path, {"github-api": host.url}) as asking,
        ThreadPoolExecutor(8) as threads,
    ):
        urls = [f"{host.url}/{number % 10}" for number in range(80)]
        answers = [*threads.map(lambda url: asking.get(url, host="github-api"), urls)]
    assert [answer.url for answer in answers] == urls
    assert sorted(host.paths) == [f"/{number}" for number in range(10)]
    assert max(most) == 1


def test_who_waits_can_be_stopped(host, tmp_path):
    host.faults.append(Reply("", 429, {"retry-after": "3000"}))
    waiting = threading.Event()
    options = {"pace": 1.0, "told": lambda _: waiting.set()}
    with (
        client(tmp_path, {"github-api": host.url}, **options) as asking,
        ThreadPoolExecutor(1) as threads,
    ):
        asked = threads.submit(asking.get, f"{host.url}/a", host="github-api")
        assert waiting.wait(60)
        asking.close()
        with pytest.raises(SetupError, match="stopped"):
            asked.result(60)


# Bounds


def test_a_body_has_a_bound_decompressed_or_not(host, asking):
    host.faults += [Reply("x" * 1001), zipped(Reply(bytes(50_000_000)))]
    for path in ("/plain", "/bomb"):
        assert refusal(asking, f"{host.url}{path}", max_bytes=1000) == "too_large"
    host.faults.append(zipped(Reply("x" * 1000)))
    answer = asking.get(f"{host.url}/fits", host="github-api", max_bytes=1000)
    assert answer.content == b"x" * 1000
    assert len(host.requests) == 3


def test_an_encoding_that_nobody_asked_for_is_refused(host, asking):
    host.faults.append(Reply(b"x", headers={"content-encoding": "br"}))
    assert refusal(asking, f"{host.url}/a") == "not_served"


@pytest.mark.parametrize(
    "slow", [Reply("x" * 1000, pause=0.05), Reply("x", silence=60)], ids=["bytes", "silence"]
)
def test_an_answer_has_its_time(host, tmp_path, slow):
    host.faults.append(slow)
    with client(tmp_path, {"github-api": host.url}, seconds=0.4) as asking:
        assert refusal(asking, f"{host.url}/a") == "too_slow"
    assert len(host.requests) == 1


@contextmanager
def dripping_headers():
    """A server whose headers come byte by byte, and never end."""
    ended = threading.Event()

    def serve(listening: socket.socket) -> None:
        connection, _ = listening.accept()
        with connection:
            connection.recv(10_000)
            connection.sendall(b"HTTP/1.1 200 OK\r\nX-A: ")
            while not ended.wait(0.02):
                try:
                    connection.sendall(b"a")
                except OSError:
                    return

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=serve, args=[listening])
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        ended.set()
        thread.join()


def test_headers_have_their_time_too(tmp_path):
    with dripping_headers() as url, client(tmp_path, {"github-api": url}, seconds=0.4) as asking:
        assert refusal(asking, f"{url}/a") == "too_slow"


# Redirects


def test_redirects_are_followed_a_few_times(host, asking):
    host.faults += [Reply("", status, {"location": f"/{status}"}) for status in (301, 302, 307)]
    answer = asking.get(f"{host.url}/a", host="github-api")
    assert (answer.content, answer.url) == (b"GET /307", f"{host.url}/307")
    host.answer = lambda request: Reply("", 302, {"location": request.path})
    assert refusal(asking, f"{host.url}/round") == "not_served"


def test_a_redirect_that_repeats_a_secret_is_not_followed(host, asking, monkeypatch):
    monkeypatch.setenv("GITHUB_TOKEN", SECRET)
    with Host(lambda request: Reply("other")) as other:
        host.faults.append(Reply("", 302, {"location": f"{other.url}/{SECRET}"}))
        assert refusal(asking, f"{host.url}/a") == "not_served"
        assert other.requests == []


@pytest.mark.parametrize(
    "target",
    [
        *("ftp://a/b", "file:///etc/passwd", "http://[", "javascript:1", ""),
        *("http://0177.0.0.1/", "http://１２７.0.0.1/", "http://%31%32%37.1/"),
    ],
)
def test_redirects_lead_to_the_web_alone(host, asking, target):
    host.faults.append(Reply("", 302, {"location": target.encode().decode("latin-1")}))
    if target:
        assert refusal(asking, f"{host.url}/a") == "not_served"
    else:  # to itself
        assert asking.get(f"{host.url}/a", host="github-api").content == b"GET /a"


# Forms in which systems read an address, and such as stand for another one.
INSIDE = (
    *("127.1", "2130706433", "0x7f000001", "0177.1", "0", "127。0。0。1", "10.1", "224.0.0.1"),
    *("[::ffff:127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[fe80::1]", "a.localhost"),
)


@pytest.mark.parametrize(
    ("start", "target"),
    [
        ("https://example.org/", "http://example.org/"),
        ("https://example.org/", "https://127.0.0.1/"),
        ("http://example.org/", "http://169.254.169.254/latest"),
        ("http://example.org/", "http://localhost:8080/"),
        *[("http://example.org/", f"http://{host}/") for host in INSIDE],
    ],
)
def test_redirects_lead_neither_into_a_network_nor_out_of_encryption(start, target):
    with pytest.raises(CandidateRefused, match="redirect"):
        transfer.check_redirect(httpx.URL(start), httpx.URL(target), transfer.NOTHING_TO_HIDE)


@pytest.fixture(name="addresses")
def addresses_of_names(monkeypatch):
    """Addresses of `internet.example`, each look-up the next one's; only 127.0.0.1 counts as the internet."""
    asked: list[list[str]] = []
    system = socket.getaddrinfo

    def look_up(host, port, *rest, **options):
        names = asked.pop(0) if host == "internet.example" else [host]
        return [found for name in names for found in system(name, port, *rest, **options)]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    monkeypatch.setattr(transfer, "_is_inside", lambda address: str(address) != "127.0.0.1")
    return asked


@pytest.mark.parametrize("led", [["127.0.0.2"], ["127.0.0.1", "127.0.0.2"], ["::1"]])
def test_a_name_with_an_address_inside_is_not_connected_to(host, asking, addresses, led):
    port = host.url.rpartition(":")[2]
    target = f"http://internet.example:{port}"
    addresses += [["127.0.0.1"], led]
    host.faults.append(Reply("", 302, {"location": f"{target}/b"}))
    assert refusal(asking, f"{target}/a") == "not_served"
    assert [request.path for request in host.requests] == ["/a"]


def test_a_name_is_looked_up_once_and_that_address_connected_to(host, asking, addresses):
    port = host.url.rpartition(":")[2]
    addresses += [["127.0.0.1"], ["127.0.0.2"]]
    answer = asking.get(f"http://internet.example:{port}/a", host="github-api")
    assert answer.url == f"http://internet.example:{port}/a"
    assert host.requests[0].headers["host"] == f"internet.example:{port}"
    assert addresses == [["127.0.0.2"]]


def test_a_proxy_looks_names_up_itself_but_for_hosts_without_one(host, asking, monkeypatch):
    def look_up(*_, **__):
        raise AssertionError("a name was looked up")

    monkeypatch.setenv("http_proxy", host.url.removeprefix("http://"))
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr(transfer, "_look_up", look_up)
    asking.get("http://internet.example/a", host="github-api")
    assert host.requests[0].headers["host"] == "internet.example"
    with pytest.raises(RuntimeError, match="a name was looked up"):
        transfer.Wire("agent", 60).send(HostRequest("github-api", "GET", host.url, {}, None))


@pytest.mark.parametrize("name", ["a" * 64, f"{'a' * 64}.example", "a..b", "xn--a" + "b" * 70])
def test_a_redirect_to_a_name_that_no_host_can_have_is_refused(host, asking, name):
    host.faults.append(Reply("", 302, {"location": f"http://{name}/"}))
    assert refusal(asking, f"{host.url}/a") == "not_served"


def test_the_next_address_is_tried_where_nobody_is_at_the_first(host, asking, addresses):
    port = host.url.rpartition(":")[2]
    addresses += [["127.0.0.3", "127.0.0.1"]]
    assert asking.get(f"http://internet.example:{port}/a", host="github-api").content == b"GET /a"


@pytest.mark.parametrize(
    "url", ["", "a", "ftp://a", "http://", "http://a\nb/", "x" * 10_000, "http://[/"]
)
def test_an_address_that_is_none_is_refused(asking, url):
    with pytest.raises((CandidateRefused, SetupError)):
        asking.get(url, host="github-api")


# Secrets


def test_credentials_go_to_their_host_alone(host, tmp_path, monkeypatch):
    monkeypatch.setenv("GITHUB_TOKEN", SECRET)
    monkeypatch.setenv("PERSPECTIVE_API_KEY", SECRET)
    with Host(lambda request: Reply("other")) as other:
        addresses = {"github-api": host.url, "perspective": host.url, "arxiv-oai": host.url}
        with client(tmp_path, addresses) as asking:
            host.faults.append(Reply("", 302, {"location": f"{other.url}/b"}))
            assert asking.get(f"{host.url}/a", host="github-api").content == b"other"
            asking.get(f"{other.url}/c", host="github-api")
            asking.get(f"{host.url}/d", host="arxiv-oai")
            asking.post(f"{host.url}/e", {}, host="perspective")
        assert host.requests[0].headers["authorization"] == f"Bearer {SECRET}"
        assert "authorization" not in host.requests[1].headers
        assert host.requests[2].headers["x-goog-api-key"] == SECRET
        assert host.requests[2].query == {}
        assert not [request for request in other.requests if SECRET in repr(request)]


def chained(error: BaseException | None) -> str:
    """All that an exception says or holds, and what stands behind it."""
    if error is None:
        return ""
    behind = chained(error.__cause__) + chained(error.__context__)
    return f"{error!r} {error} {vars(error)} {''.join(traceback.format_exception(error))} {behind}"


def secret_of(request: Request) -> str:
    headers = request.headers
    return headers.get("x-goog-api-key") or headers["authorization"].removeprefix("Bearer ")


ECHOES = {
    "fine": lambda request: Reply(f"you said {request.query} {request.headers}"),
    "header": lambda request: json_reply({}, x_echo=f"{request.query} {request.headers}"),
    "refused": lambda request: Reply(f"you said {request.query} {request.headers}", 404),
    "unauthorized": lambda request: Reply(f"{request.headers}", 401),
    "broken": lambda request: Reply(f"{request.headers}" * 100, cut=5),
    "slow": lambda request: Reply("x", silence=60),
    "error": lambda request: Reply(f"{request.headers}", 500),
    "garbage": lambda request: Reply("x", headers={"content-encoding": "gzip"}),
    "redirect": lambda request: Reply("", 302, {"location": f"/x?{secret_of(request)}"}),
}


@pytest.mark.parametrize("name", ECHOES)
def test_secrets_are_nowhere_but_in_the_request(name, tmp_path, monkeypatch, caplog, capfd):
    monkeypatch.setenv("GITHUB_TOKEN", SECRET)
    monkeypatch.setenv("PERSPECTIVE_API_KEY", SECRET)
    caplog.set_level(logging.DEBUG)
    said = ""
    with Host(ECHOES[name]) as host:
        addresses = {"github-api": host.url, "perspective": host.url}
        with client(tmp_path, addresses, seconds=0.3 if name == "slow" else 60) as asking:
            for ask in (
                lambda: asking.get(f"{host.url}/a", host="github-api"),
                lambda: asking.post(f"{host.url}/b", {"x": 1}, host="perspective"),
            ):
                try:
                    said += repr(ask())
                except (CandidateRefused, SetupError) as error:
                    said += chained(error)
        assert any(SECRET in repr(request) for request in host.requests)
    assert said
    assert SECRET not in said
    assert SECRET not in caplog.text
    assert SECRET not in "".join(capfd.readouterr())
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert files
    assert not [file for file in files if SECRET.encode() in file.read_bytes()]


def test_credentials_are_looked_for_before_the_first_request(monkeypatch):
    monkeypatch.delenv("GITHUB_TOKEN", raising=False)
    with pytest.raises(SetupError, match="Set the environment variable GITHUB_TOKEN"):
        check_credentials(("GITHUB_TOKEN",))
    for wrong in ("a\nb", "a b", "é"):
        monkeypatch.setenv("GITHUB_TOKEN", wrong)
        with pytest.raises(SetupError) as raised:
            check_credentials(())
        assert wrong not in str(raised.value)
    monkeypatch.setenv("GITHUB_TOKEN", SECRET)
    check_credentials(("GITHUB_TOKEN",))


@pytest.mark.parametrize("contact", ["", "me", "a b@c", "a@b\n", "é@b", "ftp://a", "@", "a@b)"])
def test_hosts_are_told_whom_to_write_to(contact):
    with pytest.raises(SetupError, match="--contact"):
        check_contact(contact)


def test_who_is_about_to_ask_when_it_is_closed_is_stopped_too(host, tmp_path, monkeypatch):
    with client(tmp_path, {"github-api": host.url}) as asking:
        find = asking._answers.find
        monkeypatch.setattr(
            asking._answers, "find", lambda question: (find(question), asking.close())[0]
        )
        with pytest.raises(SetupError, match=r"^stopped"):
            asking.get(f"{host.url}/a", host="github-api")
        assert host.requests == []


def test_a_full_disk_stops_before_anybody_sees_the_answer(host, tmp_path):
    with client(tmp_path, {"github-api": host.url}) as asking:
        asking.get(f"{host.url}/a", host="github-api")
        database: Database = asking._answers._database
        pages = database.rows("PRAGMA page_count")[0][0]
        database.rows(f"PRAGMA max_page_count={pages + 2}")
        host.faults.append(Reply("x" * 100_000))
        with pytest.raises(SetupError, match="free some space on its disk"):
            asking.get(f"{host.url}/b", host="github-api")
        database.rows("PRAGMA max_page_count=1000000")
        assert asking.get(f"{host.url}/b", host="github-api").content == b"GET /b"
        assert isinstance(asking._answers, Answers)
