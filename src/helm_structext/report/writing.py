"""A finished suite as pages: leaderboards, charts, and every answer's pictures.

Each benchmark describes its part (`helm_structext.report.parts`); pages are put together here, in two
ways that have one page and one script: a file that holds all of it, or a folder of which the browser
loads what is looked at (`helm_structext.report.shards`).

Nothing in the page comes from elsewhere and nothing is sent anywhere. What models and datasets
wrote is data in it, never markup: it stands in script elements that are no scripts, with every
``<`` escaped, it enters the page as text, and the page's security policy allows no script but its
own, and those which that one loads.

In a file the numbers come first, the pictures after them in the order of the gallery, so that a
browser shows the one while it still reads the other.
"""

import base64
import hashlib
import html
import json
from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from importlib.resources import files
from itertools import islice
from pathlib import Path
from string import Template
from typing import Any, NamedTuple

from helm_structext.errors import SetupError
from helm_structext.processes import map_in_processes
from helm_structext.progress import progress
from helm_structext.report.data import (
    Block,
    First,
    Part,
    answers_data,
    blocks,
    counts_of,
    data_of,
    view_data,
)
from helm_structext.report.parts import (
    Parts,
    ReportPart,
    View,
    add_fact_columns,
    all_shown,
    print_table,
)
from helm_structext.report.pictures import content_and_size, webp
from helm_structext.report.shards import SHARDS, folder_in_place, write_shards
from helm_structext.report.shown_answers import (
    AllShown,
    Pick,
    SampleDraw,
    alone,
    draw_answers,
    only,
    picks,
)
from helm_structext.results.categories import Categories
from helm_structext.results.result_sets import ResultSet
from helm_structext.results.summary import summary_table
from helm_structext.results.tabular import Table
from helm_structext.texts import one_line

MAX_WIDTH = 960
"""Pixels: as wide as a page of print, and half as wide as a webpage."""

THUMBNAIL = (480, 440)
"""Width and height in pixels of what cards show: larger pictures have a small one, in folders."""

BATCH = 16
"""Blocks that a process prepares at a time."""

SIZE_BYTES = len("[65535,65535],")
"""Of a picture's size in the index, at most."""

NOTICE_BYTES = 200
"""Of what the index says of a choice, and of the file's end, at most."""

END = "</body>\n</html>\n"


class Written(NamedTuple):
    """How many answers a report shows, and how many there are."""

    answers: int
    of: int


Pictures = Mapping[Path, tuple[str, tuple[int, int]]]
"""Path to the hash of a picture, and to its width and height."""


@dataclass(frozen=True)
class _Report:
    """What a page is made of, before it is decided which answers it shows.

    Args:
        parts: name of a benchmark to what it describes.
        shown: all answers.
        models: name to number on the page.
        frame: what the page says of all answers.
        pictures: all of them, in the order in which they are shown.
        max_width: of stored pictures, in pixels.
        plans: whether to compute plans of what moves where between pictures.
    """

    parts: Mapping[str, Part]
    shown: AllShown
    models: Mapping[str, int]
    frame: Mapping[str, Any]
    pictures: Pictures
    max_width: int
    plans: bool


class _Job(NamedTuple):
    """A block, and those of its pictures that no earlier one shows, by number."""

    block: Block
    pictures: Mapping[int, Path]
    max_width: int
    thumbnails: Collection[int] = ()


