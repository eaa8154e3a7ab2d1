"""Pages whose process ends: the page's fault where it ran out of memory, and nobody's where it was killed."""

import os
import signal
from contextlib import suppress
from pathlib import Path

import pytest

from helm_structext.errors import RenderError
from helm_structext.renderers import render
from helm_structext.renderers.web.tab import Tab
from helm_structext.sandbox import tree

PAGE = "<!DOCTYPE html><p>before</p>"
SCRIPTED = f"{PAGE}<script type=module>document.body.append('after')</script>"
GREEDY = f"{PAGE}<script>const a = []; for (;;) a.push(new Array(1e5).fill(a))</script>"


def kill_all(kind: str) -> None:
    for pid in tree(os.getpid())[1:]:
        with suppress(OSError):
            if f"--type={kind}" in Path(f"/proc/{pid}/cmdline").read_text():
                os.kill(pid, signal.SIGKILL)


def killing(monkeypatch: pytest.MonkeyPatch, times: int, kind: str = "renderer") -> list[None]:
    """Kills processes of browsers before so many visits of pages; returns the visits."""
    visits: list[None] = []
    visited = Tab._visited

    def visit(self: Tab, *arguments):
        visits.append(None)
        if len(visits) <= times:
            kill_all(kind)
        return visited(self, *arguments)

    monkeypatch.setattr(Tab, "_visited", visit)
    return visits


def test_a_page_whose_process_was_killed_is_rendered_once_more(monkeypatch):
    expected = render("html", PAGE).image
    visits = killing(monkeypatch, 1)
    assert render("html", PAGE).image == expected
    assert len(visits) == 2


@pytest.mark.parametrize("kind", ["gpu-process", "utility"])
def test_a_page_is_rendered_once_more_where_a_process_of_the_browser_was_killed(monkeypatch, kind):
    """Without it a page has no scripts, say, and goes on."""
    expected = render("html", SCRIPTED).image
    visits = killing(monkeypatch, 1, kind)
    assert render("html", SCRIPTED).image == expected
    assert len(visits) == 2


def test_one_that_is_killed_each_time_is_an_error(monkeypatch):
    visits = killing(monkeypatch, 3)
    with pytest.raises(RenderError, match=r"died each time .the page's process was killed"):
        render("html", PAGE)
    assert len(visits) == 3


def test_one_that_runs_out_of_memory_is_its_own_fault():
    with pytest.raises(RenderError, match=r"resource: .*the page crashed"):
        render("html", GREEDY)


def test_a_page_whose_process_is_killed_while_its_layout_is_read_is_read_once_more(monkeypatch):
    reads: list[None] = []
    read = Tab._snapshot

    def kill_first(self: Tab, *arguments):
        reads.append(None)
        if len(reads) == 1:
            kill_all("renderer")
        return read(self, *arguments)

    monkeypatch.setattr(Tab, "_snapshot", kill_first)
    rendering = render("html", PAGE, layout=True)
    assert [one.text for one in rendering.layout.texts] == ["before"]
    assert len(reads) == 2
