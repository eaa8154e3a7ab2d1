"""The report, as a user meets it: from disk, in a browser."""

import base64
import io
import json
import re
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from helm_structext.cli import main
from helm_structext.errors import SetupError
from helm_structext.image2struct.results import Image2StructResult
from helm_structext.image2struct.transport_plan import LEAST_COST, UNIT, plan
from helm_structext.metrics import earth_mover_similarity, match_sizes
from helm_structext.report.panels import MAX_TEXT
from helm_structext.report.pictures import webp
from helm_structext.report.writing import write_report
from support import mmr_answers, structeval_answers
from support.image2struct_answers import result, write_suite
from support.report_page import EMS, HOSTILE, Folder, Page, page, parts, small_suite

pytestmark = pytest.mark.usefixtures("cache_of_this_module")


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def write(results: list[Image2StructResult], output: Path, **options: Any) -> Path:
    write_report(parts(image2struct=results), output, **{"title": "A suite", **options})
    return output


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = Folder(tmp_path_factory.mktemp("small"))
    return write(small_suite(folder), folder.path / "report.html")


def test_every_picture_loads_as_one_scrolls(small, opened):
    page_ = opened(small)
    seen: dict[str, int] = {}
    for _ in range(100):
        # Cards come in the frame after.
        page_.run(
            """scrollBy(0, 500)
            return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"""
        )
        page_.filled()
        for label, pictures in page_.run(
            """return [...document.querySelectorAll(".card")].map(card => [card.ariaLabel,
                card.querySelectorAll("img").length + card.querySelectorAll("canvas").length])"""
        ):
            seen[label] = pictures
        if page_.run("return scrollY + innerHeight >= document.body.scrollHeight - 1"):
            break
    assert len(seen) == 33
    # Input, rendering, difference and plan; the input alone where nothing rendered.
    assert sorted(seen.values()) == [1] * 4 + [4] * 29


def test_nothing_is_fetched_from_anywhere(small, opened):
    page_ = opened(small)
    page_.filled()
    assert page_.run("return performance.getEntriesByType('resource').map(e => e.name)") == []
    text = small.read_text(encoding="utf-8")
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text)
    assert policy is not None
    assert policy[1].startswith("default-src 'none'; img-src data:;")
    assert "unsafe" not in policy[1]
    assert set(re.findall(r"https?://[\w.]+", text)) == {"http://www.w3.org"}


@pytest.mark.parametrize(
    ("filters", "count"),
    [
        ({"model": "0"}, "11 of 33"),
        ({"subset": "image2struct_latex"}, "21 of 33"),
        ({"subset": "image2struct_latex/code"}, "15 of 33"),
        ({"subset": "image2struct_webpage/css"}, "6 of 33"),
        ({"difficulty": "hard"}, "6 of 33"),
        ({"outcome": "failed"}, "4 of 33"),
        ({"outcome": "syntax"}, "3 of 33"),
        ({"outcome": "timeout"}, "1 of 33"),
        ({"outcome": "truncated"}, "1 of 33"),
        ({"outcome": "refused"}, "1 of 33"),
        ({"least": "1"}, "11 of 33"),
        ({"most": "0"}, "4 of 33"),
        ({"metric": "block_emd", "least": "0.001"}, "18 of 33"),
        ({"text": "zebra"}, "1 of 33"),
        ({"text": "MORE THAN 10"}, "1 of 33"),
        ({"subset": "image2struct_music", "outcome": "rendered", "model": "2"}, "2 of 33"),
        ({"outcome": "failed", "least": "0.5"}, "0 of 33"),
    ],
)
def test_filters_say_and_show_what_is_left(small, opened, filters, count):
    page_ = opened(small)
    assert page_.count() == "33 answers"
    assert page_.choose(**filters) == count
    page_.run("report.goTo('image2struct.answers')")
    assert page_.items() == int(count.split()[0])
    page_.until(f"document.querySelectorAll('.card').length > 0 === {str(count[0] != '0').lower()}")
    page_.browser.find_element(By.CSS_SELECTOR, "#image2struct [type=reset]").click()
    assert page_.count() == "33 answers"


