"""What the report has for every benchmark alike: links, keys, large view, grid, code, CSV, print."""

import base64
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest
from selenium.webdriver.common.keys import Keys

from helm_structext.metrics import match_sizes
from helm_structext.report.writing import write_report
from helm_structext.results.spreadsheets import csv_text
from support.report_page import HOSTILE, Folder, Page, mixed_suite, page, parts

BENCHES = ("image2struct", "mmr", "structeval")


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = Folder(tmp_path_factory.mktemp("mixed"))
    file = folder.path / "report.html"
    write_report(parts(**mixed_suite(folder)), file, title="A suite", plans=False)
    return file


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A report of answers under two conditions, and one with a third, before the others."""
    folder = Folder(tmp_path_factory.mktemp("many"))
    suite = mixed_suite(folder)
    files = []
    for names in (("plain", "quick"), ("early", "plain", "quick")):
        under = {
            bench: [
                replace(result, conditions={**result.conditions, "wording": name})
                for result in results
                for name in names
            ]
            for bench, results in suite.items()
        }
        files.append(folder.path / f"{len(names)}.html")
        write_report(parts(**under), files[-1], title="A suite", plans=False)
    return files[0], files[1]


def conditions(page_: Page) -> list[str]:
    """What is chosen in each view: the last of the condition's values."""
    labels = page_.run("return report.views.map(view => report.sheetOf(view).label)")
    shown_ = page_.run(
        """return report.views.map(
            ({name}) => document.getElementById(`${name}-condition`).selectedOptions[0].label)"""
    )
    assert labels == shown_
    return [re.findall(r"wording=(\w+)", label)[0] for label in shown_]


def choose_conditions(page_: Page, number: int) -> None:
    for view in BENCHES:
        page_.choose_condition(view, number)


def shown(page_: Page) -> dict[str, str]:
    """The answer in the large view."""
    return page_.run(
        """return {path: report.pathOf(report.viewer.answer), model: report.models[report.viewer.answer.model],
            tab: document.querySelector("#viewer-models [aria-pressed=true]").textContent,
            panel: document.querySelector("#viewer-views [aria-pressed=true]").textContent}"""
    )


@pytest.mark.parametrize("bench", BENCHES)
def test_every_answer_has_an_address(mixed, opened, bench):
    page_ = opened(mixed)
    page_.open_first(bench, "report.models[answer.model] === 'x/moved'")
    before = shown(page_)
    link = page_.run("return document.querySelector('#viewer-link a').hash")
    again = opened(mixed, link)
    assert again.viewer() is not None
    assert shown(again) == before
    assert before["tab"].startswith("x/moved")


def test_the_address_says_what_is_shown_of_an_answer(mixed, opened):
    page_ = opened(mixed)
    page_.open_first("image2struct", "report.models[answer.model] === 'x/good'")
    page_.press("d")
    page_.run(
        """const choice = document.getElementById("viewer-other");
        choice.value = report.models.indexOf("x/moved");
        choice.dispatchEvent(new Event("change"));"""
    )
    again = opened(mixed, page_.run("return location.hash"))
    assert shown(again)["panel"] == "Difference"
    assert again.run("return document.getElementById('viewer-other').value") == again.run(
        "return String(report.models.indexOf('x/moved'))"
    )
    again.press(Keys.ESCAPE)
    again.until("!document.getElementById('viewer').open && !location.hash.includes('answer=')")


def test_conditions_stand_in_the_address_by_name(many, opened):
    page_ = opened(many[0])
    assert conditions(page_) == ["plain"] * 3
    choose_conditions(page_, 1)
    assert conditions(page_) == ["quick"] * 3
    address = page_.run("return location.hash")
    for file in many:
        assert conditions(opened(file, address)) == ["quick"] * 3
    again = opened(many[1], address)
    choose_conditions(again, 0)
    assert conditions(again) == ["early"] * 3
    # It chooses none that is not there, and no place in the list either.
    for absent in ("protocol=published, wording=no", "1", "2"):
        names = (f"{bench}.condition" for bench in BENCHES)
        hash_ = "&".join(f"{name}={quote(absent)}" for name in names)
        assert conditions(opened(many[0], f"#{hash_}")) == ["plain"] * 3


