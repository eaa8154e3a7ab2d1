"""Pages: what is drawn by lot, how it is written in each format, and that all formats look the same."""

import html
import json
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest

from helm_structext.patterns import Pattern
from helm_structext.renderers import render
from helm_structext.scenes.page import KIND
from helm_structext.scenes.page.look import BootstrapLook, PageLook, TailwindLook, make_look
from helm_structext.scenes.page.markup import expand_lists, find_styles, make_page
from helm_structext.scenes.page.scene import PAGES, PageScene, PageSection, draw_page
from helm_structext.scenes.page.style import style_rules
from helm_structext.scenes.scene import LANGUAGES, LEVELS, read_words

FORMATS = ("html", "react", "vue", "angular", "webpage")
SPECIAL = "A & B_1 <50 %> #2 \"c\" 'd' {{ e }} @f ${g} `h` \\i"
FIELD = Pattern(r"\{\w+\}")
BY_HAND = ("features", "products", "posts", "paragraphs", "faq")
"""What is a title with a text, or a name with a price: its keys are words, too."""


def write(scene: PageScene, format: str, seed: int = 0) -> str:
    return KIND.writers[format](scene, Random(seed))


class ShownTexts(HTMLParser):
    """Collects what a page of HTML shows."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.hidden = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.hidden = tag in ("style", "script", "title")
        self.texts += [text for name, text in attrs if name in ("value", "placeholder") and text]

    def handle_data(self, data: str) -> None:
        if not self.hidden and data.strip():
            self.texts.append(" ".join(data.split(" ")))

    def handle_endtag(self, tag: str) -> None:
        self.hidden = False


def shown(page: str) -> Counter[str]:
    parser = ShownTexts()
    parser.feed(page)
    return Counter("".join(text.split()) for text in parser.texts)


def needed(scene: PageScene) -> Counter[str]:
    return Counter("".join(text.split()) for text in scene.texts)


# Words


def shape(value: Any, name: str = "") -> Any:
    """What two languages have in common: keys, sizes, and the fields of templates."""
    if isinstance(value, dict):
        if name in BY_HAND and all(key not in value for key in ("title", "count")):
            return len(value), [type(one).__name__ for one in value.values()]
        return {key: shape(one, key) for key, one in value.items()}
    if isinstance(value, list):
        return [shape(one) for one in value]
    return type(value).__name__


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_of_all_languages_have_one_shape(language):
    assert shape(read_words("page", language)) == shape(read_words("page", "en"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_word_is_empty_or_stands_twice_among_its_choices(language):
    def check(value: Any, path: str) -> None:
        if isinstance(value, dict):
            for key, one in value.items():
                check(one, f"{path}/{key}")
        elif isinstance(value, list):
            # The button of a form may say what its title says.
            plain = [one for one in value if isinstance(one, str) and "/form/" not in path]
            assert len(set(plain)) == len(plain), path
            for one in value:
                check(one, path)
        else:
            assert value or path.endswith("/decimals"), path

    check(read_words("page", language), language)


def test_ten_topics_have_names_and_prices_of_their_language():
    for language in LANGUAGES:
        topics = read_words("page", language)["topics"]
        assert len(topics) == 10
        assert all(price > 0 for topic in topics for price in topic["products"].values())


# Scenes


@pytest.mark.parametrize(("type", "level"), product(PAGES, LEVELS))
def test_a_scene_is_the_same_a_second_time(type, level):
    first = draw_page(Random(7), level, "fr", type)
    assert first == draw_page(Random(7), level, "fr", type)
    assert (first.type, first.level, first.language) == (type, level, "fr")
    for format in FORMATS:
        assert write(first, format, 3) == write(first, format, 3)


def test_two_seeds_share_no_scene_and_no_code():
    scenes = [draw_page(Random(seed), "easy", "en") for seed in range(200)]
    texts = {tuple(scene.texts) for scene in scenes}
    assert len(texts) == 200
    for format in FORMATS:
        assert len({write(scene, format) for scene in scenes}) == 200


@pytest.mark.parametrize("type", PAGES)
def test_a_harder_page_has_more_on_it(type):
    counts = [
        sum(len(draw_page(Random(seed), level, "en", type).texts) for seed in range(20))
        for level in LEVELS
    ]
    assert counts == sorted(counts)
    assert counts[2] > 1.5 * counts[0]


@pytest.mark.parametrize("language", LANGUAGES)
def test_texts_are_those_of_the_tree(language):
    for seed, level in product(range(20), LEVELS):
        scene = draw_page(Random(seed), level, language)

        def read(node: Any) -> list[str]:
            if isinstance(node, str):
                return [node]
            own = [
                node.attributes[key] for key in ("value", "placeholder") if key in node.attributes
            ]
            return own + [text for child in node.children for text in read(child)]

        (tree,) = expand_lists(make_page(scene))
        assert Counter(read(tree)) == Counter(scene.texts)


def test_numbers_of_a_dashboard_agree():
    for seed in range(30):
        scene = draw_page(Random(seed), "hard", "en", "dashboard")
        content = {section.layout: section.content for section in scene.sections}
        orders, visitors = (
            int(content["metrics"]["metrics"][place]["value"].replace(",", "")) for place in (1, 2)
        )
        total = sum(int(day["value"].replace(",", "")) for day in content["chart"]["days"])
        by_title = {"Orders per day": orders, "Visitors per day": visitors}
        assert total == by_title[content["chart"]["title"]]


def test_numbers_are_written_as_the_language_does():
    found = {
        language: [
            plan["price"]
            for seed in range(10)
            for section in draw_page(Random(seed), "hard", language, "pricing").sections
            if section.layout == "plans"
            for plan in section.content["plans"]
        ]
        for language in LANGUAGES
    }
    assert all(price.startswith("$") for price in found["en"])
    assert all(price.endswith("\N{NO-BREAK SPACE}€") for price in found["de"] + found["fr"])
    assert all(price.endswith("₽") for price in found["ru"])
    assert any("\N{NO-BREAK SPACE}" in price[:-2] for price in found["ru"])
    assert all(price.startswith("¥") for price in found["zh"])
    assert all(price.endswith("円") for price in found["ja"])
    assert any("," in price for price in found["ja"])


def luminance(color: str) -> float:
    parts = (int(color[at : at + 2], 16) / 255 for at in (1, 3, 5))
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_texts_can_be_read_on_what_is_behind_them():
    # Web Content Accessibility Guidelines 2.2, level AA.
    for seed in range(200):
        colors = draw_page(Random(seed), "easy", "en").theme.colors
        for text, behind in product(("ink", "muted"), ("page", "surface", "soft")):
            assert contrast(colors[text], colors[behind]) >= 4.5, (seed, text, behind)
        assert contrast(colors["contrast"], colors["primary"]) >= 4.5, seed
        assert contrast(colors["pale"], colors["dark"]) >= 7, seed
        for mark, behind in product(("primary", "rise", "fall"), ("surface", "soft")):
            assert contrast(colors[mark], colors[behind]) >= 3, (seed, mark, behind)


# Code


@pytest.mark.parametrize(("type", "language"), product(PAGES, LANGUAGES))
def test_html_shows_the_texts_of_its_scene(type, language):
    for seed, level in enumerate(LEVELS):
        scene = draw_page(Random(seed), level, language, type)
        for lot in range(6):
            assert shown(write(scene, "html", lot)) == needed(scene)
        page = {file["filename"]: file["content"] for file in json.loads(write(scene, "webpage"))}
        assert shown(page["index.html"]) == needed(scene)


def with_special(scene: PageScene) -> PageScene:
    """A scene whose texts have signs that mean something in code."""

    def change(value: Any, name: str = "") -> Any:
        if isinstance(value, dict):
            return {key: change(one, key) for key, one in value.items()}
        if isinstance(value, list):
            return [change(one, f"{place}{name}") for place, one in enumerate(value)]
        kept = name in ("icon", "color", "key", "tag", "fill", "d") or name.endswith("marks")
        return value if kept or not isinstance(value, str) or not value else f"{value} {SPECIAL}"

    sections = [
        replace(one, content={**change(one.content), "picture": []}) if "picture" in one.content
        else replace(one, content=change(one.content))
        for one in scene.sections
    ]  # fmt: skip
    return replace(scene, brand=SPECIAL, sections=tuple(sections))


@pytest.mark.parametrize("type", PAGES)
def test_signs_of_code_in_texts_are_escaped_in_html(type):
    scene = with_special(draw_page(Random(1), "medium", "en", type))
    for lot in range(6):
        page = write(scene, "html", lot)
        assert shown(page) == needed(scene)
        assert f"<title>{html.escape(SPECIAL, quote=False)}</title>" in page
    page = json.loads(write(scene, "webpage"))[0]["content"]
    assert shown(page) == needed(scene)


@pytest.mark.parametrize(("type", "format"), product(PAGES, ("react", "vue", "angular")))
def test_code_of_components_has_the_texts_of_its_scene(type, format):
    for seed, level in enumerate(LEVELS):
        scene = draw_page(Random(seed), level, "de", type)
        for lot in range(6):
            squeezed = "".join(html.unescape(write(scene, format, lot)).split())
            for text in scene.texts:
                plain = "".join(text.split()).replace("@", "@")
                assert plain in squeezed.replace("\\'", "'")


WAYS = {
    "html": ["tailwind", "bootstrap.min.css", ":root", "<!-- "],
    "react": ["App.css", "const styles", "className={`", "const App = ", "{...", "function Header()", "import React"],
    "vue": ["<script setup>", "data()", "min-h-screen", "var(--"],
    "angular": ["@for (", "*ngFor", "templateUrl", "template: `", "min-h-screen", "CommonModule"],
    "webpage": ["assets/", ", () => {", "function (", "var(--"],
}  # fmt: skip
"""Format to what some of its code has and some has not."""


@pytest.mark.parametrize("format", WAYS)
def test_code_is_written_in_several_ways(format):
    codes = [
        write(draw_page(Random(seed), "medium", "en", type), format, seed)
        for seed, type in product(range(12), ("landing", "shop", "form"))
    ]
    for sign in WAYS[format]:
        having = sum(sign in code for code in codes)
        assert 0 < having < len(codes), sign


def test_every_class_of_a_page_has_a_rule_that_says_something():
    for seed, level in product(range(40), LEVELS):
        scene = draw_page(Random(seed), level, "en")
        rules = style_rules(scene.theme)
        assert not [style for style in find_styles(make_page(scene)) if style not in rules]


@pytest.mark.parametrize("kind", [PageLook, TailwindLook, BootstrapLook])
def test_no_name_of_a_token_is_left(kind):
    for seed in range(30):
        scene = draw_page(Random(seed), "hard", "en")
        page = make_page(scene)
        look = make_look(scene, [kind], Random(seed), configured=True)
        sheet = look.sheet(find_styles(page))
        assert "$" not in sheet
        assert "$" not in look.classes("div", find_styles(page)[1:2])
        assert (sheet == "") == (kind is TailwindLook)


def test_webpages_are_those_that_fit_the_window():
    fit = {
        (scene.type, scene.level)
        for seed, level in product(range(60), LEVELS)
        if KIND.says(scene := draw_page(Random(seed), level, "en"), "webpage")
    }
    assert {type for type, level in fit if level == "easy"} == set(PAGES)
    assert ("dashboard", "hard") in fit
    assert ("landing", "hard") not in fit
    assert KIND.formats_of(draw_page(Random(1), "hard", "en", "landing")) == list(FORMATS[:-1])


# Pictures


def picture(scene: PageScene, format: str, seed: int = 0) -> np.ndarray:
    rendering = render(format, write(scene, format, seed), protocol="corrected")
    assert not rendering.missing
    return np.asarray(rendering.image.convert("L"), dtype=float)


@pytest.mark.parametrize(
    ("type", "language", "level"),
    zip(
        PAGES,
        ["en", "de", "ru", "el", "zh", "ja", "fr"],
        ["hard", "medium", "easy"] * 3,
        strict=False,
    ),
)
def test_a_page_looks_the_same_in_all_formats(type, language, level):
    scene = draw_page(Random(5), level, language, type)
    expected = picture(scene, "html")
    for seed, format in enumerate(("html", "react", "vue", "angular")):
        found = picture(scene, format, seed + 1)
        assert found.shape == expected.shape, format
        assert np.abs(found - expected).mean() < 0.5, format


@pytest.mark.parametrize("kind", [PageLook, TailwindLook, BootstrapLook])
def test_all_ways_to_write_a_style_look_the_same(kind, monkeypatch):
    monkeypatch.setattr(
        "helm_structext.scenes.page.html.make_look",
        lambda scene, kinds, rng, **more: make_look(scene, [kind], rng, **more),
    )
    scene = draw_page(Random(11), "medium", "en", "shop")
    found = picture(scene, "html")
    monkeypatch.undo()
    expected = np.asarray(
        render("vue", write(scene, "vue"), protocol="corrected").image.convert("L"), dtype=float
    )
    assert found.shape == expected.shape
    assert np.abs(found - expected).mean() < 0.5


def test_a_webpage_fills_its_window():
    scene = draw_page(Random(2), "easy", "es", "pricing")
    assert picture(scene, "webpage").shape == (1080, 1920)


@pytest.mark.parametrize("format", ["react", "vue", "angular"])
def test_signs_of_code_in_texts_look_as_in_html(format):
    scene = with_special(draw_page(Random(3), "easy", "en", "form"))
    expected = picture(scene, "html")
    for seed in range(3):
        found = picture(scene, format, seed)
        assert found.shape == expected.shape
        assert np.abs(found - expected).mean() < 0.5


def test_a_section_without_its_list_is_an_error():
    broken = PageSection("figures", {})
    scene = replace(draw_page(Random(1), "easy", "en", "landing"), sections=(broken, broken))
    with pytest.raises(KeyError):
        write(scene, "html")