def test_a_view_can_be_returned_to_by_its_address(small, opened):
    page_ = opened(small)
    page_.choose(outcome="failed", order="worst")
    address = page_.run("return location.hash")
    assert opened(small, address).count() == "4 of 33"
    # What the address names but the suite lacks is no filter.
    assert (
        opened(
            small, "#image2struct.model=17&image2struct.outcome=no&image2struct.order=no"
        ).count()
        == "33 answers"
    )


def test_answers_can_be_ordered_by_score(small, opened):
    page_ = opened(small)
    for order, sign in (("worst", 1), ("best", -1)):
        page_.choose(order=order)
        scores = page_.run(
            "return report.viewNamed('image2struct').items.map(({answers}) => report.scoreOf(answers[0]))"
        )
        assert scores == sorted(scores, key=lambda score, sign=sign: sign * score)
        assert len(set(scores)) > 5


def test_keys_move_between_answers_and_models(small, opened):
    page_ = opened(small)
    page_.press("j")  # the gallery was off the screen
    first, second, third, *_ = page_.cards()
    assert page_.selected() == first
    page_.press("j", "j", "k")
    assert page_.selected() == second
    page_.press(Keys.ARROW_DOWN)
    assert page_.selected() == third
    page_.press(Keys.ARROW_UP, Keys.ARROW_UP)
    assert page_.selected() == first
    page_.press("2")
    assert page_.count() == "11 of 33"
    assert page_.selected().startswith("x/moved, ")
    page_.press("m")
    assert page_.selected().startswith("x/bad, ")
    page_.press("m")
    assert page_.selected().startswith("x/good, ")
    page_.press("0")
    assert page_.count() == "33 answers"
    page_.press("/", "zebra")
    page_.patience.until(lambda _: page_.count() == "1 of 33")
    page_.press(Keys.ESCAPE, "?")
    assert "Keys" in page_.browser.find_element(By.ID, "help").text
    page_.press(Keys.ESCAPE)
    page_.press("t")
    assert page_.run("return document.documentElement.style.colorScheme") in ("dark", "light")


def test_keys_move_in_the_large_view(small, opened):
    page_ = opened(small)
    page_.press("j", "j", Keys.ENTER)
    page_.until("document.getElementById('viewer-facts').textContent")
    assert "code of x/moved for a" in page_.viewer()
    page_.filled()
    page_.press("j")
    page_.patience.until(lambda _: "more than 10 s" in page_.viewer())
    page_.press("1")
    page_.patience.until(lambda _: "code of x/good for a" in page_.viewer())
    page_.press("M")
    page_.patience.until(lambda _: "more than 10 s" in page_.viewer())
    page_.press("m", Keys.ARROW_RIGHT)
    page_.patience.until(lambda _: "code of x/moved for a" in page_.viewer())
    pictures = "return document.querySelectorAll('#viewer .panel').length"
    assert page_.run(pictures) == 4
    page_.press("z")
    assert page_.run(pictures) == 1
    page_.press("z", "z", "z", "z")
    assert page_.run(pictures) == 1  # the EMS plan
    page_.press("z")
    assert page_.run("return document.querySelectorAll('#viewer .diff').length") == 1
    page_.press("z")
    assert page_.run(pictures) == 4
    page_.press(Keys.ESCAPE)
    assert page_.viewer() is None
    assert page_.run("return document.querySelectorAll('.card[aria-current]').length") == 1
    assert page_.selected().startswith("x/moved, ")


def test_the_large_view_shows_all_there_is_to_an_answer(small, opened):
    page_ = opened(small)
    page_.choose(outcome="timeout")
    page_.select(0)
    page_.press(Keys.ENTER)
    page_.facts()
    text = page_.viewer()
    for part in (
        *("LaTeX · equation", "hard, 2026-01-31", "timeout", "more than 10 s"),
        *("code of x/bad for a", "the reference", "EMS", "x/moved", "x/good"),
    ):
        assert part in text, part