@pytest.mark.parametrize("bench", BENCHES)
@pytest.mark.parametrize("number", [0, 1])
def test_the_address_of_an_answer_says_under_which_condition_it_is(many, opened, bench, number):
    page_ = opened(many[0])
    choose_conditions(page_, number)
    page_.open_first(bench, "report.models[answer.model] === 'x/moved'")
    before = shown(page_)
    condition = page_.run(f"return report.sheetOf(report.viewNamed('{bench}')).label")
    for address in (
        page_.run("return document.querySelector('#viewer-link a').hash"),
        page_.run("return location.hash"),
    ):
        again = opened(many[1], address)
        assert shown(again) == before
        assert again.run(f"return report.sheetOf(report.viewNamed('{bench}')).label") == condition
        again.press(Keys.ESCAPE)
        again.until("!document.getElementById('viewer').open")
        closed = again.run("return location.hash")
        label = f"return report.sheetOf(report.viewNamed('{bench}')).label"
        assert opened(many[1], closed).run(label) == condition
    # Nor is an answer under another condition opened in its place.
    assert opened(many[0], address.replace("wording", "other")).viewer() is None


@pytest.mark.parametrize("name", ["constructor", "__proto__", "toString", "absent"])
def test_an_address_of_nothing_opens_nothing(mixed, opened, name):
    page_ = opened(
        mixed, f"#answer={name}/x&of={name}&panel={name}&mmr.condition={name}&{name}={name}"
    )
    assert page_.viewer() is None
    assert page_.stderr() == []


def test_filters_of_all_benchmarks_stand_in_the_address(mixed, opened):
    page_ = opened(mixed)
    page_.choose(outcome="failed")
    bad = page_.run("return report.models.indexOf('x/bad')")
    page_.show("mmr", task="font_color", model=f"{bad}")
    page_.show("structeval", outcome="bad", order="worst")
    page_.show("structeval", task="text_to_json", order="worst")
    before = [page_.count(view) for view in BENCHES]
    assert before == ["4 of 33", "3 of 6", "6 of 9"]
    address = page_.run("return location.hash")
    assert "mmr.model=x%2Fbad" in address
    again = opened(mixed, address)
    assert [again.count(view) for view in BENCHES] == before
    assert again.run("return report.viewNamed('structeval').form.order.value") == "worst"


def test_what_an_address_names_in_vain_changes_nothing(mixed, opened):
    page_ = opened(
        mixed,
        "#answer=mmr/none/1&of=x/good&mmr.task=no&structeval.model=y&mmr.condition=7&mmr.tables=x",
    )
    assert page_.viewer() is None
    assert page_.count("mmr") == "6 questions"
    assert page_.count("structeval") == "9 answers"


@pytest.mark.parametrize("bench", BENCHES)
def test_the_same_keys_work_in_every_benchmark(mixed, opened, bench):
    page_ = opened(mixed)
    page_.run(f"report.viewNamed('{bench}').form.scrollIntoView({{behavior: 'instant'}})")
    position = f"return report.viewNamed('{bench}').list.selected"
    page_.press("j", "j")
    page_.press("k")
    at = page_.run(position)
    page_.press("j")
    assert page_.run(position) == at + 1
    page_.press(Keys.ENTER)
    page_.until("document.getElementById('viewer').open")
    assert page_.run("return report.viewer.answer.view.name") == bench
    instance = page_.run("return report.viewer.answer.instance.id")
    model = page_.run("return report.viewer.answer.model")
    page_.press("m")
    assert page_.run("return report.viewer.answer.model") != model
    assert page_.run("return report.viewer.answer.instance.id") == instance
    page_.press("c")
    assert shown(page_)["panel"] == "Code"
    page_.until("document.querySelector('#viewer-pictures table, #viewer-pictures pre')")
    page_.press("k", Keys.ESCAPE)
    page_.until("!document.getElementById('viewer').open")
    page_.press("2")
    form = f"report.viewNamed('{bench}').form"
    assert page_.run(f"return {form}.model.value") != ""
    page_.press("0", "/")
    assert page_.run(f"return document.activeElement === {form}.text")


