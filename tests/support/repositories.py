"""Repositories of webpages: a corpus of our own, each with what becomes of it, and generated ones."""

import hashlib
import io
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from PIL import Image

from support.archives import tar_gz

DAY = datetime(2026, 10, 1, tzinfo=UTC)
"""The first day on which repositories of the corpus are created."""

TOXIC_WORD = "idiot"
"""What `support.moderation_servers` objects to."""


@dataclass(frozen=True, eq=False)
class Repository:
    """A repository on GitHub.

    Args:
        owner: name of its user.
        name: its own.
        files: path → content, in its only commit.
        language: its main one, as GitHub sees it.
        created: when it was made; `updated` says when it was changed.
        size: kB.
        license: its SPDX id, or None.
        links: symbolic links, path → target.
        archive: what is sent in place of its archive.
        status: HTTP's, of all that is asked of it.
        moved_to: its new full name.
        said: what a search says of it, in place of the truth.
    """

    owner: str
    name: str
    files: Mapping[str, bytes]
    language: str = "HTML"
    created: datetime = DAY
    updated: datetime = DAY + timedelta(days=40)
    size: int = 20
    license: str | None = "MIT"
    fork: bool = False
    archived: bool = False
    branch: str = "main"
    links: Mapping[str, str] = field(default_factory=dict)
    archive: bytes | Callable[[], bytes] | None = None
    status: int = 200
    moved_to: str = ""
    said: Mapping[str, Any] = field(default_factory=dict)

    @property
    def full_name(self) -> str:
        """With its user, as in addresses."""
        return f"{self.owner}/{self.name}"

    @property
    def commit(self) -> str:
        """The name of its only commit."""
        return hashlib.sha1(repr((self.full_name, sorted(self.files.items()))).encode()).hexdigest()


def png(color: tuple[int, int, int], size: int = 64) -> bytes:
    """Returns a square of one color."""
    buffer = io.BytesIO()
    Image.new("RGB", (size, size), color).save(buffer, "PNG")
    return buffer.getvalue()


def page(body: str, style: str = "background: teal; color: white") -> bytes:
    """Returns a page of some lines, whose background is not white."""
    head = (
        f"<!DOCTYPE html>\n<html>\n<head>\n<title>A page</title>\n<style>body {{ {style} }}</style>"
    )
    return f"{head}\n</head>\n<body>\n{body}\n</body>\n</html>\n".encode()


def _color(chance: random.Random) -> str:
    return "#" + "".join(chance.choices("0123456789abcdef", k=6))


def _blocks(chance: random.Random) -> list[tuple[str, str]]:
    """Rectangles by their place and color, dark and light ones at random."""
    return [
        (
            f"position: absolute; left: {20 * column}%; top: {20 * row}%; width: 20%; height: 20%",
            chance.choice(("#111", "#222", "#345", "#eee", "#fff", "#fed", _color(chance))),
        )
        for row in range(5)
        for column in range(5)
    ]


def mosaic(seed: int) -> str:
    """Returns a line of elements behind a page, so that pages of other seeds look otherwise."""
    places = _blocks(random.Random(seed))
    return "".join(
        f"<i style='{one}; background: {color}; z-index: -1'></i>" for one, color in places
    )


def plain(seed: int) -> dict[str, bytes]:
    """Returns a site of three files with a look of its own."""
    body = "<h1>Ann Field</h1>\n<p>I keep bees.</p>\n<img src='img/bee.png'>"
    return {
        "index.html": page(body + mosaic(seed)),
        "style.css": b"body {\n  margin: 2em;\n}\n",
        "img/bee.png": png((240, 200, 20)),
    }


PLAIN = plain(0)

LAYOUT = b"""<!DOCTYPE html>
<html>
<head>
<meta charset="utf-8">
<link rel="stylesheet" href="{{ '/css/main.css' | relative_url }}">
</head>
<body>
<header>{{ site.title }}</header>
{{ content }}
</body>
</html>
"""
JEKYLL = {
    "_config.yml": b"title: Field notes\nmarkdown: kramdown\n",
    "_layouts/default.html": LAYOUT,
    "index.md": b"---\nlayout: default\n---\n# Notes\n\n* Barley\n* Rye\n\n```\nsow early\n```\n",
    "css/main.css": b"body { background: #fed; font-family: serif }\nheader { background: #432 }\n",
    "Gemfile": b"source 'https://rubygems.org'\ngem 'jekyll'\n",
    "Gemfile.lock": b"GEM\n" * 2000,
}

UNCOUNTED = {
    "LICENSE": b"You may.\n" * 2000,
    "LICENSE.md": b"You may.\n" * 2000,
    "docs/CONTRIBUTING.md": b"Please do.\n" * 2000,
    ".github/workflows/pages.js": b"run()\n" * 2000,
    ".nojekyll": b"",
    ".vscode/a.png": png((1, 2, 3)),
    ".vscode/b.png": png((1, 2, 4)),
}
"""Files that do not count, each with too many lines or too much else."""

POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize 40960\n" % (b"0a" * 32)


def bomb() -> bytes:
    """Returns an archive that is little when packed, and has more than 64 MiB when not."""
    return tar_gz({"a-b-c/index.html": bytes(65 * 2**20)})


def repository(owner: str, files: Mapping[str, bytes] | None = None, **more: Any) -> Repository:
    """Returns a repository of a user's own page, with the plain one's files unless others are given.

    Args:
        owner: name of the user.
        files: path → content.
        more: of `Repository`.
    """
    name = more.pop("name", f"{owner}.github.io")
    return Repository(owner, name, {**PLAIN} if files is None else files, **more)


def several(count: int, extension: str, content: bytes = b"x\n") -> dict[str, bytes]:
    """Returns files that differ in their names."""
    return {f"file{number}.{extension}": content for number in range(count)}


ACCEPTED: Sequence[Repository] = (
    repository("ann"),
    repository("jek", JEKYLL, language="CSS"),
    repository(
        "uncounted",
        {"index.html": page("<p>one</p>\n" * 20 + mosaic(1)), **UNCOUNTED},
        license=None,
    ),
    repository("five", {**several(4, "js"), "index.html": page("<p>a</p>\n" * 6 + mosaic(2))}),
    repository("assets", {**plain(3), **several(4, "PNG", png((9, 9, 9)))}),
    repository("lines", {"index.html": page("\n" * 990 + "<p>end")}, language="JavaScript"),
    repository(
        "bom",
        {
            "index.html": b"\xef\xbb\xbf" + page("<p>caf\u00e9</p>\n" + mosaic(4)),
            "a.woff2": b"\0\xff",
        },
    ),
    repository(
        "fences",
        {
            **plain(5),
            "README.md": b"# Bees\n```html\n<p></p>\n```\n</think>\n",
            "CNAME": b"bees.example\n",
        },
    ),
    repository(
        "minified",
        {"index.html": page("<p>a</p>" * 40_000 + mosaic(6) + "\n" * 4)},
        branch="gh-pages",
    ),
    repository("nested", {**plain(7), "docs/ü/ö.html": page("<p>ü</p>"), "404.html": page("lost")}),
    repository("submodule", {**plain(8), ".gitmodules": b"[submodule 'a']\n\tpath = a\n"}),
)
"""Repositories that become instances."""

REFUSED: Mapping[str, Sequence[Repository]] = {
    "malformed": (
        repository("nameless", said={"full_name": None}),
        repository("undated", said={"created_at": "yesterday"}),
        repository("outward", said={"full_name": "../../user"}),
        repository("dots", said={"full_name": "dots/.."}),
    ),
    "fork": (repository("forked", said={"fork": True}),),
    "disabled": (repository("taken", said={"disabled": True}),),
    "too_large": (
        repository("large", said={"size": 101}),
        repository("endless", archive=b"x" * (4 * 2**20 + 1)),
        repository("zeros", {**PLAIN, "data.bin": bytes(4 * 2**20)}),
    ),
    "created_before_start": (repository("old", said={"created_at": "2019-12-31T23:59:59Z"}),),
    "created_after_end": (repository("new", said={"created_at": "2027-12-31T00:00:00Z"}),),
    "license_not_admitted": (repository("closed", license="LicenseRef-Closed"),),
    "not_found": (repository("gone", status=404),),
    "forbidden": (repository("blocked", status=451),),
    "no_commit": (repository("empty", {}),),
    "unreadable_archive": (
        repository("linked", links={"secret.html": "/etc/passwd"}),
        repository("absolute", archive=tar_gz({"/etc/cron.d/job.html": b"x"})),
        repository("above", archive=tar_gz({"a-b-c/../../job.html": b"x"})),
        repository("bomb", archive=bomb),
        repository("pdf", archive=b"%PDF-1.7\n1 0 obj\n"),
        repository("cut", archive=tar_gz({"a-b-c/index.html": page("x") * 99})[:80]),
        repository("two", archive=tar_gz({"a/index.html": b"x", "b/index.html": b"x"})),
        repository("long", archive=tar_gz({"a/" + "folder/" * 200 + "index.html": b"x"})),
    ),
    "unreadable_file": (
        repository(
            "latin", {"index.html": page("<p>a</p>\n" * 9), "a.js": "// é".encode("latin-1")}
        ),
        repository("wide", {"index.html": "<p>\n".encode("utf-16") * 20}),
        repository("pointer", {**PLAIN, "img/bee.png": POINTER}),
    ),
    "only_a_readme": (
        repository("readme", {"README.md": b"# Hello\n" * 20, "LICENSE": b"x", ".nojekyll": b""}),
        repository("nothing", {"LICENSE": b"x", "_config.yml": b"theme: minima\n"}),
    ),
    "too_many_code_files": (
        repository("six", {**several(5, "js", b"x\n" * 9), "index.html": page("x")}),
    ),
    "too_many_assets": (repository("six-assets", {**PLAIN, **several(5, "svg", b"<svg/>")}),),
    "too_few_code_lines": (
        repository(
            "short", {"index.html": b"<p>1\n2\n3\n4\n5\n6\n7\n8\n9", "a.css": b"p {}\n" * 99}
        ),
    ),
    "too_many_code_lines": (repository("longest", {"index.html": page("\n" * 991 + "<p>end")}),),
    "too_many_style_lines": (repository("styled", {**PLAIN, "a.css": b"\n" * 1998}),),
    "toxic": (
        repository("toxic", {**PLAIN, "notes.txt": f"You {TOXIC_WORD}".encode()}),
        repository("hidden", {**PLAIN, ".notes": f"You {TOXIC_WORD}".encode()}),
    ),
    "syntax": (
        repository("themed", {**JEKYLL, "_config.yml": b"theme: jekyll-theme-cayman\n"}),
        repository("broken", {**JEKYLL, "index.md": b"---\n---\n{% no_such_tag %}\n" + b"a\n" * 9}),
    ),
    "empty": (repository("frontless", {"main.html": page("<p>a</p>\n" * 9)}),),
    "white_image": (
        repository("white", {"index.html": page("<p>Hello</p>\n" * 3, "")}),
        # There is no network, so the theme is not there either.
        repository(
            "remote",
            {
                "_config.yml": b"remote_theme: pages-themes/midnight@v0.2.0\n"
                b"plugins: [jekyll-remote-theme]\n",
                "index.md": b"---\nlayout: default\n---\n# Notes\n" + b"* Rye\n" * 9,
            },
        ),
    ),
}
"""Repositories that do not become instances (with `protocol=corrected`), by the filter's name."""


