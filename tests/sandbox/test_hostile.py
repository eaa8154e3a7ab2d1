"""Completions that attack the machine (`attacks.py`): none has an effect, each ends as expected."""

import contextlib
import json
import os
import socket
from pathlib import Path

import pytest

from helm_structext.errors import RenderError
from helm_structext.renderers import render, render_completion
from helm_structext.sandbox import pool, tree
from helm_structext.sandbox.isolation import STRONG
from support.attacks import ATTACKS, ENDLESS_SECONDS, Attack
from support.processes import running

MIB = 2**20
SPARE_PROCESSES = 4
"""A browser keeps a few for its next page."""
SECRET = "the secret of the host"
ENGINES = ("latex", "webpage", "lilypond", "typst", "matplotlib", "markdown", "vue")
"""One format of each; what is drawn by the same engine meets the same walls."""
ENDLESS = {
    "latex": {"endless macro", "endless pages", "endless log"},
    "webpage": {
        *("dialogs without end", "endless promises"),
        *("drawing bomb", "Jekyll's loop"),
    },
    "typst": {"growing text", "endless pages"},
    "markdown": {"open brackets", "open links", "deep lists", "stars", "wide table"},
}
"""What does nothing but take time: of those of an engine, one is enough in another isolation."""
HARMLESS = {
    "latex": "$x^2$",
    "lilypond": '\\version "2.24.0" { c d e f }',
    "webpage": json.dumps([{"filename": "index.html", "content": "<p>Harmless"}]),
    "latex_document": r"\documentclass{article}\begin{document}Harmless\end{document}",
    "tikz": r"\begin{tikzpicture}\draw (0,0) circle (1);\end{tikzpicture}",
    "typst": "= Harmless",
    "matplotlib": "plt.plot([1, 2])",
    "vega": '{"data": {"values": [{"a": 1}]}, "mark": "point"}',
    "svg": "<svg width='90' height='90'><circle r='9'/></svg>",
    "markdown": "# Harmless",
    "html": "<p>Harmless",
    "canvas": "document.getElementById('c').getContext('2d').fillRect(0, 0, 99, 99)",
    "react": "export default () => <p>Harmless</p>",
    "vue": "<template><p>Harmless</p></template>",
    "angular": "import {Component} from '@angular/core';"
    "@Component({template: 'Harmless'}) export class A {}",
    "mermaid": "flowchart TD\n  A --> B",
}


def harmless(format: str) -> bytes:
    return render(format, HARMLESS[format]).image.tobytes()


def attacked(isolation) -> tuple[str, ...]:
    """The formats that are attacked: one of each engine is enough in another isolation."""
    return tuple(HARMLESS) if isolation.name == STRONG[0] else ENGINES


@pytest.fixture(scope="module")
def normal(isolation):
    """The harmless pictures, and how many processes there are when all engines are started."""
    pictures = {format: harmless(format) for format in attacked(isolation)}
    yield pictures, len(running())
    # What no single attack has done, all of them have not.
    assert {format for format in pictures if harmless(format) != pictures[format]} == set()
    pool.workers.close()
    assert running() == []


def endless(format: str) -> list[Attack]:
    return [ATTACKS[format][name] for name in ENDLESS.get(format, ())]


@pytest.fixture
def listener():
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield server


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


def opened(pid: int) -> set[str]:
    """What the descriptors of a process lead to."""
    found = set()
    with contextlib.suppress(OSError):
        for link in Path(f"/proc/{pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                found.add(str(link.readlink()))
    return found - {"/dev/null"}


def test_engines_have_no_descriptor_of_ours_but_the_three(normal):
    ours = opened(os.getpid())
    children = [file.read_text() for file in Path("/proc/self/task").glob("*/children")]
    engines = [int(pid) for pid in " ".join(children).split() if len(tree(int(pid))) > 1]
    assert len(engines) > 5
    for engine in engines:
        held = set().union(*map(opened, tree(engine)[1:]))
        shared = held & ours
        assert len(shared) <= 3
        assert all(link.startswith("pipe:") for link in shared)


@pytest.mark.parametrize(
    ("format", "attack"),
    [
        pytest.param(format, attack, id=f"{format}: {name}")
        for format, attacks in ATTACKS.items()
        for name, attack in attacks.items()
    ],
)
def test_attack_has_no_effect(format, attack, isolation, normal, listener, tmp_path):
    if format not in attacked(isolation):
        pytest.skip("one format of each engine is enough in another isolation")
    if isolation.name != STRONG[0] and attack in endless(format):
        pytest.skip("one attack that takes nothing but time is enough in another isolation")
    pictures, processes = normal
    canary = tmp_path / "canary.txt"
    canary.write_text(SECRET)
    before = resident()
    port = listener.getsockname()[1]
    code = attack.code.replace("CANARY", str(canary)).replace("PORT", str(port))
    code = code.replace("HUGE", "x" * 200_000_000)
    try:
        limit = ENDLESS_SECONDS if attack.end == "timeout" else None
        rendered = render_completion(format, code, timeout=limit)
        end, seen = "drawn", rendered.text + rendered.log
    except RenderError as error:
        end, seen = error.kind, error.message + error.log
    del code
    assert end == attack.end
    assert SECRET not in seen
    assert canary.read_text() == SECRET
    assert [path.name for path in tmp_path.iterdir()] == ["canary.txt"]
    with pytest.raises(BlockingIOError):
        listener.accept()
    # The next one is drawn as by a fresh engine, and everything is back to normal. Where the attack
    # left its engine alive, the next attack's harmless answer is drawn by it, too.
    assert harmless(format) == pictures[format]
    assert len(running()) <= processes + SPARE_PROCESSES
    assert resident() < before + 100 * MIB
