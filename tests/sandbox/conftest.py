"""The ways of isolation, each of which has to pass the same tests."""

import pytest

from helm_structext.errors import SetupError
from helm_structext.sandbox import pool
from helm_structext.sandbox.isolation import SETTING, STRONG, current_isolation


@pytest.fixture(scope="module", autouse=True)
def no_idle_engines():
    """What an earlier module's tests have started ends: some tests count what runs."""
    pool.workers.close()


@pytest.fixture(scope="module", params=STRONG)
def isolation(request, no_idle_engines):
    """Each way of isolation that this machine has, in turn, while a module's tests run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(SETTING, request.param)
        current_isolation.cache_clear()
        try:
            yield current_isolation()
        except SetupError as error:
            pytest.skip(str(error))
        finally:
            pool.workers.close()
    current_isolation.cache_clear()


@pytest.fixture
def setting(monkeypatch):
    """Sets HELM_STRUCTEXT_SANDBOX for one test."""

    def set_to(value: str) -> None:
        monkeypatch.setenv(SETTING, value)
        current_isolation.cache_clear()

    yield set_to
    monkeypatch.undo()
    current_isolation.cache_clear()
