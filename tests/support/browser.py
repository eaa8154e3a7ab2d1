"""A browser for tests of pages."""

from selenium import webdriver


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
        # A click goes to where an element was, and misses it while the page still scrolls.
        "--force-prefers-reduced-motion",
        *flags,
    ]:
        options.add_argument(flag)
    return options
