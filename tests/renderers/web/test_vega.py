"""Vega: what tells charts apart, and what is no error."""

import json

import pytest

from helm_structext.errors import RenderError
from helm_structext.renderers import render
from helm_structext.renderers.web import browser, vega
from support.caches import kept_kinds

BARS = {
    "data": {"values": [{"a": "x", "b": 1}]},
    "mark": "bar",
    "encoding": {"x": {"field": "a", "type": "nominal"}, "y": {"field": "b"}},
}


def test_picture_is_the_whole_page():
    assert render("vega", json.dumps(BARS)).image.size == (1280, 720)
    assert render("vega", json.dumps(BARS | {"height": 2000})).image.height > 2000


def test_text_is_what_can_be_read_on_the_chart():
    assert "Title of it" in render("vega", json.dumps(BARS | {"title": "Title of it"})).text


def test_data_that_can_not_be_loaded_is_noted():
    chart = BARS | {"data": {"url": "https://vega.github.io/vega-datasets/data/cars.json"}}
    assert "cars.json" in render("vega", json.dumps(chart)).log


def test_data_may_lie_beside_the_chart():
    chart = json.dumps(BARS | {"data": {"url": "data/rows.csv"}})
    assets = {"data/rows.csv": b"a,b\nfrom the file,3\n"}
    assert "from the file" in render("vega", chart, assets=assets).text


def test_only_json_counts_in_the_corrected_protocol():
    loose = json.dumps(BARS)[:-1] + ", title: 'loose'}"
    assert "loose" in render("vega", loose).text
    with pytest.raises(RenderError, match="not JSON"):
        render("vega", loose, protocol="corrected")


def test_version_is_that_of_the_scripts_and_of_the_browser(monkeypatch):
    before = vega.version()
    assert browser.version() in before
    monkeypatch.setattr(vega, "versions", lambda: "vl-convert-python 99.0")
    vega.version.cache_clear()
    assert vega.version() != before
    vega.version.cache_clear()


def test_a_damaged_script_is_not_the_models_mistake(tmp_path, monkeypatch):
    monkeypatch.setenv("HELM_STRUCTEXT_CACHE", str(tmp_path))
    path = vega.scripts()
    content = path.read_bytes()
    path.write_bytes(b"")
    assert render("vega", json.dumps(BARS)).image.size == (1280, 720)
    assert path.read_bytes() == content
    assert kept_kinds()["scripts"] == 1
