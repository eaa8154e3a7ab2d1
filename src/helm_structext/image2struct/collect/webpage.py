"""Webpages: small repositories of GitHub Pages, whole, and what a browser shows of them.

The two protocols differ in one thing, a site without a front page. In ``published`` the server's
list of its files is its picture, which is nearly always refused as white; in ``corrected`` the site
does not render (`helm_structext.renderers.web.webpage`). All limits are the same in both: they are
those of the published collector, which counts styles apart from the at most five code files.

Source: Image2Struct, section 2.1.1, and its published collector.
"""

import io
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import PurePosixPath

from helm_structext.data.archives import pack_repository
from helm_structext.image2struct.collect import github
from helm_structext.image2struct.collect.filters import (
    created_after_end,
    created_before_start,
    license_not_admitted,
    text_of,
    toxic,
    white_image_in,
)
from helm_structext.image2struct.collect.records import (
    Collector,
    Download,
    Draft,
    Filter,
    Tools,
)
from helm_structext.image2struct.rows import repository_completion
from helm_structext.renderers import Rendering, render_completion
from helm_structext.renderers.web.webpage import needs_jekyll

SUBSETS = ("css", "html", "javascript")
"""The main languages of the repositories."""

EXTENSIONS = {
    "code": frozenset(["js", "html", "md", "py", "rb", "php", "java", "c", "cpp"]),
    "style": frozenset(["css"]),
    "asset": frozenset(
        ["png", "jpg", "jpeg", "gif", "svg", "mp4", "webm", "mov", "avi", "flv", "wmv", "mkv"]
    ),
}
"""Kinds of files that count, by their extensions."""
UNCOUNTED = frozenset(["gemfile", "gemfile.lock", "_config.yml"])
UNCOUNTED_STEMS = frozenset(["license", "contributing"])

MAX_CODE_FILES, MAX_ASSETS = 5, 5
MIN_CODE_LINES, MAX_CODE_LINES, MAX_STYLE_LINES = 10, 1000, 2000

LARGE_FILE = b"version https://git-lfs.github.com/spec/"
"""How a file begins that only points to its content, which lies in Git's storage of large files."""


