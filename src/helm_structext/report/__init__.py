"""One HTML file that shows a finished suite: leaderboard, charts, and every answer's pictures.

Each benchmark has its part (`ReportPart`); pages are put together here.

Nothing in the file comes from elsewhere and nothing is sent anywhere. What models and datasets
wrote is data in it, never markup: it stands in script elements that are no scripts, with every
``<`` escaped, it enters the page as text, and the page's security policy allows no script but its
own.

The numbers come first in the file, the pictures after them in the order of the gallery, so that a
browser shows the one while it still reads the other.
"""

import base64
import hashlib
import html
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any, NamedTuple

from helm_structext.errors import ERROR_KINDS, SetupError
from helm_structext.handling import INTERNAL, Failure, handle
from helm_structext.processes import map_in_processes
from helm_structext.progress import progress
from helm_structext.report.overview import overview_tables
from helm_structext.report.parts import MAX_TEXT, Block, ReportPart, written
from helm_structext.report.pictures import content, picture_size, webp
from helm_structext.results.result_sets import ResultSet
from helm_structext.results.tabular import Table
from helm_structext.texts import one_line

__all__ = ["MAX_TEXT", "MAX_WIDTH", "write_report"]

MAX_WIDTH = 960
"""Pixels: as wide as a page of LaTeX or music, and half as wide as a webpage."""

SCRIPTS = (
    "base.js",
    "address.js",
    "pictures.js",
    "codes.js",
    "charts.js",
    "grid.js",
    "print.js",
    "run.js",
    "viewer.js",
    "gallery.js",
    "mmr.js",
    "structeval.js",
    "main.js",
)

Parts = Mapping[str, tuple[ReportPart, Sequence[ResultSet[Any]]]]
"""Name of a benchmark to its part of the report, and what that shows."""


def write_report(
    parts: Parts,
    output: Path,
    *,
    title: str,
    max_width: int = MAX_WIDTH,
    plans: bool = True,
    settings: Sequence[Table] = (),
) -> int:
    """Writes the report of a suite: one HTML file that needs nothing else.

    Pictures that are the same are stored once. Encoded pictures and plans are kept in the cache
    folder by content, so that the next report of a growing suite takes little time. The same
    answers always give the same bytes.

    Args:
        parts: the answers to show, benchmark by benchmark.
        output: the file to write; it appears when it is finished.
        title: what the page is called.
        max_width: pictures are stored at most this wide, in pixels.
        plans: whether to compute the EMS plan of every rendering (about 0.1 s each).
        settings: tables of how the suite was run.

    Returns:
        The number of answers in the report.

    Raises:
        SetupError: a picture can't be read, or the file can't be written.
    """
    pictures = _numbered_pictures(parts)
    page = _page(title, _index(title, parts, pictures, settings))
    jobs = list(_jobs(parts, pictures, max_width, plans))
    draft = output.with_name(f".{output.name}.part")
    try:
        with draft.open("w", encoding="utf-8", newline="\n") as file:
            file.write(page)
            prepared = map_in_processes(_prepare, jobs)
            written = zip(jobs, prepared, strict=True)
            for job, (encoded, texts) in progress(written, "writing answers", len(jobs)):
                for number, picture in zip(job.pictures, encoded, strict=True):
                    file.write(_block(f"p{number}", base64.b64encode(picture).decode()))
                if job.block:
                    file.write(_block(job.block.id, _json(texts)))
            file.write("</body>\n</html>\n")
        draft.replace(output)
    except OSError as error:
        raise SetupError(f"{output} can't be written: {error}") from error
    finally:
        draft.unlink(missing_ok=True)
    return len(
        {
            id(answer)
            for _, result_sets in parts.values()
            for result_set in result_sets
            for model in result_set.models
            for answer in result_set.of_model(model)
        }
    )


def _numbered_pictures(parts: Parts) -> dict[Path, int]:
    """Numbers pictures by content: two files that hold the same have one number."""
    paths = dict.fromkeys(path for part, sets in parts.values() for path in part.pictures(sets))
    contents = {path: content(path) for path in paths}
    numbers = {key: number for number, key in enumerate(dict.fromkeys(contents.values()))}
    return {path: numbers[key] for path, key in contents.items()}


def _index(
    title: str, parts: Parts, pictures: Mapping[Path, int], settings: Iterable[Table]
) -> dict[str, Any]:
    """Returns what the page has to know before it shows any answer."""
    names = dict.fromkeys(model for part, sets in parts.values() for model in part.models(sets))
    models = {name: number for number, name in enumerate(names)}
    every = [one for _, sets in parts.values() for one in sets]
    any_path = {number: path for path, number in pictures.items()}
    return {
        "title": title,
        "models": list(models),
        "pictures": [picture_size(any_path[number]) for number in sorted(any_path)],
        "kinds": (*ERROR_KINDS, INTERNAL),
        "datasets": sorted({name for one in every for name in one.datasets}),
        "settings": [written(table) for table in settings],
        "overview": [written(t) for t in overview_tables(every)],
        **{name: part.index(sets, models, pictures) for name, (part, sets) in parts.items()},
    }


class _Job(NamedTuple):
    """What stands in the file after the index: pictures, and the block that shows them first."""

    pictures: dict[int, Path]  # those that no earlier block shows
    max_width: int
    block: Block | None


def _jobs(
    parts: Parts, pictures: Mapping[Path, int], max_width: int, plans: bool
) -> Iterator[_Job]:
    """Yields blocks with their pictures, then the pictures that no block shows."""
    stored: set[int] = set()

    def further(paths: Iterable[Path]) -> dict[int, Path]:
        found = {pictures[path]: path for path in paths if pictures[path] not in stored}
        stored.update(found)
        return found

    for part, result_sets in parts.values():
        for block in part.blocks(result_sets, plans=plans):
            yield _Job(further(block.pictures), max_width, block)
    for number, path in further(pictures).items():
        yield _Job({number: path}, max_width, None)


def _prepare(job: _Job) -> tuple[list[bytes], dict[str, Any]]:
    encoded = [webp(path, job.max_width) for path in job.pictures.values()]
    if job.block is None:
        return encoded, {}
    id, content = job.block.id, dict(job.block.content)
    for name, compute in job.block.computed.items():
        computed = handle(f"{name} of {id} in the report", compute)
        content[name] = None if isinstance(computed, Failure) else computed
    return encoded, content


def _page(title: str, index: Mapping[str, Any]) -> str:
    """Returns the file up to the first answer."""
    parts = files(__name__) / "page"
    style = (parts / "page.css").read_text("utf-8")
    script = "\n".join((parts / name).read_text("utf-8") for name in SCRIPTS)
    return Template((parts / "page.html").read_text("utf-8")).substitute(
        title=html.escape(one_line(title)),
        style=style,
        style_hash=_hash(style),
        index=_block("index", _json(index)),
        script=script,
        script_hash=_hash(script),
    )


def _hash(text: str) -> str:
    """The name by which a content security policy allows an inline style or script."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _block(id: str, text: str) -> str:
    return f'<script type="text/plain" id="{id}">{text}</script>\n'


def _json(value: Any) -> str:
    r"""Returns JSON that can stand in a script element: without ``<``, in ASCII.

    >>> _json("</script>é")
    '"\\u003c/script>\\u00e9"'
    """
    return json.dumps(value, separators=(",", ":"), allow_nan=False).replace("<", r"\u003c")
