"""What runs of Image2Struct will take."""

from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory

from helm_structext.data import NEWEST, Row
from helm_structext.image2struct.rows import read_texts, rows_of
from helm_structext.image2struct.tasks import DOMAINS, Domain
from helm_structext.planning.records import (
    Arguments,
    Dataset,
    Expected,
    Job,
    Planning,
    utf8_length,
)

INSTANCES = 300
"""Of each published subset with a ground truth; a third of each difficulty."""
WILD_INSTANCES = 50


def _subsets(arguments: Arguments) -> tuple[str, ...]:
    subset: str = arguments["subset"]
    return DOMAINS[arguments["domain"]].subsets if subset == "all" else (subset,)


def datasets(arguments: Arguments) -> list[Dataset]:
    """Returns what of the published data a run reads."""
    name = DOMAINS[arguments["domain"]].dataset
    revision = arguments.get("revision", NEWEST)
    return [Dataset(name, subset, ("validation",), revision) for subset in _subsets(arguments)]


def expected(arguments: Arguments) -> list[Expected]:
    """Returns what is expected of a run's instances.

    Raises:
        SetupError: the source can't be read, or a row lacks what an instance needs.
    """
    difficulty = arguments["difficulty"]
    source, revision = arguments["source"], arguments.get("revision", NEWEST)
    return [
        of_row
        for subset in _subsets(arguments)
        for level, of_row in _of_subset(arguments["domain"], subset, source, revision)
        if difficulty in ("all", level)
    ]


@lru_cache(maxsize=32)
def _of_subset(
    name: str, subset: str, source: str, revision: str
) -> Sequence[tuple[str, Expected]]:
    """The difficulty of each row, and what is expected of it."""
    rows = rows_of(name, subset, "all", source, revision)
    return [(_difficulty(row), _of_row(row, DOMAINS[name], subset)) for row in rows]


def _difficulty(row: Row) -> str:
    return row.text("difficulty") if row.has("difficulty") else ""


def _of_row(row: Row, domain: Domain, subset: str) -> Expected:
    texts = read_texts(row, domain, subset)
    answer = None if texts["oracle"] is None else utf8_length(texts["oracle"])
    size = row.picture_size("image")
    return Expected(utf8_length(texts["prompt"]), answer, (size,), domain.format)


def sample(arguments: Arguments) -> list[Expected]:
    """Returns what is expected of the embedded instances of a run's subset."""
    subset = "wild" if arguments["subset"] == "wild_legacy" else arguments["subset"]
    here = {"subset": subset, "source": "sample", "difficulty": "all", "revision": NEWEST}
    return expected({**arguments, **here})


def published(arguments: Arguments) -> int:
    """Returns how many instances of the published data a run has."""
    wild = arguments["subset"] in DOMAINS[arguments["domain"]].wild_subsets
    total = WILD_INSTANCES if wild else INSTANCES * len(_subsets(arguments))
    return total if arguments["difficulty"] == "all" else total // 3


def jobs(format: str) -> Iterator[Job]:
    """Yields what is done with an answer in one of the domains' formats, of all subsets in turn."""
    for name, domain in DOMAINS.items():
        if domain.format == format:
            parts = [rows_of(name, subset, "all", "sample") for subset in domain.subsets]
            for rows in zip(*parts, strict=False):
                for row, subset in zip(rows, domain.subsets, strict=True):
                    yield partial(_render_and_score, domain, row, subset)


def _render_and_score(domain: Domain, row: Row, subset: str) -> None:
    from helm_structext.image2struct.scores import TEXT_METRICS, usable_neural_metrics
    from helm_structext.image2struct.scoring import attempt, read_pair, score_pictures
    from helm_structext.renderers import render

    texts = read_texts(row, domain, subset)
    with TemporaryDirectory() as folder:
        paths = Path(folder) / "prediction.png", Path(folder) / "reference.png"
        rendering = render(domain.format, texts["oracle"], assets=texts["assets"])
        rendering.image.save(paths[0], compress_level=1)
        paths[1].write_bytes(row.picture("image"))
        score_pictures(*paths, domain.size_handling)
        if neural := usable_neural_metrics():
            attempt(neural, read_pair(*paths, domain.size_handling))
        attempt(TEXT_METRICS, (rendering.text, texts["text"]))


PLANNING = Planning(datasets, expected, sample, published, jobs)
