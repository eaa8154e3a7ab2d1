"""The index by which offline models find what they need to know of a request.

A HELM client sees a request and nothing else, so a scenario writes one small file for each
instance into a folder beside its pictures, keyed by the content of prompt and pictures.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from helm_structext.errors import SetupError
from helm_structext.storage.cache import content_key, ensure_content
from helm_structext.storage.files import read_json
from helm_structext.texts import json_line, utf8


@dataclass(frozen=True)
class KnownAnswer:
    """What an offline model may know of an instance.

    Args:
        instance: the instance's id within its dataset.
        format: the format that is asked for, such as ``latex``.
        oracle: a right answer, or None where the dataset holds none.
        blank: an answer that says nothing.
        reader: the benchmark that knows how pictures are read for this format, or None.
    """

    instance: str
    format: str
    oracle: str | None
    blank: str
    reader: str | None = None


def request_key(prompt: str, pictures: Sequence[bytes]) -> str:
    """Returns the key of a request: a hash of its text and of its pictures' bytes, in order.

    >>> request_key("Read this.\\n", [b"a"]) == request_key("Read this.", [b"a"])
    True
    >>> request_key("Read this.", [b"a"]) == request_key("Read this.", [b"b"])
    False
    """
    return content_key(prompt.strip(), *pictures)


def write_answer(folder: Path, key: str, answer: KnownAnswer) -> None:
    """Adds an instance to the index in `folder`.

    Raises:
        SetupError: it can't be written.
    """
    ensure_content(_path(folder, key), utf8(json_line(asdict(answer))))


def read_answer(folder: Path, key: str) -> KnownAnswer | None:
    """Returns what the index in `folder` says of a request, or None if it is not there.

    Raises:
        SetupError: its file is damaged.
    """
    path = _path(folder, key)
    if not (path.exists() or path.is_symlink()):
        return None
    match read_json(path, REMEDY):
        case {
            "instance": str(instance),
            "format": str(format),
            "oracle": str() | None as oracle,
            "blank": str(blank),
            "reader": str() | None as reader,
        }:
            return KnownAnswer(instance, format, oracle, blank, reader)
    raise SetupError(f"{path} is not an answer of the index; {REMEDY}")


REMEDY = "remove it, and run the entry again without --cache-instances"


def _path(folder: Path, key: str) -> Path:
    return folder / key[:2] / f"{key}.json"
