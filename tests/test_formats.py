"""The table of formats: one row each, and a new one is a file and a row."""

import pytest
from PIL import Image

from helm_structext.cli import main
from helm_structext.errors import RenderError
from helm_structext.extraction import RULES, extract
from helm_structext.formats import FORMATS, Format, load, rendered_formats, text_formats
from helm_structext.metrics import path_score
from helm_structext.metrics.structures import parse_structure
from helm_structext.renderers import engine_of, programs, render, render_completion
from helm_structext.renderers.engine import Engine

ENGINE = '''
"""Pixel art: lines of # and blanks."""

from PIL import Image

from helm_structext.renderers.engine import Engine
from helm_structext.renderers.outcome import Drawing
from helm_structext.sandbox import Limits


def draw(code, assets, protocol, limits):
    lines = code.splitlines()
    image = Image.new("RGB", (max(map(len, lines)), len(lines)), "white")
    for y, line in enumerate(lines):
        for x, mark in enumerate(line):
            if mark == "#":
                image.putpixel((x, y), (0, 0, 0))
    error = "" if set(code) <= set("# \\n") else "line 1: only # and blanks"
    return Drawing(None if error else image, code, code, "done", error=error)


ENGINE = Engine(draw, lambda: "pixels 1", Limits(), {"cat": "coreutils"})
'''

PARSER = '''
"""Settings: a name, an equals sign and a value on each line."""


def parse(text):
    return dict(line.split("=", 1) for line in text.splitlines())
'''


@pytest.fixture
def pixels(tmp_path, monkeypatch):
    (tmp_path / "pixels_engine.py").write_text(ENGINE)
    monkeypatch.syspath_prepend(tmp_path)
    row = Format(name="Pixels", fences=("pixels", "px"), blank=".", engine="pixels_engine:ENGINE")
    monkeypatch.setitem(FORMATS, "pixels", row)


def test_a_new_format_is_one_file_and_one_row(pixels, tmp_path):
    completion = "Sure:\n```px\n#  #\n ##\n```\nDone."
    assert extract(completion, "pixels") == "#  #\n ##"
    assert extract(f"```sh\nls\n```\n{completion}", "pixels", "corrected") == "#  #\n ##"
    rendering = render_completion("pixels", completion, cache=tmp_path / "cache")
    assert rendering.image.size == (4, 2)
    assert (rendering.text, rendering.log) == ("#  #\n ##", "done")
    assert Image.open(rendering.path).tobytes() == rendering.image.tobytes()
    assert render("pixels", "#  #\n ##").image.tobytes() == rendering.image.tobytes()
    with pytest.raises(RenderError, match="syntax: line 1: only # and blanks"):
        render("pixels", "x")
    with pytest.raises(RenderError, match="empty: there is no code"):
        render_completion("pixels", "```px\n```")
    assert programs()["pixels"] == {"bwrap": "bubblewrap", "cat": "coreutils"}


def test_the_command_renders_a_new_format(pixels, tmp_path):
    (tmp_path / "answer.txt").write_text("```px\n###\n```")
    arguments = ["render", "pixels", str(tmp_path / "answer.txt"), "-o", str(tmp_path / "a.png")]
    assert main(arguments) == 0
    assert Image.open(tmp_path / "a.png").size == (3, 1)


def test_a_new_format_of_text_is_one_file_and_one_row(tmp_path, monkeypatch):
    (tmp_path / "settings_parser.py").write_text(PARSER)
    monkeypatch.syspath_prepend(tmp_path)
    row = Format(name="Settings", fences=("ini",), blank="", parser="settings_parser:parse")
    monkeypatch.setitem(FORMATS, "settings", row)
    parsed = render_completion("settings", "```ini\na=1\nb=2\n```")
    assert (parsed.structure, parsed.text) == ({"a": "1", "b": "2"}, "parsed as settings")
    assert path_score("a=1", ["a", "c"], "settings") == 0.5
    with pytest.raises(RenderError, match="syntax"):
        parse_structure("a", "settings")


def test_every_row_leads_to_an_engine_or_a_parser():
    assert all(isinstance(engine_of(format), Engine) for format in rendered_formats())
    assert all(callable(load(FORMATS[format].parser)) for format in text_formats())
    assert {row.extraction for row in FORMATS.values()} == set(RULES)
    assert len(rendered_formats()) == 16
    assert len(text_formats()) == 5


def test_a_row_has_either_an_engine_or_a_parser():
    for parts in ({}, {"engine": "a:b", "parser": "a:b"}):
        with pytest.raises(ValueError, match="Tile needs either an engine or a parser"):
            Format(name="Tile", fences=("tile",), blank="", **parts)
