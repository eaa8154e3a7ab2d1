"""What crashes, broken disks, other programs and people do to files."""

import io
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PIL import Image

Damage = Callable[[Path], None]


def replaced(data: bytes) -> Damage:
    """Other content."""
    return lambda path: _write(path, data) and None


def changed(change: Callable[[bytes], bytes]) -> Damage:
    """Content that is made of the content that was there."""
    return lambda path: _write(path, change(path.read_bytes())) and None


def _write(path: Path, data: bytes) -> int:
    path.unlink()  # other names of the file keep their content
    return path.write_bytes(data)


def _in_place(make: Callable[[Path], Any]) -> Damage:
    def damage(path: Path) -> None:
        path.unlink()
        make(path)

    return damage


def _full_folder(path: Path) -> None:
    (path / "inner").mkdir(parents=True)
    (path / "inner" / "file").write_text("x")


def _flip(data: bytes) -> bytes:
    half = len(data) // 2
    return data[:half] + bytes([data[half] ^ 1]) + data[half + 1 :]


ANY_FILE: dict[str, Damage] = {
    "gone": Path.unlink,
    "empty": replaced(b""),
    "zeros": changed(lambda data: bytes(len(data))),
    "cut off": changed(lambda data: data[: len(data) // 2]),
    "without its last byte": changed(lambda data: data[:-1]),
    "a flipped bit": changed(_flip),
    "longer": changed(lambda data: data + b"x"),
    "twice": changed(lambda data: data + data),
    "other text": replaced(b"It is no such file."),
    "invalid UTF-8": replaced(b"\xff\xfe\xfd" * 9),
    "a file of 2 GiB with nothing in it": lambda path: os.truncate(path, 2**31),
    "a folder": _in_place(Path.mkdir),
    "a folder with files": _in_place(_full_folder),
    "a dangling link": _in_place(lambda path: path.symlink_to("nowhere")),
    "a link to itself": _in_place(lambda path: path.symlink_to(path.name)),
    "a link to a folder": _in_place(lambda path: path.symlink_to(path.parent)),
    "a link to a device": _in_place(lambda path: path.symlink_to("/dev/zero")),
    "a pipe": _in_place(os.mkfifo),
    "not to be read": lambda path: path.chmod(0),
}


def _object(change: Callable[[dict[str, Any]], Any]) -> Damage:
    return changed(lambda data: json.dumps(change(json.loads(data))).encode())


JSON_FILE: dict[str, Damage] = {
    **ANY_FILE,
    "a list": replaced(b"[]"),
    "null": replaced(b"null"),
    "a number": replaced(b"7"),
    "a text": replaced(b'"x"'),
    "an empty object": replaced(b"{}"),
    "NaN": replaced(b"NaN"),
    "a huge number": replaced(b'{"seconds": ' + b"9" * 5000 + b"}"),
    "a huge power": replaced(b'{"seconds": 1e999}'),
    "deep": replaced(b'{"x": ' * 100_000),
    "as deep as can be read": replaced(b'{"x": ' * 900 + b"1" + b"}" * 900),
    "a list of itself": _object(lambda record: [record]),
    "an extra key": _object(lambda record: {**record, "extra": 1}),
    "without its hash": _object(lambda record: {k: v for k, v in record.items() if k != "sha256"}),
    "a hash of another type": _object(lambda record: {**record, "sha256": 7}),
    "another hash": _object(lambda record: {**record, "sha256": "0" * 64}),
    "an unknown kind": _object(lambda record: {**record, "kind": "unknown"}),
    "UTF-16": changed(lambda data: data[:-1].decode("utf-8", "replace").encode("utf-16")),
}


def _png(size: tuple[int, int], color: str) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", size, color).save(buffer, "PNG")
    return buffer.getvalue()


def _same_size(data: bytes) -> bytes:
    return _png(Image.open(io.BytesIO(data)).size, "red")


def _other_dimensions(data: bytes) -> bytes:
    return data[:16] + (60_000).to_bytes(4, "big") * 2 + data[24:]


PNG_FILE: dict[str, Damage] = {
    **ANY_FILE,
    "a picture of another size": replaced(_png((3, 3), "red")),
    "another picture of the same size": changed(_same_size),
    "another format": replaced(b"P6 1 1 255\n\0\0\0"),
    "other dimensions": changed(_other_dimensions),
}


def keys_lost_and_changed(path: Path) -> dict[str, Damage]:
    """A damage for each key of a JSON object: it is lost, or has a value of another type."""
    damages: dict[str, Damage] = {}
    for key in json.loads(path.read_bytes()):
        damages[f"without {key}"] = _object(
            lambda record, key=key: {k: v for k, v in record.items() if k != key}
        )
        for value in (None, 7, [], {}, "x", True):
            damages[f"{key} is {value!r}"] = _object(
                lambda record, key=key, value=value: {**record, key: value}
            )
    return damages


def swap(one: Path, other: Path) -> None:
    """Gives two files each other's name."""
    between = one.with_name("between")
    shutil.move(one, between)
    shutil.move(other, one)
    shutil.move(between, other)
