"""A report that is a folder, and a file that is bounded: what they hold, load, show and refuse."""

import io
import json
import os
import re
import shutil
import threading
from base64 import b64decode
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from selenium.webdriver.common.keys import Keys

from helm_structext.cli import main
from helm_structext.errors import SetupError
from helm_structext.report import shards
from helm_structext.report.parts import all_shown
from helm_structext.report.shards import (
    MARK,
    SHARDS,
    check_replaceable,
    folder_in_place,
    write_shards,
)
from helm_structext.report.shown_answers import only, picks
from helm_structext.report.writing import THUMBNAIL, write_report, write_report_folder
from helm_structext.results.result_sets import group_values
from support.image2struct_answers import result, write_suite
from support.report_page import HOSTILE, Folder, Page, mixed_suite, page, parts

pytestmark = pytest.mark.usefixtures("cache_of_this_module")


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    """All benchmarks, hostile names and texts, and a picture that is larger than a thumbnail."""
    folder = Folder(tmp_path_factory.mktemp("suite"))
    found = mixed_suite(folder)
    large = page(7, (1200, 300))
    found["image2struct"] += [
        folder.answer("x/good", "large", "css", reference=large),
        replace(
            folder.answer("x/good", "hostile", completion=f"{HOSTILE}`${{hacked=1}}`\\"),
            model=f"x/{HOSTILE}",
            instance=HOSTILE,
        ),
    ]
    return found


