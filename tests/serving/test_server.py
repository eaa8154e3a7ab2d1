"""Servers in processes of their own, on this machine: what clients, signals and kills do to them."""

import asyncio
import http.client
import json
import signal
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from http.client import HTTPResponse
from pathlib import Path
from unittest.mock import Mock

import h11
import pytest
import uvicorn
from uvicorn.server import ServerState

from helm_structext.cli import main
from helm_structext.integrations.trainers import URL, RemoteReward
from helm_structext.integrations.verl import compute_score
from helm_structext.renderers import render
from helm_structext.rewards import MMRReward, Reward
from helm_structext.sandbox import tree
from helm_structext.serving import client as module
from helm_structext.serving.client import Client, WrongRequest, picture
from helm_structext.serving.server import MAX_CONNECTIONS, ServerConnection
from support.documents import blocks
from support.serving import ENDLESS, Server, latex_item, served, text_item, until

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """An allowed folder with a picture of a formula."""
    made = tmp_path_factory.mktemp("references")
    render("latex", "$x^2$").image.save(made / "x.png")
    return made


@pytest.fixture(scope="module")
def server(folder) -> Iterator[Server]:
    with served("--allow", str(folder), "--max-megabytes", "1") as running:
        yield running
        assert running.stop() == 0


def ask(server: Server, *items: dict, path: str = "/v1/score", **options) -> HTTPResponse:
    """Asks once, and has read nothing yet."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    body = json.dumps({"items": items, **options})
    connection.request("POST", path, body, {"content-type": "application/json"})
    return connection.getresponse()


def post(server: Server, *items: dict, **options) -> tuple[int, dict]:
    """Asks once."""
    with ask(server, *items, **options) as answer:
        return answer.status, json.loads(answer.read())


def taken(server: Server) -> float:
    """Completions that wait or run."""
    return server.metric("helm_structext_queue") + server.metric("helm_structext_places_taken")


def test_scores_are_those_of_the_same_process(server, folder, monkeypatch):
    monkeypatch.setattr(module, "ITEMS", 3)
    components = {"earth_mover_similarity": 1.0}
    codes = ["$x^2$", "$x^3$", r"\nothing", "", "$x^2$"]
    data = (folder / "x.png").read_bytes()
    references = ["$x^2$", {"code": "$x^2$"}, picture(data), {"path": "x.png"}]
    references += [{"path": str(folder / "x.png")}]
    ours = Reward("latex", components)(codes, ["$x^2$", "$x^2$", data, data, data])
    items = [
        *(latex_item(c, reference=r) for c, r in zip(codes, references, strict=True)),
        text_item("Ema"),
    ]
    ours.append(MMRReward("text")("Ema", "Emma"))
    with Client(server.url) as client:
        theirs = client.score(items)
        assert [one.score for one in asyncio.run(client.score_async(items))] == [
            one.score for one in theirs
        ]
    for one, other in zip(ours, theirs, strict=True):
        assert (one.score, dict(one.components)) == (other.score, other.components)
        assert (one.error_kind, one.message) == (other.error_kind, other.message)
    assert [one.error_kind for one in theirs] == [None, None, "syntax", "empty", None, None]


def test_a_remote_reward_scores_as_one_of_this_process_does(server, folder):
    components = {"earth_mover_similarity": 0.5, "pixel_similarity": 0.5}
    codes = ["$x^2$", "$x^3$", r"\nothing", ""]
    with Client(server.url) as client:
        remote = RemoteReward(client, {"format": "latex"}, components, {"failure": -1.0})
        theirs = asyncio.run(remote.score(codes, ["$x^2$", picture(folder / "x.png")] * 2))
    ours = Reward("latex", components, failure=-1.0)(codes, ["$x^2$", folder / "x.png"] * 2)
    for one, other in zip(ours, theirs, strict=True):
        assert (one.score, dict(one.components)) == (other.score, other.components)
        assert (one.error_kind, one.message) == (other.error_kind, other.message)
    assert [one.score for one in theirs][2:] == [-1, -1]


def test_a_remote_reward_has_no_score_where_the_server_fails(server, monkeypatch):
    with Client(server.url) as client:
        remote = RemoteReward(client, {"kind": "text"}, {"pnls": 1.0})
        (result,) = asyncio.run(remote.score(["EMMA"], [{"answer": "Emma"}]))
        assert result.score == 1
        with pytest.raises(WrongRequest, match="no component 'iuo'; did you mean iou"):
            asyncio.run(replace(remote, components={"iuo": 1.0}).score(["EMMA"], ["Emma"]))
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        port = nobody.getsockname()[1]
    with Client(f"http://127.0.0.1:{port}", patience=0) as client:
        (lost,) = asyncio.run(replace(remote, client=client).score(["EMMA"], ["Emma"]))
    assert (lost.score, lost.error_kind) == (None, "server")


def test_verl_asks_a_server_by_its_address(server, monkeypatch):
    item = {"format": "latex", "components": {"earth_mover_similarity": 1.0}}
    ours = asyncio.run(compute_score("mine", "$x^3$", "$x^2$", item=item))
    scored = 'helm_structext_completions_total{format="latex",outcome="scored"}'
    before = server.metric(scored)
    theirs = asyncio.run(compute_score("mine", "$x^3$", "$x^2$", item=item, url=server.url))
    monkeypatch.setenv(URL, server.url)
    again = asyncio.run(compute_score("mine", "$x^3$", "$x^2$", {"structext": json.dumps(item)}))
    assert server.metric(scored) == before + 2
    assert ours["score"] == theirs["score"] == again["score"]
    assert ours.keys() == theirs.keys() == again.keys()


def test_the_reward_function_of_the_documents(server, folder):
    (block,) = (one for one in blocks("python") if one.document == "docs/serving.md")
    names: dict = {}
    exec(block.code.replace("http://127.0.0.1:8320", server.url), names)
    references = [folder / "x.png"] * 2
    assert names["reward"](["$x^2$", r"\nothing"], references) == [1, 0]


def test_a_client_that_vanishes_frees_its_places(server):
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    items = [latex_item(f"{ENDLESS}%{number}", timeout=600) for number in range(10)]
    body = json.dumps({"items": items})
    connection.request("POST", "/v1/score", body, {"content-type": "application/json"})
    until(lambda: server.metric("helm_structext_places_taken") > 0)
    assert server.metric("helm_structext_queue") > 0
    connection.close()
    until(lambda: server.metric("helm_structext_places_taken") == 0)
    assert server.metric("helm_structext_queue") == 0
    unfinished = 'helm_structext_completions_total{format="latex",outcome="unfinished"}'
    until(lambda: server.metric(unfinished) == 10)
    assert post(server, text_item())[1]["results"][0]["score"] == 1


def test_a_client_that_vanishes_from_a_stream_frees_its_places(server):
    connection = socket.create_connection(("127.0.0.1", server.port))
    body = json.dumps({"items": [text_item(), latex_item(ENDLESS, timeout=600)]}).encode()
    head = b"POST /v1/score?stream=1 HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json"
    connection.sendall(b"%b\r\nContent-Length: %d\r\n\r\n%b" % (head, len(body), body))
    received = b""
    while b'"item": 0' not in received:
        piece = connection.recv(1000)
        assert piece, received
        received += piece
    until(lambda: server.metric("helm_structext_places_taken") == 1)
    connection.close()
    until(lambda: server.metric("helm_structext_places_taken") == 0)


def test_bodies_that_are_too_long_are_refused_while_they_come(server):
    """Whoever sends them reads the refusal; who never ends is cut off."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    pieces = (b"x" * 100_000 for _ in range(15))
    headers = {"content-type": "application/json"}
    connection.request("POST", "/v1/score", pieces, headers, encode_chunked=True)
    answer = connection.getresponse()
    assert answer.status == 413
    assert json.loads(answer.read())["message"] == "a request has at most 1 MB"
    connection.close()
    endless = http.client.HTTPConnection("127.0.0.1", server.port)
    pieces = (b"x" * 100_000 for _ in iter(int, 1))
    with pytest.raises(OSError):  # noqa: PT011
        endless.request("POST", "/v1/score", pieces, headers, encode_chunked=True)
    endless.close()
    results = Client(server.url).score([text_item("x" * 1_500_000), text_item()])
    assert [result.error_kind for result in results] == ["server", None]


