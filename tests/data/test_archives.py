import base64
import bz2
import gzip
import io
import lzma
import tarfile
import zipfile

import pytest

from helm_structext.data import archives
from helm_structext.data.archives import pack_repository, unpack_repository
from support.archives import END, header, long_name, pax


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


NO_REPOSITORY = [
    (packed(("../outside", b"x")), "leads out"),
    (packed(("a/../../outside", b"x")), "leads out"),
    (packed(("/etc/passwd", b"x")), "leads out"),
    (packed(special("link", tarfile.SYMTYPE, "/etc/passwd")), "not a regular file"),
    (packed(special("link", tarfile.LNKTYPE, "/etc/passwd")), "not a regular file"),
    (packed(special("device", tarfile.CHRTYPE)), "not a regular file"),
    (packed(special("pipe", tarfile.FIFOTYPE)), "not a regular file"),
    ("not base64!", "not base64"),
    (base64.b64encode(b"not gzip").decode(), "a tar.gz archive"),
    ("\ud800", "not base64"),
    ("", "a tar.gz archive"),
    (base64.b64encode(gzip.compress(b"not a tar" * 99)).decode(), "a tar.gz archive"),
    (packed(("a", b"x" * 9999))[:40], "a tar.gz archive"),
]


# Archives hold the time of their making: as the names of tests they would differ in each process.
@pytest.mark.parametrize(("structure", "reason"), NO_REPOSITORY, ids=range(len(NO_REPOSITORY)))
def test_what_is_not_a_plain_repository_is_refused(structure, reason):
    with pytest.raises(ValueError, match=reason):
        unpack_repository(structure)


def test_a_bomb_is_not_unpacked():
    bomb = base64.b64encode(gzip.compress(bytes(archives.MAX_BYTES * 4), 9)).decode()
    assert len(bomb) < 2**20
    with pytest.raises(ValueError, match="more than 64 MiB"):
        unpack_repository(bomb)


def gzipped(archive: bytes) -> str:
    return base64.b64encode(gzip.compress(archive)).decode()


def zipped(**options: int) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", **options) as archive:
        archive.writestr("a.html", b"a" * 999)
    return buffer.getvalue()


SPARSE = pax({"GNU.sparse.realsize": str(6 * 10**8), "GNU.sparse.map": f"{6 * 10**8},0"})
REFUSED = {
    "claims to be huge": (gzipped(header("a", 2**32) + END), "a tar.gz archive.*cut off"),
    "10^30": (gzipped(header("a", size=b"\x80" + b"\xff" * 11) + END), "a tar.gz archive.*cut off"),
    "sparse": (gzipped(SPARSE + header("a") + END), "sparse"),
    "old sparse": (gzipped(header("a", 0, b"S") + END), "sparse"),
    "5,000 long names": (gzipped(long_name("b") * 5000 + header("a") + END), "contradict"),
    "checksum": (gzipped(header("a").replace(b"a", b"b", 1) + END), "checksum"),
    "cut off": (gzipped(header("a")), "cut off"),
    "gzip in gzip": (gzipped(gzip.compress(header("a") + END)), "a tar.gz archive"),
    "gzip cut off": (gzipped(header("a") + END)[:-8], "a tar.gz archive"),
    "gzip's checksum": (
        base64.b64encode(gzip.compress(header("a") + END)[:-8] + bytes(8)).decode(),
        "a tar.gz archive.*CRC",
    ),
    "gzip's method": (
        base64.b64encode(b"\x1f\x8b\x07" + bytes(20)).decode(),
        "compression method",
    ),
    **{
        name: (base64.b64encode(data).decode(), "a tar.gz archive")
        for name, data in {
            "not packed": header("a") + END,
            "bzip2": bz2.compress(header("a") + END),
            "xz": lzma.compress(header("a") + END),
            "zip": zipped(),
            "zip of another method": zipped(compression=zipfile.ZIP_LZMA),
            "encrypted zip": zipped().replace(b"PK\3\4\x14\0\0\0", b"PK\3\4\x14\0\1\0"),
        }.items()
    },
    "a chain of links": (
        gzipped(b"".join(header(f"l{i}", 0, b"2") for i in range(5000)) + END),
        "'l0' is not a regular file",
    ),
    "no name": (gzipped(header("") + END), "not a regular file"),
    "a name of the root": (gzipped(header("./.") + END), "not a regular file"),
    "an absolute long name": (gzipped(long_name("/a") + header("a") + END), "leads out"),
    "a long name that leads out": (
        gzipped(long_name("a/../../b") + header("a") + END),
        "leads out",
    ),
    "a folder that leads out": (gzipped(header("../a/", 0, b"5") + END), "leads out"),
    "NUL": (gzipped(pax({"path": "a\0b"}) + header("a") + END), "no name of a file"),
    "not UTF-8": (gzipped(header(b"\xff.png") + END), r"'\\udcff.png' is not UTF-8"),
    "a surrogate": (gzipped(header(b"\xed\xa0\x80.png") + END), "is not UTF-8"),
    "a long part": (gzipped(long_name("a" * 256) + header("a") + END), "no name of a file"),
    "deep folders": (
        gzipped(long_name("a/" * 5000 + "b") + header("a") + END),
        "no name of a file",
    ),
    "a file and a folder": (
        packed(("a", b""), ("a/b.png", b"")),
        "'a' is both a file and a folder",
    ),
    "a folder and a file": (packed(("a/b/c", b""), ("a/b", b"")), "'a/b' is both"),
    "an empty folder and a file": (
        packed(special("a", tarfile.DIRTYPE), ("a", b"")),
        "'a' is both",
    ),
    "a file among folders": (
        packed(("a", b""), ("a!", b""), ("a-b", b""), ("a/b", b"")),
        "'a' is both",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_damaged_or_odd_is_refused_for_what_it_is(name):
    structure, reason = REFUSED[name]
    with pytest.raises(ValueError, match=reason) as caught:
        unpack_repository(structure)
    assert type(caught.value).__name__ in ("ValueError", "Refused")
    assert len(str(caught.value)) < 1000


def test_names_that_only_look_like_each_other_are_different_files():
    names = ["a", "a!", "a-b/c", "a.b", "ab/c", "b/a", "c\\d", "..e", "f.."]
    assert unpack_repository(packed(*((name, b"") for name in names))) == dict.fromkeys(names, b"")


def test_of_several_files_with_one_name_the_last_counts():
    assert unpack_repository(packed(("a", b"1"), ("./a", b"2"))) == {"a": b"2"}


def test_empty_parts_of_gzip_are_as_many_as_bytes_allow(monkeypatch):
    monkeypatch.setattr(archives, "MAX_BYTES", 10**6)
    with pytest.raises(ValueError, match="more than 0 MiB"):
        unpack_repository(base64.b64encode(gzip.compress(b"") * 60_000).decode())


def test_too_many_files_are_refused(monkeypatch):
    monkeypatch.setattr(archives, "MAX_FILES", 3)
    for name in ("{}.txt", "same.txt"):
        with pytest.raises(ValueError, match="more than 3 files"):
            unpack_repository(packed(*((name.format(i), b"") for i in range(4))))


def test_what_is_packed_is_unpacked_and_does_not_depend_on_the_order():
    files = {"ü/ö.html": "é".encode(), "a" * 200 + ".css": b"", "b.png": bytes(range(256)) * 40}
    structure = pack_repository(files)
    assert unpack_repository(structure) == files
    assert pack_repository(dict(reversed(files.items()))) == structure