@pytest.fixture(scope="module")
def report(suite, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("folder") / "report"
    assert write_report_folder(parts(**suite), folder, title="A suite", plans=False) == (62, 62)
    return folder


@pytest.fixture(scope="module")
def file(suite, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("file") / "report.html"
    write_report(parts(**suite), path, title="A suite", plans=False)
    return path


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def blocks_of(folder: Path) -> dict[str, Any]:
    """What all shards hold, as a browser reads it."""
    found: dict[str, Any] = {}
    for path in sorted(folder.glob("data/**/*.js")):
        (text,) = re.findall(r"^shard\(\"[\w/]+\",String\.raw`([^`]*)`\);$", path.read_text())
        found |= json.loads(text)
    return found


def test_the_folder_holds_what_the_file_holds(report, file):
    text = file.read_text(encoding="utf-8")
    embedded = dict(re.findall(r'<script type="text/plain" id="(\w\d+)">(.*?)</script>', text))
    shards = blocks_of(report)
    thumbnails = {id for id in shards if id[0] == "t"}
    assert {*shards} - thumbnails == {*embedded}
    for id, content in embedded.items():
        assert shards[id] == (content if id[0] == "p" else json.loads(content))
    (small,) = thumbnails  # of the one that is larger
    size = Image.open(io.BytesIO(b64decode(shards[small]))).size
    assert size == (480, 120)
    assert Image.open(io.BytesIO(b64decode(shards[f"p{small[1:]}"]))).size == (960, 240)


def test_names_of_files_are_ours_and_equal_pictures_stand_once(report):
    names = {*contents(report)}
    assert all(
        re.fullmatch(r"index\.html|report\.json|data/[aipt]/\d+/\d+\.js", name) for name in names
    )
    pictures = [text for id, text in blocks_of(report).items() if id[0] == "p"]
    assert len(pictures) == len(set(pictures))
    for name in names - {"index.html"}:
        text = (report / name).read_text()
        assert "</" not in text
        assert "${" not in text


def test_the_same_answers_make_the_same_folder(report, suite):
    again = report.with_name("again")
    turned = {name: results[::-1] for name, results in suite.items()}
    write_report_folder(parts(**turned), again, title="A suite", plans=False)
    assert contents(again) == contents(report)


def visited(page_: Page) -> dict[str, Any]:
    """Scrolls through all lists, and returns what their cards said."""
    cards: dict[str, list[str]] = {}
    for view in ("image2struct", "mmr", "structeval"):
        page_.run(f"report.goTo('{view}.answers')")
        for _ in range(60):
            page_.run("scrollBy({top: 400, behavior: 'instant'})")
            page_.until("new Promise(done => requestAnimationFrame(() => done(true)))")
            page_.filled()
            for label, text, pictures in page_.run(
                """return [...document.querySelectorAll("[role=listitem]")].map(card => [card.ariaLabel,
                    card.textContent, [...card.querySelectorAll("img")].map(i => i.src)])"""
            ):
                cards[label] = [text, *pictures]
            if page_.run("return scrollY + innerHeight >= document.body.scrollHeight - 1"):
                break
    return cards


def test_it_shows_from_disk_what_the_file_shows(report, file, opened):
    page_ = opened(report / "index.html")
    shown = visited(page_)
    assert page_.stderr() == []
    expected = visited(opened(file))
    assert {*shown} == {*expected}
    assert len(shown) == 35 + 6 + 9
    differing = {label for label in shown if shown[label] != expected[label]}
    assert {label.split(", ")[-1].split(":")[0] for label in differing} == {"large"}
    assert page_.run("return typeof hacked") == "undefined"


def test_it_loads_what_is_looked_at(report, opened):
    page_ = opened(report / "index.html")
    assert page_.count() == "35 answers"
    loaded = "return [...report.shards.keys()]"
    # The first answers may lie near enough.
    assert {*page_.run(loaded)} <= {"p/0/0", "a/0/0", "i/0/0"}
    page_.run("report.goTo('mmr.answers')")
    page_.until("document.querySelector('.grouped .reply')?.textContent")
    page_.filled()
    first = page_.run(loaded)
    assert "a/0/2" in first
    assert not [name for name in first if name.startswith("t/")]
    page_.open_first("structeval")
    assert "a/0/3" in page_.run(loaded)


def test_a_script_that_got_into_the_page_does_not_run(report, opened):
    page_ = opened(report / "index.html")
    page_.filled()
    (report / "data" / "foreign.js").write_text("globalThis.foreign = true", encoding="utf-8")
    try:
        came = page_.browser.execute_async_script("""
            const done = arguments[0];
            const script = document.createElement("script");
            script.onload = () => done("it ran");
            script.onerror = () => done("blocked");
            script.src = "data/foreign.js";
            document.head.append(script);
            setTimeout(() => done("blocked"), 3000);
        """)
    finally:
        (report / "data" / "foreign.js").unlink()
    assert (came, page_.run("return globalThis.foreign ?? null")) == ("blocked", None)
    (said,) = page_.browser.get_log("browser")
    assert "Loading the script" in said["message"]


def test_it_opens_from_a_host_of_files(report, opened, browser):
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *arguments: Any) -> None:
            pass

    handler = partial(Quiet, directory=str(report))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            page_ = Page(browser, f"http://127.0.0.1:{server.server_port}/")
            page_.until("document.querySelector('#image2struct output')?.textContent")
            page_.select(0)
            page_.until("document.querySelectorAll('.card img').length")
            page_.filled()
            assert page_.stderr() == []
        finally:
            server.shutdown()


def test_addresses_lead_to_the_same_answers(report, file, opened):
    page_ = opened(file)
    page_.open(1, "mmr")
    link = page_.run("return document.querySelector('#viewer-link a').hash")
    text = page_.viewer()
    again = opened(report / "index.html", link)
    again.facts()
    assert again.viewer() == text


def test_two_models_stand_side_by_side_also_in_pixels(report, opened):
    page_ = opened(report / "index.html")
    page_.open_first("image2struct", "report.models[answer.model] === 'x/good'")
    page_.run(
        """const choice = document.getElementById("viewer-other");
        choice.value = report.models.indexOf("x/moved");
        choice.dispatchEvent(new Event("change"));"""
    )
    page_.filled()
    labels = "return [...document.querySelectorAll('#viewer figcaption')].map(c => c.textContent)"
    assert "Rendering of x/moved" in page_.run(labels)
    painted = """(() => {
        const canvas = document.querySelector("#viewer .difference canvas");
        const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
        return data.some(value => value !== 0 && value !== 255);
    })()"""
    assert page_.until(painted)  # a picture's file from disk would taint it


def test_texts_are_found_that_were_not_read_yet(report, opened):
    page_ = opened(report / "index.html")
    for view, text, count in (
        ("image2struct", "zebra", "1 of 35"),
        ("mmr", "somewhere", "3 of 6"),
        ("structeval", "trip summary", "3 of 9"),
    ):
        page_.show(view, text=text)
        page_.until(f"document.querySelector('#{view} output').textContent === '{count}'")


def test_an_end_at_any_moment_leaves_a_report(tmp_path, monkeypatch):
    """Also between the renaming of the earlier report and that of the new one."""
    folder = tmp_path / "report"
    with folder_in_place(folder) as draft:
        (draft / "index.html").write_text("first")
    rename = Path.rename

    class Killed(BaseException):
        """As by SIGKILL: nothing that follows is done."""

    for number in (1, 2):
        left = iter(range(number))
        monkeypatch.setattr(shards, "_put_back", lambda *_: None)
        monkeypatch.setattr(shards.shutil, "rmtree", lambda *_, **__: None)

        def until(self: Path, target: Path, left: Iterator[int] = left) -> Path:
            if next(left, None) is None:
                raise Killed
            return rename(self, target)

        monkeypatch.setattr(Path, "rename", until)
        with suppress(Killed), folder_in_place(folder) as draft:
            (draft / "index.html").write_text(f"later {number}")
        monkeypatch.undo()
        with pytest.raises(ZeroDivisionError), folder_in_place(folder):
            raise ZeroDivisionError
        assert [path.name for path in tmp_path.iterdir()] == ["report"]
        assert (folder / "index.html").read_text() == ("first" if number == 1 else "later 2")


def test_a_new_report_that_gets_no_name_leaves_the_earlier_one(tmp_path, monkeypatch):
    folder = tmp_path / "report"
    with folder_in_place(folder) as draft:
        (draft / "index.html").write_text("first")
    rename = Path.rename

    def refused(self: Path, target: Path) -> Path:
        if self.name.endswith(".part"):
            raise OSError("no")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", refused)
    with pytest.raises(SetupError, match="can't be written: no"), folder_in_place(folder):
        pass
    assert (folder / "index.html").read_text() == "first"
    assert [path.name for path in tmp_path.iterdir()] == ["report"]


def test_a_folder_that_is_not_whole_says_so(report, browser, tmp_path):
    broken = shutil.copytree(report, tmp_path / "broken")
    (broken / "data" / "p" / "0" / "0.js").write_text('shard("p/0/0",String.raw`{"p0":"cut of')
    (broken / "data" / "a" / "0" / "2.js").unlink()
    page_ = Page(browser, (broken / "index.html").as_uri())  # the browser complains, too
    page_.until("document.querySelector('#image2struct output').textContent")
    page_.select(0)
    assert "not whole: data/p/0/0.js" in page_.until(
        "document.querySelector('.card .error')?.textContent"
    )
    page_.select(0, "mmr")
    assert "not whole: data/a/0/2.js" in page_.until(
        "document.querySelector('.grouped > .error')?.textContent"
    )


def test_lists_taller_than_a_page_can_be_are_walked_to_their_ends(report, opened):
    page_ = opened(report / "index.html")
    # Thirty million pixels of cards.
    page_.run(
        """const view = report.viewNamed("image2struct");
        const items = [...view.items];
        view.items = Array.from({length: 100000}, (_, i) => items[i % 33]);
        report.showItems(view.list, view.items);"""
    )
    assert page_.run("return report.endOf(report.views[0].list)") > 15e6
    assert page_.run("return document.querySelector('.list').offsetHeight") == 4_000_000
    seen = "return [...report.views[0].list.cards.keys()]"
    on_screen = """return [...report.views[0].list.cards].filter(([, c]) => {
        const {top, bottom} = c.getBoundingClientRect();
        return bottom > 0 && top < innerHeight;
    }).map(([position]) => position)"""
    frame = "return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
    for position in (0, 50_000, 99_999, 70_000):
        page_.select(position)
        page_.run(frame)
        assert position in page_.run(on_screen)
        assert len(page_.run(seen)) < 40
    before = page_.run(on_screen)[0]
    for _ in range(20):  # steps are as long as they are
        page_.run("scrollBy({top: 400, behavior: 'instant'})")
        page_.run(frame)
    after = page_.run(on_screen)[0]
    assert 8000 / 230 - 4 < after - before < 8000 / 190 + 4
    page_.run(
        "scrollBy({top: document.querySelector('.list').getBoundingClientRect().top + 4e6 - innerHeight, behavior: 'instant'})"
    )
    page_.run(frame)
    assert 99_999 in page_.run(on_screen)
    page_.run(
        "scrollBy({top: document.querySelector('.list').getBoundingClientRect().top, behavior: 'instant'})"
    )
    page_.run(frame)
    assert 0 in page_.run(on_screen)
    page_.press("j", Keys.ENTER)
    assert page_.viewer() is not None


def test_a_pipe_in_place_of_the_mark_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / MARK)
    with pytest.raises(SetupError, match="no report of ours"):
        check_replaceable(tmp_path)


