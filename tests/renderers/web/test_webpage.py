"""The webpage renderer: files of a completion, the site's server, Jekyll, one picture per site."""

import json
import re
from urllib.parse import quote

import pytest

from helm_structext.errors import RenderError
from helm_structext.extraction import extract
from helm_structext.protocols import PROTOCOLS
from helm_structext.renderers import render
from helm_structext.renderers.web import tab
from helm_structext.renderers.web.webpage import files_of, reply
from helm_structext.storage.file_names import explain_conflict

RED = b"<svg xmlns='http://www.w3.org/2000/svg' width='99' height='99'><rect width='99' height='99' fill='red'/></svg>"
MIDDLE = (50, 50)


def site(index: str = "", **files: str) -> str:
    listed = {"index.html": index, **files} if index else files
    return json.dumps([{"filename": name, "content": text} for name, text in listed.items()])


def shown(index: str, protocol: str = "published", **files: str) -> str:
    return render("webpage", site(index, **files), protocol=protocol).text


def test_picture_is_the_window():
    image = render("webpage", site("<body style='background:#123456'>")).image
    assert (image.mode, image.size) == ("RGB", (1920, 1080))
    assert image.getextrema() == ((0x12, 0x12), (0x34, 0x34), (0x56, 0x56))


@pytest.mark.parametrize(
    ("completion", "message"),
    [
        ("Here is the page: <html>", "not JSON"),
        ('{"index.html": "<p>"}', "not a list of files"),
        ('["index.html"]', "a filename and a content"),
        ('[{"filename": "index.html"}]', "a filename and a content"),
        ('[{"filename": "index.html", "content": ["<p>"]}]', "a filename and a content"),
        ('[{"filename": "index.html", "content": "a\nb"}]', "not JSON"),
        ("```html\n[]\n```", "not JSON"),
    ],
)
def test_completion_that_is_no_list_of_files(completion, message):
    with pytest.raises(RenderError, match=message) as caught:
        files_of(completion, "published")
    assert caught.value.kind == "syntax"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("../x", "leads out of its folder"),
        ("/x", "leads out of its folder"),
        ("a/../../x", "leads out of its folder"),
        (".", "leads out of its folder"),
        ("", "leads out of its folder"),
        ("a" * 256, "is too long"),
        ("é" * 128, "is too long"),
        ("a/" * 501, "is too long"),
        ("a\0", "a character that no file name can have"),
        ("a\ud800.css", "a character that no file name can have"),
        ("index.html/a.css", "'index.html' is the name of a file and of a folder"),
        ("./index.html/b/c", "'index.html' is the name of a file and of a folder"),
        ("img", "'img' is the name of a file and of a folder"),
        ("img/a.png/x", "'img/a.png' is the name of a file and of a folder"),
    ],
)
@pytest.mark.parametrize("beginning", ["", "---\n---\n"])
def test_names_that_can_not_lie_in_one_folder(name, message, beginning):
    code = site(f"{beginning}<p>x", **{name: ""})
    for protocol in PROTOCOLS:
        with pytest.raises(RenderError, match=re.escape(message)) as caught:
            render("webpage", code, assets={"img/a.png": b""}, protocol=protocol)
        assert caught.value.kind == "syntax"


def test_names_that_begin_alike_can():
    assert not explain_conflict(
        ["a", "a.b/c", "a b", "ab/c", "aa", "é", "é.css", "./a", "b/../a", "c/"]
    )


NAMES = ["é.css", "日本.css", "😀.css", "e\u0301.css", "ä/é.css", "a b.css", "a+b.css", "a'b.css"]


