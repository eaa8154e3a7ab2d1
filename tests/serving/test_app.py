"""What the app answers to right and wrong requests, in this process; nothing here starts an engine."""

import asyncio
import base64
import io
import json
import os
import re
import threading
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from PIL import Image

from helm_structext.errors import SetupError
from helm_structext.findings import Findings
from helm_structext.passport import read_passport
from helm_structext.rewards import COMPONENTS, Reward
from helm_structext.rewards.queue import WorkQueue
from helm_structext.rewards.result import Measured
from helm_structext.scoring.handling import Failure, NotScored
from helm_structext.serving import items, messages
from helm_structext.serving.app import create_app
from helm_structext.serving.items import content
from helm_structext.serving.service import ServerSettings
from support.serving import latex_item, text_item

TOKEN = "0123456789abcdef"


def client(**settings) -> TestClient:
    app = create_app(ServerSettings(warm=(), **settings))
    return TestClient(app, base_url="http://localhost", raise_server_exceptions=False)


COLOR = "mmr:task=font_color,source=sample"


@pytest.fixture(scope="module")
def app() -> Iterator[TestClient]:
    with client(max_items=200, max_megabytes=2, entries=(COLOR,)) as made:
        yield made


def score(app: TestClient, *given, **batch):
    """The results, or the refusal with its status; as JSON can say them."""
    body = json.dumps({"items": given, **batch})
    answer = app.post("/v1/score", content=body, headers={"content-type": "application/json"})
    if answer.status_code != 200:
        return answer.status_code, answer.json()["message"]
    return answer.json()["results"]


def png(size: tuple[int, int] = (8, 8)) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", size, "red").save(file, "PNG")
    return file.getvalue()


# Right requests


def test_a_judge_that_the_server_was_started_with_looks_at_pictures(tmp_path):
    def asked(**more):
        reference = {
            "raw_output_metric": ["Total"],
            "VQA": [
                {"question": "What is the title?", "answer": "Total"},
                {"question": "What is below?", "answer": "Giraffe"},
            ],
        }
        item = {"task": "text_to_typst", "completion": "= Total", "reference": reference}
        return {**item, **more}

    needed = {"components": {"vqa_score": 1.0}}
    with client(judge="structext/ocr-judge", local_path=tmp_path) as app:
        judged, chosen, without = score(
            app, asked(), asked(**needed), asked(reference=["Total"]), protocol="corrected"
        )
        assert judged["components"] == {"syntax_score": 1.0, "keyword_score": 1.0, "vqa_score": 0.5}
        assert judged["score"] == pytest.approx(0.2 + 0.1 + 0.7 * 0.5)
        assert chosen["score"] == 0.5
        assert (without["score"], without["error_kind"]) == (None, "reference")
    with client() as app:
        status, message = score(app, asked(**needed))
        assert status == 422
        assert "vqa_score of text_to_typst needs a judge" in message
    with pytest.raises(SetupError, match="nobody/knows"):
        create_app(ServerSettings(warm=(), judge="nobody/knows", local_path=tmp_path))


def test_results_have_every_field_and_the_order_of_the_items(app):
    given = [
        text_item(),
        {"task": "text_to_json", "completion": '{"a": 1}', "reference": ["a", "b"]},
        text_item("Emma", "nothing of it"),
        {"kind": "choice", "completion": "the second", "reference": "2"},
    ]
    results = score(app, *given)
    assert [result["score"] for result in results] == pytest.approx(
        [1, 0.6, results[2]["score"], 0]
    )
    assert results[1]["components"] == {"syntax_score": 1, "path_score": 0.5}
    assert [result["error_kind"] for result in results] == [None, None, None, "syntax"]
    for result in results:
        assert set(result) == {*messages.ItemResult.model_fields} - {"findings"}
        assert result["waited"] >= 0 <= result["worked"]


