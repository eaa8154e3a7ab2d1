"""A cluster of Ray's on this machine: actors, Ray Data and Ray Serve, and what is left of them."""

import asyncio
import http.client
import json
import os
import signal
import socket
import tempfile
from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from helm_structext.rewards import NotScored, Reward, RewardResult
from helm_structext.sandbox import tree
from helm_structext.serving.client import Client, WrongRequest
from ray_node import ray_node
from support.serving import ENDLESS, latex_item, text_item, until

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::FutureWarning")

TOKEN = "0123456789abcdef"
EMS = {"earth_mover_similarity": 1.0}
CODES = ["$x^2$", "$x^3$", r"\nothing", "", ENDLESS, "$x^2$"]
REWARD = Reward("latex", EMS, timeout=1)


def alive(pids: list[int]) -> list[int]:
    return [pid for pid in pids if Path(f"/proc/{pid}").exists()]


def shared_memory(pids: list[int]) -> list[str]:
    """What processes have in shared memory, which others use meanwhile, too."""
    signs = {"plasma", *(f"-{pid}-" for pid in pids)}
    names = [file.name for file in Path("/dev/shm").iterdir()]
    return [name for name in names if any(sign in name for sign in signs)]


def facts(results: list[RewardResult]) -> list[tuple]:
    """All but the times."""
    return [(one.score, dict(one.components), one.error_kind, one.message) for one in results]


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    """One node with two processors, of which nothing may be left in the end."""
    handler = signal.getsignal(signal.SIGTERM)
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as scratch:
        patch.setenv("TMPDIR", scratch)
        with ray_node(2):
            yield
            processes = tree(os.getpid())
        signal.signal(signal.SIGTERM, handler)
        ray_processes = [pid for pid in processes if pid not in tree(os.getpid())]
        until(lambda: not alive(ray_processes))
        assert shared_memory(ray_processes) == []
        assert [*Path(scratch).iterdir()] == []


@pytest.fixture(scope="module")
def actors():
    from helm_structext.serving.ray import Actors

    with Actors(2) as started:
        yield started


def named(name: str) -> list[int]:
    """The processes of this cluster with a name."""
    found = []
    for pid in tree(os.getpid()):
        with suppress(OSError):
            if Path(f"/proc/{pid}/cmdline").read_bytes().startswith(f"ray::{name}".encode()):
                found.append(pid)
    return found


def busy(name: str) -> list[int]:
    """Those that have started an engine."""
    return [pid for pid in named(name) if any(b"bwrap" in commands(one) for one in tree(pid))]


def a_busy_one(name: str, known: Collection[int] = ()) -> int:
    """Waits for one that has started an engine, and is not known."""
    found: list[int] = []
    until(lambda: bool(found.extend({*busy(name)} - {*known}) or found))
    return found[0]


def commands(pid: int) -> bytes:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


# Actors


def test_results_are_those_of_this_process_to_the_last_bit_and_in_order(actors):
    references = ["$x^2$"] * len(CODES)
    ours = facts(REWARD(CODES, references))
    assert [kind for _, _, kind, _ in ours] == [None, None, "syntax", "empty", "timeout", None]
    reward = actors.reward(REWARD)
    assert facts(reward(CODES, references)) == ours
    found = dict(reward.as_completed(CODES[:4], references[:4]))
    assert facts([found[number] for number in range(4)]) == ours[:4]
    assert facts(asyncio.run(reward.score(CODES[:4], references[:4]))) == ours[:4]


def test_options_are_those_of_the_reward(actors):
    reward = actors.reward(replace(REWARD, failure=-1.0, machine_failures="raise"))
    assert reward(r"\nothing", "$x^2$").score == -1
    with pytest.raises(NotScored, match="does not render"):
        reward(["$x^2$", "$x^2$"], ["$x^2$", r"\nothing"])
    with pytest.raises(ValueError, match="did you mean earth_mover_similarity"):
        actors.reward(Reward("latex", {"earth_mover_similarit": 1.0}))