def test_what_lies_in_place_of_a_file_s_draft_is_neither_waited_for_nor_written_through(
    tmp_path, suite
):
    draft, kept = tmp_path / ".report.html.part", tmp_path / "kept"
    kept.write_text("mine")
    for put in (os.mkfifo, lambda path: path.symlink_to(kept)):
        put(draft)
        write_report(parts(**suite), tmp_path / "report.html", title="s", plans=False)
        assert not os.path.lexists(draft)
    assert kept.read_text() == "mine"


def test_what_is_no_report_is_never_replaced(tmp_path, suite):
    folder = tmp_path / "report"
    folder.mkdir()
    (folder / "thesis.tex").write_text("years of work")
    for place in (folder, tmp_path / ".other.part"):
        place.mkdir(exist_ok=True)
        (place / "thesis.tex").write_text("years of work")
    for name in ("report", "other"):
        with pytest.raises(SetupError, match="no report of ours"):
            write_report_folder(parts(**suite), tmp_path / name, title="A suite", plans=False)
    assert (folder / "thesis.tex").read_text() == "years of work"
    assert not (tmp_path / "other").exists()


def test_a_report_that_fails_leaves_the_one_before(tmp_path):
    folder = Folder(tmp_path)
    output = tmp_path / "report"
    good = folder.answer("x/m", "a")
    write_report_folder(parts(image2struct=[good]), output, title="one", plans=False)
    before = contents(output)
    (tmp_path / ".report.part").mkdir()
    (tmp_path / ".report.part" / "report.json").write_text('{"made_by": "helm-structext 0"}')
    bad = folder.answer("x/m", "b", rendering=page(4))
    assert bad.rendering is not None
    bad.rendering.write_bytes(bad.rendering.read_bytes()[:200])
    with pytest.raises(SetupError, match=re.escape(str(bad.rendering))):
        write_report_folder(parts(image2struct=[good, bad]), output, title="two", plans=False)
    assert contents(output) == before
    assert not list(tmp_path.glob(".report.*"))
    write_report_folder(parts(image2struct=[good]), output, title="three", plans=False)
    assert b"<title>three</title>" in (output / "index.html").read_bytes()