def test_what_an_item_leaves_out_is_the_batch_s(app):
    wrong = {"kind": "choice", "completion": "none", "reference": "2"}
    results = score(app, wrong, {**wrong, "failure": -2}, failure=-1)
    assert [result["score"] for result in results] == [-1, -2]
    results = score(app, text_item(), text_item(components={"pnls": 3}), components={"pnls": 2})
    assert [result["score"] for result in results] == [2, 3]
    json_ = {"task": "text_to_json", "completion": "{}", "reference": []}
    # Of the others' options it knows nothing.
    assert score(app, json_, text_item(), timeout=3, lenient="pixel", guards=[])[1]["score"] == 1


def test_results_come_as_lines(app):
    for path, headers in (("?stream=true", {}), ("", {"accept": "application/x-ndjson"})):
        with app.stream(
            "POST", f"/v1/score{path}", json={"items": [text_item()] * 3}, headers=headers
        ) as answer:
            lines = [json.loads(line) for line in answer.iter_lines()]
        assert answer.headers["content-type"] == "application/x-ndjson"
        assert sorted(line["item"] for line in lines) == [0, 1, 2]
        assert {line["score"] for line in lines} == {1}
        assert set(lines[0]) == {*messages.NumberedResult.model_fields} - {"findings"}


def test_no_item_is_no_result(app):
    assert score(app) == []


def test_boxes_are_read_in_pixels(app):
    item = {
        "kind": "box",
        "completion": "at [0, 0, 50, 50]",
        "reference": {"answer": "[0, 0, 0.5, 0.5]", "size": [100, 100]},
        "lenient": "pixel",
        "components": {"iou_lenient": 1},
    }
    (result,) = score(app, item)
    assert result["components"] == {"iou_lenient": 1}


def test_a_server_has_a_passport(app):
    found = app.get("/v1/passport").json()
    assert read_passport(found).hash == found["passport"]
    assert "engine latex" in found["parts"]
    assert "judge" not in found["parts"]


def test_what_can_be_scored_is_listed(app):
    listed = app.get("/v1/formats").json()
    assert listed["formats"]["latex"]["seconds"] > 0
    assert listed["tasks"]["text_to_json"] == {"format": "json", "rendered": False}
    assert listed["components"]["format"] == [*COMPONENTS]
    assert (listed["max_items"], listed["max_bytes"]) == (200, 2_000_000)


def test_instances_of_the_run_entries_that_it_was_started_with_are_scored(app):
    of_color = {"entry": COLOR, "reference": "font_color-0"}
    right, wrong, strange = score(
        app,
        {**of_color, "completion": "2"},
        {**of_color, "completion": "1", "components": {"accuracy": 1.0, "valid_format": 0.5}},
        {**of_color, "completion": "2", "reference": "font_color-999"},
    )
    assert (right["score"], right["components"]) == (1.0, {"correct": 1.0})
    assert wrong["score"] == 0.5
    assert (strange["score"], strange["error_kind"]) == (None, "reference")
    assert "correct" in app.get("/v1/formats").json()["entries"][COLOR]


@pytest.mark.parametrize(
    "entry", ["mmr:source=sample", "mmr:task=font_color,source=/etc", "structeval:source=hub", ""]
)
def test_no_request_makes_the_server_read_other_data(app, entry, monkeypatch):
    monkeypatch.setitem(items.REWARDS, "entry", None)
    item = {"entry": entry, "completion": "2", "reference": "font_color-0"}
    status, message = score(app, item)
    assert status == 422
    assert f"is not served; there are {COLOR}" in message


def test_a_server_whose_run_entry_is_none_does_not_start():
    with pytest.raises(SetupError, match="task=poem is unknown"):
        create_app(ServerSettings(entries=("mmr:task=poem",)))


