import base64
import gzip
import io
import tarfile

import pytest

from helm_structext.data import archives
from helm_structext.data.archives import unpack_repository


def packed(*members: tuple[str, bytes] | tarfile.TarInfo) -> str:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for member in members:
            if isinstance(member, tarfile.TarInfo):
                archive.addfile(member)
            else:
                info = tarfile.TarInfo(member[0])
                info.size = len(member[1])
                archive.addfile(info, io.BytesIO(member[1]))
    return base64.b64encode(buffer.getvalue()).decode()


def special(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def test_files_come_sorted_without_folders():
    structure = packed(special("css", tarfile.DIRTYPE), ("css/a.css", b"a"), ("./a.html", b"b"))
    assert unpack_repository(structure) == {"a.html": b"b", "css/a.css": b"a"}


@pytest.mark.parametrize(
    ("structure", "reason"),
    [
        (packed(("../outside", b"x")), "leads out"),
        (packed(("a/../../outside", b"x")), "leads out"),
        (packed(("/etc/passwd", b"x")), "leads out"),
        (packed(special("link", tarfile.SYMTYPE, "/etc/passwd")), "not a regular file"),
        (packed(special("link", tarfile.LNKTYPE, "/etc/passwd")), "not a regular file"),
        (packed(special("device", tarfile.CHRTYPE)), "not a regular file"),
        (packed(special("pipe", tarfile.FIFOTYPE)), "not a regular file"),
        ("not base64!", "not the base64"),
        (base64.b64encode(b"not gzip").decode(), "not the base64"),
        (base64.b64encode(gzip.compress(b"not a tar" * 99)).decode(), "not the base64"),
        (packed(("a", b"x" * 9999))[:40], "not the base64"),
    ],
)
def test_what_is_not_a_plain_repository_is_refused(structure, reason):
    with pytest.raises(ValueError, match=reason):
        unpack_repository(structure)


def test_a_bomb_is_not_unpacked():
    bomb = base64.b64encode(gzip.compress(bytes(archives.MAX_BYTES * 4), 9)).decode()
    assert len(bomb) < 2**20
    with pytest.raises(ValueError, match="more than 64 MiB"):
        unpack_repository(bomb)


def test_a_file_that_claims_to_be_huge_is_refused():
    info = tarfile.TarInfo("huge")
    info.size = 2**40
    header = info.tobuf(tarfile.GNU_FORMAT)
    structure = base64.b64encode(gzip.compress(header + bytes(1024))).decode()
    with pytest.raises(ValueError, match="not the base64"):
        unpack_repository(structure)


def test_too_many_files_are_refused(monkeypatch):
    monkeypatch.setattr(archives, "MAX_FILES", 3)
    with pytest.raises(ValueError, match="more than 3 files"):
        unpack_repository(packed(*((f"{i}.txt", b"") for i in range(4))))