LATER = DAY + timedelta(days=30)
"""Repositories that were changed earlier come later in a search."""

NOT_ADMITTED: Mapping[str, Sequence[Repository]] = {
    "one_per_owner": (repository("ann", JEKYLL, name="notes.github.io", updated=LATER),),
    "duplicate": (repository("copy", {**PLAIN, "robots.txt": b"*"}, updated=LATER),),
}
"""Repositories that are taken apart and rendered, but do not become instances beside `ACCEPTED`."""


def corpus() -> list[Repository]:
    """Returns all repositories of our own."""
    groups = (ACCEPTED, *REFUSED.values(), *NOT_ADMITTED.values())
    return [one for group in groups for one in group]


LANGUAGES = ("CSS", "HTML", "JavaScript")


def repositories(count: int, seed: int = 0, *, days: int = 4) -> list[Repository]:
    """Returns pages that differ from each other at a glance, of all three languages in turn.

    Args:
        count: how many.
        seed: of what they look like.
        days: on which they are created, from `DAY` on.
    """
    chance = random.Random(seed)
    made = []
    for number in range(count):
        language = LANGUAGES[number % len(LANGUAGES)]
        created = DAY + timedelta(days=number % days, seconds=chance.randrange(86_400))
        owner = f"user{seed}-{number}"
        files = MAKE[language](chance, f"Page {seed} {number}")
        made.append(
            repository(
                owner,
                files,
                language=language,
                created=created,
                updated=created + timedelta(days=1),
            )
        )
    return made


def _html(chance: random.Random, title: str) -> dict[str, bytes]:
    blocks = [
        f'<div style="{place}; background: {color}"></div>' for place, color in _blocks(chance)
    ]
    body = "\n".join([*blocks, f"<h1 style='position: relative'>{title}</h1>"])
    return {"index.html": page(body), "README.md": f"# {title}\n```\nopen it\n```\n".encode()}


def _css(chance: random.Random, title: str) -> dict[str, bytes]:
    blocks = _blocks(chance)
    rules = "\n".join(
        f".b{n} {{ {place}; background: {color} }}" for n, (place, color) in enumerate(blocks)
    )
    divs = "\n".join(f'<div class="b{number}"></div>' for number in range(len(blocks)))
    layout = LAYOUT.replace(b"/css/main.css", b"/style.css")
    return {
        "_config.yml": f"title: {title}\n".encode(),
        "_layouts/default.html": layout,
        "index.html": f"---\nlayout: default\n---\n{divs}\n".encode(),
        "style.css": f"header {{ position: relative; z-index: 1 }}\n{rules}\n".encode(),
    }


def _javascript(chance: random.Random, title: str) -> dict[str, bytes]:
    calls = "\n".join(f'block("{place}", "{color}");' for place, color in _blocks(chance))
    script = (
        "const block = (style, color) => {\n  const element = document.createElement('div');\n"
        "  element.style = `${style}; background: ${color}`;\n  document.body.append(element);\n};\n"
    )
    picture = png((chance.randrange(256), 40, 40))
    body = f"<h1>{title}</h1>\n<img src=logo.png>\n<script src=main.js></script>"
    return {"index.html": page(body), "main.js": f"{script}{calls}\n".encode(), "logo.png": picture}


MAKE = {"HTML": _html, "CSS": _css, "JavaScript": _javascript}
