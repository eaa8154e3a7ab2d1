"""Datasets of the Hugging Face Hub: what a repository holds at a commit, and its files on this disk.

The Hub is asked once for each dataset and revision in a process: all runs read the same commit, and a
Hub that can't be reached is not tried again. Files come as they are into the Hub's own cache, whole
or not at all, each when its rows are asked for; so one that is there is never fetched again.
"""

import logging
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

from helm_structext.errors import SetupError
from helm_structext.patterns import Pattern
from helm_structext.texts import describe_error, quote_value
from helm_structext.threads import beside

NEWEST = "main"
"""The revision that is a dataset's newest commit."""

CONVERTED = "refs/convert/parquet"
"""The revision under which the Hub keeps a dataset of another format as Parquet."""

PROGRESS_SECONDS = 10.0
"""How often the log says how much of a file has come, where there is no terminal for a bar."""

OTHER_WAYS = (
    "Set HF_HUB_OFFLINE=1 if the dataset was loaded here before, or use source=<folder> (parquet or "
    "arrow files in the same schema) or source=sample (the embedded sample)"
)

_SHARD = Pattern(r"-\d+-of-(\d+)\.parquet\z")

_log = logging.getLogger("helm.structext")

_lost: dict[str, str] = {}  # endpoint to why it can't be reached, in words for the user


@dataclass(frozen=True)
class Snapshot:
    """A dataset at one commit.

    Args:
        dataset: its name on the Hub.
        commit: 40 hexadecimal digits.
        sizes: the path of each file to its number of bytes, or None where that is unknown;
            offline, only the files on this disk.
        card: the metadata on top of its README.

    >>> Snapshot("a/b", "0" * 40, {}, {}).name
    'a/b@0000000000000000000000000000000000000000'
    """

    dataset: str
    commit: str
    sizes: Mapping[str, int | None]
    card: Mapping[str, Any]

    @property
    def name(self) -> str:
        """Dataset and commit."""
        return f"{self.dataset}@{self.commit}"


def snapshot(dataset: str, revision: str = NEWEST) -> Snapshot:
    """Returns what the Hub says of a dataset, or with ``HF_HUB_OFFLINE=1`` what this disk holds.

    Args:
        dataset: its name on the Hub.
        revision: a branch, a tag or a commit.

    Raises:
        SetupError: it can't be had; the message says what to do.
    """
    from huggingface_hub import constants

    if constants.HF_HUB_OFFLINE:
        return _find_kept(dataset, revision)
    found = _ask_hub(constants.ENDPOINT, dataset, revision)
    if isinstance(found, str):
        raise SetupError(found)
    return found


@cache
def _ask_hub(endpoint: str, dataset: str, revision: str) -> Snapshot | str:
    """What the Hub says, or why it says nothing: neither is asked for twice."""
    from huggingface_hub import HfApi, constants
    from huggingface_hub.errors import EntryNotFoundError, LocalEntryNotFoundError

    if endpoint in _lost:
        return _lost[endpoint]
    try:
        info = HfApi(endpoint).dataset_info(
            dataset, revision=revision, files_metadata=True, timeout=constants.HF_HUB_ETAG_TIMEOUT
        )
        try:
            # By its branch and not by the commit: so the cache knows the commit of the branch.
            card = _card(_download(dataset, "README.md", revision))
        except EntryNotFoundError as error:
            if isinstance(error, LocalEntryNotFoundError):  # a lost connection
                raise
            card = {}
    except Exception as error:  # whatever the network, the Hub or what stands in its place does
        if (refused := _refusal(error, dataset, revision)) is not None:
            return refused
        _lost[endpoint] = (
            f"source=hub: {endpoint} can't be reached ({_reason(error)}), and is not tried "
            f"again for other runs. {OTHER_WAYS}"
        )
        return _lost[endpoint]
    sizes = {file.rfilename: file.size for file in info.siblings or ()}
    return Snapshot(dataset, str(info.sha), sizes, card)


def _find_kept(dataset: str, revision: str) -> Snapshot:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    try:
        # Asks for little, so that what else there is of the commit does not matter.
        folder = snapshot_download(
            dataset, repo_type="dataset", revision=revision, allow_patterns="README.md"
        )
    except LocalEntryNotFoundError as error:
        raise SetupError(
            f"source=hub: HF_HUB_OFFLINE=1 is set, and {dataset} (revision={revision}) was not loaded "
            f"here before. Unset it, or use source=<folder> or source=sample"
        ) from error
    here = Path(folder)
    files = sorted(file for file in here.rglob("*") if file.is_file())
    sizes = {file.relative_to(here).as_posix(): file.stat().st_size for file in files}
    card = _card(here / "README.md") if "README.md" in sizes else {}
    return Snapshot(dataset, here.name, sizes, card)


def _download(dataset: str, name: str, revision: str) -> Path:
    from huggingface_hub import hf_hub_download

    return Path(hf_hub_download(dataset, name, repo_type="dataset", revision=revision))


