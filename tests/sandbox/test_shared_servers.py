"""Jobs that share a started server: what one does to it, the next ones never notice."""

import contextlib
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from helm_structext.errors import RenderError
from helm_structext.renderers import lilypond, matplotlib, python, typst
from helm_structext.renderers.limits import BROWSER_LIMITS
from helm_structext.renderers.web import markdown
from helm_structext.sandbox import ForkServer, Limits, ProcessDied, pool
from support import spoilers

PLOT = "plt.plot([1, 2])\nplt.title('$x^2$ Innocent')"
SCORE = '\\version "2.24.0" { c d e f }'
STAYS = {"files left", "its folder moved", "its folder moved down", "process that stays",
         "process of a process", "chain of processes", "process that waits for the next",
         "full folder", "names"}  # fmt: skip
"""What leaves something behind: the server takes no other job."""

pytestmark = pytest.mark.usefixtures("isolation")

# A server that loads nothing, and so starts at once: its jobs are scripts, and their output is the page.
JOB = """
import os
def prepare(): pass
def draw(source):
    exec(source, {})
    return open('../log', 'rb').read() + repr(sorted(os.environ)).encode()
"""
START = (
    'mkdir job; printf %s "$2" > job/scripts.py; '
    'PYTHONPATH=$PWD/job exec "$1" -s "$ETC/python_server.py" scripts'
)


def script(code: str) -> bytes:
    profile = python.profile((), ("python_server.py",))
    profile = replace(profile, programs=(*profile.programs, "mkdir"))
    command = (str(python.interpreter()), JOB)
    limits = Limits(seconds=2)
    with pool.workers.checkout(
        "scripts", lambda: ForkServer(command, profile, limits, START)
    ) as server:
        reply = server.process({"source": code.encode(), "files/x": b""}, limits.seconds)
    reply.check_signal()
    return reply.files["page"]


def plot(code: str) -> bytes:
    limits = matplotlib.ENGINE.limits
    return python.make("matplotlib_job", matplotlib.PACKAGES, code, {}, "published", limits).page


def score(code: str) -> bytes:
    limits = replace(lilypond.ENGINE.limits, seconds=20)
    drawing = lilypond.draw(code, {}, "published", limits)
    return drawing.image.tobytes() if drawing.image else b""


INNOCENT = {script: "import math\nprint(math.pi)", plot: PLOT, score: SCORE}


def servers() -> list[ForkServer]:
    return [worker for idle in pool.workers.idle.values() for worker, _ in idle]


@pytest.fixture(scope="module")
def drawn_first(isolation) -> Callable[[Callable[[str], bytes]], bytes]:
    """What came of the innocent job before any other one of its kind; its server waits for more."""
    return cache(lambda draw: draw(INNOCENT[draw]))


def check(draw: Callable[[str], bytes], expected: bytes, code: str, stays: bool) -> None:
    assert expected
    before = set(servers())
    with contextlib.suppress(RenderError, ProcessDied):
        draw(code)
    assert not (stays and before <= set(servers()))
    # Each at the first try: there is no second one in here.
    for _ in range(3):
        assert draw(INNOCENT[draw]) == expected


@pytest.mark.parametrize("spoiler", spoilers.PYTHON)
def test_next_script_does_not_notice(spoiler, drawn_first):
    code = spoilers.PRELUDE + spoilers.PYTHON[spoiler]
    check(script, drawn_first(script), code, spoiler in STAYS)


@pytest.mark.parametrize("spoiler", spoilers.SCHEME)
def test_next_score_does_not_notice(spoiler, drawn_first):
    code = (
        f'\\version "2.24.0" #(catch #t (lambda () {spoilers.SCHEME[spoiler]}) (const #f)) {{ c }}'
    )
    check(score, drawn_first(score), code, spoiler in STAYS)


@pytest.mark.parametrize("spoiler", ["descriptors", "libraries"])
def test_next_plot_does_not_notice(spoiler, drawn_first):
    code = spoilers.PRELUDE + spoilers.PYTHON[spoiler] + "\nplt.plot([3, 1])\n"
    check(plot, drawn_first(plot), code, spoiler in STAYS)


def test_servers_have_nothing_that_their_jobs_could_share():
    pool.workers.close()
    assert plot(PLOT)
    assert score(SCORE)
    for job, packages in (("typst_job", typst.PACKAGES), ("markdown_job", markdown.PACKAGES)):
        assert python.make(job, packages, "Innocent", {}, "published", BROWSER_LIMITS).page
    assert len(servers()) == 4
    assert all(server.reusable() for server in servers())
    for server in servers():
        for pid in server._process.state:
            maps = Path(f"/proc/{pid}/maps").read_text().splitlines()
            assert [line for line in maps if line.split()[1] == "rw-s"] == []