def test_every_reference_of_openapi_leads_somewhere(app):
    described = app.get("/openapi.json").json()
    text = json.dumps(described)
    schemas = described["components"]["schemas"]
    named = {part.partition('"')[0] for part in text.split('"#/components/schemas/')[1:]}
    assert {"ScoreRequest", "PictureItem", "MMRItem", "ItemResult"} <= named <= set(schemas)
    assert "$defs" not in text
    assert all("description" in schema for schema in schemas.values())


# Wrong requests


@pytest.mark.parametrize(
    ("given", "batch", "message"),
    [
        ([text_item(), text_item(components={"pnl": 1})], {}, "item 1: .*'pnl'.*did you mean pnls"),
        ([latex_item(components={"ems": 1})], {}, "earth_mover_similarity, earth_mover"),
        ([text_item()], {"components": {"ems": 1}}, "item 0: there is no component 'ems'"),
        ([text_item(components={})], {}, ""),
        ([text_item(components={"pnls": "1"})], {}, "item 0: components.pnls: .*number"),
        ([text_item(components={"pnls": float("nan")})], {}, "finite number"),
        ([text_item()], {"failure": float("inf")}, "failure: .*finite number"),
        ([latex_item(format="latx")], {}, "item 0: format is 'latx'; expected one of latex"),
        ([latex_item(format=3)], {}, "item 0: format: .*string"),
        ([latex_item(timeout=0)], {}, "item 0: timeout: .*greater than 0"),
        ([latex_item(timeout=1e9)], {}, "item 0: timeout: "),
        ([latex_item(guards=["none"])], {}, "item 0: there is no guard 'none'; .*length"),
        ([latex_item(size_handling="crop")], {}, "'padding', 'resize' or 'error'"),
        ([latex_item(protocol="strict")], {}, "'published' or 'corrected'"),
        ([latex_item(reference=3)], {}, "item 0: reference"),
        ([latex_item(reference={"url": "http://localhost"})], {}, "item 0: reference"),
        ([text_item(kind="smell")], {}, "kind is 'smell'; expected one of choice"),
        ([text_item(completion=3)], {}, "item 0: completion: "),
        ([text_item(compl="x")], {}, "item 0: compl: Extra inputs"),
        ([{"task": "x_to_y", "completion": "", "reference": []}], {}, "task is 'x_to_y'"),
        (
            [{"completion": "", "reference": ""}],
            {},
            "one of the fields format, task, kind and entry",
        ),
        (["text"], {}, "item 0: an item has one of"),
        ([text_item()], {"seconds": -1}, "seconds: .*greater than 0"),
        ([text_item()], {"wait": 1}, "wait: Extra inputs"),
    ],
)
def test_a_wrong_request_is_refused_with_the_item_and_the_reason(app, given, batch, message):
    found = score(app, *given, **batch)
    if message:
        assert found[0] == 422
        assert re.search(message, found[1])
    else:
        assert found[0]["score"] == 1


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"\xff\xfe", 400),
        (b'{"items": [}', 400),
        (b"[" * 100_000, 400),
        (b'{"items": ' + b"9" * 10_000 + b"}", 400),
        (b"[]", 422),
        (b'{"items": 3}', 422),
        (b'{"items": ' + b"[" * 500 + b"]" * 500 + b"}", 422),
    ],
)
def test_what_is_no_request_is_refused(app, body, status):
    answer = app.post("/v1/score", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == status
    assert answer.json()["message"]


def test_only_json_is_read_which_pages_of_browsers_can_t_send_unasked(app):
    body = json.dumps({"items": [text_item()]})
    for kind, status in (
        ("text/plain", 415),
        ("application/x-www-form-urlencoded", 415),
        (b"application/json\xa0", 415),
        ("Application/JSON ; charset=utf-8", 200),
    ):
        headers = {"content-type": kind}
        assert app.post("/v1/score", content=body, headers=headers).status_code == status


def test_other_paths_methods_and_parameters_are_refused_in_the_same_shape(app):
    for answer, status in (
        (app.get("/v2/score"), 404),
        (app.get("/v1/score"), 405),
        (app.post("/v1/score?stream=often", json={"items": []}), 422),
        (app.get("/docs"), 404),
    ):
        assert answer.status_code == status
        assert set(answer.json()) == {"message", "problems"}


def test_too_many_items_are_refused(app):
    status, message = score(app, *[text_item()] * 10_000)
    assert (status, message) == (413, "a request has at most 200 items, not 10000")


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_that_is_too_long_is_not_kept(app, chunked):
    body = json.dumps({"items": [text_item("x" * 2_100_000)]}).encode()
    pieces = (body[place : place + 100_000] for place in range(0, len(body), 100_000))
    answer = app.post(
        "/v1/score",
        content=pieces if chunked else body,
        headers={"content-type": "application/json"},
    )
    assert answer.status_code == 413
    assert app.app.state.service.held == 0


@pytest.mark.parametrize("length", ["10000000000000000000", "9" * 5000, "000002000001"])
def test_a_length_that_is_too_large_is_refused_at_once(app, length):
    headers = {"content-type": "application/json", "content-length": length}
    assert app.post("/v1/score", content=iter([b"{}"]), headers=headers).status_code == 413


MANY = 60_000  # with a message of 1.6 kB each they would take 100 MB


@pytest.mark.parametrize(
    ("item", "options"),
    [
        (text_item(components={str(n): "x" for n in range(MANY)}), {}),
        (text_item(**{f"field{n}": 1 for n in range(MANY)}), {}),
        (latex_item(reference={"assets": {str(n): 1 for n in range(MANY)}}), {}),
        (text_item(), {f"field{n}": 1 for n in range(MANY)}),
        (text_item(), {"guards": list(range(MANY))}),
    ],
)
def test_wrong_requests_take_little_memory(app, item, options):
    body = json.dumps({"items": [text_item(), item], **options}).encode()
    headers = {"content-type": "application/json"}
    tracemalloc.start()
    try:
        answer = app.post("/v1/score", content=body, headers=headers)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert answer.status_code == 422
    assert "holds more than 10,000 values" in answer.json()["message"]
    assert peak < 40 * 10**6


def test_a_body_of_nothing_but_brackets_is_refused_before_it_is_made():
    with client(max_items=1) as app:
        headers = {"content-type": "application/json"}
        body = b'{"items": [' + b"[]," * 6_000 + b"[]]}"
        answer = app.post("/v1/score", content=body, headers=headers)
        assert (answer.status_code, answer.json()["message"]) == (
            400,
            "the body is not JSON: ValueError: it holds more than 10,000 values",
        )


def test_what_is_wrong_in_many_items_is_said_of_the_first_ones(app):
    items = [text_item(components={str(n): "x" for n in range(900)}) for _ in range(150)]
    answer = app.post("/v1/score", json={"items": items})
    assert answer.status_code == 422
    assert {problem["item"] for problem in answer.json()["problems"]} == {0}


# Items that are wrong on their own account


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ({"base64": "!"}, "not base64"),
        ({"base64": "é"}, "not base64"),
        ({"base64": base64.b64encode(b"GIF89a").decode()}, "no picture that can be read"),
        ({"base64": base64.b64encode(png()[:60]).decode()}, "no picture that can be read"),
        ({}, "neither a picture nor code"),
        ({"base64": "aGk=", "path": "a.png"}, "either base64 or a path"),
        ({"path": "/etc/passwd"}, "no file '/etc/passwd' below an allowed folder"),
        ({"path": "a\0b"}, "no file"),
        ({"code": "x", "assets": {"../x": {"base64": ""}}}, "leads out of its folder"),
        ({"code": "x", "assets": {"x": {"path": "/etc/passwd"}}}, "below an allowed folder"),
    ],
)
def test_a_reference_that_is_wrong_costs_its_item_alone(app, reference, message):
    wrong, right = score(app, latex_item(reference=reference), text_item())
    assert (wrong["score"], wrong["error_kind"]) == (None, "reference")
    assert message in wrong["message"]
    assert right["score"] == 1