@pytest.mark.parametrize("beginning", ["", "---\n---\n"])
@pytest.mark.parametrize("refer", [str, quote])
def test_names_beyond_ascii_with_and_without_jekyll(refer, beginning):
    links = [f'<link rel=stylesheet href="{refer(name)}">' for name in NAMES]
    styles = {
        name: f"i:nth-of-type({number}) {{ display: none }}"
        for number, name in enumerate(NAMES, start=1)
    }
    shown_without = "<i>no</i>" * len(NAMES) + "<b>yés</b>"
    assert shown(f"{beginning}{''.join(links)}{shown_without}", **styles) == "yés"


def test_jekyll_reads_names_and_texts_beyond_ascii():
    files = {
        "index.html": "---\nlayout: größe\ntitle: ÄÖ\n---\n{{ page.title }} {{ site.data.a.b }} "
        "{{ site.title }}{% for post in site.posts %} {{ post.title }}{% endfor %}",
        "_config.yml": "title: 日本 😀",
        "_layouts/größe.html": "é {{ content }}",
        "_data/a.yml": "b: ö",
        "_posts/2024-01-01-größe.md": "---\n---\n# ü",
    }
    assert shown("", **files) == "é ÄÖ ö 日本 😀 Größe"


def test_corrected_extraction_forgives_what_the_published_one_does_not():
    completion = 'Sure!\n```javascript\n[{"filename": "a.css", "content": "p {\n}"}]\n```'
    code = extract(completion, "webpage", "corrected")
    assert files_of(code, "corrected") == {"a.css": "p {\n}"}
    with pytest.raises(RenderError, match="not JSON"):
        files_of(extract(completion, "webpage"), "published")


def test_scripts_styles_and_folders_are_served():
    assert shown(
        "<link rel=stylesheet href=css/a.css><p id=p>no</p><p class=hidden>hidden</p>"
        "<script src=/js/a.js></script><script type=module src=js/b.js></script>",
        **{
            "css/a.css": ".hidden { display: none }",
            "js/a.js": "document.getElementById('p').textContent = 'yes'",
            "js/b.js": "import {c} from './c.js'; document.body.append(c)",
            "js/c.js": "export const c = 'module'",
        },
    ) == "yes\nmodule"  # fmt: skip


def test_server_finds_files_as_jekylls_does():
    files = {"a/index.html": b"A", "b.html": b"B", "c d.txt": b"C", "404.html": b"404"}
    answers = {path: reply(files, path) for path in ("a/", "a", "b", "c%20d.txt?v=1#x", "z")}
    assert [answer.body for answer in answers.values()] == [b"A", b"A", b"B", b"C", b"404"]
    assert answers["z"].status == 404
    assert answers["c%20d.txt?v=1#x"].type == "text/plain; charset=utf-8"


def test_completion_does_not_overwrite_an_asset(tmp_path):
    asset = tmp_path / "anything.svg"
    asset.write_bytes(RED)
    code = site("<body style=margin:0><img src=img/a.svg>", **{"img/a.svg": "a binary image"})
    image = render("webpage", code, assets={"img/a.svg": asset}).image
    assert image.getpixel(MIDDLE) == (255, 0, 0)
    assert render("webpage", code).image.getpixel(MIDDLE) == (255, 255, 255)


def test_nothing_of_a_page_is_left_for_the_next():
    page = "<p>new</p><script>if (localStorage.x || document.cookie) document.body.append('old');"
    page += "localStorage.x = document.cookie = 'x'; caches.open('x')</script>"
    assert shown(page, **{"only.html": "x"}) == "new"
    assert shown(page) == "new"
    assert render("webpage", site("<iframe src=only.html>")).text == ""


def test_jekyll_builds_only_what_needs_it():
    files = {
        "index.md": "---\nlayout: page\ntitle: Notes\n---\n# {{ page.title }}\n\n* {{ site.a }}\n",
        "_config.yml": "a: from the configuration\nbaseurl: /elsewhere\n",
        "_layouts/page.html": "{% include head.html %}{{ content }}<p>{{ 'now' | date: '%Y' }}, "
        "{{ site.time | date: '%Y' }}",
        "_includes/head.html": "<p>Head",
    }
    assert shown("", **files) == "Head\nNotes\nfrom the configuration\n2024, 2024"
    assert shown("<p>{{ site.a }}") == "{{ site.a }}"