def test_pictures_are_enlarged(mixed, opened):
    page_ = opened(mixed)
    page_.open_first("mmr", "answer.instance.part === 'grounding_t'")
    width = "return document.querySelector('#viewer img').getBoundingClientRect().width"
    before = page_.run(width)
    page_.press("+", "+")
    assert page_.run(width) == pytest.approx(2 * before, abs=2)
    page_.until("document.querySelector('#viewer .truth')")
    box = page_.run(
        """const place = (e) => e.getBoundingClientRect();
        const [image, box] = [place(document.querySelector("#viewer img")), place(document.querySelector("#viewer .truth"))];
        return [(box.left - image.left) / image.width, (box.top - image.top) / image.height]"""
    )
    assert box == pytest.approx([0.1, 0.2], abs=0.02)
    page_.press("-", "-", "-")
    assert page_.run(width) == before


def test_the_overlay_shows_one_picture_over_the_other(tmp_path, opened):
    folder = Folder(tmp_path)
    reference, rendering = page(1, (120, 80)), page(2, (140, 90))
    results = [folder.answer("x/m", "a", reference=reference, rendering=rendering)]
    file = tmp_path / "report.html"
    write_report(parts(image2struct=results), file, title="A suite", plans=False)
    page_ = opened(file)
    page_.open_first("image2struct")
    page_.press("o")
    page_.until("[...document.querySelectorAll('#viewer canvas')].length === 2")
    page_.filled()
    both = page_.until(
        """(() => {
            const data = [...document.querySelectorAll("#viewer canvas")].map(canvas =>
                [canvas.width, ...canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data]);
            return data.every(pixels => pixels.slice(1).some(Boolean)) && data;
        })()"""
    )
    for shown_, expected in zip(
        both, match_sizes(rendering, reference, "padding")[::-1], strict=True
    ):
        pixels = np.array(shown_[1:]).reshape(-1, shown_[0], 4)[..., :3]
        assert np.abs(pixels - np.asarray(expected).astype(int)).mean() < 3
    upper = "return document.querySelectorAll('#viewer canvas')[1].style.clipPath"
    page_.run(
        """const slider = document.querySelector(".slider");
        slider.value = 100;
        slider.dispatchEvent(new Event("input"));"""
    )
    assert page_.run(upper).startswith(("inset(0px)", "inset(0px 0%"))


def test_the_grid_has_a_cell_for_each_answer_and_orders_by_disagreement(mixed, opened):
    page_ = opened(mixed)
    for bench in BENCHES:
        cells = f"return document.querySelectorAll('#{bench} .grid button:not(.small)').length"
        view = f"report.viewNamed('{bench}')"
        assert page_.run(cells) == page_.run(f"return report.sheetOf({view}).answers.length")
    spreads = """const columns = new Map();
        for (const {answer} of document.querySelectorAll("#image2struct .grid td button"))
            columns.set(answer.instance, [...(columns.get(answer.instance) ?? []), report.scoreOf(answer)]);
        return [...columns.values()]"""
    listed = [np.std(values) for values in page_.run(spreads)]
    page_.run(
        """const order = document.querySelector("#image2struct .grid select");
        order.value = "disagreement";
        order.dispatchEvent(new Event("change"));"""
    )
    ordered = [np.std(values) for values in page_.run(spreads)]
    assert ordered == sorted(listed, reverse=True)
    assert ordered != listed
    page_.run("document.querySelector('#image2struct .grid td button').click()")
    assert page_.run("return report.scoreOf(report.viewer.answer)") is not None
    again = opened(mixed, page_.run("return location.hash"))
    assert [np.std(values) for values in again.run(spreads)] == ordered