def test_a_body_that_ends_early_harms_nobody(server):
    connection = socket.create_connection(("127.0.0.1", server.port))
    head = b"POST /v1/score HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json"
    connection.sendall(head + b'\r\nContent-Length: 1000\r\n\r\n{"items": [')
    connection.close()
    assert post(server, text_item())[0] == 200


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"POST /v1/score HTTP/1.1\r\nhost: localh",
        b"POST /v1/score HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
        b"content-length: 99\r\n\r\n{",
    ],
)
def test_many_that_say_nothing_keep_nobody_from_being_served(server, said):
    with ExitStack() as stack:
        for _ in range(MAX_CONNECTIONS + 10):
            silent = stack.enter_context(socket.create_connection(("127.0.0.1", server.port)))
            silent.sendall(said)
        status, answer = post(server, text_item())
        assert (status, answer["results"][0]["score"]) == (200, 1)


def test_who_asks_where_all_others_wait_for_answers_is_not_ended():
    state = ServerState()
    config = uvicorn.Config(lambda *_: None, http=ServerConnection, log_config=None)

    def connect(heard: float, said: bytes) -> ServerConnection:
        made = ServerConnection(config, state, {}, Mock(**{"time.return_value": heard}))
        transport = Mock(**{"get_extra_info.return_value": None, "is_closing.return_value": False})
        made.connection_made(transport)
        made.conn.receive_data(said)
        while made.conn.their_state is not (h11.DONE if said else h11.IDLE):
            made.conn.next_event()
        return made

    asked = b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n"
    waiting = [connect(n, asked) for n in range(MAX_CONNECTIONS)]
    last = connect(MAX_CONNECTIONS, b"")
    assert not any(one.transport.abort.called for one in [*waiting, last])
    connect(MAX_CONNECTIONS + 1, b"")
    assert last.transport.abort.called
    assert not any(one.transport.abort.called for one in waiting)