def test_what_the_machine_lacks_is_no_score(actors, monkeypatch):
    monkeypatch.setattr("helm_structext.serving.ray.ray.wait", lambda *_, **__: 1 / 0)
    result = actors.reward(REWARD)("$x^2$", "$x^2$")
    assert (result.score, result.error_kind) == (None, "internal")


def test_to_cancel_a_batch_ends_its_engines(actors):
    reward = actors.reward(replace(REWARD, timeout=600))
    batch = reward.batch([ENDLESS] * 4, ["$x^2$"] * 4)
    until(lambda: len(busy("_Measuring")) == 2)
    batch.cancel()
    assert [one.error_kind for one in batch.results()] == ["unfinished"] * 4
    assert reward("$x^2$", "$x^2$").score == 1
    result = replace(reward, batch_seconds=0.5)([ENDLESS], ["$x^2$"])[0]
    assert (result.score, result.error_kind) == (None, "unfinished")


def test_what_an_actor_worked_on_when_it_was_killed_is_begun_again(actors):
    codes = [f"$x^{number % 4}$" for number in range(24)]
    batch = actors.reward(REWARD).batch(codes, codes)
    results = batch.as_completed()
    found = dict([next(results)])
    victim = a_busy_one("_Measuring")
    processes = tree(victim)
    os.kill(victim, signal.SIGKILL)
    found |= dict(results)
    assert [found[number].score for number in range(24)] == [1] * 24
    until(lambda: not alive(processes))


def test_an_actor_that_died_for_good_costs_one_completion_its_score_and_is_replaced():
    from helm_structext.serving.ray import Actors

    with (
        Actors(1, num_cpus=0, max_restarts=0, max_task_retries=0) as one,
        ThreadPoolExecutor() as threads,
    ):
        before = named("_Measuring")
        reward = one.reward(replace(REWARD, timeout=600))
        asked = threads.submit(reward, [ENDLESS, "$x^2$"], ["$x^2$"] * 2)
        os.kill(a_busy_one("_Measuring", before), signal.SIGKILL)
        lost, other = asked.result()
    assert (lost.score, lost.error_kind) == (None, "setup")
    assert "an actor has died" in lost.message
    assert other.score == 1


@pytest.fixture(scope="module")
def processors(actors) -> None:
    """Those of the actors are free again."""
    actors.close()


# Ray Data


@pytest.mark.usefixtures("processors")
def test_columns_in_columns_out():
    import ray

    from helm_structext.serving.ray import ScoreBatches

    rows = [
        {"id": number, "answer": code, "code": "$x^2$"} for number, code in enumerate(CODES[:4])
    ]
    scored = ray.data.from_items(rows).map_batches(
        ScoreBatches,
        fn_constructor_args=(REWARD, "answer", "code"),
        batch_size=2,
        num_cpus=1,
        compute=ray.data.ActorPoolStrategy(size=2),
    )
    found = sorted(scored.take_all(), key=lambda row: row["id"])
    ours = REWARD(CODES[:4], ["$x^2$"] * 4)
    assert [row["score"] for row in found] == [one.score for one in ours]
    assert [row["components"] for row in found] == [dict(one.components) for one in ours]
    assert [row["error_kind"] for row in found] == [one.error_kind for one in ours]
    assert [row["message"] for row in found] == [one.message for one in ours]
    assert [row["answer"] for row in found] == CODES[:4]
    assert all(row["waited"] >= 0 < row["worked"] for row in found)


# Ray Serve


@pytest.fixture(scope="module")
def port(processors) -> Iterator[int]:
    """Ray Serve, which listens to other machines, too."""
    from ray import serve

    with socket.create_server(("127.0.0.1", 0)) as listener:
        free = listener.getsockname()[1]
    serve.start(http_options={"host": "0.0.0.0", "port": free})
    yield free
    serve.shutdown()


