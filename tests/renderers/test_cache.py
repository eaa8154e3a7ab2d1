"""The cache of `render`: by exact content, errors of the code included, those of the machine not."""

import multiprocessing
import shutil
import stat
from concurrent.futures import ProcessPoolExecutor

import pytest
from PIL import Image, ImageFile

from helm_structext.errors import RenderError, SetupError
from helm_structext.renderers import WORDING, render
from helm_structext.sandbox import EngineDied
from helm_structext.sandbox import process as sandbox
from helm_structext.storage.cache import ensure_content, read_record, write_record


def names(folder):
    return sorted(path.name for path in folder.glob("*/*"))


def test_second_time_comes_from_the_cache(tmp_path, monkeypatch):
    first = render("latex", "$x$", cache=tmp_path)
    assert first.path is not None
    assert names(tmp_path) == [f"{first.path.stem}.json", f"{first.path.stem}.png"]
    assert Image.open(first.path).tobytes() == first.image.tobytes()
    monkeypatch.setattr(sandbox.subprocess, "Popen", None)  # Nothing may be started.
    second = render("latex", "$x$", cache=tmp_path)
    assert second.image.tobytes() == first.image.tobytes()
    assert (second.source, second.text, second.log, second.seconds, second.path) == (
        first.source,
        first.text,
        first.log,
        first.seconds,
        first.path,
    )


def test_kept_pixels_are_decoded_when_they_are_asked_for(tmp_path, monkeypatch):
    first = render("latex", "$x$", cache=tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(ImageFile.ImageFile, "load", None)
        second = render("latex", "$x$", cache=tmp_path)
    assert second.path == first.path
    assert second.image.mode == "RGB"
    assert second.image.tobytes() == first.image.tobytes()


def test_picture_that_someone_deleted_is_made_again(tmp_path):
    first = render("latex", "$x$", cache=tmp_path)
    first.path.unlink()
    assert render("latex", "$x$", cache=tmp_path).image.tobytes() == first.image.tobytes()
    assert first.path.exists()


def test_error_of_the_code_comes_from_the_cache(tmp_path, monkeypatch):
    with pytest.raises(RenderError) as first:
        render("latex", r"\undefined", cache=tmp_path)
    monkeypatch.setattr(sandbox.subprocess, "Popen", None)
    with pytest.raises(RenderError) as second:
        render("latex", r"\undefined", cache=tmp_path)
    assert second.value.args == first.value.args


def test_error_kept_in_older_words_is_made_anew(tmp_path):
    with pytest.raises(RenderError) as first:
        render("latex", r"\undefined", cache=tmp_path)
    (path,) = tmp_path.glob("*/*")
    record = read_record(path)
    write_record(path, {**record, "message": "line 29 is wrong", "wording": WORDING - 1})
    with pytest.raises(RenderError) as second:
        render("latex", r"\undefined", cache=tmp_path)
    assert second.value.message == first.value.message
    assert read_record(path) == record


def test_every_part_of_the_content_counts(tmp_path):
    code = r"x\IfFileExists{a.txt}{y}{}"
    for options in (
        {},
        {"assets": {"a.txt": b"1"}},
        {"assets": {"a.txt": b"2"}},
        {"protocol": "corrected"},
        {"timeout": 31},
    ):
        render("latex", code, cache=tmp_path, **options)
    assert len(names(tmp_path)) == 10


def test_vanished_program_is_not_kept(tmp_path, monkeypatch):
    render("latex", "$y$")
    which = shutil.which
    monkeypatch.setattr(shutil, "which", lambda name: which(name) if name != "cmp" else None)
    with pytest.raises(SetupError, match="'cmp' was not found"):
        render("latex", "$x$", cache=tmp_path)
    assert names(tmp_path) == []
    monkeypatch.undo()
    assert render("latex", "$x$", cache=tmp_path).path is not None


def test_cache_is_shared_by_processes(tmp_path):
    with ProcessPoolExecutor(4, multiprocessing.get_context("spawn")) as processes:
        jobs = [processes.submit(render, "latex", "$z$", cache=tmp_path) for _ in range(12)]
        pictures = {job.result().image.tobytes() for job in jobs}
    assert len(pictures) == 1
    assert len(names(tmp_path)) == 2


def test_full_disk_is_the_machines_fault(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("helm_structext.storage.cache._create", lambda *_: False)
    monkeypatch.setattr("helm_structext.storage.cache._temporary_beside", full)
    with pytest.raises(SetupError, match="No space left"):
        render("latex", "$x$", cache=tmp_path)
    monkeypatch.setenv("HELM_STRUCTEXT_CACHE", str(tmp_path))
    with pytest.raises(SetupError, match=r"formats/.*No space left"):
        render("latex", "$x$")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"format": "latx", "source": ""},
            "format is 'latx'; expected one of latex, webpage, lilypond, angular",
        ),
        ({"format": "latex", "source": "", "timeout": 0}, "timeout is 0; expected"),
        ({"format": "latex", "source": "", "protocol": "best"}, "protocol is 'best'; expected"),
        (
            {"format": "latex", "source": "", "assets": {"../x": b""}},
            r"assets: the file name '\.\./x' leads out of its folder",
        ),
        ({"format": "latex", "source": "", "assets": {"a": b"", "a/b": b""}}, "assets: 'a' is the"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        render(**arguments)


def test_that_an_engine_died_is_not_kept(tmp_path, monkeypatch):
    def dies(*_):
        raise EngineDied("resource", "the engine died each time (signal 9)")

    with monkeypatch.context() as patch:
        patch.setattr("helm_structext.renderers.run_job", dies)
        with pytest.raises(EngineDied):
            render("latex", "$x$", cache=tmp_path)
    assert render("latex", "$x$", cache=tmp_path).text == "$x$"


@pytest.mark.parametrize("mode", [0o700, 0o755, 0o2775, 0o1777])
def test_what_is_made_in_a_cache_is_open_to_its_users(tmp_path, monkeypatch, mode):
    folder = tmp_path / "cache"
    folder.mkdir()
    folder.chmod(mode)
    monkeypatch.setenv("HELM_STRUCTEXT_CACHE", str(folder))
    for path in (folder / "references" / "a.png", folder / "renderings" / "ab" / "c.json"):
        ensure_content(path, b"a")
        assert stat.S_IMODE(path.parent.stat().st_mode) == mode
    # The cache folder itself is not as open as the folder that it is in, such as /tmp.
    folder.chmod(0o777)
    monkeypatch.setenv("HELM_STRUCTEXT_CACHE", str(folder / "own"))
    ensure_content(folder / "own" / "references" / "a.png", b"a")
    assert not stat.S_IMODE((folder / "own").stat().st_mode) & stat.S_IWOTH
