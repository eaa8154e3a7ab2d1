import gc
import itertools
import os
import re
import signal
import subprocess
import sys
import time
import weakref
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest
from PIL import Image

from helm_structext.processes import AHEAD, DEATHS, map_in_processes, map_in_threads, run_in_process
from helm_structext.sandbox import worker_count
from support.serving import until


def test_results_and_exceptions_come_back():
    assert run_in_process(divmod, 7, 2) == (3, 1)
    assert run_in_process(os.getpid) != os.getpid()
    with pytest.raises(ZeroDivisionError):
        run_in_process(divmod, 7, 0)
    with pytest.raises(FileNotFoundError):
        run_in_process(os.stat, "/absent")


def test_workers_are_fresh_interpreters_with_one_thread_for_arithmetic():
    assert run_in_process(eval, "'pytest' in __import__('sys').modules") is False
    assert run_in_process(os.getenv, "OMP_NUM_THREADS") == "1"
    assert run_in_process(os.getenv, "OPENBLAS_NUM_THREADS") == "1"


def test_many_threads_get_their_own_answers():
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda i: run_in_process(divmod, i, 3), range(40)))
    assert answers == [divmod(i, 3) for i in range(40)]
    assert list(map_in_processes(abs, range(-20, 0))) == list(range(20, 0, -1))


def test_results_of_threads_come_in_order_and_few_are_made_ahead():
    begun: list[int] = []

    def slowest_first(number: int) -> int:
        begun.append(number)
        time.sleep(0.05 if number % 5 == 0 else 0)
        return number

    results = map_in_threads(slowest_first, itertools.count())
    assert [next(results) for _ in range(12)] == list(range(12))
    results.close()
    assert len(begun) <= 12 + AHEAD * worker_count() + 1
    assert list(map_in_threads(slowest_first, range(3))) == [0, 1, 2]


def test_what_a_thread_raises_comes_in_its_turn_and_nothing_more_is_begun():
    begun: list[int] = []

    def fail(number: int) -> float:
        begun.append(number)
        return 1 / (3 - number)

    results = map_in_threads(fail, itertools.count())
    assert [next(results) for _ in range(3)] == [1 / 3, 1 / 2, 1]
    with pytest.raises(ZeroDivisionError):
        next(results)
    assert len(begun) <= 4 + AHEAD * worker_count() + 1


def test_what_killed_workers_worked_on_is_not_kept():
    picture = Image.new("L", (9, 9))
    alive = weakref.ref(picture)
    with pytest.raises(RuntimeError, match="ended 3 processes"):
        run_in_process(eval, "__import__('os').kill(__import__('os').getpid(), 9)", {"it": picture})
    del picture

    def is_gone() -> bool:
        gc.collect()
        return alive() is None

    until(is_gone)  # a thread of the pool, which feeds the worker, may be ending yet


def test_a_worker_that_dies_is_replaced_and_the_call_made_again(tmp_path):
    mark = tmp_path / "mark"
    code = (
        "import os, pathlib\n"
        f"with open({str(mark)!r}, 'a+') as mark:\n"
        "    mark.write('x')\n"
        f"if pathlib.Path({str(mark)!r}).stat().st_size < {DEATHS}:\n"
        "    os.kill(os.getpid(), 9)\n"
    )
    run_in_process(exec, code)
    assert mark.read_text() == "x" * DEATHS


def test_an_idle_worker_that_was_killed_is_replaced():
    os.kill(run_in_process(os.getpid), signal.SIGKILL)
    assert run_in_process(divmod, 7, 2) == (3, 1)


def test_a_call_that_ends_every_worker_is_an_error_and_harms_no_other():
    with ThreadPoolExecutor(6) as threads:
        bad = [threads.submit(run_in_process, os._exit, 3) for _ in range(2)]
        good = [threads.submit(run_in_process, divmod, i, 3) for i in range(20)]
        assert [call.result() for call in good] == [divmod(i, 3) for i in range(20)]
        for call in bad:
            with pytest.raises(RuntimeError, match=re.escape("_exit(3,) ended 3 processes")):
                call.result()


def test_a_forked_process_has_workers_of_its_own():
    before = run_in_process(os.getpid)
    with ProcessPoolExecutor(1, get_context("fork")) as pool:
        assert pool.submit(run_in_process, os.getpid).result(60) != before
    assert run_in_process(os.kill, before, 0) is None


def program(tmp_path: Path, *lines: str) -> list[str]:
    """A script whose main module is not guarded against being imported."""
    script = tmp_path / "script.py"
    script.write_text("\n".join(["import os, time", "print('started', flush=True)", *lines]))
    return [sys.executable, str(script)]


@pytest.mark.parametrize("count", ["1", "3"])
def test_there_are_as_many_workers_as_said_and_none_runs_the_main_module(tmp_path, count):
    command = program(
        tmp_path,
        "from helm_structext.processes import map_in_processes",
        "code = \"(__import__('time').sleep(0.3), __import__('os').getpid())[1]\"",
        "print(len(set(map_in_processes(eval, [code] * 9))))",
    )
    environment = {**os.environ, "HELM_STRUCTEXT_WORKERS": count}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["started", count]
    assert done.stderr == ""


def test_workers_end_with_a_parent_that_was_killed(tmp_path):
    command = program(
        tmp_path,
        "from helm_structext.processes import run_in_process",
        "print(run_in_process(os.getpid), flush=True)",
        "run_in_process(time.sleep, 100)",
    )
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == "started\n"
        worker = Path("/proc") / parent.stdout.readline().strip()
        assert worker.exists()
        parent.kill()
    end = time.monotonic() + 20
    while worker.exists() and time.monotonic() < end:
        time.sleep(0.1)
    assert not worker.exists()


def test_nothing_stays_in_shared_memory_where_a_whole_group_of_processes_is_killed(tmp_path):
    command = program(
        tmp_path,
        "from helm_structext.processes import run_in_process",
        "print(run_in_process(os.getppid), flush=True)",
        "time.sleep(100)",
    )
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == "started\n"
        assert int(parent.stdout.readline()) == parent.pid
        os.killpg(parent.pid, signal.SIGKILL)
    assert [*Path("/dev/shm").glob(f"*loky-{parent.pid}-*")] == []
