"""Pictures of services that make one of any size: a gray box of the size that an address asks for.

No photograph is known here, but the room that it takes is, and a page without it looks broken. An address
without a size has no box.
"""

from collections.abc import Callable, Mapping
from urllib.parse import parse_qs, urlsplit

from helm_structext.patterns import Pattern
from helm_structext.protocols import ProtocolName
from helm_structext.renderers.web import cdn
from helm_structext.renderers.web.tab import PageResponse

MAX_URL = 2000
COLOR = "#cccccc"

# A size as a part of a path: 600x400, or 400 for a square; and as two parts: 600/400.
CROSSED = Pattern(r"(?:.*?/)??([1-9]\d{0,3})(?:x([1-9]\d{0,3}))?(?:[/.@].*)?")
DIVIDED = Pattern(r"(?:(?:id|seed)/[^/]*/)?(?:.*?/)??([1-9]\d{0,3})(?:/([1-9]\d{0,3}))?(?:[/.].*)?")
IN_QUERY = Pattern(r"([1-9]\d{0,3})(?:x([1-9]\d{0,3}))?")

# Host → how its paths say a size, and the side of a square where they say none.
HOSTS: Mapping[str, tuple[Pattern | None, int]] = {
    **dict.fromkeys(
        (
            "dummyimage.com",
            "fakeimg.pl",
            "placehold.co",
            "placehold.it",
            "placehold.jp",
            "placeholder.com",
            "source.unsplash.com",
            "via.placeholder.com",
            "www.placehold.it",
        ),
        (CROSSED, 0),
    ),
    **dict.fromkeys(
        (
            "fastly.picsum.photos",
            "loremflickr.com",
            "placebear.com",
            "placedog.net",
            "placeimg.com",
            "placekitten.com",
            "picsum.photos",
            "lorempixel.com",
            "www.fillmurray.com",
        ),
        (DIVIDED, 0),
    ),
    "api.dicebear.com": (None, 150),
    "i.pravatar.cc": (CROSSED, 80),
    "randomuser.me": (None, 128),
    "robohash.org": (None, 300),
    "ui-avatars.com": (None, 64),
    "www.gravatar.com": (None, 80),
    "images.pexels.com": (None, 0),
    "images.unsplash.com": (None, 0),
    "plus.unsplash.com": (None, 0),
}
SIZES = ("size", "s")
RATIO = 2 / 3
"""Height to width of a photograph whose width alone is asked for, as most cameras make it."""


def placeholder_size(url: str) -> tuple[int, int] | None:
    """Returns width and height that an address asks for, 1 to 9999 pixels, or None: none, or of no such service.

    >>> placeholder_size("https://placehold.co/600x400/EEE/31343C?text=A")
    (600, 400)
    >>> placeholder_size("https://picsum.photos/id/237/200/300.jpg"), placeholder_size("https://i.pravatar.cc/150?img=3")
    ((200, 300), (150, 150))
    >>> placeholder_size("https://images.unsplash.com/photo-1?w=800&h=600&fit=crop")
    (800, 600)
    >>> placeholder_size("https://images.unsplash.com/photo-1?w=600&q=80"), placeholder_size("https://example.com/9x9")
    ((600, 400), None)
    """
    try:
        parts = urlsplit(url[:MAX_URL])
        form, side = HOSTS.get(parts.hostname or "", (None, -1))
    except ValueError:
        return None
    if side < 0 or parts.scheme not in ("http", "https"):
        return None
    asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
    found = form.fullmatch(parts.path.strip("/")) if form else None
    for name in SIZES:
        found = found or IN_QUERY.fullmatch(asked.get(name, ""))
    if found:
        return int(found[1]), int(found[2] or found[1])
    sides = [IN_QUERY.fullmatch(asked.get(name, "")) for name in ("w", "h")]
    width, height = (int(one[1]) if one else side for one in sides)
    return (width, height or max(round(RATIO * width), 1)) if width else None


def placeholder_reply(url: str) -> PageResponse | None:
    """Returns the box for an address, or None where there is none.

    >>> placeholder_reply("https://placehold.co/3x2").body
    b'<svg xmlns="http://www.w3.org/2000/svg" width="3" height="2"><rect width="100%" height="100%" fill="#cccccc"/></svg>'
    """
    size = placeholder_size(url)
    if size is None:
        return None
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="{}" height="{}">'
        f'<rect width="100%" height="100%" fill="{COLOR}"/></svg>'
    )
    return PageResponse(svg.format(*size).encode(), "image/svg+xml")


Answer = Callable[[str], PageResponse | None]
ANSWERS: Mapping[ProtocolName, Answer] = {
    "published": cdn.answer,
    "corrected": lambda url: cdn.answer(url) or placeholder_reply(url),
}
"""Protocol → what a page gets for an address outside its own site."""


def choose_answer(protocol: ProtocolName, written: str) -> Answer:
    """Returns what a page gets for an address outside its own site.

    Args:
        protocol: see `ANSWERS`.
        written: the page's code: one that asks for React 19 gets all modules with that one.
    """
    answer = ANSWERS[protocol]
    if not cdn.NEW_REACT.search(written):
        return answer
    return lambda url: (reply := answer(url)) and cdn.take_new_react(reply)