def test_the_grid_shows_what_is_filtered_and_is_walked_by_arrows(mixed, opened):
    page_ = opened(mixed)
    page_.choose(subset="image2struct_music")
    first = "document.querySelector('#image2struct .grid td button')"
    assert page_.run("return document.querySelectorAll('#image2struct .grid td').length") == 6
    page_.run(f"{first}.focus()")
    label = page_.run("return document.activeElement.ariaLabel")
    page_.press(Keys.ARROW_DOWN, Keys.ARROW_RIGHT, Keys.ARROW_UP)
    assert page_.run("return document.activeElement.ariaLabel") != label
    page_.press(Keys.ARROW_LEFT)
    assert page_.run("return document.activeElement.ariaLabel") == label


def test_the_rows_of_a_large_grid_come_frame_by_frame_once_it_is_near_the_screen(mixed, opened):
    page_ = opened(mixed)
    rows = "return document.querySelectorAll('#image2struct .grid tr').length"
    page_.run(
        """const view = report.viewNamed("image2struct");
        view.sheets[0].models = Array(900).fill(0);
        report.showGrid(view);"""
    )
    first = page_.run(rows)
    columns = page_.run("return document.querySelector('#image2struct .grid tr').cells.length - 1")
    assert 0 < (first - 1) * columns < 500
    page_.run("document.querySelector('#image2struct .grid').scrollIntoView()")
    page_.until("document.querySelectorAll('#image2struct .grid tr').length === 900")


def test_what_differs_in_a_line_is_marked_and_code_is_colored_as_text(tmp_path, opened):
    folder = Folder(tmp_path)
    code = rf"\frac{{1}}{{2}} % half {HOSTILE}"
    texts = {"text": code, "reference_text": code.replace("2", "3"), "completion": code}
    results = [folder.answer("x/m", "a", **texts)]
    file = tmp_path / "report.html"
    write_report(parts(image2struct=results), file, title="A suite", plans=False)
    page_ = opened(file)
    page_.open_first("image2struct")
    page_.press("c")
    page_.until("document.querySelector('.diff')")
    marks = "return [...document.querySelectorAll('.diff mark')].map(m => m.textContent)"
    assert page_.run(marks) == ["3", "2"]
    cells = page_.run("return [...document.querySelectorAll('.diff td')].map(c => c.textContent)")
    assert cells == [texts["reference_text"], code]
    kinds = page_.run(
        "return [...document.querySelectorAll('.diff td:last-child [class]')].map(e => e.className)"
    )
    assert kinds[:3] == ["name", "number", "number"]
    assert page_.run("return typeof hacked") == "undefined"


@pytest.mark.parametrize("text", [r"\"" * 5_000, "<" * 10_000, "a=" * 3_000, "x\n" * 20_000])
def test_long_code_is_colored_and_aligned_whole(mixed, opened, text):
    whole = "return report.diffTable(['a', arguments[0]], ['b', arguments[0]], arguments[1]).textContent.length"
    for language in ("tex", "markup", "code"):
        assert opened(mixed).run(whole, text, language) >= 2 * len(text.replace("\n", ""))


def test_texts_are_copied(mixed, opened):
    page_ = opened(mixed)
    page_.open_first("structeval", "answer.instance.label === 'Text → JSON'")
    page_.run(
        """document.addEventListener("copy", () => {
            window.copied = document.activeElement.value.slice(
                document.activeElement.selectionStart, document.activeElement.selectionEnd);
        });
        Object.defineProperty(window, "isSecureContext", {value: false});"""
    )
    page_.browser.find_element("css selector", "[aria-label='Copy: Completion']").click()
    assert page_.until("window.copied").startswith('{"a": ')