def write_report(
    parts: Parts,
    output: Path,
    *,
    title: str,
    max_width: int = MAX_WIDTH,
    plans: bool = True,
    settings: Sequence[Table] = (),
    sample: SampleDraw | None = None,
    categories: Categories | None = None,
    max_bytes: int | None = None,
) -> Written:
    """Writes the report of a suite: one HTML file that needs nothing else.

    Pictures that are the same are stored once. Encoded pictures and plans are kept in the cache
    folder by content, so that the next report of a growing suite takes little time. The same
    answers always give the same bytes.

    Args:
        parts: the answers to show, benchmark by benchmark.
        output: the file to write; it appears when it is finished.
        title: what the page is called.
        max_width: pictures are stored at most this wide, in pixels.
        plans: whether to compute plans of what moves where between pictures (about 0.1 s each).
        settings: tables of how the suite was run.
        sample: which answers are shown, by default all; tables and charts are of all.
        categories: that readers may choose for answers, by default none.
        max_bytes: how large the file may be. If all answers make it larger, it shows some of them
            (`helm_structext.report.shown_answers`) and says so; tables and charts are of all.

    Raises:
        SetupError: a picture can't be read, the file can't be written, or the tables alone are
            larger than it may be.
    """
    report = _report(parts, title, max_width, plans, settings, sample, categories)
    draft = output.with_name(f".{output.name}.part")
    shown = report.shown
    chosen: Sequence[Pick] | None = None
    try:
        while not _write_file(report, shown, draft, max_bytes):
            chosen = (
                _find_fitting(report, max_bytes or 0)
                if chosen is None
                else chosen[: -len(chosen) // 50]
            )
            shown = only(report.shown, chosen)
        draft.replace(output)
    except OSError as error:
        raise SetupError(f"{output} can't be written: {error}") from error
    finally:
        draft.unlink(missing_ok=True)
    return Written(_count(shown), _count(report.shown))


def write_report_folder(
    parts: Parts,
    folder: Path,
    *,
    title: str,
    max_width: int = MAX_WIDTH,
    plans: bool = True,
    settings: Sequence[Table] = (),
    sample: SampleDraw | None = None,
    categories: Categories | None = None,
) -> Written:
    """Writes the report of a suite of any size: a folder, whose page loads what is looked at.

    It opens from disk (``index.html``) and from any host of files. Memory does not grow with texts
    and pictures. For the arguments see `write_report`.

    Args:
        parts: the answers to show.
        folder: takes the place of an earlier report when it is finished.
        title: what the page is called.
        max_width: of stored pictures, in pixels.
        plans: whether to compute plans of what moves where between pictures.
        settings: tables of how the suite was run.
        sample: which answers are shown.
        categories: that readers may choose for answers.

    Raises:
        SetupError: a picture can't be read, the folder can't be written, or holds something that is
            no report.
    """
    with folder_in_place(folder) as draft:
        report = _report(parts, title, max_width, plans, settings, sample, categories)
        numbers = _number_pictures(report, report.shown)
        sizes = _sizes(report, numbers)
        large = {
            number
            for number, (width, height) in enumerate(sizes)
            if width > THUMBNAIL[0] or height > THUMBNAIL[1]
        }
        index = {**_index(report, report.shown, numbers), "shards": SHARDS, "thumbnail": THUMBNAIL}
        page = _page(title, _json(index), shards=True)
        del index  # a hundred thousand answers are much to keep twice
        write_shards(draft, _entries(report, report.shown, numbers, large))
        (draft / "index.html").write_text(page + END, encoding="utf-8", newline="\n")
    count = _count(report.shown)
    return Written(count, count)


def _report(
    parts: Parts,
    title: str,
    max_width: int,
    plans: bool,
    settings: Sequence[Table],
    sample: SampleDraw | None,
    categories: Categories | None,
) -> _Report:
    every = [one for _, sets in parts.values() for one in sets]
    found = {name: Part(part, _view(part, sets)) for name, (part, sets) in parts.items() if sets}
    shown: AllShown = {name: all_shown(view) for name, (_, view) in found.items()}
    names = dict.fromkeys(m for ours in shown.values() for one in ours for m in one.ranking)
    every_answer = _count(shown)
    shown = draw_answers(shown, sample) if sample else shown
    frame: dict[str, Any] = {
        "title": title,
        "models": list(names),
        "datasets": sorted({name for one in every for name in one.datasets}),
        "settings": [data_of(print_table(table)) for table in settings],
        "overview": [data_of(print_table(table)) for table in filter(None, [summary_table(every)])],
        "views": [view_data(name, view) for name, (_, view) in found.items()],
    }
    if sample:
        frame["sample"] = {**sample._asdict(), "shown": _count(shown), "of": every_answer}
    if categories:
        frame["categories"] = asdict(categories)
    paths = dict.fromkeys(path for block in _blocks(found, shown) for path in block.pictures)
    pictures = {path: content_and_size(path) for path in progress(paths, "reading pictures")}
    models = {name: number for number, name in enumerate(names)}
    return _Report(found, shown, models, frame, pictures, max_width, plans)


def _view(part: ReportPart, result_sets: Sequence[ResultSet[Any]]) -> View:
    """What a benchmark shows, with what is known of its models."""
    view = part.make_view(result_sets)
    return replace(view, sheets=[*map(add_fact_columns, view.sheets)])


def _blocks(parts: Mapping[str, Part], shown: AllShown, *, plans: bool = False) -> Iterator[Block]:
    first = First(0, 0)
    for name, part in parts.items():
        yield from blocks(part, shown[name], first, plans=plans)
        first = First(*map(sum, zip(first, counts_of(shown[name]), strict=True)))


def _count(shown: AllShown) -> int:
    """The number of answers; those that stand on several boards count once."""
    return sum(counts_of(ours).answer for ours in shown.values())


def _number_pictures(report: _Report, shown: AllShown) -> dict[Path, int]:
    """Numbers pictures by content: two files that hold the same have one number."""
    paths: Collection[Path] = report.pictures
    if shown is not report.shown:
        paths = dict.fromkeys(path for b in _blocks(report.parts, shown) for path in b.pictures)
    contents = dict.fromkeys(report.pictures[path][0] for path in paths)
    numbers = {content: number for number, content in enumerate(contents)}
    return {path: numbers[report.pictures[path][0]] for path in paths}


def _sizes(report: _Report, numbers: Mapping[Path, int]) -> list[tuple[int, int]]:
    """The size of each picture, by its number."""
    sizes = {number: report.pictures[path][1] for path, number in numbers.items()}
    return [sizes[number] for number in range(len(sizes))]


def _index(report: _Report, shown: AllShown, numbers: Mapping[Path, int]) -> dict[str, Any]:
    """What the page has to know before it shows any answer."""
    views = [
        {**view, **answers_data(part, shown[name], report.models, numbers)}
        for view, (name, part) in zip(report.frame["views"], report.parts.items(), strict=True)
    ]
    return {**report.frame, "pictures": _sizes(report, numbers), "views": views}


def _write_file(report: _Report, shown: AllShown, draft: Path, most: int | None) -> bool:
    """Writes the page of some answers, and returns whether it is no larger than it may be."""
    numbers = _number_pictures(report, shown)
    index = _index(report, shown, numbers)
    if most is not None and shown is not report.shown:
        counts = {"shown": _count(shown), "of": _count(report.shown)}
        index["partial"] = {**counts, "megabytes": most / 1e6}
    page = _page(index["title"], _json(index))
    left = None if most is None else most - len(page.encode()) - len(END)
    if left is not None and left < 0:
        return False
    draft.unlink(
        missing_ok=True
    )  # of a report that was not finished, or a pipe, which would be waited for
    with (
        draft.open("x", encoding="utf-8", newline="\n") as file,
        closing(_entries(report, shown, numbers)) as entries,
    ):
        file.write(page)
        for id, text in entries:
            block = _block(id, text)
            if left is not None and (left := left - len(block)) < 0:
                return False
            file.write(block)
        file.write(END)
    return True


def _find_fitting(report: _Report, most: int) -> list[Pick]:
    """The first of `picks` that a file of that many bytes has room for, as far as can be told."""
    bare = _json(_index(report, only(report.shown, []), {}))
    left = most - len(_page(report.frame["title"], bare).encode()) - NOTICE_BYTES
    if left < 0:
        raise SetupError(
            f"tables and charts alone take {(most - left) / 1e6:.1f} MB, more than --max-megabytes "
            f"{most / 1e6:g}; allow more, or write a folder (-o report/)"
        )
    every = picks(report.shown)
    numbers, seen = _number_pictures(report, report.shown), set[int]()

    def contents(pick: Pick) -> tuple[list[_Job], int]:
        shown = alone(report.shown, pick)
        jobs = list(_jobs(report, shown, numbers, seen))
        part = report.parts[pick.benchmark]
        answers = answers_data(part, shown[pick.benchmark], report.models, numbers)
        pictures = sum(len(job.pictures) for job in jobs)
        return jobs, len(_json(answers)) + pictures * SIZE_BYTES

    chosen = []
    with closing(map_in_processes(_bytes, map(contents, every))) as found:
        for pick, size in zip(every, progress(found, "choosing answers", len(every)), strict=False):
            left -= size
            if left < 0:
                break
            chosen.append(pick)
    return chosen


def _jobs(
    report: _Report,
    shown: AllShown,
    numbers: Mapping[Path, int],
    seen: set[int],
    thumbnails: Collection[int] = (),
) -> Iterator[_Job]:
    """Yields blocks with those of their pictures that are not among `seen`, and puts them there."""
    for block in _blocks(report.parts, shown, plans=report.plans):
        further = {numbers[path]: path for path in block.pictures if numbers[path] not in seen}
        seen.update(further)
        yield _Job(block, further, report.max_width, further.keys() & thumbnails)


def _entries(
    report: _Report,
    shown: AllShown,
    numbers: Mapping[Path, int],
    thumbnails: Collection[int] = frozenset(),
) -> Generator[tuple[str, str], None, None]:
    """Yields all that the page reads later: ids, and pictures in Base64 or JSON."""
    total = sum(sum(counts_of(ours)) for ours in shown.values())
    jobs = _jobs(report, shown, numbers, set(), thumbnails)
    batches = iter(lambda: list(islice(jobs, BATCH)), [])
    with closing(map_in_processes(_prepare, batches)) as prepared:
        done = (entries for batch in prepared for entries in batch)
        for entries in progress(done, "writing answers", total):
            yield from entries


def _prepare(jobs: Sequence[_Job]) -> list[list[tuple[str, str]]]:
    """The entries of each job: pictures, thumbnails, then the block."""
    return [list(_entries_of(job)) for job in jobs]


def _entries_of(job: _Job) -> Iterator[tuple[str, str]]:
    for number, path in job.pictures.items():
        yield f"p{number}", base64.b64encode(webp(path, job.max_width)).decode()
        if number in job.thumbnails:
            yield f"t{number}", base64.b64encode(webp(path, *THUMBNAIL)).decode()
    yield job.block.id, _json(data_of(job.block.content))


def _bytes(content: tuple[Sequence[_Job], int]) -> int:
    """How many bytes jobs give, and what the index has of them."""
    jobs, index = content
    return index + sum(len(_block(*entry)) for entries in _prepare(jobs) for entry in entries)


def _page(title: str, index: str, *, shards: bool = False) -> str:
    """Returns the file up to the first answer.

    Args:
        title: of the page.
        index: as JSON.
        shards: whether its script may load others: those to which it gives a word that nobody knows who wrote an
            answer, a hash of all answers.
    """
    parts = files("helm_structext.report") / "page"
    style = (parts / "page.css").read_text("utf-8")
    script = (parts / "bundle.js").read_text("utf-8")
    nonce = hashlib.sha256(index.encode()).hexdigest() if shards else ""
    return Template((parts / "page.html").read_text("utf-8")).substitute(
        title=html.escape(one_line(title)),
        style=style,
        style_hash=_hash(style),
        index=_block("index", index),
        script=script,
        script_policy=f"'{_hash(script)}'" + (f" 'nonce-{nonce}'" if shards else ""),
        nonce=nonce,
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
