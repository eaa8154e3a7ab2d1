import json
import logging
from contextlib import contextmanager
from datetime import date

import pytest

from helm_structext.errors import SetupError
from helm_structext.image2struct.collect import toxicity
from helm_structext.image2struct.collect.filters import toxic
from helm_structext.image2struct.collect.records import Download
from helm_structext.image2struct.collect.toxicity import (
    LOCAL_LIMIT,
    MAX_CHARACTERS,
    local,
    moderation_endpoint,
    perspective,
)
from support.drafts import candidate, tools
from support.hosts import Host, Reply, client, json_reply
from support.moderation_servers import KEY, moderation_server, perspective_server

SERVICES = {
    "perspective": (perspective_server, perspective),
    "moderation": (moderation_server, moderation_endpoint),
}


@pytest.fixture(autouse=True)
def credentials(monkeypatch):
    monkeypatch.setenv("PERSPECTIVE_API_KEY", KEY)
    monkeypatch.setenv("MODERATION_API_KEY", "moderation-key")
    monkeypatch.setattr(toxicity, "PERSPECTIVE_ENDS", date.max)


@contextmanager
def moderating(name, folder, host=None):
    """Yields a service on this machine, and the moderation that asks it."""
    server, make = SERVICES[name]
    with host or server() as running, client(folder, {name: running.url}) as asking:
        yield running, make(asking, running.url)


@pytest.mark.parametrize("name", SERVICES)
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a proof of the lemma", None),
        ("a mild kiss", None),
        ("borderline", "toxicity 0.50"),
        ("a flirt", "sexually explicit 0.30"),
    ],
)
def test_a_text_is_refused_from_the_published_limits_on(name, text, reason, tmp_path):
    with moderating(name, tmp_path) as (_, moderate):
        found = moderate(["harmless", text])
    assert found == (reason and f"{reason} (text 2 of 2)")


def test_a_text_that_a_service_flags_is_refused(tmp_path):
    with moderating("moderation", tmp_path, moderation_server(with_scores=False)) as (_, moderate):
        assert moderate(["harmless", "borderline"]) is None
        assert moderate(["harmless", "you idiot"]) == "flagged as harassment (text 2 of 2)"


def test_several_texts_share_a_request_where_a_service_takes_them(tmp_path):
    with moderating("moderation", tmp_path) as (host, moderate):
        assert moderate([f"text {number}" for number in range(40)]) is None
        assert [len(request.json["input"]) for request in host.requests] == [16, 16, 8]
        assert "model" not in host.requests[0].json


def test_perspective_is_asked_no_more_than_it_takes(tmp_path):
    with moderating("perspective", tmp_path) as (host, moderate):
        assert moderate(["x " * 20_000, "é" * 20_000]) is None
        first, second = (request.json["comment"]["text"] for request in host.requests)
        assert len(first) == MAX_CHARACTERS
        assert second == "é" * 10_240
        # The first text that is refused is the last that costs a request.
        assert moderate(["you idiot", "never asked"])
        assert len(host.requests) == 3
        assert all(request.json["doNotStore"] is True for request in host.requests)


def test_what_is_not_judged_is_not_published(tmp_path):
    with moderating("perspective", tmp_path) as (_, moderate):
        assert moderate(["unjudgeable"]) == (
            "Perspective doesn't judge it: UNSUPPORTED_TEXT (text 1 of 1)"
        )


def test_a_quota_is_waited_out(tmp_path):
    with moderating("perspective", tmp_path) as (host, moderate):
        exceeded = {"error": {"code": 429, "status": "RESOURCE_EXHAUSTED"}}
        host.faults += [json_reply(exceeded, 429), Reply("", 503)]
        assert moderate(["harmless"]) is None
        assert len(host.requests) == 3