def csv_rows(page_: Page, view: str) -> list[list[str]]:
    return page_.run("return report.csvRows(report.viewNamed(arguments[0]))", view)


def test_csv_holds_what_is_filtered_and_computes_nothing(mixed, opened):
    page_ = opened(mixed)
    page_.choose(outcome="failed")
    header, *rows = csv_rows(page_, "image2struct")
    assert len(rows) == 4
    assert header[:6] == ["benchmark", "condition", "part", "instance", "model", "outcome"]
    assert {row[5] for row in rows} == {"syntax", "timeout"}
    page_.show("mmr", task="font_color", model="0")
    assert len(csv_rows(page_, "mmr")) == 4
    page_.show("mmr", task="font_color")
    assert len(csv_rows(page_, "mmr")) == 10
    cells = ["=1+1", "-x", "'=a", " @b", "＝c", "plain", 'a,"b"\n', -0.5, None, "\u200b+d"]
    assert page_.run("return report.csvText([arguments[0]])", cells) == csv_text([cells])


def test_csv_names_the_condition(many, opened):
    page_ = opened(many[0])
    for number in (0, 1):
        choose_conditions(page_, number)
        for bench in BENCHES:
            header, *rows = csv_rows(page_, bench)
            labels = {row[header.index("condition")] for row in rows}
            assert labels == {
                page_.run(f"return report.sheetOf(report.viewNamed('{bench}')).label")
            }
    assert conditions(page_) == ["quick"] * 3


def test_csv_of_questions_holds_the_answers_that_the_filter_asks_for(mixed, opened):
    page_ = opened(mixed)
    for filters, count, fits in (
        ({"outcome": "wrong"}, 12, lambda right: right < 1),
        ({"outcome": "right"}, 6, lambda right: right == 1),
        ({"outcome": "wrong", "task": "font_color"}, 6, lambda right: right < 1),
    ):
        page_.show("mmr", **filters)
        header, *rows = csv_rows(page_, "mmr")
        assert len(rows) == count
        assert all(fits(row[header.index("Right")]) for row in rows)
    # A question's card shows the other models' answers, too; the large view begins with one asked for.
    page_.show("mmr", outcome="wrong")
    first = "return report.viewNamed('mmr').items.map(({answers}) => report.scoreOf(answers[0]))"
    assert page_.run(first) == [0.5] * 6
    page_.select(0, "mmr")
    replies = "document.querySelector('.grouped')?.querySelectorAll('.reply').length"
    assert page_.until(replies) == 3


def test_a_print_is_a_summary_of_at_most_six_pages(tmp_path, opened, browser):
    suite = mixed_suite(Folder(tmp_path))
    suite["image2struct"] = [
        replace(result, instance=f"{result.instance}{number}")
        for result in suite["image2struct"]
        for number in range(19)
    ]
    # More answers of text, which have no picture, than pictures are printed.
    suite["structeval"] = [
        replace(result, instance=f"0005{number:02}")
        for result in suite["structeval"]
        if result.task == "text_to_json" and result.instance == "000500"
        for number in range(9)
    ] + [result for result in suite["structeval"] if result.pairs]
    file = tmp_path / "report.html"
    write_report(parts(**suite), file, title="A suite", plans=False)
    page_ = opened(file)
    page_.choose(subset="image2struct_music")
    page_.browser.execute_async_script("report.fillSheet().then(arguments[0])")
    assert page_.run("return document.querySelectorAll('.sheet img').length") == 24 + 6 + 2
    pdf = browser.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})["data"]
    content = base64.b64decode(pdf)
    assert 1 <= len(re.findall(rb"/Type\s*/Page\b", content)) <= 6
    (box,) = set(re.findall(rb"/MediaBox \[0 0 ([\d.]+ [\d.]+)\]", content))
    assert [round(float(side)) for side in box.split()] == [595, 842]  # A4