def test_a_string_is_code_and_no_question_whether_a_file_is_there(app):
    for name in ("/etc/passwd", "/etc/passwt"):
        (found,) = score(app, latex_item(name, reference=name))
        assert (found["score"], found["error_kind"]) == (1, None)


def test_all_assets_of_a_reference_have_a_bound(app, monkeypatch):
    monkeypatch.setattr("helm_structext.serving.items.MAX_FILE", 5)
    assets = {f"{number}.txt": {"base64": "aGk="} for number in range(3)}
    (wrong,) = score(app, latex_item(reference={"code": "x", "assets": assets}))
    assert (wrong["error_kind"], wrong["message"]) == ("reference", "assets have more than 5 bytes")


def test_guards_are_for_all_kinds_of_items(app):
    copied = text_item("EMMA " * 100)
    assert score(app, copied)[0]["error_kind"] == "text"
    assert score(app, {**copied, "guards": []})[0]["error_kind"] is None
    data = {
        "task": "text_to_json",
        "completion": f'"{"iVBORw0KGgo" * 500}"',
        "reference": ["title"],
    }
    assert [r["error_kind"] for r in score(app, data, {**data, "guards": []})] == ["embedded", None]


def test_a_long_completion_costs_its_item_alone():
    with client() as app:
        long, right = score(app, latex_item("x" * 10_000_000), text_item())
    assert (long["score"], long["error_kind"]) == (0, "length")
    assert right["score"] == 1