def _card(readme: Path) -> Mapping[str, Any]:
    from huggingface_hub import metadata_load

    try:
        return metadata_load(readme) or {}
    except Exception as error:  # it is somebody's YAML
        raise SetupError(
            f"{readme} has metadata that can't be read: {describe_error(error)}"
        ) from error


def _cause(error: BaseException) -> BaseException:
    """The Hub's client says of lost connections and refusals that a file is not on this disk."""
    from huggingface_hub.errors import LocalEntryNotFoundError

    while isinstance(error, LocalEntryNotFoundError) and error.__cause__ is not None:
        error = error.__cause__
    return error


def _status(error: BaseException) -> int | None:
    """What the Hub answered, if it did."""
    return getattr(getattr(_cause(error), "response", None), "status_code", None)


def _reason(error: BaseException) -> str:
    status = _status(error)
    return describe_error(_cause(error)) if status is None else f"it answers {status}"


def _refusal(error: BaseException, dataset: str, revision: str) -> str | None:
    """What to do where the Hub was reached and said no; None where it was not reached."""
    from huggingface_hub import constants, errors

    error, status = _cause(error), _status(error)
    token = "set HF_TOKEN to a token of an account that may read it"
    if isinstance(error, errors.GatedRepoError):
        page = f"{constants.ENDPOINT}/datasets/{dataset}"
        advice = f"{dataset} is gated: ask for access at {page}, and {token}"
    elif isinstance(error, errors.RevisionNotFoundError):
        advice = f"{dataset} has no revision={revision}; without revision= the newest one is read"
    elif isinstance(error, errors.RepositoryNotFoundError):
        advice = f"the Hub has no dataset {dataset}, or not for everybody: {token}"
    elif status in (401, 403):
        advice = f"the Hub refuses to show {dataset} ({status}): {token}"
    elif isinstance(error, SetupError):
        advice = str(error)
    else:
        return None
    return f"source=hub: {advice}"


def published_split(
    dataset: str, config: str, splits: Sequence[str], revision: str = NEWEST
) -> tuple[Snapshot, list[str]]:
    """Returns a dataset, and the paths of one split's Parquet files in order.

    Args:
        dataset: its name on the Hub.
        config: one of its configs; ``default`` also stands for an only config of another name.
        splits: names that the split has had; the first that is there counts.
        revision: a branch, a tag or a commit. Of a dataset in another format than Parquet, the
            newest is what the Hub made of it.

    Raises:
        SetupError: there is no such dataset, config or split, or files are missing on this disk.
    """
    found = snapshot(dataset, revision)
    files = _split_files(found, config, splits)
    if not _all_parquet(files) and revision == NEWEST:
        found = snapshot(dataset, CONVERTED)
        files = _split_files(found, config, splits)
    if not _all_parquet(files):
        raise SetupError(
            f"source=hub: {found.name} has {files[0]} for {config}, which is not Parquet; "
            f"revision={CONVERTED} is what the Hub made of the newest one"
        )
    _check_whole(found, files)
    return found, files


def missing_files(
    dataset: str, config: str, splits: Sequence[str], revision: str = NEWEST
) -> dict[str, int | None]:
    """Returns what would have to be fetched of a split: path to bytes, or None where that is unknown.

    Args:
        dataset: as for `published_split`; so are the others.

    Raises:
        SetupError: as `published_split`.
    """
    found, files = published_split(dataset, config, splits, revision)
    return {file: found.sizes.get(file) for file in files if _on_this_disk(found, file) is None}


def _on_this_disk(found: Snapshot, name: str) -> Path | None:
    from huggingface_hub import try_to_load_from_cache

    kept = try_to_load_from_cache(found.dataset, name, repo_type="dataset", revision=found.commit)
    return Path(kept) if isinstance(kept, str) else None


def _all_parquet(files: Sequence[str]) -> bool:
    return all(file.endswith(".parquet") for file in files)


def _split_files(found: Snapshot, config: str, splits: Sequence[str]) -> list[str]:
    """The paths of a split's files, in order.

    >>> files = ["README.md", "data/train-0-of-1.parquet", "css/validation-0-of-1.parquet"]
    >>> data_files = [{"split": "test", "path": "data/train-*"}]
    >>> card = {"configs": [{"config_name": "default", "data_files": data_files}]}
    >>> _split_files(Snapshot("a/b", "0", dict.fromkeys(files), card), "default", ["train", "test"])
    ['data/train-0-of-1.parquet']
    >>> _split_files(Snapshot("a/b", "0", dict.fromkeys(files), {}), "css", ["validation"])
    ['css/validation-0-of-1.parquet']
    """
    for patterns in _patterns(found, config, splits):
        files = [
            file for file in sorted(found.sizes) if any(fnmatchcase(file, p) for p in patterns)
        ]
        if files:
            return files
    raise SetupError(
        f"source=hub: {found.name} has no files of {config}, {' or '.join(splits)}"
        f"{' on this disk; unset HF_HUB_OFFLINE to load them' if _offline() else ''}"
    )