def test_bars_lead_to_their_answers(small, opened):
    page_ = opened(small)
    page_.run(
        "[...document.querySelectorAll('.board button')].find(b => b.ariaLabel?.startsWith('x/bad, all')).click()"
    )
    assert page_.count() == "5 of 33"
    page_.run("document.querySelector('.kind.timeout').dispatchEvent(new Event('click'))")
    assert page_.count() == "1 of 33"
    page_.run("[...document.querySelectorAll('.board .model')].at(-1).click()")
    assert page_.count() == "11 of 33"


def test_numbers_are_those_of_the_tables(small, opened):
    page_ = opened(small)
    board = page_.browser.find_element(
        By.CSS_SELECTOR, "[id='image2struct.leaderboard'] .board"
    ).text
    assert re.findall(r"x/\w+", board) == ["x/good", "x/moved", "x/bad"]
    sections = page_.run("return report.views[0].sheets[0].sections")
    (table,) = [t for t in sections[-1]["items"] if t["title"] == "LaTeX"]
    row = {r[0]: dict(zip(table["columns"], r, strict=True)) for r in table["rows"]}["x/bad"]
    shown = page_.run(
        """const board = document.querySelector("[id='image2struct.leaderboard'] .board");
        return [...board.querySelectorAll("tbody tr")].at(-1).children[4].innerText"""
    )
    assert shown.split() == [row["EMS"], row["EMS 95%"].strip("[]").replace(", ", "–")]


def graded_suite(folder: Folder) -> dict[str, list[Any]]:
    """Three models and a baseline, in groups of ties that are others in each column."""
    places = {
        "latex": {"x/a": 0.9, "x/b": 0.9, "x/c": 0.5},
        "web": {"x/a": 0.3, "x/b": 0.8, "x/c": 0.3},
        "mmr": {"x/a": 0.0, "x/b": 1.0, "x/c": 1.0},
        "structeval": {"x/a": 0.2, "x/b": 0.4, "x/c": 0.6},
    }
    for column in places.values():
        column["structext/oracle"] = 1.0
    pictures = {
        name: folder.answer("x/a", "0", subset)
        for name, subset in (("latex", "equation"), ("web", "css"))
    }
    numbers = range(10)
    return {
        "image2struct": [
            replace(picture, model=model, instance=str(n), scores={**picture.scores, EMS: score})
            for name, picture in pictures.items()
            for model, score in places[name].items()
            for n in numbers
        ],
        "mmr": [
            mmr_answers.answer(model, "font_size", n, score, picture=pictures["latex"].picture)
            for model, score in places["mmr"].items()
            for n in numbers
        ],
        "structeval": [
            structeval_answers.answer(model, "text_to_json", score, instance=str(n))
            for model, score in places["structeval"].items()
            for n in numbers
        ],
    }


def table_rows(page_: Page, selector: str) -> list[list[str]]:
    """The text of every cell of the rows that are as long as the last one."""
    return page_.run(
        """const rows = [...document.querySelectorAll(`${arguments[0]} tr`)];
        const cells = rows.map(row => [...row.children].map(cell => cell.innerText.trim()));
        return cells.filter(row => row.length === cells.at(-1).length)""",
        selector,
    )


