"""Takes the picture of a report's large view that the documents show.

    .venv/bin/python scripts/report_image.py demo/report.html docs/images/report.png

It shows an answer to a plot of `make demo`: its pictures, scores and code.
"""

import io
import sys
from pathlib import Path

from PIL import Image
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.wait import WebDriverWait

SIZE = {"width": 1400, "height": 900, "deviceScaleFactor": 1, "mobile": False}
FLAGS = ("--headless", "--no-sandbox", "--hide-scrollbars", "--force-color-profile=srgb")
OPEN = """
report.open(report.sheetOf(report.viewNamed("image2struct")).answers.find(answer =>
    report.models[answer.model] === "structext/replay-careful" && answer.instance.part.endsWith("/plot")))
"""
READY = """
return document.getElementById("viewer-facts").textContent && !report.isFilling() &&
    [...document.querySelectorAll("#viewer img")].every(image => image.complete)
"""
SECONDS = 60


def main(report: Path, picture: Path) -> None:
    """Opens a report and writes the picture."""
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for flag in FLAGS:
        options.add_argument(flag)
    with webdriver.Chrome(options, Service("/usr/bin/chromedriver")) as browser:
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", SIZE)
        light = [{"name": "prefers-color-scheme", "value": "light"}]
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": light})
        browser.get(report.resolve().as_uri())
        browser.execute_script(OPEN)
        WebDriverWait(browser, SECONDS).until(lambda _: browser.execute_script(READY))
        # Canvases are painted in the next frame.
        browser.execute_async_script("requestAnimationFrame(() => setTimeout(arguments[0], 100))")
        shot = browser.get_screenshot_as_png()
    Image.open(io.BytesIO(shot)).convert("RGB").save(picture, optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
