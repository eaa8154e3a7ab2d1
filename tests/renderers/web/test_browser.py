"""Browsers that can't do what we need are said to be so, with what would do."""

import json

import pytest

from helm_structext.errors import SetupError
from helm_structext.machine.programs import BROWSER, VARIABLES
from helm_structext.renderers.web import browser
from helm_structext.renderers.web.browser import NEEDED, start_browser
from helm_structext.renderers.web.devtools import METHOD_NOT_FOUND
from helm_structext.sandbox import Limits

LIMITS = Limits(memory=2048, processes=64, scratch=256)
REPLIES = {
    "Browser.getVersion": {"result": {"product": "Chrome/1.2.3"}},
    "Target.getTargets": {"result": {"targetInfos": [{"targetId": "page"}]}},
    "Target.attachToTarget": {"result": {"sessionId": "session"}},
    NEEDED: {"error": {"code": METHOD_NOT_FOUND, "message": "wasn't found"}},
}


class OrdinaryChromium:
    """A browser whose pages' clocks can't be told to stand still."""

    closed = False

    def __init__(self, *_: object) -> None:
        pass

    def watch(self, clock):
        pass

    def exchange(self, request, complete, seconds):
        asked = map(json.loads, request.split(b"\0")[:-1])
        replies = ({"id": one["id"], **REPLIES[one["method"]]} for one in asked)
        return b"".join(json.dumps(reply).encode() + b"\0" for reply in replies)

    def close(self) -> None:
        OrdinaryChromium.closed = True


def test_a_browser_that_draws_no_frame_when_told_to_is_refused_and_ended(monkeypatch):
    monkeypatch.setattr(browser, "Process", OrdinaryChromium)
    with pytest.raises(SetupError) as error:
        start_browser(LIMITS)
    said = str(error.value)
    assert f"is Chrome/1.2.3, without {NEEDED}" in said
    assert "chromium-headless-shell" in said
    assert VARIABLES[BROWSER] in said
    assert OrdinaryChromium.closed


def test_a_program_that_does_not_start_as_a_browser_is_named_with_what_is_needed(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    program = tmp_path / "opt" / "chrome-headless-shell"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho snap >&2\nexit 3\n")
    program.chmod(0o755)
    monkeypatch.setenv(VARIABLES[BROWSER], str(program))
    with pytest.raises(SetupError) as error:
        start_browser(LIMITS)
    said = str(error.value)
    assert said.startswith(f"{program} does not start as a headless browser (")
    assert "\n" not in said
    assert "headless shell" in said
