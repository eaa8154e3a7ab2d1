"""Cache folders of tests."""

from pathlib import Path

from helm_structext.storage.cache import cache_folder
from helm_structext.storage.pruning import usage


def without_renderings(folder: Path) -> Path:
    """Makes a cache folder that shares everything with the present one but what was rendered."""
    folder.mkdir(parents=True)
    present = cache_folder()
    for path in present.iterdir() if present.exists() else ():
        if path.name != "renderings":
            (folder / path.name).symlink_to(path)
    return folder


def kept_kinds() -> dict[str, int]:
    """How many entries of each kind the present cache folder has: `cache prune` knows them all."""
    seen = usage(cache_folder(), "")
    assert not {"foreign", "leftovers"}.intersection(seen)
    return {kind: tally.entries for kind, tally in seen.items()}
