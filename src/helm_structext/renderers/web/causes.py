"""Which of what a page did not get explains that it failed, or that there is nothing to see.

Who writes a page chooses what it asks for, so that an address alone excuses nothing:

- fonts, styles and what counts visitors leave no page blank; neither does an address that names no file;
- a mistake that a parser finds is a mistake, whatever is missing;
- an error is explained if it says that a script's name is not there, which nothing on the page declares and
  which is no slip of the pen; that something can't be fetched; or the very package
  or address;
- a blank page without an error is explained if it holds more than the tags that ask for scripts.

What is left: a page may ask for a script that was never anywhere, and use it. So what is missing scores 0 unless
the user says otherwise (`helm_structext.protocols.MISSING_RULES`).
"""

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from itertools import islice

from helm_structext.errors import MissingResource
from helm_structext.patterns import Pattern, escape_pattern
from helm_structext.renderers.web import empty

SCRIPTS = frozenset({"script", "package"})
DECISIVE = SCRIPTS | {"data", "page", "media", "picture"}
"""Kinds of what a page may show nothing without."""
SILENT = Pattern(
    r"(?i)analytics|googletag|gtag|gtm\.js|adsbygoogle|doubleclick|facebook\.net|hotjar|clarity\.ms|plausible"
    r"|umami|matomo|piwik|mixpanel|amplitude|segment\.(?:com|io)|posthog|sentry|insights|tracker|tracking"
    r"|telemetry|beacon|favicon|recaptcha|livereload"
)
"""In addresses of what counts visitors, and of the like, which shows nothing."""
SYNTAX = "SyntaxError"
GLOBAL = r"(?:(?:window|globalThis|self)\.)?"
NAMES = [
    Pattern(pattern)
    for pattern in (
        r"\AReferenceError: ([\w$]+) is not defined",
        rf"\ATypeError: {GLOBAL}([\w$]+)[^ \n]* is not (?:a function|a constructor|iterable)",
        rf"\ATypeError: Cannot destructure property '[^'\n]*' of '{GLOBAL}([\w$]+)[^'\n]*' as it is undefined",
    )
]
"""Errors that say which name is not there, or has less than it should."""
UNREAD = Pattern(
    r"\ATypeError: Cannot (?:read|set) properties of undefined \((?:reading|setting) '([\w$]+)'\)"
)
UNFETCHED = {
    Pattern(r"\ATypeError: Failed to fetch dynamically imported module"): SCRIPTS,
    Pattern(r"\ANetworkError: [^\n]*'importScripts'"): SCRIPTS,
    Pattern(r"\ATypeError: Failed to fetch(?:\n|\z)"): frozenset({"data"}),
    Pattern(r"\ANetworkError: [^\n]*'XMLHttpRequest'"): frozenset({"data"}),
    Pattern(r"\AEncodingError: The source image cannot be decoded"): frozenset({"picture"}),
}
"""Errors of what could not be fetched: which kinds explain them."""
ASKS = Pattern(r"(?i)<script\s(?:[^<>]*\s)?src\s*=[^<>]*>\s*</script\s*>")
STANDARD = (
    *("document", "window", "console", "undefined", "navigator", "location", "history", "event", "this"),
    *("Math", "JSON", "Object", "Array", "String", "Number", "Date", "Promise", "Map", "Set", "Image"),
    *("setTimeout", "setInterval", "requestAnimationFrame", "addEventListener", "localStorage"),
    *("getElementById", "querySelector", "fetch", "parseInt", "parseFloat", "alert"),
)  # fmt: skip
"""Names that a browser has: what is called so, or nearly so, is no script's."""
OWN = Pattern(r"(?:\A|[^\w$.])(?:let|const|var|function|class)[\s*]+([\w$]+)")
MAX_OWN = 1000
"""Names that a page declares, with which one that is not there is compared."""
NEAR, NEARER = 0.8, 0.85
"""Likeness to a browser's name, and to one of the page's, from which on a name is a slip of the pen."""
MIN_NAME = 3
"""Characters of a package's name that is looked for in what an error says."""
MAX_NAME = 100


