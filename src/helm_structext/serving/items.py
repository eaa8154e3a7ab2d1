"""Items of a request → tasks of a batch.

What a trainer's program got wrong (a name, a type, a weight) is a problem of the request, which is
then refused whole, as it would be wrong in each step. What is wrong with the data of one item (a
picture that can't be decoded, a path, code that does not render) costs that item its score alone.
"""

import base64
import binascii
import os
import stat
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any

from helm_structext.errors import SetupError
from helm_structext.rewards import BaseReward, Reference, RewardResult
from helm_structext.rewards.batch import Task
from helm_structext.rewards.files import REWARDS
from helm_structext.scoring.handling import SETUP, NotScored, bad_reference
from helm_structext.serving.messages import (
    NAMES,
    FileContent,
    InstanceItem,
    Item,
    MMRReference,
    PictureItem,
    PictureReference,
    Problem,
    ScoreRequest,
    StructEvalItem,
    StructEvalReference,
)
from helm_structext.serving.refusals import wrong
from helm_structext.storage.cache import content_key
from helm_structext.storage.file_names import explain_conflict
from helm_structext.structeval.judge import Judge
from helm_structext.texts import describe_error, one_line, quote_value

MAX_FILE = 100_000_000
"""Bytes of a file that a path names, and of all assets of a reference."""


def tasks(
    request: ScoreRequest,
    folders: Sequence[Path],
    judge: Judge | None = None,
    entries: Collection[str] | None = None,
) -> list[Task]:
    """Returns what there is to do.

    Args:
        request: valid as far as its types go.
        folders: below which paths may lie; resolved.
        judge: of StructEval's tasks.
        entries: run entries that items may name; by default all. Data is read where they say.

    Raises:
        RequestRefused: options of items are not what they should be.
    """
    rewards: dict[Any, BaseReward | SetupError] = {}
    problems = []
    found = []
    for number, item in enumerate(request.items):
        options = {
            name: given
            for name in type(item).model_fields.keys() & ScoreRequest.model_fields.keys()
            if (given := _first(getattr(item, name), getattr(request, name))) is not None
        }
        key = type(item), _name(item), repr(sorted(options.items()))
        if key not in rewards:
            try:
                rewards[key] = _reward(item, options, judge, entries)
            except SetupError as error:
                rewards[key] = error
            except ValueError as error:
                problems.append(Problem(item=number, reason=one_line(str(error))))
                continue
        score = _make_scoring(item, rewards[key], folders)
        same = content_key(repr(key), repr(item))
        found.append(Task(_lane(item, rewards[key]), score, _preparation(item), same))
    if problems:
        raise wrong(problems)
    return found


def _first(*values: Any) -> Any:
    return next((value for value in values if value is not None), None)


def _kind(item: Item) -> str:
    """The field that says what an item is."""
    return next(field for field, kind in NAMES.items() if isinstance(item, kind))


def _name(item: Item) -> str:
    return str(getattr(item, _kind(item)))


def _preparation(item: Item) -> Hashable:
    """What is equal for items with the same reference, where the first one has to render it."""
    if not isinstance(item, PictureItem):
        return None
    code = item.reference if isinstance(item.reference, str) else item.reference.code
    return None if code is None else (item.format, code)


def _reward(
    item: Item, options: Mapping[str, Any], judge: Judge | None, entries: Collection[str] | None
) -> BaseReward:
    if isinstance(item, InstanceItem) and entries is not None and item.entry not in entries:
        known = ", ".join(entries) or "none (--entries)"
        raise ValueError(f"entry: {quote_value(item.entry)} is not served; there are {known}")
    judged = {"judge": judge} if isinstance(item, StructEvalItem) else {}
    return REWARDS[_kind(item)](_name(item), **judged, **options)


def _lane(item: Item, reward: BaseReward | SetupError) -> str:
    return _name(item) if isinstance(reward, SetupError) else reward.lane


def _make_scoring(
    item: Item, reward: BaseReward | SetupError, folders: Sequence[Path]
) -> Callable[[], RewardResult]:
    def score() -> RewardResult:
        if isinstance(reward, SetupError):
            return RewardResult(None, error_kind=SETUP, message=one_line(str(reward)))
        try:
            reference = _reference(item.reference, folders)
            if isinstance(item, PictureItem) and isinstance(reference, str):
                reference = Reference(code=reference)  # Whether it names a file is not looked at.
        except NotScored as error:
            nothing = dict.fromkeys(reward.components)
            return RewardResult(None, nothing, error.failure.kind, one_line(error.failure.message))
        (task,) = reward.tasks([item.completion], [reference])
        return task.score()

    return score


def _reference(given: Any, folders: Sequence[Path]) -> Any:
    """Returns a reference as rewards take it.

    Raises:
        NotScored: its files can't be read.
    """
    match given:
        case PictureReference():
            if wrong := explain_conflict(given.assets):
                raise bad_reference(f"assets: {wrong}")
            picture = None
            if given.base64 is not None or given.path is not None:
                picture = content(given, folders)
            assets = _assets(given.assets, folders)
            return Reference(picture, given.code, given.text, assets)
        case StructEvalReference():
            return {"raw_output_metric": given.raw_output_metric, "VQA": given.VQA}
        case MMRReference(answer=answer, size=size):
            return answer if size is None else (answer, (size[0], size[1]))
    return given


def _assets(given: Mapping[str, FileContent], folders: Sequence[Path]) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for name, file in given.items():
        found[name] = content(file, folders)
        if sum(map(len, found.values())) > MAX_FILE:
            raise bad_reference(f"assets have more than {MAX_FILE:,} bytes")
    return found


def content(file: FileContent, folders: Sequence[Path]) -> bytes:
    """Returns the bytes of a file.

    Args:
        file: in base64, or named by a path.
        folders: below which it may lie; resolved.

    Raises:
        NotScored: there is no such file there, or its base64 is broken.

    >>> content(FileContent(base64="aGk="), [])
    b'hi'
    >>> content(FileContent(path="/etc/passwd"), [Path("/usr")])
    Traceback (most recent call last):
    helm_structext.scoring.handling.NotScored: a completion has no score (reference): no file '/etc/passwd' below an allowed folder
    """
    if (file.base64 is None) == (file.path is None):
        raise bad_reference("a file has either base64 or a path")
    if file.path is not None:
        return _read_below(file.path, folders)
    try:
        return base64.b64decode(file.base64 or "", validate=True)
    except (binascii.Error, ValueError) as error:
        raise bad_reference(f"it is not base64: {describe_error(error)}") from error


def _read_below(name: str, folders: Sequence[Path]) -> bytes:
    """Reads a file that lies below one of some folders, whatever links lead to it.

    The message is the same for what is not there and for what lies elsewhere.
    """
    for folder in folders:
        try:
            path = (folder / name).resolve()
            if not path.is_relative_to(folder):
                continue
            # Not to wait for who writes to a pipe.
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
            with os.fdopen(os.open(path, flags), "rb") as stream:
                # A folder may have become a link since.
                opened = Path(f"/proc/self/fd/{stream.fileno()}").readlink()
                regular = stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
                if regular and opened.is_relative_to(folder):
                    return _all_of(stream)
        except (OSError, ValueError, RuntimeError):  # no such file; no name; a loop of links
            continue
    raise bad_reference(f"no file {one_line(repr(name), 200)} below an allowed folder")


def _all_of(stream: Any) -> bytes:
    data: bytes = stream.read(MAX_FILE + 1)
    if len(data) > MAX_FILE:
        raise bad_reference(f"a file has more than {MAX_FILE:,} bytes")
    return data