def test_sigterm_finishes_what_runs_and_refuses_what_comes(tmp_path):
    with served(TMPDIR=str(tmp_path)) as server, ThreadPoolExecutor() as threads:
        running = threads.submit(post, server, latex_item(ENDLESS, timeout=3), text_item())
        until(lambda: len(tree(server.process.pid)) > 1)  # its engine has started
        processes = tree(server.process.pid)
        server.process.send_signal(signal.SIGTERM)
        status = 0
        while status != 503:
            status, said = post(server, text_item())
        assert said["message"] == "the server stops"
        status, said = running.result()
        assert status == 200
        assert [one["error_kind"] for one in said["results"]] == ["timeout", None]
        assert server.process.wait(30) == 0
    until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in processes))
    assert [*tmp_path.iterdir()] == []


def test_a_second_signal_gives_up_what_runs(tmp_path):
    """What came as a line has come; what has no result has no line."""
    endless = latex_item(ENDLESS, timeout=600)
    with served(TMPDIR=str(tmp_path)) as server, ThreadPoolExecutor() as threads:
        streamed = ask(server, text_item(), endless, path="/v1/score?stream=1")
        assert json.loads(streamed.readline())["score"] == 1
        until(lambda: len(tree(server.process.pid)) > 1)  # its engine has started
        running = threads.submit(post, server, endless)
        until(lambda: taken(server) == 2)
        processes = tree(server.process.pid)
        server.process.send_signal(signal.SIGTERM)
        until(lambda: post(server)[0] == 503)
        server.process.send_signal(signal.SIGINT)
        assert running.result()[0] == 503
        assert streamed.read() == b""
        assert server.process.wait(30) == 0
    until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in processes))
    assert [*tmp_path.iterdir()] == []


