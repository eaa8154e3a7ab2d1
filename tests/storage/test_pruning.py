"""What lies in the cache folder, and what goes of it: never what is in use, begun, or not ours."""

import multiprocessing
import os
import re
import time
import tracemalloc
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path

import pytest

import helm_structext
from helm_structext.errors import SetupError
from helm_structext.storage import pruning as cache_usage
from helm_structext.storage.cache import (
    content_key,
    get_or_make,
    get_or_make_file,
    keep,
    prefix_folder,
    read_record,
    seal_folder,
    store,
    write_record,
)
from helm_structext.storage.contents import INSTALLED, KINDS
from helm_structext.storage.pruning import DAY, IN_USE, prune, usage

PACKAGES = "js-0123456789abcdef"
OTHER = "js-fedcba9876543210"
HOUR = 3600.0


@pytest.fixture
def cache(tmp_path) -> Path:
    return tmp_path / "cache"


def age(path: Path, seconds: float) -> None:
    """Makes a file look as if it was used so long ago, and not since."""
    at = time.time() - seconds
    os.utime(path, (at, at), follow_symlinks=False)


def rendering(cache: Path, name: str, unused: float = 0.0, size: int = 100) -> Path:
    key = content_key(name)
    path = prefix_folder(cache / "renderings", key) / f"{key}.png"
    keep(path, b"x" * size)
    age(path.with_suffix(".json"), unused)
    return path


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}


def one_of_each(cache: Path, unused: float) -> None:
    """An entry of every kind, under the name that those who write it give it."""
    key = content_key("a")
    rendering(cache, "a")
    write_record(prefix_folder(cache / "renderings", key) / f"{content_key('b')}.json", {})
    get_or_make(prefix_folder(cache / "report", key) / key, lambda: b"a")
    keep(prefix_folder(cache / "runs", key) / f"MMRResult-{key}.arrow", b"a")
    write_record(prefix_folder(cache / "networks", key) / f"{key}.json", {})
    write_record(cache / "floors" / f"{key}.json", {})
    write_record(cache / "fingerprints" / f"{key}.json", {})
    get_or_make_file(cache / "formats" / f"latex-{key[:32]}.fmt", lambda: b"a")
    get_or_make_file(cache / "scripts" / f"vega-{key[:32]}.js", lambda: b"a")
    store(cache / "judge", b"a", "png")
    store(cache / "references", b"a", "css")
    for path in cache.rglob("*.*"):
        age(path, unused)


def test_every_folder_that_the_source_names_is_known():
    source = Path(helm_structext.__file__).parent
    texts = (path.read_text() for path in source.rglob("*.py"))
    named = {
        name
        for text in texts
        for name in re.findall(r'cache_folder\(\)(?:\.absolute\(\))? / "(\w+)"', text)
    }
    assert named == {*KINDS, *INSTALLED}


def test_every_kind_is_counted_with_its_bytes_and_dates(cache):
    one_of_each(cache, 2 * DAY)
    seen = usage(cache, PACKAGES)
    assert set(seen) == set(KINDS), "nothing is foreign, unreadable or left over"
    assert {kind: tally.entries for kind, tally in seen.items()} == {
        **dict.fromkeys(KINDS, 1),
        "renderings": 2,
    }
    assert seen.size == sum(path.stat().st_size for path in cache.rglob("*") if path.is_file())
    for tally in seen.values():
        assert time.time() - tally.oldest == pytest.approx(2 * DAY, abs=60)


def test_every_kind_goes_and_leaves_no_folder(cache):
    one_of_each(cache, 2 * DAY)
    pruned = prune(cache, PACKAGES, older_than=DAY)
    assert set(pruned.removed) == set(KINDS)
    assert list(cache.iterdir()) == []
    assert pruned.left.size == 0


def test_an_entry_outside_of_the_256_folders_is_counted_and_goes(cache):
    key = content_key("a")
    keep(cache / "renderings" / f"{key}.png", b"x")
    age(cache / "renderings" / f"{key}.json", 2 * DAY)
    assert usage(cache, PACKAGES)["renderings"].entries == 1
    prune(cache, PACKAGES, older_than=DAY)
    assert list(cache.iterdir()) == []


