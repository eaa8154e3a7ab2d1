"""Compares our screenshots of webpages with those of Selenium, by which the published ones were made.

    python benchmarks/selenium_pictures.py [--source sample] [--count 100] [--browser PROGRAM] [--hide-scrollbars] [-o FOLDER]

Both get the same files and nothing from other hosts, and show a window of 1920×1080 pixels: ours by
`helm_structext.renderers`, Selenium's by chromedriver from a server on this machine, with the options of
the published code (HELM 0.5.16), as soon as the page is loaded. Prints for each page whether the pixels are
equal, and a summary. `--browser` is the one that Selenium starts; as the published one, the headless shell
has a window without borders. `--hide-scrollbars` gives it another option, which ours has, too. `-o` keeps the
pictures of pages that differ.
"""

import argparse
import io
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import islice
from pathlib import Path
from statistics import fmean

import numpy as np
from PIL import Image
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

from helm_structext.image2struct.rows import Image2StructQuestion, read_problem, rows_of_run
from helm_structext.image2struct.tasks import DOMAINS
from helm_structext.machine.programs import BROWSER, program
from helm_structext.metrics import (
    earth_mover_similarity,
    pixel_similarity,
    structural_similarity,
)
from helm_structext.renderers import render
from helm_structext.renderers.web import webpage
from helm_structext.sandbox import run_job

NAME = "image2struct_webpage"
FLAGS = (
    f"--window-size={webpage.WIDTH},{webpage.HEIGHT}",
    "--headless",
    "--no-sandbox",
    "--disable-dev-shm-usage",
    # Not in the published code: nothing from other hosts.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
METRICS: dict[str, Callable[..., float]] = {
    "EMS": earth_mover_similarity,
    "SSIM": structural_similarity,
    "pixels": pixel_similarity,
}


def main() -> None:
    """Prints a Markdown table and a summary."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--source", default="sample", help="as of run entries")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--browser", type=Path, default=program(BROWSER), metavar="PROGRAM")
    parser.add_argument("--hide-scrollbars", action="store_true")
    parser.add_argument("-o", "--output", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    os.environ["SE_OFFLINE"] = "true"
    flags = [*FLAGS, *["--hide-scrollbars"] * options.hide_scrollbars]
    print(f"| page | size | pixels that differ | {' | '.join(METRICS)} |")
    print("|---|---|---:|---:|---:|---:|")
    rows = []
    for name, question in islice(questions(options.source), options.count):
        ours = render("webpage", question.oracle or "", assets=question.assets).image
        theirs = selenium_picture(site_of(question), options.browser, flags)
        differing = share_of_pixels(ours, theirs)
        rows.append([differing, *(metric(ours, theirs, "resize") for metric in METRICS.values())])
        size = "×".join(map(str, theirs.size))
        cells = " | ".join(f"{value:.4f}" for value in rows[-1][1:])
        print(f"| {name} | {size} | {differing:.3%} | {cells} |", flush=True)
        if differing and options.output:
            options.output.mkdir(parents=True, exist_ok=True)
            for side, picture in (("ours", ours), ("selenium", theirs)):
                picture.save(options.output / f"{name.replace('/', '-')}-{side}.png")
    shares, *columns = zip(*rows, strict=True)
    print(f"\n{shares.count(0)} of {len(rows)} pages have equal pixels; mean and lowest:")
    for name, values in zip(METRICS, columns, strict=True):
        print(f"{name} {fmean(values):.4f}, {min(values):.4f}")


def share_of_pixels(first: Image.Image, second: Image.Image) -> float:
    """The share of pixels that differ, in [0, 1]; all of them where the sizes do."""
    if first.size != second.size:
        return 1.0
    return float((np.asarray(first) != np.asarray(second)).any(axis=2).mean())


def questions(source: str) -> Iterator[tuple[str, Image2StructQuestion]]:
    """Yields the webpages of a source that have code, each with its subset and id."""
    for row, subset in rows_of_run(NAME, "all", "all", source):
        question = read_problem(row, DOMAINS[NAME], subset)
        yield f"{subset}/{question.uuid}", question


def site_of(question: Image2StructQuestion) -> Mapping[str, bytes]:
    """The files that a server has of the right answer, those that Jekyll makes among them."""
    files = webpage.files_of(question.oracle or "", "published")
    site = {name: content.encode() for name, content in files.items()} | dict(question.assets)
    if webpage.needs_jekyll(site):
        limits = webpage.ENGINE.limits
        return run_job(lambda: webpage.build_site(site, limits), limits.seconds)
    return site


def selenium_picture(site: Mapping[str, bytes], browser: Path, flags: Sequence[str]) -> Image.Image:
    """Starts a browser for a site, and takes a screenshot of its window, as the published code does."""
    options = webdriver.ChromeOptions()
    options.binary_location = str(browser)
    for flag in flags:
        options.add_argument(flag)
    with (
        served(site) as address,
        webdriver.Chrome(options, Service("/usr/bin/chromedriver")) as driver,
    ):
        driver.get(address)
        return Image.open(io.BytesIO(driver.get_screenshot_as_png())).convert("RGB")


@contextmanager
def served(site: Mapping[str, bytes]) -> Iterator[str]:
    """Serves a site on this machine, with the answers that our browser gets; yields its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer = webpage.reply(site, self.path.lstrip("/"))
            self.send_response(answer.status)
            self.send_header("Content-Type", answer.type)
            self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            self.wfile.write(answer.body)

        def log_message(self, format: str, *arguments: object) -> None:
            """Nothing is said."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


if __name__ == "__main__":
    main()
