"""Measures tables and reports of suites of any size: time, memory, size, and how the page scrolls.

    python benchmarks/report.py 50 500 5000 --models 20 -o FOLDER

For each number of instances a suite is made (`benchmarks/suite.py`) with a cache of its own, unless it
is there already, and read by commands in processes of their own: time, processor time of all processes,
and the highest memory of any of them. Then a browser opens the report's folder from disk, and scrolls
from its top to its bottom, in jumps of more than a screen, and in steps as of a wheel. EMS plans are
left out: each costs 0.1 s. Then each list is filtered and sorted in each way, and searched for a text that
no answer has.

Of the browser it prints, in milliseconds: when the first row was there, the longest gap between two
frames and the longest task of the page, on the clock and in processor time, which is what an idle machine
would take; and after how long a search has read all answers.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from suite import SUITE, write_suite
from support.browser import chromium

REPORTS = {"report, folder": "report/", "report, file": "report.html"}

WATCH = """
window.watched = {gap: 0, task: 0, first: null, last: null};
new PerformanceObserver((list) => {
    for (const {duration} of list.getEntries()) watched.task = Math.max(watched.task, duration);
}).observe({type: "longtask", buffered: true});
(function frame(now) {
    if (now && watched.last) watched.gap = Math.max(watched.gap, now - watched.last);
    watched.last = now;
    if (watched.first === null && document.querySelector("form output")?.textContent) watched.first = performance.now();
    requestAnimationFrame(frame);
})();
"""
SCROLL = """
const [steps, by, done] = arguments;
const whole = document.documentElement.scrollHeight - innerHeight;
let [step, cards] = [0, 0];
watched.gap = watched.task = 0;
const go = () => {
    if (by) scrollBy({top: by, behavior: "instant"});
    else scrollTo({top: whole * step / steps, behavior: "instant"});
    cards = Math.max(cards, document.querySelectorAll("[role=listitem]").length);
    if (step++ < steps) requestAnimationFrame(go);
    else setTimeout(() => done({gap: watched.gap, task: watched.task, cards}), 300);
};
go();
"""
FILTER = """
const [section, name, value, done] = arguments;
const form = document.querySelector(`#${section} form`);
form[name].value = form[name].options?.[value]?.value ?? value;
const start = performance.now();
watched.gap = watched.task = 0;
form[name].dispatchEvent(new Event("input", {bubbles: true}));
const end = () => {
    if (/to read/.test(form.querySelector("output").textContent)) return setTimeout(end, 20);
    done({gap: watched.gap, task: watched.task, read: performance.now() - start});
};
setTimeout(end, 1000);
"""
CHOICES = (
    "return [...document.querySelectorAll(`#${arguments[0]} form select`)].map(({name}) => name)"
)
JUMPS, STEPS, WHEEL = 400, 100, 120
TRACED = 4  # times fewer are traced, which takes long
SECTIONS = ("image2struct", "mmr", "structeval")
MISSING = "no answer has this"
TASKS = "disabled-by-default-devtools.timeline"


class Measured(NamedTuple):
    """What a command took."""

    seconds: float
    processor_seconds: float
    megabytes: float


def main() -> None:
    """Prints a table for each size."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("instances", type=int, nargs="+", help="of each model")
    parser.add_argument("--models", type=int, default=20)
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--browser-only", action="store_true", help="of reports that are there")
    options = parser.parse_args()
    for instances in options.instances:
        answers = options.models * instances
        folder = options.output / f"{answers}"
        if not (folder / SUITE).is_dir():
            write_suite(folder, options.models, instances)
        print(f"{answers:,} answers, load {os.getloadavg()[0]:.1f}", flush=True)
        if not options.browser_only:
            for name, found in measured_commands(folder):
                said = f"{found.seconds:.1f} s, {found.processor_seconds:.1f} s of processors"
                print(f"  {name}: {said}, {found.megabytes:.0f} MB", flush=True)
            for name, output in REPORTS.items():
                print(f"  {name}: {size_of(folder / output) / 1e6:.1f} MB", flush=True)
        print(f"  {json.dumps(browsed(folder / 'report' / 'index.html'))}", flush=True)
        print(f"  load {os.getloadavg()[0]:.1f}", flush=True)