def test_what_was_used_since_stays(cache):
    old, used = rendering(cache, "old", 10 * DAY), rendering(cache, "used", 10 * DAY)
    assert read_record(used.with_suffix(".json"))
    size = sum(path.stat().st_size for path in (old, old.with_suffix(".json")))
    pruned = prune(cache, PACKAGES, older_than=5 * DAY)
    assert (old.exists(), used.exists()) == (False, True)
    assert pruned.removed["renderings"].size == size


def test_what_was_used_within_an_hour_stays_whatever_is_asked(cache):
    rendering(cache, "new", IN_USE / 2)
    rendering(cache, "old", IN_USE * 2)
    pruned = prune(cache, PACKAGES, older_than=0, max_size=0)
    assert pruned.in_use.entries == pruned.left["renderings"].entries == 1
    assert pruned.removed["renderings"].entries == 1
    pruned = prune(cache, PACKAGES, max_size=0)
    assert pruned.in_use.entries == 1
    assert not pruned.removed


def test_down_to_a_size_what_was_not_used_for_longest_goes_first(cache):
    paths = [rendering(cache, str(number), (20 - number) * DAY, 1000) for number in range(10)]
    size = usage(cache, PACKAGES).size
    each = size // 10
    pruned = prune(cache, PACKAGES, max_size=size - 3 * each)
    assert [path.exists() for path in paths] == [False] * 3 + [True] * 7
    assert pruned.left.size == usage(cache, PACKAGES).size == 7 * each
    prune(cache, PACKAGES, max_size=5 * each - 1)
    assert [path.exists() for path in paths] == [False] * 6 + [True] * 4


def test_of_one_hour_no_more_goes_than_has_to(cache):
    for number in range(10):
        rendering(cache, str(number), 5 * DAY, 1000)
    each = usage(cache, PACKAGES).size // 10
    assert prune(cache, PACKAGES, max_size=6 * each).removed["renderings"].entries == 4
    assert prune(cache, PACKAGES, max_size=6 * each).removed == {}


def test_size_and_age_together(cache):
    paths = [rendering(cache, str(number), (20 - number) * DAY, 1000) for number in range(10)]
    each = usage(cache, PACKAGES).size // 10
    prune(cache, PACKAGES, older_than=15.5 * DAY, max_size=3 * each)
    assert [path.exists() for path in paths] == [False] * 7 + [True] * 3


def test_a_dry_run_says_the_same_and_removes_nothing(cache):
    one_of_each(cache, 2 * DAY)
    rendering(cache, "old", 9 * DAY)
    before = files(cache)
    said = prune(cache, PACKAGES, older_than=5 * DAY, max_size=1, dry_run=True)
    assert files(cache) == before
    assert prune(cache, PACKAGES, older_than=5 * DAY, max_size=1) == said
    assert files(cache) == set()


def test_without_a_limit_only_leftovers_go(cache):
    path = rendering(cache, "a", 999 * DAY)
    prune(cache, PACKAGES)
    assert path.exists()


def begun(cache: Path, unused: float) -> list[Path]:
    """What a program that is killed leaves: temporary files, a half entry, half-installed packages."""
    key = content_key("x")
    folder = prefix_folder(cache / "renderings", key)
    half = cache / f".{OTHER}.0abc_def"
    left = [
        folder / f".{key}.png.0abc_def",
        folder / f".{key}.json.x9_zzzzz",
        cache / f".{OTHER}.checked.json.x9_zzzzz",
        cache / f"{OTHER}.lock",
        half,
    ]
    folder.mkdir(parents=True)
    (half / "js").mkdir(parents=True)
    (half / "js" / "package.json").write_text("{}")
    for path in left:
        if path != half:
            path.write_text("x")
        age(path, unused)
    return left


def test_what_was_begun_stays_for_a_day(cache):
    left = begun(cache, DAY / 2)
    assert "leftovers" not in prune(cache, PACKAGES, older_than=0, max_size=0).removed
    assert all(path.exists() for path in left)


def test_what_a_killed_program_left_goes(cache):
    left = begun(cache, DAY * 2)
    assert usage(cache, PACKAGES)["leftovers"].entries == len(left)
    assert prune(cache, PACKAGES).removed["leftovers"].entries == len(left)
    assert list(cache.iterdir()) == []


