"""A browser for tests of pages."""

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.support.wait import WebDriverWait


def chromium(*flags: str) -> webdriver.ChromeOptions:
    """Options for a browser without a window that asks the network for nothing by itself."""
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for flag in [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        # A page that draws waits for no screen: tests count frames.
        "--disable-frame-rate-limit",
        "--disable-gpu-vsync",
        # A click goes to where an element was, and misses it while the page still scrolls.
        "--force-prefers-reduced-motion",
        *flags,
    ]:
        options.add_argument(flag)
    return options


def patience(browser: webdriver.Chrome, seconds: float) -> WebDriverWait:
    """Waits for what a page shows, and looks again soon: by default Selenium sleeps half a second."""
    again = [StaleElementReferenceException]  # the page was drawn anew meanwhile
    return WebDriverWait(browser, seconds, poll_frequency=0.02, ignored_exceptions=again)
