"""What we keep to save time, damaged in every way: noticed, and made anew."""

import logging
import os
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from PIL import Image

from helm_structext.errors import RenderError, SetupError
from helm_structext.formats import FORMATS, Format
from helm_structext.image2struct import floors
from helm_structext.image2struct.transport_plan import plan
from helm_structext.renderers import render
from helm_structext.renderers.engine import Engine
from helm_structext.renderers.outcome import Drawing
from helm_structext.report.pictures import webp
from helm_structext.sandbox import Limits
from helm_structext.storage.cache import (
    cache_folder,
    get_or_make,
    get_or_make_file,
    read_record,
    renderings_folder,
    write_record,
)
from support.caches import kept_kinds
from support.damage import ANY_FILE, JSON_FILE, PNG_FILE, Damage, keys_lost_and_changed, swap


def draw(code, *_):
    if "!" in code:
        return Drawing(None, code, "", "a log", error="there is a !")
    image = Image.new("RGB", (8, 8), "white")
    image.putpixel((len(code), 0), (0, 0, 0))
    return Drawing(image, code, f"text of {code}", "a log")


ENGINE = Engine(draw, lambda: "dots 1", Limits(), {})


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """A cache of one's own, a format that needs no engine, and pictures to compare."""
    monkeypatch.setenv("HELM_STRUCTEXT_CACHE", str(tmp_path / "cache"))
    row = Format(name="Dots", fences=("dots",), blank=".", engine=f"{__name__}:ENGINE")
    monkeypatch.setattr("helm_structext.renderers.load", lambda _: ENGINE)
    monkeypatch.setitem(FORMATS, "dots", row)
    monkeypatch.setattr(floors, "map_in_processes", map)
    for number in range(2):
        image = Image.new("RGB", (40, 40), "white")
        image.paste("black", (9 * number, 4, 9 * number + 9, 30))
        image.save(tmp_path / f"{number}.png")
    monkeypatch.chdir(tmp_path)


PICTURES = [Path("0.png"), Path("1.png")]


def rendered(code: str = "abc") -> tuple[object, ...]:
    try:
        rendering = render("dots", code, cache=Path("cache"))
    except RenderError as error:
        return error.args
    assert rendering.path is not None
    drawn = rendering.image.tobytes()
    assert Image.open(rendering.path).convert("RGB").tobytes() == drawn
    return (drawn, rendering.source, rendering.text, rendering.log)


# What makes the file → what is called, and the file's name.
KINDS: dict[str, tuple[Callable[[], object], str]] = {
    "record of a rendering": (rendered, "??/*.json"),
    "record of an error": (lambda: rendered("!"), "??/*.json"),
    "rendered picture": (rendered, "??/*.png"),
    "floor": (lambda: floors.shuffled_floor(PICTURES, "padding"), "floors/*.json"),
    "picture of a report": (lambda: webp(PICTURES[0], 30), "report/??/" + "?" * 64),
    "its record": (lambda: webp(PICTURES[0], 30), "report/??/*.json"),
    "plan of a report": (lambda: plan(*PICTURES, "padding", 0.9), "report/??/" + "?" * 64),
    "any other file": (lambda: get_or_make(cache_folder() / "a.fmt", made), "a.fmt"),
    "its own record": (lambda: get_or_make(cache_folder() / "a.fmt", made), "a.json"),
}


def made() -> bytes:
    return b"what an engine needs" * 99


def damages_of(kind: str) -> dict[str, Damage]:
    pattern = KINDS[kind][1]
    if pattern.endswith(".json"):
        return JSON_FILE
    return PNG_FILE if pattern.endswith(".png") else ANY_FILE


def file_of(kind: str) -> Path:
    (path,) = cache_folder().glob(KINDS[kind][1])
    return path