def test_a_key_that_is_refused_stops_the_round_and_is_not_remembered(tmp_path, monkeypatch, caplog):
    caplog.set_level(logging.DEBUG)
    secret = "not-the-right-key"
    with moderating("perspective", tmp_path) as (_, moderate):
        monkeypatch.setenv("PERSPECTIVE_API_KEY", secret)
        with pytest.raises(SetupError, match="PERSPECTIVE_API_KEY") as caught:
            moderate(["harmless"])
        monkeypatch.setenv("PERSPECTIVE_API_KEY", KEY)
        assert moderate(["harmless"]) is None
    assert secret not in str(caught.value)
    assert secret not in caplog.text
    assert not [file for file in tmp_path.iterdir() if secret.encode() in file.read_bytes()]


@pytest.mark.parametrize("name", SERVICES)
@pytest.mark.parametrize(
    "body",
    [
        "<html>",
        "[]",
        "{}",
        "[" * 100_000,
        json.dumps({"results": []}),
        json.dumps({"results": [{}]}),
        json.dumps({"results": [{"flagged": 0}]}),
        json.dumps({"results": ["x"]}),
        '{"results": [{"flagged": false, "category_scores": {"sexual": NaN}}]}',
        '{"results": [{"flagged": false, "category_scores": {"hate": true}}]}',
        '{"results": [{"flagged": false, "category_scores": [1]}]}',
        '{"attributeScores": {"TOXICITY": {"summaryScore": {"value": 0.1}}}}',
    ],
)
def test_an_answer_that_is_none_never_counts_as_harmless(name, body, tmp_path):
    replies = [Reply(body), None]
    server = SERVICES[name][0]()
    right = server.answer
    server.answer = lambda request: replies.pop(0) or right(request)
    with moderating(name, tmp_path, server) as (_, moderate):
        with pytest.raises(SetupError, match="no moderation"):
            moderate(["harmless"])
        assert moderate(["harmless"]) is None


def test_an_error_without_a_reason_is_no_moderation(tmp_path):
    with moderating("perspective", tmp_path, Host(lambda _: Reply("{}", 400))) as (_, moderate):  # noqa: SIM117
        with pytest.raises(SetupError, match="no moderation"):
            moderate(["harmless"])


def test_a_download_with_a_toxic_text_is_refused(tmp_path):
    files = {"a.tex": b"harmless", "b.png": b"\0idiot", "c.tex": b"you idiot"}
    with moderating("perspective", tmp_path) as (host, moderate):
        reason = toxic(Download(candidate(), files), tools(moderation=moderate))
        assert reason == "toxicity 0.90 (text 2 of 2)"
        assert len(host.requests) == 2


# On this machine


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n",
        "a proof of the lemma",
        r"\begin{equation} e^{i\pi} = -1 \end{equation}",
        "<html><body><p>Hello, I am Ann and this is my site.</p></body></html>",
        "The harmless lemma. " * 5_000,
        "x" * 100_000,
    ],
)
def test_decent_texts_are_published(text):
    assert local()([text]) is None


@pytest.mark.parametrize("text", ["you idiot", "Fuck off, all of you.", "<p>You stupid bitch</p>"])
def test_an_insult_is_found_wherever_it_stands(text):
    harmless = "The lemma holds for every group of finite order. "
    for around in (text, f"{harmless * 100}\n{text}\n{harmless * 100}"):
        score = toxicity.toxicity(around)
        assert LOCAL_LIMIT <= score <= 1
        assert local()([harmless, around]) == f"toxicity {score:.2f} (text 2 of 2)"


def test_what_a_local_model_does_not_see_is_written_down():
    """As the documents say: threats in decent words, and other languages."""
    assert local()(["I will find you and end your life.", "Du bist ein Vollidiot."]) is None


def test_perspective_is_not_asked_after_its_end(tmp_path, monkeypatch):
    monkeypatch.setattr(toxicity, "PERSPECTIVE_ENDS", date(2026, 1, 1))
    with perspective_server() as host, client(tmp_path, {"perspective": host.url}) as asking:
        with pytest.raises(SetupError, match="--moderation local"):
            perspective(asking, host.url)
        assert host.requests == []