def test_a_completion_may_hold_anything_that_json_can_say(app):
    texts = ["\ud800", "\0", "\x1b[2J", "\u202e", ""]
    results = score(app, *(text_item(text) for text in texts))
    assert all(result["score"] is not None for result in results)
    results = score(
        app, *({"task": "text_to_json", "completion": one, "reference": ["a"]} for one in texts)
    )
    assert {result["error_kind"] for result in results} <= {"syntax", "empty"}


def test_scores_are_finite(app):
    (result,) = score(app, text_item(components={"pnls": 1e308, "correct": 1e308}))
    assert (result["score"], result["error_kind"]) == (None, "internal")


def test_metrics_without_weights_cost_their_items_alone(app, monkeypatch, tmp_path):
    monkeypatch.setenv("HELM_STRUCTEXT_CACHE", str(tmp_path))
    neural, right = score(app, latex_item(components={"lpips_similarity": 1}), text_item())
    assert (neural["score"], neural["error_kind"]) == (None, "setup")
    assert "weights fetch" in neural["message"]
    assert right["score"] == 1


# Files


@pytest.fixture
def folders(tmp_path) -> tuple[Path, Path]:
    """An allowed folder, and one that is not."""
    allowed, other = tmp_path / "allowed", tmp_path / "other"
    for folder in (allowed, other):
        (folder / "in").mkdir(parents=True)
        (folder / "in" / "a.png").write_bytes(png())
    return allowed, other


def test_files_are_read_below_allowed_folders_alone(folders, monkeypatch):
    allowed, other = folders
    (allowed / "loop").symlink_to(allowed / "loop")
    (allowed / "out").symlink_to(other)
    (allowed / "out.png").symlink_to(other / "in" / "a.png")
    (allowed / "here.png").symlink_to(allowed / "in" / "a.png")
    os.mkfifo(allowed / "pipe")
    for name in ("in/a.png", allowed / "in" / "a.png", "here.png", "in/../in/a.png"):
        assert content(messages.FileContent(path=str(name)), [other / "in", allowed]) == png()
    for name in (
        *("../other/in/a.png", other / "in" / "a.png", "out/in/a.png", "out.png", "loop"),
        *("in", "pipe", "", "/", "none.png", "/etc/passwd", "in/a.png/..", "a" * 5000),
    ):
        with pytest.raises(NotScored, match="below an allowed folder"):
            content(messages.FileContent(path=str(name)), [allowed])