@pytest.mark.parametrize(
    ("kind", "damage"), [(kind, damage) for kind in KINDS for damage in damages_of(kind)]
)
def test_damage_is_noticed_and_mended(kind, damage, caplog):
    make, _ = KINDS[kind]
    honest = make()
    path = file_of(kind)
    content = path.read_bytes()
    damages_of(kind)[damage](path)
    with caplog.at_level(logging.WARNING):
        assert make() == honest
    unnoticed = {"gone", "a dangling link", *(["not to be read"] if os.geteuid() == 0 else [])}
    if damage not in unnoticed:
        assert str(path.name) in caplog.text
    assert path.is_file()
    assert not path.is_symlink()
    if kind not in ("record of a rendering",):  # it says how long the rendering took
        assert path.read_bytes() == content
    caplog.clear()
    assert make() == honest
    assert not caplog.text


@pytest.mark.parametrize("kind", [kind for kind in KINDS if KINDS[kind][1].endswith(".json")])
def test_every_key_of_a_record_counts(kind):
    make, _ = KINDS[kind]
    honest = make()
    damages = keys_lost_and_changed(file_of(kind))
    assert len(damages) > 13
    for name, damage in damages.items():
        damage(file_of(kind))
        assert make() == honest, name


def test_another_rendering_under_the_same_name_is_noticed():
    honest = {code: rendered(code) for code in ("a", "bb", "!", "c!")}
    pngs, records = (sorted(Path("cache").glob(f"??/*.{end}")) for end in ("png", "json"))
    swap(*pngs)
    for one, other in pairwise(records):
        swap(one, other)
        assert {code: rendered(code) for code in honest} == honest
    swap(*pngs)
    swap(*(path.with_suffix(".json") for path in pngs))
    assert {code: rendered(code) for code in honest} == honest


def test_a_record_of_something_else_is_made_anew():
    honest = rendered()
    (record,) = Path("cache").glob("??/*.json")
    record.write_text('{"source": "abc", "text": "", "log": "", "seconds": 0.1}')
    assert rendered() == honest
    write_record(record, {"kind": "internal-2", "message": "of a newer one", "log": ""})
    assert rendered() == honest
    write_record(record, {"something": "else"})
    assert rendered() == honest


@pytest.mark.parametrize("place", ["file", "loop"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_folder_that_can_not_be_is_an_error_that_names_it(kind, place):
    folder = cache_folder()
    folder.write_text("") if place == "file" else folder.symlink_to(folder.name)
    with pytest.raises(SetupError, match=r"cache.* can't be written"):
        KINDS[kind][0]()


@pytest.mark.parametrize("damage", ANY_FILE)
def test_a_file_that_an_engine_reads_is_checked_whenever_it_changed(damage):
    calls = []

    def make() -> bytes:
        calls.append(1)
        return made()

    path = cache_folder() / "b.fmt"
    for _ in range(3):
        assert get_or_make_file(path, make).read_bytes() == made()
    assert len(calls) == 1
    ANY_FILE[damage](path)
    for _ in range(3):
        assert get_or_make_file(path, make).read_bytes() == made()
    # Rights say nothing to root.
    assert len(calls) == 1 + (damage != "not to be read" or os.geteuid() != 0)


def test_a_file_under_another_name_is_not_taken():
    one, other = cache_folder() / "one", cache_folder() / "other"
    assert (get_or_make(one, lambda: b"1"), get_or_make(other, lambda: b"2")) == (b"1", b"2")
    swap(one, other)
    swap(one.with_suffix(".json"), other.with_suffix(".json"))
    assert (get_or_make(one, lambda: b"1"), get_or_make(other, lambda: b"2")) == (b"1", b"2")


def test_what_is_kept_is_known_where_the_cache_is_pruned():
    floors.shuffled_floor(PICTURES, "padding")
    webp(PICTURES[0], 30)
    plan(*PICTURES, "padding", 0.9)
    render("dots", "abc", cache=renderings_folder())
    assert kept_kinds() == {"floors": 1, "report": 2, "renderings": 1}


@pytest.mark.parametrize("text", ["\ud800", "\0", "é☃", '"\\', "x" * 10**6])
def test_every_text_can_be_in_a_record(tmp_path, text):
    write_record(tmp_path / "a.json", {text: [text, 1.5, None, {"x": True}]})
    assert read_record(tmp_path / "a.json") == {text: [text, 1.5, None, {"x": True}]}