def test_error_of_jekyll_is_one_of_the_code():
    with pytest.raises(RenderError, match=r"syntax: Jekyll: .*[Ee]rror") as caught:
        render("webpage", site("---\n---\n{% if %}"))
    assert "if" in caught.value.log


def test_site_without_a_front_page():
    code = site("", **{"about.html": "<p>About", "img/a.svg": "<svg>"})
    listed = render("webpage", code).text
    assert "Index of /" in listed
    assert "about.html" in listed
    with pytest.raises(RenderError, match=r"empty: there is no index.html among about.html, img"):
        render("webpage", code, protocol="corrected")


def test_clock_chance_and_place_are_fixed():
    page = (
        "<p id=p></p><script>const say = t => document.getElementById('p').append(t + ' ');"
        "say(new Date()); say(Math.random()); say(navigator.language); say(performance.now());"
        "say(innerWidth + 'x' + innerHeight);"
        "setTimeout(() => say('half a second later ' + performance.now()), 500);"
        "setTimeout(() => say('an hour later'), 3600000)</script>"
    )
    first, second = render("webpage", site(page)), render("webpage", site(page))
    assert first.text == second.text
    assert first.image.tobytes() == second.image.tobytes()
    assert "Mon Jan 01 2024 00:00:00 GMT+0000" in first.text
    assert "en-US 0 1920x1080" in first.text
    assert "half a second later 500" in first.text
    assert "an hour" not in first.text


def test_frames_come_at_the_same_times():
    page = (
        "<p id=p></p><script>let frames = 0; requestAnimationFrame(function f(t) {"
        "if (++frames == 5) document.getElementById('p').append(t); requestAnimationFrame(f)})"
        "</script>"
    )
    assert {render("webpage", site(page)).text for _ in range(20)} == {"500"}


def test_page_that_stops_all_frames_is_drawn():
    page = "<p>before<script>for (let i = 0; i < 99; i++) cancelAnimationFrame(i)</script>"
    assert render("webpage", site(page)).text == "before"


def test_animations_are_finished():
    page = "<style>@keyframes f { from { opacity: 0 } } body { margin: 0 } div { width: 99px;"
    page += "height: 99px; background: blue; animation: f 60s 5s both %s }</style><div>"
    ended = render("webpage", site(page.replace("%s", ""))).image
    assert ended.getpixel(MIDDLE) == (0, 0, 255)
    endless = [render("webpage", site(page.replace("%s", "infinite"))).image for _ in range(2)]
    assert endless[0].tobytes() == endless[1].tobytes()


def test_there_are_no_scroll_bars():
    image = render("webpage", site("<div style='width:9999px;height:9999px'>x")).image
    assert image.crop((1880, 0, 1920, 1080)).getextrema() == ((255, 255),) * 3
    assert image.crop((0, 1040, 1920, 1080)).getextrema() == ((255, 255),) * 3


def test_uncaught_errors_are_logged():
    rendered = render("webpage", site("<p>x<script>missing()</script>"))
    assert rendered.text == "x"
    assert "missing is not defined" in rendered.log


def test_page_is_opened_again_where_the_browser_took_no_picture(monkeypatch):
    code = site("<p>Hello")
    expected = render("webpage", code)
    frame, dropped = tab.Tab._frame, []

    def forgetful(self, ticks, **parameters):
        drawn = frame(self, ticks, **parameters)
        if "screenshot" in parameters and len(dropped) < 2:
            dropped.append(drawn.pop("screenshotData"))
        return drawn

    monkeypatch.setattr(tab.Tab, "_frame", forgetful)
    again = render("webpage", code)
    assert len(dropped) == 2
    assert (again.image.tobytes(), again.text) == (expected.image.tobytes(), expected.text)
