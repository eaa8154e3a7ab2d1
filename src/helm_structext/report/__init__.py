"""One HTML file that shows a finished suite: leaderboard, charts, and every answer's pictures.

Image2Struct comes first; MMR and StructEval have sections of their own.

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
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib.resources import files
from math import nan
from pathlib import Path
from string import Template
from typing import Any, NamedTuple, TypeVar

from tqdm import tqdm

from helm_structext.errors import ERROR_KINDS, SetupError
from helm_structext.image2struct.report import METRICS, metrics_of, numbers, rounded
from helm_structext.image2struct.result_sets import EMS, LABELS, Pool
from helm_structext.image2struct.scores import DISTANCES
from helm_structext.image2struct.tables import BOUNDS
from helm_structext.image2struct.tasks import DOMAINS
from helm_structext.mmr import report as mmr_part
from helm_structext.mmr.results import MMRBoard
from helm_structext.report.pictures import Plan, content, picture_size, plan, webp
from helm_structext.results.runs import Result
from helm_structext.sandbox import worker_count
from helm_structext.structeval import report as structeval_part
from helm_structext.structeval.results import Board

MAX_WIDTH = 960
"""Pixels: as wide as a page of LaTeX or music, and half as wide as a webpage."""

MAX_TEXT = 20_000
"""Characters of one text that a report shows."""

SCRIPTS = (
    "base.js",
    "pictures.js",
    "charts.js",
    "gallery.js",
    "viewer.js",
    "mmr.js",
    "structeval.js",
    "main.js",
)

EMS_RENDERED = "earth_mover_similarity_rendered"
"""Of one answer the same as its EMS."""

Key = TypeVar("Key", bound=Hashable)


def write_report(
    conditions: Sequence[Sequence[Pool]],
    output: Path,
    *,
    title: str,
    max_width: int = MAX_WIDTH,
    plans: bool = True,
    mmr: Sequence[MMRBoard] = (),
    structeval: Sequence[Board] = (),
) -> int:
    """Writes the report of a suite: one HTML file that needs nothing else.

    Pictures that are the same are stored once. Encoded pictures and plans are kept in the cache
    folder by content, so that the next report of a growing suite takes little time. The same
    answers always give the same bytes.

    Args:
        conditions: the answers to show, as from `helm_structext.image2struct.tables.selected`.
        output: the file to write; it appears when it is finished.
        title: what the page is called.
        max_width: pictures are stored at most this wide, in pixels.
        plans: whether to compute the EMS plan of every rendering (about 0.1 s each).
        mmr: answers to the questions of MMR.
        structeval: answers to the tasks of StructEval.

    Returns:
        The number of answers in the report.

    Raises:
        SetupError: a picture can't be read, or the file can't be written.
    """
    summaries = [numbers(pools) for pools in conditions]
    answers = list(_answers(conditions, [summary["models"] for summary in summaries]))
    paths = dict.fromkeys(path for answer in answers for path in answer.pictures)
    paths |= dict.fromkeys(mmr_part.pictures_of(mmr))
    paths |= dict.fromkeys(structeval_part.pictures_of(structeval))
    contents = {path: content(path) for path in paths}
    catalogue = _catalogue(title, answers, contents, mmr, structeval)
    page = _page(title, {**catalogue, "conditions": summaries})
    jobs = list(_jobs(answers, contents, max_width, plans))
    stored = {number for job in jobs for number in job.pictures}
    path_of = {number: path for path, number in _picture_numbers(contents).items()}
    others = {number: path for number, path in path_of.items() if number not in stored}
    draft = output.with_name(f".{output.name}.part")
    try:
        with (
            draft.open("w", encoding="utf-8", newline="\n") as file,
            ProcessPoolExecutor(worker_count()) as pool,
        ):
            file.write(page)
            prepared = pool.map(_prepare, jobs, chunksize=4)
            bar = tqdm(jobs, desc=output.name, unit=" answers", disable=None)
            for job, (pictures, moves) in zip(bar, prepared, strict=True):
                for number, picture in zip(job.pictures, pictures, strict=True):
                    file.write(_block(f"p{number}", base64.b64encode(picture).decode()))
                file.write(_block(job.id, _json({**job.texts, "plan": moves})))
            for name, texts in structeval_part.structeval_blocks(structeval):
                file.write(_block(name, _json(texts)))
            encoded = pool.map(partial(webp, max_width=max_width), others.values())
            for number, picture in zip(others, encoded, strict=True):
                file.write(_block(f"p{number}", base64.b64encode(picture).decode()))
            file.write("</body>\n</html>\n")
        draft.replace(output)
    except OSError as error:
        raise SetupError(f"{output} can't be written: {error}") from error
    finally:
        draft.unlink(missing_ok=True)
    asked = sum(len(board.answers) for board in mmr)
    return len(jobs) + asked + len(catalogue["structeval"]["answers"])


class _Answer(NamedTuple):
    condition: int
    instance: tuple[str, str, str]  # domain, subset, id
    result: Result

    @property
    def pictures(self) -> list[Path]:
        """What the model saw, what it should draw, and what it drew."""
        result = self.result
        return [path for path in (result.seen, result.picture, result.rendering) if path]


def _answers(
    conditions: Sequence[Sequence[Pool]], rankings: Sequence[Sequence[str]]
) -> Iterator[_Answer]:
    """Yields every answer in the order in which the gallery shows them."""
    for number, (pools, ranking) in enumerate(zip(conditions, rankings, strict=True)):
        for pool in pools:
            for instance in pool.instances:
                for model in ranking:
                    if result := pool.answers.get((model, instance)):
                        yield _Answer(number, (pool.domain, *instance), result)


def _numbered(keys: Iterable[Key]) -> dict[Key, int]:
    return {key: number for number, key in enumerate(dict.fromkeys(keys))}


def _picture_numbers(contents: Mapping[Path, str]) -> dict[Path, int]:
    """Numbers pictures by content: two files that hold the same have one number."""
    numbers = _numbered(contents.values())
    return {path: numbers[key] for path, key in contents.items()}


def _catalogue(
    title: str,
    answers: Sequence[_Answer],
    contents: Mapping[Path, str],
    mmr: Sequence[MMRBoard],
    structeval: Sequence[Board],
) -> dict[str, Any]:
    """Returns what the page has to know of every answer before it shows any.

    What occurs often is a number: a model, a subset, an instance, a picture.
    """
    metrics = [m for m in metrics_of(answer.result for answer in answers) if m != EMS_RENDERED]
    models = _numbered(
        [
            *(answer.result.model for answer in answers),
            *(model for board in mmr for model in board.ranking),
            *(model for board in structeval for model in board.models),
        ]
    )
    subsets = _numbered(answer.instance[:2] for answer in answers)
    instances = _numbered(answer.instance for answer in answers)
    pictures = _picture_numbers(contents)
    any_answer = {answer.instance: answer.result for answer in answers}
    any_path = {number: path for path, number in pictures.items()}

    def number_of(path: Path | None) -> int | None:
        return None if path is None else pictures[path]

    return {
        "title": title,
        "metrics": METRICS,
        "answerMetrics": metrics,
        "distances": sorted(DISTANCES),
        "domains": LABELS,
        "bounds": BOUNDS,
        "kinds": ERROR_KINDS,
        "models": list(models),
        "subsets": [
            {
                "domain": domain,
                "name": name,
                "wild": name in DOMAINS[domain].wild_subsets,
                "resize": DOMAINS[domain].size_handling == "resize",
            }
            for domain, name in subsets
        ],
        "pictures": [picture_size(any_path[number]) for number in sorted(any_path)],
        "instances": [
            {
                "id": instance[2],
                "subset": subsets[instance[:2]],
                "difficulty": any_answer[instance].difficulty,
                "date": any_answer[instance].date,
                "picture": number_of(any_answer[instance].picture),
            }
            for instance in instances
        ],
        "answers": [
            {
                "condition": answer.condition,
                "instance": instances[answer.instance],
                "model": models[answer.result.model],
                "seen": number_of(answer.result.seen),
                "rendering": number_of(answer.result.rendering),
                "kind": answer.result.error_kind,
                "truncated": answer.result.truncated,
                "refused": answer.result.refused,
                "scores": [rounded(answer.result.scores.get(name, nan)) for name in metrics],
            }
            for answer in answers
        ],
        "mmr": mmr_part.mmr_index(mmr, models, pictures),
        "structeval": structeval_part.structeval_index(structeval, models, pictures),
    }


class _Job(NamedTuple):
    """What an answer adds to the file after the catalogue."""

    id: str
    pictures: dict[int, Path]  # those that no earlier answer shows
    max_width: int
    pair: tuple[Path, Path, Any, float] | None  # arguments of `plan`
    texts: dict[str, str]


def _jobs(
    answers: Iterable[_Answer], contents: Mapping[Path, str], max_width: int, plans: bool
) -> Iterator[_Job]:
    numbers = _picture_numbers(contents)
    stored: set[int] = set()
    for number, answer in enumerate(answers):
        result = answer.result
        shown = {numbers[path]: path for path in answer.pictures}
        ems = result.scores.get(EMS)
        yield _Job(
            id=f"a{number}",
            pictures={n: path for n, path in shown.items() if n not in stored},
            max_width=max_width,
            pair=(result.rendering, result.picture, DOMAINS[result.domain].size_handling, ems)
            if plans and result.rendering and ems is not None
            else None,
            texts={
                "completion": _clipped(result.completion),
                "text": _clipped(result.text),
                "reference": _clipped(result.reference_text),
                "error": _clipped(result.error),
            },
        )
        stored.update(shown)


def _prepare(job: _Job) -> tuple[list[bytes], Plan | None]:
    pictures = [webp(path, job.max_width) for path in job.pictures.values()]
    return pictures, plan(*job.pair) if job.pair else None


def _clipped(text: str) -> str:
    left_out = len(text) - MAX_TEXT
    return text if left_out <= 0 else f"{text[:MAX_TEXT]}\n… and {left_out:,} characters more"


def _page(title: str, index: Mapping[str, Any]) -> str:
    """Returns the file up to the first answer."""
    parts = files(__name__) / "page"
    style = (parts / "page.css").read_text("utf-8")
    script = "\n".join((parts / name).read_text("utf-8") for name in SCRIPTS)
    return Template((parts / "page.html").read_text("utf-8")).substitute(
        title=html.escape(title),
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