def test_every_leaderboard_says_which_models_are_tied(folder, opened):
    suite = {
        name: (part, [one.with_baselines_apart() for one in result_sets])
        for name, (part, result_sets) in parts(**graded_suite(folder)).items()
    }
    file = folder.path / "report.html"
    write_report(suite, file, title="A suite", plans=False)
    page_ = opened(file)
    groups = {
        name: [one.grid.groups for one in result_sets] for name, (_, result_sets) in suite.items()
    }
    assert groups == {
        "image2struct": [
            {"x/a": "a", "x/b": "a", "x/c": "b"},
            {"x/a": "b", "x/b": "a", "x/c": "b"},
        ],
        "mmr": [{"x/a": "b", "x/b": "a", "x/c": "a"}],
        "structeval": [{"x/a": "c", "x/b": "b", "x/c": "a"}],
    }
    models = ("x/a", "x/b", "x/c", "structext/oracle")
    for name in groups:
        section = f"[id='{name}.leaderboard']"
        note = page_.run(f'return document.querySelector("{section} .notes").textContent')
        assert "Tied: models that share a letter" in note
        header, *rows = table_rows(page_, f"{section} .board")
        places = [place for place, text in enumerate(header) if text == "Tied"]
        names = header.index("Model")
        shown = {row[names]: [row[place] for place in places] for row in rows}
        assert shown == {m: [of.get(m, "–") for of in groups[name]] for m in models}, name
    overview = page_.run("return document.getElementById('overview').textContent")
    assert "Tied: models that share a letter" in overview
    header, *rows = table_rows(page_, "#overview table")
    assert header[2:] == ["LaTeX", "Web", "MMR", "StructEval"]
    columns = [of for grids in groups.values() for of in grids]
    # Such as "0.900 ±0.000 a".
    shown = {row[0]: [cell.split()[2:] for cell in row[2:]] for row in rows}
    assert shown == {m: [[of[m]] if m in of else [] for of in columns] for m in models}


def test_what_models_write_is_text(folder, opened):
    hostile = {
        "completion": HOSTILE,
        "reference_text": HOSTILE,
        "text": HOSTILE,
        "difficulty": HOSTILE,
    }
    results = [
        folder.answer("x/model", "a", reference=page(1), **hostile),
        folder.answer("x/model", "b", rendering=None, **{**hostile, "error": HOSTILE}),
    ]
    named = [replace(r, model=f"x/{HOSTILE}", instance=f"{r.instance}{HOSTILE}") for r in results]
    page_ = opened(write([*results, *named], folder.path / "report.html", title=HOSTILE))
    page_.filled()
    assert page_.browser.title == HOSTILE
    for position in range(4):
        page_.select(position)
        page_.open(position)
        assert HOSTILE in page_.viewer()
        page_.filled()
    assert page_.run("return typeof hacked") == "undefined"
    assert page_.run("return document.querySelectorAll('img[src=x]').length") == 0


def test_no_script_runs_but_the_report_s_own(small, opened, browser):
    page_ = opened(small)
    page_.run(
        """const image = document.createElement("div");
        image.innerHTML = '<img src=x onerror="hacked = 1">';
        document.body.append(image);
        const script = document.createElement("script");
        script.textContent = "hacked = 1";
        document.body.append(script);"""
    )
    page_.run("return new Promise(resolve => setTimeout(resolve, 200))")
    assert page_.run("return typeof hacked") == "undefined"
    assert "Content Security Policy" in str(page_.stderr())


@pytest.mark.parametrize("subset", ["equation", "css"])
def test_the_difference_is_that_of_the_matched_pictures(folder, opened, subset):
    reference = Image.new("RGB", (120, 80), "white")
    reference.paste("black", (20, 20, 40, 40))
    reference.paste((200, 40, 40), (60, 20, 80, 40))
    rendering = Image.new("RGB", (240, 160), "white")
    rendering.paste("black", (40, 40, 60, 80))
    rendering.paste("black", (140, 100, 180, 140))
    result = folder.answer("x/m", "a", subset, reference=reference, rendering=rendering)
    page_ = opened(write([result], folder.path / "report.html"))
    shown = np.asarray(page_.canvas("difference")).astype(int)
    handling = "resize" if subset == "css" else "padding"
    first, second = (
        np.asarray(image).astype(int) for image in match_sizes(rendering, reference, handling)
    )
    assert shown.shape == first.shape
    # Between the two the browser and Pillow scale differently: look at plain surfaces.
    plain = np.ptp(first, axis=2) + np.ptp(second, axis=2) >= 0
    for image in (first, second):
        for axis in (0, 1):
            for by in (-3, 3):
                plain &= (np.roll(image, by, axis) == image).all(axis=2)
    luminance = np.array([0.299, 0.587, 0.114])
    darker = plain & ((first - second) @ luminance < -8)
    lighter = plain & ((first - second) @ luminance > 8)
    equal = plain & (first == second).all(axis=2)
    assert min(darker.sum(), lighter.sum(), equal.sum()) > 50
    red, _, blue = np.moveaxis(shown, -1, 0)
    assert (red[darker] > blue[darker] + 100).all()
    assert (blue[lighter] > red[lighter] + 60).all()
    assert (np.ptp(shown[equal], axis=1) == 0).all()
    assert (red[equal] >= 190).all()