def find_cause(
    errors: Sequence[str], written: str, missing: Sequence[MissingResource]
) -> list[MissingResource]:
    """Returns what explains that a page shows nothing, or nothing if it is the page's own mistake.

    Args:
        errors: that were thrown, with their places; may be none.
        written: what the model wrote.
        missing: what the page asked for and did not get.

    >>> charts = MissingResource("script", "cdn.example", "", "https://cdn.example/charts.js")
    >>> find_cause(["ReferenceError: Charts is not defined"], "new Charts()", [charts]) == [charts]
    True
    >>> find_cause(["ReferenceError: docment is not defined"], "docment.body", [charts])
    []
    >>> written = "const scrollTrigger = new ScrollTrigger(); function drawChart() {}; drawChrt()"
    >>> [len(find_cause([f"ReferenceError: {name} is not defined"], written, [charts]))
    ...  for name in ("ScrollTrigger", "drawChrt")]
    [1, 0]
    """
    lacking = [one for one in missing if _is_decisive(one)]
    if not lacking:
        return []
    if not errors:
        return [] if empty.is_empty_page(ASKS.sub("", written)) else lacking
    if any(error.startswith(SYNTAX) for error in errors):
        return []
    return _find_explaining(errors[0], written, lacking)


def choose_error(errors: Sequence[str]) -> str:
    """Returns the error that a page is told by: what a parser found, or else the first.

    >>> choose_error(["ReferenceError: d3 is not defined", "SyntaxError: Unexpected token ')'"])
    "SyntaxError: Unexpected token ')'"
    """
    return next((error for error in errors if error.startswith(SYNTAX)), errors[0])


def _is_decisive(one: MissingResource) -> bool:
    named = one.package or one.address.partition("://")[2].partition("/")[2].strip("/")
    return one.kind in DECISIVE and bool(named) and not SILENT.search(one.address)


def _find_explaining(
    error: str, written: str, lacking: Sequence[MissingResource]
) -> list[MissingResource]:
    said = error.partition("\n")[0]
    if named := [one for one in lacking if _names_it(said, one)]:
        return named
    for pattern, kinds in UNFETCHED.items():
        if pattern.match(error):
            return [one for one in lacking if one.kind in kinds]
    scripts = [one for one in lacking if one.kind in SCRIPTS]
    return scripts if any(_is_foreign(name, written) for name in _names(error, written)) else []


def _names_it(said: str, one: MissingResource) -> bool:
    return any(len(name) >= MIN_NAME and name in said for name in (one.package, one.address))


def _names(error: str, written: str) -> Iterator[str]:
    """The names that an error says are not there."""
    for pattern in NAMES:
        if found := pattern.match(error):
            yield found[1]
    if (unread := UNREAD.match(error)) and len(unread[1]) <= MAX_NAME:
        # A plain name that nobody declares is an error of its own: this is a part of one.
        part = rf"\.[\w$]+(?:\.[\w$]+)*\??\.{escape_pattern(unread[1])}(?:[^\w$]|\z)"
        owner = Pattern(rf"(?:\A|[^\w$.])(?:(?:window|globalThis|self)\.([\w$]+)|([\w$]+){part})")
        if found := owner.search(written):
            yield found[1] or found[2]


def _is_foreign(name: str, written: str) -> bool:
    """Whether a name is neither the page's own nor one that a browser has, rightly spelled or not."""
    if len(name) > MAX_NAME or get_close_matches(name, STANDARD, 1, NEAR):
        return False
    own = {found[1][:MAX_NAME] for found in islice(OWN.finditer(written), MAX_OWN)}
    # Who writes `const chart = new Chart()` means another one.
    if any(one.lower() != name.lower() for one in get_close_matches(name, own, 1, NEARER)):
        return False
    declared = rf"(?:\A|[^\w$.])(?:let|const|var|function|class)[\s*](?:[^;=(]*[^\w$.])?{escape_pattern(name)}(?:[^\w$]|\z)"
    return not Pattern(declared).search(written)