def test_a_link_that_is_set_between_two_looks_leads_nowhere(folders, monkeypatch):
    allowed, other = folders
    opened = os.open

    def swap(path, *arguments, **options):
        (allowed / "in").rename(allowed / "was")
        (allowed / "in").symlink_to(other / "in")
        return opened(path, *arguments, **options)

    monkeypatch.setattr(items.os, "open", swap)
    with pytest.raises(NotScored):
        content(messages.FileContent(path="in/a.png"), [allowed])


# Who may ask, and when


def test_a_token_is_asked_for_everywhere_but_by_probes():
    with client(token=TOKEN) as app:
        for header, status in (
            (None, 401),
            ("Bearer 0123456789abcdee", 401),
            ("Bearer é", 401),
            (f"Basic {TOKEN}", 401),
            (TOKEN, 401),
            (f"Bearer {TOKEN}", 200),
        ):
            headers = {} if header is None else {"authorization": header.encode()}
            for answer in (
                app.post("/v1/score", json={"items": [text_item()]}, headers=headers),
                app.get("/v1/formats", headers=headers),
                app.get("/metrics", headers=headers),
            ):
                assert answer.status_code == status
        assert answer.status_code == 200
        assert app.get("/healthz").status_code == 200
        assert app.get("/readyz").status_code == 200
        foreign = {"authorization": f"Bearer {TOKEN}", "host": "example.org"}
        assert app.get("/v1/formats", headers=foreign).status_code == 200


def test_without_a_token_no_other_name_leads_here(app):
    """A page of a browser may have made its own name lead to this address."""
    for host, status in (
        ("localhost:8320", 200),
        ("127.0.0.1", 200),
        ("[::1]:8320", 200),
        ("example.org", 403),
        ("", 403),
        ("[", 403),
        ("LOCALHOST:", 200),
        (r"evil.example\@127.0.0.1", 403),
        ("evil.example@127.0.0.1", 403),
        ("127.0.0.1:80.evil.example", 403),
        ("127.0.0.1/evil.example", 403),
    ):
        assert app.get("/v1/formats", headers={"host": host}).status_code == status


@pytest.mark.parametrize(
    "settings",
    [
        {"token": "short"},
        {"token": "é" * 20},
        {"max_queue": 10, "max_items": 11},
        {"max_items": 0},
        {"allow": (Path("/nowhere"),)},
        {"warm": ("latx",)},
        {"warm": ("json",)},
    ],
)
def test_settings_that_can_t_be_are_an_error(settings):
    with pytest.raises(SetupError):
        ServerSettings(**settings)


def test_more_than_may_wait_is_asked_to_come_again():
    app = create_app(ServerSettings(warm=(), max_queue=5, max_items=5))
    service = app.state.service
    service.queue, done = WorkQueue(1), threading.Event()
    jobs = [service.queue.submit("others", done.wait) for _ in range(4)]
    with TestClient(app, base_url="http://localhost") as asking:
        refused = asking.post("/v1/score", json={"items": [text_item()] * 3})
        assert refused.status_code == 429
        assert int(refused.headers["retry-after"]) >= 1
        assert refused.json()["message"] == "3 completions wait; at most 5 may"
        jobs[-1].cancel()
        assert service.queue.waiting == 2
        threading.Timer(0.1, done.set).start()
        different = [text_item("EMMA" + " " * number) for number in range(3)]
        taken = asking.post("/v1/score", json={"items": different})
    assert [result["score"] for result in taken.json()["results"]] == [1, 1, 1]