def test_the_costs_of_a_plan_are_what_the_similarity_lacks(folder):
    first, second = page(1, (300, 200)), page(2, (280, 210))
    ems = earth_mover_similarity(first, second)
    paths = folder.save(first, "first"), folder.save(second, "second")
    tall, wide, moves = plan(*paths, "padding", ems)
    assert 0.1 < 1 - ems < 0.9
    assert sum(m[3] + m[4] for m in moves) * UNIT == pytest.approx(1 - ems, abs=0.005)
    assert sum(m[2] for m in moves) * UNIT <= 1.001
    assert all(m[3] + m[4] >= LEAST_COST for m in moves)
    assert all(0 <= patch < np.ceil(tall) * np.ceil(wide) for m in moves for patch in m[:2])
    assert any(m[0] != m[1] for m in moves)


def test_a_plan_shows_what_moved(folder, opened):
    reference = Image.new("L", (64, 64), 255)
    reference.paste(0, (0, 0, 8, 8))
    moved = Image.new("L", (64, 64), 255)
    moved.paste(0, (16, 0, 24, 8))
    result = folder.answer("x/m", "a", reference=reference, rendering=moved)
    page_ = opened(write([result], folder.path / "report.html"))
    page_.filled()
    page_.until("document.querySelector('.plan svg')")
    moves = page_.run(
        """return [...document.querySelectorAll(".plan .move")].map(move =>
            [move.dataset.from, move.dataset.to, move.querySelector("path")?.getAttribute("d")])"""
    )
    # Of eight patches a row, each 8 pixels wide, the third goes back to the corner.
    assert sorted(move[:2] for move in moves) == [["0", "2"], ["2", "0"]]
    assert next(path for source, _, path in moves if source == "2").startswith("M20 4Q")


def test_without_plans_the_other_pictures_stay(folder, opened):
    result = folder.answer("x/m", "a", rendering=page(3))
    file = write([result], folder.path / "report.html", plans=False)
    page_ = opened(file)
    page_.filled()
    visible = page_.until(
        """[...document.querySelectorAll(".card .panel")].filter(p => !p.hidden)
            .map(p => p.dataset.panel)"""
    )
    assert visible == ["input", "rendering", "difference"]


def test_thousands_of_answers_stay_quick(folder, opened):
    references = [page(seed, (32, 24 + seed)) for seed in range(3)]
    templates = [folder.answer("x/m", f"{n}", reference=r) for n, r in enumerate(references)]
    results = [
        replace(templates[n % 3], model=model, instance=f"i{n:04}", completion=f"{model} {n}")
        for n in range(1500)
        for model in ("x/a", "x/b")
    ]
    page_ = opened(write(results, folder.path / "report.html", plans=False))
    assert page_.count() == "3000 answers"
    height = page_.run("return document.querySelector('.list').offsetHeight")
    for place in (0, 0.5, 1):
        page_.run(
            f"document.querySelector('.list').scrollIntoView(); scrollBy(0, {place * height})"
        )
        page_.until("document.querySelectorAll('.card').length")
        page_.filled()
        assert page_.run("return document.querySelectorAll('.card').length") < 60
        assert page_.run("return document.querySelectorAll('img').length") < 120
    assert any("i1499" in label for label in page_.cards())
    page_.select(1234)
    assert "i0617" in page_.selected()
    assert page_.choose(text="x/b 77") == "11 of 3000"


