"""Vega: what tells charts apart, and what is no error."""

import json

import pytest

from helm_structext.errors import MissingResource, RenderError
from helm_structext.renderers import render
from helm_structext.renderers.outcome import has_ink
from helm_structext.renderers.web import browser, cdn, vega
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


ADDRESSES = (
    "https://vega.github.io/vega-datasets/data/cars.json",
    "https://vega.github.io/editor/data/cars.json",
    "https://raw.githubusercontent.com/vega/vega-datasets/next/data/cars.json",
    "https://cdn.jsdelivr.net/npm/vega-datasets@v1.29.0/data/cars.json",
    "https://cdn.jsdelivr.net/gh/vega/vega-datasets@main/data/cars.json",
    "https://unpkg.com/vega-datasets/data/cars.json",
)
CARS = {
    "mark": "point",
    "encoding": {"x": {"field": "Horsepower", "type": "quantitative"}, "y": {"field": "Origin"}},
}


def cars(url: str) -> str:
    return json.dumps(CARS | {"data": {"url": url}})


def test_example_data_comes_from_its_package_wherever_it_is_asked_for():
    texts = {render("vega", cars(url)).text for url in ADDRESSES[:1]}
    (text,) = texts
    assert "Japan" in text
    assert [cdn.answer(url).body == cdn.answer(ADDRESSES[0]).body for url in ADDRESSES] == [
        True
    ] * 6
    assert cdn.answer("https://raw.githubusercontent.com/someone/vega/data/cars.json") is None


def test_a_file_that_later_releases_lack_comes_from_the_earlier_one():
    assert b"2010" in cdn.answer("https://vega.github.io/vega-datasets/data/seattle-temps.csv").body


def test_a_relative_address_of_example_data_leads_to_it_in_the_corrected_protocol():
    corrected = render("vega", cars("data/cars.json"), protocol="corrected")
    assert "Japan" in corrected.text
    published = render("vega", cars("data/cars.json"))
    assert "Japan" not in published.text
    assert "data/cars.json is not in the answer" in published.log


def test_maps_and_pictures_of_the_example_data_are_drawn():
    url = "https://vega.github.io/vega-datasets/data/us-10m.json"
    data = {"url": url, "format": {"type": "topojson", "feature": "states"}}
    states = {"data": data, "projection": {"type": "albersUsa"}, "mark": "geoshape"}
    assert has_ink(render("vega", json.dumps(states)).image)
    picture = {
        "data": {
            "values": [{"at": 1, "url": "https://vega.github.io/vega-datasets/data/ffox.png"}]
        },
        "mark": {"type": "image", "width": 90, "height": 90},
        "encoding": {"x": {"field": "at", "type": "quantitative"}, "url": {"field": "url"}},
    }
    assert render("vega", json.dumps(picture)).missing == ()


def test_other_data_is_missing_and_an_empty_page_says_so_in_the_corrected_protocol():
    url = "https://example.com/states.json"
    data = {"url": url, "format": {"type": "topojson", "feature": "states"}}
    chart = json.dumps({"data": data, "projection": {"type": "albersUsa"}, "mark": "geoshape"})
    expected = (MissingResource("data", "example.com", "", url),)
    assert render("vega", chart).missing == expected
    with pytest.raises(
        RenderError, match=r"column 18: Loading failed: https://example\.com"
    ) as caught:
        render("vega", chart, protocol="corrected")
    assert caught.value.missing == expected


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
