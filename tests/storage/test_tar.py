"""Archives of strangers: what honest programs write is read, and nothing else gets in or hangs."""

import io
import subprocess
import tarfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helm_structext.storage.tar import MAX_HEADER, TarError, entries
from support.archives import END, header, long_name, padded, pax

FORMATS = (tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT)


def files(archive: bytes) -> list[tuple[str, bytes]]:
    return [
        (entry.name, bytes(entry.content)) for entry in entries(archive) if entry.kind == "file"
    ]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(
    "name",
    ["a", "a/b c.png", "ä/☃.css", "x" * 100, "f" * 60 + "/" + "g" * 60, "d/" * 100 + "e"],
)
def test_what_python_writes_is_read(format, name):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=format) as archive:
        for size in (0, 1, 512, 513):
            info = tarfile.TarInfo(name)
            info.size, info.mtime = size, 1.5 if format == tarfile.PAX_FORMAT else 1
            archive.addfile(info, io.BytesIO(b"x" * size))
    assert files(buffer.getvalue()) == [(name, b"x" * size) for size in (0, 1, 512, 513)]


@pytest.mark.parametrize("format", ["v7", "oldgnu", "gnu", "ustar", "posix"])
def test_what_gnu_writes_is_read(tmp_path, format):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "file").write_bytes(b"content")
    (tmp_path / "link").symlink_to("folder")
    command = ["tar", f"--format={format}", "-cf", "-", "folder", "link"]
    archive = subprocess.run(command, cwd=tmp_path, capture_output=True, check=True).stdout
    assert [(e.name.rstrip("/"), e.kind, bytes(e.content)) for e in entries(archive)] == [
        ("folder", "folder", b""),
        ("folder/file", "file", b"content"),
        ("link", "other", b""),
    ]


BROKEN = {
    "nothing": b"",
    "no end": header("a"),
    "cut in a header": header("a")[:300],
    "cut in a file": header("a", 600) + bytes(512),
    "not a tar": b"not a tar" * 100,
    "another checksum": header("a").replace(b"a", b"b", 1) + END,
    "letters for a size": header("a", size=b"12x45\0") + END,
    "a nine in octal": header("a", size=b"0000000009\0") + END,
    "an endless size": header("a", size=b"\x80" + b"\xff" * 11) + END,
    "a size below 0": header("a", size=b"\xff" * 12) + END,
    "10^30 in pax": pax({"size": str(10**30)}) + header("a") + END,
    "5,000 digits in pax": pax({"size": "9" * 5000}) + header("a") + END,
    "a size below 0 in pax": pax({"size": "-512"}) + header("a") + END,
    "other digits in pax": pax({"size": "٣"}) + header("a") + END,
    "a pax record of length 0": header("p", 3, b"x") + padded(b"0 a") + header("a") + END,
    "a pax record too long": header("p", 9, b"x") + padded(b"99 path=b") + header("a") + END,
    "a pax record without =": header("p", 5, b"x") + padded(b"5 ab\n") + header("a") + END,
    "a pax length of 5,000 digits": header("p", 5000, b"x") + padded(b"9" * 5000) + END,
    "a pax header of a thousand parts": pax({f"k{i}": "" for i in range(1000)}) + END,
    "a pax header of a MB": pax({"comment": "x" * 2**20}) + header("a") + END,
    "a pax header for all": pax({"path": "b"}, b"g") + header("a") + END,
    "a GNU sparse file": header("a", 512, b"S") + bytes(512) + END,
    "a pax sparse file": pax({"GNU.sparse.realsize": str(6 * 10**8)}) + header("a") + END,
    "5,000 long names": long_name("b") * 5000 + header("a") + END,
    "5,000 pax headers with names": pax({"path": "b"}) * 5000 + header("a") + END,
    "a name twice": long_name("b") + pax({"path": "c"}) + header("a") + END,
    "a long name of a MB": long_name("b" * 2**20) + header("a") + END,
    "a long name of 10^30": header("././@LongLink", kind=b"L", size=b"\x80" + b"\xff" * 11) + END,
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_broken_is_refused(name):
    with pytest.raises(TarError):
        list(entries(BROKEN[name]))


def test_headers_that_say_nothing_of_names_may_follow_each_other():
    chain = pax({"comment": "x"}) * 5000 + header("././@LongLink", 2, b"K") + padded(b"x\0")
    assert files(chain + pax({"comment": "y"}, b"g") + header("a") + END) == [("a", b"")]


def test_content_is_a_part_of_the_archive():
    archive = b"".join(header(f"{i}", 600) + padded(b"x" * 600) for i in range(9)) + END
    found = list(entries(archive))
    assert sum(len(entry.content) for entry in found) < len(archive)
    assert all(entry.content.obj is archive for entry in found)


def test_links_and_devices_have_no_content():
    kinds = b"123456"
    archive = b"".join(header("a", 10**6, bytes([kind])) for kind in kinds) + END
    assert [(entry.kind, len(entry.content)) for entry in entries(archive)] == [
        *[("other", 0)] * 4,
        ("folder", 0),
        ("other", 0),
    ]


def test_an_old_file_with_a_slash_is_a_folder_and_names_keep_their_bytes():
    archive = header("a/", kind=b"\0") + header(b"\xff\xe4") + END
    assert [(entry.name, entry.kind) for entry in entries(archive)] == [
        ("a/", "folder"),
        ("\udcff\udce4", "file"),
    ]


def test_a_header_of_the_largest_length_is_read():
    text = "x" * (MAX_HEADER - 100)
    assert files(pax({"comment": text}) + header("a") + END) == [("a", b"")]


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 5000), st.binary(max_size=20)), min_size=1, max_size=8),
    st.sampled_from([b"0", b"5", b"L", b"x", b"g", b"S", b"K", b"1", b"\0", b"7", b"V"]),
)
def test_damage_anywhere_is_a_tar_error_or_an_archive(damages, kind):
    archive = bytearray(
        long_name("n" * 200) + header("a", 700) + padded(b"y" * 700)
        + pax({"path": "p", "mtime": "1.5"}) + header("b", 9, kind) + padded(b"9 path=b\n") + END
    )  # fmt: skip
    for place, data in damages:
        archive[place % len(archive) : place % len(archive) + len(data)] = data
    try:
        found = list(entries(bytes(archive)))
    except TarError:
        return
    assert sum(len(entry.content) for entry in found) <= len(archive)