def test_a_page_is_used_while_its_pictures_still_come(small, browser):
    text = small.read_bytes()
    middle = text.index(b'<script type="text/plain" id="p0"')
    go_on = threading.Event()

    class Slow(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(text[:middle])
            self.wfile.flush()
            go_on.wait(60)
            self.wfile.write(text[middle:])

        def log_message(self, *arguments: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Slow) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            page_ = Page(browser, f"http://127.0.0.1:{server.server_port}/", loaded=False)
            page_.until("document.querySelector('#image2struct output')?.textContent")
            assert page_.run("return document.readyState") == "loading"
            assert page_.choose(outcome="failed") == "4 of 33"
            assert page_.choose(outcome="", text="zebra") == "0 of 33"
            page_.choose(text="")
            page_.select(0)
            assert page_.run("return document.querySelector('.card img').src") == ""
        finally:
            go_on.set()
        page_.until("document.readyState === 'complete'")
        page_.filled()
        assert page_.choose(text="zebra") == "1 of 33"
        assert page_.stderr() == []
        server.shutdown()


def test_a_file_that_was_cut_off_says_so(small, opened, tmp_path):
    text = small.read_text(encoding="utf-8")
    cut = tmp_path / "cut.html"
    cut.write_text(text[: text.index('<script type="text/plain" id="p0"')], encoding="utf-8")
    page_ = opened(cut)
    page_.select(0)
    message = page_.until("document.querySelector('.card .error')?.textContent")
    assert "cut off" in message


def test_conditions_are_never_mixed(folder, opened):
    seen = folder.save(page(99), "seen")
    results = [
        folder.answer("x/m", "a"),
        folder.answer("x/m", "b"),
        folder.answer("x/m", "a", arguments={"protocol": "corrected"}),
        folder.answer("x/m", "a", arguments={"perturbation": "blur", "severity": "3"}, seen=seen),
    ]
    page_ = opened(write(results, folder.path / "report.html"))
    counts = {}
    for number, label in enumerate(
        page_.run("return report.views[0].sheets.map(({label}) => label)")
    ):
        page_.choose_condition("image2struct", number)
        page_.filled()
        assert label in page_.run(
            "return document.querySelector(\"[id='image2struct.leaderboard'] .notes\").textContent"
        )
        counts[label] = page_.count()
    assert counts == {
        "protocol=corrected": "1 answer",
        "protocol=published": "2 answers",
        "protocol=published, perturbation=blur, severity=3": "1 answer",
    }
    page_.open()
    page_.filled()
    panels = page_.run(
        "return [...document.querySelectorAll('#viewer .panel')].map(p => p.dataset.panel)"
    )
    assert panels == ["input", "reference", "rendering", "difference", "plan"]


@pytest.mark.parametrize("width", [400, 800, 1400])
def test_it_fits_narrow_and_wide_screens(small, opened, width, browser):
    metrics = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        page_ = opened(small)
        page_.run("report.goTo('image2struct.answers')")
        page_.filled()
        assert page_.run("return document.documentElement.scrollWidth") <= width
        assert page_.run(
            """return [...document.querySelectorAll(".card")].every(card =>
                card.scrollHeight <= card.clientHeight + 1)"""
        )
        page_.open()
        page_.filled()
        assert page_.run("return document.getElementById('viewer').scrollWidth") <= width
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_the_same_picture_is_stored_once(folder):
    results = [folder.answer(f"x/{n}", "a") for n in range(4)]
    text = write(results, folder.path / "report.html").read_text(encoding="utf-8")
    assert len(re.findall(r'id="p\d+"', text)) == 1
    assert len(re.findall(r'id="a\d+"', text)) == 4


def test_the_same_answers_make_the_same_file(folder, small, monkeypatch):
    again = small.with_name("again.html")
    results = small_suite(Folder(small.parent))
    # The workers inherit this: what is in the cache is not computed again.
    monkeypatch.setattr("helm_structext.image2struct.transport_plan.block_emd", None)
    monkeypatch.setattr("helm_structext.report.pictures._encode", None)
    assert write(results[::-1], again).read_bytes() == small.read_bytes()


def test_pictures_are_stored_no_wider_than_asked_and_otherwise_unchanged(folder):
    image = page(5, (400, 100))
    path = folder.save(image, "wide")
    whole = Image.open(io.BytesIO(webp(path, 400))).convert("RGB")
    assert np.array_equal(np.asarray(whole), np.asarray(image))
    assert Image.open(io.BytesIO(webp(path, 120))).size == (120, 30)


def test_photos_are_stored_with_loss(folder):
    noise = np.random.default_rng(0).integers(0, 256, (80, 80, 3), np.uint8)
    stored = webp(folder.save(Image.fromarray(noise), "photo"), 960)
    assert len(stored) < noise.size / 2
    assert Image.open(io.BytesIO(stored)).size == (80, 80)


def test_long_texts_are_cut_and_say_so(folder):
    result = folder.answer("x/m", "a", completion="x" * 1_000_000)
    file = write([result], folder.path / "report.html")
    (block,) = re.findall(r'id="a0">(.*?)</script>', file.read_text(encoding="utf-8"))
    assert json.loads(block)["panels"][0]["text"].endswith(
        f"x\n… and {1_000_000 - MAX_TEXT:,} characters more"
    )
    assert file.stat().st_size < 300_000


def test_surrogates_and_other_odd_characters_survive(folder, opened):
    result = folder.answer("x/m", "a", completion="\ud800 \x00 \u2028 é 楽譜")
    page_ = opened(write([result], folder.path / "report.html"))
    page_.run("report.open(report.views[0].items[0].answers[0])")
    page_.until("document.getElementById('viewer-facts').textContent.includes('é 楽譜')")


def test_a_missing_picture_is_named_and_nothing_is_left_behind(folder):
    result = folder.answer("x/m", "a")
    other = folder.answer("x/m", "b", rendering=page(4))
    assert other.rendering is not None
    other.rendering.unlink()
    with pytest.raises(SetupError, match=re.escape(str(other.rendering))):
        write([result, other], folder.path / "report.html")
    assert not list(folder.path.glob("*report*"))


def test_a_broken_picture_is_named_and_nothing_is_left_behind(folder):
    result = folder.answer("x/m", "a", rendering=page(4))
    assert result.rendering is not None
    result.rendering.write_bytes(result.rendering.read_bytes()[:200])
    with pytest.raises(SetupError, match=re.escape(str(result.rendering))):
        write([result], folder.path / "report.html")
    assert not list(folder.path.glob("*report*"))


def test_a_file_that_cannot_be_written_is_named(folder):
    with pytest.raises(SetupError, match="absent"):
        write([folder.answer("x/m", "a")], folder.path / "absent" / "report.html")


def test_the_command_reads_a_suite_and_writes_its_report(folder, monkeypatch, capsys, opened):
    monkeypatch.chdir(folder.path)
    answers = [result(model, name, 0.7) for model in ("x/good", "x/bad") for name in "ab"]
    write_suite(folder.path, [*answers, result("x/none", "a", None)])
    pictures = folder.path / "pictures"
    pictures.mkdir()
    for number, name in enumerate(["a", "b", "{}"]):
        page(number, (200, 120)).save(pictures / f"{name}.png")

    assert main(["report", "s", "-o", "all.html"]) == 0
    assert "all.html: 5 answers" in capsys.readouterr().out
    page_ = opened(folder.path / "all.html")
    assert page_.choose(outcome="failed") == "1 of 5"
    page_.select(0)
    page_.filled()

    assert main(["report", "s", "-o", "-"]) == 0
    assert capsys.readouterr().out == Path("all.html").read_text()

    narrow = ["--models", "x/g*", "x/none", "--no-plans", "--max-width", "80"]
    assert main(["report", "s", *narrow]) == 0
    assert "report.html: 3 answers" in capsys.readouterr().out
    text = Path("report.html").read_text()
    stored = re.findall(r'id="p\d+">([^<]+)<', text)
    assert {Image.open(io.BytesIO(base64.b64decode(data))).width for data in stored} == {80}
    assert '"plan":[' not in text

    assert main(["report", "s", "--max-width", "0"]) == 2
    assert "--max-width: it is '0'; expected" in capsys.readouterr().err
    assert main(["report", "other"]) == 2