def test_a_file_whose_record_is_gone_goes_with_its_age(cache):
    one, other = rendering(cache, "a"), rendering(cache, "b")
    for path in (one, other):
        path.with_suffix(".json").unlink()
    age(one, 2 * DAY)
    assert usage(cache, PACKAGES)["renderings"].entries == 2
    prune(cache, PACKAGES, older_than=DAY)
    assert (one.exists(), other.exists()) == (False, True)


def installed(cache: Path, name: str, unused: float) -> Path:
    folder = cache / name
    (folder / "node_modules" / "react").mkdir(parents=True)
    (folder / "node_modules" / "react" / "index.js").write_text("1")
    seal_folder(folder)
    beside = [cache / f"{name}.lock", cache / f"{name}.checked.json"]
    for path in beside:
        path.write_text("")
    for path in (folder, folder / "installed.json", *beside):
        age(path, unused)
    return folder


def test_packages_of_another_version_go_and_ours_stay(cache):
    for name in (PACKAGES, OTHER):
        installed(cache, name, 40 * DAY)
    (cache / "weights").mkdir()
    (cache / "weights" / "vgg16-397923af.pth").write_text("1")
    seen = usage(cache, PACKAGES)
    assert (seen["js-KEY"].entries, seen["superseded"].entries) == (1, 1)
    assert "foreign" not in seen
    pruned = prune(cache, PACKAGES, older_than=0, max_size=0)
    assert {path.name for path in cache.iterdir()} == {
        *(f"{PACKAGES}{ending}" for ending in ("", ".lock", ".checked.json")),
        "weights",
    }
    assert pruned.removed["superseded"].entries == 1
    assert pruned.left.size == usage(cache, PACKAGES).size


def test_packages_of_another_version_that_are_in_use_stay(cache):
    folder = installed(cache, OTHER, 40 * DAY)
    age(folder / "installed.json", DAY / 2)
    assert prune(cache, PACKAGES, max_size=0).removed == {}
    assert folder.is_dir()


FOREIGN: dict[str, Callable[[Path], None]] = {
    "notes.txt": lambda path: path.write_text("mine"),
    "renderings/notes.json": lambda path: path.write_text("mine"),
    "renderings/ab/.nfs000000000123": lambda path: path.write_text("of the file system"),
    "renderings/photos": lambda path: path.mkdir(),
    "renderings/ab/cd": lambda path: path.mkdir(),
    f"renderings/{'a' * 64}.png": lambda path: path.symlink_to("/etc/passwd"),
    f"renderings/ab/{'b' * 64}.json": lambda path: path.symlink_to("../../../outside/mine.json"),
    "renderings/ff": lambda path: path.symlink_to("../../outside"),
    "report": lambda path: path.symlink_to("../outside"),
    OTHER: lambda path: path.symlink_to("../outside"),
    "floors": lambda path: path.write_text("a file where a folder should be"),
    "tmp": lambda path: os.mkfifo(path),
}


def test_what_is_not_ours_is_named_and_nothing_happens_to_it(cache, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    key = content_key("mine")
    for name in ("mine.json", f"{key}.json", f"{key}.png"):
        (outside / name).write_text("{}")
        age(outside / name, 99 * DAY)
    for name, make in FOREIGN.items():
        (cache / name).parent.mkdir(parents=True, exist_ok=True)
        make(cache / name)
        age(cache / name, 99 * DAY)
    rendering(cache, "ours", 9 * DAY)
    pruned = prune(cache, PACKAGES, older_than=0, max_size=0)
    assert pruned.left["foreign"].entries == len(FOREIGN)
    assert set(pruned.left["foreign"].paths) <= set(FOREIGN)
    assert pruned.removed["renderings"].entries == 1
    assert all((cache / name).is_symlink() or (cache / name).exists() for name in FOREIGN)
    assert len(list(outside.iterdir())) == 3


def test_a_link_in_place_of_the_cache_folder_is_followed(cache, tmp_path):
    rendering(tmp_path / "disk", "a", 2 * DAY)
    cache.symlink_to("disk")
    assert prune(cache, PACKAGES, older_than=DAY).removed["renderings"].entries == 1


@contextmanager
def without_rights(folder: Path, mode: int):
    """A folder as others see it; root is nobody for a while."""
    root = os.geteuid() == 0
    modes = {path: path.stat().st_mode for path in (folder, *folder.parents)}
    for path, before in modes.items():
        if root and before & 0o005 != 0o005:
            path.chmod(before | 0o055)
    folder.chmod(mode)
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)
        for path, before in modes.items():
            if path.stat().st_mode != before:
                path.chmod(before)