def test_a_client_that_reads_nothing_does_not_keep_the_server():
    """Its answer is larger than all buffers between them."""
    item = latex_item(reference={"path": "é" * 200})  # it comes back in the message
    body = json.dumps({"items": [item] * 4096}).encode()
    head = b"POST /v1/score?stream=1 HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json"
    answered = 'helm_structext_completions_total{format="latex",outcome="reference"}'
    with served("--grace", "1") as server, socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(("127.0.0.1", server.port))
        connection.sendall(b"%b\r\nContent-Length: %d\r\n\r\n%b" % (head, len(body), body))
        until(lambda: server.metric(answered) > 1)
        until(lambda: server.metric("helm_structext_queue") == 0)
        assert server.metric(answered) < 4096
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(30) == 0


def test_a_client_ends_with_all_results_though_the_server_is_killed(monkeypatch):
    monkeypatch.setattr(module, "ITEMS", 2)
    monkeypatch.setattr(module, "LONGEST_PAUSE", 0.5)
    codes = [f"$x^{number % 3}$" for number in range(24)]
    items = [latex_item(code, reference=code) for code in codes]
    answered = 'helm_structext_requests_total{status="200"}'
    with served() as server, ThreadPoolExecutor() as threads:
        asking = threads.submit(Client(server.url, connections=2).score, items)
        begun = 'helm_structext_completions_total{format="latex",outcome="scored"}'
        until(lambda: server.metric(begun) > 2)
        processes = tree(server.process.pid)
        server.process.kill()
        server.process.wait()
        assert not asking.done()
        until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in processes))
        with served(port=server.port) as again:
            results = asking.result()
            assert again.metric(answered) > 2
    assert [(result.score, result.error_kind) for result in results] == [(1, None)] * 24


def test_a_client_waits_where_too_much_waits(monkeypatch):
    monkeypatch.setattr(module, "ITEMS", 5)
    limits = ("--max-queue", "10", "--max-items", "10")
    with served(*limits, HELM_STRUCTEXT_WORKERS="1") as server:
        items = [latex_item(ENDLESS, timeout=1), *[text_item()] * 59]
        results = Client(server.url).score(items)
        assert server.metric('helm_structext_requests_total{status="429"}') > 0
    assert [result.score for result in results] == [0, *[1] * 59]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--host", "0.0.0.0"], "needs a token, in HELM_STRUCTEXT_SERVE_TOKEN or a file"),
        (["--host", "::"], "needs a token"),
        (["--host", "0.0.0.0", "--token-file", "short"], "at least 16 printable"),
        (["--token-file", "none"], "none holds no token"),
        (["--port", "70000"], "expected a port"),
        (["--max-items", "9", "--max-queue", "3"], "make it larger"),
        (["--allow", "nowhere"], "nowhere is not a folder"),
        (["--warm", "latx"], "format is 'latx'"),
        (["--host", "no.such.host.invalid", "--token-file", "long"], "can't be listened to"),
    ],
)
def test_a_server_that_can_t_be_is_not_started(arguments, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("short").write_text("x")
    Path("long").write_text("0123456789abcdef\n")
    assert main(["serve", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_a_port_that_is_taken_is_said(server, capsys):
    assert main(["serve", "--port", str(server.port)]) == 2
    assert f"127.0.0.1:{server.port} can't be listened to" in capsys.readouterr().err


def test_with_a_token_it_is_there_for_others(tmp_path):
    (tmp_path / "token").write_text("0123456789abcdef\n")
    with served("--host", "0.0.0.0", "--token-file", str(tmp_path / "token")) as server:
        here = f"http://127.0.0.1:{server.port}"
        (result,) = Client(here, token="0123456789abcdef").score([text_item()])
        with pytest.raises(module.WrongRequest, match="HTTP 401"):
            Client(here, token="0123456789abcdee").score([text_item()])
    assert result.score == 1