@pytest.fixture(scope="module")
def served(port, tmp_path_factory) -> int:
    from ray import serve

    from helm_structext.serving.ray import RayOptions, deployment

    token = tmp_path_factory.mktemp("token") / "token"
    token.write_text(TOKEN)
    kind = deployment(RayOptions(token_file=token, warm="latex"))
    serve.run(kind.options(num_replicas=1, autoscaling_config=None).bind(), name="rewards")
    return port


def get(port: int, path: str, **headers: str) -> tuple[int, dict]:
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    status, said = answer.status, json.loads(answer.read())
    connection.close()
    return status, said


def test_without_a_token_there_is_no_app_for_other_machines(port, monkeypatch):
    from ray import serve

    from helm_structext.serving.ray import RayOptions, deployment

    monkeypatch.delenv("HELM_STRUCTEXT_SERVE_TOKEN", raising=False)
    kind = deployment(RayOptions()).options(max_constructor_retry_count=1, autoscaling_config=None)
    with pytest.raises(RuntimeError):
        serve.run(kind.bind(), name="open", route_prefix="/open")
    said = serve.status().applications["open"].deployments["rewards"].message
    assert "needs a token, in HELM_STRUCTEXT_SERVE_TOKEN or a file (token_file)" in said
    serve.delete("open")


def test_the_app_answers_as_our_server_does(served):
    assert get(served, "/readyz") == (200, {"ready": True})
    assert get(served, "/healthz") == (200, {"healthy": True})
    assert get(served, "/v1/formats")[0] == 401
    client = Client(f"http://127.0.0.1:{served}", token=TOKEN)
    items = [*(latex_item(code, timeout=1) for code in CODES), text_item()]
    results = client.score(items)
    assert facts(results[:-1]) == facts(REWARD(CODES, ["$x^2$"] * len(CODES)))
    assert results[-1].score == 1
    with pytest.raises(WrongRequest, match="did you mean earth_mover_similarity"):
        client.score([latex_item(components={"earth_mover_similarit": 1.0})])
    client.close()


def test_each_replica_has_as_many_places_as_processors(served):
    connection = http.client.HTTPConnection("127.0.0.1", served)
    connection.request("GET", "/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    assert "helm_structext_places 2.0" in connection.getresponse().read().decode()
    connection.close()


def test_what_runs_is_finished_before_a_replica_ends(served):
    from ray import serve

    client = Client(f"http://127.0.0.1:{served}", token=TOKEN, patience=0)
    with ThreadPoolExecutor() as threads:
        asked = threads.submit(client.score, [latex_item(ENDLESS, timeout=3)])
        a_busy_one("ServeReplica")
        serve.delete("rewards")
        (result,) = asked.result()
    client.close()
    assert (result.score, result.error_kind) == (0, "timeout")
    assert named("ServeReplica") == []


def test_what_serve_run_starts_scales_and_outlives_a_replica(port, tmp_path):
    """`serve run helm_structext.serving.ray:app` under load, one of whose replicas is killed."""
    from ray import serve

    from helm_structext.serving.ray import RayOptions, app

    (tmp_path / "token").write_text(TOKEN)
    options = RayOptions.model_validate({"token_file": tmp_path / "token", "warm": "latex"})
    serve.run(app(options), name="scaled", route_prefix="/scaled")
    status = serve.status().applications["scaled"].deployments["rewards"]
    assert (status.status, sum(status.replica_states.values())) == ("HEALTHY", 1)
    assert get(port, "/scaled/readyz") == (200, {"ready": True})
    codes = [f"$x^{{{number}}}$" for number in range(8)]
    with (
        Client(f"http://127.0.0.1:{port}/scaled", token=TOKEN) as client,
        ThreadPoolExecutor() as threads,
    ):
        asked = threads.submit(
            client.score, [latex_item(ENDLESS, timeout=3), *map(latex_item, codes)]
        )
        os.kill(a_busy_one("ServeReplica"), signal.SIGKILL)
        endless, *others = asked.result()
    assert endless.error_kind == "timeout"
    assert [result.error_kind for result in others] == [None] * len(codes)
    serve.delete("scaled")