def test_a_shard_is_never_written_twice(tmp_path):
    with pytest.raises(FileExistsError):
        write_shards(tmp_path, [("a0", "1"), (f"a{SHARDS['a']}", "2"), ("a1", "3")])


@pytest.fixture(scope="module")
def bounded(suite, file, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """A file that has room for about half of the answers, and what bounds it."""
    page_bytes = file.read_text().index('<script type="text/plain" id="p0"')
    limit = page_bytes + (file.stat().st_size - page_bytes) // 2
    path = tmp_path_factory.mktemp("bounded") / "report.html"
    answers, of = write_report(parts(**suite), path, title="A suite", plans=False, max_bytes=limit)
    assert 15 < answers < of == 62
    return path, limit


def test_a_bounded_file_is_no_larger_and_says_what_it_shows(bounded, suite, opened):
    path, limit = bounded
    assert limit * 0.8 < path.stat().st_size <= limit
    page_ = opened(path)
    notice = page_.until("document.getElementById('partial').textContent")
    count = int(re.findall(r"shows (\d+) of 62 answers", notice)[0])
    shown = page_.run("return report.views.map(view => report.sheetOf(view).answers.length)")
    assert sum(shown) == count
    assert min(shown) > 0
    assert page_.run("return document.getElementById('partial').checkVisibility()")
    visited(page_)
    assert page_.stderr() == []
    # Tables and charts are of all answers.
    board = page_.run("return document.querySelector(\"[id='mmr.leaderboard'] thead\").textContent")
    assert "of 3" in board
    again = path.with_name("again.html")
    turned = {name: results[::-1] for name, results in suite.items()}
    write_report(parts(**turned), again, title="A suite", plans=False, max_bytes=limit)
    assert again.read_bytes() == path.read_bytes()


def test_a_whole_file_says_nothing_of_it(file, opened):
    assert not opened(file).run("return document.getElementById('partial').checkVisibility()")


def test_tables_that_are_larger_than_the_bound_are_refused(suite, tmp_path):
    with pytest.raises(SetupError, match="tables and charts alone take 0"):
        write_report(parts(**suite), tmp_path / "report.html", title="A suite", max_bytes=1000)
    assert not list(tmp_path.iterdir())


def test_each_beginning_of_the_choice_has_its_share_of_every_stratum(tmp_path):
    folder = Folder(tmp_path)
    templates = {subset: folder.answer("x/a", "t", subset) for subset in ("equation", "css")}
    results = [
        replace(
            templates[subset],
            model=model,
            instance=f"{n:03}",
            scores={"earth_mover_similarity": n / count},
        )
        for subset, count in (("equation", 64), ("css", 16))
        for n in range(count)
        for model in ("x/a", "x/b")
        if model == "x/a" or n % 2
    ]
    everything = parts(image2struct=results)
    part, sets = everything["image2struct"]
    shown = {"image2struct": all_shown(part.make_view(sets))}
    order = picks(shown)
    assert len(set(order)) == len(order) == 80
    quarter = order[:20]
    by_subset = group_values(quarter, lambda pick: pick.instance.part)
    assert {name: len(ours) for name, ours in by_subset.items()} == {"equation": 16, "css": 4}
    places = sorted(int(pick.instance.id) for pick in by_subset["equation"])
    assert sum(place % 2 for place in places) == 8  # those that both models have
    for low in range(0, 64, 16):
        assert sum(low <= place < low + 16 for place in places) == 4
    few = only(shown, quarter)["image2struct"]
    assert sum(len(one.instances) for one in few) == 20
    assert sum(len([*one.answers]) for one in few) == 30


def test_the_command_writes_folders_and_bounded_files(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    answers = [result(model, name, 0.7) for model in ("x/good", "x/bad") for name in "ab"]
    write_suite(tmp_path, answers)
    (tmp_path / "pictures").mkdir()
    for number, name in enumerate(["a", "b", "{}"]):
        page(number, (200, 120)).save(tmp_path / "pictures" / f"{name}.png")
    command = ["report", "s", "--no-plans"]
    assert main([*command, "-o", "out/"]) == 0
    assert "4 answers; open out/index.html" in capsys.readouterr().out
    assert main([*command, "-o", "out"]) == 0  # it is a folder of ours
    assert main([*command, "-o", "pictures"]) == 2
    assert "no report of ours" in capsys.readouterr().err
    assert main([*command, "-o", "out/", "--max-megabytes", "3"]) == 2
    assert main([*command, "--max-megabytes", "0"]) == 2
    assert main([*command, "--max-megabytes", "0.01"]) == 2
    assert "alone take" in capsys.readouterr().err
    assert main(command) == 0
    assert "report.html: 4 answers" in capsys.readouterr().out
    size = Path("report.html").stat().st_size
    assert main([*command, "--max-megabytes", f"{(size - 500) / 1e6}"]) == 0
    said = capsys.readouterr().out
    assert "report.html: 2 of 4 answers" in said
    assert "-o report/" in said
    assert THUMBNAIL[0] < 960
