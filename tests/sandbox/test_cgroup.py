"""Control groups: when we have one, what it bounds, and that nothing depends on it."""

import os
import tempfile
from pathlib import Path

import pytest

from helm_structext.sandbox import Limits, Process, SandboxProfile, cgroup, run
from helm_structext.sandbox.cgroup import OURS, new_group, own_group, parent_group
from helm_structext.sandbox.limits import MAX_THREADS, MIB


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A folder like that of a group, which its user was not given."""
    folder = tmp_path / "scope"
    folder.mkdir()
    (folder / "cgroup.controllers").write_text("cpu memory pids\n")
    (folder / "cgroup.subtree_control").write_text("\n")
    (folder / "cgroup.procs").write_text("12\n34\n")
    monkeypatch.setattr(cgroup, "own_group", lambda: folder)
    monkeypatch.setattr(cgroup, "REMOVE_TRIES", 1)
    parent_group.cache_clear()
    yield folder
    parent_group.cache_clear()


def delegate(folder: Path) -> None:
    os.setxattr(folder, "user.delegate", b"1")


def test_delegated_group_is_taken_and_left_by_its_processes(own):
    delegate(own)
    assert parent_group() == own
    assert (own / OURS / "cgroup.procs").read_text() == "34"  # The kernel is told one at a time.
    assert (own / "cgroup.subtree_control").read_text() == "+memory +pids"


def test_processes_that_have_left_it_find_it_again(own, monkeypatch):
    (own / "cgroup.subtree_control").write_text("memory pids\n")
    (own / OURS).mkdir()
    monkeypatch.setattr(cgroup, "own_group", lambda: own / OURS)
    assert parent_group() == own


def nobody_delegates(folder: Path) -> None:
    pass


def without_memory(folder: Path) -> None:
    delegate(folder)
    (folder / "cgroup.controllers").write_text("cpu pids\n")


def of_version_1(folder: Path) -> None:
    delegate(folder)
    (folder / "cgroup.controllers").unlink()


@pytest.mark.parametrize("change", [nobody_delegates, without_memory, of_version_1])
def test_without_a_group_of_ours_all_goes_on(change, own):
    change(own)
    assert parent_group() is None
    assert new_group(Limits()) is None
    assert not (own / OURS).exists()
    assert run(["sh", "-c", "echo done"], SandboxProfile(()), Limits()).output == "done\n"


def test_group_bounds_memory_and_threads(own):
    delegate(own)
    group = new_group(Limits(memory=100, scratch=20, output=10))
    assert group is not None
    assert int((group.path / "memory.max").read_text()) == (130 + cgroup.SLACK) * MIB
    assert (group.path / "memory.swap.max").read_text() == "0"
    assert int((group.path / "pids.max").read_text()) == MAX_THREADS


def test_engine_enters_its_group_before_it_starts(own):
    delegate(own)
    assert run(["sh", "-c", "echo done"], SandboxProfile(()), Limits()).output == "done\n"
    (group,) = own.glob("helm-structext-*[!t]/memory.max")
    assert int((group.parent / "cgroup.procs").read_text()) > 0
    assert (group.parent / "cgroup.kill").read_text() == "1"


def test_group_that_can_not_be_entered_stops_nothing(own, monkeypatch):
    delegate(own)
    (own / OURS).mkdir()
    assert parent_group() == own
    own.chmod(0)
    monkeypatch.setattr(cgroup.tempfile, "mkdtemp", lambda **_: os.devnull)
    assert new_group(Limits()) is None
    own.chmod(0o700)


REAL = pytest.mark.skipif(
    not (own_group() and os.access(str(own_group()), os.W_OK)), reason="no groups of version 2"
)


@REAL
def test_real_group_holds_the_engine_and_ends_with_it(monkeypatch, request):
    """By the kernel's own groups, without controllers, which version 1 may hold."""
    parent = own_group()
    assert parent is not None
    monkeypatch.setattr(cgroup, "parent_group", lambda: parent)
    before = set(parent.glob("helm-structext-*"))
    group = cgroup.Group(Path(tempfile.mkdtemp(prefix="helm-structext-test-", dir=parent)))
    request.addfinalizer(group.remove)
    monkeypatch.setattr("helm_structext.sandbox.process.new_group", lambda _: group)
    process = Process(["sh", "-c", "echo ready; sleep 60"], SandboxProfile(("sleep",)), Limits())
    process.wait_until_ready()
    inside = set(map(int, (group.path / "cgroup.procs").read_text().split()))
    assert inside == set(process.state)
    process.close()
    assert set(parent.glob("helm-structext-*")) == before