def test_without_rights_nothing_is_removed_and_all_is_named(cache):
    path = rendering(cache, "a", 2 * DAY)
    with without_rights(path.parent, 0o555):
        pruned = prune(cache, PACKAGES, older_than=DAY)
    assert pruned.refused.entries == 1
    assert "Permission denied" in pruned.refused.paths[0]
    assert pruned.removed == {}
    assert pruned.left.size > 0
    assert path.exists()


def test_a_folder_that_can_not_be_read_is_named(cache):
    path = rendering(cache, "a", 2 * DAY)
    with without_rights(path.parent, 0o000):
        seen = usage(cache, PACKAGES)
    assert seen["unreadable"].paths == [f"renderings/{path.parent.name} (Permission denied)"]


def test_a_cache_that_is_not_there_holds_nothing(cache):
    assert usage(cache, PACKAGES).size == 0
    assert prune(cache, PACKAGES, max_size=0).left.size == 0
    assert not cache.exists()


def test_a_file_in_place_of_the_cache_folder_is_an_error_that_names_it(cache):
    cache.write_text("")
    with pytest.raises(SetupError, match=r"cache can't be read: Not a directory"):
        usage(cache, PACKAGES)


WRITERS, ROUNDS, ENTRIES = 3, 20, 12


def write(cache: Path, wrong: "multiprocessing.Queue[str]") -> None:
    try:
        for number in range(ROUNDS * ENTRIES):
            text = str(number % ENTRIES)
            key = content_key(text)
            data = get_or_make(prefix_folder(cache / "report", key) / key, text.encode)
            assert data == text.encode()
            record = prefix_folder(cache / "renderings", key) / f"{key}.json"
            write_record(record, {"number": text})
            assert read_record(record) in (None, {"number": text})
    except BaseException as error:
        wrong.put(repr(error))
        raise


def remove(cache: Path, done: "multiprocessing.synchronize.Event", wrong) -> None:
    try:
        while not done.is_set():
            prune(cache, PACKAGES, older_than=0)
    except BaseException as error:
        wrong.put(repr(error))
        raise


def test_many_write_while_others_remove(cache, monkeypatch):
    """Without the hour for which they stay, entries go while they are written and read."""
    monkeypatch.setattr(cache_usage, "IN_USE", -HOUR)
    forked = multiprocessing.get_context("fork")
    wrong, done = forked.Queue(), forked.Event()
    writers = [forked.Process(target=write, args=(cache, wrong)) for _ in range(WRITERS)]
    removers = [forked.Process(target=remove, args=(cache, done, wrong)) for _ in range(2)]
    for process in (*removers, *writers):
        process.start()
    for process in writers:
        process.join()
    done.set()
    for process in removers:
        process.join()
    assert [process.exitcode for process in (*writers, *removers)] == [0] * (WRITERS + 2)
    assert wrong.empty()
    prune(cache, PACKAGES, older_than=0)
    assert files(cache) == set()
    assert list(cache.iterdir()) == []


def test_memory_does_not_grow_with_entries(cache):
    """All in one folder, as floors lie."""

    def peak(number: int) -> int:
        folder = cache / str(number) / "floors"
        folder.mkdir(parents=True)
        for name in range(number):
            (folder / f"{name:064x}.json").write_text("{}")
        tracemalloc.start()
        assert usage(folder.parent, PACKAGES)["floors"].entries == number
        prune(folder.parent, PACKAGES, max_size=0)
        held = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return held

    peak(2499)  # what is made once, and probes of lines that are taken out
    assert peak(2500) < 200_000  # their names alone are more
