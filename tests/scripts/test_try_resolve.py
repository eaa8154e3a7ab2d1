"""Whether others can be installed beside this package: who is at fault where they can't."""

import doctest
from collections.abc import Callable, Iterable

import pytest

import try_resolve

US = "helm-structext"


@pytest.fixture
def resolve(tmp_path, monkeypatch, capsys) -> Callable[..., tuple[int, str]]:
    """Runs the script on one file, with a resolver that knows the environments of a table."""
    monkeypatch.setattr(try_resolve, "FOLDER", tmp_path)
    (tmp_path / "it.in").write_text("trl\nhelm-structext[engines]\n")
    monkeypatch.setattr("sys.argv", ["try_resolve.py", "it", "--python", "3.12"])

    def run(**found: dict[str, str] | None) -> tuple[int, str]:
        def resolved(requirements: Iterable[str], python: str) -> dict[str, str]:
            with_us = any(text.startswith(f"{US}[engines] @ file://") for text in requirements)
            versions = found["together" if with_us else "alone"]
            if versions is None:
                raise try_resolve.Unresolved("error: No solution found\n  because of numpy")
            return versions

        monkeypatch.setattr(try_resolve, "resolved", resolved)
        status = try_resolve.main()
        return status, capsys.readouterr().out.splitlines()[-1]

    return run


ALONE = {"trl": "2.0", "numpy": "3", "torch": "4"}


def test_what_fits_is_a_row_of_versions(resolve):
    together = {"trl": "2.0", "numpy": "2.5", "torch": "4", "pillow": "1"}
    assert resolve(alone=ALONE, together=together) == (
        0,
        "| trl helm-structext[engines] | 3.12 | trl 2.0 | numpy 2.5 (without us 3) "
        "| 4 (3 without us) |",
    )


def test_to_hold_another_back_is_a_failure(resolve):
    status, row = resolve(alone=ALONE, together={**ALONE, "trl": "1.9"})
    assert (status, "FAILED: trl would be 2.0 without us" in row) == (1, True)


def test_to_conflict_with_us_alone_is_a_failure(resolve):
    status, row = resolve(alone=ALONE, together=None)
    assert (status, "FAILED: error: No solution found   because of numpy" in row) == (1, True)


def test_what_conflicts_without_us_is_no_failure_of_ours(resolve):
    status, row = resolve(alone=None, together=None)
    assert (status, "without us: because of numpy" in row) == (0, True)


def test_examples_of_the_script():
    found = doctest.testmod(try_resolve)
    assert (found.failed, found.attempted) == (0, 2)


def test_every_integration_is_resolved_with_this_package():
    for path in try_resolve.FOLDER.glob("*.in"):
        assert US in map(try_resolve.name_of, path.read_text("utf-8").split())
