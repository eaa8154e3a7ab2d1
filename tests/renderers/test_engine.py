"""What renderers run for themselves, in which no completion has a part."""

import pytest

from helm_structext.errors import SetupError
from helm_structext.renderers import engine
from helm_structext.renderers.engine import run_own
from helm_structext.sandbox import Limits, SandboxProfile

PROFILE = SandboxProfile(programs=("sleep",))


def test_program_of_ours_that_is_killed_is_run_again(monkeypatch):
    tries = []

    def killed_once(command, profile, limits, **options):
        tries.append(command)
        return run(["sh", "-c", "kill -9 $$"] if len(tries) == 1 else command, profile, limits)

    run = engine.run
    monkeypatch.setattr(engine, "run", killed_once)
    assert run_own(["sh", "-c", "echo done"], PROFILE, Limits()).output == "done\n"
    assert len(tries) == 2


@pytest.mark.parametrize(
    ("script", "reason"),
    [("kill -9 $$", "ended by signal 9"), ("sleep 60", "not finished in time")],
)
def test_program_of_ours_that_always_fails_is_no_fault_of_a_completion(script, reason):
    with pytest.raises(SetupError, match=reason):
        run_own(["sh", "-c", script], PROFILE, Limits(seconds=0.3))