def has_split(found: Snapshot, config: str, splits: Sequence[str]) -> bool:
    """Says whether a dataset has a split of a config.

    Args:
        found: the dataset.
        config: one of its configs.
        splits: names that the split has had.
    """
    try:
        return bool(_split_files(found, config, splits))
    except SetupError:
        return False


def _patterns(found: Snapshot, config: str, splits: Sequence[str]) -> Iterator[list[str]]:
    """Yields what the paths of a split may look like: as the card says, or else as is usual."""
    configs = _configs(found.card)
    if not configs:
        for folder in (f"{config}/", "data/", ""):
            yield from ([f"{folder}{split}*"] for split in splits)
        return
    if config == "default" and len(configs) == 1:
        (config,) = configs
    if config not in configs:
        raise SetupError(
            f"source=hub: {found.name} has no config {config}; it has {', '.join(configs)}"
        )
    split = next((split for split in splits if split in configs[config]), None)
    if split is None:
        raise SetupError(
            f"source=hub: {found.name} ({config}) has no split {' or '.join(splits)}; "
            f"it has {', '.join(configs[config])}"
        )
    yield configs[config][split]


def _configs(card: Mapping[str, Any]) -> dict[str, dict[str, list[str]]]:
    """Config to split to patterns of paths.

    >>> _configs({"configs": [{"config_name": "css", "data_files": "css/*"}, {"config_name": "x"}]})
    {'css': {'train': ['css/*']}}
    """
    configs: dict[str, dict[str, list[str]]] = {}
    for entry in card.get("configs") or ():
        match entry:
            case {"config_name": str(name), "data_files": str(path)}:
                configs[name] = {"train": [path]}
            case {"config_name": str(name), "data_files": [*parts]}:
                configs[name] = dict(map(_split, parts))
    return configs


def _split(part: Any) -> tuple[str, list[str]]:
    match part:
        case {"split": str(split), "path": str(path)}:
            return split, [path]
        case {"split": str(split), "path": [*paths]}:
            return split, [str(path) for path in paths]
        case str(path):
            return "train", [path]
    raise SetupError(f"source=hub: data_files of a dataset's card holds {quote_value(part)}")


def _check_whole(found: Snapshot, files: Sequence[str]) -> None:
    """Half of the files of a split, left of a download that was cut off, are not the split."""
    total = max((int(match[1]) for file in files if (match := _SHARD.search(file))), default=0)
    if len(files) < total:
        raise SetupError(
            f"source=hub: {len(files)} of {total} files like {files[0]} of {found.name} are "
            f"{'on this disk; unset HF_HUB_OFFLINE to load the others' if _offline() else 'there'}"
        )


def _offline() -> bool:
    from huggingface_hub import constants

    return bool(constants.HF_HUB_OFFLINE)


def fetch(found: Snapshot, name: str) -> Path:
    """Returns where a file of a dataset lies on this disk; what is not there yet is downloaded.

    Raises:
        SetupError: it can't be had, or did not come whole.
    """
    from huggingface_hub import constants

    if kept := _on_this_disk(found, name):
        return kept
    if constants.ENDPOINT in _lost:
        raise SetupError(_lost[constants.ENDPOINT])
    try:
        with _told(found, name):
            return _download(found.dataset, name, found.commit)
    except Exception as error:  # of the network, the Hub or the disk
        refused = _refusal(error, found.dataset, found.commit)
        if refused is None:
            refused = _lost[constants.ENDPOINT] = (
                f"source=hub: {name} of {found.name} did not come ({_reason(error)}), and "
                f"nothing is tried again for other runs. Start once more: files that came are kept. "
                f"{OTHER_WAYS}"
            )
        raise SetupError(refused) from error


@contextmanager
def _told(found: Snapshot, name: str) -> Iterator[None]:
    """Says what is fetched; on a terminal the Hub's client shows a bar, elsewhere the log tells."""
    from huggingface_hub import constants
    from huggingface_hub.file_download import repo_folder_name

    blobs = Path(
        constants.HF_HUB_CACHE, repo_folder_name(repo_id=found.dataset, repo_type="dataset")
    )
    size = found.sizes.get(name)
    whole = f"{size / 1e6:.1f} MB" if size is not None else "unknown size"

    def tell(came: threading.Event) -> None:
        while not came.wait(PROGRESS_SECONDS):
            _log.info(f"{_incomplete(blobs / 'blobs') / 1e6:.1f} of {whole} of {name} have come")

    _log.info(f"Fetching {name} ({whole}) of {found.name}")
    with nullcontext() if sys.stderr.isatty() else beside(tell):
        yield


def _incomplete(blobs: Path) -> int:
    """The bytes of the file that is being written."""
    sizes = []
    for file in blobs.glob("*.incomplete"):
        try:
            status = file.stat()
        except FileNotFoundError:  # it has just come whole
            continue
        sizes.append((status.st_mtime, status.st_size))
    return max(sizes, default=(0.0, 0))[1]