def select_files(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Returns the files that count: neither hidden, nor about the repository instead of the page.

    >>> list(select_files({"a.html": b"", ".github/a.md": b"", "LICENSE.md": b"", "_config.yml": b""}))
    ['a.html']
    """
    return {
        name: content
        for name, content in files.items()
        if not any(part.startswith(".") for part in name.split("/"))
        and _file_name(name) not in UNCOUNTED
        and _file_name(name).partition(".")[0] not in UNCOUNTED_STEMS
    }


def _file_name(name: str) -> str:
    return name.rpartition("/")[2].lower()


def select_kind(kind: str, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Returns the files of a kind, a key of `EXTENSIONS`, among those that count.

    >>> list(select_kind("asset", {"img/a.PNG": b"", "a.css": b"", ".b.png": b""}))
    ['img/a.PNG']
    """
    return {
        name: content
        for name, content in select_files(files).items()
        if PurePosixPath(name).suffix[1:].lower() in EXTENSIONS[kind]
    }


def lines_of(kind: str, files: Mapping[str, bytes]) -> int:
    r"""Returns how many lines the files of a kind have together; they must be readable.

    >>> lines_of("code", {"a.js": b"a\nb", "b.html": b"<p>\r\n", "a.css": b"p {}"})
    3
    """
    return sum(
        sum(1 for _ in io.StringIO(content.decode(), newline=None))
        for content in select_kind(kind, files).values()
    )


def unreadable_file(download: Download, tools: Tools) -> str | None:
    """Refuses repositories with code or style that is no text, and with files that lie elsewhere."""
    for name, content in download.files.items():
        if content.startswith(LARGE_FILE):
            return f"{name} points to a file in Git's storage of large files"
    for name, content in {
        **select_kind("code", download.files),
        **select_kind("style", download.files),
    }.items():
        if text_of(content) is None:
            return f"{name} is not a text in UTF-8"
    return None


def only_a_readme(download: Download, tools: Tools) -> str | None:
    """Refuses repositories in which nothing counts but what explains them."""
    names = select_files(download.files)
    if all(_file_name(name).partition(".")[0] == "readme" for name in names):
        return "there is nothing beside a readme" if names else "there is nothing"
    return None


def too_many_code_files(download: Download, tools: Tools) -> str | None:
    """Refuses more than `MAX_CODE_FILES`."""
    count = len(select_kind("code", download.files))
    return f"it has {count} code files" if count > MAX_CODE_FILES else None


def too_many_assets(download: Download, tools: Tools) -> str | None:
    """Refuses more than `MAX_ASSETS`."""
    count = len(select_kind("asset", download.files))
    return f"it has {count} assets" if count > MAX_ASSETS else None


def too_few_code_lines(download: Download, tools: Tools) -> str | None:
    """Refuses fewer than `MIN_CODE_LINES`."""
    lines = lines_of("code", download.files)
    return f"it has {lines} lines of code" if lines < MIN_CODE_LINES else None


def too_many_code_lines(download: Download, tools: Tools) -> str | None:
    """Refuses more than `MAX_CODE_LINES`."""
    lines = lines_of("code", download.files)
    return f"it has {lines} lines of code" if lines > MAX_CODE_LINES else None


def too_many_style_lines(download: Download, tools: Tools) -> str | None:
    """Refuses more than `MAX_STYLE_LINES`."""
    lines = lines_of("style", download.files)
    return f"it has {lines} lines of style" if lines > MAX_STYLE_LINES else None


FILE_FILTERS: tuple[Filter[Download], ...] = (
    unreadable_file,
    only_a_readme,
    too_many_code_files,
    too_many_assets,
    too_few_code_lines,
    too_many_code_lines,
    too_many_style_lines,
    toxic,
)


def drafts(download: Download, tools: Tools) -> Iterator[Draft]:
    """Yields the repository as a whole."""
    files = download.files
    code, style = lines_of("code", files), lines_of("style", files)
    assets = select_kind("asset", files)
    yield Draft(
        candidate=download.candidate,
        subset=download.candidate.group,
        structure=pack_repository(files),
        text=None,
        image=b"",
        length=code + style,
        assets=tuple(assets.values()),
        info={
            "file_filters": {
                "code_files": len(select_kind("code", files)),
                "lines_of_code": code,
                "lines_of_style": style,
                "assets": len(assets),
            },
            "compilation_info": {"jekyll": needs_jekyll(files)},
        },
    )


def render(draft: Draft, tools: Tools) -> Draft:
    """Takes the screenshot that the scores of an answer with the same files are made of.

    What the page asked for and did not get is in the draft's `info`.

    Raises:
        RenderError: Jekyll does not build it, or the browser does not show it.
        SetupError: see `helm_structext.renderers.render`.
    """
    assert draft.structure is not None
    completion, assets = repository_completion(draft.structure)
    rendering = render_completion(
        "webpage", completion, assets=assets, protocol=tools.settings.protocol
    )
    assert isinstance(rendering, Rendering)
    missing = {"missing": [str(one) for one in rendering.missing]} if rendering.missing else {}
    return replace(
        draft, image=rendering._repr_png_(), text=rendering.text, info={**draft.info, **missing}
    )


COLLECTOR = Collector(
    domain="webpage",
    subsets=SUBSETS,
    addresses=github.ADDRESSES,
    # Without one, GitHub answers 60 requests an hour, which are 30 repositories.
    credentials=("GITHUB_TOKEN",),
    listings=tuple(map(github.make_listing, SUBSETS)),
    fetch_filters=(
        *github.FETCH_FILTERS,
        created_before_start,
        created_after_end,
        license_not_admitted,
    ),
    download=github.download,
    file_filters=FILE_FILTERS,
    drafts=drafts,
    most=1,
    render=render,
    rendering_filters=(white_image_in("webpage"),),
)
