"""Cache folders of tests."""

from pathlib import Path

from helm_structext.cache import cache_folder


def without_renderings(folder: Path) -> Path:
    """Makes a cache folder that shares everything with the present one but what was rendered."""
    folder.mkdir(parents=True)
    present = cache_folder()
    for path in present.iterdir() if present.exists() else ():
        if path.name != "renderings":
            (folder / path.name).symlink_to(path)
    return folder
