"""Locks are kept from others, end with the file, and are missed by nobody where there are none."""

import errno
import fcntl
import threading

import pytest

from helm_structext.storage.locks import lock


@pytest.fixture
def files(tmp_path):
    path = tmp_path / "lock"
    with path.open("w") as one, path.open() as other:
        yield one, other


def test_one_that_is_shared_is_kept_from_who_does_not_share(files):
    one, other = files
    assert lock(one, shared=True)
    assert not lock(other)
    assert lock(other, shared=True)


def test_who_waits_has_it_next(files):
    one, other = files
    assert lock(one)
    found = []
    thread = threading.Thread(target=lambda: found.append(lock(other, wait=True)))
    thread.start()
    one.close()
    thread.join(60)
    assert found == [True]


@pytest.mark.parametrize("code", [errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP])
def test_where_there_are_none_anybody_has_it(files, monkeypatch, code):
    """Lustre mounted without flock, for example."""

    def refused(*_):
        raise OSError(code, "no locks")

    monkeypatch.setattr(fcntl, "flock", refused)
    assert all(map(lock, files))