def measured_commands(folder: Path) -> Iterator[tuple[str, Measured]]:
    """Runs the commands in a suite's folder, with a cache that is there."""
    yield "tables, first", measured(folder, "tables", SUITE.name)
    yield "tables, again", measured(folder, "tables", SUITE.name)
    for name, output in REPORTS.items():
        for time_ in ("first", "again"):
            found = measured(folder, "report", SUITE.name, "--no-plans", "-o", output)
            yield f"{name}, {time_}", found


def measured(folder: Path, *command: str) -> Measured:
    """Runs `helm-structext` in a process of its own."""
    environment = {**os.environ, "HELM_STRUCTEXT_CACHE": str(folder / "cache")}
    start = time.monotonic()
    process = subprocess.Popen(
        [Path(sys.executable).with_name("helm-structext"), *command],
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(command)} ended with {status}")
    processor = usage.ru_utime + usage.ru_stime
    return Measured(time.monotonic() - start, processor, usage.ru_maxrss / 1000)


def size_of(path: Path) -> int:
    """Returns the bytes of a file, or of all files in a folder."""
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    return sum(file.stat().st_size for file in files)


def browsed(page: Path) -> dict[str, Any]:
    """Opens a report and scrolls through it; milliseconds, and how many cards there were at most."""
    with opened(page) as browser:
        found: dict[str, Any] = {"first row": round(browser.execute_script("return watched.first"))}
        for name, result in chain(scrolled(browser, 1), filtered(browser)):
            found[name] = {key: round(value) for key, value in result.items()}
    with opened(page, traced=True) as browser:
        found["processor time of loading"] = longest_task(browser)
        for _ in scrolled(browser, TRACED):
            pass
        found["processor time of the longest task"] = longest_task(browser)
    return found


@contextmanager
def opened(page: Path, *, traced: bool = False) -> Iterator[Any]:
    """Opens a report in a browser, which notes what its tasks take if they are traced."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = chromium("--window-size=1400,900")
    if traced:
        options.set_capability("goog:loggingPrefs", {"performance": "ALL"})
        categories = {"traceCategories": TASKS, "enableNetwork": False, "enablePage": False}
        options.add_experimental_option("perfLoggingPrefs", categories)
    with webdriver.Chrome(options, Service("/usr/bin/chromedriver")) as browser:
        browser.set_script_timeout(300)
        browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH})
        browser.get(page.resolve().as_uri())
        while browser.execute_script("return watched.first") is None:
            time.sleep(0.1)
        yield browser


def scrolled(browser: Any, fewer: int) -> Iterator[tuple[str, dict[str, float]]]:
    """Scrolls a page from top to bottom, and each list by so many pixels a frame."""
    time.sleep(1)  # what opening it took does not count
    yield "jumps", browser.execute_async_script(SCROLL, JUMPS // fewer, 0)
    for section in SECTIONS:
        place = (
            f"document.querySelector('#{section} .answers').scrollIntoView({{behavior: 'instant'}})"
        )
        browser.execute_script(place)
        time.sleep(1)
        yield f"wheel, {section}", browser.execute_async_script(SCROLL, STEPS // fewer, WHEEL)


def filtered(browser: Any) -> Iterator[tuple[str, dict[str, float]]]:
    """Filters and sorts each list by the second choice of each field, and searches it."""
    for section in SECTIONS:
        choices = dict.fromkeys(browser.execute_script(CHOICES, section), (1, 0))
        for name, (value, none) in {**choices, "text": (MISSING, "")}.items():
            yield f"{name}, {section}", browser.execute_async_script(FILTER, section, name, value)
            browser.execute_async_script(FILTER, section, name, none)


def longest_task(browser: Any) -> int:
    """Returns the most processor time of one task since the last call, in milliseconds."""
    entries = browser.get_log("performance")
    time.sleep(3)  # what has been traced comes after it was asked for
    entries += browser.get_log("performance")
    events = (json.loads(entry["message"])["message"] for entry in entries)
    tasks = (
        event["params"].get("tdur", 0)
        for event in events
        if event["method"] == "Tracing.dataCollected" and event["params"].get("name") == "RunTask"
    )
    return round(max(tasks, default=0) / 1000)


if __name__ == "__main__":
    main()