def test_what_is_not_finished_in_the_time_of_its_batch_has_no_score():
    app = create_app(ServerSettings(warm=()))
    service = app.state.service
    service.queue, done = WorkQueue(1), threading.Event()
    service.queue.submit("others", done.wait)
    with TestClient(app, base_url="http://localhost") as asking:
        for path in ("/v1/score", "/v1/score?stream=true"):
            answer = asking.post(path, json={"items": [text_item()] * 2, "seconds": 0.1})
            said = answer.text.replace(" ", "")
            assert said.count('"error_kind":"unfinished"') == said.count('"score":null') == 2
        done.set()
    assert service.queue.waiting == 0
    assert not service.batches
    assert service.held == 0


def test_a_server_that_stops_refuses(app):
    stopping = client()
    stopping.app.state.service.draining = True
    with stopping:
        assert stopping.get("/readyz").status_code == 503
        assert stopping.get("/healthz").status_code == 200
        refused = stopping.post("/v1/score", json={"items": [text_item()]})
    assert refused.status_code == 503
    assert refused.headers["retry-after"]


def test_it_is_ready_when_its_formats_have_rendered(monkeypatch):
    app = create_app(ServerSettings(warm=("latex",)))
    service, asking = app.state.service, TestClient(app, base_url="http://localhost")
    assert asking.get("/readyz").status_code == 503
    for measured in (
        Measured({}, Failure("setup", "pdflatex is missing")),
        Measured({"earth_mover_similarity": 0.0}, Failure("syntax", "no preamble")),
    ):
        monkeypatch.setattr(Reward, "measure", lambda *_, measured=measured: measured)
        assert not asyncio.run(service.warm_up())
        refused = asking.get("/readyz")
        assert refused.status_code == 503
        assert f"latex: {measured.failure.kind}: {measured.failure.message}" in refused.text
    monkeypatch.setattr(Reward, "measure", lambda *_: Measured({"earth_mover_similarity": 1.0}))
    assert asyncio.run(service.warm_up())
    assert asking.get("/readyz").json() == {"ready": True}


def test_metrics_count_requests_and_results(app):
    with client() as own:
        score(own, text_item(), latex_item(reference={"base64": "!"}))
        score(own, text_item(kind="smell"))
        said = own.get("/metrics").text
    assert 'helm_structext_requests_total{status="200"} 1.0' in said
    assert 'helm_structext_requests_total{status="422"} 1.0' in said
    assert 'helm_structext_completions_total{format="latex",outcome="reference"} 1.0' in said
    assert 'outcome="scored"} 1.0' in said
    assert 'helm_structext_wait_seconds_count{format="latex"} 1.0' in said
    assert "helm_structext_queue 0.0" in said
    assert "helm_structext_places " in said


def test_a_bug_of_ours_is_said_to_be_one(monkeypatch):
    monkeypatch.setattr("helm_structext.serving.app.tasks", lambda *_: 1 / 0)
    with client() as own:
        assert score(own, text_item()) == (
            500,
            "a bug of ours: ZeroDivisionError: division by zero",
        )
        assert 'helm_structext_requests_total{status="500"} 1.0' in own.get("/metrics").text
        assert own.app.state.service.held == 0


def test_findings_are_in_the_answer_where_they_are_asked_for(monkeypatch):
    found = Findings({"text_recall": 0.5}, (), "1 of 2 texts missing.")
    asked = []

    def measure(self, completion, reference):
        asked.append(self.findings)
        return Measured({"earth_mover_similarity": 1.0}, findings=found if self.findings else None)

    monkeypatch.setattr(Reward, "measure", measure)
    with client() as app:
        items = [latex_item(findings=True), latex_item(findings=False), latex_item()]
        first, second, third = app.post("/v1/score", json={"items": items}).json()["results"]
        body = {"items": [latex_item()], "findings": True}
        lines = app.post("/v1/score", json=body, headers={"Accept": "application/x-ndjson"})
    assert asked == [True, False, False, True]
    assert first["findings"]["sentence"] == "1 of 2 texts missing."
    assert json.loads(lines.text)["findings"] == first["findings"]
    assert "findings" not in second.keys() | third.keys()
    messages.ItemResult.model_validate(first)
