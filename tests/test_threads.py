"""Threads of ours, and what `HELM_STRUCTEXT_SERIAL=1` makes of them."""

import ast
import os
import subprocess
import sys
import threading
import time

import pytest

from helm_structext.errors import SetupError
from helm_structext.metrics.pixel import pixel_similarity
from helm_structext.processes import map_in_processes, run_in_process
from helm_structext.renderers.typst import draw
from helm_structext.rewards.queue import WorkQueue
from helm_structext.sandbox import worker_count
from helm_structext.threads import SERIAL, beside, in_thread, is_serial, thread_pool
from support import ROOT

SCORE = """
from helm_structext.rewards import Reward
reward = Reward("typst", components={"pixel_similarity": 0.5, "earth_mover_similarity": 0.5})
results = reward(["#rect(fill: red)", "A", "#wrong"], ["#rect(fill: blue)", "B", "A"])
print([(result.score, result.error_kind) for result in results])
"""
HERE = """
import os, threading
from pathlib import Path
from helm_structext.sandbox import tree
print([thread.name for thread in threading.enumerate()])
others = {*tree(os.getpid(), 99)} - {os.getpid()}
print(any("loky" in Path(f"/proc/{one}/cmdline").read_text() for one in others))
"""


def run(*arguments: str, **environment: str) -> str:
    return subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def test_a_reward_scores_the_same_with_no_thread_and_no_process_of_ours():
    usual, serial = (run("-c", SCORE + HERE, **{SERIAL: value}).splitlines() for value in "01")
    assert serial[0] == usual[0]
    assert "syntax" in usual[0]
    assert "helm-structext-launcher_0" in ast.literal_eval(usual[1])
    assert usual[2] == "True"
    assert serial[1:] == ["['MainThread']", "False"]


def test_a_breakpoint_stops_in_the_debugger_of_the_caller(tmp_path):
    """A debugger sees its own thread and process alone."""
    script = tmp_path / "score.py"
    script.write_text(SCORE)
    commands = []
    for function in (draw, pixel_similarity):
        code = function.__code__
        inside = {line for *_, line in code.co_lines() if line and line > code.co_firstlineno}
        commands.append(f"tbreak {code.co_filename}:{min(inside)}")
    commands += ["continue", "where", "continue", "where", "continue", "quit"]
    given = [word for command in commands for word in ("-c", command)]
    # Where all is not serial, renderers run in threads and metrics in processes.
    for value, stops in (("0", 0), ("1", 2)):
        said = run("-m", "pdb", *given, str(script), **{SERIAL: value})
        assert said.count("Deleted breakpoint") == stops
        assert (f"{draw.__code__.co_filename}(" in said.partition("Deleted")[2]) == bool(stops)


def test_pools_work_in_the_thread_of_the_caller(monkeypatch):
    def here(_: object = None) -> threading.Thread:
        return threading.current_thread()

    def failing() -> None:
        raise KeyError("x")

    main = threading.current_thread()
    with thread_pool(2) as threads:
        assert main not in {threads.submit(here).result(), in_thread(here).result()}
    monkeypatch.setenv(SERIAL, "1")
    assert is_serial()
    assert worker_count() == 1
    with thread_pool(2) as threads:
        assert {threads.submit(here).result(), *threads.map(here, "ab")} == {main}
        with pytest.raises(KeyError):
            threads.submit(failing).result()
    assert in_thread(here).result() is main
    assert run_in_process(os.getpid) == os.getpid()
    assert list(map_in_processes(abs, [-1, 2])) == [1, 2]
    job = WorkQueue(1).submit(["lane"], here)
    assert job.future.result(0).result is main
    with beside(lambda ended: pytest.fail("nothing runs beside")):
        pass


def test_what_is_mapped_in_turn_is_done_when_it_is_asked_for(monkeypatch):
    monkeypatch.setenv(SERIAL, "1")
    done: list[int] = []
    with thread_pool(2) as threads:
        results = threads.map(done.append, range(3))
        assert done == []
        next(results)
    assert done == [0]


def test_another_thread_is_told_what_to_do(monkeypatch):
    found = in_thread(lambda: run_in_process(abs, -1))
    assert found.result() == 1
    with thread_pool(1) as threads:
        monkeypatch.setenv(SERIAL, "1")
        with pytest.raises(SetupError, match="--num-threads 1"):
            threads.submit(run_in_process, abs, -1).result()


def test_a_wrong_value_is_the_user_s_mistake(monkeypatch):
    monkeypatch.setenv(SERIAL, "yes")
    with pytest.raises(SetupError, match="HELM_STRUCTEXT_SERIAL is 'yes'; expected 1"):
        is_serial()


def test_places_of_a_queue_end_when_nothing_waits():
    queue = WorkQueue(2)
    for job in [queue.submit(["lane"], lambda: time.sleep(0.01)) for _ in range(6)]:
        job.future.result()
    for thread in threading.enumerate():
        if thread.name == "helm-structext-reward":
            thread.join(10)
    assert "helm-structext-reward" not in {thread.name for thread in threading.enumerate()}
    assert queue.submit(["lane"], lambda: "again").future.result().result == "again"


def test_threads_start_in_one_place():
    starts = {"ThreadPoolExecutor", "Thread", "ProcessPoolExecutor", "Pool", "Process"}
    packages = {"threading", "concurrent.futures", "multiprocessing", "loky"}
    package = ROOT / "src" / "helm_structext"
    found = {
        str(file.relative_to(package))
        for file in package.rglob("*.py")
        if "node_modules" not in file.parts
        for node in ast.walk(ast.parse(file.read_text()))
        if (isinstance(node, ast.Attribute) and ast.unparse(node) == "threading.Thread")
        or (
            isinstance(node, ast.ImportFrom)
            and node.module in packages
            and starts & {alias.name for alias in node.names}
        )
    }
    # Worker processes; and a file of its own, whose threads wait for a server.
    assert found == {"threads.py", "processes.py", "serving/client.py"}
